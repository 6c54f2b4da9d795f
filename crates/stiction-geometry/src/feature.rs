//! Pairs of features of two bodies, and the motion of their contact.
//!
//! A contact is a pair of *features*, such as a vertex and a face, two crossing
//! edges, or a rim and a plane. The features are fixed in their bodies. They
//! determine the contact point, the normal and the gap for any pair of poses
//! ([`FeaturePair::geometry`]) and the exact rates of these ([`FeaturePair::rates`]):
//! each pair of features has one formula, written in numbers that carry their
//! derivatives.
//!
//! ```text
//!   Point–Plane    n = plane normal           gap = n·(p − q) − r
//!   Point–Point    n = (p − q)/|p − q|        gap = |p − q| − rₐ − r_b
//!   Point–Line     as above, q the projection of p on the line
//!   Line–Line      n = ±(eₐ × e_b)/|eₐ × e_b| gap = n·(pₐ − p_b) − rₐ − r_b
//!   Point–Circle   as above, q the nearest point of the circle
//!   Circle–Plane   p the point of the circle deepest along −n
//!   Point–Cone     n the normal of the side in the plane of p and the axis
//!   Line–Cone      n across the line and a normal of the side: both conditions are linear
//!   Cone–Cone      n a normal of both sides
//!   Circle–Line    n the normal of the line, of the side or of both rims along which
//!   Circle–Cone      the gap is largest: by Newton's method (feature/rim.rs)
//!   Circle–Circle
//! ```
//!
//! In all of them the rate of the gap is `n·(vₐ(x) − v_b(x))`, with `x` the
//! contact point and `v(x)` the velocities of the bodies there. The contact point
//! is in the middle of the gap.
//!
//! The features of degenerate contacts (vertex on vertex, vertex on edge) do not
//! determine a normal. As in Baraff (1989) §4.1 one body is extended by a plane
//! through the contact: such contacts are Point–Plane with an unbounded plane and
//! are marked [`FeaturePair::degenerate`].

mod rim;
mod ruled;

use std::sync::Arc;

use glam::DVec3;

use self::rim::{Rim, rim_on_rim, rim_on_ruled};
use self::ruled::{Ruled, between_ruled, on_ruled};
use crate::moving::{Frame, Moving, Scalar};
use crate::{Pose, Twist};

/// A piece of a body's surface, in the body frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Feature {
    /// A vertex (radius 0), or the centre of a ball or of an end of a capsule.
    Point {
        /// Position (m).
        at: DVec3,
        /// Radius of the ball around it (m).
        radius: f64,
    },
    /// An edge (radius 0), or the axis of a capsule or of the side of a cylinder.
    Line {
        /// Its middle (m).
        at: DVec3,
        /// Unit direction.
        along: DVec3,
        /// Half its length (m).
        half_length: f64,
        /// Radius of the tube around it (m).
        radius: f64,
    },
    /// A face.
    Plane {
        /// A point of the plane (m).
        at: DVec3,
        /// Outward unit normal.
        normal: DVec3,
        /// Its corners, counter-clockwise seen from outside; empty if the plane is unbounded.
        boundary: Arc<[DVec3]>,
    },
    /// The rim of a cylinder or cone.
    Circle {
        /// Its centre (m).
        centre: DVec3,
        /// Unit vector along the axis of the circle.
        axis: DVec3,
        /// Its radius (m).
        radius: f64,
    },
    /// The side of a cone.
    Cone {
        /// Its tip (m).
        tip: DVec3,
        /// Unit vector along the axis, from the base to the tip.
        axis: DVec3,
        /// Sine of the angle between axis and side.
        sine: f64,
        /// Distance from the tip to the rim (m).
        length: f64,
    },
}

impl Feature {
    /// A vertex.
    pub fn vertex(at: DVec3) -> Self {
        Feature::Point { at, radius: 0.0 }
    }

    /// An unbounded plane.
    pub fn unbounded(at: DVec3, normal: DVec3) -> Self {
        Feature::Plane { at, normal, boundary: Arc::from([]) }
    }
}

/// A contact at one instant, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactGeometry {
    /// Contact point, in the middle of the gap (m).
    pub point: DVec3,
    /// Unit normal, from b into a.
    pub normal: DVec3,
    /// Signed distance along the normal (m); negative if the bodies penetrate.
    pub gap: f64,
    /// Distance of the contact from the nearest boundary of its features (m): positive inside both
    /// features, negative if the contact has left a face or an edge, infinite if both features are
    /// unbounded.
    pub room: f64,
}

/// Rates of the geometry of a contact, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Velocity of the contact point as a geometric point, not as a material point (m/s).
    pub point: DVec3,
    /// Rate of the unit normal (1/s).
    pub normal: DVec3,
    /// Rate of the gap (m/s).
    pub gap: f64,
}

/// A contact: a pair of features that touch or may touch soon.
#[derive(Clone, Debug, PartialEq)]
pub struct FeaturePair {
    /// Feature of the first body, in its frame.
    pub on_a: Feature,
    /// Feature of the second body, in its frame.
    pub on_b: Feature,
    /// +1 or −1: the sign of `eₐ × e_b` that gives the normal of two lines.
    pub facing: f64,
    /// Identifies the two features and their parts; unchanged while the same features touch.
    pub key: u64,
    /// Whether a rule chose the normal: vertex on vertex, vertex on edge, or parallel edges.
    pub degenerate: bool,
    /// The geometry at the poses at which the contact was found.
    pub geometry: ContactGeometry,
}

impl FeaturePair {
    /// The contact of two features, evaluated at these poses.
    pub fn new(on_a: Feature, on_b: Feature, facing: f64, a: &Pose, b: &Pose) -> Self {
        let mut contact =
            FeaturePair { on_a, on_b, facing, key: 0, degenerate: false, geometry: UNDEFINED };
        contact.geometry = contact.geometry(a, b);
        contact
    }

    /// Point, normal and gap with the bodies at these poses.
    ///
    /// If the pair of features has no formula (two planes, for example) or no normal at these poses
    /// (concentric balls, parallel lines), the gap is infinite and `room` is −∞.
    pub fn geometry(&self, a: &Pose, b: &Pose) -> ContactGeometry {
        self.evaluate(a, &Twist::ZERO, b, &Twist::ZERO).map_or(UNDEFINED, |moving| {
            ContactGeometry {
                point: moving.point.value,
                normal: moving.normal.value,
                gap: moving.gap.value,
                room: moving.room,
            }
        })
    }

    /// Exact rates of point, normal and gap; zero where [`Self::geometry`] is not defined.
    pub fn rates(&self, a: &Pose, va: &Twist, b: &Pose, vb: &Twist) -> Rates {
        let none = Rates { point: DVec3::ZERO, normal: DVec3::ZERO, gap: 0.0 };
        self.evaluate(a, va, b, vb).map_or(none, |moving| Rates {
            point: moving.point.rate,
            normal: moving.normal.rate,
            gap: moving.gap.rate,
        })
    }

    fn evaluate(&self, a: &Pose, va: &Twist, b: &Pose, vb: &Twist) -> Option<MovingContact> {
        let frame_a = Frame { pose: a, twist: va };
        let frame_b = Frame { pose: b, twist: vb };
        if rank(&self.on_a) <= rank(&self.on_b) {
            evaluate_pair(&self.on_a, &frame_a, &self.on_b, &frame_b, self.facing)
        } else {
            evaluate_pair(&self.on_b, &frame_b, &self.on_a, &frame_a, self.facing)
                .map(MovingContact::flipped)
        }
    }
}

/// The result of [`FeaturePair::geometry`] if the contact is not defined.
const UNDEFINED: ContactGeometry = ContactGeometry {
    point: DVec3::ZERO,
    normal: DVec3::Z,
    gap: f64::INFINITY,
    room: f64::NEG_INFINITY,
};

/// The geometry of a contact with its rates; the normal points from the second feature into the
/// first.
struct MovingContact {
    point: Moving,
    normal: Moving,
    gap: Scalar,
    room: f64,
}

impl MovingContact {
    fn flipped(self) -> Self {
        MovingContact { normal: -self.normal, ..self }
    }
}

/// Order of the kinds of features, so that each pair of kinds needs only one formula.
fn rank(feature: &Feature) -> u8 {
    match feature {
        Feature::Point { .. } => 0,
        Feature::Circle { .. } => 1,
        Feature::Line { .. } => 2,
        Feature::Cone { .. } => 3,
        Feature::Plane { .. } => 4,
    }
}

fn evaluate_pair(
    first: &Feature,
    f: &Frame<'_>,
    second: &Feature,
    s: &Frame<'_>,
    facing: f64,
) -> Option<MovingContact> {
    match (first, second) {
        (&Feature::Point { at, radius }, Feature::Plane { at: q, normal, boundary }) => {
            Some(on_plane(f.point(at), radius, *q, *normal, boundary, s))
        }
        (&Feature::Point { at, radius: r }, &Feature::Point { at: other, radius: o }) => {
            between_points(f.point(at), r, s.point(other), o, f64::INFINITY)
        }
        (&Feature::Point { at, radius }, Feature::Line { .. } | Feature::Cone { .. }) => {
            on_ruled(f.point(at), radius, &Ruled::new(second, s)?)
        }
        (&Feature::Point { at, radius: r }, &Feature::Circle { centre, axis, radius }) => {
            let (p, centre) = (f.point(at), s.point(centre));
            let rim = centre + across(p - centre, s.direction(axis)).unit()? * radius;
            between_points(p, r, rim, 0.0, f64::INFINITY)
        }
        (
            Feature::Line { .. } | Feature::Cone { .. },
            Feature::Line { .. } | Feature::Cone { .. },
        ) => between_ruled(&Ruled::new(first, f)?, &Ruled::new(second, s)?, facing),
        (Feature::Circle { .. }, Feature::Plane { at: q, normal, boundary }) => {
            let low = Rim::new(first, f)?.deepest(s.direction(*normal))?;
            Some(on_plane(low, 0.0, *q, *normal, boundary, s))
        }
        (Feature::Circle { .. }, Feature::Line { .. } | Feature::Cone { .. }) => {
            rim_on_ruled(&Rim::new(first, f)?, &Ruled::new(second, s)?)
        }
        (Feature::Circle { .. }, Feature::Circle { .. }) => {
            rim_on_rim(&Rim::new(first, f)?, &Rim::new(second, s)?)
        }
        _ => None,
    }
}

/// A ball around `p` on the plane through `q`.
///
/// ```text
///   gap = n·(p − q) − r,    x = p − (r + gap/2) n
/// ```
fn on_plane(
    p: Moving,
    radius: f64,
    q: DVec3,
    normal: DVec3,
    boundary: &[DVec3],
    frame: &Frame<'_>,
) -> MovingContact {
    let n = frame.direction(normal);
    let gap = n.dot(p - frame.point(q)) - Scalar::fixed(radius);
    let point = p - n.scale(Scalar::fixed(radius) + Scalar::fixed(0.5) * gap);
    let room = if boundary.is_empty() {
        f64::INFINITY
    } else {
        room_inside(boundary, normal, frame.pose.local_point(point.value))
    };
    MovingContact { point, normal: n, gap, room }
}

/// Distance of a point from the nearest side of a convex polygon, positive inside. The distance is
/// measured in the plane of the polygon; the point may be above the plane.
pub(crate) fn room_inside(boundary: &[DVec3], normal: DVec3, point: DVec3) -> f64 {
    let mut room = f64::INFINITY;
    let mut from = boundary[boundary.len() - 1];
    for &to in boundary {
        let side = normal.cross(to - from);
        room = room.min((point - from).dot(side) / side.length());
        from = to;
    }
    room
}

/// Whether `room_inside(…) ≥ −slack`. Faster: no square roots, and an early exit for points
/// outside.
pub(crate) fn is_inside(boundary: &[DVec3], normal: DVec3, point: DVec3, slack: f64) -> bool {
    let mut from = boundary[boundary.len() - 1];
    for &to in boundary {
        let side = normal.cross(to - from);
        let inward = (point - from).dot(side);
        if inward < 0.0 && inward * inward > slack * slack * side.length_squared() {
            return false;
        }
        from = to;
    }
    true
}

/// Two balls; the contact point is on the line through their centres.
fn between_points(p: Moving, r: f64, q: Moving, o: f64, room: f64) -> Option<MovingContact> {
    let apart = p - q;
    let normal = apart.unit()?;
    let gap = apart.length() - Scalar::fixed(r + o);
    let point = q + normal.scale(Scalar::fixed(o) + Scalar::fixed(0.5) * gap);
    Some(MovingContact { point, normal, gap, room })
}

/// The component of a vector perpendicular to an axis.
fn across(v: Moving, axis: Moving) -> Moving {
    v - axis.scale(v.dot(axis))
}

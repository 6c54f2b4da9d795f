//! Support functions of convex parts, for parry's GJK and EPA, and separations along directions.

use glam::{DQuat, DVec3};
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query::contact::contact_support_map_support_map;
use parry3d_f64::query::details::distance_support_map_support_map;
use parry3d_f64::shape::SupportMap;

use crate::{Part, Pose, Shape};

/// The core of a convex part in its body frame, or a triangle. The core is the whole part, except for
/// balls and capsules, where it is the centre or the axis; [`Core::radius`] is then added exactly.
#[derive(Clone, Copy)]
pub(crate) enum Core<'a> {
    Part(&'a Part),
    /// By its corners.
    Triangle(&'a [DVec3; 3]),
}

impl<'a> Core<'a> {
    /// `None` for half-spaces and surfaces, which have no support function here.
    pub fn new(part: &'a Part) -> Option<Self> {
        let convex = part.hull().is_some()
            || matches!(part.shape(), Shape::Ball { .. } | Shape::Capsule { .. });
        convex.then_some(Core::Part(part))
    }

    pub fn radius(self) -> f64 {
        match self {
            Core::Part(part) => match *part.shape() {
                Shape::Ball { radius } | Shape::Capsule { radius, .. } => radius,
                _ => 0.0,
            },
            Core::Triangle(_) => 0.0,
        }
    }

    /// The farthest point of the core along a direction of the body frame.
    pub fn farthest(self, along: DVec3) -> DVec3 {
        match self {
            Core::Part(part) => of_part(part, along),
            Core::Triangle(&[a, b, c]) => {
                let higher = |p: DVec3, q: DVec3| if along.dot(q) > along.dot(p) { q } else { p };
                higher(higher(a, b), c)
            }
        }
    }

    /// Whether it has an axis and no edges.
    pub fn is_round(self) -> bool {
        match self {
            Core::Part(part) => !matches!(part.shape(), Shape::Box { .. } | Shape::Polyhedron(_)),
            Core::Triangle(_) => false,
        }
    }

    /// Whether the farthest point along a direction of the body frame is the tip of a cone.
    pub fn is_tip(self, along: DVec3) -> bool {
        match self {
            Core::Part(part) => match *part.shape() {
                Shape::Cone { half_length, .. } => {
                    self.farthest(along) == part.pose().point(DVec3::Z * half_length)
                }
                _ => false,
            },
            Core::Triangle(_) => false,
        }
    }

    /// Directions of the edges of a polyhedron, those of parallel edges once; or the axis of a
    /// round part. In the body frame.
    pub fn directions(self) -> Vec<DVec3> {
        let part = match self {
            Core::Part(part) => part,
            Core::Triangle(&[a, b, c]) => {
                return [b - a, c - b, a - c].map(DVec3::normalize_or_zero).into();
            }
        };
        match part.hull() {
            Some(hull) if !self.is_round() => match &hull.brick {
                Some(brick) => [brick.axes.x_axis, brick.axes.y_axis, brick.axes.z_axis].into(),
                None => hull.edges().iter().map(|edge| edge.along).collect(),
            },
            _ => vec![part.pose().direction(DVec3::Z)],
        }
    }

    /// Half the diagonal of the bounding box (m).
    pub fn size(self) -> f64 {
        let (low, high) = match self {
            Core::Part(part) => (part.bounds().low, part.bounds().high),
            Core::Triangle(&[a, b, c]) => (a.min(b).min(c), a.max(b).max(c)),
        };
        0.5 * (high - low).length()
    }

    /// The minimum of `direction · x` over the part, including its radius.
    pub fn lowest(self, direction: DVec3) -> f64 {
        direction.dot(self.farthest(-direction)) - self.radius()
    }
}

/// The farthest point of the core of a part along a direction of the body frame.
fn of_part(part: &Part, along: DVec3) -> DVec3 {
    let (shape, hull) = (part.shape(), part.hull());
    if let (Shape::Box { .. } | Shape::Polyhedron(_), Some(hull)) = (shape, hull) {
        return hull.vertices()[hull.lowest_vertex(-along)];
    }
    part.pose().point(of_turned(shape, part.pose().local_direction(along)))
}

/// The farthest point along `d` of the core of a shape with axis z.
fn of_turned(shape: &Shape, d: DVec3) -> DVec3 {
    let out = DVec3::new(d.x, d.y, 0.0).normalize_or_zero();
    match *shape {
        Shape::Capsule { half_length, .. } => DVec3::Z * half_length.copysign(d.z),
        Shape::Cylinder { half_length, radius } => {
            out * radius + DVec3::Z * half_length.copysign(d.z)
        }
        Shape::Cone { half_length, radius } => {
            let (tip, base) = (DVec3::Z * half_length, out * radius - DVec3::Z * half_length);
            if d.dot(tip) > d.dot(base) { tip } else { base }
        }
        _ => DVec3::ZERO,
    }
}

/// A core, scaled: parry's tolerances are absolute, so it is given bodies of size one.
pub(crate) struct Scaled<'a> {
    pub core: Core<'a>,
    pub scale: f64,
}

impl SupportMap for Scaled<'_> {
    fn local_support_point(&self, dir: DVec3) -> DVec3 {
        self.core.farthest(dir) * self.scale
    }
}

/// The pose of the second body in the frame of the first, in parry's type.
pub(crate) fn relative(first: &Pose, second: &Pose) -> ParryPose {
    let back = first.rotation.conjugate();
    ParryPose::from_parts(back * (second.position - first.position), back * second.rotation)
}

/// Two convex parts at their poses, and how far apart they are along any direction.
#[derive(Clone, Copy)]
pub(crate) struct Couple<'a> {
    pub cores: [Core<'a>; 2],
    pub poses: [&'a Pose; 2],
}

impl<'a> Couple<'a> {
    /// `None` if a part is a half-space or a surface.
    pub fn new(first: &'a Part, here: &'a Pose, second: &'a Part, there: &'a Pose) -> Option<Self> {
        Some(Couple { cores: [Core::new(first)?, Core::new(second)?], poses: [here, there] })
    }

    /// Separation along a unit vector `n` of the world, from the second part to the first:
    ///
    /// ```text
    ///   s(n) = min over the first of n·x − max over the second of n·x
    /// ```
    ///
    /// The largest `s` is the distance of parts that are apart, and minus the depth of parts that
    /// overlap: every `n` proves a bound.
    pub fn along(&self, n: DVec3) -> f64 {
        let [here, there] = self.poses;
        let first = self.cores[0].lowest(here.local_direction(n));
        let second = self.cores[1].lowest(there.local_direction(-n));
        n.dot(here.position - there.position) + first + second
    }

    /// The sizes of both parts together (m): rounding and tolerances are relative to it.
    pub fn size(&self) -> f64 {
        self.cores[0].size() + self.cores[1].size()
    }

    /// Directions about which the normal of a contact may turn and stay one of an edge or of the
    /// side of a cone: axes of round parts, edges across the normal.
    pub fn turns(&self, normal: DVec3) -> Vec<DVec3> {
        /// Cosine up to which an edge is across the normal: the climb takes steps of this size.
        const ACROSS: f64 = 10.0 * FIRST_STEP;
        let mut found = Vec::new();
        for (core, pose) in self.cores.iter().zip(self.poses) {
            let directions = core.directions().into_iter().map(|along| pose.direction(along));
            found.extend(
                directions.filter(|along| core.is_round() || along.dot(normal).abs() < ACROSS),
            );
        }
        found
    }

    /// Climbs from a direction of the world.
    pub fn climb(&self, start: DVec3) -> (DVec3, f64) {
        climb(|n| self.along(n), &self.turns(start), start)
    }

    /// parry's normal of cores that are at most `margin` apart, radii included: from the second into
    /// the first, in world axes.
    pub fn nearest(&self, margin: f64) -> Option<DVec3> {
        let [one, two] = self.cores;
        let scale = 1.0 / self.size();
        let mut place = relative(self.poses[0], self.poses[1]);
        place.translation *= scale;
        let [first, second] = [one, two].map(|core| Scaled { core, scale });
        let radii = one.radius() + two.radius();
        let reach = (margin + radii) * scale;
        let found = contact_support_map_support_map(&place, &first, &second, reach)?;
        Some(self.poses[1].direction(found.normal2))
    }

    /// parry's distance of the parts, radii included; not positive if they overlap.
    pub fn distance(&self) -> f64 {
        let scale = 1.0 / self.size();
        let mut place = relative(self.poses[0], self.poses[1]);
        place.translation *= scale;
        let [first, second] = self.cores.map(|core| Scaled { core, scale });
        let apart = distance_support_map_support_map(&place, &first, &second);
        apart / scale - self.cores[0].radius() - self.cores[1].radius()
    }
}

/// Turns a unit vector to where a separation is largest nearby: by steps across it in [`COMPASS`]
/// directions and about the `turns`, halved when none helps. Returns the direction and its
/// separation.
///
/// The separation has ridges where an edge or the side of a cone touches along its length: turns
/// about edges and axes go along them.
pub(crate) fn climb(along: impl Fn(DVec3) -> f64, turns: &[DVec3], start: DVec3) -> (DVec3, f64) {
    let (mut best, mut most) = (start, along(start));
    let mut step = FIRST_STEP;
    for _ in 0..ROUNDS {
        if step <= LAST_STEP {
            break;
        }
        let (u, v) = best.any_orthonormal_pair();
        let across = (0..COMPASS).map(|k| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(COMPASS)).sin_cos();
            best + step * (u * cos + v * sin)
        });
        let about = turns.iter().flat_map(|axis| {
            [step, -step].map(|angle| DQuat::from_axis_angle(*axis, angle) * best)
        });
        let tried = across.chain(about).map(DVec3::normalize).map(|n| (n, along(n)));
        match tried.max_by(|x, y| x.1.total_cmp(&y.1)) {
            Some((n, s)) if s > most => (best, most) = (n, s),
            _ => step *= 0.5,
        }
    }
    (best, most)
}

/// Directions tried around the best one; first and last step (rad): the error that is left on a
/// ridge is the last step times the size.
const COMPASS: u32 = 8;
const FIRST_STEP: f64 = 1e-2;
const LAST_STEP: f64 = 1e-12;

/// Rounds of a climb: 34 halve the step from first to last, others turn the direction. Along a
/// ridge that rounding makes rough there would be no end.
const ROUNDS: usize = 200;

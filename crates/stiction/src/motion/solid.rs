//! Convex solids by their support functions, and how far two of them are apart along an axis.
//!
//! For a unit vector `n` from `b` to `a`
//!
//! ```text
//!   s(n) = min_{x ∈ a} n · x − max_{y ∈ b} n · y
//! ```
//!
//! is never more than the distance of the two, and if it is negative for all `n` they overlap by
//! the least `−s`. One axis with `s ≥ 0` proves that they are apart, whoever proposed it. Axes come
//! from parry's GJK and EPA and from the faces of the solids.

use glam::DVec3;
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query::contact::contact_support_map_support_map;
use parry3d_f64::shape::SupportMap;
use stiction_geometry::{Polyhedron, Pose, Shape};

/// A convex solid in the frame of its body.
#[derive(Clone, Debug)]
pub(super) struct Solid {
    core: Core,
    /// What is added around the core (m).
    radius: f64,
    /// Of its own frame in the body's.
    pose: Pose,
    /// Outward normals of flat faces, or of one of each opposite pair, in its own frame.
    faces: Vec<DVec3>,
}

#[derive(Clone, Debug)]
enum Core {
    Point,
    /// Along z, half its length.
    Segment(f64),
    /// Half its edges.
    Brick(DVec3),
    /// Half its length along z, and its radius.
    Cylinder(f64, f64),
    /// Half its height, its tip at +z, and the radius of its base.
    Cone(f64, f64),
    Points(Vec<DVec3>),
}

impl Solid {
    /// A convex shape in a body; `None` for half-spaces and surfaces.
    pub(super) fn new(shape: &Shape, pose: Pose) -> Option<Solid> {
        let (core, radius, faces) = match shape {
            Shape::Box { half } => (Core::Brick(*half), 0.0, DVec3::AXES.to_vec()),
            Shape::Ball { radius } => (Core::Point, *radius, vec![]),
            Shape::Capsule { half_length, radius } => {
                (Core::Segment(*half_length), *radius, vec![])
            }
            Shape::Cylinder { half_length, radius } => {
                (Core::Cylinder(*half_length, *radius), 0.0, vec![DVec3::Z])
            }
            Shape::Cone { half_length, radius } => {
                (Core::Cone(*half_length, *radius), 0.0, vec![DVec3::Z])
            }
            Shape::Polyhedron(hull) => (Core::Points(hull.vertices().to_vec()), 0.0, normals(hull)),
            Shape::HalfSpace | Shape::Mesh(_) | Shape::HeightField(_) => return None,
        };
        Some(Solid { core, radius, pose, faces })
    }

    /// A triangle of a surface, in the frame of its body.
    pub(super) fn triangle(corners: [DVec3; 3]) -> Solid {
        let [a, b, c] = corners;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let (core, pose) = (Core::Points(corners.to_vec()), Pose::IDENTITY);
        Solid { core, radius: 0.0, pose, faces: vec![normal] }
    }

    /// A box along the axes of its body.
    pub(super) fn brick(low: DVec3, high: DVec3) -> Solid {
        let (core, pose) = (Core::Brick(0.5 * (high - low)), Pose::at(0.5 * (low + high)));
        Solid { core, radius: 0.0, pose, faces: DVec3::AXES.to_vec() }
    }

    /// A ball around it: its centre in the world, its body at a pose, and its radius (m).
    pub(super) fn ball(&self, body: &Pose) -> (DVec3, f64) {
        let core = match &self.core {
            Core::Point => 0.0,
            Core::Segment(half) => *half,
            Core::Brick(half) => half.length(),
            Core::Cylinder(half, radius) | Core::Cone(half, radius) => half.hypot(*radius),
            Core::Points(points) => points.iter().map(|p| p.length()).fold(0.0, f64::max),
        };
        (body.point(self.pose.position), core + self.radius)
    }

    /// The largest `direction · x` over the solid, its body at a pose.
    pub(super) fn extent(&self, body: &Pose, direction: DVec3) -> f64 {
        let local = self.pose.local_direction(body.local_direction(direction));
        let farthest = body.point(self.pose.point(self.core(local)));
        direction.dot(farthest) + self.radius
    }

    /// The farthest point of the core along a direction of its own frame.
    fn core(&self, d: DVec3) -> DVec3 {
        let out = |radius: f64| DVec3::new(d.x, d.y, 0.0).normalize_or_zero() * radius;
        match &self.core {
            Core::Point => DVec3::ZERO,
            Core::Segment(half) => DVec3::Z * half.copysign(d.z),
            Core::Brick(half) => half.copysign(d),
            Core::Cylinder(half, radius) => out(*radius) + DVec3::Z * half.copysign(d.z),
            Core::Cone(half, radius) => {
                let (tip, base) = (DVec3::Z * *half, out(*radius) - DVec3::Z * *half);
                if d.dot(tip) > d.dot(base) { tip } else { base }
            }
            Core::Points(points) => {
                let far = |p: &&DVec3, q: &&DVec3| d.dot(**p).total_cmp(&d.dot(**q));
                points.iter().max_by(far).copied().unwrap_or(DVec3::ZERO)
            }
        }
    }

    /// Normals of its faces in the world.
    fn face_axes<'a>(&'a self, body: &'a Pose) -> impl Iterator<Item = DVec3> + 'a {
        self.faces.iter().map(|n| body.direction(self.pose.direction(*n)))
    }
}

/// The core in its body's frame.
impl SupportMap for Solid {
    fn local_support_point(&self, direction: DVec3) -> DVec3 {
        self.pose.point(self.core(self.pose.local_direction(direction)))
    }
}

/// How far two solids are apart along a unit axis from b to a (m).
pub(super) fn along(axis: DVec3, (a, at): (&Solid, &Pose), (b, there): (&Solid, &Pose)) -> f64 {
    -a.extent(at, -axis) - b.extent(there, axis)
}

/// How far solids are moved apart to look for a better axis, part of the smaller body: near enough for the
/// axis to be the same, far enough for its direction to be known to 1e-10 of this.
const APART: f64 = 1e-2;

/// Times that they are. Each leaves about a hundredth of the error of the axis before.
const TIMES: usize = 8;

/// The largest `s` near an axis. Moved apart along the axis by `t`, solids are farthest apart along the `m` with the
/// largest
///
/// ```text
///   s(m) + t n·m
/// ```
///
/// so that `s(m) ≥ s(n)`: proximal steps. GJK is exact for solids that are apart; EPA, for those that overlap, is not
/// for round ones.
pub(super) fn refined(
    start: (f64, DVec3),
    a: (&Solid, &Pose),
    b: (&Solid, &Pose),
    size: f64,
) -> (f64, DVec3) {
    let mut best = start;
    for _ in 0..TIMES {
        let position = a.1.position + best.1 * (APART * size - best.0);
        let Some(axis) = proposed((a.0, &Pose { position, ..*a.1 }), b) else { break };
        let value = along(axis, a, b);
        if value <= best.0 {
            break;
        }
        best = (value, axis);
    }
    best
}

/// parry's axis from b to a.
fn proposed(a: (&Solid, &Pose), b: (&Solid, &Pose)) -> Option<DVec3> {
    let back = a.1.rotation.conjugate();
    let relative = ParryPose::from_parts(back * (b.1.position - a.1.position), back * b.1.rotation);
    let found = contact_support_map_support_map(&relative, a.0, b.0, f64::MAX)?;
    (a.1.rotation * -found.normal1).try_normalize()
}

/// The largest `s` known and its axis: how far two solids are apart, or, negative, no less than
/// how deep they overlap (m).
pub(super) fn separation(a: (&Solid, &Pose), b: (&Solid, &Pose)) -> (f64, DVec3) {
    let between = (a.1.position - b.1.position).normalize_or(DVec3::Z);
    let axis = proposed(a, b).unwrap_or(between);
    let mut best = (along(axis, a, b), axis);
    if best.0 >= 0.0 {
        return best;
    }
    let faces = a.0.face_axes(a.1).chain(b.0.face_axes(b.1)).chain([between]);
    for axis in faces.flat_map(|n| [n, -n]) {
        let value = along(axis, a, b);
        if value > best.0 {
            best = (value, axis);
        }
    }
    best
}

fn normals(hull: &Polyhedron) -> Vec<DVec3> {
    hull.faces().iter().map(|face| face.normal).collect()
}

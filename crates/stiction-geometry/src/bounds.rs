//! Axis-aligned bounding boxes of bodies.

use glam::{DMat3, DVec3};

use crate::{Part, Pose, Shape};

/// An axis-aligned box; boxes of half-spaces have infinite sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least coordinates (m).
    pub low: DVec3,
    /// Greatest coordinates (m).
    pub high: DVec3,
}

impl Aabb {
    /// The empty box.
    pub const EMPTY: Aabb = Aabb { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    /// The whole space.
    pub const ALL: Aabb = Aabb { low: DVec3::NEG_INFINITY, high: DVec3::INFINITY };

    /// The smallest box that contains both.
    #[must_use]
    pub fn union(&self, other: &Aabb) -> Aabb {
        Aabb { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The box enlarged by `margin` on every side.
    #[must_use]
    pub fn inflated(&self, margin: f64) -> Aabb {
        Aabb { low: self.low - margin, high: self.high + margin }
    }

    /// Whether the boxes overlap or touch.
    pub fn meets(&self, other: &Aabb) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// Whether all sides are finite.
    pub fn is_finite(&self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// The bounding box of this box with its frame at `pose`.
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Aabb {
        if !self.is_finite() {
            return Aabb::ALL;
        }
        let centre = pose.point(0.5 * (self.low + self.high));
        around(centre, half_extents(&DMat3::from_quat(pose.rotation), 0.5 * (self.high - self.low)))
    }
}

/// The bounding box of a body at a pose. It is exact except for meshes, for which it is the
/// bounding box of the rotated local box.
pub fn aabb(parts: &[Part], pose: &Pose) -> Aabb {
    parts.iter().map(|part| of_part(part, pose)).fold(Aabb::EMPTY, |all, one| all.union(&one))
}

/// The bounding box of one part with its body at `pose`.
pub(crate) fn of_part(part: &Part, pose: &Pose) -> Aabb {
    match (part.shape(), part.hull()) {
        (Shape::Box { .. }, Some(hull)) if let Some(brick) = &hull.brick => {
            let m = DMat3::from_quat(pose.rotation) * brick.axes;
            around(pose.point(brick.centre), half_extents(&m, brick.half))
        }
        (Shape::Polyhedron(_), Some(hull)) => of_points(hull.vertices(), pose),
        (shape, _) => of_shape(shape, &pose.compose(part.pose())),
    }
}

fn around(centre: DVec3, half: DVec3) -> Aabb {
    Aabb { low: centre - half, high: centre + half }
}

/// Half extents along the world axes of a box with half sizes `half` along the columns of `m`.
fn half_extents(m: &DMat3, half: DVec3) -> DVec3 {
    m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z
}

fn of_points(points: &[DVec3], pose: &Pose) -> Aabb {
    let m = DMat3::from_quat(pose.rotation);
    points
        .iter()
        .map(|&v| m * v + pose.position)
        .fold(Aabb::EMPTY, |all, p| Aabb { low: all.low.min(p), high: all.high.max(p) })
}

/// The bounding box of a shape at a pose. A disc of radius `r` with axis `u` extends by
/// `r √(1 − uₖ²)` along axis `k`.
pub(crate) fn of_shape(shape: &Shape, pose: &Pose) -> Aabb {
    let axis = pose.direction(DVec3::Z);
    let disc = |radius: f64| radius * (DVec3::ONE - axis * axis).max(DVec3::ZERO).map(f64::sqrt);
    match shape {
        Shape::Box { half } => {
            around(pose.position, half_extents(&DMat3::from_quat(pose.rotation), *half))
        }
        Shape::Ball { radius } => around(pose.position, DVec3::splat(*radius)),
        Shape::Capsule { half_length, radius } => {
            around(pose.position, (axis * *half_length).abs() + *radius)
        }
        Shape::Cylinder { half_length, radius } => {
            around(pose.position, (axis * *half_length).abs() + disc(*radius))
        }
        Shape::Cone { half_length, radius } => {
            let (tip, base) =
                (pose.position + axis * *half_length, pose.position - axis * *half_length);
            around(base, disc(*radius)).union(&around(tip, DVec3::ZERO))
        }
        Shape::Polyhedron(hull) => of_points(hull.vertices(), pose),
        Shape::HalfSpace => below(pose),
        Shape::Mesh(mesh) => mesh.bounds().placed(pose),
        Shape::HeightField(field) => field.mesh().bounds().placed(pose),
    }
}

/// The bounding box of a half-space; one side is finite if the normal is along an axis, none
/// otherwise.
fn below(pose: &Pose) -> Aabb {
    let normal = pose.direction(DVec3::Z);
    let mut all = Aabb::ALL;
    for k in 0..3 {
        if normal[k] == 1.0 {
            all.high[k] = pose.position[k];
        } else if normal[k] == -1.0 {
            all.low[k] = pose.position[k];
        }
    }
    all
}

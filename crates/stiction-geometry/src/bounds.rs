//! Boxes around bodies.

use glam::{DMat3, DVec3};

use crate::{Part, Pose, Shape};

/// An axis-aligned box; half-spaces make some sides infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Least coordinates (m).
    pub low: DVec3,
    /// Greatest coordinates (m).
    pub high: DVec3,
}

impl Aabb {
    /// Holds nothing.
    pub const EMPTY: Aabb = Aabb { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    /// Everything.
    pub const ALL: Aabb = Aabb { low: DVec3::NEG_INFINITY, high: DVec3::INFINITY };

    /// The box of both.
    #[must_use]
    pub fn union(&self, other: &Aabb) -> Aabb {
        Aabb { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Larger by `margin` on every side.
    #[must_use]
    pub fn inflated(&self, margin: f64) -> Aabb {
        Aabb { low: self.low - margin, high: self.high + margin }
    }

    /// Whether the boxes have a point in common.
    pub fn meets(&self, other: &Aabb) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// Whether no side is infinite.
    pub fn is_finite(&self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// The box around this one when its frame is at `pose`.
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Aabb {
        if !self.is_finite() {
            return Aabb::ALL;
        }
        let centre = pose.point(0.5 * (self.low + self.high));
        around(centre, half_extents(&DMat3::from_quat(pose.rotation), 0.5 * (self.high - self.low)))
    }
}

/// The box of a body at a pose: exact but for meshes, whose own box is turned.
pub fn aabb(parts: &[Part], pose: &Pose) -> Aabb {
    parts.iter().map(|part| of_part(part, pose)).fold(Aabb::EMPTY, |all, one| all.union(&one))
}

/// The box of one part with its body at `pose`.
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

/// Half the extents of a box with half sizes `half` along the columns of `m`.
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

/// The box of a shape at a pose. A disc of radius `r` with axis `u` reaches `r √(1 − uₖ²)` along
/// axis `k`.
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

/// The box of a half-space is finite on one side only if its normal is along an axis.
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

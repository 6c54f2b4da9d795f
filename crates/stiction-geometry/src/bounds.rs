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
        let half = 0.5 * (self.high - self.low);
        let m = DMat3::from_quat(pose.rotation);
        let reach = m.x_axis.abs() * half.x + m.y_axis.abs() * half.y + m.z_axis.abs() * half.z;
        Aabb { low: centre - reach, high: centre + reach }
    }
}

/// The box of a body at a pose: the tight one of each part's own box, turned.
pub fn aabb(parts: &[Part], pose: &Pose) -> Aabb {
    parts.iter().map(|part| of_part(part, pose)).fold(Aabb::EMPTY, |all, one| all.union(&one))
}

/// The box of one part with its body at `pose`. Boxes, balls and half-spaces have their exact one.
pub(crate) fn of_part(part: &Part, pose: &Pose) -> Aabb {
    match (part.shape(), part.hull()) {
        (Shape::HalfSpace, _) => of_shape(part.shape(), &pose.compose(part.pose())),
        (_, Some(hull)) if let Some(brick) = &hull.brick => {
            let m = DMat3::from_quat(pose.rotation) * brick.axes;
            let reach = m.x_axis.abs() * brick.half.x
                + m.y_axis.abs() * brick.half.y
                + m.z_axis.abs() * brick.half.z;
            let centre = pose.point(brick.centre);
            Aabb { low: centre - reach, high: centre + reach }
        }
        (&Shape::Ball { radius }, _) => {
            let centre = pose.point(part.pose().position);
            Aabb { low: centre - radius, high: centre + radius }
        }
        _ => part.bounds().placed(pose),
    }
}

/// The exact box of a shape at a pose.
pub(crate) fn of_shape(shape: &Shape, pose: &Pose) -> Aabb {
    let around = |half: DVec3| Aabb { low: -half, high: half }.placed(pose);
    match shape {
        Shape::Box { half } => around(*half),
        Shape::Ball { radius } => {
            Aabb { low: pose.position - *radius, high: pose.position + *radius }
        }
        Shape::Capsule { half_length, radius } => {
            let reach = (pose.direction(DVec3::Z) * *half_length).abs() + *radius;
            Aabb { low: pose.position - reach, high: pose.position + reach }
        }
        Shape::Cylinder { half_length, radius } | Shape::Cone { half_length, radius } => {
            around(DVec3::new(*radius, *radius, *half_length))
        }
        Shape::Polyhedron(hull) => hull
            .vertices()
            .iter()
            .map(|&v| pose.point(v))
            .fold(Aabb::EMPTY, |all, p| all.union(&Aabb { low: p, high: p })),
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

//! Where a body is and how it moves.

use glam::{DQuat, DVec3};

/// Position and attitude of a body frame in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin of the frame (m); for bodies the centre of mass.
    pub position: DVec3,
    /// Turns vectors of the frame into vectors of the world; of unit length.
    pub rotation: DQuat,
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Pose = Pose { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// There, not turned.
    pub fn at(position: DVec3) -> Self {
        Pose { position, ..Pose::IDENTITY }
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.rotation.is_finite()
    }

    /// A point of the frame, in the world.
    pub fn point(&self, local: DVec3) -> DVec3 {
        self.position + self.rotation * local
    }

    /// A direction of the frame, in the world.
    pub fn direction(&self, local: DVec3) -> DVec3 {
        self.rotation * local
    }

    /// A point of the world, in the frame.
    pub fn local_point(&self, world: DVec3) -> DVec3 {
        self.rotation.conjugate() * (world - self.position)
    }

    /// A direction of the world, in the frame.
    pub fn local_direction(&self, world: DVec3) -> DVec3 {
        self.rotation.conjugate() * world
    }

    /// The frame `inner`, given in this one, in the world.
    #[must_use]
    pub fn compose(&self, inner: &Pose) -> Pose {
        Pose {
            position: self.point(inner.position),
            rotation: (self.rotation * inner.rotation).normalize(),
        }
    }

    /// This frame after moving with constant twist for a time (s).
    #[must_use]
    pub fn moved(&self, twist: &Twist, time: f64) -> Pose {
        let turn = DQuat::from_scaled_axis(twist.angular * time);
        Pose {
            position: self.position + twist.linear * time,
            rotation: (turn * self.rotation).normalize(),
        }
    }
}

/// Velocity of a body, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Of the origin of its frame (m/s); for bodies the centre of mass.
    pub linear: DVec3,
    /// Rate of turning (rad/s).
    pub angular: DVec3,
}

impl Twist {
    /// At rest.
    pub const ZERO: Twist = Twist { linear: DVec3::ZERO, angular: DVec3::ZERO };

    /// Velocity of the point of the body that is at `world` now, the body's frame being at `pose`.
    pub fn at(&self, pose: &Pose, world: DVec3) -> DVec3 {
        self.linear + self.angular.cross(world - pose.position)
    }
}

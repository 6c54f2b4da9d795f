//! Poses and velocities of bodies.

use glam::{DQuat, DVec3};

/// Position and orientation of a body frame in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin of the frame (m); for bodies the centre of mass.
    pub position: DVec3,
    /// Rotates vectors of the frame into world axes; a unit quaternion.
    pub rotation: DQuat,
}

impl Pose {
    /// At the origin, without rotation.
    pub const IDENTITY: Pose = Pose { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// At a position, without rotation.
    pub fn at(position: DVec3) -> Self {
        Pose { position, ..Pose::IDENTITY }
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.rotation.is_finite()
    }

    /// Maps a point of the frame into the world.
    pub fn point(&self, local: DVec3) -> DVec3 {
        self.position + self.rotation * local
    }

    /// Maps a direction of the frame into the world.
    pub fn direction(&self, local: DVec3) -> DVec3 {
        self.rotation * local
    }

    /// Maps a point of the world into the frame.
    pub fn local_point(&self, world: DVec3) -> DVec3 {
        self.rotation.conjugate() * (world - self.position)
    }

    /// Maps a direction of the world into the frame.
    pub fn local_direction(&self, world: DVec3) -> DVec3 {
        self.rotation.conjugate() * world
    }

    /// The world pose of the frame `inner`, which is given in this frame.
    #[must_use]
    pub fn compose(&self, inner: &Pose) -> Pose {
        Pose {
            position: self.point(inner.position),
            rotation: (self.rotation * inner.rotation).normalize(),
        }
    }

    /// This pose after motion with a constant twist for a time (s).
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
    /// Velocity of the origin of its frame (m/s); for bodies the centre of mass.
    pub linear: DVec3,
    /// Angular velocity (rad/s).
    pub angular: DVec3,
}

impl Twist {
    /// At rest.
    pub const ZERO: Twist = Twist { linear: DVec3::ZERO, angular: DVec3::ZERO };

    /// Velocity of the body point that is at `world` now, with the frame of the body at `pose`.
    pub fn at(&self, pose: &Pose, world: DVec3) -> DVec3 {
        self.linear + self.angular.cross(world - pose.position)
    }
}

//! Joints: what holds two bodies together, or one to the world.
//!
//! A joint has a frame on each body. Its kind says how the two frames may
//! move against each other:
//!
//! | kind | rows | what they hold | free coordinate |
//! | --- | --- | --- | --- |
//! | `Ball` | 3 | the origins meet | – |
//! | `Hinge` | 5 | the origins meet, the z axes agree | angle about z |
//! | `Slider` | 5 | the orientations agree, the origin of a is on the z axis of b | length along z |
//! | `Universal` | 4 | the origins meet, z of a is perpendicular to x of b | – |
//! | `Fixed` | 6 | the frames agree | – |
//! | `Distance` | 1 | the origins stay at a distance | (their distance) |
//! | `PointOnPlane` | 1 | the origin of a is in the plane z = 0 of b | – |
//! | `Free` | 0 | nothing | – |
//!
//! The free coordinate is that of frame a seen from frame b: it grows when a
//! turns or moves along z while b rests. Limits, motors and dry friction act
//! along it; a positive force of a motor makes it grow.
//!
//! # Where to start reading
//!
//! [`Joint::rows`] is the list of a joint's constraints, `scalar.rs` the
//! functions of two frames that they are made of, each with its Jacobian and
//! drift, `build.rs` how a joint is made from a point and an axis and checked.

mod build;
mod rows;
mod scalar;

use crate::world::BodyId;
use stiction_geometry::Pose;

pub use build::JointError;
pub use rows::{JointRow, RowRule, unwrapped};

use crate::drive::Drive;

/// Holds two bodies together, or one to the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// For messages and recordings.
    pub name: String,
    /// First body.
    pub a: BodyId,
    /// Second body; `None` is the world.
    pub b: Option<BodyId>,
    /// Which motions it leaves.
    pub kind: JointKind,
    /// The joint frame in the first body's frame.
    pub frame_a: Pose,
    /// The joint frame in the second body's frame, or in the world.
    pub frame_b: Pose,
    /// Least and greatest free coordinate (m or rad, beyond ±π too); an
    /// infinite one is no limit. Of a distance: instead of its length.
    pub limits: Option<[f64; 2]>,
    /// What drives the free coordinate.
    pub motor: Option<Motor>,
    /// Dry friction: greatest force (N) or torque (N·m) against the motion of
    /// the free coordinate, 0 for none.
    pub friction: f64,
}

/// Which motions a joint leaves; the table above says by how many rows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointKind {
    /// The origins of the frames meet.
    Ball,
    /// Turns about z.
    Hinge,
    /// Slides along z.
    Slider,
    /// Turns about z of frame a and x of frame b, which stay perpendicular.
    Universal,
    /// No motion.
    Fixed,
    /// The origins of the frames stay apart by a length, or between the
    /// limits if there are any: `[0, l]` is a rope, `[l, ∞]` a strut.
    Distance {
        /// How far (m); not used with limits.
        length: f64,
    },
    /// The origin of frame a stays in the plane z = 0 of frame b.
    PointOnPlane,
    /// Holds nothing: what is left of a removed joint.
    Free,
}

/// What drives the free coordinate of a hinge or slider.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Motor {
    /// Seeks a speed with limited force.
    Speed {
        /// The speed wanted (m/s or rad/s).
        target: Drive,
        /// Greatest force (N) or torque (N·m), may be infinite.
        greatest: f64,
    },
    /// Prescribes the coordinate, with whatever force that takes.
    Position {
        /// The coordinate (m or rad).
        target: Drive,
    },
    /// Exerts a given force.
    Force {
        /// Force (N) or torque (N·m).
        value: Drive,
    },
}

impl Motor {
    /// The function of time that it follows.
    pub fn drive(&self) -> &Drive {
        match self {
            Motor::Speed { target, .. } | Motor::Position { target } => target,
            Motor::Force { value } => value,
        }
    }
}

impl JointKind {
    /// Its name, for messages.
    pub fn name(&self) -> &'static str {
        match self {
            JointKind::Ball => "ball",
            JointKind::Hinge => "hinge",
            JointKind::Slider => "slider",
            JointKind::Universal => "universal",
            JointKind::Fixed => "fixed",
            JointKind::Distance { .. } => "distance",
            JointKind::PointOnPlane => "point-on-plane",
            JointKind::Free => "free",
        }
    }
}

impl Joint {
    /// Whether it holds this body.
    pub(crate) fn names(&self, body: BodyId) -> bool {
        self.a == body || self.b == Some(body)
    }

    /// The index of its second body.
    pub(crate) fn other(&self) -> Option<usize> {
        self.b.map(BodyId::index)
    }

    /// The first time later than `after` (s) where its motor is not smooth.
    pub fn next_kink(&self, after: f64) -> Option<f64> {
        self.motor.as_ref()?.drive().next_kink(after)
    }
}

//! What both formats are read into: links that hang from each other.

use crate::error::Place;
use crate::model::JointKind;
use glam::DVec3;
use stiction_geometry::{MassProperties, Pose, Shape};

/// Links, parents before children; the first is the world.
pub(crate) struct Tree {
    pub title: String,
    pub gravity: Option<DVec3>,
    pub links: Vec<Link>,
    pub loops: Vec<Loop>,
    /// Pairs of links that never touch.
    pub apart: Vec<[usize; 2]>,
    pub neighbours: Neighbours,
    /// Whether nothing touches anything.
    pub no_contact: bool,
    /// Whether two surfaces rub with the greater of their coefficients, as in MJCF.
    pub greater_friction: bool,
}

/// Whether a link touches the one that its joints start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Neighbours {
    /// It does not.
    Apart,
    /// Only if that is fixed to the world, as in MJCF.
    TouchBase,
    /// It does.
    Touch,
}

/// A rigid part. Without joints it is fixed to its parent.
pub(crate) struct Link {
    pub name: String,
    pub place: Place,
    pub parent: usize,
    /// In the world.
    pub pose: Pose,
    /// Whether nothing holds it.
    pub free: bool,
    /// From its parent to it.
    pub joints: Vec<LinkJoint>,
    /// In its frame.
    pub mass: Option<MassProperties>,
    pub geoms: Vec<Geom>,
}

impl Link {
    /// The world.
    pub(crate) fn world(place: Place) -> Self {
        Link {
            name: "world".to_owned(),
            place,
            parent: 0,
            pose: Pose::IDENTITY,
            free: false,
            joints: Vec::new(),
            mass: None,
            geoms: Vec::new(),
        }
    }

    pub(crate) fn moves(&self) -> bool {
        self.free || !self.joints.is_empty()
    }
}

pub(crate) struct LinkJoint {
    pub name: Option<String>,
    pub place: Place,
    pub kind: JointKind,
    /// In the frame of its link.
    pub anchor: DVec3,
    pub axis: DVec3,
    pub limits: Option<[f64; 2]>,
    pub friction: f64,
}

/// A shape that may touch others.
pub(crate) struct Geom {
    pub name: Option<String>,
    pub place: Place,
    /// In the frame of its link.
    pub pose: Pose,
    pub shapes: Vec<Shape>,
    pub surface: Surface,
    /// Two geoms touch if a bit of the first of one is in the second of the other.
    pub masks: [u32; 2],
}

/// How a geom rubs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Surface {
    pub friction: f64,
    /// Whether a pair has friction only if the other surface says so.
    pub smooth: bool,
    /// The surface of the higher priority decides.
    pub priority: i64,
}

impl Surface {
    /// The coefficient where two meet, as in MJCF.
    pub(crate) fn with(self, other: Surface) -> f64 {
        let smooth = match self.priority.cmp(&other.priority) {
            std::cmp::Ordering::Greater => return self.alone(),
            std::cmp::Ordering::Less => return other.alone(),
            std::cmp::Ordering::Equal => self.smooth && other.smooth,
        };
        if smooth { 0.0 } else { self.friction.max(other.friction) }
    }

    /// Its own coefficient.
    pub(crate) fn alone(self) -> f64 {
        if self.smooth { 0.0 } else { self.friction }
    }
}

/// What closes a chain: two links that are held together where they begin.
pub(crate) struct Loop {
    pub name: Option<String>,
    pub place: Place,
    pub kind: JointKind,
    pub links: [usize; 2],
    /// In the world.
    pub anchor: DVec3,
}

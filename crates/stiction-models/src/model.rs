//! What a model is: bodies and joints in the world, as they begin.

use crate::error::{Ignored, Place};
use glam::DVec3;
use stiction_geometry::{MassProperties, Part, Pose};

/// Bodies, joints and what they may touch.
#[derive(Debug)]
pub struct Model {
    /// What the file calls it.
    pub title: String,
    /// Where its root element is.
    pub place: Place,
    /// Gravity (m/s²), if the file gives it.
    pub gravity: Option<DVec3>,
    /// The bodies; what is fixed to the world is one body per shape.
    pub bodies: Vec<ModelBody>,
    /// The joints.
    pub joints: Vec<Joint>,
    /// Coefficients of friction that bodies refer to.
    pub frictions: Vec<f64>,
    /// Coefficients between two of them.
    pub pairs: Vec<([usize; 2], f64)>,
    /// Pairs of bodies that never touch.
    pub apart: Vec<[usize; 2]>,
    /// What of the file is not in the model.
    pub ignored: Vec<Ignored>,
}

/// A body.
#[derive(Debug)]
pub struct ModelBody {
    /// Unique.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// Its frame in the world.
    pub pose: Pose,
    /// Its shape, in its frame.
    pub parts: Vec<Part>,
    /// Mass, centre and inertia in its frame; none if it is fixed to the world.
    pub mass: Option<MassProperties>,
    /// Index of its coefficient of friction.
    pub friction: usize,
    /// Collision groups, one bit each: bodies touch if they share one.
    pub groups: u64,
}

/// Which motion a joint leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// A turn about the axis.
    Hinge,
    /// A displacement along the axis.
    Slide,
    /// Every turn about the anchor.
    Ball,
    /// None.
    Fixed,
}

/// A joint.
#[derive(Debug)]
pub struct Joint {
    /// Unique.
    pub name: String,
    /// Where it stands in the file.
    pub place: Place,
    /// Which motion it leaves.
    pub kind: JointKind,
    /// The body it moves.
    pub a: usize,
    /// The body it moves it against; none is the world.
    pub b: Option<usize>,
    /// A point of its axis, in the world (m).
    pub anchor: DVec3,
    /// Its axis, unit, in the world.
    pub axis: DVec3,
    /// Least and greatest displacement from the beginning (m or rad).
    pub limits: Option<[f64; 2]>,
    /// Dry friction (N or N·m).
    pub friction: f64,
    /// Whether the two bodies may touch each other.
    pub touch: bool,
}

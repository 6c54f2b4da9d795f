//! What a certificate is about: blocks, the points where they touch, and a load.

use serde::{Deserialize, Serialize};

/// Blocks at rest and the corners of the faces in which they touch. SI units.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// Gravity.
    pub gravity: [f64; 3],
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Corners of contact faces.
    pub contacts: Vec<Contact>,
    /// The live load of each block: force, and torque about its centre; empty if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live: Vec<[f64; 6]>,
}

/// A rigid block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Its name.
    pub name: String,
    /// A support.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    /// Mass.
    pub mass: f64,
    /// Centre of mass.
    pub centre: [f64; 3],
    /// Inertia about the centre in world axes; only motions from rest need it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<[[f64; 3]; 3]>,
}

/// A point where two blocks touch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// The block on which the force acts.
    pub a: usize,
    /// The block on which its reaction acts.
    pub b: usize,
    /// Where.
    pub point: [f64; 3],
    /// Normal, from `b` into `a`. Its length does not matter.
    pub normal: [f64; 3],
    /// Coefficient of friction.
    pub friction: f64,
}

/// A load, and the friction that carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Multiplies all coefficients of friction.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub friction: f64,
    /// Multiplies the weight: 1, or 0 for loads alone.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub weight: f64,
    /// Multiplies the live load.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub live: f64,
    /// Added to gravity: a tilt, or the acceleration of a vehicle reversed.
    #[serde(default, skip_serializing_if = "all_zero")]
    pub acceleration: [f64; 3],
    /// More loads: block, force and torque about its centre.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrenches: Vec<(usize, [f64; 6])>,
}

impl Default for Case {
    fn default() -> Self {
        Case { friction: 1.0, weight: 1.0, live: 0.0, acceleration: [0.0; 3], wrenches: Vec::new() }
    }
}

fn one() -> f64 {
    1.0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // what serde expects
fn is_one(x: &f64) -> bool {
    *x == 1.0
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

fn all_zero(x: &[f64; 3]) -> bool {
    *x == [0.0; 3]
}

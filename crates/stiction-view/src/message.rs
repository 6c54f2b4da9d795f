//! Messages of the server (`docs/protocol.md`), and the types of the page.
//!
//! `web/src/generated.ts` is written from the types of this module and of `command.rs`, so that a
//! field that changes here fails the type check of the page.

#[cfg(test)]
mod description;
#[cfg(test)]
mod generate;

use crate::command::{DVec3Array, PullKind};
use serde::Serialize;
use serde_json::Value;

/// A text message of the server.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "say", rename_all = "lowercase")]
pub(crate) enum Message {
    /// The scene of the frames that follow.
    Scene {
        id: String,
        #[cfg_attr(test, ts(type = "SceneDescription"))]
        scene: Value,
    },
    Status(Box<Status>),
    Error {
        message: String,
    },
}

impl Message {
    pub fn text(&self) -> String {
        // Strings, numbers and values of JSON can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// An entry of the list of scenes.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct SceneEntry {
    pub id: String,
    pub title: String,
    pub figure: String,
    pub look_for: String,
    /// Number of bodies.
    pub bodies: usize,
}

/// What a live run does now, and its settings.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Status {
    pub playing: bool,
    /// Simulated seconds per second.
    pub speed: f64,
    pub stepper: String,
    pub solver: String,
    /// Gravity (m/s²).
    pub gravity: DVec3Array,
    /// Factor of all friction coefficients.
    pub friction: f64,
    /// Simulated seconds per second in the last half second; null if no step ended.
    pub real_time_factor: Option<f64>,
    /// Mean computing time of a step (ms) in the last half second; null if no step ended.
    pub step_ms: Option<f64>,
    /// How long the present step has been computed (ms), from a tenth of a second on.
    pub computing_ms: Option<f64>,
    /// Number of the oldest frame that the run can return to.
    pub oldest: u64,
    pub solvers: Vec<String>,
    pub steppers: Vec<String>,
    pub live: bool,
    pub pull: Option<PullStatus>,
}

/// The pull that acts on the run.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct PullStatus {
    /// Index of the body.
    pub body: usize,
    /// Point on the body, body frame (m).
    pub on: DVec3Array,
    /// Position of the mouse in the world (m).
    pub to: DVec3Array,
    pub kind: PullKind,
    /// Force on the body (N), world axes.
    pub force: DVec3Array,
    /// Torque on the body about its centre of mass (N·m), world axes.
    pub torque: DVec3Array,
}

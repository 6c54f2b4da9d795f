//! Commands of the page (`docs/protocol.md`): parsing and range checks.

use crate::catalogue::CatalogueError;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Allowed speeds: simulated seconds per second.
const SPEEDS: RangeInclusive<f64> = 0.001..=1000.0;
/// Allowed friction factors.
const FRICTIONS: RangeInclusive<f64> = 0.0..=10.0;
/// Allowed components of gravity (m/s²).
const GRAVITIES: RangeInclusive<f64> = -1000.0..=1000.0;
/// Allowed coordinates of the points of a pull (m).
const COORDINATES: RangeInclusive<f64> = -1e6..=1e6;

/// One message from a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "do", rename_all = "lowercase")]
pub(crate) enum Command {
    Play,
    Pause,
    Step,
    Speed {
        factor: f64,
    },
    Reset,
    /// Returns to a frame that is still known.
    Rewind {
        index: u64,
    },
    Scene {
        id: String,
    },
    /// Reads a scene from a text.
    Load {
        name: String,
        text: String,
    },
    Stepper {
        name: String,
    },
    Solver {
        name: String,
    },
    Gravity {
        value: DVec3Array,
    },
    Friction {
        factor: f64,
    },
    Pull(Pull),
    Release,
}

/// A vector as JSON encodes it.
pub(crate) type DVec3Array = [f64; 3];

/// A pull on a body with the mouse.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Pull {
    /// Index of the body.
    pub body: usize,
    /// Point on the body, body frame (m).
    pub on: DVec3Array,
    /// Position of the mouse in the world (m).
    pub to: DVec3Array,
    /// Force or torque.
    #[serde(default)]
    pub kind: PullKind,
}

/// What a pull applies to the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub(crate) enum PullKind {
    /// A spring force from the point on the body to the mouse.
    #[default]
    Force,
    /// The torque of that force about the centre of mass, without the force.
    Torque,
}

/// Why a message was rejected. A rejected message changes nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("binary message: only text messages are accepted")]
    Binary,
    #[error("invalid message: {0}")]
    Json(#[from] serde_json::Error),
    #[error("{what} is {value}, but must be between {} and {}", range.start(), range.end())]
    Range { what: &'static str, value: f64, range: RangeInclusive<f64> },
    #[error(transparent)]
    Scene(#[from] CatalogueError),
    #[error("unknown {what} {name:?}")]
    Name { what: &'static str, name: String },
    #[error("unknown body {0}")]
    UnknownBody(usize),
    #[error("body {0:?} cannot be pulled: it is fixed or driven")]
    NotFree(String),
    #[error("frame {0} is no longer known")]
    Forgotten(u64),
    #[error("earlier steps are still being computed; try again when they have ended")]
    Busy,
}

impl Command {
    /// Parses a message.
    ///
    /// # Errors
    ///
    /// [`CommandError`] if the message is unknown or a number is out of range.
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        let command: Command = serde_json::from_str(text)?;
        match &command {
            Command::Speed { factor } => within("speed", &[*factor], SPEEDS)?,
            Command::Friction { factor } => within("friction", &[*factor], FRICTIONS)?,
            Command::Gravity { value } => within("gravity", value, GRAVITIES)?,
            Command::Pull(pull) => {
                within("the point on the body", &pull.on, COORDINATES)?;
                within("the target of the pull", &pull.to, COORDINATES)?;
            }
            _ => {}
        }
        Ok(command)
    }
}

impl Pull {
    pub fn on(&self) -> DVec3 {
        DVec3::from_array(self.on)
    }

    pub fn to(&self) -> DVec3 {
        DVec3::from_array(self.to)
    }
}

fn within(
    what: &'static str,
    numbers: &[f64],
    range: RangeInclusive<f64>,
) -> Result<(), CommandError> {
    match numbers.iter().find(|number| !range.contains(number)) {
        Some(&value) => Err(CommandError::Range { what, value, range }),
        None => Ok(()),
    }
}

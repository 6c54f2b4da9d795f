//! What a page may ask for (`docs/protocol.md`), checked before it goes further.

use crate::catalogue::CatalogueError;
use glam::DVec3;
use serde::Deserialize;
use std::ops::RangeInclusive;

/// Simulated seconds per second.
const SPEEDS: RangeInclusive<f64> = 0.001..=1000.0;
/// Factors of friction.
const FRICTIONS: RangeInclusive<f64> = 0.0..=10.0;
/// Components of gravity (m/s²): a hundred times the Earth's is no longer a joke.
const GRAVITIES: RangeInclusive<f64> = -1000.0..=1000.0;
/// Coordinates of the points of a pull (m).
const PLACES: RangeInclusive<f64> = -1e6..=1e6;

/// One message of a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub(crate) enum Command {
    Play,
    Pause,
    Step,
    Speed { factor: f64 },
    Reset,
    Scene { id: String },
    Stepper { name: String },
    Solver { name: String },
    Gravity { value: DVec3Array },
    Friction { factor: f64 },
    Pull(Pull),
    Release,
}

/// A vector as JSON has it.
pub(crate) type DVec3Array = [f64; 3];

/// A pull at a body with the mouse.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Pull {
    /// Which body.
    pub body: usize,
    /// Where it is held, body frame (m).
    pub on: DVec3Array,
    /// Where the mouse is (m).
    pub to: DVec3Array,
    /// What the pull is to do.
    #[serde(default)]
    pub kind: PullKind,
}

/// What a pull does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PullKind {
    /// Draws the point it holds towards the mouse.
    #[default]
    Force,
    /// Turns the body about its centre.
    Torque,
}

impl PullKind {
    pub fn name(self) -> &'static str {
        match self {
            PullKind::Force => "force",
            PullKind::Torque => "torque",
        }
    }
}

/// Why a message is not obeyed. Nothing changes then.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("a message of bytes: only text is understood")]
    Binary,
    #[error("not understood: {0}")]
    Json(#[from] serde_json::Error),
    #[error("{what} is {value}, but must lie between {} and {}", range.start(), range.end())]
    Range { what: &'static str, value: f64, range: RangeInclusive<f64> },
    #[error(transparent)]
    Scene(#[from] CatalogueError),
    #[error("no {what} is called {name:?}")]
    Name { what: &'static str, name: String },
    #[error("there is no body {0}")]
    NoBody(usize),
    #[error("body {0:?} cannot be pulled: forces do not move it")]
    NotFree(String),
}

impl Command {
    /// Reads a message.
    ///
    /// # Errors
    ///
    /// [`CommandError`] if it is not one of those known, or a number is out of its range.
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        let command: Command = serde_json::from_str(text)?;
        match &command {
            Command::Speed { factor } => within("speed", &[*factor], SPEEDS)?,
            Command::Friction { factor } => within("friction", &[*factor], FRICTIONS)?,
            Command::Gravity { value } => within("gravity", value, GRAVITIES)?,
            Command::Pull(pull) => {
                within("the point held", &pull.on, PLACES)?;
                within("the point pulled to", &pull.to, PLACES)?;
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

//! Observers see; solvers do not print.

use crate::problem::Place;
use serde::Serialize;
use std::fmt;

/// Something a solver did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A contact or row whose conditions fail begins to be driven.
    Drive {
        /// Which.
        place: Place,
        /// What is driven.
        what: Driven,
    },
    /// A contact or row changed sides.
    Pivot {
        /// Which.
        place: Place,
        /// How.
        change: Change,
        /// How far the driving force moved before (in solver units).
        step: f64,
    },
    /// A contact changed sides and back without progress and is left for later.
    GiveUp {
        /// Which.
        place: Place,
    },
    /// The factor of the clamped block was rebuilt.
    Refresh {
        /// The error estimate that asked for it.
        error: f64,
    },
    /// The method starts over from the contact modes after some sweeps.
    Restart {
        /// How many sweeps.
        sweeps: usize,
    },
    /// The method gave up; another takes over.
    Fallback {
        /// Which.
        solver: &'static str,
    },
    /// A guess of the contacts that part was tested.
    Guess {
        /// How many were guessed to.
        vanishing: usize,
        /// Whether the guess was right.
        holds: bool,
    },
    /// The judge looked at what sweeps over all contacts have come to.
    Sweeps {
        /// How many so far.
        count: usize,
        /// Relative natural map.
        residual: f64,
    },
    /// One step along a central path.
    PathStep {
        /// From zero, where the path begins.
        step: usize,
        /// What all products of forces and responses shall be there.
        kappa: f64,
        /// Natural map.
        residual: f64,
    },
    /// One step of a splitting.
    SplitStep {
        /// From zero.
        step: usize,
        /// Natural map.
        residual: f64,
    },
    /// One iteration of a method whose iterates are complete answers.
    Iterate {
        /// From one.
        iteration: usize,
        /// Of the inconsistent part (force × response).
        virtual_work: f64,
        /// Contacts with an inconsistent value.
        inconsistent: usize,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Drive { place, what } => match what {
                Driven::Normal => write!(f, "{place}: its force is driven"),
                Driven::Friction => write!(f, "{place}: its friction is driven"),
                Driven::Release => write!(f, "{place}: its friction is given back"),
            },
            Event::Pivot { place, change, step } => {
                let words = match change {
                    Change::Clamp => "pushes",
                    Change::Separate => "lets go",
                    Change::Stick => "sticks",
                    Change::Slip => "slips",
                    Change::Release => "is free of friction",
                    Change::Turn => "turns its friction",
                };
                write!(f, "{place} {words}, after a step of {step:.6e}")
            }
            Event::GiveUp { place } => write!(f, "{place} is left for later"),
            Event::Refresh { error } => write!(f, "factor rebuilt, its error was {error:.1e}"),
            Event::Restart { sweeps } => write!(f, "restarted after {sweeps} Gauss–Seidel sweeps"),
            Event::Guess { vanishing, holds } => {
                let word = if *holds { "right" } else { "wrong" };
                write!(f, "guess: {vanishing} contacts part; it is {word}")
            }
            Event::Iterate { iteration, virtual_work, inconsistent } => write!(
                f,
                "iteration {iteration}: {inconsistent} contacts inconsistent, virtual work {virtual_work:.3e}"
            ),
            Event::Sweeps { count, residual } => {
                write!(f, "{count} sweeps: natural map {residual:.3e}")
            }
            Event::PathStep { step, kappa, residual } => {
                write!(f, "step {step}: κ {kappa:.1e}, natural map {residual:.3e}")
            }
            Event::SplitStep { step, residual } => {
                write!(f, "step {step} of the splitting: natural map {residual:.3e}")
            }
            Event::Fallback { solver } => write!(f, "{solver} takes over"),
        }
    }
}

/// What a drive raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Driven {
    /// A normal or row force, until its response is zero.
    Normal,
    /// A friction force against the slip.
    Friction,
    /// A friction force that was given up, back to zero.
    Release,
}

/// A change of side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The force takes over: normal response held at zero.
    Clamp,
    /// The force reached zero (or its bound): the response takes over.
    Separate,
    /// Tangential response held at zero.
    Stick,
    /// Friction at its limit, direction kept.
    Slip,
    /// Friction back to zero.
    Release,
    /// A friction direction of a pyramid joins or leaves.
    Turn,
}

/// Watches a solver at work.
pub trait Observer {
    /// Called for every event, in order.
    fn event(&mut self, event: Event);

    /// Whether anyone looks. If not, events that cost something are not made.
    fn watches(&self) -> bool {
        true
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl Observer for Blind {
    fn event(&mut self, _event: Event) {}

    fn watches(&self) -> bool {
        false
    }
}

impl<F: FnMut(Event)> Observer for F {
    fn event(&mut self, event: Event) {
        self(event);
    }
}

//! Observers see; solvers do not print.

use crate::lloyd2004::Method;
use crate::problem::Place;

/// Something a solver did.
#[derive(Clone, Copy, Debug, PartialEq)]
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
        method: Method,
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

/// What a drive raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driven {
    /// A normal or row force, until its response is zero.
    Normal,
    /// A friction force against the slip.
    Friction,
    /// A friction force that was given up, back to zero.
    Release,
}

/// A change of side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl Observer for Blind {
    fn event(&mut self, _event: Event) {}
}

impl<F: FnMut(Event)> Observer for F {
    fn event(&mut self, event: Event) {
        self(event);
    }
}

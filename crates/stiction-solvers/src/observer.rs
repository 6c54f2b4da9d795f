//! Observers of solvers: events, index sets and forces. Solvers do not print.

use serde::Serialize;
use std::fmt;
use stiction_contact::{Forces, Place};

/// Something that a solver did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A contact or row whose conditions fail begins to be driven.
    Drive {
        /// The contact or row.
        place: Place,
        /// The force that is driven.
        what: Driven,
    },
    /// A contact or row changed sides.
    Pivot {
        /// The contact or row.
        place: Place,
        /// The change.
        change: Change,
        /// Change of the driving force before it (in solver units).
        step: f64,
    },
    /// A contact changed sides back and forth without progress and is postponed.
    GiveUp {
        /// The contact or row.
        place: Place,
    },
    /// The factor of the clamped block was rebuilt.
    Refresh {
        /// The error estimate that required it.
        error: f64,
    },
    /// The method restarts from the contact modes after some sweeps.
    Restart {
        /// Number of sweeps.
        sweeps: usize,
    },
    /// The initial guess by Gauss–Seidel sweeps solves the problem: nothing had to be driven.
    Guessed,
    /// The method failed; another is tried.
    Fallback {
        /// The other method.
        solver: &'static str,
    },
    /// A guess of the separating contacts was tested.
    Guess {
        /// Number of contacts guessed to separate.
        vanishing: usize,
        /// Whether the guess was right.
        holds: bool,
    },
    /// The judge checked the result of sweeps over all contacts.
    Sweeps {
        /// Sweeps so far.
        count: usize,
        /// Relative natural map.
        residual: f64,
    },
    /// One step along a central path.
    PathStep {
        /// Step number from zero, the start of the path.
        step: usize,
        /// Target value of all products of forces and responses.
        kappa: f64,
        /// Natural map.
        residual: f64,
    },
    /// One step of a splitting.
    SplitStep {
        /// Step number from zero.
        step: usize,
        /// Natural map.
        residual: f64,
    },
    /// One iteration of a method whose iterates are complete answers.
    Iterate {
        /// Iteration number from one.
        iteration: usize,
        /// Virtual work of the inconsistent part (force × response).
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
                Driven::Release => write!(f, "{place}: its friction is released"),
            },
            Event::Pivot { place, change, step } => {
                let words = match change {
                    Change::Clamp => "pushes",
                    Change::Separate => "separates",
                    Change::Stick => "sticks",
                    Change::Slip => "slips",
                    Change::Release => "releases its friction",
                    Change::Turn => "changes its friction direction",
                };
                write!(f, "{place} {words}, after a step of {step:.6e}")
            }
            Event::GiveUp { place } => write!(f, "{place} is postponed"),
            Event::Refresh { error } => write!(f, "factor rebuilt, its error was {error:.1e}"),
            Event::Restart { sweeps } => write!(f, "restarted after {sweeps} Gauss–Seidel sweeps"),
            Event::Guessed => write!(f, "the start by sweeps already solves it"),
            Event::Guess { vanishing, holds } => {
                let word = if *holds { "right" } else { "wrong" };
                write!(f, "guess: {vanishing} contacts separate; it is {word}")
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
            Event::Fallback { solver } => write!(f, "falls back to {solver}"),
        }
    }
}

/// The force that a drive changes.
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
    /// The force becomes variable: the normal response is held at zero.
    Clamp,
    /// The force reached zero (or its bound) and stays there: the response becomes variable.
    Separate,
    /// Tangential response held at zero.
    Stick,
    /// Friction at its limit, with its direction kept.
    Slip,
    /// Friction back to zero.
    Release,
    /// A friction direction of a pyramid becomes basic or nonbasic.
    Turn,
}

/// The state of a method after an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The index sets of the method.
    pub sets: Vec<Set>,
    /// Its current forces.
    pub forces: Forces,
}

/// An index set.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// Its name in the paper.
    pub name: &'static str,
    /// Its members.
    pub members: Vec<Member>,
}

/// A member of an index set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Member {
    /// The contact or row.
    #[serde(flatten)]
    pub place: Place,
    /// Index of the friction direction, from zero, where a pyramid has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<usize>,
}

impl Set {
    /// A set of contacts and rows.
    pub fn new(name: &'static str, places: impl Iterator<Item = Place>) -> Self {
        Set { name, members: places.map(|place| Member { place, direction: None }).collect() }
    }

    /// A set of the contacts for which this holds.
    pub(crate) fn of_contacts(
        name: &'static str,
        count: usize,
        holds: impl Fn(usize) -> bool,
    ) -> Self {
        Set::new(name, (0..count).filter(|&i| holds(i)).map(Place::Contact))
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let member = |Member { place, direction }: &Member| match direction {
            Some(direction) => format!("{place} direction {direction}"),
            None => place.to_string(),
        };
        let members: Vec<String> = self.members.iter().map(member).collect();
        write!(f, "{} = {{{}}}", self.name, members.join(", "))
    }
}

/// Observes a running solver.
pub trait Observer {
    /// Called for every event, in order.
    fn event(&mut self, event: Event);

    /// Called after every event if [`Observer::inspects`], by methods that have index sets.
    fn snapshot(&mut self, _snapshot: &Snapshot) {}

    /// Whether index sets and forces are required after every event.
    fn inspects(&self) -> bool {
        false
    }

    /// Whether events are observed at all. If not, solvers skip events that are expensive to
    /// compute.
    fn watches(&self) -> bool {
        true
    }
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
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

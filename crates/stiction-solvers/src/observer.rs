//! Observers see; solvers do not print.

use serde::Serialize;
use std::fmt;
use stiction_contact::Forces;
use stiction_contact::Place;

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
    /// The guess that the method began with, by Gauss–Seidel sweeps, solves the problem: there
    /// was nothing to drive.
    Guessed,
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
            Event::Guessed => write!(f, "the start by sweeps already solves it"),
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

/// Where a method stands after an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The index sets of the method.
    pub sets: Vec<Set>,
    /// The forces it has now.
    pub forces: Forces,
}

/// An index set.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// As the paper calls it.
    pub name: &'static str,
    /// What is in it.
    pub members: Vec<Member>,
}

/// A member of an index set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Member {
    /// Which contact or row.
    #[serde(flatten)]
    pub place: Place,
    /// Which of its friction directions, from zero, where a pyramid has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<usize>,
}

impl Set {
    /// A set of contacts and rows.
    pub fn new(name: &'static str, places: impl Iterator<Item = Place>) -> Self {
        Set { name, members: places.map(|place| Member { place, direction: None }).collect() }
    }

    /// A set of contacts: those for which this holds.
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

/// Watches a solver at work.
pub trait Observer {
    /// Called for every event, in order.
    fn event(&mut self, event: Event);

    /// Called after every event if [`Observer::inspects`], by methods that have index sets.
    fn snapshot(&mut self, _snapshot: &Snapshot) {}

    /// Whether index sets and forces are wanted after every event.
    fn inspects(&self) -> bool {
        false
    }

    /// Whether anyone looks. If not, events that cost something are not made.
    fn watches(&self) -> bool {
        true
    }
}

/// Watches nothing.
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

//! What a solver gives back.

use crate::selection::Selection;
use serde::Serialize;
use std::fmt;
use stiction_contact::Forces;
use stiction_contact::judge::{Certificate, Cone, RayCertificate};

/// How much work a solver did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Effort {
    /// Exchanges of sides, or iterations for iterative methods.
    pub pivots: usize,
    /// Calls to the inner search (`drive-to-zero` in Baraff 1994).
    pub drives: usize,
    /// Contacts given up for later.
    pub given_up: usize,
    /// Factors rebuilt because their error estimate asked for it.
    pub refreshes: usize,
    /// Linear systems factored, by methods that factor in every iteration
    /// unless the factor of an earlier one serves.
    pub factored: usize,
    /// Units of work (`work.rs`), in all.
    pub work: u64,
    /// What ended the iteration, if the method is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
}

impl std::ops::AddAssign for Effort {
    fn add_assign(&mut self, other: Effort) {
        self.pivots += other.pivots;
        self.drives += other.drives;
        self.given_up += other.given_up;
        self.refreshes += other.refreshes;
        self.factored += other.factored;
        self.work += other.work;
        self.stop = other.stop.or(self.stop);
    }
}

/// How an answer was reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Route {
    /// By the method itself.
    #[default]
    Direct,
    /// By the method, started again from contact modes that Gauss–Seidel
    /// sweeps suggested, after the first try failed: in effect another method.
    Restarted {
        /// Sweeps of the last restart.
        sweeps: usize,
    },
    /// By another method, after the one asked for lost its way; `by` names it.
    Fallback,
    /// Not at all: these forces keep the bodies apart and only push, but some
    /// push where the bodies part (Baraff 1989, §6.5).
    AddsEnergy {
        /// `Σ fᵢ aᵢ` over the contacts, zero for an answer that obeys the laws:
        /// N·m/s² for forces; J, twice the energy added, for impulses.
        amount: f64,
    },
    /// By the method, with bilateral rows that contradict each other met as
    /// nearly as they can be (Baraff 1989, appendix B).
    Compromise {
        /// Largest response left at a bilateral row (m/s², or m/s).
        residual: f64,
    },
}

/// What ended an iteration, each step of which is a complete answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// What is left inconsistent is below the precision asked for.
    Precision,
    /// The iterations allowed are used up.
    Iterations,
    /// The time allowed is used up.
    Time,
    /// The work budget is used up.
    Work,
    /// The same hypotheses and forces come back for ever: Faure 1996, §3.3.
    Alternation {
        /// A contact that keeps changing.
        contact: usize,
        /// Iterations until everything is as before.
        period: usize,
    },
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Precision => write!(f, "the precision asked for"),
            Stop::Iterations => write!(f, "its limit of iterations"),
            Stop::Time => write!(f, "its limit of time"),
            Stop::Work => write!(f, "its work budget"),
            Stop::Alternation { contact, period } => {
                write!(f, "alternation: contact {contact} comes back every {period} iterations")
            }
        }
    }
}

/// Forces with their proof.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The forces.
    pub forces: Forces,
    /// The judge's word on them.
    pub certificate: Certificate,
    /// How they were reached.
    pub route: Route,
    /// Newton iterations on the round cone, if they were finished there.
    pub finish: Option<usize>,
    /// The cones they were sought in.
    pub cone: Cone,
    /// Who found them, if not the solver that was asked.
    pub by: Option<&'static str>,
    /// Which of all forces that cause the same motion they are.
    pub selection: Selection,
    /// What it cost.
    pub effort: Effort,
}

/// A direction in which contact forces grow without bound and still do not
/// stop the bodies: by Baraff (1991) the bodies take an impulse along it.
#[derive(Clone, Debug)]
pub struct ImpulseRay {
    /// The direction, its largest normal force scaled to one.
    pub direction: Forces,
    /// The judge's word on it.
    pub certificate: RayCertificate,
    /// What it cost.
    pub effort: Effort,
}

/// A solver's answer. No answer is an answer: a ray is an outcome, not an error.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "one per answer, nearly always the large one")]
pub enum Outcome {
    /// Forces, certified or marked as not.
    Solved(Solution),
    /// No force was found that holds the bodies apart; an impulse acts.
    NeedsImpulse(ImpulseRay),
}

//! What a method found, and what the judge makes of it.
//!
//! ```text
//!   method ─→ Candidate ─judge→ Answer
//! ```
//!
//! A method returns a [`Candidate`]: forces, or the direction of an impulse, and how it got
//! there. Only the judge makes an [`Answer`] of it ([`answer`](crate::judge::answer)), once. Forces
//! that break the laws are an answer too, with the status [`Status::Uncertified`].

use crate::forces::Forces;
use crate::judge::{Certificate, Cone, Law, RayCertificate, Response};
use serde::Serialize;
use std::fmt;

/// Forces or an impulse.
#[derive(Clone, Debug)]
pub enum Found {
    /// A value for every unknown.
    Forces(Forces),
    /// A direction in which forces grow without bound and still do not stop the bodies: by
    /// Baraff (1991) they take an impulse along it.
    Ray(Forces),
}

/// What a method found, before the judge has seen it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Forces, or the direction of an impulse.
    pub found: Found,
    /// How far from the laws (relative) the method knows these forces to be, if it ended without
    /// meeting its own goal.
    pub shortfall: Option<f64>,
    /// How it was reached.
    pub route: Route,
    /// Newton iterations on the round cone, if it was finished there.
    pub finish: Option<usize>,
    /// The cones that the forces lie in.
    pub cone: Cone,
    /// The method that found it, if not the one that was called.
    pub by: Option<&'static str>,
    /// Which of all forces that cause the same motion these are.
    pub selection: Selection,
    /// Methods that were tried on the way.
    pub stages: Vec<Stage>,
    /// What it cost.
    pub effort: Effort,
}

impl Candidate {
    /// As found, for round cones.
    pub fn new(found: Found, route: Route, effort: Effort) -> Self {
        Candidate {
            found,
            shortfall: None,
            route,
            finish: None,
            cone: Cone::Round,
            by: None,
            selection: Selection::Any,
            stages: Vec::new(),
            effort,
        }
    }

    /// The best forces of a method that did not reach its goal.
    pub fn short(forces: Forces, residual: f64, effort: Effort) -> Self {
        let candidate = Candidate::new(Found::Forces(forces), Route::Direct, effort);
        Candidate { shortfall: Some(residual), ..candidate }
    }

    /// Forces that the method itself calls an answer.
    pub fn settled(&self) -> Option<&Forces> {
        match &self.found {
            Found::Forces(forces) if self.shortfall.is_none() => Some(forces),
            _ => None,
        }
    }
}

/// What the judge says of an answer, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The forces obey this law, the strictest that holds.
    Certified(Law),
    /// The forces of a method that approximates the laws by intent; they are not certified, and
    /// are nearest to this law.
    Approximate(Law),
    /// The forces break every law; they are the best that were found.
    Uncertified,
    /// No force was found that keeps the bodies apart: an impulse acts.
    Impulse,
}

/// An answer to a contact problem: made by the judge, and by nothing else.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The forces; for [`Status::Impulse`] the direction of the impulse, its largest normal
    /// part scaled to one.
    pub forces: Forces,
    /// What they cause at every body, contact and row.
    pub response: Response,
    /// What they are worth.
    pub status: Status,
    /// The residuals of the forces; of an impulse, that no force was found.
    pub certificate: Certificate,
    /// The residuals of an impulse.
    pub impulse: Option<RayCertificate>,
    /// Where they come from.
    pub provenance: Provenance,
}

impl Answer {
    /// Whether the forces obey a law, or the impulse its conditions.
    pub fn is_certified(&self) -> bool {
        match self.status {
            Status::Certified(_) => true,
            Status::Impulse => self.impulse.is_some_and(|ray| ray.certified),
            Status::Approximate(_) | Status::Uncertified => false,
        }
    }

    /// Whether an impulse acts.
    pub fn is_impulse(&self) -> bool {
        self.status == Status::Impulse
    }
}

/// Where an answer comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Provenance {
    /// The solver that was called.
    pub requested: &'static str,
    /// The method that found the forces; `several` if islands have different ones.
    pub solver: &'static str,
    /// Methods that were tried, in order; the same method counts once.
    pub stages: Vec<Stage>,
    /// How the forces were reached.
    pub route: Route,
    /// Newton iterations on the round cone, if they were finished there.
    pub finish: Option<usize>,
    /// The cones they were sought in.
    pub cone: Cone,
    /// Which of all forces that cause the same motion they are.
    pub selection: Selection,
    /// What it cost.
    pub effort: Effort,
}

/// A method that was tried, on one island or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Stage {
    /// Its name.
    pub solver: &'static str,
    /// How often it was tried.
    pub tries: usize,
    /// How often its forces were taken.
    pub answers: usize,
}

impl Stage {
    /// One try.
    pub fn once(solver: &'static str, answered: bool) -> Self {
        Stage { solver, tries: 1, answers: usize::from(answered) }
    }

    /// Adds tries to a list in which every method stands once.
    pub fn merge(list: &mut Vec<Stage>, other: &[Stage]) {
        for stage in other {
            match list.iter_mut().find(|known| known.solver == stage.solver) {
                Some(known) => {
                    known.tries += stage.tries;
                    known.answers += stage.answers;
                }
                None => list.push(*stage),
            }
        }
    }
}

/// Which of all forces that cause the same motion an answer has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// Those that were found.
    Any,
    /// Those of minimum norm.
    #[default]
    Smallest,
    /// Those nearest to the start, if there is one; else those of minimum norm.
    Nearest,
}

impl Selection {
    /// What it means with this start.
    #[must_use]
    pub fn with(self, start: Option<&Forces>) -> Self {
        if self == Selection::Nearest && start.is_none() { Selection::Smallest } else { self }
    }
}

/// How much work a solver did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Effort {
    /// Exchanges of sides, or iterations for iterative methods.
    pub pivots: usize,
    /// Gauss–Seidel sweeps, or steps of a splitting, on problems without bodies.
    pub sweeps: usize,
    /// Calls to the inner search (`drive-to-zero` in Baraff 1994).
    pub drives: usize,
    /// Contacts given up for later.
    pub given_up: usize,
    /// Factors rebuilt when their error estimate required it.
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
        self.sweeps += other.sweeps;
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
    /// By another method, after the one called had failed; `by` names it.
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
    /// What is left inconsistent is below the precision requested.
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
            Stop::Precision => write!(f, "the precision requested"),
            Stop::Iterations => write!(f, "its limit of iterations"),
            Stop::Time => write!(f, "its limit of time"),
            Stop::Work => write!(f, "its work budget"),
            Stop::Alternation { contact, period } => {
                write!(f, "alternation: contact {contact} comes back every {period} iterations")
            }
        }
    }
}

//! Candidates from methods, and the answers that the judge makes of them.
//!
//! ```text
//!   method ─→ Candidate ─judge→ Answer
//! ```
//!
//! A method returns a [`Candidate`]: forces or the direction of an impulse, and how it was
//! computed. Only the judge turns it into an [`Answer`] ([`answer`](crate::judge::answer)),
//! once. Forces that violate the laws are an answer too, with the status
//! [`Status::Uncertified`].

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
    /// Baraff (1991) an impulse acts along it.
    Ray(Forces),
}

/// The result of a method, before the judge has checked it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Forces, or the direction of an impulse.
    pub found: Found,
    /// If the method stopped before meeting its own tolerance: the relative residual it
    /// measured.
    pub shortfall: Option<f64>,
    /// How the method reached it.
    pub route: Route,
    /// Newton iterations on the round cone, if such a finish was run.
    pub finish: Option<usize>,
    /// The shape of the friction cones that the forces lie in.
    pub cone: Cone,
    /// The method that found it, if that is not the one called.
    pub by: Option<&'static str>,
    /// Which forces these are among all that cause the same motion.
    pub selection: Selection,
    /// Methods tried on the way.
    pub stages: Vec<Stage>,
    /// The work spent.
    pub effort: Effort,
}

impl Candidate {
    /// A candidate for round cones.
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

    /// The best forces of a method that stopped before meeting its tolerance.
    pub fn short(forces: Forces, residual: f64, effort: Effort) -> Self {
        let candidate = Candidate::new(Found::Forces(forces), Route::Direct, effort);
        Candidate { shortfall: Some(residual), ..candidate }
    }

    /// The forces, if the method itself accepts them as a solution.
    pub fn settled(&self) -> Option<&Forces> {
        match &self.found {
            Found::Forces(forces) if self.shortfall.is_none() => Some(forces),
            _ => None,
        }
    }
}

/// The judge's verdict on an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The forces obey this law, the strictest one that holds.
    Certified(Law),
    /// The forces of a method that approximates the laws on purpose: not certified, and closest
    /// to this law.
    Approximate(Law),
    /// The forces violate every law; they are the best ones found.
    Uncertified,
    /// No forces were found that keep the bodies apart: an impulse acts.
    Impulse,
}

/// An answer to a contact problem. Only the judge makes one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The forces; for [`Status::Impulse`] the direction of the impulse, scaled so that its
    /// largest normal component is one.
    pub forces: Forces,
    /// The response they cause at every body, contact and row.
    pub response: Response,
    /// The judge's verdict.
    pub status: Status,
    /// The residuals of the forces; for an impulse, the statement that no forces were found.
    pub certificate: Certificate,
    /// The residuals of an impulse.
    pub impulse: Option<RayCertificate>,
    /// Which solver and methods produced them.
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

/// Which solver and methods produced an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Provenance {
    /// The solver that was called.
    pub requested: &'static str,
    /// The method that found the forces; `several` if it differs between islands.
    pub solver: &'static str,
    /// Methods tried, in order; each method is listed once.
    pub stages: Vec<Stage>,
    /// How the forces were reached.
    pub route: Route,
    /// Newton iterations on the round cone, if such a finish was run.
    pub finish: Option<usize>,
    /// The shape of the friction cones that the method used.
    pub cone: Cone,
    /// Which forces these are among all that cause the same motion.
    pub selection: Selection,
    /// The work spent.
    pub effort: Effort,
}

/// A method that was tried on one or more islands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Stage {
    /// Its name.
    pub solver: &'static str,
    /// Number of tries.
    pub tries: usize,
    /// Number of tries whose forces were used.
    pub answers: usize,
}

impl Stage {
    /// A single try.
    pub fn once(solver: &'static str, answered: bool) -> Self {
        Stage { solver, tries: 1, answers: usize::from(answered) }
    }

    /// Adds tries to a list that holds each method once.
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

/// Which forces an answer gives among all that cause the same motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// Whichever the method found.
    Any,
    /// The minimum-norm forces.
    #[default]
    Smallest,
    /// The forces nearest to the warm start, if there is one; otherwise the minimum-norm
    /// forces.
    Nearest,
}

impl Selection {
    /// The selection in effect with this warm start.
    #[must_use]
    pub fn with(self, start: Option<&Forces>) -> Self {
        if self == Selection::Nearest && start.is_none() { Selection::Smallest } else { self }
    }
}

/// How much work a solver did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Effort {
    /// Changes of contact state (pivots), or iterations for iterative methods.
    pub pivots: usize,
    /// Gauss–Seidel sweeps, or steps of a splitting, on problems without bodies.
    pub sweeps: usize,
    /// Calls to the inner search (`drive-to-zero` in Baraff 1994).
    pub drives: usize,
    /// Contacts postponed because the search on them failed.
    pub given_up: usize,
    /// Factors rebuilt because their error estimate required it.
    pub refreshes: usize,
    /// Linear systems factored, for methods that factor in every iteration unless an earlier
    /// factor can be reused.
    pub factored: usize,
    /// Total units of work (`work.rs`).
    pub work: u64,
    /// Why the iteration stopped, for iterative methods.
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
    /// By the method, restarted from contact modes suggested by Gauss–Seidel sweeps after the
    /// first try failed: in effect another method.
    Restarted {
        /// Sweeps of the last restart.
        sweeps: usize,
    },
    /// By another method, named in `by`, after the one called had failed.
    Fallback,
    /// Not solved: these forces keep the bodies apart and only push, but some of them push
    /// where the bodies separate (Baraff 1989, §6.5).
    AddsEnergy {
        /// `Σ fᵢ aᵢ` over the contacts, which is zero for an answer that obeys the laws: N·m/s²
        /// for forces; for impulses J, twice the energy added.
        amount: f64,
    },
    /// By the method, with contradictory bilateral rows satisfied as closely as possible
    /// (Baraff 1989, appendix B).
    Compromise {
        /// Largest response left at a bilateral row (m/s², or m/s).
        residual: f64,
    },
}

/// Why an iteration stopped. Every iterate is a complete answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The residual is below the requested precision.
    Precision,
    /// The limit on iterations is reached.
    Iterations,
    /// The time limit is reached.
    Time,
    /// The work budget is used up.
    Work,
    /// The same hypotheses and forces recur periodically: Faure 1996, §3.3.
    Alternation {
        /// A contact that keeps changing.
        contact: usize,
        /// Iterations after which the state recurs.
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
                write!(f, "alternation: contact {contact} repeats every {period} iterations")
            }
        }
    }
}

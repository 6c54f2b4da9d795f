//! Contact forces by redistribution of energy, after Faure (1996).
//!
//! At first every contact is assumed to hold: normal accelerations are zero, and tangential
//! ones too where nothing slides. One linear system gives all forces at once. Values that
//! violate the laws are then removed, the hypotheses at their contacts changed, and another
//! linear system restores the balance:
//!
//! ```text
//!   H: assumed            H̄: computed            when it violates the law
//!   Open   f = 0          a_n, a_t               a_n < 0         → Slip against a_t
//!   Stick  a = 0          f_n, f_t               |f_t| > μ f_n   → Slip
//!                                                a_t ≠ 0 remains → Slip against a_t
//!   Slip   a_n = 0, f_t on its cone   f_n, a_t   |f_t − a_t| < μ f_n → Stick
//!   Stick or Slip                                f_n < 0         → Open
//!                                                a_n > 0 remains → Open
//! ```
//!
//! Every iterate is a complete answer. [`Stop`] reports why the iteration ended, the
//! certificate how good the answer is.
//!
//! Articulated bodies are bilateral rows, which need no hypothesis. Motion control (§4) is a
//! bilateral row with the prescribed acceleration as its bias; the force of that row is the
//! driving force or torque. A drive, a joint or a moving support may contradict the hypotheses
//! at contacts. The linear system then has no solution, and the best approximation leaves
//! accelerations that should be zero: the hypotheses of these contacts change.
//!
//! # Where to start reading
//!
//! `Energy::run` is the iteration (figure 3), `hypotheses` finds inconsistent values, `balance`
//! is the linear system, `parts` finds what changed in it, `safeguard` prevents cycles.
//!
//! # Departures from the paper
//!
//! - The literal method can cycle without friction, contrary to §3.3, and with friction it
//!   seldom ends at Coulomb's law: it limits friction once and then freezes it.
//!   [`Energy::literal`] is that method. By default friction follows the normal force and turns
//!   against the slip, by one Newton step of the law per iteration; a contact that closes again
//!   starts slipping; and when hypotheses recur, contacts change one at a time.
//! - The paper does not discuss hypotheses that contradict a drive. Their forces are a
//!   compromise without meaning, so such a contact first slips exactly against the remaining
//!   acceleration.
//! - Without unknown friction an iterate has the minimum-norm forces, not the sum of
//!   minimum-norm corrections.
//! - Where open contacts separate bodies, there is one system for each part instead of one for
//!   all. Parts with nothing to correct are not solved again, and a part is factored again only
//!   if its system changed.
//! - The virtual work of the inconsistent part is reported but not used: it does not always
//!   decrease.
//!
//! # Reference
//!
//! F. Faure. *An energy-based approach for contact force computation.* Computer
//! Graphics Forum 15 (3), Eurographics 1996, pp. 357–366. Cited below as \[F96\].

mod balance;
mod hypotheses;
mod parts;
mod safeguard;
pub mod scenes;

use crate::coefficients::solve_with_one_each;
use crate::error::SolveError;
use crate::observer::{Event, Observer};
use crate::rows::Rows;
use crate::solver::{Call, ContactSolver, Searched};
use crate::work::Work;
use hypotheses::State;
use safeguard::Safeguard;
use std::time::{Duration, Instant};
use stiction_contact::judge::Watch;
use stiction_contact::{Candidate, ContactProblem, Effort, Forces, Found, Route, Stop};

/// Redistribution of energy: every iteration yields a complete answer.
#[derive(Clone, Copy, Debug)]
pub struct Energy {
    /// Stopping tolerance: the relative natural map, or for the literal method the largest
    /// inconsistent value relative to the free motion.
    pub precision: f64,
    /// Most iterations; at least one is made.
    pub iterations: usize,
    /// Time limit; the current iteration is completed.
    pub time: Option<Duration>,
    /// Whether to iterate exactly as in figure 3 of the paper.
    pub literal: bool,
}

impl Default for Energy {
    /// Allows fifty times the usual number of iterations.
    fn default() -> Self {
        Energy { precision: 1e-10, iterations: 300, time: None, literal: false }
    }
}

impl Energy {
    /// Figure 3 of the paper, literally.
    pub fn literal() -> Self {
        Energy { literal: true, ..Energy::default() }
    }
}

impl ContactSolver for Energy {
    fn name(&self) -> &'static str {
        if self.literal { "energy-literal" } else { "energy" }
    }

    fn approximation(&self) -> Option<&'static str> {
        Some(if self.literal {
            "friction is limited once and does not follow the normal force"
        } else {
            "an iteration that may stop before it converges, and reports why it stopped"
        })
    }

    fn search(&mut self, original: &ContactProblem, call: Call<'_>) -> Searched {
        let Call { start, work, observer } = call;
        SolveError::for_start(start, original)?;
        if !original.bounded().is_empty() {
            let reason = "the paper has no rows with bounded forces".to_owned();
            return Err(SolveError::Unsupported { solver: self.name(), reason });
        }
        let this = *self;
        let begun = Instant::now();
        solve_with_one_each(original, |problem| this.run(problem, start, begun, work, observer))
    }
}

impl Energy {
    /// The iteration [F96, figure 3].
    fn run(
        self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        begun: Instant,
        work: &mut Work,
        observer: &mut dyn Observer,
    ) -> Result<Candidate, SolveError> {
        let mut state = State::new(Rows::new(problem), self.literal.then_some(self.precision));
        state.check_bilateral()?;
        if let Some(forces) = start {
            state.start_from(forces);
        }
        let mut safeguard = Safeguard::new(&state);
        let judge = Watch::new(problem);
        let mut best = Best { residual: f64::INFINITY, forces: Forces::zeros(problem) };
        let (mut iteration, mut factored) = (0, 0);
        let stop = loop {
            let factors = state.balance(safeguard.cut());
            (0..factors).for_each(|_| work.charge_dense(state.rows.len()));
            work.charge_look(problem);
            factored += factors;
            iteration += 1;
            let mut changes = state.inconsistent();
            if observer.watches() {
                observer.event(Event::Iterate {
                    iteration,
                    virtual_work: state.virtual_work(&changes),
                    inconsistent: changes.len(),
                });
            }
            if observer.inspects() {
                observer.snapshot(&state.snapshot(&changes));
            }
            let residual = best.see(&judge, &state);
            let done = if self.literal { changes.is_empty() } else { residual <= self.precision };
            if done {
                break Stop::Precision;
            } else if iteration >= self.iterations {
                break Stop::Iterations;
            } else if self.time.is_some_and(|time| begun.elapsed() >= time) {
                break Stop::Time;
            } else if work.is_spent() {
                break Stop::Work;
            } else if let Some(stop) = safeguard.restrain(&state, &mut changes, residual) {
                break stop;
            }
            state.assume(&changes);
        };
        let effort = Effort { pivots: iteration, factored, stop: Some(stop), ..Effort::default() };
        Ok(Candidate::new(Found::Forces(best.forces), Route::Direct, effort))
    }
}

/// The answer to return: the last one of the literal method, otherwise the best.
struct Best {
    residual: f64,
    forces: Forces,
}

impl Best {
    /// Judges an iterate, and the same with its inconsistent forces removed [F96, §3.2: "just
    /// after adding the correction vector v"]; returns the smaller natural map of the two.
    fn see(&mut self, judge: &Watch<'_>, state: &State) -> f64 {
        let balanced = state.rows.physical(&state.force);
        if state.literal.is_some() {
            self.forces = balanced;
            return f64::INFINITY;
        }
        let mut smallest = f64::INFINITY;
        for forces in [balanced, state.rows.physical(&state.consistent())] {
            let residual = judge.natural_map(&forces);
            smallest = smallest.min(residual);
            if residual < self.residual {
                *self = Best { residual, forces };
            }
        }
        smallest
    }
}

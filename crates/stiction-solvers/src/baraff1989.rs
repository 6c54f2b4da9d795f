//! Contact forces by linear programming, after Baraff (1989).
//!
//! Without friction the forces `f` and the accelerations `a = A f + b` at the
//! contacts obey (15)
//!
//! ```text
//!   a ≥ 0,   f ≥ 0,   Σ fᵢ aᵢ = 0
//! ```
//!
//! Only the last condition is not linear. It becomes linear once the contacts that *vanish*,
//! that is, separate, are known: there `f = 0`, and `a = 0` at all others. So the method
//! guesses the set V of vanishing contacts and tests the guess by linear programming:
//!
//! ```text
//!   V = ∅ ──test──► forces
//!     │ wrong
//!   least Σ f with a ≥ 0, f ≥ 0 ──► V = { a > 0 } ──test──► forces
//!                                                    │ wrong
//!                                                    └──► the least forces, which add energy
//! ```
//!
//! This is a heuristic. When both guesses are wrong, the method returns the approximation and
//! reports it ([`Route::AddsEnergy`]). [`collide()`] computes collisions with restitution, the
//! same problem for impulses, with any solver.
//!
//! # Where to start reading
//!
//! [`LinearProgram`] makes the guesses; `program.rs` calls the linear programming library,
//! `equations.rs` computes the last digits, `impact.rs` has collisions.
//!
//! # Departures from the paper
//!
//! - A guess is first tried by linear equations alone: if their minimum-norm solution does not
//!   pull, no program is needed.
//! - The program determines which contacts push; the equations then give the digits. A guess is
//!   right when the judge certifies the forces.
//! - A tolerance decides which contacts separate.
//! - Contradictory bilateral rows are refused unless a norm is chosen. The paper minimises the
//!   1-norm by linear programming and the 2-norm by singular values, the latter without
//!   contacts; here both include the contacts.
//!
//! # Reference
//!
//! D. Baraff. *Analytical methods for dynamic simulation of non-penetrating rigid
//! bodies.* Computer Graphics 23(3), 1989, pp. 223–232. Cited as \[B89\].

mod equations;
mod impact;
mod program;

pub use impact::{
    Budget, Cause, Collision, CollisionEnd, CollisionError, Model, Pivoting, Refusal, Round,
    collide, collide_with,
};

use crate::convex;
use crate::error::SolveError;
use crate::observer::{Event, Observer, Set, Snapshot};
use crate::rows::Rows;
use crate::settings::{CONTRADICTS, PULLS, SEPARATES};
use crate::solver::{Call, ContactSolver, Searched};
use program::{Aim, End, Side};
use stiction_contact::judge::{self, Watch};
use stiction_contact::{Candidate, ContactProblem, Effort, Forces, Found, Place, Route};

/// The solver's name on the command line.
const NAME: &str = "lp";

/// The quantity minimised when bilateral rows contradict each other \[B89, app. B\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// The sum of the residual responses, by linear programming: few rows are violated.
    One,
    /// The sum of their squares: all rows are violated a little.
    Two,
}

/// The linear-programming method \[B89, §6\].
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearProgram {
    /// The norm to minimise if bilateral rows contradict each other; with `None` such problems
    /// are refused.
    pub compromise: Option<Norm>,
}

impl ContactSolver for LinearProgram {
    fn name(&self) -> &'static str {
        NAME
    }

    fn approximation(&self) -> Option<&'static str> {
        Some(
            "if it guesses the separating contacts wrong, its forces add energy and it reports how much",
        )
    }

    fn search(&mut self, problem: &ContactProblem, call: Call<'_>) -> Searched {
        let Call { work, observer, .. } = call;
        convex::require(NAME)?;
        refuse(problem)?;
        let mut rows = Rows::new(problem);
        let mut effort = Effort::default();
        let shift = match (contradiction(&rows)?, self.compromise) {
            (Some(error), None) => return Err(error),
            (Some(_), Some(norm)) => Some(shift_rows(&mut rows, norm, &mut effort)?),
            (None, _) => None,
        };
        let mut guesses = Guesses { problem, rows, shift, effort, observer };
        let (forces, route) = guesses.run()?;
        let (iterations, rows) = (guesses.effort.pivots, guesses.rows.len());
        (0..iterations).for_each(|_| work.charge_dense(rows));
        Ok(Candidate::new(Found::Forces(forces), route, guesses.effort))
    }
}

/// Refuses problems that the method does not model.
fn refuse(problem: &ContactProblem) -> Result<(), SolveError> {
    let unsupported = |reason: String| Err(SolveError::Unsupported { solver: NAME, reason });
    if let Some(i) = problem.contacts().iter().position(|c| c.friction.limit() > 0.0) {
        return unsupported(format!("contact {i} has friction"));
    }
    if !problem.bounded().is_empty() {
        return unsupported("it has bounded rows".into());
    }
    Ok(())
}

/// The bilateral row that cannot be satisfied, if there is one.
fn contradiction(rows: &Rows) -> Result<Option<SolveError>, SolveError> {
    let bilateral: Vec<usize> = (rows.bilateral..rows.len()).collect();
    let size = bilateral.iter().map(|&r| rows.local[r]).fold(0.0, f64::max);
    let force = equations::hold(rows, &bilateral).ok_or(SolveError::SingularBasis { pivots: 0 })?;
    let response = rows.response(&force);
    let worst =
        bilateral.into_iter().max_by(|&p, &q| response[p].abs().total_cmp(&response[q].abs()));
    Ok(worst.filter(|&r| response[r].abs() > CONTRADICTS * size).map(|r| {
        let response = rows.physical_response(r, response[r]);
        SolveError::Contradiction { place: rows.place(r), response }
    }))
}

/// Shifts the bilateral rows by the least amount that makes them consistent (37). Returns the
/// shift of each, in units of its response.
fn shift_rows(rows: &mut Rows, norm: Norm, effort: &mut Effort) -> Result<Vec<f64>, SolveError> {
    let aim = match norm {
        Norm::One => Aim::OneNorm,
        Norm::Two => Aim::LeastSquares,
    };
    let force = match program::solve(rows, &vec![Side::Either; rows.bilateral], aim) {
        End::Found { force, iterations } => {
            effort.pivots += iterations;
            force
        }
        End::Infeasible { contact, .. } => {
            return Err(SolveError::Wedged { place: Place::Contact(contact) });
        }
        End::Failed { iterations } => return Err(SolveError::PivotLimit { limit: iterations }),
    };
    let response = rows.response(&force);
    let left = |r: usize| rows.physical_response(r, response[r]);
    let shift = (rows.bilateral..rows.len()).map(left).collect();
    for r in rows.bilateral..rows.len() {
        rows.bias[r] -= response[r];
    }
    Ok(shift)
}

/// The sequence of guesses for one problem.
struct Guesses<'a> {
    problem: &'a ContactProblem,
    rows: Rows,
    /// Shifts of the bilateral rows.
    shift: Option<Vec<f64>>,
    effort: Effort,
    observer: &'a mut dyn Observer,
}

impl Guesses<'_> {
    /// V = ∅ (§6.2), then the prediction of the least forces (§6.3), then these forces
    /// themselves (§6.5).
    fn run(&mut self) -> Result<(Forces, Route), SolveError> {
        let n = self.rows.bilateral;
        let none = vec![Side::Held; n];
        if let Some(forces) = self.test(&none) {
            return Ok((forces, self.success()));
        }
        let least = self.least_forces()?;
        let response = self.rows.response(&least);
        let side = |i: usize| if response[i] > SEPARATES { Side::Vanishing } else { Side::Held };
        let predicted: Vec<Side> = (0..n).map(side).collect();
        if predicted != none
            && let Some(forces) = self.test(&predicted)
        {
            return Ok((forces, self.success()));
        }
        // Minimisers of (22) that also minimise (24) are correct themselves.
        if let Some(forces) = self.certified(&least) {
            return Ok((forces, self.success()));
        }
        let forces = self.rows.physical(&least);
        let amount = added(self.problem, &forces);
        Ok((forces, Route::AddsEnergy { amount }))
    }

    fn success(&self) -> Route {
        match &self.shift {
            None => Route::Direct,
            Some(shift) => {
                Route::Compromise { residual: shift.iter().fold(0.0, |m, x| x.abs().max(m)) }
            }
        }
    }

    /// The forces of a guess (18), if it is right.
    fn test(&mut self, sides: &[Side]) -> Option<Forces> {
        self.effort.drives += 1;
        let found = self.by_equations(sides).or_else(|| self.by_program(sides));
        let vanishing = sides.iter().filter(|side| **side == Side::Vanishing).count();
        self.observer.event(Event::Guess { vanishing, holds: found.is_some() });
        if self.observer.inspects() {
            let vanishes = |i: usize| sides[i] == Side::Vanishing;
            let sets = vec![Set::of_contacts("V", sides.len(), vanishes)];
            let forces = found.clone().unwrap_or_else(|| Forces::zeros(self.problem));
            self.observer.snapshot(&Snapshot { sets, forces });
        }
        found
    }

    /// By linear equations alone: enough if their minimum-norm solution does not pull.
    fn by_equations(&self, sides: &[Side]) -> Option<Forces> {
        let mut force = equations::hold(&self.rows, &self.held(sides))?;
        let contacts = &mut force[..self.rows.bilateral];
        let largest = contacts.iter().copied().fold(0.0, f64::max);
        if contacts.iter().any(|f| *f < -PULLS * largest) {
            return None;
        }
        for f in contacts {
            *f = f.max(0.0);
        }
        self.certified(&force)
    }

    /// A linear program determines which contacts push, equations determine how much.
    fn by_program(&mut self, sides: &[Side]) -> Option<Forces> {
        match program::solve(&self.rows, sides, Aim::LeastSum) {
            End::Found { mut force, iterations } => {
                self.effort.pivots += iterations;
                equations::settle(&self.rows, &self.held(sides), &mut force)?;
                self.certified(&force)
            }
            End::Infeasible { iterations, .. } | End::Failed { iterations } => {
                self.effort.pivots += iterations;
                None
            }
        }
    }

    /// Rows whose response is zero under a guess.
    fn held(&self, sides: &[Side]) -> Vec<usize> {
        let contacts = (0..sides.len()).filter(|&i| sides[i] == Side::Held);
        contacts.chain(self.rows.bilateral..self.rows.len()).collect()
    }

    /// The least forces that push and keep the bodies apart (22), (23).
    fn least_forces(&mut self) -> Result<Vec<f64>, SolveError> {
        let n = self.rows.bilateral;
        match program::solve(&self.rows, &vec![Side::Either; n], Aim::LeastSum) {
            End::Found { mut force, iterations } => {
                self.effort.pivots += iterations;
                for f in &mut force[..n] {
                    *f = f.max(0.0);
                }
                Ok(force)
            }
            End::Infeasible { contact, .. } => {
                Err(SolveError::Wedged { place: Place::Contact(contact) })
            }
            End::Failed { iterations } => Err(SolveError::PivotLimit { limit: iterations }),
        }
    }

    /// Converts scaled forces to physical ones and returns them if the judge certifies them.
    /// Shifted rows are judged at their shifted targets.
    fn certified(&self, force: &[f64]) -> Option<Forces> {
        let forces = self.rows.physical(force);
        let residuals = match &self.shift {
            None => Watch::new(self.problem).residuals(&forces),
            Some(shift) => {
                let (level, bodies, contacts, mut bilateral, _) = self.problem.clone().into_parts();
                for (row, shift) in bilateral.iter_mut().zip(shift) {
                    row.bias -= shift;
                }
                let moved = ContactProblem::new(level, bodies, contacts, bilateral, vec![]).ok()?;
                Watch::new(&moved).residuals(&forces)
            }
        };
        residuals.law().is_some().then_some(forces)
    }
}

/// `Σ fᵢ aᵢ` (25)
fn added(problem: &ContactProblem, forces: &Forces) -> f64 {
    let response = judge::response(problem, forces).contacts;
    forces.contacts.iter().zip(response).map(|(f, a)| f.normal * a.normal).sum()
}

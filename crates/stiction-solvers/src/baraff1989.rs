//! Contact forces by linear programming, after Baraff (1989).
//!
//! Without friction the forces `f` and the accelerations `a = A f + b` at the
//! contacts obey (15)
//!
//! ```text
//!   a ≥ 0,   f ≥ 0,   Σ fᵢ aᵢ = 0
//! ```
//!
//! Only the last is not linear. It becomes linear once it is known which contacts
//! *vanish*, that is, part: there `f = 0`, and `a = 0` at all others. So the set V
//! of vanishing contacts is guessed, and linear programming tests the guess:
//!
//! ```text
//!   V = ∅ ──test──► forces
//!     │ wrong
//!   least Σ f with a ≥ 0, f ≥ 0 ──► V = { a > 0 } ──test──► forces
//!                                                    │ wrong
//!                                                    └──► the least forces, which add energy
//! ```
//!
//! This is a heuristic. When both guesses are wrong, the answer is the
//! approximation itself, and says so ([`Route::AddsEnergy`]). [`collide()`] has collisions with
//! restitution, the same problem for impulses, by any solver.
//!
//! # Where to start reading
//!
//! [`LinearProgram`] here has the guesses; `program.rs` has the linear
//! programs, `equations.rs` gives the last digits, `impact.rs` has collisions.
//!
//! # Departures from the paper
//!
//! - A guess is first tried by linear equations alone: where their shortest
//!   solution does not pull, no program is needed.
//! - The program tells which contacts push; the equations then give the digits.
//!   A guess is right when the judge certifies the forces.
//! - Which contacts part is read off with a tolerance.
//! - Bilateral rows that contradict each other are refused unless a norm is
//!   chosen. The paper has the 1-norm by linear and least squares by singular
//!   values, the latter without contacts; here both keep the contacts.
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
use crate::solver::ContactSolver;
use crate::work::Work;
use program::{Aim, End, Side};
use stiction_contact::Forces;
use stiction_contact::judge;
use stiction_contact::{Candidate, Found};
use stiction_contact::{ContactProblem, Place};
use stiction_contact::{Effort, Route};

/// The name on the command line.
const NAME: &str = "lp";

/// A contact parts if its response exceeds this part of the free motion: above
/// what the interior point leaves, far below what anyone can measure.
const PARTS: f64 = 1e-7;

/// Response left at a bilateral row, relative to the largest free motion at any,
/// that is a contradiction: the equations may leave 1e-9 times a modest number.
const CONTRADICTS: f64 = 1e-7;

/// Forces above minus this part of the largest do not pull: rounding.
const PULLS: f64 = 1e-12;

/// What is made small when bilateral rows contradict each other \[B89, app. B\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// The sum of the responses left, by linear programming: few rows give way.
    One,
    /// The sum of their squares: all rows give way a little.
    Two,
}

/// The linear-programming method \[B89, §6\].
#[derive(Clone, Copy, Debug, Default)]
pub struct LinearProgram {
    /// How bilateral rows that contradict each other are met; without, they are
    /// refused.
    pub compromise: Option<Norm>,
}

impl ContactSolver for LinearProgram {
    fn name(&self) -> &'static str {
        NAME
    }

    fn approximation(&self) -> Option<&'static str> {
        Some(
            "where its guess of the contacts that part is wrong, its forces add energy and it says how much",
        )
    }

    fn search(
        &mut self,
        problem: &ContactProblem,
        _start: Option<&Forces>,
        work: &mut Work,
        observer: &mut dyn Observer,
    ) -> Result<Candidate, SolveError> {
        convex::require(NAME)?;
        refuse(problem)?;
        let mut rows = Rows::new(problem);
        let mut effort = Effort::default();
        let shift = match (contradiction(&rows)?, self.compromise) {
            (Some(error), None) => return Err(error),
            (Some(_), Some(norm)) => Some(give_way(&mut rows, norm, &mut effort)?),
            (None, _) => None,
        };
        let mut guesses = Guesses { problem, rows, shift, effort, observer };
        let (forces, route) = guesses.run()?;
        let (iterations, rows) = (guesses.effort.pivots, guesses.rows.len());
        (0..iterations).for_each(|_| work.charge_dense(rows));
        Ok(Candidate::new(Found::Forces(forces), route, guesses.effort))
    }
}

/// Says what the method does not model.
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

/// The bilateral row that cannot be met, if there is one.
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

/// Moves the bilateral rows by as little as lets them be met (37). Gives the
/// shift of each, in units of its response.
fn give_way(rows: &mut Rows, norm: Norm, effort: &mut Effort) -> Result<Vec<f64>, SolveError> {
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
        End::Lost { iterations } => return Err(SolveError::PivotLimit { limit: iterations }),
    };
    let response = rows.response(&force);
    let left = |r: usize| rows.physical_response(r, response[r]);
    let shift = (rows.bilateral..rows.len()).map(left).collect();
    for r in rows.bilateral..rows.len() {
        rows.bias[r] -= response[r];
    }
    Ok(shift)
}

/// One run of guesses.
struct Guesses<'a> {
    problem: &'a ContactProblem,
    rows: Rows,
    /// By how much the bilateral rows gave way.
    shift: Option<Vec<f64>>,
    effort: Effort,
    observer: &'a mut dyn Observer,
}

impl Guesses<'_> {
    /// V = ∅ (§6.2), then what the least forces predict (§6.3), then those (§6.5).
    fn run(&mut self) -> Result<(Forces, Route), SolveError> {
        let n = self.rows.bilateral;
        let none = vec![Side::Held; n];
        if let Some(forces) = self.test(&none) {
            return Ok((forces, self.success()));
        }
        let least = self.least_forces()?;
        let response = self.rows.response(&least);
        let parts = |i: usize| if response[i] > PARTS { Side::Vanishing } else { Side::Held };
        let predicted: Vec<Side> = (0..n).map(parts).collect();
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

    /// Linear equations alone: enough where their shortest solution does not pull.
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

    /// A linear program for which contacts push, equations for how much.
    fn by_program(&mut self, sides: &[Side]) -> Option<Forces> {
        match program::solve(&self.rows, sides, Aim::LeastSum) {
            End::Found { mut force, iterations } => {
                self.effort.pivots += iterations;
                equations::settle(&self.rows, &self.held(sides), &mut force)?;
                self.certified(&force)
            }
            End::Infeasible { iterations, .. } | End::Lost { iterations } => {
                self.effort.pivots += iterations;
                None
            }
        }
    }

    /// Rows whose response a guess holds at zero.
    fn held(&self, sides: &[Side]) -> Vec<usize> {
        let contacts = (0..sides.len()).filter(|&i| sides[i] == Side::Held);
        contacts.chain(self.rows.bilateral..self.rows.len()).collect()
    }

    /// The least forces that only push and keep the bodies apart (22), (23).
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
            End::Lost { iterations } => Err(SolveError::PivotLimit { limit: iterations }),
        }
    }

    /// Scaled forces as physical ones, if the judge certifies them; rows that
    /// gave way are judged where they went.
    fn certified(&self, force: &[f64]) -> Option<Forces> {
        let forces = self.rows.physical(force);
        let certificate = match &self.shift {
            None => judge::judge(self.problem, &forces),
            Some(shift) => {
                let (level, bodies, contacts, mut bilateral, _) = self.problem.clone().into_parts();
                for (row, shift) in bilateral.iter_mut().zip(shift) {
                    row.bias -= shift;
                }
                let moved = ContactProblem::new(level, bodies, contacts, bilateral, vec![]).ok()?;
                judge::judge(&moved, &forces)
            }
        };
        certificate.is_certified().then_some(forces)
    }
}

/// `Σ fᵢ aᵢ` (25)
fn added(problem: &ContactProblem, forces: &Forces) -> f64 {
    let response = judge::response(problem, forces).contacts;
    forces.contacts.iter().zip(response).map(|(f, a)| f.normal * a.normal).sum()
}

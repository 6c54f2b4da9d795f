//! Friction, inconsistency and indeterminacy, after Baraff (1991).
//!
//! At a contact that slides, friction is a fixed multiple of the normal force.
//! Put into the equations, it leaves a linear complementarity problem in the
//! normal forces alone, with an unsymmetric and possibly indefinite matrix:
//!
//! ```text
//!   a = A f + b,   a ≥ 0,   f ≥ 0,   aᵀ f = 0        A = N M⁻¹ (N − μ T)ᵀ
//! ```
//!
//! Such a problem may have several solutions (*indeterminate*) or none
//! (*inconsistent*), and deciding which is NP-complete: it contains the subset
//! sum problem ([`subset_sum`](crate::gallery::subset_sum)). Lemke's algorithm ends all the same: at
//! a solution, or on a ray that is a valid contact *impulse* \[B91, §7\].
//!
//! [`diagnose()`] tries every combination of contact modes of a small problem and
//! so decides what cannot be decided quickly.
//!
//! # Departures from the paper
//!
//! - A ray is reported as an impulse direction with its certificate; scaling it
//!   until a contact stops sliding and the impact that follows are not done here.
//! - Contacts whose friction is static, and rows, are not taken: the room says
//!   so.
//! - Lemke starts from its own basis: a warm start is not used, and no pivots
//!   are shown to the observer.
//!
//! # Reference
//!
//! D. Baraff. *Coping with friction for non-penetrating rigid body simulation.*
//! Computer Graphics 25(4), 1991, pp. 31–40. Cited as \[B91\].

mod diagnose;

pub use diagnose::{Diagnosis, Verdict, diagnose};

use crate::error::SolveError;
use crate::lemke::{Lcp, LcpOutcome, solve_lcp};
use crate::observer::Observer;
use crate::problem::ContactProblem;
use crate::rows::Rows;
use crate::solution::{Effort, Forces, Route};
use crate::solver::{Attempt, ContactSolver, Found};
use faer::Mat;
use faer::linalg::solvers::Solve;

/// Forces, or a contact impulse, by Lemke's algorithm \[B91, §7\].
#[derive(Clone, Copy, Debug, Default)]
pub struct ForcesOrImpulse;

impl ContactSolver for ForcesOrImpulse {
    fn name(&self) -> &'static str {
        "forces-or-impulse"
    }

    fn attempt(
        &mut self,
        problem: &ContactProblem,
        _start: Option<&Forces>,
        _observer: &mut dyn Observer,
    ) -> Result<Attempt, SolveError> {
        let unsupported = |reason: String| SolveError::Unsupported { solver: self.name(), reason };
        let sticks = |friction: &crate::problem::Friction| friction.has_tangent_unknowns();
        if let Some(i) = problem.contacts().iter().position(|c| sticks(&c.friction)) {
            return Err(unsupported(format!("contact {i} has friction and does not slide yet")));
        }
        if !problem.bilateral().is_empty() || !problem.bounded().is_empty() {
            return Err(unsupported("it has bilateral or bounded rows".into()));
        }
        let rows = Rows::new(problem);
        let n = rows.len();
        let a = (0..n * n).map(|k| rows.entry(k / n, k % n)).collect();
        let lcp = Lcp::new(a, rows.bias.clone()).map_err(|error| unsupported(error.to_string()))?;
        let found = |pivots: usize, found: Found| {
            Ok(Attempt::new(found, Route::Direct, Effort { pivots, ..Effort::default() }))
        };
        match solve_lcp(&lcp) {
            LcpOutcome::Solved { mut z, pivots, .. } => {
                refine(&rows, &mut z);
                found(pivots, Found::Forces(rows.physical(&z)))
            }
            LcpOutcome::Ray { mut direction, pivots } => {
                let largest = direction.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                for x in &mut direction {
                    *x = (*x / largest).max(0.0);
                }
                found(pivots, Found::Ray(rows.physical(&direction)))
            }
            LcpOutcome::PivotLimit { pivots } => Err(SolveError::PivotLimit { limit: pivots }),
        }
    }
}

/// Pulls the responses of the contacts that push back to zero. Forming `A` costs
/// digits when a heavy body rests on a light one; the response through the
/// bodies still has them.
fn refine(rows: &Rows, force: &mut [f64]) {
    let active: Vec<usize> = (0..force.len()).filter(|&i| force[i] > 0.0).collect();
    let k = active.len();
    if k == 0 {
        return;
    }
    let factor = Mat::from_fn(k, k, |i, j| rows.entry(active[i], active[j])).partial_piv_lu();
    for _ in 0..2 {
        let response = rows.response(force);
        let step = factor.solve(Mat::from_fn(k, 1, |i, _| response[active[i]]));
        let mut moved = force.to_vec();
        for (i, &r) in active.iter().enumerate() {
            moved[r] -= step[(i, 0)];
        }
        let off = |response: &[f64]| active.iter().map(|&r| response[r].abs()).fold(0.0, f64::max);
        let better =
            moved.iter().all(|f| *f >= 0.0) && off(&rows.response(&moved)) < off(&response);
        if !better {
            break;
        }
        force.copy_from_slice(&moved);
    }
}

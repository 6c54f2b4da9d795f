//! Friction, inconsistency and indeterminacy, after Baraff (1991).
//!
//! At a contact that slides, friction is a fixed multiple of the normal force. Substituting it
//! leaves a linear complementarity problem in the normal forces alone, with an unsymmetric and
//! possibly indefinite matrix:
//!
//! ```text
//!   a = A f + b,   a ≥ 0,   f ≥ 0,   aᵀ f = 0        A = N M⁻¹ (N − μ T)ᵀ
//! ```
//!
//! Such a problem may have several solutions (*indeterminate*) or none (*inconsistent*), and
//! deciding which is NP-complete: it contains the subset sum problem
//! ([`subset_sum`](crate::gallery::subset_sum)). Lemke's algorithm still terminates: at a
//! solution, or on a ray that is a valid contact *impulse* \[B91, §7\].
//!
//! ```text
//!   ContactProblem ─Lemke→ forces
//!                     └──→ ray ─impact→ scaled until a contact sticks, then a collision
//! ```
//!
//! [`ForcesOrImpulse`] finds the forces or the ray, [`impact()`] follows the ray for bodies
//! with known velocities. [`Threshold`] and [`Signs`] approximate static friction \[B91, §8\],
//! and report so. [`diagnose()`] examines every combination of contact modes of a small problem
//! and so decides what cannot be decided quickly.
//!
//! # Where to start reading
//!
//! [`ForcesOrImpulse`] here, then `impulse.rs`; `threshold.rs` and `signs.rs` are independent
//! of these.
//!
//! # Departures from the paper
//!
//! - Bilateral rows are supported: they are eliminated first (`bilateral.rs`).
//! - A ray is reported as a direction, since the problem contains the direction of sliding at
//!   its contacts but not the speed; [`impact()`] takes the velocities as an argument.
//! - [`ForcesOrImpulse`] does not support contacts with static friction or bounded rows, and
//!   reports so.
//! - Lemke's algorithm starts from its own basis: a warm start is not used, and no pivots are
//!   reported to the observer.
//!
//! # Reference
//!
//! D. Baraff. *Coping with friction for non-penetrating rigid body simulation.*
//! Computer Graphics 25(4), 1991, pp. 31–40. Cited as \[B91\].

mod bilateral;
mod diagnose;
mod impulse;
mod program;
mod signs;
mod threshold;

pub use diagnose::{
    BUDGET, Diagnosis, IslandDiagnosis, MatrixDiagnosis, Open, Possible, Progress, Verdict,
    diagnose, diagnose_matrix, diagnose_within,
};
pub use impulse::{Impact, ImpactError, Secondary, impact};
pub use signs::Signs;
pub use threshold::Threshold;

use bilateral::Reduced;

use crate::error::SolveError;
use crate::lemke::{LcpOutcome, solve_or_ray};
use crate::rows::Rows;
use crate::solver::{Call, ContactSolver, Searched};
use faer::Mat;
use faer::linalg::solvers::Solve;
use stiction_contact::judge::judge_ray;
use stiction_contact::{Candidate, ContactProblem, Effort, Found, Friction, Lcp, Route};

/// Forces, or a contact impulse, by Lemke's algorithm \[B91, §7\].
#[derive(Clone, Copy, Debug, Default)]
pub struct ForcesOrImpulse;

impl ContactSolver for ForcesOrImpulse {
    fn name(&self) -> &'static str {
        "forces-or-impulse"
    }

    fn search(&mut self, problem: &ContactProblem, call: Call<'_>) -> Searched {
        let Call { work, .. } = call;
        let unsupported = |reason: String| SolveError::Unsupported { solver: self.name(), reason };
        let sticks = |friction: &Friction| friction.has_tangent_unknowns();
        if let Some(i) = problem.contacts().iter().position(|c| sticks(&c.friction)) {
            return Err(unsupported(format!("contact {i} has friction and does not slide yet")));
        }
        if !problem.bounded().is_empty() {
            return Err(unsupported("it has bounded rows".into()));
        }
        let rows = Rows::new(problem);
        let mut reduced = Reduced::new(&rows)?;
        let (a, b) = (std::mem::take(&mut reduced.a), std::mem::take(&mut reduced.b));
        let lcp = Lcp::new(a, b).map_err(|error| unsupported(error.to_string()))?;
        let found = |pivots: usize, found: Found| {
            Ok(Candidate::new(found, Route::Direct, Effort { pivots, ..Effort::default() }))
        };
        let ray = |direction: &[f64]| {
            let direction: Vec<f64> = direction.iter().map(|x| x.max(0.0)).collect();
            rows.physical(&reduced.complete(&rows, &direction, false)).into_unit()
        };
        let is_valid = |direction: &[f64]| judge_ray(problem, &ray(direction)).certified;
        match solve_or_ray(&lcp, is_valid, work) {
            LcpOutcome::Solved { mut z, pivots, .. } => {
                refine(&rows, &reduced, &lcp, &mut z);
                let force = reduced.complete(&rows, &z, true);
                found(pivots, Found::Forces(rows.physical(&force)))
            }
            LcpOutcome::Ray { direction, pivots } => found(pivots, Found::Ray(ray(&direction))),
            LcpOutcome::PivotLimit { pivots } => Err(SolveError::PivotLimit { limit: pivots }),
        }
    }
}

/// Corrects the forces so that the responses of the contacts that push are zero. Forming `A`
/// costs digits when a heavy body rests on a light one; the response through the bodies still
/// has them.
fn refine(rows: &Rows, reduced: &Reduced, lcp: &Lcp, force: &mut [f64]) {
    let active: Vec<usize> = (0..force.len()).filter(|&i| force[i] > 0.0).collect();
    let k = active.len();
    if k == 0 {
        return;
    }
    let factor = Mat::from_fn(k, k, |i, j| lcp.row(active[i])[active[j]]).partial_piv_lu();
    let respond = |force: &[f64]| rows.response(&reduced.complete(rows, force, true));
    for _ in 0..2 {
        let response = respond(force);
        let step = factor.solve(Mat::from_fn(k, 1, |i, _| response[active[i]]));
        let mut moved = force.to_vec();
        for (i, &r) in active.iter().enumerate() {
            moved[r] -= step[(i, 0)];
        }
        let off = |response: &[f64]| active.iter().map(|&r| response[r].abs()).fold(0.0, f64::max);
        let better = moved.iter().all(|f| *f >= 0.0) && off(&respond(&moved)) < off(&response);
        if !better {
            break;
        }
        force.copy_from_slice(&moved);
    }
}

//! Islands first, then for each the method that suits it, and another when that
//! fails.
//!
//! | problem | first | then |
//! | --- | --- | --- |
//! | friction whose direction is unknown | `lloyd-reduced` | `dantzig` |
//! | no such friction, or bounded rows | `dantzig` | `lloyd-reduced` |
//! | pyramids asked for | `Method::for_problem` | |
//! | a bare matrix | `proximal` | `gauss-seidel` |
//!
//! Measured by `stiction bench lloyd` and `stiction bench families`: with friction
//! the reduced method is the fastest of Lloyd's three at every size, without it
//! Dantzig's method starts from a guess that is nearly right.

use crate::baraff1994::Dantzig;
use crate::error::SolveError;
use crate::gauss_seidel::GaussSeidel;
use crate::judge::Cone;
use crate::lloyd2004::{Lloyd, Method};
use crate::matrix::MatrixProblem;
use crate::matrix_solver::{MatrixSolution, MatrixSolver};
use crate::observer::Observer;
use crate::problem::{ContactProblem, Island};
use crate::proximal::Proximal;
use crate::solution::{Effort, Forces, Route};
use crate::solver::{Attempt, ContactSolver, Found};

/// Chooses by what the problem contains; the answer names who found it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Auto {
    /// Sides of the cones, if answers on pyramids are asked for.
    pub pyramid: Option<usize>,
}

impl ContactSolver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn attempt(
        &mut self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        observer: &mut dyn Observer,
    ) -> Result<Attempt, SolveError> {
        Forces::check_start(start, problem)?;
        let islands = problem.islands();
        if islands.len() <= 1 {
            return self.attempt_island(problem, start, observer);
        }
        let mut whole =
            Attempt::new(Found::Forces(Forces::none(problem)), Route::Direct, Effort::default());
        for island in &islands {
            let start = start.map(|start| island.gather(start));
            let part = self.attempt_island(&island.problem, start.as_ref(), observer)?;
            if !join(&mut whole, island, part, problem) {
                break;
            }
        }
        Ok(whole)
    }
}

/// Adds the answer of an island to that of the whole. `false` if it is a ray: one
/// island that needs an impulse is what the whole is about.
fn join(whole: &mut Attempt, island: &Island, part: Attempt, problem: &ContactProblem) -> bool {
    let (Found::Forces(all) | Found::Ray(all)) = &mut whole.found;
    whole.effort += part.effort;
    if part.route != Route::Direct {
        whole.route = part.route;
    }
    if part.cone != Cone::Round {
        whole.cone = part.cone;
    }
    whole.finish = whole.finish.max(part.finish);
    whole.by =
        if whole.by.is_none_or(|by| part.by == Some(by)) { part.by } else { Some("several") };
    match part.found {
        Found::Forces(forces) => {
            island.scatter(&forces, all);
            true
        }
        Found::Ray(direction) => {
            let mut alone = Forces::none(problem);
            island.scatter(&direction, &mut alone);
            whole.found = Found::Ray(alone);
            false
        }
    }
}

impl MatrixSolver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn solve(&self, problem: &MatrixProblem) -> MatrixSolution {
        let (first, second) = (Proximal::default(), GaussSeidel::default());
        let named = |solver: &dyn MatrixSolver| {
            let solution = solver.solve(problem);
            MatrixSolution { by: Some(solver.name()), ..solution }
        };
        let mut best = named(&first);
        if !best.certificate.certified {
            let mut other = named(&second);
            if other.certificate.relative < best.certificate.relative {
                std::mem::swap(&mut best, &mut other);
            }
            best.effort += other.effort;
        }
        best
    }
}

impl Auto {
    /// One island by the method that suits it.
    fn attempt_island(
        self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        observer: &mut dyn Observer,
    ) -> Result<Attempt, SolveError> {
        let by = |name: &'static str| {
            move |attempt: Attempt| Attempt { by: attempt.by.or(Some(name)), ..attempt }
        };
        if let Some(directions) = self.pyramid {
            let method = Method::for_problem(problem);
            let mut lloyd = Lloyd { method, directions, round: false };
            return lloyd.attempt(problem, start, observer).map(by(lloyd.name()));
        }
        let mut dantzig = Dantzig::default();
        let mut lloyd = Lloyd::new(Method::Reduced);
        let rubs = problem.contacts().iter().any(|c| c.friction.has_tangent_unknowns());
        let (first, second): (&mut dyn ContactSolver, &mut dyn ContactSolver) =
            if rubs && problem.bounded().is_empty() {
                (&mut lloyd, &mut dantzig)
            } else {
                (&mut dantzig, &mut lloyd)
            };
        let failure = match first.attempt(problem, start, observer) {
            Ok(attempt) => return Ok(by(first.name())(attempt)),
            // What the problem itself says, no other method will say otherwise.
            Err(error @ (SolveError::Contradiction { .. } | SolveError::WarmStart { .. })) => {
                return Err(error);
            }
            Err(error) => error,
        };
        second.attempt(problem, start, observer).map(by(second.name())).map_err(|other| {
            let residual = |error: &SolveError| match error {
                SolveError::Uncertified { residual, .. } => *residual,
                _ => f64::INFINITY,
            };
            if residual(&other) < residual(&failure) { other } else { failure }
        })
    }
}

//! The method that suits a problem, and another when it fails.
//!
//! | problem | first | then |
//! | --- | --- | --- |
//! | friction whose direction is unknown | `lloyd-reduced` | `dantzig` |
//! | no such friction, or bounded rows | `dantzig` | `lloyd-reduced` |
//! | pyramids asked for | `Method::for_problem` | |
//!
//! Measured by `stiction bench lloyd` and `stiction bench families`: with friction
//! the reduced method is the fastest of Lloyd's three at every size, without it
//! Dantzig's method starts from a guess that is nearly right.

use crate::baraff1994::Dantzig;
use crate::error::SolveError;
use crate::lloyd2004::{Lloyd, Method};
use crate::observer::Observer;
use crate::problem::ContactProblem;
use crate::solution::Forces;
use crate::solver::{Attempt, ContactSolver};

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
        let by = |name: &'static str| move |attempt| Attempt { by: Some(name), ..attempt };
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
        second.attempt(problem, start, observer).map(by(second.name())).map_err(|_| failure)
    }
}

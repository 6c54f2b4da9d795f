//! Gauss–Seidel: contact after contact, each solved exactly with the others held.
//!
//! The baseline of the field (Siconos calls it NSGS), on problems with and without bodies. One
//! sweep is `Space::sweep` (`space.rs`); each contact alone is solved exactly on
//! the round cone (`gauss_seidel/local.rs`).
//!
//! It converges slowly where forces pass through many bodies, and says what ended it.

mod local;

pub(crate) use local::Block;

use crate::observer::Event;
use crate::solver::{Call, Scaled};
use crate::space::{Goal, Iterated, Iterative, Space};
use stiction_contact::{Effort, Stop};

/// Sweeps between two looks at the residual, which costs about as much as five.
const SWEEPS_PER_LOOK: usize = 20;

/// Gauss–Seidel alone.
#[derive(Clone, Copy, Debug)]
pub struct GaussSeidel {
    /// Sweeps before it gives up.
    pub limit: usize,
}

impl Default for GaussSeidel {
    fn default() -> Self {
        GaussSeidel { limit: 20_000 }
    }
}

impl Iterative for GaussSeidel {
    const NAME: &'static str = "gauss-seidel";
    const APPROXIMATION: &'static str =
        "an iteration that may stop before it converges, and says what ended it";

    /// Sweeps until the residual is small enough or the sweeps are used up.
    fn iterate<S: Space>(&mut self, space: &mut S, goal: Goal<'_>, call: Scaled<'_>) -> Iterated {
        let Call { start, work, observer } = call;
        let mut force = start.map_or_else(|| vec![0.0; space.len()], <[f64]>::to_vec);
        let mut best = (f64::INFINITY, force.clone());
        let mut sweeps = 0;
        let stop = loop {
            work.charge(goal.look_work);
            let residual = (goal.look)(&force);
            observer.event(Event::Sweeps { count: sweeps, residual });
            if residual < best.0 {
                best = (residual, force.clone());
            }
            if residual <= goal.enough {
                break Stop::Precision;
            } else if sweeps >= self.limit {
                break Stop::Iterations;
            } else if work.is_spent() {
                break Stop::Work;
            }
            // Often at first: small problems need a few sweeps only.
            let count = sweeps.clamp(1, SWEEPS_PER_LOOK);
            space.sweep(&mut force, count, work);
            sweeps += count;
        };
        let effort = Effort { pivots: sweeps, sweeps, stop: Some(stop), ..Effort::default() };
        Iterated::new(best.1, effort)
    }
}

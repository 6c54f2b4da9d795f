//! Newton on problems made regular, made regular less and less.
//!
//! Redundant contacts make `W` singular, and Newton's matrix with it. The
//! *proximal point* method solves instead
//!
//! ```text
//!   u = (W + α) r + q − α c         c: the last answer
//! ```
//!
//! whose matrix is regular, takes the answer as the next `c`, and lowers `α`: where
//! it ends, `r = c` and the problem is the one that was asked. Each is solved by a
//! semismooth Newton iteration on the functions of Alart and Curnier; when Newton
//! fails, `α` is raised and Gauss–Seidel sweeps of the problem itself bring the next
//! start, as many as cost what Newton did: where sweeps alone would arrive, at most
//! half the time is lost.
//!
//! # Where to start reading
//!
//! [`Proximal::solve`](MatrixSolver::solve) is the outer loop,
//! `proximal/newton.rs` the inner one.
//!
//! # Reference
//!
//! V. Acary, M. Brémond, O. Huber. *On solving contact problems with Coulomb
//! friction: formulations and numerical comparisons.* In: Advanced Topics in
//! Nonsmooth Dynamics, Springer 2018.

mod newton;

use crate::gauss_seidel::{Sweeps, unscaled};
use crate::judge::judge_matrix;
use crate::matrix::MatrixProblem;
use crate::matrix_solver::{ENOUGH, MatrixEffort, MatrixSolution, MatrixSolver};
use newton::Newton;

/// `α` to begin with, in units where own blocks have mean diagonal 1.
const FIRST: f64 = 1e-3;

/// Between these `α` moves: below the first the matrix is singular to rounding,
/// above the second every contact is nearly alone.
const SMALLEST: f64 = 1e-11;
const LARGEST: f64 = 10.0;

/// By how much `α` falls after a success and rises after a failure.
const FALL: f64 = 0.1;
const RISE: f64 = 10.0;

/// Sweeps at the start, after a failure at least, and between two looks.
const FIRST_SWEEPS: usize = 100;
const MORE_SWEEPS: usize = 50;

/// Proximal problems without a better answer before it gives up.
const PATIENCE: usize = 40;

/// Proximal points with a Newton inside.
#[derive(Clone, Copy, Debug)]
pub struct Proximal {
    /// Work before it gives up, in multiplications, roughly. The default is
    /// about a minute.
    pub budget: f64,
}

impl Default for Proximal {
    fn default() -> Self {
        Proximal { budget: 6e10 }
    }
}

impl MatrixSolver for Proximal {
    fn name(&self) -> &'static str {
        "proximal"
    }

    fn solve(&self, problem: &MatrixProblem) -> MatrixSolution {
        let (scaled, scale) = problem.scaled();
        let mut search = Search::new(problem, &scaled, &scale);
        let mut center = vec![0.0; problem.len()];
        search.sweep(&mut center, FIRST_SWEEPS, 0.0);
        let (mut shift, mut failures) = (FIRST, 0);
        while search.best.1 > ENOUGH && search.work < self.budget && failures < PATIENCE {
            search.effort.rounds += 1;
            let (before, work) = (search.best.1, search.work);
            let (force, solved) = search.inner(&center, shift);
            search.look(&force);
            if solved {
                center = force;
                shift = (shift * FALL).max(SMALLEST);
            } else {
                shift = (shift * RISE).min(LARGEST);
                center.clone_from(&search.best.0);
                search.sweep(&mut center, MORE_SWEEPS, search.work - work);
            }
            failures = if search.best.1 < before { 0 } else { failures + 1 };
        }
        search.into_solution()
    }
}

/// A search for forces: the best so far and what it took.
struct Search<'a> {
    problem: &'a MatrixProblem,
    scaled: &'a MatrixProblem,
    scale: &'a [f64],
    /// Forces in scaled units and their natural map.
    best: (Vec<f64>, f64),
    effort: MatrixEffort,
    work: f64,
}

impl<'a> Search<'a> {
    fn new(problem: &'a MatrixProblem, scaled: &'a MatrixProblem, scale: &'a [f64]) -> Self {
        let best = (vec![0.0; problem.len()], f64::INFINITY);
        Search { problem, scaled, scale, best, effort: MatrixEffort::default(), work: 0.0 }
    }

    /// The judge looks at forces and keeps the best.
    fn look(&mut self, force: &[f64]) -> f64 {
        let relative = judge_matrix(self.problem, &unscaled(force, self.scale)).relative;
        if relative < self.best.1 {
            self.best = (force.to_vec(), relative);
        }
        relative
    }

    /// Sweeps of the problem itself: so many, and as long as the work lasts, or
    /// until the judge is content.
    fn sweep(&mut self, force: &mut [f64], least: usize, work: f64) {
        let all = Sweeps::new(self.scaled);
        let end = self.work + work;
        let mut sweeps = 0;
        while sweeps < least || self.work < end {
            all.sweep(force);
            sweeps += 1;
            self.work += self.sweep_work();
            // Often at first: small problems need a few sweeps only.
            let looks = sweeps.is_power_of_two() || sweeps % MORE_SWEEPS == 0;
            if looks && self.look(force) <= ENOUGH {
                break;
            }
        }
        self.effort.sweeps += sweeps;
        self.look(force);
    }

    /// Multiplications of a sweep, and what a contact costs besides.
    fn sweep_work(&self) -> f64 {
        (9 * self.scaled.block_count() + 100 * self.scale.len()) as f64 + 1.0
    }

    /// Newton on the problem around `center`; whether it arrived.
    fn inner(&mut self, center: &[f64], shift: f64) -> (Vec<f64>, bool) {
        let mut newton = Newton::new(self.scaled, center, shift);
        let end = newton.solve(center.to_vec());
        self.effort.steps += newton.steps;
        self.work += newton.work;
        end
    }

    fn into_solution(self) -> MatrixSolution {
        let force = unscaled(&self.best.0, self.scale);
        let certificate = judge_matrix(self.problem, &force);
        MatrixSolution { force, certificate, by: None, effort: self.effort }
    }
}

//! Gauss–Seidel over contacts: each in turn is solved exactly, the others held.
//!
//! Simple, robust, quick to get near, slow to get through: on redundant contacts
//! the error falls by a constant factor a sweep, close to one. [`Proximal`](crate::proximal::Proximal)
//! begins with it.
//!
//! # Where to start reading
//!
//! [`GaussSeidel::solve`](MatrixSolver::solve) is the loop, `Sweeps::sweep` one
//! sweep, `gauss_seidel/local.rs` one contact. `gauss_seidel/bodies.rs` is the same
//! for problems with bodies.
//!
//! # Reference
//!
//! M. Jean. *The non-smooth contact dynamics method.* CMAME 177 (1999), 235–257.

mod bodies;
pub(crate) mod local;

pub(crate) use bodies::BodySweeps;

use crate::matrix_solver::{ENOUGH, MatrixEffort, MatrixSolution, MatrixSolver};
use crate::work::Work;
use local::Block;
use stiction_contact::MatrixProblem;
use stiction_contact::judge::judge_matrix;

/// Sweeps between two looks of the judge, who costs about as much as five.
const SWEEPS_PER_LOOK: usize = 20;

/// Units of work of a block in a sweep: its products.
const BLOCK_WORK: f64 = 20.0;

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

impl MatrixSolver for GaussSeidel {
    fn name(&self) -> &'static str {
        "gauss-seidel"
    }

    fn solve_within(&self, problem: &MatrixProblem, work: &mut Work) -> MatrixSolution {
        let (scaled, scale) = problem.scaled();
        let sweeps = Sweeps::new(&scaled);
        let mut force = vec![0.0; problem.len()];
        let mut effort = MatrixEffort::default();
        loop {
            let physical = unscaled(&force, &scale);
            work.charge_matrix_look(problem);
            let certificate = judge_matrix(problem, &physical);
            let done = certificate.relative <= ENOUGH || effort.sweeps >= self.limit;
            if done || work.is_spent() {
                return MatrixSolution { force: physical, certificate, by: None, effort };
            }
            // Often at first: small problems need a few sweeps only.
            let count = effort.sweeps.clamp(1, SWEEPS_PER_LOOK);
            (0..count).for_each(|_| sweeps.sweep(&mut force, work));
            effort.sweeps += count;
        }
    }
}

/// Forces of a scaled problem in the units of the first one.
pub(crate) fn unscaled(force: &[f64], scale: &[f64]) -> Vec<f64> {
    let d = force.len() / scale.len().max(1);
    force.iter().enumerate().map(|(k, f)| f * scale[k / d]).collect()
}

/// Sweeps over all contacts.
pub(crate) struct Sweeps<'a> {
    problem: &'a MatrixProblem,
    own: Vec<Block>,
}

impl<'a> Sweeps<'a> {
    pub(crate) fn new(problem: &'a MatrixProblem) -> Self {
        let d = problem.dimension();
        let block = |i: usize| Block::new(problem.own_block(i), problem.friction()[i], d);
        Sweeps { problem, own: (0..problem.contacts()).map(block).collect() }
    }

    /// One sweep.
    pub(crate) fn sweep(&self, force: &mut [f64], work: &mut Work) {
        work.charge(BLOCK_WORK * self.problem.block_count() as f64);
        let d = self.problem.dimension();
        for (i, own) in self.own.iter().enumerate() {
            let mut bias = [0.0; 3];
            bias[..d].copy_from_slice(&self.problem.q()[i * d..(i + 1) * d]);
            for (j, block) in self.problem.block_row(i).filter(|(j, _)| *j != i) {
                let r = &force[j * d..(j + 1) * d];
                for (b, row) in bias.iter_mut().zip(block.chunks_exact(d)) {
                    *b += row.iter().zip(r).map(|(w, r)| w * r).sum::<f64>();
                }
            }
            let mut r = [0.0; 3];
            r[..d].copy_from_slice(&force[i * d..(i + 1) * d]);
            let r = own.solve(bias, r, work);
            force[i * d..(i + 1) * d].copy_from_slice(&r[..d]);
        }
    }
}

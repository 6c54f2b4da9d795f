//! A problem as methods of Newton's kind see it: a map from forces to responses
//! and one linear system.
//!
//! ```text
//!   u = W λ + q            responses of all rows to all forces
//!   (I + D W) x = h        D: one small block per element
//! ```
//!
//! An *element* is a contact with its one to three rows, or a bilateral or bounded
//! row; its law couples its own forces and responses only. With bodies `W = J Jᵀ` is
//! never formed and the system is solved among the bodies (`space/bodies.rs`):
//!
//! ```text
//!   (I + D J Jᵀ)⁻¹ = I − D J (I + Jᵀ D J)⁻¹ Jᵀ
//! ```
//!
//! A thousand contacts of one pair of bodies are one block there. A bare matrix is
//! solved as it is (`space/matrix.rs`). Both are `W = R C`: forces `λ` make a motion `C λ`, of
//! which rows feel `R C λ`. The motion of a bare matrix is the forces themselves: `C = 1`, `R = W`.

mod bodies;
mod matrix;
mod through;

pub(crate) use bodies::{BodySpace, FactorCache, MOTIONS};
pub(crate) use matrix::MatrixSpace;
pub(crate) use through::{Iterated, Iterative};

use crate::work::Work;
pub(crate) use stiction_contact::cone::Block;
use stiction_contact::cone::{project, project_with_slope};

/// Part of the problem with a law of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Element {
    /// Its first row.
    pub at: usize,
    /// Rows: a contact has its normal first.
    pub rows: usize,
    pub law: Law,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Law {
    /// Coulomb's, with this coefficient; of no account with one row only.
    Contact { friction: f64 },
    /// No response, whatever the force.
    Bilateral,
    /// No response while the force is within these bounds.
    Bounded { lower: f64, upper: f64 },
}

impl Element {
    /// The values of its rows, zeros behind.
    #[inline]
    pub(crate) fn of(&self, values: &[f64]) -> [f64; 3] {
        match values[self.at..self.at + self.rows] {
            [n] => [n, 0.0, 0.0],
            [n, x] => [n, x, 0.0],
            [n, x, y] => [n, x, y],
            _ => [0.0; 3],
        }
    }

    /// Writes the values of its rows.
    #[inline]
    pub(crate) fn set(&self, values: &mut [f64], own: [f64; 3]) {
        let rows = &mut values[self.at..self.at + self.rows];
        rows.iter_mut().zip(own).for_each(|(value, own)| *value = own);
    }

    /// The lawful force next to a force less its response: `P(λ − û)`,
    /// `û = u + μ|u_t| n`. A force that obeys the law is its own.
    #[inline]
    pub(crate) fn lawful(&self, force: [f64; 3], response: [f64; 3]) -> [f64; 3] {
        let [n, x, y] = along(force, response, -1.0);
        self.nearest([n - self.friction() * length(response[1], response[2]), x, y])
    }

    /// The friction coefficient of a contact.
    #[inline]
    pub(crate) fn friction(&self) -> f64 {
        match self.law {
            Law::Contact { friction } => friction,
            _ => 0.0,
        }
    }

    /// The nearest force that a contact of this kind may have at all.
    #[inline]
    pub(crate) fn nearest(&self, [n, x, y]: [f64; 3]) -> [f64; 3] {
        match self.law {
            Law::Bilateral => [n, 0.0, 0.0],
            Law::Bounded { lower, upper } => [n.clamp(lower, upper), 0.0, 0.0],
            Law::Contact { friction } => project(friction, [n, x, y]),
        }
    }

    /// The same, and how it changes with the force it is nearest to.
    #[inline]
    pub(crate) fn nearest_with_slope(&self, [n, x, y]: [f64; 3]) -> ([f64; 3], Block) {
        match self.law {
            Law::Bilateral => ([n, 0.0, 0.0], UNIT),
            Law::Bounded { lower, upper } => {
                let within = n.clamp(lower, upper);
                ([within, 0.0, 0.0], if within == n { UNIT } else { NONE })
            }
            Law::Contact { friction } => project_with_slope(friction, [n, x, y]),
        }
    }

    /// How far a force and its response are from the law: the natural map
    /// `λ − P(λ − û)`.
    fn natural_map(&self, force: [f64; 3], response: [f64; 3]) -> f64 {
        let [n, x, y] = self.lawful(force, response);
        let [n, x, y] = along(force, [n, x, y], -1.0);
        (n * n + x * x + y * y).sqrt()
    }
}

/// Of a tangent vector in scaled units: `hypot` guards against overflow, at five times the cost.
#[inline]
pub(crate) fn length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// The largest natural map over all elements.
pub(crate) fn residual(elements: &[Element], force: &[f64], response: &[f64]) -> f64 {
    let of = |e: &Element| e.natural_map(e.of(force), e.of(response));
    elements.iter().map(of).fold(0.0, f64::max)
}

/// What forces are worth, and when that is enough.
#[derive(Clone, Copy)]
pub(crate) struct Goal<'a> {
    pub look: &'a dyn Fn(&[f64]) -> f64,
    pub enough: f64,
    /// Units of work of a look.
    pub look_work: f64,
    /// Residual of the scaled rows from which on a look is worth its cost.
    pub near: f64,
}

/// What a problem offers. Rows are scaled so that the largest own response of an
/// element is about one, and free motions are at most one.
pub(crate) trait Space {
    fn elements(&self) -> &[Element];

    /// Number of rows.
    fn len(&self) -> usize;

    /// `u = W λ + q`
    fn response(&self, force: &[f64], response: &mut [f64]);

    /// `W x`: what responses change by when forces change by `x`.
    fn change(&self, x: &[f64], change: &mut [f64]);

    /// Numbers of a motion.
    fn motions(&self) -> usize;

    /// `C λ`: the motion that forces make.
    fn push(&self, force: &[f64], motion: &mut [f64]);

    /// `R v`: what the rows feel of a motion.
    fn feel(&self, motion: &[f64], felt: &mut [f64]);

    /// `u = W λ + q` computed with twice the digits and rounded once.
    fn exact_response(&self, force: &[f64], response: &mut [f64]);

    /// Prepares systems with these blocks; `false` if that fails.
    fn factor(&mut self, d: &[Block]) -> bool;

    /// The same with `D = s` everywhere.
    fn factor_uniform(&mut self, s: f64) -> bool {
        self.factor(&vec![scaled(&UNIT, s); self.elements().len()])
    }

    /// Factorisations so far.
    fn factored(&self) -> usize;

    /// Solves `(I + D W) x = h` in place, with the blocks prepared.
    fn solve(&mut self, x: &mut [f64]);

    /// Solves `(I + C D R) v = h` in place, with the blocks prepared.
    fn solve_motion(&mut self, motion: &mut [f64]);

    /// Whether the rows come from bodies.
    fn has_bodies(&self) -> bool;

    /// Gauss–Seidel sweeps over all elements.
    fn sweep(&self, force: &mut [f64], sweeps: usize, work: &mut Work);

    /// Multiplications of a factorisation, of a sweep.
    fn work(&self) -> [f64; 2];

    /// Multiplications of a Newton step, as if all were those of a sweep: a factorisation, by
    /// dense kernels that are several times as fast, and all elements a few times.
    fn step_work(&self) -> f64 {
        let [factor, sweep] = self.work();
        QUICK * factor + LOCAL * sweep
    }

    /// Units of work of one solution with the blocks prepared, and of one response.
    fn solve_work(&self) -> f64 {
        STEP_WORK + 4.0 * self.fill() as f64 + ELEMENT_WORK / 4.0 * self.elements().len() as f64
    }

    /// Numbers in the factor.
    fn fill(&self) -> usize;

    /// Counts a plain Newton step: one factorisation, one solution.
    fn charge_newton(&self, work: &mut Work) {
        let elements = NEWTON_ELEMENT_WORK * self.elements().len() as f64;
        work.charge(STEP_WORK + elements + QUICK * self.work()[0]);
    }

    /// Counts a step with several solutions, as along a central path.
    fn charge_step(&self, work: &mut Work) {
        work.charge(STEP_WORK + ELEMENT_WORK * self.elements().len() as f64 + self.step_work());
    }
}

/// Units of work of a plain Newton step per element.
const NEWTON_ELEMENT_WORK: f64 = 350.0;

/// Units of work of a Newton step that its multiplications do not say: once, and per element.
const STEP_WORK: f64 = 3000.0;
const ELEMENT_WORK: f64 = 1000.0;

/// Work of a factorisation in units of a sweep's multiplications.
pub(crate) const QUICK: f64 = 0.075;

/// Work on all elements in a step along a path, in sweeps.
pub(crate) const LOCAL: f64 = 3.0;

pub(crate) const UNIT: Block = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// `x + s y`
#[inline]
pub(crate) fn along(x: [f64; 3], y: [f64; 3], s: f64) -> [f64; 3] {
    [x[0] + s * y[0], x[1] + s * y[1], x[2] + s * y[2]]
}

pub(crate) const NONE: Block = [[0.0; 3]; 3];

/// `c x xᵀ`
pub(crate) fn outer(x: [f64; 3], c: f64) -> Block {
    x.map(|a| x.map(|b| c * a * b))
}

/// `s A`
pub(crate) fn scaled(a: &Block, s: f64) -> Block {
    a.map(|row| row.map(|x| s * x))
}

/// `A x`
#[inline]
pub(crate) fn times(a: &Block, x: [f64; 3]) -> [f64; 3] {
    let [n, t, s] = a;
    let row = |a: &[f64; 3]| a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
    [row(n), row(t), row(s)]
}

/// `A B`
pub(crate) fn product(a: &Block, b: &Block) -> Block {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

/// By cofactors; not finite if there is none.
pub(crate) fn inverse(a: &Block) -> Block {
    let minor = |i: usize, j: usize| {
        let (p, q) = ((i + 1) % 3, (i + 2) % 3);
        let (r, s) = ((j + 1) % 3, (j + 2) % 3);
        a[p][r] * a[q][s] - a[p][s] * a[q][r]
    };
    let determinant: f64 = (0..3).map(|j| a[0][j] * minor(0, j)).sum();
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| minor(j, i) / determinant))
}

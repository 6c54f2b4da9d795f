//! The linear and quadratic programs \[B89, §5.3\].
//!
//! The unknowns are the forces `f` and, to keep the matrix sparse and well conditioned, the
//! mass-scaled motion `w` that they cause:
//!
//! ```text
//!   w = Jᵀ f,      a = J w + b
//!
//!   held        a = 0,  f ≥ 0        either   a ≥ 0,  f ≥ 0
//!   vanishing   a ≥ 0,  f = 0        joint    a = e,  f of any sign,  e = 0 or small
//! ```
//!
//! # Departures from the paper
//!
//! - `A = J Jᵀ` is not formed: with a heavy body on a light one it would lose the significant
//!   digits.
//! - An interior point method replaces the simplex method. It handles degenerate programs,
//!   which stacks of bricks give rise to, and ends in the interior of the set of optima instead
//!   of at a vertex: a variable that is positive in some optimum is positive in this one.

use crate::convex::{Ended, Entries, Program};
use crate::rows::Rows;

/// Degrees of freedom of one body.
const MOTION: usize = 6;

/// The condition imposed on one contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// It does not separate.
    Held,
    /// It separates, without force.
    Vanishing,
    /// It may do either; force and separation do not exclude each other.
    Either,
}

/// The quantity that a program minimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// The sum of the contact forces (22).
    LeastSum,
    /// The sum of the residual responses at bilateral rows (37).
    OneNorm,
    /// The sum of their squares.
    LeastSquares,
}

/// How a program ended.
pub(super) enum End {
    /// Scaled forces of all rows.
    Found { force: Vec<f64>, iterations: usize },
    /// Infeasible; the contact that contributes most to the proof.
    Infeasible { contact: usize, iterations: usize },
    /// The interior point method failed.
    Failed { iterations: usize },
}

/// A program under construction, as `G x + s = h` with `s = 0` in the first rows and `s ≥ 0` in
/// the others.
#[derive(Default)]
struct ProgramBuilder {
    left: Entries,
    right: Vec<f64>,
}

impl ProgramBuilder {
    /// One more line of `G` and `h`.
    fn line(&mut self, entries: impl Iterator<Item = (usize, f64)>, right: f64) {
        for (column, value) in entries {
            self.left.add(self.right.len(), column, value);
        }
        self.right.push(right);
    }
}

/// The order of the unknowns: forces, motion, then two slacks per bilateral row if these may be
/// violated.
struct Layout<'a> {
    rows: &'a Rows,
    sides: &'a [Side],
    soft: bool,
}

impl Layout<'_> {
    /// First unknown of the motion.
    fn motion(&self) -> usize {
        self.rows.len()
    }

    /// First slack.
    fn slacks(&self) -> usize {
        self.motion() + MOTION * (self.rows.body_count - 1)
    }

    /// The two slacks of a bilateral row, up and down.
    fn slack(&self, row: usize) -> [usize; 2] {
        let up = self.slacks() + 2 * (row - self.rows.bilateral);
        [up, up + 1]
    }

    fn columns(&self) -> usize {
        let soft = if self.soft { self.rows.len() - self.rows.bilateral } else { 0 };
        self.slacks() + 2 * soft
    }

    /// Contacts with these conditions.
    fn contacts(&self, on: impl Fn(Side) -> bool) -> Vec<usize> {
        (0..self.sides.len()).filter(|&i| on(self.sides[i])).collect()
    }

    /// A row of `J`, times a sign; the last body is fixed.
    fn response(&self, row: usize, sign: f64) -> impl Iterator<Item = (usize, f64)> {
        let still = self.rows.body_count - 1;
        let motion = self.motion();
        let sides = self.rows.bodies[row].into_iter().zip(self.rows.row[row]);
        sides.filter(move |(body, _)| (*body as usize) < still).flat_map(move |(body, effect)| {
            let first = motion + MOTION * body as usize;
            (0..MOTION).map(move |k| (first + k, sign * effect[k]))
        })
    }

    /// All equations: the motion caused by the forces, vanishing forces, held rows.
    fn equalities(&self, builder: &mut ProgramBuilder) {
        let mut caused = vec![Vec::new(); self.slacks() - self.motion()];
        for r in 0..self.rows.len() {
            for (column, value) in self.response(r, -1.0) {
                caused[column - self.motion()].push((r, value));
            }
        }
        for (k, effects) in caused.into_iter().enumerate() {
            builder.line(effects.into_iter().chain([(self.motion() + k, 1.0)]), 0.0);
        }
        for i in self.contacts(|side| side == Side::Vanishing) {
            builder.line([(i, 1.0)].into_iter(), 0.0);
        }
        for r in self.contacts(|side| side == Side::Held) {
            builder.line(self.response(r, 1.0), -self.rows.bias[r]);
        }
        for r in self.rows.bilateral..self.rows.len() {
            let left = self.soft.then(|| self.slack(r).into_iter().zip([-1.0, 1.0]));
            let response = self.response(r, 1.0).chain(left.into_iter().flatten());
            builder.line(response, -self.rows.bias[r]);
        }
    }

    /// All inequalities, with those of the contacts that may separate last.
    fn inequalities(&self, builder: &mut ProgramBuilder) {
        let pushing = self.contacts(|side| side != Side::Vanishing);
        for column in pushing.into_iter().chain(self.slacks()..self.columns()) {
            builder.line([(column, -1.0)].into_iter(), 0.0);
        }
        for i in self.contacts(|side| side != Side::Held) {
            builder.line(self.response(i, -1.0), self.rows.bias[i]);
        }
    }

    /// What is made small: `½ xᵀ P x + qᵀ x`.
    fn objective(&self, aim: Aim) -> (Entries, Vec<f64>) {
        let (n, count) = (self.rows.bilateral, self.rows.len());
        let mut linear = vec![0.0; self.columns()];
        let mut square = Entries::default();
        if aim == Aim::LeastSum {
            linear[..n].copy_from_slice(&weights(self.rows, 0..n));
        } else {
            for (r, weight) in (n..count).zip(weights(self.rows, n..count)) {
                for k in self.slack(r) {
                    if aim == Aim::OneNorm {
                        linear[k] = weight;
                    } else {
                        square.add(k, k, weight * weight);
                    }
                }
            }
        }
        (square, linear)
    }
}

/// Solves the program with these conditions of the contacts.
pub(super) fn solve(rows: &Rows, sides: &[Side], aim: Aim) -> End {
    let layout = Layout { rows, sides, soft: aim != Aim::LeastSum };
    let mut builder = ProgramBuilder::default();
    layout.equalities(&mut builder);
    let equalities = builder.right.len();
    layout.inequalities(&mut builder);
    let lines = builder.right.len();
    let (quadratic, linear) = layout.objective(aim);
    let ProgramBuilder { left, right } = builder;
    let program = Program { quadratic, linear, left, right, equalities };
    let Some(minimum) = program.solve() else { return End::Failed { iterations: 0 } };
    let iterations = minimum.iterations;
    match minimum.ended {
        Ended::Infeasible => {
            // The multipliers prove it: forces that move nothing and still should.
            let parting = layout.contacts(|side| side != Side::Held);
            let blame = &minimum.multipliers[lines - parting.len()..];
            let worst = (0..parting.len()).max_by(|&j, &k| blame[j].total_cmp(&blame[k]));
            End::Infeasible { contact: worst.map_or(0, |k| parting[k]), iterations }
        }
        _ if minimum.x.iter().all(|x| x.is_finite()) => {
            End::Found { force: minimum.x[..rows.len()].to_vec(), iterations }
        }
        _ => End::Failed { iterations },
    }
}

/// The weight of one scaled unit of each row: physical forces of contacts, physical responses
/// of bilateral rows, with the largest scaled to one.
fn weights(rows: &Rows, which: std::ops::Range<usize>) -> Vec<f64> {
    let physical = rows.physical(&vec![1.0; rows.len()]);
    let weight = |r: usize| match physical.contacts.get(r) {
        Some(force) => force.normal,
        None => rows.physical_response(r, 1.0),
    };
    let weights: Vec<f64> = which.map(weight).collect();
    let largest = weights.iter().copied().fold(0.0, f64::max);
    weights.iter().map(|w| w / largest).collect()
}

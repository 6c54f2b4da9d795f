//! The quadratic program of static friction with known signs \[B91, eq. 16–19\].
//!
//! Each normal force `f` and each friction force, as its distance `h` from the
//! limit, is an unknown; with `s` the sign of the friction `f_t`,
//!
//! ```text
//!   h = μ f − s f_t                  z = (f, h) ≥ 0,     h ≤ μ f        (16), (17)
//!   w = (a, −s a_t) = M z + q ≥ 0,                        zᵀ w = 0       (17), (18), (19)
//! ```
//!
//! so the program is: minimise `zᵀ (M z + q)` under these linear constraints. Its value is zero
//! exactly at a solution.
//!
//! # Departures from the paper
//!
//! - `M` is not positive semidefinite, but the solver used is for convex programs. The concave
//!   part of the value is replaced by its tangent at the last point and the convex program is
//!   solved, repeatedly: the value decreases each time.
//! - In 3D, `f_y²` on the second axis of each frame is added with a small weight: the frames
//!   are oriented so that it should vanish, and redundant contacts leave a choice.
//! - The last point determines which of `z` and `w` is zero, and the remaining equations are
//!   solved once more for full precision.

use super::bilateral::Reduced;
use crate::convex::{self, Ended, Entries};
use crate::linalg::minimum_norm;
use crate::rows::Rows;
use crate::settings::REDUNDANT;
use faer::{Mat, Side};

/// Most convex programs in a row.
const STEPS: usize = 12;

/// Value of the program, in units of the free motion, that counts as zero. The interior point
/// method stops near its square root.
const SOLVED: f64 = 1e-14;

/// The iteration continues while the value falls by at least this factor.
const FALLS: f64 = 0.9;

/// Weight of `f_y²` on the second axis of each frame: enough to choose among
/// solutions, too little to leave them.
const ACROSS: f64 = 1e-3;

/// The program for one guess of the signs.
pub(super) struct Program {
    m: Mat<f64>,
    q: Mat<f64>,
    /// The limit of a friction row's force; `None` for a normal row.
    friction: Vec<Option<Limit>>,
    reduced: Reduced,
}

/// A friction force: bounded by `coefficient` times the force of the row `normal`, with this
/// guessed sign.
#[derive(Clone, Copy)]
struct Limit {
    normal: usize,
    coefficient: f64,
    sign: f64,
    /// Whether it acts along the second axis, where friction should vanish.
    is_across: bool,
}

/// Forces of all rows, and the value of the program.
pub(super) struct ProgramEnd {
    pub force: Vec<f64>,
    pub iterations: usize,
}

impl Program {
    /// The signs are those of friction minus slip: the direction in which the force is
    /// changing.
    pub(super) fn new(rows: &Rows, reduced: Reduced, guess: &[f64]) -> Self {
        let n = rows.bilateral;
        let response = rows.response(guess);
        let mut friction = vec![None; n];
        for contact in &rows.contacts {
            for k in 0..contact.tangents {
                let r = contact.normal + 1 + k;
                let sign = if guess[r] - response[r] < 0.0 { -1.0 } else { 1.0 };
                let (normal, coefficient) = (contact.normal, contact.friction);
                let is_across = k > 0;
                friction[r] = Some(Limit { normal, coefficient, sign, is_across });
            }
        }
        let sign = |i: usize| friction[i].map_or(1.0, |limit: Limit| -limit.sign);
        let a = Mat::from_fn(n, n, |i, j| sign(i) * reduced.a[i * n + j]);
        // Columns by z: a friction row's own, and its share of the normal force.
        let mut m = Mat::from_fn(n, n, |i, j| sign(j) * a[(i, j)]);
        for (r, limit) in friction.iter().enumerate() {
            let Some(limit) = limit else { continue };
            for i in 0..n {
                m[(i, limit.normal)] += limit.coefficient * limit.sign * a[(i, r)];
            }
        }
        let q = Mat::from_fn(n, 1, |i, _| sign(i) * reduced.b[i]);
        Program { m, q, friction, reduced }
    }

    /// From a guess of all forces to a solution of the program; `None` if it has no feasible
    /// point.
    pub(super) fn solve(&self, rows: &Rows, guess: &[f64]) -> Option<ProgramEnd> {
        let mut z = self.unknowns(guess);
        let mut iterations = 0;
        if z.nrows() > 0 {
            let (convex, concave) = self.parts()?;
            let mut value = f64::INFINITY;
            for _ in 0..STEPS {
                let (next, spent) = self.convex_step(&convex, &concave, &z)?;
                iterations += spent;
                let last = value;
                value = self.value(&next);
                z = next;
                if value <= SOLVED || value > FALLS * last {
                    break;
                }
            }
            z = self.polish(z);
        }
        let force = self.reduced.complete(rows, &self.forces(&z), true);
        Some(ProgramEnd { force, iterations })
    }

    /// Row forces as `z`, clipped to their bounds.
    fn unknowns(&self, force: &[f64]) -> Mat<f64> {
        Mat::from_fn(self.m.nrows(), 1, |r, _| match self.friction[r] {
            None => force[r].max(0.0),
            Some(limit) => {
                (limit.coefficient * force[limit.normal] - limit.sign * force[r]).max(0.0)
            }
        })
    }

    /// `z` as row forces.
    fn forces(&self, z: &Mat<f64>) -> Vec<f64> {
        let force = |r: usize| match self.friction[r] {
            None => z[(r, 0)],
            Some(limit) => limit.sign * (limit.coefficient * z[(limit.normal, 0)] - z[(r, 0)]),
        };
        (0..z.nrows()).map(force).collect()
    }

    fn w(&self, z: &Mat<f64>) -> Mat<f64> {
        &self.m * z + &self.q
    }

    fn value(&self, z: &Mat<f64>) -> f64 {
        (z.transpose() * self.w(z))[(0, 0)]
    }

    /// The symmetric part of `M` as a difference of two semidefinite matrices.
    fn parts(&self) -> Option<(Mat<f64>, Mat<f64>)> {
        let n = self.m.nrows();
        let symmetric = Mat::from_fn(n, n, |i, j| 0.5 * (self.m[(i, j)] + self.m[(j, i)]));
        let eigen = symmetric.self_adjoint_eigen(Side::Lower).ok()?;
        let (u, values) = (eigen.U(), eigen.S().column_vector());
        let part = |sign: f64| {
            let weighted = Mat::from_fn(n, n, |i, k| u[(i, k)] * (sign * values[k]).max(0.0));
            weighted * u.transpose()
        };
        let mut convex = part(1.0);
        // f_y² = (μ f − h)²
        for (r, limit) in self.friction.iter().enumerate() {
            let Some(Limit { normal, coefficient, .. }) = limit.filter(|l| l.is_across) else {
                continue;
            };
            convex[(r, r)] += ACROSS;
            convex[(normal, normal)] += ACROSS * coefficient * coefficient;
            convex[(normal, r)] -= ACROSS * coefficient;
            convex[(r, normal)] -= ACROSS * coefficient;
        }
        Some((convex, part(-1.0)))
    }

    /// `min zᵀ Q⁺ z + (q − 2 Q⁻ z₀)ᵀ z` under the constraints, and the number of iterations.
    fn convex_step(
        &self,
        convex: &Mat<f64>,
        concave: &Mat<f64>,
        from: &Mat<f64>,
    ) -> Option<(Mat<f64>, usize)> {
        let n = self.m.nrows();
        let (mut quadratic, mut left) = (Entries::default(), Entries::default());
        for i in 0..n {
            for j in 0..n {
                if j >= i {
                    quadratic.add(i, j, 2.0 * convex[(i, j)]);
                }
                left.add(n + i, j, -self.m[(i, j)]);
            }
            left.add(i, i, -1.0);
        }
        let tangent = concave * from;
        let linear = (0..n).map(|i| self.q[(i, 0)] - 2.0 * tangent[(i, 0)]).collect();
        // Each row of `left` times z is at most its limit on the right.
        let mut right = vec![0.0; n];
        right.extend((0..n).map(|i| self.q[(i, 0)]));
        for (r, limit) in self.friction.iter().enumerate() {
            let Some(limit) = limit else { continue };
            left.add(right.len(), r, 1.0);
            let times = if limit.is_across { 2.0 } else { 1.0 };
            left.add(right.len(), limit.normal, -limit.coefficient * times);
            right.push(0.0);
        }
        let program = convex::Program { quadratic, linear, left, right, equalities: 0 };
        let minimum = program.solve()?;
        let usable = minimum.ended == Ended::Somewhere && minimum.x.iter().all(|x| x.is_finite());
        let z = Mat::from_fn(n, 1, |i, _| minimum.x[i].max(0.0));
        usable.then_some((z, minimum.iterations))
    }

    /// Takes the larger of each `z` and `w` as the nonzero one and solves `w = 0` for those
    /// `z`; keeps the better of both points.
    fn polish(&self, z: Mat<f64>) -> Mat<f64> {
        let w = self.w(&z);
        let free: Vec<usize> = (0..z.nrows()).filter(|&i| z[(i, 0)] > w[(i, 0)]).collect();
        let mut polished = Mat::zeros(z.nrows(), 1);
        for &i in &free {
            polished[(i, 0)] = z[(i, 0)];
        }
        let block = Mat::from_fn(free.len(), free.len(), |i, j| self.m[(free[i], free[j])]);
        for _ in 0..2 {
            let w = self.w(&polished);
            let off = Mat::from_fn(free.len(), 1, |i, _| w[(free[i], 0)]);
            let step = minimum_norm(block.as_ref(), off.as_ref(), REDUNDANT);
            for (k, &i) in free.iter().enumerate() {
                polished[(i, 0)] -= step[(k, 0)];
            }
        }
        if self.natural_map(&polished) < self.natural_map(&z) { polished } else { z }
    }

    /// `max |min(z, w)|`
    fn natural_map(&self, z: &Mat<f64>) -> f64 {
        let w = self.w(z);
        (0..z.nrows()).map(|i| z[(i, 0)].min(w[(i, 0)]).abs()).fold(0.0, f64::max)
    }
}

//! Lemke's algorithm for linear complementarity problems.
//!
//! ```text
//!   w = M z + q,   w ≥ 0,   z ≥ 0,   wᵀ z = 0
//! ```
//!
//! A covering variable `z₀` with covering vector `c > 0` makes the start
//! feasible, `w = M z + q + c z₀`. From there one variable after the other is
//! exchanged: the complement of the one that left last is driven up until
//! another reaches zero. When `z₀` itself reaches zero, the problem is solved;
//! when nothing blocks the driving variable, the path ends in a *ray*.
//!
//! # Where to start reading
//!
//! [`solve_lcp`] tries covering vectors in turn, `Basis::follow` is one path.
//!
//! # How it differs from a textbook tableau
//!
//! - Revised: only the inverse of the basis is kept and updated, O(n²) a pivot,
//!   and rebuilt from scratch when its residual asks for it.
//! - Ties are broken lexicographically, by the rows of that same inverse: bases
//!   do not repeat, except by rounding.
//! - Exponential paths exist for `c = (1, …, 1)` (Fathi, Murty). After a bounded
//!   number of pivots the search starts again with other covering vectors, which
//!   those examples do not anticipate, and the answer says so.
//! - Up to five hundred unknowns a plain dense tableau is tried first, which
//!   costs less per pivot; the judge decides whether it will do.
//! - A solution is polished by solving its own equations again.
//!
//! # Reference
//!
//! R. W. Cottle, J.-S. Pang, R. E. Stone. *The Linear Complementarity Problem.*
//! Academic Press 1992, chapter 4.

mod basis;
mod tableau;

use crate::work::Work;
use basis::{Basis, End};
use serde::Serialize;

/// `w = M z + q` with `M` given by rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Lcp {
    n: usize,
    m: Vec<f64>,
    q: Vec<f64>,
}

/// Why a matrix and a vector are no problem.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum LcpError {
    /// The matrix is not square, or the vector does not fit it.
    #[error("M has {entries} entries and q has {n}: M must be {n} × {n}")]
    Shape { entries: usize, n: usize },
    /// A NaN or an infinity.
    #[error("{name} is {value}, must be finite")]
    NotFinite { name: String, value: f64 },
}

impl Lcp {
    /// Checks and keeps a matrix (by rows) and a vector.
    ///
    /// # Errors
    ///
    /// [`LcpError`] if the sizes do not fit or a number is not finite.
    pub fn new(m: Vec<f64>, q: Vec<f64>) -> Result<Self, LcpError> {
        let n = q.len();
        if m.len() != n * n {
            return Err(LcpError::Shape { entries: m.len(), n });
        }
        if let Some(k) = m.iter().position(|x| !x.is_finite()) {
            let name = format!("M[{}][{}]", k / n, k % n);
            return Err(LcpError::NotFinite { name, value: m[k] });
        }
        if let Some(k) = q.iter().position(|x| !x.is_finite()) {
            return Err(LcpError::NotFinite { name: format!("q[{k}]"), value: q[k] });
        }
        Ok(Lcp { n, m, q })
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// One row of `M`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.m[i * self.n..(i + 1) * self.n]
    }

    /// The vector `q`.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// `w = M z + q`
    pub fn w(&self, z: &[f64]) -> Vec<f64> {
        let dot = |row: &[f64]| row.iter().zip(z).map(|(m, z)| m * z).sum::<f64>();
        (0..self.n).map(|i| dot(self.row(i)) + self.q[i]).collect()
    }

    /// What an answer is worth: any answer, from anywhere.
    pub fn judge(&self, z: &[f64]) -> LcpCertificate {
        let w = self.w(z);
        let least = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(-x));
        let natural = z.iter().zip(&w).map(|(z, w)| z.min(*w).abs()).fold(0.0, f64::max);
        let size = self.q.iter().fold(0.0_f64, |m, q| m.max(q.abs()));
        let relative = if natural == 0.0 { 0.0 } else { natural / size };
        LcpCertificate {
            certified: relative <= LCP_CERTIFIED && z.len() == self.n,
            natural_map: natural,
            relative,
            negative_z: least(z),
            negative_w: least(&w),
            product: z.iter().zip(&w).map(|(z, w)| (z * w).abs()).fold(0.0, f64::max),
        }
    }
}

/// Largest natural map, relative to `max |q|`, of an answer called certified.
pub const LCP_CERTIFIED: f64 = 1e-9;

/// What an answer to an [`Lcp`] is worth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LcpCertificate {
    /// Whether the natural map is small enough.
    pub certified: bool,
    /// `max |min(z, w)|`
    pub natural_map: f64,
    /// The same relative to `max |q|`.
    pub relative: f64,
    /// Most negative `z`, as a positive number.
    pub negative_z: f64,
    /// Most negative `w`, as a positive number.
    pub negative_w: f64,
    /// Largest `|z w|`.
    pub product: f64,
}

/// An answer to an [`Lcp`].
#[derive(Clone, Debug, PartialEq)]
pub enum LcpOutcome {
    /// A solution, certified or marked as not.
    Solved {
        /// The solution.
        z: Vec<f64>,
        /// What it is worth.
        certificate: LcpCertificate,
        /// Pivots in all.
        pivots: usize,
        /// Covering vectors tried before the one that led here.
        restarts: usize,
    },
    /// Every path ended in a ray: for many classes of `M` a proof that there is
    /// no solution, in general not.
    Ray {
        /// Direction of `z` along one ray.
        direction: Vec<f64>,
        /// Pivots in all.
        pivots: usize,
    },
    /// No path ended within its bound.
    PivotLimit {
        /// Pivots in all.
        pivots: usize,
    },
}

/// Pivots a path may take, per unknown and at least. Ordinary problems take one
/// or two per unknown.
const PATH_PIVOTS: (usize, usize) = (30, 200);

/// Unknowns up to which a plain tableau is tried first.
const SMALL: usize = 500;

/// Covering vectors that are tried for a solution: ones, then random ones between 1 and 2.
const COVERS: u64 = 6;

/// The same for a ray that is wanted, these of sizes over six orders: rays differ more.
const RAY_COVERS: u64 = 60;

/// Solves a linear complementarity problem, within the default budget for its size.
pub fn solve_lcp(lcp: &Lcp) -> LcpOutcome {
    solve_or_ray(lcp, |_| true, &mut Work::for_lcp(lcp.len()))
}

/// The same; where every path ends in a ray, looks for one that is wanted and gives any if it
/// finds none.
pub(crate) fn solve_or_ray(
    lcp: &Lcp,
    wanted: impl Fn(&[f64]) -> bool,
    work: &mut Work,
) -> LcpOutcome {
    let limit = PATH_PIVOTS.0 * lcp.len() + PATH_PIVOTS.1;
    let mut pivots = 0;
    if lcp.len() <= SMALL
        && let Some((z, pivots)) = tableau::solve(lcp, limit, work)
    {
        let certificate = lcp.judge(&z);
        if certificate.certified {
            return LcpOutcome::Solved { z, certificate, pivots, restarts: 0 };
        }
    }
    let mut ray: Option<(Vec<f64>, bool)> = None;
    let mut best: Option<(Vec<f64>, LcpCertificate, usize)> = None;
    for restart in 0..RAY_COVERS {
        let is_settled = best.is_some() || ray.as_ref().is_none_or(|(_, wanted)| *wanted);
        if (restart >= COVERS && is_settled) || work.is_spent() {
            break;
        }
        let mut basis = Basis::new(lcp, cover(lcp.len(), restart));
        let end = basis.follow(limit, work);
        pivots += basis.pivots;
        match end {
            End::Solved => {
                let z = basis.solution();
                let certificate = lcp.judge(&z);
                let restarts = restart as usize;
                if certificate.certified {
                    return LcpOutcome::Solved { z, certificate, pivots, restarts };
                }
                if best.as_ref().is_none_or(|(_, c, _)| certificate.relative < c.relative) {
                    best = Some((z, certificate, restarts));
                }
            }
            End::Ray(direction) => {
                let wanted = wanted(&direction);
                if wanted || ray.is_none() {
                    ray = Some((direction, wanted));
                }
            }
            End::Limit => {}
        }
    }
    match (best, ray) {
        (Some((z, certificate, restarts)), _) => {
            LcpOutcome::Solved { z, certificate, pivots, restarts }
        }
        (None, Some((direction, _))) => LcpOutcome::Ray { direction, pivots },
        (None, None) => LcpOutcome::PivotLimit { pivots },
    }
}

/// Ones first, then seeded numbers between 1 and 2, then over six orders: the same on every
/// machine.
fn cover(n: usize, restart: u64) -> Vec<f64> {
    let mut state = restart.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (z >> 11) as f64 / (1u64 << 53) as f64
    };
    let number = |_| match restart {
        0 => 1.0,
        1..COVERS => 1.0 + next(),
        _ => 10.0_f64.powf(6.0 * (next() - 0.5)),
    };
    (0..n).map(number).collect()
}

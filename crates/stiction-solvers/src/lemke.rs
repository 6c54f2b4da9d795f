//! Lemke's algorithm for linear complementarity problems.
//!
//! ```text
//!   w = M z + q,   w ≥ 0,   z ≥ 0,   wᵀ z = 0
//! ```
//!
//! A covering variable `z₀` with covering vector `c > 0` makes the start feasible,
//! `w = M z + q + c z₀`. From there one variable after the other is exchanged: the complement
//! of the last blocking variable is increased until another reaches zero. When `z₀` itself
//! reaches zero, the problem is solved; when nothing blocks the driving variable, the path
//! ends in a *ray*.
//!
//! # Where to start reading
//!
//! [`solve_lcp`] tries covering vectors in turn, `Basis::follow` is one path.
//!
//! # Differences from a textbook tableau
//!
//! - Revised: only the inverse of the basis is stored and updated, O(n²) per pivot, and rebuilt
//!   from scratch when its residual requires it.
//! - Ties are broken lexicographically, by the rows of the same inverse: bases do not repeat,
//!   except by rounding.
//! - Exponential paths exist for `c = (1, …, 1)` (Fathi, Murty). After a bounded number of
//!   pivots the search restarts with other covering vectors, which those examples do not
//!   anticipate, and the answer reports it.
//! - Up to five hundred unknowns a plain dense tableau is tried first, which costs less per
//!   pivot; the judge decides whether its solution is accepted.
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
use stiction_contact::{Lcp, LcpCertificate};

/// An answer to an [`Lcp`].
#[derive(Clone, Debug, PartialEq)]
pub enum LcpOutcome {
    /// A solution, certified or marked as not.
    Solved {
        /// The solution.
        z: Vec<f64>,
        /// The judge's verdict on it.
        certificate: LcpCertificate,
        /// Total number of pivots.
        pivots: usize,
        /// Covering vectors tried before the one that led here.
        restarts: usize,
    },
    /// Every path ended in a ray: for many classes of `M` a proof that there is no solution,
    /// but not in general.
    Ray {
        /// Direction of `z` along one ray.
        direction: Vec<f64>,
        /// Total number of pivots.
        pivots: usize,
    },
    /// No path ended within its limit.
    PivotLimit {
        /// Total number of pivots.
        pivots: usize,
    },
}

/// Most pivots of a path: per unknown, and at least. Ordinary problems take one or two per
/// unknown.
const PATH_PIVOTS: (usize, usize) = (30, 200);

/// Unknowns up to which a plain tableau is tried first.
const SMALL: usize = 500;

/// Number of covering vectors tried for a solution: ones, then random ones between 1 and 2.
const COVERS: u64 = 6;

/// The same when a particular ray is sought; here entries vary over six orders of magnitude,
/// since rays differ more.
const RAY_COVERS: u64 = 60;

/// Solves a linear complementarity problem, within the default budget for its size.
pub fn solve_lcp(lcp: &Lcp) -> LcpOutcome {
    solve_or_ray(lcp, |_| true, &mut Work::for_lcp(lcp.len()))
}

/// The same; if every path ends in a ray, looks for an acceptable one and returns any if it
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

/// Ones first, then seeded random numbers between 1 and 2, then over six orders of magnitude:
/// the same on every machine.
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

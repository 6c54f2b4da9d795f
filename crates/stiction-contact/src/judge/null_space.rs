//! Forces that act on no body: the null space of the wrenches.
//!
//! Every unknown force is a *column*: its wrench on two bodies, scaled by their masses and to
//! unit length. With all columns in a matrix `A`, forces `x` with `A x = 0` act on no body.
//!
//! With few columns a singular value decomposition gives all of these forces. With many, random
//! forces are projected onto the null space,
//!
//! ```text
//!   x ← x − Aᵀ (A Aᵀ + δ)⁻¹ A x
//! ```
//!
//! with a sparse factor over the bodies. With probability one, a column without a component in
//! a few random null vectors has none in any.

use crate::gallery::Random;
use crate::multifrontal::{Blocks, Factor, Symbolic};
use crate::settings::RANK;
use faer::Mat;

/// Degrees of freedom per body.
const MOTIONS: usize = 6;

/// Up to this number of columns the singular value decomposition is used: its cost is cubic.
const FEW: usize = 600;

/// δ (columns have unit length, so no unit). One projection leaves `δ/(σ² + δ)` of a component
/// with singular value σ. With [`PASSES`], singular values below 1e-6 count as zero, where the
/// decomposition separates down to 1e-8.
const DAMPING: f64 = 1e-14;
/// Number of projections of each random vector.
const PASSES: usize = 4;

/// Pivots of `A Aᵀ + δ` below this belong to a motion that no column drives: such pivots equal
/// δ, or exceed it by the small share that the last body has in that motion.
const SMALL_PIVOT: f64 = 1e-8;

/// Number of random vectors.
const PROBES: usize = 4;

/// Wrenches on the bodies they act on.
pub(super) type Wrench = Vec<(usize, [f64; MOTIONS])>;

/// Forces that act on no body.
pub(super) struct NullSpace {
    /// Dimension of the null space; with many columns, an estimate.
    pub dimension: usize,
    /// An orthonormal basis, or a few random vectors. One number per column each.
    pub vectors: Vec<Vec<f64>>,
}

impl NullSpace {
    /// From columns that need not have unit length but must not be zero.
    pub(super) fn new(columns: &[&Wrench], bodies: usize) -> Self {
        if columns.len() <= FEW {
            NullSpace::dense(columns, bodies)
        } else {
            NullSpace::sparse(columns, bodies)
        }
    }

    fn dense(columns: &[&Wrench], bodies: usize) -> Self {
        let n = columns.len();
        if n == 0 {
            return NullSpace { dimension: 0, vectors: Vec::new() };
        }
        // Zero rows below make the matrix square, so that all right singular vectors are
        // computed.
        let mut matrix = Mat::<f64>::zeros((MOTIONS * bodies).max(n), n);
        for (j, wrench) in columns.iter().enumerate() {
            for (body, on) in *wrench {
                for (k, x) in on.iter().enumerate() {
                    matrix[(MOTIONS * body + k, j)] += x / length(wrench);
                }
            }
        }
        let Ok(svd) = matrix.svd() else {
            // If the decomposition fails, nothing is proved unique.
            let unit = |j: usize| (0..n).map(|i| if i == j { 1.0 } else { 0.0 }).collect();
            return NullSpace { dimension: n, vectors: (0..n).map(unit).collect() };
        };
        let sizes = svd.S().column_vector();
        let first = (0..n).find(|&k| sizes[k] <= RANK * sizes[0]).unwrap_or(n);
        let vector = |j: usize| (0..n).map(|i| svd.V()[(i, j)]).collect();
        NullSpace { dimension: n - first, vectors: (first..n).map(vector).collect() }
    }

    fn sparse(columns: &[&Wrench], bodies: usize) -> Self {
        let columns: Vec<Wrench> = columns.iter().map(|wrench| unit(wrench)).collect();
        let Some(mut factor) = factored(&columns, bodies) else {
            // If the factorisation fails, nothing is proved unique.
            let vectors = vec![vec![1.0; columns.len()]];
            return NullSpace { dimension: columns.len(), vectors };
        };
        let rank = MOTIONS * bodies - factor.pivots_below(SMALL_PIVOT);
        let dimension = columns.len().saturating_sub(rank);
        let mut random = Random::named("null space", 0);
        let mut probe = || -> Vec<f64> { columns.iter().map(|_| random.normal()).collect() };
        let mut vectors: Vec<Vec<f64>> = (0..PROBES).map(|_| probe()).collect();
        for x in &mut vectors {
            for _ in 0..PASSES {
                let mut pushed = vec![0.0; MOTIONS * bodies];
                for (wrench, x) in columns.iter().zip(&*x) {
                    for (body, on) in wrench {
                        let target = &mut pushed[MOTIONS * body..MOTIONS * (body + 1)];
                        target.iter_mut().zip(on).for_each(|(p, w)| *p += w * x);
                    }
                }
                factor.solve(&mut pushed);
                for (wrench, x) in columns.iter().zip(&mut *x) {
                    for (body, on) in wrench {
                        let from = &pushed[MOTIONS * body..MOTIONS * (body + 1)];
                        *x -= from.iter().zip(on).map(|(p, w)| p * w).sum::<f64>();
                    }
                }
            }
        }
        NullSpace { dimension, vectors }
    }
}

/// `A Aᵀ + δ`, factored.
fn factored(columns: &[Wrench], bodies: usize) -> Option<Factor> {
    let edge = |wrench: &Wrench| match wrench[..] {
        [(a, _), (b, _)] if a != b => Some([a.min(b) as u32, a.max(b) as u32]),
        _ => None,
    };
    let mut edges: Vec<[u32; 2]> = columns.iter().filter_map(edge).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut blocks = Blocks::zero(bodies, MOTIONS, edges.len());
    for body in 0..bodies {
        let block = blocks.diagonal_mut(body);
        (0..MOTIONS).for_each(|k| block[k * MOTIONS + k] = DAMPING);
    }
    let add = |block: &mut [f64], row: &[f64; MOTIONS], column: &[f64; MOTIONS]| {
        for (target, c) in block.chunks_exact_mut(MOTIONS).zip(column) {
            target.iter_mut().zip(row).for_each(|(t, r)| *t += r * c);
        }
    };
    for wrench in columns {
        for (a, on_a) in wrench {
            add(blocks.diagonal_mut(*a), on_a, on_a);
        }
        let Some(Ok(at)) = edge(wrench).map(|edge| edges.binary_search(&edge)) else { continue };
        let ((a, on_a), (b, on_b)) = (wrench[0], wrench[1]);
        let (first, second) = if a < b { (on_a, on_b) } else { (on_b, on_a) };
        add(blocks.edge_mut(at, false), &second, &first);
        add(blocks.edge_mut(at, true), &first, &second);
    }
    let mut factor = Factor::new(Symbolic::new(bodies, MOTIONS, &edges));
    factor.factor(&blocks).then_some(factor)
}

pub(super) fn length(wrench: &Wrench) -> f64 {
    wrench.iter().flat_map(|(_, on)| on).map(|x| x * x).sum::<f64>().sqrt()
}

/// Scaled to unit length, without the bodies on which it is zero.
fn unit(wrench: &Wrench) -> Wrench {
    let size = length(wrench);
    let moves = wrench.iter().filter(|(_, on)| on.iter().any(|x| *x != 0.0));
    moves.map(|(body, on)| (*body, on.map(|x| x / size))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random columns on a ring of bodies, some of them duplicated: both methods give the same
    /// result.
    #[test]
    fn both_methods_agree() {
        (0..100).for_each(agree);
    }

    fn agree(seed: u64) {
        let mut random = Random::named("ring", seed);
        let bodies = 12;
        let mut columns: Vec<Wrench> = Vec::new();
        for k in 0..60 {
            let [a, b] = [k % bodies, (k + 1) % bodies];
            let mut on = || std::array::from_fn(|_| random.normal());
            columns.push(if k < 50 { vec![(a, on()), (b, on())] } else { columns[k - 50].clone() });
        }
        columns[20] = vec![(3, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])];
        let all: Vec<&Wrench> = columns.iter().collect();
        let dense = NullSpace::dense(&all, bodies);
        let sparse = NullSpace::sparse(&all, bodies);
        assert_eq!(dense.dimension, 10);
        assert_eq!(sparse.dimension, 10);
        for i in 0..columns.len() {
            let part = |space: &NullSpace| {
                space.vectors.iter().fold(0.0, |m: f64, vector| m.max(vector[i].abs()))
            };
            let moves = !(10..50).contains(&i);
            assert_eq!(part(&dense) > 1e-6, moves, "{i}: {}", part(&dense));
            assert_eq!(part(&sparse) > 1e-6, moves, "{i}: {}", part(&sparse));
        }
    }
}

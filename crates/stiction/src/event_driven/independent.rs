//! Which rows say something that the others do not, and their linear system.

use faer::Mat;
use faer::linalg::solvers::{PartialPivLu, Solve};

/// What a row adds to those before it, part of its own size, below which they imply it.
const IMPLIED: f64 = 1e-10;

/// A largest set of independent rows of a symmetric positive semidefinite matrix with ones
/// on its diagonal: Cholesky's factorisation, the largest pivot first.
pub(super) fn independent(matrix: &Mat<f64>) -> Vec<usize> {
    let n = matrix.nrows();
    let mut left: Vec<f64> = (0..n).map(|i| matrix[(i, i)]).collect();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut chosen = Vec::new();
    loop {
        let best = (0..n).filter(|i| left[*i] > IMPLIED).max_by(|&i, &j| {
            // Of equals the first.
            left[i].total_cmp(&left[j]).then(j.cmp(&i))
        });
        let Some(pivot) = best else { break };
        let root = left[pivot].sqrt();
        let mut column = vec![0.0; n];
        for i in 0..n {
            if left[i] > f64::NEG_INFINITY {
                let known: f64 = columns.iter().map(|c| c[i] * c[pivot]).sum();
                column[i] = (matrix[(i, pivot)] - known) / root;
            }
        }
        for i in 0..n {
            left[i] -= column[i] * column[i];
        }
        left[pivot] = f64::NEG_INFINITY;
        columns.push(column);
        chosen.push(pivot);
    }
    chosen.sort_unstable();
    chosen
}

/// Unknowns up to which elimination is done here.
const SMALL: usize = 48;

/// A square matrix in triangular factors, of no use if it is singular.
pub(super) enum Factors {
    Large(PartialPivLu<f64>),
    /// Row by row, and the row that was swapped with each.
    Small(Vec<f64>, Vec<usize>),
}

impl Factors {
    pub(super) fn new(matrix: &Mat<f64>) -> Factors {
        let n = matrix.nrows();
        if n > SMALL {
            return Factors::Large(matrix.partial_piv_lu());
        }
        let mut a: Vec<f64> = (0..n * n).map(|k| matrix[(k / n, k % n)]).collect();
        let mut swaps = Vec::with_capacity(n);
        for k in 0..n {
            let pivot = (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()));
            let pivot = pivot.unwrap_or(k);
            if pivot != k {
                (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
            }
            swaps.push(pivot);
            for i in k + 1..n {
                let (top, bottom) = a.split_at_mut(i * n);
                let factor = bottom[k] / top[k * n + k];
                bottom[k] = factor;
                if factor != 0.0 {
                    for (below, above) in bottom[k + 1..n].iter_mut().zip(&top[k * n + k + 1..]) {
                        *below -= factor * above;
                    }
                }
            }
        }
        Factors::Small(a, swaps)
    }

    /// The solution for a right-hand side.
    pub(super) fn solve(&self, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        let (a, swaps) = match self {
            Factors::Small(a, swaps) => (a, swaps),
            Factors::Large(lu) => {
                let x = lu.solve(&Mat::from_fn(n, 1, |i, _| b[i]));
                return (0..n).map(|i| x[(i, 0)]).collect();
            }
        };
        for (k, &pivot) in swaps.iter().enumerate() {
            b.swap(k, pivot);
        }
        for i in 0..n {
            let known: f64 = (0..i).map(|j| a[i * n + j] * b[j]).sum();
            b[i] -= known;
        }
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|j| a[i * n + j] * b[j]).sum();
            b[i] = (b[i] - known) / a[i * n + i];
        }
        b
    }
}

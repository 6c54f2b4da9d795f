//! `L Lᵀ` of a symmetric positive definite matrix, by rows, with an envelope.
//!
//! Row `i` of `L` is zero before `first[i]`, as in the matrix itself: bodies
//! that touch only their neighbours in a stack give short rows.
//!
//! ```text
//!   append   L y = v, then the row (y, √(d − y·y))               O(k²)
//!   remove   drop the row, rotate the columns behind it back     O(k²)
//! ```

use super::kernels::{axpy, dot};
use pulp::Arch;

pub(crate) struct Cholesky {
    arch: Arch,
    /// Rows of `L` in sequence, row `i` with `i + 1` entries.
    packed: Vec<f64>,
    first: Vec<usize>,
    /// Scratch of `remove`: the rotations.
    turns: Vec<(f64, f64)>,
}

fn start(i: usize) -> usize {
    i * (i + 1) / 2
}

impl Cholesky {
    pub(crate) fn with_capacity(n: usize) -> Self {
        Cholesky {
            arch: Arch::new(),
            packed: Vec::with_capacity(start(n + 1)),
            first: Vec::with_capacity(n),
            turns: Vec::with_capacity(n),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.packed.clear();
        self.first.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.first.len()
    }

    /// Solves `L y = v` in place.
    pub(crate) fn solve_lower(&self, v: &mut [f64]) {
        let (packed, first) = (&self.packed[..], &self.first[..]);
        self.arch.dispatch(
            #[inline(always)]
            || {
                let leading = v.iter().position(|&x| x != 0.0).unwrap_or(v.len());
                for i in leading..first.len() {
                    let row = &packed[start(i)..=start(i) + i];
                    let from = first[i].max(leading);
                    let sum = if from < i { dot(&row[from..i], &v[from..i]) } else { 0.0 };
                    v[i] = (v[i] - sum) / row[i];
                }
            },
        );
    }

    /// Solves `Lᵀ x = y` in place.
    pub(crate) fn solve_upper(&self, y: &mut [f64]) {
        let (packed, first) = (&self.packed[..], &self.first[..]);
        self.arch.dispatch(
            #[inline(always)]
            || {
                for i in (0..first.len()).rev() {
                    let row = &packed[start(i)..=start(i) + i];
                    let x = y[i] / row[i];
                    y[i] = x;
                    axpy(&mut y[first[i]..i], -x, &row[first[i]..i]);
                }
            },
        );
    }

    /// Appends a row and column of the matrix: `lower` solves `L lower = v`, `pivot` is the
    /// remainder of the diagonal entry, `d − lower·lower > 0`.
    pub(crate) fn append(&mut self, lower: &[f64], pivot: f64) {
        debug_assert_eq!(lower.len(), self.len());
        debug_assert!(pivot > 0.0);
        self.first.push(lower.iter().position(|&x| x != 0.0).unwrap_or(lower.len()));
        self.packed.extend_from_slice(lower);
        self.packed.push(pivot.sqrt());
    }

    /// Removes row and column `gone` of the matrix.
    ///
    /// Each later row moves up one place and has one entry too many; rotating neighbouring
    /// columns makes `L` triangular again.
    pub(crate) fn remove(&mut self, gone: usize) {
        let n = self.len();
        let Cholesky { arch, packed, first, turns } = self;
        turns.clear();
        turns.resize(n, (1.0, 0.0));
        arch.dispatch(
            #[inline(always)]
            || {
                for new in gone..n - 1 {
                    let old = new + 1;
                    let (to, from) = (start(new), start(old));
                    packed.copy_within(from..from + gone, to);
                    let mut carry = packed[from + gone];
                    for j in gone..new {
                        let (c, s) = turns[j];
                        let next = packed[from + j + 1];
                        packed[to + j] = c * carry + s * next;
                        carry = c * next - s * carry;
                    }
                    let last = packed[from + old];
                    let size = carry.hypot(last);
                    turns[new] = (carry / size, last / size);
                    packed[to + new] = size;
                }
            },
        );
        packed.truncate(start(n - 1));
        first.remove(gone);
        for entry in &mut first[gone..] {
            if *entry > gone {
                *entry -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(n: usize) -> Vec<Vec<f64>> {
        let half: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| ((i * 7 + j * 13 + 3) as f64).sin()).collect()).collect();
        let entry = |i: usize, j: usize| {
            let far = i.abs_diff(j) > 3;
            let sum: f64 = (0..n).map(|k| half[i][k] * half[j][k]).sum();
            if far { 0.0 } else { sum + if i == j { 2.0 * n as f64 } else { 0.0 } }
        };
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
    }

    fn build(a: &[Vec<f64>], keep: &[usize]) -> Cholesky {
        let mut factor = Cholesky::with_capacity(keep.len());
        for (k, &i) in keep.iter().enumerate() {
            let mut v: Vec<f64> = keep[..k].iter().map(|&j| a[i][j]).collect();
            factor.solve_lower(&mut v);
            let pivot = a[i][i] - v.iter().map(|x| x * x).sum::<f64>();
            factor.append(&v, pivot);
        }
        factor
    }

    #[test]
    fn the_factor_times_its_transpose_is_the_matrix_after_any_removals() {
        let a = matrix(12);
        let mut keep: Vec<usize> = (0..12).collect();
        let mut factor = build(&a, &keep);
        for gone in [5, 0, 9, 3] {
            factor.remove(gone);
            keep.remove(gone);
            let b: Vec<f64> = (0..keep.len()).map(|i| 1.0 + i as f64).collect();
            let mut x = b.clone();
            factor.solve_lower(&mut x);
            factor.solve_upper(&mut x);
            for (i, &row) in keep.iter().enumerate() {
                let product: f64 = keep.iter().zip(&x).map(|(&j, x)| a[row][j] * x).sum();
                assert!((product - b[i]).abs() < 1e-12, "row {i}: {product} for {}", b[i]);
            }
        }
    }
}

//! The inverse of an unsymmetric matrix, bordered and deflated in place.
//!
//! ```text
//!   append   ⎡B  c⎤⁻¹   ⎡B⁻¹ + x z/s   −x/s⎤     x = B⁻¹ c,  z = r B⁻¹,
//!            ⎣r  d⎦   = ⎣  −z/s         1/s⎦     s = d − r x           O(k²)
//!   remove   the same read backwards                                   O(k²)
//! ```
//!
//! Sliding friction makes the clamped block unsymmetric and possibly indefinite; a factor
//! without pivoting would depend on the order of its rows, the inverse does not. Rounding
//! accumulates: callers check residuals.

use super::kernels::{axpy, dot};
use pulp::Arch;

/// If a diagonal entry of the inverse is below this fraction of its row and column, the matrix
/// without it is singular: a dozen digits would be lost.
const SINGULAR: f64 = 1e-11;

pub(crate) struct Inverse {
    arch: Arch,
    len: usize,
    /// Row-major, `stride` entries per row.
    entries: Vec<f64>,
    stride: usize,
    scratch: Vec<f64>,
}

impl Inverse {
    pub(crate) fn with_capacity(n: usize) -> Self {
        Inverse {
            arch: Arch::new(),
            len: 0,
            entries: vec![0.0; n * n],
            stride: n,
            scratch: vec![0.0; n],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// `x = B⁻¹ v`
    pub(crate) fn solve(&self, v: &[f64], x: &mut [f64]) {
        let (entries, stride, n) = (&self.entries[..], self.stride, self.len);
        self.arch.dispatch(
            #[inline(always)]
            || {
                for i in 0..n {
                    x[i] = dot(&entries[i * stride..i * stride + n], &v[..n]);
                }
            },
        );
    }

    /// `z = r B⁻¹`
    pub(crate) fn solve_left(&self, r: &[f64], z: &mut [f64]) {
        let (entries, stride, n) = (&self.entries[..], self.stride, self.len);
        z[..n].fill(0.0);
        self.arch.dispatch(
            #[inline(always)]
            || {
                for i in 0..n {
                    if r[i] != 0.0 {
                        axpy(&mut z[..n], r[i], &entries[i * stride..i * stride + n]);
                    }
                }
            },
        );
    }

    /// Borders the matrix: `x = B⁻¹ c`, `z = r B⁻¹`, `pivot = d − r x`.
    pub(crate) fn append(&mut self, x: &[f64], z: &[f64], pivot: f64) {
        let n = self.len;
        let stride = self.stride;
        let entries = &mut self.entries;
        self.arch.dispatch(
            #[inline(always)]
            || {
                for i in 0..n {
                    let row = &mut entries[i * stride..=i * stride + n];
                    axpy(&mut row[..n], x[i] / pivot, &z[..n]);
                    row[n] = -x[i] / pivot;
                }
            },
        );
        for j in 0..n {
            entries[n * stride + j] = -z[j] / pivot;
        }
        entries[n * stride + n] = 1.0 / pivot;
        self.len += 1;
    }

    /// Removes row and column `gone` of the matrix. Returns `false` and changes nothing if the
    /// rest is singular.
    pub(crate) fn remove(&mut self, gone: usize) -> bool {
        let (n, stride) = (self.len, self.stride);
        let Inverse { arch, entries, scratch, .. } = self;
        let pivot = entries[gone * stride + gone];
        scratch[..n].copy_from_slice(&entries[gone * stride..gone * stride + n]);
        let row = scratch[..n].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let column = (0..n).fold(0.0_f64, |m, i| m.max(entries[i * stride + gone].abs()));
        if pivot.abs() <= SINGULAR * row.max(column) {
            return false;
        }
        arch.dispatch(
            #[inline(always)]
            || {
                for i in (0..n).filter(|&i| i != gone) {
                    let line = &mut entries[i * stride..i * stride + n];
                    let factor = -line[gone] / pivot;
                    if factor != 0.0 {
                        axpy(line, factor, &scratch[..n]);
                    }
                }
            },
        );
        for i in 0..n - 1 {
            let from = (if i < gone { i } else { i + 1 }) * stride;
            entries.copy_within(from..from + gone, i * stride);
            entries.copy_within(from + gone + 1..from + n, i * stride + gone);
        }
        self.len -= 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(i: usize, j: usize) -> f64 {
        ((3 * i + 5 * j) as f64).sin() + if i == j { 4.0 } else { 0.0 }
    }

    #[test]
    fn the_inverse_follows_insertions_and_removals() {
        let n = 9;
        let mut keep: Vec<usize> = Vec::new();
        let mut inverse = Inverse::with_capacity(n);
        for i in 0..n {
            let c: Vec<f64> = keep.iter().map(|&k| entry(k, i)).collect();
            let r: Vec<f64> = keep.iter().map(|&k| entry(i, k)).collect();
            let (mut x, mut z) = (vec![0.0; keep.len()], vec![0.0; keep.len()]);
            inverse.solve(&c, &mut x);
            inverse.solve_left(&r, &mut z);
            let pivot = entry(i, i) - r.iter().zip(&x).map(|(a, b)| a * b).sum::<f64>();
            inverse.append(&x, &z, pivot);
            keep.push(i);
        }
        for gone in [4, 0, 6] {
            assert!(inverse.remove(gone));
            keep.remove(gone);
            let v: Vec<f64> = (0..keep.len()).map(|i| i as f64 - 2.0).collect();
            let mut x = vec![0.0; keep.len()];
            inverse.solve(&v, &mut x);
            for (i, &row) in keep.iter().enumerate() {
                let product: f64 = keep.iter().zip(&x).map(|(&j, x)| entry(row, j) * x).sum();
                assert!((product - v[i]).abs() < 1e-12);
            }
        }
    }
}

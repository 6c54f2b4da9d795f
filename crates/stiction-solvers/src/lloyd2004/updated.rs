//! The updated inverse of the reduced system: from one pivot to the next only a few rows and
//! columns change.
//!
//! ```text
//!   K' = K + U Vᵀ      K'⁻¹ = K⁻¹ − K⁻¹U (I + Vᵀ K⁻¹ U)⁻¹ Vᵀ K⁻¹      Woodbury
//! ```
//!
//! A changed column is its difference times a unit row, a changed row a unit column times its
//! difference. All changes are applied together, since in between the matrix may be singular.
//! O(p r²) for `p` changes, against O(r³) for elimination.

use crate::linalg::axpy;
use crate::settings::SINGULAR;

/// Number of simultaneous changes beyond which the inverse is rebuilt.
const MOST_CHANGES: usize = 16;

/// A pivot of `I + Vᵀ K⁻¹ U` below this means that too many digits are lost.
const LOST_DIGITS: f64 = 1e-9;

pub(super) struct Updated {
    stride: usize,
    size: usize,
    /// Row-major.
    inverse: Vec<f64>,
    /// The matrix it is the inverse of.
    before: Vec<f64>,
    is_valid: bool,
    /// Number of rebuilt inverses.
    pub rebuilt: usize,
    rows: Marks,
    columns: Marks,
    /// `K⁻¹ U`, one row per change.
    left: Vec<f64>,
    /// `Vᵀ K⁻¹`, then `(I + Vᵀ K⁻¹ U)⁻¹ Vᵀ K⁻¹`.
    right: Vec<f64>,
    /// `I + Vᵀ K⁻¹ U`
    small: [[f64; MOST_CHANGES]; MOST_CHANGES],
    entries: Vec<(u32, f64)>,
    scratch: Vec<f64>,
    order: Vec<u32>,
}

/// A set of indices.
struct Marks {
    list: Vec<u32>,
    is_in: Vec<bool>,
}

impl Marks {
    fn new(n: usize) -> Self {
        Marks { list: Vec::with_capacity(n), is_in: vec![false; n] }
    }

    fn add(&mut self, k: usize) {
        if !self.is_in[k] {
            self.is_in[k] = true;
            self.list.push(k as u32);
        }
    }

    fn clear(&mut self) {
        for k in self.list.drain(..) {
            self.is_in[k as usize] = false;
        }
    }
}

impl Updated {
    pub(super) fn new(stride: usize) -> Self {
        Updated {
            stride,
            size: 0,
            inverse: vec![0.0; stride * stride],
            before: vec![0.0; stride * stride],
            is_valid: false,
            rebuilt: 0,
            rows: Marks::new(stride),
            columns: Marks::new(stride),
            left: vec![0.0; MOST_CHANGES * stride],
            right: vec![0.0; MOST_CHANGES * stride],
            small: [[0.0; MOST_CHANGES]; MOST_CHANGES],
            entries: Vec::with_capacity(stride),
            scratch: vec![0.0; stride],
            order: Vec::with_capacity(stride),
        }
    }

    /// Discards the inverse.
    pub(super) fn forget(&mut self) {
        self.is_valid = false;
        self.rebuilt = 0;
    }

    pub(super) fn mark_row(&mut self, k: usize) {
        self.rows.add(k);
    }

    pub(super) fn mark_column(&mut self, k: usize) {
        self.columns.add(k);
    }

    /// Updates the inverse to the matrix, of which the first `n` rows and columns count;
    /// `false` if it is singular.
    #[inline(always)]
    pub(super) fn follow(&mut self, n: usize, matrix: &[f64]) -> bool {
        let followed = self.is_valid && self.update(n, matrix);
        self.rows.clear();
        self.columns.clear();
        followed || self.rebuild(n, matrix)
    }

    /// `x = K⁻¹ b`
    #[inline(always)]
    pub(super) fn solve(&self, b: &[f64], x: &mut [f64]) {
        for i in 0..self.size {
            let row = &self.inverse[i * self.stride..i * self.stride + self.size];
            x[i] = crate::linalg::dot(row, &b[..self.size]);
        }
    }

    /// `x += K⁻¹ b`
    #[inline(always)]
    pub(super) fn solve_into(&self, b: &[f64], x: &mut [f64]) {
        for i in 0..self.size {
            let row = &self.inverse[i * self.stride..i * self.stride + self.size];
            x[i] += crate::linalg::dot(row, &b[..self.size]);
        }
    }

    #[inline(always)]
    fn update(&mut self, n: usize, matrix: &[f64]) -> bool {
        let changes = self.rows.list.len() + self.columns.list.len();
        if changes > MOST_CHANGES {
            return false;
        }
        for k in self.size..n {
            self.extend(k, n);
        }
        self.size = n;
        self.products(n, matrix);
        if !self.solve_small(changes, n) {
            return false;
        }
        let stride = self.stride;
        for i in 0..n {
            let row = &mut self.inverse[i * stride..i * stride + n];
            for k in 0..changes {
                let factor = self.left[k * stride + i];
                if factor != 0.0 {
                    axpy(row, -factor, &self.right[k * stride..k * stride + n]);
                }
            }
        }
        for &r in &self.rows.list {
            let from = r as usize * stride;
            self.before[from..from + n].copy_from_slice(&matrix[from..from + n]);
        }
        for &c in &self.columns.list {
            for i in 0..n {
                self.before[i * stride + c as usize] = matrix[i * stride + c as usize];
            }
        }
        true
    }

    /// A new unknown starts as a row and a column of the identity.
    fn extend(&mut self, k: usize, n: usize) {
        let stride = self.stride;
        for matrix in [&mut self.inverse, &mut self.before] {
            matrix[k * stride..k * stride + n].fill(0.0);
            for i in 0..n {
                matrix[i * stride + k] = 0.0;
            }
            matrix[k * stride + k] = 1.0;
        }
    }

    /// `K⁻¹ U`, `Vᵀ K⁻¹` and `I + Vᵀ K⁻¹ U`.
    #[inline(always)]
    fn products(&mut self, n: usize, matrix: &[f64]) {
        let stride = self.stride;
        let columns = self.columns.list.len();
        let changes = columns + self.rows.list.len();
        for k in 0..columns {
            let c = self.columns.list[k] as usize;
            let difference = |i: usize| matrix[i * stride + c] - self.before[i * stride + c];
            self.entries.clear();
            self.entries
                .extend((0..n).map(|i| (i as u32, difference(i))).filter(|(_, d)| *d != 0.0));
            for i in 0..n {
                let row = &self.inverse[i * stride..i * stride + n];
                let sum: f64 = self.entries.iter().map(|&(j, d)| row[j as usize] * d).sum();
                self.left[k * stride + i] = sum;
            }
            self.right[k * stride..k * stride + n]
                .copy_from_slice(&self.inverse[c * stride..c * stride + n]);
        }
        for k in columns..changes {
            let r = self.rows.list[k - columns] as usize;
            for i in 0..n {
                self.left[k * stride + i] = self.inverse[i * stride + r];
            }
        }
        for k in 0..changes {
            for l in 0..changes {
                self.small[k][l] = f64::from(u8::from(k == l));
            }
        }
        for k in 0..columns {
            let c = self.columns.list[k] as usize;
            for l in 0..changes {
                self.small[k][l] += self.left[l * stride + c];
            }
        }
        for k in columns..changes {
            let r = self.rows.list[k - columns] as usize;
            let right = &mut self.right[k * stride..k * stride + n];
            right.fill(0.0);
            for j in (0..n).filter(|&j| !self.columns.is_in[j]) {
                let d = matrix[r * stride + j] - self.before[r * stride + j];
                if d != 0.0 {
                    axpy(right, d, &self.inverse[j * stride..j * stride + n]);
                    for l in 0..changes {
                        self.small[k][l] += d * self.left[l * stride + j];
                    }
                }
            }
        }
    }

    /// `right = small⁻¹ right`, by elimination with row exchanges.
    #[inline(always)]
    fn solve_small(&mut self, p: usize, n: usize) -> bool {
        let stride = self.stride;
        for k in 0..p {
            let by_size =
                |a: &usize, b: &usize| self.small[*a][k].abs().total_cmp(&self.small[*b][k].abs());
            let best = (k..p).max_by(by_size).unwrap_or(k);
            if self.small[best][k].abs() < LOST_DIGITS {
                return false;
            }
            if best != k {
                self.small.swap(k, best);
                for j in 0..n {
                    self.right.swap(k * stride + j, best * stride + j);
                }
            }
            let inverse = 1.0 / self.small[k][k];
            self.small[k][k..p].iter_mut().for_each(|x| *x *= inverse);
            self.right[k * stride..k * stride + n].iter_mut().for_each(|x| *x *= inverse);
            let pivot = self.small[k];
            self.scratch[..n].copy_from_slice(&self.right[k * stride..k * stride + n]);
            for i in (0..p).filter(|&i| i != k) {
                let factor = self.small[i][k];
                if factor != 0.0 {
                    axpy(&mut self.small[i][k..p], -factor, &pivot[k..p]);
                    axpy(&mut self.right[i * stride..i * stride + n], -factor, &self.scratch[..n]);
                }
            }
        }
        true
    }

    /// Rebuilds the inverse by Gauss–Jordan elimination with row exchanges.
    #[inline(always)]
    pub(super) fn rebuild(&mut self, n: usize, matrix: &[f64]) -> bool {
        let stride = self.stride;
        self.is_valid = false;
        self.rebuilt += 1;
        self.size = n;
        for i in 0..n {
            let row = i * stride..i * stride + n;
            self.before[row.clone()].copy_from_slice(&matrix[row.clone()]);
            self.inverse[row.clone()].copy_from_slice(&matrix[row]);
        }
        self.order.clear();
        self.order.extend(0..n as u32);
        for k in 0..n {
            let size = |i: &usize| self.inverse[i * stride + k].abs();
            let best = (k..n).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(k);
            if size(&best) < SINGULAR {
                return false;
            }
            if best != k {
                self.order.swap(k, best);
                for j in 0..n {
                    self.inverse.swap(k * stride + j, best * stride + j);
                }
            }
            let pivot = 1.0 / self.inverse[k * stride + k];
            let row = &mut self.inverse[k * stride..k * stride + n];
            row[k] = 1.0;
            for x in row.iter_mut() {
                *x *= pivot;
            }
            self.scratch[..n].copy_from_slice(row);
            for i in (0..n).filter(|&i| i != k) {
                let row = &mut self.inverse[i * stride..i * stride + n];
                let factor = std::mem::replace(&mut row[k], 0.0);
                if factor != 0.0 {
                    axpy(row, -factor, &self.scratch[..n]);
                }
            }
        }
        // Row exchanges of the matrix are column exchanges of its inverse.
        for i in 0..n {
            let row = i * stride..i * stride + n;
            self.scratch[..n].copy_from_slice(&self.inverse[row.clone()]);
            for (k, &from) in self.order.iter().enumerate() {
                self.inverse[i * stride + from as usize] = self.scratch[k];
            }
        }
        self.is_valid = true;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest size of the test matrices.
    const STRIDE: usize = 12;

    fn entry(i: usize, j: usize, turn: usize) -> f64 {
        ((3 * i + 5 * j + 7 * turn) as f64).sin() + if i == j { 3.0 } else { 0.0 }
    }

    fn assert_inverse(updated: &Updated, n: usize, matrix: &[f64]) {
        let b: Vec<f64> = (0..n).map(|i| i as f64 - 2.0).collect();
        let mut x = vec![0.0; n];
        updated.solve(&b, &mut x);
        for i in 0..n {
            let product: f64 = (0..n).map(|j| matrix[i * STRIDE + j] * x[j]).sum();
            assert!((product - b[i]).abs() < 1e-11, "row {i}: {product} for {}", b[i]);
        }
    }

    #[test]
    fn the_inverse_follows_changed_rows_columns_and_new_unknowns() {
        let mut updated = Updated::new(STRIDE);
        let mut matrix = vec![0.0; STRIDE * STRIDE];
        let mut n = 7;
        for i in 0..n {
            for j in 0..n {
                matrix[i * STRIDE + j] = entry(i, j, 0);
            }
        }
        assert!(updated.follow(n, &matrix));
        assert_inverse(&updated, n, &matrix);
        for turn in 1..5 {
            let (row, column) = (turn % n, (3 * turn) % n);
            for j in 0..n {
                matrix[row * STRIDE + j] = entry(row, j, turn);
            }
            for i in 0..n {
                matrix[i * STRIDE + column] = entry(i, column, turn);
            }
            updated.mark_row(row);
            updated.mark_column(column);
            // A new unknown.
            for k in 0..=n {
                matrix[n * STRIDE + k] = entry(n, k, turn);
                matrix[k * STRIDE + n] = entry(k, n, turn);
            }
            updated.mark_row(n);
            updated.mark_column(n);
            n += 1;
            assert!(updated.follow(n, &matrix));
            assert!(updated.is_valid);
            assert_inverse(&updated, n, &matrix);
        }
    }
}

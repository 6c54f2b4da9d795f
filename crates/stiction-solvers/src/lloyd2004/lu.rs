//! Gaussian elimination with row exchanges of a small dense matrix and two right-hand sides, in
//! groups of four numbers.

use super::pyramid::Quad;
use crate::settings::SINGULAR;

pub(super) struct Lu {
    /// Rows of `[matrix | two right-hand sides]`.
    work: Vec<Quad>,
    /// Quads per row.
    quads: usize,
    size: usize,
    first: Vec<Quad>,
    second: Vec<Quad>,
}

impl Lu {
    pub(super) fn new(most: usize) -> Self {
        let quads = (most + 2).div_ceil(4);
        Lu {
            work: vec![[0.0; 4]; most * quads],
            quads,
            size: 0,
            first: vec![[0.0; 4]; quads],
            second: vec![[0.0; 4]; quads],
        }
    }

    /// Loads a matrix of `n` rows.
    #[inline(always)]
    pub(super) fn load(&mut self, n: usize, matrix: &[f64], stride: usize) {
        self.size = n;
        self.quads = (n + 2).div_ceil(4);
        let quads = self.quads;
        for i in 0..n {
            let to = self.work[i * quads..(i + 1) * quads].as_flattened_mut();
            to[..n].copy_from_slice(&matrix[i * stride..i * stride + n]);
            // Leftovers of earlier systems would grow without bound.
            to[n..].fill(0.0);
        }
    }

    #[inline(always)]
    pub(super) fn set_right(&mut self, row: usize, first: f64, second: f64) {
        let n = self.size;
        let row = self.work[row * self.quads..(row + 1) * self.quads].as_flattened_mut();
        row[n] = first;
        row[n + 1] = second;
    }

    /// Solves; `false` if the matrix is singular.
    #[inline(always)]
    pub(super) fn solve(&mut self, first: &mut [f64], second: &mut [f64]) -> bool {
        if !self.eliminate() {
            return false;
        }
        self.substitute();
        let n = self.size;
        first[..n].copy_from_slice(&self.first.as_flattened()[..n]);
        second[..n].copy_from_slice(&self.second.as_flattened()[..n]);
        true
    }

    #[inline(always)]
    fn eliminate(&mut self) -> bool {
        let (n, quads) = (self.size, self.quads);
        let work = &mut self.work[..n * quads];
        for k in 0..n {
            let (q, l) = (k / 4, k % 4);
            let mut best = (work[k * quads + q][l].abs(), k);
            for i in k + 1..n {
                let size = work[i * quads + q][l].abs();
                if size > best.0 {
                    best = (size, i);
                }
            }
            if best.0 < SINGULAR {
                return false;
            }
            if best.1 != k {
                for c in q..quads {
                    work.swap(k * quads + c, best.1 * quads + c);
                }
            }
            let (above, below) = work.split_at_mut((k + 1) * quads);
            let pivot = &above[k * quads..];
            let inverse = 1.0 / pivot[q][l];
            for row in below.chunks_exact_mut(quads) {
                let factor = row[q][l] * inverse;
                if factor != 0.0 {
                    for c in q..quads {
                        for l in 0..4 {
                            row[c][l] -= factor * pivot[c][l];
                        }
                    }
                }
            }
        }
        true
    }

    #[inline(always)]
    fn substitute(&mut self) {
        let (n, quads) = (self.size, self.quads);
        self.first[..quads].fill([0.0; 4]);
        self.second[..quads].fill([0.0; 4]);
        for k in (0..n).rev() {
            let row = &self.work[k * quads..(k + 1) * quads];
            let mut sums = [[0.0; 4]; 2];
            for c in k / 4..n.div_ceil(4) {
                for l in 0..4 {
                    sums[0][l] += row[c][l] * self.first[c][l];
                    sums[1][l] += row[c][l] * self.second[c][l];
                }
            }
            let flat = row.as_flattened();
            let inverse = 1.0 / flat[k];
            let [x, y] = sums.map(|s| (s[0] + s[2]) + (s[1] + s[3]));
            self.first[k / 4][k % 4] = (flat[n] - x) * inverse;
            self.second[k / 4][k % 4] = (flat[n + 1] - y) * inverse;
        }
    }
}

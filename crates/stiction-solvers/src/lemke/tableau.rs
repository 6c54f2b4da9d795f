//! One path by a plain dense tableau: the fastest method for small problems.
//!
//! ```text
//!   basic = T · nonbasic,   nonbasic = (z, z₀, 1)      at the start: w = M z + c z₀ + q
//! ```
//!
//! An exchange makes one nonbasic variable basic and rewrites all rows. Ties go to the largest
//! entry; if that does not suffice, callers use the revised method.

use super::Lcp;
use super::basis::UNCOVERED;
use crate::linalg::axpy;
use crate::settings::{PIVOT, TIE};
use crate::work::Work;

struct Tableau {
    n: usize,
    /// Row-major, `n + 2` columns: nonbasic variables, the covering one among
    /// them, and the constants.
    entries: Vec<f64>,
    /// `z_i` is `n + i`, `w_i` is `i`, `z₀` is `2n`.
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    pivot_row: Vec<f64>,
}

/// Follows the path with `c = 1` for at most `limit` pivots: returns `z` and the number of
/// pivots, if it ends at a solution.
pub(super) fn solve(lcp: &Lcp, limit: usize, work: &mut Work) -> Option<(Vec<f64>, usize)> {
    let n = lcp.len();
    let size = lcp.q().iter().fold(0.0_f64, |m, q| m.max(q.abs()));
    let first = (0..n).min_by(|&i, &j| lcp.q()[i].total_cmp(&lcp.q()[j]));
    let Some(mut row) = first.filter(|&i| lcp.q()[i] < 0.0) else {
        return Some((vec![0.0; n], 0));
    };
    let mut tableau = Tableau::new(lcp);
    let mut column = n;
    for pivots in 1..=limit {
        if work.is_spent() {
            break;
        }
        work.charge((n * (n + 2)) as f64);
        let left = tableau.exchange(row, column);
        let cover = tableau.basic.iter().position(|&v| v == 2 * n);
        let uncovered = cover.is_none_or(|r| tableau.constant(r) <= UNCOVERED * size);
        if uncovered {
            return Some((tableau.solution(), pivots));
        }
        let driving = if left < n { left + n } else { left - n };
        column = tableau.nonbasic.iter().position(|&v| v == driving)?;
        row = tableau.blocking(column, size)?;
    }
    None
}

impl Tableau {
    fn new(lcp: &Lcp) -> Self {
        let n = lcp.len();
        let mut entries = vec![0.0; n * (n + 2)];
        for (i, row) in entries.chunks_exact_mut(n + 2).enumerate() {
            row[..n].copy_from_slice(lcp.row(i));
            row[n] = 1.0;
            row[n + 1] = lcp.q()[i];
        }
        Tableau {
            n,
            entries,
            basic: (0..n).collect(),
            nonbasic: (n..=2 * n).collect(),
            pivot_row: vec![0.0; n + 2],
        }
    }

    fn constant(&self, row: usize) -> f64 {
        self.entries[row * (self.n + 2) + self.n + 1]
    }

    /// Solves a row for a nonbasic variable and substitutes it into the others; returns the
    /// variable that left.
    fn exchange(&mut self, row: usize, column: usize) -> usize {
        let width = self.n + 2;
        let line = &mut self.entries[row * width..(row + 1) * width];
        let inverse = 1.0 / line[column];
        for x in line.iter_mut() {
            *x *= -inverse;
        }
        line[column] = inverse;
        self.pivot_row.copy_from_slice(line);
        for (i, other) in self.entries.chunks_exact_mut(width).enumerate() {
            let factor = if i == row { 0.0 } else { std::mem::take(&mut other[column]) };
            if factor != 0.0 {
                axpy(other, factor, &self.pivot_row);
            }
        }
        std::mem::swap(&mut self.basic[row], &mut self.nonbasic[column]);
        self.nonbasic[column]
    }

    /// The row that reaches zero first as a nonbasic variable grows; `z₀` wins
    /// ties, then the largest entry.
    fn blocking(&self, column: usize, size: f64) -> Option<usize> {
        let width = self.n + 2;
        let entry = |i: usize| self.entries[i * width + column];
        let ratio = |i: usize| self.constant(i).max(0.0) / -entry(i);
        let largest = (0..self.n).fold(0.0_f64, |m, i| m.max(entry(i).abs()));
        let falls = |i: &usize| entry(*i) < -PIVOT * largest;
        let least = (0..self.n).filter(falls).map(ratio).fold(f64::INFINITY, f64::min);
        let band = least + TIE * least.max(size);
        let tied = (0..self.n).filter(falls).filter(|&i| ratio(i) <= band);
        tied.min_by(|&i, &j| {
            let keep = |k: usize| self.basic[k] != 2 * self.n;
            keep(i).cmp(&keep(j)).then(entry(i).total_cmp(&entry(j)))
        })
    }

    fn solution(&self) -> Vec<f64> {
        let mut z = vec![0.0; self.n];
        for (row, &variable) in self.basic.iter().enumerate() {
            if (self.n..2 * self.n).contains(&variable) {
                z[variable - self.n] = self.constant(row).max(0.0);
            }
        }
        z
    }
}

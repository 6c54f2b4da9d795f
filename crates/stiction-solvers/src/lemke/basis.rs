//! One almost complementary path, by the inverse of its basis.

use super::Lcp;
use crate::linalg::{axpy, dot};
use crate::settings::{PIVOT, TIE};
use crate::work::Work;
use faer::Mat;
use faer::linalg::solvers::Solve;

/// A variable of `w − M z − c z₀ = q`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    W(usize),
    Z(usize),
    Cover,
}

impl Variable {
    fn complement(self) -> Self {
        match self {
            Variable::W(i) => Variable::Z(i),
            Variable::Z(i) => Variable::W(i),
            Variable::Cover => Variable::Cover,
        }
    }
}

/// How a path ended.
pub(super) enum End {
    Solved,
    Ray(Vec<f64>),
    Limit,
}

/// The path ends when `z₀` has fallen to this fraction of `q`: anything beyond is rounding.
pub(super) const UNCOVERED: f64 = 1e-12;

/// Residual of the basic values, relative to `q`, above which the inverse is rebuilt.
const REFRESH: f64 = 1e-9;

/// Units of work of a pivot, per entry of the inverse: a product, an update, and a share of
/// rebuilding.
const PIVOT_WORK: f64 = 4.0;

/// Pivots between checks of that residual.
const CHECK_EVERY: usize = 20;

pub(super) struct Basis<'a> {
    lcp: &'a Lcp,
    cover: Vec<f64>,
    basic: Vec<Variable>,
    /// Row-major inverse of the basis matrix.
    inverse: Vec<f64>,
    /// Basic values, `inverse · q`.
    value: Vec<f64>,
    /// `inverse ·` column of the driving variable.
    column: Vec<f64>,
    scratch: Vec<f64>,
    ties: Vec<usize>,
    size: f64,
    pub pivots: usize,
}

impl<'a> Basis<'a> {
    pub(super) fn new(lcp: &'a Lcp, cover: Vec<f64>) -> Self {
        let n = lcp.len();
        let size = lcp.q().iter().fold(0.0_f64, |m, q| m.max(q.abs()));
        let mut inverse = vec![0.0; n * n];
        (0..n).for_each(|i| inverse[i * n + i] = 1.0);
        Basis {
            lcp,
            cover,
            basic: (0..n).map(Variable::W).collect(),
            inverse,
            value: lcp.q().to_vec(),
            column: vec![0.0; n],
            scratch: vec![0.0; n],
            ties: Vec::with_capacity(n),
            size,
            pivots: 0,
        }
    }

    /// Follows the path from the trivial basis.
    pub(super) fn follow(&mut self, limit: usize, work: &mut Work) -> End {
        let Some(first) = self.first_blocking() else { return End::Solved };
        self.load(Variable::Cover);
        let mut driving = self.pivot(first, Variable::Cover);
        let size = self.value.len() as f64;
        while self.pivots < limit && !work.is_spent() {
            work.charge(PIVOT_WORK * size * size);
            if driving == Variable::Cover {
                return End::Solved;
            }
            self.load(driving);
            let Some(blocking) = self.blocking() else { return End::Ray(self.ray(driving)) };
            driving = self.pivot(blocking, driving);
            if self.is_uncovered() {
                return End::Solved;
            }
            if self.pivots.is_multiple_of(CHECK_EVERY) && !self.refresh() {
                return End::Limit;
            }
        }
        End::Limit
    }

    /// Whether the covering variable is still basic, but negligible.
    fn is_uncovered(&self) -> bool {
        let row = self.basic.iter().position(|v| *v == Variable::Cover);
        row.is_some_and(|row| self.value[row] <= UNCOVERED * self.size)
    }

    /// The row that determines the feasible start: `max −q/c`, the last one on ties, which is
    /// the lexicographic choice.
    fn first_blocking(&self) -> Option<usize> {
        let ratio = |i: usize| self.value[i] / self.cover[i];
        let row = (0..self.value.len()).min_by(|&i, &j| {
            let near = (ratio(i) - ratio(j)).abs() <= TIE * self.size;
            if near { j.cmp(&i) } else { ratio(i).total_cmp(&ratio(j)) }
        })?;
        (self.value[row] < 0.0).then_some(row)
    }

    /// `column = inverse · a`, `a` the column of a variable.
    fn load(&mut self, variable: Variable) {
        let n = self.value.len();
        match variable {
            Variable::W(i) => {
                for k in 0..n {
                    self.column[k] = self.inverse[k * n + i];
                }
                return;
            }
            Variable::Z(i) => (0..n).for_each(|k| self.scratch[k] = -self.lcp.row(k)[i]),
            Variable::Cover => (0..n).for_each(|k| self.scratch[k] = -self.cover[k]),
        }
        for k in 0..n {
            self.column[k] = dot(&self.inverse[k * n..(k + 1) * n], &self.scratch);
        }
    }

    /// The basic variable that reaches zero first; the covering variable wins
    /// ties, then the lexicographically least row.
    fn blocking(&mut self) -> Option<usize> {
        let largest = self.column.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let flat = PIVOT * largest;
        let mut least = f64::INFINITY;
        for (v, c) in self.value.iter().zip(&self.column) {
            if *c > flat {
                least = least.min(v.max(0.0) / c);
            }
        }
        if !least.is_finite() {
            return None;
        }
        let band = least + TIE * least.max(self.size);
        self.ties.clear();
        for k in 0..self.value.len() {
            if self.column[k] > flat && self.value[k].max(0.0) / self.column[k] <= band {
                self.ties.push(k);
            }
        }
        if let Some(&row) = self.ties.iter().find(|&&k| self.basic[k] == Variable::Cover) {
            return Some(row);
        }
        self.lexicographic()
    }

    /// Among the ties the least row of the inverse, each over its column entry.
    fn lexicographic(&mut self) -> Option<usize> {
        let n = self.value.len();
        for j in 0..n {
            if self.ties.len() <= 1 {
                break;
            }
            let entry = |k: usize| self.inverse[k * n + j] / self.column[k];
            let least = self.ties.iter().map(|&k| entry(k)).fold(f64::INFINITY, f64::min);
            let band = least + TIE * least.abs().max(1.0);
            let (inverse, column) = (&self.inverse, &self.column);
            self.ties.retain(|&k| inverse[k * n + j] / column[k] <= band);
        }
        self.ties.first().copied()
    }

    /// Exchanges; the next driving variable is the complement of the one that left.
    fn pivot(&mut self, row: usize, entering: Variable) -> Variable {
        let n = self.value.len();
        self.pivots += 1;
        let pivot = self.column[row];
        let (above, rest) = self.inverse.split_at_mut(row * n);
        let (line, below) = rest.split_at_mut(n);
        for x in line.iter_mut() {
            *x /= pivot;
        }
        let value = self.value[row] / pivot;
        let others = above.chunks_exact_mut(n).chain(below.chunks_exact_mut(n));
        let rows = (0..n).filter(|&k| k != row);
        for (k, other) in rows.zip(others) {
            let factor = self.column[k];
            if factor != 0.0 {
                axpy(other, -factor, line);
                self.value[k] -= factor * value;
            }
        }
        self.value[row] = value;
        std::mem::replace(&mut self.basic[row], entering).complement()
    }

    /// The basis matrix, column by column.
    fn matrix(&self) -> Mat<f64> {
        let n = self.value.len();
        Mat::from_fn(n, n, |i, j| match self.basic[j] {
            Variable::W(k) => f64::from(u8::from(i == k)),
            Variable::Z(k) => -self.lcp.row(i)[k],
            Variable::Cover => -self.cover[i],
        })
    }

    /// Rebuilds the inverse if the basic values no longer satisfy their equations; `false` if
    /// rebuilding does not help.
    fn refresh(&mut self) -> bool {
        let n = self.value.len();
        let matrix = self.matrix();
        let off = |value: &[f64]| {
            let residual = (0..n).map(|i| {
                let product: f64 = (0..n).map(|j| matrix[(i, j)] * value[j]).sum();
                (product - self.lcp.q()[i]).abs()
            });
            residual.fold(0.0, f64::max)
        };
        if off(&self.value) <= REFRESH * self.size {
            return true;
        }
        let lu = matrix.partial_piv_lu();
        let inverse = lu.solve(Mat::<f64>::identity(n, n));
        let value = lu.solve(Mat::from_fn(n, 1, |i, _| self.lcp.q()[i]));
        let value: Vec<f64> = (0..n).map(|i| value[(i, 0)]).collect();
        if value.iter().any(|x| !x.is_finite()) {
            return false;
        }
        for i in 0..n {
            for j in 0..n {
                self.inverse[i * n + j] = inverse[(i, j)];
            }
        }
        self.value = value;
        true
    }

    /// The change of `z` per unit of the driving variable.
    fn ray(&self, driving: Variable) -> Vec<f64> {
        let mut direction = vec![0.0; self.value.len()];
        if let Variable::Z(i) = driving {
            direction[i] = 1.0;
        }
        for (variable, c) in self.basic.iter().zip(&self.column) {
            if let Variable::Z(i) = variable {
                direction[*i] = -c;
            }
        }
        direction
    }

    /// The solution at the end of a path, after solving its own equations once more.
    pub(super) fn solution(&self) -> Vec<f64> {
        let n = self.value.len();
        let mut z = vec![0.0; n];
        for (variable, value) in self.basic.iter().zip(&self.value) {
            if let Variable::Z(i) = variable {
                z[*i] = value.max(0.0);
            }
        }
        let polished =
            self.matrix().partial_piv_lu().solve(Mat::from_fn(n, 1, |i, _| self.lcp.q()[i]));
        let mut again = vec![0.0; n];
        for (k, variable) in self.basic.iter().enumerate() {
            if let Variable::Z(i) = variable {
                again[*i] = polished[(k, 0)].max(0.0);
            }
        }
        let better = self.lcp.judge(&again).natural_map < self.lcp.judge(&z).natural_map;
        if better { again } else { z }
    }
}

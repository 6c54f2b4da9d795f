//! From forces to bodies and back: `A f = J (Jᵀ f)` without `A`.

use super::rows::{Pair, Rows};

/// Mass-scaled response of the bodies; the last one stands still.
pub(super) struct Bodies(Vec<[f64; 6]>);

impl Bodies {
    pub(super) fn at_rest(count: usize) -> Self {
        Bodies(vec![[0.0; 6]; count])
    }

    pub(super) fn rest(&mut self) {
        self.0.fill([0.0; 6]);
    }

    /// Adds the effect of a force of this size.
    #[inline(always)]
    pub(super) fn push(&mut self, rows: &Rows, row: usize, effect: &Pair, size: f64) {
        let [a, b] = rows.bodies[row];
        let on_a = &mut self.0[a as usize];
        for k in 0..6 {
            on_a[k] += effect[k] * size;
        }
        let on_b = &mut self.0[b as usize];
        for k in 0..6 {
            on_b[k] += effect[6 + k] * size;
        }
    }

    /// Response of a row.
    #[inline(always)]
    pub(super) fn response(&self, rows: &Rows, row: usize) -> f64 {
        let [a, b] = rows.bodies[row];
        let (va, vb) = (&self.0[a as usize], &self.0[b as usize]);
        let j = &rows.row[row];
        let mut sum = [0.0; 6];
        for k in 0..6 {
            sum[k] = j[k] * va[k] + j[6 + k] * vb[k];
        }
        ((sum[0] + sum[3]) + (sum[1] + sum[4])) + (sum[2] + sum[5])
    }

    /// Sum of squares: `fᵀ A f` of the forces pushed, without cancellation.
    pub(super) fn square(&self) -> f64 {
        let moving = &self.0[..self.0.len() - 1];
        moving.as_flattened().iter().map(|x| x * x).sum()
    }
}

//! From forces to bodies and back: `A f = J (Jᵀ f)` without `A`.
//!
//! Six numbers per body, padded to eight to fill vector registers.

use super::{Pair, Rows};
use faer::Mat;

/// Numbers stored per body: six and padding.
pub(crate) const WIDTH: usize = 8;

/// Mass-scaled response of the bodies; the last one is fixed.
pub(crate) struct Bodies(Vec<[f64; WIDTH]>);

impl Bodies {
    pub(crate) fn at_rest(count: usize) -> Self {
        Bodies(vec![[0.0; WIDTH]; count])
    }

    pub(crate) fn rest(&mut self) {
        self.0.fill([0.0; WIDTH]);
    }

    /// Adds the effect of a force of this size.
    #[inline(always)]
    pub(crate) fn push(&mut self, rows: &Rows, row: usize, effect: &Pair, size: f64) {
        for (&body, effect) in rows.bodies[row].iter().zip(effect) {
            let on = &mut self.0[body as usize];
            *on = std::array::from_fn(|k| on[k] + effect[k] * size);
        }
    }

    /// Response of a row.
    #[inline(always)]
    pub(crate) fn response(&self, rows: &Rows, row: usize) -> f64 {
        let [a, b] = rows.bodies[row];
        let (va, vb) = (&self.0[a as usize], &self.0[b as usize]);
        let [ja, jb] = &rows.row[row];
        let sum: [f64; WIDTH] = std::array::from_fn(|k| ja[k] * va[k] + jb[k] * vb[k]);
        ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]))
    }

    /// Sum of squares: `fᵀ A f` of the forces pushed, without cancellation.
    pub(crate) fn square(&self) -> f64 {
        let moving = &self.0[..self.0.len() - 1];
        moving.as_flattened().iter().map(|x| x * x).sum()
    }
}

impl Rows {
    /// A zero motion of all bodies.
    pub(crate) fn at_rest(&self) -> Vec<f64> {
        vec![0.0; WIDTH * self.body_count]
    }

    /// The effect of a row on its two bodies, as a vector over all of them.
    pub(crate) fn spread_one(&self, row: usize, effect: &Pair) -> Vec<f64> {
        let mut motion = self.at_rest();
        for (&body, effect) in self.bodies[row].iter().zip(effect) {
            for (k, x) in effect.iter().enumerate() {
                motion[WIDTH * body as usize + k] += x;
            }
        }
        motion
    }

    /// Some rows (or columns) as columns over all bodies.
    pub(crate) fn spread(&self, effects: &[Pair], which: impl Iterator<Item = usize>) -> Mat<f64> {
        let columns: Vec<Vec<f64>> = which.map(|r| self.spread_one(r, &effects[r])).collect();
        Mat::from_fn(WIDTH * self.body_count, columns.len(), |i, j| columns[j][i])
    }
}

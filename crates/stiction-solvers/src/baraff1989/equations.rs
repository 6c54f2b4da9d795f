//! Solves the equations of a guess to full precision.
//!
//! Rows that are held, `a = 0`, determine the motion; the forces that cause it need not be
//! unique. With the held rows as columns `B = U Σ Vᵀ` over the bodies,
//!
//! ```text
//!   Bᵀ w = −a      ⇒   w = −U Σ⁻¹ Vᵀ a         the missing motion
//!   B' f' = w      ⇒   f' = V' Σ'⁻¹ U'ᵀ w      minimum-norm forces that cause it
//! ```
//!
//! where `B'` are the columns of rows that may push. Both steps are repeated on the residual,
//! with the response computed through the bodies.

use crate::rows::Rows;
use crate::settings::{NO_FORCE_OF_PROGRAM, REDUNDANT};
use faer::Mat;

/// Number of corrections: the first solves, the others remove rounding.
const CORRECTIONS: usize = 3;

/// Number of times that negative forces are dropped; any that appear later are left.
const DROPS: usize = 8;

/// Some rows as columns, factored.
struct Columns {
    which: Vec<usize>,
    /// `U`
    directions: Mat<f64>,
    /// `V Σ⁻¹`
    weights: Mat<f64>,
}

impl Columns {
    fn new(rows: &Rows, which: Vec<usize>) -> Option<Self> {
        let svd = rows.spread(&rows.row, which.iter().copied()).thin_svd().ok()?;
        let sizes = svd.S().column_vector();
        let rank = (0..sizes.nrows()).take_while(|&k| sizes[k] > REDUNDANT * sizes[0]).count();
        let v = svd.V();
        Some(Columns {
            directions: svd.U().subcols(0, rank).to_owned(),
            weights: Mat::from_fn(v.nrows(), rank, |i, k| v[(i, k)] / sizes[k]),
            which,
        })
    }

    /// The motion that cancels the response of these rows.
    fn missing(&self, response: &[f64]) -> Mat<f64> {
        let off = Mat::from_fn(self.which.len(), 1, |k, _| -response[self.which[k]]);
        &self.directions * (self.weights.transpose() * off)
    }

    /// Adds the forces that cause a motion.
    fn cause(&self, motion: &Mat<f64>, force: &mut [f64]) {
        let change = &self.weights * (self.directions.transpose() * motion);
        for (k, &r) in self.which.iter().enumerate() {
            force[r] += change[(k, 0)];
        }
    }
}

/// The minimum-norm forces, of any sign, that hold these rows.
pub(super) fn hold(rows: &Rows, held: &[usize]) -> Option<Vec<f64>> {
    let mut force = vec![0.0; rows.len()];
    if held.is_empty() {
        return Some(force);
    }
    let columns = Columns::new(rows, held.to_vec())?;
    for _ in 0..CORRECTIONS {
        let motion = columns.missing(&rows.response(&force));
        columns.cause(&motion, &mut force);
    }
    Some(force)
}

/// Changes forces as little as possible so that they hold these rows and no contact pulls.
pub(super) fn settle(rows: &Rows, held: &[usize], force: &mut [f64]) -> Option<()> {
    let largest = force[..rows.bilateral].iter().copied().fold(0.0, f64::max);
    for f in &mut force[..rows.bilateral] {
        *f = if *f > NO_FORCE_OF_PROGRAM * largest { *f } else { 0.0 };
    }
    if held.is_empty() {
        return Some(());
    }
    let all = Columns::new(rows, held.to_vec())?;
    for _ in 0..DROPS {
        let pushes = |&r: &usize| r >= rows.bilateral || force[r] > 0.0;
        let pushing: Vec<usize> = held.iter().copied().filter(pushes).collect();
        if pushing.is_empty() {
            return Some(());
        }
        let some = Columns::new(rows, pushing)?;
        for _ in 0..CORRECTIONS {
            let motion = all.missing(&rows.response(force));
            some.cause(&motion, force);
        }
        let mut dropped = false;
        for f in force[..rows.bilateral].iter_mut().filter(|f| **f < 0.0) {
            *f = 0.0;
            dropped = true;
        }
        if !dropped {
            break;
        }
    }
    Some(())
}

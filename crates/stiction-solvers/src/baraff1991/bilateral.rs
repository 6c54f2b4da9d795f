//! Eliminates bilateral rows.
//!
//! Their forces may have any sign, so they are not part of a complementarity problem. In
//! mass-scaled body space they push along the columns of `B`, and the contacts act on the
//! orthogonal complement:
//!
//! ```text
//!   B = U Σ Vᵀ,     P = I − U Uᵀ
//!   A' = R P C,     b' = b − R U Σ⁻¹ Vᵀ b_B          R, C: rows and columns of the contacts
//!   f_B = −V Σ⁻¹ (Uᵀ C f + Σ⁻¹ Vᵀ b_B)
//! ```
//!
//! Redundant rows have zero singular values; these are cut off, which gives the minimum-norm
//! forces of the rows. Contradictory rows are detected by their residual response.

use crate::error::SolveError;
use crate::rows::Rows;
use crate::settings::{CONTRADICTS, REDUNDANT};
use faer::Mat;

/// `a = A f + b` of the contact rows, with the bilateral rows satisfied.
pub(super) struct Reduced {
    /// `A`, by rows.
    pub a: Vec<f64>,
    /// `b`
    pub b: Vec<f64>,
    held: Option<Held>,
}

/// The subspace in which the bilateral rows act.
struct Held {
    /// `U`: the directions in which they push.
    directions: Mat<f64>,
    /// `V Σ⁻¹`
    weights: Mat<f64>,
}

impl Reduced {
    /// # Errors
    ///
    /// [`SolveError::Contradiction`] if no forces satisfy the bilateral rows.
    pub(super) fn new(rows: &Rows) -> Result<Self, SolveError> {
        let n = rows.bilateral;
        let Some(held) = Held::new(rows) else {
            let a = (0..n * n).map(|k| rows.entry(k / n, k % n)).collect();
            return Ok(Reduced { a, b: rows.bias[..n].to_vec(), held: None });
        };
        let left = |spread: Mat<f64>| {
            let inside = held.directions.transpose() * &spread;
            spread - &held.directions * inside
        };
        let forward = left(rows.spread(&rows.row, 0..n));
        let back = left(rows.spread(&rows.column, 0..n));
        let product = forward.transpose() * back;
        let a = (0..n * n).map(|k| product[(k / n, k % n)]).collect();
        let mut reduced = Reduced { a, b: Vec::new(), held: Some(held) };
        let force = reduced.complete(rows, &vec![0.0; n], true);
        let response = rows.response(&force);
        reduced.b = response[..n].to_vec();
        check(rows, &response)?;
        Ok(reduced)
    }

    /// Forces of all rows from those of the contacts: with the bias of the bilateral rows, or
    /// without it for a direction.
    pub(super) fn complete(&self, rows: &Rows, contacts: &[f64], bias: bool) -> Vec<f64> {
        let mut force = contacts.to_vec();
        force.resize(rows.bounded, 0.0);
        let Some(held) = &self.held else { return force };
        // Twice: the second pass removes the rounding of the first.
        for _ in 0..2 {
            let mut response = rows.response(&force);
            if !bias {
                response.iter_mut().zip(&rows.bias).for_each(|(a, b)| *a -= b);
            }
            let off =
                Mat::from_fn(rows.bounded - rows.bilateral, 1, |i, _| response[rows.bilateral + i]);
            let correction = &held.weights * (held.weights.transpose() * off);
            for r in rows.bilateral..rows.bounded {
                force[r] -= correction[(r - rows.bilateral, 0)];
            }
        }
        force
    }
}

impl Held {
    fn new(rows: &Rows) -> Option<Self> {
        let bilateral = rows.bilateral..rows.bounded;
        if bilateral.is_empty() {
            return None;
        }
        let svd = rows.spread(&rows.row, bilateral).thin_svd().ok()?;
        let sizes = svd.S().column_vector();
        let rank = (0..sizes.nrows()).take_while(|&k| sizes[k] > REDUNDANT * sizes[0]).count();
        let v = svd.V();
        Some(Held {
            directions: svd.U().subcols(0, rank).to_owned(),
            weights: Mat::from_fn(v.nrows(), rank, |i, k| v[(i, k)] / sizes[k]),
        })
    }
}

/// Reports the bilateral row whose response is farthest from zero, if that is a contradiction.
fn check(rows: &Rows, response: &[f64]) -> Result<(), SolveError> {
    let bilateral = rows.bilateral..rows.bounded;
    let size = rows.local[bilateral.clone()].iter().copied().fold(0.0, f64::max);
    match bilateral.max_by(|&p, &q| response[p].abs().total_cmp(&response[q].abs())) {
        Some(r) if response[r].abs() > CONTRADICTS * size => Err(SolveError::Contradiction {
            place: rows.place(r),
            response: rows.physical_response(r, response[r]),
        }),
        _ => Ok(()),
    }
}

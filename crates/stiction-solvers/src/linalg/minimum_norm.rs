//! The shortest of the best solutions of a singular system, by a complete
//! orthogonal factorisation.

use faer::linalg::solvers::Qr;
use faer::{Mat, MatRef};

/// `x = J⁺ v`, `J` square: column-pivoted QR cut at the rank, below `cut` of the
/// largest pivot, then QR of what is left, transposed.
pub(crate) fn minimum_norm(
    jacobian: MatRef<'_, f64>,
    value: MatRef<'_, f64>,
    cut: f64,
) -> Mat<f64> {
    let n = jacobian.ncols();
    let first = jacobian.col_piv_qr();
    let r = first.thin_R();
    let largest = if n > 0 { r[(0, 0)].abs() } else { 0.0 };
    let rank = (0..n).take_while(|&k| r[(k, k)].abs() > cut * largest).count();
    if rank == 0 {
        return Mat::zeros(n, 1);
    }
    let q = first.compute_thin_Q();
    let projected = q.as_ref().subcols(0, rank).transpose() * value;
    // R[..rank, ..] Pᵀ x = projected: minimum norm through QR of its transpose.
    let wide = Mat::from_fn(n, rank, |i, j| if i >= j { r[(j, i)] } else { 0.0 });
    let second = Qr::new(wide.as_ref());
    let triangle = second.thin_R();
    let mut y = projected;
    for i in 0..rank {
        let known: f64 = (0..i).map(|k| triangle[(k, i)] * y[(k, 0)]).sum();
        y[(i, 0)] = (y[(i, 0)] - known) / triangle[(i, i)];
    }
    let permuted = second.compute_thin_Q() * y;
    let mut x = Mat::zeros(n, 1);
    for (k, &column) in first.P().arrays().0.iter().enumerate() {
        x[(column, 0)] = permuted[(k, 0)];
    }
    x
}

//! The minimum-norm least-squares solution of a singular system, by a complete orthogonal
//! factorisation.

use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch as scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj as turn,
    apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj as turn_back,
};
use faer::linalg::solvers::{ColPivQr, Qr};
use faer::{Conj, Mat, MatRef, Par, dyn_stack};

/// `x = J⁺ v`, `J` square.
pub(crate) fn minimum_norm(
    jacobian: MatRef<'_, f64>,
    value: MatRef<'_, f64>,
    cut: f64,
) -> Mat<f64> {
    MinimumNorm::new(jacobian, cut).solve(value)
}

/// `J⁺` of a square `J`: column-pivoted QR cut at the rank, then QR of the transposed
/// remainder.
///
/// ```text
///   J P ≈ Q R,   R = (S T)ᵀ with rank(J) rows        J⁺ = P S T⁻ᵀ Qᵀ
/// ```
pub(crate) struct MinimumNorm {
    first: ColPivQr<f64>,
    second: Qr<f64>,
    rank: usize,
}

impl MinimumNorm {
    /// Pivots below `cut` times the largest count as zero.
    pub(crate) fn new(jacobian: MatRef<'_, f64>, cut: f64) -> Self {
        let n = jacobian.ncols();
        let first = jacobian.col_piv_qr();
        let r = first.thin_R();
        let largest = if n > 0 { r[(0, 0)].abs() } else { 0.0 };
        let rank = (0..n).take_while(|&k| r[(k, k)].abs() > cut * largest).count();
        let wide = Mat::from_fn(n, rank, |i, j| if i >= j { r[(j, i)] } else { 0.0 });
        let second = Qr::new(wide.as_ref());
        MinimumNorm { first, second, rank }
    }

    /// `x = J⁺ v` for one column `v`, without forming `Q` or `S`.
    pub(crate) fn solve(&self, value: MatRef<'_, f64>) -> Mat<f64> {
        let MinimumNorm { first, second, rank } = self;
        let n = value.nrows();
        if *rank == 0 {
            return Mat::zeros(n, 1);
        }
        let block = first.Q_coeff().nrows().max(second.Q_coeff().nrows());
        let mut memory = dyn_stack::MemBuffer::new(scratch::<f64>(n, block, 1));
        let stack = dyn_stack::MemStack::new(&mut memory);
        let mut y = value.to_owned();
        let (basis, coefficients) = (first.Q_basis(), first.Q_coeff());
        turn_back(basis, coefficients, Conj::No, y.as_mut(), Par::Seq, stack);
        let triangle = second.thin_R();
        for i in 0..*rank {
            let known: f64 = (0..i).map(|k| triangle[(k, i)] * y[(k, 0)]).sum();
            y[(i, 0)] = (y[(i, 0)] - known) / triangle[(i, i)];
        }
        for i in *rank..n {
            y[(i, 0)] = 0.0;
        }
        let (basis, coefficients) = (second.Q_basis(), second.Q_coeff());
        turn(basis, coefficients, Conj::No, y.as_mut(), Par::Seq, stack);
        let mut x = Mat::zeros(n, 1);
        for (k, &column) in first.P().arrays().0.iter().enumerate() {
            x[(column, 0)] = y[(k, 0)];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of rank three, not symmetric.
    fn singular(n: usize) -> Mat<f64> {
        let left = Mat::from_fn(n, 3, |i, k| (((i * i + 3) * (k + 1)) as f64).sin());
        let right = Mat::from_fn(3, n, |k, j| (((j * j + 5) * (k + 2)) as f64).cos());
        left * right
    }

    /// Moore and Penrose, column by column of `X`: `J X J = J`, `X J X = X`, and
    /// both products are symmetric.
    #[test]
    fn it_is_the_pseudoinverse_below_the_rank_and_at_it() {
        for (n, cut, bump) in [(7, 1e-11, 0.0), (40, 1e-11, 0.0), (40, 1e-11, 3.0)] {
            let j = singular(n) + Mat::from_fn(n, n, |i, k| if i == k { bump } else { 0.0 });
            let factor = MinimumNorm::new(j.as_ref(), cut);
            assert_eq!(factor.rank, if bump > 0.0 { n } else { 3 });
            let mut x = Mat::zeros(n, n);
            for c in 0..n {
                let unit = Mat::from_fn(n, 1, |i, _| if i == c { 1.0 } else { 0.0 });
                let column = factor.solve(unit.as_ref());
                (0..n).for_each(|i| x[(i, c)] = column[(i, 0)]);
            }
            let (jx, xj) = (&j * &x, &x * &j);
            for wrong in [&jx * &j - &j, &xj * &x - &x, &jx - jx.transpose(), &xj - xj.transpose()]
            {
                assert!(wrong.norm_max() < 1e-11, "{n}: {:e}", wrong.norm_max());
            }
        }
    }
}

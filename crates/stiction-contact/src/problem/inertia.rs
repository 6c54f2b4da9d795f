//! The response of a body to a wrench: its inertia as given, and the inverse that solvers use.
//!
//! Mass and inertia are stored as given. An inverse computed in `f64` is wrong in its leading
//! digits once the condition number of an inertia nears 1e16, and wrong in the digits that a
//! certificate checks long before. So the factor is computed in double-double and each entry is
//! rounded once.

use crate::double::Dd;
use crate::settings::HALF_ULP;

/// The inertia of a body against a wrench `[force; torque]`, in world axes about its centre of
/// mass.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one per body, read together")]
pub enum Inertia {
    /// No force moves the body.
    Fixed,
    /// A free rigid body.
    Rigid {
        /// Mass (kg).
        mass: f64,
        /// Inertia (kg·m²): symmetric, positive definite beyond the rounding of its entries. The
        /// mean of both triangles is used.
        inertia: [[f64; 3]; 3],
    },
    /// Response to a unit wrench: symmetric, positive semidefinite. The out-of-plane entries of
    /// a planar body are zero.
    Inverse([[f64; 6]; 6]),
}

impl Inertia {
    /// Whether no force can move the body.
    pub fn is_fixed(&self) -> bool {
        match self {
            Inertia::Fixed => true,
            Inertia::Rigid { .. } => false,
            Inertia::Inverse(inverse) => inverse.as_flattened().iter().all(|&x| x == 0.0),
        }
    }

    /// Response to a unit wrench, each entry rounded once.
    ///
    /// Entries are not finite if the mass is not positive or the inertia not positive definite.
    pub fn inverse(&self) -> [[f64; 6]; 6] {
        let mut inverse = [[0.0; 6]; 6];
        match self {
            Inertia::Fixed => {}
            Inertia::Inverse(given) => inverse = *given,
            Inertia::Rigid { mass, inertia } => {
                let root = inverse_root(inertia);
                for i in 0..3 {
                    inverse[i][i] = 1.0 / mass;
                    for j in 0..3 {
                        let product = |k: usize| root[i][k] * root[j][k];
                        inverse[3 + i][3 + j] = (product(0) + product(1) + product(2)).value();
                    }
                }
            }
        }
        inverse
    }

    /// `M⁻¹ w` of a wrench, in double-double throughout and rounded at the end.
    pub fn response(&self, wrench: &[f64; 6]) -> [f64; 6] {
        let sum = |terms: [Dd; 3]| (terms[0] + terms[1] + terms[2]).value();
        if let Inertia::Rigid { mass, inertia } = self {
            let root = inverse_root(inertia);
            let [.., x, y, z] = *wrench;
            let along = |k: usize| root[0][k] * x + root[1][k] * y + root[2][k] * z;
            let moved = [along(0), along(1), along(2)];
            let turn = |i: usize| sum([0, 1, 2].map(|k| root[i][k] * moved[k]));
            let push = |i: usize| wrench[i] / mass;
            return [push(0), push(1), push(2), turn(0), turn(1), turn(2)];
        }
        self.inverse().map(|row| {
            let terms = row.iter().zip(wrench).map(|(m, w)| Dd::from(*m) * *w);
            terms.fold(Dd::default(), |sum, x| sum + x).value()
        })
    }

    /// `vᵀ M v`, twice the kinetic energy. Directions in which no force moves the body
    /// contribute nothing.
    pub fn energy(&self, velocity: &[f64; 6]) -> f64 {
        match self {
            Inertia::Fixed => 0.0,
            Inertia::Rigid { mass, inertia } => {
                let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
                let turn = &velocity[3..];
                let row = |row: &[f64; 3]| row.iter().zip(turn).map(|(m, w)| m * w).sum::<f64>();
                let turning: f64 = inertia.iter().zip(turn).map(|(r, w)| row(r) * w).sum();
                mass * square(&velocity[..3]) + turning
            }
            Inertia::Inverse(_) => {
                let root = self.root().unwrap_or_default();
                let mut y = [0.0; 6];
                for i in 0..6 {
                    if root[i][i] > 0.0 {
                        let taken: f64 = (0..i).map(|k| root[i][k] * y[k]).sum();
                        y[i] = (velocity[i] - taken) / root[i][i];
                    }
                }
                y.iter().map(|y| y * y).sum()
            }
        }
    }

    /// A lower triangular `S` with `S Sᵀ = M⁻¹`, columns of zeros where the body cannot move;
    /// `None` if it does not exist.
    pub fn root(&self) -> Option<[[f64; 6]; 6]> {
        match self {
            Inertia::Fixed => Some([[0.0; 6]; 6]),
            Inertia::Inverse(inverse) => semidefinite_root(inverse),
            Inertia::Rigid { mass, inertia } => {
                let mut root = [[0.0; 6]; 6];
                let angular = inverse_root(inertia);
                for i in 0..3 {
                    root[i][i] = 1.0 / mass.sqrt();
                    for j in 0..=i {
                        root[3 + i][3 + j] = angular[i][j].value();
                    }
                }
                root.as_flattened().iter().all(|x| x.is_finite()).then_some(root)
            }
        }
    }
}

/// The lower triangular `S` with `S Sᵀ = I⁻¹`; not finite if `I` is not positive definite beyond
/// the rounding of its entries.
///
/// With the upper triangular `R` of `I = R Rᵀ` it is `R⁻ᵀ`. Both are computed from the last row
/// to the first, in double-double.
fn inverse_root(inertia: &[[f64; 3]; 3]) -> [[Dd; 3]; 3] {
    let at = |i: usize, j: usize| (Dd::from(inertia[i][j]) + Dd::from(inertia[j][i])) * 0.5;
    let mut r = [[Dd::default(); 3]; 3];
    for j in (0..3).rev() {
        let taken = |r: &[[Dd; 3]; 3], i: usize| {
            (j + 1..3).fold(at(i, j), |rest, k| rest - r[i][k] * r[j][k])
        };
        let pivot = taken(&r, j);
        let positive = pivot.value() > HALF_ULP * at(j, j).value();
        r[j][j] = if positive { pivot.sqrt() } else { Dd::from(f64::NAN) };
        for i in 0..j {
            r[i][j] = taken(&r, i) / r[j][j];
        }
    }
    // Sᵀ R = 1, column by column of S.
    let mut s = [[Dd::default(); 3]; 3];
    for j in 0..3 {
        s[j][j] = Dd::from(1.0) / r[j][j];
        for i in j + 1..3 {
            let sum = (j..i).fold(Dd::default(), |sum, k| sum + r[k][i] * s[k][j]);
            s[i][j] = -(sum / r[i][i]);
        }
    }
    s
}

/// The same for a given inverse, which may be rank-deficient.
///
/// Entries are compared after scaling the diagonal to one, so that the result does not depend
/// on the units of length and mass.
fn semidefinite_root(inverse: &[[f64; 6]; 6]) -> Option<[[f64; 6]; 6]> {
    /// Pivots of the unit-diagonal matrix below this are zero (rounding of six products).
    const ZERO_PIVOT: f64 = 1e-13;
    let size: [f64; 6] = std::array::from_fn(|i| inverse[i][i].max(0.0).sqrt());
    let mut root = [[0.0; 6]; 6];
    for j in 0..6 {
        for i in j..6 {
            let scale = size[i] * size[j];
            let taken: f64 = (0..j).map(|k| root[i][k] * root[j][k]).sum();
            let rest = inverse[i][j] - taken;
            if i == j {
                if inverse[i][i] < 0.0 || rest < -ZERO_PIVOT * scale {
                    return None;
                }
                root[i][i] = if rest <= ZERO_PIVOT * scale { 0.0 } else { rest.sqrt() };
            } else if root[j][j] > 0.0 {
                root[i][j] = rest / root[j][j];
            } else if rest.abs() > 1e-6 * scale || (scale == 0.0 && rest != 0.0) {
                return None;
            }
        }
    }
    Some(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `I⁻¹ I` is the identity up to rounding, whatever the condition number.
    #[test]
    fn ill_conditioned_inertias_have_an_inverse_to_the_last_digit() {
        for thin in [1e-2, 1e-6, 1e-10, 1e-14] {
            // The inertia along (1, 2, 2)/3 is nearly zero.
            let axis = [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0];
            let inertia: [[f64; 3]; 3] = std::array::from_fn(|i| {
                std::array::from_fn(|j| {
                    let unit = if i == j { 1.0 } else { 0.0 };
                    unit - (1.0 - thin) * axis[i] * axis[j]
                })
            });
            let given = Inertia::Rigid { mass: 1.0, inertia };
            for k in 0..3 {
                let mut wrench = [0.0; 6];
                for i in 0..3 {
                    wrench[3 + i] = inertia[i][k];
                }
                let unit = given.response(&wrench);
                for i in 0..3 {
                    let expected = if i == k { 1.0 } else { 0.0 };
                    assert!((unit[3 + i] - expected).abs() < 1e-15, "{thin:e}: {unit:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_positive_definite_has_no_root() {
        let flat = [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert!(Inertia::Rigid { mass: 1.0, inertia: flat }.root().is_none());
        // Three Fibonacci numbers in a row: the determinant is 1, a part in 10³¹ of its terms.
        let [a, b, c] = [2_111_485_077_978_050.0, 3_416_454_622_906_707.0, 5_527_939_700_884_757.0];
        let nearly = [[a, b, 0.0], [b, c, 0.0], [0.0, 0.0, a]];
        assert!(Inertia::Rigid { mass: 1.0, inertia: nearly }.root().is_none());
        let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for mass in [0.0, -1.0, f64::NAN] {
            assert!(Inertia::Rigid { mass, inertia: unit }.root().is_none(), "{mass}");
        }
    }
}

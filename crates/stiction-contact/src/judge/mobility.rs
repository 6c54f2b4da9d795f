//! The response of bodies to wrenches: the judge's own solve with mass and inertia as given.

use crate::double::{Dd, dot_sparse};
use crate::problem::Inertia;

/// How one body answers.
pub(super) struct Mobility {
    exact: Exact,
    /// `M⁻¹` rounded to `f64`, for the sizes of things.
    pub rounded: [[f64; 6]; 6],
}

/// `M⁻¹`, applied in double-double.
enum Exact {
    Fixed,
    Rigid {
        /// 1/m
        inverse_mass: Dd,
        /// `L D Lᵀ = I`: `L` below the diagonal, `D⁻¹` on it.
        factor: [[Dd; 3]; 3],
    },
    Inverse(Box<[[f64; 6]; 6]>),
}

impl Mobility {
    pub(super) fn new(inertia: &Inertia) -> Self {
        let exact = match inertia {
            Inertia::Fixed => Exact::Fixed,
            Inertia::Inverse(inverse) => Exact::Inverse(Box::new(*inverse)),
            Inertia::Rigid { mass, inertia } => Exact::Rigid {
                inverse_mass: Dd::from(1.0) / Dd::from(*mass),
                factor: factor(inertia),
            },
        };
        let rounded = exact.rounded();
        Mobility { exact, rounded }
    }

    /// That of a body that nothing pushes.
    pub(super) fn none() -> Self {
        Mobility { exact: Exact::Fixed, rounded: [[0.0; 6]; 6] }
    }

    /// Whether no wrench moves it.
    pub(super) fn is_none(&self) -> bool {
        matches!(self.exact, Exact::Fixed)
    }

    /// `M⁻¹ w`
    pub(super) fn response(&self, wrench: &[Dd; 6]) -> [Dd; 6] {
        self.exact.response(wrench)
    }
}

impl Exact {
    fn response(&self, wrench: &[Dd; 6]) -> [Dd; 6] {
        match self {
            Exact::Fixed => [Dd::default(); 6],
            Exact::Inverse(inverse) => inverse.map(|row| dot_sparse(&row, wrench)),
            Exact::Rigid { inverse_mass, factor } => {
                let [.., p, q, r] = *wrench;
                let q = q - factor[1][0] * p;
                let r = r - factor[2][0] * p - factor[2][1] * q;
                let z = r * factor[2][2];
                let y = q * factor[1][1] - factor[2][1] * z;
                let x = p * factor[0][0] - factor[1][0] * y - factor[2][0] * z;
                let along = |k: usize| wrench[k] * *inverse_mass;
                [along(0), along(1), along(2), x, y, z]
            }
        }
    }

    fn rounded(&self) -> [[f64; 6]; 6] {
        if let Exact::Inverse(inverse) = self {
            return **inverse;
        }
        std::array::from_fn(|k| {
            let unit = std::array::from_fn(|i| Dd::from(if i == k { 1.0 } else { 0.0 }));
            self.response(&unit).map(Dd::value)
        })
    }
}

fn factor(inertia: &[[f64; 3]; 3]) -> [[Dd; 3]; 3] {
    let at = |i: usize, j: usize| (Dd::from(inertia[i][j]) + Dd::from(inertia[j][i])) * 0.5;
    let one = Dd::from(1.0);
    let first = at(0, 0);
    let (l10, l20) = (at(1, 0) / first, at(2, 0) / first);
    let second = at(1, 1) - l10 * at(1, 0);
    let l21 = (at(2, 1) - l20 * at(1, 0)) / second;
    let third = at(2, 2) - l20 * at(2, 0) - l21 * l21 * second;
    let none = Dd::default();
    [[one / first, none, none], [l10, one / second, none], [l20, l21, one / third]]
}

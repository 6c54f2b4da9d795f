//! The law of one element on the central path, as a smooth function of its response.
//!
//! With a compliance `α` around forces `c` the law asks for the nearest lawful force of `c − û/α`,
//! which has a kink wherever a mode changes. Instead of a product `λ s = 0` of the force and
//! `s = û + α (λ − c)` these functions have `λ s = κ`, and nothing is held inside a boundary:
//!
//! ```text
//!   one row     λ = φ(z)       φ(z) = (z + √(z² + 4ε²))/2       ε² = κ/α       z = c − û/α
//!   cone        λ₁ = φ(z₀ − |z_t|)   λ₂ = φ(z₀ + |z_t|)          z₀ = μ (c_n − û_n/(μ² α))
//!               μ λ_n = (λ₁ + λ₂)/2      λ_t = (λ₂ − λ₁)/2 z_t/|z_t|
//! ```
//!
//! The cone is that of Jordan algebra with `μ` times the normal force, in which projection takes the
//! positive parts of the two `λ`; `α` is multiplied by `1/μ`, so that normal forces and friction are
//! equally far from being stiff. `κ = 0` is the projection itself.
//!
//! # Reference
//!
//! X. D. Chen, D. Sun, J. Sun. *Complementarity functions and numerical experiments on some smoothing
//! Newton methods for second-order-cone complementarity problems.* Computational Optimization and
//! Applications 25 (2003), 39–56.

use crate::space::{Block, Element, Law, NONE, UNIT, length, scaled};

/// Cones of less friction than this are smoothed as if they had it; points of the laws follow.
const NARROW: f64 = 1e-3;

/// How smooth the laws are: `1/α` and `κ`.
#[derive(Clone, Copy)]
pub(super) struct Smoothing {
    pub stiffness: f64,
    pub product: f64,
}

/// A force, and `−dλ/du`.
type Smoothed = ([f64; 3], Block);

impl Smoothing {
    /// The force of an element with this center and response, and how it falls with the response.
    pub(super) fn of(self, element: &Element, c: [f64; 3], u: [f64; 3]) -> Smoothed {
        let s = self.stiffness;
        let z = c[0] - u[0] * s;
        match element.law {
            Law::Bilateral => ([z, 0.0, 0.0], scaled(&UNIT, s)),
            Law::Bounded { lower, upper } => {
                let (force, slope) = between(z, lower, upper, self.width(s));
                ([force, 0.0, 0.0], first(s * slope))
            }
            Law::Contact { friction } if element.rows == 1 || friction == 0.0 => {
                let (force, slope) = positive(z, self.width(s));
                ([force, 0.0, 0.0], first(s * slope))
            }
            Law::Contact { friction } => self.cone(friction.max(NARROW), c, u),
        }
    }

    /// ε
    fn width(self, stiffness: f64) -> f64 {
        (self.product * stiffness).sqrt()
    }

    fn cone(self, mu: f64, c: [f64; 3], u: [f64; 3]) -> Smoothed {
        let s = self.stiffness * mu.min(1.0);
        let width = self.width(s);
        let speed = length(u[1], u[2]);
        let along_slip = if speed > 0.0 { [u[1] / speed, u[2] / speed] } else { [0.0; 2] };
        let normal = mu * c[0] - s * (u[0] / mu + speed);
        let tangent = [c[1] - s * u[1], c[2] - s * u[2]];
        let size = length(tangent[0], tangent[1]);
        let e = if size > 0.0 { tangent.map(|x| x / size) } else { [1.0, 0.0] };
        let (least, slope_of_least) = positive(normal - size, width);
        let (most, slope_of_most) = positive(normal + size, width);
        let radius = 0.5 * (most - least);
        let force = [0.5 * (least + most) / mu, radius * e[0], radius * e[1]];
        let same = 0.5 * (slope_of_least + slope_of_most);
        let mixed = 0.5 * (slope_of_most - slope_of_least);
        let across = if size > 0.0 { radius / size } else { same };
        let mut slope = NONE;
        slope[0][0] = s * same / (mu * mu);
        for i in 0..2 {
            slope[0][i + 1] = s * (same * along_slip[i] + mixed * e[i]) / mu;
            slope[i + 1][0] = s * mixed * e[i] / mu;
            for k in 0..2 {
                let unit = if i == k { 1.0 } else { 0.0 };
                slope[i + 1][k + 1] = s
                    * (mixed * e[i] * along_slip[k]
                        + same * e[i] * e[k]
                        + across * (unit - e[i] * e[k]));
            }
        }
        (force, slope)
    }
}

/// `φ(z)` and its slope, without cancellation.
fn positive(z: f64, width: f64) -> (f64, f64) {
    let root = (z * z + 4.0 * width * width).sqrt();
    if root == 0.0 {
        return (0.0, 0.5);
    }
    let value = if z > 0.0 { 0.5 * (z + root) } else { 2.0 * width * width / (root - z) };
    (value, value / root)
}

/// The same between two bounds, of which one or both may be infinite.
fn between(z: f64, lower: f64, upper: f64, width: f64) -> (f64, f64) {
    let mut end = (z, 1.0);
    if lower.is_finite() {
        let (above, slope) = positive(z - lower, width);
        end = (lower + above, slope);
    }
    if upper.is_finite() {
        let (beyond, slope) = positive(z - upper, width);
        end = if lower.is_finite() {
            (end.0 - beyond, end.1 - slope)
        } else {
            let (below, slope) = positive(upper - z, width);
            (upper - below, slope)
        };
    }
    end
}

fn first(slope: f64) -> Block {
    let mut block = NONE;
    block[0][0] = slope;
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laws() -> [Element; 6] {
        let element = |rows, law| Element { at: 0, rows, law };
        let infinity = f64::INFINITY;
        [
            element(3, Law::Contact { friction: 0.7 }),
            element(3, Law::Contact { friction: 1.5 }),
            element(1, Law::Contact { friction: 0.0 }),
            element(1, Law::Bounded { lower: -0.5, upper: 0.25 }),
            element(1, Law::Bounded { lower: -infinity, upper: 0.25 }),
            element(1, Law::Bilateral),
        ]
    }

    /// The slope is that of small differences.
    #[test]
    fn slopes_are_those_of_differences() {
        let smoothing = Smoothing { stiffness: 20.0, product: 1e-3 };
        for element in laws() {
            for u in [[0.1, 0.3, -0.2], [-0.2, 0.01, 0.02], [0.02, -0.4, 0.1]] {
                let c = [0.3, -0.1, 0.05];
                let (_, slope) = smoothing.of(&element, c, u);
                for j in 0..element.rows {
                    let [less, more] = [-1e-6, 1e-6].map(|step| {
                        let mut moved = u;
                        moved[j] += step;
                        smoothing.of(&element, c, moved).0
                    });
                    for i in 0..element.rows {
                        let difference = (less[i] - more[i]) / 2e-6;
                        let close = (difference - slope[i][j]).abs() < 1e-4;
                        assert!(close, "{element:?} {i} {j}: {difference} {}", slope[i][j]);
                    }
                }
            }
        }
    }

    /// With a small product it is the lawful force, and forces stay inside their bounds.
    #[test]
    fn without_a_product_it_is_the_law() {
        let smoothing = Smoothing { stiffness: 1.0, product: 1e-24 };
        for element in laws() {
            let c = [0.3, -0.1, 0.05];
            let (force, _) = smoothing.of(&element, c, [0.0; 3]);
            let lawful = element.nearest(c);
            (0..element.rows).for_each(|k| assert!((force[k] - lawful[k]).abs() < 1e-11));
        }
    }
}

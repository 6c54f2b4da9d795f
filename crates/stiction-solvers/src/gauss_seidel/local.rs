//! One contact, the others held: `u = A r + b` with Coulomb's law, exactly.
//!
//! ```text
//!   b_n ≥ 0                    open     r = 0
//!   −A⁻¹ b within the cone     stick    r = −A⁻¹ b
//!   otherwise                  slip     r = r_n (1, μ e),  u_n = 0,  u_t = −|u_t| e
//! ```
//!
//! In slip `u_n = 0` gives `r_n`, which leaves one equation for the direction `e`
//! of friction, `e × u_t = 0`: Newton from the last direction, else a search
//! around the circle.

use crate::space::times;
use crate::work::Work;

/// Units of work of a contact, its bodies included, and of one direction that is looked at.
const CONTACT_WORK: f64 = 150.0;
const DIRECTION_WORK: f64 = 50.0;

/// Newton steps for the direction.
const STEPS: usize = 12;

/// Change of the angle at which Newton stops: rounding.
const DONE: f64 = 1e-14;

/// Directions that are looked at in the search, and halvings between two.
const DIRECTIONS: usize = 32;
const HALVINGS: usize = 52;

/// A determinant counts as zero below this part of its cubed trace.
const SINGULAR: f64 = 1e-14;

/// A contact's own block.
pub(crate) struct Block {
    a: [[f64; 3]; 3],
    inverse: Option<[[f64; 3]; 3]>,
    friction: f64,
    dimension: usize,
}

impl Block {
    /// In the plane the third row and column are ignored.
    pub(crate) fn new(mut a: [[f64; 3]; 3], friction: f64, dimension: usize) -> Self {
        if dimension == 2 {
            for k in 0..3 {
                (a[k][2], a[2][k]) = (0.0, 0.0);
            }
            a[2][2] = f64::midpoint(a[0][0], a[1][1]);
        }
        Block { a, inverse: inverse(&a), friction, dimension }
    }

    /// The force; `last` is a guess.
    pub(crate) fn solve(&self, b: [f64; 3], last: [f64; 3], work: &mut Work) -> [f64; 3] {
        work.charge(CONTACT_WORK);
        if b[0] >= 0.0 {
            return [0.0; 3];
        }
        let stick = self.inverse.map(|inverse| times(&inverse, b).map(|x| -x));
        if let Some(r) = stick
            && r[0] >= 0.0
            && r[1].hypot(r[2]) <= self.friction * r[0]
        {
            return r;
        }
        let guesses = [Some(last), stick];
        self.slip(b, guesses, work).unwrap_or_else(|| self.project(b, last))
    }

    fn slip(
        &self,
        b: [f64; 3],
        guesses: [Option<[f64; 3]>; 2],
        work: &mut Work,
    ) -> Option<[f64; 3]> {
        if self.friction == 0.0 {
            return self.at(b, [1.0, 0.0]).map(|(r_n, _)| [r_n, 0.0, 0.0]);
        }
        if self.dimension == 2 {
            return [1.0, -1.0].into_iter().find_map(|e| self.sliding(b, [e, 0.0]));
        }
        for guess in guesses.into_iter().flatten().filter(|g| g[1] != 0.0 || g[2] != 0.0) {
            if let Some(r) = self.newton(b, guess[2].atan2(guess[1]), work) {
                return Some(r);
            }
        }
        self.search(b, work)
    }

    /// Normal force and tangential response of slip against `e`.
    fn at(&self, b: [f64; 3], e: [f64; 2]) -> Option<(f64, [f64; 2])> {
        let (a, mu) = (&self.a, self.friction);
        let stiffness = a[0][0] + mu * (a[0][1] * e[0] + a[0][2] * e[1]);
        if stiffness <= 0.0 {
            return None;
        }
        let r_n = -b[0] / stiffness;
        let u = [1, 2].map(|k| r_n * (a[k][0] + mu * (a[k][1] * e[0] + a[k][2] * e[1])) + b[k]);
        Some((r_n, u))
    }

    /// The force, if slip is against its direction.
    fn sliding(&self, b: [f64; 3], e: [f64; 2]) -> Option<[f64; 3]> {
        let (r_n, u) = self.at(b, e)?;
        (u[0] * e[0] + u[1] * e[1] <= 0.0)
            .then(|| [r_n, self.friction * r_n * e[0], self.friction * r_n * e[1]])
    }

    fn newton(&self, b: [f64; 3], mut angle: f64, work: &mut Work) -> Option<[f64; 3]> {
        let (a, mu) = (&self.a, self.friction);
        for _ in 0..STEPS {
            work.charge(DIRECTION_WORK);
            let e = [angle.cos(), angle.sin()];
            let turned = [-e[1], e[0]];
            let (r_n, u) = self.at(b, e)?;
            let stiffness = -b[0] / r_n;
            let r_slope = -r_n * mu * (a[0][1] * turned[0] + a[0][2] * turned[1]) / stiffness;
            let u_slope = [1, 2].map(|k| {
                r_slope * (a[k][0] + mu * (a[k][1] * e[0] + a[k][2] * e[1]))
                    + r_n * mu * (a[k][1] * turned[0] + a[k][2] * turned[1])
            });
            let value = cross(e, u);
            let slope = cross(turned, u) + cross(e, u_slope);
            let step = -value / slope;
            if !step.is_finite() {
                return None;
            }
            angle += step.clamp(-0.5, 0.5);
            if step.abs() <= DONE {
                return self.sliding(b, [angle.cos(), angle.sin()]);
            }
        }
        None
    }

    /// Around the circle, then by halving.
    fn search(&self, b: [f64; 3], work: &mut Work) -> Option<[f64; 3]> {
        work.charge(DIRECTION_WORK * DIRECTIONS as f64);
        let turn = std::f64::consts::TAU / DIRECTIONS as f64;
        let value = |angle: f64| {
            let e = [angle.cos(), angle.sin()];
            self.at(b, e).map(|(_, u)| cross(e, u))
        };
        let mut last = value(0.0);
        for k in 0..DIRECTIONS {
            let (mut low, mut high) = (turn * k as f64, turn * (k + 1) as f64);
            let both = (last, value(high));
            last = both.1;
            let (Some(start), Some(end)) = both else { continue };
            if start * end > 0.0 {
                continue;
            }
            work.charge(DIRECTION_WORK * HALVINGS as f64);
            for _ in 0..HALVINGS {
                let middle = f64::midpoint(low, high);
                if value(middle)? * start > 0.0 {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            if let Some(r) = self.sliding(b, [low.cos(), low.sin()]) {
                return Some(r);
            }
        }
        None
    }

    /// No law fits (a block that is not positive definite): a projected step.
    fn project(&self, b: [f64; 3], last: [f64; 3]) -> [f64; 3] {
        let trace = (self.a[0][0] + self.a[1][1] + self.a[2][2]).max(f64::MIN_POSITIVE);
        let u = times(&self.a, last);
        let mut r = [0, 1, 2].map(|k| last[k] - (u[k] + b[k]) / trace);
        r[0] = r[0].max(0.0);
        let (length, most) = (r[1].hypot(r[2]), self.friction * r[0]);
        if length > most {
            r[1] *= most / length;
            r[2] *= most / length;
        }
        r
    }
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// By cofactors.
fn inverse(a: &[[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let minor = |i: usize, j: usize| {
        let (p, q) = ((i + 1) % 3, (i + 2) % 3);
        let (r, s) = ((j + 1) % 3, (j + 2) % 3);
        a[p][r] * a[q][s] - a[p][s] * a[q][r]
    };
    let determinant: f64 = (0..3).map(|j| a[0][j] * minor(0, j)).sum();
    let trace = (a[0][0] + a[1][1] + a[2][2]) / 3.0;
    if determinant.abs() <= SINGULAR * trace.abs().powi(3) || !determinant.is_finite() {
        return None;
    }
    Some([0, 1, 2].map(|i| [0, 1, 2].map(|j| minor(j, i) / determinant)))
}

#[cfg(test)]
mod tests {
    use super::{Block, Work};

    fn solve(block: &Block, b: [f64; 3]) -> [f64; 3] {
        block.solve(b, [0.0; 3], &mut Work::unlimited())
    }

    /// A block of unit stiffness pressed by 1 and dragged by t: it sticks up to
    /// t = μ and slides with friction μ beyond.
    #[test]
    fn unit_stiffness_sticks_or_slides() {
        let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for dimension in [2, 3] {
            let block = Block::new(unit, 0.5, dimension);
            assert_eq!(solve(&block, [1.0, 3.0, 0.0]), [0.0; 3]);
            assert_eq!(solve(&block, [-1.0, 0.25, 0.0]), [1.0, -0.25, 0.0]);
            let slid = solve(&block, [-1.0, 2.0, 0.0]);
            assert!((slid[0] - 1.0).abs() + (slid[1] + 0.5).abs() + slid[2].abs() < 1e-15);
        }
    }

    /// Coupled blocks: whatever comes out satisfies the law.
    #[test]
    fn slip_is_against_friction() {
        let a = [[2.0, 0.4, -0.3], [0.5, 1.5, 0.2], [-0.2, 0.1, 1.0]];
        let block = Block::new(a, 0.3, 3);
        for k in 0_u8..40 {
            let angle = f64::from(k) * 0.157;
            let b = [-1.0, 3.0 * angle.cos(), 3.0 * angle.sin()];
            let r = solve(&block, b);
            let u = [0, 1, 2].map(|i| (0..3).map(|j| a[i][j] * r[j]).sum::<f64>() + b[i]);
            assert!(u[0].abs() < 1e-13, "{k}: {u:?}");
            let slip = u[1].hypot(u[2]);
            for t in 1..3 {
                assert!((slip * r[t] + 0.3 * r[0] * u[t]).abs() < 1e-12, "{k}: {r:?} {u:?}");
            }
        }
    }
}

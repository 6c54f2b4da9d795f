//! Violations of the laws at a contact or a row, relative to its own scale.
//!
//! Every response is compared with `U` and every force with `F = U / (n·W n)`, where
//!
//! ```text
//!   U = least + floor · forces
//! ```
//!
//! `least` is the motion at that place that forces must stop, `forces` the sum of the effects of
//! single forces there (`exact.rs`). Answers have 53 bits: the remainder of large forces that cancel
//! cannot be smaller than a fraction of them, which is the floor.

use super::number::length;
use std::f64::consts::PI;

/// Added to a friction coefficient where friction is compared with the force it may have, so
/// that there is no division by zero without friction.
const LEAST_FRICTION: f64 = 1e-3;

/// The part of a bound that a tolerance of 1e-6 turns into a few units of its last place.
const ROUNDING: f64 = 1e-9;

/// A measure: the fraction of single forces that counts as motion, and the limit.
#[derive(Clone, Copy)]
pub struct Measure {
    pub floor: f64,
    pub tolerance: f64,
}

/// Limit for certified answers: 100 times the tolerance of the judge.
pub const FINE: Measure = Measure { floor: 1e-4, tolerance: 1e-6 };

/// Clearly wrong, however large the internal forces are: a thousandth of the motion that was to be
/// stopped. At the floor both measures leave the same to 53 bits.
pub const CRUDE: Measure = Measure { floor: 1e-7, tolerance: 1e-3 };

/// Limit for answers that the judge must accept: a hundredth of its tolerance.
pub const STRICT: Measure = Measure { floor: 1e-4, tolerance: 1e-10 };

/// The law that an answer is checked against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Claim {
    /// Friction at its limit points exactly against the slip.
    MaximumDissipation,
    /// Friction at its limit points at least partly against the slip.
    Opposition,
    /// Maximum dissipation on pyramids with this number of sides.
    Pyramid(usize),
}

/// The scales of the residuals at one place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scale {
    pub least: f64,
    pub forces: f64,
}

impl Scale {
    fn at(self, measure: Measure) -> f64 {
        self.least + measure.floor * self.forces
    }
}

/// Friction of a contact.
#[derive(Clone, Copy, Debug)]
pub enum Friction {
    None,
    /// Tied to the normal force: `−μ f_n direction`.
    Tied {
        mu: f64,
        direction: [f64; 3],
    },
    /// Unknown: sticks within one coefficient, slips at the other.
    Free {
        sticking: f64,
        slipping: f64,
    },
}

/// One contact: exact force and response, rounded once.
#[derive(Clone, Debug)]
pub struct Local {
    pub friction: Friction,
    pub normal_force: f64,
    /// Along the line of a planar contact, else in the tangent plane.
    pub friction_force: [f64; 3],
    /// Friction off the line of a planar contact.
    pub stray: f64,
    pub normal_response: f64,
    pub slip: [f64; 3],
    pub normal_scale: Scale,
    pub slip_scale: Scale,
    /// `n·W n`
    pub mobility: f64,
    /// Mean response to a unit force in any direction, at most.
    pub reach: f64,
    /// First and second tangent, for pyramids; the second is missing in the plane.
    pub frame: ([f64; 3], Option<[f64; 3]>),
}

/// `x / y` where `x` is positive, else zero.
fn ratio(x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if y > 0.0 {
        x / y
    } else {
        f64::INFINITY
    }
}

/// The force that causes a response; the force itself where none causes any.
fn force_scale(response: f64, mobility: f64, force: f64) -> f64 {
    if mobility > 0.0 { response / mobility } else { force.abs() }
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl Local {
    /// The largest violation, in parts of `U` or `F`.
    pub fn violation(&self, claim: Claim, measure: Measure) -> f64 {
        let response = self.normal_scale.at(measure);
        let (f, u) = (self.normal_force, self.normal_response);
        let force = force_scale(response, self.mobility, f);
        let normal =
            ratio(-f, force).max(ratio(-u, response)).max(ratio(f, force).min(ratio(u, response)));
        let size = force.min(force_scale(self.slip_scale.at(measure), self.reach, f)).max(f);
        let friction = match self.friction {
            Friction::None => ratio(length(&self.friction_force), LEAST_FRICTION * size),
            Friction::Tied { mu, direction } => {
                let off: [f64; 3] =
                    std::array::from_fn(|k| self.friction_force[k] + mu * f * direction[k]);
                ratio(length(&off), (mu + LEAST_FRICTION) * size)
            }
            Friction::Free { sticking, slipping } => self
                .stick(claim, sticking, size, measure)
                .min(self.slide(claim, slipping, size, measure)),
        };
        let stray = ratio(self.stray, LEAST_FRICTION * size);
        normal.max(friction).max(stray)
    }

    /// The size of friction that the coefficient limits: its length, or on pyramids the sum of
    /// its parts along their directions.
    fn gauge(&self, claim: Claim) -> f64 {
        let ((x, y), Claim::Pyramid(sides)) = (&self.frame, claim) else {
            return length(&self.friction_force);
        };
        let Some(y) = y else { return dot(&self.friction_force, x).abs() };
        let (s, t) = (dot(&self.friction_force, x), dot(&self.friction_force, y));
        let half = PI / sides as f64;
        let edges = (0..sides).map(|k| (2.0 * k as f64 + 1.0) * half);
        edges.map(|angle| (s * angle.cos() + t * angle.sin()) / half.cos()).fold(0.0, f64::max)
    }

    /// The normal force that limits friction. One that pulls violates the normal law, in the
    /// scale of that, and limits nothing.
    fn pushing(&self) -> f64 {
        self.normal_force.max(0.0)
    }

    /// No slip, friction anywhere within its limit.
    fn stick(&self, claim: Claim, mu: f64, size: f64, measure: Measure) -> f64 {
        let excess = self.gauge(claim) - mu * self.pushing();
        ratio(length(&self.slip), self.slip_scale.at(measure))
            .max(ratio(excess, (mu + LEAST_FRICTION) * size))
    }

    /// Friction at its limit, as the claim directs it.
    fn slide(&self, claim: Claim, mu: f64, size: f64, measure: Measure) -> f64 {
        let allowed = (mu + LEAST_FRICTION) * size;
        let gauge = self.gauge(claim);
        let limit = ratio((gauge - mu * self.pushing()).abs(), allowed);
        let speed = length(&self.slip);
        if speed == 0.0 {
            return limit;
        }
        // Relative to the friction limit: the direction of negligible friction does not matter.
        let heading = self.slip.map(|x| x / speed);
        let along = dot(&self.friction_force, &heading);
        let astray = match claim {
            Claim::MaximumDissipation if along >= 0.0 => length(&self.friction_force),
            Claim::MaximumDissipation => {
                let across: [f64; 3] =
                    std::array::from_fn(|k| self.friction_force[k] - along * heading[k]);
                length(&across)
            }
            Claim::Opposition => along,
            Claim::Pyramid(sides) => gauge * self.fastest(&heading, sides) + along,
        };
        let share = ratio(speed, self.slip_scale.at(measure)).min(1.0);
        limit.max(share * ratio(astray, allowed))
    }

    /// The largest component against a direction of the pyramid.
    fn fastest(&self, heading: &[f64; 3], sides: usize) -> f64 {
        let (x, y) = &self.frame;
        let Some(y) = y else { return dot(heading, x).abs() };
        let (s, t) = (dot(heading, x), dot(heading, y));
        let angles = (0..sides).map(|k| 2.0 * PI * k as f64 / sides as f64);
        angles.map(|angle| -(s * angle.cos() + t * angle.sin())).fold(0.0, f64::max)
    }
}

/// One row: exact response, rounded once.
#[derive(Clone, Debug)]
pub struct LocalRow {
    pub force: f64,
    pub response: f64,
    /// Least and greatest force; none for a bilateral row.
    pub bounds: Option<(f64, f64)>,
    pub scale: Scale,
    /// `J M⁻¹ Jᵀ`
    pub mobility: f64,
}

impl LocalRow {
    /// The largest violation, in parts of `U` or `F`.
    pub fn violation(&self, measure: Measure) -> f64 {
        let response = self.scale.at(measure);
        let Some((lower, upper)) = self.bounds else {
            return ratio(self.response.abs(), response);
        };
        let (f, u) = (self.force, self.response);
        let force = force_scale(response, self.mobility, f);
        // A bound is a number of 53 bits, and so is a force at it.
        let at =
            |bound: f64| if bound.is_finite() { force.max(ROUNDING * bound.abs()) } else { force };
        let outside = ratio(lower - f, at(lower)).max(ratio(f - upper, at(upper)));
        let opens = ratio(u, response).min(ratio(f - lower, at(lower)));
        let closes = ratio(-u, response).min(ratio(upper - f, at(upper)));
        outside.max(opens).max(closes)
    }
}

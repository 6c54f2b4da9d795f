//! The laws of contact: the distance of a force and a response from each.
//!
//! An error is the distance to the nearest pair of force and response that obeys the law, forces
//! in units of `F`, responses in units of `U` (`judge/scale.rs`). With `n`, `t` the normal and
//! friction force, `u` and `s` the normal response and the slip:
//!
//! ```text
//!   normal      max(−n/F, −u/U, min(n/F, u/U))
//!   cone        (|t| − μ n)/F_t                    F_t = (μ + 10⁻³) max(n, min(F, U_t/W_t))
//!   stick       max(cone, |s|/U_t)
//!   slip        max(| |t| − μ n |/F_t, |s without its part against t|/U_t),   or  |t + μ n ŝ|/F_t
//!   opposition  max(| |t| − μ n |/F_t, |part of s along t|/U_t)
//! ```
//!
//! Of stick and slip the smaller counts. Friction is compared with its own limit, not with the
//! motion: a fast conveyor does not excuse missing friction.
//!
//! If any number is not finite the error is NaN, and NaN is never certified.

use super::response::ContactResponse;
use super::scale::Scale;
use crate::forces::ContactForce;
use crate::problem::{BoundedRow, Contact, Friction, Tangents};
use crate::settings::{BOUND_WEIGHT, CLEAR, LEAST_FRICTION};
use glam::DVec3;

/// One contact with its force and response, split along the normal.
pub(super) struct ContactState {
    pub normal: DVec3,
    pub friction: Friction,
    pub normal_force: f64,
    /// Friction force that the law allows.
    pub friction_force: DVec3,
    /// Friction force that the law does not allow: off the line of a planar contact, any at a
    /// frictionless one, the wrong part at a sliding one.
    pub stray: f64,
    pub normal_response: f64,
    pub slip: DVec3,
    pub scale: Scale,
}

/// The distance of a contact from each law, relative to its scale.
#[derive(Clone, Copy)]
pub(super) struct ContactError {
    pub dissipation: f64,
    pub opposition: f64,
}

impl ContactState {
    pub(super) fn new(
        contact: &Contact,
        force: &ContactForce,
        response: &ContactResponse,
        scale: Scale,
    ) -> Self {
        let normal = DVec3::from_array(contact.normal);
        let given = DVec3::from_array(force.friction);
        let normal_force = force.normal + given.dot(normal);
        let tangential = given - given.dot(normal) * normal;
        let friction_force = match (contact.friction, contact.tangents) {
            (Friction::Frictionless, _) => DVec3::ZERO,
            (Friction::Sliding { friction, direction }, _) => {
                -friction * normal_force * DVec3::from_array(direction)
            }
            (_, Tangents::Plane) => tangential,
            (_, Tangents::Line(tangent)) => {
                let tangent = DVec3::from_array(tangent);
                tangential.dot(tangent) * tangent
            }
        };
        ContactState {
            normal,
            friction: contact.friction,
            normal_force,
            friction_force,
            stray: length(tangential - friction_force),
            normal_response: response.normal,
            slip: response.tangential,
            scale,
        }
    }

    pub(super) fn force(&self) -> DVec3 {
        self.normal_force * self.normal + self.friction_force
    }

    /// Friction beyond its limit.
    pub(super) fn cone_excess(&self) -> f64 {
        (length(self.friction_force) - self.friction.limit() * self.normal_force.max(0.0)).max(0.0)
    }

    /// Unused friction × slip; zero for a sliding contact, whose friction is given.
    pub(super) fn slack_slip(&self) -> f64 {
        let coefficient = match self.friction {
            Friction::Frictionless | Friction::Sliding { .. } => return 0.0,
            Friction::Static { friction } => friction,
            Friction::Coulomb { dynamic_friction, .. } => dynamic_friction,
        };
        let slack = coefficient * self.normal_force - length(self.friction_force);
        slack.max(0.0) * length(self.slip)
    }

    /// Angle between friction and the direction against the slip, where both are large enough
    /// to have one.
    pub(super) fn misalignment_deg(&self) -> f64 {
        let clearly_slips = length(self.slip) > CLEAR * self.scale.slip;
        let clearly_pushed = length(self.friction_force) > CLEAR * self.scale.force;
        if !self.friction.has_tangent_unknowns() || !clearly_slips || !clearly_pushed {
            return 0.0;
        }
        self.friction_force.angle_between(-self.slip).to_degrees()
    }

    /// The scale of friction.
    pub(super) fn friction_scale(&self, coefficient: f64) -> f64 {
        (coefficient + LEAST_FRICTION) * self.normal_force.max(self.scale.friction)
    }

    /// Whether every number is finite.
    fn is_finite(&self) -> bool {
        let Scale { response, slip, force, friction, terms, .. } = self.scale;
        let parts = [self.normal_force, self.stray, self.normal_response];
        let sizes = [length(self.friction_force), length(self.slip), response, slip, force];
        parts.iter().chain(&sizes).chain(&[friction, terms]).all(|x| x.is_finite())
    }

    /// Distance from both laws.
    pub(super) fn error(&self) -> ContactError {
        let common = self.common_error();
        if common.is_nan() {
            return ContactError { dissipation: f64::NAN, opposition: f64::NAN };
        }
        let with = |friction: f64| common.max(friction);
        let (sticking, slipping) = match self.friction {
            Friction::Frictionless | Friction::Sliding { .. } => {
                return ContactError { dissipation: common, opposition: common };
            }
            Friction::Static { friction } => (friction, friction),
            Friction::Coulomb { static_friction, dynamic_friction } => {
                (static_friction, dynamic_friction)
            }
        };
        let stick = self.stick_error(sticking);
        let [slip, opposing] = self.slip_errors(slipping);
        ContactError { dissipation: with(stick.min(slip)), opposition: with(stick.min(opposing)) }
    }

    /// Distance from the conditions that all laws share: the normal law, and no friction where
    /// none is allowed.
    pub(super) fn common_error(&self) -> f64 {
        if !self.is_finite() {
            return f64::NAN;
        }
        self.normal_error().max(self.stray_error())
    }

    /// Friction where none is allowed, relative to the force scale without a coefficient; where
    /// friction is tied to the normal force, with its coefficient, at most one. A rough contact
    /// does not excuse a force perpendicular to the line of a planar one.
    pub(super) fn stray_error(&self) -> f64 {
        let coefficient = match self.friction {
            Friction::Sliding { friction, .. } => friction.min(1.0),
            _ => 0.0,
        };
        over(self.stray, self.friction_scale(coefficient))
    }

    /// Normal law: the force pushes or is zero, the bodies do not approach, and where they
    /// separate the force is zero.
    fn normal_error(&self) -> f64 {
        let force = over(self.normal_force, self.scale.force);
        let response = over(self.normal_response, self.scale.response);
        (-force).max(-response).max(force.min(response)).max(0.0)
    }

    /// Sticking: no slip, and friction within its limit.
    fn stick_error(&self, coefficient: f64) -> f64 {
        let limit = coefficient * self.normal_force.max(0.0);
        let excess = (length(self.friction_force) - limit).max(0.0);
        let slip = over(length(self.slip), self.scale.slip);
        over(excess, self.friction_scale(coefficient)).max(slip)
    }

    /// Slipping: friction at its limit, exactly against the slip, and at least partly against
    /// it.
    fn slip_errors(&self, coefficient: f64) -> [f64; 2] {
        let scale = self.friction_scale(coefficient);
        let limit = coefficient * self.normal_force.max(0.0);
        let off_limit = over((length(self.friction_force) - limit).abs(), scale);
        let direction = unit(self.friction_force);
        let along = self.slip.dot(direction);
        let across = if along < 0.0 { self.slip - along * direction } else { self.slip };
        // Friction is rotated instead of the slip where that is the smaller change.
        let turned = over(length(self.friction_force + limit * unit(self.slip)), scale);
        let exactly = off_limit.max(over(length(across), self.scale.slip));
        let partly = off_limit.max(over(along.max(0.0), self.scale.slip));
        [exactly.min(turned), partly.min(turned)]
    }
}

/// Length of a vector whose squares may underflow or overflow.
pub(super) fn length(v: DVec3) -> f64 {
    let most = v.abs().max_element();
    if most > 0.0 && most < f64::INFINITY { most * (v / most).length() } else { v.length() }
}

/// Its direction; zero for the zero vector.
fn unit(v: DVec3) -> DVec3 {
    let most = v.abs().max_element();
    if most > 0.0 { (v / most).normalize() } else { DVec3::ZERO }
}

/// `x` relative to a scale; zero relative to any scale is zero.
pub(super) fn over(x: f64, scale: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x / scale }
}

/// Distance of a bounded row from its law, relative to its scale: `response = 0`, or the force
/// at the bound that prevents it.
pub(super) fn bounded_error(bounded: &BoundedRow, force: f64, response: f64, scale: Scale) -> f64 {
    let BoundedRow { lower, upper, .. } = *bounded;
    let size = |bound: f64| {
        if bound.is_finite() { scale.force.max(BOUND_WEIGHT * bound.abs()) } else { f64::MAX }
    };
    if ![force, response, scale.response, scale.force].iter().all(|x| x.is_finite()) {
        return f64::NAN;
    }
    let beyond = over((lower - force).max(0.0), size(lower))
        .max(over((force - upper).max(0.0), size(upper)));
    let to_bound = if response > 0.0 {
        over((force - lower).max(0.0), size(lower))
    } else {
        over((upper - force).max(0.0), size(upper))
    };
    beyond.max(over(response.abs(), scale.response).min(to_bound))
}

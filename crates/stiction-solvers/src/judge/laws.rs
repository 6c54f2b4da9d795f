//! The laws of contact, one function each: the force a law would rather see.

use super::response::{ContactResponse, Response};
use super::scale::inverse_mass_at;
use crate::problem::{Contact, ContactProblem, Friction, Row, Tangents};
use crate::solution::{ContactForce, Forces};
use glam::DVec3;

/// The laws that speak of round cones.
#[derive(Clone, Copy)]
pub(super) enum RoundLaw {
    MaximumDissipation,
    Opposition,
}

/// One contact with its force and response, split along the normal.
pub(super) struct ContactState {
    pub normal: DVec3,
    pub friction: Friction,
    pub normal_force: f64,
    /// Friction force that the law may use.
    pub friction_force: DVec3,
    /// Friction force that it may not: off the line of a planar contact, any
    /// at a frictionless one, the wrong part at a sliding one.
    pub stray: f64,
    pub normal_response: f64,
    pub slip: DVec3,
    /// Effective mass of the contact: `ρ`.
    pub mass: f64,
}

/// A force and a response that fit each other exactly, near the given ones.
pub(super) struct Partner {
    pub normal_force: f64,
    pub friction_force: DVec3,
    pub normal_response: f64,
    pub slip: DVec3,
    /// How far the force had to move (and the response, as a force).
    pub residual: f64,
}

impl Partner {
    /// The force in world axes.
    pub(super) fn world_force(&self) -> ContactForce {
        ContactForce { normal: self.normal_force, friction: self.friction_force.to_array() }
    }
}

impl ContactState {
    pub(super) fn new(
        problem: &ContactProblem,
        contact: &Contact,
        force: &ContactForce,
        response: &ContactResponse,
    ) -> Self {
        let normal = DVec3::from_array(contact.normal);
        let given = DVec3::from_array(force.friction);
        let normal_force = force.normal + given.dot(normal);
        let tangential = given - given.dot(normal) * normal;
        let inverse = inverse_mass_at(problem, contact);
        let along = |d: DVec3| d.dot(inverse * d);
        let (friction_force, mass) = match (contact.friction, contact.tangents) {
            (Friction::Frictionless, _) => (DVec3::ZERO, 1.0 / along(normal)),
            (Friction::Sliding { friction, direction }, _) => {
                (-friction * normal_force * DVec3::from_array(direction), 1.0 / along(normal))
            }
            (_, Tangents::Plane) => {
                (tangential, 3.0 / (inverse.x_axis.x + inverse.y_axis.y + inverse.z_axis.z))
            }
            (_, Tangents::Line(tangent)) => {
                let tangent = DVec3::from_array(tangent);
                (tangential.dot(tangent) * tangent, 2.0 / (along(normal) + along(tangent)))
            }
        };
        ContactState {
            normal,
            friction: contact.friction,
            normal_force,
            friction_force,
            stray: (tangential - friction_force).length(),
            normal_response: response.normal,
            slip: response.tangential,
            mass,
        }
    }

    pub(super) fn force(&self) -> DVec3 {
        self.normal_force * self.normal + self.friction_force
    }

    pub(super) fn cone_excess(&self) -> f64 {
        (self.friction_force.length() - self.friction.limit() * self.normal_force.max(0.0)).max(0.0)
    }

    /// Zero for a sliding contact: its friction is what it is.
    pub(super) fn slack_slip(&self) -> f64 {
        let coefficient = match self.friction {
            Friction::Frictionless | Friction::Sliding { .. } => return 0.0,
            Friction::Static { friction } => friction,
            Friction::Coulomb { dynamic_friction, .. } => dynamic_friction,
        };
        let slack = coefficient * self.normal_force - self.friction_force.length();
        slack.max(0.0) * self.slip.length()
    }

    /// Angle between friction and the direction against the slip, where both
    /// are clearly there.
    pub(super) fn misalignment_deg(&self, scale: f64) -> f64 {
        /// Slips and forces below this part of the scale have no clear direction.
        const CLEAR: f64 = 1e-6;
        let clear = CLEAR * scale;
        let clearly_slips = self.slip.length() * self.mass.sqrt() > clear;
        let clearly_pushed = self.friction_force.length() / self.mass.sqrt() > clear;
        if !self.friction.has_tangent_unknowns() || !clearly_slips || !clearly_pushed {
            return 0.0;
        }
        self.friction_force.angle_between(-self.slip).to_degrees()
    }

    /// The exact pair nearest to this one under a law.
    pub(super) fn partner(&self, law: RoundLaw) -> Partner {
        let mut partner = match (self.friction, law) {
            (Friction::Frictionless, _) => self.normal_partner(0.0, DVec3::ZERO),
            (Friction::Sliding { friction, direction }, _) => {
                self.normal_partner(friction, DVec3::from_array(direction))
            }
            (Friction::Static { friction }, RoundLaw::MaximumDissipation) => {
                self.cone_partner(friction)
            }
            (Friction::Static { friction }, RoundLaw::Opposition) => {
                better(self.stick_partner(friction), self.opposing_partner(friction))
            }
            (
                Friction::Coulomb { static_friction, dynamic_friction },
                RoundLaw::MaximumDissipation,
            ) => {
                let slipping = self.cone_partner(dynamic_friction);
                if static_friction == dynamic_friction {
                    slipping
                } else {
                    better(self.stick_partner(static_friction), slipping)
                }
            }
            (Friction::Coulomb { static_friction, dynamic_friction }, RoundLaw::Opposition) => {
                better(self.stick_partner(static_friction), self.opposing_partner(dynamic_friction))
            }
        };
        partner.residual = partner.residual.max(self.stray);
        partner
    }

    /// `f = max(0, f − ρ u)`, with friction tied to the normal force.
    fn normal_partner(&self, coefficient: f64, slip: DVec3) -> Partner {
        let normal_force = (self.normal_force - self.mass * self.normal_response).max(0.0);
        let moved = normal_force - self.normal_force;
        Partner {
            normal_force,
            friction_force: -coefficient * normal_force * slip,
            normal_response: self.normal_response + moved / self.mass,
            slip: self.slip,
            residual: moved.abs(),
        }
    }

    /// Maximum dissipation: `f = P(f − ρ û)` on the round cone, `û = u + μ|u_t| n`.
    fn cone_partner(&self, coefficient: f64) -> Partner {
        let lifted = self.normal_response + coefficient * self.slip.length();
        let n = self.normal_force - self.mass * lifted;
        let t = self.friction_force - self.mass * self.slip;
        let (normal_force, friction_force) = project(n, t, coefficient);
        let slip = self.slip + (friction_force - self.friction_force) / self.mass;
        let lifted = lifted + (normal_force - self.normal_force) / self.mass;
        let moved_n = normal_force - self.normal_force;
        let moved_t = friction_force - self.friction_force;
        Partner {
            normal_force,
            friction_force,
            normal_response: lifted - coefficient * slip.length(),
            slip,
            residual: moved_n.hypot(moved_t.length()),
        }
    }

    /// No slip, friction anywhere in its disc.
    fn stick_partner(&self, coefficient: f64) -> Partner {
        let mut partner = self.normal_partner(0.0, DVec3::ZERO);
        let limit = coefficient * partner.normal_force;
        partner.friction_force = self.friction_force.clamp_length_max(limit.max(0.0));
        let moved = (partner.friction_force - self.friction_force).length();
        if partner.normal_force > 0.0 {
            partner.slip = DVec3::ZERO;
            partner.residual = partner.residual.max(moved + self.mass * self.slip.length());
        } else {
            partner.residual = partner.residual.max(moved);
        }
        partner
    }

    /// Friction at its limit, direction as given, at least partly against the slip.
    fn opposing_partner(&self, coefficient: f64) -> Partner {
        let mut partner = self.normal_partner(0.0, DVec3::ZERO);
        let direction = self.friction_force.normalize_or_zero();
        partner.friction_force = coefficient * partner.normal_force * direction;
        let moved = (partner.friction_force - self.friction_force).length();
        let along = self.slip.dot(direction).max(0.0);
        partner.slip = self.slip - along * direction;
        // Without a direction there is no force to oppose anything.
        let missing =
            if direction == DVec3::ZERO { coefficient * partner.normal_force } else { 0.0 };
        partner.residual = partner.residual.max(moved + self.mass * along + missing);
        partner
    }

    /// How far the response that the partner's force causes is from the one it needs.
    pub(super) fn shift(&self, partner: &Partner, caused: &ContactResponse) -> f64 {
        let normal = partner.normal_response - caused.normal;
        if !self.friction.has_tangent_unknowns() || partner.normal_force == 0.0 {
            return normal.abs();
        }
        normal.hypot((partner.slip - caused.tangential).length())
    }
}

fn better(a: Partner, b: Partner) -> Partner {
    if a.residual <= b.residual { a } else { b }
}

/// Projection of `(n, t)` on the cone `|t| ≤ μ n`.
fn project(n: f64, t: DVec3, coefficient: f64) -> (f64, DVec3) {
    let length = t.length();
    if length <= coefficient * n {
        (n, t)
    } else if coefficient * length <= -n {
        (0.0, DVec3::ZERO)
    } else {
        let along = (n + coefficient * length) / (1.0 + coefficient * coefficient);
        (along, t * (coefficient * along / length))
    }
}

/// `1 / (J M⁻¹ Jᵀ)` of a row, infinite if it moves nothing.
pub(super) fn row_mass(problem: &ContactProblem, row: &Row) -> f64 {
    let side = |body: usize, on: &[f64; 6]| -> f64 {
        let inverse = &problem.bodies()[body].inverse_inertia;
        (0..6).flat_map(|i| (0..6).map(move |j| on[i] * inverse[i][j] * on[j])).sum()
    };
    1.0 / (side(row.a, &row.on_a) + row.b.map_or(0.0, |b| side(b, &row.on_b)))
}

/// A bounded row with the force and response its law would rather see.
pub(super) struct BoundedPartner {
    pub force: f64,
    pub response: f64,
    pub residual: f64,
    pub mass: f64,
}

/// `f = clamp(f − ρ u, lower, upper)` for every bounded row.
pub(super) fn bounded_residuals<'a>(
    problem: &'a ContactProblem,
    forces: &'a Forces,
    response: &'a Response,
) -> impl Iterator<Item = BoundedPartner> + 'a {
    problem.bounded().iter().enumerate().map(|(i, bounded)| {
        let mass = row_mass(problem, &bounded.row);
        let mass = if mass.is_finite() { mass } else { 1.0 };
        let (given, u) = (forces.bounded[i], response.bounded[i]);
        let force = (given - mass * u).clamp(bounded.lower, bounded.upper);
        let moved = force - given;
        BoundedPartner { force, response: u + moved / mass, residual: moved.abs(), mass }
    })
}

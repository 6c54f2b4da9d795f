//! Checks an answer as a solution of Lloyd's complementarity problem: friction pyramids with
//! `d` sides \[Lloyd 2004, eq. 8\].
//!
//! ```text
//!   ν_i  = n_i·u                      ≥ 0   ⟂   θ_i  ≥ 0
//!   σ_ij = d_ij·u + λ_i               ≥ 0   ⟂   φ_ij ≥ 0
//!   γ_i  = μ_i θ_i − Σ_j φ_ij         ≥ 0   ⟂   λ_i  ≥ 0
//! ```
//!
//! At contacts that already slide, φ and λ are zero: their friction is not an unknown. `z` is
//! rebuilt from the forces alone: friction as a sum of its two nearest directions, λ as the
//! fastest slip against any direction.
//!
//! Forces and responses are compared with the scale of their contact (`judge/scale.rs`), not
//! with each other: they have different units.

use super::laws::over;
use super::{ContactState, Evaluation};
use crate::forces::Forces;
use crate::problem::{Contact, ContactProblem, Friction, Tangents};
use glam::DVec3;
use serde::Serialize;
use std::f64::consts::TAU;

/// The judge's verdict on forces as a solution of the complementarity problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PyramidCertificate {
    /// Whether the natural map is small enough.
    pub certified: bool,
    /// Sides of the cones.
    pub directions: usize,
    /// `max |min(z, w)|`, and the largest violation of a row, as a response (m/s², or m/s).
    pub natural_map: f64,
    /// The same relative to the scale of each contact.
    pub relative: f64,
    /// The solution: θ, then φ contact by contact, then λ.
    #[serde(skip)]
    pub z: Vec<f64>,
}

/// Judges forces on pyramids with this many sides. Planar contacts use the first direction and
/// its opposite.
pub fn judge_pyramid(
    problem: &ContactProblem,
    forces: &Forces,
    directions: usize,
) -> PyramidCertificate {
    let (n, d) = (problem.contacts().len(), directions);
    let mut z = vec![0.0; n * (d + 2)];
    if super::refusal(problem, forces).is_some() || d < 4 || d % 2 == 1 {
        let worst = f64::MAX;
        return PyramidCertificate {
            certified: false,
            directions,
            natural_map: worst,
            relative: worst,
            z,
        };
    }
    let evaluation = Evaluation::new(problem, forces, true);
    let decided_by_rounding = evaluation.rounding().decides();
    let Evaluation { response, states, scales, .. } = evaluation;
    let (mut relative, mut natural) = (0.0_f64, 0.0_f64);
    let mut see = |error: f64, scale: f64| {
        // A value that is not a number counts as the worst.
        let error = if error.is_finite() { error } else { f64::MAX };
        relative = relative.max(error);
        natural = natural.max((error * scale).min(f64::MAX));
    };
    for (i, (contact, state)) in problem.contacts().iter().zip(&states).enumerate() {
        let common = state.common_error();
        see(common, state.scale.slip);
        z[i] = forces.contacts[i].normal;
        if matches!(contact.friction, Friction::Sliding { .. }) {
            // Its friction is tied to the normal force: it is not an unknown and has no
            // condition.
            continue;
        }
        let phi = &mut z[n + i * d..n + (i + 1) * d];
        let (error, lambda) = friction_error(contact, state, &fan(contact, d), phi);
        see(error, state.scale.slip);
        z[n + n * d + i] = lambda;
    }
    for (u, scale) in response.bilateral.iter().zip(&scales.bilateral) {
        see(over(u.abs(), scale.response), scale.response);
    }
    for (i, row) in problem.bounded().iter().enumerate() {
        let (force, u, scale) = (forces.bounded[i], response.bounded[i], scales.bounded[i]);
        see(super::laws::bounded_error(row, force, u, scale), scale.response);
    }
    let certified = relative <= super::CERTIFIED && !decided_by_rounding;
    PyramidCertificate { certified, directions, natural_map: natural, relative, z }
}

/// The distance of a contact's friction from the last two lines of the problem, and its λ.
/// Writes φ.
fn friction_error(
    contact: &Contact,
    state: &ContactState,
    fan: &[(usize, DVec3)],
    phi: &mut [f64],
) -> (f64, f64) {
    let friction = state.friction_force;
    let coefficient = contact.friction.limit();
    let (force, slip) = (state.friction_scale(coefficient), state.scale.slip);
    let stray = (friction - spread(friction, fan, phi)).length();
    let lambda = fan.iter().fold(0.0_f64, |m, (_, x)| m.max(-x.dot(state.slip)));
    let mut error = over(stray, force);
    for (j, x) in fan {
        let sigma = x.dot(state.slip) + lambda;
        error = error.max(over(phi[*j], force).min(over(sigma, slip)).abs());
    }
    let gamma = coefficient * state.normal_force - phi.iter().sum::<f64>();
    (error.max(over(lambda, slip).min(over(gamma, force)).abs()), lambda)
}

/// The friction directions of a contact with their indices among `d`.
fn fan(contact: &Contact, d: usize) -> Vec<(usize, DVec3)> {
    let [x, y] = contact.frame();
    match contact.tangents {
        Tangents::Line(_) => vec![(0, x), (d / 2, -x)],
        Tangents::Plane => (0..d)
            .map(|j| {
                let (sin, cos) = (TAU * j as f64 / d as f64).sin_cos();
                (j, cos * x + sin * y)
            })
            .collect(),
    }
}

/// Writes a friction force as a sum of its two nearest directions and returns the part of it
/// that is such a sum.
fn spread(friction: DVec3, fan: &[(usize, DVec3)], phi: &mut [f64]) -> DVec3 {
    if friction == DVec3::ZERO {
        return DVec3::ZERO;
    }
    if let [(j, x), (k, _)] = *fan {
        let along = friction.dot(x);
        phi[if along >= 0.0 { j } else { k }] = along.abs();
        return along * x;
    }
    let nearest = |skip: usize| {
        let others = fan.iter().filter(|(j, _)| *j != skip);
        others.max_by(|(_, x), (_, y)| x.dot(friction).total_cmp(&y.dot(friction)))
    };
    let Some(&(j, x)) = nearest(usize::MAX) else { return DVec3::ZERO };
    let Some(&(k, y)) = nearest(j) else { return DVec3::ZERO };
    let cos = x.dot(y);
    let (p, q) = (friction.dot(x), friction.dot(y));
    let square = 1.0 - cos * cos;
    let (a, b) = (((p - cos * q) / square).max(0.0), ((q - cos * p) / square).max(0.0));
    phi[j] = a;
    phi[k] = b;
    a * x + b * y
}

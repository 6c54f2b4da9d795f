//! An answer as a solution of Lloyd's complementarity problem: friction cones
//! with `d` sides \[Lloyd 2004, eq. 8\].
//!
//! ```text
//!   ν_i  = n_i·u                      ≥ 0   ⟂   θ_i  ≥ 0
//!   σ_ij = d_ij·u + λ_i               ≥ 0   ⟂   φ_ij ≥ 0
//!   γ_i  = μ_i θ_i − Σ_j φ_ij         ≥ 0   ⟂   λ_i  ≥ 0
//! ```
//!
//! At contacts that slide already φ and λ are left zero: their friction is no
//! unknown. `z` is rebuilt from the forces alone: friction as a sum of its two nearest
//! directions, λ as the fastest slip against any direction.

use super::response::response;
use crate::problem::{Contact, ContactProblem, Friction, Tangents};
use crate::solution::Forces;
use glam::DVec3;
use serde::Serialize;
use std::f64::consts::TAU;

/// Largest natural map, relative to `max |q|`, of an answer called certified on
/// the pyramid.
pub const PYRAMID_CERTIFIED: f64 = 1e-9;

/// What forces are worth as a solution of the complementarity problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PyramidCertificate {
    /// Whether the natural map is small enough.
    pub certified: bool,
    /// Sides of the cones.
    pub directions: usize,
    /// `max |min(z, w)|`, and the largest violation of a row.
    pub natural_map: f64,
    /// The same relative to `max |q|`.
    pub relative: f64,
    /// The solution: θ, then φ contact by contact, then λ.
    #[serde(skip)]
    pub z: Vec<f64>,
}

/// Judges forces against cones with so many sides. Planar contacts use the
/// first direction and its opposite.
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
    let (free, moved) = (response(problem, &Forces::none(problem)), response(problem, forces));
    let (mut size, mut natural) = (0.0_f64, 0.0_f64);
    for (i, contact) in problem.contacts().iter().enumerate() {
        let fan = fan(contact, d);
        let slip = moved.contacts[i].tangential;
        let at_rest = free.contacts[i].tangential;
        size = size.max(free.contacts[i].normal.abs());
        size = fan.iter().fold(size, |size, (_, x)| size.max(x.dot(at_rest).abs()));

        let theta = forces.contacts[i].normal;
        natural = natural.max(theta.min(moved.contacts[i].normal).abs());
        z[i] = theta;

        let friction = DVec3::from_array(forces.contacts[i].friction);
        if let Friction::Sliding { friction: coefficient, direction } = contact.friction {
            // Its friction is tied to the normal force: no unknown, no condition.
            let tied = -coefficient * theta * DVec3::from_array(direction);
            natural = natural.max((friction - tied).length());
            continue;
        }
        let phi = &mut z[n + i * d..n + (i + 1) * d];
        let stray = (friction - spread(friction, &fan, phi)).length();
        let lambda = fan.iter().fold(0.0_f64, |m, (_, x)| m.max(-x.dot(slip)));
        for (j, x) in &fan {
            natural = natural.max(phi[*j].min(x.dot(slip) + lambda).abs());
        }
        let gamma = contact.friction.limit() * theta - phi.iter().sum::<f64>();
        natural = natural.max(lambda.min(gamma).abs()).max(stray);
        z[n + n * d + i] = lambda;
    }
    for u in &moved.bilateral {
        natural = natural.max(u.abs());
    }
    let relative = if natural == 0.0 { 0.0 } else { (natural / size).min(f64::MAX) };
    let certified = relative <= PYRAMID_CERTIFIED;
    PyramidCertificate { certified, directions, natural_map: natural, relative, z }
}

/// The friction directions of a contact with their places among `d`.
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

/// Writes a friction force as a sum of its two nearest directions; gives the
/// part of it that is one.
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

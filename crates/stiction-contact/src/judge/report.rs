//! A report for each contact in readable terms.

use super::{CERTIFIED, Evaluation};
use crate::forces::Forces;
use crate::problem::{ContactProblem, Friction};
use serde::Serialize;

/// The state of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// No force.
    Open,
    /// A force and no slip.
    Stick,
    /// A force and slip.
    Slip,
}

/// A report on one contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ContactReport {
    /// Normal force.
    pub normal_force: f64,
    /// Size of the friction force.
    pub friction_force: f64,
    /// The state of the contact.
    pub mode: Mode,
    /// Unused part of the friction cone, `1 − |friction| / (μ · normal)`; `None` if there is no
    /// force or no friction.
    pub margin: Option<f64>,
    /// Response along the normal.
    pub normal_response: f64,
    /// Size of the tangential response.
    pub slip: f64,
}

/// One report per contact. Forces and slips below the resolution of a certificate are reported
/// as zero. The forces must match the problem in number.
pub fn report(problem: &ContactProblem, forces: &Forces) -> Vec<ContactReport> {
    Evaluation::new(problem, forces, true)
        .states
        .iter()
        .map(|state| {
            let friction_force = state.friction_force.length();
            let slip = state.slip.length();
            let mode = if state.normal_force <= CERTIFIED * state.scale.force {
                Mode::Open
            } else if slip <= CERTIFIED * state.scale.slip {
                Mode::Stick
            } else {
                Mode::Slip
            };
            let limit = state.normal_force
                * match state.friction {
                    Friction::Coulomb { dynamic_friction, .. } if mode == Mode::Slip => {
                        dynamic_friction
                    }
                    law => law.limit(),
                };
            let margin = (mode != Mode::Open && limit > 0.0).then(|| 1.0 - friction_force / limit);
            ContactReport {
                normal_force: state.normal_force,
                friction_force,
                mode,
                margin,
                normal_response: state.normal_response,
                slip,
            }
        })
        .collect()
}

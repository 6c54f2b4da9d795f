//! Checks whether a contact impulse of a given size, and not only of a given direction, is
//! valid.

use super::{Evaluation, refusal};
use crate::forces::Forces;
use crate::problem::{ContactProblem, Friction, ProblemError};
use glam::DVec3;
use serde::Serialize;

/// Rounding allowed on velocities and impulses, relative to the largest (no unit): far above that
/// of double precision, far below a violation that matters.
const IMPULSE_TOLERANCE: f64 = 1e-9;

/// The judge's verdict on a contact impulse (Baraff 1991, §7.1).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ImpulseCertificate {
    /// Whether both conditions hold and the impulse obeys its friction laws.
    pub certified: bool,
    /// First condition: a contact that took an impulse while sliding and no longer slides. In
    /// 3D, slip perpendicular to its direction may remain.
    pub sticks: Option<usize>,
    /// How fast contacts that took an impulse slide back, which friction cannot cause (m/s).
    pub reversed: f64,
    /// Second condition: largest normal velocity where an impulse acted (m/s). Not positive, up
    /// to rounding, if the impulse is valid.
    pub separation: f64,
    /// Largest negative normal impulse or violation of a friction law (N·s).
    pub force_violation: f64,
    /// Largest change of the velocity of a bilateral row (m/s).
    pub bilateral: f64,
}

/// Judges a contact impulse on bodies with these velocities.
///
/// # Errors
///
/// [`ProblemError`] if the velocities do not match the problem.
pub fn judge_impulse(
    problem: &ContactProblem,
    velocities: &[[f64; 6]],
    impulse: &Forces,
) -> Result<ImpulseCertificate, ProblemError> {
    let moving = problem.at_impact(velocities)?;
    let mut impulse = impulse.clone();
    impulse.bounded.clear();
    if refusal(&moving, &impulse).is_some() {
        return Ok(ImpulseCertificate {
            certified: false,
            sticks: None,
            reversed: f64::MAX,
            separation: f64::MAX,
            force_violation: f64::MAX,
            bilateral: f64::MAX,
        });
    }
    let before = super::response(&moving, &Forces::zeros(&moving));
    let Evaluation { response: after, states, .. } = Evaluation::new(&moving, &impulse, true);
    let size = states.iter().map(|s| s.force().length()).fold(0.0, f64::max);
    let speed =
        |s: f64, u: &super::ContactResponse| s.max(u.normal.abs()).max(u.tangential.length());
    let fastest = before.contacts.iter().chain(&after.contacts).fold(0.0, speed);

    let mut verdict = ImpulseCertificate {
        certified: false,
        sticks: None,
        reversed: 0.0,
        separation: f64::NEG_INFINITY,
        force_violation: 0.0,
        bilateral: after.bilateral.iter().fold(0.0, |m, u| m.max(u.abs())),
    };
    for (i, state) in states.iter().enumerate() {
        let breach = (-state.normal_force).max(state.cone_excess()).max(state.stray);
        verdict.force_violation = verdict.force_violation.max(breach);
        if state.normal_force <= IMPULSE_TOLERANCE * size {
            continue;
        }
        verdict.separation = verdict.separation.max(state.normal_response);
        if let Friction::Sliding { direction, .. } = state.friction {
            let direction = DVec3::from_array(direction);
            let (slid, slides) =
                (before.contacts[i].tangential.dot(direction), state.slip.dot(direction));
            verdict.reversed = verdict.reversed.max(-slides);
            if slid > 0.0 && slides.abs() <= IMPULSE_TOLERANCE * fastest {
                verdict.sticks = verdict.sticks.or(Some(i));
            }
        }
    }
    verdict.certified = verdict.sticks.is_some()
        && verdict.reversed.max(verdict.separation).max(verdict.bilateral)
            <= IMPULSE_TOLERANCE * fastest
        && verdict.force_violation <= IMPULSE_TOLERANCE * size;
    Ok(verdict)
}

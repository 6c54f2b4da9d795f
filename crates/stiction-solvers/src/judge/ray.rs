//! Is a direction of unbounded growth a valid contact impulse?

use super::laws::over;
use super::{Evaluation, refusal};
use crate::problem::{Contact, ContactProblem, Friction};
use crate::solution::Forces;
use serde::Serialize;

/// Largest violation, relative to what the impulse itself does at each contact.
const RAY_TOLERANCE: f64 = 1e-8;

/// Responses below this part of the terms they are the sum of are no motion: the impulses wedge.
const WEDGED: f64 = 1e-6;

/// The judge's word on a direction of unbounded growth.
///
/// Baraff (1991, §7.1): impulses push and lie in their cones, and wherever one acts the bodies are
/// not separating afterwards. Beyond the paper, wherever none acts they do not approach: an
/// impulse that drives a body into another, which then does not resist, is none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RayCertificate {
    /// Whether the direction is a valid contact impulse.
    pub certified: bool,
    /// Most negative normal impulse and largest breach of a friction law, relative to what
    /// matters to its contact.
    pub force_violation: f64,
    /// Largest separation where an impulse acts, largest slip along static friction, largest
    /// violation of a bilateral row, relative to what the impulse does there.
    pub response_violation: f64,
    /// Largest approach where no impulse acts, relative to what the impulse does there.
    pub approach: f64,
    /// Largest response: a ray that moves nothing is wedging, not an impulse.
    pub response: f64,
}

impl RayCertificate {
    /// Whether it meets the paper's conditions where contacts slide already, wherever other
    /// contacts go.
    pub fn is_impulse_of(&self, problem: &ContactProblem) -> bool {
        let slides = |c: &Contact| matches!(c.friction, Friction::Sliding { .. });
        let violation = self.force_violation.max(self.response_violation);
        let meets = self.response > 0.0 && violation <= RAY_TOLERANCE;
        self.certified || meets && problem.contacts().iter().any(slides)
    }
}

/// Judges a direction of unbounded growth.
pub fn judge_ray(problem: &ContactProblem, direction: &Forces) -> RayCertificate {
    let mut word = RayCertificate {
        certified: false,
        force_violation: f64::MAX,
        response_violation: f64::MAX,
        approach: f64::MAX,
        response: 0.0,
    };
    if refusal(problem, direction).is_some() {
        return word;
    }
    let Evaluation { response, states, scales } = Evaluation::new(problem, direction, false);
    let moved = |s: &super::ContactState| s.normal_response.abs().max(s.slip.length());
    let size = states.iter().map(|s| s.force().length()).fold(0.0, f64::max);
    // What is left of forces that cancel moves nothing.
    let moves = |s: &&super::ContactState| moved(s) > WEDGED * s.scale.terms;
    word.response = states.iter().filter(moves).map(moved).fold(0.0, f64::max);
    let (mut force, mut motion, mut approach) = (0.0_f64, 0.0_f64, 0.0_f64);
    let see = |worst: &mut f64, error: f64| {
        // What is not a number is worse than any.
        *worst = worst.max(if error.is_nan() { f64::MAX } else { error });
    };
    for state in &states {
        let limit = state.friction_scale(state.friction.limit());
        see(&mut force, over(-state.normal_force, state.scale.force));
        see(&mut force, over(state.cone_excess(), limit));
        see(&mut force, state.stray_error());
        let acts = state.normal_force > RAY_TOLERANCE * state.scale.force;
        let parts = over(state.normal_response, state.scale.response);
        if acts {
            see(&mut motion, parts);
        } else {
            see(&mut approach, -parts);
        }
        // Where nothing slides yet, friction does not drive the slip.
        if state.friction.has_tangent_unknowns() {
            let along = state.friction_force.normalize_or_zero().dot(state.slip);
            see(&mut motion, over(along, state.scale.slip));
        }
    }
    for (u, scale) in response.bilateral.iter().zip(&scales.bilateral) {
        see(&mut motion, over(u.abs(), scale.response));
    }
    (word.force_violation, word.response_violation, word.approach) = (force, motion, approach);
    let worst = force.max(motion).max(approach);
    word.certified = size > 0.0 && word.response > 0.0 && worst <= RAY_TOLERANCE;
    word
}

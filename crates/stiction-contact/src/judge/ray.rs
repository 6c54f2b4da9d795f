//! Checks whether a direction of unbounded growth is a valid contact impulse.

use super::laws::over;
use super::scale::Scale;
use super::{ContactState, Evaluation, refusal};
use crate::forces::Forces;
use crate::problem::{BoundedRow, Contact, ContactProblem, Friction};
use crate::settings::{CERTIFIED, RESISTS, WEDGED};
use serde::Serialize;

/// The judge's verdict on a direction of unbounded growth.
///
/// Baraff (1991, §7.1): impulses push and lie in their cones, and where one acts the bodies do
/// not separate afterwards. Beyond the paper, where none acts they do not approach: an impulse
/// that drives a body into another, without resistance there, is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RayCertificate {
    /// Whether the direction is a valid contact impulse.
    pub certified: bool,
    /// Most negative normal impulse, largest violation of a friction law and largest impulse of
    /// a row with a finite bound, relative to the scale there.
    pub force_violation: f64,
    /// Largest separation where an impulse acts (rows that yield along their impulse included),
    /// largest slip along static friction, largest violation of a bilateral row, relative to
    /// the effect of the impulse there.
    pub response_violation: f64,
    /// Largest approach where no impulse acts, of contacts and of rows without a bound on the
    /// side that would resist, relative to the effect of the impulse there.
    pub approach: f64,
    /// Largest response; zero if the impulses wedge, since those move nothing.
    pub response: f64,
}

impl RayCertificate {
    /// Whether it meets the paper's conditions, which concern contacts that already slide;
    /// other contacts may move in any direction.
    pub fn is_impulse_of(&self, problem: &ContactProblem) -> bool {
        let slides = |c: &Contact| matches!(c.friction, Friction::Sliding { .. });
        let violation = self.force_violation.max(self.response_violation);
        let meets = self.response > 0.0 && violation <= CERTIFIED;
        self.certified || meets && problem.contacts().iter().any(slides)
    }
}

/// Judges a direction of unbounded growth.
pub fn judge_ray(problem: &ContactProblem, direction: &Forces) -> RayCertificate {
    let mut verdict = RayCertificate {
        certified: false,
        force_violation: f64::MAX,
        response_violation: f64::MAX,
        approach: f64::MAX,
        response: 0.0,
    };
    if refusal(problem, direction).is_some() {
        return verdict;
    }
    let evaluation = Evaluation::new(problem, direction, false);
    let Evaluation { response, states, scales, .. } = &evaluation;
    if !wedges(&evaluation, direction) {
        let moved = |s: &ContactState| s.normal_response.abs().max(s.slip.length());
        verdict.response = states.iter().map(moved).fold(0.0, f64::max);
    }
    let mut worst = Violations::default();
    for state in states {
        worst.add_contact(state);
    }
    for (u, scale) in response.bilateral.iter().zip(&scales.bilateral) {
        raise(&mut worst.response, over(u.abs(), scale.response));
    }
    let bounded = problem.bounded().iter().zip(&direction.bounded);
    for ((row, &f), (&u, scale)) in bounded.zip(response.bounded.iter().zip(&scales.bounded)) {
        worst.add_bounded(row, f, u, scale);
    }
    verdict.force_violation = worst.force;
    verdict.response_violation = worst.response;
    verdict.approach = worst.approach;
    let worst = worst.force.max(worst.response).max(worst.approach);
    let sound = worst <= CERTIFIED && !evaluation.rounding().decides();
    verdict.certified = verdict.response > 0.0 && sound;
    verdict
}

/// The largest relative violations so far, as in [`RayCertificate`].
#[derive(Default)]
struct Violations {
    force: f64,
    response: f64,
    approach: f64,
}

/// Raises the largest error so far. A value that is not a number counts as the worst.
fn raise(worst: &mut f64, error: f64) {
    *worst = worst.max(if error.is_nan() { f64::MAX } else { error });
}

impl Violations {
    fn add_contact(&mut self, state: &ContactState) {
        let limit = state.friction_scale(state.friction.limit());
        raise(&mut self.force, over(-state.normal_force, state.scale.force));
        raise(&mut self.force, over(state.cone_excess(), limit));
        raise(&mut self.force, state.stray_error());
        let parts = over(state.normal_response, state.scale.response);
        if state.normal_force > CERTIFIED * state.scale.force {
            raise(&mut self.response, parts);
        }
        if state.normal_force <= RESISTS * state.scale.force {
            raise(&mut self.approach, -parts);
        }
        // At contacts that do not slide yet, friction does not drive the slip.
        if state.friction.has_tangent_unknowns() {
            let along = state.friction_force.normalize_or_zero().dot(state.slip);
            raise(&mut self.response, over(along, state.scale.slip));
        }
    }

    fn add_bounded(&mut self, row: &BoundedRow, f: f64, u: f64, scale: &Scale) {
        let bound = if f > 0.0 { row.upper } else { row.lower };
        if bound.is_finite() {
            raise(&mut self.force, over(f.abs(), scale.force));
        }
        if f.abs() > CERTIFIED * scale.force {
            raise(&mut self.response, over(u * f.signum(), scale.response));
        }
        if f.abs() <= RESISTS * scale.force {
            // A row without an upper bound resists a negative response, one without a lower
            // bound a positive one.
            let held = if row.upper == f64::INFINITY { -u } else { 0.0 };
            let held = if row.lower == f64::NEG_INFINITY { held.max(u) } else { held };
            raise(&mut self.approach, over(held, scale.response));
        }
    }
}

/// Whether the impulses cancel up to rounding: `Σ f·u ≤ WEDGED² Σ |f| terms`.
fn wedges(evaluation: &Evaluation, direction: &Forces) -> bool {
    let Evaluation { response, states, scales, .. } = evaluation;
    let (mut together, mut singly) = (0.0, 0.0);
    for state in states {
        let response = state.normal_response * state.normal + state.slip;
        together += state.force().dot(response);
        singly += state.force().length() * state.scale.terms;
    }
    let bilateral = direction.bilateral.iter().zip(&response.bilateral).zip(&scales.bilateral);
    let bounded = direction.bounded.iter().zip(&response.bounded).zip(&scales.bounded);
    for ((force, response), scale) in bilateral.chain(bounded) {
        together += force * response;
        singly += force.abs() * scale.terms;
    }
    // A value that is not a number moves nothing.
    let moves = together > WEDGED * WEDGED * singly;
    !moves
}

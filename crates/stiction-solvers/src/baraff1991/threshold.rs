//! Static friction as weak sliding friction \[B91, §8.1\].
//!
//! ```text
//!   |v| ≥ ε   f_t = −μ f v/|v|          eq. 14: dynamic friction
//!   |v| < ε   f_t = −μ f v/ε            eq. 15: replaces static friction
//! ```
//!
//! Every contact then slides with a coefficient of its own, and Lemke's algorithm ends with
//! forces or an impulse. A body is held only while it creeps: at rest there is no friction at
//! all, so bodies at rest begin to slide.
//!
//! # Departures from the paper
//!
//! - The paper's simulator has the velocity of every body; a problem at acceleration level does
//!   not contain them. Without [`Threshold::velocities`], a contact under [`Friction::Static`]
//!   has `v = 0`, and one under [`Friction::Sliding`] is faster than the threshold. At the
//!   other levels the response to zero force is a velocity and is used as `v`. Event-driven
//!   simulations have the velocities and integrate this law (`EventDriven::threshold`).

use super::ForcesOrImpulse;
use crate::error::SolveError;
use crate::solver::{Call, ContactSolver, Searched};
use glam::DVec3;
use stiction_contact::{Contact, ContactProblem, Forces, Friction, Level, judge};

/// Friction that grows with the sliding speed up to a threshold.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// `ε` (m/s): below it friction is weaker than Coulomb's. A millimetre per second is hardly
    /// visible; much smaller values make the motion stiff.
    pub speed: f64,
    /// Current `[linear; angular]` velocity of each body, if known.
    pub velocities: Option<Vec<[f64; 6]>>,
}

impl Default for Threshold {
    fn default() -> Self {
        Threshold { speed: 1e-3, velocities: None }
    }
}

impl ContactSolver for Threshold {
    fn name(&self) -> &'static str {
        "threshold"
    }

    fn approximation(&self) -> Option<&'static str> {
        Some(
            "friction below a threshold of the sliding speed is proportional to that speed, \
             so a contact at rest has none (Baraff 1991, §8.1)",
        )
    }

    fn set_velocities(&mut self, velocities: Option<&[[f64; 6]]>) {
        self.velocities = velocities.map(<[_]>::to_vec);
    }

    fn search(&mut self, problem: &ContactProblem, call: Call<'_>) -> Searched {
        ForcesOrImpulse.search(&self.sliding(problem)?, call)
    }
}

impl Threshold {
    /// The problem that is solved instead: every contact slides, with the friction of eq. 14 or
    /// 15.
    ///
    /// # Errors
    ///
    /// [`SolveError::Unsupported`] if there are bounded rows, the threshold is not positive, or
    /// the velocities do not match the bodies.
    pub fn sliding(&self, problem: &ContactProblem) -> Result<ContactProblem, SolveError> {
        let slips = self.slips(problem)?;
        Ok(problem.with_friction(|i, contact| match slips[i] {
            Some(slip) => self.law(contact, slip),
            None => contact.friction,
        }))
    }

    /// The sliding velocity of each contact; `None` where it is unknown and the contact's own
    /// law is used.
    fn slips(&self, problem: &ContactProblem) -> Result<Vec<Option<DVec3>>, SolveError> {
        let unsupported = |reason: String| SolveError::Unsupported { solver: self.name(), reason };
        if !problem.bounded().is_empty() {
            return Err(unsupported("it has bounded rows".into()));
        }
        if !(self.speed > 0.0 && self.speed.is_finite()) {
            return Err(unsupported(format!("the threshold is {}, must be positive", self.speed)));
        }
        let moving = match &self.velocities {
            Some(velocities) => Some(
                problem
                    .at_impact(velocities)
                    .map_err(|error| unsupported(format!("velocities: {error}")))?,
            ),
            None => None,
        };
        let known = moving.is_some();
        let rests = !known && problem.level() == Level::Acceleration;
        let response = judge::response(moving.as_ref().unwrap_or(problem), &Forces::zeros(problem));
        let slip = |(contact, u): (&Contact, &judge::ContactResponse)| match contact.friction {
            Friction::Sliding { .. } if !known => None,
            _ if rests => Some(DVec3::ZERO),
            _ => Some(u.tangential),
        };
        Ok(problem.contacts().iter().zip(&response.contacts).map(slip).collect())
    }

    /// Ratio of friction to normal force at a sliding speed, eq. 14 and 15. A contact with two
    /// coefficients has the dynamic one at and above the threshold and the static one below.
    pub fn coefficient(&self, [fixed, sliding]: [f64; 2], speed: f64) -> f64 {
        if speed >= self.speed { sliding } else { fixed * (speed / self.speed) }
    }

    fn law(&self, contact: &Contact, slip: DVec3) -> Friction {
        let direction = slip.normalize_or_zero();
        let coefficients = match contact.friction {
            Friction::Coulomb { static_friction, dynamic_friction } => {
                [static_friction, dynamic_friction]
            }
            law => [law.limit(); 2],
        };
        let friction = self.coefficient(coefficients, slip.length());
        if friction == 0.0 || direction == DVec3::ZERO {
            return Friction::Frictionless;
        }
        Friction::Sliding { friction, direction: direction.to_array() }
    }
}

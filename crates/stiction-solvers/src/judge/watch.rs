//! The judge during an iteration: one number, and nothing computed twice.

use super::laws::RoundLaw;
use super::response::response;
use super::scale::Scale;
use super::{Distance, refusal, states};
use crate::problem::ContactProblem;
use crate::solution::Forces;

/// Looks at one answer after the other to the same problem, for iterations that
/// stop by what the judge says: the number of [`Certificate::natural_map`](super::Certificate::natural_map), and
/// nothing else of it.
pub(crate) struct Watch<'a> {
    problem: &'a ContactProblem,
    scale: Scale,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(problem: &'a ContactProblem) -> Self {
        Watch { problem, scale: Scale::new(problem) }
    }

    /// The relative natural map of these forces.
    pub(crate) fn natural_map(&self, forces: &Forces) -> f64 {
        let Watch { problem, scale } = self;
        if refusal(problem, forces).is_some() {
            return f64::MAX;
        }
        let response = response(problem, forces);
        let states = states(problem, forces, &response);
        let law = RoundLaw::MaximumDissipation;
        Distance::new(problem, forces, &response, &states, scale, law).relative
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gallery;
    use crate::judge::judge;
    use crate::solution::ContactForce;

    #[test]
    fn it_sees_what_the_judge_sees_to_the_last_bit() {
        let problem = gallery::overbalanced_bricks(0.5).expect("lawful");
        let watch = Watch::new(&problem);
        let mut forces = Forces::none(&problem);
        for push in [0.0, 1.0, -3.0, f64::NAN] {
            forces.contacts[0] = ContactForce { normal: push, friction: [0.1 * push, 0.0, 0.0] };
            let full = judge(&problem, &forces).natural_map.relative;
            assert_eq!(watch.natural_map(&forces).to_bits(), full.to_bits(), "{push}");
        }
    }
}

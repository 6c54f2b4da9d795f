//! The judge inside an iteration: it computes one number and reuses all that does not change.

use super::response::mobilities;
use super::{Evaluation, refusal};
use crate::forces::Forces;
use crate::problem::ContactProblem;

/// Judges successive iterates of the same problem, for iterations that stop by the judge's
/// residual. It gives the number of
/// [`Certificate::natural_map`](super::Certificate::natural_map) and nothing else.
pub struct Watch<'a> {
    problem: &'a ContactProblem,
    mobilities: Vec<super::mobility::Mobility>,
}

impl<'a> Watch<'a> {
    /// For this problem.
    pub fn new(problem: &'a ContactProblem) -> Self {
        Watch { problem, mobilities: mobilities(problem) }
    }

    /// The relative natural map of these forces.
    pub fn natural_map(&self, forces: &Forces) -> f64 {
        if refusal(self.problem, forces).is_some() {
            return f64::MAX;
        }
        let evaluation = Evaluation::with(self.problem, &self.mobilities, forces, true);
        evaluation.residuals(self.problem, forces).0.relative
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forces::ContactForce;
    use crate::gallery;
    use crate::judge::judge;

    #[test]
    fn it_equals_the_judge_to_the_last_bit() {
        let problem = gallery::overbalanced_bricks(0.5).expect("valid");
        let watch = Watch::new(&problem);
        let mut forces = Forces::zeros(&problem);
        for push in [0.0, 1.0, -3.0, f64::NAN] {
            forces.contacts[0] = ContactForce { normal: push, friction: [0.1 * push, 0.0, 0.0] };
            let full = judge(&problem, &forces).natural_map.relative;
            assert_eq!(watch.natural_map(&forces).to_bits(), full.to_bits(), "{push}");
        }
    }
}

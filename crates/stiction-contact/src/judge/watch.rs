//! The judge inside an iteration: it computes one number and reuses all that does not change.

use super::response::mobilities;
use super::{CERTIFIED, Evaluation, Law, refusal};
use crate::forces::Forces;
use crate::problem::ContactProblem;

/// Measures one set of forces after the other on the same problem, for methods that stop by what
/// the judge will say: the residuals of its certificate, and nothing else of it.
pub struct Watch<'a> {
    problem: &'a ContactProblem,
    mobilities: Vec<super::mobility::Mobility>,
}

/// The relative residuals of forces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residuals {
    /// Distance from maximum dissipation: the natural map.
    pub natural_map: f64,
    /// Distance from Baraff's conditions.
    pub opposition: f64,
}

impl Residuals {
    /// The strictest law that the judge will certify.
    pub fn law(&self) -> Option<Law> {
        if self.natural_map <= CERTIFIED {
            Some(Law::MaximumDissipation)
        } else {
            (self.opposition <= CERTIFIED).then_some(Law::Opposition)
        }
    }

    /// The residual of that law, or of the weaker one if there is none.
    pub fn nearest(&self) -> f64 {
        if self.natural_map <= CERTIFIED { self.natural_map } else { self.opposition }
    }
}

impl<'a> Watch<'a> {
    /// For this problem.
    pub fn new(problem: &'a ContactProblem) -> Self {
        Watch { problem, mobilities: mobilities(problem) }
    }

    /// The relative residuals of these forces.
    pub fn residuals(&self, forces: &Forces) -> Residuals {
        if refusal(self.problem, forces).is_some() {
            return Residuals { natural_map: f64::MAX, opposition: f64::MAX };
        }
        let evaluation = Evaluation::with(self.problem, &self.mobilities, forces, true);
        let (dissipation, opposition, _) = evaluation.residuals();
        Residuals { natural_map: dissipation.relative, opposition: opposition.relative }
    }

    /// The relative natural map of these forces.
    pub fn natural_map(&self, forces: &Forces) -> f64 {
        self.residuals(forces).natural_map
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

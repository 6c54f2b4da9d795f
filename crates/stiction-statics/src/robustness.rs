//! The radius of the ball of disturbances that are carried beside the weight.
//!
//! Carried loads are a convex set. If a force of the size ρ along each axis, both ways, on any one block, and
//! each such torque, is carried, then so is every set of disturbances whose sizes add up to ρ.
//! Forces are measured in mean weights, torques in mean weights times the size of the assembly.

use crate::margin::Family;
use crate::statics::{Decision, Statics};
use stiction_check::{Case, Claim};

/// Largest disturbance that is examined, in mean weights.
const LARGEST: f64 = 10.0;

/// How large disturbances may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Robustness {
    /// Disturbances whose sizes add up to this are carried; 0 if that was not proved for any.
    pub at_least: f64,
    /// A disturbance of this size on one block is not carried; none if none was found.
    pub at_most: Option<f64>,
    /// The weakest block, and the force and torque about its centre that it carries least of.
    pub weakest: Option<(usize, [f64; 6])>,
    /// What proves both.
    pub claims: Vec<Claim>,
}

impl Statics {
    /// The radius of disturbances on single blocks. Costs a program for each of twelve directions of every block.
    pub fn robustness(&self) -> Robustness {
        let mut found =
            Robustness { at_least: LARGEST, at_most: None, weakest: None, claims: Vec::new() };
        for &block in &self.structure.free {
            for axis in 0..12 {
                let mut unit = [0.0; 6];
                unit[axis / 2] = if axis % 2 == 0 { 1.0 } else { -1.0 };
                self.disturb(block, unit, &mut found);
                if found.at_least == 0.0 {
                    return found;
                }
            }
        }
        found
    }

    /// Narrows the radius by one direction.
    fn disturb(&self, block: usize, unit: [f64; 6], found: &mut Robustness) {
        let (force, torque) = (self.structure.force, self.structure.force * self.structure.length);
        let wrench = |size: f64| {
            let scaled = |k: usize| unit[k] * size * if k < 3 { force } else { torque };
            vec![(block, std::array::from_fn(scaled))]
        };
        let case = |size: f64| Case { wrenches: wrench(size), ..Case::default() };
        let at_radius = case(found.at_least);
        if let decision @ Decision::Carried(_) = self.decide(&at_radius) {
            found.claims.extend(decision.claim(self, &at_radius));
            return;
        }
        let margin = self.largest(&Family {
            what: "disturbance",
            direction: None,
            case: &case,
            alone: Case { weight: 0.0, ..case(1.0) },
        });
        let low = margin.at_least.unwrap_or(0.0).max(0.0);
        if low < found.at_least && !margin.unbounded {
            (found.at_least, found.at_most) = (low, margin.at_most);
            found.weakest = Some((block, unit));
        }
        found.claims.extend(margin.claims.into_iter().flatten());
    }
}

//! The least friction with which an assembly can stand.
//!
//! At a factor φ on all coefficients that is too small, some wrenches h would help. The largest t
//! at which `weight − t h` is carried grows with φ, from −1 where h was found; the weight alone is
//! carried exactly where `t ≥ 0`. So the least φ is a root, and the motion of each program gives
//! the slope: Newton's method, within a bracket.

use crate::margin::Margin;
use crate::program::{End, Program};
use crate::statics::{Decision, Statics};
use crate::structure::{Six, Structure};
use crate::witness::Prover;
use stiction_check::{Case, Claim, imbalance};

/// Largest factor that is tried.
const LARGEST: f64 = 64.0;
/// Factor below which friction that may be as small as one likes is not followed further.
const SMALLEST: f64 = 1e-6;
/// Most programs for the root.
const MOST_PROGRAMS: usize = 40;
/// Relative width of the bracket at which the search ends.
const NARROW: f64 = 1e-12;
/// Distances from the root, relative to it, at which both sides are proved.
const ASIDE: [f64; 5] = [1e-11, 1e-10, 1e-9, 1e-8, 1e-6];

/// A bracket with proofs.
struct Search<'a> {
    statics: &'a Statics,
    low: (f64, Option<Claim>),
    high: (f64, Option<Claim>),
}

fn case(friction: f64) -> Case {
    Case { friction, ..Case::default() }
}

impl Statics {
    /// The least factor on all coefficients of friction with which it can stand.
    pub fn least_friction(&self) -> Margin {
        let mut search = Search { statics: self, low: (0.0, None), high: (f64::INFINITY, None) };
        search.run();
        let (low, high) = (search.low, search.high);
        let found = high.0.is_finite();
        Margin {
            what: "friction factor",
            direction: None,
            at_least: (low.1.is_some() || found).then_some(low.0),
            at_most: found.then_some(high.0),
            unbounded: false,
            claims: [low.1, high.1],
        }
    }
}

impl Search<'_> {
    fn run(&mut self) {
        if self.try_factor(0.0) == Some(true) {
            return;
        }
        let mut factor = 1.0;
        while self.try_factor(factor) != Some(true) {
            factor *= 4.0;
            if factor > LARGEST {
                return;
            }
        }
        let Some(help) = self.help() else { return };
        let root = self.root(&help);
        for aside in ASIDE {
            let (below, above) = (root * (1.0 - aside), root * (1.0 + aside));
            if below > self.low.0 {
                self.try_factor(below);
            }
            if above < self.high.0 {
                self.try_factor(above);
            }
            if self.high.0 - self.low.0 <= 2.5 * aside * root {
                break;
            }
        }
    }

    /// Proves that a factor is enough, or too small, and narrows the bracket.
    fn try_factor(&mut self, factor: f64) -> Option<bool> {
        let case = case(factor);
        let decision = self.statics.decide(&case);
        let enough = match decision {
            Decision::Carried(_) => true,
            Decision::NotCarried(_) => false,
            Decision::Open => return None,
        };
        let claim = decision.claim(self.statics, &case);
        if enough && factor < self.high.0 {
            self.high = (factor, claim);
        } else if !enough && factor >= self.low.0 {
            self.low = (factor, claim);
        }
        Some(enough)
    }

    /// Wrenches that would help at the lower end.
    fn help(&self) -> Option<Vec<Six>> {
        let case = case(self.low.0);
        let structure = self.statics.with_friction(&case);
        let load = structure.load(&self.statics.model, &case);
        let carry = Program::carry(&structure, &load);
        let solution =
            Program { cost: vec![[0.0; 3]; carry.cost.len()], slack: Some(1.0), ..carry }
                .solve()?;
        let forces: Vec<[f64; 3]> =
            solution.forces.iter().map(|&f| (f * structure.force).to_array()).collect();
        let residue = imbalance(&self.statics.model, &case, &forces).ok()?;
        let left = residue
            .left
            .iter()
            .map(|r| (glam::DVec3::new(r[0], r[1], r[2]), glam::DVec3::new(r[3], r[4], r[5])));
        Some(structure.scaled(&left.collect::<Vec<_>>()))
    }

    /// The factor at which no help is needed; without proof.
    fn root(&mut self, help: &[Six]) -> f64 {
        let (mut low, mut high) = (self.low.0, self.high.0);
        let mut factor = high;
        for _ in 0..MOST_PROGRAMS {
            let structure = self.statics.structure.with_friction(factor);
            let step = self.newton(&structure, help);
            let next = if let Some((rest, slope)) = step {
                if rest >= 0.0 {
                    high = high.min(factor);
                } else {
                    low = low.max(factor);
                }
                factor - rest / slope * factor
            } else {
                // Carried whatever help there is, perhaps.
                match self.try_factor(factor) {
                    Some(true) => high = high.min(factor),
                    Some(false) => low = low.max(factor),
                    None => break,
                }
                f64::NAN
            };
            let inside = next > low && next < high;
            let next = if inside {
                next
            } else if low > 0.0 {
                0.5 * (low + high)
            } else {
                0.01 * high
            };
            if (next - factor).abs() < NARROW * factor
                || high - low < NARROW * high
                || high < SMALLEST
            {
                break;
            }
            factor = next;
        }
        if high < SMALLEST {
            self.try_factor(high);
        }
        if low >= high { high } else { factor.clamp(low, high) }
    }

    /// The largest t of the program, and its slope per relative change of friction.
    fn newton(&self, structure: &Structure, help: &[Six]) -> Option<(f64, f64)> {
        let load = structure.load(&self.statics.model, &Case::default());
        let against = help.to_vec();
        let program = Program::carry_most(structure, &load, vec![against], &[1.0]);
        let solution = program.solve().filter(|solution| solution.end == End::Solved)?;
        let prover = Prover::new(&self.statics.model, structure);
        let slope = prover.friction_power(&solution.forces, &solution.motion);
        Some((solution.loads[0], slope))
    }
}

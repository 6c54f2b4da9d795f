//! The least friction with which an assembly can stand.
//!
//! Without friction some wrenches h would help. The largest t at which `weight + t h` is carried grows with the
//! factor φ on all coefficients, from −1 where h was found; the weight alone is carried exactly where `t ≥ 0`.
//! So the least φ is a root, and the motion of each program gives the slope: Newton's method, within a
//! bracket. The same program proves on which side of the root its φ lies: its motion where t < 0, its
//! forces mixed with those of the help where t ≥ 0.

use crate::margin::Margin;
use crate::program::{ACCURATE, End, Program, Solution};
use crate::statics::{Decision, Statics};
use crate::structure::Six;
use crate::witness::Prover;
use glam::DVec3;
use stiction_check::{Case, Claim, Proof, imbalance};

/// Largest factor that is tried.
const LARGEST: f64 = 64.0;
/// Factor below which friction that may be as small as one likes is not followed further.
const SMALLEST: f64 = 1e-6;
/// Help in mean weights below which none is needed, perhaps.
const SMALL_HELP: f64 = 1e-9;
/// Most programs for the root.
const MOST_PROGRAMS: usize = 40;
/// Relative width of the bracket at which the search ends.
const NARROW: f64 = 1e-12;
/// Relative gaps of the first programs, the largest that count as solved; later ones are as accurate as can be.
const ROUGH: [f64; 2] = [1e-6, 1e-6];
/// Part of the way to the upper end by which a factor is moved at which nothing could be proved.
const FURTHER: f64 = 0.05;
/// Relative width of a bracket that is halved further, at most so often.
const WIDE: f64 = 2e-6;
const MOST_HALVINGS: usize = 20;
/// Distances from the root, relative to it, at which both sides are proved.
const ASIDE: [f64; 4] = [1e-10, 1e-9, 1e-8, 1e-6];
/// Distance from which on any program is tried, not only that of the root.
const FAR: f64 = 1e-8;

/// A bracket with proofs.
struct Search<'a> {
    statics: &'a Statics,
    low: (f64, Option<Claim>),
    high: (f64, Option<Claim>),
}

/// Wrenches that help without friction, and the forces that carry the weight with them.
struct Help {
    wrenches: Vec<Six>,
    forces: Vec<DVec3>,
}

fn case(friction: f64) -> Case {
    Case { friction, ..Case::default() }
}

impl Statics {
    /// The least factor on all coefficients of friction with which it can stand.
    pub fn least_friction(&self) -> Margin {
        let mut search = Search { statics: self, low: (0.0, None), high: (f64::INFINITY, None) };
        if !self.has_knobs {
            search.run();
        }
        let (low, high) = (search.low, search.high);
        let found = high.0.is_finite();
        Margin {
            at_least: (low.1.is_some() || found).then_some(low.0),
            at_most: found.then_some(high.0),
            claims: [low.1, high.1],
            ..Margin::open("friction factor")
        }
    }
}

impl Search<'_> {
    fn run(&mut self) {
        let Some(help) = self.help() else { return };
        let Some(root) = self.root(&help) else { return };
        self.close_to(root, &help);
        self.bisect();
    }

    /// Proves both sides as close to the root as can be.
    fn close_to(&mut self, root: f64, help: &Help) {
        for aside in ASIDE {
            let (below, above) = (root * (1.0 - aside), root * (1.0 + aside));
            if below > self.low.0 {
                self.proved(below, help, aside >= FAR);
            }
            if above < self.high.0 {
                self.proved(above, help, aside >= FAR);
            }
            if self.high.0 - self.low.0 <= 2.5 * aside * root {
                break;
            }
        }
    }

    /// Halves what is left of a bracket that is not narrow.
    fn bisect(&mut self) {
        for _ in 0..MOST_HALVINGS {
            let (low, high) = (self.low.0, self.high.0);
            let wide = high.is_finite() && high > SMALLEST && high - low > WIDE * high;
            if !wide || self.try_factor(0.5 * (low + high)).is_none() {
                return;
            }
        }
    }

    /// Proves on which side of the root a factor lies, by the program of the root, and with `any` by others if that fails.
    fn proved(&mut self, factor: f64, help: &Help, any: bool) {
        let (low, high) = (self.low.0, self.high.0);
        self.newton(factor, help, ACCURATE);
        if any && (self.low.0, self.high.0) == (low, high) {
            self.try_factor(factor);
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
        self.narrow(factor, enough, claim);
        Some(enough)
    }

    fn narrow(&mut self, factor: f64, enough: bool, claim: Option<Claim>) {
        if enough && factor < self.high.0 {
            self.high = (factor, claim);
        } else if !enough && factor >= self.low.0 {
            self.low = (factor, claim);
        }
    }

    /// Wrenches that would help without friction; none if none are needed.
    fn help(&mut self) -> Option<Help> {
        let case = case(0.0);
        let structure = self.statics.with_friction(&case);
        let load = structure.load(&self.statics.model, &case);
        let carry = Program::carry(&structure, &load);
        let cost = vec![[0.0; 3]; carry.cost.len()];
        let solution = Program { cost, slack: Some(1.0), ..carry }.solve()?;
        if solution.slack < SMALL_HELP && self.try_factor(0.0) == Some(true) {
            return None;
        }
        let prover = Prover::new(&self.statics.model, &structure);
        if let Some(motion) = prover.not_carried(&case, &solution.motion) {
            let claim = Decision::NotCarried(motion).claim(self.statics, &case);
            self.narrow(0.0, false, claim);
        } else if self.try_factor(0.0) == Some(true) {
            return None;
        }
        let forces: Vec<[f64; 3]> =
            solution.forces.iter().map(|&f| (f * structure.force).to_array()).collect();
        let residue = imbalance(&self.statics.model, &case, &forces).ok()?;
        let left = residue
            .left
            .iter()
            .map(|r| (DVec3::new(r[0], r[1], r[2]), DVec3::new(r[3], r[4], r[5])));
        let wrenches = structure.scaled(&left.collect::<Vec<_>>());
        Some(Help { wrenches, forces: solution.forces })
    }

    /// The factor at which no help is needed, without proof; none if none up to the largest is enough.
    fn root(&mut self, help: &Help) -> Option<f64> {
        let (mut low, mut high) = (0.0_f64, f64::INFINITY);
        let mut factor: f64 = 1.0;
        for round in 0..MOST_PROGRAMS {
            let accuracy = ROUGH.get(round).copied().unwrap_or(ACCURATE);
            let step = self.newton(factor, help, accuracy);
            // Where no program says so, it is carried whatever help there is, perhaps.
            let enough = match step {
                Some((rest, _)) => Some(rest >= 0.0),
                None => self.try_factor(factor),
            };
            let Some(enough) = enough else {
                // Nothing is known here: a little further up, perhaps.
                factor += FURTHER * (high.min(2.0 * factor) - factor);
                continue;
            };
            if enough {
                high = high.min(factor);
            } else {
                low = low.max(factor);
            }
            let next = step.map_or(f64::NAN, |(rest, slope)| factor - rest / slope * factor);
            let next = if next > low && next < high {
                next
            } else if high.is_infinite() {
                4.0 * factor
            } else if low > 0.0 {
                0.5 * (low + high)
            } else {
                0.01 * high
            };
            let last = accuracy == ACCURATE && (next - factor).abs() < NARROW * factor;
            if last || high - low < NARROW * high || high < SMALLEST {
                break;
            }
            if low >= LARGEST {
                return None;
            }
            factor = next.min(LARGEST);
        }
        if high < SMALLEST {
            self.try_factor(high);
        }
        Some(if low >= high { high } else { factor.clamp(low, high) })
    }

    /// The largest t of the program, and its slope per relative change of friction; proves on which side of the
    /// root the factor lies, if it can.
    fn newton(&mut self, factor: f64, help: &Help, accuracy: f64) -> Option<(f64, f64)> {
        let structure = self.statics.structure.with_friction(factor);
        let load = structure.load(&self.statics.model, &Case::default());
        let program = Program::carry_most(&structure, &load, vec![help.wrenches.clone()], &[1.0]);
        let solution = Program { accuracy, ..program }
            .solve()
            .filter(|solution| solution.end == End::Solved)?;
        let prover = Prover::new(&self.statics.model, &structure);
        let slope = prover.friction_power(&solution.forces, &solution.motion);
        let rest = solution.loads[0];
        let case = case(factor);
        if rest >= 0.0 && factor < self.high.0 {
            let forces = without_help(&solution, help);
            if let Some(forces) = prover.carried(&case, &forces) {
                let claim = Claim { case, proof: Proof::Carried { forces } };
                self.narrow(factor, true, Some(claim));
            }
        } else if rest < 0.0
            && factor > self.low.0
            && let Some(motion) = prover.not_carried(&case, &solution.motion)
        {
            let claim = Decision::NotCarried(motion).claim(self.statics, &case);
            self.narrow(factor, false, claim);
        }
        Some((rest, slope))
    }
}

/// Forces that carry `weight + t h` and those that carry `weight − h`, mixed so that they carry the weight.
fn without_help(solution: &Solution, help: &Help) -> Vec<DVec3> {
    let rest = solution.loads[0];
    let mixed = |(one, other): (&DVec3, &DVec3)| (*one + *other * rest) / (1.0 + rest);
    solution.forces.iter().zip(&help.forces).map(mixed).collect()
}

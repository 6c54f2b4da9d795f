//! Margins: how far a load can grow, with a witness on each side.
//!
//! The largest λ at which `weight + λ load` is carried is the value of one cone program. Its forces
//! carry a λ just below, its motion proves that a λ just above is not carried; both ends are moved
//! apart until the checker accepts them. The digits on which they agree are proved.

use crate::program::{End, Program, Solution};
use crate::statics::{Decision, Statics};
use crate::structure::{Six, dot};
use crate::witness::{Prover, Twists};
use glam::DVec3;
use stiction_check::{Bracket, Case, Claim, Proof, proves_not_carried};

/// Part of the value by which the lower end is moved down: for rounding.
const BELOW: f64 = 1e-14;
/// Parts of a solution well inside the cones that are mixed in, so that what rounding leaves can be repaired inside.
const PARTS: [f64; 5] = [1e-7, 1e-6, 1e-5, 1e-4, 1e-2];
/// Distances by which the upper end is moved up from the value that a motion proves: for rounding.
const ABOVE: [f64; 4] = [1e-15, 1e-14, 1e-13, 1e-12];

/// Prices of normal forces in the program, per mean weight: with none, forces of blocks that press against each
/// other without load are not bounded, and the interior point may stall.
const PRICES: [f64; 3] = [0.0, 1e-9, 1e-6];
/// Distances from one end, relative to it, at which the other is looked for where the program did not give it.
const ASIDE: [f64; 4] = [1e-10, 1e-8, 1e-6, 1e-4];

/// Relative width at which a bracket is narrow.
const NARROW: f64 = 1e-10;

/// A margin and its proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Margin {
    /// `load factor`, `clamp factor`, `limit load`, `tilt` or `friction factor`.
    pub what: &'static str,
    /// Unit vector of a tilt.
    pub direction: Option<[f64; 3]>,
    /// The value is at least this; none if nothing was proved. −∞ if no value is carried.
    pub at_least: Option<f64>,
    /// The value is at most this; none if it is not bounded or nothing was proved.
    pub at_most: Option<f64>,
    /// Whether it was proved that nothing bounds the value.
    pub unbounded: bool,
    /// What proves both ends.
    pub claims: [Option<Claim>; 2],
}

impl Margin {
    /// Of which nothing is known.
    pub(crate) fn open(what: &'static str) -> Self {
        Margin {
            what,
            direction: None,
            at_least: None,
            at_most: None,
            unbounded: false,
            claims: [None, None],
        }
    }

    /// The middle of the bracket.
    pub fn value(&self) -> f64 {
        match (self.at_least, self.at_most) {
            (Some(low), Some(high)) => 0.5 * (low + high),
            (Some(_), None) if self.unbounded => f64::INFINITY,
            _ => f64::NAN,
        }
    }

    /// Where the tolerance of balance lets the lower end pass the upper one, which has none, the
    /// lower end is given up.
    fn reconcile(&mut self) {
        if self.at_least.zip(self.at_most).is_some_and(|(low, high)| low > high) {
            (self.at_least, self.claims[0]) = (None, None);
        }
    }

    /// Whether no more digits are worth another attempt.
    fn is_narrow(&self) -> bool {
        let narrow =
            |(low, high): (f64, f64)| high - low <= NARROW * low.abs().max(high.abs()).max(1e-3);
        self.unbounded || self.at_least.zip(self.at_most).is_some_and(narrow)
    }

    /// As the certificate has it, with its claims appended.
    pub fn bracket(&self, claims: &mut Vec<Claim>) -> Bracket {
        let mut number = |claim: &Option<Claim>| {
            claim.as_ref().map(|claim| {
                claims.push(claim.clone());
                claims.len() - 1
            })
        };
        let numbers = [number(&self.claims[0]), number(&self.claims[1])];
        Bracket {
            what: self.what.into(),
            direction: self.direction,
            at_least: self.at_least,
            at_most: self.at_most,
            claims: numbers,
        }
    }
}

/// A family of loads `base + λ direction`.
pub(crate) struct Family<'a> {
    pub what: &'static str,
    pub direction: Option<[f64; 3]>,
    pub case: &'a dyn Fn(f64) -> Case,
    /// The case of the direction alone.
    pub alone: Case,
}

impl Statics {
    /// The largest factor on the live load.
    pub fn load_factor(&self) -> Margin {
        self.largest(&Family {
            what: "load factor",
            direction: None,
            case: &|live| Case { live, ..Case::default() },
            alone: Case { live: 1.0, weight: 0.0, ..Case::default() },
        })
    }

    /// The least factor on the live load, a clamp, with which it can stand.
    pub fn clamp(&self) -> Margin {
        let alone = Case::default();
        let mut least = Margin::open("clamp factor");
        if let decision @ Decision::Carried(_) = self.decide(&alone) {
            (least.at_least, least.at_most) = (Some(0.0), Some(0.0));
            least.claims[1] = decision.claim(self, &alone);
            return least;
        }
        // The largest negative factor, mirrored.
        let largest = self.largest(&Family {
            what: "clamp factor",
            direction: None,
            case: &|factor| Case { live: -factor, ..Case::default() },
            alone: Case { live: -1.0, weight: 0.0, ..Case::default() },
        });
        let [low, high] = largest.claims;
        least.claims = [high, low];
        (least.at_least, least.at_most) =
            (largest.at_most.map(|x| -x), largest.at_least.map(|x| -x));
        if least.at_most.is_some_and(|high| high < 0.0) {
            // Only the opposite load would hold it.
            return Margin::open("clamp factor");
        }
        least
    }

    /// The largest tangent of the angle by which gravity can turn towards a horizontal direction.
    pub fn tilt(&self, direction: DVec3) -> Margin {
        let gravity = DVec3::from(self.model.gravity);
        let down = gravity.normalize_or_zero();
        let direction = (direction - down * direction.dot(down)).normalize_or_zero();
        let case = |tangent: f64| Case {
            acceleration: (direction * (tangent * gravity.length())).to_array(),
            ..Case::default()
        };
        self.largest(&Family {
            what: "tilt",
            direction: Some(direction.to_array()),
            case: &case,
            alone: Case { weight: 0.0, ..case(1.0) },
        })
    }

    /// The largest λ of a family.
    pub(crate) fn largest(&self, family: &Family<'_>) -> Margin {
        let prover = Prover::new(&self.model, &self.structure);
        let base = self.structure.load(&self.model, &(family.case)(0.0));
        let load = self.structure.load(&self.model, &family.alone);
        let mut program = Program::carry_most(&self.structure, &base, vec![load.clone()], &[1.0]);
        let mut margin = Margin { direction: family.direction, ..Margin::open(family.what) };
        if self.has_knobs {
            return margin;
        }
        for price in PRICES {
            program.cost.fill([price, 0.0, 0.0]);
            self.tried(&prover, family, &program, [&base, &load], &mut margin);
            if margin.is_narrow() {
                return margin;
            }
        }
        self.completed(&prover, family, &mut margin);
        margin
    }

    /// Proves both ends from the solutions of one program.
    fn tried(
        &self,
        prover: &Prover<'_>,
        family: &Family<'_>,
        program: &Program<'_>,
        [base, load]: [&[Six]; 2],
        margin: &mut Margin,
    ) {
        let mut path: Option<Vec<Solution>> = None;
        for solution in program.attempts() {
            match solution.end {
                End::Solved => {
                    let mut both = |point: &Solution| {
                        Self::lower(prover, family, &point.forces, point.loads[0], margin);
                        self.upper(prover, family, [base, load], &point.motion, margin);
                        margin.is_narrow()
                    };
                    if !both(&solution) {
                        let path = path.get_or_insert_with(|| program.path());
                        let mixed = |part: &f64| Some(solution.mixed(path.first()?, *part));
                        let found = path.iter().rev().any(&mut both);
                        if !found {
                            PARTS.iter().filter_map(mixed).any(|point| both(&point));
                        }
                    }
                    self.upper_repaired(prover, family, &solution.motion, margin);
                }
                End::Unbounded => self.unbounded(prover, family, &solution.forces, margin),
                End::Infeasible | End::Stalled => {}
            }
            margin.reconcile();
            if margin.is_narrow() {
                break;
            }
        }
    }

    /// Looks for the end that is missing beside the one that is proved, at growing distances from it.
    fn completed(&self, prover: &Prover<'_>, family: &Family<'_>, margin: &mut Margin) {
        for aside in ASIDE {
            let (known, sign) = match (margin.at_least, margin.at_most) {
                (None, Some(high)) => (high, -1.0),
                (Some(low), None) if !margin.unbounded => (low, 1.0),
                _ => return,
            };
            let value = known + sign * aside * known.abs().max(1e-3);
            let case = (family.case)(value);
            match (sign > 0.0, self.decide_with(prover, &case)) {
                (false, decision @ Decision::Carried(_)) => {
                    margin.at_least = Some(value);
                    margin.claims[0] = decision.claim(self, &case);
                }
                (true, decision @ Decision::NotCarried(_)) => {
                    margin.at_most = Some(value);
                    margin.claims[1] = decision.claim(self, &case);
                }
                _ => {}
            }
        }
    }

    /// Proves that nothing bounds a family: forces that carry its direction alone, and its base.
    fn unbounded(
        &self,
        prover: &Prover<'_>,
        family: &Family<'_>,
        forces: &[DVec3],
        margin: &mut Margin,
    ) {
        let claim = |case, forces| Some(Claim { case, proof: Proof::Carried { forces } });
        let Some(ray) = prover.carried(&family.alone, forces) else { return };
        let start = (family.case)(0.0);
        if let Decision::Carried(forces) = self.decide_with(prover, &start) {
            margin.claims = [claim(start, forces), claim(family.alone.clone(), ray)];
            (margin.at_least, margin.at_most, margin.unbounded) = (Some(0.0), None, true);
        }
    }

    /// Proves a lower end close to a value.
    fn lower(
        prover: &Prover<'_>,
        family: &Family<'_>,
        forces: &[DVec3],
        value: f64,
        margin: &mut Margin,
    ) {
        let value = value - BELOW * value.abs().max(1e-3);
        if margin.at_least.is_some_and(|best| best >= value) {
            return;
        }
        let case = (family.case)(value);
        if let Some(forces) = prover.carried(&case, forces) {
            margin.at_least = Some(value);
            margin.claims[0] = Some(Claim { case, proof: Proof::Carried { forces } });
        }
    }

    /// Proves an upper end from the motion of a program as it is.
    fn upper(
        &self,
        prover: &Prover<'_>,
        family: &Family<'_>,
        [base, load]: [&[Six]; 2],
        motion: &[Six],
        margin: &mut Margin,
    ) {
        let bound = -dot(base, motion) / dot(load, motion);
        self.above(family, bound, &prover.twists(motion), margin);
    }

    /// Proves an upper end from a motion that is repaired with slack.
    fn upper_repaired(
        &self,
        prover: &Prover<'_>,
        family: &Family<'_>,
        motion: &[Six],
        margin: &mut Margin,
    ) {
        if margin.is_narrow() {
            return;
        }
        let Some(twists) = prover.with_slack(motion) else { return };
        let Some(bound) = self.bound(family, &twists) else { return };
        self.above(family, bound, &twists, margin);
    }

    /// Proves an upper end just above the bound of a motion, if it is better than what is known.
    fn above(&self, family: &Family<'_>, bound: f64, twists: &Twists, margin: &mut Margin) {
        let origin = self.structure.origin.to_array();
        for distance in ABOVE {
            let value = bound + distance * bound.abs().max(1e-3);
            if margin.at_most.is_some_and(|best| best <= value) {
                return;
            }
            let case = (family.case)(value);
            if proves_not_carried(&self.model, &case, origin, twists).is_ok() {
                margin.at_most = Some(value);
                let proof = Proof::NotCarried { origin, motion: twists.clone() };
                margin.claims[1] = Some(Claim { case, proof });
                return;
            }
        }
    }

    /// The λ at which the power of a family on a motion vanishes.
    fn bound(&self, family: &Family<'_>, twists: &Twists) -> Option<f64> {
        let origin = self.structure.origin.to_array();
        let power = |case: &Case| stiction_check::power(&self.model, case, origin, twists);
        let load = power(&family.alone);
        (load > 0.0).then(|| -power(&(family.case)(0.0)) / load)
    }
}

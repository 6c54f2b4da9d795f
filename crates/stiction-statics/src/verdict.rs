//! Does it stand?
//!
//! | verdict | proof |
//! | --- | --- |
//! | cannot stand | a virtual motion that no admissible force opposes |
//! | can stand | forces in the friction cones that balance the weight |
//! | need not stand | these, and a motion from rest by Coulomb's law |
//! | must stand | normal forces alone that balance the weight |
//! | on the edge | forces, and a motion that proves that a nudge of 1e-8 g is too much |

use crate::program::{End, Program};
use crate::statics::{Decision, Statics};
use crate::witness::{Forces, Prover};
use glam::DVec3;
use rayon::prelude::*;
use stiction_check::{Case, Claim, EDGE, Proof};

/// The question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Look for a proof that it must stand.
    pub must: bool,
    /// Look for a motion where it can stand, and whether a nudge is too much.
    pub need_not: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { must: true, need_not: true }
    }
}

/// The five verdicts, and the sixth when none is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No admissible forces balance the weight.
    Cannot,
    /// Some do.
    Can,
    /// Some do, and it may move all the same.
    NeedNot,
    /// Whatever the laws allow, nothing moves.
    Must,
    /// Forces exist, but a nudge is too much.
    Edge,
    /// Nothing could be proved.
    Undecided,
}

impl Verdict {
    /// As certificates and reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Cannot => "cannot stand",
            Verdict::Can => "can stand",
            Verdict::NeedNot => "need not stand",
            Verdict::Must => "must stand",
            Verdict::Edge => "on the edge",
            Verdict::Undecided => "undecided",
        }
    }

    /// Whether it can stand at all; none if that is open.
    pub fn can(self) -> Option<bool> {
        match self {
            Verdict::Cannot => Some(false),
            Verdict::Undecided => None,
            _ => Some(true),
        }
    }
}

/// A verdict and what proves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Its proof.
    pub claims: Vec<Claim>,
}

impl Answer {
    /// Whether it stands, but a nudge of [`EDGE`] is proved to be too much: like a pencil on its tip.
    pub fn balances(&self) -> bool {
        let nudged = |claim: &Claim| {
            claim.case.acceleration != [0.0; 3] && matches!(claim.proof, Proof::NotCarried { .. })
        };
        self.verdict.can() == Some(true) && self.claims.iter().any(nudged)
    }
}

impl Statics {
    /// Decides whether the assembly stands under its weight. Knobs are not modelled: an assembly
    /// that has some is undecided.
    pub fn stands(&self, options: &Options) -> Answer {
        let case = Case::default();
        if options.must
            && !self.has_knobs
            && let Some(claim) = self.must_stand()
        {
            let nudged = if options.need_not { self.nudged() } else { None };
            let claims = [claim].into_iter().chain(nudged).collect();
            return Answer { verdict: Verdict::Must, claims };
        }
        let decision = self.decide(&case);
        let mut verdict = match &decision {
            Decision::Carried(_) => Verdict::Can,
            Decision::NotCarried(_) => Verdict::Cannot,
            Decision::Open => Verdict::Undecided,
        };
        let mut claims: Vec<Claim> = decision.claim(self, &case).into_iter().collect();
        if options.need_not
            && verdict == Verdict::Can
            && let Some(claim) = self.moves(&case)
        {
            verdict = Verdict::NeedNot;
            claims.push(claim);
        }
        if verdict == Verdict::Can
            && let Some(claim) = self.nudged()
        {
            verdict = Verdict::Edge;
            claims.push(claim);
        }
        Answer { verdict, claims }
    }

    /// A proof that a nudge of [`EDGE`] is too much.
    fn nudged(&self) -> Option<Claim> {
        let nudge = EDGE * DVec3::from(self.model.gravity).length();
        [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y].iter().find_map(|&direction| {
            let acceleration = (direction * nudge).to_array();
            let case = Case { acceleration, ..Case::default() };
            match self.decide(&case) {
                decision @ Decision::NotCarried(_) => decision.claim(self, &case),
                Decision::Carried(_) | Decision::Open => None,
            }
        })
    }

    /// A proof that it must stand: normal forces alone carry the weight.
    fn must_stand(&self) -> Option<Claim> {
        let frictionless = Case { friction: 0.0, ..Case::default() };
        let structure = self.with_friction(&frictionless);
        let prover = Prover::new(&self.model, &structure);
        let load = structure.load(&self.model, &frictionless);
        // Where the cheapest program finds that none do, nobody asks for a proof of that.
        for solution in Program::carry(&structure, &load).attempts().take(2) {
            match solution.end {
                End::Infeasible => return None,
                End::Solved => {
                    let forces = prover.carried(&frictionless, &solution.forces);
                    if let Some(claim) = forces.and_then(|forces| must_claim(&prover, &forces)) {
                        return Some(claim);
                    }
                }
                End::Unbounded | End::Stalled => {}
            }
        }
        match self.decide_with(&prover, &frictionless) {
            Decision::Carried(forces) => must_claim(&prover, &forces),
            Decision::NotCarried(_) | Decision::Open => None,
        }
    }
}

/// The claim that forces without friction prove.
fn must_claim(prover: &Prover<'_>, forces: &Forces) -> Option<Claim> {
    let case = Case::default();
    let normal = prover.without_friction(&case, forces)?;
    Some(Claim { case, proof: Proof::MustStand { normal } })
}

/// Decides whether an assembly stands.
pub fn stands(assembly: &crate::Assembly, options: &Options) -> Answer {
    Statics::new(assembly).stands(options)
}

/// Decides for many assemblies, side by side if there are threads.
pub fn stands_all(assemblies: &[crate::Assembly], options: &Options) -> Vec<Answer> {
    assemblies.par_iter().map(|assembly| stands(assembly, options)).collect()
}

//! An assembly prepared for questions, and the one question under all of them: is this load carried?

use crate::assembly::Assembly;
use crate::program::{ACCURATE, End, Program, Solution};
use crate::structure::Structure;
use crate::witness::{Forces, Prover, Twists};
use stiction_check::{Block, Case, Claim, Contact, Model, Proof};

/// An assembly prepared for questions about its statics.
pub struct Statics {
    /// The blocks and contacts as the checker sees them.
    pub model: Model,
    pub(crate) structure: Structure,
    /// Knobs hold blocks in ways that contacts do not.
    pub(crate) has_knobs: bool,
}

/// Whether a load is carried.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Decision {
    /// These forces carry it.
    Carried(Forces),
    /// This motion proves that none do.
    NotCarried(Twists),
    /// Neither could be proved.
    Open,
}

impl Decision {
    /// The claim of a case; none if nothing is proved.
    pub(crate) fn claim(self, statics: &Statics, case: &Case) -> Option<Claim> {
        let proof = match self {
            Decision::Carried(forces) => Proof::Carried { forces },
            Decision::NotCarried(motion) => {
                Proof::NotCarried { origin: statics.structure.origin.to_array(), motion }
            }
            Decision::Open => return None,
        };
        Some(Claim { case: case.clone(), proof })
    }
}

impl Statics {
    /// Prepares an assembly.
    pub fn new(assembly: &Assembly) -> Self {
        Statics {
            model: model(assembly),
            structure: Structure::new(assembly),
            has_knobs: !assembly.knobs.is_empty(),
        }
    }

    /// The structure with the friction of a case.
    pub(crate) fn with_friction(&self, case: &Case) -> Structure {
        self.structure.with_friction(case.friction)
    }

    /// Decides whether the load of a case is carried.
    pub(crate) fn decide(&self, case: &Case) -> Decision {
        let structure = self.with_friction(case);
        let prover = Prover::new(&self.model, &structure);
        self.decide_with(&prover, case)
    }

    /// The same, with the friction of a prover.
    ///
    /// The cheapest program first; near the limit, where it is ill-posed, the one that is never
    /// infeasible: the least wrenches that would help.
    pub(crate) fn decide_with(&self, prover: &Prover<'_>, case: &Case) -> Decision {
        if self.has_knobs {
            return Decision::Open;
        }
        let load = prover.structure.load(&self.model, case);
        let carry = Program::carry(prover.structure, &load);
        // One solution first; then the other program; then the costlier solutions of both.
        let mut attempts = carry.attempts();
        let first = attempts.by_ref().take(2).find_map(|solution| judge(prover, case, &solution));
        if let Some(decision) = first {
            return decision;
        }
        let cost = vec![[0.0; 3]; carry.cost.len()];
        let helped = Program {
            cost,
            slack: Some(1.0),
            accuracy: ACCURATE,
            ..Program::carry(prover.structure, &load)
        };
        let both = |solution: Solution| {
            let first = if solution.slack > SMALL_HELP { End::Infeasible } else { End::Solved };
            let second = if first == End::Solved { End::Infeasible } else { End::Solved };
            let decide = |end| judge(prover, case, &Solution { end, ..solution.clone() });
            if solution.end == End::Stalled {
                None
            } else {
                decide(first).or_else(|| decide(second))
            }
        };
        let helped = helped.attempts().find_map(both);
        helped
            .or_else(|| attempts.find_map(|solution| judge(prover, case, &solution)))
            .unwrap_or(Decision::Open)
    }
}

/// Help in mean weights at which forces are tried before a motion.
const SMALL_HELP: f64 = 1e-9;

/// What the checker accepts of a solution.
fn judge(prover: &Prover<'_>, case: &Case, solution: &Solution) -> Option<Decision> {
    match solution.end {
        End::Solved => prover.carried(case, &solution.forces).map(Decision::Carried),
        End::Infeasible => prover.not_carried(case, &solution.motion).map(Decision::NotCarried),
        End::Unbounded | End::Stalled => None,
    }
}

/// An assembly as the checker sees it.
fn model(assembly: &Assembly) -> Model {
    let block = |block: &crate::Block| Block {
        name: block.name.clone(),
        fixed: block.fixed,
        mass: block.mass,
        centre: block.centre.to_array(),
        inertia: block.inertia.map(|inertia| inertia.transpose().to_cols_array_2d()),
    };
    let contacts = assembly.interfaces.iter().flat_map(|interface| {
        interface.points.iter().map(|point| Contact {
            a: interface.a,
            b: interface.b,
            point: point.to_array(),
            normal: interface.normal.to_array(),
            friction: interface.friction,
        })
    });
    let mut live = vec![[0.0; 6]; if assembly.load.is_empty() { 0 } else { assembly.blocks.len() }];
    for load in &assembly.load {
        let more = crate::structure::six(load.force, load.torque);
        crate::structure::add(&mut live[load.block], 1.0, &more);
    }
    Model {
        gravity: assembly.gravity.to_array(),
        blocks: assembly.blocks.iter().map(block).collect(),
        contacts: contacts.collect(),
        live,
    }
}

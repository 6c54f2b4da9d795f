//! A bound on the response of a contact in any answer that obeys the laws: the motion that its
//! forces can cause.
//!
//! Contacts and joints that only resist add no energy, drives add `−f·s`: the work of the force
//! `f` at a contact or row that is driven with a speed `s`, at most `s²/m` where the mobility is
//! `m`. In the mass norm, forces change the motion of an island by no more than its free motion `v`
//! and the drives allow, and by no more than their sum `c` does:
//!
//! ```text
//!   E = min(Σ vᵀ M v, Σ cᵀ M c) + Σ min(s²/m, max(0, −f·s))
//! ```
//!
//! A contact of mobility `w` responds by at most `√(w E)`. Since `c` is what all forces do
//! together, forces that only squeeze do not increase the bound, nor does a drive without force
//! or a neighbour that falls freely.
//!
//! The same holds for a body alone, with forces from bodies that move added at face value. The
//! smaller bound counts: what a heavy neighbour carries does not matter to a body that the fixed
//! world squeezes.

use super::response::Effect;
use super::scale::BodySize;
use crate::forces::Forces;
use crate::problem::{ContactProblem, Row};
use glam::DVec3;

pub(super) struct IslandMotion<'a> {
    problem: &'a ContactProblem,
    islands: Vec<usize>,
    /// `√E`, by island.
    weighted: Vec<f64>,
    /// `√E` of every body alone.
    alone: Vec<f64>,
}

/// Twice the energies that bound the motion of a body or an island.
#[derive(Clone, Copy, Default)]
struct Energy {
    free: f64,
    changed: f64,
    driven: f64,
}

impl Energy {
    fn add(&mut self, other: &Energy) {
        self.free += other.free;
        self.changed += other.changed;
        self.driven += other.driven;
    }

    /// `√E`; NaN if any part overflows.
    fn root(&self) -> f64 {
        let Energy { free, changed, driven } = *self;
        if (free + changed + driven).is_finite() {
            (free.min(changed) + driven).sqrt()
        } else {
            f64::NAN
        }
    }
}

/// The energy that a drive adds, from its speed, its power `−f·s` and the mobility there.
fn driven(speed: f64, power: f64, mobility: f64) -> f64 {
    let drives = speed > 0.0 && mobility > 0.0;
    // A power that is not a number bounds nothing.
    if !drives || power <= 0.0 { 0.0 } else { (speed * speed / mobility).min(power) }
}

impl<'a> IslandMotion<'a> {
    pub(super) fn new(
        problem: &'a ContactProblem,
        bodies: &[BodySize],
        forces: &Forces,
        effects: &[Effect],
    ) -> Self {
        let islands = problem.island_of_bodies();
        let mut alone = vec![Energy::default(); bodies.len()];
        // A body without contacts and rows bounds nothing.
        let touched = problem.bodies().iter().zip(effects).zip(bodies).zip(&mut alone);
        for (((body, effect), _), energy) in touched.filter(|((_, size), _)| size.is_touched()) {
            energy.free = body.inertia.energy(&body.free_response);
            energy.changed = effect.energy;
        }
        add_drives(problem, bodies, forces, |a, b, energy| {
            let moves = b.filter(|_| bodies[a].fixed).unwrap_or(a);
            alone[moves].driven += energy;
        });
        let mut together = vec![Energy::default(); bodies.len()];
        for (energy, &island) in alone.iter().zip(&islands) {
            together[island].add(energy);
        }
        let roots = |energies: Vec<Energy>| energies.iter().map(Energy::root).collect();
        IslandMotion { problem, islands, weighted: roots(together), alone: roots(alone) }
    }

    /// A sum of terms, limited to the largest motion possible at a contact or row of this
    /// mobility between these bodies; NaN if the energy of the island overflows. `alone` is the
    /// sum of what bounds each of its bodies alone.
    pub(super) fn limit(
        &self,
        terms: f64,
        (a, b): (usize, Option<usize>),
        mobility: f64,
        alone: f64,
    ) -> f64 {
        let weighted = self.weighted[self.problem.island_of(&self.islands, a, b)];
        if weighted.is_finite() {
            terms.min(weighted * mobility.sqrt()).min(alone)
        } else {
            f64::NAN
        }
    }

    /// The largest motion that forces from the fixed world cause at a place of this mobility of
    /// a body.
    pub(super) fn of_body(&self, body: usize, mobility: f64) -> f64 {
        self.alone[body] * mobility.max(0.0).sqrt()
    }
}

/// Finds the energy of every drive: contacts and rows with a bias, or to a fixed body that moves.
fn add_drives(
    problem: &ContactProblem,
    bodies: &[BodySize],
    forces: &Forces,
    mut add: impl FnMut(usize, Option<usize>, f64),
) {
    for (contact, force) in problem.contacts().iter().zip(&forces.contacts) {
        let mut speed = DVec3::from_array(contact.bias);
        let mut mobility = 0.0;
        for (body, sign) in [(Some(contact.a), 1.0), (contact.b, -1.0)] {
            let Some(body) = body else { continue };
            mobility += bodies[body].most.linear / 3.0;
            // A fixed body that moves (a conveyor) drives the other one.
            if bodies[body].fixed {
                let [v, w] = super::scale::halves(&problem.bodies()[body].free_response);
                speed += sign * (v + w.cross(super::scale::arm(problem, body, contact)));
            }
        }
        if speed != DVec3::ZERO {
            let push = super::total(force, DVec3::from_array(contact.normal));
            add(contact.a, contact.b, driven(speed.length(), -push.dot(speed), mobility));
        }
    }
    let rows = problem.bilateral().iter().zip(&forces.bilateral);
    let bounded = problem.bounded().iter().map(|bounded| &bounded.row).zip(&forces.bounded);
    for (row, force) in rows.chain(bounded) {
        let Row { a, on_a, b, on_b, bias } = row;
        let (mut speed, mut mobility) = (*bias, 0.0);
        for (body, on) in [(Some(*a), on_a), (*b, on_b)] {
            let Some(body) = body else { continue };
            mobility += bodies[body].mobility(on);
            if bodies[body].fixed {
                let free = &problem.bodies()[body].free_response;
                speed += on.iter().zip(free).map(|(x, v)| x * v).sum::<f64>();
            }
        }
        if speed != 0.0 {
            add(*a, *b, driven(speed.abs(), -force * speed, mobility));
        }
    }
}

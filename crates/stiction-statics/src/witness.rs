//! Witnesses that the checker accepts, from the rough ones of a cone program.
//!
//! Forces of an interior point lie strictly inside their cones but balance only to its tolerance:
//! what is left is cancelled by a step in the metric of the cones, which stays inside. Motions
//! break `u_n ≥ μ |u_t|` by its tolerance: adding a little of a *slack motion*, one with
//! `u_n ≥ μ |u_t| + 1` everywhere, makes them exact. A slack motion exists unless contacts can
//! press against each other without load (self-stress); blocks that do are made to move as one.

use crate::program::{End, Metric, Program};
use crate::structure::{FIXED, Six, Structure};
use glam::DVec3;
use std::cell::OnceCell;
use stiction_check::{
    BALANCE, Case, Model, carries, imbalance, proves_not_carried, without_friction,
};
use stiction_contact::UnionFind;

/// Rounds of cancelling what forces leave unbalanced. Well inside the cones each squares the error, so that three do;
/// where forces have to be moved back into their cones, each takes a part of it.
const ROUNDS: usize = 40;
/// Part of the error that a round has to take for another one to follow.
const WORTHWHILE: f64 = 0.9;
/// Part of [`BALANCE`] at which forces need no more rounds.
const BALANCED: f64 = 0.1;
/// Part of the tangential force that is given up so that rounding leaves it inside the cone.
pub(crate) const INSIDE: f64 = 1e-14;
/// Slip relative to the fastest at which blocks are tried as moving together.
const TOGETHER: f64 = 1e-7;
/// Force of a self-stress, relative to the largest, at which a contact counts as part of it.
const STRESSED: f64 = 1e-5;
/// Rounds in which self-stresses are looked for.
const MOST_STRESSES: usize = 6;
/// Rounding of the velocities of a motion, relative to the fastest.
const ROUNDING: f64 = 1e-14;

/// Forces on the first block of every contact (N).
pub(crate) type Forces = Vec<[f64; 3]>;
/// Velocity of the point of every block at the origin of the structure, and spin.
pub(crate) type Twists = Vec<[f64; 6]>;

/// Makes witnesses for one model and one friction.
pub(crate) struct Prover<'a> {
    pub model: &'a Model,
    pub structure: &'a Structure,
    slack: OnceCell<Slack>,
}

/// A slack motion.
struct Slack {
    twists: Option<Twists>,
    /// Sets of blocks that press against each other; equal numbers move as one.
    groups: Vec<usize>,
}

impl<'a> Prover<'a> {
    pub(crate) fn new(model: &'a Model, structure: &'a Structure) -> Self {
        Prover { model, structure, slack: OnceCell::new() }
    }

    /// Forces that carry the load of a case, near given ones.
    pub(crate) fn carried(&self, case: &Case, forces: &[DVec3]) -> Option<Forces> {
        let forces = self.balanced(case, forces)?;
        carries(self.model, case, &forces).is_ok().then_some(forces)
    }

    /// The normal forces of forces that carry the load of a case without friction.
    pub(crate) fn without_friction(&self, case: &Case, forces: &[[f64; 3]]) -> Option<Vec<f64>> {
        let normal = |(force, contact): (&[f64; 3], &stiction_check::Contact)| {
            let n = DVec3::from(contact.normal);
            (DVec3::from(*force).dot(n) / n.length_squared()).max(0.0)
        };
        let normal: Vec<f64> = forces.iter().zip(&self.model.contacts).map(normal).collect();
        without_friction(self.model, case, &normal).is_ok().then_some(normal)
    }

    /// Forces near given ones that balance the load of a case, as far as the cones let them.
    pub(crate) fn balanced(&self, case: &Case, forces: &[DVec3]) -> Option<Forces> {
        let structure = self.structure;
        let unit = structure.force;
        let mut forces: Vec<DVec3> = forces.to_vec();
        let mut metric: Option<Metric> = None;
        let mut last = f64::INFINITY;
        for _ in 0..ROUNDS {
            let given: Forces = forces.iter().map(|&f| (f * unit).to_array()).collect();
            let residue = imbalance(self.model, case, &given).ok()?;
            if residue.relative < BALANCED * BALANCE || residue.relative > WORTHWHILE * last {
                break;
            }
            last = residue.relative;
            let left: Vec<(DVec3, DVec3)> = residue
                .left
                .iter()
                .map(|r| (DVec3::new(r[0], r[1], r[2]), DVec3::new(r[3], r[4], r[5])))
                .collect();
            let metric = metric.get_or_insert_with(|| Metric::new(structure));
            metric.around(&forces);
            if !metric.factor() {
                break;
            }
            let change = metric.cancel(&structure.scaled(&left));
            forces.iter_mut().zip(change).for_each(|(f, d)| *f += d);
            forces.iter_mut().zip(&structure.contacts).for_each(|(f, contact)| contact.confine(f));
        }
        Some(forces.iter().map(|&f| (f * unit).to_array()).collect())
    }

    /// A motion that proves that the load of a case is not carried, near a given one.
    pub(crate) fn not_carried(&self, case: &Case, motion: &[Six]) -> Option<Twists> {
        let twists = self.twists(motion);
        let proof = |twists: Twists| {
            let origin = self.structure.origin.to_array();
            proves_not_carried(self.model, case, origin, &twists).is_ok().then_some(twists)
        };
        let alone: Vec<usize> = (0..twists.len()).collect();
        proof(twists.clone())
            .or_else(|| proof(self.repaired(&twists, &alone, None)?))
            .or_else(|| {
                let slack = self.slack();
                proof(self.repaired(&twists, &slack.groups, slack.twists.as_ref())?)
            })
            .or_else(|| proof(self.repaired(&twists, &self.groups_of(&twists), None)?))
            .or_else(|| {
                let slack = self.slack.get()?;
                proof(self.repaired(&twists, &self.groups_of(&twists), slack.twists.as_ref())?)
            })
    }

    /// A motion without the violations that slack can repair; the groups move as one.
    pub(crate) fn repaired(
        &self,
        twists: &Twists,
        groups: &[usize],
        slack: Option<&Twists>,
    ) -> Option<Twists> {
        let mut twists = self.as_one(twists, groups);
        let Some(slack) = slack else { return Some(twists) };
        let slack = self.as_one(slack, groups);
        let (u, v) = (self.slips(&twists), self.slips(&slack));
        let fastest = u.iter().fold(0.0_f64, |most, u| most.max(u.length()));
        let mut amount = 0.0_f64;
        for ((contact, u), v) in self.structure.contacts.iter().zip(&u).zip(&v) {
            if *u == DVec3::ZERO && *v == DVec3::ZERO {
                continue;
            }
            let (wanting, slack) = (-contact.reserve(*u), contact.reserve(*v));
            let wanting = wanting + ROUNDING * fastest;
            if wanting > 0.0 {
                if slack <= 0.0 {
                    return None;
                }
                amount = amount.max(wanting / slack);
            }
        }
        for (twist, slack) in twists.iter_mut().zip(&slack) {
            (0..6).for_each(|k| twist[k] += amount * slack[k]);
        }
        Some(twists)
    }

    /// The slack motion, computed when it is first needed.
    pub(crate) fn with_slack(&self, motion: &[Six]) -> Option<Twists> {
        let slack = self.slack();
        self.repaired(&self.twists(motion), &slack.groups, slack.twists.as_ref())
    }

    fn slack(&self) -> &Slack {
        self.slack.get_or_init(|| {
            let blocks = self.model.blocks.len();
            let mut program =
                Program::carry(self.structure, &vec![[0.0; 6]; self.structure.free.len()]);
            program.cost.fill([-1.0, 0.0, 0.0]);
            let mut union = UnionFind::new(blocks + 1);
            for (k, _) in self.model.blocks.iter().enumerate().filter(|(_, b)| b.fixed) {
                union.join(k, blocks);
            }
            let mut groups: Vec<usize> = (0..blocks).collect();
            for _ in 0..MOST_STRESSES {
                let Some(solution) = program.solve() else { break };
                if solution.end == End::Solved {
                    return Slack { twists: Some(self.twists(&solution.motion)), groups };
                }
                if solution.end != End::Unbounded {
                    break;
                }
                let largest = solution.forces.iter().fold(0.0_f64, |most, f| most.max(f.length()));
                for (k, force) in solution.forces.iter().enumerate() {
                    if force.length() > STRESSED * largest {
                        union.join(self.model.contacts[k].a, self.model.contacts[k].b);
                        program.cost[k] = [0.0; 3];
                    }
                }
                groups = union.clone().roots();
            }
            Slack { twists: None, groups }
        })
    }

    /// Blocks that hardly slip against each other.
    fn groups_of(&self, twists: &Twists) -> Vec<usize> {
        let blocks = self.model.blocks.len();
        let mut union = UnionFind::new(blocks + 1);
        for (k, _) in self.model.blocks.iter().enumerate().filter(|(_, b)| b.fixed) {
            union.join(k, blocks);
        }
        let slips = self.slips(twists);
        let fastest = slips.iter().fold(0.0_f64, |most, u| most.max(u.length()));
        let interfaces = self.structure.contacts.last().map_or(0, |contact| contact.interface + 1);
        let mut most = vec![0.0_f64; interfaces];
        for (contact, u) in self.structure.contacts.iter().zip(&slips) {
            most[contact.interface] = most[contact.interface].max(u.length());
        }
        for (at, contact) in self.structure.contacts.iter().zip(&self.model.contacts) {
            if most[at.interface] <= TOGETHER * fastest {
                union.join(contact.a, contact.b);
            }
        }
        union.roots()
    }

    /// Twists with the mean of each group; groups with a fixed block rest.
    fn as_one(&self, twists: &Twists, groups: &[usize]) -> Twists {
        let mut sums = std::collections::BTreeMap::<usize, ([f64; 6], f64)>::new();
        for (k, twist) in twists.iter().enumerate() {
            let entry = sums.entry(groups[k]).or_default();
            (0..6).for_each(|i| entry.0[i] += twist[i]);
            entry.1 += if self.model.blocks[k].fixed { f64::INFINITY } else { 1.0 };
        }
        groups.iter().map(|group| sums[group].0.map(|sum| sum / sums[group].1)).collect()
    }

    /// A motion of the structure as twists about its origin.
    pub(crate) fn twists(&self, motion: &[Six]) -> Twists {
        let structure = self.structure;
        let mut twists = vec![[0.0; 6]; self.model.blocks.len()];
        for (&block, m) in structure.free.iter().zip(motion) {
            let spin = DVec3::new(m[3], m[4], m[5]) / structure.length;
            let centre = DVec3::from(self.model.blocks[block].centre);
            let velocity = DVec3::new(m[0], m[1], m[2]) + spin.cross(structure.origin - centre);
            twists[block] = crate::structure::six(velocity, spin);
        }
        twists
    }

    /// The velocity of the first block against the second at every contact.
    fn slips(&self, twists: &Twists) -> Vec<DVec3> {
        let origin = self.structure.origin;
        let of = |block: usize, side: usize, at: DVec3| {
            if side == FIXED {
                return DVec3::ZERO;
            }
            let [x, y, z, a, b, c] = twists[block];
            DVec3::new(x, y, z) + DVec3::new(a, b, c).cross(at - origin)
        };
        let slip = |(contact, at): (&stiction_check::Contact, &crate::structure::Contact)| {
            let point = DVec3::from(contact.point);
            of(contact.a, at.blocks[0], point) - of(contact.b, at.blocks[1], point)
        };
        self.model.contacts.iter().zip(&self.structure.contacts).map(slip).collect()
    }
}

impl crate::structure::Contact {
    /// `u_n − μ |u_t|`
    fn reserve(&self, u: DVec3) -> f64 {
        let along = u.dot(self.axes[0]);
        along - self.friction * (u - self.axes[0] * along).length()
    }

    /// Moves a force into the cone.
    pub(crate) fn confine(&self, force: &mut DVec3) {
        confine(force, self.axes[0], self.friction);
    }
}

/// Moves a force into a cone, by giving up tangential force. Without friction the normal may have any length.
pub(crate) fn confine(force: &mut DVec3, normal: DVec3, friction: f64) {
    let along = (force.dot(normal) / normal.length_squared()).max(0.0);
    let across = *force - normal * along;
    let limit = friction * along * (1.0 - INSIDE);
    let size = across.length();
    let across = if size > limit { across * (limit / size) } else { across };
    *force = normal * along + across;
}

impl Prover<'_> {
    /// `Σ μ f_n |u_t|`
    pub(crate) fn friction_power(&self, forces: &[DVec3], motion: &[Six]) -> f64 {
        let slips = self.slips(&self.twists(motion));
        let of = |((contact, force), u): ((&crate::structure::Contact, &DVec3), &DVec3)| {
            let normal = contact.axes[0];
            contact.friction * force.dot(normal) * (*u - normal * u.dot(normal)).length()
        };
        self.structure.contacts.iter().zip(forces).zip(&slips).map(of).sum()
    }

    /// The acceleration of the first block against the second at every contact, from rest.
    pub(crate) fn accelerations(&self, of_blocks: &[[f64; 6]]) -> Vec<DVec3> {
        let at = |block: usize, point: DVec3| {
            let [x, y, z, a, b, c] = of_blocks[block];
            let arm = point - DVec3::from(self.model.blocks[block].centre);
            DVec3::new(x, y, z) + DVec3::new(a, b, c).cross(arm)
        };
        let relative = |contact: &stiction_check::Contact| {
            let point = DVec3::from(contact.point);
            at(contact.a, point) - at(contact.b, point)
        };
        self.model.contacts.iter().map(relative).collect()
    }
}

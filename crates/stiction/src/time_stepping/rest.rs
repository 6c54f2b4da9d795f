//! What rests stays at rest.
//!
//! An island whose certified velocities are zero at both ends of a piece (in the one that
//! stopped it forces did so) has, as long as the same features touch, the same problem to solve
//! in the next piece: it is not solved again, its bodies stay exactly where they are, and its
//! contacts and joints keep the forces they were certified with. Bodies next to something driven,
//! or held by it or by motors, do not rest.

use super::plan::{Plan, Solved};
use crate::detect::{Contact, ContactKey};
use crate::islands::connected;
use crate::world::World;
use std::collections::HashMap;
use stiction_geometry::Twist;
use stiction_solvers::ContactForce;

/// Slower than this fraction of what gravity adds in a piece is rest.
const REST: f64 = 1e-9;

/// Islands that rested at the end of the last piece.
#[derive(Debug, Default)]
pub(super) struct Resting {
    /// For each body the name of its island, made of the contacts in it.
    islands: Vec<Option<u64>>,
    /// Forces (N) at their contacts, with the first body of each.
    forces: HashMap<ContactKey, (usize, ContactForce)>,
    /// Forces (N or N·m) of all rows of joints.
    pub rows: Vec<f64>,
    /// Of the world when it was last seen.
    fingerprint: u64,
}

/// A name for the contacts of every island.
fn names<'a>(world: &World, contacts: impl Iterator<Item = &'a Contact> + Clone) -> Vec<u64> {
    let mut islands = connected(world, contacts.clone());
    let mut names = vec![0_u64; world.bodies.len()];
    for contact in contacts {
        let ContactKey { a, b, feature } = contact.key();
        let pair = ((a.index() as u64) << 32) | b.index() as u64;
        let name = feature ^ pair.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let island = islands.of(contact.a);
        // A sum, so that the order of contacts does not matter.
        names[island] = names[island].wrapping_add(name.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1);
    }
    (0..names.len()).map(|i| names[islands.of(i)]).collect()
}

impl Resting {
    /// The force at a contact that rests (N).
    pub(super) fn force(&self, contact: &Contact) -> Option<ContactForce> {
        self.forces.get(&contact.key()).map(|(_, force)| *force)
    }

    /// Takes over what was known of some bodies in another cluster, `theirs`, which are now among
    /// `ours`; of rows of joints nothing.
    pub(super) fn take_over(&mut self, other: &Resting, (ours, theirs): (&[usize], &[usize])) {
        let place = |body: usize| ours.binary_search(&theirs[body]).ok();
        self.islands.resize(ours.len(), None);
        for (body, island) in other.islands.iter().enumerate().filter(|(_, i)| i.is_some()) {
            if let Some(here) = place(body) {
                self.islands[here] = *island;
            }
        }
        for (key, (body, force)) in &other.forces {
            if let Some(here) = place(*body) {
                self.forces.insert(*key, (here, *force));
            }
        }
    }

    /// Which bodies rest on, if these contacts are all that touch.
    pub(super) fn bodies(&self, world: &World, near: &[Contact]) -> Vec<bool> {
        if !self.is_of(world) || self.islands.len() != world.bodies.len() {
            return vec![false; world.bodies.len()];
        }
        let names = names(world, near.iter());
        let rested = |i: usize| self.islands[i] == Some(names[i]) && names[i] != 0;
        let mut islands = connected(world, near);
        let mut rests = vec![true; world.bodies.len()];
        for (i, _) in world.free() {
            let island = islands.of(i);
            rests[island] &= rested(i);
        }
        let all =
            (0..world.bodies.len()).map(|i| world.bodies[i].is_free() && rests[islands.of(i)]);
        all.collect()
    }

    /// Remembers what rests after a piece.
    pub(super) fn remember(&mut self, world: &World, plan: &Plan, solved: &Solved) {
        let least = REST * world.gravity.length() * plan.length;
        let still = |t: &Twist| t.linear.length().max(t.angular.length()) <= least;
        let touching = plan.holding(world, solved);
        let names = names(world, touching.iter().copied());
        let mut islands = connected(world, touching);
        let mut moves = vec![false; world.bodies.len()];
        for (i, _) in world.free() {
            let ends = [&plan.start.twists[i], &solved.twists[i]];
            moves[islands.of(i)] |= !ends.into_iter().all(still);
        }
        for contact in &plan.contacts {
            moves[islands.of(contact.a)] |= world.is_driven(contact.b);
        }
        for body in world.agitated() {
            moves[islands.of(body)] = true;
        }
        self.forces.retain(|_, (body, _)| !moves[islands.of(*body)]);
        for (contact, impulse) in plan.contacts.iter().zip(&solved.forces.contacts) {
            if !moves[islands.of(contact.a)] {
                let force = ContactForce {
                    normal: impulse.normal / plan.length,
                    friction: impulse.friction.map(|x| x / plan.length),
                };
                self.forces.insert(contact.key(), (contact.a, force));
            }
        }
        self.rows.resize(plan.joints.len(), 0.0);
        for ((force, entry), place) in self.rows.iter_mut().zip(&plan.joints).zip(&solved.places) {
            if !entry.is_of(&plan.resting) {
                *force = place.map_or(0.0, |row| row.force(&solved.forces)) / plan.length;
            }
        }
        let name =
            |i: usize| (!moves[islands.of(i)] && world.bodies[i].is_free()).then_some(names[i]);
        self.islands = (0..world.bodies.len()).map(name).collect();
    }

    /// Whether the world is as it was when it was last seen.
    pub(super) fn is_of(&self, world: &World) -> bool {
        self.fingerprint == world.timeless_fingerprint()
    }

    /// Remembers the world as it is.
    pub(super) fn see(&mut self, world: &World) {
        self.fingerprint = world.timeless_fingerprint();
    }
}

//! Where a piece arrives, and what it books.

use super::{Plan, Solved};
use crate::assemble::{self, joint_rows};
use crate::detect::Contact;
use crate::joint::RowRule;
use crate::journal::Journal;
use crate::report::EnergyLedger;
use crate::time_stepping::rest::Resting;
use crate::touching::{OVERLAP, REPAIRED, drift, size};
use crate::world::{State, World};
use glam::DVec3;

/// The part of the energy that changed form by which a ledger may fail to close, half of what the judge of
/// motion allows; a piece may take [`SHARE`] of what is left of it, or [`LEAST`] of the whole.
const BUDGET: f64 = 1e-3;
const SHARE: f64 = 0.05;
const LEAST: f64 = 1e-6;

/// Energy below this part of what lifts the heaviest body by its radius is not followed: nothing
/// moves.
const STILL: f64 = 1e-3;

/// Energy that is rounding, part of the energies of the world.
const ROUNDING: f64 = 1e-12;

/// The part of its largest angular momentum that a piece may miss of that of a body.
const SPIN: f64 = 1e-5;

/// The end of a piece.
pub(in crate::time_stepping) struct Arrival {
    pub state: State,
    /// Heat and work of the piece.
    friction: f64,
    impacts: f64,
    work: f64,
}

impl Arrival {
    /// Writes the end of the piece into the world and the ledger.
    pub(in crate::time_stepping) fn commit(self, world: &mut World, ledger: &mut EnergyLedger) {
        ledger.friction += self.friction;
        ledger.impacts += self.impacts;
        ledger.work += self.work;
        world.state = self.state;
    }
}

impl Plan {
    /// The end of the piece, and heat and work on the way.
    pub(in crate::time_stepping) fn arrive(&self, world: &World, solved: &Solved) -> Arrival {
        let state = self.end_state(world, solved);
        let mut arrival = Arrival { state, friction: 0.0, impacts: 0.0, work: solved.work };
        for (i, impulse) in solved.forces.contacts.iter().enumerate() {
            let friction = DVec3::from_array(impulse.friction);
            let mean = 0.5 * (self.slips[i] + self.end_slip(i, &solved.twists));
            arrival.friction -= friction.dot(mean);
            arrival.impacts -= 0.5 * impulse.normal * self.approaches(i, &solved.twists);
        }
        self.book_rows(world, solved, &mut arrival);
        let h = self.length;
        for (i, body) in world.free() {
            let turning = 0.5 * (self.start.twists[i].angular + solved.twists[i].angular);
            arrival.work += h * body.torque.dot(turning);
        }
        if world.is_pulled() {
            let middle = self.middle(&solved.twists);
            arrival.work += h * assemble::motor_power(world, &middle);
            arrival.friction += h * world.spring_loss(&middle);
        }
        arrival
    }

    /// Heat and work of joints.
    fn book_rows(&self, world: &World, solved: &Solved, arrival: &mut Arrival) {
        let last = joint_rows(world, &arrival.state);
        for ((first, last), place) in self.joints.iter().zip(&last).zip(&solved.places) {
            let impulse = place.map_or(0.0, |place| place.force(&solved.forces));
            let rates = first.rate(&self.start.twists) + last.rate(&arrival.state.twists);
            let work = 0.5 * impulse * rates;
            let carried = first.carried(world, &self.start.twists)
                + last.carried(world, &arrival.state.twists);
            arrival.work -= 0.5 * impulse * carried;
            match first.row.rule {
                RowRule::Friction { .. } => arrival.friction -= work,
                RowRule::AtLeast => arrival.impacts -= work,
                RowRule::Motor { .. } => arrival.work += work,
                RowRule::Equal => {
                    arrival.work += 0.5 * impulse * (first.row.target + last.row.target);
                }
            }
        }
    }

    /// By how much the piece is too long: energy and angular momentum that it misses, over what it
    /// may miss; 1 is just enough.
    pub(in crate::time_stepping) fn excess(
        &self,
        world: &World,
        solved: &Solved,
        arrival: &Arrival,
        ledger: &EnergyLedger,
    ) -> f64 {
        let energy = self.excess_of_energy(world, arrival, ledger);
        energy.max(self.excess_of_spin(world, solved, arrival))
    }

    fn excess_of_energy(&self, world: &World, arrival: &Arrival, ledger: &EnergyLedger) -> f64 {
        let [start, end] = [&self.start, &arrival.state]
            .map(|state| [world.kinetic_energy(state), world.potential_energy(state)]);
        let heat = arrival.friction + arrival.impacts - arrival.work;
        let missing = (end[0] + end[1] + heat - start[0] - start[1]).abs();
        let booked = ledger.friction + ledger.impacts - ledger.work;
        let so_far = (start[0] + start[1] + booked - ledger.start).abs();
        let terms = [ledger.friction, ledger.impacts, ledger.work, end[1] - ledger.start];
        let terms = terms.into_iter().map(f64::abs);
        let heaviest = world.free().map(|(_, body)| body.mass * body.bounding_radius());
        let still = STILL * world.gravity.length() * heaviest.fold(0.0, f64::max);
        let turnover = terms.chain([start[0], end[0], still]).fold(ledger.turnover, f64::max);
        let rounding = ROUNDING * start.iter().chain(&end).map(|x| x.abs()).sum::<f64>();
        let left = SHARE * (BUDGET * turnover - so_far);
        let may = left.max(LEAST * turnover).max(rounding);
        if missing > rounding { missing / may } else { 0.0 }
    }

    fn excess_of_spin(&self, world: &World, solved: &Solved, arrival: &Arrival) -> f64 {
        let excess = |(i, body): (usize, &crate::world::Body)| {
            let [(before, start), (after, end)] = [&self.start, &arrival.state].map(|state| {
                let (pose, twist) = (&state.poses[i], &state.twists[i]);
                (world.spin(i, pose, twist.angular), body.mass * twist.linear)
            });
            let received = solved.received.impulses.get(i).copied().unwrap_or_default();
            let given = received.angular + self.length * body.torque;
            let momentum = start.length().max(end.length()).max(received.linear.length());
            let most = before.length().max(after.length()).max(given.length());
            let most = most.max(body.bounding_radius() * momentum);
            let missing = (after - before - given).length();
            if missing > ROUNDING * most { missing / (SPIN * most) } else { 0.0 }
        };
        let turning = world.free().filter(|(i, _)| world.plane.is_none() && !self.resting[*i]);
        turning.map(excess).fold(0.0, f64::max)
    }

    /// What bodies receive in the piece: from the forces found, and from those that hold what
    /// rests.
    pub(in crate::time_stepping) fn journal(&self, solved: &Solved, resting: &Resting) -> Journal {
        let h = self.length;
        let mut journal = solved.received.clone();
        for contact in self.contacts.iter().filter(|c| self.rests(c)) {
            let Some(force) = resting.force(contact) else { continue };
            let geometry = &contact.touch.geometry;
            let force = force.normal * geometry.normal + DVec3::from_array(force.friction);
            let bodies = (contact.a, Some(contact.b));
            journal.push(&self.start.poses, bodies, [geometry.point; 2], h * force);
        }
        for (entry, force) in self.joints.iter().zip(&resting.rows) {
            if entry.is_of(&self.resting) {
                journal.push_row(entry, h * force);
            }
        }
        journal
    }

    /// The worst overlap of contacts and drift of joints, in units of what is repaired.
    pub(in crate::time_stepping) fn worst_overlap(&self, world: &World) -> f64 {
        let state = &world.state;
        let overlap = |c: &Contact| {
            let geometry = c.touch.geometry(&state.poses[c.a], &state.poses[c.b]);
            -geometry.gap / (REPAIRED * size(world, c))
        };
        let contacts = self.contacts[..self.active].iter().map(overlap).fold(0.0, f64::max);
        if self.joints.is_empty() {
            return contacts;
        }
        let drift = joint_rows(world, state).into_iter().map(|entry| drift(&entry) / OVERLAP);
        drift.fold(contacts, f64::max)
    }
}

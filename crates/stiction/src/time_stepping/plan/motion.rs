//! How bodies move in a piece.

use super::{Plan, Setting, Solved};
use crate::assemble::{self, joint_rows};
use crate::detect::Contact;
use crate::joint::RowRule;
use crate::journal::Journal;
use crate::report::EnergyLedger;
use crate::rotation::{Principal, turn_freely};
use crate::time_stepping::rest::Resting;
use crate::time_stepping::substep::Care;
use crate::touching::{OVERLAP, drift, size};
use crate::world::{Body, State, World};
use glam::{DQuat, DVec3};
use stiction_geometry::{Pose, Twist};

/// In a piece in which a body turns farther (rad) its gyroscopic torque is that of free motion:
/// corrections would not settle.
const SMALL_TURN: f64 = 0.1;

/// Bodies that turn farther in a piece (rad) are followed by their free rotation; for others the
/// mean angular velocity will do: it is off by a twelfth of the cube.
const TUMBLES: f64 = 1e-2;

/// A body that turns far in a piece.
pub(super) struct Tumble {
    principal: Principal,
    /// Its angular velocity at the end if nothing touched or pulled.
    spin: DVec3,
}

impl Plan {
    /// Motion to the end of the piece if nothing touched or pulled.
    pub(super) fn let_go(&mut self, world: &World) {
        let h = self.length;
        let later = State { time: self.start.time + h, ..self.start.clone() };
        (self.free, self.turned, self.tumbles) = (Vec::new(), Vec::new(), Vec::new());
        for (i, body) in world.bodies.iter().enumerate() {
            let (pose, twist) = (&self.start.poses[i], &self.start.twists[i]);
            let mut tumble = None;
            let (turned, free) = if self.resting[i] {
                (pose.rotation, Twist::ZERO)
            } else if body.is_free() {
                let pull = world.mobility(i, &pose.moved(twist, 0.5 * h));
                let linear = pull.linear * (body.force + body.mass * world.gravity);
                let angular = pull.angular * body.torque;
                let (turned, spin) = if world.plane.is_some() {
                    (pose.moved(twist, h).rotation, twist.angular)
                } else {
                    turn_freely(&body.derived.principal, pose.rotation, twist.angular, h)
                };
                if h * twist.angular.length() > TUMBLES && world.plane.is_none() {
                    tumble = Some(Tumble { principal: body.derived.principal, spin });
                }
                let half = DQuat::from_scaled_axis(0.5 * h * h * angular);
                let free = Twist { linear: twist.linear + h * linear, angular: spin + h * angular };
                ((half * turned).normalize(), free)
            } else {
                (pose.rotation, world.driven_twist(i, later.time))
            };
            self.tumbles.push(tumble);
            self.turned.push(turned);
            self.free.push(free);
        }
    }

    /// The middle of the piece: the mean of its ends, where springs keep their energy; the
    /// beginning of a straight one.
    fn middle(&self, end: &[Twist]) -> State {
        if self.straight {
            return self.start.clone();
        }
        let h = self.length;
        let mean = |(v, end): (&Twist, &Twist)| Twist {
            linear: 0.5 * (v.linear + end.linear),
            angular: 0.5 * (v.angular + end.angular),
        };
        let twists: Vec<Twist> = self.start.twists.iter().zip(end).map(mean).collect();
        let poses = self.start.poses.iter().zip(&twists).map(|(x, v)| x.moved(v, 0.5 * h));
        let (time, turns) = (self.start.time + 0.5 * h, self.start.turns.clone());
        State { time, poses: poses.collect(), twists, turns }
    }

    /// Velocities added by what depends on the motion itself, as it is in the middle: springs,
    /// given forces of motors, and `I⁻¹ (τ − ω × I ω)` beyond what it is in free motion.
    fn pulled(&self, world: &World, guess: &[Twist]) -> Vec<Twist> {
        let mut pulled = vec![Twist::ZERO; world.bodies.len()];
        let turns = world.plane.is_none();
        if !turns && !world.is_pulled() {
            return pulled;
        }
        let (middle, alone) = (self.middle(guess), self.middle(&self.free));
        assemble::add_motor_forces(world, &middle, &mut pulled);
        world.add_springs(&middle, &mut pulled);
        let slowly = |i: usize| self.length * middle.twists[i].angular.length() < SMALL_TURN;
        for (i, _) in world.free().filter(|(i, _)| turns && slowly(*i)) {
            let [now, free] = [&middle, &alone].map(|state| world.free_acceleration(i, state));
            pulled[i].angular += now.angular - free.angular;
        }
        for (twist, rests) in pulled.iter_mut().zip(&self.resting) {
            let time = if *rests { 0.0 } else { self.length };
            *twist = Twist { linear: time * twist.linear, angular: time * twist.angular };
        }
        pulled
    }

    /// The largest change of what depends on the motion, at the bounding radius of a body (m/s).
    pub(super) fn change_of_pull(&self, world: &World, old: &[Twist], new: &[Twist]) -> f64 {
        let (old, new) = (self.pulled(world, old), self.pulled(world, new));
        let change = |(i, body): (usize, &Body)| {
            let turning = (old[i].angular - new[i].angular).length() * body.bounding_radius();
            (old[i].linear - new[i].linear).length() + turning
        };
        world.free().map(change).fold(0.0, f64::max)
    }

    /// Velocities at the end if nothing touched, and what forces do in the middle beyond what
    /// they do there.
    pub(super) fn freely(&self, world: &World, setting: &Setting) -> Vec<Twist> {
        let add = |x: Twist, y: &Twist| Twist {
            linear: x.linear + y.linear,
            angular: x.angular + y.angular,
        };
        let pulled = self.pulled(world, &setting.guess);
        let more = pulled.into_iter().zip(&setting.aside).map(|(x, y)| add(x, y));
        more.zip(&self.free).map(|(x, free)| add(x, free)).collect()
    }

    /// Velocities at the end, if bodies keep their accelerations; those that nothing
    /// touches or holds move freely.
    pub(in crate::time_stepping) fn predicted(
        &self,
        world: &World,
        acceleration: &[Twist],
    ) -> Vec<Twist> {
        let mut held = vec![false; world.bodies.len()];
        let contacts = self.contacts[..self.active].iter().map(|c| (c.a, Some(c.b)));
        let joints = world.joints.iter().map(|j| (j.a.index(), j.other()));
        let springs = world.springs.iter().map(|s| (s.a.index(), s.other()));
        for (a, b) in contacts.chain(joints).chain(springs) {
            [Some(a), b].into_iter().flatten().for_each(|i| held[i] = true);
        }
        let predict = |(i, v): (usize, &Twist)| {
            let a = &acceleration[i];
            let (linear, angular) = (self.length * a.linear, self.length * a.angular);
            let on = Twist { linear: v.linear + linear, angular: v.angular + angular };
            if held[i] { on } else { self.free[i] }
        };
        self.start.twists.iter().enumerate().map(predict).collect()
    }

    /// Accelerations over the piece.
    pub(in crate::time_stepping) fn acceleration(&self, solved: &Solved) -> Vec<Twist> {
        let mean = |(v, end): (&Twist, &Twist)| Twist {
            linear: (end.linear - v.linear) / self.length,
            angular: (end.angular - v.angular) / self.length,
        };
        self.start.twists.iter().zip(&solved.twists).map(mean).collect()
    }

    /// A body after part of the piece: it moves freely, and what pushes it is constant.
    pub(super) fn pose_at(&self, body: usize, end: &Twist, part: f64) -> Pose {
        let start = &self.start.twists[body];
        if let Some(tumble) = &self.tumbles[body] {
            let (pose, time) = (&self.start.poses[body], part * self.length);
            let linear = start.linear + 0.5 * part * (end.linear - start.linear);
            let (turned, _) = turn_freely(&tumble.principal, pose.rotation, start.angular, time);
            let push = 0.5 * part * (end.angular - tumble.spin);
            return Pose {
                position: pose.position + time * linear,
                rotation: (DQuat::from_scaled_axis(time * push) * turned).normalize(),
            };
        }
        let mean = Twist {
            linear: start.linear + 0.5 * part * (end.linear - start.linear),
            angular: start.angular + 0.5 * part * (end.angular - start.angular),
        };
        self.start.poses[body].moved(&mean, part * self.length)
    }

    /// The state at the end of the piece.
    pub(super) fn end_state(&self, world: &World, solved: &Solved) -> State {
        let h = self.length;
        let mut state = self.start.clone();
        state.time += h;
        for i in 0..state.poses.len() {
            if !world.bodies[i].is_free() {
                continue;
            }
            let (start, end) = (&self.start.twists[i], &solved.twists[i]);
            let mean = match self.care {
                Care::Plain => end.linear,
                _ => 0.5 * (start.linear + end.linear),
            };
            let push = match self.care {
                Care::Plain => 1.0,
                _ => 0.5,
            };
            let turn = DQuat::from_scaled_axis(push * h * (end.angular - self.free[i].angular));
            state.poses[i] = Pose {
                position: state.poses[i].position + h * mean,
                rotation: (turn * self.turned[i]).normalize(),
            };
            state.twists[i] = *end;
        }
        world.follow_drives(&mut state);
        state
    }

    /// What bodies receive in the piece: from the forces found, from those that hold what rests,
    /// and from springs and motors. In a plain piece velocities jump at its beginning.
    pub(in crate::time_stepping) fn journal(
        &self,
        world: &World,
        solved: &Solved,
        resting: &Resting,
    ) -> Journal {
        let h = self.length;
        let mut journal = solved.received.clone();
        for contact in self.contacts.iter().filter(|c| self.rests(c)) {
            let Some(force) = resting.forces.get(&contact.key()) else { continue };
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
        if world.is_pulled() {
            journal.push_pulls(world, &self.middle(&solved.twists), h);
        }
        if self.care == Care::Plain {
            let after = State { twists: solved.twists.clone(), ..self.start.clone() };
            journal.jump(world, &self.start.twists, &after);
        }
        journal
    }

    /// Writes the end of the piece into the world and the ledger.
    pub(in crate::time_stepping) fn commit(
        &self,
        world: &mut World,
        solved: &Solved,
        ledger: &mut EnergyLedger,
    ) {
        let end = self.end_state(world, solved);
        let h = self.length;
        for (i, impulse) in solved.forces.contacts.iter().enumerate() {
            let friction = DVec3::from_array(impulse.friction);
            let mean = 0.5 * (self.slips[i] + self.end_slip(i, &solved.twists));
            ledger.friction -= friction.dot(mean);
            ledger.impacts -= 0.5 * impulse.normal * self.approaches(i, &solved.twists);
        }
        ledger.work += solved.work;
        let last = joint_rows(world, &end);
        for ((first, last), place) in self.joints.iter().zip(&last).zip(&solved.places) {
            let impulse = place.map_or(0.0, |place| place.force(&solved.forces));
            let rates = first.rate(&self.start.twists) + last.rate(&end.twists);
            let work = 0.5 * impulse * rates;
            let carried =
                first.carried(world, &self.start.twists) + last.carried(world, &end.twists);
            ledger.work -= 0.5 * impulse * carried;
            match first.row.rule {
                RowRule::Friction { .. } => ledger.friction -= work,
                RowRule::AtLeast => ledger.impacts -= work,
                RowRule::Motor { .. } => ledger.work += work,
                RowRule::Equal => {
                    ledger.work += 0.5 * impulse * (first.row.target + last.row.target);
                }
            }
        }
        for (i, body) in world.free() {
            let turning = 0.5 * (self.start.twists[i].angular + solved.twists[i].angular);
            ledger.work += h * body.torque.dot(turning);
        }
        if world.is_pulled() {
            let middle = self.middle(&solved.twists);
            ledger.work += h * assemble::motor_power(world, &middle);
            ledger.friction += h * world.spring_loss(&middle);
        }
        world.state = end;
    }

    /// The worst overlap of contacts and drift of joints, in units of what is left alone.
    pub(in crate::time_stepping) fn worst_overlap(&self, world: &World) -> f64 {
        let state = &world.state;
        let overlap = |c: &Contact| {
            let geometry = c.touch.geometry(&state.poses[c.a], &state.poses[c.b]);
            -geometry.gap / (OVERLAP * size(world, c))
        };
        let contacts = self.contacts[..self.active].iter().map(overlap).fold(0.0, f64::max);
        if self.joints.is_empty() {
            return contacts;
        }
        let drift = joint_rows(world, state).into_iter().map(|entry| drift(&entry) / OVERLAP);
        drift.fold(contacts, f64::max)
    }
}

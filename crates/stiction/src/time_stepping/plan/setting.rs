//! Where the contacts and joints of a piece are, by a guess of its motion.

use super::{Law, Plan};
use crate::assemble::{self, JointEntry, Snapshot, joint_rows};
use crate::detect::{Contact, ContactKey};
use crate::journal::Journal;
use crate::kinematics::{tangential, velocity};
use crate::solve::keys;
use crate::world::{State, World};
use glam::{DQuat, DVec3};
use stiction_geometry::{ContactGeometry, Pose, Twist};
use stiction_solvers::ContactForce;

/// Some instant of a piece: bodies, the contacts of the problem and the rows of joints there.
pub(super) struct Moment {
    pub state: State,
    pub contacts: Vec<Contact>,
    pub rows: Vec<JointEntry>,
}

/// What a guess of the motion, and of the forces that cause it, makes of a piece.
pub(in crate::time_stepping) struct Setting {
    /// Velocities at the end, as guessed.
    pub guess: Vec<Twist>,
    pub(super) middle: Moment,
    pub(super) end: Moment,
    /// Impulses on bodies beside those of the problem (N·s, N·m·s): `(J_mid − J_end)ᵀ λ`, what
    /// forces do in the middle beyond what they do at the end, and what pulls in the middle.
    pub(super) pushes: Vec<Twist>,
    /// What bodies receive by them.
    received_aside: Journal,
}

impl Moment {
    pub(super) fn snapshot(&self) -> Snapshot<'_> {
        Snapshot { state: &self.state, contacts: &self.contacts, rows: &self.rows }
    }

    /// Where a contact of the problem is.
    fn geometry(&self, index: usize) -> &ContactGeometry {
        &self.contacts[index].touch.geometry
    }

    /// Velocity at a contact of the problem, if bodies move so.
    fn velocity(&self, index: usize, twists: &[Twist]) -> DVec3 {
        let contact = &self.contacts[index];
        velocity(contact, &contact.touch.geometry, &self.state.poses, twists)
    }

    /// Force and torque of a contact force on one of its bodies.
    fn wrench(&self, index: usize, body: usize, force: DVec3) -> [f64; 6] {
        let arm = self.geometry(index).point - self.state.poses[body].position;
        assemble::six(&Twist { linear: force, angular: arm.cross(force) })
    }
}

impl Plan {
    /// Bodies, contacts and joints after part of the piece; a straight one stays as it began.
    fn moment(&self, world: &World, guess: &[Twist], part: f64) -> Moment {
        let time = self.start.time + part * self.length;
        let part = if self.straight { 0.0 } else { part };
        let poses: Vec<Pose> = (0..guess.len()).map(|i| self.pose_at(i, &guess[i], part)).collect();
        let mut contacts = self.contacts[..self.active].to_vec();
        for c in &mut contacts {
            c.touch.geometry = c.touch.geometry(&poses[c.a], &poses[c.b]);
        }
        let (twists, turns) = (guess.to_vec(), self.start.turns.clone());
        let state = State { time, poses, twists, turns };
        let rows = if self.straight || self.joints.is_empty() {
            self.joints.clone()
        } else {
            joint_rows(world, &state)
        };
        Moment { state, contacts, rows }
    }

    /// The setting for these velocities at the end and these forces of contacts and rows.
    pub(in crate::time_stepping) fn setting(
        &self,
        world: &World,
        guess: Vec<Twist>,
        forces: &[ContactForce],
        row_forces: &[f64],
    ) -> Setting {
        let [middle, end] = [0.5, 1.0].map(|part| self.moment(world, &guess, part));
        let mut pushes = self.pulls(world, &guess);
        let mut received_aside = Journal::new(world);
        if world.is_pulled() {
            received_aside.push_pulls(world, &self.middle(&guess), self.length);
        }
        if !self.straight {
            for (i, force) in forces.iter().enumerate().take(self.active) {
                let contact = &self.contacts[i];
                let [now, then] = self.pushes(i, force, &middle, &end);
                self.book(i, &middle, now, &mut received_aside);
                self.book(i, &end, -then, &mut received_aside);
                for (body, sign) in [(contact.a, 1.0), (contact.b, -1.0)] {
                    let now = middle.wrench(i, body, sign * now);
                    let then = end.wrench(i, body, sign * then);
                    add(&mut pushes[body], &now, 1.0);
                    add(&mut pushes[body], &then, -1.0);
                }
            }
            for ((now, then), force) in middle.rows.iter().zip(&end.rows).zip(row_forces) {
                for (row, force) in [(now, *force), (then, -force)] {
                    add(&mut pushes[row.a], &row.row.on_a, force);
                    if let Some(b) = row.b {
                        add(&mut pushes[b], &row.row.on_b, force);
                    }
                }
                received_aside.push_row(now, *force);
                received_aside.push_row(then, -force);
            }
        }
        Setting { guess, middle, end, pushes, received_aside }
    }

    /// What bodies receive in a setting from these forces of contacts and rows.
    pub(in crate::time_stepping) fn received(
        &self,
        setting: &Setting,
        forces: &[ContactForce],
        row_forces: &[f64],
    ) -> Journal {
        let mut journal = setting.received_aside.clone();
        for (i, force) in forces.iter().enumerate().take(self.active) {
            let [_, then] = self.pushes(i, force, &setting.middle, &setting.end);
            self.book(i, &setting.end, then, &mut journal);
        }
        for (row, force) in setting.end.rows.iter().zip(row_forces) {
            journal.push_row(row, *force);
        }
        journal
    }

    /// Work that driven bodies do by contacts, whose forces act in the middle (J).
    pub(in crate::time_stepping) fn work(
        &self,
        world: &World,
        setting: &Setting,
        forces: &[ContactForce],
    ) -> f64 {
        let (middle, end) = (&setting.middle, &setting.end);
        let contacts = self.contacts[..self.active].iter().zip(forces).enumerate();
        let driven = contacts.filter(|(_, (contact, _))| world.is_driven(contact.b));
        let work = |(i, (contact, force)): (usize, (&Contact, &ContactForce))| {
            let [now, _] = self.pushes(i, force, middle, end);
            let b = contact.b;
            let at = |t: &Twist| t.at(&middle.state.poses[b], middle.geometry(i).point);
            0.5 * now.dot(at(&self.start.twists[b]) + at(&setting.guess[b]))
        };
        driven.map(work).sum()
    }

    /// Enters the impulse of a contact at some moment.
    fn book(&self, index: usize, moment: &Moment, impulse: DVec3, journal: &mut Journal) {
        let (contact, point) = (&self.contacts[index], moment.geometry(index).point);
        journal.push(&moment.state.poses, (contact.a, Some(contact.b)), [point; 2], impulse);
    }

    /// A contact force in the middle and at the end of the piece. Friction turns with the second
    /// body, so that what bodies that stick do to each other does not depend on how they turn.
    fn pushes(
        &self,
        index: usize,
        force: &ContactForce,
        middle: &Moment,
        end: &Moment,
    ) -> [DVec3; 2] {
        let b = self.contacts[index].b;
        let [now, then] = [middle, end].map(|moment| moment.geometry(index).normal);
        let friction = DVec3::from_array(force.friction);
        let friction = tangential(then, friction);
        let turn = middle.state.poses[b].rotation * end.state.poses[b].rotation.conjugate();
        let turn = DQuat::from_rotation_arc((turn * then).normalize(), now) * turn;
        [force.normal * now + turn * friction, force.normal * then + friction]
    }

    /// What is added to the response at a contact, seen from the end of the piece: its gap, and
    /// the slip at the beginning where the mean slip matters.
    pub(super) fn bias(&self, index: usize, end: &ContactGeometry) -> DVec3 {
        let gap = self.contacts[index].touch.geometry.gap.max(0.0) / self.length;
        let slip = match self.laws[index] {
            Law::Mean => tangential(end.normal, self.slips[index]),
            Law::End => DVec3::ZERO,
        };
        end.normal * gap + slip
    }

    /// By how much the velocities that one setting led to would differ in another, made of them
    /// (m/s).
    pub(in crate::time_stepping) fn change(
        &self,
        world: &World,
        old: &Setting,
        new: &Setting,
    ) -> f64 {
        let change = |i: usize| {
            let [u, v] = [old, new].map(|s| s.end.velocity(i, &new.guess));
            let normal = new.end.geometry(i).normal.dot(v) - old.end.geometry(i).normal.dot(u);
            normal.abs().max(match self.laws[i] {
                Law::End => (v - u).length(),
                Law::Mean => self.turn(i, u, v),
            })
        };
        let contacts = (0..self.active).map(change);
        let rate = |row: &JointEntry| row.rate(&new.guess);
        let rows = old.end.rows.iter().zip(&new.end.rows).map(|(x, y)| (rate(x) - rate(y)).abs());
        let bodies = self.change_of_motion(world, old, new);
        contacts.chain(rows).fold(bodies, f64::max)
    }

    /// By how much the slip turns between two velocities: only its direction matters.
    fn turn(&self, index: usize, old: DVec3, new: DVec3) -> f64 {
        let slip = self.slips[index];
        let across = |x: DVec3| x - slip * (slip.dot(x) / slip.length_squared());
        (across(old) - across(new)).length()
    }

    /// The names of the contacts of the problem.
    pub(in crate::time_stepping) fn keys(&self) -> Vec<ContactKey> {
        keys(&self.contacts[..self.active])
    }
}

/// Adds a multiple of a wrench.
fn add(total: &mut Twist, wrench: &[f64; 6], factor: f64) {
    let [linear, angular] = assemble::halves(wrench);
    total.linear += factor * linear;
    total.angular += factor * angular;
}

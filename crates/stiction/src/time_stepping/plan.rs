//! What is known at the beginning of a piece, and the problem it makes.

use super::substep::Care;
use crate::assemble::{self, JointEntry, RowIndex, joint_rows};
use crate::detect::{Contact, Detector, Key};
use crate::impact::relative;
use crate::joint::RowRule;
use crate::repair::{OVERLAP, drift};
use crate::report::{Book, Happening};
use crate::root::falls;
use crate::rotation::turn_freely;
use crate::solve::{Answer, Asking, keys};
use crate::world::{Body, State, World};
use glam::{DQuat, DVec3};
use std::collections::HashSet;
use stiction_geometry::{Look, Pose, Twist};
use stiction_solvers as solvers;
use stiction_solvers::{Forces, Friction, Level};

/// Contacts nearer than this part of the smaller body collide.
const TOUCH: f64 = 1e-8;

/// Contacts nearer than this part of the smaller body are in the problem from the start.
const NEAR: f64 = 1e-6;

/// Slower slip than this part of the fastest motion is stick.
const STICK: f64 = 1e-9;

/// A stop is worth a cut if the slip would move a contact by more than this part of the
/// smaller body.
const WORTH: f64 = 1e-6;

/// Bodies that approach more slowly than they would after falling for this part of a piece
/// meet at its end: the overlap, `v h / 2` at most, is repaired.
const SLOW: f64 = 0.1;

/// The time of a meeting is found to this part of the piece.
const MEETS: f64 = 1e-9;

/// In a piece in which a body turns farther (rad) its gyroscopic torque is that of free motion:
/// corrections would not settle.
const SMALL_TURN: f64 = 0.1;

/// How a contact's slip enters its law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Law {
    /// The slip at the end of the piece.
    End,
    /// The mean slip of the piece.
    Mean,
    /// Friction along the slip at the beginning, whatever happens.
    Onward,
}

/// What is known at the beginning of a piece.
pub(super) struct Plan {
    pub start: State,
    /// Every contact within reach; those of the problem come first.
    pub contacts: Vec<Contact>,
    /// How many are in the problem.
    pub active: usize,
    /// Bodies that rest and stay at rest: not in the problem.
    pub resting: Vec<bool>,
    pub laws: Vec<Law>,
    pub joints: Vec<JointEntry>,
    /// Slip at the beginning, one per contact.
    slips: Vec<DVec3>,
    /// Velocities and attitudes at the end if nothing touched or pulled.
    free: Vec<Twist>,
    turned: Vec<DQuat>,
    pub length: f64,
    pub speed: f64,
    pub care: Care,
    /// Whether the geometry stays as it is at the beginning: no energy comes from that.
    pub straight: bool,
}

/// What the problem gave.
#[derive(Clone)]
pub(super) struct Solved {
    pub twists: Vec<Twist>,
    pub forces: Forces,
    /// Which row of the problem each row of a joint became; those of bodies that rest none.
    pub places: Vec<Option<RowIndex>>,
    pub residual: f64,
    pub mark: Option<Happening>,
    /// Whether it has no solution; the twists are then those without any force.
    pub jammed: bool,
    /// By how much the bias would change if it were made of these velocities (m/s).
    pub unsettled: f64,
}

/// Bodies that meet during a piece.
pub(super) struct Met {
    /// The part of the piece after which the first pair does that comes fast.
    pub first: Option<f64>,
    /// Contacts that must be in the problem.
    pub slow: Vec<Contact>,
}

/// The size of the smaller body of a contact (m).
pub(crate) fn size(world: &World, contact: &Contact) -> f64 {
    world.bodies[contact.a].reach().min(world.bodies[contact.b].reach())
}

impl Plan {
    /// Whether a contact collides.
    pub(super) fn touches(world: &World, contact: &Contact) -> bool {
        contact.touch.look.gap <= TOUCH * size(world, contact)
    }

    /// Whether a contact is in the problem from the start.
    pub(super) fn near(world: &World, contact: &Contact) -> bool {
        contact.touch.look.gap <= NEAR * size(world, contact)
    }

    pub(super) fn new(
        world: &World,
        start: State,
        contacts: Vec<Contact>,
        resting: Vec<bool>,
        (length, speed): (f64, f64),
        care: Care,
    ) -> Self {
        let joints = joint_rows(world, &start);
        let mut plan = Plan {
            start,
            contacts,
            active: 0,
            resting,
            laws: Vec::new(),
            joints,
            slips: Vec::new(),
            free: Vec::new(),
            turned: Vec::new(),
            length,
            speed,
            care,
            straight: false,
        };
        plan.arrange(world);
        plan
    }

    /// Contacts of the problem first, and what is known of all of them.
    fn arrange(&mut self, world: &World) {
        for (twist, rests) in self.start.twists.iter_mut().zip(&self.resting) {
            if *rests {
                *twist = Twist::ZERO;
            }
        }
        let mut contacts = std::mem::take(&mut self.contacts);
        contacts.sort_by_key(|c| !self.is_asked(world, c));
        self.active = contacts.iter().take_while(|c| self.is_asked(world, c)).count();
        self.contacts = contacts;
        self.slips = self.contacts.iter().map(|c| slip(c, &self.start)).collect();
        self.set_laws();
        self.let_go(world);
    }

    /// Whether a contact is in the problem.
    fn is_asked(&self, world: &World, contact: &Contact) -> bool {
        !self.rests(contact) && Plan::near(world, contact)
    }

    /// Whether a contact is one of bodies that rest.
    pub(super) fn rests(&self, contact: &Contact) -> bool {
        self.resting[contact.a] || self.resting[contact.b]
    }

    /// Whether a contact holds bodies together: in the problem, or at rest.
    pub(super) fn holds(&self, world: &World, contact: &Contact) -> bool {
        Plan::near(world, contact)
            || self.contacts[..self.active].iter().any(|c| c.key() == contact.key())
    }

    /// Bodies that rested do so no more.
    pub(super) fn wake(&mut self, world: &World) {
        self.resting = vec![false; self.resting.len()];
        self.arrange(world);
    }

    fn set_laws(&mut self) {
        let slips = |slip: &DVec3| slip.length() > STICK * self.speed;
        let mean =
            |slip| if self.care != Care::Plain && slips(slip) { Law::Mean } else { Law::End };
        self.laws = self.slips.iter().map(mean).collect();
    }

    /// Gives contacts a law.
    pub(super) fn set(&mut self, contacts: &[usize], law: Law) {
        for &i in contacts {
            self.laws[i] = law;
        }
    }

    /// The same piece, ended earlier.
    pub(super) fn shorten(&mut self, world: &World, length: f64) {
        self.length = length;
        self.care = Care::Whole;
        self.set_laws();
        self.let_go(world);
    }

    /// Motion to the end of the piece if nothing touched or pulled.
    fn let_go(&mut self, world: &World) {
        let h = self.length;
        let later = State { time: self.start.time + h, ..self.start.clone() };
        (self.free, self.turned) = (Vec::new(), Vec::new());
        for (i, body) in world.bodies.iter().enumerate() {
            let (pose, twist) = (&self.start.poses[i], &self.start.twists[i]);
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
                let half = DQuat::from_scaled_axis(0.5 * h * h * angular);
                let free = Twist { linear: twist.linear + h * linear, angular: spin + h * angular };
                ((half * turned).normalize(), free)
            } else {
                (pose.rotation, world.driven_twist(i, later.time))
            };
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

    /// Velocities at the end, if bodies go on accelerating as they did; those that nothing
    /// touches or holds move freely.
    pub(super) fn predicted(&self, world: &World, acceleration: &[Twist]) -> Vec<Twist> {
        let mut held = vec![false; world.bodies.len()];
        let contacts = self.contacts[..self.active].iter().map(|c| (c.a, Some(c.b)));
        let joints = world.joints.iter().map(|j| (j.a, j.b));
        let springs = world.springs.iter().map(|s| (s.a, s.b));
        for (a, b) in contacts.chain(joints).chain(springs) {
            [Some(a), b].into_iter().flatten().for_each(|i| held[i] = true);
        }
        let go_on = |(i, v): (usize, &Twist)| {
            let a = &acceleration[i];
            let (linear, angular) = (self.length * a.linear, self.length * a.angular);
            let on = Twist { linear: v.linear + linear, angular: v.angular + angular };
            if held[i] { on } else { self.free[i] }
        };
        self.start.twists.iter().enumerate().map(go_on).collect()
    }

    /// Accelerations over the piece.
    pub(super) fn acceleration(&self, solved: &Solved) -> Vec<Twist> {
        let mean = |(v, end): (&Twist, &Twist)| Twist {
            linear: (end.linear - v.linear) / self.length,
            angular: (end.angular - v.angular) / self.length,
        };
        self.start.twists.iter().zip(&solved.twists).map(mean).collect()
    }

    /// A body after part of the piece, its acceleration constant.
    fn pose_at(&self, body: usize, end: &Twist, part: f64) -> Pose {
        let start = &self.start.twists[body];
        let mean = Twist {
            linear: start.linear + 0.5 * part * (end.linear - start.linear),
            angular: start.angular + 0.5 * part * (end.angular - start.angular),
        };
        self.start.poses[body].moved(&mean, part * self.length)
    }

    /// What the end of the piece adds to the response at a contact, seen from its middle; in a
    /// straight piece nothing but the gap, seen from its beginning.
    fn bias(&self, index: usize, guess: &[Twist]) -> (Look, DVec3) {
        let contact = &self.contacts[index];
        let (a, b) = (contact.a, contact.b);
        let gap = contact.touch.look.gap.max(0.0) / self.length;
        if self.straight {
            return (contact.touch.look, contact.touch.look.normal * gap);
        }
        let at = |part: f64| {
            let (pose_a, pose_b) =
                (self.pose_at(a, &guess[a], part), self.pose_at(b, &guess[b], part));
            let look = contact.touch.look(&pose_a, &pose_b);
            let velocity = guess[a].at(&pose_a, look.point) - guess[b].at(&pose_b, look.point);
            (look, velocity)
        };
        let (middle, now) = at(0.5);
        let (end, then) = at(1.0);
        let n = middle.normal;
        let along = |look: &Look, u: DVec3| u - look.normal * look.normal.dot(u);
        let tangential = match self.laws[index] {
            Law::End => along(&end, then) - along(&middle, now),
            Law::Mean => 0.5 * (self.slips[index] - along(&middle, now)),
            Law::Onward => DVec3::ZERO,
        };
        let normal = end.normal.dot(then) - n.dot(now) + gap;
        (middle, tangential - n * n.dot(tangential) + n * normal)
    }

    /// The largest change of any bias between two guesses (m/s).
    pub(super) fn change_of_bias(&self, world: &World, old: &[Twist], new: &[Twist]) -> f64 {
        let moved = |i: usize| old[i] != new[i];
        let change = |i: usize| {
            let contact = &self.contacts[i];
            if !moved(contact.a) && !moved(contact.b) {
                return 0.0;
            }
            let [old, new] = [old, new].map(|guess| self.bias(i, guess).1);
            let turn = if self.laws[i] == Law::Mean { self.turn(i, old, new) } else { 0.0 };
            (old - new).dot(contact.touch.look.normal).abs().max(match self.laws[i] {
                Law::End => (old - new).length(),
                _ => turn,
            })
        };
        let contacts = (0..self.active).map(change).fold(0.0, f64::max);
        let rows = |guess: &[Twist]| self.rows_at(world, guess, 1.0);
        let joints = if self.joints.is_empty() {
            0.0
        } else {
            let (old, new) = (rows(old), rows(new));
            let drift = |(x, y): (&JointEntry, &JointEntry)| {
                let twists = &self.start.twists;
                (x.rate(twists) - y.rate(twists)).abs()
            };
            old.iter().zip(&new).map(drift).fold(0.0, f64::max)
        };
        contacts.max(joints).max(self.change_of_pull(world, old, new))
    }

    /// The largest change of what depends on the motion, at the reach of a body (m/s).
    fn change_of_pull(&self, world: &World, old: &[Twist], new: &[Twist]) -> f64 {
        let (old, new) = (self.pulled(world, old), self.pulled(world, new));
        let change = |(i, body): (usize, &Body)| {
            let turning = (old[i].angular - new[i].angular).length() * body.reach();
            (old[i].linear - new[i].linear).length() + turning
        };
        world.free().map(change).fold(0.0, f64::max)
    }

    /// By how much the mean slip turns between two biases: only its direction matters.
    fn turn(&self, index: usize, old: DVec3, new: DVec3) -> f64 {
        let slip = self.slips[index];
        let across = |x: DVec3| x - slip * (slip.dot(x) / slip.length_squared());
        (across(old) - across(new)).length()
    }

    /// The rows of joints after part of the piece.
    fn rows_at(&self, world: &World, guess: &[Twist], part: f64) -> Vec<JointEntry> {
        if self.straight {
            return self.joints.clone();
        }
        if self.joints.is_empty() {
            return Vec::new();
        }
        let poses = (0..guess.len()).map(|i| self.pose_at(i, &guess[i], part)).collect();
        let time = self.start.time + part * self.length;
        let state = State { time, poses, twists: guess.to_vec(), turns: self.start.turns.clone() };
        joint_rows(world, &state)
    }

    /// Asks for the velocities at the end of the piece.
    pub(super) fn solve(&self, world: &World, guess: &[Twist], asking: &mut Asking) -> Solved {
        let part = if self.straight { 0.0 } else { 0.5 };
        let middle: Vec<Pose> =
            (0..guess.len()).map(|i| self.pose_at(i, &guess[i], part)).collect();
        let pulled = self.pulled(world, guess);
        let both = |(free, pulled): (&Twist, &Twist)| Twist {
            linear: free.linear + pulled.linear,
            angular: free.angular + pulled.angular,
        };
        let free: Vec<Twist> = self.free.iter().zip(&pulled).map(both).collect();
        let mut bodies = assemble::bodies(world, &middle, &free);
        for (body, rests) in bodies.iter_mut().zip(&self.resting) {
            if *rests {
                *body = solvers::Body::fixed(body.position);
            }
        }
        let contact = |i: usize| {
            let (look, bias) = self.bias(i, guess);
            assemble::contact(world, &self.contacts[i], &look, self.friction(i, &look), bias)
        };
        let contacts = (0..self.active).map(contact).collect();
        let (half, end) = (self.rows_at(world, guess, 0.5), self.rows_at(world, guess, 1.0));
        let bias = |index: usize| {
            let (half, end) = (&half[index], &end[index]);
            // What the end adds to the row's velocity, and the speed it is to have there.
            let drift = end.rate(guess) - half.rate(guess) - end.row.target;
            match half.row.rule {
                RowRule::AtLeast => drift + self.joints[index].row.error.max(0.0) / self.length,
                _ => drift,
            }
        };
        let asked: Vec<usize> =
            (0..half.len()).filter(|&i| !self.joints[i].is_of(&self.resting)).collect();
        let entries: Vec<JointEntry> = asked.iter().map(|&i| half[i].clone()).collect();
        let biases: Vec<f64> = asked.iter().map(|&i| bias(i)).collect();
        let (bilateral, bounded, rows) = assemble::sort_rows(&entries, &biases, self.length);
        let mut places = vec![None; half.len()];
        for (&i, row) in asked.iter().zip(rows) {
            places[i] = Some(row);
        }
        let untouched = |mark| Solved {
            twists: free.clone(),
            forces: Forces::default(),
            places: vec![None; self.joints.len()],
            mark,
            residual: 0.0,
            jammed: true,
            unsettled: 0.0,
        };
        let rows = (bilateral, bounded);
        let Ok(problem) = assemble::problem(Level::Velocity, bodies, contacts, rows) else {
            return untouched(Some(Happening::Uncertified { residual: f64::INFINITY }));
        };
        if problem.contacts().is_empty() && entries.is_empty() {
            return Solved { jammed: false, ..untouched(None) };
        }
        let keys = keys(&self.contacts[..self.active]);
        let answer = if self.starts_at_rest() {
            asking.ask_at_rest(&problem, &keys, true)
        } else {
            asking.ask(&problem, &keys, true)
        };
        match answer {
            Answer::Forces(found) => Solved {
                twists: found.bodies.iter().map(assemble::twist).collect(),
                forces: found.forces,
                places,
                residual: found.residual,
                mark: found.mark,
                jammed: false,
                unsettled: 0.0,
            },
            Answer::Ray(_) => untouched(None),
        }
    }

    /// Whether nothing moves at the beginning.
    fn starts_at_rest(&self) -> bool {
        let still = |t: &Twist| t.linear.length().max(t.angular.length()) <= STICK * self.speed;
        self.start.twists.iter().all(still)
    }

    fn friction(&self, index: usize, look: &Look) -> Friction {
        let contact = &self.contacts[index];
        match self.laws[index] {
            Law::End => assemble::coulomb(contact, self.slips[index].length() > STICK * self.speed),
            Law::Mean => assemble::coulomb(contact, true),
            Law::Onward => {
                let slip = self.slips[index];
                let along = slip - look.normal * look.normal.dot(slip);
                let friction = contact.material.dynamic_friction;
                Friction::Sliding { friction, direction: along.normalize().to_array() }
            }
        }
    }

    /// Slip at the end of the piece.
    fn end_slip(&self, index: usize, twists: &[Twist]) -> DVec3 {
        let contact = &self.contacts[index];
        let (a, b) = (contact.a, contact.b);
        let (pose_a, pose_b) = (self.pose_at(a, &twists[a], 1.0), self.pose_at(b, &twists[b], 1.0));
        let look = contact.touch.look(&pose_a, &pose_b);
        let u = twists[a].at(&pose_a, look.point) - twists[b].at(&pose_b, look.point);
        u - look.normal * look.normal.dot(u)
    }

    /// Normal velocities at the beginning and the end of the piece, together: zero but where
    /// bodies meet.
    fn approaches(&self, index: usize, twists: &[Twist]) -> f64 {
        let contact = &self.contacts[index];
        let (a, b) = (contact.a, contact.b);
        let (pose_a, pose_b) = (self.pose_at(a, &twists[a], 1.0), self.pose_at(b, &twists[b], 1.0));
        let look = contact.touch.look(&pose_a, &pose_b);
        let u = twists[a].at(&pose_a, look.point) - twists[b].at(&pose_b, look.point);
        crate::impact::separation(contact, &self.start) + look.normal.dot(u)
    }

    /// Contacts taken to slip to the end that do not.
    pub(super) fn stopped(&self, solved: &Solved) -> Vec<usize> {
        let stops = |&i: &usize| {
            self.laws[i] == Law::Mean
                && solved.forces.contacts.get(i).is_some_and(|f| f.normal > 0.0)
                && self.end_slip(i, &solved.twists).dot(self.slips[i]) < 0.0
        };
        (0..self.active).filter(stops).collect()
    }

    /// Whether the slip of a contact would move it by a length that matters.
    pub(super) fn is_worth_a_cut(&self, world: &World, index: usize) -> bool {
        self.slips[index].length() * self.length > WORTH * size(world, &self.contacts[index])
    }

    /// The first of these contacts to stop, and the part of the piece after which it does.
    pub(super) fn first_stop(&self, onward: &Solved, contacts: &[usize]) -> Option<(f64, Key)> {
        if onward.jammed {
            return None;
        }
        let part = |&i: &usize| {
            let slip = self.slips[i];
            let (before, after) =
                (slip.length_squared(), self.end_slip(i, &onward.twists).dot(slip));
            (after < 0.0).then(|| (before / (before - after), self.contacts[i].key()))
        };
        contacts.iter().filter_map(part).min_by(|x, y| x.0.total_cmp(&y.0))
    }

    /// Contacts that end the piece in overlap.
    pub(super) fn met(&self, world: &World, solved: &Solved, detector: &mut Detector) -> Met {
        let mut met = Met { first: None, slow: Vec::new() };
        let asked = self.contacts[..self.active].iter();
        let at_rest = self.contacts[self.active..].iter().filter(|c| self.rests(c));
        let at_rest = at_rest.filter(|c| Plan::near(world, c));
        let known: HashSet<Key> = asked.chain(at_rest).map(Contact::key).collect();
        let end = self.end_state(world, solved);
        let fast = SLOW * world.gravity.length() * self.length;
        for contact in detector.detect(world, &end, 0.0) {
            let least = OVERLAP * size(world, &contact);
            if contact.touch.look.gap >= -least
                || known.contains(&contact.key())
                || detector.passes(world, &end, &contact)
            {
                continue;
            }
            let mut gap = |part: f64| self.gap(world, &contact, solved, &known, part, detector);
            let (before, after) = (gap(0.0), contact.touch.look.gap);
            let apart = before > TOUCH * size(world, &contact);
            if self.care != Care::Plain && apart && before - after > fast * self.length {
                // A piece that was cut here ends here: the collision follows.
                if self.care == Care::Split {
                    let part = falls((0.0, before), (1.0, after), MEETS, gap);
                    met.first = Some(met.first.map_or(part, |first: f64| first.min(part)));
                }
            } else {
                let mut contact = contact;
                let (a, b) = (&self.start.poses[contact.a], &self.start.poses[contact.b]);
                contact.touch.look = contact.touch.look(a, b);
                met.slow.push(contact);
            }
        }
        met
    }

    /// The least gap between the bodies of a contact after part of the piece, where they do not
    /// carry each other already; no more than what can be bridged in a piece.
    fn gap(
        &self,
        world: &World,
        contact: &Contact,
        solved: &Solved,
        known: &HashSet<Key>,
        part: f64,
        detector: &mut Detector,
    ) -> f64 {
        let [a, b] = [contact.a, contact.b].map(|i| self.pose_at(i, &solved.twists[i], part));
        let most = 2.0 * self.speed * self.length;
        let touches = detector.touches(world, contact, &a, &b, most);
        let strange = touches.filter(|t| !known.contains(&(contact.a, contact.b, t.key)));
        strange.map(|touch| touch.look.gap).fold(most, f64::min)
    }

    /// By how much joints come apart in the piece (m or rad).
    pub(super) fn strain(&self, world: &World, solved: &Solved) -> f64 {
        if self.joints.is_empty() || self.care == Care::Plain {
            return 0.0;
        }
        let mut end = self.end_state(world, solved);
        world.follow(&mut end);
        let before = self.joints.iter().map(drift).fold(0.0, f64::max);
        joint_rows(world, &end).iter().map(drift).fold(0.0, f64::max) - before
    }

    /// Puts contacts into the problem.
    pub(super) fn add(&mut self, contacts: Vec<Contact>) {
        for contact in contacts {
            let key = contact.key();
            let late = self.contacts[self.active..].iter().position(|c| c.key() == key);
            if let Some(late) = late {
                self.contacts.remove(self.active + late);
                self.laws.remove(self.active + late);
                self.slips.remove(self.active + late);
            }
            self.slips.insert(self.active, slip(&contact, &self.start));
            self.laws.insert(self.active, Law::End);
            self.contacts.insert(self.active, contact);
            self.active += 1;
        }
    }

    /// The state at the end of the piece.
    fn end_state(&self, world: &World, solved: &Solved) -> State {
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

    /// Writes the end of the piece into the world and the book.
    pub(super) fn commit(&self, world: &mut World, solved: &Solved, book: &mut Book) {
        let end = self.end_state(world, solved);
        let h = self.length;
        for (i, impulse) in solved.forces.contacts.iter().enumerate() {
            let contact = &self.contacts[i];
            let friction = DVec3::from_array(impulse.friction);
            let mean = 0.5 * (self.slips[i] + self.end_slip(i, &solved.twists));
            book.friction -= friction.dot(mean);
            let look = &contact.touch.look;
            book.impacts -= 0.5 * impulse.normal * self.approaches(i, &solved.twists);
            let surface =
                |state: &State| state.twists[contact.b].at(&state.poses[contact.b], look.point);
            let carried = 0.5 * (surface(&self.start) + surface(&end));
            if !world.bodies[contact.b].is_free() {
                book.work += (friction + impulse.normal * look.normal).dot(carried);
            }
        }
        let last = joint_rows(world, &end);
        for ((first, last), place) in self.joints.iter().zip(&last).zip(&solved.places) {
            let impulse = place.map_or(0.0, |place| place.force(&solved.forces));
            let rates = first.rate(&self.start.twists) + last.rate(&end.twists);
            let work = 0.5 * impulse * rates;
            let carried =
                first.carried(world, &self.start.twists) + last.carried(world, &end.twists);
            book.work -= 0.5 * impulse * carried;
            match first.row.rule {
                RowRule::Friction { .. } => book.friction -= work,
                RowRule::AtLeast => book.impacts -= work,
                RowRule::Motor { .. } => book.work += work,
                RowRule::Equal => {
                    book.work += 0.5 * impulse * (first.row.target + last.row.target);
                }
            }
        }
        for (i, body) in world.free() {
            let turning = 0.5 * (self.start.twists[i].angular + solved.twists[i].angular);
            book.work += h * body.torque.dot(turning);
        }
        if world.is_pulled() {
            let middle = self.middle(&solved.twists);
            book.work += h * assemble::motor_power(world, &middle);
            book.friction += h * world.spring_loss(&middle);
        }
        world.state = end;
    }

    /// The worst overlap of contacts and drift of joints, in units of what is left alone.
    pub(super) fn worst_overlap(&self, world: &World) -> f64 {
        let state = &world.state;
        let overlap = |c: &Contact| {
            let look = c.touch.look(&state.poses[c.a], &state.poses[c.b]);
            -look.gap / (OVERLAP * size(world, c))
        };
        let contacts = self.contacts[..self.active].iter().map(overlap).fold(0.0, f64::max);
        if self.joints.is_empty() {
            return contacts;
        }
        let drift = joint_rows(world, state).into_iter().map(|entry| drift(&entry) / OVERLAP);
        drift.fold(contacts, f64::max)
    }
}

/// Tangential velocity at a contact.
pub(crate) fn slip(contact: &Contact, state: &State) -> DVec3 {
    let normal = contact.touch.look.normal;
    let u = relative(contact, state);
    u - normal * normal.dot(u)
}

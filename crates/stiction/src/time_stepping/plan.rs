//! What is known at the beginning of a piece, and the problem it makes.

mod arrival;
mod ends;
mod motion;
mod setting;

pub(super) use arrival::Arrival;
pub(super) use setting::Setting;

use setting::Moment;

use super::substep::Care;
use crate::assemble::{self, Assembled, ContactLaw, JointEntry, Laws, RowIndex, joint_rows};
use crate::detect::{Contact, ContactKey};
use crate::joint::RowRule;
use crate::journal::Journal;
use crate::kinematics::{separation, slip};
use crate::report::EventKind;
use crate::rotation::Principal;
use crate::solve::{self, SolverSession};
use crate::touching::{TOUCH, near, size, touches};
use crate::world::{State, World};
use glam::{DQuat, DVec3};
use std::collections::HashSet;
use stiction_geometry::Twist;
use stiction_solvers::{Forces, Friction, Level, ProblemError};

/// Bodies that approach more slowly than they would after falling for this fraction of a piece
/// meet at its end: the overlap, `v h / 2` at most, is repaired.
const SLOW: f64 = 0.1;

/// Slower slip than this fraction of the fastest motion is stick.
const STICK: f64 = 1e-9;

/// How a contact's slip enters its law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Law {
    /// The slip at the end of the piece.
    End,
    /// The mean slip of the piece.
    Mean,
}

/// What is known at the beginning of a piece.
pub(super) struct Plan {
    pub start: State,
    /// Every contact near enough to touch; those of the problem come first.
    pub contacts: Vec<Contact>,
    /// How many are in the problem.
    pub active: usize,
    /// Bodies that rest and stay at rest: not in the problem.
    pub resting: Vec<bool>,
    /// Contacts that collided before they meet.
    struck: HashSet<ContactKey>,
    pub laws: Vec<Law>,
    pub joints: Vec<JointEntry>,
    /// Slip at the beginning, one per contact.
    slips: Vec<DVec3>,
    /// Velocities and orientations at the end if nothing touched or pulled.
    free: Vec<Twist>,
    turned: Vec<DQuat>,
    /// Bodies that turn far in the piece.
    tumbles: Vec<Option<Principal>>,
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
    /// What bodies receive from them.
    pub received: Journal,
    /// Work that driven bodies do by contacts (J).
    pub work: f64,
    /// Which row of the problem each row of a joint became; those of bodies that rest none.
    pub places: Vec<Option<RowIndex>>,
    pub residual: f64,
    pub mark: Option<EventKind>,
    /// Whether it has no solution; the twists are then those without any force.
    pub jammed: bool,
    /// By how much velocities would change in the setting made of them (m/s).
    pub unsettled: f64,
}

impl Solved {
    /// The forces of all rows of joints.
    pub(super) fn row_forces(&self) -> Vec<f64> {
        assemble::row_forces(&self.places, &self.forces)
    }
}

impl Plan {
    /// Whether a contact collides: it touches, or is in the problem from the start and approaches so
    /// fast that it would overlap. The law is about the velocity at the end, `h v⁺ = −gap`; until
    /// then it moves by `h (v + v⁺) / 2`.
    pub(super) fn collides(world: &World, start: &State, length: f64, contact: &Contact) -> bool {
        let gap = contact.touch.geometry.gap;
        let overlap = 0.5 * (-separation(contact, start) * length - gap);
        touches(world, contact) || near(world, contact) && overlap > TOUCH * size(world, contact)
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
            struck: HashSet::new(),
            laws: Vec::new(),
            joints,
            slips: Vec::new(),
            free: Vec::new(),
            turned: Vec::new(),
            tumbles: Vec::new(),
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
        contacts.sort_by_key(|c| !self.is_active(world, c));
        self.active = contacts.iter().take_while(|c| self.is_active(world, c)).count();
        self.contacts = contacts;
        self.slips = self.contacts.iter().map(|c| slip(c, &self.start)).collect();
        self.set_laws();
        self.let_go(world);
    }

    /// Whether a contact is in the problem from the start: it is near, or its gap may close in the
    /// piece and does so slowly at most, so that it would have to join.
    /// In a plain piece its gap may be larger, as fast ones collided before.
    fn is_active(&self, world: &World, contact: &Contact) -> bool {
        let approach = -separation(contact, &self.start) * self.length;
        let fall = world.gravity.length() * self.length * self.length;
        let gap = contact.touch.geometry.gap;
        let slow = SLOW * fall;
        let closes = match self.care {
            Care::Plain => gap <= fall || self.struck.contains(&contact.key()),
            Care::Split | Care::Whole => gap <= slow && approach <= slow,
        };
        !self.rests(contact) && (near(world, contact) || closes)
    }

    /// Whether a contact is one of bodies that rest.
    pub(super) fn rests(&self, contact: &Contact) -> bool {
        self.resting[contact.a] || self.resting[contact.b]
    }

    /// The contacts that hold bodies together: near ones, and those that came to carry force.
    pub(super) fn holding(&self, world: &World, solved: &Solved) -> Vec<&Contact> {
        let forces = &solved.forces.contacts;
        let carries = |i: usize| forces.get(i).is_some_and(|force| force.normal > 0.0);
        let contacts = self.contacts.iter().enumerate();
        contacts.filter(|(i, c)| near(world, c) || carries(*i)).map(|(_, c)| c).collect()
    }

    /// The same piece with other velocities at its beginning, after collisions at these contacts.
    pub(super) fn renew(&mut self, world: &World, struck: &[Contact]) {
        self.straight = false;
        self.struck = struck.iter().map(Contact::key).collect();
        let known: HashSet<ContactKey> = self.contacts.iter().map(Contact::key).collect();
        self.contacts.extend(struck.iter().filter(|c| !known.contains(&c.key())).cloned());
        self.arrange(world);
    }

    /// The piece if nothing pushed but what did so before it.
    pub(super) fn moving_on(&self, world: &World, acceleration: &[Twist]) -> Solved {
        Solved { twists: self.predicted(world, acceleration), ..self.unsolved(world, None) }
    }

    /// No forces.
    fn unsolved(&self, world: &World, mark: Option<EventKind>) -> Solved {
        Solved {
            twists: Vec::new(),
            forces: Forces::default(),
            received: Journal::new(world),
            work: 0.0,
            places: vec![None; self.joints.len()],
            mark,
            residual: 0.0,
            jammed: true,
            unsettled: 0.0,
        }
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
        if self.care == Care::Split {
            self.care = Care::Whole;
        }
        self.straight = false;
        self.set_laws();
        self.let_go(world);
    }

    /// Solves for the velocities at the end of the piece.
    pub(super) fn solve(
        &self,
        world: &World,
        setting: &Setting,
        session: &mut SolverSession,
    ) -> Solved {
        let free = self.freely(world, setting);
        let untouched = |mark| Solved { twists: free.clone(), ..self.unsolved(world, mark) };
        let Ok(assembled) = self.assemble(world, setting, &free, session.resolution()) else {
            return untouched(Some(EventKind::Uncertified { residual: f64::INFINITY }));
        };
        let Assembled { problem, places } = assembled;
        if problem.contacts().is_empty() && places.iter().all(Option::is_none) {
            return Solved { jammed: false, ..untouched(None) };
        }
        let keys = self.keys();
        let answer = if self.starts_at_rest() {
            session.solve_at_rest(&problem, &keys, true)
        } else {
            session.solve(&problem, &keys, true)
        };
        if answer.is_impulse() {
            return untouched(None);
        }
        // Forces that are not numbers have no response.
        if answer.response.bodies.is_empty() {
            return untouched(Some(EventKind::Uncertified { residual: f64::INFINITY }));
        }
        Solved {
            twists: answer.response.bodies.iter().map(assemble::twist).collect(),
            residual: answer.certificate.residual(),
            mark: solve::mark(&answer),
            forces: answer.forces,
            received: Journal::default(),
            work: 0.0,
            places,
            jammed: false,
            unsettled: 0.0,
        }
    }

    /// The problem with the contacts, rows and inertia of the end, where the laws are to hold; of the
    /// beginning in a straight piece. Rows of bodies that rest take no part.
    fn assemble(
        &self,
        world: &World,
        setting: &Setting,
        free: &[Twist],
        resolution: f64,
    ) -> Result<Assembled, ProblemError> {
        let Moment { contacts, rows, .. } = &setting.end;
        let contact = |(i, c): (usize, &Contact)| {
            let geometry = &c.touch.geometry;
            ContactLaw { friction: self.friction(i), bias: self.bias(i, geometry) }
        };
        let bias = |(entry, start): (&JointEntry, &JointEntry)| {
            let target = -entry.row.target;
            (!start.is_of(&self.resting)).then(|| match entry.row.rule {
                RowRule::AtLeast => target + start.row.error.max(0.0) / self.length,
                _ => target,
            })
        };
        let laws = Laws {
            level: Level::Velocity,
            free,
            resting: &self.resting,
            contacts: contacts.iter().enumerate().map(contact).collect(),
            rows: rows.iter().zip(&self.joints).map(bias).collect(),
            duration: self.length,
            resolution,
        };
        assemble::assemble(world, &setting.end.snapshot(), &laws)
    }

    /// Whether nothing moves at the beginning.
    fn starts_at_rest(&self) -> bool {
        let still = |t: &Twist| t.linear.length().max(t.angular.length()) <= STICK * self.speed;
        self.start.twists.iter().all(still)
    }

    fn friction(&self, index: usize) -> Friction {
        let slips = match self.laws[index] {
            Law::End => self.slips[index].length() > STICK * self.speed,
            Law::Mean => true,
        };
        assemble::coulomb(&self.contacts[index], slips)
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
}

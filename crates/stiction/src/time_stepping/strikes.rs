//! What happens at the beginning of a piece: collisions of bodies that touch and, before a plain
//! piece, of those that will meet in it.

use super::extent::{fastest, longest};
use super::plan::Plan;
use super::runner::{Allowance, Runner};
use super::substep::Care;
use crate::detect::Contact;
use crate::impact::{Speeds, Struck, collide};
use crate::journal::Journal;
use crate::touching::near;
use crate::world::{State, World};
use stiction_geometry::Twist;

/// Approach slower than this fraction of the fastest motion is rest: what overlap it makes in a
/// step is repaired.
const REST: f64 = 1e-7;

/// Velocities of the start that contradict joints or motors by more than this fraction of the fastest
/// motion change at once, and what that costs is heat. Later the problem of a step keeps them.
const JOLT: f64 = 1e-4;

/// A piece after the collisions at its beginning.
pub(super) struct Begun {
    pub start: State,
    pub contacts: Vec<Contact>,
    /// How long it may be (s).
    pub length: f64,
    /// The fastest motion to be expected (m/s).
    pub speed: f64,
    pub strikes: Strikes,
}

/// Collisions at the beginning of a piece: where, and what they did.
pub(super) struct Strikes {
    pub contacts: Vec<Contact>,
    speeds: Speeds,
    pub struck: Struck,
}

impl Strikes {
    /// Adds contacts that meet in a piece of this length (s): after the collision no gap may close
    /// sooner than at its end.
    pub(super) fn include(&mut self, meeting: Vec<Contact>, length: f64) {
        self.speeds.closing = 1.0 / length;
        for contact in meeting {
            if self.contacts.iter().all(|known| known.key() != contact.key()) {
                self.contacts.push(contact);
            }
        }
    }
}

impl Runner {
    /// Collisions of bodies that touch at the beginning, and the contacts near after them.
    pub(super) fn begin_piece(
        &mut self,
        world: &World,
        allowance: &Allowance,
        journal: &mut Journal,
    ) -> Begun {
        let mut start = world.state.clone();
        let length = allowance.length;
        let mut speed = fastest(world, &start, length);
        let mut contacts = self.near(world, &start, speed * length);
        let length = longest(world, &start, &contacts, length).max(allowance.shortest).min(length);
        let collides = |c: &&Contact| Plan::collides(world, &start, length, c);
        let touching: Vec<Contact> = contacts.iter().filter(collides).cloned().collect();
        let begins = self.memory.prediction.acceleration.len() != world.bodies.len();
        let speeds = Speeds {
            rest: REST * speed,
            rebound: world.gravity.length() * length,
            closing: 0.0,
            jolt: if begins { JOLT * speed } else { f64::INFINITY },
        };
        if begins {
            self.memory.prediction.acceleration = vec![Twist::ZERO; world.bodies.len()];
        }
        let mut strikes = Strikes { contacts: touching, speeds, struck: Struck::default() };
        self.strike(world, &mut start, &mut strikes, journal);
        let faster = fastest(world, &start, length);
        if faster > speed {
            speed = faster;
            contacts = self.near(world, &start, speed * length);
        }
        Begun { start, contacts, length, speed, strikes }
    }

    /// The contacts of a plain piece that would come fast if all moved on as they do.
    pub(super) fn expected_meetings(&mut self, world: &World, plan: &Plan) -> Vec<Contact> {
        if plan.care != Care::Plain {
            return Vec::new();
        }
        let moving_on = plan.moving_on(world, &self.memory.prediction.acceleration);
        plan.met(world, &moving_on, &mut self.memory.detector).fast
    }

    /// Collisions at the beginning of a piece. Accelerations of bodies that are struck are not those
    /// of the piece before.
    pub(super) fn strike(
        &mut self,
        world: &World,
        start: &mut State,
        strikes: &mut Strikes,
        journal: &mut Journal,
    ) {
        let before = start.twists.clone();
        let Strikes { contacts, speeds, struck } = strikes;
        struck.add(collide(world, start, contacts, *speeds, &mut self.repairing, journal));
        speeds.jolt = f64::INFINITY;
        let accelerations = self.memory.prediction.acceleration.iter_mut();
        for ((acceleration, before), after) in accelerations.zip(&before).zip(&start.twists) {
            if before != after {
                *acceleration = Twist::ZERO;
            }
        }
    }

    /// Contacts of bodies that touch or may meet while none moves farther than this (m).
    fn near(&mut self, world: &World, start: &State, motion: f64) -> Vec<Contact> {
        let mut contacts = self.memory.detector.detect(world, start, 2.0 * motion);
        contacts.retain(|c| !near(world, c) || !self.memory.detector.passes(world, start, c));
        contacts
    }
}

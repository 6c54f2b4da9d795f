//! What ends a piece of smooth motion. `guards/search.rs` finds when.

mod search;

pub(super) use search::first_event;

use super::integrate::Step;
use super::restart::{NO_SPEED, TOUCH, fastest_of};
use super::system::{Happens, Mode, Modes};
use crate::detect::{Contact, ContactKey, Detector};
use crate::joint::RowRule;
use crate::kinematics::separation;
use crate::report::EventKind;
use crate::sweep::relative_motion;
use crate::touching::size;
use crate::world::{State, World};
use std::collections::HashSet;

/// Overlap that counts as a collision, part of the smaller body.
const OVERLAP: f64 = 1e-12;

/// How far below zero a guard must fall, part of its scale.
const FALLS: f64 = 1e-10;

/// Velocities during a step exceed those at its ends by no more than this factor: the integrator
/// keeps its steps short where they change fast.
const CURVED: f64 = 1.25;

/// Bodies that move by less than this fraction of the smallest body in a step (relative) are
/// inspected at its end only.
const UNSEEN: f64 = 1e-3;

/// Rows that the others imply contradict them if they are off by more than this fraction of the
/// accelerations without contact: above what certified forces are off, 1e-8 of gravity.
const DISAGREES: f64 = 1e-6;

/// What may end a piece.
#[derive(Clone, Debug)]
pub(super) enum Guard {
    /// The normal force of a carrying contact.
    Force(usize),
    /// What a sticking contact has left of its cone.
    Cone(usize),
    /// The slip of a slipping contact, along the direction it had.
    Slip(usize),
    /// How far inside its features a carrying contact is.
    Room(usize),
    /// What a holding row has left of its force.
    Row(usize),
    /// The speed of a row with given force, towards which it acts.
    Given(usize),
    /// The distance to a limit of a joint: which of all rows.
    Limit(usize),
    /// The distance of bodies that do not carry each other.
    Gap(Box<Contact>),
    /// What rows that the others imply may be off before they contradict them (m/s²).
    Agreement(f64),
}

/// A state with what happens in it.
pub(super) struct Now<'a> {
    pub state: &'a State,
    pub happens: &'a Happens,
}

impl Guard {
    /// Positive while nothing happens.
    pub(super) fn value(&self, modes: &Modes, now: &Now<'_>) -> f64 {
        let act = |i: &usize| (&modes.carrying[*i], &now.happens.contacts[*i]);
        match self {
            Guard::Force(i) => act(i).1.normal,
            Guard::Cone(i) => {
                let (carrying, acts) = act(i);
                carrying.contact.material.static_friction * acts.normal - acts.friction.length()
            }
            Guard::Slip(i) => {
                let (carrying, acts) = act(i);
                match carrying.mode {
                    Mode::Slip(first) | Mode::Faint(first) => acts.slip.dot(first),
                    Mode::Stick | Mode::Creep(_) => 0.0,
                }
            }
            Guard::Room(i) => act(i).1.geometry.room,
            Guard::Row(i) => {
                let force = now.happens.rows[*i];
                match now.happens.entries[modes.holding[*i].entry].row.rule {
                    RowRule::Motor { greatest } | RowRule::Friction { greatest } => {
                        greatest - force.abs()
                    }
                    RowRule::Equal | RowRule::AtLeast => force,
                }
            }
            Guard::Given(i) => {
                let given = &modes.given[*i];
                let entry = &now.happens.entries[given.entry];
                -given.force.signum() * (entry.rate(&now.state.twists) - entry.row.target)
            }
            Guard::Limit(entry) => now.happens.entries[*entry].row.error,
            Guard::Gap(contact) => {
                let pose = |i: usize| &now.state.poses[i];
                contact.touch.geometry(pose(contact.a), pose(contact.b)).gap
            }
            Guard::Agreement(most) => most - now.happens.broken,
        }
    }

    fn is_slip(&self) -> bool {
        matches!(self, Guard::Slip(_))
    }

    /// Whether it guards the same thing.
    fn is(&self, other: &Guard) -> bool {
        use Guard::{Agreement, Cone, Force, Gap, Given, Limit, Room, Row, Slip};
        match (self, other) {
            (Gap(x), Gap(y)) => x.key() == y.key(),
            (Force(x), Force(y))
            | (Cone(x), Cone(y))
            | (Slip(x), Slip(y))
            | (Room(x), Room(y))
            | (Row(x), Row(y))
            | (Given(x), Given(y))
            | (Limit(x), Limit(y)) => x == y,
            (Agreement(_), Agreement(_)) => true,
            _ => false,
        }
    }

    /// What it means when it falls below zero.
    pub(super) fn event_kind(&self, modes: &Modes) -> Option<EventKind> {
        let key = |i: &usize| modes.carrying[*i].contact.key();
        match self {
            Guard::Force(i) => Some(EventKind::Parts(key(i))),
            Guard::Cone(i) => Some(EventKind::Slips(key(i))),
            Guard::Slip(i) => Some(EventKind::Sticks(key(i))),
            Guard::Room(i) => Some(EventKind::Moves(key(i))),
            // The caller knows which joint; collisions are reported by the impact, and what follows
            // a contradiction by the contact that parts or slips.
            Guard::Row(_)
            | Guard::Given(_)
            | Guard::Limit(_)
            | Guard::Gap(_)
            | Guard::Agreement(_) => None,
        }
    }
}

/// All guards but those of gaps, each with the scale of its values.
pub(super) fn guards(modes: &Modes, start: &Now<'_>, speed: f64) -> Vec<(Guard, f64)> {
    let forces = start.happens.contacts.iter().map(|c| c.normal.abs()).fold(0.0, f64::max);
    let force = forces.max(f64::MIN_POSITIVE);
    let mut guards = Vec::new();
    for (i, carrying) in modes.carrying.iter().enumerate() {
        guards.push((Guard::Force(i), force));
        match carrying.mode {
            Mode::Slip(_) | Mode::Faint(_) => guards.push((Guard::Slip(i), 1e-2 * speed)),
            Mode::Stick if carrying.contact.material.static_friction > 0.0 => {
                guards.push((Guard::Cone(i), force));
            }
            Mode::Stick | Mode::Creep(_) => {}
        }
        if start.happens.contacts[i].geometry.room.is_finite() {
            guards.push((Guard::Room(i), 1.0));
        }
    }
    for (i, holding) in modes.holding.iter().enumerate() {
        let scale = match start.happens.entries[holding.entry].row.rule {
            RowRule::Equal => continue,
            RowRule::Motor { greatest } | RowRule::Friction { greatest } => greatest,
            RowRule::AtLeast => force.max(start.happens.rows[i].abs()),
        };
        guards.push((Guard::Row(i), scale));
    }
    guards.extend((0..modes.given.len()).map(|i| (Guard::Given(i), speed)));
    for (i, entry) in start.happens.entries.iter().enumerate() {
        let held = modes.holding.iter().any(|h| h.entry == i);
        if entry.row.rule == RowRule::AtLeast && !held {
            guards.push((Guard::Limit(i), 1.0));
        }
    }
    // A second of the free acceleration, or the fastest motion stopped in a second.
    let most = DISAGREES * (start.happens.free + speed);
    guards.push((Guard::Agreement(most), most));
    guards
}

/// Contacts that carry force.
fn carried(modes: &Modes) -> impl Iterator<Item = ContactKey> {
    modes.carrying.iter().map(|c| c.contact.key())
}

/// Whether neither body of a contact moves.
fn both_sleep(world: &World, modes: &Modes, contact: &Contact) -> bool {
    let sleeps = |i: usize| !world.bodies[i].is_free() || modes.asleep[i];
    sleeps(contact.a) && sleeps(contact.b) && !world.is_driven(contact.b)
}

/// Contacts that overlap at the end of a step and carry nothing.
pub(super) fn overlaps(
    world: &World,
    modes: &Modes,
    end: &State,
    detector: &mut Detector,
) -> Vec<(Guard, f64)> {
    let carried: HashSet<ContactKey> = carried(modes).collect();
    let mut overlaps = Vec::new();
    for contact in detector.detect(world, end, 0.0) {
        let least = OVERLAP * size(world, &contact);
        if contact.touch.geometry.gap < -least
            && !carried.contains(&contact.key())
            && !both_sleep(world, modes, &contact)
            && !detector.passes(world, end, &contact)
        {
            let scale = least / FALLS;
            overlaps.push((Guard::Gap(Box::new(contact)), scale));
        }
    }
    overlaps
}

/// The part of a step after which bodies that do not carry each other overlap for the first time,
/// if they do so before its end; zero if they touch and approach already.
pub(super) fn first_overlap(
    world: &World,
    modes: &Modes,
    start: &State,
    step: &Step,
    detector: &mut Detector,
) -> Option<f64> {
    let end = step.state(world);
    let twists = [&start.twists[..], &end.twists[..]];
    let speed = twists.map(|twists| fastest_of(world, twists)).into_iter().fold(0.0, f64::max);
    let farthest = 2.0 * CURVED * speed * step.length;
    let sizes = world.free().map(|(_, body)| body.bounding_radius()).filter(|size| *size > 0.0);
    if farthest < UNSEEN * sizes.fold(f64::INFINITY, f64::min) {
        return None;
    }
    let contacts = detector.detect(world, start, farthest);
    let touches = |c: &&Contact| c.touch.geometry.gap <= TOUCH * size(world, c);
    let carried: HashSet<ContactKey> = carried(modes).collect();
    let touching: Vec<&Contact> =
        contacts.iter().filter(touches).filter(|c| !carried.contains(&c.key())).collect();
    let rest = NO_SPEED * speed;
    for contact in &touching {
        let approaches = separation(contact, start) < -rest && !both_sleep(world, modes, contact);
        if approaches && !detector.passes(world, start, contact) {
            return Some(0.0);
        }
    }
    let known: HashSet<ContactKey> =
        carried.into_iter().chain(touching.into_iter().map(Contact::key)).collect();
    let path = |body: usize, part: f64| step.pose(world, body, part);
    let (mut first, mut seen) = (None, HashSet::new());
    for contact in &contacts {
        let pair = (contact.a, contact.b);
        let motion = CURVED * relative_motion(world, pair, twists, step.length);
        if contact.touch.geometry.gap > motion || both_sleep(world, modes, contact) {
            continue;
        }
        if seen.insert(pair) {
            let least = OVERLAP * size(world, contact);
            let met = detector.first_meeting(world, contact, (&path, motion), &known, least);
            let part = met.map(|met| met.after);
            first = [first, part].into_iter().flatten().reduce(f64::min);
        }
    }
    first
}

//! What ends a piece of smooth motion, and when.

use super::integrate::Step;
use super::restart::fastest;
use super::system::{Happens, Mode, Modes};
use crate::detect::{Contact, Detector, Key};
use crate::joint::RowRule;
use crate::report::Happening;
use crate::root::falls;
use crate::time_stepping::size;
use crate::world::{State, World};

/// Overlap that counts as a collision, part of the smaller body.
const OVERLAP: f64 = 1e-12;

/// How far below zero a guard must fall, part of its scale.
const FALLS: f64 = 1e-10;

/// Time to which events are located, part of the step.
const LOCATED: f64 = 1e-12;

/// The same in the dense output.
const ROUGHLY: f64 = 1e-9;

/// How far on both sides of the place found in the dense output the event is sought.
const WIDER: f64 = 1e-6;

/// Guards that may fall before each other in one step.
const ROUNDS: usize = 60;

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
                    Mode::Slip(first) | Mode::Starts(first) => acts.slip.dot(first),
                    Mode::Stick => 0.0,
                }
            }
            Guard::Room(i) => act(i).1.look.room,
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
                contact.touch.look(pose(contact.a), pose(contact.b)).gap
            }
        }
    }

    /// Whether it guards the same thing.
    fn is(&self, other: &Guard) -> bool {
        use Guard::{Cone, Force, Gap, Given, Limit, Room, Row, Slip};
        match (self, other) {
            (Gap(x), Gap(y)) => x.key() == y.key(),
            (Force(x), Force(y))
            | (Cone(x), Cone(y))
            | (Slip(x), Slip(y))
            | (Room(x), Room(y))
            | (Row(x), Row(y))
            | (Given(x), Given(y))
            | (Limit(x), Limit(y)) => x == y,
            _ => false,
        }
    }

    /// What it means when it falls below zero.
    pub(super) fn happening(&self, modes: &Modes) -> Option<Happening> {
        let key = |i: &usize| modes.carrying[*i].contact.key();
        match self {
            Guard::Force(i) => Some(Happening::Parts(key(i))),
            Guard::Cone(i) => Some(Happening::Slips(key(i))),
            Guard::Slip(i) => Some(Happening::Sticks(key(i))),
            Guard::Room(i) => Some(Happening::Moves(key(i))),
            // Which joint the caller knows; collisions are told by the impact.
            Guard::Row(_) | Guard::Given(_) | Guard::Limit(_) | Guard::Gap(_) => None,
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
            Mode::Slip(_) => guards.push((Guard::Slip(i), 1e-2 * speed)),
            Mode::Stick if carrying.contact.material.static_friction > 0.0 => {
                guards.push((Guard::Cone(i), force));
            }
            Mode::Stick | Mode::Starts(_) => {}
        }
        if start.happens.contacts[i].look.room.is_finite() {
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
    guards
}

/// Contacts that overlap at the end of a step and carry nothing.
pub(super) fn overlaps(
    world: &World,
    modes: &Modes,
    end: &State,
    detector: &mut Detector,
) -> Vec<(Guard, f64)> {
    let carried: std::collections::HashSet<Key> =
        modes.carrying.iter().map(|c| c.contact.key()).collect();
    let mut overlaps = Vec::new();
    for contact in detector.detect(world, end, 0.0) {
        let least = OVERLAP * size(world, &contact);
        let sleeps = |i: usize| !world.bodies[i].is_free() || modes.asleep[i];
        let both_sleep = sleeps(contact.a) && sleeps(contact.b) && !world.is_driven(contact.b);
        if contact.touch.look.gap < -least
            && !carried.contains(&contact.key())
            && !both_sleep
            && !detector.passes(world, end, &contact)
        {
            let scale = least / FALLS;
            overlaps.push((Guard::Gap(Box::new(contact)), scale));
        }
    }
    overlaps
}

/// The first guard that falls during a step: a step that ends there, and the guard.
pub(super) fn first_event(
    world: &World,
    modes: &Modes,
    start: &Now<'_>,
    step: &Step,
    tolerance: f64,
    detector: &mut Detector,
) -> Option<(Step, Guard)> {
    let speed = fastest(world);
    let mut found: Option<(Step, Guard)> = None;
    let mut guards = guards(modes, start, speed);
    // A guard that falls before the one found is found in turn; each time is earlier. One that
    // began below zero is still there where its step ends, and not found again.
    let mut seen: Vec<Guard> = Vec::new();
    for _ in 0..ROUNDS {
        let step = found.as_ref().map_or(step, |(step, _)| step);
        let end = step.state(world);
        let now = Now { state: &end, happens: &step.happens };
        guards.retain(|(guard, _)| !matches!(guard, Guard::Gap(_)));
        guards.extend(overlaps(world, modes, &end, detector));
        let mut first: Option<(f64, &Guard, f64)> = None;
        let known = |guard: &Guard| seen.iter().any(|other| other.is(guard));
        for (guard, scale) in &guards {
            let (before, after) = (guard.value(modes, start), guard.value(modes, &now));
            if before <= 0.0 && known(guard) {
                continue;
            }
            let shift = (-before).max(0.0) + FALLS * scale;
            let part = before.max(0.0) / (before.max(0.0) - after);
            if after < -shift && first.is_none_or(|(earliest, ..)| part < earliest) {
                first = Some((part, guard, shift));
            }
        }
        let Some((_, guard, shift)) = first else { break };
        let guard = guard.clone();
        let earlier = locate(world, modes, start, step, &guard, shift, tolerance);
        seen.push(guard.clone());
        found = Some((earlier, guard));
    }
    found
}

/// A step that ends just after a guard has fallen: sought in the dense output first, then by
/// steps of its own.
fn locate(
    world: &World,
    modes: &Modes,
    start: &Now<'_>,
    step: &Step,
    guard: &Guard,
    shift: f64,
    tolerance: f64,
) -> Step {
    // Zero itself is sought unless the guard began below it.
    let offset = if guard.value(modes, start) > 0.0 { 0.0 } else { shift };
    let value =
        |state: &State, happens: &Happens| guard.value(modes, &Now { state, happens }) + offset;
    let before = value(start.state, start.happens);
    let after = value(&step.state(world), &step.happens);
    let dense = |part: f64| {
        let state = step.at(world, part);
        let happens = modes.happens(world, &state);
        value(&state, &happens)
    };
    let near = falls((0.0, before), (1.0, after), ROUGHLY, dense);
    let mut best = step.clone();
    let mut take = |part: f64| {
        let tried =
            Step::take(world, modes, start.state, part * step.length, start.happens, tolerance);
        let value = value(&tried.state(world), &tried.happens);
        if value <= 0.0 && tried.length < best.length {
            best = tried;
        }
        value
    };
    let (low, high) = ((1.0 - WIDER) * near, ((1.0 + WIDER) * near).min(1.0));
    let (mut low, mut high) = ((low, take(low)), (high, take(high)));
    if low.1 <= 0.0 {
        (low, high) = ((0.0, before), low);
    } else if high.1 > 0.0 {
        (low, high) = (high, (1.0, after));
    }
    falls(low, high, LOCATED, take);
    best
}

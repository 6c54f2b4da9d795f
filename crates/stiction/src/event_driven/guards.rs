//! What ends a piece of smooth motion, and when.

use super::integrate::Step;
use super::restart::{NO_SPEED, TOUCH, fastest, fastest_of};
use super::system::{Happens, Mode, Modes};
use crate::detect::{Contact, ContactKey, Detector};
use crate::joint::RowRule;
use crate::kinematics::separation;
use crate::report::EventKind;
use crate::root::falls;
use crate::sweep::relative_motion;
use crate::touching::size;
use crate::world::{State, World};
use std::collections::HashSet;

/// Overlap that counts as a collision, part of the smaller body.
const OVERLAP: f64 = 1e-12;

/// How far below zero a guard must fall, part of its scale.
const FALLS: f64 = 1e-10;

/// Time to which events are located (s).
const LOCATED: f64 = 1e-12;

/// Or how far below zero the guard may be there, part of its scale.
const CLOSE: f64 = 1e-11;

/// Part of a step to which events are located in its dense output.
const ROUGHLY: f64 = 1e-9;

/// Part of the time to an event over which the slope of its guard is taken.
const SLOPE: f64 = 1e-6;

/// Steps of the secant method to an event, before bounds are halved.
const SECANTS: usize = 8;

/// Guards that may fall before each other in one step.
const ROUNDS: usize = 60;

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

/// The first guard that falls during a step: a step that ends there, and the guard. If the
/// error of that step is too large, the motion to the guard is not known well enough.
pub(super) fn first_event(
    world: &World,
    modes: &Modes,
    start: &Now<'_>,
    step: &Step,
    tolerance: f64,
    detector: &mut Detector,
) -> Option<(Step, Guard)> {
    let guards = guards(modes, start, fastest(world));
    let mut search = Search { world, modes, start, tolerance, guards, detector, seen: Vec::new() };
    let mut found: Option<(Step, Guard)> = None;
    // Where slip ends, friction turns over and nothing after it is true: before all else.
    for ends in [true, false] {
        // The dense output may have hidden one that falls just before the one found.
        for _ in 0..ROUNDS {
            let step = found.as_ref().map_or(step, |(step, _)| step);
            if step.length <= LOCATED || step.error > 1.0 {
                return found;
            }
            let last = found.as_ref().map(|(_, guard)| guard);
            let falling = if ends { search.ends(step, last) } else { search.roughly(step, last) };
            let Some(falling) = falling else { break };
            found = Some((search.exactly(step, &falling), falling.guard));
        }
    }
    found
}

/// A guard that falls during a step.
struct Falling {
    guard: Guard,
    scale: f64,
    /// How far below zero it falls: zero itself is sought unless the guard began below it, of
    /// slip the moment just before.
    level: f64,
    /// Which part of the step is over then, about.
    part: f64,
}

/// What guards are sought with.
struct Search<'a> {
    world: &'a World,
    modes: &'a Modes,
    start: &'a Now<'a>,
    tolerance: f64,
    /// All but those of gaps, with their scales.
    guards: Vec<(Guard, f64)>,
    detector: &'a mut Detector,
    /// Guards found. One that began below zero is still there where it was found to fall, and
    /// is not found again.
    seen: Vec<Guard>,
}

impl Search<'_> {
    /// The slip that seems to end first during a step; not the one that ends it.
    fn ends(&self, step: &Step, last: Option<&Guard>) -> Option<Falling> {
        let end = step.state(self.world);
        let slips = self.guards.iter().filter(|(guard, _)| guard.is_slip());
        self.fallen(slips, &Now { state: &end, happens: &step.happens }, last)
    }

    /// The first guard to fall during a step, by its dense output; not the one that ends it.
    fn roughly(&mut self, step: &Step, last: Option<&Guard>) -> Option<Falling> {
        let mut found: Option<Falling> = None;
        let mut end = step.state(self.world);
        let mut happens = None;
        // A guard that falls before the one found is found in turn; each time is earlier.
        for _ in 0..ROUNDS {
            let now = Now { state: &end, happens: happens.as_ref().unwrap_or(&step.happens) };
            let last = found.as_ref().map(|falling| &falling.guard).or(last);
            let overlaps = overlaps(self.world, self.modes, now.state, self.detector);
            let others = self.guards.iter().filter(|(guard, _)| !guard.is_slip());
            let Some(mut falling) = self.fallen(others.chain(&overlaps), &now, last) else { break };
            let part = found.as_ref().map_or(1.0, |falling| falling.part);
            let level = |value: f64| value + falling.level;
            let before = level(falling.guard.value(self.modes, self.start));
            let after = level(falling.guard.value(self.modes, &now));
            let dense = |part: f64| level(self.dense(step, &falling.guard, part));
            falling.part = falls((0.0, before), (part, after), ROUGHLY, dense);
            end = step.at(self.world, falling.part);
            happens = Some(self.modes.happens(self.world, &end));
            self.seen.push(falling.guard.clone());
            found = Some(falling);
        }
        found
    }

    /// Of the guards that have fallen, but for the last one found, the one that seems to have
    /// been the first.
    fn fallen<'b>(
        &self,
        guards: impl Iterator<Item = &'b (Guard, f64)>,
        now: &Now<'_>,
        last: Option<&Guard>,
    ) -> Option<Falling> {
        let known = |guard: &Guard| self.seen.iter().any(|other| other.is(guard));
        let mut first: Option<Falling> = None;
        for (guard, scale) in guards {
            let before = guard.value(self.modes, self.start);
            let after = guard.value(self.modes, now);
            if before <= 0.0 && known(guard) || last.is_some_and(|last| last.is(guard)) {
                continue;
            }
            let shift = (-before).max(0.0) + FALLS * scale;
            let part = before.max(0.0) / (before.max(0.0) - after);
            if after < -shift && first.as_ref().is_none_or(|first| part < first.part) {
                let just_before = if guard.is_slip() { CLOSE * scale } else { 0.0 };
                let level = if before > just_before { -just_before } else { shift };
                first = Some(Falling { guard: guard.clone(), scale: *scale, level, part });
            }
        }
        first
    }

    /// A guard after part of a step, by dense output.
    fn dense(&self, step: &Step, guard: &Guard, part: f64) -> f64 {
        let state = step.at(self.world, part);
        // The distance of bodies needs no forces.
        let happens = match guard {
            Guard::Gap(_) => None,
            _ => Some(self.modes.happens(self.world, &state)),
        };
        let happens = happens.as_ref().unwrap_or(&step.happens);
        guard.value(self.modes, &Now { state: &state, happens })
    }

    /// A step that ends just after a guard has fallen, by the secant method between bounds; or
    /// one whose error is too large.
    fn exactly(&self, step: &Step, falling: &Falling) -> Step {
        let Falling { guard, scale, level, part } = falling;
        let mut slope = self.slope(step, falling);
        let least = (slope * LOCATED / step.length).clamp(-FALLS * scale, -CLOSE * scale);
        let (mut low, mut high, mut last) = (0.0, 1.0, None);
        let (mut at, mut best) = (*part, step.clone());
        for round in 0..ROUNDS {
            let (state, length) = (self.start.state, at * step.length);
            let happens = self.start.happens;
            let tried = Step::take(self.world, self.modes, state, length, happens, self.tolerance);
            let value = self.at_end(&tried, guard) + level;
            if tried.error > 1.0 || least <= value && value <= 0.0 {
                return tried;
            }
            if let Some((before, was)) = last.replace((at, value)) {
                slope = (value - was) / (at - before);
            }
            if value > 0.0 {
                low = at;
            } else {
                (high, best) = (at, tried);
            }
            if (high - low) * step.length <= LOCATED {
                break;
            }
            let next = at + (0.5 * least - value) / slope;
            let inside = low < next && next < high && round < SECANTS;
            at = if inside { next } else { 0.5 * (low + high) };
        }
        best
    }

    /// How fast a guard falls where it does, per part of the step: by the dense output, of slip
    /// on the whole.
    fn slope(&self, step: &Step, falling: &Falling) -> f64 {
        let Falling { guard, part, .. } = falling;
        if guard.is_slip() {
            return self.at_end(step, guard) - guard.value(self.modes, self.start);
        }
        let earlier = (1.0 - SLOPE) * part;
        (self.dense(step, guard, *part) - self.dense(step, guard, earlier)) / (part - earlier)
    }

    /// A guard at the end of a step.
    fn at_end(&self, step: &Step, guard: &Guard) -> f64 {
        let end = step.state(self.world);
        guard.value(self.modes, &Now { state: &end, happens: &step.happens })
    }
}

//! When a guard falls: located roughly in the dense output of a step, then exactly by steps of
//! other lengths.

use super::super::integrate::Step;
use super::super::restart::fastest;
use super::super::system::Modes;
use super::{FALLS, Guard, Now, guards, overlaps};
use crate::detect::Detector;
use crate::root::falls;
use crate::world::World;

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

/// The first guard that falls during a step: a step that ends there, and the guard. If the
/// error of that step is too large, the motion to the guard is not known well enough.
pub(in crate::event_driven) fn first_event(
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

//! Intervals that event-driven cannot integrate itself: time-stepping takes over.

use super::EventDriven;
use super::course::Course;
use crate::solve::add_answers;
use crate::world::World;

/// Time-stepping takes over for this long (s); twice as long if it is needed again within that
/// time, or within [`CALM`] (s).
pub(super) const FALL_BACK: f64 = 1.0 / 3840.0;
const CALM: f64 = 1.0 / 240.0;

/// But no longer than this (s).
const LONGEST_FALL: f64 = 0.01;

/// It divides that time into this number of steps, none longer than [`LONGEST_STEP`] (s).
const STEPS: f64 = 16.0;
const LONGEST_STEP: f64 = 1.0 / 30720.0;

impl EventDriven {
    /// Gives the next interval to time-stepping; returns its length (s).
    pub(super) fn begin_fallback(&mut self, time: f64) -> f64 {
        let soon = time - self.fallback_until < self.fallback_length.max(CALM);
        self.fallback_length =
            if soon { (2.0 * self.fallback_length).min(LONGEST_FALL) } else { FALL_BACK };
        self.fallback_until = time + self.fallback_length;
        self.modes = None;
        self.asleep.clear();
        self.event_budget /= 2;
        self.fallback_length
    }

    /// One step of time-stepping, where it has taken over.
    pub(super) fn fallback_step(
        &mut self,
        world: &mut World,
        (end, frame): (f64, f64),
        course: &mut Course,
    ) {
        let left = end.min(self.fallback_until) - world.state.time;
        // Equal steps, so that the last is not much shorter.
        let shortest = (self.fallback_length / STEPS).min(LONGEST_STEP);
        let steps = if self.fallback.is_spent() { 1.0 } else { (left / shortest).round().max(1.0) };
        let report = self.fallback.go(world, left / steps, frame, &mut course.ledger);
        let total = &mut course.report;
        total.certified &= report.certified;
        total.residual = total.residual.max(report.residual);
        total.solves += report.solves;
        total.iterations += report.iterations;
        total.detections += report.detections;
        total.refusal = total.refusal.take().or(report.refusal);
        total.events.extend(report.events);
        total.journal.append(report.journal);
        add_answers(&mut total.answers, &report.answers);
        (total.contacts, total.joints) = (report.contacts, report.joints);
    }
}

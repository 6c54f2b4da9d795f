//! What lives during one step of the caller.

use super::{CROWD, MOST_ALARMS};
use crate::impact::{self, Impulses};
use crate::journal::Journal;
use crate::report::{EnergyLedger, Report};
use crate::world::World;

/// A step on its way.
pub(super) struct Course {
    pub ledger: EnergyLedger,
    /// What happened so far.
    pub report: Report,
    /// Impulses of collisions so far.
    pub impulses: Impulses,
    /// Whether what ended the last stretch of motion was no event after all.
    pub false_alarm: bool,
    /// Events in a row, each within [`CROWD`] of the one before, counted for every contact that carries.
    pub crowd: usize,
    /// False alarms that did not count.
    alarms: usize,
    /// When the last event was (s).
    last: f64,
}

impl Course {
    pub fn new(world: &World, ledger: EnergyLedger) -> Self {
        let report = Report { certified: true, journal: Journal::new(world), ..Report::default() };
        let (impulses, last) = (Impulses::new(), world.state.time);
        Course { ledger, report, impulses, false_alarm: false, crowd: 0, alarms: 0, last }
    }

    /// Adds the impulses of a collision.
    pub fn strike(&mut self, impulses: &Impulses) {
        for (key, impulse) in impulses {
            impact::add(self.impulses.entry(*key).or_default(), impulse);
        }
    }

    /// Counts the end of a stretch of motion at a time (s), and whether it is an event of so many contacts.
    pub fn count(&mut self, time: f64, is_event: bool, contacts: usize) {
        if std::mem::take(&mut self.false_alarm) && self.alarms < MOST_ALARMS {
            (self.crowd, self.alarms) = (self.crowd.saturating_sub(contacts), self.alarms + 1);
        }
        if is_event {
            self.crowd = if time - self.last < CROWD { self.crowd + contacts } else { 0 };
            self.last = time;
        }
    }
}

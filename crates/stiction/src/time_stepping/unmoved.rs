//! A step in which nothing moved is the next one, too.
//!
//! Where no body moved in a step, nothing was solved and nothing happened, and nothing in the world
//! depends on time, the next step of the same length begins and ends in the same state, with the
//! same contacts, forces and impulses: its report is known.

use super::TimeStepping;
use crate::report::{EnergyLedger, Report};
use crate::world::{State, World};

/// The last step, if nothing moved in it.
#[derive(Debug)]
pub(super) struct Unmoved {
    /// Its length, and that of the frame it was part of (s).
    lengths: [f64; 2],
    report: Report,
}

/// Whether nothing in a world changes by itself: no body is driven or pulled, no joint has a motor.
fn is_passive(world: &World) -> bool {
    let driven = (0..world.bodies.len()).any(|i| world.is_driven(i));
    !driven && !world.is_pulled() && world.agitated().next().is_none()
}

impl Unmoved {
    /// A step from a state to the present one, if nothing moved in it.
    pub(super) fn after(
        world: &World,
        start: &State,
        lengths: [f64; 2],
        report: &Report,
    ) -> Option<Self> {
        let end = &world.state;
        let nothing_moved = report.solves == 0
            && report.events.is_empty()
            && report.certified
            && report.journal.waypoints.is_empty()
            && start.poses == end.poses
            && start.twists == end.twists
            && start.turns == end.turns;
        (nothing_moved && is_passive(world)).then(|| Unmoved { lengths, report: report.clone() })
    }
}

impl TimeStepping {
    /// The report of a step in which nothing moves, if it is known to be such a step.
    pub(super) fn stay(
        &mut self,
        world: &mut World,
        lengths: [f64; 2],
        ledger: &mut EnergyLedger,
    ) -> Option<Report> {
        let known = self.unmoved.take().filter(|known| known.lengths == lengths);
        let unmoved = known.filter(|_| self.resting.is_of(world))?;
        world.state.time += lengths[0];
        self.resting.see(world);
        self.withheld_splits = self.withheld_splits.saturating_sub(1);
        ledger.close(world);
        let report = Report { detections: 0, ledger: *ledger, ..unmoved.report.clone() };
        self.unmoved = Some(unmoved);
        Some(report)
    }
}

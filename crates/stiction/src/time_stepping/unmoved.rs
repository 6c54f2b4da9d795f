//! A step in which nothing moved is the next one, too.
//!
//! Where no body of a cluster moved in a step, nothing was solved and nothing happened, and nothing
//! in it depends on time, the next step of the same length begins and ends in the same state, with
//! the same contacts, forces and impulses: what it reports is known. The same holds for the whole
//! world.

use super::TimeStepping;
use super::runner::{Outcome, Runner};
use crate::report::{EnergyLedger, Report};
use crate::world::{State, World};

/// The lengths of the last step, and of the frame it was part of (s), if nothing moved in it.
#[derive(Debug)]
pub(super) struct Unmoved([f64; 2]);

/// The last step of the world, if nothing moved in it.
#[derive(Debug)]
pub(super) struct UnmovedWorld {
    lengths: [f64; 2],
    /// Of the world after it.
    fingerprint: u64,
    report: Report,
}

/// Whether nothing in a world changes by itself: no body is driven or pulled, no joint has a motor.
fn is_passive(world: &World) -> bool {
    let driven = (0..world.bodies.len()).any(|i| world.is_driven(i));
    !driven && !world.is_pulled() && world.agitated().next().is_none()
}

/// Whether a world did not move since a state.
fn is_still(world: &World, start: &State) -> bool {
    let end = &world.state;
    start.poses == end.poses
        && start.twists == end.twists
        && start.turns == end.turns
        && is_passive(world)
}

impl Unmoved {
    /// After a step from a state to the present one in which nothing was solved.
    pub(super) fn after(
        world: &World,
        start: &State,
        lengths: [f64; 2],
        outcome: &Outcome,
    ) -> Option<Self> {
        let quiet = outcome.events.is_empty() && outcome.journal.waypoints.is_empty();
        (quiet && is_still(world, start)).then_some(Unmoved(lengths))
    }
}

impl Runner {
    /// What a cluster does in which nothing moves, if it is known to be such a step.
    pub(super) fn stay(
        &mut self,
        world: &mut World,
        lengths: [f64; 2],
        known: Option<Outcome>,
    ) -> Option<Outcome> {
        let unmoved = self.memory.unmoved.take().filter(|unmoved| unmoved.0 == lengths)?;
        let known = known.filter(|_| self.memory.resting.is_of(world))?;
        world.state.time += lengths[0];
        self.memory.withheld_splits = self.memory.withheld_splits.saturating_sub(1);
        self.memory.unmoved = Some(unmoved);
        Some(Outcome { detections: 0, booked: [0.0; 3], ..known })
    }
}

impl UnmovedWorld {
    /// A step from a state to the present one, if nothing moved in it.
    pub(super) fn after(
        world: &World,
        start: &State,
        lengths: [f64; 2],
        report: &Report,
    ) -> Option<Self> {
        let quiet = report.solves == 0
            && report.events.is_empty()
            && report.certified
            && report.journal.waypoints.is_empty();
        let known = || UnmovedWorld {
            lengths,
            fingerprint: world.timeless_fingerprint(),
            report: report.clone(),
        };
        (quiet && is_still(world, start)).then(known)
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
        let unmoved = known.filter(|known| known.fingerprint == world.timeless_fingerprint())?;
        world.state.time += lengths[0];
        ledger.close(world);
        let report = Report { detections: 0, ledger: *ledger, ..unmoved.report.clone() };
        self.unmoved = Some(unmoved);
        Some(report)
    }
}

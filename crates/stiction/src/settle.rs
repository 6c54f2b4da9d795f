//! Bodies that overlap moved apart: by the repair of the steppers, before a run.

use crate::detect::{Contact, Detector};
use crate::repair::repair;
use crate::report::EnergyLedger;
use crate::solve::SolverSession;
use crate::touching::overlaps;
use crate::world::{BodyId, BodyOverlap, MOST_OVERLAPS, World};
use glam::DVec3;
use stiction_geometry::Pose;

/// Calls of the repair, each of which removes most of the overlap that is left: deep ones may
/// meet others on their way out.
const CALLS: usize = 30;

/// Displacements below this part of the size of a body are rounding.
const MOVED: f64 = 1e-12;

/// What moved, and what overlaps nevertheless.
#[derive(Clone, Debug)]
pub struct Settled {
    /// Every body that moved, with its poses before and after.
    pub moved: Vec<(BodyId, [Pose; 2])>,
    /// Pairs that still overlap by more than scenes may begin with, the deepest first.
    pub left: Vec<BodyOverlap>,
}

impl Settled {
    /// Displacement (m) and rotation (rad) of the bodies that moved.
    pub fn displacements(&self) -> impl Iterator<Item = (BodyId, DVec3, f64)> + '_ {
        self.moved.iter().map(|(id, [from, to])| {
            let turn = to.rotation * from.rotation.conjugate();
            let angle = 2.0 * turn.xyz().length().atan2(turn.w.abs());
            (*id, to.position - from.position, angle)
        })
    }
}

/// Moves bodies apart that overlap by more than steppers leave alone, once, before a run: which
/// bodies moved, and how far (m).
pub(crate) fn separate(world: &mut World) -> Vec<(BodyId, f64)> {
    let mut detector = Detector::default();
    let overlaps = |c: &Contact| overlaps(world, c, c.touch.geometry.gap);
    if !detector.detect(world, &world.state, 0.0).iter().any(overlaps) {
        return Vec::new();
    }
    let before = world.state.poses.clone();
    let (mut session, mut ledger) = (SolverSession::default(), EnergyLedger::default());
    repair(world, &mut detector, &mut session, &mut ledger);
    let moved = world.free_bodies().map(|(id, _)| {
        let (from, to) = (before[id.index()], world.state.poses[id.index()]);
        (id, from.position.distance(to.position))
    });
    moved.filter(|(_, distance)| *distance > 0.0).collect()
}

/// Moves bodies that overlap apart, as little as possible in the metric of their masses. A hundred
/// pairs or more are left as they are: such a scene is a mistake, not inexact.
pub fn settle(world: &mut World) -> Settled {
    let before = world.state.poses.clone();
    let mut session = SolverSession::default();
    let (mut detector, mut ledger) = (Detector::default(), EnergyLedger::default());
    for _ in 0..CALLS {
        let left = world.overlaps().len();
        if left == 0 || left >= MOST_OVERLAPS {
            break;
        }
        repair(world, &mut detector, &mut session, &mut ledger);
    }
    let moved = world.free_bodies().filter_map(|(id, body)| {
        let (from, to) = (before[id.index()], world.state.poses[id.index()]);
        let size = body.bounding_radius();
        let still = from.position.distance(to.position) <= MOVED * size
            && from.rotation.dot(to.rotation).abs() >= 1.0 - MOVED;
        (!still).then_some((id, [from, to]))
    });
    Settled { moved: moved.collect(), left: world.overlaps() }
}

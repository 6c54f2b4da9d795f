//! Bodies that overlap moved apart: by the repair of the steppers, before a run.

use crate::detect::Detector;
use crate::repair::{Reach, repair_within};
use crate::report::EnergyLedger;
use crate::solve::SolverSession;
use crate::touching::{OVERLAP, size};
use crate::world::{BodyId, BodyOverlap, MOST_OVERLAPS, World};
use glam::DVec3;
use stiction_geometry::Pose;

/// Calls of the repair, each of which removes most of the overlap that is left: deep ones may
/// meet others on their way out.
const CALLS: usize = 30;

/// Displacements below this part of the size of a body are rounding.
const MOVED: f64 = 1e-12;

/// Bodies nearer than this many times the deepest overlap are kept apart while it is removed.
const AROUND: f64 = 2.0;

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

/// Bodies that were moved apart before a run.
#[derive(Clone, Debug, Default)]
pub struct Separation {
    /// Pairs that overlapped by more than any scene may begin with, the deepest first.
    pub deep: Vec<BodyOverlap>,
    /// All pairs that overlapped.
    pub pairs: usize,
    /// The deepest overlap: its bodies and depth (m).
    pub deepest: Option<([BodyId; 2], f64)>,
    /// Bodies that were moved, and how far (m).
    pub moved: Vec<(BodyId, f64)>,
}

impl Separation {
    /// The farthest displacement (m).
    pub fn farthest(&self) -> f64 {
        self.moved.iter().map(|(_, distance)| *distance).fold(0.0, f64::max)
    }

    /// A sentence for reports; none if nothing was moved.
    pub fn words(&self, world: &World) -> Option<String> {
        let ([a, b], depth) = self.deepest.filter(|_| !self.moved.is_empty())?;
        let [a, b] = [a, b].map(|id| world.body(id).name.as_str());
        let (depth, far) = (length(depth), length(self.farthest()));
        let pairs = match self.pairs {
            1 => format!("1 pair of bodies overlapped at the start, by {depth}: {a} and {b}"),
            n => format!(
                "{n} pairs of bodies overlapped at the start, the deepest by {depth}: {a} and {b}"
            ),
        };
        Some(match self.moved.len() {
            1 => format!("{pairs}; 1 body was moved by {far}"),
            n => format!("{pairs}; {n} bodies were moved by at most {far}"),
        })
    }
}

/// A length in words: millimetres where they say more.
fn length(metres: f64) -> String {
    match 1e3 * metres {
        mm if mm >= 1e3 => format!("{metres:.3} m"),
        mm if mm >= 0.1 => format!("{mm:.1} mm"),
        mm => format!("{mm:.1e} mm"),
    }
}

/// Moves bodies apart that overlap by more than steppers leave alone, once, before a run.
pub(crate) fn separate(world: &mut World) -> Separation {
    let mut separation = Separation { deep: world.overlaps(), ..Separation::default() };
    let mut pairs = Vec::new();
    for c in Detector::default().detect(world, &world.state, 0.0) {
        let depth = -c.touch.geometry.gap;
        if depth <= OVERLAP * size(world, &c) {
            continue;
        }
        let bodies = c.bodies();
        pairs.push(bodies);
        if separation.deepest.is_none_or(|(_, known)| depth > known) {
            separation.deepest = Some((bodies, depth));
        }
    }
    if let Some(BodyOverlap { bodies, overlap }) = separation.deep.first() {
        separation.deepest = Some((*bodies, overlap.depth));
    }
    pairs.sort();
    pairs.dedup();
    separation.pairs = pairs.len();
    if pairs.is_empty() {
        return separation;
    }
    let before = world.state.poses.clone();
    // Where scenes allow any overlap: what the repair of a step reaches.
    let calls = if separation.deep.len() < MOST_OVERLAPS { CALLS } else { 1 };
    move_apart(world, calls);
    separation.moved = moved(world, &before)
        .map(|(id, [from, to])| (id, from.position.distance(to.position)))
        .collect();
    separation
}

/// Moves bodies that overlap apart, as little as possible in the metric of their masses. A hundred
/// pairs or more are left as they are: such a scene is a mistake, not inexact.
pub fn settle(world: &mut World) -> Settled {
    let before = world.state.poses.clone();
    let found = world.overlaps().len();
    if found > 0 && found < MOST_OVERLAPS {
        move_apart(world, CALLS);
    }
    Settled { moved: moved(world, &before).collect(), left: world.overlaps() }
}

/// Repairs until nothing overlaps. No body moves farther at once than half the distance within which
/// contacts are kept apart, so that none passes through another.
fn move_apart(world: &mut World, calls: usize) {
    let mut session = SolverSession::default();
    let (mut detector, mut ledger) = (Detector::default(), EnergyLedger::default());
    for _ in 0..calls {
        let contacts = detector.detect(world, &world.state, 0.0);
        let depth = |c: &crate::detect::Contact| -c.touch.geometry.gap;
        if !contacts.iter().any(|c| depth(c) > OVERLAP * size(world, c)) {
            break;
        }
        let deepest = contacts.iter().map(depth).fold(0.0, f64::max);
        let reach = Reach::Bounded(AROUND * deepest);
        repair_within(world, &mut detector, &mut session, &mut ledger, reach);
    }
}

/// Free bodies that are elsewhere than before.
fn moved(world: &World, before: &[Pose]) -> impl Iterator<Item = (BodyId, [Pose; 2])> {
    world.free_bodies().filter_map(|(id, body)| {
        let (from, to) = (before[id.index()], world.state.poses[id.index()]);
        let size = body.bounding_radius();
        let still = from.position.distance(to.position) <= MOVED * size
            && from.rotation.dot(to.rotation).abs() >= 1.0 - MOVED;
        (!still).then_some((id, [from, to]))
    })
}

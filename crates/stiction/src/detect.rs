//! Where bodies touch, or may soon.

use crate::kinematics::relative;
use crate::world::{BodyId, Material, State, World};
use glam::DVec3;
use stiction_geometry::{BroadPhase, FeaturePair, Pose, aabb, region};

/// A place where two bodies touch or may soon.
#[derive(Clone, Debug)]
pub struct Contact {
    /// The body that the normal points into: one that forces move.
    pub(crate) a: usize,
    /// The other one.
    pub(crate) b: usize,
    /// The features that meet, and how.
    pub touch: FeaturePair,
    /// How they rub and bounce.
    pub material: Material,
}

/// Identifies a contact from step to step: its bodies and the features that meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactKey {
    /// The body that the normal points into.
    pub a: BodyId,
    /// The other body.
    pub b: BodyId,
    /// A number for the two features.
    pub feature: u64,
}

impl ContactKey {
    /// Of bodies given by their indices.
    pub(crate) fn of(a: usize, b: usize, feature: u64) -> Self {
        ContactKey { a: BodyId::from_index(a), b: BodyId::from_index(b), feature }
    }

    /// Both bodies; the normal points into the first.
    pub fn bodies(&self) -> [BodyId; 2] {
        [self.a, self.b]
    }
}

impl Contact {
    /// Its bodies; the normal points into the first.
    pub fn bodies(&self) -> [BodyId; 2] {
        [self.a, self.b].map(BodyId::from_index)
    }

    /// Identifies it from step to step.
    pub fn key(&self) -> ContactKey {
        ContactKey::of(self.a, self.b, self.touch.key)
    }
}

/// In planar worlds, contacts whose projections are nearer than this fraction of the
/// smaller body's bounding radius are one.
const SAME_PLACE: f64 = 1e-7;

/// To see whether bodies pass each other, they are moved on by this fraction of the smaller one.
const AHEAD: f64 = 1e-6;

/// They pass if that makes them overlap by no more than this fraction of their displacement past each other;
/// it must be no less than this fraction of their own.
const PASSES: f64 = 1e-3;

/// Finds contacts; keeps its buffers.
#[derive(Debug, Default)]
pub struct Detector {
    broad: BroadPhase,
    touches: Vec<FeaturePair>,
}

impl Detector {
    /// Every contact of bodies that are nearer than `margin` (m), in a fixed order.
    pub fn detect(&mut self, world: &World, state: &State, margin: f64) -> Vec<Contact> {
        let boxes: Vec<_> = world
            .bodies
            .iter()
            .zip(&state.poses)
            .map(|(body, pose)| aabb(&body.parts, pose))
            .collect();
        let mut contacts = Vec::new();
        for &(first, second) in self.broad.pairs(&boxes, margin) {
            let (first, second) = (first as usize, second as usize);
            let [one, other] = [first, second].map(BodyId::from_index);
            if !world.may_touch(one, other) {
                continue;
            }
            let (a, b) =
                if world.bodies[first].is_free() { (first, second) } else { (second, first) };
            self.touches.clear();
            let (parts_a, parts_b) = (&world.bodies[a].parts, &world.bodies[b].parts);
            region(parts_a, &state.poses[a], parts_b, &state.poses[b], margin, &mut self.touches);
            if let Some(plane) = world.plane {
                merge(&mut self.touches, plane, near(world, a, b));
            }
            let material = world.material(one, other);
            contacts.extend(self.touches.drain(..).map(|touch| Contact { a, b, touch, material }));
        }
        contacts
    }

    /// Whether bodies that touch corner to corner, and approach along the normal chosen for it,
    /// pass each other along another that would do as well: a block that slides from one tile to
    /// the next. Moved on a little, they then do not overlap.
    pub(crate) fn passes(&mut self, world: &World, state: &State, contact: &Contact) -> bool {
        let (a, b) = (contact.a, contact.b);
        let u = relative(contact, state);
        let size = world.bodies[a].bounding_radius().min(world.bodies[b].bounding_radius());
        let speed = |i: usize| {
            let twist = &state.twists[i];
            let point = contact.touch.geometry.point;
            twist.at(&state.poses[i], point).length() + size * twist.angular.length()
        };
        // Next to bodies that move together, what they do to each other is lost in rounding.
        let fastest = speed(a).max(speed(b));
        if !contact.touch.degenerate
            || contact.touch.geometry.normal.dot(u) >= 0.0
            || u.length() < PASSES * fastest
        {
            return false;
        }
        let time = AHEAD * size / fastest;
        let [pose_a, pose_b] = [a, b].map(|i| state.poses[i].moved(&state.twists[i], time));
        let gaps = self.touches(world, contact, &pose_a, &pose_b, 0.0).map(|t| t.geometry.gap);
        gaps.fold(0.0, f64::min) >= -PASSES * u.length() * time
    }

    /// What touches, or is nearer than `margin`, of the two bodies of a contact in other poses.
    pub(crate) fn touches(
        &mut self,
        world: &World,
        contact: &Contact,
        pose_a: &Pose,
        pose_b: &Pose,
        margin: f64,
    ) -> impl Iterator<Item = &FeaturePair> {
        let (a, b) = (contact.a, contact.b);
        self.touches.clear();
        let (parts_a, parts_b) = (&world.bodies[a].parts, &world.bodies[b].parts);
        region(parts_a, pose_a, parts_b, pose_b, margin, &mut self.touches);
        if let Some(plane) = world.plane {
            merge(&mut self.touches, plane, near(world, a, b));
        }
        self.touches.iter()
    }
}

/// How near contacts in the plane must be to be one.
fn near(world: &World, a: usize, b: usize) -> f64 {
    SAME_PLACE * world.bodies[a].bounding_radius().min(world.bodies[b].bounding_radius())
}

/// Keeps one of the contacts that the plane of a planar world makes one, and none that
/// push across it.
fn merge(touches: &mut Vec<FeaturePair>, plane: DVec3, near: f64) {
    let flat = |touch: &FeaturePair| touch.geometry.point - plane * plane.dot(touch.geometry.point);
    let mut kept: Vec<FeaturePair> = Vec::with_capacity(touches.len());
    for touch in touches.drain(..) {
        let across = touch.geometry.normal.dot(plane).abs() > 0.5;
        let same = |other: &FeaturePair| {
            flat(other).distance(flat(&touch)) < near
                && other.geometry.normal.dot(touch.geometry.normal) > 0.9
        };
        if !across && !kept.iter().any(same) {
            kept.push(touch);
        }
    }
    *touches = kept;
}

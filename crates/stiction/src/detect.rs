//! Where bodies touch, or may soon.

use crate::kinematics::relative;
use crate::world::{BodyId, Material, State, World};
use glam::DVec3;
use std::sync::Arc;
use stiction_geometry::{BroadPhase, FeaturePair, Pose, aabb, region};

/// A place where two bodies touch or may soon.
#[derive(Clone, Debug)]
pub struct Contact {
    /// The body that the normal points into: one that forces move.
    pub(crate) a: usize,
    /// The other one.
    pub(crate) b: usize,
    /// Both as users name them.
    pub(crate) names: [BodyId; 2],
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
        self.names
    }

    /// Identifies it from step to step.
    pub fn key(&self) -> ContactKey {
        let [a, b] = self.names;
        ContactKey { a, b, feature: self.touch.key }
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

/// Two bodies at poses, and what touches there.
#[derive(Debug)]
struct Known {
    /// The first of the pair.
    first: u32,
    poses: [Pose; 2],
    /// By the margin it was found with; the older of two is replaced.
    found: Vec<(f64, Vec<FeaturePair>)>,
    /// When it was used last.
    used: usize,
}

/// Detections after which a pair that was not near in them is forgotten.
const FORGOTTEN: usize = 32;

/// Finds contacts; keeps what it found of pairs that do not move.
#[derive(Debug, Default)]
pub struct Detector {
    /// How users name the bodies of a world that is a part of theirs; empty if it is the same.
    names: Vec<BodyId>,
    broad: BroadPhase,
    /// Whose bodies `known` is about, and the plane they are in.
    shapes: Option<(Arc<()>, Option<DVec3>)>,
    /// By the second body of each pair, in the order of the first.
    known: Vec<Vec<Known>>,
    /// Detections so far.
    count: usize,
    touches: Vec<FeaturePair>,
    /// How often it looked at all bodies since this was taken.
    pub(crate) detections: usize,
}

impl Detector {
    /// A detector for a part of a world, with bodies of these names there.
    pub(crate) fn naming(names: Vec<BodyId>) -> Self {
        Detector { names, ..Detector::default() }
    }

    /// Every contact of bodies that are nearer than `margin` (m), in a fixed order.
    pub fn detect(&mut self, world: &World, state: &State, margin: f64) -> Vec<Contact> {
        self.detections += 1;
        self.recall(world);
        let boxes: Vec<_> = world
            .bodies
            .iter()
            .zip(&state.poses)
            .map(|(body, pose)| aabb(&body.parts, pose))
            .collect();
        let mut contacts = Vec::new();
        let pairs = self.broad.pairs(&boxes, margin);
        for &(first, second) in pairs {
            let known = pair(&mut self.known[second as usize], first);
            known.used = self.count;
            let (first, second) = (first as usize, second as usize);
            let [one, other] = [first, second].map(BodyId::from_index);
            if !world.may_touch(one, other) {
                continue;
            }
            let (a, b) =
                if world.bodies[first].is_free() { (first, second) } else { (second, first) };
            let material = world.material(one, other);
            let names =
                [a, b].map(|i| self.names.get(i).copied().unwrap_or_else(|| BodyId::from_index(i)));
            let contact = |touch| Contact { a, b, names, touch, material };
            let poses = [state.poses[a], state.poses[b]];
            let stays = known.stays(&poses);
            if let Some(touches) = known.at(margin).filter(|_| stays) {
                contacts.extend(touches.iter().cloned().map(contact));
                continue;
            }
            self.touches.clear();
            let (parts_a, parts_b) = (&world.bodies[a].parts, &world.bodies[b].parts);
            region(parts_a, &poses[0], parts_b, &poses[1], margin, &mut self.touches);
            if let Some(plane) = world.plane {
                merge(&mut self.touches, plane, near(world, a, b));
            }
            known.see(poses, stays.then_some((margin, &self.touches)));
            contacts.extend(self.touches.drain(..).map(contact));
        }
        contacts
    }

    /// Forgets pairs of other bodies, and from time to time those that are not near any more.
    fn recall(&mut self, world: &World) {
        self.count += 1;
        let (shapes, plane) = (world.shapes(), world.plane);
        let same = |(known, of): &(Arc<()>, _)| Arc::ptr_eq(known, shapes) && *of == plane;
        if !self.shapes.as_ref().is_some_and(same) {
            self.shapes = Some((Arc::clone(shapes), plane));
            self.known.clear();
        }
        self.known.resize_with(world.bodies.len(), Vec::new);
        if self.count.is_multiple_of(FORGOTTEN) {
            let count = self.count;
            self.known.iter_mut().for_each(|pairs| pairs.retain(|k| k.used + FORGOTTEN > count));
        }
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

/// What is known of a pair, by its second body.
fn pair(pairs: &mut Vec<Known>, first: u32) -> &mut Known {
    let at = pairs.binary_search_by_key(&first, |known| known.first).unwrap_or_else(|at| {
        let nowhere = Pose { position: DVec3::NAN, ..Pose::IDENTITY };
        pairs.insert(at, Known { first, poses: [nowhere; 2], found: Vec::new(), used: 0 });
        at
    });
    &mut pairs[at]
}

impl Known {
    /// Whether both bodies are where they were, to the last bit.
    fn stays(&self, poses: &[Pose; 2]) -> bool {
        let bits = |pose: &Pose| {
            let ([x, y, z], [p, q, r, s]) = (pose.position.to_array(), pose.rotation.to_array());
            [x, y, z, p, q, r, s].map(f64::to_bits)
        };
        self.poses.iter().zip(poses).all(|(old, new)| bits(old) == bits(new))
    }

    /// What was found with a margin.
    fn at(&self, margin: f64) -> Option<&[FeaturePair]> {
        let found = self.found.iter().find(|(of, _)| of.to_bits() == margin.to_bits())?;
        Some(&found.1)
    }

    /// Remembers where the bodies are and, if they were there before, what touches: a body that
    /// moves is elsewhere the next time.
    fn see(&mut self, poses: [Pose; 2], found: Option<(f64, &Vec<FeaturePair>)>) {
        let Some((margin, touches)) = found else {
            self.poses = poses;
            self.found.clear();
            return;
        };
        if self.found.len() == 2 {
            self.found.remove(0);
        }
        self.found.push((margin, touches.clone()));
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

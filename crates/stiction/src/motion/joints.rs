//! Joints hold: anchors meet, axes agree, coordinates stay within their limits and on their
//! drives; driven bodies are where their drives put them, fixed ones stay.
//!
//! Lengths are compared with the larger of the joint's arms, angles (rad) are as they are.

use super::Worst;
use super::law::Place;
use super::path::{driven, rotation_vector};
use crate::joint::{Joint, JointKind, Motor};
use crate::world::{BodyId, JointId, Motion, State, World};
use glam::{DQuat, DVec3};
use stiction_geometry::Pose;

/// Measures every joint and every body that forces do not move.
pub(super) fn see(world: &World, state: &State, before: Option<&State>, worst: &mut Worst) {
    for (k, joint) in world.joints.iter().enumerate() {
        let moves = |body: BodyId| world.bodies[body.index()].is_free();
        if moves(joint.a) || joint.b.is_some_and(moves) {
            let id = JointId::from_index(k);
            let turn = state.turns.get(k).copied().unwrap_or(0.0);
            Held::new(world, state, joint).see(state.time, turn, &mut |off, what| {
                worst.note(off, state.time, || Place::Joint(id, what));
            });
        }
    }
    for (i, body) in world.bodies.iter().enumerate() {
        let expected = match body.motion {
            Motion::Free => continue,
            Motion::Driven { .. } => driven(body, state.time).0,
            Motion::Fixed => before.map_or(state.poses[i], |before| before.poses[i]),
        };
        let pose = &state.poses[i];
        if *pose != expected {
            let radius = body.bounding_radius();
            let size = if radius > 0.0 && radius.is_finite() { radius } else { 1.0 };
            let turn = rotation_vector(pose.rotation * expected.rotation.conjugate()).length();
            let off = (pose.position - expected.position).length() / size + turn;
            worst.note(off, state.time, || Place::Body(BodyId::from_index(i), "is elsewhere"));
        }
    }
}

/// A joint in a state.
struct Held<'a> {
    joint: &'a Joint,
    /// The frames of the joint on its bodies, in the world.
    frames: [Pose; 2],
    /// Normal of a planar world: across it nothing is held.
    plane: Option<DVec3>,
    /// The larger of its arms (m).
    size: f64,
}

impl<'a> Held<'a> {
    fn new(world: &World, state: &State, joint: &'a Joint) -> Self {
        let frame = |body: Option<BodyId>, local: &Pose| match body {
            Some(body) => state.poses[body.index()].compose(local),
            None => *local,
        };
        let frames = [frame(Some(joint.a), &joint.frame_a), frame(joint.b, &joint.frame_b)];
        let arm = |body: BodyId, local: &Pose| {
            let body = &world.bodies[body.index()];
            let radius = body.bounding_radius();
            let radius = if radius.is_finite() && body.is_free() { radius } else { 0.0 };
            radius.max(local.position.length())
        };
        let other = joint.b.map_or(0.0, |b| arm(b, &joint.frame_b));
        let size = arm(joint.a, &joint.frame_a).max(other);
        Held { joint, frames, plane: world.plane, size: if size > 0.0 { size } else { 1.0 } }
    }

    /// From the origin of frame b to that of frame a (m).
    fn apart(&self) -> DVec3 {
        let apart = self.frames[0].position - self.frames[1].position;
        self.plane.map_or(apart, |n| apart - n * n.dot(apart))
    }

    fn axis(&self, frame: usize, local: DVec3) -> DVec3 {
        self.frames[frame].rotation * local
    }

    /// By how much the orientations differ (rad).
    fn turned(&self) -> f64 {
        let [a, b] = [0, 1].map(|k| self.frames[k].rotation);
        let turn = rotation_vector(a * b.conjugate());
        self.plane.map_or(turn.length(), |n| n.dot(turn).abs())
    }

    fn see(&self, time: f64, turn: f64, note: &mut impl FnMut(f64, &'static str)) {
        let apart = self.apart();
        let [z_a, z_b] = [0, 1].map(|frame| self.axis(frame, DVec3::Z));
        let mut anchors = |distance: f64| note(distance / self.size, "anchors apart");
        match self.joint.kind {
            JointKind::Ball | JointKind::Hinge | JointKind::Universal | JointKind::Fixed => {
                anchors(apart.length());
            }
            JointKind::Slider => anchors((apart - z_b * z_b.dot(apart)).length()),
            JointKind::PointOnPlane => anchors(z_b.dot(apart).abs()),
            JointKind::Distance { length } if self.joint.limits.is_none() => {
                anchors((apart.length() - length).abs());
            }
            JointKind::Distance { .. } | JointKind::Free => {}
        }
        match self.joint.kind {
            JointKind::Hinge if self.plane.is_none() => {
                note(z_a.cross(z_b).length().atan2(z_a.dot(z_b)), "axes turned apart");
            }
            JointKind::Universal if self.plane.is_none() => {
                let x_b = self.axis(1, DVec3::X);
                note(z_a.dot(x_b).clamp(-1.0, 1.0).asin().abs(), "axes not perpendicular");
            }
            JointKind::Slider | JointKind::Fixed => note(self.turned(), "turned apart"),
            _ => {}
        }
        if let Some((coordinate, unit)) = self.coordinate(turn) {
            self.along(coordinate, unit, time, note);
        }
    }

    /// The free coordinate, and the length that it is compared with.
    fn coordinate(&self, turn: f64) -> Option<(f64, f64)> {
        match self.joint.kind {
            JointKind::Hinge => {
                let [a, b] = [0, 1].map(|k| self.frames[k].rotation);
                let relative: DQuat = b.conjugate() * a;
                let angle = 2.0 * relative.z.atan2(relative.w);
                let turns = ((turn - angle) / std::f64::consts::TAU).round();
                Some((angle + turns * std::f64::consts::TAU, 1.0))
            }
            JointKind::Slider => Some((self.axis(1, DVec3::Z).dot(self.apart()), self.size)),
            JointKind::Distance { .. } => Some((self.apart().length(), self.size)),
            _ => None,
        }
    }

    /// Limits and drives along the free coordinate.
    fn along(&self, x: f64, unit: f64, time: f64, note: &mut impl FnMut(f64, &'static str)) {
        if let Some([least, greatest]) = self.joint.limits {
            note((least - x).max(x - greatest).max(0.0) / unit, "beyond its limit");
        }
        if let (Some(Motor::Position { target }), false) =
            (&self.joint.motor, matches!(self.joint.kind, JointKind::Distance { .. }))
        {
            note((x - target.at(time).value).abs() / unit, "not where its motor puts it");
        }
    }
}

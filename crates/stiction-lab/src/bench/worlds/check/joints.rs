//! Joints hold: their two frames, carried by the bodies, are where the kind of joint has them.

use super::{Breaches, LOOSER};
use stiction::geometry::Pose;
use stiction::glam::DVec3;
use stiction::joint::{Joint, JointKind};
use stiction::{BodyId, Frame, State, World};

/// Bound of the judge: lengths over the joint's arm, and angles (rad).
const JOINTS: f64 = 1e-6;

pub fn see(world: &World, frames: &[Frame], breaches: &mut Breaches) {
    for (_, joint) in world.joints() {
        let free = |id: BodyId| world.body(id).is_free();
        if !free(joint.a) && !joint.b.is_some_and(free) {
            continue;
        }
        for frame in frames {
            let (length, angle) = off(world, &frame.state, joint);
            let worst = (length / arm(world, joint)).max(angle);
            breaches.note("joints", worst, LOOSER * JOINTS, frame.state.time, || {
                format!("{} ({})", joint.name, joint.kind.name())
            });
        }
    }
}

/// The larger of the distances from the joint to the centres of its bodies and of their radii (m).
fn arm(world: &World, joint: &Joint) -> f64 {
    let of = |id: BodyId, frame: &Pose| {
        let body = world.body(id);
        let radius = if body.is_free() { body.bounding_radius() } else { 0.0 };
        frame.position.length().max(radius)
    };
    let other = joint.b.map_or(0.0, |b| of(b, &joint.frame_b));
    of(joint.a, &joint.frame_a).max(other).max(1e-3)
}

/// By how much a joint is violated: length (m), and angle (rad).
fn off(world: &World, state: &State, joint: &Joint) -> (f64, f64) {
    let place = |id: Option<BodyId>, frame: &Pose, local: DVec3| match id {
        Some(id) => state.pose(id).point(frame.point(local)),
        None => frame.point(local),
    };
    let a = |local: DVec3| place(Some(joint.a), &joint.frame_a, local);
    let b = |local: DVec3| place(joint.b, &joint.frame_b, local);
    let (here, there) = (a(DVec3::ZERO), b(DVec3::ZERO));
    let flat = |v: DVec3| world.plane.map_or(v, |n| v - n * n.dot(v));
    let apart = flat(here - there);
    let axes =
        |of: &dyn Fn(DVec3) -> DVec3, origin: DVec3| DVec3::AXES.map(|axis| of(axis) - origin);
    let (mine, yours) = (axes(&a, here), axes(&b, there));
    let [x, y, z] = [0, 1, 2].map(|k| mine[k].cross(yours[k]).length());
    let planar = world.plane.is_some();
    let angle = match joint.kind {
        JointKind::Hinge if !planar => z,
        JointKind::Universal if !planar => mine[2].dot(yours[0]).abs(),
        JointKind::Slider | JointKind::Fixed => x.max(y).max(z),
        _ => 0.0,
    };
    let along = yours[2].dot(apart);
    let beyond = |value: f64| {
        joint.limits.map_or(0.0, |[low, high]| (low - value).max(value - high).max(0.0))
    };
    let length = match joint.kind {
        JointKind::Ball | JointKind::Hinge | JointKind::Universal | JointKind::Fixed => {
            apart.length()
        }
        JointKind::Slider => (apart - along * yours[2]).length().max(beyond(along)),
        JointKind::PointOnPlane => along.abs(),
        JointKind::Distance { .. } if joint.limits.is_some() => beyond(apart.length()),
        JointKind::Distance { length } => (apart.length() - length).abs(),
        _ => 0.0,
    };
    (length, angle)
}

//! Energy, momentum, teleports, fixed bodies: from states.

use super::path::Path;
use super::{Breaches, LOOSER};
use stiction::geometry::{Pose, Twist};
use stiction::glam::DVec3;
use stiction::{Body, BodyId, Frame, Motion, Spring, State, World};

/// Bounds of the judge for energy and momentum: event-driven, time-stepping.
const ENERGY: [f64; 2] = [1e-6, 2e-3];
const MOMENTUM: [f64; 2] = [1e-6, 1e-3];

/// Part of its radius that a body may move without a velocity: what repairs of overlap take.
const JUMP: f64 = 1e-3;

/// Rounding of energies and momenta, part of their size.
const ROUNDING: f64 = 1e-11;

pub fn see(world: &World, frames: &[Frame], exact: bool, breaches: &mut Breaches) {
    let which = usize::from(!exact);
    energy(world, frames, LOOSER * ENERGY[which], breaches);
    momentum(world, frames, LOOSER * MOMENTUM[which], breaches);
    for pair in frames.windows(2) {
        moves(world, &pair[0], &pair[1], LOOSER * MOMENTUM[which], breaches);
    }
}

/// Energy never rises where nothing does work, and is kept where nothing touches or rubs.
fn energy(world: &World, frames: &[Frame], bound: f64, breaches: &mut Breaches) {
    if does_work(world) {
        return;
    }
    let lift =
        |body: &Body| (body.mass * world.gravity + body.force).length() * body.bounding_radius();
    let least = 1e-3 * world.free_bodies().map(|(_, body)| lift(body)).fold(0.0, f64::max);
    let keeps = !rubs(world)
        && frames.iter().all(|frame| frame.contacts.is_empty() && frame.events.is_empty());
    let (mut lowest, mut turnover, mut first) = (f64::INFINITY, least, None);
    for frame in frames {
        let (kinetic, potential) = (kinetic(world, &frame.state), potential(world, &frame.state));
        let total = kinetic + potential;
        let (start, base) = *first.get_or_insert((total, potential));
        turnover = turnover.max(kinetic).max((potential - base).abs());
        lowest = lowest.min(total);
        let scale = turnover + ROUNDING / bound * (kinetic.abs() + potential.abs());
        let time = frame.state.time;
        let rise = (total - lowest) / scale;
        breaches.note("energy", if scale > 0.0 { rise } else { 0.0 }, bound, time, || {
            "rises without work".to_owned()
        });
        if keeps && scale > 0.0 {
            breaches.note("energy", (start - total) / scale, bound, time, || {
                "falls although nothing touches".to_owned()
            });
        }
    }
}

/// Whether motors, drives or torques do work.
fn does_work(world: &World) -> bool {
    let body = |(_, body): (BodyId, &Body)| {
        matches!(body.motion, Motion::Driven { .. }) || body.torque != DVec3::ZERO
    };
    world.bodies().any(body) || world.joints().any(|(_, joint)| joint.motor.is_some())
}

/// Whether joints or springs turn energy into heat, or stop at a limit.
fn rubs(world: &World) -> bool {
    world.joints().any(|(_, joint)| joint.friction > 0.0 || joint.limits.is_some())
        || world.springs().iter().any(|spring| spring.damping > 0.0)
}

fn spin(body: &Body, pose: &Pose, twist: &Twist) -> DVec3 {
    pose.rotation * (body.inertia * (pose.rotation.inverse() * twist.angular))
}

fn kinetic(world: &World, state: &State) -> f64 {
    let energy = |(id, body): (BodyId, &Body)| {
        let (pose, twist) = (state.pose(id), state.twist(id));
        0.5 * body.mass * twist.linear.length_squared()
            + 0.5 * twist.angular.dot(spin(body, &pose, &twist))
    };
    world.free_bodies().map(energy).sum()
}

fn potential(world: &World, state: &State) -> f64 {
    let lifted = |(id, body): (BodyId, &Body)| {
        -(body.mass * world.gravity + body.force).dot(state.pose(id).position)
    };
    let stretched = |spring: &Spring| {
        let other = spring.b.map_or(spring.on_b, |b| state.pose(b).point(spring.on_b));
        let length = state.pose(spring.a).point(spring.on_a).distance(other);
        0.5 * spring.stiffness * (length - spring.length).powi(2)
    };
    world.free_bodies().map(lifted).sum::<f64>()
        + world.springs().iter().map(stretched).sum::<f64>()
}

/// Momentum and angular momentum of a system that nothing outside touches do not change.
fn momentum(world: &World, frames: &[Frame], bound: f64, breaches: &mut Breaches) {
    let alone = world.gravity == DVec3::ZERO
        && world.bodies().all(|(_, body)| {
            body.is_free() && body.force == DVec3::ZERO && body.torque == DVec3::ZERO
        })
        && world.joints().all(|(_, joint)| joint.b.is_some())
        && world.springs().iter().all(|spring| spring.b.is_some());
    if !alone {
        return;
    }
    let mut first = None;
    let mut largest = [0.0_f64; 2];
    for frame in frames {
        let (mut sum, mut size) = ([DVec3::ZERO; 2], [0.0; 2]);
        for (id, body) in world.free_bodies() {
            let (pose, twist) = (frame.state.pose(id), frame.state.twist(id));
            let (linear, turning) = (body.mass * twist.linear, spin(body, &pose, &twist));
            let moment = pose.position.cross(linear);
            sum = [sum[0] + linear, sum[1] + turning + moment];
            let reach = pose.position.length() + body.bounding_radius();
            size[0] += linear.length();
            size[1] += turning.length() + reach * linear.length();
        }
        if let Some(n) = world.plane {
            sum = [sum[0] - n * n.dot(sum[0]), n * n.dot(sum[1])];
        }
        let start = *first.get_or_insert(sum);
        for (k, what) in ["momentum", "angular momentum"].into_iter().enumerate() {
            largest[k] = largest[k].max(size[k]);
            let off = sum[k].distance(start[k]) / largest[k];
            if largest[k] > 0.0 {
                breaches.note("momentum", off, bound, frame.state.time, || {
                    format!("{what} of the whole changes")
                });
            }
        }
    }
}

/// A body that got no impulse flies freely, one that is fixed stays, none moves without a velocity.
fn moves(world: &World, before: &Frame, after: &Frame, bound: f64, breaches: &mut Breaches) {
    let time = after.state.time;
    let duration = time - before.state.time;
    let pulled = !world.springs().is_empty() || world.joints().any(|(_, j)| j.motor.is_some());
    for (id, body) in world.bodies() {
        let [start, end] = [before, after].map(|frame| frame.state.pose(id));
        if !body.is_free() {
            if body.motion == Motion::Fixed && start != end {
                breaches.note("fixed", f64::INFINITY, 0.0, time, || body.name.clone());
            }
            continue;
        }
        let [slow, fast] = [before, after].map(|frame| frame.state.twist(id).linear);
        let pull = world.gravity + body.force / body.mass;
        let booked = after.impulses.get(id.index()).map_or(DVec3::ZERO, |it| it.linear);
        if booked == DVec3::ZERO && world.plane.is_none() {
            let off = (fast - slow - pull * duration).length();
            let size = slow.length().max(fast.length()).max(pull.length() * duration);
            breaches.note("flight", off, bound * size + 1e-12, time, || body.name.clone());
        }
        if pulled {
            continue;
        }
        for piece in Path::new(before, after, id).0 {
            let duration = piece.times[1] - piece.times[0];
            let speed = piece.twists.iter().map(|twist| twist.linear.length()).fold(0.0, f64::max);
            let far = piece.poses[1].position.distance(piece.poses[0].position);
            let most = duration * (1.5 * speed + 2.0 * pull.length() * duration)
                + JUMP * body.bounding_radius();
            breaches.note("teleport", far, most, time, || body.name.clone());
        }
    }
}

//! `World::validate` names the thing that is wrong and its value.

mod common;

use common::{body, cuboid, on_ground};
use glam::{DQuat, DVec3};
use stiction::drive::Drive;
use stiction::joint::{Joint, JointKind, Motor};
use stiction::{Body, BodyId, JointId, Material, Motion, Spring, World};
use stiction_geometry::Pose;

/// Two boxes on the ground, pinned together.
struct Pinned {
    world: World,
    boxes: [BodyId; 2],
    pin: JointId,
}

fn pinned() -> Pinned {
    let mut world = on_ground(Material::new(0.5));
    let shape = || cuboid(0.1, 0.1, 0.1);
    let boxes =
        [0.1, 0.3].map(|z| world.add_body(body(&format!("{z}"), shape(), 1.0, z * DVec3::Z)));
    let [a, b] = boxes.map(|id| (id, world.pose(id)));
    let anchor = 0.2 * DVec3::Z;
    let pin = Joint::at(JointKind::Hinge, "pin", (a.0, &a.1), Some((b.0, &b.1)), anchor, DVec3::X);
    let pin = world.add_joint(pin.expect("a joint"));
    world.validate().expect("a world that can be simulated");
    Pinned { world, boxes, pin }
}

/// A change after which the message of `validate` begins so.
#[track_caller]
fn refused(expected: &str, change: impl FnOnce(&mut Pinned)) {
    let mut pinned = pinned();
    change(&mut pinned);
    let message = pinned.world.validate().expect_err("a world that cannot be").to_string();
    assert!(message.starts_with(expected), "{message:?} does not begin with {expected:?}");
}

#[track_caller]
fn joint_refused(expected: &str, change: impl FnOnce(&mut Joint)) {
    refused(expected, |it| it.world.edit_joint(it.pin, change));
}

#[track_caller]
fn spring_refused(expected: &str, change: impl FnOnce(&mut Spring, &[BodyId; 2])) {
    refused(expected, |it| {
        let (on_a, on_b, name) = (DVec3::ZERO, DVec3::ZERO, "soft".to_string());
        let (a, b) = (it.boxes[0], Some(it.boxes[1]));
        let (length, stiffness, damping) = (0.2, 1.0, 0.0);
        let mut spring = Spring { name, a, b, on_a, on_b, length, stiffness, damping };
        change(&mut spring, &it.boxes);
        it.world.add_spring(spring);
    });
}

#[track_caller]
fn body_refused(expected: &str, change: impl FnOnce(&mut Body)) {
    refused(expected, |it| it.world.edit_body(it.boxes[0], change));
}

fn nowhere() -> BodyId {
    BodyId::from_index(77)
}

#[test]
fn joints() {
    joint_refused("joint \"pin\": frame a is [NaN, ", |j| j.frame_a.position.x = f64::NAN);
    joint_refused("joint \"pin\": the quaternion of frame b has length 2", |j| {
        j.frame_b.rotation = DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0);
    });
    joint_refused("joint \"pin\": limits from 1 to -1 ", |j| j.limits = Some([1.0, -1.0]));
    joint_refused("joint \"pin\": value of the drive is inf", |j| {
        j.motor = Some(Motor::Position { target: Drive::Constant(f64::INFINITY) });
    });
    joint_refused("joint \"pin\": greatest force -1 of its friction", |j| j.friction = -1.0);
    joint_refused("joint \"pin\" joins body 1 to itself", |j| j.b = Some(j.a));
    joint_refused("joint \"pin\" refers to body 77, which", |j| j.a = nowhere());
    refused("joint \"pin\" refers to body 2, which does not exist", |it| {
        let pin = it.world.joint(it.pin).clone();
        it.world.remove_body(it.boxes[1]);
        it.world.add_joint(pin);
    });
    refused("two joints are called \"pin\"", |it| {
        let pin = it.world.joint(it.pin).clone();
        it.world.add_joint(pin);
    });
}

#[test]
fn springs() {
    spring_refused("spring \"soft\" refers to body 77", |s, _| s.b = Some(nowhere()));
    spring_refused("spring \"soft\" connects body 1 to itself", |s, boxes| s.b = Some(boxes[0]));
    spring_refused("stiffness of spring \"soft\" is -3, ", |s, _| s.stiffness = -3.0);
    spring_refused("damping of spring \"soft\" is NaN, ", |s, _| s.damping = f64::NAN);
    spring_refused("length of spring \"soft\" is inf, ", |s, _| s.length = f64::INFINITY);
    spring_refused("the end on the second body of spring \"soft\" is [inf, ", |s, _| {
        s.on_b = DVec3::INFINITY;
    });
}

#[test]
fn drives_of_bodies() {
    let driven = |along: DVec3, rate: f64| Motion::Driven {
        along,
        position: Drive::Linear { start: 0.0, rate },
        axis: DVec3::Z,
        angle: Drive::Constant(0.0),
    };
    body_refused("the direction of the drive of body \"0.1\" is [2, 0, 0], ", |body| {
        body.motion = driven(2.0 * DVec3::X, 1.0);
    });
    body_refused("the position of body \"0.1\": rate of the drive is NaN", |body| {
        body.motion = driven(DVec3::X, f64::NAN);
    });
}

#[test]
fn bodies_and_pairs() {
    body_refused("body \"0.1\" refers to material 5", |body| body.material = 5);
    body_refused("mass of body \"0.1\" is 0, ", |body| body.mass = 0.0);
    body_refused("the force of body \"0.1\" is [NaN, ", |body| body.force = DVec3::NAN);
    refused("two bodies are called \"0.1\"", |it| {
        it.world.add_body(Body::fixed("0.1", vec![], Pose::IDENTITY));
    });
    refused("an excluded pair refers to body 77", |it| {
        it.world.exclude_pair(it.boxes[0], nowhere());
    });
    refused("an excluded pair connects body 1 to itself", |it| {
        it.world.exclude_pair(it.boxes[0], it.boxes[0]);
    });
}

#[test]
fn state_and_world() {
    refused("the velocity of body \"0.3\" is [NaN, ", |it| {
        it.world.set_velocity(it.boxes[1], DVec3::NAN);
    });
    refused("time of the state is inf, ", |it| it.world.state.time = f64::INFINITY);
    refused("the state has 2 poses, but the world has 3 ", |it| {
        it.world.state.poses.pop();
    });
    refused("gravity of the world is [0, 0, inf], ", |it| it.world.gravity.z = f64::INFINITY);
    refused("the normal of the plane of the world is [0, 2, 0], ", |it| {
        it.world.plane = Some(2.0 * DVec3::Y);
    });
}

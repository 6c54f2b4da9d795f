//! Handles of bodies and joints: they name what they named, whatever is added or removed.

mod common;

use common::{DT, G, body, cuboid, near, on_ground, steppers};
use glam::{DQuat, DVec3};
use stiction::drive::Drive;
use stiction::joint::{Joint, JointKind, Motor};
use stiction::{BodyId, JointId, Material, Motion, Simulation, Spring, World, scene::Scene};
use stiction_geometry::{Pose, Shape, Twist};

/// A ground, and boxes of 1 kg and 0.2 m edge stacked on it.
fn stack(count: usize) -> (World, Vec<BodyId>) {
    let mut world = on_ground(Material::new(0.5));
    let at = |i: usize| DVec3::new(0.0, 0.0, 0.1 + 0.2 * i as f64);
    let add = |i| world.add_body(body(&format!("box {i}"), cuboid(0.1, 0.1, 0.1), 1.0, at(i)));
    let boxes = (0..count).map(add).collect();
    (world, boxes)
}

fn hang(world: &mut World, name: &str, a: BodyId, b: Option<BodyId>) -> JointId {
    let pose = world.pose(a);
    let other = b.map(|b| (b, world.pose(b)));
    let other = other.as_ref().map(|(b, pose)| (*b, pose));
    let joint = Joint::at(JointKind::Ball, name, (a, &pose), other, pose.position, DVec3::Z);
    world.add_joint(joint.expect("a joint"))
}

fn spring(name: &str, a: BodyId, b: Option<BodyId>) -> Spring {
    let (on_a, on_b) = (DVec3::ZERO, DVec3::ZERO);
    Spring { name: name.into(), a, b, on_a, on_b, length: 0.2, stiffness: 1.0, damping: 0.0 }
}

#[test]
fn handles_survive_the_removal_of_others() {
    let (mut world, boxes) = stack(3);
    let joint = hang(&mut world, "pin", boxes[0], Some(boxes[1]));
    let other = hang(&mut world, "other", boxes[2], None);
    world.add_spring(spring("soft", boxes[2], Some(boxes[1])));
    world.add_spring(spring("kept", boxes[0], None));
    world.exclude_pair(boxes[2], boxes[1]);
    world.exclude_pair(boxes[0], boxes[2]);

    let gone = world.remove_body(boxes[1]).expect("a body");
    assert_eq!(gone.name, "box 1");
    assert!(!world.contains(boxes[1]) && world.remove_body(boxes[1]).is_none());
    assert!(!world.contains_joint(joint) && world.remove_joint(joint).is_none());
    assert_eq!(world.body(boxes[2]).name, "box 2");
    assert_eq!(world.joint(other).name, "other");
    let springs: Vec<&str> = world.springs().iter().map(|s| s.name.as_str()).collect();
    assert_eq!(springs, ["kept"]);
    assert_eq!(world.excluded_pairs(), [[boxes[0], boxes[2]]]);
    assert_eq!(world.bodies().count(), 3);
    assert_eq!(world.joints().count(), 1);
    assert_eq!((world.find_body("box 1"), world.body_id(2)), (None, None));
    world.validate().expect("a world that can be simulated");

    let new = world.add_body(body("box 1", cuboid(0.1, 0.1, 0.1), 1.0, DVec3::Z));
    assert!(boxes.iter().all(|&id| id != new), "slots are not used again");
    assert_eq!(world.find_body("box 1"), Some(new));
    assert_eq!((new.to_string(), other.to_string()), ("body 4".into(), "joint 1".into()));
}

#[test]
#[should_panic(expected = "body 1 was removed, or is of another world")]
fn a_handle_of_a_removed_body_names_nothing() {
    let (mut world, boxes) = stack(1);
    world.remove_body(boxes[0]);
    world.pose(boxes[0]);
}

/// The middle of three boxes is removed from a resting stack: the top one falls by an edge, and
/// the lowest one carries two weights again.
#[test]
fn steppers_notice_a_removal() {
    for mut stepper in steppers() {
        let (mut world, boxes) = stack(3);
        let step = |world: &mut World, stepper: &mut dyn stiction::Stepper, count: usize| {
            let reports = (0..count).map(|_| stepper.step(world, DT));
            reports.last().expect("a step")
        };
        let report = step(&mut world, &mut *stepper, 30);
        near(report.contact_force(boxes[2]).z, G, 1e-9, stepper.name());
        world.remove_body(boxes[1]);
        let report = step(&mut world, &mut *stepper, 20);
        let fallen = 0.5 - world.pose(boxes[2]).position.z;
        near(fallen, 0.5 * G * (20.0 * DT).powi(2), 1e-9, stepper.name());
        near(report.contact_force(boxes[0]).z, G, 1e-9, stepper.name());
        let report = step(&mut world, &mut *stepper, 120);
        assert!(report.certified, "{}", stepper.name());
        near(world.pose(boxes[2]).position.z, 0.3, 1e-6, stepper.name());
        near(report.contact_force(boxes[2]).z, G, 1e-6, stepper.name());
        assert_eq!(report.contacts_of(boxes[1]).count(), 0);
    }
}

/// A ball that hangs at rest falls when its joint is removed; another one keeps hanging.
#[test]
fn steppers_notice_a_removed_joint() {
    for mut stepper in steppers() {
        let mut world = World::new();
        let ball =
            |x: f64| body(&format!("at {x}"), Shape::Ball { radius: 0.1 }, 2.0, DVec3::X * x);
        let balls = [0.0, 1.0].map(|x| world.add_body(ball(x)));
        let joints = balls.map(|ball| hang(&mut world, &format!("{ball}"), ball, None));
        for _ in 0..10 {
            let report = stepper.step(&mut world, DT);
            near(report.joint(joints[1]).force.z, 2.0 * G, 1e-9, stepper.name());
        }
        let removed = world.remove_joint(joints[0]).expect("a joint");
        assert_eq!(removed.a, balls[0]);
        for _ in 0..10 {
            let report = stepper.step(&mut world, DT);
            assert!(report.certified);
            near(report.joint(joints[1]).force.z, 2.0 * G, 1e-9, stepper.name());
            assert_eq!(report.joint(joints[0]).force, DVec3::ZERO);
        }
        near(world.pose(balls[0]).position.z, -0.5 * G * (10.0 * DT).powi(2), 1e-9, "fall");
        near(world.pose(balls[1]).position.z, 0.0, 1e-9, "hangs");
    }
}

#[test]
fn what_is_set_is_read_back_and_steppers_notice_it() {
    for mut stepper in steppers() {
        let (mut world, boxes) = stack(1);
        for _ in 0..10 {
            stepper.step(&mut world, DT);
        }
        let pose = Pose { position: DVec3::Z, rotation: DQuat::from_rotation_z(1.0) };
        world.set_pose(boxes[0], pose);
        world.set_velocity(boxes[0], DVec3::X);
        assert_eq!(world.twist(boxes[0]), Twist { linear: DVec3::X, angular: DVec3::ZERO });
        world.set_force(boxes[0], G * DVec3::Z);
        for _ in 0..10 {
            stepper.step(&mut world, DT);
        }
        let place = world.pose(boxes[0]).position;
        near(place.distance(DVec3::new(10.0 * DT, 0.0, 1.0)), 0.0, 1e-9, stepper.name());
        world.edit_body(boxes[0], |body| body.motion = Motion::Fixed);
        assert_eq!(world.twist(boxes[0]), Twist::ZERO);
    }
}

/// A motor that is switched on turns a wheel that rested.
#[test]
fn steppers_notice_a_changed_motor() {
    for mut stepper in steppers() {
        let mut world = World::new();
        let wheel = world.add_body(body("wheel", Shape::Ball { radius: 0.1 }, 1.0, DVec3::ZERO));
        let (pose, at) = (world.pose(wheel), DVec3::ZERO);
        let axle = Joint::at(JointKind::Hinge, "axle", (wheel, &pose), None, at, DVec3::Z);
        let axle = world.add_joint(axle.expect("a joint"));
        for _ in 0..5 {
            stepper.step(&mut world, DT);
        }
        let target = Drive::Constant(2.0);
        world.edit_joint(axle, |joint| {
            joint.motor = Some(Motor::Speed { target, greatest: f64::INFINITY });
        });
        for _ in 0..5 {
            stepper.step(&mut world, DT);
        }
        near(world.twist(wheel).angular.z, 2.0, 1e-9, stepper.name());
    }
}

/// What leaves with a body is booked as work by a simulation.
#[test]
fn a_simulation_books_a_removal() {
    let text = "[[body]]\nname = \"a\"\nball = 0.1\nat = [0, 0, 5]\n\
                [[body]]\nname = \"b\"\nball = 0.1\nat = [1, 0, 5]";
    let scene = Scene::parse(text, "two balls").expect("a scene");
    let mut run = Simulation::new(&scene);
    run.advance();
    let [a, b] = ["a", "b"].map(|name| run.world.find_body(name).expect("a body"));
    run.alter(|world| {
        world.remove_body(a);
    });
    let frame = run.advance();
    assert!(frame.ledger.error() < 1e-9, "{:?}", frame.ledger);
    assert_eq!(frame.state.poses.len(), 2, "frames keep their slots");
    assert!(run.world.contains(b));
}

//! Signs, units and special cases of joints: coordinates, limits, motors, and what is refused.

mod common;

use common::id;
use common::joints::{Flight, KINDS, ROUNDING, Random};
use glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};
use stiction::drive::Drive;
use stiction::joint::{Joint, JointError, JointKind, JointRow, Motor, RowRule, unwrapped};
use stiction_geometry::{Pose, Twist};

/// A body at the end of an arm of 2 m, on a hinge at the origin.
fn pendulum() -> (Pose, Joint) {
    let pose = Pose::at(DVec3::new(2.0, 0.0, 0.0));
    let joint = Joint::at(JointKind::Hinge, "pivot", (id(0), &pose), None, DVec3::ZERO, DVec3::Z);
    (pose, joint.expect("a good axis"))
}

/// The pendulum's body, turned about the hinge.
fn swung(angle: f64) -> Pose {
    let rotation = DQuat::from_rotation_z(angle);
    Pose { position: rotation * DVec3::new(2.0, 0.0, 0.0), rotation }
}

fn rows_at(joint: &Joint, pose: &Pose, near: f64) -> Vec<JointRow> {
    let mut rows = Vec::new();
    joint.rows((pose, &Twist::ZERO), (&Pose::IDENTITY, &Twist::ZERO), 0.0, near, &mut rows);
    rows
}

#[test]
fn the_angle_grows_when_the_first_body_turns_about_the_axis() {
    let (pose, joint) = pendulum();
    assert_eq!(joint.coordinate(&pose, &Pose::IDENTITY), Some(0.0));
    for angle in [-3.1, -1.0, 0.5, 3.1] {
        let found = joint.coordinate(&swung(angle), &Pose::IDENTITY).expect("an angle");
        assert!((found - angle).abs() < ROUNDING, "{found} is not {angle}");
    }
    // Half a turn is π, not −π, from both sides' quaternions.
    let mut half = swung(0.0);
    for rotation in [DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0), DQuat::from_xyzw(0.0, 0.0, -1.0, 0.0)] {
        half.rotation = rotation;
        assert_eq!(joint.coordinate(&half, &Pose::IDENTITY), Some(PI));
    }
    // What is given for the world does not matter.
    let elsewhere = Pose::at(DVec3::ONE);
    assert_eq!(joint.coordinate(&pose, &elsewhere), Some(0.0));
}

#[test]
fn the_length_grows_when_the_first_body_slides_along_the_axis() {
    let (a, b) = (Pose::at(DVec3::X), Pose::at(DVec3::Y));
    let joint = Joint::at(
        JointKind::Slider,
        "rail",
        (id(0), &a),
        Some((id(1), &b)),
        DVec3::ONE,
        2.0 * DVec3::X,
    )
    .expect("a good axis");
    let moved = Pose::at(1.25 * DVec3::X);
    assert!((joint.coordinate(&moved, &b).expect("a length") - 0.25).abs() < ROUNDING);
    let moved = Pose::at(DVec3::Y + 0.25 * DVec3::X);
    assert!((joint.coordinate(&a, &moved).expect("a length") + 0.25).abs() < ROUNDING);
    let twist = Twist { linear: DVec3::X, angular: DVec3::ZERO };
    let rate = joint.coordinate_rate((&a, &twist), (&b, &Twist::ZERO)).expect("a rate");
    assert!((rate - 1.0).abs() < ROUNDING);
}

#[test]
fn only_hinges_sliders_and_distances_have_a_coordinate() {
    let mut random = Random(7);
    let flight = Flight::random(&mut random);
    for (kind, expected) in KINDS.into_iter().zip([false, true, true, false, false, true, false]) {
        let joint = random.joint(kind, Some(id(1)));
        assert_eq!(joint.coordinate(&flight.a.0, &flight.b.0).is_some(), expected, "{kind:?}");
    }
}

#[test]
fn limits_read_as_distances_with_pushing_forces() {
    let (_, mut joint) = pendulum();
    joint.limits = Some([-0.5, 1.0]);
    let rows = rows_at(&joint, &swung(0.8), 0.0);
    let [lower, upper] = rows[5..] else { panic!("two limits, found {}", rows.len() - 5) };
    assert!((lower.error - 1.3).abs() < ROUNDING, "above the lower limit by {}", lower.error);
    assert!((upper.error - 0.2).abs() < ROUNDING, "below the upper limit by {}", upper.error);
    // A force ≥ 0 turns the body away from the limit.
    assert!((lower.on_a[5] - 1.0).abs() < ROUNDING);
    assert!((upper.on_a[5] + 1.0).abs() < ROUNDING);
    assert_eq!([lower.rule, upper.rule], [RowRule::AtLeast; 2]);
    // An infinite limit is none.
    joint.limits = Some([-0.5, f64::INFINITY]);
    assert_eq!(rows_at(&joint, &swung(0.8), 0.0).len(), 6);
}

#[test]
fn ropes_pull_and_struts_push() {
    let pose = Pose::at(DVec3::new(0.0, 0.0, -1.5));
    let mut joint =
        Joint::between("rope", (id(0), &pose), None, pose.position, DVec3::ZERO).expect("apart");
    joint.limits = Some([0.0, 2.0]);
    joint.validate().expect("a rope");
    let rows = rows_at(&joint, &pose, 0.0);
    assert_eq!(rows.len(), 1, "a length below zero needs no row");
    assert!((rows[0].error - 0.5).abs() < ROUNDING, "slack {}", rows[0].error);
    assert!((rows[0].on_a[2] - 1.0).abs() < ROUNDING, "a rope pulls up");
    joint.limits = Some([1.0, f64::INFINITY]);
    joint.validate().expect("a strut");
    let rows = rows_at(&joint, &pose, 0.0);
    assert_eq!(rows.len(), 1);
    assert!((rows[0].error - 0.5).abs() < ROUNDING);
    assert!((rows[0].on_a[2] + 1.0).abs() < ROUNDING, "a strut pushes down");
}

#[test]
fn motors_and_limits_know_many_turns() {
    let (_, mut joint) = pendulum();
    let angle = 3.0 * TAU + 2.0;
    joint.motor = Some(Motor::Position { target: Drive::Constant(angle - 0.1) });
    joint.limits = Some([-10.0, angle + 0.3]);
    let rows = rows_at(&joint, &swung(angle), angle - 1.0);
    assert!((rows[5].error - 0.1).abs() < ROUNDING);
    assert!((rows[6].error - (angle + 10.0)).abs() < ROUNDING);
    assert!((rows[7].error - 0.3).abs() < ROUNDING);
    let found = joint.coordinate_near(&swung(angle), &Pose::IDENTITY, angle + 3.0);
    assert!((found.expect("an angle") - angle).abs() < ROUNDING);
}

#[test]
fn unwrapping_takes_the_nearest_turn_and_of_two_the_lesser() {
    assert_eq!(unwrapped(0.5, 0.0), 0.5);
    assert_eq!(unwrapped(PI, 0.0), PI);
    assert_eq!(unwrapped(-PI, 0.0), -PI);
    assert_eq!(unwrapped(-3.0, 3.0), TAU - 3.0);
    assert_eq!(unwrapped(3.0, -3.0), 3.0 - TAU);
    assert!((unwrapped(1.0, 5.0 * TAU + 0.5) - (5.0 * TAU + 1.0)).abs() < ROUNDING);
}

#[test]
fn a_given_torque_turns_the_first_body_and_its_reaction_the_second() {
    let (pose, mut joint) = pendulum();
    joint.motor = Some(Motor::Force { value: Drive::Linear { start: 1.0, rate: 2.0 } });
    assert_eq!(rows_at(&joint, &pose, 0.0).len(), 5, "a given force is no row");
    let (on_a, on_b) = joint.applied(&pose, &Pose::IDENTITY, 3.0).expect("a force");
    assert_eq!(on_a, [0.0, 0.0, 0.0, 0.0, 0.0, 7.0]);
    assert_eq!(on_b, [0.0; 6], "the world feels nothing");
    joint.b = Some(id(1));
    let (_, on_b) = joint.applied(&pose, &Pose::IDENTITY, 3.0).expect("a force");
    assert_eq!(on_b[5], -7.0);
    joint.motor = None;
    assert_eq!(joint.applied(&pose, &Pose::IDENTITY, 3.0), None);
}

#[test]
fn a_speed_motor_aims_at_its_speed() {
    let (pose, mut joint) = pendulum();
    let target = Drive::Linear { start: 1.0, rate: 0.25 };
    joint.motor = Some(Motor::Speed { target, greatest: 4.0 });
    joint.friction = 0.5;
    let rows = rows_at(&joint, &pose, 0.0);
    let [motor, friction] = rows[5..] else { panic!("a motor and friction") };
    assert_eq!(motor.rule, RowRule::Motor { greatest: 4.0 });
    assert_eq!((motor.error, motor.target, motor.drift), (0.0, 1.0, -0.25));
    assert_eq!(friction.rule, RowRule::Friction { greatest: 0.5 });
    assert_eq!((friction.error, friction.target, friction.drift), (0.0, 0.0, 0.0));
}

/// The centripetal acceleration of an arm of 2 m at 3 rad/s is 18 m/s².
#[test]
fn the_drift_of_a_pendulum_is_centripetal() {
    let (pose, joint) = pendulum();
    let omega = 3.0 * DVec3::Z;
    let twist = Twist { linear: omega.cross(pose.position), angular: omega };
    let mut rows = Vec::new();
    joint.rows((&pose, &twist), (&Pose::IDENTITY, &Twist::ZERO), 0.0, 0.0, &mut rows);
    let expected = [18.0, 0.0, 0.0, 0.0, 0.0];
    for (row, expected) in rows.iter().zip(expected) {
        assert!(row.velocity(&twist, &Twist::ZERO).abs() < ROUNDING);
        assert!((row.drift - expected).abs() < ROUNDING, "{} is not {expected}", row.drift);
    }
}

#[test]
fn a_joint_the_wrong_way_round_is_noticed() {
    for kind in [JointKind::Hinge, JointKind::Slider, JointKind::Fixed] {
        let joint = Joint::at(kind, "j", (id(0), &Pose::IDENTITY), None, DVec3::ZERO, DVec3::Z)
            .expect("a good axis");
        let over = Pose { rotation: DQuat::from_rotation_x(PI), ..Pose::IDENTITY };
        let rows = rows_at(&joint, &over, 0.0);
        assert!(rows.iter().all(|row| row.error.abs() < ROUNDING), "{kind:?} sees nothing");
        assert!(joint.turned_over(&over, &Pose::IDENTITY), "{kind:?} is turned over");
    }
}

#[test]
fn bad_joints_are_refused_by_name() {
    let (pose, good) = pendulum();
    let refused = |change: &dyn Fn(&mut Joint)| {
        let mut joint = good.clone();
        change(&mut joint);
        joint.validate().expect_err("a bad joint")
    };
    assert!(good.validate().is_ok());
    assert!(
        matches!(refused(&|j| j.b = Some(id(0))), JointError::SameBody { body, .. } if body == id(0))
    );
    let error = refused(&|j| j.frame_a.position.x = f64::NAN);
    assert!(matches!(error, JointError::NotFinite { .. }));
    let error = refused(&|j| j.frame_b.rotation = DQuat::IDENTITY * 2.0);
    assert!(matches!(error, JointError::NotUnit { .. }));
    let error = refused(&|j| j.frame_b.rotation.x = f64::NAN);
    assert!(matches!(error, JointError::NotUnit { .. }));
    for limits in [[1.0, 0.0], [f64::NAN, 1.0], [0.0, f64::NAN], [f64::INFINITY; 2]] {
        assert!(matches!(refused(&|j| j.limits = Some(limits)), JointError::BadLimits { .. }));
    }
    let error = refused(&|j| j.limits = Some([f64::NEG_INFINITY; 2]));
    assert!(matches!(error, JointError::BadLimits { .. }));
    for greatest in [-1.0, f64::NAN] {
        let target = Drive::Constant(1.0);
        let motor = Motor::Speed { target, greatest };
        let error = refused(&|j| j.motor = Some(motor.clone()));
        assert!(matches!(error, JointError::BadForce { .. }));
    }
    for friction in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(&|j| j.friction = friction), JointError::BadForce { .. }));
    }
    let error = refused(&|j| j.motor = Some(Motor::Force { value: Drive::Constant(f64::NAN) }));
    assert!(matches!(error, JointError::BadDrive { .. }));
    assert_eq!(
        error.to_string(),
        "joint \"pivot\": value of the drive is NaN, not a finite number"
    );

    for kind in [JointKind::Ball, JointKind::Universal, JointKind::Fixed, JointKind::PointOnPlane] {
        let limited = refused(&|j| (j.kind, j.limits) = (kind, Some([0.0, 1.0])));
        assert!(matches!(limited, JointError::NoCoordinate { what: "limits", .. }));
        let rubbing = refused(&|j| (j.kind, j.friction) = (kind, 1.0));
        assert!(matches!(rubbing, JointError::NoCoordinate { what: "friction", .. }));
    }
    let distance = JointKind::Distance { length: 1.0 };
    let motor = Motor::Position { target: Drive::Constant(1.0) };
    let error = refused(&|j| (j.kind, j.motor) = (distance, Some(motor.clone())));
    assert!(matches!(error, JointError::NoCoordinate { what: "a motor", .. }));
    let error = refused(&|j| j.kind = JointKind::Distance { length: 0.0 });
    assert!(matches!(error, JointError::NoDirection { .. }));
    let error = refused(&|j| (j.kind, j.limits) = (distance, Some([-1.0, 0.0])));
    assert!(matches!(error, JointError::BadLimits { .. }));

    let made = |anchor, axis| Joint::at(JointKind::Ball, "j", (id(0), &pose), None, anchor, axis);
    assert!(matches!(made(DVec3::ZERO, DVec3::ZERO), Err(JointError::NoDirection { .. })));
    assert!(matches!(made(DVec3::NAN, DVec3::Z), Err(JointError::NotFinite { .. })));
    let met = Joint::between("j", (id(0), &pose), None, DVec3::ONE, DVec3::ONE);
    assert!(matches!(met, Err(JointError::NoDirection { .. })));
}

/// Where functions have no derivative the rows still hold numbers.
#[test]
fn degenerate_configurations_give_finite_rows() {
    let (_, hinge) = pendulum();
    let mut rope = hinge.clone();
    rope.kind = JointKind::Distance { length: 1.0 };
    for joint in [hinge, rope] {
        let over = Pose { position: 2.0 * -DVec3::X, rotation: DQuat::from_rotation_y(PI) };
        let twist = Twist { linear: DVec3::ONE, angular: DVec3::ONE };
        for pose in [over, Pose::at(2.0 * DVec3::X)] {
            let mut rows = Vec::new();
            joint.rows((&pose, &twist), (&pose, &twist), 0.0, 0.0, &mut rows);
            for row in rows {
                let numbers = row.on_a.iter().chain(&row.on_b).chain([&row.error, &row.drift]);
                assert!(numbers.into_iter().all(|x| x.is_finite()), "{row:?}");
            }
            assert!(joint.coordinate(&pose, &pose).is_some_and(f64::is_finite));
        }
    }
}

//! Rows of joints against the motion they describe, and drives against their
//! own derivatives.
//!
//! The bodies move with constant twists, exactly ([`Pose::moved`]). Then the
//! derivative of a row's `error` must be its velocity minus the target, and
//! the second derivative its `drift`, wherever the bodies are.

mod common;

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use common::id;
use glam::{DQuat, DVec3};
use stiction::BodyId;
use stiction::drive::{Drive, DriveError};
use stiction::joint::{Joint, JointError, JointKind, JointRow, Motor, RowRule, unwrapped};
use stiction_geometry::{Pose, Twist};

/// Step of the differences (s).
const STEP: f64 = 1e-3;

/// How far a fourth-order difference of functions of size 1 to 10, moving at
/// rates of about 1 to 10 per second, may be from the derivative: `h⁴` for
/// truncation, `1e-15 / h²` for rounding, each times about 100.
const DIFFERENCE: f64 = 1e-7;

/// Rounding in sums of a few numbers of size one.
const ROUNDING: f64 = 1e-12;

/// A pivot below this (of rows of size one) means dependent rows.
const RANK: f64 = 1e-6;

const KINDS: [JointKind; 7] = [
    JointKind::Ball,
    JointKind::Hinge,
    JointKind::Slider,
    JointKind::Universal,
    JointKind::Fixed,
    JointKind::Distance { length: 0.7 },
    JointKind::PointOnPlane,
];

/// Splitmix64: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [−1, 1).
    fn number(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    fn pose(&mut self) -> Pose {
        Pose { position: self.vector(), rotation: DQuat::from_scaled_axis(3.0 * self.vector()) }
    }

    fn twist(&mut self) -> Twist {
        Twist { linear: self.vector(), angular: 2.0 * self.vector() }
    }

    /// With anything at all as frames.
    fn joint(&mut self, kind: JointKind, b: Option<BodyId>) -> Joint {
        let (frame_a, frame_b) = (self.pose(), self.pose());
        let name = "random".to_owned();
        Joint {
            name,
            a: id(0),
            b,
            kind,
            frame_a,
            frame_b,
            limits: None,
            motor: None,
            friction: 0.0,
        }
    }

    /// From a random anchor and axis, with bodies where it is satisfied.
    fn satisfied(&mut self, kind: JointKind, a: &Pose, b: &Pose) -> Joint {
        let (point, other) = (self.vector(), self.vector());
        let joint = match kind {
            JointKind::Distance { .. } => {
                Joint::between("j", (id(0), a), Some((id(1), b)), point, other)
            }
            _ => Joint::at(kind, "j", (id(0), a), Some((id(1), b)), point, other),
        };
        joint.expect("random points and axes are fine")
    }
}

/// Two bodies with constant twists.
struct Flight {
    a: (Pose, Twist),
    b: (Pose, Twist),
}

impl Flight {
    fn random(random: &mut Random) -> Self {
        Flight { a: (random.pose(), random.twist()), b: (random.pose(), random.twist()) }
    }

    fn poses(&self, time: f64) -> (Pose, Pose) {
        (self.a.0.moved(&self.a.1, time), self.b.0.moved(&self.b.1, time))
    }

    fn rows(&self, joint: &Joint, time: f64, near: f64) -> Vec<JointRow> {
        let (a, b) = self.poses(time);
        let mut rows = Vec::new();
        joint.rows((&a, &self.a.1), (&b, &self.b.1), time, near, &mut rows);
        rows
    }

    fn rate(&self, joint: &Joint, time: f64) -> f64 {
        let (a, b) = self.poses(time);
        joint.coordinate_rate((&a, &self.a.1), (&b, &self.b.1)).expect("a coordinate")
    }

    /// Everything that must hold of `error`, `target` and `drift`.
    fn check(&self, joint: &Joint, time: f64, near: f64) {
        let now = self.rows(joint, time, near);
        let row = |shift: f64| self.rows(joint, time + shift, near);
        let samples = [row(-2.0 * STEP), row(-STEP), now.clone(), row(STEP), row(2.0 * STEP)];
        for (i, row) in now.iter().enumerate() {
            let label = format!("row {i} of {joint:?}");
            let excess = |r: &JointRow| r.velocity(&self.a.1, &self.b.1) - r.target;
            let speeds: [f64; 5] = std::array::from_fn(|k| excess(&samples[k][i]));
            assert_near(row.drift, first(&speeds), &format!("drift, {label}"));
            if matches!(row.rule, RowRule::Equal | RowRule::AtLeast) {
                let errors: [f64; 5] = std::array::from_fn(|k| samples[k][i].error);
                assert_near(excess(row), first(&errors), &format!("velocity, {label}"));
                assert!((row.drift - second(&errors)).abs() < 100.0 * DIFFERENCE, "drift, {label}");
            }
        }
    }
}

/// First derivative of five samples, to fourth order.
fn first(y: &[f64; 5]) -> f64 {
    (y[0] - 8.0 * y[1] + 8.0 * y[3] - y[4]) / (12.0 * STEP)
}

/// Second derivative of five samples, to fourth order.
fn second(y: &[f64; 5]) -> f64 {
    (-y[0] + 16.0 * y[1] - 30.0 * y[2] + 16.0 * y[3] - y[4]) / (12.0 * STEP * STEP)
}

fn assert_near(found: f64, expected: f64, what: &str) {
    let scale = 1.0 + expected.abs();
    assert!((found - expected).abs() < DIFFERENCE * scale, "{found} is not {expected}: {what}");
}

/// Whether a joint's functions are far from where they are not smooth: opposite
/// z axes and the cut at ±π of a hinge, meeting origins of a distance.
fn smooth(joint: &Joint, flight: &Flight) -> bool {
    let (a, b) = flight.poses(0.0);
    let b = if joint.b.is_some() { b } else { Pose::IDENTITY };
    let (a, b) = (a.compose(&joint.frame_a), b.compose(&joint.frame_b));
    match joint.kind {
        JointKind::Hinge => {
            let angle = joint.coordinate(&flight.a.0, &flight.b.0).expect("an angle");
            a.direction(DVec3::Z).dot(b.direction(DVec3::Z)) > -0.5 && angle.abs() < 3.0
        }
        JointKind::Distance { .. } => a.position.distance(b.position) > 0.3,
        _ => true,
    }
}

#[test]
fn velocity_and_drift_are_the_derivatives_of_the_error_wherever_the_bodies_are() {
    let mut random = Random(1);
    let mut checked = [0; 7];
    for (k, kind) in KINDS.into_iter().enumerate() {
        for round in 0..200 {
            let joint = random.joint(kind, (round % 4 > 0).then_some(id(1)));
            let flight = Flight::random(&mut random);
            if smooth(&joint, &flight) {
                flight.check(&joint, 0.0, 0.0);
                checked[k] += 1;
            }
        }
    }
    assert!(checked.iter().all(|&count| count > 100), "too few cases: {checked:?}");
}

#[test]
fn limits_motors_and_friction_are_derivatives_too() {
    let drives = [
        Drive::Constant(0.4),
        Drive::Linear { start: -0.3, rate: 1.7 },
        Drive::Sine { mean: 0.2, amplitude: 0.8, frequency: 0.7, phase: 0.3 },
        Drive::Ramp { from: 1.0, to: -2.0, start: -1.0, end: 1.5 },
        Drive::table(vec![-1.0, -0.4, 0.5, 2.0], vec![0.0, 1.0, -1.0, 0.3]).expect("increasing"),
    ];
    let mut random = Random(2);
    for kind in [JointKind::Hinge, JointKind::Slider, JointKind::Distance { length: 1.0 }] {
        for round in 0..100 {
            let mut joint = random.joint(kind, (round % 4 > 0).then_some(id(1)));
            joint.limits = Some([0.1, 0.9]);
            let drive = drives[round % drives.len()].clone();
            let expected = if matches!(kind, JointKind::Distance { .. }) {
                2
            } else {
                joint.friction = 0.5;
                joint.motor = Some(match round % 2 {
                    0 => Motor::Position { target: drive },
                    _ => Motor::Speed { target: drive, greatest: 3.0 },
                });
                5 + 1 + 2 + 1
            };
            joint.validate().expect("a good joint");
            let flight = Flight::random(&mut random);
            assert_eq!(flight.rows(&joint, 0.0, 0.0).len(), expected);
            if smooth(&joint, &flight) {
                flight.check(&joint, 0.0, 0.0);
            }
        }
    }
}

#[test]
fn coordinate_rate_is_the_derivative_of_the_coordinate() {
    let mut random = Random(3);
    for kind in [JointKind::Hinge, JointKind::Slider, JointKind::Distance { length: 1.0 }] {
        for round in 0..100 {
            let joint = random.joint(kind, (round % 4 > 0).then_some(id(1)));
            let flight = Flight::random(&mut random);
            if smooth(&joint, &flight) {
                let samples: [f64; 5] = std::array::from_fn(|k| {
                    let (a, b) = flight.poses((k as f64 - 2.0) * STEP);
                    joint.coordinate(&a, &b).expect("a coordinate")
                });
                assert_near(flight.rate(&joint, 0.0), first(&samples), "rate of the coordinate");
            }
        }
    }
}

/// Number of independent rows, by elimination with full pivoting.
fn rank(rows: &[JointRow]) -> usize {
    let mut matrix: Vec<Vec<f64>> = rows.iter().map(|row| [row.on_a, row.on_b].concat()).collect();
    let mut rank = 0;
    while let Some((pivot, i, j)) = (rank..matrix.len())
        .flat_map(|i| (0..12).map(move |j| (i, j)))
        .map(|(i, j)| (matrix[i][j].abs(), i, j))
        .max_by(|x, y| x.0.total_cmp(&y.0))
        .filter(|best| best.0 > RANK)
    {
        assert!(pivot.is_finite());
        matrix.swap(rank, i);
        let top = matrix[rank].clone();
        for row in &mut matrix[rank + 1..] {
            let factor = row[j] / top[j];
            for (x, t) in row.iter_mut().zip(&top) {
                *x -= factor * t;
            }
        }
        rank += 1;
    }
    rank
}

#[test]
fn a_joint_made_in_place_is_satisfied_and_holds_its_number_of_freedoms() {
    let mut random = Random(4);
    for (kind, expected) in KINDS.into_iter().zip([3, 5, 5, 4, 6, 1, 1]) {
        for _ in 0..50 {
            let flight = Flight::random(&mut random);
            let joint = random.satisfied(kind, &flight.a.0, &flight.b.0);
            joint.validate().expect("a good joint");
            let rows = flight.rows(&joint, 0.0, 0.0);
            assert_eq!(rows.len(), expected, "rows of {kind:?}");
            assert_eq!(rank(&rows), expected, "rank of {kind:?}");
            for row in &rows {
                assert!(row.error.abs() < ROUNDING, "{kind:?} starts with error {}", row.error);
                assert_eq!(row.rule, RowRule::Equal);
            }
            assert!(!joint.turned_over(&flight.a.0, &flight.b.0));
        }
    }
}

/// What the kind leaves free moves no row, whatever else the pair does.
#[test]
fn rows_vanish_for_the_motions_that_the_joint_leaves() {
    let mut random = Random(5);
    for kind in KINDS {
        for _ in 0..50 {
            let (a, b) = (random.pose(), random.pose());
            let joint = random.satisfied(kind, &a, &b);
            // Both move as one body.
            let common = random.twist();
            let along = |pose: &Pose| Twist {
                linear: common.linear + common.angular.cross(pose.position),
                angular: common.angular,
            };
            let (mut of_a, of_b) = (along(&a), along(&b));
            // On top of it a moves about or along the joint's own axes.
            let frame = b.compose(&joint.frame_b);
            let spin = |axis: DVec3| Twist {
                linear: axis.cross(a.position - frame.position),
                angular: axis,
            };
            let free = match kind {
                JointKind::Hinge => spin(frame.direction(DVec3::Z)),
                JointKind::Universal => {
                    spin(frame.direction(DVec3::new(random.number(), 0.0, random.number())))
                }
                JointKind::Slider => {
                    Twist { linear: frame.direction(DVec3::Z), angular: DVec3::ZERO }
                }
                JointKind::Fixed => Twist::ZERO,
                JointKind::Ball | JointKind::Distance { .. } => spin(random.vector()),
                JointKind::PointOnPlane => {
                    let turned = spin(random.vector());
                    let slide = DVec3::new(random.number(), random.number(), 0.0);
                    Twist { linear: turned.linear + frame.direction(slide), ..turned }
                }
                kind => unreachable!("{kind:?} is not among KINDS"),
            };
            of_a.linear += free.linear;
            of_a.angular += free.angular;
            let mut rows = Vec::new();
            joint.rows((&a, &of_a), (&b, &of_b), 0.0, 0.0, &mut rows);
            for row in rows {
                let velocity = row.velocity(&of_a, &of_b);
                assert!(velocity.abs() < 1e2 * ROUNDING, "{kind:?} sees {velocity}");
            }
        }
    }
}

/// Internal forces: no row pushes or turns the pair as a whole.
#[test]
fn every_row_acts_with_an_equal_reaction() {
    let mut random = Random(6);
    for kind in KINDS {
        for _ in 0..50 {
            let mut joint = random.joint(kind, Some(id(1)));
            if matches!(kind, JointKind::Hinge | JointKind::Slider) {
                joint.limits = Some([-1.0, 1.0]);
                joint.friction = 1.0;
            }
            let flight = Flight::random(&mut random);
            for row in flight.rows(&joint, 0.0, 0.0) {
                let (force_a, torque_a) = split(&row.on_a);
                let (force_b, torque_b) = split(&row.on_b);
                let about_origin = torque_a
                    + flight.a.0.position.cross(force_a)
                    + torque_b
                    + flight.b.0.position.cross(force_b);
                assert!((force_a + force_b).length() < 1e2 * ROUNDING);
                assert!(about_origin.length() < 1e2 * ROUNDING, "{kind:?}: {about_origin}");
            }
        }
    }
}

fn split(wrench: &[f64; 6]) -> (DVec3, DVec3) {
    (DVec3::from_slice(&wrench[..3]), DVec3::from_slice(&wrench[3..]))
}

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
fn a_speed_motor_asks_for_its_speed() {
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

#[test]
fn derivatives_of_drives_are_derivatives() {
    let table = || Drive::table(vec![0.0, 0.3, 1.0, 1.2, 2.0], vec![1.0, -0.5, 0.5, 0.5, 2.0]);
    let drives = [
        Drive::Constant(3.0),
        Drive::Linear { start: 1.0, rate: -2.0 },
        Drive::Sine { mean: 1.0, amplitude: 0.5, frequency: 0.8, phase: 0.4 },
        Drive::Ramp { from: 1.0, to: 3.0, start: 0.2, end: 1.7 },
        table().expect("increasing"),
    ];
    let mut random = Random(8);
    for drive in &drives {
        drive.validate().expect("a good drive");
        for _ in 0..200 {
            let time = 1.0 + 1.5 * random.number();
            if drive.next_kink(time - 3.0 * STEP).is_some_and(|kink| kink < time + 3.0 * STEP) {
                continue;
            }
            let at = |k: usize| drive.at(time + (k as f64 - 2.0) * STEP);
            let motion = drive.at(time);
            let (values, rates) =
                (std::array::from_fn(|k| at(k).value), std::array::from_fn(|k| at(k).rate));
            assert_near(motion.rate, first(&values), &format!("rate of {drive:?} at {time}"));
            let label = format!("acceleration of {drive:?} at {time}");
            assert_near(motion.acceleration, first(&rates), &label);
        }
    }
}

#[test]
fn drives_meet_at_their_kinks() {
    const MOMENT: f64 = 1e-9;
    let ramp = Drive::Ramp { from: 1.0, to: 3.0, start: 0.2, end: 1.7 };
    let times = vec![0.0, 0.3, 1.0, 2.0];
    let table = Drive::table(times.clone(), vec![1.0, -0.5, 0.5, 2.0]).expect("increasing");
    for (drive, kinks) in [(&ramp, vec![0.2, 1.7]), (&table, times)] {
        let mut time = f64::NEG_INFINITY;
        for (index, &kink) in kinks.iter().enumerate() {
            time = drive.next_kink(time).expect("another kink");
            assert_eq!(time, kink);
            let (before, after) = (drive.at(kink - MOMENT), drive.at(kink + MOMENT));
            // Rates are below 100, accelerations below 1000.
            assert!((before.value - after.value).abs() < 1e2 * MOMENT);
            assert!((before.rate - after.rate).abs() < 1e3 * MOMENT);
            let end = index == 0 || index + 1 == kinks.len();
            if matches!(drive, Drive::Ramp { .. }) || !end {
                assert!((before.acceleration - after.acceleration).abs() < 1e4 * MOMENT);
            }
        }
        assert_eq!(drive.next_kink(time), None);
    }
    assert_eq!(Drive::Constant(1.0).next_kink(0.0), None);
}

#[test]
fn drives_go_where_they_say() {
    let sine = Drive::Sine { mean: 1.0, amplitude: 2.0, frequency: 0.25, phase: FRAC_PI_2 };
    for (time, value) in [(0.0, 3.0), (1.0, 1.0), (2.0, -1.0), (3.0, 1.0), (4.0, 3.0)] {
        assert!((sine.at(time).value - value).abs() < ROUNDING);
    }
    let ramp = Drive::Ramp { from: 1.0, to: 3.0, start: 0.0, end: 2.0 };
    for (time, value) in [(-1.0, 1.0), (0.0, 1.0), (1.0, 2.0), (2.0, 3.0), (5.0, 3.0)] {
        assert!((ramp.at(time).value - value).abs() < ROUNDING);
    }
    let (times, values) = (vec![0.0, 1.0, 3.0], vec![1.0, 2.0, 0.0]);
    let table = Drive::table(times.clone(), values.clone()).expect("increasing");
    for (&time, &value) in times.iter().zip(&values) {
        assert!((table.at(time).value - value).abs() < ROUNDING);
    }
    assert_eq!(table.at(-1.0).value, 1.0);
    assert_eq!(table.at(9.0).value, 0.0);
    let single = Drive::table(vec![1.0], vec![4.0]).expect("one point");
    assert_eq!([single.at(0.0).value, single.at(1.0).value, single.at(2.0).value], [4.0; 3]);
}

/// Two points at rest at both ends: the cubic `3s² − 2s³`.
#[test]
fn a_table_of_two_points_is_the_cubic_step() {
    let table = Drive::table(vec![0.0, 2.0], vec![0.0, 1.0]).expect("increasing");
    for k in 0..20 {
        let time = 0.1 * f64::from(k);
        let s = time / 2.0;
        let motion = table.at(time);
        assert!((motion.value - s * s * (3.0 - 2.0 * s)).abs() < ROUNDING);
        assert!((motion.rate - 3.0 * s * (1.0 - s)).abs() < ROUNDING);
        assert!((motion.acceleration - 1.5 * (1.0 - 2.0 * s)).abs() < ROUNDING);
    }
}

#[test]
fn bad_drives_are_refused() {
    let refused = |times: &[f64], values: &[f64]| {
        Drive::table(times.to_vec(), values.to_vec()).expect_err("a bad table")
    };
    assert_eq!(refused(&[], &[]), DriveError::EmptyTable);
    assert_eq!(refused(&[0.0], &[]), DriveError::UnequalTable { times: 1, values: 0 });
    assert_eq!(refused(&[0.0, 0.0], &[1.0, 2.0]), DriveError::TableNotIncreasing { index: 1 });
    assert_eq!(refused(&[0.0, 1.0], &[1.0, f64::NAN]), DriveError::TableNotFinite { index: 1 });
    let steep = refused(&[0.0, f64::MIN_POSITIVE], &[0.0, 1e9]);
    assert_eq!(steep, DriveError::TableTooSteep { index: 0 });
    let ramp = Drive::Ramp { from: 0.0, to: 1.0, start: 1.0, end: 1.0 };
    assert_eq!(ramp.validate(), Err(DriveError::EmptyRamp { start: 1.0, end: 1.0 }));
    // Even so it has a value at every time.
    assert_eq!([ramp.at(0.9).value, ramp.at(1.0).value], [0.0, 1.0]);
    let line = Drive::Linear { start: 0.0, rate: f64::INFINITY };
    assert!(matches!(line.validate(), Err(DriveError::NotFinite { parameter: "rate", .. })));
}

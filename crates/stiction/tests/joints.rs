//! Rows of joints against the motion they describe.
//!
//! The bodies move with constant twists, exactly ([`Pose::moved`]). Then the
//! derivative of a row's `error` must be its velocity minus the target, and
//! the second derivative its `drift`, wherever the bodies are.

mod common;

use common::id;
use common::joints::{Flight, KINDS, RANK, ROUNDING, Random, STEP, assert_near, first, smooth};
use glam::DVec3;
use stiction::drive::Drive;
use stiction::joint::{JointKind, JointRow, Motor, RowRule};
use stiction_geometry::{Pose, Twist};

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

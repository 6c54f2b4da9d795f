//! Drives against their own derivatives, kinks and ends.

mod common;

use common::joints::{ROUNDING, Random, STEP, assert_near, first};
use std::f64::consts::FRAC_PI_2;
use stiction::drive::{Drive, DriveError};

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

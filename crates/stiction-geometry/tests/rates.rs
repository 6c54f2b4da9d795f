//! Rates of contacts compared with finite differences, and the formula for the rate of the gap.

mod common;

use common::Random;
use glam::DVec3;
use std::sync::Arc;
use stiction_geometry::{Feature, FeaturePair, Pose, Twist};

/// Step (s) of the central differences: truncation 1e-10, rounding 1e-11 for features of size 1.
const STEP: f64 = 1e-5;
const CLOSE: f64 = 1e-7;

fn features(random: &mut Random) -> Vec<Feature> {
    let at = random.vector(1.0);
    let n = random.direction();
    let x = n.any_orthonormal_vector();
    let y = n.cross(x);
    let boundary: Arc<[DVec3]> = Arc::from([at + x, at + y, at - x, at - y]);
    vec![
        Feature::Point { at, radius: 0.0 },
        Feature::Point { at, radius: 0.3 },
        Feature::Line { at, along: n, half_length: 0.7, radius: 0.0 },
        Feature::Line { at, along: n, half_length: 0.7, radius: 0.2 },
        Feature::Plane { at, normal: n, boundary },
        Feature::unbounded(at, n),
        Feature::Circle { centre: at, axis: n, radius: 0.4 },
        Feature::Cone { tip: at, axis: n, sine: 0.4, length: 0.8 },
    ]
}

fn check(contact: &FeaturePair, a: &Pose, va: &Twist, b: &Pose, vb: &Twist) -> bool {
    let geometry = contact.geometry(a, b);
    if !geometry.gap.is_finite() {
        return false;
    }
    let rates = contact.rates(a, va, b, vb);
    let later = contact.geometry(&a.moved(va, STEP), &b.moved(vb, STEP));
    let before = contact.geometry(&a.moved(va, -STEP), &b.moved(vb, -STEP));
    let point = (later.point - before.point) / (2.0 * STEP);
    let normal = (later.normal - before.normal) / (2.0 * STEP);
    let gap = (later.gap - before.gap) / (2.0 * STEP);
    let scale = 1.0 + rates.point.length() + rates.normal.length();
    assert!(
        (point - rates.point).length() < CLOSE * scale.powi(3),
        "{contact:?} {point} {rates:?}"
    );
    assert!(
        (normal - rates.normal).length() < CLOSE * scale.powi(3),
        "{contact:?} {normal} {rates:?}"
    );
    assert!((gap - rates.gap).abs() < CLOSE * scale.powi(3), "{contact:?} {gap} {rates:?}");
    let law = geometry.normal.dot(va.at(a, geometry.point) - vb.at(b, geometry.point));
    // The lowest point of a rim that lies nearly flat is known to fewer digits.
    let rim = matches!(contact.on_a, Feature::Circle { .. })
        || matches!(contact.on_b, Feature::Circle { .. });
    let rounding = if rim { 1e-8 } else { 1e-12 };
    assert!(
        (law - rates.gap).abs() < rounding * scale.powi(2),
        "{contact:?}: {law} but {}",
        rates.gap
    );
    assert!((geometry.normal.length() - 1.0).abs() < 1e-14);
    true
}

#[test]
fn rates_are_the_derivatives_of_the_geometry() {
    let mut random = Random(1);
    let mut checked = [[0; 5]; 5];
    for _ in 0..300 {
        let (a, b) = (random.pose(2.0), random.pose(2.0));
        let (va, vb) = (random.twist(), random.twist());
        for on_a in features(&mut random) {
            for on_b in features(&mut random) {
                for facing in [1.0, -1.0] {
                    let kinds = [kind(&on_a), kind(&on_b)];
                    let contact = FeaturePair::new(on_a.clone(), on_b.clone(), facing, &a, &b);
                    let found = check(&contact, &a, &va, &b, &vb);
                    checked[kinds[0]][kinds[1]] += usize::from(found);
                }
            }
        }
    }
    for (i, row) in checked.iter().enumerate() {
        for (j, &count) in row.iter().enumerate() {
            // Tried per draw; normals of two cones may not meet, rims may have no largest separation.
            let tried = 600 * [2, 1, 2, 1, 2][i] * [2, 1, 2, 1, 2][j];
            let share = match (i.min(j), i.max(j)) {
                (2..=4, 4) => 0.0,
                (3, 3) => 0.3,
                (2, 3) | (1, 1..=3) => 0.6,
                _ => 1.0,
            };
            assert!(count as f64 >= share * f64::from(tried), "{i} {j}: {count} of {tried}");
        }
    }
}

/// Points, circles, lines, cones, planes.
fn kind(feature: &Feature) -> usize {
    match feature {
        Feature::Point { .. } => 0,
        Feature::Circle { .. } => 1,
        Feature::Line { .. } => 2,
        Feature::Cone { .. } => 3,
        Feature::Plane { .. } => 4,
    }
}

#[test]
fn a_rolling_disc_touches_under_its_centre() {
    // A disc of radius 0.4 on its edge, tilted by 0.3 rad: its lowest point is 0.4 from the centre, down
    // the slope of the disc.
    let disc = Feature::Circle { centre: DVec3::ZERO, axis: DVec3::Z, radius: 0.4 };
    let ground = Feature::unbounded(DVec3::ZERO, DVec3::Z);
    let lean = std::f64::consts::FRAC_PI_2 - 0.3;
    let a =
        Pose { position: DVec3::new(0.0, 0.0, 1.0), rotation: glam::DQuat::from_rotation_x(lean) };
    let geometry = FeaturePair::new(disc, ground, 1.0, &a, &Pose::IDENTITY).geometry;
    assert!((geometry.gap - (1.0 - 0.4 * 0.3_f64.cos())).abs() < 1e-15);
}

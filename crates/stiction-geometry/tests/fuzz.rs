//! A million random pairs of shapes: no panic, no NaN, no inconsistent contact.

mod common;

use common::{Random, hull, part, rock};
use glam::{DQuat, DVec3};
use std::sync::Arc;
use stiction_geometry::{FeaturePair, HeightField, Part, Pose, Shape};

fn pairs() -> usize {
    std::env::var("STICTION_FUZZ_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000_000)
}

/// Shapes of every kind and scale, built once because hulls are expensive.
fn shapes(random: &mut Random) -> Vec<(f64, Vec<Part>)> {
    let mut all = Vec::new();
    for _ in 0..60 {
        let scale = 10f64.powf(random.between(-3.0, 3.0));
        let size = |random: &mut Random| scale * random.between(0.1, 1.0);
        let half = DVec3::new(size(random), size(random), size(random));
        let (h, r) = (size(random), size(random));
        for shape in [
            Shape::Box { half },
            Shape::Box { half: DVec3::splat(scale) },
            Shape::Ball { radius: r },
            Shape::Capsule { half_length: h, radius: r },
            Shape::Cylinder { half_length: h, radius: r },
            Shape::Cone { half_length: h, radius: r },
            Shape::HalfSpace,
        ] {
            all.push((scale, vec![part(shape)]));
        }
        let corners = 4 + random.below(12) as usize;
        let points: Vec<DVec3> = (0..corners).map(|_| random.vector(scale)).collect();
        all.push((scale, hull(&points)));
        let heights: Vec<f64> = (0..25).map(|_| 0.3 * scale * random.unit().round()).collect();
        let field = HeightField::new(5, &heights, 0.4 * scale, 0.4 * scale).expect("hills");
        all.push((scale, vec![part(Shape::HeightField(Arc::new(field)))]));
        if scale > 0.3 && scale < 3.0 {
            all.push((1.0, rock(random, 20)));
        }
        let pose = random.pose(scale);
        let two = vec![
            Part::new(Shape::Box { half }, pose).expect("a box"),
            Part::new(Shape::Cylinder { half_length: h, radius: r }, Pose::IDENTITY)
                .expect("a cylinder"),
        ];
        all.push((scale, two));
    }
    all
}

/// Quarter turns and small tilts: alignments that often break geometry code.
fn rotation(random: &mut Random) -> DQuat {
    let quarter = std::f64::consts::FRAC_PI_2 * random.below(4) as f64;
    let aligned = match random.below(3) {
        0 => DQuat::from_rotation_x(quarter),
        1 => DQuat::from_rotation_y(quarter),
        _ => DQuat::from_rotation_z(quarter),
    };
    let tilt = 10f64.powf(random.between(-17.0, 0.0));
    match random.below(4) {
        0 => DQuat::IDENTITY,
        1 => aligned,
        2 => DQuat::from_axis_angle(random.direction(), tilt) * aligned,
        _ => random.rotation(),
    }
}

/// On a grid, nearly touching along an axis, or anywhere nearby.
fn position(random: &mut Random, size: f64) -> DVec3 {
    match random.below(4) {
        0 => DVec3::ZERO,
        1 => {
            DVec3::new(
                random.below(3) as f64 - 1.0,
                random.below(3) as f64 - 1.0,
                random.below(3) as f64 - 1.0,
            ) * size
        }
        2 => DVec3::Z * size * (1.0 + 10f64.powf(random.between(-17.0, -1.0))),
        _ => random.vector(1.2 * size),
    }
}

fn check(contact: &FeaturePair, a: &Pose, b: &Pose, margin: f64) {
    let geometry = contact.geometry;
    assert!(
        geometry.point.is_finite() && geometry.gap.is_finite() && !geometry.room.is_nan(),
        "{contact:?}"
    );
    assert!((geometry.normal.length() - 1.0).abs() < 1e-9, "{contact:?}");
    assert!(geometry.gap <= margin, "{contact:?}");
    assert_eq!(geometry, contact.geometry(a, b));
    let rates = contact.rates(a, &common::SPIN, b, &common::SPIN);
    assert!(rates.point.is_finite() && rates.normal.is_finite(), "{contact:?}");
}

#[test]
fn a_million_pairs_give_valid_contacts() {
    let mut random = Random(42);
    let shapes = shapes(&mut random);
    let (mut found, mut out) = (0, Vec::new());
    for _ in 0..pairs() {
        let (scale_a, a) = &shapes[random.below(shapes.len() as u64) as usize];
        let (scale_b, b) = &shapes[random.below(shapes.len() as u64) as usize];
        let size = scale_a + scale_b;
        let pose_a = Pose { position: DVec3::ZERO, rotation: rotation(&mut random) };
        let pose_b =
            Pose { position: position(&mut random, size), rotation: rotation(&mut random) };
        let margin = size * if random.below(2) == 0 { 1e-6 } else { 0.05 };
        out.clear();
        stiction_geometry::region(a, &pose_a, b, &pose_b, margin, &mut out);
        for contact in &out {
            check(contact, &pose_a, &pose_b, margin);
        }
        let mut keys: Vec<u64> = out.iter().map(|contact| contact.key).collect();
        keys.sort_unstable();
        assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "{out:#?}");
        found += out.len();
    }
    assert!(found > pairs() / 10, "only {found} contacts");
}

#[test]
fn extreme_poses_never_panic() {
    let mut random = Random(43);
    let shapes = shapes(&mut random);
    let extreme = [f64::NAN, f64::INFINITY, 1e300, -1e160, 1e60, 1e20, 1e-300, 0.0];
    let number = |random: &mut Random| extreme[random.below(8) as usize];
    let mut out = Vec::new();
    for _ in 0..20_000 {
        let (_, a) = &shapes[random.below(shapes.len() as u64) as usize];
        let (_, b) = &shapes[random.below(shapes.len() as u64) as usize];
        let position = DVec3::new(number(&mut random), number(&mut random), number(&mut random));
        let rotation = match random.below(3) {
            0 => random.rotation(),
            1 => DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0),
            _ => DQuat::from_xyzw(number(&mut random), 0.0, 0.0, 1.0),
        };
        let pose = Pose { position, rotation };
        out.clear();
        stiction_geometry::region(a, &pose, b, &Pose::IDENTITY, number(&mut random), &mut out);
        let _ = stiction_geometry::distance(a, &pose, b, &Pose::IDENTITY);
        let _ = stiction_geometry::ray_cast(a, &pose, DVec3::ZERO, position, number(&mut random));
        let _ = stiction_geometry::aabb(a, &pose);
    }
}

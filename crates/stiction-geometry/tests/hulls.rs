//! Convex hulls are closed and convex and contain all points.

mod common;

use common::Random;
use glam::DVec3;
use stiction_geometry::{Polyhedron, ShapeError};

fn check(points: &[DVec3], hull: &Polyhedron, size: f64) {
    for (k, face) in hull.faces().iter().enumerate() {
        assert!((face.normal.length() - 1.0).abs() < 1e-12);
        for p in points {
            let above = face.normal.dot(*p) - face.offset;
            assert!(above <= 1e-8 * size, "{p} is {above} above face {k}");
        }
    }
    let (v, e, f) = (hull.vertices().len(), hull.edges().len(), hull.faces().len());
    assert_eq!(v + f, e + 2, "Euler");
}

#[test]
fn hulls_contain_all_their_points() {
    let mut random = Random(9);
    for count in 4..200 {
        let size = 10f64.powf(random.between(-3.0, 3.0));
        let on_sphere: Vec<DVec3> = (0..count).map(|_| random.direction() * size).collect();
        let hull = Polyhedron::from_points(&on_sphere).expect("a hull");
        assert_eq!(hull.vertices().len(), count);
        check(&on_sphere, &hull, size);
        let inside: Vec<DVec3> = (0..count).map(|_| random.vector(size)).collect();
        check(&inside, &Polyhedron::from_points(&inside).expect("a hull"), size);
    }
}

#[test]
fn a_grid_of_points_is_a_box_with_six_faces() {
    let mut random = Random(10);
    let grid: Vec<DVec3> = (0..125)
        .map(|k| DVec3::new(f64::from(k % 5), f64::from(k / 5 % 5), f64::from(k / 25)))
        .collect();
    for _ in 0..50 {
        let turn = random.pose(10.0);
        let points: Vec<DVec3> = grid.iter().map(|&p| turn.point(p)).collect();
        let hull = Polyhedron::from_points(&points).expect("a box");
        assert_eq!((hull.vertices().len(), hull.edges().len(), hull.faces().len()), (8, 12, 6));
        check(&points, &hull, 5.0);
    }
}

#[test]
fn flat_or_invalid_points_are_refused() {
    let flat: Vec<DVec3> =
        (0..16).map(|k| DVec3::new(f64::from(k % 4), f64::from(k / 4), 0.0)).collect();
    assert!(matches!(Polyhedron::from_points(&flat), Err(ShapeError::Flat { .. })));
    assert!(matches!(Polyhedron::from_points(&[]), Err(ShapeError::Flat { .. })));
    assert!(matches!(Polyhedron::from_points(&[DVec3::ONE; 9]), Err(ShapeError::Flat { .. })));
    let bad = [DVec3::ZERO, DVec3::X, DVec3::new(f64::NAN, 0.0, 0.0), DVec3::Z];
    let refused = Polyhedron::from_points(&bad);
    assert!(matches!(refused, Err(ShapeError::NotFinite { index: 2, .. })), "{refused:?}");
    let huge = [DVec3::ZERO, DVec3::X * 1e300, DVec3::Y * 1e300, DVec3::Z * 1e300];
    assert!(Polyhedron::from_points(&huge).is_err());
}

#[test]
fn nearly_degenerate_points_never_panic() {
    let mut random = Random(11);
    let mut failed = 0;
    for _ in 0..20_000 {
        let count = 1 + random.below(12) as usize;
        let squash = 10f64.powf(random.between(-12.0, 0.0));
        let points: Vec<DVec3> = (0..count)
            .map(|_| {
                let p = random.vector(1.0);
                let p = if random.below(2) == 0 { p.round() } else { p };
                DVec3::new(p.x, p.y, p.z * squash)
            })
            .collect();
        match Polyhedron::from_points(&points) {
            // The coarsest tolerance is 1e-6 of the size.
            Ok(hull) => check(&points, &hull, 1e3),
            Err(ShapeError::NoHull) => failed += 1,
            Err(_) => {}
        }
    }
    // All of these are flat to within a few 1e-6.
    assert!(failed < 100, "{failed} of 20000");
}

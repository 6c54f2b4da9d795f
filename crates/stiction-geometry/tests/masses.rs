//! Mass properties compared with known formulas and with each other.

mod common;

use common::{Random, hull};
use glam::{DMat3, DVec3};
use std::sync::Arc;
use stiction_geometry::{MassProperties, Part, Polyhedron, Pose, Shape, ShapeError};

const DENSITY: f64 = 700.0;

fn close(x: &MassProperties, y: &MassProperties, tolerance: f64) {
    let size = x.mass.cbrt();
    assert!((x.mass - y.mass).abs() < tolerance * x.mass, "{x:?} {y:?}");
    assert!((x.centre - y.centre).length() < tolerance * size, "{x:?} {y:?}");
    let scale = x.inertia.x_axis.x + x.inertia.y_axis.y + x.inertia.z_axis.z;
    let difference = (x.inertia - y.inertia).to_cols_array();
    assert!(difference.iter().all(|d| d.abs() < tolerance * scale), "{x:?} {y:?}");
}

/// A fine polyhedron inscribed in a shape of revolution with the given radius at each height.
fn revolved(profile: &[(f64, f64)]) -> MassProperties {
    let points: Vec<DVec3> = profile
        .iter()
        .flat_map(|&(z, r)| {
            (0..if r > 1e-9 { 90 } else { 1 }).map(move |k| {
                let angle = std::f64::consts::TAU * f64::from(k) / 90.0;
                DVec3::new(r * angle.cos(), r * angle.sin(), z)
            })
        })
        .collect();
    let fine = Polyhedron::from_points(&points).expect("a hull");
    MassProperties::of_shape(&Shape::Polyhedron(Arc::new(fine)), DENSITY).expect("a mass")
}

#[test]
fn round_shapes_agree_with_fine_polyhedra() {
    let mass = |shape| MassProperties::of_shape(&shape, DENSITY).expect("a mass");
    let (half_length, radius) = (0.4, 0.3);
    let cylinder = revolved(&[(-0.4, 0.3), (0.4, 0.3)]);
    close(&mass(Shape::Cylinder { half_length, radius }), &cylinder, 5e-3);
    let cone = revolved(&[(-0.4, 0.3), (0.4, 0.0)]);
    close(&mass(Shape::Cone { half_length, radius }), &cone, 5e-3);
    let arc = |shift: f64, from: i32, to: i32| {
        (from..=to).map(move |k| {
            let angle = std::f64::consts::FRAC_PI_2 * f64::from(k) / 12.0;
            (shift + 0.3 * angle.sin(), 0.3 * angle.cos())
        })
    };
    let ball: Vec<(f64, f64)> = arc(0.0, -12, 12).collect();
    close(&mass(Shape::Ball { radius }), &revolved(&ball), 2e-2);
    let capsule: Vec<(f64, f64)> = arc(-0.4, -12, 0).chain(arc(0.4, 0, 12)).collect();
    close(&mass(Shape::Capsule { half_length, radius }), &revolved(&capsule), 2e-2);
}

#[test]
fn boxes_agree_with_polyhedra_anywhere() {
    let mut random = Random(14);
    for _ in 0..100 {
        let half = DVec3::new(
            random.between(0.1, 1.0),
            random.between(0.1, 1.0),
            random.between(0.1, 1.0),
        );
        let pose = random.pose(2.0);
        let cuboid = Part::new(Shape::Box { half }, pose).expect("a box");
        let points: Vec<DVec3> = cuboid.hull().expect("a hull").vertices().to_vec();
        let boxed = MassProperties::of_parts(&[cuboid], DENSITY).expect("a mass");
        close(&boxed, &MassProperties::of_parts(&hull(&points), DENSITY).expect("a mass"), 1e-12);
        let m = 8.0 * DENSITY * half.x * half.y * half.z;
        assert!((boxed.mass - m).abs() < 1e-12 * m);
    }
}

#[test]
fn two_half_boxes_make_one() {
    let half = DVec3::new(0.25, 0.3, 0.2);
    let at = |x: f64| Part::new(Shape::Box { half }, Pose::at(DVec3::X * x)).expect("a box");
    let two = MassProperties::of_parts(&[at(0.25), at(-0.25)], DENSITY).expect("a mass");
    let one = Shape::Box { half: DVec3::new(0.5, 0.3, 0.2) };
    close(&two, &MassProperties::of_shape(&one, DENSITY).expect("a mass"), 1e-14);
}

#[test]
fn principal_axes_give_the_inertia_back() {
    let mut random = Random(15);
    for k in 0..200 {
        let half = if k % 3 == 0 { DVec3::ONE } else { random.vector(1.0).abs() + 0.1 };
        let part = Part::new(Shape::Box { half }, random.pose(1.0)).expect("a box");
        let mass = MassProperties::of_parts(&[part], 1.0).expect("a mass");
        let (moments, turn) = mass.principal();
        let axes = DMat3::from_quat(turn);
        let again = axes * DMat3::from_diagonal(moments) * axes.transpose();
        let difference = (again - mass.inertia).to_cols_array();
        let scale = moments.max_element();
        assert!(difference.iter().all(|d| d.abs() < 1e-13 * scale), "{mass:?}");
    }
}

#[test]
fn shapes_without_mass_are_refused() {
    let refused = MassProperties::of_shape(&Shape::HalfSpace, 1.0);
    assert!(matches!(refused, Err(ShapeError::NoMass { .. })));
    let ball = Shape::Ball { radius: 1.0 };
    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(MassProperties::of_shape(&ball, density).is_err());
    }
    assert!(MassProperties::of_parts(&[], 1.0).is_err());
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Part::new(Shape::Ball { radius: size }, Pose::IDENTITY).is_err());
        let half = DVec3::new(1.0, size, 1.0);
        assert!(Part::new(Shape::Box { half }, Pose::IDENTITY).is_err());
    }
    let nowhere = Pose::at(DVec3::new(f64::NAN, 0.0, 0.0));
    assert!(Part::new(ball, nowhere).is_err());
}

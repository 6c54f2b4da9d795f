//! Depths of overlap: closed forms, directions tried all around, and surfaces.

mod common;

use common::{Random, cuboid, part, rock};
use glam::{DQuat, DVec3};
use std::sync::Arc;
use stiction_geometry::{HeightField, Mesh, Overlap, Part, Pose, Shape, distance, overlap};

fn found(a: &[Part], pose_a: &Pose, b: &[Part], pose_b: &Pose) -> Overlap {
    overlap(a, pose_a, b, pose_b).expect("an overlap")
}

#[test]
fn depths_have_their_closed_forms() {
    let one = |shape| vec![part(shape)];
    let at = |x: f64, y: f64, z: f64| Pose::at(DVec3::new(x, y, z));
    let origin = Pose::IDENTITY;
    let (ball, cube) = (one(Shape::Ball { radius: 0.5 }), cuboid(0.5, 0.5, 0.5));
    let drum = one(Shape::Cylinder { half_length: 0.5, radius: 0.3 });
    let rod = one(Shape::Capsule { half_length: 1.0, radius: 0.1 });
    let cone = one(Shape::Cone { half_length: 0.5, radius: 0.5 });
    let ground = one(Shape::HalfSpace);
    // The side of the cone goes through (0.5, 0, −0.5) and its tip, with normal (2, 0, 1)/√5.
    let slope = DVec3::new(2.0, 0.0, 1.0).normalize();
    for (a, pose, b, depth, normal) in [
        (&cube, at(0.0, 0.2, 0.0), &cube, 0.8, DVec3::Y),
        (&cube, at(0.0, 0.0, 0.3), &ground, 0.2, DVec3::Z),
        (&ball, at(0.6, 0.0, 0.0), &ball, 0.4, DVec3::X),
        (&ball, at(0.0, 0.0, 0.9), &cube, 0.1, DVec3::Z),
        (&ball, at(0.0, 0.0, 0.1), &cube, 0.9, DVec3::Z),
        (&rod, at(0.0, 0.2, 0.0), &cube, 0.4, DVec3::Y),
        (&drum, at(0.0, 0.0, 0.9), &cube, 0.1, DVec3::Z),
        (&drum, at(0.1, 0.0, 0.0), &drum, 0.5, DVec3::X),
        (&drum, at(0.0, 0.0, 0.4), &ground, 0.1, DVec3::Z),
        (&cone, at(0.0, 0.0, -0.9), &cube, 0.1, -DVec3::Z),
        (&ball, at(0.5, 0.0, 0.0), &cone, 0.5 - slope.dot(DVec3::new(0.0, 0.0, 0.5)), slope),
    ] {
        let overlap = found(a, &pose, b, &origin);
        assert!((overlap.depth - depth).abs() < 1e-9, "{a:?} {b:?} {depth}: {overlap:?}");
        assert!((overlap.normal - normal).length() < 1e-5, "{normal}: {overlap:?}");
        let back = found(b, &origin, a, &pose);
        assert!((back.depth - depth).abs() < 1e-9 && (back.normal + normal).length() < 1e-5);
    }
    assert!(overlap(&cube, &at(0.0, 0.0, 1.0), &cube, &origin).is_none());
    assert!(overlap(&ball, &at(0.0, 0.0, 1.5), &cube, &origin).is_none());
}

fn bodies(random: &mut Random) -> Vec<Vec<Part>> {
    vec![
        cuboid(0.5, 0.8, 0.3),
        rock(random, 12),
        vec![part(Shape::Ball { radius: 0.4 })],
        vec![part(Shape::Capsule { half_length: 0.6, radius: 0.3 })],
        vec![part(Shape::Cylinder { half_length: 0.6, radius: 0.3 })],
        vec![part(Shape::Cone { half_length: 0.6, radius: 0.3 })],
    ]
}

/// Moved by the depth along the normal the bodies are apart; moved by a little less in any
/// direction they are not.
#[test]
fn the_depth_is_the_shortest_way_out() {
    let mut random = Random(77);
    for _ in 0..40 {
        let bodies = bodies(&mut random);
        for a in &bodies {
            for b in &bodies {
                let pose = random.pose(0.3);
                let Some(deep) = overlap(a, &pose, b, &Pose::IDENTITY) else { continue };
                let moved = |by: DVec3| Pose { position: pose.position + by, ..pose };
                let out = moved(deep.normal * (deep.depth + 1e-9));
                let left = overlap(a, &out, b, &Pose::IDENTITY);
                assert!(left.is_none_or(|o| o.depth < 1e-8), "{left:?} of {deep:?}: {a:?} {b:?}");
                for _ in 0..60 {
                    let way = moved(random.direction() * (deep.depth * 0.99));
                    let apart = distance(a, &way, b, &Pose::IDENTITY);
                    assert!(apart <= 1e-6, "{deep:?}, but {apart} apart: {a:?} {b:?}");
                }
            }
        }
    }
}

fn closed_cube(half: f64) -> Vec<Part> {
    let corner = |k: u32| {
        let sign = |bit: u32| if k >> bit & 1 == 1 { half } else { -half };
        DVec3::new(sign(0), sign(1), sign(2))
    };
    let faces =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = faces.iter().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]).collect();
    let mesh = Mesh::new((0..8).map(corner).collect(), triangles).expect("a cube");
    vec![part(Shape::Mesh(Arc::new(mesh)))]
}

#[test]
fn surfaces_are_overlapped_by_what_they_go_through_and_by_what_is_inside() {
    let cube = cuboid(0.1, 0.1, 0.1);
    let closed = closed_cube(1.0);
    let origin = Pose::IDENTITY;
    let at = |z: f64| Pose::at(DVec3::Z * z);
    assert!(overlap(&cube, &at(1.1), &closed, &origin).is_none());
    assert!((found(&cube, &at(1.05), &closed, &origin).depth - 0.05).abs() < 1e-12);
    let inside = found(&cube, &at(0.5), &closed, &origin);
    assert!((inside.depth - 0.6).abs() < 1e-12 && inside.normal == DVec3::Z, "{inside:?}");
    let heights = HeightField::new(3, &[0.0; 9], 1.0, 1.0).expect("a field");
    let field = vec![part(Shape::HeightField(Arc::new(heights)))];
    let over = |z: f64| Pose::at(DVec3::new(1.1, 0.9, z));
    assert!(overlap(&cube, &over(0.1), &field, &origin).is_none());
    assert!((found(&cube, &over(0.07), &field, &origin).depth - 0.03).abs() < 1e-12);
    assert!((found(&cube, &over(-0.5), &field, &origin).depth - 0.6).abs() < 1e-12);
    let turned = Pose { rotation: DQuat::from_rotation_x(0.3), ..over(0.05) };
    for shape in [
        Shape::Ball { radius: 0.1 },
        Shape::Cylinder { half_length: 0.1, radius: 0.1 },
        Shape::Cone { half_length: 0.1, radius: 0.1 },
        Shape::Capsule { half_length: 0.1, radius: 0.1 },
    ] {
        let some = vec![part(shape)];
        let ground = vec![part(Shape::HalfSpace)];
        let deep = found(&some, &turned, &ground, &origin).depth;
        assert!((found(&some, &turned, &field, &origin).depth - deep).abs() < 1e-6);
    }
}

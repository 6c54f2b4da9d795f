//! Meshes, height fields and mesh files.

mod common;

use common::{Random, contacts, cuboid, least_gap, part};
use glam::{DQuat, DVec3};
use std::fmt::Write;
use std::sync::Arc;
use stiction_geometry::{
    FeaturePair, FileError, HeightField, Mesh, Part, Pose, Shape, distance, ray_cast,
};

/// A flat floor of 20 × 20 cells of 0.25 m with a corner at the origin.
fn floor() -> Vec<Part> {
    let field = HeightField::new(21, &[0.0; 441], 0.25, 0.25).expect("a floor");
    vec![part(Shape::HeightField(Arc::new(field)))]
}

fn sorted(contacts: &[FeaturePair]) -> Vec<[f64; 4]> {
    let mut all: Vec<[f64; 4]> = contacts
        .iter()
        .map(|t| [t.geometry.point.x, t.geometry.point.y, t.geometry.point.z, t.geometry.gap])
        .collect();
    all.sort_by(|x, y| x.partial_cmp(y).expect("numbers"));
    all
}

#[test]
fn a_flat_mesh_is_a_plane() {
    let plane = vec![part(Shape::HalfSpace)];
    let mut random = Random(12);
    for shape in [
        Shape::Box { half: DVec3::new(0.5, 0.4, 0.3) },
        Shape::Ball { radius: 0.3 },
        Shape::Capsule { half_length: 0.4, radius: 0.3 },
        Shape::Cylinder { half_length: 0.3, radius: 0.25 },
        Shape::Cone { half_length: 0.3, radius: 0.25 },
    ] {
        let body = vec![part(shape)];
        for k in 0..200 {
            let tilt = if k % 2 == 0 { 0.0 } else { random.between(-0.01, 0.01) };
            let turn = DQuat::from_rotation_z(random.between(0.0, 6.0));
            let rotation = DQuat::from_rotation_x(tilt) * turn;
            // Every fourth body is on the grid, so that its corners lie on sides and corners of triangles.
            let mut place =
                DVec3::new(2.0, 2.0, 0.0) + random.vector(0.5) * DVec3::new(1.0, 1.0, 0.0);
            if k % 4 == 0 {
                place = (place * 4.0).round() / 4.0;
            }
            let pose = Pose { position: place + DVec3::Z * 0.3001, rotation };
            let expected = sorted(&contacts(&body, &pose, &plane, &Pose::IDENTITY, 0.02));
            let found = sorted(&contacts(&body, &pose, &floor(), &Pose::IDENTITY, 0.02));
            assert_eq!(found.len(), expected.len(), "{:?} {found:?} {expected:?}", body[0].shape());
            for (x, y) in found.iter().flatten().zip(expected.iter().flatten()) {
                assert!((x - y).abs() < 1e-12, "{found:?} {expected:?}");
            }
        }
    }
}

/// A roof with its ridge along y at x = 0, 1 m high and 2 m wide.
fn roof() -> Vec<Part> {
    let corners = [
        (-1.0, -2.0, 0.0),
        (-1.0, 2.0, 0.0),
        (0.0, -2.0, 1.0),
        (0.0, 2.0, 1.0),
        (1.0, -2.0, 0.0),
        (1.0, 2.0, 0.0),
    ];
    let vertices = corners.map(|(x, y, z)| DVec3::new(x, y, z)).to_vec();
    let triangles = vec![[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]];
    vec![part(Shape::Mesh(Arc::new(Mesh::new(vertices, triangles).expect("a roof"))))]
}

#[test]
fn a_ridge_carries_boxes_balls_and_rods() {
    let roof = roof();
    let ball = vec![part(Shape::Ball { radius: 0.3 })];
    let on_ridge = Pose::at(DVec3::new(0.0, 0.3, 1.3001));
    let found = contacts(&ball, &on_ridge, &roof, &Pose::IDENTITY, 1e-3);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].geometry.gap - 1e-4).abs() < 1e-12 && found[0].geometry.normal == DVec3::Z);
    // A box across the ridge: the ridge crosses two of its sides.
    let beam = cuboid(0.8, 0.2, 0.1);
    let flat = Pose::at(DVec3::new(0.1, 0.3, 1.1001));
    let found = contacts(&beam, &flat, &roof, &Pose::IDENTITY, 1e-3);
    assert_eq!(found.len(), 2, "{found:?}");
    for contact in &found {
        assert!((contact.geometry.gap - 1e-4).abs() < 1e-12, "{contact:?}");
        assert!(
            (contact.geometry.point - DVec3::new(0.0, contact.geometry.point.y, 1.00005)).length()
                < 1e-12
        );
    }
    let backward = contacts(&roof, &Pose::IDENTITY, &beam, &flat, 1e-3);
    assert_eq!(sorted(&found), sorted(&backward));
    let rod = vec![part(Shape::Capsule { half_length: 0.5, radius: 0.1 })];
    let across = Pose {
        position: DVec3::new(0.1, 0.3, 1.1001),
        rotation: DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2),
    };
    let found = contacts(&rod, &across, &roof, &Pose::IDENTITY, 1e-3);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].geometry.gap - 1e-4).abs() < 1e-12);
}

#[test]
fn gaps_over_hills_are_distances() {
    let mut random = Random(13);
    for _ in 0..300 {
        let heights: Vec<f64> = (0..49).map(|_| random.between(0.0, 0.3)).collect();
        let hills = vec![part(Shape::HeightField(Arc::new(
            HeightField::new(7, &heights, 0.5, 0.5).expect("hills"),
        )))];
        for body in [
            vec![part(Shape::Ball { radius: 0.3 })],
            cuboid(0.2, 0.3, 0.25),
            vec![part(Shape::Capsule { half_length: 0.3, radius: 0.2 })],
        ] {
            let rotation = random.rotation();
            let (x, y) = (random.between(1.0, 2.0), random.between(1.0, 2.0));
            let pose = |z: f64| Pose { position: DVec3::new(x, y, z), rotation };
            let (mut low, mut high) = (0.0, 3.0);
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                if distance(&body, &pose(middle), &hills, &Pose::IDENTITY) < 0.01 {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let gap = least_gap(&contacts(&body, &pose(high), &hills, &Pose::IDENTITY, 0.02));
            assert!(
                (gap - 0.01).abs() < 1e-8,
                "{:?}: {gap} {} {:?}",
                body[0].shape(),
                distance(&body, &pose(high), &hills, &Pose::IDENTITY),
                contacts(&body, &pose(high), &hills, &Pose::IDENTITY, 0.02)
            );
        }
    }
}

#[test]
fn a_box_half_over_a_ledge_does_not_touch_the_wall_below() {
    // A step: ledge z = 1 for x < 0, wall x = 0 down to z = 0, floor beyond.
    let corners = [
        (-2.0, -2.0, 1.0),
        (-2.0, 2.0, 1.0),
        (0.0, -2.0, 1.0),
        (0.0, 2.0, 1.0),
        (0.0, -2.0, 0.0),
        (0.0, 2.0, 0.0),
        (2.0, -2.0, 0.0),
        (2.0, 2.0, 0.0),
    ];
    let vertices = corners.map(|(x, y, z)| DVec3::new(x, y, z)).to_vec();
    let triangles = vec![[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3], [4, 6, 7], [4, 7, 5]];
    let step = vec![part(Shape::Mesh(Arc::new(Mesh::new(vertices, triangles).expect("a step"))))];
    let cube = cuboid(0.5, 0.5, 0.5);
    let found = contacts(&cube, &Pose::at(DVec3::new(0.1, 0.0, 1.5)), &step, &Pose::IDENTITY, 1e-3);
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found.iter().all(|t| t.geometry.gap.abs() < 1e-12 && t.geometry.normal == DVec3::Z));
}

#[test]
fn rays_find_floors_balls_and_boxes() {
    let (from, down) = (DVec3::new(1.1, 1.2, 5.0), -DVec3::Z);
    let hit = ray_cast(&floor(), &Pose::IDENTITY, from, down, 10.0).expect("the floor");
    assert!((hit.distance - 5.0).abs() < 1e-12 && hit.normal == DVec3::Z);
    let ball = vec![part(Shape::Ball { radius: 0.5 })];
    let hit =
        ray_cast(&ball, &Pose::at(DVec3::new(1.1, 1.2, 0.0)), from, down, 10.0).expect("the ball");
    assert!((hit.distance - 4.5).abs() < 1e-6, "{hit:?}");
    let hit =
        ray_cast(&cuboid(0.5, 0.5, 0.5), &Pose::at(DVec3::new(1.0, 1.0, 0.0)), from, down, 10.0);
    assert!((hit.expect("the box").distance - 4.5).abs() < 1e-9);
    assert_eq!(ray_cast(&ball, &Pose::IDENTITY, from, DVec3::Z, 10.0), None);
    assert_eq!(ray_cast(&ball, &Pose::IDENTITY, from, DVec3::ZERO, 10.0), None);
    let ground = vec![part(Shape::HalfSpace)];
    assert!(
        (ray_cast(&ground, &Pose::IDENTITY, from, down, 10.0).expect("ground").distance - 5.0)
            .abs()
            < 1e-15
    );
}

const CUBE: &str = "# a cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 4 3 2 1\nf 5/1 6/2 7/3 8/4\nf 1//1 2//1 6//1 5//1\nf 2 3 7 6\nf 3 4 8 7\nf -8 -4 -1 -5\n";

#[test]
fn obj_files_are_read_and_errors_name_the_line() {
    let mesh = Mesh::from_obj("cube.obj", CUBE.as_bytes()).expect("a cube");
    assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
    for (text, message) in [
        ("v 0 0 0\nv 1 x 0\n", "bad.obj, line 2: v needs three numbers"),
        ("v 0 0 0\nf 1 2 3\n", "bad.obj, line 2: f refers to a vertex that does not exist"),
        ("v 0 0 0\nf 1 1\n", "bad.obj, line 2: f needs three vertices"),
        ("", "bad.obj: the points are flat: no thicker than 0e0 m"),
    ] {
        let error = Mesh::from_obj("bad.obj", text.as_bytes()).expect_err("refused");
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn stl_files_are_read_in_both_forms() {
    let cube = Mesh::from_obj("cube.obj", CUBE.as_bytes()).expect("a cube");
    let (mut text, mut binary) = (String::from("solid cube\n"), vec![0_u8; 80]);
    binary.extend(12_u32.to_le_bytes());
    for t in cube.triangles() {
        text += "facet normal 0 0 0\n outer loop\n";
        binary.extend([0_u8; 12]);
        for k in t {
            let v = cube.vertices()[*k as usize];
            writeln!(text, "  vertex {} {} {}", v.x, v.y, v.z).expect("memory");
            #[allow(clippy::cast_possible_truncation)]
            v.to_array().iter().for_each(|x| binary.extend((*x as f32).to_le_bytes()));
        }
        text += " endloop\nendfacet\n";
        binary.extend([0_u8; 2]);
    }
    text += "endsolid cube\n";
    for bytes in [text.as_bytes(), &binary] {
        let mesh = Mesh::from_stl("cube.stl", bytes).expect("a cube");
        assert_eq!((mesh.vertices().len(), mesh.triangles().len()), (8, 12));
    }
    let broken = text.replacen("  vertex", "  vertex x", 1);
    let error = Mesh::from_stl("cube.stl", broken.as_bytes()).expect_err("refused");
    assert_eq!(error.to_string(), "cube.stl, line 4: vertex needs three numbers");
    assert!(matches!(Mesh::from_stl("cube.stl", &binary[..100]), Err(FileError::Format { .. })));
    let missing = Mesh::load(std::path::Path::new("/nowhere/cube.stl"));
    assert!(matches!(missing, Err(FileError::Read { .. })));
}

#[test]
fn a_drum_lies_across_a_ridge_and_stands_on_it() {
    let drum = vec![part(Shape::Cylinder { half_length: 0.4, radius: 0.2 })];
    let across = Pose {
        position: DVec3::new(0.1, 0.3, 1.2001),
        rotation: DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2),
    };
    let found = contacts(&drum, &across, &roof(), &Pose::IDENTITY, 1e-3);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].geometry.gap - 1e-4).abs() < 1e-12);
    let standing = Pose::at(DVec3::new(0.05, 0.3, 1.4001));
    let found = contacts(&drum, &standing, &roof(), &Pose::IDENTITY, 1e-3);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|t| (t.geometry.gap - 1e-4).abs() < 1e-12));
}

//! Contact polygons with results known from geometry.

mod common;

use common::{Random, contacts, cuboid, hull, part};
use glam::{DQuat, DVec2, DVec3};
use stiction_geometry::{Pose, Shape};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::at(DVec3::new(x, y, z))
}

#[test]
fn flush_bricks_touch_in_four_corners() {
    let brick = cuboid(0.5, 0.25, 0.1);
    let found = contacts(&brick, &at(0.0, 0.0, 0.2), &brick, &Pose::IDENTITY, 1e-3);
    assert_eq!(found.len(), 4);
    for contact in &found {
        assert!(contact.geometry.gap.abs() < 1e-15);
        assert_eq!(contact.geometry.normal, DVec3::Z);
        assert!((contact.geometry.point.abs() - DVec3::new(0.5, 0.25, 0.1)).length() < 1e-15);
        assert!(!contact.degenerate);
    }
}

#[test]
fn half_bond_touches_in_the_overlap() {
    let brick = cuboid(0.5, 0.25, 0.1);
    let found = contacts(&brick, &at(0.5, 0.0, 0.2), &brick, &Pose::IDENTITY, 1e-3);
    let mut x: Vec<f64> = found.iter().map(|t| t.geometry.point.x).collect();
    x.sort_by(f64::total_cmp);
    assert_eq!(x, [0.0, 0.0, 0.5, 0.5]);
}

#[test]
fn turned_squares_touch_in_an_octagon() {
    for turn in [1e-6_f64, 1e-3, 0.5] {
        let a = Pose { rotation: DQuat::from_rotation_z(turn), ..at(0.0, 0.0, 1.0) };
        let cube = cuboid(0.5, 0.5, 0.5);
        let found = contacts(&cube, &a, &cube, &Pose::IDENTITY, 1e-6);
        assert_eq!(found.len(), 8, "{turn}");
        for contact in &found {
            assert!((contact.geometry.normal - DVec3::Z).length() < 1e-9);
            assert!(
                contact.geometry.gap.abs() < 1e-12 && contact.geometry.room > 0.0,
                "{contact:?}"
            );
            // Each corner is on a side of both squares.
            let own = a.local_point(contact.geometry.point).truncate().abs();
            let p = contact.geometry.point.truncate().abs();
            let on_sides = (p.max_element() - 0.5).abs() + (own.max_element() - 0.5).abs();
            assert!(on_sides < 1e-12, "{p} {own}");
        }
    }
}

#[test]
fn a_prism_with_twelve_sides_stands_on_twelve_points() {
    let ring: Vec<DVec3> = (0..24)
        .map(|k| {
            let angle = std::f64::consts::TAU * f64::from(k % 12) / 12.0;
            DVec3::new(angle.cos(), angle.sin(), if k < 12 { -0.5 } else { 0.5 })
        })
        .collect();
    let prism = hull(&ring);
    let table = cuboid(3.0, 3.0, 0.5);
    assert_eq!(contacts(&prism, &at(0.0, 0.0, 1.0), &table, &Pose::IDENTITY, 1e-6).len(), 12);
    assert_eq!(contacts(&table, &Pose::IDENTITY, &prism, &at(0.0, 0.0, 1.0), 1e-6).len(), 12);
    let ground = vec![part(Shape::HalfSpace)];
    assert_eq!(contacts(&prism, &at(0.0, 0.0, 0.5), &ground, &Pose::IDENTITY, 1e-6).len(), 12);
}

#[test]
fn crossed_edges_touch_once() {
    // Cubes with an edge up and an edge down, at right angles.
    let cube = cuboid(0.5, 0.5, 0.5);
    let quarter = std::f64::consts::FRAC_PI_4;
    let b = Pose { rotation: DQuat::from_rotation_x(quarter), ..Pose::IDENTITY };
    for gap in [1e-3, 1e-9, 0.0, -1e-9, -1e-3] {
        let height = 2.0 * 0.5_f64.sqrt() + gap;
        let a = Pose { rotation: DQuat::from_rotation_y(quarter), ..at(0.1, 0.2, height) };
        let found = contacts(&cube, &a, &cube, &b, 2e-3);
        assert_eq!(found.len(), 1, "{gap} {found:?}");
        let geometry = found[0].geometry;
        assert!(
            (geometry.gap - gap).abs() < 1e-15 && (geometry.normal - DVec3::Z).length() < 1e-15
        );
        assert!(
            (geometry.point.truncate() - DVec2::new(0.1, 0.0)).length() < 1e-15,
            "{geometry:?}"
        );
    }
}

#[test]
fn a_corner_on_a_corner_has_a_normal_by_rule() {
    let cube = cuboid(0.5, 0.5, 0.5);
    for gap in [1e-4, 0.0] {
        let shift = DVec3::splat(1.0 + gap / 3.0_f64.sqrt());
        let found = contacts(&cube, &Pose::at(shift), &cube, &Pose::IDENTITY, 1e-3);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].geometry.gap - gap).abs() < 1e-15, "{found:?}");
    }
}

#[test]
fn an_edge_on_a_face_gives_its_ends() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let quarter = std::f64::consts::FRAC_PI_4;
    let table = cuboid(2.0, 0.25, 0.5);
    let a =
        Pose { rotation: DQuat::from_rotation_x(quarter), ..at(0.0, 0.0, 0.5 + 0.5_f64.sqrt()) };
    let found = contacts(&cube, &a, &table, &Pose::IDENTITY, 1e-6);
    assert_eq!(found.len(), 2, "{found:?}");
    // After a quarter turn about z the edge extends beyond the sides of the table.
    let turn = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let a = Pose { rotation: turn * DQuat::from_rotation_x(quarter), ..a };
    let found = contacts(&cube, &a, &table, &Pose::IDENTITY, 1e-6);
    assert_eq!(found.len(), 2, "{found:?}");
    for contact in found {
        assert!((contact.geometry.point.y.abs() - 0.25).abs() < 1e-12);
    }
}

#[test]
fn bricks_beside_each_other_in_two_directions_are_degenerate() {
    // Diagonal neighbours share an edge: a polygon without area.
    let brick = cuboid(0.5, 0.25, 0.1);
    let found = contacts(&brick, &at(1.0, 0.0, 0.2), &brick, &Pose::IDENTITY, 1e-6);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|contact| contact.degenerate && contact.geometry.gap.abs() < 1e-15));
}

#[test]
fn a_corner_on_an_edge_touches_once_at_all_gaps() {
    // A cube on its corner over an edge that points up.
    let cube = cuboid(0.5, 0.5, 0.5);
    let corner_down = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::Z);
    let edge_up = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
    let b = Pose { rotation: edge_up, ..Pose::IDENTITY };
    for gap in [1e-3, 1e-7, 0.0, -1e-7] {
        let height = 0.75_f64.sqrt() + 0.5_f64.sqrt() + gap;
        let a = Pose { rotation: corner_down, ..at(0.1, 0.0, height) };
        let found = contacts(&cube, &a, &cube, &b, 2e-3);
        assert!(found.len() == 1 || gap < 0.0, "{gap}: {found:?}");
        // If the bodies overlap, the normal tilts towards a face and the depth along it is smaller.
        let depth = common::least_gap(&found);
        assert!(depth > gap - 1e-12 && depth < gap.max(gap / 2.0) + 1e-12, "{gap}: {found:?}");
    }
}

/// Sutherland–Hodgman clipping of a convex polygon by the half-planes of another, both
/// counter-clockwise.
fn clipped(subject: &[DVec2], clip: &[DVec2]) -> Vec<DVec2> {
    let mut polygon = subject.to_vec();
    for (k, &from) in clip.iter().enumerate() {
        let side = clip[(k + 1) % clip.len()] - from;
        let height = |p: DVec2| side.perp_dot(p - from);
        let mut cut = Vec::new();
        for (i, &p) in polygon.iter().enumerate() {
            let q = polygon[(i + 1) % polygon.len()];
            if height(p) >= 0.0 {
                cut.push(p);
            }
            if height(p) * height(q) < 0.0 {
                cut.push(p + (q - p) * (height(p) / (height(p) - height(q))));
            }
        }
        polygon = cut;
    }
    polygon
}

/// Corners of a convex polygon on a circle.
fn ring(random: &mut Random, corners: u64) -> Vec<DVec2> {
    let step = std::f64::consts::TAU / corners as f64;
    (0..corners).map(|k| DVec2::from_angle(step * (k as f64 + random.between(0.0, 0.7)))).collect()
}

fn prism(ring: &[DVec2]) -> Vec<stiction_geometry::Part> {
    let points: Vec<DVec3> =
        [-0.5, 0.5].iter().flat_map(|&z| ring.iter().map(move |p| p.extend(z))).collect();
    hull(&points)
}

#[test]
fn contact_polygons_are_those_of_clipping() {
    let mut random = Random(20);
    let mut corners = 0;
    for _ in 0..3000 {
        let (count_a, count_b) = (3 + random.below(10), 3 + random.below(10));
        let (upper, lower) = (ring(&mut random, count_a), ring(&mut random, count_b));
        let (a, b) = (prism(&upper), prism(&lower));
        let turn = random.between(0.0, 6.0);
        let shift = DVec2::new(random.between(-1.5, 1.5), random.between(-1.5, 1.5));
        let pose = Pose { position: shift.extend(1.0), rotation: DQuat::from_rotation_z(turn) };
        let moved: Vec<DVec2> =
            upper.iter().map(|p| DVec2::from_angle(turn).rotate(*p) + shift).collect();
        let expected = clipped(&moved, &lower);
        let frame = random.pose(2.0);
        let found = contacts(&a, &frame.compose(&pose), &b, &frame, 1e-9);
        assert_eq!(found.len(), expected.len(), "{expected:?} {found:?}");
        for contact in &found {
            let p = frame.local_point(contact.geometry.point);
            assert!((p.z - 0.5).abs() < 1e-13 && contact.geometry.gap.abs() < 1e-13);
            assert!(expected.iter().any(|q| q.distance(p.truncate()) < 1e-11), "{p} {expected:?}");
            assert!((frame.local_direction(contact.geometry.normal) - DVec3::Z).length() < 1e-11);
        }
        corners += found.len();
    }
    assert!(corners > 10_000);
}

/// After a step of a simulation, bodies are slightly tilted, apart or overlapping. The contact
/// polygon keeps its corners, each with its own gap.
#[test]
fn nearly_flat_contacts_keep_the_corners_of_flat_ones() {
    let mut random = Random(21);
    for _ in 0..3000 {
        let (count_a, count_b) = (3 + random.below(10), 3 + random.below(10));
        let (upper, lower) = (ring(&mut random, count_a), ring(&mut random, count_b));
        let (a, b) = (prism(&upper), prism(&lower));
        let shift = DVec2::new(random.between(-0.8, 0.8), random.between(-0.8, 0.8));
        let turn = DQuat::from_rotation_z(random.between(0.0, 6.0));
        let flat = Pose { position: shift.extend(1.0), rotation: turn };
        let tilt = 10f64.powf(random.between(-14.0, -5.0));
        let leaning = Pose {
            position: flat.position + DVec3::Z * random.between(-1e-4, 1e-4),
            rotation: DQuat::from_axis_angle(random.direction(), tilt) * turn,
        };
        let before = contacts(&a, &flat, &b, &Pose::IDENTITY, 1e-3);
        let after = contacts(&a, &leaning, &b, &Pose::IDENTITY, 1e-3);
        assert_eq!(before.len(), after.len(), "{tilt}: {before:#?} {after:#?}");
        for contact in &after {
            let near = |t: &stiction_geometry::FeaturePair| {
                t.geometry.point.distance(contact.geometry.point) < 1e-3
            };
            assert!(before.iter().any(near), "{contact:?}");
            assert!((contact.geometry.normal - DVec3::Z).length() < 1e-4, "{contact:?}");
        }
    }
}

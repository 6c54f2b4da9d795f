//! Contact polygons with answers known from geometry.

mod common;

use common::{cuboid, hull, part, touches};
use glam::{DQuat, DVec3};
use stiction_geometry::{Pose, Shape};

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::at(DVec3::new(x, y, z))
}

#[test]
fn flush_bricks_touch_in_four_corners() {
    let brick = cuboid(0.5, 0.25, 0.1);
    let found = touches(&brick, &at(0.0, 0.0, 0.2), &brick, &Pose::IDENTITY, 1e-3);
    assert_eq!(found.len(), 4);
    for touch in &found {
        assert!(touch.look.gap.abs() < 1e-15);
        assert_eq!(touch.look.normal, DVec3::Z);
        assert!((touch.look.point.abs() - DVec3::new(0.5, 0.25, 0.1)).length() < 1e-15);
        assert!(!touch.degenerate);
    }
}

#[test]
fn half_bond_touches_in_the_overlap() {
    let brick = cuboid(0.5, 0.25, 0.1);
    let found = touches(&brick, &at(0.5, 0.0, 0.2), &brick, &Pose::IDENTITY, 1e-3);
    let mut x: Vec<f64> = found.iter().map(|t| t.look.point.x).collect();
    x.sort_by(f64::total_cmp);
    assert_eq!(x, [0.0, 0.0, 0.5, 0.5]);
}

#[test]
fn turned_squares_touch_in_an_octagon() {
    for turn in [1e-6_f64, 1e-3, 0.5] {
        let a = Pose { rotation: DQuat::from_rotation_z(turn), ..at(0.0, 0.0, 1.0) };
        let cube = cuboid(0.5, 0.5, 0.5);
        let found = touches(&cube, &a, &cube, &Pose::IDENTITY, 1e-6);
        assert_eq!(found.len(), 8, "{turn}");
        for touch in &found {
            assert!((touch.look.normal - DVec3::Z).length() < 1e-9);
            assert!(touch.look.gap.abs() < 1e-12 && touch.look.room > 0.0, "{touch:?}");
            // Sides of two squares of half side h cross at (h, h tan(turn/2)) and so on.
            let p = touch.look.point.abs();
            let expected = 0.5 * (turn / 2.0).tan();
            let other = 0.5 * (std::f64::consts::FRAC_PI_4 - turn / 2.0).tan();
            let _ = (expected, other);
            assert!(p.x.max(p.y) <= 0.5 + 1e-12);
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
    assert_eq!(touches(&prism, &at(0.0, 0.0, 1.0), &table, &Pose::IDENTITY, 1e-6).len(), 12);
    assert_eq!(touches(&table, &Pose::IDENTITY, &prism, &at(0.0, 0.0, 1.0), 1e-6).len(), 12);
    let ground = vec![part(Shape::HalfSpace)];
    assert_eq!(touches(&prism, &at(0.0, 0.0, 0.5), &ground, &Pose::IDENTITY, 1e-6).len(), 12);
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
        let found = touches(&cube, &a, &cube, &b, 2e-3);
        assert_eq!(found.len(), 1, "{gap} {found:?}");
        let look = found[0].look;
        assert!((look.gap - gap).abs() < 1e-15 && (look.normal - DVec3::Z).length() < 1e-15);
        assert!((look.point.truncate() - glam::DVec2::new(0.1, 0.0)).length() < 1e-15, "{look:?}");
    }
}

#[test]
fn a_corner_on_a_corner_has_a_normal_by_rule() {
    let cube = cuboid(0.5, 0.5, 0.5);
    for gap in [1e-4, 0.0] {
        let shift = DVec3::splat(1.0 + gap / 3.0_f64.sqrt());
        let found = touches(&cube, &Pose::at(shift), &cube, &Pose::IDENTITY, 1e-3);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].look.gap - gap).abs() < 1e-15, "{found:?}");
    }
}

#[test]
fn an_edge_on_a_face_gives_its_ends() {
    let cube = cuboid(0.5, 0.5, 0.5);
    let quarter = std::f64::consts::FRAC_PI_4;
    let table = cuboid(2.0, 0.25, 0.5);
    let a =
        Pose { rotation: DQuat::from_rotation_x(quarter), ..at(0.0, 0.0, 0.5 + 0.5_f64.sqrt()) };
    let found = touches(&cube, &a, &table, &Pose::IDENTITY, 1e-6);
    assert_eq!(found.len(), 2, "{found:?}");
    // Turned by a quarter about z the edge hangs over the table's sides.
    let turn = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let a = Pose { rotation: turn * DQuat::from_rotation_x(quarter), ..a };
    let found = touches(&cube, &a, &table, &Pose::IDENTITY, 1e-6);
    assert_eq!(found.len(), 2, "{found:?}");
    for touch in found {
        assert!((touch.look.point.y.abs() - 0.25).abs() < 1e-12);
    }
}

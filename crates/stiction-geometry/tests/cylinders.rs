//! Cylinders and cones that lie, stand, lean and roll.

mod common;

use common::{contacts, cuboid, least_gap, part};
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use stiction_geometry::{Feature, Part, Pose, Shape, Twist};

fn drum() -> Vec<Part> {
    vec![part(Shape::Cylinder { half_length: 0.5, radius: 0.3 })]
}

/// A half-space and a wide box with its top at z = 0.
fn grounds() -> [(Vec<Part>, Pose); 2] {
    let table = Pose::at(DVec3::new(0.0, 0.0, -1.0));
    [(vec![part(Shape::HalfSpace)], Pose::IDENTITY), (cuboid(5.0, 5.0, 1.0), table)]
}

#[test]
fn a_standing_drum_is_carried_by_its_rim() {
    for (ground, below) in grounds() {
        let found = contacts(&drum(), &Pose::at(DVec3::Z * 0.5), &ground, &below, 1e-3);
        assert_eq!(found.len(), 16);
        for contact in found {
            assert!(
                contact.geometry.gap.abs() < 1e-14
                    && (contact.geometry.normal - DVec3::Z).length() < 1e-14
            );
            assert!((contact.geometry.point.truncate().length() - 0.3).abs() < 1e-14);
        }
    }
}

#[test]
fn a_lying_drum_is_carried_by_both_rims() {
    let rotation = DQuat::from_rotation_x(FRAC_PI_2);
    for (ground, below) in grounds() {
        let pose = Pose { position: DVec3::Z * 0.3, rotation };
        let found = contacts(&drum(), &pose, &ground, &below, 1e-3);
        assert_eq!(found.len(), 2, "{found:?}");
        // Rolling along x with v = ω × r: the body does not slip, and the contact point moves with v.
        let rolling = Twist { linear: DVec3::X * 0.6, angular: DVec3::Y * 2.0 };
        for contact in &found {
            assert!(contact.geometry.gap.abs() < 1e-14);
            assert!((contact.geometry.point.abs() - DVec3::Y * 0.5).length() < 1e-14);
            assert!(rolling.at(&pose, contact.geometry.point).length() < 1e-14);
            let rates = contact.rates(&pose, &rolling, &below, &Twist::ZERO);
            assert!((rates.point - rolling.linear).length() < 1e-14, "{rates:?}");
            assert!(matches!(contact.on_a, Feature::Circle { .. }));
        }
    }
}

#[test]
fn a_leaning_drum_touches_with_the_lowest_point_of_its_rim() {
    let lean: f64 = 0.4;
    let height = 0.5 * lean.cos() + 0.3 * lean.sin();
    for (ground, below) in grounds() {
        let pose = Pose { position: DVec3::Z * height, rotation: DQuat::from_rotation_y(lean) };
        let found = contacts(&drum(), &pose, &ground, &below, 1e-3);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].geometry.gap.abs() < 1e-14);
    }
}

#[test]
fn a_box_stands_on_a_drum_and_a_drum_on_a_drum() {
    let cube = cuboid(0.1, 0.1, 0.1);
    let found = contacts(&cube, &Pose::at(DVec3::Z * 0.6), &drum(), &Pose::IDENTITY, 1e-6);
    assert_eq!(found.len(), 4, "{found:?}");
    let above = Pose::at(DVec3::new(0.1, 0.0, 1.0));
    let found = contacts(&drum(), &above, &drum(), &Pose::IDENTITY, 1e-6);
    assert!(found.len() >= 8, "{found:?}");
    for contact in &found {
        assert!(
            contact.geometry.gap.abs() < 1e-12
                && (contact.geometry.normal - DVec3::Z).length() < 1e-9
        );
    }
}

#[test]
fn drums_side_by_side_touch_at_the_ends_of_the_overlap() {
    let beside = Pose::at(DVec3::new(0.6001, 0.0, 0.25));
    let found = contacts(&drum(), &beside, &drum(), &Pose::IDENTITY, 1e-3);
    assert_eq!(found.len(), 2, "{found:?}");
    let mut heights: Vec<f64> = found.iter().map(|t| t.geometry.point.z).collect();
    heights.sort_by(f64::total_cmp);
    assert!((heights[0] + 0.25).abs() < 1e-12 && (heights[1] - 0.5).abs() < 1e-12);
    let crossed = Pose { position: DVec3::X * 0.6001, rotation: DQuat::from_rotation_x(FRAC_PI_2) };
    let found = contacts(&drum(), &crossed, &drum(), &Pose::IDENTITY, 1e-3);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].geometry.gap - 1e-4).abs() < 1e-12);
}

#[test]
fn balls_touch_sides_ends_and_rims_of_drums() {
    let ball = vec![part(Shape::Ball { radius: 0.2 })];
    let diagonal = DVec3::new(1.0, 0.0, 1.0).normalize();
    let rim = DVec3::new(0.3, 0.0, 0.5);
    for (centre, normal) in [
        (DVec3::new(0.5001, 0.0, 0.1), DVec3::X),
        (DVec3::new(0.1, 0.0, 0.7001), DVec3::Z),
        (rim + diagonal * 0.2001, diagonal),
    ] {
        let found = contacts(&ball, &Pose::at(centre), &drum(), &Pose::IDENTITY, 1e-3);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].geometry.gap - 1e-4).abs() < 1e-12, "{found:?}");
        assert!((found[0].geometry.normal - normal).length() < 1e-9);
    }
}

#[test]
fn a_cone_lies_on_its_tip_and_rim_and_stands_on_its_base() {
    let cone = vec![part(Shape::Cone { half_length: 0.4, radius: 0.3 })];
    for (ground, below) in grounds() {
        let found = contacts(&cone, &Pose::at(DVec3::Z * 0.4), &ground, &below, 1e-3);
        assert_eq!(found.len(), 16, "{found:?}");
        // Lying on its side, which makes an angle of atan(r/H) with the axis.
        let half_angle = (0.3_f64 / 0.8).atan();
        let rotation = DQuat::from_rotation_y(FRAC_PI_2 + half_angle);
        let lowest = least_gap(&contacts(
            &cone,
            &Pose { position: DVec3::Z, rotation },
            &ground,
            &below,
            2.0,
        ));
        let pose = Pose { position: DVec3::Z * (1.0 - lowest), rotation };
        let found = contacts(&cone, &pose, &ground, &below, 1e-6);
        assert_eq!(found.len(), 2, "{found:?}");
    }
}

/// A box on the cap of a drum, a rounding above or below it, touches the cap and never the side.
#[test]
fn a_box_on_a_cap_is_carried_upwards_whatever_the_rounding() {
    let disc = vec![part(Shape::Cylinder { half_length: 0.05, radius: 0.5 })];
    let cube = cuboid(0.05, 0.05, 0.05);
    for k in -40..=40 {
        let height = 0.1 + f64::from(k) * 2.5e-17;
        for (x, turn) in [(0.3, 0.0), (0.0, 0.3), (0.49, 0.1), (0.3, 1e-9)] {
            let pose = Pose {
                position: DVec3::new(x, 0.0, height),
                rotation: DQuat::from_rotation_z(turn),
            };
            for flip in [false, true] {
                let (found, up) = if flip {
                    (contacts(&disc, &Pose::IDENTITY, &cube, &pose, 1e-5), -1.0)
                } else {
                    (contacts(&cube, &pose, &disc, &Pose::IDENTITY, 1e-5), 1.0)
                };
                assert!(found.len() >= 4, "{found:?}");
                for contact in &found {
                    let geometry = contact.geometry;
                    assert!((geometry.normal - DVec3::Z * up).length() < 1e-12, "{contact:?}");
                    assert!(geometry.gap.abs() < 1e-14, "{contact:?}");
                }
            }
        }
    }
}

//! The broad phase compared with a test of all pairs.

mod common;

use common::{Random, cuboid, part};
use glam::DVec3;
use stiction_geometry::{Aabb, Part, Pose, Shape, aabb, candidates, distance};

#[test]
fn candidates_are_the_pairs_of_boxes_that_meet() {
    let mut random = Random(16);
    for round in 0..200 {
        let count = random.below(80);
        let boxes: Vec<Aabb> = (0..count)
            .map(|k| {
                let centre = random.vector(5.0);
                let mut half = random.vector(1.0).abs();
                if k % 17 == 3 {
                    half *= 100.0;
                }
                if k % 29 == 5 {
                    return Aabb { low: DVec3::NEG_INFINITY, high: DVec3::new(1e9, 1e9, centre.z) };
                }
                Aabb { low: centre - half, high: centre + half }
            })
            .collect();
        let margin = if round % 2 == 0 { 0.0 } else { 0.3 };
        let mut expected = Vec::new();
        for i in 0..boxes.len() {
            for j in i + 1..boxes.len() {
                if boxes[i].inflated(margin).meets(&boxes[j]) {
                    expected.push((i as u32, j as u32));
                }
            }
        }
        assert_eq!(candidates(&boxes, margin), expected);
    }
}

#[test]
fn bounding_boxes_contain_their_bodies() {
    let mut random = Random(17);
    let shapes = [
        Shape::Ball { radius: 0.3 },
        Shape::Capsule { half_length: 0.5, radius: 0.2 },
        Shape::Cylinder { half_length: 0.5, radius: 0.2 },
        Shape::Cone { half_length: 0.5, radius: 0.2 },
        Shape::Box { half: DVec3::new(0.1, 0.5, 0.3) },
    ];
    for _ in 0..200 {
        for shape in &shapes {
            let body = vec![Part::new(shape.clone(), random.pose(1.0)).expect("a valid shape")];
            let pose = random.pose(1.0);
            let bounds = aabb(&body, &pose);
            // A slab at the side of the bounding box touches the body, and the body does not extend
            // beyond it.
            for axis in 0..3 {
                let slab = cuboid(10.0, 10.0, 10.0);
                let mut centre = 0.5 * (bounds.low + bounds.high);
                centre[axis] = bounds.high[axis] + 10.0;
                let apart = distance(&body, &pose, &slab, &Pose::at(centre));
                assert!(apart < 1e-6, "{shape:?} {apart}");
                centre[axis] -= 1e-6;
                let ground = touching(&body, &pose, &slab, &Pose::at(centre));
                assert!(ground >= -2e-6, "{shape:?} extends beyond its box: {ground}");
            }
        }
    }
    let plane = aabb(&[part(Shape::HalfSpace)], &Pose::at(DVec3::Z));
    assert_eq!(plane.high, DVec3::new(f64::INFINITY, f64::INFINITY, 1.0));
}

fn touching(a: &[Part], pa: &Pose, b: &[Part], pb: &Pose) -> f64 {
    common::least_gap(&common::contacts(a, pa, b, pb, 1.0))
}

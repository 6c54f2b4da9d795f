//! Measures the time to find the contacts of a wall of 1,000 bricks on the ground.

use glam::DVec3;
use std::time::Instant;
use stiction_geometry::{Aabb, BroadPhase, Part, Pose, Shape, ShapeError, aabb, region};

fn main() -> Result<(), ShapeError> {
    let half = DVec3::new(0.1, 0.05, 0.04);
    let ground = vec![Part::new(Shape::HalfSpace, Pose::IDENTITY)?];
    let brick = vec![Part::new(Shape::Box { half }, Pose::IDENTITY)?];
    let mut bodies = vec![(&ground, Pose::IDENTITY)];
    for k in 0..1000_u32 {
        let (column, row) = (f64::from(k % 40), f64::from(k / 40));
        let x = 0.2 * column + 0.1 * f64::from(k / 40 % 2);
        bodies.push((&brick, Pose::at(DVec3::new(x, 0.0, 0.04 + 0.08 * row))));
    }
    let (margin, mut broad, mut contacts) = (1e-3, BroadPhase::new(), Vec::new());
    for _ in 0..5 {
        let start = Instant::now();
        let boxes: Vec<Aabb> = bodies.iter().map(|(parts, pose)| aabb(parts, pose)).collect();
        let pairs = broad.pairs(&boxes, margin).to_vec();
        let broad_time = start.elapsed();
        contacts.clear();
        let start = Instant::now();
        for &(i, j) in &pairs {
            let ((a, pose_a), (b, pose_b)) = (bodies[i as usize], bodies[j as usize]);
            region(a, &pose_a, b, &pose_b, margin, &mut contacts);
        }
        println!(
            "{} pairs in {broad_time:?}, {} contacts in {:?}",
            pairs.len(),
            contacts.len(),
            start.elapsed()
        );
    }
    Ok(())
}

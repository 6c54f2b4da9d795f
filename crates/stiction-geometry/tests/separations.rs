//! Bodies in any attitude, pulled out of each other along the direction of least depth: the least gap of
//! their contacts is then known, and must be found, by convex bodies, and by cylinders and cones on the same bodies as meshes.
//!
//! ```text
//!   s(n) ≤ S = max s,   pulled by t along n:  S' ≤ S + t = s(n) + t ≤ S'
//! ```

mod common;

use common::{Random, contacts, least_gap, part};
use glam::DVec3;
use std::sync::Arc;
use stiction_geometry::{Mesh, Part, Polyhedron, Pose, Shape, overlap};

/// How far gaps may be off (m); bodies have sizes of about one.
const EXACT: f64 = 2e-8;

fn shape(random: &mut Random) -> (&'static str, Vec<Part>) {
    let mut within = |low: f64, high: f64| random.between(low, high);
    let (radius, half_length) = (within(0.1, 0.8), within(0.05, 1.0));
    let half = DVec3::new(within(0.01, 1.0), within(0.1, 1.0), within(0.1, 1.0));
    match random.below(6) {
        0 => ("cylinder", vec![part(Shape::Cylinder { half_length, radius })]),
        1 => ("cone", vec![part(Shape::Cone { half_length, radius })]),
        2 => ("box", vec![part(Shape::Box { half })]),
        3 => ("capsule", vec![part(Shape::Capsule { half_length, radius: 0.3 * radius })]),
        4 => ("ball", vec![part(Shape::Ball { radius })]),
        _ => ("rock", common::rock(random, 9)),
    }
}

fn as_mesh(hull: &Polyhedron) -> Vec<Part> {
    let fan = |vertices: &[u32]| -> Vec<[u32; 3]> {
        (1..vertices.len() - 1).map(|k| [vertices[0], vertices[k], vertices[k + 1]]).collect()
    };
    let triangles = hull.faces().iter().flat_map(|face| fan(&face.vertices)).collect();
    let mesh = Mesh::new(hull.vertices().to_vec(), triangles).expect("a closed mesh");
    vec![part(Shape::Mesh(Arc::new(mesh)))]
}

/// Lowers the first body until it is a little in the second, then pulls it out again until they are `gap` apart.
fn placed(a: &[Part], b: &[Part], gap: f64, random: &mut Random) -> Option<[Pose; 2]> {
    let b_pose = random.pose(1.0);
    let (turn, along) = (random.rotation(), random.direction());
    let aside = b_pose.position + random.vector(0.6).reject_from(along);
    let at = |z: f64| Pose { position: aside + along * z, rotation: turn };
    let depth = |z: f64| overlap(a, &at(z), b, &b_pose).map_or(0.0, |found| found.depth);
    let (mut low, mut high) = (0.0, 6.0);
    if depth(low) < 3e-3 || depth(high) > 0.0 {
        return None;
    }
    while !(1e-3..3e-3).contains(&depth(low)) && high - low > 1e-9 {
        let middle = 0.5 * (low + high);
        if depth(middle) > 1e-3 { low = middle } else { high = middle }
    }
    let found = overlap(a, &at(low), b, &b_pose)?;
    let position = at(low).position + found.normal * (found.depth + gap);
    Some([Pose { position, rotation: turn }, b_pose])
}

#[test]
fn gaps_are_the_largest_separation() {
    let rounds = std::env::var("STICTION_HUNT").ok().and_then(|n| n.parse().ok()).unwrap_or(1500);
    let mut random = Random(7);
    let (mut tried, mut faults) = (0, Vec::new());
    for round in 0..rounds {
        let ((name, a), (other, b)) = (shape(&mut random), shape(&mut random));
        let gap = [0.0, 1e-7, -1e-7, 1e-4][random.below(4) as usize];
        let Some([pose_a, pose_b]) = placed(&a, &b, gap, &mut random) else { continue };
        tried += 1;
        let mut see = |what: String, a: &[Part], b: &[Part]| {
            let found = least_gap(&contacts(a, &pose_a, b, &pose_b, 1e-3));
            if (found - gap).abs() > EXACT {
                faults.push(format!("{round}: {what}: gap {found:e}, not {gap:e}"));
            }
        };
        see(format!("{name} on {other}"), &a, &b);
        let is_turned = ["cylinder", "cone"].contains(&name);
        if let (Some(hull), "box" | "rock", true) = (b[0].hull(), other, is_turned) {
            see(format!("{name} on {other} as a mesh"), &a, &as_mesh(hull));
        }
    }
    assert!(tried > rounds / 3, "only {tried} of {rounds} were tried");
    for fault in faults.iter().take(40) {
        eprintln!("{fault}");
    }
    assert!(faults.is_empty(), "{} of {tried} cases are wrong", faults.len());
}

//! Bodies as shapes of parry, and how deep two of them overlap.

use parry3d_f64::bounding_volume::BoundingVolume;
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query;
use parry3d_f64::shape::{
    Ball, Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, HalfSpace, SharedShape, SupportMap,
    Triangle,
};
use std::f64::consts::FRAC_PI_2;
use stiction::Body;
use stiction::geometry::{Pose, Shape};
use stiction::glam::{DQuat, DVec3};

/// A convex solid, a half-space or a triangle in the frame of its body.
pub struct Solid {
    shape: SharedShape,
    local: ParryPose,
}

/// The solids of a body. Surfaces are taken triangle by triangle.
pub fn solids(body: &Body) -> Vec<Solid> {
    let mut solids = Vec::new();
    // Cylinders and cones of parry are along y.
    let upright = DQuat::from_rotation_x(FRAC_PI_2);
    for part in &body.parts {
        let pose = part.pose();
        let mut add = |shape: SharedShape, turn: DQuat| {
            let local = ParryPose::from_parts(pose.position, pose.rotation * turn);
            solids.push(Solid { shape, local });
        };
        let shape = part.shape();
        match shape {
            Shape::Box { half } => add(SharedShape::new(Cuboid::new(*half)), DQuat::IDENTITY),
            Shape::Ball { radius } => add(SharedShape::new(Ball::new(*radius)), DQuat::IDENTITY),
            Shape::Capsule { half_length, radius } => {
                add(SharedShape::new(Capsule::new_z(*half_length, *radius)), DQuat::IDENTITY);
            }
            Shape::Cylinder { half_length, radius } => {
                add(SharedShape::new(Cylinder::new(*half_length, *radius)), upright);
            }
            Shape::Cone { half_length, radius } => {
                add(SharedShape::new(Cone::new(*half_length, *radius)), upright);
            }
            Shape::Polyhedron(hull) => {
                if let Some(hull) = ConvexPolyhedron::from_convex_hull(hull.vertices()) {
                    add(SharedShape::new(hull), DQuat::IDENTITY);
                }
            }
            Shape::HalfSpace => add(SharedShape::new(HalfSpace::new(DVec3::Z)), DQuat::IDENTITY),
            Shape::Mesh(_) | Shape::HeightField(_) => {
                let Some(surface) = shape.surface() else { continue };
                for corners in surface.triangles() {
                    let [a, b, c] = corners.map(|k| surface.vertices()[k as usize]);
                    add(SharedShape::new(Triangle::new(a, b, c)), DQuat::IDENTITY);
                }
            }
        }
    }
    solids
}

fn placed(solid: &Solid, pose: &Pose) -> ParryPose {
    ParryPose::from_parts(pose.position, pose.rotation) * solid.local
}

/// How deep two bodies overlap (m), if deeper than `least`.
pub fn depth(bodies: [&[Solid]; 2], poses: [&Pose; 2], least: f64) -> Option<f64> {
    let mut deepest: Option<f64> = None;
    for a in bodies[0] {
        let here = placed(a, poses[0]);
        let near = a.shape.compute_aabb(&here);
        for b in bodies[1] {
            let there = placed(b, poses[1]);
            if !near.intersects(&b.shape.compute_aabb(&there)) {
                continue;
            }
            // Parry 0.31 places half-spaces wrongly where they are the second shape.
            let swaps = b.shape.as_halfspace().is_some();
            let (mut shapes, mut at) = ([&a.shape, &b.shape], [&here, &there]);
            if swaps {
                (shapes, at) = ([shapes[1], shapes[0]], [at[1], at[0]]);
            }
            let contact = query::contact(at[0], &**shapes[0], at[1], &**shapes[1], 0.0);
            let Ok(Some(found)) = contact else { continue };
            let mut depth = -found.dist;
            if depth > least
                && let (Some(first), Some(second)) =
                    (shapes[0].as_support_map(), shapes[1].as_support_map())
            {
                depth = depth.min(shallowest([first, second], at, found.normal1));
            }
            if depth > deepest.unwrap_or(least) {
                deepest = Some(depth);
            }
        }
    }
    deepest
}

/// Directions all around from which the search begins, besides that of parry.
const AROUND: u32 = 200;

/// The shortest translation that separates two convex solids (m), never too small by more than what
/// the search misses: parry's own is too long where its iteration ends early.
///
/// ```text
///   depth = min over n of  max over the first of n·x − min over the second of n·x
/// ```
fn shallowest(solids: [&dyn SupportMap; 2], poses: [&ParryPose; 2], given: DVec3) -> f64 {
    let along = |n: DVec3| {
        let first = solids[0].support_point(poses[0], n).dot(n);
        let second = solids[1].support_point(poses[1], -n).dot(n);
        first - second
    };
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let around = (0..AROUND).map(|k| {
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(AROUND);
        let (sin, cos) = (golden * f64::from(k)).sin_cos();
        let out = (1.0 - z * z).sqrt();
        DVec3::new(out * cos, out * sin, z)
    });
    let mut starts: Vec<(DVec3, f64)> =
        around.chain([given, -given]).map(|n| (n, along(n))).collect();
    starts.sort_by(|p, q| p.1.total_cmp(&q.1));
    let descend = |(mut n, mut best): (DVec3, f64)| {
        let mut step = 0.2;
        while step > 1e-9 {
            let (u, v) = n.any_orthonormal_pair();
            let tries =
                [u, -u, v, -v, u + v, u - v, v - u, -u - v].map(|d| (n + step * d).normalize());
            match tries.into_iter().map(|n| (n, along(n))).min_by(|p, q| p.1.total_cmp(&q.1)) {
                Some((better, value)) if value < best => (n, best) = (better, value),
                _ => step *= 0.5,
            }
        }
        best
    };
    starts.into_iter().take(6).map(descend).fold(f64::INFINITY, f64::min)
}

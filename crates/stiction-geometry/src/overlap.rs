//! How deep two bodies overlap.
//!
//! The depth of two convex parts is the shortest translation that separates them:
//!
//! ```text
//!   depth = −max s(n),    s(n) = min over the first of n·x − max over the second of n·x
//! ```
//!
//! For two polyhedra the maximum is at a face normal or a common perpendicular of edges and is
//! exact. For round parts `s` is evaluated at every candidate (face normals, perpendiculars of axes
//! and edges, parry's normal, directions all around) and climbs from the best of them. Every `n`
//! proves that no longer translation is needed, so that the depth is never too small.
//!
//! A mesh is a surface: a part overlaps the triangles that go through it, each taken as a convex
//! part without thickness. A part with its middle inside a closed mesh, or below a height field, has
//! to leave through the triangle nearest to its middle.

use glam::DVec3;

use crate::bounds::of_part;
use crate::mesh::Mesh;
use crate::polyhedron::Polyhedron;
use crate::region::{hull_axis, is_polyhedron};
use crate::support::{Core, Couple, climb};
use crate::{Aabb, Part, Pose, Shape};

/// Two bodies that share some of their volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Length of the shortest translation that separates the two deepest parts (m).
    pub depth: f64,
    /// Where: the deepest point of the smaller part (m).
    pub point: DVec3,
    /// Unit direction in which the first body would have to move.
    pub normal: DVec3,
}

/// Directions all around that are tried for round parts. Separations of round parts have few
/// maxima, wider than the 0.4 rad between these.
const AROUND: u32 = 128;

/// Candidates from which a climb begins.
const CLIMBS: usize = 4;

/// The deepest overlap of any two parts of two bodies; `None` if they are apart or only touch, or a
/// pose is not finite. Parts that are both half-spaces or surfaces do not overlap.
pub fn overlap(a: &[Part], pose_a: &Pose, b: &[Part], pose_b: &Pose) -> Option<Overlap> {
    if !(pose_a.is_finite() && pose_b.is_finite()) {
        return None;
    }
    let mut deepest: Option<Overlap> = None;
    for part_a in a {
        let box_a = reach(part_a, pose_a);
        for part_b in b.iter().filter(|part| reach(part, pose_b).meets(&box_a)) {
            let found = of_parts(part_a, pose_a, part_b, pose_b);
            deepest = deeper(deepest, found.filter(|found| found.depth > 0.0));
        }
    }
    deepest
}

/// The bounding box of what a part fills: height fields fill what is below them.
fn reach(part: &Part, pose: &Pose) -> Aabb {
    match part.shape() {
        Shape::HeightField(_) => Aabb::ALL,
        _ => of_part(part, pose),
    }
}

/// The deeper of two overlaps.
fn deeper(one: Option<Overlap>, other: Option<Overlap>) -> Option<Overlap> {
    match (&one, &other) {
        (Some(a), Some(b)) if b.depth > a.depth => other,
        (None, _) => other,
        _ => one,
    }
}

fn of_parts(a: &Part, pose_a: &Pose, b: &Part, pose_b: &Pose) -> Option<Overlap> {
    if let Some(couple) = Couple::new(a, pose_a, b, pose_b) {
        return Some(of_convex(a, b, &couple));
    }
    let flipped = |found: Overlap| Overlap { normal: -found.normal, ..found };
    match (Core::new(a), Core::new(b)) {
        (Some(_), None) => on_ground(a, pose_a, b, pose_b),
        (None, Some(_)) => on_ground(b, pose_b, a, pose_a).map(flipped),
        _ => None,
    }
}

/// The direction from b to a along which convex parts are farthest apart or overlap least, and
/// this separation (m).
pub(crate) fn best_axis(a: &Part, b: &Part, couple: &Couple<'_>) -> (DVec3, f64) {
    match (is_polyhedron(a), is_polyhedron(b)) {
        (Some(first), Some(second)) => {
            let [here, there] = couple.poses;
            hull_axis(first, here, second, there)
        }
        _ => best_of(candidates(a, b, couple), |n| couple.along(n), |n| couple.climb(n)),
    }
}

fn of_convex(a: &Part, b: &Part, couple: &Couple<'_>) -> Overlap {
    let (normal, separation) = best_axis(a, b, couple);
    let [one, two] = couple.cores;
    let [here, there] = couple.poses;
    let point = if one.size() <= two.size() {
        deepest_point(one, here, -normal)
    } else {
        deepest_point(two, there, normal)
    };
    Overlap { depth: -separation, point, normal }
}

/// The point of a part farthest along a direction of the world.
fn deepest_point(core: Core<'_>, pose: &Pose, along: DVec3) -> DVec3 {
    pose.point(core.farthest(pose.local_direction(along))) + along * core.radius()
}

/// The direction of largest separation: the best candidates, and what is above them nearby.
fn best_of(
    candidates: Vec<DVec3>,
    along: impl Fn(DVec3) -> f64,
    climb: impl Fn(DVec3) -> (DVec3, f64),
) -> (DVec3, f64) {
    let mut tried: Vec<(DVec3, f64)> = candidates.into_iter().map(|n| (n, along(n))).collect();
    tried.sort_by(|x, y| y.1.total_cmp(&x.1));
    if tried.first().is_none_or(|best| best.1 >= 0.0) {
        return tried.first().copied().unwrap_or((DVec3::Z, 0.0));
    }
    let climbed = tried.iter().take(CLIMBS).map(|(n, _)| climb(*n));
    climbed.max_by(|x, y| x.1.total_cmp(&y.1)).unwrap_or(tried[0])
}

/// Directions in which the separation of two parts may be largest, from b to a.
fn candidates(a: &Part, b: &Part, couple: &Couple<'_>) -> Vec<DVec3> {
    let [here, there] = couple.poses;
    let mut found: Vec<DVec3> = around().collect();
    found.extend(couple.nearest(couple.size()));
    let middle =
        |part: &Part, pose: &Pose| pose.point(0.5 * (part.bounds().low + part.bounds().high));
    found.extend((middle(a, here) - middle(b, there)).try_normalize());
    let faces = |part: &Part, pose: &Pose| -> Vec<DVec3> {
        let faces = part.hull().map_or(&[][..], Polyhedron::faces);
        faces.iter().map(|face| pose.direction(face.normal)).collect()
    };
    found.extend(faces(a, here).into_iter().map(|normal| -normal));
    found.extend(faces(b, there));
    let [one, two] = couple.cores.map(Core::directions);
    for u in one.iter().map(|u| here.direction(*u)) {
        for v in two.iter().map(|v| there.direction(*v)) {
            found.extend(u.cross(v).try_normalize().into_iter().flat_map(|n| [n, -n]));
        }
    }
    found
}

/// Directions spread evenly over the sphere (a Fibonacci lattice).
fn around() -> impl Iterator<Item = DVec3> {
    let golden = std::f64::consts::PI * (3.0 - 5_f64.sqrt());
    (0..AROUND).map(move |k| {
        let z = 1.0 - 2.0 * (f64::from(k) + 0.5) / f64::from(AROUND);
        let (sin, cos) = (golden * f64::from(k)).sin_cos();
        let across = (1.0 - z * z).sqrt();
        DVec3::new(across * cos, across * sin, z)
    })
}

/// A convex part on a half-space or a surface.
fn on_ground(part: &Part, pose: &Pose, ground: &Part, ground_pose: &Pose) -> Option<Overlap> {
    let core = Core::new(part)?;
    let place = ground_pose.compose(ground.pose());
    if let Some(mesh) = ground.shape().surface() {
        let seen = Pose {
            position: place.local_point(pose.position),
            rotation: place.rotation.conjugate() * pose.rotation,
        };
        let solid = match ground.shape() {
            Shape::HeightField(_) => Solid::Below,
            _ if mesh.is_closed() => Solid::Inside,
            _ => Solid::Nothing,
        };
        return on_mesh(part, core, &seen, mesh, solid).map(|found| Overlap {
            point: place.point(found.point),
            normal: place.direction(found.normal),
            ..found
        });
    }
    let normal = place.direction(DVec3::Z);
    let point = deepest_point(core, pose, -normal);
    Some(Overlap { depth: -normal.dot(point - place.position), point, normal })
}

/// What is solid beside a surface.
#[derive(Clone, Copy)]
enum Solid {
    Inside,
    Below,
    Nothing,
}

/// A part at `pose` in the frame of a mesh.
fn on_mesh(part: &Part, core: Core<'_>, pose: &Pose, mesh: &Mesh, solid: Solid) -> Option<Overlap> {
    let mut deepest = None;
    for triangle in mesh.near(&of_part(part, pose)) {
        deepest = deeper(deepest, through(part, core, pose, mesh.corners(triangle)));
    }
    let middle = pose.point(0.5 * (part.bounds().low + part.bounds().high));
    let inside = match solid {
        Solid::Inside => mesh.winding_number(middle) > 0.5,
        Solid::Below => mesh.is_below(middle),
        Solid::Nothing => false,
    };
    if inside && let Some((corners, normal)) = mesh.nearest_triangle(middle) {
        let point = deepest_point(core, pose, -normal);
        let depth = -normal.dot(point - corners[0]);
        deepest = deeper(deepest, Some(Overlap { depth, point, normal }));
    }
    deepest
}

/// A part and a triangle that goes through it.
fn through(part: &Part, core: Core<'_>, pose: &Pose, corners: [DVec3; 3]) -> Option<Overlap> {
    let along = |n: DVec3| {
        let top = corners.iter().map(|corner| n.dot(*corner)).fold(f64::NEG_INFINITY, f64::max);
        n.dot(pose.position) + core.lowest(pose.local_direction(n)) - top
    };
    let [a, b, c] = corners;
    let front = (b - a).cross(c - a).try_normalize()?;
    if along(front) >= 0.0 || along(-front) >= 0.0 {
        return None;
    }
    let mut found = vec![front, -front];
    let faces = part.hull().map_or(&[][..], Polyhedron::faces);
    found.extend(faces.iter().map(|face| -pose.direction(face.normal)));
    let sides = [b - a, c - b, a - c];
    let mut turns: Vec<DVec3> = sides.iter().map(|side| side.normalize_or_zero()).collect();
    for u in core.directions().iter().map(|u| pose.direction(*u)) {
        turns.extend(core.is_round().then_some(u));
        for side in sides {
            found.extend(u.cross(side).try_normalize().into_iter().flat_map(|n| [n, -n]));
        }
    }
    if is_polyhedron(part).is_none() {
        found.extend(around());
    }
    let (normal, separation) = best_of(found, along, |n| climb(along, &turns, n));
    let point = deepest_point(core, pose, -normal);
    (separation < 0.0).then_some(Overlap { depth: -separation, point, normal })
}

//! Distance queries and ray casts.

use glam::DVec3;
use parry3d_f64::query::Ray;
use parry3d_f64::query::details::{
    distance_support_map_support_map, local_ray_intersection_with_support_map_with_params,
    local_ray_intersection_with_triangle,
};
use parry3d_f64::query::gjk::VoronoiSimplex;
use parry3d_f64::shape::{SupportMap, Triangle};

use crate::support::{Core, Couple, Scaled, relative};
use crate::{Mesh, Part, Pose};

/// Distance between two bodies (m); 0 if they overlap, infinite if one has no parts, NaN if a pose
/// is not finite.
///
/// Two parts that are both half-spaces or surfaces count as overlapping.
pub fn distance(a: &[Part], pose_a: &Pose, b: &[Part], pose_b: &Pose) -> f64 {
    if !(pose_a.is_finite() && pose_b.is_finite()) {
        return f64::NAN;
    }
    let mut least = f64::INFINITY;
    for part_a in a {
        for part_b in b {
            least = least.min(between(part_a, pose_a, part_b, pose_b));
        }
    }
    least
}

fn between(a: &Part, pose_a: &Pose, b: &Part, pose_b: &Pose) -> f64 {
    if let Some(couple) = Couple::new(a, pose_a, b, pose_b) {
        return couple.distance().max(0.0);
    }
    match (Core::new(a), Core::new(b)) {
        (Some(one), None) => above(one, pose_a, b, pose_b),
        (_, Some(two)) => above(two, pose_b, a, pose_a),
        (None, None) => 0.0,
    }
}

/// Distance of a convex part from a half-space or a surface.
fn above(core: Core<'_>, pose: &Pose, ground: &Part, ground_pose: &Pose) -> f64 {
    if let Some(mesh) = ground.shape().surface() {
        return from_mesh(core, pose, mesh, &ground_pose.compose(ground.pose()));
    }
    let plane = ground_pose.compose(ground.pose());
    let normal = plane.direction(DVec3::Z);
    let lowest = core.lowest(pose.local_direction(normal)) + normal.dot(pose.position);
    (lowest - normal.dot(plane.position)).max(0.0)
}

/// Measures every triangle: for checks, not for inner loops.
fn from_mesh(core: Core<'_>, pose: &Pose, mesh: &Mesh, mesh_pose: &Pose) -> f64 {
    let scale = 1.0 / core.size();
    let mut place = relative(pose, mesh_pose);
    place.translation *= scale;
    let scaled = Scaled { core, scale };
    let triangles = (0..mesh.triangles().len() as u32).map(|k| {
        let [a, b, c] = mesh.corners(k).map(|corner| corner * scale);
        distance_support_map_support_map(&place, &scaled, &Triangle::new(a, b, c))
    });
    (triangles.fold(f64::INFINITY, f64::min) / scale - core.radius()).max(0.0)
}

/// Intersection of a ray with a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance from the origin of the ray (m); 0 if the ray starts inside.
    pub distance: f64,
    /// Outward unit normal in world axes; zero if the ray starts inside.
    pub normal: DVec3,
    /// Index of the part that was hit.
    pub part: usize,
}

/// The first hit of a ray with a body within `max_distance` (m). A ray with zero direction hits
/// nothing.
pub fn ray_cast(
    parts: &[Part],
    pose: &Pose,
    origin: DVec3,
    direction: DVec3,
    max_distance: f64,
) -> Option<Hit> {
    let direction = direction.try_normalize()?;
    if !(pose.is_finite() && origin.is_finite()) {
        return None;
    }
    let (from, along) = (pose.local_point(origin), pose.local_direction(direction));
    let hits = parts.iter().enumerate().filter_map(|(k, part)| {
        let (distance, normal) = cast(part, from, along, max_distance)?;
        Some(Hit { distance, normal: pose.direction(normal), part: k })
    });
    hits.min_by(|x, y| x.distance.total_cmp(&y.distance))
}

/// Distance and normal in the body frame.
fn cast(part: &Part, from: DVec3, along: DVec3, max_distance: f64) -> Option<(f64, DVec3)> {
    if let Some(core) = Core::new(part) {
        let ray = Ray::new(from, along);
        let whole = Whole(core);
        let mut simplex = VoronoiSimplex::new();
        let hit = local_ray_intersection_with_support_map_with_params(
            &whole,
            &mut simplex,
            &ray,
            max_distance,
            true,
        )?;
        return Some((hit.time_of_impact, hit.normal));
    }
    if let Some(mesh) = part.shape().surface() {
        let (from, along) = (part.pose().local_point(from), part.pose().local_direction(along));
        let (distance, normal) = cast_on_mesh(mesh, &Ray::new(from, along), max_distance)?;
        return Some((distance, part.pose().direction(normal)));
    }
    let normal = part.pose().direction(DVec3::Z);
    let height = normal.dot(from - part.pose().position);
    if height <= 0.0 {
        return Some((0.0, DVec3::ZERO));
    }
    let distance = -height / normal.dot(along);
    (distance >= 0.0 && distance <= max_distance).then_some((distance, normal))
}

/// The nearest triangle hit by a ray from either side; the normal is that of the triangle.
fn cast_on_mesh(mesh: &Mesh, ray: &Ray, max_distance: f64) -> Option<(f64, DVec3)> {
    let hits = (0..mesh.triangles().len() as u32).filter_map(|k| {
        let [a, b, c] = mesh.corners(k);
        let (hit, _) = local_ray_intersection_with_triangle(a, b, c, ray)?;
        let normal = (b - a).cross(c - a).normalize_or_zero();
        (hit.time_of_impact <= max_distance).then_some((hit.time_of_impact, normal))
    });
    hits.min_by(|x, y| x.0.total_cmp(&y.0))
}

/// A convex part including its radius.
struct Whole<'a>(Core<'a>);

impl SupportMap for Whole<'_> {
    fn local_support_point(&self, dir: DVec3) -> DVec3 {
        self.0.farthest(dir) + dir.normalize_or_zero() * self.0.radius()
    }
}

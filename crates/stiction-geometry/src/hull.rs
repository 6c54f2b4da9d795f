//! Convex hulls with polygonal faces, by gift wrapping.
//!
//! A plane is rotated about an edge of a known face until it touches the next
//! point; all points in this plane, within a tolerance, form the next face:
//!
//! ```text
//!        known face          y = depth below the known face
//!   ────────────●─────       x = distance from the edge, into the known face
//!          edge  \   ↻
//!                 \  next face
//! ```
//!
//! Each side of a face costs a pass over the points, so n points with e edges cost
//! O(n e): negligible for the bodies of a scene, seconds for ten thousand points.
//! parry's hull is faster but produces triangles, and fails or panics on points in
//! a regular grid, which is typical of designed bodies.

use std::collections::BTreeMap;

use glam::DVec3;

use crate::shape::ShapeError;

/// Tolerances relative to the size, tried one after the other: points nearer to each other are one
/// vertex, points nearer to a plane lie in it. The first keeps faces flat for coordinates with 10
/// digits, the last for coordinates in single precision.
const COPLANAR: [f64; 3] = [1e-9, 3e-8, 1e-6];

/// A body thinner than this fraction of its size is flat: three times the last tolerance above.
const FLAT: f64 = 3e-6;

/// Largest number of faces per point. A face has at least three edges and a hull of n points has at
/// most 3n − 6; more faces mean that the tolerance does not suit the points.
const FACES_PER_POINT: usize = 4;

/// Vertices and faces (counter-clockwise seen from outside) of the convex hull of points.
pub(crate) fn convex_hull(points: &[DVec3]) -> Result<(Vec<DVec3>, Vec<Vec<u32>>), ShapeError> {
    if let Some(index) = points.iter().position(|p| !p.is_finite()) {
        return Err(ShapeError::NotFinite { what: "point", index });
    }
    let size = extent(points);
    check_thickness(points, size)?;
    for tolerance in COPLANAR {
        let near = tolerance * size;
        let distinct = distinct(points, near);
        if let Some(polygons) = wrap(&distinct, near) {
            return Ok(renumber(&distinct, polygons));
        }
    }
    Err(ShapeError::NoHull)
}

/// The points without duplicates, in their original order.
fn distinct(points: &[DVec3], near: f64) -> Vec<DVec3> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&i, &j| points[i].x.total_cmp(&points[j].x).then(i.cmp(&j)));
    let mut dropped = vec![false; points.len()];
    for (rank, &i) in order.iter().enumerate() {
        let close = order[rank + 1..].iter().take_while(|&&j| points[j].x - points[i].x <= near);
        for &j in close {
            dropped[j] |= !dropped[i] && points[i].distance(points[j]) <= near;
        }
    }
    (0..points.len()).filter(|&i| !dropped[i]).map(|i| points[i]).collect()
}

/// The diagonal of the bounding box.
fn extent(points: &[DVec3]) -> f64 {
    let low = points.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = points.iter().copied().reduce(DVec3::max).unwrap_or_default();
    (high - low).length()
}

/// Rejects points on a line or in a plane. The point farthest from a first point gives a line, the
/// point farthest from that line gives a plane; both this distance and the largest distance from
/// the plane must exceed the tolerance.
fn check_thickness(points: &[DVec3], size: f64) -> Result<(), ShapeError> {
    let flat = |thickness: f64| ShapeError::Flat { thickness };
    if points.len() < 4 || !size.is_finite() || size <= 0.0 || !(size * size * size).is_normal() {
        return Err(flat(0.0));
    }
    let farthest = |distance: &dyn Fn(DVec3) -> f64| {
        points.iter().map(|&p| (distance(p), p)).max_by(|x, y| x.0.total_cmp(&y.0))
    };
    let origin = points[0];
    let (_, second) = farthest(&|p| p.distance(origin)).ok_or(flat(0.0))?;
    let along = (second - origin).normalize_or_zero();
    let across = |p: DVec3| (p - origin) - along * along.dot(p - origin);
    let (width, third) = farthest(&|p| across(p).length()).ok_or(flat(0.0))?;
    if width <= FLAT * size {
        return Err(flat(0.0));
    }
    let normal = along.cross(third - origin).normalize_or_zero();
    let (thickness, _) = farthest(&|p| normal.dot(p - origin).abs()).ok_or(flat(0.0))?;
    if thickness <= FLAT * size { Err(flat(thickness)) } else { Ok(()) }
}

/// All faces, or `None` if they do not form a closed surface at this tolerance.
fn wrap(points: &[DVec3], near: f64) -> Option<Vec<Vec<u32>>> {
    let mut polygons = vec![face_polygon(points, first_face(points, near)?, near)?];
    let mut owner: BTreeMap<(u32, u32), DVec3> = BTreeMap::new();
    let mut open: Vec<(u32, u32)> = sides(&polygons[0]).collect();
    owner.extend(open.iter().map(|&edge| (edge, normal_of(points, &polygons[0]))));
    while let Some((from, to)) = open.pop() {
        if owner.contains_key(&(to, from)) {
            continue;
        }
        let edge = (points[from as usize], points[to as usize]);
        let normal = turned(points, edge, owner[&(from, to)], near)?;
        let polygon = face_polygon(points, normal, near)?;
        for edge in sides(&polygon) {
            if owner.insert(edge, normal_of(points, &polygon)).is_some() {
                return None;
            }
            open.push(edge);
        }
        polygons.push(polygon);
        let closed = owner.contains_key(&(to, from));
        if !closed || polygons.len() > FACES_PER_POINT * points.len() {
            return None;
        }
    }
    Some(polygons)
}

/// The directed sides of a polygon.
fn sides(polygon: &[u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    (0..polygon.len()).map(|k| (polygon[k], polygon[(k + 1) % polygon.len()]))
}

/// The unit normal of a polygon.
fn normal_of(points: &[DVec3], polygon: &[u32]) -> DVec3 {
    let corner = |k: u32| points[k as usize] - points[polygon[0] as usize];
    sides(polygon).map(|(k, l)| corner(k).cross(corner(l))).sum::<DVec3>().normalize_or_zero()
}

/// The normal of a face at the lowest point: the horizontal plane is rotated about a horizontal
/// line, and then about the line to the point that it touches.
fn first_face(points: &[DVec3], near: f64) -> Option<DVec3> {
    let lowest = *points.iter().min_by(|p, q| p.z.total_cmp(&q.z))?;
    let tilted = turned(points, (lowest, lowest + DVec3::X), -DVec3::Z, near)?;
    let met = points
        .iter()
        .filter(|p| tilted.dot(**p - lowest).abs() <= near)
        .max_by(|p, q| p.distance(lowest).total_cmp(&q.distance(lowest)))?;
    if met.distance(lowest) <= near {
        return None;
    }
    turned(points, (lowest, *met), tilted, near)
}

/// The outward normal of the next face about the directed edge of a face with normal `n`.
///
/// In the plane perpendicular to the edge every point has coordinates `(x, y)` as in the picture,
/// with `y ≥ 0`. The next face contains the point with the largest angle from `x`. The search
/// starts at the farthest point, so that the direction is well conditioned, and rotates the plane
/// further while a point is outside it.
fn turned(points: &[DVec3], (from, to): (DVec3, DVec3), n: DVec3, near: f64) -> Option<DVec3> {
    let along = (to - from).try_normalize()?;
    let into = n.cross(along);
    let flat = |p: &DVec3| (into.dot(*p - from), -n.dot(*p - from));
    let apart = |&(x, y): &(f64, f64)| y > near && x.hypot(y) > near;
    let far = |p: &(f64, f64)| p.1 - near;
    let start = points.iter().map(flat).filter(apart).max_by(|p, q| far(p).total_cmp(&far(q)))?;
    let (mut x, mut y) = start;
    for _ in 0..points.len() {
        let length = x.hypot(y);
        (x, y) = (x / length, y / length);
        // Height of a point outside the plane through (x, y); if positive, the plane rotates
        // further.
        let outside = |p: &(f64, f64)| x * p.1 - y * p.0;
        let worst = points.iter().map(flat).max_by(|p, q| outside(p).total_cmp(&outside(q)))?;
        if outside(&worst) <= near {
            return Some((-n * x - into * y).normalize_or_zero()).map(|m| outward(m, points, from));
        }
        (x, y) = worst;
    }
    None
}

/// The normal of a plane, directed away from the points.
fn outward(normal: DVec3, points: &[DVec3], at: DVec3) -> DVec3 {
    let sum: f64 = points.iter().map(|p| normal.dot(*p - at)).sum();
    if sum > 0.0 { -normal } else { normal }
}

/// The polygon of the points that are farthest along a normal.
fn face_polygon(points: &[DVec3], normal: DVec3, near: f64) -> Option<Vec<u32>> {
    let top = points.iter().map(|p| normal.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
    let members: Vec<u32> = (0..points.len() as u32)
        .filter(|&k| normal.dot(points[k as usize]) >= top - 2.0 * near)
        .collect();
    let polygon = outline(points, members, normal, near);
    (polygon.len() >= 3).then_some(polygon)
}

/// The corners of the convex polygon of points in one plane, counter-clockwise about `normal`
/// (Andrew's monotone chain); points on a side are dropped.
fn outline(points: &[DVec3], mut members: Vec<u32>, normal: DVec3, near: f64) -> Vec<u32> {
    let x = normal.any_orthonormal_vector();
    let y = normal.cross(x);
    let flat = |k: u32| (x.dot(points[k as usize]), y.dot(points[k as usize]));
    members.sort_by(|&i, &j| {
        let (p, q) = (flat(i), flat(j));
        p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1))
    });
    let turns_left = |a: u32, b: u32, c: u32| {
        let (p, q, r) = (flat(a), flat(b), flat(c));
        let (ux, uy) = (r.0 - p.0, r.1 - p.1);
        let (vx, vy) = (q.0 - p.0, q.1 - p.1);
        vx * uy - vy * ux > near * ux.hypot(uy)
    };
    let mut chain = half_chain(members.iter().copied(), &turns_left);
    let upper = half_chain(members.iter().rev().copied(), &turns_left);
    chain.pop();
    chain.extend(&upper[..upper.len().saturating_sub(1)]);
    chain
}

fn half_chain(
    members: impl Iterator<Item = u32>,
    turns_left: &dyn Fn(u32, u32, u32) -> bool,
) -> Vec<u32> {
    let mut chain: Vec<u32> = Vec::new();
    for k in members {
        while chain.len() >= 2 && !turns_left(chain[chain.len() - 2], chain[chain.len() - 1], k) {
            chain.pop();
        }
        chain.push(k);
    }
    chain
}

/// Keeps only the points that are corners of a face, in their order, and renumbers the faces.
fn renumber(points: &[DVec3], mut polygons: Vec<Vec<u32>>) -> (Vec<DVec3>, Vec<Vec<u32>>) {
    let mut used: Vec<u32> = polygons.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    for corner in polygons.iter_mut().flatten() {
        *corner = used.partition_point(|&k| k < *corner) as u32;
    }
    (used.iter().map(|&k| points[k as usize]).collect(), polygons)
}

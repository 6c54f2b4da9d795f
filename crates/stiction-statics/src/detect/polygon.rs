//! Polygons in the plane: overlap of two of them, convex or not.

use crate::surface::area_of;
use glam::{DVec2, DVec3};
use stiction_contact::UnionFind;

/// A simple polygon as convex pieces, counter-clockwise.
pub(super) struct Polygon {
    pieces: Vec<Vec<DVec2>>,
}

impl Polygon {
    /// A polygon from its corners in either direction.
    pub fn new(mut corners: Vec<DVec2>) -> Self {
        if area(&corners) < 0.0 {
            corners.reverse();
        }
        if is_convex(&corners) {
            return Polygon { pieces: vec![corners] };
        }
        let triangle = |numbers: [usize; 3]| numbers.map(|k| corners[k]).to_vec();
        let mut pieces: Vec<Vec<DVec2>> = triangles(&corners).into_iter().map(triangle).collect();
        pieces.retain(|piece| area(piece) > 0.0);
        Polygon { pieces }
    }

    /// The corners of the convex hull of every connected piece of the overlap whose area is more than `least`. Corners within
    /// `same` of each other, or of the line through their neighbours, are one.
    pub fn overlaps(&self, other: &Polygon, least: f64, same: f64) -> Vec<Vec<DVec2>> {
        let mut shared: Vec<Vec<DVec2>> = Vec::new();
        let bounds: Vec<[DVec2; 2]> = other.pieces.iter().map(|piece| bounds_of(piece)).collect();
        for mine in &self.pieces {
            let [low, high] = bounds_of(mine);
            for (theirs, [from, to]) in other.pieces.iter().zip(&bounds) {
                if low.cmpgt(*to).any() || high.cmplt(*from).any() {
                    continue;
                }
                let both = clipped(mine, theirs);
                if area(&both) > 0.0 {
                    shared.push(both);
                }
            }
        }
        let mut found = Vec::new();
        for group in connected(&shared, same) {
            let total: f64 = group.iter().map(|&k| area(&shared[k])).sum();
            if total > least {
                found.push(tidied(hull(group.iter().flat_map(|&k| shared[k].clone())), same));
            }
        }
        found
    }
}

fn cross(o: DVec2, a: DVec2, b: DVec2) -> f64 {
    (a - o).perp_dot(b - o)
}

/// The corners of a polygon with those after them.
fn sides(polygon: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
    (0..polygon.len()).map(|k| (polygon[k], polygon[(k + 1) % polygon.len()]))
}

/// The lowest and highest coordinates.
fn bounds_of(polygon: &[DVec2]) -> [DVec2; 2] {
    let ends = [DVec2::INFINITY, DVec2::NEG_INFINITY];
    polygon.iter().fold(ends, |[low, high], p| [low.min(*p), high.max(*p)])
}

/// Signed area; positive for counter-clockwise corners.
fn area(polygon: &[DVec2]) -> f64 {
    let Some(&origin) = polygon.first() else { return 0.0 };
    0.5 * sides(polygon).map(|(a, b)| cross(origin, a, b)).sum::<f64>()
}

/// Whether no corner turns right by more than rounding.
fn is_convex(polygon: &[DVec2]) -> bool {
    let n = polygon.len();
    let size = sides(polygon).map(|(a, b)| (b - a).length_squared()).fold(0.0, f64::max);
    let turn = |k: usize| cross(polygon[k], polygon[(k + 1) % n], polygon[(k + 2) % n]);
    (0..n).all(|k| turn(k) >= -1e-12 * size)
}

/// Triangles of a simple polygon, by cutting ears, as numbers of its corners.
fn triangles(polygon: &[DVec2]) -> Vec<[usize; 3]> {
    let mut left: Vec<usize> = (0..polygon.len()).collect();
    let mut found = Vec::new();
    while left.len() > 3 {
        let n = left.len();
        let numbers = |k: usize| [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
        let corner = |k: usize| numbers(k).map(|number| polygon[number]);
        // A polygon that touches itself may have no proper ear: then the corner that turns left most is cut.
        let ear = (0..n).find(|&k| is_ear(corner(k), polygon, &left)).unwrap_or_else(|| {
            let turn = |k: &usize| {
                let [a, b, c] = corner(*k);
                cross(a, b, c)
            };
            (0..n).max_by(|x, y| turn(x).total_cmp(&turn(y))).unwrap_or(0)
        });
        found.push(numbers(ear));
        left.remove(ear);
    }
    found.extend(<[usize; 3]>::try_from(left));
    found
}

/// Triangles of a simple polygon in space, which may be a little warped.
pub(super) fn triangles_of(polygon: &[DVec3]) -> Vec<[DVec3; 3]> {
    let (u, v) = area_of(polygon).normalize_or(DVec3::Z).any_orthonormal_pair();
    let flat: Vec<DVec2> = polygon.iter().map(|p| DVec2::new(p.dot(u), p.dot(v))).collect();
    triangles(&flat).into_iter().map(|numbers| numbers.map(|k| polygon[k])).collect()
}

/// Whether a corner turns left and no other corner lies in its triangle.
fn is_ear([a, b, c]: [DVec2; 3], polygon: &[DVec2], left: &[usize]) -> bool {
    let inside = |p: DVec2| {
        let at_corner = p == a || p == b || p == c;
        !at_corner && cross(a, b, p) >= 0.0 && cross(b, c, p) >= 0.0 && cross(c, a, p) >= 0.0
    };
    cross(a, b, c) > 0.0 && !left.iter().any(|&k| inside(polygon[k]))
}

/// The part of a convex polygon inside another one: cut along each side of the other (Sutherland and Hodgman).
fn clipped(polygon: &[DVec2], by: &[DVec2]) -> Vec<DVec2> {
    let mut kept = polygon.to_vec();
    for (from, to) in sides(by) {
        let height = |p: DVec2| cross(from, to, p);
        let mut next = Vec::with_capacity(kept.len() + 1);
        for (a, b) in sides(&kept) {
            let (x, y) = (height(a), height(b));
            if x >= 0.0 {
                next.push(a);
            }
            if (x > 0.0 && y < 0.0) || (x < 0.0 && y > 0.0) {
                next.push(a + (b - a) * (x / (x - y)));
            }
        }
        kept = next;
    }
    kept
}

/// Groups of convex polygons that share more than a point of their sides.
fn connected(polygons: &[Vec<DVec2>], same: f64) -> Vec<Vec<usize>> {
    let mut sets = UnionFind::new(polygons.len());
    for (i, one) in polygons.iter().enumerate() {
        for (j, other) in polygons.iter().enumerate().skip(i + 1) {
            if share_a_side(one, other, same) {
                sets.join(i, j);
            }
        }
    }
    let roots = sets.roots();
    let group = |root: usize| (0..polygons.len()).filter(|&k| roots[k] == root).collect();
    (0..polygons.len()).filter(|&k| roots[k] == k).map(group).collect()
}

fn share_a_side(one: &[DVec2], other: &[DVec2], same: f64) -> bool {
    sides(one).any(|(a, b)| {
        let length = (b - a).length();
        let along = (b - a) / length.max(f64::MIN_POSITIVE);
        sides(other).any(|(c, d)| {
            let apart = |p: DVec2| along.perp_dot(p - a).abs();
            let (from, to) = (along.dot(d - a).max(0.0), along.dot(c - a).min(length));
            apart(c) <= same && apart(d) <= same && to - from > same
        })
    })
}

/// The convex hull of points, counter-clockwise (Andrew's monotone chain).
fn hull(points: impl Iterator<Item = DVec2>) -> Vec<DVec2> {
    let mut sorted: Vec<DVec2> = points.collect();
    sorted.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    sorted.dedup();
    let mut chain: Vec<DVec2> = Vec::new();
    for pass in 0..2 {
        let start = chain.len();
        for k in 0..sorted.len() {
            let p = if pass == 0 { sorted[k] } else { sorted[sorted.len() - 1 - k] };
            while chain.len() >= start + 2
                && cross(chain[chain.len() - 2], chain[chain.len() - 1], p) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
    }
    chain
}

/// A convex polygon without corners that repeat the one before or lie on the line through their neighbours.
fn tidied(polygon: Vec<DVec2>, same: f64) -> Vec<DVec2> {
    let n = polygon.len();
    let apart: Vec<DVec2> = (0..n)
        .filter(|&k| (polygon[k] - polygon[(k + n - 1) % n]).length() > same)
        .map(|k| polygon[k])
        .collect();
    let n = apart.len();
    let bends = |k: &usize| {
        let (a, b, c) = (apart[(k + n - 1) % n], apart[*k], apart[(k + 1) % n]);
        (b - a).perp_dot(c - b) > same * ((b - a).length() + (c - b).length())
    };
    let kept: Vec<DVec2> = (0..n).filter(bends).map(|k| apart[k]).collect();
    if kept.len() >= 3 { kept } else { polygon }
}

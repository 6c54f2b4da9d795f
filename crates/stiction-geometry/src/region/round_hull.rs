//! Contacts of balls and capsules with polyhedra.
//!
//! Each end of a rod is a ball; its contact is with the nearest feature of the
//! polyhedron: a face if the ball is above one, else an edge, else a vertex. The
//! axis of a capsule also has contacts with the edges it crosses and the vertices
//! below it.

use glam::DVec3;

use super::round::{PARALLEL, Rod};
use super::{Numbered, SAME, Sink};
use crate::feature::room_inside;
use crate::polyhedron::{Edge, Polyhedron, argmin};

/// Angle (rad) by which a normal may lie outside the range between the normals of the two faces of
/// an edge. Faces in flat contact deviate only by rounding, 1e-8 in bad cases; the error of an edge
/// contact is the square of the deviation.
pub(super) const LEAN: f64 = 1e-6;

/// Contacts of a rod with a polyhedron.
pub(super) fn contacts(rod: &Rod, hull: &Polyhedron, sink: &mut Sink<'_>) {
    let near = rod.in_frame(sink.first(), sink.second());
    let size = hull.radius() + rod.radius + rod.half_length;
    if near.at.distance(hull.centre()) - size > sink.margin + SAME * size {
        return;
    }
    for ((id, end), (_, seen)) in rod.ends().zip(near.ends()) {
        ball(rod.end(id, end), seen, hull, sink);
    }
    if rod.half_length > 0.0 {
        side(rod, hull, sink);
    }
}

/// The side of a rod, without its ends, over edges and vertices.
pub(super) fn side(rod: &Rod, hull: &Polyhedron, sink: &mut Sink<'_>) {
    let near = rod.in_frame(sink.first(), sink.second());
    let size = hull.radius() + rod.radius + rod.half_length;
    for index in 0..hull.edges().len() {
        crossing(rod, &near, hull, index as u32, size, sink);
    }
    for (index, &vertex) in hull.vertices().iter().enumerate() {
        under(rod, &near, vertex, index, hull, size, sink);
    }
}

/// A ball with its centre at `c` in the frame of the hull.
fn ball(ball: Numbered, c: DVec3, hull: &Polyhedron, sink: &mut Sink<'_>) {
    match nearest(c, hull) {
        Nearest::Face(k) => sink.add(ball, Numbered::face(&hull.faces()[k], k), 1.0),
        Nearest::Edge(k) => sink.add(ball, Numbered::edge(&hull.edges()[k], k as u32), 1.0),
        Nearest::Vertex(k) => sink.add(ball, Numbered::vertex(hull.vertices()[k], k), 1.0),
    }
}

/// The feature of a polyhedron that is nearest to a point, by its index.
pub(super) enum Nearest {
    Face(usize),
    Edge(usize),
    Vertex(usize),
}

/// The nearest feature. A point inside, or nearer to the surface than rounding, belongs to the face
/// that it is least below.
pub(super) fn nearest(c: DVec3, hull: &Polyhedron) -> Nearest {
    let height = |k: usize| hull.faces()[k].normal.dot(c) - hull.faces()[k].offset;
    let top = argmin((0..hull.faces().len()).map(|k| -height(k))).map_or(0, |(k, _)| k);
    let face = &hull.faces()[top];
    if height(top) <= 1e-3 * SAME * hull.radius()
        || room_inside(&face.boundary, face.normal, c) >= 0.0
    {
        return Nearest::Face(top);
    }
    let above = |k: &usize| height(*k) > 0.0;
    let over =
        |k: &usize| room_inside(&hull.faces()[*k].boundary, hull.faces()[*k].normal, c) >= 0.0;
    if let Some(k) = (0..hull.faces().len()).filter(above).find(over) {
        return Nearest::Face(k);
    }
    let distances = hull.edges().iter().map(|edge| foot(edge, c).1.distance_squared(c));
    let edge = argmin(distances).map_or(0, |(k, _)| k);
    match foot(&hull.edges()[edge], c).0 {
        End::Inside => Nearest::Edge(edge),
        End::From => Nearest::Vertex(hull.edges()[edge].ends[0] as usize),
        End::To => Nearest::Vertex(hull.edges()[edge].ends[1] as usize),
    }
}

pub(super) enum End {
    From,
    Inside,
    To,
}

/// The point of an edge nearest to `c`, and whether it is an end.
pub(super) fn foot(edge: &Edge, c: DVec3) -> (End, DVec3) {
    let s = edge.along.dot(c - edge.middle);
    let h = edge.half_length;
    if s <= -h {
        (End::From, edge.middle - edge.along * h)
    } else if s >= h {
        (End::To, edge.middle + edge.along * h)
    } else {
        (End::Inside, edge.middle + edge.along * s)
    }
}

/// Whether a direction is a possible outward normal at an edge: it points into neither face,
/// `n·(nₖ × e) ≤ 0`, within [`LEAN`].
pub(super) fn leans_out(edge: &Edge, hull: &Polyhedron, normal: DVec3) -> bool {
    let [left, right] = edge.faces.map(|k| hull.faces()[k as usize].normal);
    normal.dot(left.cross(edge.along)) <= LEAN && normal.dot(edge.along.cross(right)) <= LEAN
}

/// The contact of the axis of the rod with an edge that it crosses.
pub(super) fn crossing(
    rod: &Rod,
    near: &Rod,
    hull: &Polyhedron,
    index: u32,
    size: f64,
    sink: &mut Sink<'_>,
) {
    let edge = &hull.edges()[index as usize];
    let m = near.along.cross(edge.along);
    let square = m.length_squared();
    if square <= PARALLEL * PARALLEL {
        return;
    }
    let d = edge.middle - near.at;
    let s = d.cross(edge.along).dot(m) / square;
    let t = d.cross(near.along).dot(m) / square;
    let facing = if m.dot(d) > 0.0 { -1.0 } else { 1.0 };
    let normal = m * (facing / square.sqrt());
    let inside = s.abs() <= near.half_length && t.abs() <= edge.half_length;
    if !inside || -normal.dot(d) - rod.radius > sink.margin || !leans_out(edge, hull, normal) {
        return;
    }
    let gap = -normal.dot(d) - rod.radius;
    let point = edge.middle + edge.along * t + normal * (0.5 * gap);
    let there = sink.second();
    if !sink.has(there.point(point), there.direction(normal), 2.0 * SAME * size) {
        sink.add(rod.line(), Numbered::edge(edge, index), facing);
    }
}

/// The contact of the axis of the rod with a vertex of the polyhedron below it.
pub(super) fn under(
    rod: &Rod,
    near: &Rod,
    vertex: DVec3,
    index: usize,
    hull: &Polyhedron,
    size: f64,
    sink: &mut Sink<'_>,
) {
    let s = near.along.dot(vertex - near.at);
    let foot = near.at + near.along * s;
    let gap = foot.distance(vertex) - rod.radius;
    if s.abs() > near.half_length || gap > sink.margin {
        return;
    }
    let normal = (foot - vertex).normalize_or_zero();
    let tip = hull.vertices()[hull.lowest_vertex(-normal)];
    let outermost = normal.dot(tip - vertex) <= LEAN * size;
    let point = vertex + normal * (0.5 * gap);
    let there = sink.second();
    if normal != DVec3::ZERO
        && outermost
        && !sink.has(there.point(point), there.direction(normal), 2.0 * SAME * size)
    {
        sink.add(rod.line(), Numbered::vertex(vertex, index), 1.0);
    }
}

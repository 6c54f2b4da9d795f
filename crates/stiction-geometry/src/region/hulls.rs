//! The contact region of two convex polyhedra.
//!
//! Among the face normals of both bodies and the common perpendiculars of their
//! edges, the direction along which the bodies are farthest apart (or overlap
//! least) is the *axis*. The faces `F` and `G` that face each other along it give
//! the contact polygon; each of its corners is one contact:
//!
//! ```text
//!        ┌───────┐ F          a corner of F over G          vertex–face
//!        │   ┌───┼───┐        a corner of G under F         face–vertex
//!        └───┼───┘   │ G      sides of F and G crossing     edge–edge
//!            └───────┘
//! ```
//!
//! Corners with different gaps are all kept, each with its own gap, up to the
//! margin: an edge on a face gives its two ends, and the other corners if they are
//! near. A corner of both polygons is reported once, by the first rule above that
//! applies.
//!
//! Bodies may also touch in parallel edges or in a vertex. Contacts of a polygon
//! without area are marked degenerate, because several axes are possible. If there is
//! no polygon, the nearest vertex touches a plane chosen by a rule (Baraff 1989 §4.1):
//! perpendicular to the shortest connection if the bodies are apart, and to the axis
//! of least overlap otherwise.
//!
//! # Where to start reading
//!
//! [`contacts`] is the driver, [`Pair::face_axis`] and [`Pair::edge_axis`] find the
//! axis, `hulls/polygon.rs` computes the polygon.

mod polygon;

use glam::{DMat3, DVec3};

use self::polygon::FacePair;
use super::round::PARALLEL;
use super::round_hull::{End, foot};
use super::{CHOSEN, EDGE, Numbered, SAME, Sink};
use crate::polyhedron::{Brick, Edge, Face, Polyhedron, argmin};
use crate::{Feature, Pose};

/// Cosine between a face normal and the axis below which the face does not take part in the
/// contact. Faces in flat contact deviate only by rounding, the sides of bodies by far more than
/// this limit of 0.14 rad.
const ELSEWHERE: f64 = 0.99;

/// Two polyhedra. `turn` and `shift` rotate and translate points of the first into the frame of the
/// second, in which everything here is computed.
pub(super) struct Pair<'a> {
    first: &'a Polyhedron,
    second: &'a Polyhedron,
    turn: DMat3,
    shift: DVec3,
    size: f64,
}

/// A separating axis: the face whose normal it is, or the two edges that it is perpendicular to.
#[derive(Clone, Copy)]
enum Axis {
    First(usize),
    Second(usize),
    Edges { first: usize, second: usize, facing: f64 },
}

/// Contacts of two polyhedra.
pub(super) fn contacts(first: &Polyhedron, second: &Polyhedron, sink: &mut Sink<'_>) {
    let pair = Pair::new(first, sink.first(), second, sink.second());
    let Some((face, apart, ties)) = pair.face_axis(sink.margin) else { return };
    let edges = pair.edge_axis(apart + SAME * pair.size);
    let best = edges.as_ref().map_or(apart, |edges| edges.1);
    if best > sink.margin {
        return;
    }
    let (f, g) = pair.facing_faces(face);
    FacePair::new(&pair, f, g, face, best).add_contacts(sink);
    // Two faces in contact tie with each other; a third tie means that the polygon has no area.
    if ties > 2 && pair.beside(pair.normal(face)) {
        sink.mark_degenerate();
    }
    if let Some((Axis::Edges { first, second, facing }, _)) = edges {
        pair.add_edges(first, second, facing, sink);
    }
    let nearest =
        sink.found().iter().map(|contact| contact.geometry.gap).fold(f64::INFINITY, f64::min);
    if best > SAME * pair.size && nearest > best + SAME * pair.size {
        pair.add_nearest(nearest, sink);
    } else if sink.found().is_empty() {
        pair.add_chosen(edges.map_or(face, |(edges, _)| edges), sink);
    }
}

/// The direction of the world, from the second polyhedron to the first, along which two polyhedra
/// are farthest apart or overlap least, and this separation (m).
pub(crate) fn hull_axis(
    first: &Polyhedron,
    here: &Pose,
    second: &Polyhedron,
    there: &Pose,
) -> (DVec3, f64) {
    let pair = Pair::new(first, here, second, there);
    let Some((face, apart, _)) = pair.face_axis(f64::INFINITY) else { return (DVec3::Z, 0.0) };
    let (axis, apart) = pair.edge_axis(apart).unwrap_or((face, apart));
    (there.direction(pair.normal(axis)), apart)
}

impl<'a> Pair<'a> {
    pub fn new(first: &'a Polyhedron, here: &Pose, second: &'a Polyhedron, there: &Pose) -> Self {
        let back = there.rotation.conjugate();
        Pair {
            first,
            second,
            turn: DMat3::from_quat(back * here.rotation),
            shift: back * (here.position - there.position),
            size: first.radius() + second.radius(),
        }
    }

    fn point(&self, of_first: DVec3) -> DVec3 {
        self.turn * of_first + self.shift
    }

    /// Distance along the normal of a face of the second body.
    fn above_second(&self, face: &Face) -> f64 {
        let lowest = self.first.lowest(self.turn.transpose() * face.normal);
        lowest + face.normal.dot(self.shift) - face.offset
    }

    /// Distance along the normal of a face of the first body.
    fn above_first(&self, face: &Face) -> f64 {
        let normal = self.turn * face.normal;
        self.second.lowest(normal) - normal.dot(self.shift) - face.offset
    }

    /// The face with the largest distance, this distance, and the number of faces without overlap;
    /// `None` if the distance exceeds the margin. Faces of the second body win ties, then the first
    /// in order.
    fn face_axis(&self, margin: f64) -> Option<(Axis, f64, usize)> {
        let (mut axis, mut apart) = (Axis::Second(0), f64::NEG_INFINITY);
        let (tie, mut ties) = (SAME * self.size, 0);
        for (k, face) in self.second.faces().iter().enumerate() {
            let distance = self.above_second(face);
            if distance > margin {
                return None;
            }
            ties += usize::from(distance >= -tie);
            if distance > apart {
                (axis, apart) = (Axis::Second(k), distance);
            }
        }
        for (k, face) in self.first.faces().iter().enumerate() {
            let distance = self.above_first(face);
            if distance > margin {
                return None;
            }
            ties += usize::from(distance >= -tie);
            if distance > apart + tie {
                (axis, apart) = (Axis::First(k), distance);
            }
        }
        Some((axis, apart, ties))
    }

    /// Whether the bodies are beside each other when projected along a normal: a face whose normal
    /// is not along it has no overlap either.
    fn beside(&self, normal: DVec3) -> bool {
        let elsewhere = |n: DVec3| n.dot(normal).abs() < ELSEWHERE;
        let tie = -SAME * self.size;
        let second = |f: &Face| elsewhere(f.normal) && self.above_second(f) >= tie;
        let first = |f: &Face| elsewhere(self.turn * f.normal) && self.above_first(f) >= tie;
        self.second.faces().iter().any(second) || self.first.faces().iter().any(first)
    }

    /// The pair of edges whose common perpendicular separates by more than `least`.
    fn edge_axis(&self, least: f64) -> Option<(Axis, f64)> {
        match (&self.first.brick, &self.second.brick) {
            (Some(first), Some(second)) => self.brick_edges(first, second, least),
            _ => self.all_edges(least),
        }
    }

    /// The same for two boxes, which have only three edge directions each.
    fn brick_edges(&self, first: &Brick, second: &Brick, least: f64) -> Option<(Axis, f64)> {
        let axes = self.turn * first.axes;
        let between = self.point(first.centre) - second.centre;
        let mut best: Option<(usize, usize, DVec3)> = None;
        let mut apart = least;
        for i in 0..3 {
            for j in 0..3 {
                let cross = axes.col(i).cross(second.axes.col(j));
                let square = cross.length_squared();
                if square <= PARALLEL * PARALLEL {
                    continue;
                }
                let side = cross.dot(between);
                let extent =
                    (axes.transpose() * cross).abs().dot(first.half) + second.half_extent(cross);
                let distance = (side.abs() - extent) / square.sqrt();
                if distance > apart {
                    apart = distance;
                    best = Some((i, j, cross * side.signum()));
                }
            }
        }
        let (i, j, normal) = best?;
        let down = self.turn.transpose() * normal;
        let first_edge = lowest_edge(self.first, first.axes.col(i), down)?;
        let second_edge = lowest_edge(self.second, second.axes.col(j), -normal)?;
        Some((self.edges(first_edge, second_edge, normal), apart))
    }

    /// The same for any polyhedra. Only pairs of edges whose perpendicular is a normal of both
    /// bodies count (their arcs on the sphere of normals cross): these are the faces that pairs of
    /// edges add to the Minkowski difference.
    fn all_edges(&self, least: f64) -> Option<(Axis, f64)> {
        let normals: Vec<DVec3> =
            self.first.faces().iter().map(|face| self.turn * face.normal).collect();
        let centre = self.point(self.first.centre());
        let mut best = None;
        let mut apart = least;
        for (i, e) in self.first.edges().iter().enumerate() {
            let along = self.turn * e.along;
            let middle = self.point(e.middle);
            let arc = e.faces.map(|k| normals[k as usize]);
            for (j, f) in self.second.edges().iter().enumerate() {
                let other = f.faces.map(|k| -self.second.faces()[k as usize].normal);
                if !arcs_cross(arc, along, other, f.along) {
                    continue;
                }
                let cross = along.cross(f.along);
                let square = cross.length_squared();
                if square <= PARALLEL * PARALLEL {
                    continue;
                }
                let out = if cross.dot(middle - centre) > 0.0 { -cross } else { cross };
                let distance = out.dot(middle - f.middle) / square.sqrt();
                if distance > apart {
                    apart = distance;
                    best = Some(self.edges(i, j, out));
                }
            }
        }
        best.map(|axis| (axis, apart))
    }

    /// The axis of two edges, directed to the side of `normal`.
    fn edges(&self, first: usize, second: usize, normal: DVec3) -> Axis {
        let along = self.turn * self.first.edges()[first].along;
        let cross = along.cross(self.second.edges()[second].along);
        Axis::Edges { first, second, facing: if cross.dot(normal) < 0.0 { -1.0 } else { 1.0 } }
    }

    /// The unit normal of an axis, outward from the second body.
    fn normal(&self, axis: Axis) -> DVec3 {
        match axis {
            Axis::First(k) => -(self.turn * self.first.faces()[k].normal),
            Axis::Second(k) => self.second.faces()[k].normal,
            Axis::Edges { first, second, facing } => {
                let along = self.turn * self.first.edges()[first].along;
                along.cross(self.second.edges()[second].along).normalize_or_zero() * facing
            }
        }
    }

    /// The face of the axis and the face of the other body most opposed to it, as indices (first,
    /// second).
    fn facing_faces(&self, axis: Axis) -> (usize, usize) {
        let normal = self.normal(axis);
        match axis {
            Axis::First(k) => (k, most_along(self.second, normal)),
            Axis::Second(k) => (most_along(self.first, -(self.turn.transpose() * normal)), k),
            Axis::Edges { .. } => (0, 0),
        }
    }

    /// Adds the contact of two crossing edges, unless the polygon already has it.
    fn add_edges(&self, first: usize, second: usize, facing: f64, sink: &mut Sink<'_>) {
        let (e, f) = (&self.first.edges()[first], &self.second.edges()[second]);
        let (middle, along) = (self.point(e.middle), self.turn * e.along);
        let (s, t) = feet(along, f.along, f.middle - middle);
        let slack = SAME * self.size;
        if s.abs() > e.half_length + slack || t.abs() > f.half_length + slack {
            return;
        }
        let point = 0.5 * (middle + along * s + f.middle + f.along * t);
        let normal = self.normal(Axis::Edges { first, second, facing });
        let there = sink.second();
        if !sink.has(there.point(point), there.direction(normal), 4.0 * slack) {
            let first = Numbered::edge(e, first as u32);
            sink.add(first, Numbered::edge(f, second as u32), facing);
        }
    }

    /// For bodies that are apart and whose nearest points are on a vertex and on a vertex or edge:
    /// adds the contact of the vertex with the plane perpendicular to the connection.
    fn add_nearest(&self, nearer_than: f64, sink: &mut Sink<'_>) {
        let mut best = nearer_than.min(sink.margin);
        let mut found = None;
        for (k, v) in self.first.vertices().iter().enumerate() {
            let v = self.point(*v);
            for (j, edge) in self.second.edges().iter().enumerate() {
                let (end, q) = foot(edge, v);
                if v.distance(q) < best {
                    best = v.distance(q);
                    found = Some((true, k, end_id(edge, j, &end), v, q));
                }
            }
        }
        for (k, w) in self.second.vertices().iter().enumerate() {
            let local = self.turn.transpose() * (*w - self.shift);
            for (j, edge) in self.first.edges().iter().enumerate() {
                let (end, q) = foot(edge, local);
                // The loop above has found vertices near vertices, up to rounding.
                if local.distance(q) < best - SAME * self.size {
                    best = local.distance(q);
                    found = Some((false, k, end_id(edge, j, &end), self.point(q), *w));
                }
            }
        }
        let Some((vertex_of_first, vertex, other, p, q)) = found else { return };
        let normal = (p - q).normalize_or_zero();
        if vertex_of_first {
            self.vertex_on_plane(vertex, q, normal, other, sink);
        } else {
            self.plane_on_vertex(vertex, p, normal, other, sink);
        }
    }

    /// For bodies that overlap or touch without a polygon: adds the contact of the deepest vertex
    /// with the plane perpendicular to the axis.
    fn add_chosen(&self, axis: Axis, sink: &mut Sink<'_>) {
        let normal = self.normal(axis);
        let (at, id) = match axis {
            Axis::First(k) => {
                let vertex = self.second.lowest_vertex(-normal);
                let q = self.second.vertices()[vertex];
                let at = self.point(self.first.faces()[k].boundary[0]);
                let on_face = q + normal * normal.dot(at - q);
                return self.plane_on_vertex(vertex, on_face, normal, CHOSEN | k as u64, sink);
            }
            Axis::Second(k) => (self.second.faces()[k].boundary[0], k as u64),
            Axis::Edges { second, .. } => {
                (self.second.edges()[second].middle, EDGE | second as u64)
            }
        };
        let vertex = self.first.lowest_vertex(self.turn.transpose() * normal);
        let p = self.point(self.first.vertices()[vertex]);
        let on_plane = p - normal * normal.dot(p - at);
        self.vertex_on_plane(vertex, on_plane, normal, CHOSEN | id, sink);
    }

    fn vertex_on_plane(&self, vertex: usize, q: DVec3, n: DVec3, id: u64, sink: &mut Sink<'_>) {
        let point = Numbered::vertex(self.first.vertices()[vertex], vertex);
        sink.add_degenerate(point, Numbered { feature: Feature::unbounded(q, n), id });
    }

    fn plane_on_vertex(&self, vertex: usize, p: DVec3, n: DVec3, id: u64, sink: &mut Sink<'_>) {
        let back = self.turn.transpose();
        let feature = Feature::unbounded(back * (p - self.shift), -(back * n));
        let point = Numbered::vertex(self.second.vertices()[vertex], vertex);
        sink.add_degenerate(Numbered { feature, id }, point);
    }
}

/// Positions along two lines at which their common perpendicular ends; `d` is the vector from the
/// origin of the first line to that of the second. See `feature.rs`.
pub(super) fn feet(a: DVec3, b: DVec3, d: DVec3) -> (f64, f64) {
    let m = a.cross(b);
    (d.cross(b).dot(m) / m.length_squared(), d.cross(a).dot(m) / m.length_squared())
}

/// The id of an edge, or of its end.
fn end_id(edge: &Edge, index: usize, end: &End) -> u64 {
    match end {
        End::From => super::VERTEX | u64::from(edge.ends[0]),
        End::Inside => EDGE | index as u64,
        End::To => super::VERTEX | u64::from(edge.ends[1]),
    }
}

/// Among the faces at the vertex farthest along a direction, the one whose normal is closest to
/// that direction. (On irregular bodies, the face with the closest normal of all may be a small one
/// elsewhere.)
pub(super) fn most_along(hull: &Polyhedron, direction: DVec3) -> usize {
    let vertex = hull.lowest_vertex(-direction) as u32;
    let turned_away = |face: &Face| {
        let there = hull.brick.is_some() || face.vertices.contains(&vertex);
        if there { -face.normal.dot(direction) } else { f64::INFINITY }
    };
    argmin(hull.faces().iter().map(turned_away)).map_or(0, |(k, _)| k)
}

/// Among the edges parallel to `axis`, the one with the smallest `direction · x`.
fn lowest_edge(hull: &Polyhedron, axis: DVec3, direction: DVec3) -> Option<usize> {
    let height = |edge: &Edge| {
        let parallel = edge.along.dot(axis).abs() > 0.5;
        if parallel { direction.dot(edge.middle) } else { f64::INFINITY }
    };
    argmin(hull.edges().iter().map(height)).map(|(k, _)| k)
}

/// Whether the arc of normals `a` of an edge crosses the arc `b` of an edge of the other (reversed)
/// body.
///
/// The arcs lie in the planes perpendicular to their edges. They cross if the ends of each arc are
/// on both sides of the plane of the other and the arcs are on the same half of the sphere
/// (Gregorius 2013). With the edges directed as in [`Edge`], `a₀ × a₁` is along the first edge and
/// `b₀ × b₁` along the second.
fn arcs_cross(a: [DVec3; 2], along_a: DVec3, b: [DVec3; 2], along_b: DVec3) -> bool {
    let [b0, b1] = b.map(|normal| normal.dot(along_a));
    let [a0, a1] = a.map(|normal| normal.dot(along_b));
    b0 * b1 < 0.0 && a0 * a1 < 0.0 && b0 * a1 > 0.0
}

/// Adds the contacts of two flat faces that are known to face each other: face `f` of the first
/// body and `g` of the second, at distance `best` along the normal of `f` (if `by_first`) or of
/// `g`.
pub(super) fn flat_on_flat(
    (first, f): (&Polyhedron, usize),
    (second, g): (&Polyhedron, usize),
    by_first: bool,
    best: f64,
    sink: &mut Sink<'_>,
) {
    let pair = Pair::new(first, sink.first(), second, sink.second());
    let axis = if by_first { Axis::First(f) } else { Axis::Second(g) };
    FacePair::new(&pair, f, g, axis, best).add_contacts(sink);
}

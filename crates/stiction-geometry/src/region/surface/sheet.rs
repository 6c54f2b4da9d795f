//! Contacts of a polyhedron with one triangle of a mesh.
//!
//! First the corners of the body over the triangle; then the sharp sides of the
//! triangle against the edges of the body, and its sharp corners against the faces.
//! If the two are apart, the nearest points may be on a corner and an edge or on two
//! corners; such contacts have their normal along the connection.

use glam::{DMat3, DVec3};

use super::super::hulls::feet;
use super::super::round::PARALLEL;
use super::super::round_hull::{End, LEAN, Nearest, foot, leans_out, nearest};
use super::super::{CHOSEN, EDGE, Numbered, SAME, Sink, VERTEX};
use super::Sharp;
use crate::Feature;
use crate::feature::is_inside;
use crate::polyhedron::{Edge, Polyhedron};

/// Sides and corners of a triangle that are deeper in a body than this fraction of its size are
/// assumed to belong to another part of the surface and are ignored.
pub(super) const DEEP: f64 = 0.1;

/// A polyhedron and a triangle; `turn` and `shift` map the frame of the first body to that of the
/// second.
struct OnSheet<'a> {
    hull: &'a Polyhedron,
    sheet: &'a Polyhedron,
    sharp: Sharp<'a>,
    turn: DMat3,
    shift: DVec3,
    slack: f64,
}

pub(super) fn hull_on_sheet(
    hull: &Polyhedron,
    sheet: &Polyhedron,
    sharp: Sharp<'_>,
    sink: &mut Sink<'_>,
) {
    OnSheet::new(hull, sheet, sharp, sink).corners_over(sink);
    hull_on_sharp(hull, sheet, sharp, sink);
}

/// Contacts with the sharp sides and corners only.
pub(super) fn hull_on_sharp(
    hull: &Polyhedron,
    sheet: &Polyhedron,
    sharp: Sharp<'_>,
    sink: &mut Sink<'_>,
) {
    let pair = OnSheet::new(hull, sheet, sharp, sink);
    for k in (0..3).filter(|&k| sharp.sides[k]) {
        pair.on_side(k, sink);
    }
    for k in (0..3).filter(|&k| sharp.corners[k]) {
        pair.on_corner(k, sink);
    }
}

impl<'a> OnSheet<'a> {
    fn new(hull: &'a Polyhedron, sheet: &'a Polyhedron, sharp: Sharp<'a>, sink: &Sink<'_>) -> Self {
        let (here, there) = (sink.first(), sink.second());
        let back = there.rotation.conjugate();
        OnSheet {
            hull,
            sheet,
            sharp,
            turn: DMat3::from_quat(back * here.rotation),
            shift: back * (here.position - there.position),
            slack: SAME * (hull.radius() + sheet.radius()),
        }
    }

    fn point(&self, of_first: DVec3) -> DVec3 {
        self.turn * of_first + self.shift
    }

    fn wanted(&self, gap: f64, sink: &Sink<'_>) -> bool {
        gap <= sink.margin && gap >= -DEEP * self.hull.radius()
    }

    fn corners_over(&self, sink: &mut Sink<'_>) {
        let face = &self.sheet.faces()[0];
        for (k, &vertex) in self.hull.vertices().iter().enumerate() {
            let p = self.point(vertex);
            if face.normal.dot(p) - face.offset <= sink.margin
                && is_inside(&face.boundary, face.normal, p, self.slack)
            {
                sink.add(Numbered::vertex(vertex, k), Numbered::face(face, 0), 1.0);
            }
        }
    }

    /// A sharp side: edges across it, corners above it.
    fn on_side(&self, k: usize, sink: &mut Sink<'_>) {
        let side = &self.sheet.edges()[k];
        for j in 0..self.hull.edges().len() {
            self.edge_on_side(j, k, side, sink);
        }
        for (j, &vertex) in self.hull.vertices().iter().enumerate() {
            let p = self.point(vertex);
            if let (End::Inside, q) = foot(side, p) {
                self.apart((j, vertex), p, q, Place::Side(k), sink);
            }
        }
    }

    fn edge_on_side(&self, j: usize, k: usize, side: &Edge, sink: &mut Sink<'_>) {
        let edge = &self.hull.edges()[j];
        let (along, d) = (self.turn * edge.along, side.middle - self.point(edge.middle));
        let cross = along.cross(side.along);
        if cross.length_squared() <= PARALLEL * PARALLEL {
            return;
        }
        let (s, t) = feet(along, side.along, d);
        if s.abs() > edge.half_length + self.slack || t.abs() > side.half_length + self.slack {
            return;
        }
        let [left, right] = side.faces.map(|f| self.sheet.faces()[f as usize].normal);
        let boundary = left.dot(right) <= -1.0 + LEAN;
        let out = if boundary { left } else { left + right };
        let facing = if cross.dot(out) < 0.0 { -1.0 } else { 1.0 };
        let normal = cross.normalize_or_zero() * facing;
        if self.wanted(-normal.dot(d), sink)
            && leans_out(side, self.sheet, normal)
            && leans_out(edge, self.hull, -(self.turn.transpose() * normal))
        {
            let edge = Numbered::edge(edge, j as u32);
            sink.add(edge, Numbered::edge(side, k as u32), facing);
        }
    }

    /// A sharp corner: the face, edge or corner of the body nearest to it.
    fn on_corner(&self, k: usize, sink: &mut Sink<'_>) {
        let q = self.sheet.vertices()[k];
        let local = self.turn.transpose() * (q - self.shift);
        let corner = || Numbered::vertex(q, k);
        match nearest(local, self.hull) {
            Nearest::Face(f) => {
                let face = &self.hull.faces()[f];
                let gap = face.normal.dot(local) - face.offset;
                if self.wanted(gap, sink) && self.sharp.leans_at(k, -(self.turn * face.normal)) {
                    sink.add(Numbered::face(face, f), corner(), 1.0);
                }
            }
            Nearest::Edge(e) => {
                let p = foot(&self.hull.edges()[e], local).1;
                let normal = (self.point(p) - q).normalize_or_zero();
                let gap = p.distance(local);
                if gap > self.slack && gap <= sink.margin && self.sharp.leans_at(k, normal) {
                    let out = -(self.turn.transpose() * normal);
                    let plane =
                        Numbered { feature: Feature::unbounded(p, out), id: CHOSEN | e as u64 };
                    sink.add_degenerate(plane, corner());
                }
            }
            Nearest::Vertex(v) => {
                let vertex = self.hull.vertices()[v];
                self.apart((v, vertex), self.point(vertex), q, Place::Corner(k), sink);
            }
        }
    }

    /// A corner of the body at `p` and the point `q` on a side or corner of the triangle, if they
    /// are apart.
    fn apart(
        &self,
        (index, vertex): (usize, DVec3),
        p: DVec3,
        q: DVec3,
        place: Place,
        sink: &mut Sink<'_>,
    ) {
        let gap = p.distance(q);
        if gap <= self.slack || gap > sink.margin {
            return;
        }
        let normal = (p - q) / gap;
        let lowest = self.hull.lowest(self.turn.transpose() * normal) + normal.dot(self.shift);
        let outermost = lowest >= normal.dot(p) - LEAN * self.hull.radius();
        let (leans, id) = match place {
            Place::Side(k) => {
                (leans_out(&self.sheet.edges()[k], self.sheet, normal), EDGE | k as u64)
            }
            Place::Corner(k) => (self.sharp.leans_at(k, normal), VERTEX | k as u64),
        };
        if outermost && leans {
            let plane = Numbered { feature: Feature::unbounded(q, normal), id };
            sink.add_degenerate(Numbered::vertex(vertex, index), plane);
        }
    }
}

/// A side or corner of the triangle.
#[derive(Clone, Copy)]
enum Place {
    Side(usize),
    Corner(usize),
}

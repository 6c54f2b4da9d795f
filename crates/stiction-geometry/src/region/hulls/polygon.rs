//! The contact polygon of two faces that face each other.
//!
//! Its corners are the corners of either face that lie over the other face, and the
//! crossings of sides, each reported once; see the picture in [`super`]. Everything
//! is in the frame of the second body.

use glam::DVec3;

use super::super::round::PARALLEL;
use super::super::round_hull::leans_out;
use super::super::{EDGE, Numbered, SAME, Sink};
use super::{Axis, Pair, feet};
use crate::Feature;
use crate::feature::is_inside;
use crate::polyhedron::{Edge, Face};

/// Face `f` of the first body, `upper`, and `g` of the second, `lower`.
pub(super) struct FacePair<'a> {
    pair: &'a Pair<'a>,
    f: usize,
    g: usize,
    upper: &'a Face,
    lower: &'a Face,
    axis: Axis,
    normal: DVec3,
    slack: f64,
    /// The smallest gap of a valid contact: no contact is deeper than the overlap along the axis.
    /// Deeper points are on the far side of a body.
    deepest: f64,
}

impl<'a> FacePair<'a> {
    /// `axis` selects the face whose normal is the direction of projection for crossings, `best` is
    /// the distance of the bodies along the best axis.
    pub fn new(pair: &'a Pair<'a>, f: usize, g: usize, axis: Axis, best: f64) -> Self {
        FacePair {
            pair,
            f,
            g,
            upper: &pair.first.faces()[f],
            lower: &pair.second.faces()[g],
            axis,
            normal: pair.normal(axis),
            slack: SAME * pair.size,
            deepest: best.min(0.0) - SAME * pair.size,
        }
    }

    pub fn add_contacts(&self, sink: &mut Sink<'_>) {
        self.corners_of_upper(sink);
        self.corners_of_lower(sink);
        self.crossings(sink);
    }

    fn wanted(&self, gap: f64, sink: &Sink<'_>) -> bool {
        gap <= sink.margin && gap >= self.deepest
    }

    /// Whether there is already a contact at this point of the second frame.
    fn known(&self, point: DVec3, sink: &Sink<'_>) -> bool {
        let there = sink.second();
        sink.has(there.point(point), there.direction(self.normal), 4.0 * self.slack)
    }

    fn corners_of_upper(&self, sink: &mut Sink<'_>) {
        for &k in &self.upper.vertices {
            let vertex = self.pair.first.vertices()[k as usize];
            let p = self.pair.point(vertex);
            let gap = self.lower.normal.dot(p) - self.lower.offset;
            if self.wanted(gap, sink)
                && is_inside(&self.lower.boundary, self.lower.normal, p, self.slack)
            {
                let point = Numbered::vertex(vertex, k as usize);
                sink.add(point, Numbered::face(self.lower, self.g), 1.0);
            }
        }
    }

    fn corners_of_lower(&self, sink: &mut Sink<'_>) {
        for &k in &self.lower.vertices {
            let vertex = self.pair.second.vertices()[k as usize];
            let q = self.pair.turn.transpose() * (vertex - self.pair.shift);
            let gap = self.upper.normal.dot(q) - self.upper.offset;
            if self.wanted(gap, sink)
                && is_inside(&self.upper.boundary, self.upper.normal, q, self.slack)
                && !self.known(vertex + self.normal * (0.5 * gap), sink)
            {
                let point = Numbered::vertex(vertex, k as usize);
                sink.add(Numbered::face(self.upper, self.f), point, 1.0);
            }
        }
    }

    fn crossings(&self, sink: &mut Sink<'_>) {
        for &i in &self.upper.edges {
            let e = &self.pair.first.edges()[i as usize];
            let along = self.pair.turn * e.along;
            let middle = self.pair.point(e.middle);
            for &j in &self.lower.edges {
                self.crossing((i, e, middle, along), j, sink);
            }
        }
    }

    /// Two sides that cross in the projection along the normal `n` of the axis:
    ///
    /// ```text
    ///   s = (n × e_b)·(c_b − cₐ) / (n × e_b)·eₐ,    t = (n × eₐ)·(cₐ − c_b) / (n × eₐ)·e_b
    /// ```
    fn crossing(&self, (i, e, c, along): (u32, &Edge, DVec3, DVec3), j: u32, sink: &mut Sink<'_>) {
        let other = &self.pair.second.edges()[j as usize];
        let n = self.normal;
        let (across, d) = (n.cross(other.along), other.middle - c);
        let sine = across.dot(along);
        if sine.abs() <= PARALLEL {
            return;
        }
        let s = across.dot(d) / sine;
        if s.abs() > e.half_length + self.slack {
            return;
        }
        let t = n.cross(along).dot(d) / sine;
        if t.abs() > other.half_length + self.slack {
            return;
        }
        let (p, q) = (c + along * s, other.middle + other.along * t);
        if !self.wanted(n.dot(p - q), sink) || self.known(0.5 * (p + q), sink) {
            return;
        }
        let cross = along.cross(other.along);
        let facing = if cross.dot(n) < 0.0 { -1.0 } else { 1.0 };
        let normal = cross.normalize_or_zero() * facing;
        if self.feet_inside(e, other, d, along) && self.perpendicular_to_both(e, other, normal) {
            sink.add(Numbered::edge(e, i), Numbered::edge(other, j), facing);
        } else {
            self.side_on_face((i, e, s), (j, other, t), sink);
        }
    }

    /// Whether the common perpendicular of two edges, with the vector `d` between their middles,
    /// ends on both.
    fn feet_inside(&self, e: &Edge, other: &Edge, d: DVec3, along: DVec3) -> bool {
        let (s, t) = feet(along, other.along, d);
        s.abs() <= e.half_length + self.slack && t.abs() <= other.half_length + self.slack
    }

    /// Whether the common perpendicular is a possible normal of both bodies at these edges.
    fn perpendicular_to_both(&self, e: &Edge, other: &Edge, normal: DVec3) -> bool {
        let down = -(self.pair.turn.transpose() * normal);
        leans_out(e, self.pair.first, down) && leans_out(other, self.pair.second, normal)
    }

    /// For faces that are not quite parallel: the point of one side over the boundary of the face
    /// that gives the axis. The contact is a fixed point on an unbounded plane; the next search
    /// finds it again.
    fn side_on_face(
        &self,
        first: (u32, &Edge, f64),
        second: (u32, &Edge, f64),
        sink: &mut Sink<'_>,
    ) {
        // The same ids as for touching edges, which replace this contact when the tilt is smaller.
        let named = |feature: Feature, edge: u32| Numbered { feature, id: EDGE | u64::from(edge) };
        let point = |(_, edge, s): (u32, &Edge, f64)| Feature::vertex(edge.middle + edge.along * s);
        let plane = |face: &Face| Feature::unbounded(face.boundary[0], face.normal);
        let (i, j) = (first.0, second.0);
        if matches!(self.axis, Axis::Second(_)) {
            sink.add(named(point(first), i), named(plane(self.lower), j), 1.0);
        } else {
            sink.add(named(plane(self.upper), i), named(point(second), j), 1.0);
        }
    }
}

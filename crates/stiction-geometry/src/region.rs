//! All contacts of two bodies.
//!
//! [`region`] visits the pairs of parts that are near each other and passes each
//! pair to the module for its kinds of shapes:
//!
//! ```text
//!                ball, capsule    box, polyhedron    cylinder, cone
//!   half-space   plane.rs         plane.rs           plane.rs
//!   ball,capsule round.rs         round_hull.rs      turned.rs
//!   box, polyh.                   hulls.rs           turned.rs
//!   cylinder…                                        turned.rs
//!   mesh         surface.rs       surface.rs         surface.rs
//! ```
//!
//! All of them add their contacts to a [`Sink`], which tracks which of the two bodies is body a.

mod hulls;
mod plane;
mod round;
mod round_hull;
mod surface;
mod turned;

pub(crate) use hulls::hull_axis;

use glam::DVec3;

use crate::bounds::of_part;
use crate::{Aabb, Feature, FeaturePair, Part, Pose, Shape};

/// Points nearer than this fraction of the size of the bodies are the same point, and a point this
/// far outside a face is still on it. Rounding is 1e-16 of the size per operation, a mortar joint
/// between bricks 1e-3. Sensible from 1e-12 to 1e-7.
pub(crate) const SAME: f64 = 1e-9;

/// Adds to `out` every contact of two bodies whose gap is at most `margin` (m).
///
/// The order of the contacts of a pair of parts depends only on the poses. If a pose or the margin
/// is not finite, nothing is added.
pub fn region(
    a: &[Part],
    pose_a: &Pose,
    b: &[Part],
    pose_b: &Pose,
    margin: f64,
    out: &mut Vec<FeaturePair>,
) {
    if !(pose_a.is_finite() && pose_b.is_finite() && margin.is_finite()) {
        return;
    }
    let single = a.len() == 1 && b.len() == 1;
    for (i, part_a) in a.iter().enumerate() {
        let box_a = if single { Aabb::ALL } else { of_part(part_a, pose_a).inflated(margin) };
        for (j, part_b) in b.iter().enumerate() {
            if single || box_a.meets(&of_part(part_b, pose_b)) {
                let mut sink = Sink::new([pose_a, pose_b], [i, j], margin, out);
                of_parts(part_a, part_b, &mut sink);
            }
        }
    }
}

/// The polyhedron of a box or polyhedron; `None` for all others.
pub(crate) fn is_polyhedron(part: &Part) -> Option<&crate::Polyhedron> {
    match kind(part) {
        Kind::Hull(hull) => Some(hull),
        _ => None,
    }
}

/// The kind of a part, which selects the module.
enum Kind<'a> {
    Half,
    Rod(round::Rod),
    Hull(&'a crate::Polyhedron),
    Turned,
    Surface(&'a crate::Mesh, &'a Pose),
}

fn kind(part: &Part) -> Kind<'_> {
    match (part.shape(), part.hull()) {
        (Shape::Box { .. } | Shape::Polyhedron(_), Some(hull)) => Kind::Hull(hull),
        (Shape::HalfSpace, _) => Kind::Half,
        (Shape::Ball { .. } | Shape::Capsule { .. }, _) => Kind::Rod(round::Rod::new(part)),
        (shape, _) => shape.surface().map_or(Kind::Turned, |mesh| Kind::Surface(mesh, part.pose())),
    }
}

fn of_parts(a: &Part, b: &Part, sink: &mut Sink<'_>) {
    match (kind(a), kind(b)) {
        (Kind::Half | Kind::Surface(..), Kind::Half | Kind::Surface(..)) => {}
        (_, Kind::Surface(mesh, place)) => surface::contacts(a, mesh, place, sink),
        (Kind::Surface(mesh, place), _) => surface::contacts(b, mesh, place, sink.flip()),
        (_, Kind::Half) => plane::on_half_space(a, b, sink),
        (Kind::Half, _) => plane::on_half_space(b, a, sink.flip()),
        (Kind::Turned, _) => turned::contacts(a, b, sink),
        (_, Kind::Turned) => turned::contacts(b, a, sink.flip()),
        (Kind::Hull(a), Kind::Hull(b)) => hulls::contacts(a, b, sink),
        (Kind::Rod(a), Kind::Rod(b)) => round::contacts(&a, &b, sink),
        (Kind::Rod(a), Kind::Hull(b)) => round_hull::contacts(&a, b, sink),
        (Kind::Hull(a), Kind::Rod(b)) => round_hull::contacts(&b, a, sink.flip()),
    }
}

/// A feature with its kind and its index within its part.
#[derive(Clone)]
pub(crate) struct Numbered {
    pub feature: Feature,
    pub id: u64,
}

impl Numbered {
    pub fn vertex(at: DVec3, index: usize) -> Self {
        Numbered { feature: Feature::vertex(at), id: VERTEX | index as u64 }
    }

    pub fn edge(edge: &crate::Edge, index: u32) -> Self {
        Numbered { feature: edge.feature(), id: EDGE | u64::from(index) }
    }

    pub fn face(face: &crate::Face, index: usize) -> Self {
        Numbered { feature: face.feature(), id: FACE | index as u64 }
    }
}

/// Kinds of numbered features: the upper bits of an id.
pub(crate) const VERTEX: u64 = 1 << 32;
pub(crate) const EDGE: u64 = 2 << 32;
pub(crate) const FACE: u64 = 3 << 32;
pub(crate) const ROUND: u64 = 4 << 32;
pub(crate) const CHOSEN: u64 = 5 << 32;

/// Collects the contacts of one pair of parts. The code of a pair refers to a *first* and a
/// *second* body; if `flipped`, the first is body b.
pub(crate) struct Sink<'a> {
    poses: [&'a Pose; 2],
    parts: [usize; 2],
    flipped: bool,
    start: usize,
    out: &'a mut Vec<FeaturePair>,
    /// Contacts with a larger gap are ignored (m).
    pub margin: f64,
    /// Distinguishes the features of different triangles of a mesh; 0 for other parts.
    pub tag: u64,
}

impl<'a> Sink<'a> {
    fn new(
        poses: [&'a Pose; 2],
        parts: [usize; 2],
        margin: f64,
        out: &'a mut Vec<FeaturePair>,
    ) -> Self {
        let start = out.len();
        Sink { poses, parts, flipped: false, start, out, margin, tag: 0 }
    }

    /// Swaps the roles of the bodies.
    pub fn flip(&mut self) -> &mut Self {
        self.flipped = !self.flipped;
        self
    }

    /// Whether the first body is body b.
    pub fn is_flipped(&self) -> bool {
        self.flipped
    }

    /// Pose of the first body.
    pub fn first(&self) -> &'a Pose {
        self.poses[usize::from(self.flipped)]
    }

    /// Pose of the second body.
    pub fn second(&self) -> &'a Pose {
        self.poses[usize::from(!self.flipped)]
    }

    /// The contacts of this pair so far.
    pub fn found(&self) -> &[FeaturePair] {
        &self.out[self.start..]
    }

    /// Drops those contacts of this pair, from index `from` on, that are not `wanted`.
    pub fn keep(&mut self, from: usize, mut wanted: impl FnMut(&FeaturePair) -> bool) {
        let from = self.start + from;
        let mut kept = from;
        for k in from..self.out.len() {
            if wanted(&self.out[k]) {
                self.out.swap(kept, k);
                kept += 1;
            }
        }
        self.out.truncate(kept);
    }

    /// Drops those contacts of this pair that are not `wanted`.
    pub fn retain(&mut self, wanted: impl FnMut(&FeaturePair) -> bool) {
        self.keep(0, wanted);
    }

    /// Whether this pair already has a contact at this world point, projected along the normal.
    pub fn has(&self, point: DVec3, normal: DVec3, near: f64) -> bool {
        self.found().iter().any(|contact| {
            let apart = contact.geometry.point - point;
            let along = normal.dot(apart);
            let level = along.abs() <= 2.0 * self.margin + contact.geometry.gap.abs() + near;
            level && (apart - normal * along).length_squared() <= near * near
        })
    }

    /// Marks all contacts of this pair as degenerate: their normal was chosen from several.
    pub fn mark_degenerate(&mut self) {
        for contact in &mut self.out[self.start..] {
            contact.degenerate = true;
        }
    }

    /// Adds the contact of two features if it is defined and its gap is within the margin.
    pub fn add(&mut self, first: Numbered, second: Numbered, facing: f64) {
        self.put(first, second, facing, false);
    }

    /// Adds a contact whose normal a rule chose.
    pub fn add_degenerate(&mut self, first: Numbered, second: Numbered) {
        self.put(first, second, 1.0, true);
    }

    fn put(&mut self, first: Numbered, second: Numbered, facing: f64, degenerate: bool) {
        let (on_a, on_b) = if self.flipped { (second, first) } else { (first, second) };
        let [pose_a, pose_b] = self.poses;
        let key = key([self.parts[0] as u64, self.parts[1] as u64, on_a.id, on_b.id, self.tag]);
        let contact = FeaturePair::new(on_a.feature, on_b.feature, facing, pose_a, pose_b);
        let geometry = &contact.geometry;
        if geometry.gap <= self.margin && geometry.point.is_finite() && geometry.normal.is_finite()
        {
            self.out.push(FeaturePair { key, degenerate, ..contact });
        }
    }
}

/// Hashes the indices of parts and features into one number (splitmix64).
fn key(words: [u64; 5]) -> u64 {
    words.iter().fold(0x9e37_79b9_7f4a_7c15, |hash, word| {
        let mut z = (hash ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

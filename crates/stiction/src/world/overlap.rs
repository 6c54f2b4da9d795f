//! Bodies that overlap.

use super::{Body, BodyId, World};
use stiction_geometry::{Aabb, Overlap, Shape, aabb, overlap};

/// Overlap with which any scene may begin, part of the bounding radius of the smaller body: what
/// coordinates of three digits leave.
pub const START_OVERLAP: f64 = 5e-3;

/// The same for thin bodies, part of half the least thickness of the two.
pub const START_OVERLAP_OF_THICKNESS: f64 = 0.1;

/// Overlap of two free bodies that are moved apart before a run, part of the least thickness of the two.
/// Up to half of it the middle of the thinner body is still outside: on which side each belongs is evident.
pub const SEPARABLE: f64 = 0.4;

/// The same where one of the two is ground, fixed or driven: where that is, is certain, so that more is
/// an error in the place of the other.
pub const SEPARABLE_FROM_FIXED: f64 = 0.1;

/// Overlaps that are looked for: the deepest of them is reported, and that there are more.
pub(crate) const MOST_OVERLAPS: usize = 100;

/// Two bodies that overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyOverlap {
    /// The bodies, in the order in which they were added.
    pub bodies: [BodyId; 2],
    /// Depth, place and direction in which the first would have to move.
    pub overlap: Overlap,
}

impl World {
    /// Pairs of bodies that may touch and overlap by more than any scene may begin with
    /// ([`START_OVERLAP`], [`START_OVERLAP_OF_THICKNESS`]), the deepest first. The search ends when
    /// it has found a hundred.
    pub fn overlaps(&self) -> Vec<BodyOverlap> {
        let boxes: Vec<Aabb> = (0..self.bodies.len()).map(|i| self.filled(i)).collect();
        let mut order: Vec<usize> = (0..boxes.len()).collect();
        order.sort_by(|&i, &j| boxes[i].low.x.total_cmp(&boxes[j].low.x).then(i.cmp(&j)));
        let mut found = Vec::new();
        for (rank, &i) in order.iter().enumerate() {
            let near = order[rank + 1..].iter().take_while(|&&j| boxes[j].low.x <= boxes[i].high.x);
            for &j in near.filter(|&&j| boxes[i].meets(&boxes[j])) {
                found.extend(self.pair_overlap(i.min(j), i.max(j)));
                if found.len() >= MOST_OVERLAPS {
                    return deepest_first(found);
                }
            }
        }
        deepest_first(found)
    }

    /// Whether bodies that overlap this much may be moved apart before a run ([`SEPARABLE`],
    /// [`SEPARABLE_FROM_FIXED`]).
    pub fn is_separable(&self, pair: &BodyOverlap) -> bool {
        let [a, b] = pair.bodies.map(|id| self.body(id));
        let part = if a.is_free() && b.is_free() { SEPARABLE } else { SEPARABLE_FROM_FIXED };
        pair.overlap.depth <= 2.0 * part * half_thickness(a).min(half_thickness(b))
    }

    /// The bounding box of what a body fills now; height fields fill what is below them.
    fn filled(&self, i: usize) -> Aabb {
        let body = &self.bodies[i];
        let below = |shape: &Shape| matches!(shape, Shape::HeightField(_));
        if body.parts.iter().any(|part| below(part.shape())) {
            return Aabb::ALL;
        }
        aabb(&body.parts, &self.state.poses[i])
    }

    fn pair_overlap(&self, i: usize, j: usize) -> Option<BodyOverlap> {
        let bodies = [i, j].map(BodyId::from_index);
        if !self.may_touch(bodies[0], bodies[1]) {
            return None;
        }
        let (a, b) = (&self.bodies[i], &self.bodies[j]);
        let poses = &self.state.poses;
        let overlap = overlap(&a.parts, &poses[i], &b.parts, &poses[j])?;
        let size = a.bounding_radius().min(b.bounding_radius());
        let thin = half_thickness(a).min(half_thickness(b));
        let allowed = (START_OVERLAP * size).min(START_OVERLAP_OF_THICKNESS * thin);
        (overlap.depth > allowed).then_some(BodyOverlap { bodies, overlap })
    }
}

/// Half the least thickness of a body (m); infinite for half-spaces and surfaces.
fn half_thickness(body: &Body) -> f64 {
    match body.thickness() {
        0.0 => f64::INFINITY,
        thickness => 0.5 * thickness,
    }
}

fn deepest_first(mut found: Vec<BodyOverlap>) -> Vec<BodyOverlap> {
    found.sort_by(|x, y| y.overlap.depth.total_cmp(&x.overlap.depth).then(x.bodies.cmp(&y.bodies)));
    found
}

//! Finds where blocks touch: overlaps of coplanar opposite faces.
//!
//! ```text
//!   n_a · n_b ≤ −cos(angle)          faces of two blocks look at each other
//!   |distance of the planes| ≤ gap   at every corner of the overlap
//!   area of the overlap > area
//! ```
//!
//! Corners lie midway between the two planes, so that the order of the blocks does not matter.
//!
//! Faces and blocks may be non-convex: each connected piece of the overlap of two faces is an interface, and its
//! corners are those of its convex hull. Forces at further corners would add nothing (see
//! [`Interface`]).

mod overlap;
mod polygon;

use crate::assembly::{Assembly, AssemblyError, Block, Interface, InterfaceSource, Tolerance};
use crate::surface::area_of;
use glam::{DVec2, DVec3};
use polygon::Polygon;
use stiction_geometry::{Aabb, candidates};

/// The default gap, as a fraction of the diagonal of the free blocks.
const GAP: f64 = 1e-6;

/// The default smallest area, as a fraction of the smaller face.
const AREA: f64 = 1e-6;

/// The default angle (rad).
const ANGLE: f64 = 1e-3;

/// Corners of an interface nearer to each other, or to the line through their neighbours, are one, as a
/// fraction of the diagonal of the free blocks.
const SAME: f64 = 1e-9;

impl Tolerance {
    /// The tolerance for models without errors: a millionth of the size of the assembly.
    pub fn of(assembly: &Assembly) -> Self {
        Tolerance { gap: GAP * assembly.size(), area: None, angle: ANGLE }
    }

    /// The same with gap and area `factor` times as large, and the same angle.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Tolerance { gap: self.gap * factor, area: self.area.map(|area| area * factor), ..*self }
    }
}

/// The assembly with the interfaces that are detected within a tolerance instead of those it has.
///
/// # Errors
///
/// [`AssemblyError::Overlap`] if two blocks overlap by more than the gap.
pub fn detect(mut assembly: Assembly, tolerance: &Tolerance) -> Result<Assembly, AssemblyError> {
    overlap::check(&mut assembly, tolerance)?;
    assembly.interfaces = interfaces(&assembly, tolerance);
    assembly.source = InterfaceSource::Detected(*tolerance);
    Ok(assembly)
}

/// Every interface of an assembly; `a < b`. Two fixed blocks have none.
fn interfaces(assembly: &Assembly, tolerance: &Tolerance) -> Vec<Interface> {
    let blocks = &assembly.blocks;
    let faces: Vec<Vec<Face>> = blocks.iter().map(Face::of_block).collect();
    let boxes: Vec<Aabb> = faces.iter().map(|faces| bounds(faces)).collect();
    let same = SAME * assembly.size();
    let mut found = Vec::new();
    for (a, b) in candidates(&boxes, tolerance.gap) {
        let (a, b) = (a as usize, b as usize);
        if blocks[a].fixed && blocks[b].fixed {
            continue;
        }
        let near = |faces: &'_ [Face], other: usize| -> Vec<usize> {
            let reach = boxes[other].inflated(2.0 * tolerance.gap);
            (0..faces.len()).filter(|&k| faces[k].bounds.meets(&reach)).collect()
        };
        let (near_a, near_b) = (near(&faces[a], b), near(&faces[b], a));
        for one in near_a.iter().map(|&k| &faces[a][k]) {
            for other in near_b.iter().map(|&k| &faces[b][k]) {
                let (normal, pieces) = one.overlaps(other, tolerance, same);
                let friction = assembly.friction.between(a, b);
                let interface = |points| Interface { a, b, points, normal: -normal, friction };
                found.extend(pieces.into_iter().map(interface));
            }
        }
    }
    found
}

/// A face of a block.
struct Face {
    corners: Vec<DVec3>,
    /// The mean of the corners.
    middle: DVec3,
    /// Outward unit normal.
    normal: DVec3,
    area: f64,
    bounds: Aabb,
}

impl Face {
    fn of_block(block: &Block) -> Vec<Face> {
        block.faces.iter().filter_map(|face| Face::new(block, face)).collect()
    }

    /// `None` for a face without area.
    fn new(block: &Block, face: &[usize]) -> Option<Face> {
        let corners: Vec<DVec3> = face.iter().map(|&k| block.vertices[k]).collect();
        let middle = corners.iter().sum::<DVec3>() / corners.len() as f64;
        let area = area_of(&corners);
        let normal = area.try_normalize()?;
        let low = corners.iter().copied().fold(middle, DVec3::min);
        let high = corners.iter().copied().fold(middle, DVec3::max);
        let bounds = Aabb { low, high };
        Some(Face { corners, middle, normal, area: area.length(), bounds })
    }

    /// The corners of every piece of the overlap with another face, in the plane midway between both, and the normal of that
    /// plane, from this face to the other.
    fn overlaps(&self, other: &Face, tolerance: &Tolerance, same: f64) -> (DVec3, Vec<Vec<DVec3>>) {
        let normal = (self.normal - other.normal).normalize_or(self.normal);
        if self.normal.dot(other.normal) > -tolerance.angle.cos()
            || !self.bounds.inflated(2.0 * tolerance.gap).meets(&other.bounds)
        {
            return (normal, Vec::new());
        }
        let (u, v) = normal.any_orthonormal_pair();
        let origin = 0.5 * (self.middle + other.middle);
        let flat = |p: &DVec3| DVec2::new((*p - origin).dot(u), (*p - origin).dot(v));
        let project = |face: &Face| face.corners.iter().map(flat).collect();
        let (mine, theirs) = (Polygon::new(project(self)), Polygon::new(project(other)));
        let least = tolerance.area.unwrap_or(AREA * self.area.min(other.area));
        let lift = |p: DVec2| {
            let foot = origin + u * p.x + v * p.y;
            let [low, high] = [self, other].map(|face| face.height(foot, normal));
            let close = (high - low).abs() <= tolerance.gap;
            close.then_some(foot + normal * (0.5 * (low + high)))
        };
        let hulls = mine.overlaps(&theirs, least, same).into_iter();
        let pieces = hulls.filter_map(|hull| hull.into_iter().map(lift).collect());
        (normal, pieces.collect())
    }

    /// How far the plane of the face is from a point along a direction.
    fn height(&self, from: DVec3, along: DVec3) -> f64 {
        (self.middle - from).dot(self.normal) / along.dot(self.normal)
    }
}

fn bounds(faces: &[Face]) -> Aabb {
    let boxes = faces.iter().map(|face| face.bounds);
    boxes
        .reduce(|one, other| one.union(&other))
        .unwrap_or(Aabb { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY })
}

//! Blocks that share volume.
//!
//! A block that differs from its convex hull by less than the gap is taken as its hull, any other one is cut
//! into convex parts. The depth of an overlap is the shortest translation that separates two parts.

use super::polygon;
use crate::assembly::{Assembly, AssemblyError, Block, Tolerance};
use crate::surface;
use glam::DVec3;
use std::sync::Arc;
use stiction_geometry::{
    MassProperties, Mesh, Part, Polyhedron, Pose, Shape, aabb, candidates, convex_parts, overlap,
};

/// Refuses blocks that overlap by more than the gap and names the deepest pair. Notes which blocks could not be
/// examined.
pub(super) fn check(assembly: &mut Assembly, tolerance: &Tolerance) -> Result<(), AssemblyError> {
    let gap = tolerance.gap;
    let parts: Vec<Option<Vec<Part>>> =
        assembly.blocks.iter().map(|block| parts(block, gap)).collect();
    let missing: Vec<&str> = assembly
        .blocks
        .iter()
        .zip(&parts)
        .filter(|(block, parts)| parts.is_none() && !block.faces.is_empty())
        .map(|(block, _)| block.name.as_str())
        .collect();
    if !missing.is_empty() {
        let note =
            format!("not examined for overlap, too many convex parts: {}", missing.join(", "));
        assembly.assumptions.retain(|it| !it.starts_with("not examined for overlap"));
        assembly.assumptions.push(note);
    }
    let (mut boxes, mut numbers) = (Vec::new(), Vec::new());
    for (k, parts) in parts.iter().enumerate() {
        if let Some(parts) = parts {
            boxes.push(aabb(parts, &Pose::IDENTITY));
            numbers.push(k);
        }
    }
    let mut deepest: Option<AssemblyError> = None;
    let mut most = gap;
    for (i, j) in candidates(&boxes, 0.0) {
        let (a, b) = (numbers[i as usize], numbers[j as usize]);
        let (Some(one), Some(other)) = (&parts[a], &parts[b]) else { continue };
        if assembly.blocks[a].fixed && assembly.blocks[b].fixed {
            continue;
        }
        let found = overlap(one, &Pose::IDENTITY, other, &Pose::IDENTITY);
        if let Some(found) = found.filter(|found| found.depth > most) {
            most = found.depth;
            deepest = Some(AssemblyError::Overlap {
                blocks: [a, b],
                names: [a, b].map(|k| assembly.blocks[k].name.clone()),
                depth: found.depth,
                point: found.point,
                gap,
            });
        }
    }
    deepest.map_or(Ok(()), Err)
}

/// The convex parts of a block; `None` if it has no faces or needs too many.
fn parts(block: &Block, gap: f64) -> Option<Vec<Part>> {
    if block.faces.is_empty() {
        return None;
    }
    let hull = Polyhedron::from_points(&block.vertices).ok()?;
    let part = |hull: Polyhedron| Part::new(Shape::Polyhedron(Arc::new(hull)), Pose::IDENTITY);
    let volume = |density| MassProperties::of_surface(&block.vertices, &block.faces, density);
    let area: f64 = block
        .faces
        .iter()
        .map(|face| surface::middle_and_area(&block.vertices, face).1.length())
        .sum();
    let whole = part(hull.clone()).ok()?;
    let hollow = MassProperties::of_shape(whole.shape(), 1.0).ok()?.mass - volume(1.0).ok()?.mass;
    if hollow <= gap * area {
        return Some(vec![whole]);
    }
    let parts = convex_parts(&triangulated(block)?).ok()?;
    parts.into_iter().map(|hull| part(hull).ok()).collect()
}

/// The surface of a block as triangles.
fn triangulated(block: &Block) -> Option<Mesh> {
    let mut corners: Vec<DVec3> = Vec::new();
    for face in &block.faces {
        let points: Vec<DVec3> = face.iter().map(|&k| block.vertices[k]).collect();
        corners.extend(polygon::triangles_of(&points).into_iter().flatten());
    }
    let triangles = (0..corners.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    Mesh::new(corners, triangles).ok()
}

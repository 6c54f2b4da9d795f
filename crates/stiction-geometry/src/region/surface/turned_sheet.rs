//! Contacts of a cylinder or cone with the sharp sides and corners of one triangle of a mesh.
//!
//! Pairs of features as between convex parts (`turned/pairs.rs`), of which the triangle is one. Their
//! normals must be ones that the mesh has at this side or corner. An end that lies nearly flat on
//! them is replaced by its polygon, as it is on faces.

use glam::DVec3;

use super::super::round_hull::leans_out;
use super::super::turned::{LOOKING, NEARBY, Pair, at_nearest, nearest, touching_any};
use super::super::{EDGE, Numbered, SAME, Sink};
use super::Sharp;
use super::sheet::{DEEP, hull_on_sharp};
use crate::Part;
use crate::polyhedron::Polyhedron;
use crate::support::{Core, Couple};

/// Adds the contacts with sharp sides and corners; those with the face are found already, from
/// `before` on.
pub(super) fn turned_on_sharp(
    first: &Part,
    sheet: &Polyhedron,
    sharp: Sharp<'_>,
    before: usize,
    sink: &mut Sink<'_>,
) {
    let (Some(core), &[a, b, c]) = (Core::new(first), sheet.vertices()) else { return };
    let corners = [a, b, c];
    let poses = [sink.first(), sink.second()];
    let couple = Couple { cores: [core, Core::Triangle(&corners)], poses };
    let features = sharp_features(sheet, sharp);
    let Some(start) = couple.nearest(sink.margin).filter(|_| !features.is_empty()) else { return };
    lying(first, start, sheet, sharp, sink);
    let slack = SAME * couple.size();
    let touching = |near: DVec3| touching_any(first, &features, &couple, near);
    let flat = couple.along(poses[1].direction(sheet.faces()[0].normal));
    if flat >= couple.along(start) - slack && touching(start).is_empty() {
        return; // the face is nearest
    }
    let (pairs, apart) = nearest(touching, &couple, (start, flat));
    if apart > sink.margin {
        return;
    }
    let least = -DEEP * couple.size();
    let found = sink.found()[before..].iter();
    let mut nearer = found.map(|contact| contact.geometry.gap).fold(f64::INFINITY, f64::min);
    for Pair { first, second, facing, geometry, .. } in pairs {
        let known = sink.has(geometry.point, geometry.normal, 4.0 * slack);
        let normal = poses[1].local_direction(geometry.normal);
        let near = geometry.gap >= least.max(apart - slack);
        if near && leans(&second, sheet, sharp, normal) {
            nearer = nearer.min(geometry.gap);
            // The triangle on the other side may have it.
            if !known {
                sink.add(first, second, facing);
            }
        }
    }
    if nearer > apart + slack {
        let (normal, apart) = couple.climb(start);
        let local = poses[1].local_direction(normal);
        let tip = core.is_tip(poses[0].local_direction(-normal));
        let pointed = is_pointed(sheet, sharp, tip, local, slack);
        if nearer > apart + slack && apart >= least && pointed {
            at_nearest(&couple, normal, apart, sink);
        }
    }
}

/// An end that lies nearly flat on sharp sides and corners: contacts of its polygon.
fn lying(first: &Part, near: DVec3, sheet: &Polyhedron, sharp: Sharp<'_>, sink: &mut Sink<'_>) {
    let axis = sink.first().direction(first.pose().direction(DVec3::Z));
    let Some(hull) = first.hull().filter(|_| near.cross(axis).length() <= NEARBY) else { return };
    let before = sink.found().len();
    hull_on_sharp(hull, sheet, sharp, sink);
    sink.keep(before, |contact| contact.geometry.normal.cross(axis).length() <= LOOKING);
}

fn sharp_features(sheet: &Polyhedron, sharp: Sharp<'_>) -> Vec<Numbered> {
    let sides = (0..3).filter(|&k| sharp.sides[k]);
    let corners = (0..3).filter(|&k| sharp.corners[k]);
    sides
        .map(|k| Numbered::edge(&sheet.edges()[k], k as u32))
        .chain(corners.map(|k| Numbered::vertex(sheet.vertices()[k], k)))
        .collect()
}

/// Whether a direction is a possible normal of the mesh at a side or corner of the triangle.
fn leans(feature: &Numbered, sheet: &Polyhedron, sharp: Sharp<'_>, normal: DVec3) -> bool {
    let index = (feature.id & u64::from(u32::MAX)) as usize;
    if feature.id & EDGE == EDGE {
        leans_out(&sheet.edges()[index], sheet, normal)
    } else {
        sharp.leans_at(index, normal)
    }
}

/// Whether the farthest point of the triangle along a direction is a sharp corner, or its farthest side is sharp and meets
/// a tip, and this is a normal of the mesh there.
fn is_pointed(sheet: &Polyhedron, sharp: Sharp<'_>, tip: bool, normal: DVec3, slack: f64) -> bool {
    let heights: Vec<f64> = sheet.vertices().iter().map(|v| normal.dot(*v)).collect();
    let highest = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let top = |k: usize| heights[k % 3] >= highest - slack;
    let side = (0..3).find(|&k| top(k) && top(k + 1));
    match (side, (0..3).find(|&k| top(k))) {
        (Some(k), _) => tip && sharp.sides[k] && leans_out(&sheet.edges()[k], sheet, normal),
        (None, Some(k)) => sharp.leans_at(k, normal),
        (None, None) => false,
    }
}

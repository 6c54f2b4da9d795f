//! Contacts of any part with a mesh.
//!
//! Each triangle near the part has the contacts of a face: corners and rims over it,
//! ends of rods over it. Its sides and corners give contacts only where they are
//! sharp (`mesh.rs`), so a flat mesh acts as a plane. A part whose middle is behind a
//! triangle does not overlap that triangle: it got there without passing through it.

mod sheet;
mod turned_sheet;

use glam::DVec3;

use self::turned_sheet::turned_on_sharp;
use super::plane::{Ground, on_ground};
use super::round::Rod;
use super::round_hull::{End, LEAN, crossing, foot, leans_out, under};
use super::{FACE, Kind, Numbered, SAME, Sink, kind};
use crate::bounds::of_part;
use crate::feature::room_inside;
use crate::mesh::Mesh;
use crate::polyhedron::Polyhedron;
use crate::support::Core;
use crate::{FeaturePair, Part, Pose};

/// Normals with a smaller sine between them are equal: a corner over the common side of two
/// triangles in one plane gives one contact.
const ALIKE: f64 = 1e-6;

/// A contact deeper than [`BEHIND`] is dropped if the same point of the body, or the body as a whole, is less than this
/// fraction of the depth behind another triangle: a corner is below the triangle that it
/// passed through, and also far behind others that it did not pass through.
const SHALLOW: f64 = 0.5;

/// Depth from which on this is examined, fraction of the body: above what a step leaves.
const BEHIND: f64 = 1e-6;

/// Contacts of a part with a mesh of the second body; `place` is the pose of the mesh in that body.
pub(super) fn contacts(first: &Part, mesh: &Mesh, place: &Pose, sink: &mut Sink<'_>) {
    let surface = sink.second().compose(place);
    let back = surface.rotation.conjugate();
    let seen = Pose {
        position: surface.local_point(sink.first().position),
        rotation: back * sink.first().rotation,
    };
    let bounds = of_part(first, &seen);
    let middle = seen.point(0.5 * (first.bounds().low + first.bounds().high));
    let size = (bounds.high - bounds.low).length();
    let (slack, behind) = (SAME * size, -BEHIND * size);
    let core = Core::new(first);
    // Just in front of a triangle a point touches it: whatever the margin, it is not behind others.
    let margin = sink.margin;
    sink.margin = margin.max(-behind);
    for triangle in mesh.near(&bounds.inflated(sink.margin)) {
        let corners = mesh.corners(triangle);
        let beyond = mesh.sharp_sides(triangle).map(|n| n.map(|n| place.direction(n)));
        let sheet = Polyhedron::sheet(corners.map(|c| place.point(c)), beyond);
        let (sides, corner) = (beyond.map(|n| n.is_some()), mesh.sharp_corners(triangle));
        let sharp = Sharp { sides, corners: corner, mesh, triangle, place };
        sink.tag = u64::from(triangle) + 1;
        let before = sink.found().len();
        on_sheet(first, &sheet, sharp, sink);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        if normal.dot(middle - corners[0]) < 0.0 {
            sink.keep(before, |contact| contact.geometry.gap >= -slack);
        }
        let deepest = least_gap(&sink.found()[before..]);
        if let (true, Some(core)) = (deepest < behind, core) {
            let sides = mesh.convex_sides(triangle);
            let over = sides.map(|side| side.map(|(n, at)| height(core, &seen, n) - n.dot(at)));
            let shallow = over.into_iter().flatten().fold(f64::NEG_INFINITY, f64::max);
            sink.keep(before, |contact| {
                let gap = contact.geometry.gap;
                gap >= behind || shallow <= SHALLOW * gap
            });
        }
    }
    drop_repeated(slack, sink);
    drop_behind(slack, behind, sink);
    sink.margin = margin;
    sink.retain(|contact| contact.geometry.gap <= margin);
}

/// How low a part reaches along a direction.
fn height(core: Core<'_>, pose: &Pose, normal: DVec3) -> f64 {
    core.lowest(pose.local_direction(normal)) + normal.dot(pose.position)
}

fn least_gap(contacts: &[FeaturePair]) -> f64 {
    contacts.iter().map(|contact| contact.geometry.gap).fold(f64::INFINITY, f64::min)
}

fn on_sheet(first: &Part, sheet: &Polyhedron, sharp: Sharp<'_>, sink: &mut Sink<'_>) {
    match kind(first) {
        Kind::Hull(hull) => sheet::hull_on_sheet(hull, sheet, sharp, sink),
        Kind::Rod(rod) => rod_on_sheet(&rod, sheet, sharp, sink),
        Kind::Turned => turned_on_sheet(first, sheet, sharp, sink),
        Kind::Half | Kind::Surface(..) => {}
    }
}

/// Which sides and corners of a triangle are sharp.
#[derive(Clone, Copy)]
struct Sharp<'a> {
    sides: [bool; 3],
    corners: [bool; 3],
    mesh: &'a Mesh,
    triangle: u32,
    /// Of the mesh in its body.
    place: &'a Pose,
}

impl Sharp<'_> {
    /// Whether a direction of the body is a possible normal of the mesh at a corner.
    fn leans_at(&self, corner: usize, normal: DVec3) -> bool {
        let normal = self.place.local_direction(normal);
        self.corners[corner] && self.mesh.leans_at(self.triangle, corner, normal, LEAN)
    }
}

/// Rims and tips over the triangle, and whatever touches its sharp sides and corners.
fn turned_on_sheet(first: &Part, sheet: &Polyhedron, sharp: Sharp<'_>, sink: &mut Sink<'_>) {
    let face = &sheet.faces()[0];
    let ground =
        Ground { feature: face.feature(), id: FACE, normal: face.normal, at: face.boundary[0] };
    let before = sink.found().len();
    on_ground(first, &ground, sink);
    let slack = SAME * sheet.radius();
    sink.keep(before, |contact| contact.geometry.room >= -slack);
    turned_on_sharp(first, sheet, sharp, before, sink);
}

fn rod_on_sheet(rod: &Rod, sheet: &Polyhedron, sharp: Sharp<'_>, sink: &mut Sink<'_>) {
    let near = rod.in_frame(sink.first(), sink.second());
    for ((id, end), (_, c)) in rod.ends().zip(near.ends()) {
        ball_on_sheet(&rod.end(id, end), c, sheet, sharp, sink);
    }
    if rod.half_length > 0.0 {
        side_on_sheet(rod, sheet, sharp, sink);
    }
}

/// The side of a rod across sharp sides and corners.
fn side_on_sheet(rod: &Rod, sheet: &Polyhedron, sharp: Sharp<'_>, sink: &mut Sink<'_>) {
    let near = rod.in_frame(sink.first(), sink.second());
    let size = sheet.radius() + rod.radius + rod.half_length;
    for k in (0..3).filter(|&k| sharp.sides[k]) {
        crossing(rod, &near, sheet, k as u32, size, sink);
    }
    let there = sink.second();
    for k in (0..3).filter(|&k| sharp.corners[k]) {
        let before = sink.found().len();
        under(rod, &near, sheet.vertices()[k], k, sheet, size, sink);
        let out = if sink.is_flipped() { -1.0 } else { 1.0 };
        sink.keep(before, |contact| {
            sharp.leans_at(k, there.local_direction(out * contact.geometry.normal))
        });
    }
}

/// A ball over the triangle, or else at the nearest side or corner if that is sharp.
fn ball_on_sheet(
    ball: &Numbered,
    c: DVec3,
    sheet: &Polyhedron,
    sharp: Sharp<'_>,
    sink: &mut Sink<'_>,
) {
    let ball = || Numbered { feature: ball.feature.clone(), id: ball.id };
    let face = &sheet.faces()[0];
    if room_inside(&face.boundary, face.normal, c) >= -SAME * sheet.radius() {
        sink.add(ball(), Numbered::face(face, 0), 1.0);
        return;
    }
    let distance = |k: usize| foot(&sheet.edges()[k], c).1.distance_squared(c);
    let mut nearest = 0;
    for k in 1..3 {
        if distance(k) < distance(nearest) {
            nearest = k;
        }
    }
    let edge = &sheet.edges()[nearest];
    let (end, at) = foot(edge, c);
    let normal = (c - at).normalize_or_zero();
    match end {
        End::Inside if sharp.sides[nearest] && leans_out(edge, sheet, normal) => {
            sink.add(ball(), Numbered::edge(edge, nearest as u32), 1.0);
        }
        End::Inside => {}
        End::From => on_corner(ball(), nearest, normal, sheet, sharp, sink),
        End::To => on_corner(ball(), (nearest + 1) % 3, normal, sheet, sharp, sink),
    }
}

/// A ball at a sharp corner.
fn on_corner(
    ball: Numbered,
    corner: usize,
    normal: DVec3,
    sheet: &Polyhedron,
    sharp: Sharp<'_>,
    sink: &mut Sink<'_>,
) {
    if sharp.leans_at(corner, normal) {
        sink.add(ball, Numbered::vertex(sheet.vertices()[corner], corner), 1.0);
    }
}

/// Keeps only the first of several contacts at one point with one normal.
fn drop_repeated(slack: f64, sink: &mut Sink<'_>) {
    let mut kept: Vec<(DVec3, DVec3)> = Vec::new();
    sink.retain(|contact| {
        let geometry = &contact.geometry;
        let new = kept.iter().all(|(point, normal)| {
            point.distance(geometry.point) > 4.0 * slack
                || normal.cross(geometry.normal).length() > ALIKE
        });
        if new {
            kept.push((geometry.point, geometry.normal));
        }
        new
    });
}

/// Drops contacts with triangles that a point of the body is far behind; see [`SHALLOW`].
fn drop_behind(slack: f64, behind: f64, sink: &mut Sink<'_>) {
    if least_gap(sink.found()) >= behind {
        return;
    }
    let side = if sink.is_flipped() { -0.5 } else { 0.5 };
    let surface_point =
        |t: &FeaturePair| t.geometry.point + t.geometry.normal * (side * t.geometry.gap);
    let all: Vec<(DVec3, f64)> =
        sink.found().iter().map(|t| (surface_point(t), t.geometry.gap)).collect();
    sink.retain(|contact| {
        let (point, gap) = (surface_point(contact), contact.geometry.gap);
        let better = |(other, depth): &(DVec3, f64)| {
            other.distance(point) <= 4.0 * slack && *depth > SHALLOW * gap
        };
        gap >= behind || !all.iter().any(better)
    });
}

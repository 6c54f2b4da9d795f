//! Contacts of cylinders and cones with all parts except half-spaces and meshes.
//!
//! parry computes the distance of the bodies. If the distance along the normal of a
//! flat face of either body (a face of a polyhedron or a flat round end) equals this
//! distance, the contact is with that face:
//!
//! - if two faces face each other, their polygon; a round end is replaced by a polygon
//!   of [`RIM_POINTS`](crate::shape::RIM_POINTS) corners;
//! - otherwise rims, tips and ends over the face, as on a half-space.
//!
//! If no face has this distance, the side of a cylinder may: crossing or parallel
//! axes. All remaining cases (a rim on an edge, the side of a cone on an edge, …) give
//! one contact at parry's nearest points, with a plane fixed in the second body.

use glam::DVec3;

use super::plane::{Ground, on_ground};
use super::round::{Rod, sides};
use super::{CHOSEN, FACE, Numbered, ROUND, SAME, Sink, hulls, round_hull};
use crate::overlap::best_axis;
use crate::polyhedron::{Face, Polyhedron};
use crate::support::{Couple, Nearest};
use crate::{Feature, Part, Pose, Shape};

/// Error of parry's distance between curved bodies, relative to the size: its iteration stops early
/// on curved surfaces; errors of 5e-6 were observed.
const DISTANCE: f64 = 1e-5;

/// Sine of the angle up to which two flat faces count as facing each other: with a larger tilt only
/// the lowest point touches.
const LOOKING: f64 = 1e-2;

/// A face of one of the bodies, and the distance along its normal.
struct Flat {
    of_first: bool,
    index: usize,
    apart: f64,
}

/// Contacts of a cylinder or cone with another part.
pub(super) fn contacts(first: &Part, second: &Part, sink: &mut Sink<'_>) {
    let (here, there) = (sink.first(), sink.second());
    let Some(couple) = Couple::new(first, here, second, there) else { return };
    let size = couple.size();
    let Some(flat) = best_flat(first, second, &couple) else { return };
    if flat.apart > sink.margin {
        return;
    }
    let found = couple.nearest(sink.margin);
    if found.is_none() && flat.apart > 0.0 {
        return;
    }
    // parry may be wrong about how deep the parts overlap, or find nothing. Along its normal, as
    // along that of the face, they are at least this far apart.
    let found = found.unwrap_or_else(|| searched(first, second, &couple));
    let mut apart = couple.along(found.normal).max(flat.apart);
    if apart < -SAME * size {
        apart = apart.max(couple.climb(found.normal).1);
    }
    if apart > sink.margin {
        return;
    }
    if flat.apart >= apart - DISTANCE * size {
        on_flat(first, second, &flat, SAME * size, sink);
    } else {
        beside(first, second, sink);
    }
    // No contact is deeper than the overlap along any direction: a deeper one is on the far side.
    let deepest = apart.min(0.0) - DISTANCE * size;
    sink.retain(|contact| contact.geometry.gap >= deepest);
    let least = sink.found().iter().map(|t| t.geometry.gap).fold(f64::INFINITY, f64::min);
    if least > apart + DISTANCE * size {
        sink.retain(|_| false);
        at_nearest(&couple, &found, sink);
    }
}

/// Normal and nearest points by a search of directions, where parry finds none.
fn searched(first: &Part, second: &Part, couple: &Couple<'_>) -> Nearest {
    let (normal, _) = best_axis(first, second, couple);
    let [here, there] = couple.poses;
    let [one, two] = couple.cores;
    let first = one.farthest(here.local_direction(-normal));
    let second = two.farthest(there.local_direction(normal));
    Nearest { points: [first, second], normal }
}

/// One contact at the nearest points, with a plane fixed in the second body: its normal is that of
/// the largest separation, its gap this separation.
fn at_nearest(couple: &Couple<'_>, found: &Nearest, sink: &mut Sink<'_>) {
    let (here, there) = (sink.first(), sink.second());
    let (normal, apart) = couple.climb(found.normal);
    let tip = here.point(found.points[0]);
    let at =
        Feature::unbounded(there.local_point(tip - normal * apart), there.local_direction(normal));
    let point = Numbered { feature: Feature::vertex(found.points[0]), id: CHOSEN };
    sink.add(point, Numbered { feature: at, id: CHOSEN }, 1.0);
}

/// The flat faces of a part: all faces of a polyhedron, the ends of a cylinder, the base of a cone.
fn flats(part: &Part) -> &[Face] {
    let count = match part.shape() {
        Shape::Cylinder { .. } => 2,
        Shape::Cone { .. } => 1,
        _ => usize::MAX,
    };
    part.hull().map_or(&[], |hull| &hull.faces()[..count.min(hull.faces().len())])
}

/// The flat face along which the bodies are farthest apart; those of the second body win ties.
fn best_flat(first: &Part, second: &Part, couple: &Couple<'_>) -> Option<Flat> {
    let [here, there] = couple.poses;
    let mut best: Option<Flat> = None;
    let mut offer = |of_first: bool, index: usize, apart: f64| {
        if best.as_ref().is_none_or(|best| apart > best.apart) {
            best = Some(Flat { of_first, index, apart });
        }
    };
    for (index, face) in flats(second).iter().enumerate() {
        offer(false, index, couple.along(there.direction(face.normal)));
    }
    for (index, face) in flats(first).iter().enumerate() {
        offer(true, index, couple.along(-here.direction(face.normal)));
    }
    best
}

/// Contacts with a flat face.
fn on_flat(first: &Part, second: &Part, flat: &Flat, slack: f64, sink: &mut Sink<'_>) {
    let (owner, other) = if flat.of_first { (first, second) } else { (second, first) };
    let face = &flats(owner)[flat.index];
    let (mine, theirs) =
        if flat.of_first { (sink.first(), sink.second()) } else { (sink.second(), sink.first()) };
    let normal = theirs.local_direction(mine.direction(face.normal));
    if let (Some(hull), Some(base), Some(facing)) =
        (owner.hull(), other.hull(), facing_face(other, normal))
    {
        polygon(flat, (hull, base), facing, sink);
    }
    if flat.of_first {
        over_face(second, face, flat, slack, sink.flip());
        sink.flip();
    } else {
        over_face(first, face, flat, slack, sink);
        if let (&Shape::Cylinder { .. }, Some(hull)) = (first.shape(), second.hull())
            && !is_turned(second)
        {
            round_hull::side(&Rod::side_of(first), hull, sink);
        }
    }
}

fn is_turned(part: &Part) -> bool {
    matches!(part.shape(), Shape::Cylinder { .. } | Shape::Cone { .. })
}

/// Adds the contact polygon of two flat faces.
fn polygon(
    flat: &Flat,
    (hull, base): (&Polyhedron, &Polyhedron),
    facing: usize,
    sink: &mut Sink<'_>,
) {
    if flat.of_first {
        hulls::flat_on_flat((hull, flat.index), (base, facing), true, flat.apart, sink);
    } else {
        hulls::flat_on_flat((base, facing), (hull, flat.index), false, flat.apart, sink);
    }
}

/// The face of a part that is opposed to `normal`: any face of a polyhedron, a round end only if it
/// is nearly parallel.
fn facing_face(part: &Part, normal: DVec3) -> Option<usize> {
    let hull = part.hull()?;
    let face = hulls::most_along(hull, -normal);
    let parallel = hull.faces()[face].normal.cross(normal).length() <= LOOKING;
    let round = is_turned(part);
    (!round || (parallel && face < flats(part).len())).then_some(face)
}

/// Adds the contacts of rims, tips and ends of `first` over a face of the second body, except at
/// points that already have a contact.
fn over_face(first: &Part, face: &Face, flat: &Flat, slack: f64, sink: &mut Sink<'_>) {
    let ground = Ground {
        feature: face.feature(),
        id: FACE | flat.index as u64,
        normal: face.normal,
        at: face.boundary[0],
    };
    let before = sink.found().len();
    if first.hull().is_some() && !is_turned(first) {
        return;
    }
    on_ground(first, &ground, sink);
    line_over_face(first, &ground, face, sink);
    let known: Vec<DVec3> =
        sink.found()[..before].iter().map(|contact| contact.geometry.point).collect();
    sink.keep(before, |contact| {
        let new = known.iter().all(|p| p.distance(contact.geometry.point) > 4.0 * slack);
        contact.geometry.room >= -slack && new
    });
}

/// Adds the points at which the line of the side of a cylinder or cone that is nearest to a face
/// goes over the boundary of that face. They are fixed points of the side; the next search finds
/// them again.
fn line_over_face(first: &Part, ground: &Ground, face: &Face, sink: &mut Sink<'_>) {
    let (here, there) = (sink.first(), sink.second());
    let seen = |p: DVec3| there.local_point(here.point(p));
    let down = here.local_direction(there.direction(-ground.normal));
    let Some([from, to]) = side_line(first, down) else { return };
    let (a, b) = (seen(from), seen(to));
    let mut before = face.boundary[face.boundary.len() - 1];
    for (k, &corner) in face.boundary.iter().enumerate() {
        let across = face.normal.cross(corner - before).normalize_or_zero();
        let (h, l) = (across.dot(a - before), across.dot(b - before));
        if (h > 0.0) != (l > 0.0) {
            let feature = Feature::vertex(from + (to - from) * (h / (h - l)));
            let second = Numbered { feature: ground.feature.clone(), id: ground.id };
            sink.add(Numbered { feature, id: CHOSEN | k as u64 }, second, 1.0);
        }
        before = corner;
    }
}

/// The ends of the line of the side of a cylinder or cone that is farthest along a direction; none
/// if an end and not the side is, or all of the side.
fn side_line(part: &Part, along: DVec3) -> Option<[DVec3; 2]> {
    let pose: &Pose = part.pose();
    let out = pose.local_direction(along).with_z(0.0);
    // Steeper than this the part stands on its flat end or its tip.
    let out = if out.length() > LOOKING { out.normalize() } else { return None };
    let ends = match *part.shape() {
        Shape::Cylinder { half_length, radius } => {
            [-1.0, 1.0].map(|side| out * radius + DVec3::Z * (side * half_length))
        }
        Shape::Cone { half_length, radius } => {
            [out * radius - DVec3::Z * half_length, DVec3::Z * half_length]
        }
        _ => return None,
    };
    Some(ends.map(|end| pose.point(end)))
}

/// Contacts with the side of a cylinder.
fn beside(first: &Part, second: &Part, sink: &mut Sink<'_>) {
    let cylinder = |part: &Part| matches!(part.shape(), Shape::Cylinder { .. });
    match second.shape() {
        Shape::Ball { .. } | Shape::Capsule { .. } => {
            if cylinder(first) {
                sides(&Rod::side_of(first), &Rod::new(second), false, sink);
            }
            on_rims(first, &Rod::new(second), sink);
        }
        Shape::Cylinder { .. } if cylinder(first) => {
            sides(&Rod::side_of(first), &Rod::side_of(second), true, sink);
        }
        Shape::Box { .. } | Shape::Polyhedron(_) if cylinder(first) => {
            if let Some(hull) = second.hull() {
                round_hull::side(&Rod::side_of(first), hull, sink);
            }
        }
        _ => {}
    }
}

/// Contacts of the ends of a rod with the rims of a cylinder or cone, for ends outside the rim.
fn on_rims(first: &Part, second: &Rod, sink: &mut Sink<'_>) {
    let pose = first.pose();
    let axis = pose.direction(DVec3::Z);
    let (rims, half_length, radius): (&[f64], f64, f64) = match *first.shape() {
        Shape::Cylinder { half_length, radius } => (&[-1.0, 1.0], half_length, radius),
        Shape::Cone { half_length, radius } => (&[-1.0], half_length, radius),
        _ => return,
    };
    for &side in rims {
        let centre = pose.point(DVec3::Z * (side * half_length));
        for (id, end) in second.ends() {
            let seen = sink.first().local_point(sink.second().point(end)) - centre;
            let beyond = side * axis.dot(seen) >= 0.0 && seen.reject_from(axis).length() >= radius;
            if beyond {
                let circle = Feature::Circle { centre, axis, radius };
                let rim = Numbered { feature: circle, id: ROUND | u64::from(side > 0.0) };
                sink.add(rim, second.end(id, end), 1.0);
            }
        }
    }
}

//! Contacts of cylinders and cones with all parts except half-spaces and meshes.
//!
//! Two kinds of contacts are looked for:
//!
//! - with a flat face of either body (a face of a polyhedron or a flat round end), the one along
//!   whose normal the bodies are farthest apart. If two faces face each other, their polygon; a
//!   round end is replaced by a polygon of [`RIM_POINTS`](crate::shape::RIM_POINTS) corners.
//!   Otherwise rims, tips and ends over the face, as on a half-space;
//! - of all other features, in pairs (`turned/pairs.rs`): a rim on an edge, a side along a side.
//!   parry proposes the direction in which they are looked for.
//!
//! If there is neither, two sharp features meet (a corner on a rim, a tip on an edge): one of them
//! touches a plane fixed in the other body, along whose normal the bodies are farthest apart.

mod pairs;

use glam::DVec3;

use self::pairs::touching;
pub(super) use self::pairs::{NEARBY, Pair, touching_any};
use super::plane::{Ground, on_ground};
use super::{CHOSEN, FACE, Numbered, SAME, Sink, hulls};
use crate::overlap::best_axis;
use crate::polyhedron::{Face, Polyhedron};
use crate::support::Couple;
use crate::{Feature, Part, Shape};

/// A flat face along which parts are farther apart by at least this fraction of their size than
/// along any other does not touch.
const ASIDE: f64 = 1e-2;

/// Sine of the angle up to which two flat faces count as facing each other: with a larger tilt only
/// the lowest point touches.
pub(super) const LOOKING: f64 = 1e-2;

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
    let Some(flat) = best_flat(first, second, &couple) else { return };
    if flat.apart > sink.margin {
        return;
    }
    let found = couple.nearest(sink.margin);
    if found.is_none() && flat.apart > 0.0 {
        return;
    }
    // parry may be wrong about how deep the parts overlap, or find nothing.
    let start = found.unwrap_or_else(|| best_axis(first, second, &couple).0);
    let slack = SAME * couple.size();
    let touching = |near: DVec3| touching(first, second, &couple, near);
    let (pairs, apart) = nearest(touching, &couple, (start, flat.apart));
    if apart > sink.margin {
        return;
    }
    if flat.apart >= apart - sink.margin - ASIDE * couple.size() {
        on_flat(first, second, &flat, slack, sink);
    }
    // Along every direction the parts are at most as far apart as they are, or overlap at least as
    // much: a contact with a smaller gap is one of the far side, or of a replaced round end.
    sink.retain(|contact| contact.geometry.gap >= apart - slack);
    for Pair { first, second, facing, geometry, .. } in pairs {
        let near = geometry.gap >= apart - slack;
        if near && !sink.has(geometry.point, geometry.normal, 4.0 * slack) {
            sink.add(first, second, facing);
        }
    }
    let least = sink.found().iter().map(|t| t.geometry.gap).fold(f64::INFINITY, f64::min);
    if least > apart + slack {
        let (normal, apart) = couple.climb(start);
        if least > apart + slack {
            at_nearest(&couple, normal, apart, sink);
        }
    }
}

/// The pairs of features that touch, near a direction or near where it leads uphill, and how far
/// the parts are apart along the best direction known (m); `flat` along that of flat faces.
pub(super) fn nearest(
    touching: impl Fn(DVec3) -> Vec<Pair>,
    couple: &Couple<'_>,
    (start, flat): (DVec3, f64),
) -> (Vec<Pair>, f64) {
    let most = |pairs: &[Pair]| pairs.iter().map(|pair| pair.apart).fold(flat, f64::max);
    let pairs = touching(start);
    let apart = most(&pairs);
    let slack = SAME * couple.size();
    // A pair that touches is nearest if the parts are apart. If they overlap there may be another
    // along whose normal they overlap less.
    if !pairs.is_empty() && apart >= -slack {
        return (pairs, apart);
    }
    let (uphill, higher) = couple.climb(start);
    if higher <= apart + slack {
        return (pairs, apart);
    }
    let pairs = touching(uphill);
    let apart = most(&pairs).max(higher);
    (pairs, apart)
}

/// One contact of two sharp features: a vertex or tip of a body on a plane fixed in the other, whose
/// normal is that of the largest separation and whose gap is this separation.
pub(super) fn at_nearest(couple: &Couple<'_>, normal: DVec3, apart: f64, sink: &mut Sink<'_>) {
    let (here, there) = (sink.first(), sink.second());
    let [one, two] = couple.cores;
    let (out, inward) = (here.local_direction(-normal), there.local_direction(normal));
    // A rim has no fixed point, an edge under a tip many.
    if one.is_tip(out) || two.is_round() && !two.is_tip(inward) {
        let tip = one.farthest(out) + out * one.radius();
        let at = there.local_point(here.point(tip) - normal * apart);
        let plane = Numbered { feature: Feature::unbounded(at, inward), id: CHOSEN };
        sink.add_degenerate(Numbered { feature: Feature::vertex(tip), id: CHOSEN }, plane);
    } else {
        let tip = two.farthest(inward) + inward * two.radius();
        let at = here.local_point(there.point(tip) + normal * apart);
        let plane = Numbered { feature: Feature::unbounded(at, out), id: CHOSEN };
        sink.add_degenerate(plane, Numbered { feature: Feature::vertex(tip), id: CHOSEN });
    }
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
        over_face(second, (owner, face), flat, slack, sink.flip());
        sink.flip();
    } else {
        over_face(first, (owner, face), flat, slack, sink);
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
fn over_face(
    first: &Part,
    (owner, face): (&Part, &Face),
    flat: &Flat,
    slack: f64,
    sink: &mut Sink<'_>,
) {
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
    if is_turned(owner) {
        line_over_face(first, &ground, face, sink);
    }
    let known: Vec<DVec3> =
        sink.found()[..before].iter().map(|contact| contact.geometry.point).collect();
    sink.keep(before, |contact| {
        let new = known.iter().all(|p| p.distance(contact.geometry.point) > 4.0 * slack);
        contact.geometry.room >= -slack && new
    });
}

/// Adds the points at which the line of a side that is nearest to a flat round end goes over the
/// boundary of that end. They are fixed points of the side; the next search finds them again.
fn line_over_face(first: &Part, ground: &Ground, face: &Face, sink: &mut Sink<'_>) {
    let (here, there) = (sink.first(), sink.second());
    let seen = |p: DVec3| there.local_point(here.point(p));
    let down = here.local_direction(there.direction(-ground.normal));
    let Some(([from, to], radius)) = side_line(first, down) else { return };
    let (a, b) = (seen(from), seen(to));
    let mut before = face.boundary[face.boundary.len() - 1];
    for (k, &corner) in face.boundary.iter().enumerate() {
        let across = face.normal.cross(corner - before).normalize_or_zero();
        let (h, l) = (across.dot(a - before), across.dot(b - before));
        if (h > 0.0) != (l > 0.0) {
            let feature = Feature::Point { at: from + (to - from) * (h / (h - l)), radius };
            let second = Numbered { feature: ground.feature.clone(), id: ground.id };
            sink.add(Numbered { feature, id: CHOSEN | k as u64 }, second, 1.0);
        }
        before = corner;
    }
}

/// The line with a radius that is farthest along a direction and touches with its side: the axis of a
/// capsule or cylinder, a line of the side of a cone; none if an end is farthest.
fn side_line(part: &Part, along: DVec3) -> Option<([DVec3; 2], f64)> {
    let pose = part.pose();
    let out = pose.local_direction(along).with_z(0.0);
    // Steeper than this the part stands on its end or its tip.
    let out = if out.length() > LOOKING { out.normalize() } else { return None };
    let (ends, radius) = match *part.shape() {
        Shape::Cylinder { half_length, radius } | Shape::Capsule { half_length, radius } => {
            ([-1.0, 1.0].map(|side| DVec3::Z * (side * half_length)), radius)
        }
        Shape::Cone { half_length, radius } => {
            ([out * radius - DVec3::Z * half_length, DVec3::Z * half_length], 0.0)
        }
        _ => return None,
    };
    Some((ends.map(|end| pose.point(end)), radius))
}

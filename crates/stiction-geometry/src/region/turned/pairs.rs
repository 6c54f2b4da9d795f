//! Pairs of features of round parts and what they touch, but for flat faces: rims, sides, tips, ends,
//! edges and vertices.
//!
//! A pair touches along its normal `n` if the parts are as far apart along `n` as its features:
//!
//! ```text
//!   s(n) = min over the first of n·x − max over the second of n·x = gap
//! ```
//!
//! Then `n` is a normal of both parts there. Parts that are apart touch along one normal only.

use glam::DVec3;

use super::super::plane::FLAT_RIM;
use super::super::round::{PARALLEL, Rod};
use super::super::round_hull::LEAN;
use super::super::{Numbered, ROUND, SAME, VERTEX};
use crate::shape::RIM_POINTS;
use crate::support::{Core, Couple};
use crate::{ContactGeometry, Feature, FeaturePair, Part, Pose, Shape};

/// Features this much lower than the highest point along a direction, as a fraction of the size of
/// the part, and sides that are tilted by this sine, are tried. parry's normals are off by less.
pub(in crate::region) const NEARBY: f64 = 0.1;

/// Two features that may touch.
pub(in crate::region) struct Pair {
    pub first: Numbered,
    pub second: Numbered,
    pub facing: f64,
    pub geometry: ContactGeometry,
    /// Separation of the parts along its normal (m).
    pub apart: f64,
}

/// The pairs that touch along normals near a direction of the world, from the second part to the
/// first. Ends of lines of contact count up to a tilt of [`LEAN`].
pub(super) fn touching(first: &Part, second: &Part, couple: &Couple<'_>, near: DVec3) -> Vec<Pair> {
    let of_second = features(second, couple.cores[1], couple.poses[1].local_direction(near));
    touching_any(first, &of_second, couple, near)
}

/// The same for given features of the second part.
pub(in crate::region) fn touching_any(
    first: &Part,
    of_second: &[Numbered],
    couple: &Couple<'_>,
    near: DVec3,
) -> Vec<Pair> {
    let of_first = features(first, couple.cores[0], couple.poses[0].local_direction(-near));
    let mut found = Vec::new();
    for one in &of_first {
        for two in of_second.iter().filter(|two| !is_pointed(&one.feature, &two.feature)) {
            // Two ruled surfaces have two common normals, on opposite sides of the parts.
            let sides = if is_ruled(&one.feature) && is_ruled(&two.feature) { 2 } else { 1 };
            let tried = [1.0, -1.0].into_iter().take(sides);
            let pairs = tried.filter_map(|facing| pair(one, two, facing, couple));
            found.extend(pairs.max_by(|x, y| x.apart.total_cmp(&y.apart)));
        }
    }
    found
}

/// Two features, if they touch along their normal.
fn pair(one: &Numbered, two: &Numbered, facing: f64, couple: &Couple<'_>) -> Option<Pair> {
    let [here, there] = couple.poses;
    let size = couple.size();
    let contact = FeaturePair::new(one.feature.clone(), two.feature.clone(), facing, here, there);
    let geometry = contact.geometry;
    let inside = geometry.gap.is_finite() && geometry.room >= -SAME * size;
    if !inside || are_parallel(&contact, couple) || lies_flat(&contact, couple) {
        return None;
    }
    let apart = couple.along(geometry.normal);
    let [first, second] = [one.clone(), two.clone()];
    (apart >= geometry.gap - LEAN * size).then_some(Pair { first, second, facing, geometry, apart })
}

/// Whether two features have no normal where they touch: the rule of degenerate contacts applies.
fn is_pointed(first: &Feature, second: &Feature) -> bool {
    let sharp = |feature: &Feature| match *feature {
        Feature::Point { radius, .. } | Feature::Line { radius, .. } => radius == 0.0,
        Feature::Circle { .. } => true,
        _ => false,
    };
    let point = |feature: &Feature| matches!(feature, Feature::Point { .. });
    sharp(first) && sharp(second) && (point(first) || point(second))
}

fn is_ruled(feature: &Feature) -> bool {
    matches!(feature, Feature::Line { .. } | Feature::Cone { .. })
}

/// Whether the lines along which two ruled surfaces meet are parallel: their ends meet instead.
fn are_parallel(pair: &FeaturePair, couple: &Couple<'_>) -> bool {
    let [here, there] = couple.poses;
    if !is_ruled(&pair.on_a) || !is_ruled(&pair.on_b) {
        return false;
    }
    let line = |feature: &Feature, pose: &Pose, out: DVec3| match *feature {
        Feature::Line { along, .. } => pose.direction(along),
        Feature::Cone { axis, sine, .. } => (out * sine - pose.direction(axis)).normalize_or_zero(),
        _ => DVec3::ZERO,
    };
    let normal = pair.geometry.normal;
    let one = line(&pair.on_a, here, -normal);
    one.cross(line(&pair.on_b, there, normal)).length() <= PARALLEL
}

/// Whether a rim lies in the plane of the contact: it has no lowest point.
fn lies_flat(pair: &FeaturePair, couple: &Couple<'_>) -> bool {
    let flat = |feature: &Feature, pose: &Pose| match *feature {
        Feature::Circle { axis, .. } => {
            pose.direction(axis).cross(pair.geometry.normal).length() <= FLAT_RIM
        }
        _ => false,
    };
    flat(&pair.on_a, couple.poses[0]) || flat(&pair.on_b, couple.poses[1])
}

/// The features of a part near its farthest point along `out`, in its body frame.
fn features(part: &Part, core: Core<'_>, out: DVec3) -> Vec<Numbered> {
    let pose = part.pose();
    let axis = pose.direction(DVec3::Z);
    let lowest = out.dot(core.farthest(out)) - NEARBY * core.size();
    let near = |point: DVec3| out.dot(point) >= lowest;
    let tilted = |sine: f64| (out.dot(axis) - sine).abs() <= NEARBY;
    let rim = |z: f64, radius: f64| {
        let centre = pose.point(DVec3::Z * z);
        let feature = Feature::Circle { centre, axis, radius };
        let id = ROUND | u64::from(z > 0.0);
        near(centre + out.reject_from(axis).normalize_or_zero() * radius)
            .then_some(Numbered { feature, id })
    };
    match (part.shape(), part.hull()) {
        (Shape::Ball { .. } | Shape::Capsule { .. }, _) => {
            let rod = Rod::new(part);
            let ends = rod.ends().filter(|(_, end)| near(*end));
            let side = (rod.half_length > 0.0 && tilted(0.0)).then(|| rod.line());
            ends.map(|(id, end)| rod.end(id, end)).chain(side).collect()
        }
        (&Shape::Cylinder { half_length, radius }, _) => {
            let side = tilted(0.0).then(|| Rod::side_of(part).line());
            let rims = [rim(-half_length, radius), rim(half_length, radius)];
            rims.into_iter().flatten().chain(side).collect()
        }
        (&Shape::Cone { half_length, radius }, _) => {
            let length = radius.hypot(2.0 * half_length);
            let sine = radius / length;
            let tip = pose.point(DVec3::Z * half_length);
            let side = Feature::Cone { tip, axis, sine, length };
            let side = tilted(sine).then_some(Numbered { feature: side, id: ROUND | 2 });
            let id = VERTEX | u64::from(RIM_POINTS);
            let tip = near(tip).then_some(Numbered { feature: Feature::vertex(tip), id });
            [rim(-half_length, radius), tip, side].into_iter().flatten().collect()
        }
        (_, Some(hull)) => {
            let vertices = hull.vertices().iter().enumerate().filter(|(_, v)| near(**v));
            let edges = hull.edges().iter().enumerate().filter(|(_, edge)| {
                near(edge.middle - edge.along * edge.half_length)
                    && near(edge.middle + edge.along * edge.half_length)
            });
            vertices
                .map(|(k, v)| Numbered::vertex(*v, k))
                .chain(edges.map(|(k, edge)| Numbered::edge(edge, k as u32)))
                .collect()
        }
        _ => Vec::new(),
    }
}

//! Gaps compared with independently computed distances, and symmetries of contact regions.

mod common;

use common::{Random, contacts, cuboid, least_gap, part, rock};
use glam::{DQuat, DVec3};
use stiction_geometry::{FeaturePair, Part, Pose, Shape, distance};

/// Poses of two bodies, moved apart along a random direction until their distance is `wanted`.
fn apart(a: &[Part], b: &[Part], random: &mut Random, wanted: f64) -> (Pose, Pose) {
    let direction = random.direction();
    let b_pose = Pose { position: DVec3::ZERO, rotation: random.rotation() };
    let turn = random.rotation();
    let pose = |x: f64| Pose { position: direction * x, rotation: turn };
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if distance(a, &pose(middle), b, &b_pose) < wanted { low = middle } else { high = middle }
    }
    (pose(high), b_pose)
}

fn bodies(random: &mut Random) -> Vec<Vec<Part>> {
    let one = |shape| vec![part(shape)];
    vec![
        cuboid(0.5, 0.8, 0.3),
        rock(random, 8),
        rock(random, 30),
        one(Shape::Ball { radius: 0.4 }),
        one(Shape::Capsule { half_length: 0.6, radius: 0.3 }),
        one(Shape::Cylinder { half_length: 0.6, radius: 0.3 }),
        one(Shape::Cone { half_length: 0.6, radius: 0.3 }),
    ]
}

/// A short name of the kind of a body.
fn name(body: &[Part]) -> String {
    match body[0].shape() {
        Shape::Polyhedron(hull) => format!("polyhedron of {} corners", hull.vertices().len()),
        shape => format!("{shape:?}"),
    }
}

fn is_turned(body: &[Part]) -> bool {
    matches!(body[0].shape(), Shape::Cylinder { .. } | Shape::Cone { .. })
}

#[test]
fn the_least_gap_of_bodies_apart_is_their_distance() {
    let mut random = Random(3);
    for round in 0..200 {
        let bodies = bodies(&mut random);
        for a in &bodies {
            for b in &bodies {
                let wanted = if round % 2 == 0 { 1e-3 } else { 0.04 };
                let (pa, pb) = apart(a, b, &mut random, wanted);
                let real = distance(a, &pa, b, &pb);
                if real > wanted + 1e-9 {
                    continue; // The bodies are apart even with their origins at the same point.
                }
                let gap = least_gap(&contacts(a, &pa, b, &pb, 0.05));
                let tolerance = if is_turned(a) || is_turned(b) { 2e-5 } else { 1e-9 };
                assert!(
                    (gap - real).abs() < tolerance,
                    "{} and {}: gap {gap}, distance {real} {:#?}",
                    name(a),
                    name(b),
                    contacts(a, &pa, b, &pb, 0.05)
                );
            }
        }
    }
}

/// Checks that both lists contain the same contacts, apart from a transformation.
fn alike(
    some: &[FeaturePair],
    others: &[FeaturePair],
    flip: f64,
    moved: impl Fn(DVec3, bool) -> DVec3,
) {
    assert_eq!(some.len(), others.len(), "{some:#?} {others:#?}");
    for contact in some {
        let (point, normal) =
            (moved(contact.geometry.point, true), moved(contact.geometry.normal, false) * flip);
        let like = others.iter().any(|other| {
            (other.geometry.point - point).length() < 1e-11
                && (other.geometry.normal - normal).length() < 1e-11
                && (other.geometry.gap - contact.geometry.gap).abs() < 1e-11
        });
        assert!(like, "{contact:?} is not in {others:#?}");
    }
}

/// Pairs of bodies that touch or nearly touch.
fn configurations(random: &mut Random) -> Vec<(Vec<Part>, Pose, Vec<Part>, Pose)> {
    let mut all = Vec::new();
    for _ in 0..20 {
        let z = DQuat::from_rotation_z(random.between(0.0, 6.0));
        let a = Pose { position: DVec3::new(random.unit(), random.unit(), 0.8), rotation: z };
        all.push((cuboid(0.5, 0.8, 0.3), a, cuboid(1.0, 0.7, 0.5), Pose::IDENTITY));
        let bodies = bodies(random);
        for a in &bodies[..5] {
            for b in &bodies[..5] {
                let (pa, pb) = apart(a, b, random, 1e-4);
                all.push((a.clone(), pa, b.clone(), pb));
            }
        }
    }
    all
}

#[test]
fn regions_do_not_depend_on_the_frame() {
    let mut random = Random(4);
    for (a, pa, b, pb) in configurations(&mut random) {
        let here = contacts(&a, &pa, &b, &pb, 1e-3);
        let frame = random.pose(3.0);
        let there = contacts(&a, &frame.compose(&pa), &b, &frame.compose(&pb), 1e-3);
        alike(
            &here,
            &there,
            1.0,
            |v, point| if point { frame.point(v) } else { frame.direction(v) },
        );
        let keys = |list: &[FeaturePair]| list.iter().map(|t| t.key).collect::<Vec<_>>();
        assert_eq!(keys(&here), keys(&there));
    }
}

#[test]
fn regions_do_not_depend_on_the_order_of_bodies() {
    let mut random = Random(5);
    for (a, pa, b, pb) in configurations(&mut random) {
        let forward = contacts(&a, &pa, &b, &pb, 1e-3);
        let backward = contacts(&b, &pb, &a, &pa, 1e-3);
        alike(&forward, &backward, -1.0, |v, _| v);
    }
}

#[test]
fn regions_do_not_depend_on_the_numbering_of_vertices() {
    let mut random = Random(6);
    for _ in 0..100 {
        let mut points: Vec<DVec3> = (0..12).map(|_| random.direction()).collect();
        let a = common::hull(&points);
        points.reverse();
        points.swap(2, 7);
        let renumbered = common::hull(&points);
        let b = cuboid(0.5, 0.8, 0.3);
        let (pa, pb) = apart(&a, &b, &mut random, 1e-4);
        let first = contacts(&a, &pa, &b, &pb, 1e-3);
        alike(&first, &contacts(&renumbered, &pa, &b, &pb, 1e-3), 1.0, |v, _| v);
    }
}

#[test]
fn gaps_pass_through_zero_without_a_jump() {
    let mut random = Random(7);
    for _ in 0..50 {
        let bodies = bodies(&mut random);
        for a in &bodies[..5] {
            for b in &bodies[..5] {
                let (pa, pb) = apart(a, b, &mut random, 1e-6);
                let found = contacts(a, &pa, b, &pb, 1e-5);
                let nearest = found.iter().min_by(|x, y| x.geometry.gap.total_cmp(&y.geometry.gap));
                let normal = nearest.expect("they are 1e-6 apart").geometry.normal;
                let mut last = 1e-6;
                for k in 1..=20 {
                    let sunk =
                        Pose { position: pa.position - normal * (1e-7 * f64::from(k)), ..pa };
                    let gap = least_gap(&contacts(a, &sunk, b, &pb, 1e-5));
                    assert!(
                        (last - gap - 1e-7).abs() < 2e-9,
                        "{last} then {gap} at {k}: {found:?}"
                    );
                    last = gap;
                }
            }
        }
    }
}

#[test]
fn keys_survive_small_motions_and_are_distinct() {
    let mut random = Random(8);
    for (a, pa, b, pb) in configurations(&mut random) {
        let before = contacts(&a, &pa, &b, &pb, 1e-3);
        let motion = random.twist();
        let after = contacts(&a, &pa.moved(&motion, 1e-9), &b, &pb, 1e-3);
        let keys = |list: &[FeaturePair]| list.iter().map(|t| t.key).collect::<Vec<_>>();
        assert_eq!(keys(&before), keys(&after));
        let mut sorted = keys(&before);
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), before.len());
    }
}

/// The signed distance of convex bodies changes no faster than they move.
#[test]
fn overlap_grows_no_faster_than_the_motion() {
    let mut random = Random(18);
    for _ in 0..60 {
        let bodies = bodies(&mut random);
        for a in &bodies {
            for b in &bodies {
                let (pa, pb) = apart(a, b, &mut random, 1e-3);
                if distance(a, &pa, b, &pb) > 1e-3 + 1e-9 {
                    continue;
                }
                let towards = (pb.position - pa.position).normalize_or_zero();
                let mut last = least_gap(&contacts(a, &pa, b, &pb, 2e-3));
                for k in 1..=40 {
                    let step = 1e-3;
                    let sunk =
                        Pose { position: pa.position + towards * (step * f64::from(k)), ..pa };
                    let gap = least_gap(&contacts(a, &sunk, b, &pb, 2e-3));
                    let tolerance = if is_turned(a) || is_turned(b) { 1e-4 } else { 1e-9 };
                    assert!(
                        (last - gap).abs() < step + tolerance,
                        "{} on {}: {last} then {gap} at {k}",
                        name(a),
                        name(b)
                    );
                    last = gap;
                }
            }
        }
    }
}

/// Thin rods with a wide margin: the contact of an end with a side does not suppress nearer ends.
#[test]
fn the_nearest_ends_of_capsules_are_found() {
    let random = &mut Random(12);
    let rod = [part(Shape::Capsule { half_length: 0.6, radius: 0.02 })];
    for number in 0..5000 {
        let (a, b) = apart(&rod, &rod, random, 0.05);
        let real = distance(&rod, &a, &rod, &b);
        let gap = least_gap(&contacts(&rod, &a, &rod, &b, 0.5));
        assert!((gap - real).abs() < 1e-9, "pair {number}: gap {gap}, distance {real}");
    }
}

/// Bodies that touch to within rounding overlap by no more than rounding.
#[test]
fn touching_bodies_overlap_by_rounding_only() {
    let mut random = Random(20);
    for _ in 0..50 {
        let bodies = bodies(&mut random);
        for a in &bodies[..5] {
            for b in &bodies[..5] {
                let (pa, pb) = apart(a, b, &mut random, 1e-6);
                if distance(a, &pa, b, &pb) > 1e-6 + 1e-9 {
                    continue;
                }
                let found = contacts(a, &pa, b, &pb, 1e-5);
                let nearest = found.iter().min_by(|x, y| x.geometry.gap.total_cmp(&y.geometry.gap));
                let geometry = nearest.expect("they are 1e-6 apart").geometry;
                for _ in 0..20 {
                    let sink = geometry.gap + random.between(-1.0, 1.0) * 1e-15;
                    let pa = Pose { position: pa.position - geometry.normal * sink, ..pa };
                    let gap = least_gap(&contacts(a, &pa, b, &pb, 0.0));
                    assert!(gap > -1e-12, "{} on {}: {gap}", name(a), name(b));
                }
            }
        }
    }
}

/// A contact tracked along a motion agrees with the contact found by a new search.
#[test]
fn contacts_follow_their_bodies() {
    let mut random = Random(19);
    let mut followed = 0;
    for (a, pa, b, pb) in configurations(&mut random) {
        let before = contacts(&a, &pa, &b, &pb, 1e-3);
        let (va, vb) = (random.twist(), random.twist());
        let (qa, qb) = (pa.moved(&va, 1e-6), pb.moved(&vb, 1e-6));
        for contact in contacts(&a, &qa, &b, &qb, 1e-3).iter().filter(|contact| !contact.degenerate)
        {
            let Some(old) = before.iter().find(|old| old.key == contact.key) else { continue };
            if (&old.on_a, &old.on_b) != (&contact.on_a, &contact.on_b) {
                continue; // A side over the boundary of a tilted face is found again by each search.
            }
            let geometry = old.geometry(&qa, &qb);
            assert!((geometry.gap - contact.geometry.gap).abs() < 1e-11, "{old:?} {contact:?}");
            assert!(
                (geometry.point - contact.geometry.point).length() < 1e-9,
                "{old:?} {contact:?}"
            );
            assert!(
                (geometry.room - contact.geometry.room).abs() < 1e-9
                    || geometry.room == f64::INFINITY
            );
            followed += 1;
        }
    }
    assert!(followed > 500, "{followed}");
}

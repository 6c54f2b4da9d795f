//! All pairs of shapes, on every feature, turned, scaled, a rounding or a millionth of the size apart
//! or in each other, against distances and depths that share no code with contact regions.
//!
//! `STICTION_HUNT=100000 cargo test --release -p stiction-geometry --test hunt` tries that many.

mod common;

use common::{Random, contacts, least_gap, part};
use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;
use stiction_geometry::{
    FeaturePair, HeightField, Mesh, Part, Polyhedron, Pose, Shape, distance, overlap,
};

fn rounds() -> usize {
    std::env::var("STICTION_HUNT").ok().and_then(|n| n.parse().ok()).unwrap_or(1500)
}

/// A body of size about one, and attitudes in which features of it face down.
struct Subject {
    name: &'static str,
    parts: fn(f64) -> Vec<Part>,
    attitudes: Vec<DQuat>,
    /// How far distances by parry are off, part of the size.
    tolerance: f64,
}

fn rotations(list: &[(DVec3, f64)]) -> Vec<DQuat> {
    list.iter().map(|(axis, angle)| DQuat::from_axis_angle(*axis, *angle)).collect()
}

fn one(shape: Shape) -> Vec<Part> {
    vec![part(shape)]
}

fn prism(size: f64) -> Vec<Part> {
    let corners = (0..5).flat_map(|k| {
        let (sin, cos) = (f64::from(k) * 1.256_637).sin_cos();
        [-0.4, 0.4].map(|z| DVec3::new(0.5 * cos, 0.5 * sin, z) * size)
    });
    common::hull(&corners.collect::<Vec<_>>())
}

fn subjects() -> Vec<Subject> {
    let vertex_down = DQuat::from_rotation_arc(DVec3::ONE.normalize(), -DVec3::Z);
    let mut of_box = rotations(&[
        (DVec3::X, 0.0),
        (DVec3::X, FRAC_PI_2),
        (DVec3::Y, FRAC_PI_2),
        (DVec3::X, std::f64::consts::FRAC_PI_4),
        (DVec3::Y, 0.4),
    ]);
    of_box.push(vertex_down);
    let turned = rotations(&[
        (DVec3::X, 0.0),
        (DVec3::X, 2.0 * FRAC_PI_2),
        (DVec3::X, FRAC_PI_2),
        (DVec3::Y, 0.4),
        (DVec3::Y, 2.3),
        // A cone of radius 0.4 and height 1 on its side.
        (DVec3::Y, FRAC_PI_2 + 0.380_506_377_112),
    ]);
    let rod = rotations(&[(DVec3::X, 0.0), (DVec3::X, FRAC_PI_2), (DVec3::X, 0.5)]);
    vec![
        Subject {
            name: "box",
            parts: |s| one(Shape::Box { half: DVec3::new(0.5, 0.4, 0.3) * s }),
            attitudes: of_box.clone(),
            tolerance: 1e-8,
        },
        Subject {
            name: "ball",
            parts: |s| one(Shape::Ball { radius: 0.5 * s }),
            attitudes: rotations(&[(DVec3::X, 0.0)]),
            tolerance: 1e-9,
        },
        Subject {
            name: "capsule",
            parts: |s| one(Shape::Capsule { half_length: 0.5 * s, radius: 0.3 * s }),
            attitudes: rod,
            tolerance: 1e-9,
        },
        Subject { name: "hull", parts: prism, attitudes: of_box, tolerance: 1e-8 },
        Subject {
            name: "cylinder",
            parts: |s| one(Shape::Cylinder { half_length: 0.5 * s, radius: 0.4 * s }),
            attitudes: turned.clone(),
            tolerance: 2e-5,
        },
        Subject {
            name: "cone",
            parts: |s| one(Shape::Cone { half_length: 0.5 * s, radius: 0.4 * s }),
            attitudes: turned,
            tolerance: 2e-5,
        },
    ]
}

/// Grounds with their top at z = 0 around the origin.
fn grounds(size: f64) -> Vec<(&'static str, Vec<Part>)> {
    let flat = HeightField::new(9, &[0.0; 81], 0.7 * size, 0.7 * size).expect("a field");
    let corner = Pose::at(DVec3::new(-2.9, -2.7, 0.0) * size);
    let field = Part::new(Shape::HeightField(Arc::new(flat)), corner).expect("a field");
    let slab = Polyhedron::from_points(
        &(0..8)
            .map(|k| {
                let sign = |bit: u32| f64::from(k >> bit & 1) - 0.5;
                DVec3::new(6.0 * sign(0), 6.0 * sign(1), sign(2) - 0.5) * size
            })
            .collect::<Vec<_>>(),
    )
    .expect("a slab");
    let triangles = slab.faces().iter().flat_map(|f| {
        let v = &f.vertices;
        [[v[0], v[1], v[2]], [v[0], v[2], v[3]]]
    });
    let mesh = Mesh::new(slab.vertices().to_vec(), triangles.collect()).expect("a mesh");
    vec![
        ("half-space", one(Shape::HalfSpace)),
        ("height field", vec![field]),
        ("mesh", one(Shape::Mesh(Arc::new(mesh)))),
    ]
}

/// Signed distance: positive apart, minus the depth in each other.
fn signed(a: &[Part], pa: &Pose, b: &[Part], pb: &Pose) -> f64 {
    overlap(a, pa, b, pb).map_or_else(|| distance(a, pa, b, pb), |found| -found.depth)
}

fn tilt(random: &mut Random) -> DQuat {
    let angle = [0.0, 1e-16, 1e-14, 1e-12, 1e-10, 1e-9, 1e-8, 1e-6, 1e-3];
    DQuat::from_axis_angle(random.direction(), angle[random.below(9) as usize])
}

struct Case {
    what: String,
    a: Vec<Part>,
    b: Vec<Part>,
    pose_a: Pose,
    pose_b: Pose,
    size: f64,
    tolerance: f64,
}

/// Lowers the first body along −z until it is `gap` away, then turns both.
fn brought_together(mut case: Case, gap: f64, random: &mut Random) -> Option<Case> {
    let at = |z: f64| Pose { position: case.pose_a.position + DVec3::Z * z, ..case.pose_a };
    let apart = |z: f64| signed(&case.a, &at(z), &case.b, &case.pose_b);
    let (mut low, mut high) = (-0.2 * case.size, 3.0 * case.size);
    if apart(low) > gap || apart(high) < gap {
        return None;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if apart(middle) < gap { low = middle } else { high = middle }
    }
    case.pose_a = at(high);
    if random.below(2) == 0 {
        let frame = Pose { position: random.vector(case.size), rotation: random.rotation() };
        case.pose_a = frame.compose(&case.pose_a);
        case.pose_b = frame.compose(&case.pose_b);
    }
    Some(case)
}

fn draw(random: &mut Random, subjects: &[Subject]) -> Option<Case> {
    let size = 10_f64.powf(random.between(-6.0, 3.0));
    let first = &subjects[random.below(subjects.len() as u64) as usize];
    let pick = |subject: &Subject, random: &mut Random| {
        let k = random.below(subject.attitudes.len() as u64) as usize;
        (k, tilt(random) * DQuat::from_rotation_z(random.between(0.0, 6.3)) * subject.attitudes[k])
    };
    let (k, turn) = pick(first, random);
    let aside = random.vector(0.6 * size).with_z(0.0);
    let aside = if random.below(3) == 0 { DVec3::ZERO } else { aside };
    let pose_a = Pose { position: aside, rotation: turn };
    let kind = random.below(subjects.len() as u64 + 3) as usize;
    let (b, other, pose_b, tolerance) = if let Some(second) = subjects.get(kind) {
        let (j, turn) = pick(second, random);
        let over = DQuat::from_rotation_x(2.0 * FRAC_PI_2) * turn;
        let pose = Pose { position: DVec3::ZERO, rotation: over };
        ((second.parts)(size), format!("{} {j}", second.name), pose, second.tolerance)
    } else {
        let (name, parts) = grounds(size).swap_remove(kind - subjects.len());
        (parts, name.to_owned(), Pose::IDENTITY, 1e-8)
    };
    let gap = [0.0, 1e-6, -1e-6, 1e-12, -1e-12][random.below(5) as usize] * size;
    let tolerance = tolerance.max(first.tolerance);
    let what = format!("{} {k} on {other}, gap {gap:e}, size {size:e}", first.name);
    let case = Case { what, a: (first.parts)(size), b, pose_a, pose_b, size, tolerance };
    brought_together(case, gap, random)
}

/// What is wrong with the contacts of a case, if anything.
fn fault(case: &Case, random: &mut Random) -> Option<String> {
    let Case { a, b, pose_a, pose_b, size, tolerance, .. } = case;
    let margin = 1e-3 * size;
    let found = contacts(a, pose_a, b, pose_b, margin);
    let real = signed(a, pose_a, b, pose_b);
    let gap = least_gap(&found);
    if (gap - real).abs() > tolerance * size {
        return Some(format!("gap {gap:e}, distance {real:e}"));
    }
    let nearest = found.iter().min_by(|x, y| x.geometry.gap.total_cmp(&y.geometry.gap))?;
    let is_surface = matches!(b[0].shape(), Shape::Mesh(_) | Shape::HeightField(_));
    if let Some(wrong) = pushed(case, nearest).filter(|_| !is_surface) {
        return Some(wrong);
    }
    let step = 1e-2 * size;
    let out = Pose { position: pose_a.position + nearest.geometry.normal * step, ..*pose_a };
    let after = signed(a, &out, b, pose_b);
    if after < real + step * (1.0 - 1e-3) {
        return Some(format!(
            "along the normal {:?} it opens by {:e} of {step:e}",
            nearest.geometry.normal,
            after - real
        ));
    }
    // A move of a part in 1e9 changes the least gap by no more.
    let little = 1e-9 * size;
    let moved = Pose { position: pose_a.position + random.direction() * little, ..*pose_a };
    let jump = least_gap(&contacts(a, &moved, b, pose_b, margin)) - gap;
    let jumps = if is_surface { *tolerance } else { EXACT };
    if jump.abs() > little + jumps * size {
        return Some(format!("the gap jumps by {jump:e}"));
    }
    uncovered(case, &found, random)
}

/// How far gaps may be off, part of the size.
const EXACT: f64 = 1e-8;

/// Along the normal of its nearest contact, by its gap, a body begins to overlap the other. Not on
/// surfaces, whose depth at their corners is known less exactly.
fn pushed(case: &Case, nearest: &FeaturePair) -> Option<String> {
    let Case { a, b, pose_a, pose_b, size, .. } = case;
    let by = |more: f64| {
        let along = nearest.geometry.normal * (nearest.geometry.gap + more * size);
        let pose = Pose { position: pose_a.position - along, ..*pose_a };
        overlap(a, &pose, b, pose_b).map_or(0.0, |found| found.depth / size)
    };
    let (before, after) = (by(-EXACT), by(EXACT));
    let right = before < 1e-2 * EXACT && after > 0.5 * EXACT;
    (!right).then(|| format!("pushed by its gap it overlaps by {before:e} and then {after:e}"))
}

/// Points of either surface that touch the other body are among the contacts: in every direction
/// the contacts reach as far as they do.
fn uncovered(case: &Case, found: &[FeaturePair], random: &mut Random) -> Option<String> {
    let Case { a, b, pose_a, pose_b, size, .. } = case;
    let grain = one(Shape::Ball { radius: 1e-9 * size });
    let nearest = found.iter().min_by(|x, y| x.geometry.gap.total_cmp(&y.geometry.gap))?;
    let mut touching = Vec::new();
    for (of, pose, other, other_pose) in [(a, pose_a, b, pose_b), (b, pose_b, a, pose_a)] {
        let Some(hull) = of[0].hull() else { continue };
        let face = hull.faces().iter().max_by(|x, y| {
            let along = |face: &stiction_geometry::Face| {
                let n = pose.direction(face.normal).dot(nearest.geometry.normal);
                if std::ptr::eq(of, a) { -n } else { n }
            };
            along(x).total_cmp(&along(y))
        })?;
        for _ in 0..12 {
            let weights: Vec<f64> = face.boundary.iter().map(|_| random.unit().powi(3)).collect();
            let sum: f64 = weights.iter().sum();
            let inner: DVec3 = face.boundary.iter().zip(&weights).map(|(v, w)| *v * *w / sum).sum();
            let point = pose.point(inner);
            if distance(&grain, &Pose::at(point), other, other_pose) < 1e-9 * size {
                touching.push(point);
            }
        }
    }
    let slack = if case.tolerance > 1e-6 { 0.02 * size } else { 2e-6 * size };
    for _ in 0..16 {
        let t = random.direction().reject_from(nearest.geometry.normal).normalize_or_zero();
        let reach = found.iter().map(|c| t.dot(c.geometry.point)).fold(f64::NEG_INFINITY, f64::max);
        if let Some(point) = touching.iter().find(|p| t.dot(**p) > reach + slack) {
            let by = (t.dot(*point) - reach) / size;
            return Some(format!("a touching point is {by:e} of the size beyond all contacts"));
        }
    }
    None
}

#[test]
fn every_pair_of_shapes_touches_where_it_does() {
    let (mut random, subjects) = (Random(2024), subjects());
    let (mut tried, mut faults) = (0, Vec::new());
    for _ in 0..rounds() {
        let Some(case) = draw(&mut random, &subjects) else { continue };
        tried += 1;
        if let Some(fault) = fault(&case, &mut random) {
            faults.push(format!("{}: {fault}", case.what));
        }
    }
    assert!(tried > rounds() / 2, "only {tried} of {} were tried", rounds());
    for fault in faults.iter().take(40) {
        eprintln!("{fault}");
    }
    assert!(faults.is_empty(), "{} of {tried} cases are wrong", faults.len());
}

//! The impulse of a ray and the impact after it (Baraff 1991, §6.1 and §7).

mod common;

use common::Random;
use glam::{DMat3, DVec3};
use stiction_solvers::baraff1991::{ForcesOrImpulse, Impact, ImpactError, Secondary, impact};
use stiction_solvers::{
    Answer, Body, BoundedRow, Contact, ContactProblem, ContactSolver, Forces, Friction, Inertia,
    Level, Row, gallery, judge,
};

fn ray(problem: &ContactProblem) -> Option<Answer> {
    let answer = ForcesOrImpulse.solve(problem).expect("it is taken");
    answer.is_impulse().then_some(answer)
}

fn close(x: f64, y: f64, size: f64) -> bool {
    (x - y).abs() <= 1e-12 * size
}

/// The rod of fig. 4a, with `W_nn = 2.6/m`, `W_tt = 15.4/m`, `W_nt = 4.8/m`:
///
/// ```text
///   slip    v − (μ W_tt − W_nt) p = v − 6.75 p/m          ends at p = 4 m v / 27
///   normal  (W_nn − μ W_nt) p     = −p/m                  then −4 v / 27
///   stick   p' = (4 v / 27) / (W_nn − W_nt²/W_tt),        p'_t = −W_nt/W_tt p'
/// ```
#[test]
fn the_rod_stops_sliding_and_then_hits_the_floor() {
    let (m, v) = (2.5, 3.0);
    let rod = gallery::sliding_rod(m, -1.0).expect("valid");
    let ray = ray(&rod).expect("no force stops it");
    let before = [[v, 0.0, 0.0, 0.0, 0.0, 0.0]];
    let found = impact(&rod, &ray, &before).expect("an impulse");

    let p = found.impulse.contacts[0];
    assert_eq!(found.sticks, 0);
    assert!(close(p.normal, 4.0 * m * v / 27.0, m * v), "{p:?}");
    assert!(close(p.friction[0], -0.75 * p.normal, m * v), "{p:?}");
    let verdict = judge::judge_impulse(&rod, &before, &found.impulse).expect("fits");
    assert!(verdict.certified && verdict.sticks == Some(0), "{verdict:?}");
    assert!(close(verdict.separation, -4.0 * v / 27.0, v), "{verdict:?}");

    let second = found.second.contacts[0];
    let expected = 4.0 * v / 27.0 * m * 15.4 / 17.0;
    assert_eq!(found.method, Secondary::WangMason);
    assert!(close(second.normal, expected, m * v), "{second:?}");
    assert!(close(second.friction[0], -4.8 / 15.4 * expected, m * v), "{second:?}");
    assert!(found.second_certificate.is_certified());
    let tip = tip_velocity(&rod, &found.after);
    assert!(tip.length() < 1e-12 * v, "{tip} after all");
}

fn tip_velocity(problem: &ContactProblem, velocities: &[[f64; 6]]) -> DVec3 {
    let arm = DVec3::from_array(problem.contacts()[0].point)
        - DVec3::from_array(problem.bodies()[0].position);
    DVec3::from_slice(&velocities[0][..3]) + DVec3::from_slice(&velocities[0][3..]).cross(arm)
}

/// The same rod as two bodies welded together, with one redundant row: joints take their share
/// of both impulses and stay satisfied.
#[test]
fn a_welded_rod_behaves_like_the_rod() {
    let (m, v) = (2.5, 3.0);
    let (level, bodies, contacts, ..) = gallery::sliding_rod(m, -1.0).expect("valid").into_parts();
    let twice = bodies[0].inverse_inertia().map(|row| row.map(|x| 2.0 * x));
    let half = Body { inertia: Inertia::Inverse(twice), ..bodies[0].clone() };
    let weld = [0, 2, 4, 4].map(|k| {
        let on = |size: f64| std::array::from_fn(|i| if i == k { size } else { 0.0 });
        Row { a: 0, on_a: on(1.0), b: Some(1), on_b: on(-1.0), bias: 0.0 }
    });
    let halves = vec![half.clone(), half];
    let rod = ContactProblem::new(level, halves, contacts, weld.to_vec(), vec![]).expect("valid");
    let before = [[v, 0.0, 0.0, 0.0, 0.0, 0.0]; 2];
    let found = impact(&rod, &ray(&rod).expect("a ray"), &before).expect("an impulse");
    let close = |x: f64, y: f64| assert!((x - y).abs() < 1e-9 * m * v, "{x}, expected {y}");
    close(found.impulse.contacts[0].normal, 4.0 * m * v / 27.0);
    close(found.second.contacts[0].normal, 4.0 * v / 27.0 * m * 15.4 / 17.0);
    check(&rod, &before, &found);
}

/// A double impulse violates the first condition (the contact slides back), half of one too (it
/// still slides), and a negative one is not valid.
#[test]
fn the_judge_rejects_impulses_of_the_wrong_size() {
    let rod = gallery::sliding_rod(1.0, -1.0).expect("valid");
    let before = [[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]];
    let found = impact(&rod, &ray(&rod).expect("a ray"), &before).expect("an impulse");
    for (size, certified) in [(1.0, true), (2.0, false), (0.5, false), (-1.0, false), (0.0, false)]
    {
        let mut wrong = found.impulse.clone();
        wrong.contacts[0].normal *= size;
        wrong.contacts[0].friction = wrong.contacts[0].friction.map(|x| x * size);
        let verdict = judge::judge_impulse(&rod, &before, &wrong).expect("fits");
        assert_eq!(verdict.certified, certified, "{size}: {verdict:?}");
    }
}

#[test]
fn velocities_must_match_the_problem() {
    let rod = gallery::sliding_rod(1.0, -1.0).expect("valid");
    let ray = ray(&rod).expect("a ray");
    let at = |v: &[[f64; 6]]| impact(&rod, &ray, v).expect_err("refused");
    assert!(matches!(at(&[]), ImpactError::Velocities(_)));
    assert!(matches!(at(&[[f64::NAN; 6]]), ImpactError::Velocities(_)));
    assert!(matches!(at(&[[0.0; 6]]), ImpactError::NotSliding { contact: 0, .. }));
}

/// The block of fig. 5, pushed to the right into a rod that slides up: an impulse at that rod
/// alone stops it; then all contacts collide simultaneously.
#[test]
fn a_pushed_block_stops_the_rod_it_is_pushed_into() {
    let problem = gallery::wedged_block(1.0).expect("valid");
    let ray = ray(&problem).expect("inconsistent");
    let up = [0.0, 0.0, 2.0, 0.0, 0.0, 0.0];
    let found = impact(&problem, &ray, &[[0.0; 6], up, up]).expect("an impulse");
    assert_eq!((found.sticks, found.method), (1, Secondary::Simultaneous));
    assert!(found.impulse.contacts[0].normal == 0.0 && found.impulse.contacts[1].normal > 0.0);
    check(&problem, &[[0.0; 6], up, up], &found);
}

/// The judge confirms both conditions of §7.1, no contact approaches, and no energy is gained:
/// for random bodies, in the plane and in 3D.
#[test]
fn impulses_are_valid_and_impacts_take_energy() {
    let mut seen = [0; 2];
    let (mut simultaneous, mut invalid) = (0, 0);
    for seed in 0..20_000 {
        let planar = seed % 2 == 0;
        let (problem, velocities) = sliding_bodies(seed, planar);
        let Some(ray) = ray(&problem) else { continue };
        if !ray.is_certified() {
            invalid += 1;
            continue;
        }
        let found = impact(&problem, &ray, &velocities)
            .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        check(&problem, &velocities, &found);
        seen[usize::from(planar)] += 1;
        simultaneous += usize::from(found.method == Secondary::Simultaneous);
    }
    println!(
        "{} in space, {} in the plane; {simultaneous} simultaneous, {invalid} not valid",
        seen[0], seen[1]
    );
    assert!(seen[0] > 50 && seen[1] > 50 && simultaneous > 20);
    assert!(10 * invalid <= seen[0] + seen[1], "{invalid} rays are no valid impulses");
}

/// In the plane a single contact that has taken a ray sticks: Wang and Mason's impact is the
/// simultaneous one.
#[test]
fn a_single_planar_contact_always_sticks() {
    let mut seen = 0;
    for seed in (0..20_000).step_by(2) {
        let (problem, velocities) = sliding_bodies(seed, true);
        if problem.contacts().len() > 1 {
            continue;
        }
        let Some(ray) = ray(&problem) else { continue };
        let found = impact(&problem, &ray, &velocities).expect("an impulse");
        assert_eq!(found.method, Secondary::WangMason, "seed {seed}");
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

fn check(problem: &ContactProblem, velocities: &[[f64; 6]], found: &Impact) {
    let verdict = found.impulse_certificate;
    assert!(verdict.certified && verdict.sticks.is_some(), "{verdict:?}");
    assert!(found.second_certificate.is_certified(), "{}", found.second_certificate);
    let after = problem.at_impact(&found.after).expect("valid");
    let fastest = velocities.as_flattened().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    for u in judge::response(&after, &stiction_solvers::Forces::zeros(&after)).contacts {
        assert!(u.normal > -1e-7 * fastest, "still approaching with {}", u.normal);
    }
    let energies = [velocities, &found.between, &found.after].map(|v| energy(problem, v));
    assert!(energies.is_sorted_by(|p, q| *q <= p + 1e-9 * energies[0]), "{energies:?}");
}

/// `½ vᵀ M v`, over the directions in which each body can move.
fn energy(problem: &ContactProblem, velocities: &[[f64; 6]]) -> f64 {
    let body = |(body, v): (&Body, &[f64; 6])| {
        let inverse = body.inverse_inertia();
        let linear: f64 =
            (0..3).filter(|&k| inverse[k][k] > 0.0).map(|k| v[k] * v[k] / inverse[k][k]).sum();
        let turn = DMat3::from_cols_array_2d(&std::array::from_fn(|i| {
            std::array::from_fn(|j| inverse[3 + i][3 + j])
        }));
        let spin = DVec3::from_slice(&v[3..]);
        let angular = if turn.determinant() > 0.0 {
            spin.dot(turn.inverse() * spin)
        } else {
            spin.y * spin.y / inverse[4][4]
        };
        0.5 * (linear + angular)
    };
    problem.bodies().iter().zip(velocities).map(body).sum()
}

/// Bodies with light ends that move at random, and contacts where they would touch and slide:
/// each normal is perpendicular to the relative velocity there.
fn sliding_bodies(seed: u64, planar: bool) -> (ContactProblem, Vec<[f64; 6]>) {
    let random = &mut Random::new(seed);
    let flat = |v: DVec3| if planar { DVec3::new(v.x, 0.0, v.z) } else { v };
    let (mut bodies, mut velocities) = (Vec::new(), Vec::new());
    for _ in 0..=random.below(2) {
        let mass = random.between(0.5, 2.0);
        let position = flat(random.vector(1.0)).to_array();
        let moment = mass * random.between(0.02, 0.2);
        let push = flat(random.vector(5.0)).to_array();
        let (v, w) = (flat(random.vector(1.0)), random.vector(1.0));
        let w = if planar { DVec3::new(0.0, w.y, 0.0) } else { w };
        let inertia = DMat3::from_diagonal(DVec3::splat(moment)).to_cols_array_2d();
        let mut body = Body::rigid(mass, inertia, position);
        if planar {
            let mut inverse = body.inverse_inertia();
            for k in [1, 3, 5] {
                inverse[k] = [0.0; 6];
            }
            body.inertia = Inertia::Inverse(inverse);
        }
        bodies.push(body.with_free_response([push[0], push[1], push[2], 0.0, 0.0, 0.0]));
        velocities.push([v.x, v.y, v.z, w.x, w.y, w.z]);
    }
    let at = |body: usize, point: DVec3| {
        let arm = point - DVec3::from_array(bodies[body].position);
        let v = &velocities[body];
        DVec3::from_slice(&v[..3]) + DVec3::from_slice(&v[3..]).cross(arm)
    };
    let mut contacts = Vec::new();
    for _ in 0..=random.below(4) {
        let a = random.below(bodies.len());
        let b = (a > 0 && random.chance(0.5)).then_some(0);
        let point = DVec3::from_array(bodies[a].position) + flat(random.vector(1.0));
        let slip = at(a, point) - b.map_or(DVec3::ZERO, |b| at(b, point));
        let direction = slip.normalize();
        let normal =
            if planar { direction.cross(DVec3::Y) } else { direction.cross(random.unit()) };
        let sign = if random.chance(0.5) { 1.0 } else { -1.0 };
        let normal = (sign * normal.normalize()).to_array();
        let friction = random.between(0.2, 2.5);
        let law = Friction::Sliding { friction, direction: direction.to_array() };
        let contact = Contact::new(a, b, point.to_array(), normal, law);
        contacts.push(if planar { contact.planar(direction.to_array()) } else { contact });
    }
    let problem = ContactProblem::new(Level::Acceleration, bodies, contacts, vec![], vec![]);
    (problem.expect("valid"), velocities)
}

/// A motor between two bounds, and a stop that only pushes: neither force grows without bound
/// against a finite bound or along its own motion, whatever a solver returns.
#[test]
fn a_row_force_grows_only_without_a_bound_and_not_along_its_own_motion() {
    let body = Body::rigid(1.0, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.0; 3]);
    let up = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let row = Row { a: 0, on_a: up, b: None, on_b: [0.0; 6], bias: 0.0 };
    let judged = |lower: f64, upper: f64, force: f64| {
        let rows = vec![BoundedRow { row: row.clone(), lower, upper }];
        let bodies = vec![body.clone()];
        let problem = ContactProblem::new(Level::Acceleration, bodies, vec![], vec![], rows);
        let problem = problem.expect("valid");
        let direction = Forces { bounded: vec![force], ..Forces::zeros(&problem) };
        judge::judge_ray(&problem, &direction)
    };
    let bounded = judged(-5.0, 5.0, -1.0);
    assert!(!bounded.certified && bounded.force_violation > 0.1, "{bounded:?}");
    let pushes = judged(0.0, f64::INFINITY, 1.0);
    assert!(!pushes.certified && pushes.response_violation > 0.1, "{pushes:?}");
}

//! The judge is independent of every solver: it accepts right answers and rejects wrong ones.

mod common;

use common::{Recipe, random_problem};
use glam::{DQuat, DVec3};
use stiction_solvers::baraff1994::Dantzig;
use stiction_solvers::file::ProblemFile;
use stiction_solvers::judge::{self, Law, Uniqueness};
use stiction_solvers::{
    Body, Contact, ContactForce, ContactProblem, ContactSolver, Forces, Friction, Level, gallery,
};

fn solved(problem: &ContactProblem) -> Forces {
    match Dantzig::default().solve(problem) {
        Ok(solution) if !solution.is_impulse() && solution.certificate.is_certified() => {
            solution.forces
        }
        other => panic!("no certified answer: {other:?}"),
    }
}

fn changed(forces: &Forces, change: impl Fn(usize, ContactForce) -> ContactForce) -> Forces {
    let contacts = forces.contacts.iter().enumerate().map(|(i, f)| change(i, *f)).collect();
    Forces { contacts, ..forces.clone() }
}

fn scaled(force: ContactForce, by: f64) -> ContactForce {
    ContactForce { normal: by * force.normal, friction: force.friction.map(|x| by * x) }
}

fn rejects(problem: &ContactProblem, forces: &Forces, what: &str) {
    let certificate = judge::judge(problem, forces);
    assert!(!certificate.is_certified(), "{what} was certified:\n{certificate}");
    assert!(certificate.reason.is_some(), "{what} was refused without a reason");
    let error = certificate.opposition.response;
    assert!(error > 1e-6, "{what}: a backward error of {error:e} hides the error");
}

/// A block on a rough incline that sticks: all contacts stick and carry load.
fn block() -> ContactProblem {
    gallery::block_on_incline(0.4, 0.8, 0.3).expect("valid")
}

#[test]
fn zeroed_negated_scaled_and_permuted_forces_are_rejected() {
    let stacks = ["stack_m02_rotated_n012_s0", "peg_n008_s0", "single_block_in_corner_n012_s0"];
    let mut problems = vec![
        ("block", block()),
        ("table", gallery::four_legged_table(3.0).expect("valid")),
        ("bricks", gallery::overbalanced_bricks(0.5).expect("valid")),
    ];
    for name in stacks {
        let path = format!("{}/../../corpus/problems/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let file = ProblemFile::open(path.as_ref()).expect("readable");
        problems.push((name, file.problem(0).expect("valid")));
    }
    for (name, problem) in &problems {
        let forces = solved(problem);
        rejects(
            problem,
            &changed(&forces, |_, _| ContactForce::default()),
            &format!("{name} zeroed"),
        );
        rejects(problem, &changed(&forces, |_, f| scaled(f, -1.0)), &format!("{name} negated"));
        rejects(problem, &changed(&forces, |_, f| scaled(f, 1.01)), &format!("{name} 1 % more"));
        rejects(problem, &changed(&forces, |_, f| scaled(f, 0.99)), &format!("{name} 1 % less"));
    }
    let uneven = gallery::brick_on_two_feet(2.0, 0.1, 0.3).expect("valid");
    let forces = solved(&uneven);
    let count = forces.contacts.len();
    rejects(&uneven, &changed(&forces, |i, _| forces.contacts[(i + 1) % count]), "permuted");
}

#[test]
fn friction_rotated_by_five_degrees_is_rejected() {
    let turned = |problem: &ContactProblem, forces: &Forces| {
        changed(forces, |i, f| {
            let normal = DVec3::from_array(problem.contacts()[i].normal);
            let turn = DQuat::from_axis_angle(normal, 5f64.to_radians());
            let friction = (turn * DVec3::from_array(f.friction)).to_array();
            ContactForce { friction, ..f }
        })
    };
    // Where it sticks, no law allows it.
    let holds = block();
    let forces = solved(&holds);
    rejects(&holds, &turned(&holds, &forces), "sticking friction turned");

    // Where it slides, Baraff's condition (21) allows it and maximum dissipation does not.
    let ball = Body::rigid(1.0, [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]], [0.0; 3])
        .with_free_response([4.0, 0.0, -9.81, 0.0, 0.0, 0.0]);
    let contact =
        Contact::new(0, None, [0.0; 3], [0.0, 0.0, 1.0], Friction::Static { friction: 0.2 });
    let slides =
        ContactProblem::new(Level::Acceleration, vec![ball], vec![contact], vec![], vec![])
            .expect("valid");
    let forces = solved(&slides);
    assert_eq!(judge::judge(&slides, &forces).certified, Some(Law::MaximumDissipation));
    let certificate = judge::judge(&slides, &turned(&slides, &forces));
    assert_eq!(certificate.certified, Some(Law::Opposition));
    assert!(certificate.misalignment_deg > 4.0, "{}", certificate.misalignment_deg);
    assert!(certificate.natural_map.relative > 1e-3);
}

#[test]
fn answers_of_the_wrong_size_or_not_finite_are_refused() {
    let problem = gallery::four_legged_table(1.0).expect("valid");
    let certificate = judge::judge(&problem, &Forces::default());
    assert!(!certificate.is_certified());
    assert!(certificate.reason.expect("a reason").contains("0 contacts"));
    let mut forces = solved(&problem);
    forces.contacts[2].normal = f64::NAN;
    let certificate = judge::judge(&problem, &forces);
    assert!(certificate.reason.expect("a reason").contains("contact 2"));
}

/// The backward error has the size of the perturbation: shift the responses by it and the
/// nearby answer is exact.
#[test]
fn a_small_error_has_a_backward_error_of_its_size() {
    let problem = gallery::brick_on_two_feet(2.0, 0.1, 0.3).expect("valid");
    let forces = solved(&problem);
    for size in [1e-3, 1e-6, 1e-9] {
        let off = changed(&forces, |i, f| if i == 0 { scaled(f, 1.0 + size) } else { f });
        let error = judge::judge(&problem, &off).natural_map.response;
        assert!(error > 1e-2 * size && error < 100.0 * size, "{error:e} for an error of {size:e}");
    }
}

/// Prestress without load: forces that only press bodies together do not excuse a residual. The
/// scale is the free motion, not the answer.
#[test]
fn huge_internal_forces_do_not_hide_a_violation() {
    let body = Body::rigid(1.0, [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]], [0.0; 3])
        .with_free_response([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let side = |x: f64| {
        Contact::new(0, None, [x, 0.0, 0.0], [-x.signum(), 0.0, 0.0], Friction::Frictionless)
    };
    let problem = ContactProblem::new(
        Level::Acceleration,
        vec![body],
        vec![side(1.0), side(-1.0)],
        vec![],
        vec![],
    )
    .expect("valid");
    let push = |right: f64, left: f64| Forces {
        contacts: [right, left].map(|normal| ContactForce { normal, friction: [0.0; 3] }).to_vec(),
        ..Forces::default()
    };
    assert!(judge::judge(&problem, &push(1.0, 0.0)).is_certified());
    assert!(judge::judge(&problem, &push(1e3 + 1.0, 1e3)).is_certified());
    rejects(&problem, &push(1e6 + 1.0 + 1e-4, 1e6), "an error of 1e-4 under 1e6 of prestress");
}

#[test]
fn the_legs_of_a_table_are_not_unique_but_their_sums_are() {
    let problem = gallery::four_legged_table(3.0).expect("valid");
    let determinacy = judge::determinacy(&problem, &solved(&problem));
    assert_eq!(determinacy.freedom, 1);
    assert!(determinacy.contacts.iter().all(|u| *u != Uniqueness::Unique));
    assert!(determinacy.sum_is_unique(&[1.0, 1.0, 1.0, 1.0]), "all four");
    assert!(determinacy.sum_is_unique(&[1.0, 1.0, 0.0, 0.0]), "two neighbours");
    assert!(!determinacy.sum_is_unique(&[1.0, 0.0, 1.0, 0.0]), "a diagonal");
    assert!(!determinacy.sum_is_unique(&[1.0, 0.0, 0.0, 0.0]), "one leg");
}

/// Two feet of a block pressed on a floor: each carries a known weight, but how they share a
/// sideways push is not determined.
#[test]
fn normal_forces_may_be_unique_where_friction_is_not() {
    let problem = gallery::overbalanced_bricks(0.5).expect("valid");
    let determinacy = judge::determinacy(&problem, &solved(&problem));
    assert!(determinacy.contacts[..2].iter().all(|u| *u == Uniqueness::NotUnique));
    assert!(determinacy.normals[..2].iter().all(|u| *u == Uniqueness::Unique));
}

#[test]
fn three_legs_are_unique() {
    let problem = gallery::block_on_incline(0.0, 0.0, 0.0).expect("valid");
    let determinacy = judge::determinacy(&problem, &solved(&problem));
    assert_eq!(determinacy.freedom, 0);
    assert!(determinacy.contacts.iter().all(|u| *u == Uniqueness::Unique));
    assert_eq!(determinacy.motion, judge::Motion::Unique);
}

/// Adding a direction from the null space of the determinacy analysis changes no response.
#[test]
fn the_null_space_moves_nothing() {
    let recipe = Recipe { bodies: 2, contacts: 12, ..Recipe::PLAIN };
    let mut seen = 0;
    for seed in 0..200 {
        let problem = random_problem(seed, &recipe);
        let forces = solved(&problem);
        let before = judge::response(&problem, &forces).bodies;
        for direction in judge::determinacy(&problem, &forces).directions {
            seen += 1;
            let moved = changed(&forces, |i, f| ContactForce {
                normal: f.normal + direction[i].normal,
                friction: f.friction,
            });
            let after = judge::response(&problem, &moved).bodies;
            for (p, q) in before.as_flattened().iter().zip(after.as_flattened()) {
                assert!((p - q).abs() < 1e-6, "seed {seed}: {p} became {q}");
            }
        }
    }
    assert!(seen > 50, "only {seen} directions");
}

/// A body rests with one contact at 1 m beside its centre of mass. The force passes by the z axis
/// without a torque about it, however small the inertia there is.
///
/// With an inertia of 1e-14 kg·m², half a bit of a tilted normal, 1e-16 of 9.81 N at 1 m, turns
/// the body with 0.1 rad/s²: the force is right, but not certified. A normal along an axis is
/// exact.
#[test]
fn where_the_last_bit_of_the_data_decides_nothing_is_certified() {
    let (tilted, upright) = ([0.6, 0.0, 0.8], [0.0, 0.0, 1.0]);
    let cases = [(1e-2, tilted, true), (1e-14, tilted, false), (1e-14, upright, true)];
    for (thin, normal, certifiable) in cases {
        let inertia = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, thin]];
        let [x, y, z] = normal.map(|n| -9.81 * n);
        let body = Body::rigid(1.0, inertia, [0.0; 3]).with_free_response([x, y, z, 0.0, -z, 0.0]);
        let contact = Contact::new(0, None, [1.0, 0.0, 0.0], normal, Friction::Frictionless);
        let level = Level::Acceleration;
        let problem = ContactProblem::new(level, vec![body], vec![contact], vec![], vec![]);
        let problem = problem.expect("valid");
        let contacts = vec![ContactForce { normal: 9.81, friction: [0.0; 3] }];
        let forces = Forces { contacts, bilateral: vec![], bounded: vec![] };
        let certificate = judge::judge(&problem, &forces);
        assert!(certificate.natural_map.relative < 1e-15, "{certificate}");
        assert_eq!(certificate.is_certified(), certifiable, "{thin:e}: {certificate}");
        let reason = certificate.reason.unwrap_or_default();
        assert_eq!(reason.contains("last bit of the data"), !certifiable, "{reason}");
    }
}

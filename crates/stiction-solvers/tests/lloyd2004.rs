//! Lloyd's three methods on problems of every kind.

mod common;

use common::{Recipe, random_problem};
use stiction_solvers::file::ProblemFile;
use stiction_solvers::judge::{self, CERTIFIED, Cone, Law, judge_pyramid};
use stiction_solvers::lloyd2004::{Lloyd, Method};
use stiction_solvers::{
    Answer, ContactForce, ContactProblem, ContactSolver, Forces, Friction, Route, SolveError,
};

/// The three methods of the paper.
const METHODS: [Method; 3] = [Method::Reduced, Method::Structural, Method::Standard];

fn corpus(name: &str) -> ProblemFile {
    let path = format!("{}/../../corpus/problems/{name}.json", env!("CARGO_MANIFEST_DIR"));
    ProblemFile::open(path.as_ref()).expect("readable")
}

fn pyramid(method: Method, directions: usize) -> Lloyd {
    Lloyd { directions, round: false, ..Lloyd::new(method) }
}

fn solved(problem: &ContactProblem, mut solver: Lloyd) -> Answer {
    match solver.solve(problem) {
        Ok(solution) if !solution.is_impulse() => solution,
        other => panic!("{}: {other:?}", solver.name()),
    }
}

#[test]
fn any_even_number_of_directions_is_solved() {
    for name in ["peg_n008_s0", "single_block_in_corner_n012_s0", "stack_m02_rotated_n012_s0"] {
        let file = corpus(name);
        for load in 0..file.len().min(5) {
            let problem = file.problem(load).expect("valid");
            for directions in [4, 6, 8, 10, 12, 16, 22] {
                for method in METHODS {
                    let solution = solved(&problem, pyramid(method, directions));
                    assert_eq!(solution.provenance.cone, Cone::Pyramid { directions });
                    let relative = judge_pyramid(&problem, &solution.forces, directions).relative;
                    assert!(relative <= CERTIFIED, "{name} {method:?}: {relative:e}");
                }
            }
        }
    }
}

#[test]
fn other_numbers_of_directions_are_refused() {
    let problem = corpus("peg_n008_s0").problem(0).expect("valid");
    for directions in [0, 2, 3, 7, 2000] {
        let refused = pyramid(Method::Reduced, directions).solve(&problem);
        assert!(matches!(refused, Err(SolveError::Unsupported { .. })), "{directions}");
    }
}

/// `M z + q` of Lloyd's eq. 8, column by column from the judge's responses.
#[test]
fn z_solves_the_complementarity_problem_formed_independently() {
    let d = 8;
    let problem = corpus("peg_n008_s0").problem(1).expect("valid");
    let n = problem.contacts().len();
    let solution = solved(&problem, pyramid(Method::Reduced, d));
    let z = solution.certificate.pyramid.expect("a pyramid").z;
    assert_eq!(z.len(), n * (d + 2));
    let direction = |i: usize, j: usize| {
        let [x, y] = problem.contacts()[i].frame();
        let (sin, cos) = (std::f64::consts::TAU * j as f64 / d as f64).sin_cos();
        cos * x + sin * y
    };
    let mut forces = Forces { contacts: vec![ContactForce::default(); n], ..Forces::default() };
    for i in 0..n {
        forces.contacts[i].normal = z[i];
        let friction = (0..d).map(|j| z[n + i * d + j] * direction(i, j)).sum::<glam::DVec3>();
        forces.contacts[i].friction = friction.to_array();
    }
    let response = judge::response(&problem, &forces);
    let near = |x: f64, y: f64| assert!(x.min(y).abs() < 1e-11, "{x} and {y}");
    for i in 0..n {
        let lambda = z[n + n * d + i];
        near(z[i], response.contacts[i].normal);
        for j in 0..d {
            near(z[n + i * d + j], direction(i, j).dot(response.contacts[i].tangential) + lambda);
        }
        let friction: f64 = z[n + i * d..n + (i + 1) * d].iter().sum();
        near(lambda, problem.contacts()[i].friction.limit() * z[i] - friction);
    }
}

#[test]
fn round_answers_obey_coulomb_and_pyramids_are_reported_as_such() {
    let file = corpus("peg_n008_s0");
    for load in 0..file.len() {
        let problem = file.problem(load).expect("valid");
        let round = solved(&problem, Lloyd::new(Method::Reduced));
        assert_eq!(round.certificate.certified, Some(Law::MaximumDissipation));
        assert_eq!(round.provenance.cone, Cone::Round);
        let flat = solved(&problem, pyramid(Method::Reduced, 8));
        assert!(flat.certificate.is_certified());
        assert_eq!(flat.provenance.route, Route::Direct);
    }
}

#[derive(Debug, Default)]
struct Tally {
    problems: usize,
    certified: usize,
    fallbacks: usize,
    impulses: usize,
    contradictions: usize,
    failed: usize,
}

fn sweep(name: &str, recipe: &Recipe, seeds: std::ops::Range<u64>, method: Method) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let problem = random_problem(seed, recipe);
        if !problem.bounded().is_empty() {
            continue;
        }
        tally.problems += 1;
        match pyramid(method, 8).solve(&problem) {
            Ok(solution) if !solution.is_impulse() => {
                assert!(solution.certificate.is_certified(), "{name} {seed}: a wrong claim");
                tally.certified += 1;
                tally.fallbacks += usize::from(solution.provenance.route != Route::Direct);
            }
            Ok(ray) => {
                assert!(ray.is_certified(), "{name} {seed}: a ray is a valid impulse");
                tally.impulses += 1;
            }
            Err(SolveError::Contradiction { .. }) => tally.contradictions += 1,
            Err(_) => tally.failed += 1,
        }
    }
    println!("{name}, {}: {tally:?}", method.name());
    tally
}

#[test]
fn random_problems_of_every_kind_are_certified() {
    let plain = Recipe::PLAIN;
    let rough = Recipe { friction: true, ..plain };
    for (name, recipe, at_least) in [
        ("frictionless", plain, 1.0),
        ("rough", rough, 0.999),
        ("rough and planar", Recipe { planar: true, ..rough }, 0.999),
        ("rough, masses over six orders", Recipe { mass_orders: 6.0, ..rough }, 0.999),
        ("rough, some sliding", Recipe { sliding: true, ..rough }, 0.999),
        ("rough, with joints", Recipe { rows: true, ..rough }, 0.999),
    ] {
        for method in METHODS {
            let tally = sweep(name, &recipe, 0..1000, method);
            let consistent = (tally.problems - tally.contradictions) as f64;
            let answered = (tally.certified + tally.impulses) as f64 / consistent;
            assert!(answered >= at_least, "{name}, {method:?}: {answered}");
        }
    }
}

#[test]
fn static_and_dynamic_coefficients_may_differ() {
    let problem = corpus("single_block_in_corner_n012_s0").problem(0).expect("valid");
    let (level, bodies, mut contacts, bilateral, bounded) = problem.into_parts();
    for contact in &mut contacts {
        contact.friction = Friction::Coulomb { static_friction: 0.5, dynamic_friction: 0.3 };
    }
    let problem = ContactProblem::new(level, bodies, contacts, bilateral, bounded).expect("valid");
    let solution = solved(&problem, Lloyd::new(Method::Reduced));
    assert!(solution.certificate.is_certified(), "{}", solution.certificate);
}

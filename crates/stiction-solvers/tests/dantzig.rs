//! Properties of Baraff's method, one by one.

mod common;

use common::{Recipe, point_row, random_problem};
use glam::DVec3;
use stiction_solvers::baraff1994::Dantzig;
use stiction_solvers::file::ProblemFile;
use stiction_solvers::judge::{self, Law, Mode};
use stiction_solvers::{
    Answer, Body, BoundedRow, Contact, ContactProblem, ContactSolver, Event, Forces, Friction,
    Level, NoObserver, Place, SolveError, gallery,
};

/// Upward normal.
const UP: [f64; 3] = [0.0, 0.0, 1.0];

fn solve(problem: &ContactProblem) -> Answer {
    match Dantzig::default().solve(problem) {
        Ok(solution) if !solution.is_impulse() && solution.certificate.is_certified() => solution,
        other => panic!("no certified answer: {other:?}"),
    }
}

fn ball(mass: f64, position: [f64; 3], free: [f64; 6]) -> Body {
    let i = 0.4 * mass * 0.25;
    Body::rigid(mass, [[i, 0.0, 0.0], [0.0, i, 0.0], [0.0, 0.0, i]], position)
        .with_free_response(free)
}

/// A restart from a solution needs no pivots.
#[test]
fn a_warm_start_from_the_answer_is_the_answer() {
    let corpus = |name: &str, load: usize| {
        let path = format!("{}/../../corpus/problems/{name}.json", env!("CARGO_MANIFEST_DIR"));
        ProblemFile::open(path.as_ref()).expect("readable").problem(load).expect("valid")
    };
    let mut problems = vec![gallery::overbalanced_bricks(0.5).expect("valid")];
    for load in 0..5 {
        problems.push(corpus("pile_n050_s0", load));
        problems.push(corpus("stack_m02_rotated_n012_s0", load));
        problems.push(corpus("peg_n008_s0", load));
    }
    for problem in &problems {
        let cold = solve(problem);
        let warm = Dantzig::default().solve_from(problem, Some(&cold.forces), &mut NoObserver);
        let Ok(warm) = warm else { panic!("no answer") };
        assert!(warm.certificate.is_certified());
        assert_eq!(warm.provenance.effort.pivots, 0);
        for (a, b) in warm.forces.contacts.iter().zip(&cold.forces.contacts) {
            assert!((a.normal - b.normal).abs() < 1e-7 * cold.certificate.force_scale);
        }
    }
}

#[test]
fn a_warm_start_of_the_wrong_size_is_refused() {
    let problem = gallery::four_legged_table(1.0).expect("valid");
    let error = Dantzig::default().solve_from(&problem, Some(&Forces::default()), &mut NoObserver);
    assert!(matches!(error, Err(SolveError::WarmStart { given: 0, expected: 4, .. })));
}

#[test]
fn every_pivot_is_reported() {
    let problem = gallery::overbalanced_bricks(0.5).expect("valid");
    let (mut pivots, mut drives) = (0, 0);
    let mut watch = |event: Event| match event {
        Event::Pivot { .. } | Event::GiveUp { .. } => pivots += 1,
        Event::Drive { .. } => drives += 1,
        _ => {}
    };
    let solver = &mut Dantzig { restarts: 0, round: false, starts: 0, from_zero: false };
    let Ok(solution) = solver.solve_from(&problem, None, &mut watch) else {
        panic!("no answer");
    };
    assert_eq!(
        (pivots, drives),
        (solution.provenance.effort.pivots, solution.provenance.effort.drives)
    );
    assert!(pivots > 5);
}

/// The same input gives the same bits.
#[test]
fn answers_repeat_bit_by_bit() {
    let recipe = Recipe {
        contacts: 12,
        mass_orders: 2.0,
        friction: true,
        sliding: true,
        rows: true,
        ..Recipe::PLAIN
    };
    for seed in 0..50 {
        let problem = random_problem(seed, &recipe);
        let once = Dantzig::default().candidate(&problem, None, &mut NoObserver);
        let twice = Dantzig::default().candidate(&problem, None, &mut NoObserver);
        assert_eq!(format!("{once:?}"), format!("{twice:?}"), "seed {seed}");
    }
}

/// A gate on two hinges, each holding a point in three directions: six rows for five
/// constraints. They carry the weight; how they share it is not determined.
#[test]
fn redundant_joints_are_solved() {
    let weight = 20.0 * 9.81;
    let gate =
        Body::rigid(20.0, [[7.0, 0.0, 0.0], [0.0, 7.0, 0.0], [0.0, 0.0, 2.0]], [0.5, 0.0, 1.0])
            .with_free_response([0.0, 0.0, -9.81, 0.0, 0.0, 0.0]);
    let bodies = vec![gate];
    let mut rows = Vec::new();
    for z in [0.2, 1.8] {
        for axis in DVec3::AXES {
            rows.push(point_row(&bodies, 0, None, DVec3::new(0.0, 0.0, z), axis, 0.0));
        }
    }
    let problem = ContactProblem::new(Level::Acceleration, bodies, vec![], rows, vec![]);
    let problem = problem.expect("valid");
    let solution = solve(&problem);
    let vertical = solution.forces.bilateral[2] + solution.forces.bilateral[5];
    assert!((vertical - weight).abs() < 1e-10, "{vertical} N carry {weight} N");
    // Moments about the lower hinge: the upper one pulls with weight · 0.5 / 1.6.
    let pull = solution.forces.bilateral[3];
    assert!((pull + weight * 0.5 / 1.6).abs() < 1e-10, "{pull}");
    let determinacy = judge::determinacy(&problem, &solution.forces);
    assert_eq!(determinacy.freedom, 1);
}

#[test]
fn joints_that_contradict_each_other_are_named() {
    let bodies = vec![ball(1.0, [0.0; 3], [0.0; 6])];
    let row = |bias: f64| point_row(&bodies, 0, None, DVec3::ZERO, DVec3::X, bias);
    let rows = vec![row(-1.0), row(-2.0)];
    let problem = ContactProblem::new(Level::Velocity, bodies.clone(), vec![], rows, vec![]);
    let error = Dantzig::default().solve(&problem.expect("valid"));
    assert!(
        matches!(error, Err(SolveError::Contradiction { place: Place::Bilateral(_), .. })),
        "{error:?}"
    );
}

/// A motor with a weak and a strong limit pushes a ball: at its limit, or as hard as needed.
#[test]
fn a_motor_stops_at_its_limit() {
    for (limit, expected) in [(3.0, 3.0), (50.0, 10.0)] {
        let bodies = vec![ball(2.0, [0.0; 3], [-5.0, 0.0, 0.0, 0.0, 0.0, 0.0])];
        let row = point_row(&bodies, 0, None, DVec3::ZERO, DVec3::X, 0.0);
        let motor = BoundedRow { row, lower: -limit, upper: limit };
        let problem = ContactProblem::new(Level::Acceleration, bodies, vec![], vec![], vec![motor]);
        let force = solve(&problem.expect("valid")).forces.bounded[0];
        assert!((force - expected).abs() < 1e-12, "{force} N, expected {expected} N");
    }
}

/// A ball pushed sideways sticks below the static limit and slips at the dynamic one above it.
/// [mass 1, so forces are accelerations]
#[test]
fn static_and_dynamic_friction_may_differ() {
    let law = Friction::Coulomb { static_friction: 0.5, dynamic_friction: 0.3 };
    for (push, mode, friction) in [(4.0, Mode::Stick, None), (20.0, Mode::Slip, Some(0.3 * 9.81))] {
        // A block that cannot rotate, so that only friction opposes the push.
        let mut inverse = [[0.0; 6]; 6];
        for k in 0..3 {
            inverse[k][k] = 1.0;
        }
        let block = Body::with_inverse_inertia(inverse, [0.0; 3])
            .with_free_response([push, 0.0, -9.81, 0.0, 0.0, 0.0]);
        let contact = Contact::new(0, None, [0.0; 3], UP, law);
        let problem =
            ContactProblem::new(Level::Velocity, vec![block], vec![contact], vec![], vec![]);
        let problem = problem.expect("valid");
        let solution = solve(&problem);
        let report = judge::report(&problem, &solution.forces)[0];
        assert_eq!(report.mode, mode);
        let expected = friction.unwrap_or(push);
        assert!((report.friction_force - expected).abs() < 1e-12, "{}", report.friction_force);
    }
}

/// At velocity level friction points exactly against the end-of-step slip.
#[test]
fn a_sliding_ball_is_slowed_against_its_slip() {
    let free = [3.0, 4.0, -0.1, 0.0, 0.0, 0.0];
    let contact = Contact::new(0, None, [0.0, 0.0, -0.5], UP, Friction::coulomb(0.2));
    let problem = ContactProblem::new(
        Level::Velocity,
        vec![ball(1.0, [0.0; 3], free)],
        vec![contact],
        vec![],
        vec![],
    );
    let solution = solve(&problem.expect("valid"));
    assert_eq!(solution.certificate.certified, Some(Law::MaximumDissipation));
    let force = solution.forces.contacts[0];
    assert!((force.normal - 0.1).abs() < 1e-14);
    let expected = [-0.02 * 0.6, -0.02 * 0.8, 0.0];
    for (f, e) in force.friction.iter().zip(expected) {
        assert!((f - e).abs() < 1e-14, "{:?}", force.friction);
    }
}

/// Gravity pulls a wedged peg: nothing moves, the answer is certified, and its internal forces
/// are not huge.
#[test]
fn forces_stay_of_the_size_of_the_load() {
    let path = format!("{}/../../corpus/problems/peg_n008_s0.json", env!("CARGO_MANIFEST_DIR"));
    let file = ProblemFile::open(path.as_ref()).expect("readable");
    for load in 0..file.len() {
        let solution = solve(&file.problem(load).expect("valid"));
        assert!(solution.certificate.force_ratio < 1e3, "{}", solution.certificate.force_ratio);
    }
}

/// Rows without bodies that move, problems without contacts: nothing to solve.
#[test]
fn empty_problems_have_empty_answers() {
    let none = ContactProblem::new(Level::Velocity, vec![], vec![], vec![], vec![]);
    assert!(solve(&none.expect("valid")).certificate.is_certified());
    let free = vec![ball(1.0, [0.0; 3], [1.0; 6])];
    let free = ContactProblem::new(Level::Velocity, free, vec![], vec![], vec![]);
    assert!(solve(&free.expect("valid")).certificate.is_certified());
}

//! Large problems: structures of many bodies, unusual ones, and the methods that solve them.

mod common;

use common::{Recipe, random_problem};
use stiction_solvers::gallery::scenes::{Motion, Scene, Structure};
use stiction_solvers::portfolio::Iterations;
use stiction_solvers::{
    Answer, Auto, Body, BoundedRow, Contact, ContactProblem, ContactSolver, Forces, Friction,
    Level, NoObserver, Row, SolveError, judge,
};

/// Largest relative residual of a certified answer of a structure: ten digits.
const DIGITS: f64 = 1e-10;

fn solved(problem: &ContactProblem, mut solver: impl ContactSolver, place: &str) -> Answer {
    match solver.solve(problem) {
        Ok(solution) if !solution.is_impulse() => solution,
        other => panic!("{place}: {other:?}"),
    }
}

fn scene(name: &str, friction: f64) -> ContactProblem {
    let scene = Scene::named(name).expect(name);
    Scene { friction, ..scene }.problem().expect("valid")
}

#[test]
fn structures_of_a_hundred_bodies_are_certified_to_ten_digits() {
    let names = ["wall-100", "wall-hit-100", "pyramid-91", "pyramid-hit-100", "tower-100"];
    let more = ["tower-hit-100", "arch-100", "chute-hit-100"];
    for name in names.iter().chain(&more) {
        for friction in [0.3, 0.5, 0.8] {
            let place = format!("{name}, friction {friction}");
            let solution = solved(&scene(name, friction), Iterations::default(), &place);
            let residual = solution.certificate.natural_map.relative;
            println!(
                "{place}: {residual:.1e} after {} factorisations",
                solution.provenance.effort.factored
            );
            assert!(residual <= DIGITS, "{place}: {residual:e}");
        }
    }
}

#[test]
fn a_wall_of_a_thousand_bodies_takes_few_factorisations() {
    let solution = solved(&scene("wall-1000", 0.5), Iterations::default(), "wall");
    assert!(solution.certificate.natural_map.relative <= DIGITS);
    assert_eq!(solution.provenance.effort.factored, 1, "it stands: the splitting does it");
    assert_eq!(solution.provenance.solver, "admm");
    let solution = solved(&scene("wall-hit-1000", 0.5), Iterations::default(), "wall, hit");
    assert!(solution.certificate.natural_map.relative <= DIGITS);
    assert!(solution.provenance.effort.factored <= 30, "{}", solution.provenance.effort.factored);
}

#[test]
fn a_warm_start_saves_factorisations() {
    for name in ["wall-400", "wall-hit-400", "pyramid-hit-400"] {
        let problem = scene(name, 0.5);
        let mut solver = Iterations::default();
        let mut again = |problem: &ContactProblem, start: Option<&Forces>| match solver.solve_from(
            problem,
            start,
            &mut NoObserver,
        ) {
            Ok(solution) if !solution.is_impulse() => solution,
            other => panic!("{name}: {other:?}"),
        };
        let first = again(&problem, None);
        let same = again(&problem, Some(&first.forces));
        assert_eq!(same.provenance.effort.factored, 0, "{name}: nothing has changed");
        assert_eq!(same.forces, first.forces);
        let changed = nudged(&problem, 0.01);
        let warm = again(&changed, Some(&first.forces));
        let cold = solved(&changed, Iterations::default(), name);
        assert!(warm.certificate.natural_map.relative <= DIGITS);
        let [warm, cold] = [warm, cold].map(|solution| solution.provenance.effort.factored);
        println!("{name}, 1 % changed: {warm} factorisations, cold {cold}");
        assert!(2 * warm <= cold, "{name}: {warm}, cold {cold}");
    }
}

/// The same with every free velocity changed by up to this fraction.
fn nudged(problem: &ContactProblem, part: f64) -> ContactProblem {
    let (level, mut bodies, contacts, bilateral, bounded) = problem.clone().into_parts();
    for (i, body) in bodies.iter_mut().enumerate() {
        let change = part * (i as f64 * 0.7).sin();
        body.free_response = body.free_response.map(|v| v * (1.0 + change));
    }
    ContactProblem::new(level, bodies, contacts, bilateral, bounded).expect("valid")
}

/// The bits do not depend on the number of threads.
#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let wall = scene("wall-hit-900", 0.5);
    let [piles, towers] = ["pile-64", "tower-200"].map(|name| scene(name, 0.4));
    for problem in [wall, piles, towers] {
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("a pool").install(|| solved(&problem, Auto::default(), "auto").forces)
        };
        let one = with(1);
        assert_eq!(one, with(2));
        assert_eq!(one, with(5));
    }
}

/// Without friction, with it, sliding, planar, joints and motors: certified, or reported as not
/// certified.
#[test]
fn random_problems_of_every_kind_end() {
    let kinds = [
        ("friction", Recipe { friction: true, ..Recipe::PLAIN }, 0.99),
        ("rows", Recipe { friction: true, rows: true, ..Recipe::PLAIN }, 0.99),
        ("masses", Recipe { friction: true, mass_orders: 9.0, ..Recipe::PLAIN }, 0.99),
        ("planar", Recipe { friction: true, planar: true, ..Recipe::PLAIN }, 0.99),
    ];
    for (kind, recipe, least) in kinds {
        let (mut certified, mut consistent) = (0.0, 0.0);
        for seed in 0..200 {
            let problem = random_problem(seed, &recipe);
            match Iterations::default().solve(&problem) {
                Ok(answer) if answer.is_certified() => certified += 1.0,
                Ok(answer) if !answer.is_impulse() => {
                    let finite = answer.forces.contacts.iter().all(|f| f.normal.is_finite());
                    assert!(finite, "{kind} {seed}");
                }
                other => panic!("{kind} {seed}: {other:?}"),
            }
            consistent += 1.0;
        }
        println!("{kind}: {certified} of {consistent} certified");
        assert!(certified >= least * consistent, "{kind}: {certified} of {consistent}");
    }
}

/// A chain of boxes hanging from the world by more joints than needed, with a motor at its end
/// that is too weak.
#[test]
fn redundant_joints_and_weak_motors() {
    let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let links = 20;
    let body = |k: usize| {
        Body::rigid(1.0, unit, [0.0, 0.0, -(k as f64)])
            .with_free_response([0.0, 0.0, -9.81, 0.0, 0.0, 0.0])
    };
    let mut rows = Vec::new();
    for k in 0..links {
        for axis in 0..6 {
            let mut on = [0.0; 6];
            on[axis] = 1.0;
            let other = (k > 0).then(|| k - 1);
            let mut against = on.map(|x: f64| -x);
            if axis < 2 && k > 0 {
                // The arm between the two centres.
                against[4 - axis] = if axis == 0 { 1.0 } else { -1.0 };
            }
            let row = Row { a: k, on_a: on, b: other, on_b: against, bias: 0.0 };
            rows.push(row.clone());
            rows.push(row);
        }
    }
    let lift =
        Row { a: links, on_a: [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], b: None, on_b: [0.0; 6], bias: 0.0 };
    let motor = BoundedRow { row: lift, lower: -1.0, upper: 4.0 };
    let bodies: Vec<Body> = (0..=links).map(body).collect();
    let problem = ContactProblem::new(Level::Acceleration, bodies, vec![], rows, vec![motor]);
    let problem = problem.expect("lawful");
    let solution = solved(&problem, Iterations::default(), "chain");
    assert!(solution.certificate.is_certified(), "{}", solution.certificate);
    assert!((solution.forces.bounded[0] - 4.0).abs() < 1e-7, "{:?}", solution.forces.bounded);
}

/// Ten thousand separate boxes, with high and low friction, some without contacts; a ring of
/// five hundred.
#[test]
fn unusual_problems_end() {
    let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let falling = [0.0, 0.0, -0.0981, 0.0, 0.0, 0.0];
    let bodies: Vec<Body> = (0..10_000)
        .map(|k| Body::rigid(1.0, unit, [2.0 * f64::from(k), 0.0, 1.0]).with_free_response(falling))
        .collect();
    let feet = (0..9_000).flat_map(|k| {
        let friction = [0.0, 0.5, 10.0][k % 3];
        [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(|[x, y]| {
            let at = [2.0 * k as f64 + x, y, 0.0];
            Contact::new(k, None, at, [0.0, 0.0, 1.0], Friction::coulomb(friction))
        })
    });
    let apart = ContactProblem::new(Level::Velocity, bodies, feet.collect(), vec![], vec![]);
    let apart = apart.expect("valid");
    let solution = solved(&apart, Auto::default(), "apart");
    assert!(solution.certificate.is_certified(), "{}", solution.certificate);

    // A ring lying flat, each body pressed against the next.
    let count = 500;
    let angle = |k: usize| std::f64::consts::TAU * k as f64 / count as f64;
    let ring: Vec<Body> = (0..count)
        .map(|k| {
            let (sin, cos) = angle(k).sin_cos();
            let at = [80.0 * cos, 80.0 * sin, 0.5];
            let free = [-0.1 * cos, -0.1 * sin, -0.0981, 0.0, 0.0, 0.0];
            Body::rigid(1.0, unit, at).with_free_response(free)
        })
        .collect();
    let mut contacts = Vec::new();
    for k in 0..count {
        let (sin, cos) = angle(k).sin_cos();
        let [x, y] = [80.0 * cos, 80.0 * sin];
        for [dx, dy] in [[-0.4, -0.4], [0.4, -0.4], [0.4, 0.4], [-0.4, 0.4]] {
            let at = [x + dx, y + dy, 0.0];
            contacts.push(Contact::new(k, None, at, [0.0, 0.0, 1.0], Friction::coulomb(0.5)));
        }
        let (sin, cos) = (angle(k) + 0.5 * angle(1)).sin_cos();
        for z in [0.1, 0.9] {
            let at = [80.0 * cos, 80.0 * sin, z];
            let along = [-sin, cos, 0.0];
            contacts.push(Contact::new(
                (k + 1) % count,
                Some(k),
                at,
                along,
                Friction::coulomb(0.5),
            ));
        }
    }
    let ring = ContactProblem::new(Level::Velocity, ring, contacts, vec![], vec![]).expect("valid");
    let solution = solved(&ring, Auto::default(), "ring");
    assert!(solution.certificate.is_certified(), "{}", solution.certificate);
}

/// Piles that slide and structures that are hit: the hard ones.
#[test]
fn sliding_piles_are_certified_nearly_always() {
    let structures = [
        (Structure::Pile, Motion::Collapsing),
        (Structure::Pile, Motion::Moving),
        (Structure::Pyramid, Motion::Hit),
        (Structure::Chute, Motion::Hit),
    ];
    let (mut certified, mut all) = (0, 0);
    for (k, (structure, motion)) in structures.into_iter().cycle().take(12).enumerate() {
        let friction = [0.1, 0.4, 0.7, 1.0][(k / 4 + k) % 4];
        let scene = Scene { structure, motion, bodies: 30, friction, seed: k as u64 };
        let problem = scene.problem().expect("valid");
        let outcome = Auto::default().solve(&problem);
        let fine = matches!(&outcome, Ok(s) if !s.is_impulse() && s.certificate.is_certified());
        println!(
            "{}, friction {friction}: {}",
            scene.name(),
            if fine { "certified" } else { "NOT" }
        );
        certified += usize::from(fine);
        all += 1;
    }
    assert!(certified >= all - 1, "{certified} of {all}");
}

/// Uniqueness of forces in problems too large for a dense decomposition: three unknowns per
/// sticking contact, six equations per body.
#[test]
fn uniqueness_is_known_at_any_size() {
    for name in ["wall-400", "tower-400", "pyramid-400"] {
        let problem = scene(name, 0.5);
        let solution = solved(&problem, Iterations::default(), name);
        let unique = judge::determinacy(&problem, &solution.forces);
        let (bodies, contacts) = (problem.bodies().len(), problem.contacts().len());
        assert_eq!(unique.freedom, 3 * contacts - 6 * bodies, "{name}");
        assert_eq!(unique.motion, judge::Motion::LocallyUnique, "{name}");
        assert!(unique.contacts.iter().all(|u| *u == judge::Uniqueness::NotUnique), "{name}");
        // The floor carries the whole weight, however it is shared.
        let on_floor: Vec<f64> =
            problem.contacts().iter().map(|c| if c.b.is_none() { 1.0 } else { 0.0 }).collect();
        assert!(unique.sum_is_unique(&on_floor), "{name}");
        let mut fewer = on_floor;
        *fewer.iter_mut().find(|x| **x > 0.0).expect("a floor") = 0.0;
        assert!(!unique.sum_is_unique(&fewer), "{name}");
    }
    let problem = scene("wall-hit-400", 0.5);
    let solution = solved(&problem, Iterations::default(), "wall, hit");
    let unique = judge::determinacy(&problem, &solution.forces);
    assert_eq!(unique.motion, judge::Motion::NotShown, "sliding contacts share load");
}

#[test]
fn starts_of_the_wrong_size_are_refused() {
    let wall = scene("wall-4", 0.5);
    let start = Forces::default();
    let refused = Iterations::default().solve_from(&wall, Some(&start), &mut NoObserver);
    assert!(matches!(refused, Err(SolveError::WarmStart { .. })), "{refused:?}");
}

//! Selection among all forces that cause the same motion: minimum norm, or nearest to others.

mod common;

use common::{Recipe, random_problem};
use stiction_solvers::gallery::scenes::Scene;
use stiction_solvers::{
    Answer, Auto, Body, Contact, ContactForce, ContactProblem, ContactSolver, Forces, Friction,
    Level, NoObserver, Selection, all, judge, selection,
};

fn solved(solver: &mut dyn ContactSolver, problem: &ContactProblem, place: &str) -> Answer {
    match solver.solve(problem) {
        Ok(solution) if !solution.is_impulse() => solution,
        other => panic!("{place}: {other:?}"),
    }
}

/// Largest difference of two answers, as a fraction of the largest force.
fn difference(one: &Forces, other: &Forces) -> f64 {
    let pairs = one.contacts.iter().zip(&other.contacts);
    let apart = pairs.map(|(a, b)| {
        let friction: f64 = (0..3).map(|k| (a.friction[k] - b.friction[k]).abs()).sum();
        (a.normal - b.normal).abs() + friction
    });
    let largest = one.contacts.iter().fold(1e-300, |m: f64, f| m.max(f.normal.abs()));
    apart.fold(0.0, f64::max) / largest
}

/// A box on four feet and a fifth right under its middle: all carry the same load.
#[test]
fn five_feet_share_the_load_equally() {
    let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let body = Body::rigid(5.0, unit, [0.0, 0.0, 1.0])
        .with_free_response([0.0, 0.0, -9.81, 0.0, 0.0, 0.0]);
    let feet = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [0.0, 0.0]];
    let contacts = feet
        .map(|[x, y]| Contact::new(0, None, [x, y, 0.0], [0.0, 0.0, 1.0], Friction::coulomb(0.5)));
    let problem =
        ContactProblem::new(Level::Acceleration, vec![body], contacts.to_vec(), vec![], vec![]);
    let problem = problem.expect("valid");
    let solution = solved(&mut Auto::default(), &problem, "feet");
    assert_eq!(solution.provenance.selection, Selection::Smallest);
    for force in &solution.forces.contacts {
        assert!((force.normal - 9.81).abs() < 1e-9, "{force:?}");
    }
}

/// A box pushed over the floor, its five feet slipping with a dynamic coefficient below the
/// static one: still the minimum-norm forces.
#[test]
fn sliding_feet_with_two_coefficients() {
    let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let body = Body::rigid(5.0, unit, [0.0, 0.0, 0.2])
        .with_free_response([9.0, 0.0, -9.81, 0.0, 0.0, 0.0]);
    let feet = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [0.0, 0.0]];
    let law = Friction::Coulomb { static_friction: 0.5, dynamic_friction: 0.3 };
    let contacts = feet.map(|[x, y]| Contact::new(0, None, [x, y, 0.0], [0.0, 0.0, 1.0], law));
    let problem =
        ContactProblem::new(Level::Acceleration, vec![body], contacts.to_vec(), vec![], vec![]);
    let problem = problem.expect("valid");
    let solution = solved(&mut Auto::default(), &problem, "feet");
    assert!(solution.certificate.is_certified(), "{}", solution.certificate);
    assert_eq!(solution.provenance.selection, Selection::Smallest);
    let found = solved(&mut Auto::selecting(Selection::Any), &problem, "feet");
    let square = |forces: &Forces| -> f64 {
        let of =
            |f: &ContactForce| f.normal.powi(2) + f.friction.map(|x| x * x).iter().sum::<f64>();
        forces.contacts.iter().map(of).sum()
    };
    let (smallest, any) = (square(&solution.forces), square(&found.forces));
    println!("sum of squares {any}, smallest {smallest}");
    assert!(smallest < 0.999 * any, "{smallest}, {any}");
    for force in &solution.forces.contacts {
        assert!((force.friction[0] + 0.3 * force.normal).abs() < 1e-9, "{force:?}");
    }
}

/// The minimum-norm forces are the same whichever solver found the answer.
#[test]
fn minimum_norm_forces_do_not_depend_on_the_solver() {
    let scenes = ["wall-9", "pyramid-14", "tower-10", "wall-16"];
    for name in scenes {
        let problem = Scene::named(name).expect(name).problem().expect("lawful");
        let selected = ["iterations", "dantzig", "lloyd-reduced"].map(|solver| {
            let mut solver = all::by_name(solver).expect("known");
            let found = solved(&mut *solver, &problem, name);
            assert!(found.certificate.is_certified(), "{name}: {}", solver.name());
            (found.forces.clone(), selection::nearest(&problem, &found.forces, None))
        });
        let first = selected[0].1.as_ref().expect("selected");
        for (found, smallest) in &selected {
            let smallest = smallest.as_ref().expect("selected");
            let (before, after) = (difference(first, found), difference(first, smallest));
            println!("{name}: found {before:.1e} apart, selected {after:.1e}");
            assert!(after < 1e-7, "{name}: {after:e}");
        }
        let apart = selected.iter().map(|(found, _)| difference(first, found)).fold(0.0, f64::max);
        assert!(apart > 1e-3, "{name}: they were equal from the start");
    }
}

/// The nearest to valid forces that cause the same motion are these forces.
#[test]
fn the_nearest_to_an_answer_is_that_answer() {
    let problem = Scene::named("wall-9").expect("wall").problem().expect("lawful");
    let mut iterations = all::by_name("iterations").expect("known");
    let mut sweeps = all::by_name("gauss-seidel").expect("known");
    let [one, other] =
        [&mut iterations, &mut sweeps].map(|solver| solved(&mut **solver, &problem, "wall").forces);
    assert!(difference(&one, &other) > 1e-3);
    let nearest = selection::nearest(&problem, &one, Some(&other)).expect("selected");
    assert!(difference(&other, &nearest) < 1e-7, "{:e}", difference(&other, &nearest));
}

/// The warm start affects the result only if that is requested.
#[test]
fn history_is_an_option() {
    let problem = Scene::named("wall-9").expect("wall").problem().expect("valid");
    let mut lloyd = all::by_name("lloyd-reduced").expect("known");
    let before = solved(&mut *lloyd, &problem, "before").forces;
    let from = |selection: Selection, start: Option<&Forces>| match Auto::selecting(selection)
        .solve_from(&problem, start, &mut NoObserver)
    {
        Ok(solution) if !solution.is_impulse() => solution,
        other => panic!("{other:?}"),
    };
    let smallest = from(Selection::Smallest, None);
    let warm = from(Selection::Smallest, Some(&before));
    assert_eq!(warm.provenance.selection, Selection::Smallest);
    assert!(difference(&smallest.forces, &warm.forces) < 1e-7);
    let nearest = from(Selection::Nearest, Some(&before));
    assert_eq!(nearest.provenance.selection, Selection::Nearest);
    assert!(difference(&before, &nearest.forces) < 1e-7);
    assert_eq!(from(Selection::Nearest, None).provenance.selection, Selection::Smallest);
    assert_eq!(from(Selection::Any, None).provenance.selection, Selection::Any);
}

/// For random problems of every kind, the selected forces cause the same motion, are certified,
/// and are not larger.
#[test]
fn random_problems_keep_their_motion() {
    let kinds = [
        ("plain", Recipe::PLAIN),
        ("friction", Recipe { friction: true, ..Recipe::PLAIN }),
        ("rows", Recipe { friction: true, rows: true, ..Recipe::PLAIN }),
        ("masses", Recipe { friction: true, mass_orders: 6.0, ..Recipe::PLAIN }),
        ("planar", Recipe { friction: true, planar: true, ..Recipe::PLAIN }),
    ];
    for (kind, recipe) in kinds {
        let (mut all, mut selected) = (0, 0);
        for seed in 0..100 {
            let problem = random_problem(seed, &recipe);
            let found = Auto::selecting(Selection::Any).solve(&problem).ok();
            let Some(found) = found.filter(Answer::is_certified) else {
                continue;
            };
            all += 1;
            let Some(forces) = selection::nearest(&problem, &found.forces, None) else { continue };
            selected += 1;
            let certificate = judge::judge(&problem, &forces);
            assert!(certificate.is_certified(), "{kind} {seed}: {certificate}");
            let [before, after] =
                [&found.forces, &forces].map(|forces| judge::response(&problem, forces).bodies);
            let free = problem.bodies().iter().flat_map(|body| body.free_response);
            let moves = free.fold(1e-300, |m: f64, v| m.max(v.abs()));
            for (b, a) in before.as_flattened().iter().zip(after.as_flattened()) {
                assert!((a - b).abs() <= 1e-7 * moves, "{kind} {seed}: {b} became {a}");
            }
        }
        println!("{kind}: {selected} of {all} selected");
        assert!(f64::from(selected) >= 0.95 * f64::from(all), "{kind}: {selected} of {all}");
    }
}

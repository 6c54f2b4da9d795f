//! Ten thousand random problems: certified answers or typed errors, and the same physics in
//! every frame, unit and order.

mod common;

use common::{Random, Recipe, random_problem, reordered, rescaled, rotated};
use glam::DVec3;
use stiction_solvers::baraff1994::Dantzig;
use stiction_solvers::judge::{self, Motion};
use stiction_solvers::{Answer, ContactProblem, ContactSolver, SolveError};

/// Frictionless problems.
const PLAIN: Recipe = Recipe::PLAIN;

#[derive(Default, Debug)]
struct Tally {
    problems: usize,
    certified: usize,
    impulses: usize,
    contradictions: usize,
    uncertified: usize,
    broken: usize,
}

fn judge_outcome(problem: &ContactProblem, seed: u64, tally: &mut Tally) -> Option<Answer> {
    tally.problems += 1;
    match Dantzig::default().solve(problem) {
        Ok(solution) if !solution.is_impulse() => {
            let again = judge::judge(problem, &solution.forces);
            assert_eq!(again, solution.certificate, "seed {seed}: the certificate is the judge's");
            if solution.certificate.is_certified() {
                tally.certified += 1;
                return Some(solution);
            }
            tally.uncertified += 1;
        }
        Ok(ray) => {
            assert!(
                ray.impulse.expect("an impulse").is_impulse_of(problem),
                "seed {seed}: a ray is a valid impulse"
            );
            tally.impulses += 1;
        }
        Err(SolveError::Contradiction { .. }) => tally.contradictions += 1,
        Err(_) => tally.broken += 1,
    }
    None
}

fn sweep(name: &str, recipe: &Recipe, seeds: std::ops::Range<u64>, at_least: f64) {
    let mut tally = Tally::default();
    for seed in seeds {
        let problem = random_problem(seed, recipe);
        judge_outcome(&problem, seed, &mut tally);
    }
    println!("{name}: {tally:?}");
    let consistent = tally.problems - tally.contradictions;
    let answered = (tally.certified + tally.impulses) as f64 / consistent as f64;
    assert!(answered >= at_least, "{name}: only {answered} answered: {tally:?}");
}

#[test]
fn frictionless_problems_are_all_certified() {
    sweep("frictionless", &PLAIN, 0..2000, 1.0);
}

#[test]
fn masses_over_twelve_orders_of_magnitude_are_certified_or_typed() {
    sweep("twelve orders", &Recipe { mass_orders: 12.0, ..PLAIN }, 0..1500, 0.995);
    let rough = Recipe { mass_orders: 12.0, friction: true, sliding: true, rows: true, ..PLAIN };
    sweep("twelve orders, everything", &rough, 0..1500, 0.9);
}

#[test]
fn joints_and_motors_without_friction_are_certified() {
    sweep("rows", &Recipe { rows: true, ..PLAIN }, 0..1500, 0.999);
}

#[test]
fn static_friction_is_certified() {
    sweep("static", &Recipe { friction: true, ..PLAIN }, 0..2000, 0.995);
}

#[test]
fn any_mix_is_certified_or_typed() {
    let mix = Recipe { friction: true, sliding: true, rows: true, ..PLAIN };
    sweep("mix", &mix, 0..2000, 0.98);
}

/// Largest difference of two motions, mass-weighted, relative to the free motion.
fn difference(problem: &ContactProblem, one: &[[f64; 6]], other: &[[f64; 6]]) -> f64 {
    let weigh = |body: usize, v: &[f64; 6]| {
        let inverse = problem.bodies()[body].inverse_inertia();
        (0..6).map(|k| v[k] * v[k] / inverse[k][k]).sum::<f64>().sqrt()
    };
    let size = problem
        .bodies()
        .iter()
        .enumerate()
        .map(|(i, body)| weigh(i, &body.free_response))
        .fold(0.0, f64::max);
    let apart = one.iter().zip(other).enumerate().map(|(i, (a, b))| {
        let delta: [f64; 6] = std::array::from_fn(|k| a[k] - b[k]);
        weigh(i, &delta)
    });
    apart.fold(0.0, f64::max) / size
}

/// Transforms a motion back to the original problem.
type Undo<'a> = &'a dyn Fn([f64; 6]) -> [f64; 6];

/// Solves the problem rotated, rescaled and reordered; certified answers have the same motion.
fn assert_same_motion(place: &str, problem: &ContactProblem, motion: &[[f64; 6]], seed: u64) {
    let random = &mut Random::new(seed + 1_000_000);

    let turn = random.rotation();
    let (length, mass, rate) =
        (random.between(1e-3, 1e3), random.between(1e-6, 1e3), random.between(1e-2, 1e2));
    let (mixed, _) = reordered(problem, random);
    let back = |v: [f64; 6]| {
        let (p, q) = (DVec3::new(v[0], v[1], v[2]), DVec3::new(v[3], v[4], v[5]));
        let (p, q) = (turn.inverse() * p, turn.inverse() * q);
        [p.x, p.y, p.z, q.x, q.y, q.z]
    };
    let undo =
        |v: [f64; 6]| std::array::from_fn(|k| v[k] / (rate * if k < 3 { length } else { 1.0 }));
    let same = |v: [f64; 6]| v;
    let views: [(&str, ContactProblem, Undo<'_>); 3] = [
        ("rotated", rotated(problem, turn), &back),
        ("rescaled", rescaled(problem, length, mass, rate), &undo),
        ("reordered", mixed, &same),
    ];
    for (name, view, return_) in views {
        let other = Dantzig::default().solve(&view).ok().filter(Answer::is_certified);
        let Some(other) = other else {
            panic!("{place}: {name} has no answer");
        };
        if other.certificate.certified != Some(judge::Law::MaximumDissipation) {
            continue;
        }
        let seen: Vec<[f64; 6]> =
            judge::response(&view, &other.forces).bodies.into_iter().map(return_).collect();
        let apart = difference(problem, motion, &seen);
        assert!(apart < 1e-7, "{place}: {name} moves {apart:e} differently");
    }
}

#[test]
fn the_motion_does_not_depend_on_axes_units_or_order() {
    let recipes = [
        PLAIN,
        Recipe { rows: true, ..PLAIN },
        Recipe { friction: true, sliding: true, contacts: 3, duplicates: false, ..PLAIN },
    ];
    let mut unique = [0; 3];
    for (kind, recipe) in recipes.iter().enumerate() {
        for seed in 0..500 {
            let problem = random_problem(seed, recipe);
            let Ok(solution) = Dantzig::default().solve(&problem) else {
                continue;
            };
            if !solution.certificate.is_certified()
                || solution.certificate.certified != Some(judge::Law::MaximumDissipation)
                || judge::determinacy(&problem, &solution.forces).motion != Motion::Unique
            {
                continue;
            }
            unique[kind] += 1;
            let motion = judge::response(&problem, &solution.forces).bodies;
            assert_same_motion(&format!("recipe {kind} seed {seed}"), &problem, &motion, seed);
        }
    }
    println!("problems with a unique motion, by recipe: {unique:?}");
    assert!(unique.iter().all(|&n| n > 50), "too few to mean anything: {unique:?}");
}

//! Inconsistent and indeterminate configurations.

mod common;

use common::{Recipe, random_problem};
use stiction_solvers::baraff1991::{ForcesOrImpulse, Open, Signs, Threshold, Verdict, diagnose};
use stiction_solvers::{
    ContactForce, ContactProblem, ContactSolver, Forces, Place, Row, SolveError, Status, all,
    gallery, judge,
};

#[test]
fn the_rod_is_indeterminate_inconsistent_or_slides_without_load() {
    let verdict = |free: f64| diagnose(&gallery::sliding_rod(2.0, free).expect("valid"));
    let two = verdict(1.0);
    assert_eq!((two.verdict, two.solutions.len()), (Verdict::Indeterminate, 2));
    assert_eq!(verdict(-1.0).verdict, Verdict::Inconsistent);
    assert_eq!(verdict(0.0).verdict, Verdict::Unique);
    let round = diagnose(&gallery::block_on_incline(0.1, 0.5, 0.0).expect("valid"));
    assert_eq!(round.verdict, Verdict::Undecided);
    assert_eq!(round.islands[0].open, Some(Open::RoundCone { contact: 0 }));
}

/// Theorem 2: consistent if and only if a subset sums to the target.
#[test]
fn subset_sums_are_consistent_exactly_when_a_subset_exists() {
    let numbers = [3.0, 5.0, 9.0, 14.0];
    let sums: Vec<f64> = (0..1u32 << numbers.len())
        .map(|set| (0..numbers.len()).filter(|i| set >> i & 1 == 1).map(|i| numbers[i]).sum())
        .collect();
    let (mut yes, mut no) = (0, 0);
    for target in 0..=32 {
        let target = f64::from(target);
        let problem = gallery::subset_sum(&numbers, target).expect("valid");
        let diagnosis = diagnose(&problem);
        let exists = sums.contains(&target);
        assert_eq!(diagnosis.verdict != Verdict::Inconsistent, exists, "target {target}");
        if exists {
            let chosen: f64 =
                diagnosis.solutions[0].forces.contacts[2..6].iter().map(|f| f.normal).sum();
            assert!((chosen - target).abs() < 1e-9, "{chosen} for {target}");
            yes += 1;
        } else {
            no += 1;
        }
    }
    assert!(yes > 10 && no > 10);
}

/// Lemke ends with forces that the judge certifies or with a valid impulse, and never with an
/// impulse where the oracle proves that unique forces exist.
#[test]
fn forces_or_a_valid_impulse() {
    let recipe = Recipe { bodies: 3, contacts: 8, sliding: true, ..Recipe::PLAIN };
    let (mut forces, mut impulses) = (0, [0; 2]);
    for seed in 0..1000 {
        let problem = random_problem(seed, &recipe);
        match ForcesOrImpulse.solve(&problem) {
            Ok(solution) if !solution.is_impulse() => {
                assert!(solution.certificate.is_certified(), "seed {seed}");
                forces += 1;
            }
            Ok(ray) => {
                let verdict = ray.impulse.expect("an impulse");
                let baraffs = verdict.force_violation.max(verdict.response_violation);
                assert!(baraffs < 1e-8, "seed {seed}: {verdict:?}");
                impulses[usize::from(verdict.certified)] += 1;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    let rod = gallery::sliding_rod(2.0, -1.0).expect("valid");
    let Ok(ray) = ForcesOrImpulse.solve(&rod) else { panic!("no answer") };
    assert!(ray.is_impulse());
    assert!(judge::judge_ray(&rod, &ray.forces).certified);
    println!("{forces} with forces; impulses, not valid and valid: {impulses:?}");
    assert!(forces > 900);
}

#[test]
fn static_friction_is_not_supported() {
    let problem = gallery::block_on_incline(0.1, 0.5, 0.0).expect("valid");
    assert!(matches!(ForcesOrImpulse.solve(&problem), Err(SolveError::Unsupported { .. })));
}

/// With joints the result is the same: forces that the judge certifies, or a valid impulse.
/// Redundant rows (the recipe duplicates some) are handled.
#[test]
fn joints_are_eliminated() {
    let recipe = Recipe { bodies: 4, contacts: 8, sliding: true, rows: true, ..Recipe::PLAIN };
    let (mut forces, mut impulses) = (0, [0; 2]);
    for seed in 0..1000 {
        let (level, bodies, contacts, bilateral, _) = random_problem(seed, &recipe).into_parts();
        if bilateral.is_empty() {
            continue;
        }
        let problem = ContactProblem::new(level, bodies, contacts, bilateral, vec![]);
        let problem = problem.expect("valid");
        match ForcesOrImpulse.solve(&problem) {
            Ok(solution) if !solution.is_impulse() => {
                assert!(solution.certificate.is_certified(), "{seed}: {}", solution.certificate);
                forces += 1;
            }
            Ok(ray) => {
                let verdict = ray.impulse.expect("an impulse");
                let baraffs = verdict.force_violation.max(verdict.response_violation);
                assert!(baraffs < 1e-8, "seed {seed}: {verdict:?}");
                impulses[usize::from(verdict.certified)] += 1;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    println!("{forces} with forces; impulses, not valid and valid: {impulses:?}");
    assert!(forces > 300);
}

/// The same row with two targets.
#[test]
fn contradicting_joints_are_named() {
    let (level, bodies, contacts, ..) =
        gallery::four_legged_table(2.0).expect("valid").into_parts();
    let on_a = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let row = |bias: f64| Row { a: 0, on_a, b: None, on_b: [0.0; 6], bias };
    let problem = ContactProblem::new(level, bodies, contacts, vec![row(0.0), row(-1.0)], vec![]);
    let outcome = ForcesOrImpulse.solve(&problem.expect("valid"));
    assert!(
        matches!(outcome, Err(SolveError::Contradiction { place: Place::Bilateral(_), .. })),
        "{outcome:?}"
    );
}

/// Eq. 2 and appendix A: `a = −f/m + |ω|² sin θ − g`, for any force.
#[test]
fn pushing_on_the_rod_pulls_it_down() {
    let (m, g) = (2.5, 9.81);
    for (spin, f) in [(0.0, 0.0), (0.0, 3.0), (2.0, 0.0), (2.0, 1.0), (5.0, 7.0)] {
        let rod = gallery::spinning_rod(m, spin, g).expect("valid");
        let mut forces = Forces::zeros(&rod);
        forces.contacts[0] = ContactForce { normal: f, friction: [-0.75 * f, 0.0, 0.0] };
        let a = judge::response(&rod, &forces).contacts[0].normal;
        let expected = -f / m + spin * spin * 0.9_f64.sqrt() - g;
        assert!((a - expected).abs() < 1e-13 * (g + spin * spin), "{a}, eq. 2 says {expected}");
    }
}

/// The acceleration of a block down an incline under `threshold` when it slides down with this
/// speed.
fn slide(angle: f64, speed: f64) -> f64 {
    let block = gallery::block_on_incline(angle, 0.5, 0.3).expect("valid");
    let down = [angle.cos(), 0.0, -angle.sin()];
    let velocity = [speed * down[0], 0.0, speed * down[2], 0.0, 0.0, 0.0];
    let mut solver = Threshold { velocities: Some(vec![velocity]), ..Threshold::default() };
    let Ok(solution) = solver.solve(&block) else { panic!("no forces") };
    assert!(!solution.is_impulse());
    let a = judge::response(&block, &solution.forces).bodies[0];
    (0..3).map(|k| a[k] * down[k]).sum()
}

/// §8.1: friction grows with the speed up to the threshold, so a block creeps down at `ε tan α
/// / μ`, where friction balances gravity.
#[test]
fn below_the_threshold_a_block_creeps() {
    let (angle, epsilon, g) = (0.2_f64, Threshold::default().speed, gallery::GRAVITY);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-10, "{a}, expected {b}");
    close(slide(angle, 0.0), g * angle.sin());
    close(slide(angle, epsilon * angle.tan() / 0.5), 0.0);
    close(slide(angle, 0.5 * epsilon), g * (angle.sin() - 0.25 * angle.cos()));
    close(slide(angle, 9.0 * epsilon), g * (angle.sin() - 0.5 * angle.cos()));
}

#[test]
fn approximations_are_reported() {
    for name in all::NAMES {
        let solver = all::by_name(name).expect("known");
        assert_eq!(
            solver.approximation().is_some(),
            !name.starts_with("lloyd") && !["auto", "dantzig", "forces-or-impulse"].contains(name),
            "{name}"
        );
    }
    // Nothing moves yet, so by §8.1 there is no friction, and the judge does not certify it.
    let block = gallery::block_on_incline(0.2, 0.5, 0.0).expect("valid");
    let Ok(solution) = Threshold::default().solve(&block) else { panic!() };
    assert!(matches!(solution.status, Status::Approximate(_)), "{:?}", solution.status);
    for speed in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut solver = Threshold { speed, velocities: None };
        assert!(matches!(solver.solve(&block), Err(SolveError::Unsupported { .. })), "{speed}");
    }
    let mut solver = Threshold { velocities: Some(vec![]), ..Threshold::default() };
    assert!(matches!(solver.solve(&block), Err(SolveError::Unsupported { .. })));
}

/// §8.2: in the plane the program is exact, and where the signs are guessed right the judge
/// certifies its answer. Others are returned uncertified.
#[test]
fn most_signs_are_guessed_right() {
    let flat = Recipe { bodies: 3, contacts: 5, friction: true, sliding: true, ..Recipe::PLAIN };
    let flat = Recipe { duplicates: false, planar: true, ..flat };
    let space = Recipe { bodies: 3, contacts: 8, friction: true, sliding: true, ..Recipe::PLAIN };
    for (name, recipe, least) in [("plane", flat, 290), ("space", space, 280)] {
        let (mut certified, mut programs, mut marked) = (0, 0, 0);
        for seed in 0..300 {
            match Signs.solve(&random_problem(seed, &recipe)) {
                Ok(solution) if solution.is_certified() => {
                    certified += 1;
                    programs += usize::from(solution.provenance.effort.pivots > 0);
                }
                Ok(short) if !short.is_impulse() => {
                    assert!(!short.forces.contacts.is_empty());
                    marked += 1;
                }
                other => panic!("{name}, seed {seed}: {other:?}"),
            }
        }
        println!("{name}: {certified} certified, {programs} by a program, {marked} marked as not");
        assert!(certified > least && programs > 50, "{certified}, {programs}");
    }
}

/// `signs` eliminates joints too.
#[test]
fn signs_supports_joints() {
    let recipe = Recipe { bodies: 3, contacts: 5, friction: true, rows: true, ..Recipe::PLAIN };
    let (mut certified, mut seen) = (0, 0);
    for seed in 0..200 {
        let (level, bodies, contacts, bilateral, _) = random_problem(seed, &recipe).into_parts();
        if bilateral.is_empty() {
            continue;
        }
        let problem = ContactProblem::new(level, bodies, contacts, bilateral, vec![]);
        seen += 1;
        match Signs.solve(&problem.expect("valid")) {
            Ok(answer) if answer.is_certified() => certified += 1,
            Ok(answer) if !answer.is_impulse() => {}
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    println!("{certified} of {seen} with joints certified");
    assert!(5 * certified > 4 * seen, "{certified} of {seen}");
}

/// Joints alone, contacts alone, empty problems, masses over twelve orders of magnitude: every
/// solver of the module returns an answer or a typed error, and an exact one never a claim that
/// the judge rejects.
#[test]
fn unusual_problems_have_answers_or_typed_errors() {
    let recipe = Recipe { bodies: 3, contacts: 6, friction: true, ..Recipe::PLAIN };
    let recipe = Recipe { sliding: true, rows: true, mass_orders: 12.0, ..recipe };
    let (mut forces, mut others) = (0, 0);
    for seed in 0..300 {
        let (level, bodies, contacts, bilateral, _) = random_problem(seed, &recipe).into_parts();
        let mut parts = vec![(contacts, bilateral.clone()), (vec![], bilateral), (vec![], vec![])];
        for (contacts, bilateral) in parts.drain(..) {
            let problem = ContactProblem::new(level, bodies.clone(), contacts, bilateral, vec![]);
            let problem = problem.expect("valid");
            for name in ["forces-or-impulse", "threshold", "signs"] {
                match all::by_name(name).expect("known").solve(&problem) {
                    Ok(solution) if !solution.is_impulse() => {
                        let exact = name == "forces-or-impulse";
                        let certificate = &solution.certificate;
                        assert!(!exact || certificate.is_certified(), "{seed}: {certificate}");
                        forces += 1;
                    }
                    Ok(_) | Err(_) => others += 1,
                }
            }
        }
    }
    println!("{forces} with forces, {others} without");
    assert!(forces > 1500);
}

//! Inconsistent and indeterminate configurations.

mod common;

use common::{Recipe, random_problem};
use stiction_solvers::baraff1991::{ForcesOrImpulse, Verdict, diagnose};
use stiction_solvers::{
    ContactProblem, ContactSolver, Outcome, Place, Row, SolveError, gallery, judge,
};

#[test]
fn the_rod_is_indeterminate_inconsistent_or_skims() {
    let verdict = |free: f64| diagnose(&gallery::sliding_rod(2.0, free).expect("lawful"));
    let two = verdict(1.0);
    assert_eq!((two.verdict, two.solutions.len()), (Verdict::Indeterminate, 2));
    assert_eq!(verdict(-1.0).verdict, Verdict::Inconsistent);
    assert_eq!(verdict(0.0).verdict, Verdict::Unique);
    let round = diagnose(&gallery::block_on_incline(0.1, 0.5, 0.0).expect("lawful"));
    assert_eq!(round.verdict, Verdict::TooLarge);
    assert!(round.reason.is_some());
}

/// Theorem 2: consistent if and only if a subset adds up.
#[test]
fn subset_sums_are_consistent_exactly_when_a_subset_exists() {
    let numbers = [3.0, 5.0, 9.0, 14.0];
    let sums: Vec<f64> = (0..1u32 << numbers.len())
        .map(|set| (0..numbers.len()).filter(|i| set >> i & 1 == 1).map(|i| numbers[i]).sum())
        .collect();
    let (mut yes, mut no) = (0, 0);
    for target in 0..=32 {
        let target = f64::from(target);
        let problem = gallery::subset_sum(&numbers, target).expect("lawful");
        let diagnosis = diagnose(&problem);
        let exists = sums.contains(&target);
        assert_eq!(diagnosis.verdict != Verdict::Inconsistent, exists, "target {target}");
        if exists {
            let chosen: f64 = diagnosis.solutions[0].contacts[2..6].iter().map(|f| f.normal).sum();
            assert!((chosen - target).abs() < 1e-9, "{chosen} for {target}");
            yes += 1;
        } else {
            no += 1;
        }
    }
    assert!(yes > 10 && no > 10);
}

/// Lemke ends with forces the judge accepts or with a valid impulse, and never
/// with an impulse where the oracle proves that forces are unique without.
#[test]
fn forces_or_a_valid_impulse() {
    let recipe = Recipe { bodies: 3, contacts: 8, sliding: true, ..Recipe::PLAIN };
    let (mut forces, mut impulses) = (0, 0);
    for seed in 0..1000 {
        let problem = random_problem(seed, &recipe);
        match ForcesOrImpulse.solve(&problem) {
            Ok(Outcome::Solved(solution)) => {
                assert!(solution.certificate.is_certified(), "seed {seed}");
                forces += 1;
            }
            Ok(Outcome::NeedsImpulse(ray)) => {
                assert!(ray.certificate.certified, "seed {seed}: {:?}", ray.certificate);
                impulses += 1;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    let rod = gallery::sliding_rod(2.0, -1.0).expect("lawful");
    let Ok(Outcome::NeedsImpulse(ray)) = ForcesOrImpulse.solve(&rod) else { panic!("no impulse") };
    assert!(judge::judge_ray(&rod, &ray.direction).certified);
    println!("{forces} with forces, {impulses} with impulses");
    assert!(forces > 900);
}

#[test]
fn static_friction_is_not_taken() {
    let problem = gallery::block_on_incline(0.1, 0.5, 0.0).expect("lawful");
    assert!(matches!(ForcesOrImpulse.solve(&problem), Err(SolveError::Unsupported { .. })));
}

/// Joints leave the same choice: forces the judge accepts, or a valid impulse.
/// Redundant rows (the recipe doubles some) are no obstacle.
#[test]
fn joints_are_eliminated() {
    let recipe = Recipe { bodies: 4, contacts: 8, sliding: true, rows: true, ..Recipe::PLAIN };
    let (mut forces, mut impulses) = (0, 0);
    for seed in 0..1000 {
        let (level, bodies, contacts, bilateral, _) = random_problem(seed, &recipe).into_parts();
        if bilateral.is_empty() {
            continue;
        }
        let problem = ContactProblem::new(level, bodies, contacts, bilateral, vec![]);
        let problem = problem.expect("lawful");
        match ForcesOrImpulse.solve(&problem) {
            Ok(Outcome::Solved(solution)) => {
                assert!(solution.certificate.is_certified(), "{seed}: {}", solution.certificate);
                forces += 1;
            }
            Ok(Outcome::NeedsImpulse(ray)) => {
                assert!(ray.certificate.certified, "seed {seed}: {:?}", ray.certificate);
                impulses += 1;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    println!("{forces} with forces, {impulses} with impulses");
    assert!(forces > 300);
}

/// The same row with two targets.
#[test]
fn contradicting_joints_are_named() {
    let (level, bodies, contacts, ..) =
        gallery::four_legged_table(2.0).expect("lawful").into_parts();
    let on_a = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let row = |bias: f64| Row { a: 0, on_a, b: None, on_b: [0.0; 6], bias };
    let problem = ContactProblem::new(level, bodies, contacts, vec![row(0.0), row(-1.0)], vec![]);
    let outcome = ForcesOrImpulse.solve(&problem.expect("lawful"));
    assert!(
        matches!(outcome, Err(SolveError::Contradiction { place: Place::Bilateral(_), .. })),
        "{outcome:?}"
    );
}

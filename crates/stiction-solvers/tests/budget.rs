//! Every solver call ends within a counted amount of work, for any problem.

mod common;

use common::{Random, Recipe, random_problem};
use std::path::PathBuf;
use stiction_formats::read_matrix;
use stiction_solvers::file::ProblemFile;
use stiction_solvers::{
    Call, Candidate, ContactProblem, Found, MatrixProblem, NoObserver, Triplets, Work, all, judge,
};

/// Loops check the budget between iterations. The last iteration may exceed it by this many
/// units, for problems of a few contacts.
const LAST_TURN: f64 = 5e7;

fn given(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/budget").join(name)
}

/// All solvers on one problem.
fn check(place: &str, problem: &ContactProblem, budget: f64) {
    for name in all::NAMES {
        let mut solver = all::by_name(name).expect("known");
        let mut work = Work::new(budget);
        let found = solver
            .search(problem, Call { start: None, work: &mut work, observer: &mut NoObserver });
        let spent = work.spent();
        assert!(spent <= budget + LAST_TURN, "{place}, {name}: {spent:e} units of {budget:e}");
        if let Ok(Candidate { found: Found::Forces(best), shortfall: Some(residual), .. }) = found {
            assert!(residual.is_finite() || residual > 0.0, "{place}, {name}: {residual}");
            assert_eq!(best.misfit(problem), None, "{place}, {name}");
        }
    }
}

/// Problems on which searches used to run for minutes.
#[test]
fn hard_problems_end() {
    for name in ["illinertia_1.json", "chain_67.json"] {
        let problem = ProblemFile::open(&given(name)).expect("readable").problem(0).expect("valid");
        for budget in [1e6, 1e8] {
            check(name, &problem, budget);
        }
    }
    for name in ["matrix_3.npz", "two_contacts_slow.dat"] {
        let problem = read_matrix(&given(name)).expect("readable").expect("a matrix");
        check_matrix(name, &problem, 1e8);
    }
}

fn check_matrix(place: &str, problem: &MatrixProblem, budget: f64) {
    for name in all::BARE {
        let mut solver = all::by_name(name).expect("known");
        let mut work = Work::new(budget);
        let solution = solver.solve_matrix(problem, &mut work).expect("taken");
        let spent = work.spent();
        assert!(spent <= budget + LAST_TURN, "{place}, {name}: {spent:e} units of {budget:e}");
        let again = judge::judge_matrix(problem, &problem.flat(&solution.forces));
        assert_eq!(solution.certificate, again, "{place}, {name}");
    }
}

/// Masses over twelve orders of magnitude, duplicate contacts, joints: every call ends.
#[test]
fn random_problems_end() {
    for seed in 0..40 {
        let random = &mut Random::new(seed);
        let recipe = Recipe {
            bodies: 1 + random.below(6),
            contacts: 1 + random.below(12),
            mass_orders: random.between(0.0, 12.0),
            rows: random.chance(0.5),
            duplicates: random.chance(0.5),
            ..Recipe::PLAIN
        };
        check(&format!("seed {seed}"), &random_problem(seed, &recipe), 1e7);
    }
}

/// Bare matrices of low rank in arbitrary units, which need not have a solution.
#[test]
fn random_matrices_end() {
    for seed in 0..40 {
        let random = &mut Random::new(seed);
        let (contacts, rank) = (1 + random.below(6), 1 + random.below(9));
        let (n, unit) = (3 * contacts, 10f64.powf(random.between(-12.0, 12.0)));
        let columns: Vec<Vec<f64>> =
            (0..rank).map(|_| (0..n).map(|_| random.between(-1.0, 1.0)).collect()).collect();
        let entry = |i: usize, j: usize| unit * columns.iter().map(|c| c[i] * c[j]).sum::<f64>();
        let entries = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let entries = entries.map(|(i, j)| (i, j, entry(i, j))).collect();
        let w = Triplets { rows: n, columns: n, entries };
        let q = (0..n).map(|_| random.between(-1.0, 1.0)).collect();
        let friction = (0..contacts).map(|_| random.between(0.0, 1.5)).collect();
        let problem = MatrixProblem::new(3, &w, q, friction).expect("valid");
        check_matrix(&format!("seed {seed}"), &problem, 1e7);
    }
}

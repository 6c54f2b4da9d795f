//! One corpus, every solver. Expected values come from statics.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use stiction_solvers::file::ProblemFile;
use stiction_solvers::{ContactProblem, Outcome, Solution, SolveError, all, judge};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    origin: String,
    outcome: String,
    solvers: Solvers,
    #[serde(default)]
    check: Check,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Solvers {
    All(String),
    Except { except: Vec<String>, because: String },
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Check {
    #[serde(default)]
    tolerance: f64,
    normals: Option<Vec<f64>>,
    normals_any: Option<Vec<Vec<f64>>>,
    sum_of_normals: Option<f64>,
    acceleration: Option<f64>,
}

fn entries() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/problems");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the corpus is there")
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    paths
}

#[test]
fn every_problem_has_an_expectation_and_every_expectation_a_problem() {
    for path in entries() {
        let other = path.with_extension(if path.extension().is_some_and(|e| e == "json") {
            "toml"
        } else {
            "json"
        });
        assert!(other.exists(), "{} is missing", other.display());
    }
}

#[test]
fn every_solver_answers_every_problem() {
    let mut runs = 0;
    for path in entries().iter().filter(|p| p.extension().is_some_and(|e| e == "toml")) {
        let text = std::fs::read_to_string(path).expect("readable");
        let entry: Entry =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(!entry.origin.is_empty(), "{}: where from?", path.display());
        let file = ProblemFile::open(&path.with_extension("json")).expect("a lawful file");
        for solver in all::NAMES {
            if let Solvers::Except { except, because } = &entry.solvers
                && except.iter().any(|name| name == solver)
            {
                println!("{} skips {}: {because}", solver, path.display());
                continue;
            }
            for load in 0..file.len() {
                let problem = file.problem(load).expect("lawful");
                let place = format!("{solver}, {} load {load}", path.display());
                run(&place, &problem, &entry, solver);
                runs += 1;
            }
        }
        if let Solvers::All(word) = &entry.solvers {
            assert_eq!(word, "all", "{}", path.display());
        }
    }
    println!("{runs} runs");
    assert!(runs > 100);
}

fn run(place: &str, problem: &ContactProblem, entry: &Entry, solver: &str) {
    let mut solver = all::by_name(solver).expect("known");
    match solver.solve(problem) {
        Ok(Outcome::Solved(solution)) => {
            assert_eq!(entry.outcome, "solved", "{place}");
            assert!(solution.certificate.is_certified(), "{place}:\n{}", solution.certificate);
            check(place, problem, &solution, &entry.check);
        }
        Ok(Outcome::NeedsImpulse(ray)) => {
            assert_eq!(entry.outcome, "impulse", "{place}");
            assert!(ray.certificate.certified, "{place}: {:?}", ray.certificate);
        }
        Err(SolveError::Unsupported { reason, .. }) => {
            assert_ne!(solver.name(), all::NAMES[0], "{place}: the default takes everything");
            println!("{place}: skipped, {reason}");
        }
        Err(error) => panic!("{place}: {error}"),
    }
}

fn check(place: &str, problem: &ContactProblem, solution: &Solution, check: &Check) {
    let normals: Vec<f64> = solution.forces.contacts.iter().map(|f| f.normal).collect();
    let size = judge::judge(problem, &solution.forces).force_scale;
    let close = |x: f64, y: f64, size: f64| (x - y).abs() <= check.tolerance * size;
    let all_close =
        |expected: &[f64]| normals.iter().zip(expected).all(|(x, y)| close(*x, *y, size));
    if let Some(expected) = &check.normals {
        assert!(all_close(expected), "{place}: {normals:?}, expected {expected:?}");
    }
    if let Some(answers) = &check.normals_any {
        assert!(
            answers.iter().any(|a| all_close(a)),
            "{place}: {normals:?} is none of {answers:?}"
        );
    }
    if let Some(expected) = check.sum_of_normals {
        let sum: f64 = normals.iter().sum();
        assert!(close(sum, expected, expected.abs()), "{place}: sum {sum}, expected {expected}");
    }
    if let Some(expected) = check.acceleration {
        let bodies = judge::response(problem, &solution.forces).bodies;
        let last = bodies.last().expect("a body");
        let size = last[..3].iter().map(|x| x * x).sum::<f64>().sqrt();
        // Relative to gravity: what is left of it is a difference.
        assert!(close(size, expected, 9.81), "{place}: {size}, expected {expected}");
    }
}

#[test]
fn names_are_known_and_unknown_ones_are_not() {
    assert!(all::NAMES.iter().all(|name| all::by_name(name).is_some_and(|s| s.name() == *name)));
    assert!(all::by_name("lemke-of-dreams").is_none());
    assert!(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/README.md")).exists());
}

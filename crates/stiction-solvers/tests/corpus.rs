//! One corpus, every solver. Expected values come from statics.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use stiction_solvers::baraff1991::{Verdict, diagnose};
use stiction_solvers::file::ProblemFile;
use stiction_solvers::{ContactProblem, Forces, Outcome, SolveError, all, judge};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    origin: String,
    outcome: String,
    solvers: Solvers,
    verdict: Option<Verdict>,
    motions: Option<usize>,
    #[serde(default)]
    check: Check,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Solvers {
    All(String),
    Except { except: Vec<String>, because: String },
}

/// Tolerance on the values of certified answers of approximations.
const APPROXIMATE: f64 = 1e-6;

#[derive(Clone, Default, Deserialize)]
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

fn expectations() -> Vec<(PathBuf, Entry, ProblemFile)> {
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("readable");
        let entry: Entry =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(!entry.origin.is_empty(), "{}: where from?", path.display());
        let file = ProblemFile::open(&path.with_extension("json")).expect("a lawful file");
        (path, entry, file)
    };
    let is_entry = |path: &PathBuf| path.extension().is_some_and(|e| e == "toml");
    entries().into_iter().filter(is_entry).map(read).collect()
}

/// How many motions there are is proved by trying every combination, and each
/// has the forces that were expected.
#[test]
fn verdicts_hold() {
    let mut seen = 0;
    for (path, entry, file) in expectations() {
        let Some(verdict) = entry.verdict else { continue };
        let place = path.display().to_string();
        let problem = file.problem(0).expect("lawful");
        let diagnosis = diagnose(&problem);
        assert_eq!(diagnosis.verdict, verdict, "{place}");
        assert_eq!(Some(diagnosis.solutions.len()), entry.motions, "{place}");
        for forces in &diagnosis.solutions {
            check(&place, &problem, forces, &entry.check);
        }
        if let Some(answers) = &entry.check.normals_any {
            assert_eq!(Some(answers.len()), entry.motions, "{place}: one answer per motion");
        }
        seen += 1;
    }
    assert!(seen >= 10, "only {seen}");
}

#[test]
fn every_solver_answers_every_problem() {
    let mut runs = 0;
    for (path, entry, file) in expectations() {
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
    let outcome = solver.solve(problem);
    if solver.approximation().is_some() && !is_certified(&outcome) {
        println!("{place}: approximate, not certified");
        let broke = matches!(&outcome, Err(error) if !matches!(error, SolveError::Unsupported { .. } | SolveError::Uncertified { .. }));
        assert!(!broke, "{place}: {outcome:?}");
        return;
    }
    match outcome {
        Ok(Outcome::Solved(solution)) => {
            assert!(["solved", "either"].contains(&&*entry.outcome), "{place}");
            assert!(solution.certificate.is_certified(), "{place}:\n{}", solution.certificate);
            // An approximation has the digits the judge asks for, and no more.
            let loose = if solver.approximation().is_some() { APPROXIMATE } else { 0.0 };
            let tolerance = entry.check.tolerance.max(loose);
            check(place, problem, &solution.forces, &Check { tolerance, ..entry.check.clone() });
        }
        Ok(Outcome::NeedsImpulse(ray)) => {
            // By §7.2 a method may end with an impulse where there are forces.
            let lawful = ["impulse", "either"].contains(&&*entry.outcome);
            assert!(lawful || solver.approximation().is_some(), "{place}");
            assert!(ray.certificate.certified, "{place}: {:?}", ray.certificate);
        }
        Err(SolveError::Unsupported { reason, .. }) => {
            assert_ne!(solver.name(), all::NAMES[0], "{place}: the default takes everything");
            println!("{place}: skipped, {reason}");
        }
        Err(error) => panic!("{place}: {error}"),
    }
}

fn is_certified(outcome: &Result<Outcome, SolveError>) -> bool {
    match outcome {
        Ok(Outcome::Solved(solution)) => solution.certificate.is_certified(),
        Ok(Outcome::NeedsImpulse(ray)) => ray.certificate.certified,
        Err(_) => false,
    }
}

fn check(place: &str, problem: &ContactProblem, forces: &Forces, check: &Check) {
    let normals: Vec<f64> = forces.contacts.iter().map(|f| f.normal).collect();
    let size = judge::judge(problem, forces).force_scale;
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
        let bodies = judge::response(problem, forces).bodies;
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

//! One corpus, all solvers. Expected values come from statics.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use stiction_formats::read_matrix;
use stiction_solvers::baraff1991::{Verdict, diagnose};
use stiction_solvers::file::ProblemFile;
use stiction_solvers::{
    Answer, ContactProblem, Forces, MatrixProblem, SolveError, Work, all, judge,
};

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

/// Tolerance on the values of certified answers of approximate solvers: their certificates
/// guarantee 1e-8 relative.
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
        let partners: &[&str] = match path.extension().and_then(|e| e.to_str()) {
            Some("toml") => &["json", BARE],
            _ => &["toml"],
        };
        let there = partners.iter().filter(|e| path.with_extension(e).exists()).count();
        assert_eq!(there, 1, "{} needs one of {partners:?} beside it", path.display());
    }
}

/// The ending of problems without bodies: Siconos texts.
const BARE: &str = "dat";

/// A problem of the corpus.
enum Problem {
    Bodies(ContactProblem),
    Bare(MatrixProblem),
}

/// A file of the corpus: every load of it is a problem.
enum File {
    Bodies(ProblemFile),
    Bare(MatrixProblem),
}

impl File {
    fn open(path: &Path) -> Self {
        let bare = path.with_extension(BARE);
        if bare.exists() {
            let problem = read_matrix(&bare).expect("a valid file");
            return File::Bare(problem.expect("a friction problem"));
        }
        File::Bodies(ProblemFile::open(&path.with_extension("json")).expect("a valid file"))
    }

    fn problems(&self) -> Vec<Problem> {
        match self {
            File::Bare(problem) => vec![Problem::Bare(problem.clone())],
            File::Bodies(file) => {
                let problem = |load| Problem::Bodies(file.problem(load).expect("valid"));
                (0..file.len()).map(problem).collect()
            }
        }
    }
}

fn expectations() -> Vec<(PathBuf, Entry, File)> {
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("readable");
        let entry: Entry =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(!entry.origin.is_empty(), "{}: where from?", path.display());
        let file = File::open(&path);
        (path, entry, file)
    };
    let is_entry = |path: &PathBuf| path.extension().is_some_and(|e| e == "toml");
    entries().into_iter().filter(is_entry).map(read).collect()
}

/// The number of motions is proved by examining every combination, and each motion has the
/// expected forces.
#[test]
fn verdicts_hold() {
    let mut seen = 0;
    for (path, entry, file) in expectations() {
        let Some(verdict) = entry.verdict else { continue };
        let place = path.display().to_string();
        let File::Bodies(file) = file else { panic!("{place}: a verdict needs bodies") };
        let problem = file.problem(0).expect("valid");
        let diagnosis = diagnose(&problem);
        assert_eq!(diagnosis.verdict, verdict, "{place}");
        assert_eq!(Some(diagnosis.solutions.len()), entry.motions, "{place}");
        for found in &diagnosis.solutions {
            check(&place, &problem, &found.forces, &entry.check);
        }
        if let Some(answers) = &entry.check.normals_any {
            assert_eq!(Some(answers.len()), entry.motions, "{place}: one answer per motion");
        }
        seen += 1;
    }
    assert!(seen >= 10, "only {seen}");
}

/// The result of a solver on a problem.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Certified,
    /// An approximate solver returned an uncertified answer and reported it.
    Approximate,
    /// Skipped by this rule.
    Skipped(String),
}

#[test]
fn every_solver_answers_every_problem() {
    let mut table: BTreeMap<(&str, End), BTreeSet<String>> = BTreeMap::new();
    for (path, entry, file) in expectations() {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for solver in all::NAMES {
            for (load, problem) in file.problems().iter().enumerate() {
                let place = format!("{solver}, {stem} load {load}");
                let end = match &entry.solvers {
                    Solvers::Except { except, because } if except.contains(&(*solver).into()) => {
                        End::Skipped(because.clone())
                    }
                    _ => run(&place, problem, &entry, solver),
                };
                table.entry((solver, end)).or_default().insert(format!("{stem}:{load}"));
            }
        }
        if let Solvers::All(word) = &entry.solvers {
            assert_eq!(word, "all", "{}", path.display());
        }
    }
    print(&table);
    let certified = |((_, end), loads): (&(_, End), &BTreeSet<String>)| {
        if *end == End::Certified { loads.len() } else { 0 }
    };
    assert!(table.iter().map(certified).sum::<usize>() > 500);
}

/// Loads by solver: how many are certified; which are not certified or skipped, and why.
fn print(table: &BTreeMap<(&str, End), BTreeSet<String>>) {
    for ((solver, end), loads) in table {
        let (word, names) = match end {
            End::Certified => ("certified".to_owned(), BTreeSet::new()),
            End::Approximate => ("approximate, not certified".to_owned(), problems(loads)),
            End::Skipped(rule) => (format!("skipped: {rule}"), problems(loads)),
        };
        let names = names.into_iter().collect::<Vec<_>>().join(" ");
        println!("{solver:<17} {:>4} loads {word}  {names}", loads.len());
    }
}

fn problems(loads: &BTreeSet<String>) -> BTreeSet<&str> {
    loads.iter().filter_map(|load| Some(load.split_once(':')?.0)).collect()
}

fn run(place: &str, problem: &Problem, entry: &Entry, solver: &str) -> End {
    let mut solver = all::by_name(solver).expect("known");
    let outcome = match problem {
        Problem::Bodies(problem) => solver.solve(problem),
        Problem::Bare(problem) => solver.solve_matrix(problem, &mut Work::for_matrix(problem)),
    };
    if let Err(SolveError::Unsupported { reason, .. }) = outcome {
        assert_ne!(solver.name(), all::NAMES[0], "{place}: the default takes everything");
        return End::Skipped(reason);
    }
    if solver.approximation().is_some() && !is_certified(&outcome) {
        assert!(outcome.is_ok(), "{place}: {outcome:?}");
        return End::Approximate;
    }
    match outcome {
        Ok(solution) if !solution.is_impulse() => {
            assert!(["solved", "either"].contains(&&*entry.outcome), "{place}");
            assert!(solution.certificate.is_certified(), "{place}:\n{}", solution.certificate);
            // An approximation has the digits that the judge requires, and no more.
            let loose = if solver.approximation().is_some() { APPROXIMATE } else { 0.0 };
            let tolerance = entry.check.tolerance.max(loose);
            let expected = Check { tolerance, ..entry.check.clone() };
            match problem {
                Problem::Bodies(problem) => check(place, problem, &solution.forces, &expected),
                Problem::Bare(_) => check_bare(place, &solution, &expected),
            }
        }
        Ok(ray) => {
            // By §7.2 a method may end with an impulse although forces exist.
            let allowed = ["impulse", "either"].contains(&&*entry.outcome);
            assert!(allowed || solver.approximation().is_some(), "{place}");
            // In some problems every impulse makes a contact approach at which it does not act.
            let verdict = ray.impulse.expect("an impulse");
            let baraffs = verdict.force_violation.max(verdict.response_violation);
            assert!(
                verdict.certified || baraffs <= 1e-8 && verdict.approach > 1e-8,
                "{place}: {verdict:?}"
            );
        }
        Err(error) => panic!("{place}: {error}"),
    }
    End::Certified
}

fn is_certified(outcome: &Result<Answer, SolveError>) -> bool {
    outcome.as_ref().is_ok_and(Answer::is_certified)
}

fn check(place: &str, problem: &ContactProblem, forces: &Forces, check: &Check) {
    let normals: Vec<f64> = forces.contacts.iter().map(|f| f.normal).collect();
    let size = judge::judge(problem, forces).force_scale;
    let close = |x: f64, y: f64, size: f64| (x - y).abs() <= check.tolerance * size;
    // Forces that squeeze a body between walls and move nothing are valid too.
    let unique = judge::determinacy(problem, forces).normals;
    let is_free = |i: usize| unique[i] == judge::Uniqueness::NotUnique;
    let all_close = |expected: &[f64]| {
        let mut both = normals.iter().zip(expected).enumerate();
        both.all(|(i, (x, y))| is_free(i) || close(*x, *y, size))
    };
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
        // Relative to gravity, since the result is a difference.
        assert!(close(size, expected, 9.81), "{place}: {size}, expected {expected}");
    }
}

/// Without bodies: the normal forces, which must be unique where they are given one by one.
fn check_bare(place: &str, solution: &Answer, check: &Check) {
    let normals: Vec<f64> = solution.forces.contacts.iter().map(|f| f.normal).collect();
    let close = |x: f64, y: f64| (x - y).abs() <= check.tolerance * y.abs().max(1.0);
    let expected = check.normals.as_deref().unwrap_or(&[]);
    let both = normals.iter().zip(expected);
    assert!(both.clone().all(|(x, y)| close(*x, *y)), "{place}: {normals:?}, not {expected:?}");
    if let Some(expected) = check.sum_of_normals {
        let sum: f64 = normals.iter().sum();
        assert!(close(sum, expected), "{place}: sum {sum}, expected {expected}");
    }
}

#[test]
fn names_are_known_and_unknown_ones_are_not() {
    assert!(all::NAMES.iter().all(|name| all::by_name(name).is_some_and(|s| s.name() == *name)));
    assert!(all::by_name("lemke-of-dreams").is_none());
    assert!(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/README.md")).exists());
}

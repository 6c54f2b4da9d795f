//! Rules of the architecture that the compiler does not check.

mod common;

use common::{Recipe, random_problem};
use std::path::{Path, PathBuf};
use stiction_solvers::{all, judge, portfolio};

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// Every certificate costs double-double passes: an answer gets one, whatever the method did to
/// find it.
#[test]
fn an_answer_is_judged_once() {
    let recipes = [
        Recipe { friction: true, ..Recipe::PLAIN },
        Recipe { friction: true, rows: true, ..Recipe::PLAIN },
        Recipe { friction: true, planar: true, ..Recipe::PLAIN },
    ];
    let (mut answers, mut judged) = (0, 0);
    for name in all::NAMES {
        for (recipe, seed) in recipes.iter().zip(0..) {
            let problem = random_problem(seed, recipe);
            let before = judge::judgements();
            let Ok(answer) = all::by_name(name).expect("known").solve(&problem) else { continue };
            let count = judge::judgements() - before;
            let expected = u64::from(!answer.is_impulse());
            assert_eq!(count, expected, "{name}, seed {seed}");
            answers += 1;
            judged += count;
        }
    }
    assert!(answers > 20 && judged > 20, "{judged} of {answers}");
}

/// The crate of the judge depends on no crate that solves anything.
#[test]
fn the_judge_has_no_solver_among_its_dependencies() {
    let manifest = source("../stiction-contact/Cargo.toml");
    let text = std::fs::read_to_string(manifest).expect("a manifest");
    for name in ["stiction-solvers", "clarabel", "hdf5", "zip"] {
        assert!(!text.contains(name), "stiction-contact depends on {name}");
    }
}

/// Only the judge makes answers, and forces that break the laws are no error.
#[test]
fn answers_are_made_in_one_place() {
    let mut files = Vec::new();
    for folder in ["src", "../stiction/src", "../stiction-contact/src"] {
        rust_files(&source(folder), &mut files);
    }
    let mut made = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a file");
        assert!(!text.contains("SolveError::Uncertified"), "{}", file.display());
        if text.contains("Answer { forces") {
            made.push(file.file_name().expect("a name").to_owned());
        }
    }
    assert_eq!(made, ["judge.rs"]);
    assert!(files.len() > 100, "only {} files: is the check still able to fail?", files.len());
}

/// Methods do not call each other: that is the portfolio's business. What several of them use
/// (rows, the operator, the finish on the cone, the central path) is no method.
#[test]
fn no_method_imports_another() {
    let methods = [
        "admm",
        "auto",
        "baraff1989",
        "baraff1991",
        "baraff1994",
        "faure1996",
        "gauss_seidel",
        "lloyd2004",
        "proximal",
    ];
    // Queries: whether a problem has one answer, and the impact after an impulse.
    let queries = ["baraff1991/diagnose.rs", "baraff1991/impulse.rs"];
    let mut seen = 0;
    for method in methods.into_iter().filter(|method| *method != "auto") {
        let mut files = vec![source(&format!("src/{method}.rs"))];
        let folder = source(&format!("src/{method}"));
        if folder.is_dir() {
            rust_files(&folder, &mut files);
        }
        for file in files.iter().filter(|file| !queries.iter().any(|query| file.ends_with(query))) {
            let text = std::fs::read_to_string(file).expect("a file");
            for other in methods.into_iter().filter(|other| *other != method) {
                let import = format!("use crate::{other}");
                assert!(!text.contains(&import), "{} imports {other}", file.display());
            }
            seen += 1;
        }
    }
    assert!(seen > 40, "only {seen} files: is the check still able to fail?");
}

/// The page shows the table that the code follows.
#[test]
fn the_page_shows_the_portfolio() {
    let page = std::fs::read_to_string(source("../../docs/solvers.md")).expect("a page");
    assert!(page.contains(&portfolio::table()), "docs/solvers.md lacks:\n{}", portfolio::table());
}

//! Islands recorded from a pile of boxes, each with the forces of the moment before: much slides,
//! and normals that are parallel but for rounding share the load.

use std::path::{Path, PathBuf};
use stiction_solvers::file::{ProblemFile, read_answer};
use stiction_solvers::judge::CERTIFIED;
use stiction_solvers::proximal::Proximal;
use stiction_solvers::{Auto, ContactProblem, ContactSolver, Forces, NoObserver, Selection, Work};

/// Units of work of proximal points in a run.
const LONGEST: f64 = 2e8;

/// Work that one of these islands may take, several times what the worst does: pivoting with a
/// dense finish took a hundred times as much.
const MOST: f64 = 1e8;

fn islands(folder: &Path) -> Vec<(String, ContactProblem, Forces)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "json"));
    paths.sort();
    let island = |path: &PathBuf| {
        let problem = ProblemFile::open(path).expect("readable").problem(0).expect("valid");
        let start = read_answer(&path.with_extension("start"), &problem, 0).expect("readable");
        (path.display().to_string(), problem, start)
    };
    paths.iter().map(island).collect()
}

fn kept() -> Vec<(String, ContactProblem, Forces)> {
    islands(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/islands").as_ref())
}

/// Solves, and checks that the answer is certified within the work.
fn certified(
    solver: &mut dyn ContactSolver,
    (name, problem, _): &(String, ContactProblem, Forces),
    start: Option<&Forces>,
    most: f64,
) -> Forces {
    let mut work = Work::new(most);
    let answer = solver.solve_within(problem, start, &mut work, &mut NoObserver).expect(name);
    let off = answer.certificate.natural_map.relative;
    assert!(off <= CERTIFIED, "{name}: {off:e}, work {:e}", work.spent());
    answer.forces
}

#[test]
fn proximal_points_certify_them_from_the_last_forces_and_from_nothing() {
    for island in kept() {
        certified(&mut Proximal::default(), &island, Some(&island.2), MOST);
        certified(&mut Proximal::default(), &island, None, MOST);
    }
}

#[test]
fn a_run_solves_them_without_pivoting() {
    assert_eq!(kept().len(), 10);
    let mut auto = Auto::selecting(Selection::Any).with_work_budget(LONGEST);
    for island in kept() {
        certified(&mut auto, &island, Some(&island.2), MOST);
    }
}

/// The plan of the factor is kept between calls, answers are not.
#[test]
fn a_solver_that_was_used_before_gives_the_same_bits() {
    let mut used = Proximal::default();
    for island in kept() {
        let first = certified(&mut used, &island, Some(&island.2), MOST);
        let again = certified(&mut used, &island, Some(&island.2), MOST);
        let fresh = certified(&mut Proximal::default(), &island, Some(&island.2), MOST);
        assert_eq!(first, again, "{}", island.0);
        assert_eq!(first, fresh, "{}", island.0);
    }
}

#[test]
fn all_that_were_recorded_are_certified() {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/islands");
    let mut auto = Auto::selecting(Selection::Any).with_work_budget(LONGEST);
    for folder in ["pile", "large"] {
        let folder = Path::new(beside).join(folder);
        let islands = islands(&folder);
        if islands.is_empty() {
            println!("skipped: no islands in {}", folder.display());
        }
        for island in islands {
            certified(&mut auto, &island, Some(&island.2), 10.0 * MOST);
        }
    }
}

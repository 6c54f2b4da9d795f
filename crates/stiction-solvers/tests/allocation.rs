//! The pivot loops allocate no memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use stiction_solvers::baraff1994::Dantzig;
use stiction_solvers::file::ProblemFile;
use stiction_solvers::lloyd2004::{Path, Pyramid, Scope};
use stiction_solvers::{ContactSolver, Event, NoObserver, gallery};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

#[allow(unsafe_code)] // the trait is unsafe; every call goes to the system allocator
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Number of pivots that allocated between the first and the last pivot of a run, and the
/// number of pivots. Building the unsymmetric factor, once, is allowed for: it happens at the
/// first contact that slips.
fn during_pivots(problem: &stiction_solvers::ContactProblem) -> (usize, usize) {
    let mut seen: Vec<usize> = Vec::with_capacity(100_000);
    let mut watch = |event: Event| {
        if let Event::Pivot { .. } = event {
            seen.push(COUNT.with(Cell::get));
        }
    };
    let _ = Dantzig { restarts: 0, round: false, starts: 0, from_zero: false }
        .candidate(problem, None, &mut watch);
    let grown = seen.windows(2).filter(|w| w[1] > w[0]).count();
    (grown, seen.len())
}

fn corpus(name: &str) -> stiction_solvers::ContactProblem {
    let path = format!("{}/../../corpus/problems/{name}.json", env!("CARGO_MANIFEST_DIR"));
    ProblemFile::open(path.as_ref()).expect("readable").problem(0).expect("valid")
}

#[test]
fn lloyds_paths_do_not_allocate() {
    for name in ["peg_n008_s0", "stack_m05_rotated_n036_s0"] {
        let problem = corpus(name);
        let pyramid = Pyramid::new(&problem, 8);
        // Elimination at every pivot, and an updated inverse.
        for crossover in [1000, 4] {
            let mut path = Path::with_crossover(&pyramid, crossover);
            for scope in [Scope::Pushing, Scope::All] {
                let before = COUNT.with(Cell::get);
                path.follow(scope, &mut NoObserver);
                let allocated = COUNT.with(Cell::get) - before;
                assert!(path.pivots > 5, "{name} takes no pivots: it shows nothing");
                assert_eq!(allocated, 0, "{name}, {scope:?}, crossover {crossover}");
            }
        }
    }
}

#[test]
fn pivots_do_not_allocate() {
    for (name, problem, allowed) in [
        ("pile", corpus("pile_n050_s0"), 0),
        ("bricks", gallery::overbalanced_bricks(0.5).expect("valid"), 1),
        ("stack", corpus("stack_m05_rotated_n036_s0"), 1),
    ] {
        let (grown, pivots) = during_pivots(&problem);
        println!("{name}: {pivots} pivots, {grown} of them allocated");
        assert!(pivots > 1, "{name} takes no pivots: it shows nothing");
        assert!(grown <= allowed, "{name}: {grown} of {pivots} pivots allocated");
    }
}

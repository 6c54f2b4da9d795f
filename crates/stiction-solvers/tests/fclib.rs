//! Friction problems without bodies: validation, the judge, files of other projects.

mod common;

use common::{mangle, noise};
use std::path::PathBuf;
use stiction_formats::{
    fclib_bytes, is_friction, parse_contactbench, parse_fclib, parse_friction, read_fclib,
    read_matrix, write_fclib,
};
use stiction_solvers::judge::judge_matrix;
use stiction_solvers::{Masses, MatrixProblem, Triplets, Work, all};

fn identity(n: usize) -> Triplets {
    Triplets { rows: n, columns: n, entries: (0..n).map(|i| (i, i, 1.0)).collect() }
}

/// One contact of unit stiffness, pressed by 1 and dragged by 2 and 0, friction 0.5:
/// it slides, with force (1, −0.5, 0) and response (0, 1.5, 0).
fn sliding() -> MatrixProblem {
    MatrixProblem::new(3, &identity(3), vec![-1.0, 2.0, 0.0], vec![0.5]).expect("valid")
}

/// Four contacts, coupled, redundant: `W = Hᵀ H` with six motions.
fn coupled() -> MatrixProblem {
    let h =
        (0..6).flat_map(|i| (0..12).map(move |j| (i, j, f64::from((i * 7 + j * 5) % 11) - 4.0)));
    let h = Triplets {
        rows: 6,
        columns: 12,
        entries: h.map(|(i, j, x): (u8, u8, f64)| (i.into(), j.into(), x)).collect(),
    };
    let f = vec![-1.0, 0.5, -2.0, 0.25, -1.0, 0.75];
    let masses = Masses { m: identity(6), h, f, w: vec![0.0; 12], joints: None };
    masses.condense(3, vec![0.3, 0.0, 0.7, 0.5]).expect("valid")
}

fn data() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/fclib");
    let folder = std::env::var_os("STICTION_FCLIB").map_or_else(|| beside.into(), PathBuf::from);
    if !folder.is_dir() {
        eprintln!("skipped: {} does not exist", folder.display());
        return None;
    }
    Some(folder)
}

#[test]
fn the_judge_certifies_the_sliding_block() {
    let right = judge_matrix(&sliding(), &[1.0, -0.5, 0.0]);
    let exchange = right.exchange.expect("a bare matrix");
    assert!(right.is_certified() && exchange.natural_map == 0.0, "{right:?}");
    // Without friction, u = (0, 2, 0) and û = (1, 2, 0): r − û = (0, −2, 0) projected is
    // (0.8, −0.4, 0), which is √(0.2² + 0.4²) from r.
    let wrong = judge_matrix(&sliding(), &[1.0, 0.0, 0.0]);
    let exchange = wrong.exchange.expect("a bare matrix");
    assert!((exchange.natural_map - 0.2_f64.sqrt()).abs() < 1e-15, "{wrong:?}");
    let field = 0.2_f64.sqrt() / 5.0_f64.sqrt();
    assert!((exchange.natural_map_relative - field).abs() < 1e-15, "{wrong:?}");
    assert!(!wrong.is_certified());
    for bad in [&[1.0][..], &[f64::NAN, 0.0, 0.0]] {
        assert!(!judge_matrix(&sliding(), bad).is_certified());
    }
}

#[test]
fn every_solver_certifies_small_problems() {
    for name in all::BARE {
        let mut solver = all::by_name(name).expect("known");
        let mut solve = |problem: &MatrixProblem| {
            let answer = solver.solve_matrix(problem, &mut Work::for_matrix(problem));
            let answer = answer.expect("taken");
            (problem.flat(&answer.forces), answer)
        };
        let (force, _) = solve(&sliding());
        for (found, expected) in force.iter().zip([1.0, -0.5, 0.0]) {
            assert!((found - expected).abs() < 1e-8, "{name}: {force:?}");
        }
        let (_, answer) = solve(&coupled());
        assert!(answer.is_certified(), "{name}: {:?}", answer.certificate);
        let plane = MatrixProblem::new(2, &identity(4), vec![-1.0, 2.0, 1.0, 1.0], vec![0.5; 2]);
        let (force, answer) = solve(&plane.expect("lawful"));
        assert!(answer.is_certified(), "{name}: {:?}", answer.certificate);
        assert!((force[1] + 0.5).abs() < 1e-8, "{name}: {force:?}");
        assert!(force[2] == 0.0, "{name}: {force:?}");
        let empty = MatrixProblem::new(3, &identity(0), vec![], vec![]).expect("lawful");
        assert!(solve(&empty).0.is_empty());
    }
}

#[test]
fn errors_name_the_place_and_the_value() {
    let refused = |d: usize, w: &Triplets, q: &[f64], mu: &[f64]| {
        MatrixProblem::new(d, w, q.to_vec(), mu.to_vec()).expect_err("bad").to_string()
    };
    let w = identity(3);
    let mut nan = w.clone();
    nan.entries[1].2 = f64::NAN;
    let mut outside = w.clone();
    outside.entries[2].1 = 3;
    for (message, expected) in [
        (refused(4, &w, &[0.0; 4], &[0.5]), "dimension is 4"),
        (refused(3, &w, &[0.0; 2], &[0.5]), "q has 2 entries, must have 3"),
        (refused(3, &identity(4), &[0.0; 3], &[0.5]), "W is 4 × 4, must be 3 × 3"),
        (refused(3, &nan, &[0.0; 3], &[0.5]), "W[1][1] is NaN"),
        (refused(3, &outside, &[0.0; 3], &[0.5]), "row 2, column 3"),
        (refused(3, &w, &[0.0, f64::INFINITY, 0.0], &[0.5]), "q[1] is inf"),
        (refused(3, &w, &[0.0; 3], &[-0.5]), "mu[0] is -0.5"),
    ] {
        assert!(message.contains(expected), "{message}, expected {expected}");
    }
}

/// A point of mass 2 held by a joint along x: its first direction does not move.
#[test]
fn masses_and_joints_are_condensed() {
    let m = Triplets { rows: 3, columns: 3, entries: (0..3).map(|i| (i, i, 2.0)).collect() };
    let free = Masses { m, h: identity(3), f: vec![-2.0; 3], w: vec![0.5; 3], joints: None };
    let problem = free.condense(3, vec![0.5]).expect("valid");
    assert_eq!(problem.own_block(0), [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]]);
    assert_eq!(problem.q(), [-0.5; 3]);
    let g = Triplets { rows: 3, columns: 1, entries: vec![(0, 0, 1.0)] };
    let held = Masses { joints: Some((g.clone(), vec![0.25])), ..free.clone() };
    let problem = held.condense(3, vec![0.5]).expect("valid");
    assert_eq!(problem.own_block(0), [[0.0; 3], [0.0, 0.5, 0.0], [0.0, 0.0, 0.5]]);
    assert_eq!(problem.q(), [0.25, -0.5, -0.5]);
    let twice = Triplets { columns: 2, entries: vec![(0, 0, 1.0), (0, 1, 1.0)], ..g };
    let redundant = Masses { joints: Some((twice, vec![0.0; 2])), ..free };
    let error = redundant.condense(3, vec![0.5]).expect_err("singular").to_string();
    assert!(error.contains("singular"), "{error}");
}

#[test]
fn fclib_files_are_read_as_written() {
    for problem in [sliding(), coupled()] {
        let force = vec![0.125; problem.len()];
        let bytes = fclib_bytes(&problem, "a title", Some(&force)).expect("small");
        assert_eq!(parse_fclib(bytes, "written").expect("readable"), problem);
    }
    let path = std::env::temp_dir().join(format!("stiction-{}.hdf5", std::process::id()));
    write_fclib(&path, &coupled(), "", None).expect("writable");
    assert_eq!(read_matrix(&path).expect("readable"), Some(coupled()));
    std::fs::remove_file(&path).expect("there");
}

/// The same problem in the three storage formats of Siconos, and with masses.
const TEXTS: [&str; 4] = [
    "3 1 0 3 3 3 3  1 0 0  0 1 0  0 0 1  -1 2 0  0.5 1",
    "3 1 1 3 3 1 1 1 3 3 2 1 0 1 0 0  1 0 0  0 1 0  0 0 1  -1 2 0 # q\n 0.5",
    "3 1 2 3 3 1\nCSparse Version 3\ntriplet: 3-by-3, nzmax: 3 nnz: 3\n 0 0 : 1\n 1 1 : 1\n 2 2 : 1\n-1 2 0 0.5",
    "3 1 2 3 3 2\nCSparse\n3-by-3, nzmax: 3 nnz: 3, 1-norm: 1\n col 0 : locations 0 to 0\n 0 : 1\n col 1 : locations 1 to 1\n 1 : 1\n col 2 : locations 2 to 2\n 2 : 1\n0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 2 0 0 0 0 0.5",
];

#[test]
fn siconos_texts_are_equal_in_every_storage() {
    for text in TEXTS {
        assert!(is_friction(text));
        assert_eq!(parse_friction(text, "text").expect(text), sliding());
    }
    assert!(!is_friction("2 0 2 2 2 2 1 0 0 1 -1 -1"), "a complementarity problem");
    assert!(!is_friction("3 1 3 3 1 1 1 3 3 2 1 0 1 0 0"), "another, in blocks");
}

#[test]
fn bad_texts_are_refused_with_line_and_value() {
    for (text, expected) in [
        ("", "the file ends"),
        ("garbage", "dimension: is garbage"),
        ("4 1 0", "must be 2 or 3"),
        ("3 1 7 3 3", "storage: is 7"),
        ("3 1 0 3 3 3 3 1 0", "the file ends before its 9 entries"),
        ("3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1\n-1 nan 0\n0.5", "text:2: q[1]: is nan"),
        ("3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1\n-1 2 0\n-0.5", "text:3: mu[0]: is -0.5"),
        ("3 1 2 3 3 1 nnz: 1 0 9 : 1 -1 2 0 0.5", "no place (0, 9)"),
    ] {
        let message = parse_friction(text, "text").expect_err(text).to_string();
        assert!(message.contains(expected), "{message}, expected {expected}");
    }
}

#[test]
fn mangled_files_do_not_panic() {
    let bytes = fclib_bytes(&coupled(), "", None).expect("small");
    for end in (0..bytes.len()).step_by(7) {
        let _ = parse_fclib(bytes[..end].to_vec(), "cut");
    }
    mangle(&bytes, 4000, |bytes| drop(parse_fclib(bytes, "mangled")));
    for text in TEXTS {
        mangle(text.as_bytes(), 4000, |bytes| {
            drop(parse_friction(&String::from_utf8_lossy(&bytes), "mangled"));
        });
    }
    let Some(folder) = data() else { return };
    let name = "contactbench_sliding_cube.npz";
    let bytes = std::fs::read(folder.join(name)).expect(name);
    mangle(&bytes, 4000, |bytes| drop(parse_contactbench(&bytes, name)));
    for name in ["CubeH8.hdf5", "Sic44_ChuteRocks-00065-43.hdf5"] {
        let bytes = std::fs::read(folder.join(name)).expect(name);
        mangle(&bytes, 300, |bytes| drop(parse_fclib(bytes, name)));
        // Damage in the headers, which are small compared with the numbers.
        let mut next = noise(7);
        for _ in 0..1500 {
            let mut mangled = bytes.clone();
            let at = next() % 8192.min(bytes.len());
            mangled[at] = next().to_le_bytes()[0];
            drop(parse_fclib(mangled, name));
        }
    }
}

/// Sizes as listed by the collectors of the files.
#[test]
fn files_of_other_projects_are_read() {
    let Some(folder) = data() else { return };
    let text = std::fs::read_to_string(folder.join("README.md")).expect("a list");
    let mut seen = 0;
    for line in text.lines().filter(|line| line.contains(" local |") || line.contains(" dofs |")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let problem = read_matrix(&folder.join(cells[1])).expect(cells[1]).expect("friction");
        assert_eq!(problem.dimension().to_string(), cells[2], "{}", cells[1]);
        assert_eq!(problem.contacts().to_string(), cells[4], "{}", cells[1]);
        seen += 1;
    }
    assert_eq!(seen, 53);
    assert!(read_fclib(&folder.join("README.md")).is_err());
}

/// The smaller ones are solved and certified.
#[test]
fn small_problems_of_other_projects_are_certified() {
    let Some(folder) = data() else { return };
    let mut solver = all::by_name(all::BARE[0]).expect("known");
    for name in [
        "CubeH8.hdf5",
        "FC3D_Example1_SBM.dat",
        "GFC3D_TwoRods1.dat",
        "Rover4622.dat",
        "OneObject-i1028-138.hdf5.dat",
        "Box_Stacks-i0035-31-0.hdf5",
        "FrictionContactProblem00374.dat",
        "gfc2d_granularflowonwall_00069_00350.dat",
    ] {
        let problem = read_matrix(&folder.join(name)).expect(name).expect("friction");
        let answer = solver.solve_matrix(&problem, &mut Work::for_matrix(&problem));
        let answer = answer.expect("taken");
        assert!(answer.is_certified(), "{name}: {:?}", answer.certificate);
    }
}

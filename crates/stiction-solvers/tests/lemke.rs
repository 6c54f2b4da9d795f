//! Linear complementarity problems: known ones, random ones, and some without solution.

mod common;

use common::Random;
use stiction_formats::{parse_lcp, read_lcp};
use stiction_solvers::{Lcp, LcpOutcome, solve_lcp};

fn solved(lcp: &Lcp) -> Vec<f64> {
    match solve_lcp(lcp) {
        LcpOutcome::Solved { z, certificate, .. } if certificate.certified => z,
        other => panic!("no certified solution: {other:?}"),
    }
}

/// Examines all complementary bases: whether any solves the problem.
fn has_solution(lcp: &Lcp) -> bool {
    let n = lcp.len();
    (0..1u32 << n).any(|set| {
        let active: Vec<usize> = (0..n).filter(|i| set >> i & 1 == 1).collect();
        let k = active.len();
        let mut rows: Vec<Vec<f64>> = active
            .iter()
            .map(|&i| {
                let entries = active.iter().map(|&j| lcp.row(i)[j]);
                entries.chain([-lcp.q()[i]]).collect()
            })
            .collect();
        for c in 0..k {
            let best = (c..k).max_by(|&a, &b| rows[a][c].abs().total_cmp(&rows[b][c].abs()));
            rows.swap(c, best.expect("a row"));
            if rows[c][c].abs() < 1e-12 {
                return false;
            }
            for r in 0..k {
                if r != c {
                    let factor = rows[r][c] / rows[c][c];
                    for j in c..=k {
                        rows[r][j] -= factor * rows[c][j];
                    }
                }
            }
        }
        let mut z = vec![0.0; n];
        for (c, &i) in active.iter().enumerate() {
            z[i] = rows[c][k] / rows[c][c];
        }
        lcp.judge(&z).certified
    })
}

#[test]
fn positive_semidefinite_problems_with_a_solution_are_solved() {
    for seed in 0..500 {
        let random = &mut Random::new(seed);
        let n = 1 + random.below(12);
        let rank = 1 + random.below(n);
        let g: Vec<Vec<f64>> =
            (0..n).map(|_| (0..rank).map(|_| random.between(-1.0, 1.0)).collect()).collect();
        let skew: Vec<f64> = (0..n * n).map(|_| random.between(-1.0, 1.0)).collect();
        let entry = |i: usize, j: usize| {
            let product: f64 = (0..rank).map(|k| g[i][k] * g[j][k]).sum();
            product + 0.3 * (skew[i * n + j] - skew[j * n + i])
        };
        let m: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        // q = w − M z with w, z ≥ 0 and no overlap: a solution exists.
        let z: Vec<f64> = (0..n)
            .map(|_| if random.chance(0.5) { random.between(0.0, 1.0) } else { 0.0 })
            .collect();
        let w: Vec<f64> =
            z.iter().map(|z| if *z > 0.0 { 0.0 } else { random.between(0.0, 1.0) }).collect();
        let free = Lcp::new(m.clone(), vec![0.0; n]).expect("finite");
        let q: Vec<f64> = w.iter().zip(free.w(&z)).map(|(w, mz)| w - mz).collect();
        let lcp = Lcp::new(m, q).expect("finite");
        let z = solved(&lcp);
        assert!(lcp.judge(&z).relative <= 1e-9, "seed {seed}");
    }
}

/// For arbitrary matrices a ray proves nothing, but a claimed solution is one, and most
/// problems that have a solution are solved.
#[test]
fn arbitrary_problems_are_solved_or_end_in_a_ray() {
    let (mut with, mut found) = (0, 0);
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let n = 1 + random.below(7);
        let m: Vec<f64> = (0..n * n).map(|_| random.between(-1.0, 1.0)).collect();
        let q: Vec<f64> = (0..n).map(|_| random.between(-1.0, 1.0)).collect();
        let lcp = Lcp::new(m, q).expect("finite");
        let possible = has_solution(&lcp);
        with += usize::from(possible);
        match solve_lcp(&lcp) {
            LcpOutcome::Solved { certificate, .. } => {
                assert!(certificate.certified && possible, "seed {seed}: {certificate:?}");
                found += 1;
            }
            LcpOutcome::Ray { .. } => {}
            LcpOutcome::PivotLimit { .. } => panic!("seed {seed}: a path without end"),
        }
    }
    println!("{found} of {with} problems with a solution were solved");
    assert!(found * 2 > with);
}

/// Murty's and Fathi's matrices make the standard path exponential in n.
#[test]
fn exponential_examples_end() {
    for n in [5, 10, 20, 40, 100] {
        let murty: Vec<f64> = (0..n * n)
            .map(|k| match (k / n).cmp(&(k % n)) {
                std::cmp::Ordering::Less => 2.0,
                std::cmp::Ordering::Equal => 1.0,
                std::cmp::Ordering::Greater => 0.0,
            })
            .collect();
        let lcp = Lcp::new(murty.clone(), vec![-1.0; n]).expect("finite");
        let z = solved(&lcp);
        assert!((z[n - 1] - 1.0).abs() < 1e-12, "the last unknown alone: {z:?}");
        // Fathi: M = U Uᵀ is positive definite.
        let row = |i: usize| &murty[i * n..(i + 1) * n];
        let fathi: Vec<f64> = (0..n * n)
            .map(|k| row(k / n).iter().zip(row(k % n)).map(|(a, b)| a * b).sum())
            .collect();
        solved(&Lcp::new(fathi, vec![-1.0; n]).expect("finite"));
    }
}

#[test]
fn a_problem_without_solution_ends_in_a_ray() {
    let lcp = Lcp::new(vec![-1.0], vec![-1.0]).expect("finite");
    assert!(matches!(solve_lcp(&lcp), LcpOutcome::Ray { .. }));
}

#[test]
fn trivial_problems_take_no_pivots() {
    let lcp = Lcp::new(vec![1.0, 2.0, 3.0, 4.0], vec![0.0, 5.0]).expect("finite");
    let LcpOutcome::Solved { z, pivots, .. } = solve_lcp(&lcp) else { panic!("unsolved") };
    assert_eq!((z, pivots), (vec![0.0, 0.0], 0));
    assert!(matches!(
        solve_lcp(&Lcp::new(vec![], vec![]).expect("empty")),
        LcpOutcome::Solved { .. }
    ));
}

#[test]
fn invalid_texts_are_refused() {
    assert!(Lcp::new(vec![1.0; 3], vec![1.0; 2]).is_err());
    assert!(Lcp::new(vec![f64::NAN], vec![1.0]).is_err());
    for (text, expected) in [
        ("", "n: the file ends"),
        ("2 0 2 2 2 2 1 0 0", "M"),
        ("1 0 1 1 1 1 x -1", "x.dat:1: M: is x"),
        ("1 7 1 1 1 -1", "storage: is 7"),
        ("2 0 3 2 2 2 1 0 0 1 1 1", "M is 3 × 2"),
        ("999999999 0 1 1", "n: is 999999999"),
        ("15000 0 15000 15000 15000 15000 1 2 3", "the file ends"),
        ("1 0 1 1 1 1 1 inf", "q[0]: is inf"),
        ("2 1 2 2 1 1 1 2 9 2 1 0 1 0 0 1", "out of order"),
    ] {
        let message = parse_lcp(text, "x.dat").expect_err(text).to_string();
        assert!(message.contains(expected), "«{text}»: {message}");
    }
}

/// `../shared/data/lcp`: problems from other projects. The indefinite ones have no known
/// solution and must still end.
#[test]
fn the_siconos_set_is_solved() {
    let folder = format!("{}/../../../shared/data/lcp", env!("CARGO_MANIFEST_DIR"));
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: {folder} does not exist");
        return;
    };
    let mut seen = 0;
    for path in entries.filter_map(|e| e.ok().map(|e| e.path())) {
        if path.extension().is_none_or(|e| e != "dat") {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let lcp = read_lcp(&path).unwrap_or_else(|e| panic!("{e}"));
        let indefinite = name.starts_with("dca_asym") || name.starts_with("dca_sid");
        match solve_lcp(&lcp) {
            LcpOutcome::Solved { certificate, .. } => assert!(certificate.certified, "{name}"),
            other => assert!(indefinite, "{name}: {other:?}"),
        }
        seen += 1;
    }
    println!("{seen} files");
}

//! Dantzig against LU of the same matrix and an interior-point QP, by family
//! and number of contacts.
//!
//! An answer is judged before it is timed, so a solver cannot win by being wrong.
//! `cargo bench`; the table of ratios is `stiction bench speed --data DIR`.

use clarabel::algebra::{CscMatrix, MatrixMathMut};
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use faer::linalg::solvers::Solve;
use std::hint::black_box;
use stiction_solvers::baraff1994::Dantzig;
use stiction_solvers::dense::normal_system;
use stiction_solvers::file::ProblemFile;
use stiction_solvers::{ContactSolver, NoObserver};

fn bench_dantzig(c: &mut Criterion) {
    faer::set_global_parallelism(faer::Par::Seq);
    let folders = ["../../../shared/data/lloyd", "../../corpus/problems"];
    for family in ["pile", "wall"] {
        let mut group = c.benchmark_group(format!("frictionless/{family}"));
        for contacts in [10, 20, 30, 50, 75, 100, 125, 150] {
            let name = format!("{family}_n{contacts:03}_s0.json");
            let path = folders
                .iter()
                .map(|f| format!("{}/{f}/{name}", env!("CARGO_MANIFEST_DIR")))
                .find(|path| std::fs::exists(path).unwrap_or(false));
            let Some(path) = path else {
                println!("skipped: {name} is not there");
                continue;
            };
            let file = ProblemFile::open(path.as_ref()).expect("readable");
            let problem = file.problem(0).expect("lawful");

            let mut solver = Dantzig::default();
            let Ok(solution) = solver.solve(&problem) else { panic!("unsolved") };
            assert!(solution.certificate.natural_map.relative <= 1e-10);

            group.bench_function(BenchmarkId::new("dantzig", contacts), |b| {
                b.iter(|| solver.candidate(black_box(&problem), None, &mut NoObserver));
            });
            let (a, rhs) = normal_system(&problem);
            group.bench_function(BenchmarkId::new("lu", contacts), |b| {
                b.iter(|| black_box(&a).partial_piv_lu().solve(&rhs));
            });
            let upper: Vec<Vec<f64>> = (0..contacts)
                .map(|i| (0..contacts).map(|j| if j >= i { a[(i, j)] } else { 0.0 }).collect())
                .collect();
            let p = CscMatrix::from(&upper);
            let q: Vec<f64> = (0..contacts).map(|i| rhs[(i, 0)]).collect();
            let mut minus = CscMatrix::identity(contacts);
            minus.negate();
            let zeros = vec![0.0; contacts];
            group.bench_function(BenchmarkId::new("qp", contacts), |b| {
                b.iter(|| {
                    let settings = DefaultSettings { verbose: false, ..Default::default() };
                    let cones = [NonnegativeConeT(contacts)];
                    DefaultSolver::new(&p, &q, &minus, &zeros, &cones, settings)
                        .map(|mut solver| solver.solve())
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, bench_dantzig);
criterion_main!(benches);

//! Measures one frictionless problem, for all commands that time one.
//!
//! Times are thread CPU time. Dantzig's answer is judged before it is timed, and
//! its time is that of the whole solver: scaling, start, pivots, physical forces. LU
//! and the QP receive the matrix; forming it is not counted.

use clarabel::algebra::{CscMatrix, MatrixMathMut};
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, SupportedConeT,
};
use faer::Mat;
use faer::linalg::solvers::Solve;
use stiction_solvers::baraff1994::Dantzig;
use stiction_solvers::dense::normal_system;
use stiction_solvers::{ContactProblem, ContactSolver, Effort, Forces, NoObserver, Route};
use stiction_terminal::timing::median_us;

/// Answers with a larger natural map are not timed.
const EXACT: f64 = 1e-10;

/// One run of Dantzig's algorithm.
pub struct Run {
    pub us: f64,
    pub effort: Effort,
}

/// Judges, then times; from sweeps unless a start is given.
///
/// # Errors
///
/// Why it is not timed: no forces, not exact, or only after a restart, which is
/// another method in effect.
pub fn dantzig(problem: &ContactProblem, start: Option<&Forces>) -> Result<Run, String> {
    let mut solver = Dantzig::default();
    let found = solver.solve_from(problem, start, &mut NoObserver);
    let Some(solution) = found.ok().filter(|answer| !answer.is_impulse()) else {
        return Err("Dantzig found no forces".into());
    };
    if solution.certificate.natural_map.relative > EXACT {
        return Err(format!("natural map {:e}", solution.certificate.natural_map.relative));
    }
    if solution.provenance.route != Route::Direct {
        return Err("Dantzig was restarted".into());
    }
    let us = median_us(|| {
        let _ = std::hint::black_box(solver.candidate(problem, start, &mut NoObserver));
    });
    Ok(Run { us, effort: solution.provenance.effort })
}

/// Times of the methods that receive the matrix.
pub struct Given {
    /// LU with partial pivoting of A, and one solve.
    pub lu_us: f64,
    /// Interior-point QP in the normal forces, if it ends at a solution.
    pub qp_us: Option<f64>,
}

/// Times LU and the QP, with the number of threads that faer is set to.
pub fn given_the_matrix(problem: &ContactProblem) -> Given {
    let (a, b) = normal_system(problem);
    let lu_us = median_us(|| {
        std::hint::black_box(a.partial_piv_lu().solve(&b));
    });
    Given { lu_us, qp_us: qp(&a, &b) }
}

/// `min ½ fᵀ A f + bᵀ f, f ≥ 0`: the same conditions as a QP.
/// (Baraff's eq. 5 is another program with the same solutions.)
fn qp(a: &Mat<f64>, b: &Mat<f64>) -> Option<f64> {
    let n = a.nrows();
    let upper: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| if j >= i { a[(i, j)] } else { 0.0 }).collect()).collect();
    let p = CscMatrix::from(&upper);
    let q: Vec<f64> = (0..n).map(|i| b[(i, 0)]).collect();
    let mut minus_identity = CscMatrix::identity(n);
    minus_identity.negate();
    let cones: Vec<SupportedConeT<f64>> = vec![NonnegativeConeT(n)];
    let zeros = vec![0.0; n];
    let mut solved = true;
    let time = median_us(|| {
        let settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
        if let Ok(mut solver) =
            DefaultSolver::new(&p, &q, &minus_identity, &zeros, &cones, settings)
        {
            solver.solve();
            solved &=
                matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved);
        } else {
            solved = false;
        }
    });
    solved.then_some(time)
}

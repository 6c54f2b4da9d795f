//! Convex quadratic programs, the one place that calls clarabel:
//!
//! ```text
//!   minimise  ½ xᵀ P x + qᵀ x    with   G x + s = h,
//!             s = 0 in the first rows of G, s ≥ 0 in the others.
//! ```
//!
//! Without the feature `clarabel` the methods that need a program refuse ([`require`]).

use crate::error::SolveError;

/// Tolerance of the interior point: a few digits above rounding.
#[cfg(feature = "clarabel")]
const INTERIOR: f64 = 1e-11;

/// A sparse matrix, by its entries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entries {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Entries {
    /// Adds an entry; zeros are left out.
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        if value != 0.0 {
            self.rows.push(row);
            self.columns.push(column);
            self.values.push(value);
        }
    }
}

/// A program; the letters of its parts in the module's documentation.
pub(crate) struct Program {
    /// `P`, the upper triangle.
    pub quadratic: Entries,
    /// `q`, as long as there are unknowns.
    pub linear: Vec<f64>,
    /// `G` and `h`.
    pub left: Entries,
    pub right: Vec<f64>,
    /// Rows of `G` in which `s = 0`.
    pub equalities: usize,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "clarabel"), allow(dead_code))]
pub(crate) enum Ended {
    /// No point obeys the constraints.
    Infeasible,
    /// The value falls without bound.
    Unbounded,
    /// Anything else; the point may or may not be precise.
    Somewhere,
}

/// The last point of a program, and the multipliers of its constraints.
pub(crate) struct Minimum {
    pub x: Vec<f64>,
    pub multipliers: Vec<f64>,
    pub ended: Ended,
    pub iterations: usize,
}

/// Refuses for a method that needs programs in a build without them.
///
/// # Errors
///
/// [`SolveError::Unsupported`] without the feature `clarabel`.
pub(crate) fn require(solver: &'static str) -> Result<(), SolveError> {
    if cfg!(feature = "clarabel") {
        return Ok(());
    }
    let reason = "this build has no quadratic programs (feature clarabel of stiction-solvers)";
    Err(SolveError::Unsupported { solver, reason: reason.into() })
}

impl Program {
    /// Solves it by an interior point; nothing if it cannot be set up.
    #[cfg(feature = "clarabel")]
    pub(crate) fn solve(self) -> Option<Minimum> {
        use clarabel::solver::{
            DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT,
        };
        let (unknowns, lines) = (self.linear.len(), self.right.len());
        let zeros = (self.equalities > 0).then_some(ZeroConeT(self.equalities));
        let cones: Vec<_> =
            zeros.into_iter().chain([NonnegativeConeT(lines - self.equalities)]).collect();
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: INTERIOR,
            tol_gap_rel: INTERIOR,
            tol_feas: INTERIOR,
            ..DefaultSettings::default()
        };
        let quadratic = self.quadratic.into_matrix(unknowns, unknowns);
        let left = self.left.into_matrix(lines, unknowns);
        let mut solver =
            DefaultSolver::new(&quadratic, &self.linear, &left, &self.right, &cones, settings)
                .ok()?;
        solver.solve();
        let solution = solver.solution;
        let ended = match solution.status {
            SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => {
                Ended::Infeasible
            }
            SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => Ended::Unbounded,
            _ => Ended::Somewhere,
        };
        let iterations = solution.iterations as usize;
        Some(Minimum { x: solution.x, multipliers: solution.z, ended, iterations })
    }

    /// There is none in this build; see [`require`].
    #[cfg(not(feature = "clarabel"))]
    pub(crate) fn solve(self) -> Option<Minimum> {
        let Program { quadratic, linear, left, right, equalities } = self;
        drop((quadratic.rows, quadratic.columns, quadratic.values, linear, left, right));
        let _ = equalities;
        None
    }
}

#[cfg(feature = "clarabel")]
impl Entries {
    fn into_matrix(self, rows: usize, columns: usize) -> clarabel::algebra::CscMatrix<f64> {
        clarabel::algebra::CscMatrix::new_from_triplets(
            rows,
            columns,
            self.rows,
            self.columns,
            self.values,
        )
    }
}

#[cfg(all(test, not(feature = "clarabel")))]
mod tests {
    use crate::baraff1989::LinearProgram;
    use crate::baraff1991::Signs;
    use crate::{ContactSolver, SolveError};
    use stiction_contact::gallery;

    #[test]
    fn methods_that_need_programs_refuse_without_clarabel() {
        let problem = gallery::overbalanced_bricks(0.0).expect("a problem");
        let solvers: [Box<dyn ContactSolver>; 2] =
            [Box::new(LinearProgram::default()), Box::new(Signs)];
        for mut solver in solvers {
            let refusal = solver.solve(&problem).map(|_| ());
            assert!(matches!(refusal, Err(SolveError::Unsupported { .. })), "{refusal:?}");
        }
    }
}

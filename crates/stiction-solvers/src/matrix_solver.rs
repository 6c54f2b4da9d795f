//! What a solver of problems without bodies does, and all of them by name.
//!
//! Solvers of [`ContactProblem`](crate::ContactProblem)s go through the bodies
//! (their sparsity, their scales, their motion) and cannot take a bare matrix.

use crate::admm::Admm;
use crate::auto::Auto;
use crate::gauss_seidel::GaussSeidel;
use crate::interior::Interior;
use crate::proximal::Proximal;
use crate::work::Work;
use stiction_contact::MatrixProblem;
use stiction_contact::judge::MatrixCertificate;

/// Relative natural map at which solvers stop: a tenth of what is certified.
pub(crate) const ENOUGH: f64 = 1e-9;

/// Names that [`by_name`] knows, the default first.
pub const NAMES: &[&str] = &["auto", "proximal", "interior", "admm", "gauss-seidel"];

/// Finds forces of a problem without bodies.
pub trait MatrixSolver {
    /// Its name.
    fn name(&self) -> &'static str;

    /// The best forces it finds within a budget of work, with the judge's word on them.
    fn solve_within(&self, problem: &MatrixProblem, work: &mut Work) -> MatrixSolution;

    /// The same within the default budget for the size of the problem.
    fn solve(&self, problem: &MatrixProblem) -> MatrixSolution {
        self.solve_within(problem, &mut Work::for_matrix(problem))
    }
}

/// Forces and what they are worth.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixSolution {
    /// Per contact, normal first.
    pub force: Vec<f64>,
    /// The judge's word.
    pub certificate: MatrixCertificate,
    /// Who found them, if not the solver that was asked.
    pub by: Option<&'static str>,
    /// What it took.
    pub effort: MatrixEffort,
}

/// What an answer took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatrixEffort {
    /// Sweeps over all contacts, or steps of a splitting.
    pub sweeps: usize,
    /// Newton steps.
    pub steps: usize,
    /// Proximal problems.
    pub rounds: usize,
}

impl std::ops::AddAssign for MatrixEffort {
    fn add_assign(&mut self, other: MatrixEffort) {
        self.sweeps += other.sweeps;
        self.steps += other.steps;
        self.rounds += other.rounds;
    }
}

/// The solver of that name.
pub fn by_name(name: &str) -> Option<Box<dyn MatrixSolver>> {
    match name {
        "auto" => Some(Box::new(Auto::default())),
        "interior" => Some(Box::new(Interior::default())),
        "proximal" => Some(Box::new(Proximal)),
        "admm" => Some(Box::new(Admm::default())),
        "gauss-seidel" => Some(Box::new(GaussSeidel::default())),
        _ => None,
    }
}

//! Asking a solver, and never losing an answer.

use crate::detect::{Contact, Key};
use crate::report::Happening;
use glam::DVec3;
use std::collections::HashMap;
use stiction_solvers::judge::{self, Certificate};
use stiction_solvers::{
    Auto, Blind, ContactForce, ContactProblem, ContactSolver, Forces, ImpulseRay, Outcome,
    SolveError, all,
};

/// Contacts of several bodies up to which pivoting comes first: while bodies move, the last
/// forces are a good start, which pivoting does not take.
const FEW: usize = 8;

/// A solver, the forces it found last, and what its answers were worth.
pub struct Asking {
    solver: Box<dyn ContactSolver + Send>,
    /// Forces of the last answer by contact, to start the next from.
    last: HashMap<Key, ContactForce>,
    /// Forces of joint rows of the last answer.
    last_rows: [Vec<f64>; 2],
    /// Problems solved since the tally was taken.
    pub solves: usize,
    /// Worst relative residual since the tally was taken.
    pub residual: f64,
    /// Whether all since the tally was taken were certified.
    pub certified: bool,
}

impl std::fmt::Debug for Asking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asking").field("solver", &self.solver.name()).finish_non_exhaustive()
    }
}

/// An answer that can be used.
pub(crate) enum Answer {
    /// Forces, with what they do to each body; certified or marked as not.
    Forces { forces: Forces, bodies: Vec<[f64; 6]>, mark: Option<Happening> },
    /// No force will do.
    Ray(ImpulseRay),
}

impl Default for Asking {
    fn default() -> Self {
        let selection = stiction_solvers::Selection::Any;
        let few = std::env::var("FEW").ok().and_then(|f| f.parse().ok()).unwrap_or(FEW);
        let solver = Auto::selecting(selection).hasty(few, 100.0);
        Asking::new(Box::new(solver))
    }
}

impl Asking {
    /// Asks this solver.
    pub fn new(solver: Box<dyn ContactSolver + Send>) -> Self {
        let last_rows = Default::default();
        let last = HashMap::new();
        Asking { solver, last, last_rows, solves: 0, residual: 0.0, certified: true }
    }

    /// Starts a new tally.
    pub fn reset_tally(&mut self) {
        (self.solves, self.residual, self.certified) = (0, 0.0, true);
    }

    /// Solves, from the last answer if `keys` (one per contact of the problem) knows some of it.
    pub(crate) fn ask(&mut self, problem: &ContactProblem, keys: &[Key], warm: bool) -> Answer {
        self.solves += 1;
        let start = warm.then(|| self.start(problem, keys)).flatten();
        let t0 = std::time::Instant::now();
        let found = self.solver.solve_from(problem, start.as_ref(), &mut Blind);
        if std::env::var_os("SLOW").is_some() && t0.elapsed().as_secs_f64() > 0.1 { let n = std::process::id() as usize * 1000 + self.solves; eprintln!("slow {:.3} s: {} contacts {} bodies {:?} rows level {:?} start {} -> {:?}", t0.elapsed().as_secs_f64(), problem.contacts().len(), problem.bodies().len(), problem.bilateral().len(), problem.level(), start.is_some(), match &found { Ok(Outcome::Solved(s)) => format!("{:?} {:e} {:?}", s.by, s.certificate.residual(), s.effort), Ok(_) => "ray".into(), Err(e) => e.to_string() }); std::fs::write(format!("/tmp/w/s/slow{n}.json"), stiction_solvers::file::ProblemFile::from_problem(problem, "slow").to_json()).ok(); }
        let (forces, certificate) = match found {
            Ok(Outcome::NeedsImpulse(ray)) => return Answer::Ray(ray),
            Ok(Outcome::Solved(solution)) => (solution.forces, Some(solution.certificate)),
            Err(SolveError::Uncertified { best, .. }) => (*best, None),
            Err(_) => (self.last_resort(problem), None),
        };
        let certificate = certificate.unwrap_or_else(|| judge::judge(problem, &forces));
        let mark = self.tally(&certificate);
        self.keep(&forces, keys);
        let bodies = judge::response(problem, &forces).bodies;
        Answer::Forces { forces, bodies, mark }
    }

    /// What sweeps make of a problem that broke the solver down: never certified, always finite.
    fn last_resort(&self, problem: &ContactProblem) -> Forces {
        let swept = all::by_name("gauss-seidel").map(|mut sweeps| sweeps.solve(problem));
        match swept {
            Some(Ok(Outcome::Solved(solution))) => solution.forces,
            Some(Err(SolveError::Uncertified { best, .. })) => *best,
            _ => Forces::none(problem),
        }
    }

    fn tally(&mut self, certificate: &Certificate) -> Option<Happening> {
        let residual = certificate.residual();
        self.residual = self.residual.max(residual);
        if certificate.is_certified() {
            return None;
        }
        self.certified = false;
        Some(Happening::Uncertified { residual })
    }

    fn start(&self, problem: &ContactProblem, keys: &[Key]) -> Option<Forces> {
        if self.last.is_empty() || keys.len() != problem.contacts().len() {
            return None;
        }
        let mut start = Forces::none(problem);
        let mut any = false;
        for (i, key) in keys.iter().enumerate() {
            if let Some(force) = self.last.get(key) {
                start.contacts[i] = along(&problem.contacts()[i], force);
                any = true;
            }
        }
        let rows = [&mut start.bilateral, &mut start.bounded];
        for (row, last) in rows.into_iter().zip(&self.last_rows) {
            if row.len() == last.len() {
                row.clone_from(last);
            }
        }
        any.then_some(start)
    }

    fn keep(&mut self, forces: &Forces, keys: &[Key]) {
        self.last.clear();
        self.last.extend(keys.iter().copied().zip(forces.contacts.iter().copied()));
        self.last_rows = [forces.bilateral.clone(), forces.bounded.clone()];
    }

    /// Multiplies the forces kept, for a step of another length.
    pub(crate) fn scale(&mut self, factor: f64) {
        for force in self.last.values_mut() {
            force.normal *= factor;
            force.friction = force.friction.map(|x| x * factor);
        }
        self.last_rows.iter_mut().flatten().for_each(|x| *x *= factor);
    }
}

/// A force turned into the tangent plane that its contact has now.
fn along(contact: &stiction_solvers::Contact, force: &ContactForce) -> ContactForce {
    let normal = DVec3::from_array(contact.normal);
    let friction = DVec3::from_array(force.friction);
    let friction = friction - normal * normal.dot(friction);
    ContactForce { friction: friction.to_array(), ..*force }
}

/// The names of contacts.
pub(crate) fn keys<'a>(contacts: impl IntoIterator<Item = &'a Contact>) -> Vec<Key> {
    contacts.into_iter().map(Contact::key).collect()
}

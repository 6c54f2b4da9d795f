//! SolverSession a solver, and never losing an answer.

use crate::detect::{Contact, Key};
use crate::report::EventKind;
use crate::world::World;
use glam::DVec3;
use std::collections::HashMap;
use stiction_solvers::gauss_seidel::GaussSeidel;
use stiction_solvers::interior::Interior;
use stiction_solvers::judge::{self, Certificate};
use stiction_solvers::{
    Auto, ContactForce, ContactProblem, ContactSolver, Forces, ImpulseRay, NoObserver, Outcome,
    SolveError,
};

/// Forces that break the laws by more than this (relative) may be worse than none: where joints
/// contradict contacts, some methods return forces that grow without end. Sweeps do not.
const BROKEN: f64 = 0.1;

/// Multiplications that proximal points may take for one answer.
const LONGEST: f64 = 2e8;

/// A solver, the forces it found last, and what its answers were worth.
pub struct SolverSession {
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
    /// Velocity that gravity makes in a step (m/s).
    speed: f64,
    /// What the solver does not model, the first time since this was taken.
    pub refusal: Option<SolveError>,
}

impl std::fmt::Debug for SolverSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SolverSession").field("solver", &self.solver.name()).finish_non_exhaustive()
    }
}

/// Forces, with what they do to each body.
pub(crate) struct Answered {
    pub forces: Forces,
    pub bodies: Vec<[f64; 6]>,
    /// What the judge found them short of (relative).
    pub residual: f64,
    /// Said if it did not certify them.
    pub mark: Option<EventKind>,
}

/// An answer that can be used.
pub(crate) enum Answer {
    /// Forces, certified or marked as not.
    Forces(Answered),
    /// No force will do.
    Ray(ImpulseRay),
}

impl Default for SolverSession {
    fn default() -> Self {
        let selection = stiction_solvers::Selection::Any;
        let solver = Auto::selecting(selection).with_work_budget(LONGEST);
        SolverSession::new(Box::new(solver))
    }
}

impl SolverSession {
    /// Asks this solver.
    pub fn new(solver: Box<dyn ContactSolver + Send>) -> Self {
        let last_rows = Default::default();
        let last = HashMap::new();
        SolverSession {
            solver,
            last,
            last_rows,
            solves: 0,
            residual: 0.0,
            certified: true,
            speed: 0.0,
            refusal: None,
        }
    }

    /// Starts a new tally for a step of this length.
    pub(crate) fn begin_step(&mut self, world: &World, dt: f64) {
        (self.solves, self.residual, self.certified) = (0, 0.0, true);
        self.speed = world.gravity.length() * dt;
    }

    /// The least velocity that a violation is compared with: what gravity makes in a step, so that
    /// a part in 1e8 of it is off by 1e-8 of the way that a body falls in a step.
    pub(crate) fn resolution(&self) -> f64 {
        self.speed
    }

    /// Solves, from the last answer if `keys` (one per contact of the problem) knows some of it.
    pub(crate) fn ask(&mut self, problem: &ContactProblem, keys: &[Key], warm: bool) -> Answer {
        self.solves += 1;
        let start = warm.then(|| self.start(problem, keys)).flatten();
        let found = self.solver.solve_from(problem, start.as_ref(), &mut NoObserver);
        let (forces, certificate) = match found {
            Ok(Outcome::NeedsImpulse(ray)) => return Answer::Ray(ray),
            Ok(Outcome::Solved(solution)) => (solution.forces, Some(solution.certificate)),
            Err(SolveError::Uncertified { best, .. }) => (*best, None),
            Err(error) => {
                self.note_refusal(error);
                (last_resort(problem), None)
            }
        };
        let mut certificate = certificate.unwrap_or_else(|| judge::judge(problem, &forces));
        let mut forces = forces;
        if certificate.residual() > BROKEN {
            let swept = last_resort(problem);
            let other = judge::judge(problem, &swept);
            if other.residual() < certificate.residual() {
                (forces, certificate) = (swept, other);
            }
        }
        self.keep(&forces, keys);
        Answer::Forces(answered(problem, forces, &certificate))
    }

    /// Remembers that the solver does not model a problem; breakdowns are answers of bad quality.
    fn note_refusal(&mut self, error: SolveError) {
        let name = self.solver.name();
        let refused = matches!(&error, SolveError::Unsupported { solver, .. } if *solver == name);
        if refused && self.refusal.is_none() {
            self.refusal = Some(error);
        }
    }

    /// The same for bodies at rest. Where the laws allow both motion and rest (a capsule held
    /// between two plates at one end of its line of contact, or at both), they stay at rest;
    /// but not by wedging themselves, with forces that press more in all. A solver that was
    /// chosen by name has the last word itself.
    pub(crate) fn ask_at_rest(
        &mut self,
        problem: &ContactProblem,
        keys: &[Key],
        warm: bool,
    ) -> Answer {
        let first = match self.ask(problem, keys, warm) {
            Answer::Forces(first) => first,
            ray @ Answer::Ray(_) => return ray,
        };
        if self.solver.name() != "auto" {
            return Answer::Forces(first);
        }
        let free = problem.bodies().iter().flat_map(|b| b.free_response);
        let least = AT_REST * free.fold(0.0, |m: f64, x| m.max(x.abs()));
        if motion(&first) <= least {
            return Answer::Forces(first);
        }
        self.solves += 1;
        let central = Interior::with_work_budget(LONGEST).solve(problem);
        let Ok(Outcome::Solved(central)) = central else { return Answer::Forces(first) };
        let second = answered(problem, central.forces, &central.certificate);
        let presses_more = pressure(&second) > (1.0 + AT_REST) * pressure(&first);
        if second.mark.is_some() || motion(&second) > least || presses_more {
            return Answer::Forces(first);
        }
        self.keep(&second.forces, keys);
        Answer::Forces(second)
    }

    /// The forces of the last answer at these contacts.
    pub(crate) fn recall(&self, keys: &[Key]) -> Vec<ContactForce> {
        keys.iter().map(|key| self.last.get(key).copied().unwrap_or_default()).collect()
    }

    /// Enters an answer that is used into the tally.
    pub(crate) fn used(&mut self, residual: f64, certified: bool) {
        self.residual = self.residual.max(residual);
        self.certified &= certified;
    }

    fn start(&self, problem: &ContactProblem, keys: &[Key]) -> Option<Forces> {
        if self.last.is_empty() || keys.len() != problem.contacts().len() {
            return None;
        }
        let mut start = Forces::zeros(problem);
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

/// What sweeps make of a problem that broke the solver down: hardly certified, always finite.
fn last_resort(problem: &ContactProblem) -> Forces {
    match GaussSeidel::default().solve(problem) {
        Ok(Outcome::Solved(solution)) => solution.forces,
        Err(SolveError::Uncertified { best, .. }) => *best,
        _ => Forces::zeros(problem),
    }
}

fn answered(problem: &ContactProblem, forces: Forces, certificate: &Certificate) -> Answered {
    let bodies = judge::response(problem, &forces).bodies;
    let residual = certificate.residual();
    let mark = (!certificate.is_certified()).then_some(EventKind::Uncertified { residual });
    Answered { forces, bodies, residual, mark }
}

/// The largest response of any body.
fn motion(answered: &Answered) -> f64 {
    answered.bodies.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// All normal forces together.
fn pressure(answered: &Answered) -> f64 {
    answered.forces.contacts.iter().map(|force| force.normal).sum()
}

/// Responses below this part of the free ones are rest.
const AT_REST: f64 = 1e-7;

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

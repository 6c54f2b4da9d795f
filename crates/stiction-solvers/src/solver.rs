//! The one trait that every room implements.

use crate::error::SolveError;
use crate::observer::{NoObserver, Observer};
use crate::selection::Selection;
use crate::solution::{Effort, ImpulseRay, Outcome, Route, Solution};
use crate::work::Work;
use stiction_contact::ContactProblem;
use stiction_contact::Forces;
use stiction_contact::judge::{self, Cone};

/// What a room found, before the judge has seen it.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Forces, or the direction of a ray.
    pub found: Found,
    /// How it was reached.
    pub route: Route,
    /// Newton iterations on the round cone, if it was finished there.
    pub finish: Option<usize>,
    /// The cones that the forces lie in.
    pub cone: Cone,
    /// Who found it, if not the solver that was asked.
    pub by: Option<&'static str>,
    /// Which of all forces that cause the same motion these are.
    pub selection: Selection,
    /// What it cost.
    pub effort: Effort,
}

impl Attempt {
    /// As found, without a finish, for round cones.
    pub fn new(found: Found, route: Route, effort: Effort) -> Self {
        let selection = Selection::Any;
        Attempt { found, route, finish: None, cone: Cone::Round, by: None, selection, effort }
    }

    /// The judge's word on it.
    pub fn into_outcome(self, problem: &ContactProblem) -> Outcome {
        let Attempt { found, route, finish, cone, by, selection, effort } = self;
        match found {
            Found::Forces(forces) => {
                let certificate = judge::judge_in(problem, &forces, cone);
                Outcome::Solved(Solution {
                    forces,
                    certificate,
                    route,
                    finish,
                    cone,
                    by,
                    selection,
                    effort,
                })
            }
            Found::Ray(direction) => {
                let certificate = judge::judge_ray(problem, &direction);
                Outcome::NeedsImpulse(ImpulseRay { direction, certificate, effort })
            }
        }
    }
}

/// Forces or a ray.
#[derive(Clone, Debug)]
pub enum Found {
    /// A value for every unknown.
    Forces(Forces),
    /// A direction of unbounded growth.
    Ray(Forces),
}

/// A method that finds contact forces.
///
/// A solver may keep buffers between calls, never answers: a warm start is an
/// argument.
pub trait ContactSolver {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// In one sentence, how its answers differ from the laws of contact by
    /// intent; nothing for a method that solves them exactly.
    fn approximation(&self) -> Option<&'static str> {
        None
    }

    /// The velocities `[linear; angular]` that the bodies have now, if they are known: only
    /// methods whose friction depends on them care.
    fn set_velocities(&mut self, _velocities: Option<&[[f64; 6]]>) {}

    /// Looks for forces, from `start` if one is given, within a budget of work. What the
    /// search has found when it is used up is the answer, or the error
    /// [`SolveError::Uncertified`] with the best forces.
    ///
    /// # Errors
    ///
    /// [`SolveError`] when the method breaks down or does not model the problem.
    fn attempt_within(
        &mut self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        work: &mut Work,
        observer: &mut dyn Observer,
    ) -> Result<Attempt, SolveError>;

    /// The same within the default budget for the size of the problem.
    ///
    /// # Errors
    ///
    /// As [`ContactSolver::attempt_within`].
    fn attempt(
        &mut self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        observer: &mut dyn Observer,
    ) -> Result<Attempt, SolveError> {
        let mut work = Work::for_problem(problem);
        let mut attempt = self.attempt_within(problem, start, &mut work, observer)?;
        work.enter(&mut attempt.effort);
        Ok(attempt)
    }

    /// Looks for forces and has them judged.
    ///
    /// # Errors
    ///
    /// As [`ContactSolver::attempt`].
    fn solve_from(
        &mut self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, SolveError> {
        self.attempt(problem, start, observer).map(|attempt| attempt.into_outcome(problem))
    }

    /// Looks for forces from nothing, unobserved, and has them judged.
    ///
    /// # Errors
    ///
    /// As [`ContactSolver::attempt`].
    fn solve(&mut self, problem: &ContactProblem) -> Result<Outcome, SolveError> {
        self.solve_from(problem, None, &mut NoObserver)
    }
}

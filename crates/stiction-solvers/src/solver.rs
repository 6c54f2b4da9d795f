//! The one trait that every method implements.

use crate::error::SolveError;
use crate::observer::{NoObserver, Observer};
use crate::work::Work;
use stiction_contact::{Answer, Candidate, ContactProblem, Forces, MatrixProblem, judge};

/// What a search begins from, may use, and reports to.
pub struct Call<'a, Start: ?Sized = Forces> {
    /// Forces to begin from.
    pub start: Option<&'a Start>,
    /// The budget of work.
    pub work: &'a mut Work,
    /// Sees every event.
    pub observer: &'a mut dyn Observer,
}

/// The same in an iteration, which sees forces in scaled rows.
pub(crate) type Scaled<'a> = Call<'a, [f64]>;

/// What a search returns: a candidate, or why there are no forces.
pub type Searched = Result<Candidate, SolveError>;

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

    /// Looks for forces, from a start if one is given, within a budget of work. When the budget
    /// is used up, the candidate holds the best forces so far and their shortfall.
    ///
    /// # Errors
    ///
    /// [`SolveError`] when the method breaks down without forces or does not model the problem.
    fn search(&mut self, problem: &ContactProblem, call: Call<'_>) -> Searched;

    /// The same for a problem without bodies; forces are in the contacts' own axes
    /// ([`MatrixProblem::forces`]).
    ///
    /// # Errors
    ///
    /// [`SolveError::Unsupported`] by methods that go through the bodies.
    fn search_matrix(&mut self, _problem: &MatrixProblem, _call: Call<'_>) -> Searched {
        let reason = "it goes through the bodies, of which a bare matrix has none".into();
        Err(SolveError::Unsupported { solver: self.name(), reason })
    }

    /// Looks for forces of a problem without bodies and has them judged.
    ///
    /// # Errors
    ///
    /// As [`ContactSolver::search_matrix`].
    fn solve_matrix(
        &mut self,
        problem: &MatrixProblem,
        work: &mut Work,
    ) -> Result<Answer, SolveError> {
        let mut candidate =
            self.search_matrix(problem, Call { start: None, work, observer: &mut NoObserver })?;
        work.enter(&mut candidate.effort);
        let approximates = self.approximation().is_some();
        Ok(judge::answer_matrix(problem, candidate, self.name(), approximates))
    }

    /// The same as [`ContactSolver::search`] within the default budget for the size of the
    /// problem.
    ///
    /// # Errors
    ///
    /// As [`ContactSolver::search`].
    fn candidate(
        &mut self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        observer: &mut dyn Observer,
    ) -> Result<Candidate, SolveError> {
        let mut work = Work::for_problem(problem);
        let mut candidate = self.search(problem, Call { start, work: &mut work, observer })?;
        work.enter(&mut candidate.effort);
        Ok(candidate)
    }

    /// Looks for forces and has them judged, within a budget of work.
    ///
    /// # Errors
    ///
    /// As [`ContactSolver::search`].
    fn solve_within(
        &mut self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        work: &mut Work,
        observer: &mut dyn Observer,
    ) -> Result<Answer, SolveError> {
        let mut candidate = self.search(problem, Call { start, work, observer })?;
        work.enter(&mut candidate.effort);
        Ok(judge::answer(problem, candidate, self.name(), self.approximation().is_some()))
    }

    /// The same within the default budget for the size of the problem.
    ///
    /// # Errors
    ///
    /// As [`ContactSolver::search`].
    fn solve_from(
        &mut self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        observer: &mut dyn Observer,
    ) -> Result<Answer, SolveError> {
        self.solve_within(problem, start, &mut Work::for_problem(problem), observer)
    }

    /// Looks for forces from nothing, unobserved, and has them judged.
    ///
    /// # Errors
    ///
    /// As [`ContactSolver::search`].
    fn solve(&mut self, problem: &ContactProblem) -> Result<Answer, SolveError> {
        self.solve_from(problem, None, &mut NoObserver)
    }
}

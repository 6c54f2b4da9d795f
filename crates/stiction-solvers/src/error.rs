//! Why a solver has no forces to give.

use stiction_contact::{ContactProblem, Forces, Place};

/// Why a solver broke down.
///
/// Every variant names the place or limit involved, so that a report can be
/// turned into a corpus problem without running anything again.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // the messages say what the fields are
pub enum SolveError {
    /// The solver does not model something the problem contains.
    #[error("{solver} cannot take this problem: {reason}")]
    Unsupported { solver: &'static str, reason: String },
    /// Bilateral rows that contradict each other.
    #[error("{place} contradicts the others: its response stays {response}")]
    Contradiction { place: Place, response: f64 },
    /// A contact changed sides and back too often.
    #[error("{place} was given up {returns} times without settling")]
    Oscillation { place: Place, returns: usize },
    /// More pivots than the limit, which for these methods means cycling.
    #[error("no solution after {limit} pivots")]
    PivotLimit { limit: usize },
    /// A basis came back.
    #[error("the basis repeats after {pivots} pivots")]
    Cycle { pivots: usize },
    /// Rounding made a basis singular.
    #[error("the basis is singular after {pivots} pivots")]
    SingularBasis { pivots: usize },
    /// A force would have to grow without bound and move nothing.
    #[error("{place} is wedged: its force grows without moving anything")]
    Wedged { place: Place },
    /// A warm start that does not fit the problem.
    #[error("the warm start has {given} {what}, the problem {expected}")]
    WarmStart { what: &'static str, given: usize, expected: usize },
}

impl SolveError {
    /// Refuses a warm start that does not fit a problem in number.
    pub(crate) fn for_start(
        start: Option<&Forces>,
        problem: &ContactProblem,
    ) -> Result<(), SolveError> {
        match start.and_then(|start| start.misfit(problem)) {
            Some((what, given, expected)) => Err(SolveError::WarmStart { what, given, expected }),
            None => Ok(()),
        }
    }
}

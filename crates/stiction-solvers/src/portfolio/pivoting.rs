//! Collisions: `dantzig`, then `lloyd-reduced`; the profile of every round unless a solver is named.

use crate::baraff1994::Dantzig;
use crate::lloyd2004::{Lloyd, Method};
use crate::selection::select;
use crate::solver::{Call, ContactSolver, Searched};
use crate::work::Work;
use stiction_contact::judge::Watch;
use stiction_contact::{Candidate, ContactProblem, Found, Selection};

/// `dantzig`, and `lloyd-reduced` where it finds no certified impulses; returns the
/// minimum-norm impulses among all that cause the same motion. Without friction both are exact
/// and end after finitely many pivots; [`Auto`](crate::auto::Auto) adds iterations that run for
/// long where there is no answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pivoting;

impl ContactSolver for Pivoting {
    fn name(&self) -> &'static str {
        "pivoting"
    }

    fn search(&mut self, problem: &ContactProblem, call: Call<'_>) -> Searched {
        let Call { start, work, observer } = call;
        let (mut dantzig, mut lloyd) = (Dantzig::default(), Lloyd::new(Method::Reduced));
        let first = dantzig.search(problem, Call { start, work, observer });
        let by = |found: Candidate, name, work: &mut Work| {
            let found = Candidate { by: found.by.or(Some(name)), ..found };
            select(found, problem, Selection::Smallest, None, work)
        };
        match first {
            Ok(found) if is_certified(problem, &found) => Ok(by(found, dantzig.name(), work)),
            first => match lloyd.search(problem, Call { start, work, observer }) {
                Ok(found) if is_certified(problem, &found) => Ok(by(found, lloyd.name(), work)),
                _ => first,
            },
        }
    }
}

fn is_certified(problem: &ContactProblem, attempt: &Candidate) -> bool {
    let Found::Forces(forces) = &attempt.found else { return false };
    Watch::new(problem).residuals(forces).law().is_some()
}

//! Static and dynamic friction that differ: contacts that slip get the dynamic
//! coefficient, and the whole is solved again.

use crate::error::SolveError;
use stiction_contact::{Candidate, Contact, ContactProblem, Friction, judge};

/// Solves a problem with a method that knows one coefficient per contact.
///
/// Contacts only ever go from static to dynamic: this ends.
pub(crate) fn solve_with_one_each(
    original: &ContactProblem,
    mut solve: impl FnMut(&ContactProblem) -> Result<Candidate, SolveError>,
) -> Result<Candidate, SolveError> {
    let mut uniform = with_static(original);
    loop {
        let candidate = solve(uniform.as_ref().unwrap_or(original))?;
        let switched =
            uniform.as_ref().and_then(|u| with_slipping_dynamic(original, u, &candidate));
        match switched {
            None => return Ok(candidate),
            switched => uniform = switched,
        }
    }
}

/// The problem with every contact at its static coefficient, if any contact has
/// another dynamic one.
fn with_static(problem: &ContactProblem) -> Option<ContactProblem> {
    let differs = |contact: &Contact| match contact.friction {
        Friction::Coulomb { static_friction, dynamic_friction } => {
            static_friction != dynamic_friction
        }
        _ => false,
    };
    problem.contacts().iter().any(differs).then(|| {
        problem.with_friction(|_, contact| match contact.friction {
            Friction::Coulomb { static_friction, .. } => Friction::coulomb(static_friction),
            other => other,
        })
    })
}

/// The problem with the dynamic coefficient at contacts that slip; nothing if
/// they all had it already.
fn with_slipping_dynamic(
    original: &ContactProblem,
    uniform: &ContactProblem,
    candidate: &Candidate,
) -> Option<ContactProblem> {
    let forces = candidate.settled()?;
    let reports = judge::report(uniform, forces);
    let switched = uniform.with_friction(|i, contact| match original.contacts()[i].friction {
        Friction::Coulomb { dynamic_friction, .. } if reports[i].mode == judge::Mode::Slip => {
            Friction::coulomb(dynamic_friction)
        }
        _ => contact.friction,
    });
    (switched != *uniform).then_some(switched)
}

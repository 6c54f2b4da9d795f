//! The simultaneous model: rounds of (29).

use super::run::Run;
use super::{CollisionEnd, Refusal};
use crate::solver::ContactSolver;

/// Rounds until no contact that was left out approaches. Those that took part do not, by (29).
pub(super) fn resolve(
    run: &mut Run<'_>,
    solver: &mut dyn ContactSolver,
) -> Result<CollisionEnd, Refusal> {
    let count = run.normal.len();
    let mut left_out: Vec<usize> = (0..count).collect();
    while left_out.iter().any(|&i| run.approaches(i)) {
        if run.rounds.len() >= run.budget.rounds || run.work.is_spent() {
            return Ok(run.end());
        }
        let meeting;
        (left_out, meeting) = (0..count).partition(|&i| run.separates(i));
        match run.round(meeting, solver, run.rounds.len() + 1) {
            Ok(round) => run.rounds.push(round),
            Err(_) if run.work.is_spent() => return Ok(run.end()),
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(CollisionEnd::Settled)
}

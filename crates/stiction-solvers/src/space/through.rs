//! From a problem to its space, through a search, and back to the judge.

use super::{BodySpace, Element, FactorCache, Goal, MatrixSpace, residual};
use crate::coefficients::solve_with_one_each;
use crate::error::SolveError;
use crate::rows::Rows;
use crate::work::Work;
use stiction_contact::Candidate;
use stiction_contact::ContactProblem;
use stiction_contact::Forces;
use stiction_contact::MatrixProblem;
use stiction_contact::judge::{self, Watch, judge_matrix};

/// Relative natural map, as the judge measures it, at which searches stop.
const PRECISION: f64 = 2e-11;

/// The same on a bare matrix: a tenth of what is certified.
const ENOUGH: f64 = 1e-9;

/// Units of work of a row in a look: mostly of its response alone, in the judge's digits near
/// the end.
const LOOK_WORK: f64 = 200.0;

/// Natural map in units of the free motion from which on the exact residual is computed.
const NEAR: f64 = 1e-8;

/// Searches for forces of a problem with bodies. The search gives forces, and how to make a
/// candidate of them; what the judge does not certify is short of its goal.
pub(crate) fn through_bodies<T: FnOnce(Forces) -> Candidate>(
    problem: &ContactProblem,
    start: Option<&Forces>,
    kept: &mut FactorCache,
    work: &mut Work,
    mut search: impl FnMut(&mut BodySpace<'_>, Goal<'_>, Option<&[f64]>, &mut Work) -> (Vec<f64>, T),
) -> Result<Candidate, SolveError> {
    SolveError::for_start(start, problem)?;
    solve_with_one_each(problem, |problem| {
        let rows = Rows::new(problem);
        let elements = Element::all(&rows);
        let watch = Watch::new(problem);
        // The judge's 32 digits matter near the end only.
        let look = |force: &[f64]| match residual(&elements, force, &rows.response(force)) {
            far if far > NEAR => far,
            _ => watch.natural_map(&rows.physical(force)),
        };
        let look_work = LOOK_WORK * rows.len() as f64;
        let goal = Goal { look: &look, enough: PRECISION, look_work, near: NEAR };
        let start = start.map(|start| {
            let mut force = vec![0.0; rows.len()];
            rows.scaled(start, &mut force);
            force
        });
        let mut space = BodySpace::new(&rows, kept);
        let (force, candidate) = search(&mut space, goal, start.as_deref(), work);
        let forces = rows.physical(&force);
        let residual = watch.residuals(&forces).nearest();
        let shortfall = (residual > judge::CERTIFIED).then_some(residual);
        Ok(Candidate { shortfall, ..candidate(forces) })
    })
}

/// The same for a bare matrix.
pub(crate) fn through_matrix<T: FnOnce(Forces) -> Candidate>(
    problem: &MatrixProblem,
    work: &mut Work,
    search: impl FnOnce(&mut MatrixSpace<'_>, Goal<'_>, &mut Work) -> (Vec<f64>, T),
) -> Candidate {
    let (scaled, scale) = problem.scaled();
    let unscaled = |force: &[f64]| -> Vec<f64> {
        let d = problem.dimension();
        force.iter().enumerate().map(|(k, f)| f * scale[k / d]).collect()
    };
    let relative = |force: &[f64]| judge_matrix(problem, force).natural_map.relative;
    let look = |force: &[f64]| relative(&unscaled(force));
    let mut one = Work::unlimited();
    one.charge_matrix_look(problem);
    let look_work = one.spent();
    let goal = Goal { look: &look, enough: ENOUGH, look_work, near: f64::INFINITY };
    let (force, candidate) = search(&mut MatrixSpace::new(&scaled), goal, work);
    let force = unscaled(&force);
    let residual = relative(&force);
    let shortfall = (residual > judge::CERTIFIED).then_some(residual);
    Candidate { shortfall, ..candidate(problem.forces(&force)) }
}

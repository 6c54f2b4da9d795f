//! From a problem to the operator, and from scaled forces to a candidate.

use super::{BodySpace, Element, FactorCache, Goal, MatrixSpace, Space, residual};
use crate::coefficients::solve_with_one_each;
use crate::error::SolveError;
use crate::rows::Rows;
use crate::solver::{Call, ContactSolver, Scaled, Searched};
use crate::work::Work;
use std::cell::{LazyCell, RefCell};
use stiction_contact::judge::{self, Residuals, Watch, judge_matrix};
use stiction_contact::{Candidate, ContactProblem, Effort, Forces, Found, MatrixProblem, Route};

/// Relative natural map, as the judge measures it, at which searches stop.
const PRECISION: f64 = 2e-11;

/// The same on a bare matrix: a tenth of what is certified.
const ENOUGH: f64 = 1e-9;

/// Units of work of a row in a look: mostly of its response alone, in the judge's digits near
/// the end.
const LOOK_WORK: f64 = 200.0;

/// Natural map in units of the free motion from which on the exact residual is computed.
const NEAR: f64 = 1e-8;

/// A method that sees a problem only through the operator: it takes problems with and without
/// bodies.
pub(crate) trait Iterative {
    const NAME: &'static str;

    /// How its answers differ from the laws of contact.
    const APPROXIMATION: &'static str;

    /// Iterates from given forces, or from nothing, until the goal is met, progress ends or the
    /// work is used up.
    fn iterate<S: Space>(&mut self, space: &mut S, goal: Goal<'_>, call: Scaled<'_>) -> Iterated;

    /// The plan and factors of the last call, if it keeps them.
    fn take_cache(&mut self) -> FactorCache {
        FactorCache::default()
    }

    /// Keeps them for the next call.
    fn keep_cache(&mut self, _cache: FactorCache) {}
}

/// What an iteration came to, in scaled rows.
pub(crate) struct Iterated {
    pub force: Vec<f64>,
    /// The method that found the forces, if several were tried.
    pub by: Option<&'static str>,
    pub effort: Effort,
}

impl Iterated {
    pub(crate) fn new(force: Vec<f64>, effort: Effort) -> Self {
        Iterated { force, by: None, effort }
    }

    fn candidate(self, forces: Forces, residual: f64) -> Candidate {
        Candidate {
            by: self.by,
            shortfall: (residual > judge::CERTIFIED).then_some(residual),
            ..Candidate::new(Found::Forces(forces), Route::Direct, self.effort)
        }
    }
}

impl<T: Iterative> ContactSolver for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn approximation(&self) -> Option<&'static str> {
        Some(T::APPROXIMATION)
    }

    fn search(&mut self, problem: &ContactProblem, call: Call<'_>) -> Searched {
        let Call { start, work, observer } = call;
        SolveError::for_start(start, problem)?;
        solve_with_one_each(problem, |problem| {
            Ok(through_bodies(self, problem, Call { start, work, observer }))
        })
    }

    fn search_matrix(&mut self, problem: &MatrixProblem, call: Call<'_>) -> Searched {
        Ok(through_matrix(self, problem, call))
    }
}

/// A problem with bodies, in which contacts have one coefficient each.
fn through_bodies<T: Iterative>(
    method: &mut T,
    problem: &ContactProblem,
    call: Call<'_>,
) -> Candidate {
    let Call { start, work, observer } = call;
    let rows = Rows::new(problem);
    let elements = Element::all(&rows);
    let watch = LazyCell::new(|| Watch::new(problem));
    // What was seen last: mostly the forces that it ends with.
    let seen: RefCell<(Vec<f64>, Option<Residuals>)> = RefCell::default();
    let exact = |force: &[f64]| {
        let mut seen = seen.borrow_mut();
        if let (last, Some(residuals)) = &*seen
            && last == force
        {
            return *residuals;
        }
        let residuals = watch.residuals(&rows.physical(force));
        *seen = (force.to_vec(), Some(residuals));
        residuals
    };
    // The judge's 32 digits matter near the end only.
    let look = |force: &[f64]| match residual(&elements, force, &rows.response(force)) {
        far if far > NEAR => far,
        _ => exact(force).natural_map,
    };
    let look_work = LOOK_WORK * rows.len() as f64;
    let goal = Goal { look: &look, enough: PRECISION, look_work, near: NEAR };
    let start = start.map(|start| {
        let mut force = vec![0.0; rows.len()];
        rows.scaled(start, &mut force);
        force
    });
    let mut cache = method.take_cache();
    let mut space = BodySpace::new(&rows, &mut cache);
    let call = Call { start: start.as_deref(), work, observer };
    let mut end = method.iterate(&mut space, goal, call);
    end.effort.factored = space.factored();
    method.keep_cache(cache);
    let residual = exact(&end.force).nearest();
    let forces = rows.physical(&end.force);
    end.candidate(forces, residual)
}

/// A bare matrix.
fn through_matrix<T: Iterative>(
    method: &mut T,
    problem: &MatrixProblem,
    call: Call<'_>,
) -> Candidate {
    let Call { start, work, observer } = call;
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
    let d = problem.dimension();
    let start = start.map(|start| {
        let force = problem.flat(start);
        force.iter().enumerate().map(|(k, f)| f / scale[k / d]).collect::<Vec<_>>()
    });
    let call = Call { start: start.as_deref(), work, observer };
    let end = method.iterate(&mut MatrixSpace::new(&scaled), goal, call);
    let force = unscaled(&end.force);
    let residual = relative(&force);
    end.candidate(problem.forces(&force), residual)
}

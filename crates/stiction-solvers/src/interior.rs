//! Large problems: an interior-point method on Coulomb's law as it is.
//!
//! ```text
//!   warm start good? ─no→ central path ─stalls→ proximal points ─→ the judge
//! ```
//!
//! Along a *central path* (`central_path.rs`) products of forces and responses shrink
//! to zero. Coulomb's law is not the condition of a convex program, and none is put in
//! its place: the conditions are `g s = κ` and `(μ g, b) ∘ (y, w) = κ e`
//! (`central_path/point.rs`), whose limit is the law itself.
//!
//! Where very many contacts slide the path may turn back and the walk stalls. Then
//! proximal points (`proximal.rs`) go on from the best forces.
//!
//! All linear algebra is among the bodies (`space.rs`, `linalg/multifrontal.rs`): contacts
//! are eliminated, a thousand of them on one pair of bodies cost one block.
//!
//! # Where to start reading
//!
//! `Interior::search` is the chain, `central_path.rs` the walk.
//!
//! # Reference
//!
//! T. Howell et al. *Dojo: a differentiable physics engine for robotics* (2022) has the
//! same conditions for friction.

use crate::central_path::Path;
use crate::coefficients::solve_with_one_each;
use crate::error::SolveError;
use crate::gauss_seidel::unscaled;
use crate::judge::{self, Watch, judge_matrix};
use crate::matrix::MatrixProblem;
use crate::matrix_solver::{ENOUGH, MatrixEffort, MatrixSolution, MatrixSolver};
use crate::observer::{Blind, Event, Observer};
use crate::problem::ContactProblem;
use crate::proximal::Search;
use crate::rows::Rows;
use crate::solution::{Effort, Forces, Route};
use crate::solver::{Attempt, ContactSolver, Found};
use crate::space::{BodySpace, Element, Goal, MatrixSpace, Space, residual};

/// Relative natural map, as the judge measures it, at which it stops.
const PRECISION: f64 = 2e-11;

/// Natural map in units of the free motion from which on the judge is asked.
const NEAR: f64 = 1e-8;

/// How far inside the path begins when there are forces to begin with, in units of
/// the free motion.
const INSIDE: f64 = 3e-2;

/// The interior-point method, and proximal points when it stalls.
#[derive(Clone, Copy, Debug)]
pub struct Interior {
    /// Steps along the path, each a factorisation.
    pub steps: usize,
    /// Work of the proximal points before they give up, in multiplications, roughly.
    /// The default is about 15 seconds.
    pub budget: f64,
}

impl Default for Interior {
    fn default() -> Self {
        Interior { steps: 100, budget: 1.5e10 }
    }
}

impl Interior {
    /// For problems that come one at a time: about a minute of proximal points.
    pub fn patient() -> Self {
        Interior { budget: 6e10, ..Interior::default() }
    }
}

/// Numbers in the sparse factors of a problem.
pub fn fill(problem: &ContactProblem) -> usize {
    BodySpace::new(&Rows::new(problem)).fill()
}

/// What a search came to.
struct End {
    force: Vec<f64>,
    /// Whether the path alone did it.
    direct: bool,
    /// Steps along the path, and the effort of proximal points.
    steps: usize,
    effort: MatrixEffort,
}

impl Interior {
    /// The chain.
    fn search<S: Space>(
        self,
        space: &mut S,
        goal: Goal<'_>,
        start: Option<&[f64]>,
        observer: &mut dyn Observer,
    ) -> End {
        let effort = MatrixEffort::default();
        if let Some(force) = start.filter(|start| (goal.look)(start) <= goal.enough) {
            return End { force: force.to_vec(), direct: true, steps: 0, effort };
        }
        let near = start.map(|start| (start, INSIDE));
        let look = |force: &[f64], _: &[f64]| (goal.look)(force);
        let mut end = Path::new(space, near).walk(&look, goal.enough, self.steps, observer);
        if end.residual <= goal.enough {
            round(space, goal, &mut end.force);
            return End { force: end.force, direct: true, steps: end.steps, effort };
        }
        observer.event(Event::Fallback { solver: "proximal" });
        let found = Search::new(space, goal, self.budget).run(Some(&end.force));
        let direct = found.residual == end.residual;
        End { force: found.force, direct, steps: end.steps, effort: found.effort }
    }
}

/// On the path every contact pushes a little. Lawful forces next to these have
/// zeros where contacts are open; they are taken if they are good enough.
fn round<S: Space>(space: &S, goal: Goal<'_>, force: &mut Vec<f64>) {
    let mut response = vec![0.0; force.len()];
    space.response(force, &mut response);
    let mut rounded = force.clone();
    for element in space.elements() {
        let lawful = element.lawful(element.of(force), element.of(&response));
        element.set(&mut rounded, lawful);
    }
    if (goal.look)(&rounded) <= goal.enough {
        *force = rounded;
    }
}

impl ContactSolver for Interior {
    fn name(&self) -> &'static str {
        "interior"
    }

    fn approximation(&self) -> Option<&'static str> {
        Some("an iteration to ten digits that may stall; it knows no impulses")
    }

    fn attempt(
        &mut self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        observer: &mut dyn Observer,
    ) -> Result<Attempt, SolveError> {
        Forces::check_start(start, problem)?;
        let this = *self;
        solve_with_one_each(problem, |problem| this.run(problem, start, observer))
    }
}

impl Interior {
    fn run(
        self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        observer: &mut dyn Observer,
    ) -> Result<Attempt, SolveError> {
        let rows = Rows::new(problem);
        let elements = Element::all(&rows);
        let watch = Watch::new(problem);
        // The judge's 32 digits matter near the end only.
        let look = |force: &[f64]| match residual(&elements, force, &rows.response(force)) {
            far if far > NEAR => far,
            _ => watch.natural_map(&rows.physical(force)),
        };
        let goal = Goal { look: &look, enough: PRECISION };
        let start = start.map(|start| {
            let mut force = vec![0.0; rows.len()];
            rows.scaled(start, &mut force);
            force
        });
        let end = self.search(&mut BodySpace::new(&rows), goal, start.as_deref(), observer);
        let forces = rows.physical(&end.force);
        let residual = judge::judge(problem, &forces).residual();
        if residual > judge::CERTIFIED {
            return Err(SolveError::Uncertified { residual, best: Box::new(forces) });
        }
        let effort = Effort { pivots: end.steps + end.effort.steps, ..Effort::default() };
        let route = if end.direct { Route::Direct } else { Route::Fallback };
        let attempt = Attempt::new(Found::Forces(forces), route, effort);
        Ok(Attempt { by: (!end.direct).then_some("proximal"), ..attempt })
    }
}

impl MatrixSolver for Interior {
    fn name(&self) -> &'static str {
        "interior"
    }

    fn solve(&self, problem: &MatrixProblem) -> MatrixSolution {
        let (scaled, scale) = problem.scaled();
        let look = |force: &[f64]| judge_matrix(problem, &unscaled(force, &scale)).relative;
        let goal = Goal { look: &look, enough: ENOUGH };
        let end = self.search(&mut MatrixSpace::new(&scaled), goal, None, &mut Blind);
        let force = unscaled(&end.force, &scale);
        let certificate = judge_matrix(problem, &force);
        let effort = MatrixEffort { steps: end.effort.steps + end.steps, ..end.effort };
        let by = (!end.direct).then_some("proximal");
        MatrixSolution { force, certificate, by, effort }
    }
}

//! Which methods are tried on an island, in which order, and what is accepted.
//!
//! One table (`STAGES`, printed by [`table`]), read from top to bottom. A stage is tried if it applies to the island
//! and nothing above it was accepted. Each begins with the nearest forces so far.
//!
//! | profile | for |
//! | --- | --- |
//! | one-off | a problem by itself: any number of pivots, as long as the work budget allows |
//! | sequence | problems by the thousand, each like the one before it: iterations from the forces of the last one first, each with a budget of its own |
//! | pyramid | cones with flat sides: Lloyd's methods alone |
//! | matrix | problems without bodies: a few sweeps of `gauss-seidel`, then `iterations` |
//!
//! In the plane friction has one unknown and two ends, which suits Dantzig's algorithm. In space,
//! where faces that are parallel but for rounding slide on each other, iterations hardly decide
//! which corners carry; proximal points do, and pivoting. Pivoting is exact to rounding and quickest for one body
//! with any number of contacts; for more its work grows with the cube of the bodies (`stiction
//! bench lloyd`, `stiction bench families`, `stiction bench scale`).
//!
//! # Where to start reading
//!
//! `portfolio/stages.rs` is the table, `search` the loop over it; `portfolio/iterations.rs` chains the
//! iterations that share one sparse operator, `portfolio/pivoting.rs` serves collisions.

mod iterations;
mod pivoting;
mod stages;

pub use iterations::Iterations;
pub use pivoting::Pivoting;
pub use stages::table;

use crate::baraff1991::ForcesOrImpulse;
use crate::baraff1994::Dantzig;
use crate::cone;
use crate::error::SolveError;
use crate::gauss_seidel::GaussSeidel;
use crate::lloyd2004::{Lloyd, Method as Pyramid};
use crate::selection::select;
use crate::solver::{Call, ContactSolver};
use crate::work::Work;
use stages::{Method, STAGES, Shape, Stage};
use stiction_contact::judge::{self, Cone, Law, Watch};
use stiction_contact::{
    Candidate, ContactProblem, Effort, Forces, Found, MatrixProblem, Route, Selection,
    Stage as Tried,
};

/// Sweeps over a bare matrix before anything else.
const MATRIX_SWEEPS: usize = 64;

/// Forces so near to the laws (relative) are a better start than those of a moment ago.
const NEAR: f64 = 1e-3;

/// What is requested of every island.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// Sides of the cones, if answers on pyramids are requested.
    pub pyramid: Option<usize>,
    pub selection: Selection,
    /// Units of work of proximal points per island of a sequence; none for a one-off problem.
    pub sequence: Option<f64>,
}

/// What the search on one island has so far.
#[derive(Default)]
struct Progress {
    /// The nearest forces, how far off they are, and their method.
    best: Option<(Forces, f64, &'static str)>,
    /// The first failure without forces.
    failure: Option<SolveError>,
    /// For want of a better one: an impulse that makes other contacts approach, or forces on
    /// pyramids, which only partly oppose the slip.
    doubtful: Option<Candidate>,
    stages: Vec<Tried>,
    effort: Effort,
}

impl Progress {
    fn offer(&mut self, forces: Forces, residual: f64, by: &'static str) {
        if self.best.as_ref().is_none_or(|(_, old, _)| residual < *old) {
            self.best = Some((forces, residual, by));
        }
    }

    /// The forces that are near, if there are such.
    fn near(&self) -> Option<&Forces> {
        self.best.as_ref().filter(|(_, residual, _)| *residual < NEAR).map(|(forces, ..)| forces)
    }

    /// What there is to say when no stage was accepted.
    fn conclude(self, problem: &ContactProblem, work: &Work) -> Result<Candidate, SolveError> {
        let Progress { best, failure, doubtful, stages, effort } = self;
        if let Some(candidate) = doubtful {
            return Ok(Candidate { stages, ..candidate });
        }
        let short = |forces, residual, by| Candidate {
            by,
            stages,
            ..Candidate::short(forces, residual, effort)
        };
        match (best, failure) {
            (Some((forces, residual, by)), _) => Ok(short(forces, residual, Some(by))),
            (None, Some(error)) if !work.is_spent() => Err(error),
            _ => {
                let nothing = Forces::zeros(problem);
                let residual = Watch::new(problem).residuals(&nothing).nearest();
                Ok(short(nothing, residual, None))
            }
        }
    }
}

/// Solves one island: stage after stage until one is accepted.
pub(crate) fn search(
    problem: &ContactProblem,
    request: Request,
    iterations: &mut Iterations,
    call: Call<'_>,
) -> Result<Candidate, SolveError> {
    let Call { start, work, observer } = call;
    if let Some(directions) = request.pyramid {
        let mut lloyd = Lloyd { method: Pyramid::for_problem(problem), directions, round: false };
        let name = lloyd.name();
        let candidate = lloyd.search(problem, Call { start, work, observer })?;
        let stages = vec![Tried::once(name, candidate.shortfall.is_none())];
        return Ok(Candidate { by: candidate.by.or(Some(name)), stages, ..candidate });
    }
    let shape = Shape::new(problem, start, request.sequence);
    let mut progress = Progress::default();
    for stage in STAGES.iter().filter(|stage| (stage.applies)(&shape)) {
        let is_last = stage.method == Method::Newton;
        if (work.is_spent() && !is_last) || (is_last && progress.near().is_none()) {
            continue;
        }
        let from = progress.near().or(start);
        let call = Call { start: from, work, observer };
        let found = run(stage, problem, &shape, iterations, call);
        match accept(stage, problem, found, &mut progress)? {
            Some(candidate) => {
                Tried::merge(&mut progress.stages, &[Tried::once(stage.name(), true)]);
                let candidate = Candidate { stages: progress.stages, ..candidate };
                return Ok(select(candidate, problem, request.selection, start, work));
            }
            None => Tried::merge(&mut progress.stages, &[Tried::once(stage.name(), false)]),
        }
    }
    progress.conclude(problem, work)
}

/// A problem without bodies: a few sweeps, then the iterations-point method with proximal points.
pub(crate) fn search_matrix(
    problem: &MatrixProblem,
    call: Call<'_>,
) -> Result<Candidate, SolveError> {
    let Call { start, work, observer } = call;
    let mut stages = Vec::new();
    let mut effort = Effort::default();
    let mut best: Option<Candidate> = None;
    let methods: [&mut dyn ContactSolver; 2] =
        [&mut GaussSeidel { limit: MATRIX_SWEEPS }, &mut Iterations::default()];
    for method in methods {
        let name = method.name();
        let found = method.search_matrix(problem, Call { start, work, observer })?;
        effort += Effort { stop: None, ..found.effort };
        let arrived = found.shortfall.is_none();
        Tried::merge(&mut stages, &[Tried::once(name, arrived)]);
        let nearer = |old: &Candidate| found.shortfall < old.shortfall || arrived;
        if best.as_ref().is_none_or(nearer) {
            best = Some(Candidate { by: found.by.or(Some(name)), ..found });
        }
        if arrived {
            break;
        }
    }
    let best = best.unwrap_or_else(|| {
        Candidate::short(problem.forces(&vec![0.0; problem.len()]), f64::INFINITY, effort)
    });
    Ok(Candidate { stages, effort, ..best })
}

/// One stage.
fn run(
    stage: &Stage,
    problem: &ContactProblem,
    shape: &Shape,
    iterations: &mut Iterations,
    call: Call<'_>,
) -> Result<Candidate, SolveError> {
    match stage.method {
        Method::Iterations => {
            if let Some(longest) = shape.sequence {
                iterations.limit_work(longest);
            }
            iterations.search(problem, call)
        }
        Method::Dantzig => Dantzig::default().search(problem, call),
        Method::Lloyd => Lloyd::new(Pyramid::Reduced).search(problem, call),
        Method::ForcesOrImpulse => ForcesOrImpulse.search(problem, call),
        Method::Newton => Ok(newton(problem, call.start, call.work)),
    }
}

/// Whether a stage's candidate is taken. If not, what is good about it is kept.
fn accept(
    stage: &Stage,
    problem: &ContactProblem,
    found: Result<Candidate, SolveError>,
    progress: &mut Progress,
) -> Result<Option<Candidate>, SolveError> {
    let candidate = match found {
        Ok(candidate) => Candidate { by: candidate.by.or(Some(stage.name())), ..candidate },
        // What the problem itself says, no other method will say otherwise.
        Err(error @ (SolveError::Contradiction { .. } | SolveError::WarmStart { .. })) => {
            return Err(error);
        }
        Err(error) => {
            progress.failure.get_or_insert(error);
            return Ok(None);
        }
    };
    progress.effort += candidate.effort;
    let by = candidate.by.unwrap_or(stage.name());
    match (&candidate.found, candidate.shortfall) {
        (Found::Forces(forces), Some(residual)) => progress.offer(forces.clone(), residual, by),
        (Found::Forces(_), None) if candidate.cone == Cone::Round => return Ok(Some(candidate)),
        (Found::Forces(forces), None) => {
            let residuals = Watch::new(problem).residuals(forces);
            if residuals.law() == Some(Law::MaximumDissipation) {
                return Ok(Some(candidate));
            }
            progress.offer(forces.clone(), residuals.natural_map, by);
            if residuals.law().is_some() && progress.doubtful.is_none() {
                progress.doubtful = Some(Candidate { cone: Cone::Round, ..candidate });
            }
        }
        (Found::Ray(ray), _) => {
            if judge::judge_ray(problem, ray).certified {
                return Ok(Some(candidate));
            }
            progress.doubtful.get_or_insert(candidate);
        }
    }
    Ok(None)
}

/// What iterations in `f64` leave on light bodies beside heavy ones.
fn newton(problem: &ContactProblem, start: Option<&Forces>, work: &mut Work) -> Candidate {
    let nothing = || Candidate::short(Forces::zeros(problem), f64::INFINITY, Effort::default());
    let finish = start.and_then(|start| cone::finish(problem, start, 1, work));
    finish.map_or_else(nothing, |finish| {
        let effort = Effort { pivots: finish.iterations, ..Effort::default() };
        let found = Candidate::new(Found::Forces(finish.forces), Route::Fallback, effort);
        Candidate { finish: Some(finish.iterations), ..found }
    })
}

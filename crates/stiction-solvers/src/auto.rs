//! Islands first, side by side, then for each the method that suits it, and another
//! when that fails.
//!
//! | island | first | then |
//! | --- | --- | --- |
//! | one body, or few contacts | `lloyd-reduced` | `dantzig`, `interior` |
//! | the same without friction whose direction is unknown, or with bounded rows | `dantzig` | `lloyd-reduced`, `interior` |
//! | larger | `interior`, which begins with `admm` and goes on with `proximal` and its sweeps | the above, if not too large for them |
//! | pyramids asked for | `Method::for_problem` | |
//! | a bare matrix | a few sweeps of `gauss-seidel` | `interior`, which goes on with `proximal` |
//!
//! In haste, with forces to begin from, and for blows:
//!
//! | island | first | then |
//! | --- | --- | --- |
//! | planar | `dantzig` | `lloyd-reduced`, `interior` |
//! | the same, a blow | `lloyd-reduced` | `dantzig`, `interior` |
//! | in space, or larger | `interior`, briefly if others follow | if not too large for them `dantzig`, without joints with little patience first, `lloyd-reduced`, `interior` at length |
//!
//! In the plane friction has one unknown and two ends, as Dantzig's algorithm likes it. In space,
//! where faces that are parallel but for rounding slide on each other, iterations hardly tell
//! which corners carry, and pivoting does. Each begins with the nearest forces so far.
//!
//! Measured by `stiction bench lloyd`, `stiction bench families` and `stiction bench scale`:
//! pivoting is exact to rounding and quickest for one body with any number of contacts;
//! for more its work grows with the cube of the bodies.
//!
//! Of all forces that cause the motion found, the smallest are given (`selection.rs`).
//!
//! What no method certifies comes back as the best forces that any of them found.

use crate::baraff1991::ForcesOrImpulse;
use crate::baraff1994::Dantzig;
use crate::cone;
use crate::error::SolveError;
use crate::gauss_seidel::GaussSeidel;
use crate::interior::Interior;
use crate::lloyd2004::{Lloyd, Method};
use crate::matrix_solver::{MatrixSolution, MatrixSolver};
use crate::observer::{Event, Observer};
use crate::selection::{Selection, select};
use crate::solution::{Effort, Route};
use crate::solver::{Attempt, ContactSolver, Found};
use crate::work::Work;
use rayon::prelude::*;
use stiction_contact::Forces;
use stiction_contact::MatrixProblem;
use stiction_contact::judge::{self, Cone, Law};
use stiction_contact::{ContactProblem, Friction, Island, Level, Tangents};

/// Contacts up to which pivoting comes first.
const FEW: usize = 40;

/// The same where nothing is unknown about friction.
const FEW_SMOOTH: usize = 150;

/// Contacts up to which pivoting comes at all.
const NOT_TOO_MANY: usize = 300;

/// The same in haste.
const HASTY: usize = 150;

/// With a work budget, where pivoting follows, proximal points take about as much work as it
/// would: so many multiplications at 20 contacts, growing with the cube. For fewer they come
/// after a first try of it.
const PIVOTING: (f64, f64) = (3e6, 20.0);

/// Contacts in the plane up to which pivoting comes first even in haste.
const FEW_PLANAR: usize = 100;

/// Forces so near to the laws (relative) are a better start than those of a moment ago.
const NEAR: f64 = 1e-3;

/// Contacts from which islands are worth the threads that solve them side by side.
const WORTH_THREADS: usize = 100;

/// Sweeps over a bare matrix before anything else.
const SWEEPS: usize = 64;

/// Chooses by what the problem contains; the answer names who found it.
#[derive(Debug)]
pub struct Auto {
    /// Sides of the cones, if answers on pyramids are asked for.
    pub pyramid: Option<usize>,
    /// Which of all forces that cause the same motion it gives.
    pub selection: Selection,
    /// Multiplications of proximal points, if not as many as it takes.
    haste: Option<f64>,
    /// One per island, with what it keeps between calls.
    interior: Vec<Interior>,
}

impl Default for Auto {
    fn default() -> Self {
        let selection = Selection::default();
        Auto { pyramid: None, selection, haste: None, interior: Vec::new() }
    }
}

impl Auto {
    /// Such a selection among forces that cause the same motion.
    pub fn selecting(selection: Selection) -> Self {
        Auto { selection, ..Auto::default() }
    }

    /// For problems that come by the thousand, each like the one before it: the second table
    /// above, and no more than so many multiplications on proximal points.
    #[must_use]
    pub fn with_work_budget(mut self, multiplications: f64) -> Self {
        self.haste = Some(multiplications);
        self
    }

    /// Answers on pyramids with so many sides.
    pub fn on_pyramids(sides: usize) -> Self {
        Auto { pyramid: Some(sides), ..Auto::default() }
    }
}

impl ContactSolver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn attempt_within(
        &mut self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        work: &mut Work,
        observer: &mut dyn Observer,
    ) -> Result<Attempt, SolveError> {
        SolveError::for_start(start, problem)?;
        let islands = problem.islands();
        let ask = Ask { pyramid: self.pyramid, selection: self.selection, haste: self.haste };
        self.interior.resize_with(islands.len().max(1), Interior::default);
        if islands.len() <= 1 {
            return attempt_island(problem, ask, &mut self.interior[0], start, work, observer);
        }
        let nothing = Found::Forces(Forces::zeros(problem));
        let whole = Attempt::new(nothing, Route::Direct, Effort::default());
        let selection = self.selection.with(start);
        let mut whole = Attempt { selection, ..whole };
        let (budget, whole_problem) = (*work, problem);
        let solve = |(island, interior): (&Island, &mut Interior)| {
            let start = start.map(|start| island.gather(start));
            let mut events = Vec::new();
            let mut record = |event: Event| events.push(event);
            let problem = &island.problem;
            let mut work = budget.for_island(problem, whole_problem);
            let start = start.as_ref();
            let part = attempt_island(problem, ask, interior, start, &mut work, &mut record);
            (part, work, events)
        };
        let parts: Vec<(Result<Attempt, SolveError>, Work, Vec<Event>)> =
            if problem.contacts().len() < WORTH_THREADS {
                islands.iter().zip(&mut self.interior).map(solve).collect()
            } else {
                islands.par_iter().zip(&mut self.interior).map(solve).collect()
            };
        let mut failed: Option<f64> = None;
        for (island, (part, spent, events)) in islands.iter().zip(parts) {
            work.charge_part(&spent);
            for event in events {
                observer.event(event);
            }
            let part = match part {
                // The best forces of an island may stand beside those of others.
                Err(SolveError::Uncertified { residual, best }) => {
                    failed = Some(failed.unwrap_or(0.0).max(residual));
                    Attempt::new(Found::Forces(*best), Route::Direct, Effort::default())
                }
                part => part?,
            };
            if !join(&mut whole, island, part, problem) {
                return Ok(whole);
            }
        }
        match (failed, whole.found) {
            (Some(residual), Found::Forces(best)) => {
                Err(SolveError::Uncertified { residual, best: Box::new(best) })
            }
            (_, found) => Ok(Attempt { found, ..whole }),
        }
    }
}

/// Adds the answer of an island to that of the whole. `false` if it is a ray: one
/// island that needs an impulse is what the whole is about.
fn join(whole: &mut Attempt, island: &Island, part: Attempt, problem: &ContactProblem) -> bool {
    let (Found::Forces(all) | Found::Ray(all)) = &mut whole.found;
    whole.effort += part.effort;
    if part.route != Route::Direct {
        whole.route = part.route;
    }
    if part.cone != Cone::Round {
        whole.cone = part.cone;
    }
    whole.finish = whole.finish.max(part.finish);
    if part.selection == Selection::Any {
        whole.selection = Selection::Any;
    }
    whole.by =
        if whole.by.is_none_or(|by| part.by == Some(by)) { part.by } else { Some("several") };
    match part.found {
        Found::Forces(forces) => {
            island.scatter(&forces, all);
            true
        }
        Found::Ray(direction) => {
            let mut alone = Forces::zeros(problem);
            island.scatter(&direction, &mut alone);
            whole.found = Found::Ray(alone);
            false
        }
    }
}

impl MatrixSolver for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn solve_within(&self, problem: &MatrixProblem, work: &mut Work) -> MatrixSolution {
        let named = |solver: &dyn MatrixSolver, work: &mut Work| {
            let solution = solver.solve_within(problem, work);
            MatrixSolution { by: solution.by.or(Some(solver.name())), ..solution }
        };
        let mut best = named(&GaussSeidel { limit: SWEEPS }, work);
        if !best.certificate.certified {
            let mut other = named(&Interior::default(), work);
            if other.certificate.relative < best.certificate.relative {
                std::mem::swap(&mut best, &mut other);
            }
            best.effort += other.effort;
        }
        best
    }
}

/// What is asked of every island.
#[derive(Clone, Copy)]
struct Ask {
    pyramid: Option<usize>,
    selection: Selection,
    haste: Option<f64>,
}

/// One island by the method that suits it.
fn attempt_island(
    problem: &ContactProblem,
    ask: Ask,
    interior: &mut Interior,
    start: Option<&Forces>,
    work: &mut Work,
    observer: &mut dyn Observer,
) -> Result<Attempt, SolveError> {
    let by = |name: &'static str| {
        move |attempt: Attempt| Attempt { by: attempt.by.or(Some(name)), ..attempt }
    };
    if let Some(directions) = ask.pyramid {
        let method = Method::for_problem(problem);
        let mut lloyd = Lloyd { method, directions, round: false };
        return lloyd.attempt_within(problem, start, work, observer).map(by(lloyd.name()));
    }
    let mut pivoting = (Lloyd::new(Method::Reduced), Dantzig::default(), Brief, ForcesOrImpulse);
    let mut later = [Interior::default(), Interior::default()];
    let chain = chain(problem, start, ask.haste, &mut pivoting, interior, &mut later);
    let mut failure: Option<SolveError> = None;
    // For want of a better one: an impulse that makes other contacts approach, or forces on
    // pyramids, which only partly oppose the slip.
    let mut doubtful: Option<Attempt> = None;
    for solver in chain {
        if work.is_spent() {
            break;
        }
        // Others go on from where the nearest came to.
        let near = match &failure {
            Some(SolveError::Uncertified { best, residual }) if *residual < NEAR => Some(&**best),
            _ => start,
        };
        let error = match solver.attempt_within(problem, near, work, observer) {
            Ok(attempt) => {
                let attempt = by(solver.name())(attempt);
                let Some((error, keep)) = doubt(&attempt, problem) else {
                    return Ok(select(attempt, problem, ask.selection, start, work));
                };
                if keep && doubtful.is_none() {
                    doubtful = Some(Attempt { cone: Cone::Round, ..attempt });
                }
                let Some(error) = error else { continue };
                error
            }
            Err(error) => error,
        };
        // What the problem itself says, no other method will say otherwise.
        if matches!(error, SolveError::Contradiction { .. } | SolveError::WarmStart { .. }) {
            return Err(error);
        }
        let is_better = failure.as_ref().is_none_or(|old| residual(&error) < residual(old));
        failure = if is_better { Some(error) } else { failure };
    }
    let last = failure.as_ref().and_then(|failure| last_digits(problem, failure, work));
    if let Some(attempt) = last {
        return Ok(select(attempt, problem, ask.selection, start, work));
    }
    doubtful.ok_or_else(|| match failure {
        Some(error) if residual(&error).is_finite() || !work.is_spent() => error,
        _ => nothing(problem),
    })
}

/// No forces at all, for want of better ones.
fn nothing(problem: &ContactProblem) -> SolveError {
    let best = Box::new(Forces::zeros(problem));
    SolveError::Uncertified { residual: judge::judge(problem, &best).residual(), best }
}

/// Newton with the judge's digits from forces that are near the laws already: what iterations in
/// `f64` leave on light bodies beside heavy ones.
fn last_digits(problem: &ContactProblem, failure: &SolveError, work: &mut Work) -> Option<Attempt> {
    let SolveError::Uncertified { residual, best } = failure else { return None };
    if *residual > NEAR || problem.contacts().len() > NOT_TOO_MANY {
        return None;
    }
    let slides = |c: &stiction_contact::Contact| matches!(c.friction, Friction::Sliding { .. });
    if problem.contacts().iter().any(slides) {
        return None;
    }
    let finish = cone::finish(problem, best, 1, work)?;
    let effort = Effort { pivots: finish.iterations, ..Effort::default() };
    let found = Attempt::new(Found::Forces(finish.forces), Route::Fallback, effort);
    Some(Attempt { finish: Some(finish.iterations), by: Some("newton"), ..found })
}

/// What speaks against an attempt if another method may do better: the failure that it is, and
/// whether it is worth keeping. An impulse that the judge does not certify; forces on pyramids
/// that nobody asked for.
fn doubt(attempt: &Attempt, problem: &ContactProblem) -> Option<(Option<SolveError>, bool)> {
    match &attempt.found {
        Found::Ray(ray) => (!judge::judge_ray(problem, ray).certified).then_some((None, true)),
        Found::Forces(_) if attempt.cone == Cone::Round => None,
        Found::Forces(forces) => {
            let certificate = judge::judge(problem, forces);
            let residual = certificate.natural_map.relative;
            let error = SolveError::Uncertified { residual, best: Box::new(forces.clone()) };
            let is_round = certificate.certified == Some(Law::MaximumDissipation);
            (!is_round).then_some((Some(error), certificate.is_certified()))
        }
    }
}

/// Who is asked, one after the other.
fn chain<'a>(
    problem: &ContactProblem,
    start: Option<&Forces>,
    haste: Option<f64>,
    (lloyd, dantzig, brief_pivoting, impulse): &'a mut (Lloyd, Dantzig, Brief, ForcesOrImpulse),
    interior: &'a mut Interior,
    [second, last]: &'a mut [Interior; 2],
) -> Vec<&'a mut dyn ContactSolver> {
    let contacts = problem.contacts();
    let moving = problem.bodies().iter().filter(|body| !body.is_fixed()).count();
    let rubs = contacts.iter().any(|c| c.friction.has_tangent_unknowns());
    let slides = contacts.iter().any(|c| matches!(c.friction, Friction::Sliding { .. }));
    let planar = contacts.iter().all(|c| matches!(c.tangents, Tangents::Line(_)));
    let blow = problem.level() == Level::Impact;
    let hurries = haste.is_some() && (start.is_some() || blow) && !slides;
    let few = match (rubs, hurries) {
        (true, true) if planar => FEW_PLANAR,
        (true, true) => 0,
        _ if moving == 1 => usize::MAX,
        (true, false) => FEW,
        (false, _) => FEW_SMOOTH,
    };
    let mut chain: Vec<&mut dyn ContactSolver> = vec![lloyd, dantzig];
    if !rubs || !problem.bounded().is_empty() || (hurries && !blow) {
        chain.swap(0, 1);
    }
    let count = contacts.len();
    let alone = count > if haste.is_some() { HASTY } else { NOT_TOO_MANY };
    let (brief, many) = PIVOTING;
    let free = problem.bilateral().is_empty() && problem.bounded().is_empty();
    let small = free && count as f64 <= many;
    if let Some(longest) = haste {
        let brief = longest.min(brief * (count as f64 / many).max(1.0).powi(3));
        let pivots = few < count && !alone;
        interior.limit_work(if !pivots {
            longest
        } else if small {
            0.0
        } else {
            brief
        });
        second.limit_work(brief);
        last.limit_work(longest);
    }
    if count <= few && count > NOT_TOO_MANY {
        chain.insert(1, interior);
    } else if count <= few {
        chain.push(interior);
    } else if alone {
        chain = vec![interior];
    } else {
        chain.insert(0, interior);
        if haste.is_some() {
            if free {
                chain.insert(1, brief_pivoting);
            }
            if small {
                chain.insert(2, second);
            }
            chain.push(last);
        }
    }
    if slides && !rubs && problem.bounded().is_empty() && !alone {
        chain.push(impulse);
    }
    chain
}

/// Dantzig's algorithm with little patience: from forces that are near, then from nothing.
struct Brief;

impl ContactSolver for Brief {
    fn name(&self) -> &'static str {
        "dantzig"
    }

    fn attempt_within(
        &mut self,
        problem: &ContactProblem,
        start: Option<&Forces>,
        work: &mut Work,
        observer: &mut dyn Observer,
    ) -> Result<Attempt, SolveError> {
        let mut dantzig = Dantzig { restarts: 0, starts: 1, ..Dantzig::default() };
        let near = on_round_cone(dantzig.attempt_within(problem, start, work, observer), problem);
        near.or_else(|_| {
            on_round_cone(dantzig.attempt_within(problem, None, work, observer), problem)
        })
    }
}

/// Forces whose friction only partly opposes the slip are none.
fn on_round_cone(
    found: Result<Attempt, SolveError>,
    problem: &ContactProblem,
) -> Result<Attempt, SolveError> {
    let attempt = found?;
    let Found::Forces(forces) = &attempt.found else { return Ok(attempt) };
    let certificate = judge::judge(problem, forces);
    if certificate.certified == Some(Law::MaximumDissipation) {
        return Ok(attempt);
    }
    let residual = certificate.natural_map.relative;
    Err(SolveError::Uncertified { residual, best: Box::new(forces.clone()) })
}

/// How near to the laws the best forces of a failure are.
fn residual(error: &SolveError) -> f64 {
    match error {
        SolveError::Uncertified { residual, .. } => *residual,
        _ => f64::INFINITY,
    }
}

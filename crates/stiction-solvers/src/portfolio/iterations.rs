//! Large islands: iterations one after the other on the same sparse operator.
//!
//! ```text
//!   one-off    slides? ─no→ splitting → Newton from the start → central path → proximal points
//!   sequence   slides? ─no→ splitting → Newton from the start → proximal points → central path → …
//!      small   Newton from the start → rounds of sweeps and Newton → slides? ─no→ splitting → proximal points → …
//! ```
//!
//! Structures that stand need one factorisation (`admm.rs`); where contacts of the start slide the
//! splitting is left out. Newton from the forces of the last problem takes a handful
//! (`proximal.rs`). The central path (`interior.rs`) begins at the same start and takes large
//! structures in few factorisations; proximal points continue from the best forces of all. In a
//! sequence islands are small and much slides: proximal points come first, and what the judge
//! certifies is enough. Few contacts (most collisions have one to ten) have the modes of the
//! answer after a few Gauss–Seidel sweeps, from where plain Newton steps arrive.
//!
//! All linear algebra is among the bodies (`space.rs`, `multifrontal.rs`): contacts are
//! eliminated, a thousand of them on one pair of bodies cost one block.
//!
//! # Where to start reading
//!
//! `search` is the chain.

use crate::admm::Split;
use crate::interior::{INSIDE, Path, round};
use crate::observer::{Event, Observer};
use crate::proximal::{self, Patience, Search};
use crate::solver::{Call, Scaled};
use crate::space::{Element, FactorCache, Goal, Iterated, Iterative, Law, Space};
use crate::work::Work;
use stiction_contact::{Effort, judge};

/// Friction that is this part of its limit is taken to be at it, slip that is this part of the
/// free motion to be slip.
const AT_LIMIT: f64 = 0.999;
const SLIPS: f64 = 0.03;

/// Forces at this natural map are worth a few plain Newton steps.
const NEAR: f64 = 1e-4;

/// Sweeps over a bare matrix after the path: looks, and sweeps before each.
const SWEEP_LOOKS: usize = 8;
const SWEEPS: usize = 16;

/// In a sequence islands of this many contacts, limits and motors begin with rounds of sweeps and
/// Newton steps: how many, and sweeps of each.
const SMALL: usize = 250;
const ROUNDS: usize = 3;
const SWEEPS_OF_ROUND: usize = 4;

/// In a sequence it stops where the judge is sure to certify: at this part of its tolerance.
const SURE: f64 = 0.3;

/// Splitting, Newton, the central path and proximal points, one after the other.
#[derive(Debug)]
pub struct Iterations {
    /// Steps along the path, each a factorisation.
    pub steps: usize,
    /// Units of work of the proximal points before they give up; the work budget of the call ends
    /// them as well.
    pub budget: f64,
    /// Natural map, in units of the free motion, that is enough where splitting and Newton, or
    /// the path, get no nearer.
    settle: f64,
    kept: FactorCache,
}

impl Default for Iterations {
    fn default() -> Self {
        Iterations { steps: 100, budget: f64::INFINITY, settle: 0.0, kept: FactorCache::default() }
    }
}

impl Iterations {
    /// For a sequence of problems: at most this many units of work for proximal points.
    pub fn with_work_budget(units: f64) -> Self {
        let mut iterations = Iterations::default();
        iterations.limit_work(units);
        iterations
    }

    /// To all digits, from the central path on: at most this many units of work for proximal points.
    pub fn central(units: f64) -> Self {
        Iterations { budget: units, ..Iterations::default() }
    }

    /// At most this many units of work for proximal points from now on, and what the judge certifies
    /// is enough.
    pub fn limit_work(&mut self, units: f64) {
        self.budget = units;
        self.settle = SURE * judge::CERTIFIED;
    }
}

/// How far a search goes.
#[derive(Clone, Copy)]
struct Limits {
    /// Whether it begins with the splitting. It does not pay for bare matrices, which come
    /// from moments in which much moves.
    leap: bool,
    steps: usize,
    budget: f64,
    settle: f64,
}

/// What a search came to.
struct End {
    force: Vec<f64>,
    residual: f64,
    /// The method that found the forces.
    by: Option<&'static str>,
    /// Steps of the splitting and along the path, and the effort of proximal points.
    steps: usize,
    effort: Effort,
}

impl End {
    /// Forces that are nearer take the place of others.
    fn take(&mut self, force: Vec<f64>, residual: f64, by: Option<&'static str>) {
        if residual < self.residual || self.force.is_empty() {
            (self.force, self.residual, self.by) = (force, residual, by);
        }
    }

    /// The forces, if there are any.
    fn found(&self) -> Option<Vec<f64>> {
        (!self.force.is_empty()).then(|| self.force.clone())
    }

    /// The same for what a search for proximal points came to.
    fn join(&mut self, found: proximal::End) {
        self.effort += found.effort;
        self.take(found.force, found.residual, Some("proximal"));
    }
}

/// The chain.
fn search<S: Space>(space: &mut S, goal: Goal<'_>, limits: Limits, call: Scaled<'_>) -> End {
    let Call { start, work, observer } = call;
    let effort = Effort::default();
    let start = start.map(|start| (start, (goal.look)(start)));
    if let Some((force, residual)) = start.filter(|(_, off)| *off <= goal.enough) {
        return End { force: force.to_vec(), residual, by: None, steps: 0, effort };
    }
    let mut best = End { force: Vec::new(), residual: f64::INFINITY, by: None, steps: 0, effort };
    let sliding = start.is_some_and(|(force, _)| slides(space, force));
    let enough = goal.enough.max(limits.settle);
    let undecided = space.elements().iter().filter(|e| e.law != Law::Bilateral).count();
    let small = limits.settle > 0.0 && space.has_bodies() && undecided <= SMALL;
    if small {
        let goal = Goal { enough, ..goal };
        warm(space, goal, start, &mut best, work);
        rounds(space, goal, start, &mut best, work);
    }
    if limits.leap && !sliding && best.residual > enough {
        let (force, residual, steps) = leap(space, goal, start, work, observer);
        best.take(force, residual, Some("admm"));
        best.steps += steps;
    }
    let goal = Goal { enough, ..goal };
    if !small {
        warm(space, goal, start, &mut best, work);
    }
    if limits.settle > 0.0 && best.residual > enough {
        let from = best.found();
        points(space, goal, (from, limits.budget), &mut best, work, observer);
    }
    if best.residual <= enough || work.is_spent() {
        return best;
    }
    let [least, most] = INSIDE;
    let near = start.map(|(force, off)| (force, off.clamp(least, most)));
    let look = |force: &[f64], _: &[f64]| (goal.look)(force);
    let mut end = Path::new(space, near).walk(&look, enough, limits.steps, work, observer);
    best.steps += end.steps;
    if end.residual <= enough {
        let goal = Goal { enough: enough.max(end.residual), ..goal };
        round(space, goal, &mut end.force);
    }
    let nearer = end.residual < best.residual;
    best.take(end.force, end.residual, Some("interior"));
    if best.residual > enough && !space.has_bodies() {
        sweep(space, goal, &mut best, work);
    }
    if best.residual > enough && (limits.settle == 0.0 || nearer) {
        let from = best.found();
        points(space, goal, (from, limits.budget), &mut best, work, observer);
    }
    // No pivoting follows without bodies: another beginning may lead elsewhere.
    if best.residual > judge::CERTIFIED && !space.has_bodies() {
        points(space, goal, (None, limits.budget), &mut best, work, observer);
    }
    best
}

/// Plain Newton steps from a start, if there is one.
fn warm<S: Space>(
    space: &mut S,
    goal: Goal<'_>,
    start: Option<(&[f64], f64)>,
    best: &mut End,
    work: &mut Work,
) {
    if let Some((force, _)) = start.filter(|_| best.residual > goal.enough) {
        let mut search = Search::new(space, goal, work);
        search.warm(force);
        best.join(search.end());
    }
}

/// Sweeps, and plain Newton steps from where they lead: few contacts soon have the modes of the
/// answer.
fn rounds<S: Space>(
    space: &mut S,
    goal: Goal<'_>,
    start: Option<(&[f64], f64)>,
    best: &mut End,
    work: &mut Work,
) {
    let mut force = start.map_or_else(|| vec![0.0; space.len()], |(force, _)| force.to_vec());
    for _ in 0..ROUNDS {
        if best.residual <= goal.enough || work.is_spent() {
            break;
        }
        space.sweep(&mut force, SWEEPS_OF_ROUND, work);
        best.effort.sweeps += SWEEPS_OF_ROUND;
        let mut search = Search::new(space, goal, work);
        search.warm(&force);
        best.join(search.end());
    }
}

/// Sweeps over a bare matrix from the best forces: they set right contacts that hardly matter to
/// others, which the path leaves for last.
fn sweep<S: Space>(space: &S, goal: Goal<'_>, best: &mut End, work: &mut Work) {
    let mut force = best.force.clone();
    for _ in 0..SWEEP_LOOKS {
        if best.residual <= goal.enough || work.is_spent() {
            break;
        }
        space.sweep(&mut force, SWEEPS, work);
        best.effort.sweeps += SWEEPS;
        work.charge(goal.look_work);
        best.take(force.clone(), (goal.look)(&force), Some("gauss-seidel"));
    }
}

/// Proximal points from given forces or from nothing, within a budget.
fn points<S: Space>(
    space: &mut S,
    goal: Goal<'_>,
    (from, budget): (Option<Vec<f64>>, f64),
    best: &mut End,
    work: &mut Work,
    observer: &mut dyn Observer,
) {
    observer.event(Event::Fallback { solver: "proximal" });
    let patience = if budget.is_finite() {
        Patience::brief(budget)
    } else {
        Patience::long(space.has_bodies())
    };
    let mut search = Search::new(space, goal, work);
    if let Some(near) = from.as_ref().filter(|_| best.residual <= NEAR) {
        search.warm(near);
    }
    best.join(search.points(from.as_deref(), patience));
}

/// Whether a contact slips with friction at its limit: then the splitting hardly settles.
fn slides<S: Space>(space: &S, force: &[f64]) -> bool {
    let mut response = vec![0.0; force.len()];
    space.response(force, &mut response);
    let slips = |element: &Element| {
        let ([normal, x, y], [_, u, v]) = (element.of(force), element.of(&response));
        let limit = element.friction() * normal;
        limit > 0.0 && x.hypot(y) > AT_LIMIT * limit && u.hypot(v) > SLIPS
    };
    space.elements().iter().any(slips)
}

/// The splitting, as long as it is promising: forces, how far they are off, and steps.
fn leap<S: Space>(
    space: &mut S,
    goal: Goal<'_>,
    start: Option<(&[f64], f64)>,
    work: &mut Work,
    observer: &mut dyn Observer,
) -> (Vec<f64>, f64, usize) {
    space.charge_step(work);
    match Split::new(space, start.map(|(force, _)| force)) {
        Some(split) => {
            let end = split.leap(goal, work, observer);
            (end.force, end.residual, end.steps)
        }
        None => (Vec::new(), f64::INFINITY, 0),
    }
}

impl Iterative for Iterations {
    const NAME: &'static str = "iterations";
    const APPROXIMATION: &'static str =
        "iterations to ten digits that may stall; they know no impulses";

    fn iterate<S: Space>(&mut self, space: &mut S, goal: Goal<'_>, call: Scaled<'_>) -> Iterated {
        let Iterations { steps, budget, settle, .. } = *self;
        let limits = Limits { leap: space.has_bodies(), steps, budget, settle };
        let end = search(space, goal, limits, call);
        let pivots = end.steps + end.effort.pivots;
        Iterated { by: end.by, ..Iterated::new(end.force, Effort { pivots, ..end.effort }) }
    }

    fn take_cache(&mut self) -> FactorCache {
        std::mem::take(&mut self.kept)
    }

    fn keep_cache(&mut self, cache: FactorCache) {
        self.kept = cache;
    }
}

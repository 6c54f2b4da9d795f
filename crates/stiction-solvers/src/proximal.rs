//! Semismooth Newton on proximal points, through the bodies.
//!
//! The same for bare matrices and for bodies (`space.rs`). Redundant contacts make `W` singular,
//! and Newton's matrix with it; and where contacts slide, Newton on the laws themselves jumps
//! from one combination of modes to another. The *proximal point* method solves instead
//!
//! ```text
//!   u = W λ + q + α (λ − c)         c: the last answer
//! ```
//!
//! takes the answer as the next `c`, and changes `α`: where it ends, `λ = c` and the problem is
//! the original one. `α` falls while Newton succeeds. Where it fails, the laws have an answer far
//! away or none near `c`: one convex problem with the slip of `c` frozen moves the point,
//! and `α` *rises*.
//!
//! Forces that are near get a few plain Newton steps first.
//!
//! # Where to start reading
//!
//! `Search::points` is the outer loop, `proximal/point.rs` one point, `proximal/newton.rs` the
//! steps from forces that are near.
//!
//! # Reference
//!
//! V. Acary, M. Brémond, O. Huber. *On solving contact problems with Coulomb
//! friction: formulations and numerical comparisons.* In: Advanced Topics in
//! Nonsmooth Dynamics, Springer 2018.

mod newton;
mod point;

use crate::solver::{Call, Scaled};
use crate::space::{FactorCache, Goal, Iterated, Iterative, Space, residual};
use crate::work::Work;
use newton::Newton;
use point::{Point, Slip};
use stiction_contact::{Effort, judge};

/// `α` to begin with, in units where the largest own response of a contact is 1.
const FIRST: f64 = 1e-3;

/// Between these `α` moves: below the first the matrix is singular to rounding, above the second
/// every contact is nearly alone.
const SMALLEST: f64 = 1e-10;
const LARGEST: f64 = 1.0;

/// By how much `α` falls after a success and rises after a failure.
const FALL: f64 = 0.6;
const RISE: f64 = 4.0;

/// By how much it falls without friction: then every problem is convex, and an exact line search
/// finds its answer from anywhere.
const FALL_WITHOUT_FRICTION: f64 = 0.1;

/// A point with frozen slip that is this many times farther from the laws than the nearest so far
/// is not taken: only `α` rises.
const ASTRAY: f64 = 2.0;

/// A proximal problem is solved to this part of the last natural map.
const LOOSE: f64 = 0.1;

/// No more digits than these are required: of `G` itself, and of `1/α`.
const ROUNDING: f64 = 1e-14;
const ROUNDING_OF_FORCE: f64 = 1e-17;

/// Points that may fail to halve the natural map of forces that the judge certifies already: more
/// digits come soon or not at all.
const CERTIFIED_IDLE: usize = 8;

/// Plain Newton steps from forces that are near, and how many in a row may fail to halve the
/// natural map.
const WARM_STEPS: usize = 8;
const WARM_STALLS: usize = 3;

/// Proximal points with a Newton iteration inside.
#[derive(Debug, Default)]
pub struct Proximal {
    kept: FactorCache,
}

impl Iterative for Proximal {
    const NAME: &'static str = "proximal";
    const APPROXIMATION: &'static str =
        "an iteration to ten digits that may stall; it knows no impulses";

    fn iterate<S: Space>(&mut self, space: &mut S, goal: Goal<'_>, call: Scaled<'_>) -> Iterated {
        let Call { start, work, .. } = call;
        let patience = Patience::long(space.has_bodies());
        let mut search = Search::new(space, goal, work);
        if let Some(start) = start {
            search.warm(start);
        }
        let end = search.points(start, patience);
        Iterated::new(end.force, end.effort)
    }

    fn take_cache(&mut self) -> FactorCache {
        std::mem::take(&mut self.kept)
    }

    fn keep_cache(&mut self, cache: FactorCache) {
        self.kept = cache;
    }
}

/// When proximal points give up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Points in all.
    pub points: usize,
    /// Points in which the natural map is not halved.
    pub idle: usize,
    /// Units of work.
    pub work: f64,
}

impl Patience {
    /// For a problem by itself. Other methods follow where there are bodies. Without, a wall of
    /// rocks, 872 of its 2,496 directions singular, takes 1,200 points, 320 of them idle.
    pub(crate) fn long(has_bodies: bool) -> Patience {
        let (points, idle) = if has_bodies { (300, 100) } else { (3000, 500) };
        Patience { points, idle, work: f64::INFINITY }
    }

    /// In a sequence, with this much work.
    pub(crate) fn brief(work: f64) -> Patience {
        Patience { points: 100, idle: 100, work }
    }
}

/// What a search came to.
pub(crate) struct End {
    pub force: Vec<f64>,
    pub residual: f64,
    pub effort: Effort,
}

/// A search for forces: the best so far and what it took.
pub(crate) struct Search<'a, S: Space> {
    space: &'a mut S,
    goal: Goal<'a>,
    best: (Vec<f64>, f64),
    effort: Effort,
    work: &'a mut Work,
    /// Whether there is friction.
    rubs: bool,
}

impl<'a, S: Space> Search<'a, S> {
    pub(crate) fn new(space: &'a mut S, goal: Goal<'a>, work: &'a mut Work) -> Self {
        let best = (vec![0.0; space.len()], f64::INFINITY);
        let rubs = space.elements().iter().any(|element| element.friction() > 0.0);
        Search { space, goal, best, effort: Effort::default(), work, rubs }
    }

    /// What was found.
    pub(crate) fn end(self) -> End {
        End { force: self.best.0, residual: self.best.1, effort: self.effort }
    }

    fn is_done(&self) -> bool {
        self.best.1 <= self.goal.enough || self.work.is_spent()
    }

    /// Plain Newton steps from forces that are near.
    pub(crate) fn warm(&mut self, start: &[f64]) {
        let mut force = start.to_vec();
        let mut response = vec![0.0; force.len()];
        let mut newton = Newton::new(self.space);
        let (mut stalls, mut done) = (0, false);
        for step in 0..=WARM_STEPS {
            self.space.response(&force, &mut response);
            let before = self.best.1;
            let off = residual(self.space.elements(), &force, &response);
            self.offer(&force, off);
            stalls = if self.best.1 > 0.5 * before { stalls + 1 } else { 0 };
            // One step more than needed squares what is left.
            if done || self.work.is_spent() || stalls > WARM_STALLS || step == WARM_STEPS {
                break;
            }
            done = self.is_done();
            self.space.charge_newton(self.work);
            self.effort.pivots += 1;
            if !newton.step(self.space, &mut force, &response) {
                break;
            }
        }
    }

    /// Proximal points from given forces or from nothing, as long as patience lasts; the last
    /// digits by plain steps.
    pub(crate) fn points(mut self, start: Option<&[f64]>, patience: Patience) -> End {
        let begin = self.work.spent();
        let center = start.map_or_else(|| vec![0.0; self.space.len()], <[f64]>::to_vec);
        let mut point = Point::new(self.space, FIRST, center);
        let mut off = point.residual(self.space);
        self.offer(&point.center, off);
        // From nothing the first point is taken wherever it is.
        let mut least = if start.is_some() { off } else { f64::INFINITY };
        let (mut mark, mut idle) = (self.best.1, 0);
        for _ in 0..patience.points {
            let certified = self.best.1 <= judge::CERTIFIED;
            let most = if certified { CERTIFIED_IDLE } else { patience.idle };
            if self.is_done() || idle > most || self.work.spent() - begin > patience.work {
                break;
            }
            let solved = self.next(&mut point, off);
            let now = point.residual(self.space);
            if !solved && now > ASTRAY * least {
                point.back(self.space);
            } else {
                off = now;
            }
            least = least.min(off);
            self.offer(&point.center, off);
            idle += 1;
            let first = mark > judge::CERTIFIED && self.best.1 <= judge::CERTIFIED;
            if self.best.1 <= 0.5 * mark || first {
                (mark, idle) = (self.best.1, 0);
            }
            let factor = match (solved, self.rubs) {
                (true, true) => FALL,
                (true, false) => FALL_WITHOUT_FRICTION,
                (false, _) => RISE,
            };
            point.compliance = (point.compliance * factor).clamp(SMALLEST, LARGEST);
        }
        self.effort.pivots += point.steps;
        if self.best.1 <= judge::CERTIFIED {
            self.warm(&self.best.0.clone());
        }
        self.end()
    }

    /// Solves the problem around a point with this natural map, with frozen slip where that
    /// fails, and moves there; whether it did not fail.
    fn next(&mut self, point: &mut Point, off: f64) -> bool {
        let rounding = ROUNDING_OF_FORCE / point.compliance;
        let tolerance = (LOOSE * off).max(ROUNDING) + rounding;
        let slip = if self.rubs { Slip::Free } else { Slip::Frozen };
        let solved = point.solve(self.space, slip, tolerance, self.work);
        if !solved && self.rubs {
            point.solve(self.space, Slip::Frozen, tolerance, self.work);
        }
        point.advance(self.space);
        solved
    }

    /// Keeps the best forces, by the goal's own measure where they are near.
    fn offer(&mut self, force: &[f64], off: f64) {
        let mut residual = off;
        if off <= self.goal.near {
            self.work.charge(self.goal.look_work);
            residual = (self.goal.look)(force);
        }
        if residual < self.best.1 {
            self.best.0.copy_from_slice(force);
            self.best.1 = residual;
        }
    }
}

//! An interior-point method on Coulomb's law as it is.
//!
//! The laws of contact say that products of forces and responses are zero. On the *central path*
//! they are κ instead, everything strictly inside its bounds, and κ falls to zero
//! (`interior/point.rs`). Coulomb's law is not the condition of a convex program, and none is put
//! in its place: the conditions are `g s = κ` and `(μ g, b) ∘ (y, w) = κ e`, whose limit is the
//! law itself. Newton steps, predictor and corrector, with one factorisation each.
//!
//! Where very many contacts slide the path may turn back and the walk stalls; the portfolio
//! continues with other methods (`portfolio/iterations.rs`).
//!
//! # Where to start reading
//!
//! `Path::walk` is the loop, `Path::step` one step.
//!
//! # References
//!
//! S. Mehrotra. *On the implementation of a primal-dual interior point method.* SIAM J.
//! Optimization 2 (1992), 575–601.
//!
//! T. Howell et al. *Dojo: a differentiable physics engine for robotics* (2022) has the
//! same conditions for friction.

mod point;

use crate::observer::{Event, Observer};
use crate::rows::Rows;
use crate::solver::{Call, Scaled};
use crate::space::{
    Block, BodySpace, Element, FactorCache, Goal, Iterated, Iterative, Space, times,
};
use crate::work::Work;
use point::{Linear, Point};
use stiction_contact::{ContactProblem, Effort};

/// When there are forces to begin with, the path begins as far inside as they are off, within
/// these bounds (in units of the free motion).
pub(crate) const INSIDE: [f64; 2] = [1e-3, 0.1];

/// The interior-point method alone, with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interior {
    /// Most steps along the path, each a factorisation; 10 to 30 are usual.
    pub steps: usize,
    /// Part of the way to the boundary that a step goes, below 1; and where the predictor could go
    /// more than `sure` of it.
    pub reach: f64,
    /// See `reach`.
    pub sure: f64,
    /// See `reach`.
    pub sure_reach: f64,
    /// κ falls by at least the larger and at most the smaller of these: by `(what is left)³` in
    /// between.
    pub falls: [f64; 2],
    /// κ does not fall below this, in units of the free motion: products of rounding errors.
    pub smallest: f64,
    /// Second-order terms help only if the predictor could go this far.
    pub trusted: f64,
    /// A step is progress if it brings the residual below this part of the last progress.
    pub progress: f64,
    /// Steps in a row without progress before it gives up, and below which residual fewer of them.
    pub stalls: usize,
    /// Below this residual rounding is in the way.
    pub small: f64,
    /// Steps without progress there.
    pub small_stalls: usize,
    /// Steps shorter than this go nowhere.
    pub stuck: f64,
    /// Such steps in a row before it gives up.
    pub stuck_steps: usize,
}

impl Default for Interior {
    fn default() -> Self {
        Interior {
            steps: 100,
            reach: 0.9,
            sure: 0.9,
            sure_reach: 0.995,
            falls: [1e-18, 0.8],
            smallest: 1e-28,
            trusted: 0.3,
            progress: 0.7,
            stalls: 10,
            small: 1e-6,
            small_stalls: 2,
            stuck: 1e-4,
            stuck_steps: 8,
        }
    }
}

impl Iterative for Interior {
    const NAME: &'static str = "interior";
    const APPROXIMATION: &'static str =
        "an iteration to ten digits that may stall; it knows no impulses";

    fn iterate<S: Space>(&mut self, space: &mut S, goal: Goal<'_>, call: Scaled<'_>) -> Iterated {
        let Call { start, work, observer } = call;
        let [least, most] = INSIDE;
        let near = start.map(|start| (start, (goal.look)(start).clamp(least, most)));
        let look = |force: &[f64], _: &[f64]| (goal.look)(force);
        let path = Path { settings: *self, ..Path::new(space, near) };
        let mut end = path.walk(&look, goal.enough, self.steps, work, observer);
        if end.residual <= goal.enough {
            round(space, goal, &mut end.force);
        }
        Iterated::new(end.force, Effort { pivots: end.steps, ..Effort::default() })
    }
}

/// On the path every contact pushes a little. Lawful forces next to these have
/// zeros where contacts are open; they are taken if they are good enough.
pub(crate) fn round<S: Space>(space: &S, goal: Goal<'_>, force: &mut Vec<f64>) {
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

/// Numbers in the sparse factors of a problem.
pub fn fill(problem: &ContactProblem) -> usize {
    BodySpace::new(&Rows::new(problem), &mut FactorCache::default()).fill()
}

/// What a walk along the path came to.
pub(crate) struct End {
    pub force: Vec<f64>,
    pub residual: f64,
    pub steps: usize,
}

/// A walk along the central path of a problem.
pub(crate) struct Path<'a, S: Space> {
    space: &'a mut S,
    settings: Interior,
    points: Vec<Point>,
    force: Vec<f64>,
    response: Vec<f64>,
    linear: Vec<Linear>,
}

impl<'a, S: Space> Path<'a, S> {
    /// From the middle, or from forces, so far inside as `inside` says (in units of
    /// the free motion).
    pub(crate) fn new(space: &'a mut S, start: Option<(&[f64], f64)>) -> Self {
        let n = space.len();
        let mut force = vec![0.0; n];
        let mut response = vec![0.0; n];
        if let Some((start, _)) = start {
            force.copy_from_slice(start);
        }
        space.response(&force, &mut response);
        let size = response.iter().fold(1e-12, |m: f64, u| m.max(u.abs())).min(1.0);
        let point = |e: &Element| match start {
            Some((_, inside)) => Point::near(e, e.of(&force), e.of(&response), inside * size),
            None => Point::new(e, size),
        };
        let points: Vec<Point> = space.elements().iter().map(point).collect();
        let linear = vec![Linear::default(); points.len()];
        Path { space, settings: Interior::default(), points, force, response, linear }
    }

    /// Walks until forces and responses are good enough, or nothing moves.
    pub(crate) fn walk(
        mut self,
        look: &dyn Fn(&[f64], &[f64]) -> f64,
        enough: f64,
        most: usize,
        work: &mut Work,
        observer: &mut dyn Observer,
    ) -> End {
        let mut best = End { force: self.force.clone(), residual: f64::INFINITY, steps: 0 };
        let set = self.settings;
        let (mut mark, mut stalls, mut stuck) = (f64::INFINITY, 0, 0);
        for steps in 0..=most {
            self.evaluate();
            let residual = look(&self.force, &self.response);
            observer.event(Event::PathStep { step: steps, kappa: self.kappa().0, residual });
            best.steps = steps;
            stalls += 1;
            if residual < set.progress * mark {
                (mark, stalls) = (residual, 0);
            }
            if residual < best.residual {
                best.residual = residual;
                best.force.clone_from(&self.force);
            }
            let idle = stalls > if mark < set.small { set.small_stalls } else { set.stalls };
            let ends = idle || stuck > set.stuck_steps || steps == most || work.is_spent();
            if residual <= enough || ends {
                break;
            }
            self.space.charge_step(work);
            let Some(length) = self.step() else { break };
            stuck = if length < set.stuck { stuck + 1 } else { 0 };
        }
        best
    }

    /// Forces and responses of the points.
    fn evaluate(&mut self) {
        for (element, point) in self.space.elements().iter().zip(&self.points) {
            element.set(&mut self.force, point.force);
        }
        self.space.response(&self.force, &mut self.response);
    }

    /// Mean of the products, and their sum.
    fn kappa(&self) -> (f64, f64) {
        let gaps = self.space.elements().iter().zip(&self.points).map(|(e, p)| p.gap(e));
        let (sum, count) = gaps.fold((0.0, 0.0), |(s, n), (gap, count)| (s + gap, n + count));
        (if count > 0.0 { sum / count } else { 0.0 }, sum)
    }

    /// One step; its length, or nothing if the system cannot be solved.
    fn step(&mut self) -> Option<f64> {
        for ((element, point), linear) in
            self.space.elements().iter().zip(&self.points).zip(&mut self.linear)
        {
            *linear = point.linear(element);
        }
        let d: Vec<Block> = self.linear.iter().map(|linear| linear.d).collect();
        if !self.space.factor(&d) {
            return None;
        }
        let set = self.settings;
        let (kappa, gap) = self.kappa();
        let predictor = self.direction(0.0, None)?;
        let far = self.distance(&predictor).min(1.0);
        let left: f64 = self
            .space
            .elements()
            .iter()
            .zip(&self.points)
            .zip(&predictor)
            .map(|((element, point), change)| {
                let mut there = *point;
                there.step(change, far);
                there.gap(element).0
            })
            .sum();
        let share = if gap > 0.0 {
            (left / gap).max(0.0).powi(3).clamp(set.falls[0], set.falls[1])
        } else {
            0.0
        };
        let aim = (share * kappa).max(set.smallest);
        let change = self.direction(aim, (far > set.trusted).then_some(&predictor))?;
        let reach = if far > set.sure { set.sure_reach } else { set.reach };
        let length = (reach * self.distance(&change)).min(1.0);
        for (point, change) in self.points.iter_mut().zip(&change) {
            point.step(change, length);
        }
        Some(length)
    }

    fn distance(&self, changes: &[Point]) -> f64 {
        let elements = self.space.elements().iter().zip(&self.points).zip(changes);
        elements.map(|((e, point), change)| point.distance(e, change)).fold(f64::INFINITY, f64::min)
    }

    /// Newton's change of everything, corrected once.
    fn direction(&mut self, kappa: f64, second: Option<&Vec<Point>>) -> Option<Vec<Point>> {
        let second_of = |i: usize| second.map(|points| &points[i]);
        let mut aim = vec![0.0; self.force.len()];
        for (i, element) in self.space.elements().iter().enumerate() {
            let u = element.of(&self.response);
            element.set(
                &mut aim,
                self.points[i].aim(element, &self.linear[i], u, kappa, second_of(i)),
            );
        }
        let mut change = aim.clone();
        self.space.solve(&mut change);
        let mut moved = self.moved(&change);
        // What is left of dλ + D du = h.
        let mut rest = vec![0.0; aim.len()];
        for (element, linear) in self.space.elements().iter().zip(&self.linear) {
            let [h, x] = [&aim, &change].map(|values| element.of(values));
            let pushed = times(&linear.d, element.of(&moved));
            element.set(&mut rest, [0, 1, 2].map(|k| h[k] - x[k] - pushed[k]));
        }
        self.space.solve(&mut rest);
        change.iter_mut().zip(&rest).for_each(|(x, r)| *x += r);
        if !change.iter().all(|x| x.is_finite()) {
            return None;
        }
        moved = self.moved(&change);
        let point = |(i, element): (usize, &Element)| {
            let both = [&self.response, &moved].map(|values| element.of(values));
            self.points[i].change(element, both, element.of(&change), kappa, second_of(i))
        };
        Some(self.space.elements().iter().enumerate().map(point).collect())
    }

    /// Change of the responses when forces change.
    fn moved(&self, change: &[f64]) -> Vec<f64> {
        let mut moved = vec![0.0; change.len()];
        self.space.change(change, &mut moved);
        moved
    }
}

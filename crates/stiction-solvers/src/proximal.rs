//! Newton on problems made regular, made regular less and less.
//!
//! The same for bare matrices and for bodies (`space.rs`). Redundant contacts make
//! `W` singular, and Newton's matrix with it. The
//! *proximal point* method solves instead
//!
//! ```text
//!   u = (W + α) r + q − α c         c: the last answer
//! ```
//!
//! whose matrix is regular, takes the answer as the next `c`, and lowers `α`: where
//! it ends, `r = c` and the problem is the original one. Each is solved by a
//! semismooth Newton iteration on the functions of Alart and Curnier, or, where that
//! fails, along its central path (`interior.rs`), which a compliance keeps from
//! turning back. When both fail, `α` is raised and Gauss–Seidel sweeps of the problem
//! itself follow, as many as cost what Newton did, and half as many more each time: in
//! turn from the best forces and on from where the last left off that began with nothing.
//! Where sweeps alone would arrive, they do here.
//!
//! # Where to start reading
//!
//! `Search::run` is the outer loop,
//! `proximal/newton.rs` the inner one.
//!
//! # Reference
//!
//! V. Acary, M. Brémond, O. Huber. *On solving contact problems with Coulomb
//! friction: formulations and numerical comparisons.* In: Advanced Topics in
//! Nonsmooth Dynamics, Springer 2018.

mod newton;

use crate::interior::Path;
use crate::observer::NoObserver;
use crate::solver::{Call, Scaled};
use crate::space::{Compliant, Goal, Iterated, Iterative, Space, residual};
use crate::work::Work;
use newton::Newton;
use stiction_contact::Effort;

/// `α` to begin with, in units where own blocks have mean diagonal 1.
const FIRST: f64 = 1e-3;

/// Between these `α` moves: below the first the matrix is singular to rounding,
/// above the second every contact is nearly alone.
const SMALLEST: f64 = 1e-11;
const LARGEST: f64 = 10.0;

/// By how much `α` falls after a success and rises after a failure.
const FALL: f64 = 0.1;
const RISE: f64 = 10.0;

/// Sweeps at the start, after a failure at least, and between two looks.
const FIRST_SWEEPS: usize = 100;
const MORE_SWEEPS: usize = 50;

/// It gives up after this many proximal problems in a row that did not bring the
/// residual down by this factor.
const PATIENCE: usize = 18;
const FALLS: f64 = 0.9;

/// The same once the residual is good: last digits are not worth a minute.
const GOOD: f64 = 1e-9;
const GOOD_PATIENCE: usize = 3;

/// A path begins so far inside, and has arrived at this residual; its steps.
const INSIDE: f64 = 0.1;
const ARRIVED: f64 = 1e-9;
const PATH_STEPS: usize = 40;

/// `α` for forces that are near, and how many proximal points it takes to know.
const WARM: f64 = 1e-5;
const WARM_ROUNDS: usize = 4;

/// Proximal points with a Newton inside.
#[derive(Clone, Copy, Debug, Default)]
pub struct Proximal;

impl Iterative for Proximal {
    const NAME: &'static str = "proximal";
    const APPROXIMATION: &'static str =
        "an iteration to ten digits that may stall; it knows no impulses";

    fn iterate<S: Space>(&mut self, space: &mut S, goal: Goal<'_>, call: Scaled<'_>) -> Iterated {
        let Call { start, work, .. } = call;
        let end = Search::new(space, goal, f64::INFINITY, work).run(start);
        Iterated::new(end.force, end.effort)
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
    /// Multiplications before it gives up, roughly.
    budget: f64,
    best: (Vec<f64>, f64),
    effort: Effort,
    /// Multiplications so far.
    spent: f64,
    /// What the whole call may do.
    work: &'a mut Work,
}

/// Forces that were nothing to begin with and have been swept all along.
struct Sweeper {
    force: Vec<f64>,
    /// The residual that counts as its last.
    mark: f64,
    /// Sweeps of the next turn, at least.
    sweeps: usize,
    /// Whether the last turn was not its own.
    rests: bool,
}

impl Sweeper {
    fn new(rows: usize) -> Self {
        let force = vec![0.0; rows];
        Sweeper { force, mark: f64::INFINITY, sweeps: MORE_SWEEPS, rests: false }
    }
}

impl<'a, S: Space> Search<'a, S> {
    pub(crate) fn new(space: &'a mut S, goal: Goal<'a>, budget: f64, work: &'a mut Work) -> Self {
        let best = (vec![0.0; space.len()], f64::INFINITY);
        let effort = Effort::default();
        Search { space, goal, budget, best, effort, spent: 0.0, work }
    }

    /// From nothing, or from given forces.
    pub(crate) fn run(mut self, start: Option<&[f64]>) -> End {
        let mut center = start.map_or_else(|| vec![0.0; self.space.len()], <[f64]>::to_vec);
        if start.is_some() {
            self.look(&center);
        }
        self.sweep(&mut center, FIRST_SWEEPS, 0.0);
        center.clone_from(&self.best.0);
        let mut sweeper = Sweeper::new(self.space.len());
        let (mut shift, mut failures) = (FIRST, 0);
        let mut mark = self.best.1;
        while self.best.1 > self.goal.enough && self.spent < self.budget && !self.work.is_spent() {
            if failures >= if self.best.1 > GOOD { PATIENCE } else { GOOD_PATIENCE } {
                break;
            }
            let before = self.spent;
            let (force, solved) = self.inner(&center, shift);
            self.look(&force);
            if solved {
                center = force;
                shift = (shift * FALL).max(SMALLEST);
            } else {
                shift = (shift * RISE).min(LARGEST);
                if self.sweep_in_turn(&mut sweeper, self.spent - before) {
                    failures = 0;
                }
                center.clone_from(&self.best.0);
            }
            failures += 1;
            if self.best.1 < FALLS * mark {
                (mark, failures) = (self.best.1, 0);
            }
        }
        End { force: self.best.0, residual: self.best.1, effort: self.effort }
    }

    /// From forces that are near, by Newton alone: a few proximal points, or nothing. One more than
    /// would do brings the last digits.
    pub(crate) fn warm(mut self, start: &[f64]) -> End {
        let mut center = start.to_vec();
        let mut shift = WARM;
        for _ in 0..WARM_ROUNDS {
            let mut newton = Newton::new(self.space, &center, shift);
            let (force, solved) = newton.solve(center.clone(), self.work);
            self.effort.pivots += newton.steps;
            let does = self.best.1 <= self.goal.enough;
            self.look(&force);
            if !solved || does || self.work.is_spent() {
                break;
            }
            center = force;
            shift *= FALL;
        }
        End { force: self.best.0, residual: self.best.1, effort: self.effort }
    }

    /// Sweeps on from the best forces, or from those of the sweeper: either may be near. Whether
    /// the sweeper came nearer.
    fn sweep_in_turn(&mut self, sweeper: &mut Sweeper, work: f64) -> bool {
        let sweeps = sweeper.sweeps;
        sweeper.sweeps += sweeps / 2;
        sweeper.rests = !sweeper.rests;
        if sweeper.rests {
            let mut best = self.best.0.clone();
            self.sweep(&mut best, sweeps, work);
            return false;
        }
        let residual = self.sweep(&mut sweeper.force, sweeps, work);
        let nearer = residual < FALLS * sweeper.mark;
        if nearer {
            sweeper.mark = residual;
        }
        nearer
    }

    /// Looks at forces and keeps the best.
    fn look(&mut self, force: &[f64]) -> f64 {
        self.work.charge(self.goal.look_work);
        let residual = (self.goal.look)(force);
        if residual < self.best.1 {
            self.best = (force.to_vec(), residual);
        }
        residual
    }

    /// Sweeps of the problem itself: a given number, and as long as the work lasts, or
    /// until that is enough. The residual after them.
    fn sweep(&mut self, force: &mut [f64], least: usize, work: f64) -> f64 {
        let each = self.space.work()[1];
        let end = self.spent + work;
        let (mut sweeps, mut stride, mut residual) = (0, 1, f64::INFINITY);
        while sweeps < least || self.spent < end {
            self.space.sweep(force, stride, self.work);
            sweeps += stride;
            self.spent += stride as f64 * each;
            residual = self.look(force);
            if residual <= self.goal.enough || self.work.is_spent() {
                break;
            }
            // Often at first: small problems need a few sweeps only.
            stride = (2 * stride).min(MORE_SWEEPS);
        }
        self.effort.sweeps += sweeps;
        residual
    }

    /// Newton on the problem around `center`; whether it arrived.
    fn inner(&mut self, center: &[f64], shift: f64) -> (Vec<f64>, bool) {
        let mut newton = Newton::new(self.space, center, shift);
        let end = newton.solve(center.to_vec(), self.work);
        self.effort.pivots += newton.steps;
        self.spent += newton.work;
        if end.1 || self.work.is_spent() {
            return end;
        }
        self.along_path(center, shift)
    }

    /// The same along its central path, where Newton fails: slower, and surer.
    fn along_path(&mut self, center: &[f64], shift: f64) -> (Vec<f64>, bool) {
        let elements = self.space.elements().to_vec();
        let look = |force: &[f64], response: &[f64]| residual(&elements, force, response);
        let mut compliant = Compliant::new(self.space, shift, center);
        let path = Path::new(&mut compliant, Some((center, INSIDE)));
        let end = path.walk(&look, ARRIVED, PATH_STEPS, self.work, &mut NoObserver);
        self.effort.pivots += end.steps;
        self.spent += end.steps as f64 * self.space.step_work();
        (end.force, end.residual <= ARRIVED)
    }
}

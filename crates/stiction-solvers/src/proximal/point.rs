//! One proximal problem: the next point from a given one, by a semismooth Newton iteration.
//!
//! Unknown is the motion `δ` that the change of the forces makes (`space.rs`: `W = R C`).
//! `c` is the last point, `u₀ = W c + q` its response, `α` the compliance:
//!
//! ```text
//!   u = u₀ + R δ       û = u + μ|u_t| n       λ = P(c − û/α)
//!   G(δ) = δ − C (λ − c) = 0
//!   G'   = I + C D R        D = P' (I + μ n ê_tᵀ)/α        ê_t = u_t/|u_t|
//! ```
//!
//! Steps are halved until `|G|` falls. With `μ|u_t|` *frozen* at the slip of the last point the
//! problem is that of a convex function: it has an answer whatever the contacts do.

use crate::space::{Block, Element, NONE, Space, along, length, residual};
use crate::work::Work;

/// Steps of one iteration; of one with frozen slip.
const STEPS: usize = 30;
const FROZEN_STEPS: usize = 25;

/// Part of the predicted descent that a shortened step must reach, and how often it is halved.
const DESCENT: f64 = 1e-3;
const HALVINGS: usize = 8;

/// Steps in a row that do not bring `G` below this part of its least before it gives up.
const FALLS: f64 = 0.9;
const STALLS: usize = 3;

/// Whether `μ|u_t|` follows the motion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Slip {
    Free,
    Frozen,
}

/// A point, the problem around it, and what its solution needs.
pub(super) struct Point {
    /// α
    pub compliance: f64,
    /// c
    pub center: Vec<f64>,
    /// c of the point before.
    last: Vec<f64>,
    /// λ
    force: Vec<f64>,
    /// u₀
    base: Vec<f64>,
    /// u
    response: Vec<f64>,
    /// `μ|u_t|` of every element.
    slip: Vec<f64>,
    slopes: Vec<Block>,
    /// λ − c
    change: Vec<f64>,
    /// δ
    motion: Vec<f64>,
    /// −G
    rest: Vec<f64>,
    step: Vec<f64>,
    /// `R` times the step.
    felt: Vec<f64>,
    trial: Vec<f64>,
    /// Newton steps so far.
    pub steps: usize,
}

impl Point {
    pub(super) fn new<S: Space>(space: &S, compliance: f64, center: Vec<f64>) -> Self {
        let (rows, motions, elements) = (space.len(), space.motions(), space.elements().len());
        let mut point = Point {
            compliance,
            center,
            last: vec![0.0; rows],
            force: vec![0.0; rows],
            base: vec![0.0; rows],
            response: vec![0.0; rows],
            slip: vec![0.0; elements],
            slopes: vec![NONE; elements],
            change: vec![0.0; rows],
            motion: vec![0.0; motions],
            rest: vec![0.0; motions],
            step: vec![0.0; motions],
            felt: vec![0.0; rows],
            trial: vec![0.0; motions],
            steps: 0,
        };
        for element in space.elements() {
            let lawful = element.nearest(element.of(&point.center));
            element.set(&mut point.center, lawful);
        }
        point.settle(space);
        point
    }

    /// The natural map of the point, its response with twice the digits: all else is a difference
    /// from it, so that dividing by a small `α` does not enlarge rounding.
    fn settle<S: Space>(&mut self, space: &S) {
        space.exact_response(&self.center, &mut self.base);
        for (element, slip) in space.elements().iter().zip(&mut self.slip) {
            let [_, x, y] = element.of(&self.base);
            *slip = element.friction() * length(x, y);
        }
    }

    /// How far the point is from the laws.
    pub(super) fn residual<S: Space>(&self, space: &S) -> f64 {
        residual(space.elements(), &self.center, &self.base)
    }

    /// Makes the forces of the last iteration the next point.
    pub(super) fn advance<S: Space>(&mut self, space: &S) {
        std::mem::swap(&mut self.center, &mut self.last);
        self.center.copy_from_slice(&self.force);
        self.settle(space);
    }

    /// Goes back to the point before.
    pub(super) fn back<S: Space>(&mut self, space: &S) {
        std::mem::swap(&mut self.center, &mut self.last);
        self.settle(space);
    }

    /// Iterates from the point until no entry of `G` is larger than this; whether it got there.
    pub(super) fn solve<S: Space>(
        &mut self,
        space: &mut S,
        slip: Slip,
        tolerance: f64,
        work: &mut Work,
    ) -> bool {
        self.motion.fill(0.0);
        self.response.copy_from_slice(&self.base);
        let (mut least, mut stalls) = (f64::INFINITY, 0);
        let most = if slip == Slip::Free { STEPS } else { FROZEN_STEPS };
        for step in 0.. {
            let size = self.evaluate(space, slip);
            if size <= tolerance {
                return true;
            }
            stalls = if size > FALLS * least && slip == Slip::Free { stalls + 1 } else { 0 };
            least = least.min(size);
            if stalls > STALLS || step == most || work.is_spent() || !size.is_finite() {
                break;
            }
            space.charge_newton(work);
            self.steps += 1;
            if !space.factor(&self.slopes) {
                break;
            }
            self.step.copy_from_slice(&self.rest);
            space.solve_motion(&mut self.step);
            self.search(space, slip);
        }
        false
    }

    /// λ, D and −G at the motion; the largest entry of G.
    fn evaluate<S: Space>(&mut self, space: &S, slip: Slip) -> f64 {
        for (e, element) in space.elements().iter().enumerate() {
            let (c, u) = (element.of(&self.center), element.of(&self.response));
            let (heading, slope_of_slip) = self.heading(element, c, u, slip, e);
            let (force, mut slope) = element.nearest_with_slope(heading);
            for row in &mut slope {
                let first = row[0];
                let s = 1.0 / self.compliance;
                *row = [
                    first * s,
                    (row[1] + first * slope_of_slip[0]) * s,
                    (row[2] + first * slope_of_slip[1]) * s,
                ];
            }
            element.set(&mut self.force, force);
            element.set(&mut self.change, along(force, c, -1.0));
            self.slopes[e] = slope;
        }
        space.push(&self.change, &mut self.rest);
        let mut size = 0.0_f64;
        for (rest, motion) in self.rest.iter_mut().zip(&self.motion) {
            *rest -= motion;
            size = size.max(rest.abs());
        }
        size
    }

    /// `c − û/α` of one element, and `μ ê_t`.
    #[inline]
    fn heading(
        &self,
        element: &Element,
        c: [f64; 3],
        u: [f64; 3],
        slip: Slip,
        e: usize,
    ) -> ([f64; 3], [f64; 2]) {
        let stiffness = -1.0 / self.compliance;
        match slip {
            Slip::Frozen => (along(c, [u[0] + self.slip[e], u[1], u[2]], stiffness), [0.0; 2]),
            Slip::Free => {
                let (friction, speed) = (element.friction(), length(u[1], u[2]));
                let share = if speed > 0.0 { friction / speed } else { 0.0 };
                (
                    along(c, [u[0] + friction * speed, u[1], u[2]], stiffness),
                    [share * u[1], share * u[2]],
                )
            }
        }
    }

    /// λ − c of one element after a part of the step, and the change of its response by the step.
    #[inline]
    fn change_after(
        &self,
        element: &Element,
        e: usize,
        slip: Slip,
        part: f64,
    ) -> ([f64; 3], [f64; 3]) {
        let (c, du) = (element.of(&self.center), element.of(&self.felt));
        let u = along(element.of(&self.response), du, part);
        let force = element.nearest(self.heading(element, c, u, slip, e).0);
        (along(force, c, -1.0), du)
    }

    /// Takes the step, or a part of it.
    fn search<S: Space>(&mut self, space: &S, slip: Slip) {
        space.feel(&self.step, &mut self.felt);
        let part = match slip {
            Slip::Free => self.smallest(space),
            Slip::Frozen => self.lowest(space),
        };
        self.motion.iter_mut().zip(&self.step).for_each(|(x, s)| *x += part * s);
        space.feel(&self.motion, &mut self.response);
        self.response.iter_mut().zip(&self.base).for_each(|(u, b)| *u += b);
    }

    /// The step is halved until `|G|` falls; the best part if none descends enough.
    fn smallest<S: Space>(&mut self, space: &S) -> f64 {
        let start: f64 = self.rest.iter().map(|x| x * x).sum();
        let (mut best, mut size, mut part) = (1.0, f64::INFINITY, 1.0);
        for _ in 0..HALVINGS {
            let new = self.size_after(space, part);
            if new < size {
                (best, size) = (part, new);
            }
            if new <= (1.0 - DESCENT * part) * start {
                break;
            }
            part *= 0.5;
        }
        best
    }

    /// The part of the step at which the convex function is lowest, roughly: where its slope is
    /// small, by regula falsi and bisection in turn.
    fn lowest<S: Space>(&self, space: &S) -> f64 {
        let [first, last] = [0.0, 1.0].map(|part| self.slope_after(space, part));
        let known = first.is_finite() && last.is_finite();
        if !known || last <= 0.3 * first.abs() || first >= 0.0 {
            return 1.0;
        }
        let (mut low, mut high, mut part) = ((0.0, first), (1.0, last), 1.0);
        for k in 0..12 {
            let width = high.0 - low.0;
            let guess = if k % 3 == 2 {
                0.5 * (low.0 + high.0)
            } else {
                low.0 - low.1 * width / (high.1 - low.1)
            };
            part = guess.clamp(low.0 + 0.01 * width, high.0 - 0.01 * width);
            let slope = self.slope_after(space, part);
            if slope.abs() <= 0.1 * first.abs() || !slope.is_finite() {
                break;
            }
            if slope < 0.0 {
                low = (part, slope);
            } else {
                high = (part, slope);
            }
        }
        part
    }

    fn slope_after<S: Space>(&self, space: &S, part: f64) -> f64 {
        let moved = self.motion.iter().zip(&self.step);
        let mut slope: f64 = moved.map(|(x, s)| s * (x + part * s)).sum();
        for (e, element) in space.elements().iter().enumerate() {
            let (change, du) = self.change_after(element, e, Slip::Frozen, part);
            slope -= change[0] * du[0] + change[1] * du[1] + change[2] * du[2];
        }
        slope
    }

    /// `|G|²` after a part of the step.
    fn size_after<S: Space>(&mut self, space: &S, part: f64) -> f64 {
        for (e, element) in space.elements().iter().enumerate() {
            let (change, _) = self.change_after(element, e, Slip::Free, part);
            element.set(&mut self.change, change);
        }
        space.push(&self.change, &mut self.trial);
        let moved = self.motion.iter().zip(&self.step).map(|(x, s)| x + part * s);
        self.trial.iter().zip(moved).map(|(pushed, x)| (pushed - x) * (pushed - x)).sum()
    }
}

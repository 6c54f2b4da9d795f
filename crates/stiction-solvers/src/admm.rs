//! One factorisation and many cheap steps: the alternating direction method of
//! multipliers.
//!
//! Forces are held twice: `z` obeys the cones, `λ` the equations of motion. A spring
//! of stiffness ρ and a multiplier `w` pull the two together:
//!
//! ```text
//!   (W + ρ) (λ − z) = w − û(z),          û = W z + q + μ|w_t| n
//!   v = λ − w/ρ,   z = P(v),   w = ρ (z − v)
//! ```
//!
//! Where it comes to rest `λ = z` and `w = û`, which is Coulomb's law. The matrix is
//! the same in every step.
//!
//! A soft spring (small ρ) lets it leap: while contacts stick, a step is nearly the
//! answer to the problem without cones. Structures that stand are through after 10 to
//! 40 steps, at any size. Where contacts slide that never settles, and a stiff
//! spring is needed, with hundreds or thousands of steps.
//!
//! # Reference
//!
//! J. Carpentier, Q. Le Lidec, L. Montaut. *From compliant to rigid contact simulation: a
//! unified and efficient approach.* Robotics: Science and Systems (2024).

use crate::observer::{Event, Observer};
use crate::solver::{Call, Scaled};
use crate::space::{Goal, Iterated, Iterative, Space, length, residual};
use crate::work::Work;
use stiction_contact::Effort;

/// The method alone, with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Admm {
    /// Most steps.
    pub limit: usize,
    /// Stiffness of the spring to begin with: contacts are taken to stick.
    pub soft: f64,
    /// Steps with the soft spring.
    pub soft_steps: usize,
    /// After the first `trial_steps` of them the residual must be below `promising`, in units of
    /// the free motion, or another method is tried.
    pub trial_steps: usize,
    /// See `trial_steps`.
    pub promising: f64,
    /// Later the stiffness is set again every this many steps,
    pub steps_per_stiffness: usize,
    /// if force and response are off by parts that differ by more than this factor,
    pub unbalanced: f64,
    /// by this factor at most.
    pub largest_change: f64,
}

impl Default for Admm {
    fn default() -> Self {
        Admm {
            limit: 5_000,
            soft: 1e-4,
            soft_steps: 60,
            trial_steps: 30,
            promising: 0.1,
            steps_per_stiffness: 20,
            unbalanced: 9.0,
            largest_change: 30.0,
        }
    }
}

/// Where it is.
pub(crate) struct Split<'a, S: Space> {
    space: &'a mut S,
    settings: Admm,
    /// ρ
    stiffness: f64,
    /// z
    force: Vec<f64>,
    /// w
    multiplier: Vec<f64>,
    /// `W z + q`
    response: Vec<f64>,
    /// How far `λ − z` and `ρ` times the change of `z` were off in the last step.
    off: [f64; 2],
}

/// What it came to.
pub(crate) struct End {
    pub force: Vec<f64>,
    pub residual: f64,
    pub steps: usize,
}

impl<'a, S: Space> Split<'a, S> {
    /// With default settings.
    pub(crate) fn new(space: &'a mut S, start: Option<&[f64]>) -> Option<Self> {
        Split::with(Admm::default(), space, start)
    }

    /// From nothing, or from forces. Nothing if the factorisation fails.
    fn with(settings: Admm, space: &'a mut S, start: Option<&[f64]>) -> Option<Self> {
        let n = space.len();
        let mut force = start.map_or_else(|| vec![0.0; n], <[f64]>::to_vec);
        let (mut response, mut multiplier) = (vec![0.0; n], vec![0.0; n]);
        space.response(&force, &mut response);
        if start.is_some() {
            for element in space.elements() {
                // v as if ρ were 1.
                let (z, u) = (element.of(&force), element.of(&response));
                let slip = element.friction() * length(u[1], u[2]);
                let v = [z[0] - u[0] - slip, z[1] - u[1], z[2] - u[2]];
                let nearest = element.nearest(v);
                element.set(&mut force, nearest);
                element.set(&mut multiplier, [0, 1, 2].map(|k| nearest[k] - v[k]));
            }
            space.response(&force, &mut response);
        }
        let ready = space.factor_uniform(1.0 / settings.soft);
        let (stiffness, off) = (settings.soft, [0.0; 2]);
        let split = Split { space, settings, stiffness, force, multiplier, response, off };
        ready.then_some(split)
    }

    /// The soft spring, as long as that is promising.
    pub(crate) fn leap(
        mut self,
        goal: Goal<'_>,
        work: &mut Work,
        observer: &mut dyn Observer,
    ) -> End {
        let (set, mut steps) = (self.settings, 0);
        loop {
            let residual = self.look(goal);
            observer.event(Event::SplitStep { step: steps, residual });
            let hopeless = steps == set.trial_steps && residual > set.promising;
            let ends = hopeless || steps == set.soft_steps || work.is_spent();
            if residual <= goal.enough || ends {
                return End { force: self.force, residual, steps };
            }
            self.step(goal, work);
            steps += 1;
        }
    }

    /// To the end, with any spring.
    fn walk(mut self, goal: Goal<'_>, work: &mut Work, observer: &mut dyn Observer) -> End {
        let mut best = End { force: Vec::new(), residual: f64::INFINITY, steps: 0 };
        loop {
            let residual = self.look(goal);
            observer.event(Event::SplitStep { step: best.steps, residual });
            if residual < best.residual || best.steps == 0 {
                best = End { force: self.force.clone(), residual, ..best };
            }
            if residual <= goal.enough || best.steps >= self.settings.limit || work.is_spent() {
                return best;
            }
            self.step(goal, work);
            best.steps += 1;
            let due = best.steps.is_multiple_of(self.settings.steps_per_stiffness);
            if best.steps >= self.settings.soft_steps && due && !self.balance(work) {
                return best;
            }
        }
    }

    fn residual(&self) -> f64 {
        residual(self.space.elements(), &self.force, &self.response)
    }

    /// The residual; by the goal's own measure when it is small.
    fn look(&self, goal: Goal<'_>) -> f64 {
        match self.residual() {
            near if near <= goal.near => (goal.look)(&self.force),
            far => far,
        }
    }

    /// One step and the look at it.
    fn step(&mut self, goal: Goal<'_>, work: &mut Work) {
        work.charge(self.space.solve_work() + goal.look_work);
        let rho = self.stiffness;
        let mut change = vec![0.0; self.force.len()];
        for element in self.space.elements() {
            let (w, u) = (element.of(&self.multiplier), element.of(&self.response));
            let slip = element.friction() * length(w[1], w[2]);
            let off = [w[0] - u[0] - slip, w[1] - u[1], w[2] - u[2]];
            element.set(&mut change, off.map(|x| x / rho));
        }
        self.space.solve(&mut change);
        self.off = [0.0; 2];
        for element in self.space.elements() {
            let (z, w) = (element.of(&self.force), element.of(&self.multiplier));
            let dz = element.of(&change);
            let v = [0, 1, 2].map(|k| z[k] + dz[k] - w[k] / rho);
            let nearest = element.nearest(v);
            for k in 0..3 {
                self.off[0] = self.off[0].max((nearest[k] - z[k] - dz[k]).abs());
                self.off[1] = self.off[1].max(rho * (nearest[k] - z[k]).abs());
            }
            element.set(&mut self.force, nearest);
            element.set(&mut self.multiplier, [0, 1, 2].map(|k| rho * (nearest[k] - v[k])));
        }
        self.space.response(&self.force, &mut self.response);
    }

    /// Stiffens or softens the spring so that both errors are of one size; `false` if
    /// the factorisation fails.
    fn balance(&mut self, work: &mut Work) -> bool {
        let [force, response] = self.off;
        let ratio = force / response;
        let Admm { unbalanced, largest_change, .. } = self.settings;
        if !ratio.is_finite() || (1.0 / unbalanced..unbalanced).contains(&ratio) {
            return true;
        }
        self.stiffness *= ratio.sqrt().clamp(1.0 / largest_change, largest_change);
        self.space.charge_step(work);
        self.space.factor_uniform(1.0 / self.stiffness)
    }
}

impl Iterative for Admm {
    const NAME: &'static str = "admm";
    const APPROXIMATION: &'static str = "an iteration that may stop before it converges";

    fn iterate<S: Space>(&mut self, space: &mut S, goal: Goal<'_>, call: Scaled<'_>) -> Iterated {
        let Call { start, work, observer } = call;
        let nothing = vec![0.0; space.len()];
        let end = match Split::with(*self, space, start) {
            Some(split) => split.walk(goal, work, observer),
            None => End { force: nothing, residual: f64::INFINITY, steps: 0 },
        };
        let effort = Effort { pivots: end.steps, sweeps: end.steps, ..Effort::default() };
        Iterated::new(end.force, effort)
    }
}

//! One step of the interior point: predictor and corrector on one factorisation.
//!
//! With `H` from the scaling of every cone, the step `dx = q − H dz`, `dz = … − Gᵀ dy` leaves
//!
//! ```text
//!   G H Gᵀ dy + L dλ = …
//!   Lᵀ dy            = …
//! ```
//!
//! `program/metric.rs` holds `G H Gᵀ`; what it adds to the diagonal is taken back by iterative
//! refinement.

use super::Program;
use super::cone::{self, Scaling};
use super::metric::Metric;
use super::state::{Cones, Residual, State};
use crate::structure::{Six, add, dot};

/// Part of the way to the boundary of a cone that a step goes.
const SHORT_OF_BOUNDARY: f64 = 0.99;
/// Shortest step worth taking.
const SHORTEST: f64 = 1e-8;
/// Part of the complementarity that a step leaves at least, so that points stay centred.
const LEAST_CENTRING: f64 = 1e-10;

/// Buffers and matrices of the iteration.
pub(super) struct Newton {
    pub metric: Metric,
    /// `c` per unit of `x`, and `s`.
    pub cost: Cones,
    scalings: Vec<Scaling>,
    /// `(G H Gᵀ)⁻¹ L`, and the Schur complement `Lᵀ (G H Gᵀ)⁻¹ L`.
    load_answers: Vec<Vec<Six>>,
    schur: Vec<Vec<f64>>,
}

/// Right-hand side or solution: of the blocks, of the loads.
type Pair = (Vec<Six>, Vec<f64>);

/// What a step aims at: the right-hand sides of complementarity.
struct Target {
    cones: Cones,
    tau: f64,
}

impl Newton {
    pub(super) fn new(program: &Program<'_>) -> Self {
        let contacts = &program.structure.contacts;
        let metric = Metric::new(program.structure);
        let cost = metric.columns.iter().zip(contacts).zip(&program.cost);
        let blocks = program.right.len();
        let slacks = program.slack.map_or(vec![], |price| vec![[[price; 2]; 6]; blocks]);
        Newton {
            cost: Cones {
                contacts: cost
                    .map(|((column, contact), cost)| column.cost(contact, cost))
                    .collect(),
                slacks,
            },
            scalings: vec![Scaling::default(); contacts.len()],
            metric,
            load_answers: Vec::new(),
            schur: Vec::new(),
        }
    }

    /// `c·x + d·λ + s·r`
    pub(super) fn cost_of(&self, program: &Program<'_>, x: &Cones, loads: &[f64]) -> f64 {
        let loads = program.load_cost.iter().zip(loads).map(|(c, x)| c * x);
        self.cost.dot(x) + loads.sum::<f64>()
    }

    /// Moves the state by one step; `false` if no step can be taken.
    pub(super) fn advance(
        &mut self,
        program: &Program<'_>,
        state: &mut State,
        residual: &Residual,
    ) -> bool {
        self.scale(state);
        if !self.factor(program) {
            return false;
        }
        let homogeneous = self.homogeneous(program);
        let straight = self.target(state, 0.0, None);
        let predictor = self.step(program, state, residual, Some(&homogeneous), 1.0, &straight);
        let centring = (1.0 - self.reach(state, &predictor)).powi(3).clamp(LEAST_CENTRING, 1.0);
        let corrected = self.target(state, centring * state.gap(), Some(&predictor));
        let part = 1.0 - centring;
        let step = self.step(program, state, residual, Some(&homogeneous), part, &corrected);
        let length = SHORT_OF_BOUNDARY * self.reach(state, &step);
        length > SHORTEST && state.advance(length, &step)
    }

    /// One step to the point of the central path with the given complementarity, without
    /// residuals and at the present τ; `false` if no step can be taken.
    pub(super) fn centre(
        &mut self,
        program: &Program<'_>,
        state: &mut State,
        residual: &Residual,
        aim: f64,
    ) -> bool {
        self.scale(state);
        if !self.factor(program) {
            return false;
        }
        let target = self.target(state, aim, None);
        let step = self.step(program, state, residual, None, 1.0, &target);
        let reach = self.reach(state, &step);
        let length = if reach < 1.0 { SHORT_OF_BOUNDARY * reach } else { 1.0 };
        length > SHORTEST && state.advance(length, &step)
    }

    fn scale(&mut self, state: &State) {
        for (i, (x, z)) in state.x.contacts.iter().zip(&state.z.contacts).enumerate() {
            self.scalings[i] = Scaling::new(x, z);
            self.metric.squares[i] = self.scalings[i].square();
        }
        let square = |(x, z): (&[[f64; 2]; 6], &[[f64; 2]; 6])| {
            std::array::from_fn(|k| [x[k][0] / z[k][0], x[k][1] / z[k][1]])
        };
        self.metric.slack_squares =
            state.x.slacks.iter().zip(&state.z.slacks).map(square).collect();
    }

    /// Complementarity `aim`, with the second-order part of a predicted step.
    fn target(&self, state: &State, aim: f64, predictor: Option<&State>) -> Target {
        let contact = |i: usize| {
            let scaling = &self.scalings[i];
            let lambda = scaling.apply(&state.z.contacts[i]);
            let square = cone::product(&lambda, &lambda);
            let second = predictor.map_or([0.0; 3], |step| {
                let x = scaling.undo(&step.x.contacts[i]);
                cone::product(&x, &scaling.apply(&step.z.contacts[i]))
            });
            [aim - square[0] - second[0], -square[1] - second[1], -square[2] - second[2]]
        };
        let slack = |b: usize, k: usize, side: usize| {
            let of = |state: &State| state.x.slacks[b][k][side] * state.z.slacks[b][k][side];
            aim - of(state) - predictor.map_or(0.0, of)
        };
        let second = predictor.map_or(0.0, |step| step.tau * step.kappa);
        Target {
            cones: Cones::from_fn(&state.x, contact, slack),
            tau: aim - state.tau * state.kappa - second,
        }
    }

    /// The part of a step that is proportional to `dτ`.
    fn homogeneous(&mut self, program: &Program<'_>) -> Pair {
        let mut right = program.right.clone();
        self.metric.add_forces(&mut right, 1.0, &self.metric.square(&self.cost));
        self.solve(program, (right, program.load_cost.clone()))
    }

    /// The step that removes the part `part` of the residuals and meets the target.
    fn step(
        &mut self,
        program: &Program<'_>,
        state: &State,
        residual: &Residual,
        homogeneous: Option<&Pair>,
        part: f64,
        target: &Target,
    ) -> State {
        let mut base = self.base(state, target);
        base.add(-part, &self.metric.square(&residual.dual));
        let mut right: Vec<Six> = residual.primal.iter().map(|r| r.map(|r| part * r)).collect();
        self.metric.add_forces(&mut right, -1.0, &base);
        let load_right = residual.load.iter().map(|r| part * r).collect();
        let mut particular = self.solve(program, (right, load_right));

        // dx = dx₁ + dx₂ dτ
        let mut x = self.metric.square(&self.metric.slips(&particular.0, &state.x));
        x.add(1.0, &base);
        let mut tau = 0.0;
        if let Some(homogeneous) = homogeneous {
            let mut beside = self.metric.square(&self.metric.slips(&homogeneous.0, &state.x));
            beside.add(-1.0, &self.metric.square(&self.cost));
            let value = |x: &Cones, (y, loads): &Pair| {
                self.cost_of(program, x, loads) - dot(&program.right, y)
            };
            let top = part * residual.gap + target.tau / state.tau + value(&x, &particular);
            tau = top / (state.kappa / state.tau - value(&beside, homogeneous));
            x.add(tau, &beside);
            let (y, loads) = &mut particular;
            y.iter_mut().zip(&homogeneous.0).for_each(|(y, h)| add(y, tau, h));
            loads.iter_mut().zip(&homogeneous.1).for_each(|(l, h)| *l += tau * h);
        }
        // dz = part r − Gᵀ dy + c dτ
        let (y, loads) = particular;
        let mut z = self.metric.slips(&y, &state.x);
        z.add(-2.0, &z.clone());
        z.add(part, &residual.dual);
        z.add(tau, &self.cost);
        let kappa = homogeneous.map_or(0.0, |_| (target.tau - state.kappa * tau) / state.tau);
        State { x, z, loads, y, tau, kappa }
    }

    /// `q = W (λ \ target)`, in the space of x.
    fn base(&self, state: &State, target: &Target) -> Cones {
        let contact = |i: usize| {
            let scaling = &self.scalings[i];
            let lambda = scaling.apply(&state.z.contacts[i]);
            scaling.apply(&cone::quotient(&lambda, &target.cones.contacts[i]))
        };
        let slack = |b: usize, k: usize, side: usize| {
            target.cones.slacks[b][k][side] / state.z.slacks[b][k][side]
        };
        Cones::from_fn(&state.x, contact, slack)
    }

    /// The longest step up to 1 that leaves no cone.
    fn reach(&self, state: &State, step: &State) -> f64 {
        let mut reach = 1.0_f64;
        for (i, scaling) in self.scalings.iter().enumerate() {
            let lambda = scaling.apply(&state.z.contacts[i]);
            reach = reach.min(cone::step(&lambda, &scaling.undo(&step.x.contacts[i])));
            reach = reach.min(cone::step(&lambda, &scaling.apply(&step.z.contacts[i])));
        }
        let slacks = |cones: &Cones| cones.slacks.clone().into_flattened().into_flattened();
        let rays = [(&state.x, &step.x), (&state.z, &step.z)];
        let rays = rays.into_iter().flat_map(|(x, d)| slacks(x).into_iter().zip(slacks(d)));
        let rest = [(state.tau, step.tau), (state.kappa, step.kappa)];
        let bounds = rays.chain(rest).filter(|(_, d)| *d < 0.0).map(|(x, d)| -x / d);
        bounds.fold(reach, f64::min)
    }
}

/// The linear system of a step.
impl Newton {
    /// Factors `G H Gᵀ` and the Schur complement of the loads.
    fn factor(&mut self, program: &Program<'_>) -> bool {
        if !self.metric.factor() {
            return false;
        }
        self.load_answers.clone_from(&program.loads);
        for k in 0..self.load_answers.len() {
            let mut answer = std::mem::take(&mut self.load_answers[k]);
            self.metric.refined(&mut answer);
            self.load_answers[k] = answer;
        }
        let row = |load: &Vec<Six>| self.load_answers.iter().map(|a| dot(load, a)).collect();
        self.schur = program.loads.iter().map(row).collect();
        true
    }

    /// Solves `[G H Gᵀ, L; Lᵀ, 0]` for a vector.
    fn solve(&mut self, program: &Program<'_>, (mut top, bottom): Pair) -> Pair {
        self.metric.refined(&mut top);
        let right = program.loads.iter().zip(&bottom).map(|(load, b)| dot(load, &top) - b);
        let loads = gauss(self.schur.clone(), right.collect());
        for (answer, &factor) in self.load_answers.iter().zip(&loads) {
            top.iter_mut().zip(answer).for_each(|(t, a)| add(t, -factor, a));
        }
        (top, loads)
    }
}

/// A small dense system, by elimination with row exchanges; zero pivots leave zeros.
fn gauss(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let best =
            (k..n).fold(k, |best, r| if a[r][k].abs() > a[best][k].abs() { r } else { best });
        a.swap(k, best);
        b.swap(k, best);
        if a[k][k] == 0.0 {
            continue;
        }
        for r in k + 1..n {
            let factor = a[r][k] / a[k][k];
            (k..n).for_each(|c| a[r][c] -= factor * a[k][c]);
            b[r] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let rest: f64 = (k + 1..n).map(|c| a[k][c] * b[c]).sum();
        b[k] = if a[k][k] == 0.0 { 0.0 } else { (b[k] - rest) / a[k][k] };
    }
    b
}

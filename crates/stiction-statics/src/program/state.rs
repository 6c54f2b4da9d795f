//! A point of the embedding, and what is left of its equations there.

use super::cone::{self, Point};
use super::newton::Newton;
use super::{End, Program, USABLE};
use crate::structure::{Six, add, dot, largest};

/// Weight of the primal residual beside gap and dual residual: the last step removes it
/// (`Program::centred`), so that it need not be small before.
const PRIMAL: f64 = 1e-3;

/// One number for every variable in a cone.
#[derive(Clone, Default)]
pub(super) struct Cones {
    pub contacts: Vec<Point>,
    /// Of `r = r⁺ − r⁻`, per block and row; empty without slack.
    pub slacks: Vec<[[f64; 2]; 6]>,
}

impl Cones {
    /// Every contact and every slack by its number.
    pub(super) fn from_fn(
        like: &Cones,
        contact: impl Fn(usize) -> Point,
        slack: impl Fn(usize, usize, usize) -> f64,
    ) -> Self {
        let row = |b| std::array::from_fn(|k| std::array::from_fn(|side| slack(b, k, side)));
        Cones {
            contacts: (0..like.contacts.len()).map(contact).collect(),
            slacks: (0..like.slacks.len()).map(row).collect(),
        }
    }

    pub(super) fn numbers(&self) -> impl Iterator<Item = &f64> {
        self.contacts.iter().flatten().chain(self.slacks.iter().flatten().flatten())
    }

    pub(super) fn dot(&self, other: &Cones) -> f64 {
        self.numbers().zip(other.numbers()).map(|(x, z)| x * z).sum()
    }

    /// `self + factor · other`
    pub(super) fn add(&mut self, factor: f64, other: &Cones) {
        let contacts = self.contacts.iter_mut().flatten().zip(other.contacts.iter().flatten());
        contacts.for_each(|(x, d)| *x += factor * d);
        let slacks = self.slacks.iter_mut().flatten().flatten();
        slacks.zip(other.slacks.iter().flatten().flatten()).for_each(|(x, d)| *x += factor * d);
    }

    pub(super) fn slack_sum(&self) -> f64 {
        self.slacks.iter().flatten().flatten().sum()
    }

    fn inside(&self) -> bool {
        self.contacts.iter().all(cone::inside)
            && self.slacks.iter().flatten().flatten().all(|x| x.is_finite() && *x > 0.0)
    }
}

/// A point of the embedding, or a direction.
#[derive(Clone)]
pub(super) struct State {
    pub x: Cones,
    pub z: Cones,
    pub loads: Vec<f64>,
    /// `−v`
    pub y: Vec<Six>,
    pub tau: f64,
    pub kappa: f64,
}

impl State {
    /// Where the iteration begins: the middle of every cone.
    pub(super) fn new(program: &Program<'_>) -> Self {
        let slacks = if program.slack.is_some() { program.right.len() } else { 0 };
        let middle = Cones {
            contacts: vec![[1.0, 0.0, 0.0]; program.cost.len()],
            slacks: vec![[[1.0; 2]; 6]; slacks],
        };
        State {
            x: middle.clone(),
            z: middle,
            loads: vec![0.0; program.loads.len()],
            y: vec![[0.0; 6]; program.right.len()],
            tau: 1.0,
            kappa: 1.0,
        }
    }

    /// The mean complementarity.
    pub(super) fn gap(&self) -> f64 {
        let count = self.x.contacts.len() + 12 * self.x.slacks.len() + 1;
        (self.x.dot(&self.z) + self.tau * self.kappa) / count as f64
    }

    /// Adds a part of a direction; `false`, and nothing is added, if that leaves a cone.
    pub(super) fn advance(&mut self, length: f64, step: &State) -> bool {
        let before = self.clone();
        self.x.add(length, &step.x);
        self.z.add(length, &step.z);
        self.loads.iter_mut().zip(&step.loads).for_each(|(x, d)| *x += length * d);
        self.y.iter_mut().zip(&step.y).for_each(|(x, d)| add(x, length, d));
        self.tau += length * step.tau;
        self.kappa += length * step.kappa;
        let inside = self.x.inside()
            && self.z.inside()
            && self.tau > 0.0
            && self.kappa > 0.0
            && largest(&self.y).is_finite();
        if !inside {
            *self = before;
        }
        inside
    }
}

/// What is left of the equations of the embedding at a point.
pub(super) struct Residual {
    /// `b τ − G x − L λ − r`
    pub primal: Vec<Six>,
    /// `c τ − Gᵀ y − z`, and `s τ ∓ y − z` of the slacks.
    pub dual: Cones,
    /// `d τ − Lᵀ y`
    pub load: Vec<f64>,
    /// `κ + c·x + d·λ + s·r − b·y`
    pub gap: f64,
    /// `c·x + d·λ + s·r` and `b·y`.
    values: [f64; 2],
}

impl Residual {
    pub(super) fn new(program: &Program<'_>, newton: &Newton, state: &State) -> Self {
        let tau = state.tau;
        let mut primal: Vec<Six> = program.right.iter().map(|b| b.map(|b| b * tau)).collect();
        newton.metric.add_forces(&mut primal, -1.0, &state.x);
        for (load, &factor) in program.loads.iter().zip(&state.loads) {
            primal.iter_mut().zip(load).for_each(|(p, l)| add(p, -factor, l));
        }
        let mut dual = newton.metric.slips(&state.y, &state.x);
        let left = Cones::from_fn(
            &state.x,
            |i| std::array::from_fn(|k| newton.cost.contacts[i][k] * tau),
            |b, k, side| newton.cost.slacks[b][k][side] * tau,
        );
        dual.add(1.0, &state.z);
        let mut rest = left;
        rest.add(-1.0, &dual);
        let load = program.loads.iter().zip(&program.load_cost);
        let load = load.map(|(l, d)| d * tau - dot(l, &state.y)).collect();
        let values =
            [newton.cost_of(program, &state.x, &state.loads), dot(&program.right, &state.y)];
        let gap = state.kappa + values[0] - values[1];
        Residual { primal, dual: rest, load, gap, values }
    }

    /// The largest residual of the equations per unit of τ.
    pub(super) fn size(&self, state: &State) -> f64 {
        largest(&self.primal).max(self.dual_size()) / state.tau
    }

    fn dual_size(&self) -> f64 {
        self.dual.numbers().chain(&self.load).fold(0.0, |most, x| most.max(x.abs()))
    }

    /// The distance from a solution, or from the nearest proof that there is none.
    pub(super) fn merit(&self, program: &Program<'_>, state: &State) -> f64 {
        self.solved(program, state).min(self.infeasible(state)).min(self.unbounded(state))
    }

    /// The relative gap, and residuals beside it.
    pub(super) fn solved(&self, program: &Program<'_>, state: &State) -> f64 {
        let tau = state.tau;
        let [primal, dual] = self.values.map(|value| value / tau);
        let costs = program.load_cost.iter().chain(program.cost.iter().flatten());
        let cost = costs.fold(program.slack.unwrap_or(0.0), |most, c| most.max(c.abs()));
        let gap = (primal - dual).abs() / (1.0 + primal.abs().min(dual.abs()));
        let primal = largest(&self.primal) / (tau * (1.0 + largest(&program.right)));
        let dual = self.dual_size() / (tau * (1.0 + cost));
        gap.max(primal * PRIMAL).max(dual)
    }

    /// `Gᵀ y + z = 0, b·y > 0`
    fn infeasible(&self, state: &State) -> f64 {
        let power = self.values[1];
        if power <= 0.0 || state.tau > state.kappa {
            return f64::INFINITY;
        }
        (self.dual_size() + state.tau) / power
    }

    /// `G x + L λ = 0, c·x + d·λ < 0`
    fn unbounded(&self, state: &State) -> f64 {
        let gain = -self.values[0];
        if gain <= 0.0 || state.tau > state.kappa {
            return f64::INFINITY;
        }
        (largest(&self.primal) + state.tau) / gain
    }

    /// How the iteration ended, and the unit of the solution or of the ray.
    pub(super) fn end(&self, program: &Program<'_>, state: &State) -> (End, f64) {
        let solved = self.solved(program, state);
        let (infeasible, unbounded) = (self.infeasible(state), self.unbounded(state));
        let judged = |error: f64, end| if error < USABLE { end } else { End::Stalled };
        if solved <= infeasible.min(unbounded) {
            (judged(solved, End::Solved), state.tau)
        } else if infeasible <= unbounded {
            (judged(infeasible, End::Infeasible), self.values[1])
        } else {
            (judged(unbounded, End::Unbounded), -self.values[0])
        }
    }
}

//! The cone programs of statics, by an interior point of our own:
//!
//! ```text
//!   minimise  c·f + d·λ (+ s |r|₁)   with  G f + L λ (+ r) = b,  |f_t| ≤ μ f_n at every contact
//!   maximise  −b·v                   with  u = Gᵀ v + c in the dual cones, Lᵀ v = −d (, |v| ≤ s)
//! ```
//!
//! The dual cone of a contact is `u_n ≥ μ |u_t|`. The homogeneous self-dual embedding finds a
//! solution or proves that there is none; a Newton step needs one sparse factorisation of
//! `G H Gᵀ` over the graph of the blocks (`program/newton.rs`).
//!
//! # Reference
//!
//! L. Vandenberghe. *The CVXOPT linear and quadratic cone program solvers*, 2010; here with the
//! embedding of Ye, Todd and Mizuno.

mod cone;
mod metric;
mod newton;
mod state;

use crate::structure::{Contact, Six, Structure};
use cone::Point;
use glam::DVec3;
pub(crate) use metric::Metric;
use newton::Newton;
use state::{Residual, State};

/// Relative gap that rounding allows.
pub(crate) const ACCURATE: f64 = 1e-12;
/// Relative gap that is enough for forces that carry a load, or a motion that proves that none do.
pub(crate) const DECIDED: f64 = 1e-7;
/// Relative residuals and gap with which an answer is worth a look.
const USABLE: f64 = 1e-6;
/// Most Newton steps; a typical program needs 10 to 30.
const MOST_STEPS: usize = 100;
/// Residual at which the equations hold as well as rounding allows.
const EXACT: f64 = 1e-11;
/// Factors on the complementarity at which a point without residuals is looked for.
const LOOSER: [f64; 4] = [1.0, 10.0, 100.0, 1000.0];
/// Relative gap at which the central path is joined.
const START_OF_PATH: f64 = 1e-4;
/// Relative gap at which it is left.
const END_OF_PATH: f64 = 1e-11;
/// Most points of it.
const MOST_POINTS: usize = 16;
/// Residual beside it, as a part of the complementarity: far inside the cones.
const PART_OF_AIM: f64 = 1e-2;
/// Part of the complementarity that a step along the path leaves.
const TIGHTER: f64 = 0.1;
/// Most steps at each.
const MOST_CENTRING_STEPS: usize = 8;
/// Steps without progress after which the iteration ends.
const PATIENCE: usize = 6;

/// A cone program over the contacts of a structure.
#[derive(Clone)]
pub(crate) struct Program<'a> {
    pub structure: &'a Structure,
    /// `b`
    pub right: Vec<Six>,
    /// The columns of `L`.
    pub loads: Vec<Vec<Six>>,
    /// `d`
    pub load_cost: Vec<f64>,
    /// `c`, in the axes of each contact: normal and two tangents.
    pub cost: Vec<Point>,
    /// `s`, if forces `r` may help at every block at this price.
    pub slack: Option<f64>,
    /// Relative gap at which the iteration ends.
    pub accuracy: f64,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Forces and motion are close to optimal.
    Solved,
    /// No forces exist; the motion is a ray with `−b·v = 1`.
    Infeasible,
    /// The cost falls without bound along the forces and loads.
    Unbounded,
    /// None of it to a usable accuracy.
    Stalled,
}

/// The end of a program.
#[derive(Clone)]
pub(crate) struct Solution {
    pub end: End,
    /// Forces on the first block of each contact, world axes.
    pub forces: Vec<DVec3>,
    pub loads: Vec<f64>,
    /// `v`
    pub motion: Vec<Six>,
    /// `|r|₁`
    pub slack: f64,
}

impl<'a> Program<'a> {
    /// Forces that carry `weight` with the least sum of normal forces.
    pub(crate) fn carry(structure: &'a Structure, weight: &[Six]) -> Self {
        let right = weight.iter().map(|w| w.map(|x| -x)).collect();
        let cost = vec![[1.0, 0.0, 0.0]; structure.contacts.len()];
        Program {
            structure,
            right,
            loads: Vec::new(),
            load_cost: Vec::new(),
            cost,
            slack: None,
            accuracy: DECIDED,
        }
    }

    /// The largest `direction·λ` of loads that are carried with `weight`.
    pub(crate) fn carry_most(
        structure: &'a Structure,
        weight: &[Six],
        loads: Vec<Vec<Six>>,
        direction: &[f64],
    ) -> Self {
        let load_cost = direction.iter().map(|x| -x).collect();
        let cost = vec![[0.0; 3]; structure.contacts.len()];
        Program { loads, load_cost, cost, accuracy: ACCURATE, ..Self::carry(structure, weight) }
    }

    /// Solutions in the order in which they cost more: the end of the interior point, the end of its
    /// path without residuals, and both again with another regularisation. A caller takes the first whose witness is accepted.
    pub(crate) fn attempts(&self) -> impl Iterator<Item = Solution> {
        let mut newton = Newton::new(self);
        let mut raw = None;
        let singular = self.is_singular();
        (0..4).filter_map(move |attempt| {
            if attempt % 2 == 0 {
                newton.metric.regularise((attempt == 0) == singular);
            }
            if attempt % 2 == 0 {
                raw = Some(self.attempt(&mut newton));
                return raw.as_ref().map(|state| self.ended(&newton, state));
            }
            let state = raw.take()?;
            let (end, _) = Residual::new(self, &newton, &state).end(self, &state);
            let state =
                (end == End::Solved).then(|| self.followed(&mut newton, &state)).flatten()?;
            Some(self.ended(&newton, &state))
        })
    }

    /// One solution, with as little of the equations left as can be.
    pub(crate) fn solve(&self) -> Option<Solution> {
        let mut attempts = self.attempts();
        let first = attempts.next()?;
        if first.end == End::Solved { attempts.next().or(Some(first)) } else { Some(first) }
    }

    /// Points of the central path at which the equations hold to much less than the distance from the end, from
    /// one well inside the cones to as close to the end as they do; none if the program does not seem to
    /// have a solution.
    pub(crate) fn path(&self) -> Vec<Solution> {
        let mut newton = Newton::new(self);
        let singular = self.is_singular();
        let rough = Program { accuracy: START_OF_PATH, ..self.clone() };
        let mut points = Vec::new();
        for safely in [singular, !singular] {
            newton.metric.regularise(safely);
            let state = rough.attempt(&mut newton);
            if Residual::new(self, &newton, &state).solved(self, &state) > START_OF_PATH {
                continue;
            }
            let gap = state.gap();
            let mut point = LOOSER
                .iter()
                .find_map(|factor| self.beside_path(&mut newton, &state, factor * gap));
            for _ in 0..MOST_POINTS {
                let Some(state) = point else { break };
                points.push(Solution {
                    end: End::Solved,
                    ..Self::finish(&newton, &state, state.tau)
                });
                if Residual::new(self, &newton, &state).solved(self, &state) <= END_OF_PATH {
                    return points;
                }
                point = self.beside_path(&mut newton, &state, TIGHTER * state.gap());
            }
        }
        points
    }

    /// A point close to the central path: the equations hold to a part of the complementarity.
    fn beside_path(&self, newton: &mut Newton, state: &State, aim: f64) -> Option<State> {
        self.centred(newton, state, aim, EXACT.max(PART_OF_AIM * aim))
    }

    /// Without friction, blocks can slide freely.
    fn is_singular(&self) -> bool {
        self.structure.contacts.iter().any(|contact| contact.friction == 0.0)
    }

    /// One run of the interior point: its best point.
    fn attempt(&self, newton: &mut Newton) -> State {
        let mut state = State::new(self);
        let (mut best, mut best_merit) = (state.clone(), f64::INFINITY);
        let (mut steps, mut waited) = (0, 0);
        while steps < MOST_STEPS {
            let residual = Residual::new(self, newton, &state);
            let merit = residual.merit(self, &state);
            waited = if merit < 0.5 * best_merit { 0 } else { waited + 1 };
            if merit < best_merit {
                (best, best_merit) = (state.clone(), merit);
            }
            if best_merit < self.accuracy || waited > PATIENCE {
                break;
            }
            if !newton.advance(self, &mut state, &residual) {
                break;
            }
            steps += 1;
        }
        best
    }

    /// Goes from a point near a solution to the point of the central path beside it at which the
    /// equations hold to rounding, and follows the path while they do: forces and motion lie
    /// strictly inside their cones.
    fn followed(&self, newton: &mut Newton, state: &State) -> Option<State> {
        let gap = state.gap();
        let mut best =
            LOOSER.iter().find_map(|factor| self.centred(newton, state, factor * gap, EXACT))?;
        for _ in 0..MOST_STEPS {
            if Residual::new(self, newton, &best).solved(self, &best) <= self.accuracy {
                break;
            }
            let Some(next) = self.centred(newton, &best, TIGHTER * best.gap(), EXACT) else {
                break;
            };
            best = next;
        }
        Some(best)
    }

    /// The point of the central path with this complementarity, if the equations hold there well enough.
    fn centred(&self, newton: &mut Newton, state: &State, aim: f64, enough: f64) -> Option<State> {
        let mut trial = state.clone();
        let mut last = f64::INFINITY;
        for round in 0..MOST_CENTRING_STEPS {
            let residual = Residual::new(self, newton, &trial);
            let size = residual.size(&trial);
            if size < enough && round > 0 {
                return Some(trial);
            }
            if size > 0.9 * last && round > 3 {
                return None;
            }
            last = size;
            if !newton.centre(self, &mut trial, &residual, aim) {
                return None;
            }
        }
        None
    }

    fn ended(&self, newton: &Newton, state: &State) -> Solution {
        let (end, unit) = Residual::new(self, newton, state).end(self, state);
        Solution { end, ..Self::finish(newton, state, unit) }
    }

    /// A state per unit of itself.
    fn finish(newton: &Newton, state: &State, unit: f64) -> Solution {
        let columns = &newton.metric.columns;
        let forces =
            columns.iter().zip(&state.x.contacts).map(|(column, x)| column.force(x) / unit);
        Solution {
            end: End::Stalled,
            forces: forces.collect(),
            loads: state.loads.iter().map(|x| x / unit).collect(),
            motion: state.y.iter().map(|y| y.map(|y| -y / unit)).collect(),
            slack: state.x.slack_sum() / unit,
        }
    }
}

impl Solution {
    /// This solution with a part of another one mixed in.
    pub(crate) fn mixed(&self, other: &Solution, part: f64) -> Solution {
        let mix = |a: f64, b: f64| a + part * (b - a);
        let forces = self.forces.iter().zip(&other.forces);
        let motion = self.motion.iter().zip(&other.motion);
        Solution {
            forces: forces.map(|(a, b)| *a + (*b - *a) * part).collect(),
            loads: self.loads.iter().zip(&other.loads).map(|(a, b)| mix(*a, *b)).collect(),
            motion: motion.map(|(a, b)| std::array::from_fn(|k| mix(a[k], b[k]))).collect(),
            ..self.clone()
        }
    }
}

/// A contact as columns of the program, balanced so that its cone is `x₀ ≥ |(x₁, x₂)|`:
/// `x = (√μ f_n, f_t/√μ)`.
#[derive(Clone, Copy, Debug)]
struct Column {
    blocks: [usize; 2],
    arms: [DVec3; 2],
    axes: [DVec3; 3],
}

impl Column {
    fn new(contact: &Contact) -> Self {
        let root = contact.friction.sqrt();
        let [normal, first, second] = contact.axes;
        let axes = if contact.friction > 0.0 {
            [normal / root, first * root, second * root]
        } else {
            [normal, DVec3::ZERO, DVec3::ZERO]
        };
        Column { blocks: contact.blocks, arms: contact.arms, axes }
    }

    /// The force of `x`.
    fn force(&self, x: &Point) -> DVec3 {
        self.axes[0] * x[0] + self.axes[1] * x[1] + self.axes[2] * x[2]
    }

    /// `x` of a force.
    fn coordinates(&self, force: DVec3) -> Point {
        let part = |axis: DVec3| match axis.length_squared() {
            0.0 => 0.0,
            square => axis.dot(force) / square,
        };
        self.axes.map(part)
    }

    /// `Gᵀ` of a velocity.
    fn along(&self, u: DVec3) -> Point {
        self.axes.map(|axis| axis.dot(u))
    }

    /// A cost per unit of force in the axes of the contact, per unit of `x`.
    fn cost(&self, contact: &Contact, cost: &Point) -> Point {
        std::array::from_fn(|k| cost[k] * self.axes[k].dot(contact.axes[k]))
    }
}

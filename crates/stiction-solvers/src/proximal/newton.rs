//! Semismooth Newton on `u = (W + α) λ + q − α c` with the laws of contact.
//!
//! ```text
//!   z = λ − u
//!   z_n ≤ 0          open     λ = 0
//!   |z_t| ≤ ρ        stick    u = 0                          ρ = μ λ_n
//!   otherwise        slip     u_n = 0,  λ_t = ρ z_t/|z_t|
//! ```
//!
//! Linearised, the functions of one element change by `A du + B dλ`, and `du` by
//! `W dλ + α dλ`: with `D = (B + α A)⁻¹ A` that is the system of `space.rs`.

use crate::space::{Block, Element, Law, QUICK, Space, UNIT, inverse, product, times};
use crate::work::Work;

/// Steps of one iteration.
const STEPS: usize = 40;

/// Residual, in units where the free motion is 1, at which it has arrived.
const DONE: f64 = 1e-11;

/// Part of the predicted descent that a shortened step must reach (Armijo), and
/// how often it is halved.
const DESCENT: f64 = 1e-4;
const HALVINGS: usize = 12;

/// Steps in a row without descent before it gives up.
const STALLS: usize = 4;

pub(super) struct Newton<'a, S: Space> {
    space: &'a mut S,
    center: &'a [f64],
    shift: f64,
    pub(super) steps: usize,
    pub(super) work: f64,
}

/// The functions of an element, and how they change with responses and forces.
struct Functions {
    value: [f64; 3],
    by_response: Block,
    by_force: Block,
}

impl Functions {
    fn held(response: [f64; 3]) -> Self {
        Functions { value: response, by_response: UNIT, by_force: [[0.0; 3]; 3] }
    }

    fn given(off: [f64; 3]) -> Self {
        Functions { value: off, by_response: [[0.0; 3]; 3], by_force: UNIT }
    }
}

/// The functions of Alart and Curnier.
fn functions(element: &Element, r: [f64; 3], u: [f64; 3]) -> Functions {
    let z = [0, 1, 2].map(|k| r[k] - u[k]);
    let mu = match element.law {
        Law::Bilateral => return Functions::held(u),
        Law::Bounded { lower, upper } => {
            let within = z[0].clamp(lower, upper);
            let off = [r[0] - within, 0.0, 0.0];
            return if z[0] == within { Functions::held(u) } else { Functions::given(off) };
        }
        Law::Contact { friction } => friction,
    };
    if z[0] <= 0.0 {
        return Functions::given(r);
    }
    let (length, limit) = (z[1].hypot(z[2]), mu * r[0].max(0.0));
    if length <= limit || element.rows == 1 {
        return Functions::held(u);
    }
    let mut slip = Functions::held([u[0], 0.0, 0.0]);
    let unit = [z[1] / length, z[2] / length];
    // λ_t − ρ z_t/|z_t|,  dz = dλ − du
    let slope = if r[0] > 0.0 { mu } else { 0.0 };
    for k in 0..2 {
        slip.value[k + 1] = r[k + 1] - limit * unit[k];
        slip.by_force[k + 1][0] = -slope * unit[k];
        for l in 0..2 {
            let same = if k == l { 1.0 } else { 0.0 };
            let across = limit / length * (same - unit[k] * unit[l]);
            slip.by_response[k + 1][l + 1] = across;
            slip.by_force[k + 1][l + 1] = same - across;
        }
    }
    slip
}

impl<'a, S: Space> Newton<'a, S> {
    pub(super) fn new(space: &'a mut S, center: &'a [f64], shift: f64) -> Self {
        Newton { space, center, shift, steps: 0, work: 0.0 }
    }

    /// Iterates from given forces, one step at least; says whether it arrived.
    pub(super) fn solve(&mut self, mut force: Vec<f64>, work: &mut Work) -> (Vec<f64>, bool) {
        let mut size = self.size(&force);
        let mut best = (force.clone(), size);
        let mut stalls = 0;
        for round in 0..STEPS {
            if (best.1 <= DONE && round > 0) || stalls > STALLS || work.is_spent() {
                break;
            }
            self.space.charge_step(work);
            self.steps += 1;
            let Some(step) = self.step(&force) else { break };
            (force, size) = self.search(&force, &step, size);
            if size < best.1 {
                stalls = if size < 0.9 * best.1 { 0 } else { stalls + 1 };
                best = (force.clone(), size);
            } else {
                stalls += 1;
            }
        }
        let arrived = best.1 <= DONE;
        (best.0, arrived)
    }

    /// Backtracking; the best length if none descends enough.
    fn search(&self, force: &[f64], step: &[f64], size: f64) -> (Vec<f64>, f64) {
        let mut best = (Vec::new(), f64::INFINITY);
        let mut length = 1.0;
        for _ in 0..HALVINGS {
            let moved: Vec<f64> = force.iter().zip(step).map(|(f, s)| f + length * s).collect();
            let new = self.size(&moved);
            if new < best.1 || best.0.is_empty() {
                best = (moved, new);
            }
            if new <= (1.0 - DESCENT * length) * size {
                break;
            }
            length *= 0.5;
        }
        best
    }

    fn response(&self, force: &[f64]) -> Vec<f64> {
        let mut response = vec![0.0; force.len()];
        self.space.response(force, &mut response);
        for (u, (r, c)) in response.iter_mut().zip(force.iter().zip(self.center)) {
            *u += self.shift * (r - c);
        }
        response
    }

    /// The norm of all functions.
    fn size(&self, force: &[f64]) -> f64 {
        let response = self.response(force);
        let square = |e: &Element| {
            let value = functions(e, e.of(force), e.of(&response)).value;
            value[..e.rows].iter().map(|x| x * x).sum::<f64>()
        };
        self.space.elements().iter().map(square).sum::<f64>().sqrt()
    }

    /// The Newton step.
    fn step(&mut self, force: &[f64]) -> Option<Vec<f64>> {
        let response = self.response(force);
        let mut step = vec![0.0; force.len()];
        let mut d = Vec::with_capacity(self.space.elements().len());
        for element in self.space.elements() {
            let f = functions(element, element.of(force), element.of(&response));
            let both = |i: usize, j: usize| f.by_force[i][j] + self.shift * f.by_response[i][j];
            let inverse = inverse(&[0, 1, 2].map(|i| [0, 1, 2].map(|j| both(i, j))));
            element.set(&mut step, times(&inverse, f.value).map(|x| -x));
            d.push(product(&inverse, &f.by_response));
        }
        let [factor, sweep] = self.space.work();
        self.work += QUICK * factor + sweep;
        if !self.space.factor(&d) {
            return None;
        }
        self.space.solve(&mut step);
        step.iter().all(|x| x.is_finite()).then_some(step)
    }
}

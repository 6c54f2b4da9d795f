//! From forces that are near: Newton on the functions of Alart and Curnier.
//!
//! ```text
//!   z = λ − u
//!   z_n ≤ 0          open     λ = 0
//!   |z_t| ≤ ρ        stick    u = 0                          ρ = μ λ_n
//!   otherwise        slip     u_n = 0,  λ_t = ρ z_t/|z_t|
//! ```
//!
//! Linearised, the functions of one element change by `A du + B dλ`, and `du` by
//! `W dλ + α dλ`, where a small compliance `α` keeps redundant contacts regular: with
//! `D = (B + α A)⁻¹ A` that is the system of `space.rs`. Steps are full: where they do not
//! arrive soon, proximal points follow.

use crate::space::{Block, Element, Law, NONE, Space, UNIT, inverse, product, times};

/// α
const COMPLIANCE: f64 = 1e-7;

/// The functions of an element, and how they change with responses and forces.
struct Functions {
    value: [f64; 3],
    by_response: Block,
    by_force: Block,
}

impl Functions {
    fn held(response: [f64; 3]) -> Self {
        Functions { value: response, by_response: UNIT, by_force: NONE }
    }

    fn given(off: [f64; 3]) -> Self {
        Functions { value: off, by_response: NONE, by_force: UNIT }
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

/// What steps need.
pub(super) struct Newton {
    blocks: Vec<Block>,
    step: Vec<f64>,
}

impl Newton {
    pub(super) fn new<S: Space>(space: &S) -> Self {
        let (rows, elements) = (space.len(), space.elements().len());
        Newton { blocks: vec![NONE; elements], step: vec![0.0; rows] }
    }

    /// Takes one step from forces and their response; `false` if there is none.
    pub(super) fn step<S: Space>(
        &mut self,
        space: &mut S,
        force: &mut [f64],
        response: &[f64],
    ) -> bool {
        for (element, block) in space.elements().iter().zip(&mut self.blocks) {
            let f = functions(element, element.of(force), element.of(response));
            let both = |i: usize, j: usize| f.by_force[i][j] + COMPLIANCE * f.by_response[i][j];
            let inverse = inverse(&[0, 1, 2].map(|i| [0, 1, 2].map(|j| both(i, j))));
            element.set(&mut self.step, times(&inverse, f.value).map(|x| -x));
            *block = product(&inverse, &f.by_response);
        }
        if !space.factor(&self.blocks) {
            return false;
        }
        space.solve(&mut self.step);
        force.iter_mut().zip(&self.step).for_each(|(f, s)| *f += s);
        force.iter().all(|x| x.is_finite())
    }
}

//! From forces that are near: Newton on the functions of Alart and Curnier.
//!
//! The functions of one element (`alart_curnier.rs`) change by `A du + B dλ`, and `du` by
//! `W dλ + α dλ`, where a small compliance `α` keeps redundant contacts regular: with
//! `D = (B + α A)⁻¹ A` that is the system of `space.rs`. Steps are full: where they do not
//! arrive soon, proximal points follow.

use crate::alart_curnier::{Radius, functions};
use crate::space::{Block, NONE, Space, inverse, product, times};

/// α
const COMPLIANCE: f64 = 1e-7;

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
            let (force, response) = (element.of(force), element.of(response));
            let f = functions(element.law, Radius::Force, force, response);
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

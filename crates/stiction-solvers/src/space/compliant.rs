//! The same problem with a compliance around given forces:
//! `u = (W + α) λ + q − α c`.
//!
//! ```text
//!   (I + D (W + α)) x = h   ⟺   (I + D' W) x = (I + α D)⁻¹ h,   D' = (I + α D)⁻¹ D
//! ```

use super::{Block, Element, Space, inverse, product, times};
use crate::work::Work;

pub(crate) struct Compliant<'a, S: Space> {
    pub space: &'a mut S,
    /// α
    pub compliance: f64,
    /// c
    pub center: &'a [f64],
    /// `(I + α D)⁻¹` of every element.
    softened: Vec<Block>,
}

impl<'a, S: Space> Compliant<'a, S> {
    pub(crate) fn new(space: &'a mut S, compliance: f64, center: &'a [f64]) -> Self {
        Compliant { space, compliance, center, softened: Vec::new() }
    }
}

impl<S: Space> Space for Compliant<'_, S> {
    fn elements(&self) -> &[Element] {
        self.space.elements()
    }

    fn len(&self) -> usize {
        self.space.len()
    }

    fn response(&self, force: &[f64], response: &mut [f64]) {
        self.space.response(force, response);
        for (u, (r, c)) in response.iter_mut().zip(force.iter().zip(self.center)) {
            *u += self.compliance * (r - c);
        }
    }

    fn change(&self, x: &[f64], change: &mut [f64]) {
        self.space.change(x, change);
        change.iter_mut().zip(x).for_each(|(u, x)| *u += self.compliance * x);
    }

    fn factor(&mut self, d: &[Block]) -> bool {
        let soften = |d: &Block| {
            let entry =
                |i: usize, j: usize| self.compliance * d[i][j] + if i == j { 1.0 } else { 0.0 };
            inverse(&[0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j))))
        };
        self.softened = d.iter().map(soften).collect();
        let d: Vec<Block> = self.softened.iter().zip(d).map(|(s, d)| product(s, d)).collect();
        self.space.factor(&d)
    }

    fn factored(&self) -> usize {
        self.space.factored()
    }

    fn solve(&self, x: &mut [f64]) {
        for (element, softened) in self.space.elements().iter().zip(&self.softened) {
            let own = times(softened, element.of(x));
            element.set(x, own);
        }
        self.space.solve(x);
    }

    fn has_bodies(&self) -> bool {
        self.space.has_bodies()
    }

    fn sweep(&self, force: &mut [f64], sweeps: usize, work: &mut Work) {
        self.space.sweep(force, sweeps, work);
    }

    fn fill(&self) -> usize {
        self.space.fill()
    }

    fn work(&self) -> [f64; 2] {
        self.space.work()
    }
}

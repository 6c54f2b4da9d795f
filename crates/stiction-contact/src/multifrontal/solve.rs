//! Solving with the factors: forward and backward substitution.
//!
//! ```text
//!   A = L U      y = L⁻¹ b  from the leaves to the root,   x = U⁻¹ y  from the root to the leaves
//! ```
//!
//! Subtrees that do not depend on each other are processed in parallel.

use super::Factor;
use super::symbolic::Symbolic;
use rayon::prelude::*;
use std::ops::Range;

/// Numbers in the factors below which threads cost more than they save for one right-hand side.
const WORTH_THREADS_TO_SOLVE: usize = 500_000;

/// The entries of a right-hand side that belong to a range of fronts.
struct Part<'a> {
    fronts: Range<usize>,
    /// The first place of the range.
    start: usize,
    end: usize,
    y: &'a mut [f64],
}

impl Factor {
    /// Solves for one right-hand side, in place, entries by node.
    pub fn solve(&mut self, x: &mut [f64]) {
        let [mut y, mut changes] = std::mem::take(&mut self.solution);
        self.substitute(x, &mut y, &mut changes);
        self.solution = [y, changes];
    }

    fn substitute(&self, x: &mut [f64], y: &mut Vec<f64>, changes: &mut Vec<f64>) {
        let w = self.symbolic.width;
        y.resize(x.len(), 0.0);
        for (place, &node) in self.symbolic.order.iter().enumerate() {
            let node = node as usize;
            y[place * w..(place + 1) * w].copy_from_slice(&x[node * w..(node + 1) * w]);
        }
        self.forward(y, changes);
        self.backward(y);
        for (place, &node) in self.symbolic.order.iter().enumerate() {
            let node = node as usize;
            x[node * w..(node + 1) * w].copy_from_slice(&y[place * w..(place + 1) * w]);
        }
    }

    /// `L⁻¹`: subtrees in parallel, then the fronts above them.
    fn forward(&self, y: &mut [f64], changes: &mut Vec<f64>) {
        let mut parts = self.parts(y);
        let subtree = |part: &mut Part<'_>| {
            let root = &self.symbolic.fronts[part.fronts.end - 1];
            let above = root.later.last().map_or(0, |&last| last as usize + 1 - part.end);
            let mut beyond = vec![0.0; self.symbolic.width * above];
            let mut changes = Vec::new();
            for f in part.fronts.clone() {
                self.forward_front(f, part, &mut beyond, &mut changes);
            }
            (part.end, beyond)
        };
        let done: Vec<(usize, Vec<f64>)> = if self.symbolic.fill > WORTH_THREADS_TO_SOLVE {
            parts.par_iter_mut().map(subtree).collect()
        } else {
            parts.iter_mut().map(subtree).collect()
        };
        for (end, beyond) in done {
            let from = end * self.symbolic.width;
            y[from..].iter_mut().zip(beyond).for_each(|(x, d)| *x += d);
        }
        let mut whole = self.whole(y);
        for f in self.symbolic.tops() {
            self.forward_front(f, &mut whole, &mut [], changes);
        }
    }

    /// `U⁻¹`: the fronts above, then subtrees in parallel.
    fn backward(&self, y: &mut [f64]) {
        let mut whole = self.whole(y);
        for f in self.symbolic.tops_from_root() {
            self.backward_front(f, &mut whole, &[]);
        }
        if self.symbolic.is_small() {
            return;
        }
        let above = y.to_vec();
        let mut parts = self.parts(y);
        let subtree = |part: &mut Part<'_>| {
            let beyond = &above[part.end * self.symbolic.width..];
            for f in part.fronts.clone().rev() {
                self.backward_front(f, part, beyond);
            }
        };
        if self.symbolic.fill > WORTH_THREADS_TO_SOLVE {
            parts.par_iter_mut().for_each(subtree);
        } else {
            parts.iter_mut().for_each(subtree);
        }
    }

    fn whole<'a>(&self, y: &'a mut [f64]) -> Part<'a> {
        let Symbolic { fronts, order, .. } = &self.symbolic;
        Part { fronts: 0..fronts.len(), start: 0, end: order.len(), y }
    }

    /// The entries of every subtree.
    fn parts<'a>(&self, mut y: &'a mut [f64]) -> Vec<Part<'a>> {
        let Symbolic { width, fronts, tasks, .. } = &self.symbolic;
        let mut at = 0;
        let part = |task: &Range<usize>| {
            let (start, end) = (fronts[task.start].places.start, fronts[task.end - 1].places.end);
            let (mine, rest) =
                std::mem::take(&mut y)[(start - at) * width..].split_at_mut((end - start) * width);
            (y, at) = (rest, end);
            Part { fronts: task.clone(), start, end, y: mine }
        };
        tasks.iter().map(part).collect()
    }

    /// Changes at places beyond a part are summed in a separate buffer.
    fn forward_front(
        &self,
        f: usize,
        part: &mut Part<'_>,
        beyond: &mut [f64],
        changes: &mut Vec<f64>,
    ) {
        let (w, front, kept) = (self.symbolic.width, &self.symbolic.fronts[f], &self.fronts[f]);
        let (own, changed) = self.symbolic.sizes(front);
        let size = own + changed;
        let at = (front.places.start - part.start) * w;
        changes.clear();
        changes.extend(kept.rows.iter().map(|&row| part.y[at + row as usize]));
        changes.resize(size, 0.0);
        for c in 0..own {
            let (head, tail) = changes.split_at_mut(c + 1);
            let value = head[c];
            let column = &kept.lower[c * size + c + 1..(c + 1) * size];
            tail.iter_mut().zip(column).for_each(|(x, l)| *x -= l * value);
        }
        part.y[at..at + own].copy_from_slice(&changes[..own]);
        for (&place, change) in front.later.iter().zip(changes[own..].chunks_exact(w)) {
            let place = place as usize;
            let target = match place.checked_sub(part.end) {
                Some(above) => &mut beyond[above * w..(above + 1) * w],
                None => &mut part.y[(place - part.start) * w..(place + 1 - part.start) * w],
            };
            target.iter_mut().zip(change).for_each(|(x, d)| *x += d);
        }
    }

    fn backward_front(&self, f: usize, part: &mut Part<'_>, beyond: &[f64]) {
        let (w, front, kept) = (self.symbolic.width, &self.symbolic.fronts[f], &self.fronts[f]);
        let (own, changed) = self.symbolic.sizes(front);
        let size = own + changed;
        let (head, tail) = part.y.split_at_mut((front.places.end - part.start) * w);
        let mine = &mut head[(front.places.start - part.start) * w..];
        for (k, &place) in front.later.iter().enumerate() {
            let place = place as usize;
            let values = match place.checked_sub(part.end) {
                Some(above) => &beyond[above * w..(above + 1) * w],
                None => &tail[(place - front.places.end) * w..(place + 1 - front.places.end) * w],
            };
            for (c, value) in values.iter().enumerate() {
                let column = &kept.upper[(k * w + c) * own..(k * w + c + 1) * own];
                mine.iter_mut().zip(column).for_each(|(x, u)| *x -= u * value);
            }
        }
        for c in (0..own).rev() {
            let column = &kept.lower[c * size..=c * size + c];
            let value = mine[c] / column[c];
            mine[c] = value;
            mine[..c].iter_mut().zip(column).for_each(|(x, u)| *x -= u * value);
        }
    }
}

//! Symbolic factorisation: where fill occurs, computed once per graph.
//!
//! ```text
//!   graph ─order→ elimination tree ─postorder→ fronts
//! ```
//!
//! Eliminating a node joins all its later neighbours. Nodes that follow each other in the tree
//! and have (nearly) the same later neighbours form one *front*: a dense matrix over its own
//! nodes and those neighbours. In postorder the descendants of a front are the fronts just
//! before it, so subtrees are ranges.

use super::order::{minimum_degree, neighbours, nested_dissection};
use std::ops::Range;

/// No node, no front.
pub(super) const NONE: u32 = u32::MAX;

/// Zeros that a front may store to gain one node, as a fraction of its entries.
const PADDING: f64 = 0.125;

/// Fronts with fewer nodes than this may store up to [`FEW`] zeros in any case.
const SMALL: usize = 3;
/// Zeros that a small front may store.
const FEW: usize = 12;

/// Work of a factorisation (multiplications and additions) below which threads cost more than
/// they save.
const WORTH_THREADS: f64 = 1e7;

/// Most subtrees that are factored in parallel.
const TASKS: usize = 16;
/// Least fraction of the whole work that is worth a task of its own.
const SHARE: f64 = 0.02;

/// Work of one factorisation (multiplications and additions) above which a second order is
/// tried.
const WORTH_ANOTHER: f64 = 1e8;

/// Nodes that are eliminated together.
pub(super) struct Front {
    /// Places of its nodes: consecutive.
    pub places: Range<usize>,
    /// Later places that its elimination changes, in ascending order.
    pub later: Vec<u32>,
    /// Fronts whose updates it collects.
    pub children: Vec<u32>,
}

/// An edge as seen from the end that is eliminated first.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    /// Place of the other end.
    pub later: u32,
    /// Index of the edge.
    pub index: u32,
    /// Whether the end that is eliminated first is the second of the edge.
    pub flipped: bool,
}

/// A symbolic factorisation.
#[derive(Default)]
pub struct Symbolic {
    /// Block width: numbers per node.
    pub(super) width: usize,
    /// Node at each place.
    pub(super) order: Vec<u32>,
    pub(super) fronts: Vec<Front>,
    /// Edges by the place of their earlier end.
    pub(super) edges: Vec<Vec<Edge>>,
    /// Ranges of fronts that do not depend on each other; the remaining fronts come after them.
    pub(super) tasks: Vec<Range<usize>>,
    /// Numbers in the factors.
    pub fill: usize,
    /// Multiplications and additions of a factorisation.
    pub work: f64,
}

impl Symbolic {
    /// Plans for nodes with `width` numbers each, connected by edges: pairs of different nodes,
    /// each listed once.
    ///
    /// Which order is better is not known in advance: small graphs use minimum degree, large
    /// ones the order with less work.
    pub fn new(nodes: usize, width: usize, edges: &[[u32; 2]]) -> Self {
        let neighbours = neighbours(nodes, edges);
        let plan = Symbolic::in_order(&minimum_degree(&neighbours), width, edges);
        if plan.work < WORTH_ANOTHER {
            return plan;
        }
        let other = Symbolic::in_order(&nested_dissection(&neighbours), width, edges);
        if other.work < plan.work { other } else { plan }
    }

    fn in_order(first: &[u32], width: usize, edges: &[[u32; 2]]) -> Self {
        let nodes = first.len();
        let (parent, _) = structure(first, edges);
        let order: Vec<u32> = postorder(&parent).iter().map(|&p| first[p as usize]).collect();
        let (parent, later) = structure(&order, edges);
        let mut fronts = fronts(&parent, later);
        let mut front_of = vec![0; nodes];
        for (f, front) in fronts.iter().enumerate() {
            front_of[front.places.clone()].fill(f as u32);
        }
        for f in 0..fronts.len() {
            if let Some(&next) = fronts[f].later.first() {
                fronts[front_of[next as usize] as usize].children.push(f as u32);
            }
        }
        let mut symbolic = Symbolic {
            width,
            edges: by_earlier_end(&order, edges),
            order,
            fronts,
            tasks: Vec::new(),
            fill: 0,
            work: 0.0,
        };
        symbolic.weigh();
        symbolic
    }

    /// Sizes of a front in numbers: its own nodes, and the places it changes.
    pub(super) fn sizes(&self, front: &Front) -> (usize, usize) {
        (self.width * front.places.len(), self.width * front.later.len())
    }

    /// Whether one thread does it all, and keeps its buffers.
    pub(super) fn is_small(&self) -> bool {
        self.work < WORTH_THREADS
    }

    /// Fronts above all tasks, in ascending order.
    pub(super) fn tops(&self) -> impl Iterator<Item = usize> + '_ {
        self.between_tasks().flatten()
    }

    /// The same in descending order.
    pub(super) fn tops_from_root(&self) -> impl Iterator<Item = usize> + '_ {
        self.between_tasks().rev().flat_map(Iterator::rev)
    }

    fn between_tasks(&self) -> impl DoubleEndedIterator<Item = Range<usize>> + '_ {
        let last = self.tasks.len();
        (0..=last).map(move |k| {
            let start = if k == 0 { 0 } else { self.tasks[k - 1].end };
            start..self.tasks.get(k).map_or(self.fronts.len(), |task| task.start)
        })
    }

    /// Counts fill and work, and splits the tree into tasks if that is worth it.
    fn weigh(&mut self) {
        let mut under = vec![0.0; self.fronts.len()];
        let mut begin: Vec<usize> = (0..self.fronts.len()).collect();
        for (f, front) in self.fronts.iter().enumerate() {
            let (own, changed) = self.sizes(front);
            self.fill += own * (own + 2 * changed);
            let (a, b) = (own as f64, changed as f64);
            under[f] += 2.0 / 3.0 * a * a * a + 2.0 * a * a * b + 2.0 * a * b * b;
            self.work += under[f];
            for &child in &front.children {
                under[f] += under[child as usize];
                begin[f] = begin[f].min(begin[child as usize]);
            }
        }
        let mut has_parent = vec![false; self.fronts.len()];
        for front in &self.fronts {
            front.children.iter().for_each(|&child| has_parent[child as usize] = true);
        }
        let mut roots: Vec<usize> = (0..self.fronts.len()).filter(|&f| !has_parent[f]).collect();
        if self.is_small() {
            return;
        }
        while roots.len() < TASKS {
            let heaviest = roots.iter().copied().max_by(|&a, &b| under[a].total_cmp(&under[b]));
            let Some(f) = heaviest.filter(|&f| under[f] > SHARE * self.work) else { break };
            roots.retain(|&root| root != f);
            roots.extend(self.fronts[f].children.iter().map(|&child| child as usize));
            if self.fronts[f].children.is_empty() {
                roots.push(f);
                break;
            }
        }
        roots.sort_unstable();
        self.tasks = roots.into_iter().map(|root| begin[root]..root + 1).collect();
    }
}

/// For every place its parent in the elimination tree, and the later places that
/// its elimination changes.
fn structure(order: &[u32], edges: &[[u32; 2]]) -> (Vec<u32>, Vec<Vec<u32>>) {
    let nodes = order.len();
    let mut later: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    for (place, list) in by_earlier_end(order, edges).iter().enumerate() {
        later[place].extend(list.iter().map(|edge| edge.later));
    }
    let mut parent = vec![NONE; nodes];
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    for place in 0..nodes {
        let mut all = std::mem::take(&mut later[place]);
        for &child in &children[place] {
            let inherited = later[child as usize].iter().filter(|&&p| p as usize != place);
            all.extend(inherited);
        }
        all.sort_unstable();
        all.dedup();
        if let Some(&next) = all.first() {
            parent[place] = next;
            children[next as usize].push(place as u32);
        }
        later[place] = all;
    }
    (parent, later)
}

fn by_earlier_end(order: &[u32], edges: &[[u32; 2]]) -> Vec<Vec<Edge>> {
    let mut place = vec![0_u32; order.len()];
    for (p, &node) in order.iter().enumerate() {
        place[node as usize] = p as u32;
    }
    let mut lists = vec![Vec::new(); order.len()];
    for (index, [a, b]) in edges.iter().enumerate() {
        let [a, b] = [place[*a as usize], place[*b as usize]];
        let edge = Edge { later: a.max(b), index: index as u32, flipped: b < a };
        lists[a.min(b) as usize].push(edge);
    }
    lists
}

/// Children before parents, subtrees together.
fn postorder(parent: &[u32]) -> Vec<u32> {
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); parent.len()];
    let mut stack = Vec::new();
    for (place, &parent) in parent.iter().enumerate().rev() {
        if parent == NONE {
            stack.push((place as u32, 0));
        } else {
            children[parent as usize].push(place as u32);
        }
    }
    let mut order = Vec::with_capacity(parent.len());
    while let Some((place, seen)) = stack.pop() {
        // Pushed in descending order and popped from the end, hence ascending.
        let list = &children[place as usize];
        if seen < list.len() {
            stack.push((place, seen + 1));
            stack.push((list[list.len() - 1 - seen], 0));
        } else {
            order.push(place);
        }
    }
    order
}

/// Joins consecutive places into fronts.
fn fronts(parent: &[u32], mut later: Vec<Vec<u32>>) -> Vec<Front> {
    let nodes = parent.len();
    let mut fronts = Vec::new();
    let mut start = 0;
    while start < nodes {
        let (mut last, mut zeros) = (start, 0);
        while parent[last] as usize == last + 1 {
            let width = last + 1 - start;
            let extra = (later[last + 1].len() + 1 - later[last].len()) * width;
            let entries = (width + 1) * (later[last + 1].len() + width + 1);
            let padded = zeros + extra;
            let is_small = width < SMALL && padded < FEW;
            if extra > 0 && padded as f64 > PADDING * entries as f64 && !is_small {
                break;
            }
            zeros = padded;
            last += 1;
        }
        let later = std::mem::take(&mut later[last]);
        fronts.push(Front { places: start..last + 1, later, children: Vec::new() });
        start = last + 1;
    }
    fronts
}

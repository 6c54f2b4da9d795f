//! Orders of elimination: approximate minimum degree, by `faer`, or nested dissection.
//!
//! *Nested dissection* removes a small separator, so that two unconnected halves remain, orders
//! the halves in the same way and puts the separator last. Here the separator is a level of a
//! breadth-first search from the edge of the graph. That is good enough for graphs of bodies
//! that lie on each other, and short.
//!
//! # Reference
//!
//! A. George, J. Liu. *An automatic nested dissection algorithm for irregular finite element
//! problems.* SIAM J. Numerical Analysis 15 (1978), 1053–1069.

use super::symbolic::NONE;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// Each half has at least this fraction of the nodes; larger values balance the halves,
/// smaller ones allow thinner separators.
const LEAST: f64 = 0.3;

/// Parts with at most this number of nodes are not divided.
const FEW: usize = 8;

/// Searches for the edge of a part, each starting at the end of the previous one.
const SEARCHES: usize = 4;

/// The neighbours of every node, ascending.
pub(super) fn neighbours(nodes: usize, edges: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    for &[a, b] in edges {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    for list in &mut neighbours {
        list.sort_unstable();
    }
    neighbours
}

/// Minimum degree: an order with low fill.
pub(super) fn minimum_degree(neighbours: &[Vec<u32>]) -> Vec<u32> {
    let nodes = neighbours.len();
    let mut starts = Vec::with_capacity(nodes + 1);
    let mut ends = Vec::new();
    starts.push(0);
    for list in neighbours {
        ends.extend_from_slice(list);
        starts.push(ends.len() as u32);
    }
    let graph = SymbolicSparseColMatRef::new_checked(nodes, nodes, &starts, None, &ends);
    let (mut order, mut place) = (vec![NONE; nodes], vec![NONE; nodes]);
    let mut memory = MemBuffer::new(amd::order_scratch::<u32>(nodes, ends.len()));
    let stack = MemStack::new(&mut memory);
    let done = amd::order(&mut order, &mut place, graph, amd::Control::default(), stack);
    if done.is_err() {
        // It fails only for lack of memory: any order will do.
        order = (0..nodes as u32).collect();
    }
    order
}

/// Nested dissection: an order with low fill in large graphs.
pub(super) fn nested_dissection(neighbours: &[Vec<u32>]) -> Vec<u32> {
    let nodes = neighbours.len();
    let mut dissection = Dissection {
        neighbours,
        part: vec![0; nodes],
        parts: 0,
        level: vec![NONE; nodes],
        order: Vec::with_capacity(nodes),
    };
    dissection.divide((0..nodes as u32).collect());
    dissection.order
}

struct Dissection<'a> {
    neighbours: &'a [Vec<u32>],
    /// The part that each node belongs to, and the number of parts so far.
    part: Vec<u32>,
    parts: u32,
    /// Level of each node of the current part.
    level: Vec<u32>,
    order: Vec<u32>,
}

impl Dissection<'_> {
    fn divide(&mut self, nodes: Vec<u32>) {
        if nodes.len() <= FEW {
            self.order.extend(nodes);
            return;
        }
        self.parts += 1;
        for &node in &nodes {
            self.part[node as usize] = self.parts;
        }
        let found = self.levels(&nodes);
        let reached: usize = found.iter().map(Vec::len).sum();
        if reached < nodes.len() {
            // The rest is not connected to it.
            let rest = nodes.into_iter().filter(|&n| self.level[n as usize] == NONE).collect();
            self.divide(found.concat());
            self.divide(rest);
            return;
        }
        let Some(middle) = thinnest(&found, nodes.len()) else {
            self.order.extend(nodes);
            return;
        };
        // Nodes adjacent to the next level form the separator; the others go below.
        let next = middle as u32 + 1;
        let is_next =
            |&n: &u32| self.part[n as usize] == self.parts && self.level[n as usize] == next;
        let touches = |n: &u32| self.neighbours[*n as usize].iter().any(is_next);
        let (separator, others): (Vec<u32>, Vec<u32>) =
            found[middle].iter().partition(|n| touches(n));
        let below = found[..middle].concat().into_iter().chain(others).collect();
        let above = found[middle + 1..].concat();
        self.divide(below);
        self.divide(above);
        self.order.extend(separator);
    }

    /// Nodes of the current part by their distance from one at its edge. Nodes that are not
    /// reached have the level `NONE`.
    fn levels(&mut self, nodes: &[u32]) -> Vec<Vec<u32>> {
        let mut start = nodes[0];
        let mut found = Vec::new();
        for _ in 0..SEARCHES {
            found = self.search(nodes, start);
            let last = found.last().into_iter().flatten().copied();
            let degree = |node: u32| (self.neighbours[node as usize].len(), node);
            start = last.min_by_key(|&node| degree(node)).unwrap_or(start);
        }
        found
    }

    fn search(&mut self, nodes: &[u32], start: u32) -> Vec<Vec<u32>> {
        // Levels of other parts need no reset: no search reaches their nodes from this one.
        for &node in nodes {
            self.level[node as usize] = NONE;
        }
        self.level[start as usize] = 0;
        let mut found = vec![vec![start]];
        loop {
            let (depth, mut next) = (found.len() as u32, Vec::new());
            for &node in &found[found.len() - 1] {
                for &other in &self.neighbours[node as usize] {
                    let at = other as usize;
                    if self.part[at] == self.parts && self.level[at] == NONE {
                        self.level[at] = depth;
                        next.push(other);
                    }
                }
            }
            if next.is_empty() {
                return found;
            }
            found.push(next);
        }
    }
}

/// The level with the fewest nodes among those that leave enough on both sides.
fn thinnest(levels: &[Vec<u32>], nodes: usize) -> Option<usize> {
    let least = LEAST * nodes as f64;
    let mut below = 0;
    let mut best: Option<usize> = None;
    for (k, level) in levels.iter().enumerate() {
        let above = nodes - below - level.len();
        let fits = below as f64 > least && above as f64 > least;
        if fits && best.is_none_or(|best| level.len() < levels[best].len()) {
            best = Some(k);
        }
        below += level.len();
    }
    best
}

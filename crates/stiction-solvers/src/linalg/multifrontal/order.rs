//! The order of elimination: approximate minimum degree, by `faer`.

use super::symbolic::NONE;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

/// Nodes in an order that keeps the fill low.
pub(super) fn minimum_degree(nodes: usize, edges: &[[u32; 2]]) -> Vec<u32> {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    for &[a, b] in edges {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    let mut starts = Vec::with_capacity(nodes + 1);
    let mut ends = Vec::with_capacity(2 * edges.len());
    starts.push(0);
    for list in &mut neighbours {
        list.sort_unstable();
        ends.extend_from_slice(list);
        starts.push(ends.len() as u32);
    }
    let graph = SymbolicSparseColMatRef::new_checked(nodes, nodes, &starts, None, &ends);
    let (mut order, mut place) = (vec![NONE; nodes], vec![NONE; nodes]);
    let mut memory = MemBuffer::new(amd::order_scratch::<u32>(nodes, ends.len()));
    let stack = MemStack::new(&mut memory);
    let done = amd::order(&mut order, &mut place, graph, amd::Control::default(), stack);
    if done.is_err() {
        // It fails for want of memory only: any order will do.
        order = (0..nodes as u32).collect();
    }
    order
}

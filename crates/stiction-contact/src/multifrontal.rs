//! Sparse LU of matrices made of square blocks on a graph, by the multifrontal method.
//!
//! ```text
//!   A[i][i] for every node, A[i][j] and A[j][i] for every edge
//! ```
//!
//! Each *front* is a dense matrix that collects the entries of its nodes and the updates of its
//! children. Dense kernels eliminate its own nodes; the Schur complement is the update that its
//! parent collects.
//!
//! The graph is symmetric, the values need not be. Rows are exchanged only within a front's own
//! nodes: enough for matrices whose symmetric part is positive definite; the residual of a
//! solution shows whether it sufficed.
//!
//! If there are threads, fronts of different subtrees are factored in parallel. The sums of
//! each front are always taken in the same order, so the bits are the same with any number of
//! threads.
//!
//! # Where to start reading
//!
//! [`Factor::factor`] walks the tree, `eliminate` does one front; `multifrontal/solve.rs` solves,
//! `multifrontal/symbolic.rs` plans, `multifrontal/order.rs` orders.
//!
//! # Reference
//!
//! I. Duff, J. Reid. *The multifrontal solution of indefinite sparse symmetric
//! linear equations.* ACM TOMS 9 (1983), 302–325.

mod order;
mod solve;
mod symbolic;

pub use symbolic::Symbolic;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor as lu;
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_unit_lower_triangular_in_place,
};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, MatMut, Par, Spec};
use rayon::prelude::*;
use symbolic::{Front, NONE};

/// Numbers on the side of a front up to which plain loops are quicker than blocked kernels.
const SMALL_FRONT: usize = 48;

/// The values of a matrix: blocks stored by columns.
#[derive(Default)]
pub struct Blocks {
    width: usize,
    diagonal: Vec<f64>,
    /// Per edge `[a, b]`: row b, column a; then row a, column b.
    edges: Vec<f64>,
}

impl Blocks {
    /// All entries zero.
    pub fn zero(nodes: usize, width: usize, edges: usize) -> Self {
        let size = width * width;
        Blocks { width, diagonal: vec![0.0; nodes * size], edges: vec![0.0; 2 * edges * size] }
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        self.diagonal.fill(0.0);
        self.edges.fill(0.0);
    }

    /// The diagonal block of a node, by columns.
    pub fn diagonal_mut(&mut self, node: usize) -> &mut [f64] {
        let size = self.width * self.width;
        &mut self.diagonal[node * size..(node + 1) * size]
    }

    /// Row b, column a, if `upper` is false; else row a, column b.
    pub fn edge_mut(&mut self, edge: usize, upper: bool) -> &mut [f64] {
        let size = self.width * self.width;
        let at = 2 * edge + usize::from(upper);
        &mut self.edges[at * size..(at + 1) * size]
    }

    fn diagonal(&self, node: u32) -> &[f64] {
        let size = self.width * self.width;
        &self.diagonal[node as usize * size..(node as usize + 1) * size]
    }

    fn edge(&self, edge: u32, upper: bool) -> &[f64] {
        let size = self.width * self.width;
        let at = 2 * edge as usize + usize::from(upper);
        &self.edges[at * size..(at + 1) * size]
    }
}

/// The factors of a front: `[L; L₂₁]` with U on and above the diagonal of the first block,
/// `U₁₂`, and the row exchanges.
#[derive(Default)]
struct Eliminated {
    lower: Vec<f64>,
    upper: Vec<f64>,
    rows: Vec<u32>,
}

/// The factors of a matrix. Buffers are kept: factoring a small matrix again allocates nothing.
#[derive(Default)]
pub struct Factor {
    /// The symbolic factorisation.
    pub symbolic: Symbolic,
    fronts: Vec<Eliminated>,
    updates: Vec<Vec<f64>>,
    space: Workspace,
    /// Of a solution: the right-hand side by place, and changes of one front.
    solution: [Vec<f64>; 2],
}

/// Buffers of one thread.
#[derive(Default)]
struct Workspace {
    /// Index of each place in the current front.
    local: Vec<u32>,
    matrix: Vec<f64>,
}

impl Workspace {
    fn new(nodes: usize) -> Self {
        Workspace { local: vec![NONE; nodes], matrix: Vec::new() }
    }
}

/// Updates of the fronts of a range that their parents have not collected yet.
struct Updates<'a> {
    first: usize,
    of: &'a mut [Vec<f64>],
}

impl Factor {
    /// With a symbolic factorisation, without values.
    pub fn new(symbolic: Symbolic) -> Self {
        let fronts = symbolic.fronts.iter().map(|_| Eliminated::default()).collect();
        let updates = vec![Vec::new(); symbolic.fronts.len()];
        let space = Workspace::new(symbolic.order.len());
        Factor { symbolic, fronts, updates, space, solution: Default::default() }
    }

    /// Computes the factors; `false` if a pivot is zero or not finite.
    pub fn factor(&mut self, blocks: &Blocks) -> bool {
        let mut ok = self.symbolic.is_small() || self.factor_tasks(blocks);
        let Factor { symbolic, fronts, updates, space, .. } = self;
        let mut updates = Updates { first: 0, of: updates };
        for f in symbolic.tops() {
            ok &= eliminate(symbolic, blocks, f, &mut fronts[f], &mut updates, space);
        }
        ok
    }

    /// Subtrees that do not depend on each other, in parallel.
    fn factor_tasks(&mut self, blocks: &Blocks) -> bool {
        let Factor { symbolic, fronts, updates, .. } = self;
        let symbolic = &*symbolic;
        let (mut fronts, mut updates, mut at) = (fronts.as_mut_slice(), updates.as_mut_slice(), 0);
        let mut parts = Vec::with_capacity(symbolic.tasks.len());
        for task in &symbolic.tasks {
            let (mine, later) = fronts[task.start - at..].split_at_mut(task.len());
            let (of, later_updates) = updates[task.start - at..].split_at_mut(task.len());
            parts.push((mine, Updates { first: task.start, of }));
            (fronts, updates, at) = (later, later_updates, task.end);
        }
        let subtree = |(fronts, updates): &mut (&mut [Eliminated], Updates<'_>)| {
            let mut space = Workspace::new(symbolic.order.len());
            let first = updates.first;
            let each = fronts.iter_mut().enumerate();
            each.fold(true, |ok, (k, front)| {
                eliminate(symbolic, blocks, first + k, front, updates, &mut space) && ok
            })
        };
        parts.par_iter_mut().map(subtree).reduce(|| true, |one, other| one && other)
    }

    /// Number of pivots smaller than this. For a positive definite matrix: an estimate of the
    /// number of eigenvalues near zero.
    pub fn pivots_below(&self, size: f64) -> usize {
        let of_front = |(front, kept): (&Front, &Eliminated)| {
            let (own, changed) = self.symbolic.sizes(front);
            (0..own).filter(|&k| kept.lower[k * (own + changed) + k].abs() < size).count()
        };
        self.symbolic.fronts.iter().zip(&self.fronts).map(of_front).sum()
    }
}

/// Processes one front: collects its entries, eliminates its own nodes and leaves its update.
/// `false` if a pivot is zero or not finite.
fn eliminate(
    symbolic: &Symbolic,
    blocks: &Blocks,
    index: usize,
    kept: &mut Eliminated,
    updates: &mut Updates<'_>,
    space: &mut Workspace,
) -> bool {
    let front = &symbolic.fronts[index];
    let (own, changed) = symbolic.sizes(front);
    let size = own + changed;
    space.matrix.clear();
    space.matrix.resize(size * size, 0.0);
    let places = front.places.clone().map(|place| place as u32).chain(front.later.iter().copied());
    for (k, place) in places.enumerate() {
        space.local[place as usize] = k as u32;
    }
    collect_entries(symbolic, blocks, front, space);
    for &child in &front.children {
        let update = std::mem::take(&mut updates.of[child as usize - updates.first]);
        add_update(symbolic.width, &symbolic.fronts[child as usize].later, &update, size, space);
        if symbolic.is_small() {
            updates.of[child as usize - updates.first] = update;
        }
    }
    let eliminate = if size <= SMALL_FRONT { factor_small_front } else { factor_front };
    let ok = eliminate(&mut space.matrix, own, size, &mut kept.rows);
    kept.lower.clear();
    kept.lower.extend_from_slice(&space.matrix[..own * size]);
    kept.upper.clear();
    let mut update = std::mem::take(&mut updates.of[index - updates.first]);
    update.clear();
    update.reserve(changed * changed);
    for column in space.matrix[own * size..].chunks_exact(size) {
        kept.upper.extend_from_slice(&column[..own]);
        update.extend_from_slice(&column[own..]);
    }
    updates.of[index - updates.first] = update;
    ok
}

/// Collects the entries of the matrix that belong to a front.
fn collect_entries(symbolic: &Symbolic, blocks: &Blocks, front: &Front, space: &mut Workspace) {
    let w = symbolic.width;
    let size = w * (front.places.len() + front.later.len());
    let mut put = |row: usize, column: usize, block: &[f64]| {
        for (c, values) in block.chunks_exact(w).enumerate() {
            let at = (column * w + c) * size + row * w;
            space.matrix[at..at + w].copy_from_slice(values);
        }
    };
    for (k, place) in front.places.clone().enumerate() {
        put(k, k, blocks.diagonal(symbolic.order[place]));
        for edge in &symbolic.edges[place] {
            let other = space.local[edge.later as usize] as usize;
            put(other, k, blocks.edge(edge.index, edge.flipped));
            put(k, other, blocks.edge(edge.index, !edge.flipped));
        }
    }
}

/// Adds the update of a child.
fn add_update(w: usize, later: &[u32], update: &[f64], size: usize, space: &mut Workspace) {
    let n = w * later.len();
    for (j, &column) in later.iter().enumerate() {
        let column = space.local[column as usize] as usize;
        for c in 0..w {
            let from = &update[(j * w + c) * n..(j * w + c + 1) * n];
            let at = (column * w + c) * size;
            let to = &mut space.matrix[at..at + size];
            for (values, &row) in from.chunks_exact(w).zip(later) {
                let row = space.local[row as usize] as usize * w;
                to[row..row + w].iter_mut().zip(values).for_each(|(x, d)| *x += d);
            }
        }
    }
}

/// Dense LU of the first `own` rows and columns, and the Schur complement, by plain loops.
fn factor_small_front(matrix: &mut [f64], own: usize, size: usize, rows: &mut Vec<u32>) -> bool {
    rows.clear();
    rows.extend(0..own as u32);
    for k in 0..own {
        let column = &matrix[k * size..k * size + own];
        let larger =
            |best: usize, r: usize| if column[r].abs() > column[best].abs() { r } else { best };
        let best = (k + 1..own).fold(k, larger);
        if best != k {
            rows.swap(k, best);
            matrix.chunks_exact_mut(size).for_each(|column| column.swap(k, best));
        }
        let (left, right) = matrix.split_at_mut((k + 1) * size);
        let column = &mut left[k * size + k..];
        let pivot = column[0];
        if !pivot.is_finite() || pivot == 0.0 {
            return false;
        }
        let column = &mut column[1..];
        for x in &mut *column {
            *x /= pivot;
        }
        for target in right.chunks_exact_mut(size) {
            let (head, tail) = target.split_at_mut(k + 1);
            let factor = head[k];
            tail.iter_mut().zip(&*column).for_each(|(x, l)| *x -= l * factor);
        }
    }
    true
}

/// The same by blocked kernels.
fn factor_front(matrix: &mut [f64], own: usize, size: usize, rows: &mut Vec<u32>) -> bool {
    let all = MatMut::from_column_major_slice_mut(matrix, size, size);
    let (mut a11, mut a12, mut a21, mut a22) = all.split_at_mut(own, own);
    rows.resize(own, 0);
    let mut back = vec![0_u32; own];
    let params = Spec::default();
    let mut memory =
        MemBuffer::new(lu::lu_in_place_scratch::<u32, f64>(own, own, Par::Seq, params));
    let stack = MemStack::new(&mut memory);
    lu::lu_in_place(a11.rb_mut(), rows, &mut back, Par::Seq, stack, params);
    let ok = (0..own).all(|k| a11[(k, k)].is_finite() && a11[(k, k)] != 0.0);
    if size > own {
        let mut column = vec![0.0; own];
        for c in 0..size - own {
            (0..own).for_each(|r| column[r] = a12[(rows[r] as usize, c)]);
            (0..own).for_each(|r| a12[(r, c)] = column[r]);
        }
        solve_unit_lower_triangular_in_place(a11.rb(), a12.rb_mut(), Par::Seq);
        solve_lower_triangular_in_place(
            a11.rb().transpose(),
            a21.rb_mut().transpose_mut(),
            Par::Seq,
        );
        matmul(a22.rb_mut(), Accum::Add, a21.rb(), a12.rb(), -1.0, Par::Seq);
    }
    ok
}

#[cfg(test)]
mod tests {
    use super::{Blocks, Factor, Symbolic};

    /// A grid of nodes with unsymmetric blocks: solutions have small residuals at any block
    /// width.
    #[test]
    fn grids_are_solved() {
        for (side, width) in [(1, 3), (2, 1), (7, 6), (12, 3)] {
            let nodes = side * side;
            let edges: Vec<[u32; 2]> = (0..nodes as u32)
                .flat_map(|i| {
                    let right = (i as usize % side + 1 < side).then_some([i, i + 1]);
                    let up = (i as usize + side < nodes).then_some([i, i + side as u32]);
                    right.into_iter().chain(up)
                })
                .collect();
            let mut blocks = Blocks::zero(nodes, width, edges.len());
            let mut seed = 1_u64;
            let mut next = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (seed >> 33) as f64 / (1_u64 << 31) as f64 - 0.5
            };
            for node in 0..nodes {
                let block = blocks.diagonal_mut(node);
                block.fill_with(&mut next);
                (0..width).for_each(|k| block[k * width + k] += 2.0 * width as f64);
            }
            for edge in 0..edges.len() {
                for upper in [false, true] {
                    blocks.edge_mut(edge, upper).fill_with(&mut next);
                }
            }
            let right: Vec<f64> = (0..nodes * width).map(|_| next()).collect();
            let mut x = right.clone();
            let mut factor = Factor::new(Symbolic::new(nodes, width, &edges));
            assert!(factor.factor(&blocks));
            factor.solve(&mut x);
            let mut product = vec![0.0; x.len()];
            let mut add = |row: usize, column: usize, block: &[f64]| {
                for (c, values) in block.chunks_exact(width).enumerate() {
                    for (r, value) in values.iter().enumerate() {
                        product[row * width + r] += value * x[column * width + c];
                    }
                }
            };
            (0..nodes).for_each(|n| add(n, n, blocks.diagonal(n as u32)));
            for (e, &[a, b]) in edges.iter().enumerate() {
                add(b as usize, a as usize, blocks.edge(e as u32, false));
                add(a as usize, b as usize, blocks.edge(e as u32, true));
            }
            let worst = product.iter().zip(&right).map(|(p, r)| (p - r).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-12, "side {side}, width {width}: {worst}");
        }
    }
}

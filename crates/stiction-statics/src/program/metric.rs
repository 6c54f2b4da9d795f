//! `G H Gᵀ` over the graph of the blocks, for symmetric H per contact.
//!
//! It has one 6 × 6 block per free block and per pair that touches. Where contacts leave a block
//! free to move it is singular; a small multiple of its diagonal is added.

use super::Column;
use super::state::Cones;
use crate::structure::{FIXED, Six, Structure, add, dot, plus, six};
use glam::{DMat3, DVec3};
use stiction_contact::multifrontal::{Blocks, Factor, Symbolic};

/// Part of the diagonal that is added to it: far above rounding, far below what matters.
const REGULARISATION: f64 = 1e-13;
/// The same for matrices that are not singular: close to rounding.
const LESS_REGULARISATION: f64 = 1e-15;
/// The same, of the largest diagonal of all, relative to the first.
const OF_ALL: f64 = 1e-7;
/// Most rounds of refinement.
const MOST_ROUNDS: usize = 8;
/// Relative residual at which refinement ends.
const REFINED: f64 = 1e-14;

/// The matrix, its factors, and products with `G`.
pub(crate) struct Metric {
    pub(super) columns: Vec<Column>,
    edge_of: Vec<Option<(usize, bool)>>,
    /// `H` of contacts and slacks.
    pub(super) squares: Vec<[[f64; 3]; 3]>,
    pub(super) slack_squares: Vec<[[f64; 2]; 6]>,
    /// Part of the diagonal that is added to it.
    regularisation: f64,
    /// Whether refinement is by conjugate gradients: they also find the directions in which the
    /// matrix is smaller than what is added to it, but not where it vanishes.
    conjugate: bool,
    count: usize,
    blocks: Blocks,
    factor: Factor,
}

impl Metric {
    /// With `H = 0`.
    pub(crate) fn new(structure: &Structure) -> Self {
        let Structure { contacts, edges, edge_of, free, .. } = structure;
        let count = free.len();
        Metric {
            columns: contacts.iter().map(Column::new).collect(),
            edge_of: edge_of.clone(),
            squares: vec![[[0.0; 3]; 3]; contacts.len()],
            slack_squares: Vec::new(),
            regularisation: REGULARISATION,
            conjugate: false,
            count,
            blocks: Blocks::zero(count, 6, edges.len()),
            factor: Factor::new(Symbolic::new(count, 6, edges)),
        }
    }

    /// Sets `H` of every contact to the one in which a step shorter than 1 from a force inside its
    /// cone stays inside: `2 x xᵀ − det(x) J`.
    pub(crate) fn around(&mut self, forces: &[DVec3]) {
        for ((square, column), force) in self.squares.iter_mut().zip(&self.columns).zip(forces) {
            let x = column.coordinates(*force);
            let determinant = super::cone::determinant(&x).max(0.0);
            let sign = [-1.0, 1.0, 1.0];
            *square = std::array::from_fn(|i| {
                std::array::from_fn(|j| {
                    2.0 * x[i] * x[j] + if i == j { sign[i] * determinant } else { 0.0 }
                })
            });
        }
    }

    /// Sets how the matrix is regularised: hardly, with refinement by conjugate gradients, or
    /// safely, for matrices that are singular.
    pub(super) fn regularise(&mut self, safely: bool) {
        self.regularisation = if safely { REGULARISATION } else { LESS_REGULARISATION };
        self.conjugate = !safely;
    }

    /// Forces `−H Gᵀ (G H Gᵀ)⁻¹ r`, which cancel the wrenches r.
    pub(crate) fn cancel(&mut self, wrenches: &[Six]) -> Vec<DVec3> {
        let mut y = wrenches.to_vec();
        self.refined(&mut y);
        let like = Cones { contacts: vec![[0.0; 3]; self.columns.len()], slacks: Vec::new() };
        let moved = self.square(&self.slips(&y, &like));
        self.columns.iter().zip(&moved.contacts).map(|(column, x)| -column.force(x)).collect()
    }

    /// `sum += sign (G x + r)`
    pub(super) fn add_forces(&self, sum: &mut [Six], sign: f64, x: &Cones) {
        for (column, x) in self.columns.iter().zip(&x.contacts) {
            let force = column.force(x) * sign;
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                if column.blocks[side] != FIXED {
                    let torque = column.arms[side].cross(force);
                    add(&mut sum[column.blocks[side]], sign, &six(force, torque));
                }
            }
        }
        for (sum, r) in sum.iter_mut().zip(&x.slacks) {
            (0..6).for_each(|k| sum[k] += sign * (r[k][0] - r[k][1]));
        }
    }

    /// `Gᵀ y` and `±y`, in the shape of `like`.
    pub(super) fn slips(&self, y: &[Six], like: &Cones) -> Cones {
        let of = |column: &Column, side: usize| match column.blocks[side] {
            FIXED => DVec3::ZERO,
            block => {
                let [vx, vy, vz, x, y, z] = y[block];
                DVec3::new(vx, vy, vz) + DVec3::new(x, y, z).cross(column.arms[side])
            }
        };
        let slip = |i: usize| {
            let column = &self.columns[i];
            column.along(of(column, 0) - of(column, 1))
        };
        Cones::from_fn(like, slip, |b, k, side| if side == 0 { y[b][k] } else { -y[b][k] })
    }

    /// `H x` of contacts and slacks.
    pub(super) fn square(&self, x: &Cones) -> Cones {
        let contact = |i: usize| {
            let (h, x) = (&self.squares[i], &x.contacts[i]);
            std::array::from_fn(|k| h[k][0] * x[0] + h[k][1] * x[1] + h[k][2] * x[2])
        };
        Cones::from_fn(x, contact, |b, k, side| {
            self.slack_squares[b][k][side] * x.slacks[b][k][side]
        })
    }

    /// Adds up and factors `G H Gᵀ`; `false` if a pivot is zero or not finite.
    pub(crate) fn factor(&mut self) -> bool {
        self.blocks.clear();
        for i in 0..self.columns.len() {
            self.add_contact(i);
        }
        let mut greatest = 0.0_f64;
        for block in 0..self.count {
            let values = self.blocks.diagonal_mut(block);
            if let Some(squares) = self.slack_squares.get(block) {
                (0..6).for_each(|k| values[7 * k] += squares[k][0] + squares[k][1]);
            }
            greatest = (0..6).fold(greatest, |most, k| most.max(values[7 * k]));
        }
        for block in 0..self.count {
            let values = self.blocks.diagonal_mut(block);
            let trace: f64 = (0..6).map(|k| values[7 * k]).sum();
            let extra = self.regularisation * (trace / 6.0 + OF_ALL * greatest);
            (0..6).for_each(|k| values[7 * k] += extra);
        }
        self.factor.factor(&self.blocks)
    }

    /// `G H Gᵀ y`, without regularisation.
    fn multiply(&self, y: &[Six]) -> Vec<Six> {
        let like = Cones { contacts: Vec::new(), slacks: self.no_slacks() };
        let like = Cones { contacts: vec![[0.0; 3]; self.columns.len()], ..like };
        let mut product = vec![[0.0; 6]; y.len()];
        self.add_forces(&mut product, 1.0, &self.square(&self.slips(y, &like)));
        product
    }

    fn no_slacks(&self) -> Vec<[[f64; 2]; 6]> {
        vec![[[0.0; 2]; 6]; self.slack_squares.len()]
    }

    /// Solves in place, refined to take back the regularisation and most of the rounding.
    pub(super) fn refined(&mut self, x: &mut Vec<Six>) {
        let right = x.clone();
        let enough = REFINED * dot(&right, &right).sqrt();
        self.factor.solve(x.as_flattened_mut());
        let mut rest = plus(&right, -1.0, &self.multiply(x));
        let mut left = dot(&rest, &rest).sqrt();
        let mut previous: Option<(Vec<Six>, f64)> = None;
        for _ in 0..MOST_ROUNDS {
            if left <= enough {
                break;
            }
            let mut direction = rest.clone();
            self.factor.solve(direction.as_flattened_mut());
            let power = dot(&rest, &direction);
            let mut length = 1.0;
            if self.conjugate {
                if let Some((last, before)) = &previous {
                    direction = plus(&direction, power / before, last);
                }
                length = power / dot(&direction, &self.multiply(&direction));
            }
            let next = plus(x, length, &direction);
            let next_rest = plus(&right, -1.0, &self.multiply(&next));
            let next_left = dot(&next_rest, &next_rest).sqrt();
            if next_left.is_nan() || next_left > 0.5 * left {
                break;
            }
            (*x, rest, left) = (next, next_rest, next_left);
            previous = Some((direction, power));
        }
    }

    /// Adds `G H Gᵀ` of one contact.
    fn add_contact(&mut self, i: usize) {
        let column = &self.columns[i];
        let axes = DMat3::from_cols(column.axes[0], column.axes[1], column.axes[2]);
        let square = self.squares[i];
        let middle = DMat3::from_cols_array_2d(&square);
        let world = axes * middle * axes.transpose();
        let [a, b] = column.blocks;
        if a != FIXED {
            let arm = column.arms[0];
            add_outer(self.blocks.diagonal_mut(a), 1.0, &world, arm, arm);
        }
        if b != FIXED {
            let arm = column.arms[1];
            add_outer(self.blocks.diagonal_mut(b), 1.0, &world, arm, arm);
        }
        if let Some((edge, flipped)) = self.edge_of[i] {
            let [one, two] = if flipped { [1, 0] } else { [0, 1] };
            let (first, second) = (column.arms[one], column.arms[two]);
            add_outer(self.blocks.edge_mut(edge, false), -1.0, &world, second, first);
            add_outer(self.blocks.edge_mut(edge, true), -1.0, &world, first, second);
        }
    }
}

/// Adds `sign [1; r×] P [1, −s×]`, by columns, where `r` is the arm of the rows and `s` of the columns.
fn add_outer(block: &mut [f64], sign: f64, p: &DMat3, rows: DVec3, columns: DVec3) {
    let cross = |v: DVec3| {
        DMat3::from_cols(
            DVec3::new(0.0, v.z, -v.y),
            DVec3::new(-v.z, 0.0, v.x),
            DVec3::new(v.y, -v.x, 0.0),
        )
    };
    let below = cross(rows) * *p;
    let right = cross(columns).transpose();
    let (beside, corner) = (*p * right, below * right);
    let mut put = |row: usize, column: usize, m: &DMat3| {
        for c in 0..3 {
            let values = m.col(c).to_array();
            for (r, value) in values.iter().enumerate() {
                block[(column + c) * 6 + row + r] += sign * value;
            }
        }
    };
    put(0, 0, p);
    put(3, 0, &below);
    put(0, 3, &beside);
    put(3, 3, &corner);
}

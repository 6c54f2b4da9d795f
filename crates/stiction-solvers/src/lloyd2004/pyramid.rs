//! A contact problem with polyhedral cones, in a memory layout for pivoting.

use crate::error::SolveError;
use crate::linalg::{axpy, dot};
use crate::rows::{Pair, Rows};
use faer::Mat;
use faer::linalg::solvers::Solve;
use std::f64::consts::TAU;
use stiction_contact::{Contact, ContactProblem, Forces, Tangents};

/// Four numbers in one vector register.
pub(super) type Quad = [f64; 4];

/// Friction directions of a contact, as angles from its first tangent:
/// `d_j = cos_j t₁ + sin_j t₂`. Padded with zeros to whole quads.
pub(super) struct Fan {
    pub count: usize,
    pub cos: Vec<f64>,
    pub sin: Vec<f64>,
}

impl Fan {
    fn new(count: usize, stride: usize) -> Self {
        let angle = |j: usize| TAU * j as f64 / count as f64;
        let padded = |f: fn(f64) -> f64| {
            (0..stride).map(|j| if j < count { f(angle(j)) } else { 0.0 }).collect()
        };
        Fan { count, cos: padded(f64::cos), sin: padded(f64::sin) }
    }
}

/// One contact: its rows interleaved, `[n, t₁, t₂, 0]` for each coordinate of its two bodies,
/// so that its response is a sum of quads.
pub(super) struct Block {
    pub bodies: [u32; 2],
    pub across: [[Quad; 6]; 2],
    /// Response without forces: `[ν, along t₁, along t₂, 0]`.
    pub bias: Quad,
    pub friction: f64,
    /// Index of the fan; contacts without friction unknowns have the empty one.
    pub fan: usize,
    /// Index of the normal row.
    pub row: usize,
}

/// The data that the three methods pivot on: `N`, `D`, `μ`, `E` and `q` of \[L04, eq. 8\], none
/// of them formed.
pub struct Pyramid {
    pub(super) rows: Rows,
    pub(super) blocks: Vec<Block>,
    /// No directions, the two of a line, those of a plane.
    pub(super) fans: [Fan; 3],
    /// Directions per contact, padded to whole quads.
    pub(super) stride: usize,
    /// Index of the body that represents all fixed ones.
    pub(super) still: u32,
    /// Bilateral rows that are not implied by earlier ones.
    pub(super) bilateral: Vec<usize>,
    /// Orthonormal basis of the directions they span in the motion of all bodies.
    pub(super) held: Vec<Vec<f64>>,
}

/// A bilateral row is implied by others if its remainder beside them, relative to its length,
/// is below this: far above rounding.
const IMPLIED: f64 = 1e-9;

impl Pyramid {
    /// Arranges a problem with `directions` friction directions per contact (even, at least 4);
    /// planar contacts have two.
    pub fn new(problem: &ContactProblem, directions: usize) -> Self {
        let rows = Rows::new(problem);
        let stride = directions.next_multiple_of(4);
        let fan = |contact: &Contact| match contact.tangents {
            _ if !contact.friction.has_tangent_unknowns() => 0,
            Tangents::Line(_) => 1,
            Tangents::Plane => 2,
        };
        let block = |(contact, c): (&Contact, &crate::rows::ContactRows)| {
            let r = c.normal;
            let lanes = 1 + c.tangents;
            let lane = |l: usize, side: usize, k: usize| {
                if l < lanes { rows.row[r + l][side][k] } else { 0.0 }
            };
            Block {
                bodies: rows.bodies[r],
                across: std::array::from_fn(|side| {
                    std::array::from_fn(|k| std::array::from_fn(|l| lane(l, side, k)))
                }),
                bias: std::array::from_fn(|l| if l < lanes { rows.bias[r + l] } else { 0.0 }),
                friction: c.friction,
                fan: fan(contact),
                row: r,
            }
        };
        let blocks = problem.contacts().iter().zip(&rows.contacts).map(block).collect();
        let fans = [Fan::new(0, stride), Fan::new(2, stride), Fan::new(directions, stride)];
        let still = rows.body_count as u32 - 1;
        let (bilateral, held) = independent(&rows);
        Pyramid { rows, blocks, fans, stride, still, bilateral, held }
    }

    /// Friction directions per contact.
    pub fn directions(&self) -> usize {
        self.fans[2].count
    }

    /// Number of unknowns of the large problem.
    pub fn unknowns(&self) -> usize {
        let count = |i: usize| self.fan(i).count;
        (0..self.blocks.len()).map(|i| 1 + count(i) + usize::from(count(i) > 0)).sum()
    }

    /// Checks that bilateral rows implied by others do not require another response.
    pub(super) fn check_bilateral(&self) -> Result<(), SolveError> {
        let rows = &self.rows;
        let implied = (rows.bilateral..rows.bounded).filter(|r| !self.bilateral.contains(r));
        let shift = self.bilateral_shift();
        for r in implied {
            let response = rows.bias[r] + dot(&rows.spread_one(r, &rows.row[r]), &shift);
            if response.abs() > IMPLIED {
                let response = rows.physical_response(r, response);
                return Err(SolveError::Contradiction { place: rows.place(r), response });
            }
        }
        Ok(())
    }

    /// Change of the free motion imposed by the bilateral rows alone.
    pub(super) fn bilateral_shift(&self) -> Vec<f64> {
        let (rows, kept) = (&self.rows, &self.bilateral);
        let mut shift = rows.at_rest();
        let k = kept.len();
        if k == 0 {
            return shift;
        }
        let gram = Mat::from_fn(k, k, |i, j| rows.entry(kept[i], kept[j]));
        let force = gram.partial_piv_lu().solve(Mat::from_fn(k, 1, |i, _| -rows.bias[kept[i]]));
        for (i, &r) in kept.iter().enumerate() {
            axpy(&mut shift, force[(i, 0)], &rows.spread_one(r, &rows.row[r]));
        }
        shift
    }

    pub(super) fn fan(&self, contact: usize) -> &Fan {
        &self.fans[self.blocks[contact].fan]
    }

    /// A friction direction as coordinates along `t₁` and `t₂`.
    #[inline(always)]
    pub(super) fn direction(&self, contact: usize, j: usize) -> [f64; 2] {
        let fan = self.fan(contact);
        [fan.cos[j], fan.sin[j]]
    }

    /// Effect of `x₀ n + x₁ t₁ + x₂ t₂` on the bodies.
    #[inline(always)]
    pub(super) fn line(&self, contact: usize, x: [f64; 3]) -> Pair {
        let block = &self.blocks[contact];
        let across = &block.across;
        std::array::from_fn(|side| {
            std::array::from_fn(|k| {
                if k >= 6 {
                    return 0.0;
                }
                let quad = &across[side][k];
                x[0] * quad[0] + x[1] * quad[1] + x[2] * quad[2]
            })
        })
    }

    /// Row forces `[n, t₁, t₂]` of every contact and forces of the independent
    /// bilateral rows, in physical units.
    pub(super) fn physical(&self, contacts: &[[f64; 3]], bilateral: &[f64]) -> Forces {
        let mut force = vec![0.0; self.rows.len()];
        for (c, f) in self.rows.contacts.iter().zip(contacts) {
            force[c.normal..=c.normal + c.tangents].copy_from_slice(&f[..=c.tangents]);
        }
        for (&r, f) in self.bilateral.iter().zip(bilateral) {
            force[r] = *f;
        }
        self.rows.physical(&force)
    }
}

/// Removes the part along orthonormal directions from a vector; twice, for full precision.
pub(super) fn project_out(directions: &[Vec<f64>], vector: &mut [f64]) {
    for direction in directions.iter().chain(directions) {
        let along = dot(direction, vector);
        axpy(vector, -along, direction);
    }
}

/// Bilateral rows that are not implied by others, and the directions they span.
fn independent(rows: &Rows) -> (Vec<usize>, Vec<Vec<f64>>) {
    let (mut kept, mut held) = (Vec::new(), Vec::new());
    for r in rows.bilateral..rows.bounded {
        let mut left = rows.spread_one(r, &rows.row[r]);
        let before = dot(&left, &left).sqrt();
        project_out(&held, &mut left);
        let after = dot(&left, &left).sqrt();
        if after > IMPLIED * before {
            for x in &mut left {
                *x /= after;
            }
            held.push(left);
            kept.push(r);
        }
    }
    (kept, held)
}

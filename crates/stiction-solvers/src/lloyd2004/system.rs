//! The reduced system: the remainder of `M̄ x = b` once friction at its limit and slip speeds
//! are eliminated \[L04, eq. 31, 42, 44 and 47\].
//!
//! One slot per remaining unknown, with its row and its column:
//!
//! ```text
//!   slot        row                 column
//!   cover z₀    w_r                 c + Lᵀ c_*
//!   θ_i         n_i                 n_i + μ_i d_x            N_α,  N_*
//!   φ_κ         d_κ − d_x           d_κ − d_x                D_*
//!   bilateral   g                   g
//! ```
//!
//! with `d_x` absent where the contact does not slide. Its entries are products of twelve
//! numbers; the large matrix is never formed. A free slot is a row and a column of the
//! identity.

use super::lu::Lu;
use super::updated::Updated;
use crate::rows::Pair;

/// No slot.
pub(super) const NONE: u32 = u32::MAX;

/// Numbers per body: six and padding.
const WIDTH: usize = 8;

/// Unknowns beyond which the inverse is updated; below, elimination is faster (`stiction bench
/// lloyd --crossover K` measures another value).
pub(super) const CROSSOVER: usize = 40;

/// Residual of the reduced system, relative to the solution (entries of the matrix are at most
/// one), above which a solution by the updated inverse is corrected once, and above which the
/// inverse is rebuilt.
const EXACT: (f64, f64) = (1e-14, 1e-12);

/// Mass-scaled motion of one body.
pub(super) type Motion = [f64; WIDTH];

/// One unknown of the reduced system.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub bodies: [u32; 2],
    /// The row: the response of this unknown.
    pub left: Pair,
    /// The column: the effect of a unit of the unknown.
    pub right: Pair,
    /// Response of the row without forces: its entry of `q`.
    pub bias: f64,
    /// Its entry of the covering vector, `c_ν` or `c'_κ`.
    pub cover: f64,
}

impl Slot {
    /// A slot without an unknown: a row and a column of the identity.
    const FREE: Slot = Slot {
        bodies: [NONE; 2],
        left: [[0.0; WIDTH]; 2],
        right: [[0.0; WIDTH]; 2],
        bias: 0.0,
        cover: 0.0,
    };
}

/// The content of the cover slot's row.
#[derive(Clone, Copy)]
pub(super) enum CoverRow {
    /// No row: z₀ is not basic.
    Absent,
    /// `w_r` is ν or σ: a row over bodies.
    Line,
    /// `w_r` is γ: `μ` at the slot of θ, −1 at those of φ_κ.
    Limit,
}

/// What is increased, as a right-hand side.
#[derive(Clone, Copy)]
pub(super) enum Drive {
    /// Nothing: only the values are required.
    Nothing,
    /// θ or φ, with its column.
    Column { bodies: [u32; 2], right: Pair },
    /// λ: a slip speed, which acts on the given slots of its contact.
    Slip([u32; super::state::KAPPAS]),
    /// `w_r` itself.
    CoverRow,
}

pub(super) struct System {
    /// The first one belongs to z₀.
    pub slots: Vec<Slot>,
    free: Vec<u32>,
    /// Row-major, `stride` entries per row.
    matrix: Vec<f64>,
    stride: usize,
    crossover: usize,
    lu: Lu,
    pub updated: Updated,
    still: u32,
    /// Right-hand sides, or the residuals of the solutions.
    right: [Vec<f64>; 2],
    /// A correction.
    step: Vec<f64>,
    /// `c_* = D_x c_γ`
    pub cover: Vec<Motion>,
    /// Whether it is not zero.
    pub covers_limits: bool,
    pub cover_row: CoverRow,
    /// Solution for `−q`, one value per slot.
    pub value: Vec<f64>,
    /// Solution for the driving column.
    pub rate: Vec<f64>,
    /// Motion of the bodies for both.
    pub motion: Vec<[Motion; 2]>,
}

#[inline(always)]
fn dot(x: &Motion, y: &Motion) -> f64 {
    let p: Motion = std::array::from_fn(|k| x[k] * y[k]);
    ((p[0] + p[4]) + (p[1] + p[5])) + ((p[2] + p[6]) + (p[3] + p[7]))
}

/// Response of a row to a column: zero if they share no body.
#[inline(always)]
fn product(bodies: [u32; 2], left: &Pair, others: [u32; 2], right: &Pair, still: u32) -> f64 {
    let mut sum = 0.0;
    if bodies[0] == others[0] {
        sum += dot(&left[0], &right[0]);
    } else if bodies[0] == others[1] {
        sum += dot(&left[0], &right[1]);
    }
    if bodies[1] == still {
        return sum;
    }
    if bodies[1] == others[0] {
        sum += dot(&left[1], &right[0]);
    } else if bodies[1] == others[1] {
        sum += dot(&left[1], &right[1]);
    }
    sum
}

/// `left = b − K x`, and its largest entry.
#[inline(always)]
fn residual(
    matrix: &[f64],
    stride: usize,
    n: usize,
    b: &[f64],
    x: &[f64],
    left: &mut [f64],
) -> f64 {
    let mut largest = 0.0_f64;
    for i in 0..n {
        left[i] = b[i] - crate::linalg::dot(&matrix[i * stride..i * stride + n], &x[..n]);
        largest = if left[i].abs() <= largest { largest } else { left[i].abs() };
    }
    largest
}

impl System {
    /// Memory for `slots` unknowns over `bodies` bodies, the last of which is fixed.
    pub(super) fn new(slots: usize, bodies: usize, crossover: usize) -> Self {
        let stride = slots.next_multiple_of(4);
        System {
            slots: Vec::with_capacity(slots),
            free: Vec::with_capacity(slots),
            matrix: vec![0.0; stride * stride],
            stride,
            crossover,
            lu: Lu::new(stride),
            updated: Updated::new(if stride > crossover { stride } else { 0 }),
            right: [vec![0.0; stride], vec![0.0; stride]],
            step: vec![0.0; stride],
            still: bodies as u32 - 1,
            cover: vec![[0.0; WIDTH]; bodies],
            covers_limits: false,
            cover_row: CoverRow::Absent,
            value: vec![0.0; stride],
            rate: vec![0.0; stride],
            motion: vec![[[0.0; WIDTH]; 2]; bodies],
        }
    }

    /// Empties the system, with a free slot for z₀.
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.free.clear();
        self.cover_row = CoverRow::Absent;
        self.updated.forget();
        self.slots.push(Slot::FREE);
        self.clean(0);
    }

    /// Whether the inverse is updated instead of the matrix being eliminated again.
    #[inline(always)]
    fn is_large(&self) -> bool {
        self.slots.len() > self.crossover
    }

    #[inline(always)]
    fn mark(&mut self, row: bool, column: bool, s: usize) {
        if self.stride > self.crossover {
            if row {
                self.updated.mark_row(s);
            }
            if column {
                self.updated.mark_column(s);
            }
        }
    }

    /// Makes a slot a row and a column of the identity.
    #[inline(always)]
    fn clean(&mut self, s: usize) {
        let n = self.slots.len();
        self.slots[s] = Slot::FREE;
        self.matrix[s * self.stride..s * self.stride + n].fill(0.0);
        for i in 0..n {
            self.matrix[i * self.stride + s] = 0.0;
        }
        self.matrix[s * self.stride + s] = 1.0;
        self.mark(true, true, s);
    }

    /// Assigns a slot to an unknown; `None` if there are more than possible.
    #[inline(always)]
    pub(super) fn add(&mut self, slot: &Slot) -> Option<u32> {
        let s = match self.free.pop() {
            Some(s) => s as usize,
            None if self.slots.len() < self.slots.capacity() => {
                let s = self.slots.len();
                self.slots.push(Slot::FREE);
                // Leftovers of an earlier run.
                self.clean(s);
                s
            }
            None => return None,
        };
        self.replace(s as u32, slot);
        Some(s as u32)
    }

    /// Replaces the row and column of a slot.
    #[inline(always)]
    pub(super) fn replace(&mut self, s: u32, slot: &Slot) {
        let s = s as usize;
        self.mark(true, true, s);
        self.slots[s] = *slot;
        let stride = self.stride;
        for (i, other) in self.slots.iter().enumerate().skip(1) {
            self.matrix[i * stride + s] =
                product(other.bodies, &other.left, slot.bodies, &slot.right, self.still);
            self.matrix[s * stride + i] =
                product(slot.bodies, &slot.left, other.bodies, &other.right, self.still);
        }
    }

    #[inline(always)]
    pub(super) fn remove(&mut self, s: u32) {
        self.clean(s as usize);
        self.free.push(s);
    }

    /// Sets the row of `w_r`, a line over bodies.
    #[inline(always)]
    pub(super) fn set_cover_line(&mut self, bodies: [u32; 2], left: Pair, bias: f64, cover: f64) {
        self.cover_row = CoverRow::Line;
        self.mark(true, false, 0);
        let slot = Slot { bodies, left, bias, cover, ..Slot::FREE };
        self.slots[0] = slot;
        for (j, other) in self.slots.iter().enumerate().skip(1) {
            self.matrix[j] = product(bodies, &left, other.bodies, &other.right, self.still);
        }
    }

    /// Sets the row of `w_r = γ`: `μ θ − Σ φ_κ + c z₀`.
    #[inline(always)]
    pub(super) fn set_cover_limit(&mut self, friction: f64, theta: u32, kappa: &[u32], cover: f64) {
        self.cover_row = CoverRow::Limit;
        self.mark(true, false, 0);
        self.slots[0] = Slot { cover, ..Slot::FREE };
        let n = self.slots.len();
        self.matrix[..n].fill(0.0);
        if theta != NONE {
            self.matrix[theta as usize] = friction;
        }
        for &k in kappa {
            self.matrix[k as usize] = -1.0;
        }
    }

    /// Removes z₀.
    pub(super) fn remove_cover(&mut self) {
        self.cover_row = CoverRow::Absent;
        self.clean(0);
    }

    /// The column of z₀.
    #[inline(always)]
    fn set_cover_column(&mut self) {
        if matches!(self.cover_row, CoverRow::Absent) {
            return;
        }
        self.mark(false, self.covers_limits, 0);
        for (i, slot) in self.slots.iter().enumerate() {
            let mut entry = slot.cover;
            if self.covers_limits && slot.bodies[0] != NONE {
                let [a, b] = slot.bodies;
                entry += dot(&slot.left[0], &self.cover[a as usize]);
                entry += dot(&slot.left[1], &self.cover[b as usize]);
            }
            self.matrix[i * self.stride] = entry;
        }
    }

    /// Solves for the values and the rates; `false` if the matrix is singular.
    #[inline(always)]
    pub(super) fn solve(&mut self, drive: &Drive) -> bool {
        self.set_cover_column();
        for (i, slot) in self.slots.iter().enumerate() {
            self.right[0][i] = -slot.bias;
            self.right[1][i] = match drive {
                Drive::Column { bodies, right } => {
                    -product(slot.bodies, &slot.left, *bodies, right, self.still)
                }
                Drive::Slip(slots) if slots.contains(&(i as u32)) => -1.0,
                Drive::CoverRow if i == 0 => 1.0,
                _ => 0.0,
            };
        }
        let solved = if self.is_large() { self.solve_updated() } else { self.eliminate() };
        if solved {
            self.move_bodies(drive);
        }
        solved
    }

    #[inline(always)]
    fn eliminate(&mut self) -> bool {
        let Self { slots, matrix, stride, lu, right, .. } = self;
        lu.load(slots.len(), matrix, *stride);
        for i in 0..slots.len() {
            lu.set_right(i, right[0][i], right[1][i]);
        }
        lu.solve(&mut self.value, &mut self.rate)
    }

    /// Solves by the updated inverse, corrected until the equations hold; rebuilds it if they
    /// do not.
    #[inline(always)]
    fn solve_updated(&mut self) -> bool {
        let n = self.slots.len();
        if !self.updated.follow(n, &self.matrix) {
            return false;
        }
        let Self { updated, matrix, stride, right, step, value, rate, .. } = self;
        for attempt in 0..2 {
            let mut exact = true;
            for (b, x) in right.iter_mut().zip([&mut *value, &mut *rate]) {
                updated.solve(b, x);
                let size = x[..n].iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                let mut left = residual(matrix, *stride, n, b, x, step);
                if left > EXACT.0 * size {
                    updated.solve_into(step, x);
                    left = residual(matrix, *stride, n, b, x, step);
                }
                exact &= left <= EXACT.1 * size;
            }
            if exact || attempt == 1 {
                break;
            }
            if !updated.rebuild(n, matrix) {
                return false;
            }
        }
        true
    }

    /// Corrects the values by the residual that the motion of the bodies leaves in their
    /// equations: the products of products in the matrix cost digits.
    pub(super) fn refine(&mut self) -> bool {
        let before = self.value.clone();
        for (i, slot) in self.slots.iter().enumerate() {
            let moved = |side: usize| match slot.bodies[side] {
                body if body < self.still => dot(&slot.left[side], &self.motion[body as usize][0]),
                _ => 0.0,
            };
            self.right[0][i] = -(slot.bias + moved(0) + moved(1));
            self.right[1][i] = 0.0;
        }
        let solved = if self.is_large() { self.solve_updated() } else { self.eliminate() };
        for (value, before) in self.value.iter_mut().zip(&before) {
            *value += before;
        }
        self.move_bodies(&Drive::Nothing);
        solved
    }

    /// Motion of the bodies: `N_* θ + D_* φ_κ + c_* z₀`, and the driving column \[L04, eq. 40\].
    #[inline(always)]
    fn move_bodies(&mut self, drive: &Drive) {
        let (z, dz) = (self.value[0], self.rate[0]);
        if self.covers_limits {
            for (motion, c) in self.motion.iter_mut().zip(&self.cover) {
                *motion = [c.map(|x| x * z), c.map(|x| x * dz)];
            }
        } else {
            self.motion.fill([[0.0; WIDTH]; 2]);
        }
        for (s, slot) in self.slots.iter().enumerate().skip(1) {
            let (x, dx) = (self.value[s], self.rate[s]);
            for side in 0..2 {
                let body = slot.bodies[side];
                if body < self.still {
                    let [v, dv] = &mut self.motion[body as usize];
                    let right = &slot.right[side];
                    for k in 0..WIDTH {
                        v[k] += right[k] * x;
                        dv[k] += right[k] * dx;
                    }
                }
            }
        }
        if let Drive::Column { bodies, right } = drive {
            for side in 0..2 {
                if bodies[side] < self.still {
                    let dv = &mut self.motion[bodies[side] as usize][1];
                    for k in 0..WIDTH {
                        dv[k] += right[side][k];
                    }
                }
            }
        }
    }
}

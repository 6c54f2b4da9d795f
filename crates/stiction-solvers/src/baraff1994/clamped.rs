//! The clamped block `A_CC` and its factor.
//!
//! `C` holds every row whose response is kept at zero. Contacts are often redundant (four legs,
//! three unknowns), so `C` has two parts: *slots*, independent rows that are factored, and
//! *spare* rows that depend on the slots. A spare row keeps its force, and its response stays
//! zero by itself. When a slot leaves, a spare row that depended on it replaces it.
//!
//! The factor is `L Lᵀ` until friction is first tied to a normal force, and an explicit inverse
//! afterwards. Both change by one row and column in O(k²).

use crate::linalg::{Cholesky, Inverse};
use crate::rows::{Bodies, Rows, product};
use crate::settings::{DEPENDS, SPARE};

/// In the unsymmetric block a row is also spare if it does not respond to that component: its
/// pivot, relative to the square of the component, is below this.
const UNRESPONSIVE: f64 = 1e-5;

/// Pivots above this are used as computed, those below are refined first.
const CLEAR_PIVOT: f64 = 1e-5;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Membership {
    Out,
    Slot,
    Spare,
}

enum Factor {
    Symmetric(Cholesky),
    General(Inverse),
}

pub(super) struct Clamped {
    slots: Vec<usize>,
    spare: Vec<usize>,
    member: Vec<Membership>,
    factor: Factor,
    bodies: Bodies,
    /// Solution of the last `weights`, one entry per slot.
    pub x: Vec<f64>,
    /// `L⁻¹ v` of the last `weights` of a symmetric factor.
    lower: Vec<f64>,
    v: Vec<f64>,
    correction: Vec<f64>,
    /// `L⁻¹` of a correction: not the row of `L` that belongs to `x`.
    unused: Vec<f64>,
    z: Vec<f64>,
    capacity: usize,
}

impl Clamped {
    pub(super) fn new(rows: &Rows) -> Self {
        let n = rows.len();
        let capacity = n.min(6 * rows.body_count);
        let factor = if rows.symmetric {
            Factor::Symmetric(Cholesky::with_capacity(capacity))
        } else {
            Factor::General(Inverse::with_capacity(capacity))
        };
        Clamped {
            slots: Vec::with_capacity(capacity),
            spare: Vec::with_capacity(n),
            member: vec![Membership::Out; n],
            factor,
            bodies: Bodies::at_rest(rows.body_count),
            x: Vec::with_capacity(capacity),
            lower: Vec::with_capacity(capacity),
            v: Vec::with_capacity(capacity),
            correction: Vec::with_capacity(capacity),
            unused: Vec::with_capacity(capacity),
            z: vec![0.0; capacity],
            capacity,
        }
    }

    pub(super) fn slots(&self) -> &[usize] {
        &self.slots
    }

    pub(super) fn contains(&self, row: usize) -> bool {
        self.member[row] != Membership::Out
    }

    pub(super) fn is_slot(&self, row: usize) -> bool {
        self.member[row] == Membership::Slot
    }

    pub(super) fn is_symmetric(&self) -> bool {
        matches!(self.factor, Factor::Symmetric(_))
    }

    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.spare.clear();
        self.member.fill(Membership::Out);
        match &mut self.factor {
            Factor::Symmetric(factor) => factor.clear(),
            Factor::General(inverse) => inverse.clear(),
        }
    }

    /// Switches to the unsymmetric factor, once a column differs from its row.
    pub(super) fn generalise(&mut self, rows: &Rows) {
        if let Factor::Symmetric(_) = self.factor {
            self.factor = Factor::General(Inverse::with_capacity(self.capacity));
            self.refresh(rows);
        }
    }

    /// Factors the same rows again from scratch.
    pub(super) fn refresh(&mut self, rows: &Rows) {
        let slots = std::mem::take(&mut self.slots);
        let spare = std::mem::take(&mut self.spare);
        self.slots.reserve(self.capacity);
        self.spare.reserve(self.member.len());
        self.clear();
        for row in slots.into_iter().chain(spare) {
            self.insert(rows, row);
        }
    }

    /// Solves with the factor: `x = A_CC⁻¹ v`, in place.
    fn solve_with(factor: &Factor, v: &mut Vec<f64>, lower: &mut Vec<f64>, scratch: &mut Vec<f64>) {
        match factor {
            Factor::Symmetric(cholesky) => {
                cholesky.solve_lower(v);
                lower.clear();
                lower.extend_from_slice(v);
                cholesky.solve_upper(v);
            }
            Factor::General(inverse) => {
                scratch.clear();
                scratch.resize(v.len(), 0.0);
                inverse.solve(v, scratch);
                std::mem::swap(v, scratch);
            }
        }
    }

    /// The forces of the slots that reproduce a unit force on `row`: `A_CC x = A_C,row` [B94,
    /// eq. 9], left in `x`.
    pub(super) fn weights(&mut self, rows: &Rows, row: usize) {
        self.x.clear();
        self.x.extend(self.slots.iter().map(|&s| rows.entry(s, row)));
        Self::solve_with(&self.factor, &mut self.x, &mut self.lower, &mut self.correction);
    }

    /// One step of iterative refinement of `x`, through the bodies. `bodies` holds the column
    /// minus its reproduction by the slots, before and after.
    fn refine(&mut self, rows: &Rows) {
        let Clamped { v, x, factor, slots, bodies, correction, unused, .. } = self;
        v.clear();
        v.extend(slots.iter().map(|&s| bodies.response(rows, s)));
        Self::solve_with(factor, v, unused, correction);
        for (k, &s) in slots.iter().enumerate() {
            x[k] += v[k];
            bodies.push(rows, s, &rows.column[s], -v[k]);
        }
    }

    /// One step of iterative refinement of the last `weights`, from the responses of the slots
    /// to the direction computed from them.
    pub(super) fn refine_after(&mut self, response_change: &[f64], sign: f64) {
        let Clamped { v, x, factor, slots, correction, unused, .. } = self;
        v.clear();
        v.extend(slots.iter().map(|&s| sign * response_change[s]));
        Self::solve_with(factor, v, unused, correction);
        x.iter_mut().zip(v.iter()).for_each(|(x, v)| *x += v);
    }

    /// The part of `row`'s column that the slots cannot reproduce, after `weights`; left in
    /// `bodies`.
    fn remainder(&mut self, rows: &Rows, row: usize) {
        self.bodies.rest();
        self.bodies.push(rows, row, &rows.column[row], 1.0);
        for (k, &s) in self.slots.iter().enumerate() {
            self.bodies.push(rows, s, &rows.column[s], -self.x[k]);
        }
        self.refine(rows);
    }

    /// Adds a row to `C`; returns whether as a slot.
    pub(super) fn insert(&mut self, rows: &Rows, row: usize) -> bool {
        debug_assert!(!self.contains(row));
        if self.slots.len() == self.capacity {
            return self.set_spare(row);
        }
        self.weights(rows, row);
        let diagonal = product(&rows.row[row], &rows.row[row]);
        let mut pivot = diagonal - self.lower.iter().map(|x| x * x).sum::<f64>();
        if !self.is_symmetric() || pivot <= CLEAR_PIVOT * diagonal {
            self.remainder(rows, row);
            let added = self.bodies.square();
            pivot = if self.is_symmetric() { added } else { self.bodies.response(rows, row) };
            if added <= SPARE * diagonal || pivot.abs() <= UNRESPONSIVE * added {
                return self.set_spare(row);
            }
        }
        self.append(rows, row, pivot);
        true
    }

    /// Like `insert`, but rejects small pivots without refining them: for a first guess, where
    /// a row left out by mistake is driven later.
    pub(super) fn insert_if_clear(&mut self, rows: &Rows, row: usize) {
        if self.slots.len() == self.capacity {
            self.set_spare(row);
            return;
        }
        let Factor::Symmetric(cholesky) = &self.factor else {
            self.insert(rows, row);
            return;
        };
        self.lower.clear();
        self.lower.extend(self.slots.iter().map(|&s| rows.entry(s, row)));
        cholesky.solve_lower(&mut self.lower);
        let diagonal = product(&rows.row[row], &rows.row[row]);
        let pivot = diagonal - self.lower.iter().map(|x| x * x).sum::<f64>();
        if pivot <= CLEAR_PIVOT * diagonal {
            self.set_spare(row);
        } else {
            self.append(rows, row, pivot);
        }
    }

    /// Adds the row just driven to `C`. `weights` was last called for it, and `pivot` is the
    /// response to its own force.
    pub(super) fn insert_driven(&mut self, rows: &Rows, row: usize, pivot: f64) {
        let diagonal = product(&rows.row[row], &rows.row[row]);
        let clear = self.slots.len() < self.capacity && pivot > CLEAR_PIVOT * diagonal;
        if clear && matches!(self.factor, Factor::Symmetric(_)) {
            self.append(rows, row, pivot);
        } else {
            self.insert(rows, row);
        }
    }

    fn set_spare(&mut self, row: usize) -> bool {
        self.spare.push(row);
        self.member[row] = Membership::Spare;
        false
    }

    fn append(&mut self, rows: &Rows, row: usize, pivot: f64) {
        match &mut self.factor {
            Factor::Symmetric(cholesky) => cholesky.append(&self.lower, pivot),
            Factor::General(inverse) => {
                // r = A_row,C: the responses of this row to each slot's column.
                self.v.clear();
                for &s in &self.slots {
                    self.v.push(rows.entry(row, s));
                }
                inverse.solve_left(&self.v, &mut self.z);
                inverse.append(&self.x, &self.z, pivot);
            }
        }
        self.slots.push(row);
        self.member[row] = Membership::Slot;
    }

    /// Removes a row from `C`. A spare row that depended on it replaces it.
    pub(super) fn remove(&mut self, rows: &Rows, row: usize) {
        match self.member[row] {
            Membership::Out => return,
            Membership::Spare => self.spare.retain(|&s| s != row),
            Membership::Slot => {
                let slot = self.slots.iter().position(|&s| s == row).unwrap_or(0);
                let leaning = self.most_dependent(rows, slot);
                self.slots.remove(slot);
                let removed = match &mut self.factor {
                    Factor::Symmetric(cholesky) => {
                        cholesky.remove(slot);
                        true
                    }
                    Factor::General(inverse) => inverse.remove(slot),
                };
                self.member[row] = Membership::Out;
                if !removed {
                    self.refresh(rows);
                }
                if let Some(spare) = leaning
                    && self.member[spare] == Membership::Spare
                {
                    self.spare.retain(|&s| s != spare);
                    self.member[spare] = Membership::Out;
                    self.insert(rows, spare);
                }
            }
        }
        self.member[row] = Membership::Out;
    }

    /// The spare row that depends most on a slot: forces on the slots that move only this one
    /// (`A_CC x = e_slot`) also move the spare rows that depend on it.
    fn most_dependent(&mut self, rows: &Rows, slot: usize) -> Option<usize> {
        if self.spare.is_empty() {
            return None;
        }
        self.x.clear();
        self.x.resize(self.slots.len(), 0.0);
        self.x[slot] = 1.0;
        Self::solve_with(&self.factor, &mut self.x, &mut self.lower, &mut self.correction);
        self.bodies.rest();
        for (k, &s) in self.slots.iter().enumerate() {
            self.bodies.push(rows, s, &rows.column[s], self.x[k]);
        }
        let lean = |row: usize| self.bodies.response(rows, row).abs();
        let best = self.spare.iter().copied().max_by(|&a, &b| lean(a).total_cmp(&lean(b)))?;
        (lean(best) > DEPENDS).then_some(best)
    }

    /// Spare rows that respond to a direction were not spare: makes them slots, if possible.
    /// Returns whether any became one.
    pub(super) fn promote(&mut self, rows: &Rows, response_change: &[f64], size: f64) -> bool {
        /// Response of a spare row, relative to the largest force, that shows it is not spare.
        const RESPONDS: f64 = 1e-9;
        let mut promoted = false;
        let mut k = 0;
        while k < self.spare.len() {
            let row = self.spare[k];
            if response_change[row].abs() > RESPONDS * size {
                self.spare.swap_remove(k);
                self.member[row] = Membership::Out;
                // If it cannot, it moves to the end of the list, beyond the range of this loop.
                if self.insert(rows, row) {
                    promoted = true;
                    continue;
                }
            }
            k += 1;
        }
        promoted
    }

    /// Solves `A_CC x = v` for a right-hand side given per slot, into `x`.
    pub(super) fn solve(&mut self, rhs: impl Fn(usize) -> f64) {
        self.x.clear();
        self.x.extend(self.slots.iter().map(|&s| rhs(s)));
        Self::solve_with(&self.factor, &mut self.x, &mut self.lower, &mut self.correction);
    }
}

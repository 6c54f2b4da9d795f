//! Starting points: a guess, given forces (warm start), or Gauss–Seidel sweeps.
//!
//! The method may start from any non-negative forces: a contact with both a force and a
//! response is simply one whose condition fails. A good start saves most pivots and does not
//! change the result.

use super::state::{Bound, Side, Slip, State};
use crate::SolveError;
use crate::settings::{AT_LIMIT, NO_FORCE};
use stiction_contact::{Forces, Place};

/// Sweeps of the first guess of a frictionless problem.
const GUESS_SWEEPS: usize = 15;

/// Most rounds in which given contact modes are made consistent.
const MODE_ROUNDS: usize = 15;

/// Normal forces more negative than this (scaled) after the repair make the modes useless.
const UNUSABLE: f64 = 1e-8;

impl State<'_> {
    /// Clamps the bilateral rows and solves for them [B94, §4.5]. Rows that depend on the
    /// others are then satisfied, or contradict them.
    pub(super) fn satisfy_bilateral(&mut self) -> Result<(), SolveError> {
        if self.rows.bilateral == self.rows.bounded {
            return Ok(());
        }
        for row in self.rows.bilateral..self.rows.bounded {
            self.clamped.insert(&self.rows, row);
        }
        self.solve_clamped();
        let rows = self.rows.bilateral..self.rows.bounded;
        let worst = rows.max_by(|&a, &b| {
            let off = |r: usize| self.response[r].abs() / self.tolerance[r];
            off(a).total_cmp(&off(b))
        });
        match worst {
            Some(row) if self.response[row].abs() > 1e3 * self.tolerance[row] => {
                Err(SolveError::Contradiction {
                    place: Place::Bilateral(row - self.rows.bilateral),
                    response: self.rows.physical_response(row, self.response[row]),
                })
            }
            _ => Ok(()),
        }
    }

    /// `f_C −= A_CC⁻¹ a_C`, twice.
    fn solve_clamped(&mut self) {
        for _ in 0..2 {
            self.solve_slots();
            self.add_to_slots(-1.0);
            self.measure();
        }
    }

    /// A first guess of the clamped contacts of a frictionless problem: after a few sweeps, the
    /// contacts that push are clamped and solved for. The forces move towards that solution
    /// until one would pull; that contact is released, and so on.
    pub(super) fn guess(&mut self) {
        self.sweep(GUESS_SWEEPS);
        self.clamp_pushing();
        self.solve_slots();
        loop {
            let (step, blocking) = self.step_to_negative();
            self.add_to_slots(-step);
            if step >= 1.0 {
                break;
            }
            self.open(blocking, Side::Undecided);
            self.measure();
            self.solve_slots();
        }
        self.restore();
    }

    fn clamp_pushing(&mut self) {
        self.clamped.clear();
        for row in self.rows.bilateral..self.rows.bounded {
            self.clamped.insert(&self.rows, row);
        }
        for contact in 0..self.side.len() {
            let r = self.rows.contacts[contact].normal;
            let pushes = self.force[r] > 0.0;
            if pushes {
                self.clamped.insert_if_clear(&self.rows, r);
            }
            self.side[contact] = if pushes { Side::Clamped } else { Side::Undecided };
        }
    }

    fn solve_slots(&mut self) {
        let response = &self.response;
        self.clamped.solve(|r| response[r]);
    }

    /// The fraction of the last correction that the contacts can take before one pulls.
    fn step_to_negative(&self) -> (f64, usize) {
        let mut least = (1.0, usize::MAX);
        for (k, &r) in self.clamped.slots().iter().enumerate() {
            if r < self.rows.bilateral && self.clamped.x[k] > self.force[r] {
                let step = (self.force[r] / self.clamped.x[k]).max(0.0);
                if step < least.0
                    && let Place::Contact(contact) = self.place(r)
                {
                    least = (step, contact);
                }
            }
        }
        least
    }

    /// A spare contact with nonzero response was not spare: its condition fails, and the main
    /// loop drives it.
    pub(super) fn release_unsettled(&mut self) {
        for contact in 0..self.side.len() {
            let r = self.rows.contacts[contact].normal;
            let off = self.response[r].abs() > self.tolerance[r];
            if self.side[contact] == Side::Clamped && !self.clamped.is_slot(r) && off {
                self.clamped.remove(&self.rows, r);
                self.side[contact] = Side::Undecided;
            }
        }
    }

    /// Projected Gauss–Seidel from the current forces.
    fn sweep(&mut self, sweeps: usize) {
        self.work.charge(self.rows.sweep_work(sweeps));
        self.rows.sweep(&mut self.force, sweeps);
        self.measure();
    }

    /// Starts from given forces: a warm start.
    pub(super) fn start_from(&mut self, forces: &Forces) -> Result<(), SolveError> {
        self.reset();
        let mut force = std::mem::take(&mut self.force);
        self.rows.scaled(forces, &mut force);
        self.force = force;
        self.measure();
        self.adopt_modes()
    }

    /// Starts from the contact modes that a number of sweeps end in.
    pub(super) fn start_from_sweeps(&mut self, sweeps: usize) -> Result<(), SolveError> {
        self.reset();
        self.sweep(sweeps);
        self.adopt_modes()
    }

    /// Derives the contact modes from the current forces, solves for them, and repairs forces
    /// that become negative or leave their cone.
    fn adopt_modes(&mut self) -> Result<(), SolveError> {
        for r in self.rows.bilateral..self.rows.bounded {
            self.clamped.insert(&self.rows, r);
        }
        for contact in 0..self.side.len() {
            let rows = &self.rows.contacts[contact];
            let (normal, tangents, friction) = (rows.normal, rows.tangents, rows.friction);
            if self.force[normal] <= NO_FORCE {
                self.open(contact, Side::Undecided);
                continue;
            }
            self.clamp(contact);
            if tangents > 0 {
                let [x, y] = self.tangent_force(contact);
                if x.hypot(y) < friction * self.force[normal] * (1.0 - AT_LIMIT) {
                    self.stick(contact);
                } else {
                    self.slide(contact, [x, y]);
                }
            }
        }
        for k in 0..self.bound.len() {
            let (r, lower, upper) = (self.rows.bounded + k, self.rows.lower[k], self.rows.upper[k]);
            self.force[r] = self.force[r].clamp(lower, upper);
            if self.force[r] > lower + NO_FORCE && self.force[r] < upper - NO_FORCE {
                self.clamped.insert(&self.rows, r);
                self.bound[k] = Bound::Clamped;
            }
        }
        for _ in 0..MODE_ROUNDS {
            self.measure();
            self.solve_clamped();
            if !self.repair_modes() {
                break;
            }
        }
        self.measure();
        if (0..self.side.len()).any(|c| self.force[self.rows.contacts[c].normal] < -UNUSABLE) {
            self.reset();
            return self.satisfy_bilateral();
        }
        for contact in 0..self.side.len() {
            let normal = self.rows.contacts[contact].normal;
            self.force[normal] = self.force[normal].max(0.0);
            let along = |state: &Self| state.response[normal + 1];
            if self.slip[contact] == Slip::Slipping && along(self) > self.tolerance[normal] {
                self.loosen(contact);
            }
        }
        self.measure();
        self.release_unsettled();
        Ok(())
    }

    /// One round of repair; returns whether anything changed.
    fn repair_modes(&mut self) -> bool {
        let mut changed = false;
        for contact in 0..self.side.len() {
            if self.side[contact] != Side::Clamped {
                continue;
            }
            let rows = &self.rows.contacts[contact];
            let (normal, tangents, friction) = (rows.normal, rows.tangents, rows.friction);
            if self.force[normal] < -NO_FORCE {
                self.remove_force(contact);
                changed = true;
            } else if tangents > 0 && self.slip[contact] == Slip::Sticking {
                let [x, y] = self.tangent_force(contact);
                if x.hypot(y) > friction * self.force[normal] + NO_FORCE {
                    self.slide(contact, [x, y]);
                    changed = true;
                }
            }
        }
        for k in 0..self.bound.len() {
            let (r, lower, upper) = (self.rows.bounded + k, self.rows.lower[k], self.rows.upper[k]);
            if self.bound[k] == Bound::Clamped && !(lower..=upper).contains(&self.force[r]) {
                self.force[r] = self.force[r].clamp(lower, upper);
                self.clamped.remove(&self.rows, r);
                self.bound[k] = Bound::Undecided;
                changed = true;
            }
        }
        changed
    }

    /// Removes all force from a contact.
    fn remove_force(&mut self, contact: usize) {
        self.open(contact, Side::Undecided);
        let rows = &self.rows.contacts[contact];
        self.force[rows.normal..=rows.normal + rows.tangents].fill(0.0);
    }
}

//! Projected Gauss–Seidel sweeps: a quick guess of forces and contact modes.

use super::{Bodies, ContactRows, Rows};

/// Over-relaxation of frictionless contacts (between 1 and 2): the forces of tall stacks
/// converge in fewer sweeps.
const OVER_RELAXATION: f64 = 1.5;

/// A sliding contact whose response to its own force (scaled) is below this is left to the
/// method itself: increasing its force hardly helps, or makes it worse.
const RESPONSIVE: f64 = 1e-3;

/// Units of work of one row in a sweep: its products with two bodies, in both directions.
const ROW_WORK: f64 = 40.0;

impl Rows {
    /// Units of work of a number of sweeps.
    pub(crate) fn sweep_work(&self, sweeps: usize) -> f64 {
        ROW_WORK * (sweeps * self.len()) as f64
    }

    /// Gives each row in turn the force that its own law requires, with the others held.
    pub(crate) fn sweep(&self, force: &mut [f64], sweeps: usize) {
        let bodies = &mut Bodies::at_rest(self.body_count);
        for r in 0..self.len() {
            if force[r] != 0.0 {
                bodies.push(self, r, &self.column[r], force[r]);
            }
        }
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                for _ in 0..sweeps {
                    for contact in &self.contacts {
                        sweep_contact(self, contact, force, bodies);
                    }
                    for r in self.bilateral..self.len() {
                        let target = force[r] - (bodies.response(self, r) + self.bias[r]);
                        let new = match r.checked_sub(self.bounded) {
                            Some(k) => target.clamp(self.lower[k], self.upper[k]),
                            None => target,
                        };
                        bodies.push(self, r, &self.row[r], new - force[r]);
                        force[r] = new;
                    }
                }
            },
        );
    }
}

/// The force that a contact's own law requires: no approach, then one step of friction against
/// the slip, limited to the disc of the new normal force.
#[inline(always)]
fn sweep_contact(rows: &Rows, contact: &ContactRows, force: &mut [f64], bodies: &mut Bodies) {
    let r = contact.normal;
    if contact.diagonal > RESPONSIVE {
        let a = bodies.response(rows, r) + rows.bias[r];
        let reach = if contact.tangents == 0 { OVER_RELAXATION } else { 1.0 };
        let new = (force[r] - reach * a / contact.diagonal).max(0.0);
        bodies.push(rows, r, &rows.column[r], new - force[r]);
        force[r] = new;
    }
    if contact.tangents == 0 {
        return;
    }
    let mut target = [0.0; 2];
    for k in 0..contact.tangents {
        let t = r + 1 + k;
        target[k] = force[t] - (bodies.response(rows, t) + rows.bias[t]);
    }
    let limit = contact.friction * force[r];
    let length = target[0].hypot(target[1]);
    let shrink = if length > limit { limit / length } else { 1.0 };
    for k in 0..contact.tangents {
        let t = r + 1 + k;
        let new = shrink * target[k];
        bodies.push(rows, t, &rows.row[t], new - force[t]);
        force[t] = new;
    }
}

//! The hypothesis at every contact, and the computed values that violate the laws.

use super::balance;
use super::parts::Part;
use crate::linalg::minimum_norm;
use crate::observer::{Set, Snapshot};
use crate::rows::{Bodies, ContactRows, Rows};
use faer::Mat;
use stiction_contact::{Forces, Place};

/// The hypothesis at a contact: which of its values are in H.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Forces are zero.
    Open,
    /// Accelerations are zero. Contacts without friction unknowns are open or sticking.
    Stick,
    /// Normal acceleration is zero, friction is on its cone.
    Slip,
    /// The same, with friction exactly against the remaining acceleration where sticking turned
    /// out impossible: how such a contact begins to slip.
    Yield,
}

/// A contact with inconsistent values, and the hypothesis to try next.
#[derive(Clone, Copy)]
pub(super) struct Change {
    pub contact: usize,
    pub to: Mode,
    /// Violation of its law, in scaled forces.
    pub violation: f64,
}

/// Scaled forces or accelerations closer to their bound than this are consistent: above the
/// rounding of the linear systems, below the requested precision.
const ZERO: f64 = 1e-11;

pub(super) struct State {
    pub rows: Rows,
    /// Response of row `i` to the column of row `j`.
    pub a: Mat<f64>,
    pub force: Vec<f64>,
    pub response: Vec<f64>,
    pub mode: Vec<Mode>,
    /// Connected components when it was last balanced.
    pub parts: Vec<Part>,
    /// Scaled accelerations that the last balance may leave where they should be zero; larger
    /// ones contradict the hypotheses.
    pub left: f64,
    /// The precision of the literal method, if that is used.
    pub literal: Option<f64>,
}

impl State {
    /// All contacts are assumed to hold, all forces are zero.
    pub(super) fn new(rows: Rows, literal: Option<f64>) -> Self {
        let n = rows.len();
        State {
            a: Mat::from_fn(n, n, |i, j| rows.entry(i, j)),
            force: vec![0.0; n],
            response: rows.bias.clone(),
            mode: vec![Mode::Stick; rows.contacts.len()],
            parts: Vec::new(),
            left: 0.0,
            literal,
            rows,
        }
    }

    /// Starts from given forces and the hypotheses that they suggest.
    pub(super) fn start_from(&mut self, forces: &Forces) {
        self.rows.scaled(forces, &mut self.force);
        self.response = self.rows.response(&self.force);
        for (contact, mode) in self.rows.contacts.iter().zip(&mut self.mode) {
            let limit = contact.friction * self.force[contact.normal];
            let [x, y] = tangents(contact, &self.force);
            *mode = if self.force[contact.normal] <= 0.0 {
                Mode::Open
            } else if contact.tangents > 0 && x.hypot(y) >= limit - ZERO {
                Mode::Slip
            } else {
                Mode::Stick
            };
        }
        self.take_apart();
    }

    /// Whether some friction force is an unknown of its own.
    pub(super) fn has_friction(&self) -> bool {
        self.rows.contacts.iter().any(|contact| contact.tangents > 0)
    }

    /// Contacts whose computed values violate the laws, with the hypothesis that corrects them
    /// [F96, figure 3].
    pub(super) fn inconsistent(&self) -> Vec<Change> {
        let judge = |(contact, rows)| self.inconsistency(contact, rows);
        self.rows.contacts.iter().enumerate().filter_map(judge).collect()
    }

    fn inconsistency(&self, contact: usize, rows: &ContactRows) -> Option<Change> {
        let zero = self.literal.unwrap_or(ZERO);
        let change = |to, violation| Some(Change { contact, to, violation });
        let (normal, approach) = (self.force[rows.normal], -self.response[rows.normal]);
        if self.mode[contact] == Mode::Open {
            let to = if rows.tangents > 0 { Mode::Slip } else { Mode::Stick };
            return if approach > zero { change(to, approach) } else { None };
        }
        let ([fx, fy], [ax, ay]) = (tangents(rows, &self.force), tangents(rows, &self.response));
        let slip = ax.hypot(ay);
        if self.literal.is_none() && self.mode[contact] == Mode::Stick && slip > self.left {
            return change(Mode::Yield, slip);
        }
        if self.literal.is_none() && -approach > self.left {
            return change(Mode::Open, -approach);
        }
        if normal < -zero {
            return change(Mode::Open, -normal);
        }
        if rows.tangents == 0 {
            return None;
        }
        let limit = rows.friction * normal.max(0.0);
        let excess = fx.hypot(fy) - limit;
        match self.mode[contact] {
            Mode::Yield => None,
            Mode::Slip if self.literal.is_none() => {
                let heading = (fx - ax).hypot(fy - ay);
                if heading < limit - zero { change(Mode::Stick, slip) } else { None }
            }
            _ if excess > zero => change(Mode::Slip, excess),
            _ => None,
        }
    }

    /// Adopts the changed hypotheses. A contact that has yielded slips from now on like any
    /// other.
    pub(super) fn assume(&mut self, changes: &[Change]) {
        for mode in self.mode.iter_mut().filter(|mode| **mode == Mode::Yield) {
            *mode = Mode::Slip;
        }
        for change in changes {
            self.mode[change.contact] = change.to;
        }
    }

    /// The forces with attraction removed and friction limited to its cone.
    pub(super) fn consistent(&self) -> Vec<f64> {
        let mut force = self.force.clone();
        for rows in &self.rows.contacts {
            force[rows.normal] = force[rows.normal].max(0.0);
            let limit = rows.friction * force[rows.normal];
            let [x, y] = tangents(rows, &force);
            let size = x.hypot(y);
            if size > limit {
                (1..=rows.tangents).for_each(|k| force[rows.normal + k] *= limit / size);
            }
        }
        force
    }

    /// Virtual work of the inconsistent part: `vᵀ A v` of the forces to be removed, and `wᵀ A⁺
    /// w` of the accelerations [F96, §3.3].
    pub(super) fn virtual_work(&self, changes: &[Change]) -> f64 {
        let mut bodies = Bodies::at_rest(self.rows.body_count);
        let consistent = self.consistent();
        let mut moving = Vec::new();
        for change in changes {
            let rows = &self.rows.contacts[change.contact];
            let all = rows.normal..=rows.normal + rows.tangents;
            match (self.mode[change.contact], change.to) {
                (Mode::Open, _) => moving.push(rows.normal),
                (_, Mode::Stick) => moving.extend(all.skip(1)),
                _ => {
                    for r in all {
                        let taken = consistent[r] - self.force[r];
                        bodies.push(&self.rows, r, &self.rows.column[r], taken);
                    }
                }
            }
        }
        let block = Mat::from_fn(moving.len(), moving.len(), |i, j| self.a[(moving[i], moving[j])]);
        let w = Mat::from_fn(moving.len(), 1, |i, _| self.response[moving[i]]);
        let x = minimum_norm(block.as_ref(), w.as_ref(), balance::CUTS[0]);
        let accelerations: f64 = (0..moving.len()).map(|i| w[(i, 0)] * x[(i, 0)]).sum();
        self.rows.physical_work(bodies.square() + accelerations)
    }
}

impl State {
    /// The hypotheses, the contacts that violate them, and the forces.
    pub(super) fn snapshot(&self, changes: &[Change]) -> Snapshot {
        let assumed =
            |name, mode| Set::of_contacts(name, self.mode.len(), |i| self.mode[i] == mode);
        let broken = changes.iter().map(|change| Place::Contact(change.contact));
        let sets = vec![
            assumed("open", Mode::Open),
            assumed("stick", Mode::Stick),
            assumed("slip", Mode::Slip),
            Set::new("inconsistent", broken),
        ];
        Snapshot { sets, forces: self.rows.physical(&self.force) }
    }
}

/// The tangential part of `values` at a contact.
pub(super) fn tangents(rows: &ContactRows, values: &[f64]) -> [f64; 2] {
    std::array::from_fn(|k| if k < rows.tangents { values[rows.normal + 1 + k] } else { 0.0 })
}

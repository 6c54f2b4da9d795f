//! The side of every contact, and the transitions between sides.
//!
//! ```text
//!   normal     Clamped     a = 0, f ≥ 0     C        row in the clamped block
//!              Separating  a ≥ 0, f = 0     NC
//!              Undecided   not considered yet, or given up
//!   friction   Sticking    a_t = 0, |f_t| ≤ μ f_n             C_F
//!              Slipping    f_t = μ f_n d, d · a_t ≤ 0         NC_F (NC⁺, NC⁻ in 2D)
//!              Undecided
//! ```
//!
//! A slipping contact has its tangent frame rotated so that `d` is the first tangent; the
//! column of its normal row then includes the friction.

use super::clamped::Clamped;
use crate::observer::{Event, Observer};
use crate::rows::Bodies;
use crate::rows::Rows;
use crate::settings::NO_FORCE;
use crate::work::Work;
use stiction_contact::{Effort, Place};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Undecided,
    Clamped,
    Separating,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slip {
    Undecided,
    Sticking,
    Slipping,
}

/// Side of a bounded row: its force held at a bound, or its response at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Undecided,
    Lower,
    Upper,
    Clamped,
}

pub(super) struct State<'a> {
    pub rows: Rows,
    pub clamped: Clamped,
    /// `f`, per row.
    pub force: Vec<f64>,
    /// `a`, per row.
    pub response: Vec<f64>,
    /// Direction of the drive: `Δf` and `Δa`.
    pub force_change: Vec<f64>,
    pub response_change: Vec<f64>,
    pub side: Vec<Side>,
    pub slip: Vec<Slip>,
    pub bound: Vec<Bound>,
    /// Per row: the zero tolerance. See [`State::measure`].
    pub tolerance: Vec<f64>,
    pub given_up: Vec<usize>,
    /// Last pivot of this drive at which a contact changed sides, by normal and friction.
    pub moved: Vec<[usize; 2]>,
    bodies: Bodies,
    /// Sum of |force| on each body, for the tolerance.
    load: Vec<f64>,
    scan_tolerance: f64,
    pub effort: Effort,
    pub work: &'a mut Work,
    pub observer: &'a mut dyn Observer,
}

/// Zero tolerance of the scan without friction: rounding of a few dozen products.
const SCAN_FRICTIONLESS: f64 = 1e-12;

/// Zero tolerance of the scan with friction. For contacts duplicated within a nanometre a
/// tighter one starts drives that cannot succeed.
const SCAN_FRICTION: f64 = 5e-9;

/// Units of work of one row in a pass: its products with two bodies, in both directions.
const ROW_WORK: f64 = 60.0;

/// Rounding of a response relative to the forces that cause it.
const ROUNDING: f64 = 4e-15;

/// Largest response of a clamped row that counts as rounding and is corrected. Larger ones are
/// held on purpose: slip perpendicular to the direction that just stuck.
const CORRECTABLE: f64 = 1e-6;

impl<'a> State<'a> {
    pub(super) fn new(rows: Rows, work: &'a mut Work, observer: &'a mut dyn Observer) -> Self {
        let n = rows.len();
        let contacts = rows.contacts.len();
        let rubs = !rows.symmetric || rows.contacts.iter().any(|c| c.tangents > 0);
        let mut state = State {
            clamped: Clamped::new(&rows),
            force: vec![0.0; n],
            response: vec![0.0; n],
            force_change: vec![0.0; n],
            response_change: vec![0.0; n],
            side: vec![Side::Undecided; contacts],
            slip: vec![Slip::Undecided; contacts],
            bound: vec![Bound::Undecided; n - rows.bounded],
            tolerance: vec![0.0; n],
            given_up: vec![0; contacts],
            moved: vec![[0; 2]; contacts],
            bodies: Bodies::at_rest(rows.body_count),
            load: vec![0.0; rows.body_count],
            scan_tolerance: if rubs { SCAN_FRICTION } else { SCAN_FRICTIONLESS },
            effort: Effort::default(),
            work,
            observer,
            rows,
        };
        state.reset();
        state
    }

    /// Back to the start: no forces except those that bounds require.
    pub(super) fn reset(&mut self) {
        for contact in 0..self.side.len() {
            if self.slip[contact] == Slip::Slipping {
                self.rows.tie(contact, false);
            }
        }
        self.clamped.clear();
        self.force.fill(0.0);
        self.side.fill(Side::Undecided);
        self.slip.fill(Slip::Undecided);
        self.bound.fill(Bound::Undecided);
        self.given_up.fill(0);
        for (k, r) in (self.rows.bounded..self.rows.len()).enumerate() {
            self.force[r] = 0.0_f64.clamp(self.rows.lower[k], self.rows.upper[k]);
        }
        self.measure();
    }

    pub(super) fn place(&self, row: usize) -> Place {
        self.rows.place(row)
    }

    pub(super) fn see(&mut self, event: Event) {
        self.observer.event(event);
        if self.observer.inspects() {
            let snapshot = self.snapshot();
            self.observer.snapshot(&snapshot);
        }
    }

    /// Counts one pass over all rows, with one solution of the clamped ones.
    fn charge(&mut self) {
        let (rows, slots) = (self.rows.len() as f64, self.clamped.slots().len() as f64);
        self.work.charge(ROW_WORK * rows + 2.0 * slots * slots);
    }

    /// Recomputes every response from the forces, `a = A f + b`, and its zero tolerance: a
    /// fraction of the free motion, plus the rounding of the forces that act on the row's
    /// bodies.
    pub(super) fn measure(&mut self) {
        self.charge();
        let State { rows, bodies, force, response, load, tolerance, .. } = self;
        bodies.rest();
        load.fill(0.0);
        for r in 0..rows.len() {
            if force[r] != 0.0 {
                bodies.push(rows, r, &rows.row[r], force[r]);
                let [a, b] = rows.bodies[r];
                load[a as usize] += force[r].abs();
                load[b as usize] += force[r].abs();
            }
        }
        // Friction of contacts that already slide is part of the normal column.
        for contact in &rows.contacts {
            let r = contact.normal;
            if contact.slides && force[r] != 0.0 {
                bodies.push(rows, r, &rows.column[r], force[r]);
                bodies.push(rows, r, &rows.row[r], -force[r]);
            }
        }
        let still = rows.body_count - 1;
        load[still] = 0.0;
        for r in 0..rows.len() {
            response[r] = bodies.response(rows, r) + rows.bias[r];
            let [a, b] = rows.bodies[r];
            let met = load[a as usize] + load[b as usize];
            let local = if rows.local[r] > 0.0 { rows.local[r] } else { 1.0 };
            tolerance[r] = self.scan_tolerance * local + ROUNDING * met;
        }
    }

    /// Brings the responses of the clamped rows back to zero: one solve against the rounding
    /// that pivots accumulate.
    pub(super) fn restore(&mut self) {
        self.measure();
        let off = |&r: &usize| {
            let a = self.response[r].abs();
            a > 0.01 * self.tolerance[r] && a < CORRECTABLE
        };
        if self.clamped.slots().iter().any(off) {
            self.correct();
            self.measure();
        }
        self.release_unsettled();
    }

    /// Brings the clamped responses down to rounding: with friction the scan stops well above
    /// it.
    pub(super) fn polish(&mut self) {
        for _ in 0..2 {
            let off = |&r: &usize| self.response[r].abs() > f64::EPSILON;
            if self.clamped.slots().iter().any(off) {
                self.correct();
                self.measure();
            }
        }
    }

    /// `f_C −= A_CC⁻¹ a_C`, for the correctable part of `a_C`.
    pub(super) fn correct(&mut self) {
        let response = &self.response;
        self.clamped.solve(|r| if response[r].abs() < CORRECTABLE { response[r] } else { 0.0 });
        self.add_to_slots(-1.0);
    }

    /// Adds a multiple of the last solution to the forces of the slots.
    pub(super) fn add_to_slots(&mut self, size: f64) {
        for (k, &r) in self.clamped.slots().iter().enumerate() {
            self.force[r] += size * self.clamped.x[k];
        }
        for contact in 0..self.slip.len() {
            if self.slip[contact] == Slip::Slipping {
                let rows = &self.rows.contacts[contact];
                self.force[rows.normal + 1] = rows.friction * self.force[rows.normal];
            }
        }
    }

    /// The direction of forces and responses for a unit change of one row's
    /// force: clamped responses stay zero [B94, §4.2].
    ///
    /// ```text
    ///   A_CC Δf_C = −A_Cd,   Δf_d = sign,   Δf = 0 elsewhere,   Δa = A Δf
    /// ```
    ///
    /// Friction tied to a normal force follows it. The responses of the slots, zero up to
    /// rounding, estimate the error of the factor.
    pub(super) fn direction(&mut self, driving: usize, sign: f64) {
        self.charge();
        self.solve_direction(driving, sign);
        let size = self.force_change.iter().fold(1.0_f64, |m, f| m.max(f.abs()));
        if self.clamped.promote(&self.rows, &self.response_change, size) {
            self.solve_direction(driving, sign);
        }
        for &r in self.clamped.slots() {
            self.response_change[r] = 0.0;
        }
    }

    fn solve_direction(&mut self, driving: usize, sign: f64) {
        /// Error of a direction (relative) that needs no refinement.
        const ACCURATE: f64 = 1e-12;
        /// Error above which the factor is rebuilt; between the two the direction is refined.
        const REFRESH: f64 = 1e-7;
        self.clamped.weights(&self.rows, driving);
        let mut error = self.spread(driving, sign);
        for _ in 0..2 {
            if error <= ACCURATE {
                break;
            }
            self.clamped.refine_after(&self.response_change, sign);
            let better = self.spread(driving, sign);
            if better > 0.5 * error {
                error = better;
                break;
            }
            error = better;
        }
        if error > REFRESH {
            self.effort.refreshes += 1;
            self.see(Event::Refresh { error });
            self.clamped.refresh(&self.rows);
            self.clamped.weights(&self.rows, driving);
            self.spread(driving, sign);
        }
    }

    /// Distributes the weights of the slots over all rows; returns the largest response of a
    /// slot relative to the largest force.
    fn spread(&mut self, driving: usize, sign: f64) -> f64 {
        let State { rows, clamped, bodies, force_change, response_change, slip, .. } = self;
        force_change.fill(0.0);
        bodies.rest();
        bodies.push(rows, driving, &rows.column[driving], sign);
        force_change[driving] = sign;
        let mut size = 1.0_f64;
        for (k, &r) in clamped.slots().iter().enumerate() {
            let change = -sign * clamped.x[k];
            force_change[r] = change;
            size = size.max(change.abs());
            bodies.push(rows, r, &rows.column[r], change);
        }
        for (contact, slip) in rows.contacts.iter().zip(slip.iter()) {
            if *slip == Slip::Slipping {
                force_change[contact.normal + 1] = contact.friction * force_change[contact.normal];
            }
        }
        for r in 0..rows.len() {
            response_change[r] = bodies.response(rows, r);
        }
        let slots = clamped.slots().iter();
        slots.map(|&r| response_change[r].abs()).fold(0.0, f64::max) / size
    }

    /// Size of the body motion of the current direction relative to its forces.
    pub(super) fn moves_bodies(&self) -> f64 {
        let largest = self.force_change.iter().fold(0.0_f64, |m, f| m.max(f.abs()));
        self.bodies.square().sqrt() / largest
    }

    pub(super) fn tangent_force(&self, contact: usize) -> [f64; 2] {
        self.tangent_part(contact, &self.force)
    }

    pub(super) fn tangent_response(&self, contact: usize) -> [f64; 2] {
        self.tangent_part(contact, &self.response)
    }

    pub(super) fn tangent_part(&self, contact: usize, values: &[f64]) -> [f64; 2] {
        let rows = &self.rows.contacts[contact];
        let x = values[rows.normal + 1];
        [x, if rows.tangents == 2 { values[rows.normal + 2] } else { 0.0 }]
    }

    // ---- transitions between sides ------------------------------------------

    /// Holds the normal response at zero from now on.
    pub(super) fn clamp(&mut self, contact: usize) {
        let normal = self.rows.contacts[contact].normal;
        self.clamped.insert(&self.rows, normal);
        self.side[contact] = Side::Clamped;
    }

    /// Sets the force to zero from now on.
    pub(super) fn open(&mut self, contact: usize, side: Side) {
        let given_up_friction = self.rows.contacts[contact].tangents > 0
            && self.slip[contact] == Slip::Undecided
            && self.tangent_force(contact).iter().any(|f| f.abs() > NO_FORCE);
        self.loosen(contact);
        let rows = &self.rows.contacts[contact];
        let (normal, tangents) = (rows.normal, rows.tangents);
        self.clamped.remove(&self.rows, normal);
        self.force[normal] = 0.0;
        // Friction that was given up cannot vanish instantly: it is driven to zero later.
        if !given_up_friction {
            self.force[normal + 1..=normal + tangents].fill(0.0);
        }
        self.side[contact] = side;
    }

    /// Friction neither sticks nor slips from now on: its force stays constant.
    pub(super) fn loosen(&mut self, contact: usize) {
        let rows = &self.rows.contacts[contact];
        let (normal, tangents) = (rows.normal, rows.tangents);
        match self.slip[contact] {
            Slip::Slipping => {
                let clamped = self.clamped.contains(normal);
                self.clamped.remove(&self.rows, normal);
                self.rows.tie(contact, false);
                if clamped {
                    self.clamped.insert(&self.rows, normal);
                }
            }
            Slip::Sticking | Slip::Undecided => {
                for r in normal + 1..=normal + tangents {
                    self.clamped.remove(&self.rows, r);
                }
            }
        }
        self.slip[contact] = Slip::Undecided;
    }

    /// Holds the tangential response at its current value from now on.
    pub(super) fn stick(&mut self, contact: usize) {
        if self.slip[contact] == Slip::Slipping {
            self.loosen(contact);
        }
        let rows = &self.rows.contacts[contact];
        for r in rows.normal + 1..=rows.normal + rows.tangents {
            if !self.clamped.contains(r) {
                self.clamped.insert(&self.rows, r);
            }
        }
        self.slip[contact] = Slip::Sticking;
    }

    /// Keeps friction at its limit from now on, along `(x, y)` in the current frame.
    pub(super) fn slide(&mut self, contact: usize, direction: [f64; 2]) {
        self.loosen(contact);
        self.face(contact, direction);
        let rows = &self.rows.contacts[contact];
        let (normal, tangents, friction) = (rows.normal, rows.tangents, rows.friction);
        self.force[normal + 1] = friction * self.force[normal];
        if tangents == 2 {
            self.force[normal + 2] = 0.0;
        }
        let clamped = self.clamped.contains(normal);
        self.clamped.remove(&self.rows, normal);
        self.clamped.generalise(&self.rows);
        self.rows.tie(contact, true);
        if clamped {
            self.clamped.insert(&self.rows, normal);
        }
        self.slip[contact] = Slip::Slipping;
    }

    /// Rotates the tangent frame so that its first tangent is along `(x, y)`.
    pub(super) fn face(&mut self, contact: usize, [x, y]: [f64; 2]) {
        let length = x.hypot(y);
        if length > 0.0 {
            let State { rows, force, response, .. } = self;
            rows.turn(contact, x / length, y / length, &mut [force, response]);
        }
    }
}

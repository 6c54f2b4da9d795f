//! One drive: raises a force until its condition holds, keeping all others [B94,
//! `drive-to-zero`].

use super::state::{Bound, Side, Slip, State};
use super::step::Blocking;
use crate::error::SolveError;
use crate::observer::{Change, Driven, Event};
use crate::settings::{NO_FORCE, UNBOUNDED, WEDGING};
use stiction_contact::Place;

/// The force that is driven.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// The row whose force changes.
    pub row: usize,
    /// The contact it belongs to; `usize::MAX` for bounded rows.
    pub contact: usize,
    pub what: Driven,
    /// Whether the force increases (+1) or decreases (−1).
    pub sign: f64,
}

impl Target {
    pub(super) fn is_friction(&self) -> bool {
        self.what != Driven::Normal
    }

    /// Whether an exchange has already brought the driven response to zero, as happens for a
    /// redundant contact: driving on would only wedge it.
    fn is_settled(&self, state: &State<'_>) -> bool {
        let zero = state.tolerance[self.row];
        self.what != Driven::Release && self.sign * state.response[self.row] >= -zero
    }
}

/// Why a drive did not finish.
pub(super) enum Stuck {
    /// The force grows without bound and the bodies move: an impulse [B94, §6].
    Ray,
    /// The work budget is used up.
    Work,
    /// An error.
    Error(SolveError),
}

impl From<SolveError> for Stuck {
    fn from(error: SolveError) -> Self {
        Stuck::Error(error)
    }
}

/// Most pivots of one drive: per contact, and at least.
const DRIVE_PIVOTS: (usize, usize) = (10, 100);

/// Number of times a contact may be given up before the method reports that it oscillates.
const MAX_RETURNS: usize = 12;

/// Steps that change forces by less than this fraction of the load are no progress.
const NO_PROGRESS: f64 = 1e-12;

impl State<'_> {
    /// Drives the target until its own condition holds.
    pub(super) fn drive(&mut self, target: Target) -> Result<(), Stuck> {
        let limit = DRIVE_PIVOTS.0 * self.side.len() + DRIVE_PIVOTS.1;
        self.effort.drives += 1;
        self.see(Event::Drive { place: self.place(target.row), what: target.what });
        self.moved.fill([0; 2]);
        let mut last_progress = 0;
        for pivot in 1..=limit {
            if self.work.is_spent() {
                return Err(Stuck::Work);
            }
            self.effort.pivots += 1;
            self.direction(target.row, target.sign);
            if pivot > 1 && target.is_settled(self) {
                self.finish(&target, Blocking::Settled, 0.0);
                return Ok(());
            }
            let largest = self.force_change.iter().fold(0.0_f64, |m, f| m.max(f.abs()));
            let bounded = self
                .longest_step(&target)
                .filter(|(step, _)| step * largest <= UNBOUNDED * self.load_scale());
            let Some((step, blocking)) = bounded else {
                if self.moves_bodies() > WEDGING {
                    return Err(Stuck::Ray);
                }
                self.unwedge(&target)?;
                continue;
            };
            self.advance(step);
            if step * largest > NO_PROGRESS {
                last_progress = pivot;
            }
            if self.finish(&target, blocking, step) {
                return Ok(());
            }
            self.exchange(&target, blocking, step, pivot, last_progress)?;
            if target.what == Driven::Friction && self.side[target.contact] != Side::Clamped {
                return Ok(());
            }
        }
        Err(SolveError::PivotLimit { limit }.into())
    }

    /// Typical forces of this problem: one, by the choice of units, or the largest present.
    fn load_scale(&self) -> f64 {
        self.force.iter().fold(1.0_f64, |m, f| m.max(f.abs()))
    }

    /// The direction moves nothing: the driven row depends on the clamped ones, which cannot be
    /// right while a contact sticks with some slip held. Gives up the contact that holds the
    /// most slip.
    fn unwedge(&mut self, target: &Target) -> Result<(), Stuck> {
        let held = |contact: usize| {
            let [x, y] = self.tangent_response(contact);
            x.hypot(y)
        };
        let sticking = (0..self.side.len()).filter(|&c| self.slip[c] == Slip::Sticking);
        let most = sticking.max_by(|&a, &b| held(a).total_cmp(&held(b)));
        match most {
            Some(contact) if held(contact) > self.tolerance[target.row] => {
                self.give_up(target, contact, true)
            }
            _ => Err(SolveError::Wedged { place: self.place(target.row) }.into()),
        }
    }

    fn advance(&mut self, step: f64) {
        for r in 0..self.force.len() {
            self.force[r] += step * self.force_change[r];
            self.response[r] += step * self.response_change[r];
        }
    }

    /// Ends the drive if its own condition was the blocking one.
    fn finish(&mut self, target: &Target, blocking: Blocking, step: f64) -> bool {
        let change = match (blocking, target.what) {
            (Blocking::Settled, Driven::Friction) => {
                self.response[target.row] = 0.0;
                self.stick(target.contact);
                Change::Stick
            }
            (Blocking::Settled, _) => {
                self.response[target.row] = 0.0;
                let pivot = self.response_change[target.row].abs();
                self.clamped.insert_driven(&self.rows, target.row, pivot);
                self.set_normal_side(target, Side::Clamped, Bound::Clamped);
                Change::Clamp
            }
            (Blocking::Limit, _) => {
                let mut direction = self.tangent_force(target.contact);
                if direction[0].hypot(direction[1]) <= NO_FORCE {
                    direction = [1.0, 0.0];
                }
                self.slide(target.contact, direction);
                Change::Slip
            }
            (Blocking::Emptied, Driven::Release) => {
                let rows = &self.rows.contacts[target.contact];
                self.force[rows.normal + 1..=rows.normal + rows.tangents].fill(0.0);
                Change::Release
            }
            (Blocking::Emptied, _) => {
                let (lower, upper) = self.limits(target.row);
                self.force[target.row] = if target.sign > 0.0 { upper } else { lower };
                let bound = if target.sign > 0.0 { Bound::Upper } else { Bound::Lower };
                self.set_normal_side(target, Side::Separating, bound);
                Change::Separate
            }
            _ => return false,
        };
        self.see(Event::Pivot { place: self.place(target.row), change, step });
        true
    }

    fn set_normal_side(&mut self, target: &Target, side: Side, bound: Bound) {
        if target.row >= self.rows.bounded {
            self.bound[target.row - self.rows.bounded] = bound;
        } else {
            self.side[target.contact] = side;
        }
    }

    /// Moves the blocking contact to its other side, or gives it up if it just came from there
    /// and nothing has moved since [B94, §5.4].
    fn exchange(
        &mut self,
        target: &Target,
        blocking: Blocking,
        step: f64,
        pivot: usize,
        last_progress: usize,
    ) -> Result<(), Stuck> {
        let (contact, friction, change) = match blocking {
            Blocking::Opens(contact) => (contact, 0, Change::Separate),
            Blocking::Closes(contact) => (contact, 0, Change::Clamp),
            Blocking::Slips(contact) => (contact, 1, Change::Slip),
            Blocking::Sticks(contact) => (contact, 1, Change::Stick),
            Blocking::Bounds(k, bound) => {
                self.reach_bound(k, bound, step);
                return Ok(());
            }
            Blocking::Unbounds(k) => {
                let row = self.rows.bounded + k;
                self.response[row] = 0.0;
                self.clamped.insert(&self.rows, row);
                self.bound[k] = Bound::Clamped;
                self.see(Event::Pivot { place: Place::Bounded(k), change: Change::Clamp, step });
                return Ok(());
            }
            Blocking::Settled | Blocking::Limit | Blocking::Emptied => return Ok(()),
        };
        let moved = self.moved[contact][friction];
        let oscillates = moved > 0 && moved >= last_progress && pivot > last_progress;
        if oscillates {
            self.moved[contact][friction] = 0;
            return self.give_up(target, contact, friction == 1);
        }
        self.moved[contact][friction] = pivot;
        match change {
            Change::Separate => self.open(contact, Side::Separating),
            Change::Clamp => self.close(contact),
            Change::Slip => {
                let mut direction = self.tangent_force(contact);
                if direction[0].hypot(direction[1]) <= NO_FORCE {
                    direction = self.tangent_part(contact, &self.force_change);
                }
                self.slide(contact, direction);
            }
            // Directions change on pyramids only.
            Change::Stick | Change::Release | Change::Turn => {
                let normal = self.rows.contacts[contact].normal;
                self.response[normal + 1] = 0.0;
                self.stick(contact);
            }
        }
        self.see(Event::Pivot { place: Place::Contact(contact), change, step });
        Ok(())
    }

    /// A separating contact touches again: it starts slipping against its slip, or sticking if
    /// there is none.
    fn close(&mut self, contact: usize) {
        let rows = &self.rows.contacts[contact];
        let (normal, tangents) = (rows.normal, rows.tangents);
        self.response[normal] = 0.0;
        if tangents > 0 && self.tangent_force(contact).iter().all(|f| f.abs() <= NO_FORCE) {
            let [x, y] = self.tangent_response(contact);
            if x.hypot(y) > self.tolerance[normal] {
                self.slide(contact, [-x, -y]);
            } else {
                self.stick(contact);
            }
        }
        self.clamp(contact);
    }

    fn reach_bound(&mut self, k: usize, bound: Bound, step: f64) {
        let row = self.rows.bounded + k;
        let end = if bound == Bound::Lower { self.rows.lower[k] } else { self.rows.upper[k] };
        self.force[row] = end;
        self.clamped.remove(&self.rows, row);
        self.bound[k] = bound;
        self.see(Event::Pivot { place: Place::Bounded(k), change: Change::Separate, step });
    }

    /// Postpones a contact's condition; a bounded number of times.
    fn give_up(&mut self, target: &Target, contact: usize, friction: bool) -> Result<(), Stuck> {
        self.effort.given_up += 1;
        self.given_up[contact] += 1;
        if friction {
            if !(target.is_friction() && target.contact == contact) {
                self.loosen(contact);
            }
        } else {
            self.open(contact, Side::Undecided);
        }
        let (place, returns) = (Place::Contact(contact), self.given_up[contact]);
        self.see(Event::GiveUp { place });
        if returns > MAX_RETURNS {
            return Err(SolveError::Oscillation { place, returns }.into());
        }
        Ok(())
    }

    /// Establishes the friction condition of a contact with a normal force [B94, §5.5, §5.6].
    ///
    /// Friction left over from giving up is driven to zero first. Then it is raised against the
    /// slip, with the perpendicular slip held at zero.
    pub(super) fn establish_friction(&mut self, contact: usize) -> Result<(), Stuck> {
        let row = self.rows.contacts[contact].normal + 1;
        self.loosen(contact);
        let [x, y] = self.tangent_force(contact);
        if x.hypot(y) > NO_FORCE {
            self.face(contact, [x, y]);
            self.drive(Target { row, contact, what: Driven::Release, sign: -1.0 })?;
        }
        if self.side[contact] != Side::Clamped {
            let tangents = self.rows.contacts[contact].tangents;
            self.force[row..row + tangents].fill(0.0);
            return Ok(());
        }
        self.measure();
        let [x, y] = self.tangent_response(contact);
        if x.hypot(y) <= self.tolerance[row] {
            self.stick(contact);
            return Ok(());
        }
        self.face(contact, [-x, -y]);
        if self.rows.contacts[contact].tangents == 2 {
            self.clamped.insert(&self.rows, row + 1);
        }
        self.drive(Target { row, contact, what: Driven::Friction, sign: 1.0 })?;
        if self.slip[contact] == Slip::Undecided {
            self.loosen(contact);
        }
        Ok(())
    }
}

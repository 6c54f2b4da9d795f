//! One almost complementary path, in the reduced system.
//!
//! Every pivot solves the reduced system for the basic values and for their rates as the
//! driving variable increases, finds the first basic variable that would become negative, and
//! exchanges the two.

mod answer;
mod tabulate;

use super::pyramid::{Pyramid, Quad};
use super::ratio::{Blocking, Table};
use super::state::{Basis, Contact, Covers, InvalidBasis, NO, Variable};
use super::system::{CROSSOVER, NONE, Slot, System};
use crate::observer::{Change, Event, Observer};
use crate::work::Work;
use stiction_contact::Place;

/// Which contacts have friction variables, and which rows are covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All contacts, from the start; every row is covered \[L04, §5.1\].
    All,
    /// Those that push, while they push \[L04, §5.3\]; friction limits are not covered.
    Pushing,
}

/// How a path ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At a complementary basis.
    Solved,
    /// Nothing blocks the driving variable.
    Ray,
    /// At a basis visited before.
    Loop,
    /// At a basis that is singular by rounding.
    Singular,
    /// Not within its limit of pivots.
    PivotLimit,
}

/// Most pivots of a path: per variable, and at least.
const PIVOTS: (usize, usize) = (20, 1000);

/// Units of work of a contact in a pivot.
const CONTACT_WORK: f64 = 100.0;
/// Largest number of eliminated rows charged per pivot: a system of `n` unknowns costs
/// `n² min(n, this)` units, since the inverse of a large one is updated instead.
const SYSTEM_WORK: f64 = 12.0;

/// The path ends when `z₀ max(c)` has fallen to this fraction of the free motion. `z₀` alone is
/// not sufficient \[errata, Lloyd 11\].
const UNCOVERED: f64 = 1e-11;

/// Follows paths over one pyramid; holds all the memory they need.
pub struct Path<'a> {
    basis: Basis<'a>,
    table: Table,
    /// Response of each contact and its rate: `[ν, along t₁, along t₂, 0]` without cover.
    response: Vec<[Quad; 2]>,
    scope: Scope,
    driving: (Variable, bool),
    /// The value of the driving variable at which z₀ reaches zero.
    last: f64,
    /// Exchanges made.
    pub pivots: usize,
    /// Work budget of the paths; when it is used up they end as at the limit of pivots.
    pub work: Work,
    arch: pulp::Arch,
}

impl<'a> Path<'a> {
    /// Memory for paths over a pyramid.
    pub fn new(pyramid: &'a Pyramid) -> Self {
        Path::with_crossover(pyramid, CROSSOVER)
    }

    /// The same with another size of the reduced system beyond which its inverse is updated
    /// instead of the matrix being eliminated again at each pivot.
    pub fn with_crossover(pyramid: &'a Pyramid, crossover: usize) -> Self {
        let n = pyramid.blocks.len();
        let rows = &pyramid.rows;
        // The reduced system has at most one unknown per degree of freedom, z₀, and a few more
        // due to rounding.
        let slots = (6 * (rows.body_count - 1)).min(3 * n + pyramid.bilateral.len()) + 8;
        Path {
            basis: Basis {
                pyramid,
                contacts: vec![Contact::OPEN; n],
                frictional: Vec::with_capacity(n),
                system: System::new(slots, rows.body_count, crossover),
                covers: Covers { normal: 1.0, direction: 1.0, limit: 1.0 },
                print: 0,
            },
            table: Table::new(n, pyramid.stride),
            response: vec![[[0.0; 4]; 2]; n],
            scope: Scope::All,
            driving: (Variable::Cover, true),
            last: 0.0,
            pivots: 0,
            work: Work::unlimited(),
            arch: pulp::Arch::new(),
        }
    }

    /// Number of times the inverse of the reduced system was rebuilt.
    pub fn refreshes(&self) -> usize {
        self.basis.system.updated.rebuilt
    }

    /// Follows the path from its ray to its end.
    pub fn follow(&mut self, scope: Scope, observer: &mut dyn Observer) -> End {
        self.arch.dispatch(Walk { path: self, scope, observer })
    }

    #[inline(always)]
    fn walk(&mut self, scope: Scope, observer: &mut dyn Observer) -> End {
        self.begin(scope);
        if !self.evaluate() {
            return End::Singular;
        }
        let Some((value, place)) = self.table.most_negative() else { return End::Solved };
        let stride = self.basis.pyramid.stride;
        let first = self.table.variable(Some(place), &self.basis.frictional, stride);
        // z₀ enters large enough to cover it.
        self.table.cover = [-value, 0.0];
        let n = self.basis.contacts.len();
        let limit = PIVOTS.0 * n * (2 + self.basis.pyramid.stride) + PIVOTS.1;
        let mut seen = Brent::default();
        let mut exchange = (first, 0.0);
        while self.pivots < limit && !self.work.is_spent() {
            self.charge();
            observer.event(self.event(exchange));
            if let Err(InvalidBasis) = self.exchange(exchange.0, exchange.1) {
                return End::Singular;
            }
            if seen.repeats(self.basis.print, self.driving) {
                return End::Loop;
            }
            if !self.evaluate() {
                return End::Singular;
            }
            if observer.inspects() {
                observer.snapshot(&self.snapshot());
            }
            exchange = match self.blocking() {
                Some((Variable::Cover, step)) => {
                    self.last = step;
                    self.pivots += 1;
                    return End::Solved;
                }
                Some(next) => next,
                None => return End::Ray,
            };
        }
        End::PivotLimit
    }

    /// Counts one pivot: all contacts with their directions, and the reduced system, which is
    /// eliminated while it is small and updated when it is large.
    #[inline(always)]
    fn charge(&mut self) {
        let contacts = self.basis.contacts.len() as f64;
        let directions = (self.basis.frictional.len() * self.basis.pyramid.stride) as f64;
        let slots = self.basis.system.slots.len() as f64;
        let system = slots * slots * slots.min(SYSTEM_WORK);
        self.work.charge(CONTACT_WORK * contacts + 4.0 * directions + system);
    }

    /// The trivial basis: zero forces except those of the bilateral rows.
    #[inline(always)]
    fn begin(&mut self, scope: Scope) {
        let basis = &mut self.basis;
        self.scope = scope;
        self.pivots = 0;
        self.last = 0.0;
        self.driving = (Variable::Cover, true);
        basis.print = 0;
        basis.contacts.fill(Contact::OPEN);
        basis.frictional.clear();
        basis.system.clear();
        let limit = if scope == Scope::All { 1.0 } else { 0.0 };
        basis.covers = Covers { normal: 1.0, direction: 1.0, limit };
        basis.system.covers_limits = scope == Scope::All;
        let rows = &basis.pyramid.rows;
        for &r in &basis.pyramid.bilateral {
            let slot = Slot {
                bodies: rows.bodies[r],
                left: rows.row[r],
                right: rows.column[r],
                bias: rows.bias[r],
                cover: 0.0,
            };
            basis.system.add(&slot);
        }
        if scope == Scope::All {
            for i in 0..basis.contacts.len() {
                if basis.pyramid.fan(i).count > 0 {
                    basis.expand(i, NO);
                }
            }
        }
    }

    /// Values and rates of all basic variables at the current basis.
    #[inline(always)]
    fn evaluate(&mut self) -> bool {
        let (driving, is_z) = self.driving;
        self.basis.gather_cover();
        let drive = self.basis.drive(driving, is_z);
        if !self.basis.system.solve(&drive) {
            return false;
        }
        self.respond();
        self.tabulate();
        true
    }

    /// The blocking variable, and the value that the driving one reaches.
    #[inline(always)]
    fn blocking(&self) -> Option<(Variable, f64)> {
        let Blocking { step, place } = self.table.blocking()?;
        let [z, dz] = self.table.cover;
        if z + step * dz <= UNCOVERED {
            return Some((Variable::Cover, step));
        }
        let mut variable =
            self.table.variable(place, &self.basis.frictional, self.basis.pyramid.stride);
        // Friction ends no later than the normal force that allows it.
        if let (Scope::Pushing, Variable::Direction(i, _) | Variable::Limit(i)) =
            (self.scope, variable)
            && self.basis.contacts[i as usize].theta != NONE
            && self.table.reaches_zero(i as usize, step)
        {
            variable = Variable::Normal(i);
        }
        Some((variable, step))
    }

    /// Exchanges the driving and the blocking variable; the complement of the latter drives
    /// next.
    #[inline(always)]
    fn exchange(&mut self, blocking: Variable, step: f64) -> Result<(), InvalidBasis> {
        self.pivots += 1;
        let (driving, is_z) = self.driving;
        if is_z {
            self.basis.enter(driving)?;
        }
        let leaves = self.is_z_basic(blocking);
        if leaves {
            self.basis.leave(blocking)?;
        }
        self.driving = (blocking, !leaves);
        if let (Scope::Pushing, Variable::Normal(i)) = (self.scope, blocking) {
            if leaves {
                self.basis.contract(i as usize);
            } else {
                self.activate(i as usize, step);
            }
        }
        self.basis.set_cover_row(blocking);
        Ok(())
    }

    /// The event that an exchange means for its contact.
    fn event(&self, (variable, step): (Variable, f64)) -> Event {
        let leaves = self.is_z_basic(variable);
        let (contact, change) = match variable {
            Variable::Normal(i) => (i, if leaves { Change::Separate } else { Change::Clamp }),
            Variable::Limit(i) => (i, if leaves { Change::Stick } else { Change::Slip }),
            Variable::Direction(i, _) => (i, Change::Turn),
            Variable::Cover => (0, Change::Clamp),
        };
        Event::Pivot { place: Place::Contact(contact as usize), change, step }
    }

    #[inline(always)]
    fn is_z_basic(&self, variable: Variable) -> bool {
        match variable {
            Variable::Normal(i) => self.basis.contacts[i as usize].theta != NONE,
            Variable::Limit(i) => self.basis.contacts[i as usize].slides != NO,
            Variable::Direction(i, j) => {
                let contact = &self.basis.contacts[i as usize];
                contact.slides == j || contact.find(j).is_some()
            }
            Variable::Cover => true,
        }
    }

    /// Gives friction variables to a contact that is about to push: against its slip, if that
    /// is faster than the cover allows.
    #[inline(always)]
    fn activate(&mut self, i: usize, step: f64) {
        let fan = self.basis.pyramid.fan(i);
        if fan.count == 0 {
            return;
        }
        let [u, du] = &self.response[i];
        let (x, y) = (u[1] + step * du[1], u[2] + step * du[2]);
        let [z, dz] = self.table.cover;
        let mut fastest = ((z + step * dz) * self.basis.covers.direction, NO);
        for j in 0..fan.count {
            let against = -(fan.cos[j] * x + fan.sin[j] * y);
            if against > fastest.0 {
                fastest = (against, j as u16);
            }
        }
        self.basis.expand(i, fastest.1);
    }
}

/// The whole path, compiled for the widest vectors available.
struct Walk<'p, 'a> {
    path: &'p mut Path<'a>,
    scope: Scope,
    observer: &'p mut dyn Observer,
}

impl pulp::WithSimd for Walk<'_, '_> {
    type Output = End;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) -> End {
        self.path.walk(self.scope, self.observer)
    }
}

/// Detects a sequence that repeats (Brent 1980): every state is compared with a reference that
/// is updated at powers of two.
#[derive(Default)]
struct Brent {
    saved: Option<(u64, (Variable, bool))>,
    steps: usize,
    power: usize,
}

impl Brent {
    #[inline(always)]
    fn repeats(&mut self, print: u64, driving: (Variable, bool)) -> bool {
        let state = Some((print, driving));
        if state == self.saved {
            return true;
        }
        self.steps += 1;
        if self.steps > self.power {
            self.saved = state;
            self.power = 2 * self.power + 1;
            self.steps = 0;
        }
        false
    }
}

#[cfg(test)]
mod tests;

//! Work: counted, not timed, so that answers are the same on every machine.
//!
//! One unit is about one multiply-add of a dense row operation: near a nanosecond on one core
//! of a machine of 2020. Loops charge what they are about to do, or have done, by sizes alone:
//! a sweep by its contacts, a pivot by its rows and the square of its basis, a factorisation by
//! the multiplications of its plan, a look of the judge by bodies and contacts. What is set up
//! once per call (rows, the plan of a sparse factor, one dense matrix) is not counted: it is
//! bounded by the size of the problem.
//!
//! When the budget is used up a solver ends with the best forces it has.

use stiction_contact::ContactProblem;
use stiction_contact::MatrixProblem;
use stiction_contact::{Effort, Stop};

/// Units of the default budget: for any problem, and for each contact or row of it. A problem of
/// a hundred contacts may take about two seconds; one of ten thousand bodies needs a tenth of
/// what it may take.
const BASE: f64 = 2e9;
const PER_CONTACT: f64 = 1e7;

/// The same for each contact of a bare matrix, which has more blocks than contacts and no bodies to
/// go through: half a minute for 250 contacts.
const PER_BARE_CONTACT: f64 = 1.5e8;

/// The same for each cubed unknown of a linear complementarity problem given by its matrix: a
/// handful of ordinary paths, with two pivots per unknown.
const PATHS: f64 = 60.0;

/// Units of one look of the judge in double-double arithmetic: per body, per contact or row.
const LOOK_BODY: f64 = 1500.0;
const LOOK_CONTACT: f64 = 1000.0;

/// The same per block and per contact of a bare matrix.
const LOOK_BLOCK: f64 = 100.0;
const LOOK_BARE: f64 = 300.0;

/// A dense factorisation is quicker than row operations by this factor.
const DENSE: f64 = 0.5;

/// What a call may do, and what it has done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    limit: f64,
    spent: f64,
}

impl Work {
    /// So many units.
    pub fn new(units: f64) -> Self {
        Work { limit: units, spent: 0.0 }
    }

    /// No bound: for paths whose own limits are enough.
    pub fn unlimited() -> Self {
        Work::new(f64::INFINITY)
    }

    /// The default for a problem with this number of contacts and rows.
    pub fn for_size(contacts: usize) -> Self {
        Work::new(BASE + PER_CONTACT * contacts as f64)
    }

    /// The default for this problem.
    pub fn for_problem(problem: &ContactProblem) -> Self {
        Work::for_size(size(problem))
    }

    /// The default for this bare matrix.
    pub fn for_matrix(problem: &MatrixProblem) -> Self {
        Work::new(BASE + PER_BARE_CONTACT * problem.contacts() as f64)
    }

    /// The default for a linear complementarity problem of so many unknowns.
    pub(crate) fn for_lcp(unknowns: usize) -> Self {
        Work::new(BASE + PATHS * (unknowns as f64).powi(3))
    }

    /// A part of the problem gets what it would get by itself; more or less, as the whole has
    /// more or less than its default.
    pub(crate) fn for_island(&self, island: &ContactProblem, whole: &ContactProblem) -> Self {
        let share = self.left() / Work::for_problem(whole).limit;
        Work::new(share * Work::for_problem(island).limit)
    }

    /// Counts work.
    pub fn charge(&mut self, units: f64) {
        self.spent += units;
    }

    /// Counts what a part of the problem took.
    pub(crate) fn charge_part(&mut self, part: &Work) {
        self.charge(part.spent);
        // The budget of one part ended that of the whole.
        if part.is_spent() {
            self.limit = self.limit.min(self.spent);
        }
    }

    /// Counts a look of the judge.
    pub(crate) fn charge_look(&mut self, problem: &ContactProblem) {
        let bodies = problem.bodies().len() as f64;
        self.charge(LOOK_BODY * bodies + LOOK_CONTACT * size(problem) as f64);
    }

    /// Counts a look of the judge at a bare matrix.
    pub(crate) fn charge_matrix_look(&mut self, problem: &MatrixProblem) {
        let [blocks, contacts] = [problem.block_count(), problem.contacts()].map(|n| n as f64);
        self.charge(LOOK_BLOCK * blocks + LOOK_BARE * contacts);
    }

    /// Counts a dense factorisation of so many rows.
    pub(crate) fn charge_dense(&mut self, rows: usize) {
        let rows = rows as f64;
        self.charge(DENSE * rows.powi(3) + 100.0 * rows * rows);
    }

    /// Units used so far.
    pub fn spent(&self) -> f64 {
        self.spent
    }

    /// The same as a whole number.
    #[expect(clippy::cast_sign_loss, reason = "work is never negative")]
    pub fn units(&self) -> u64 {
        self.spent as u64
    }

    /// Units that are left.
    pub fn left(&self) -> f64 {
        (self.limit - self.spent).max(0.0)
    }

    /// Whether the budget is used up.
    pub fn is_spent(&self) -> bool {
        self.spent >= self.limit
    }

    /// Enters it into an effort: the work, and that the budget ended it if nothing else did.
    pub fn enter(&self, effort: &mut Effort) {
        effort.work = self.units();
        if self.is_spent() {
            effort.stop = effort.stop.or(Some(Stop::Work));
        }
    }
}

/// Contacts and rows.
fn size(problem: &ContactProblem) -> usize {
    problem.contacts().len() + problem.bilateral().len() + problem.bounded().len()
}

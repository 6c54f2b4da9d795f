//! Work, counted instead of timed, so that answers are the same on every machine.
//!
//! One unit is about one multiply-add of a dense row operation: about a nanosecond on one core
//! of a machine of 2020. Loops charge the work they are about to do, or have done, by sizes
//! alone: a sweep by its contacts, a pivot by its rows and the square of its basis, a
//! factorisation by the multiplications of its plan, a check by the judge by bodies and
//! contacts. Setup once per call (rows, the plan of a sparse factor, one dense matrix) is not
//! counted: it is bounded by the size of the problem.
//!
//! When the budget is used up a solver ends with the best forces it has.

use stiction_contact::{ContactProblem, Effort, MatrixProblem, Stop};

/// Default budget of any problem (units). A problem of a hundred contacts may take about two
/// seconds.
const BASE: f64 = 2e9;
/// Default budget for each contact or row, in addition (units). A problem of ten thousand bodies
/// needs a tenth of its budget.
const PER_CONTACT: f64 = 1e7;

/// The same for each contact of a bare matrix, which has more blocks than contacts and no
/// bodies: half a minute for 250 contacts.
const PER_BARE_CONTACT: f64 = 1.5e8;

/// The same for each cubed unknown of a linear complementarity problem given by its matrix:
/// several ordinary paths, with two pivots per unknown.
const PATHS: f64 = 60.0;

/// Units of one check by the judge in double-double arithmetic, per body.
const JUDGE_BODY: f64 = 1500.0;
/// The same per contact or row.
const JUDGE_CONTACT: f64 = 1000.0;

/// Units of one check of a bare matrix, per block.
const JUDGE_BLOCK: f64 = 100.0;
/// The same per contact.
const JUDGE_BARE_CONTACT: f64 = 300.0;

/// Units per cubed row of a dense factorisation, which is faster than row operations.
const DENSE_FACTOR: f64 = 0.5;

/// The work budget of a call, and the work done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    limit: f64,
    spent: f64,
}

impl Work {
    /// A budget of this many units.
    pub fn new(units: f64) -> Self {
        Work { limit: units, spent: 0.0 }
    }

    /// No limit: for paths whose own limits suffice.
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

    /// The default for a linear complementarity problem with this number of unknowns.
    pub(crate) fn for_lcp(unknowns: usize) -> Self {
        Work::new(BASE + PATHS * (unknowns as f64).powi(3))
    }

    /// The budget of an island: its own default, scaled by the ratio of the whole problem's
    /// budget to its default.
    pub(crate) fn for_island(&self, island: &ContactProblem, whole: &ContactProblem) -> Self {
        let share = self.left() / Work::for_problem(whole).limit;
        Work::new(share * Work::for_problem(island).limit)
    }

    /// Counts work.
    pub fn charge(&mut self, units: f64) {
        self.spent += units;
    }

    /// Counts the work of a part of the problem.
    pub(crate) fn charge_part(&mut self, part: &Work) {
        self.charge(part.spent);
        // An exhausted budget of one part exhausts that of the whole.
        if part.is_spent() {
            self.limit = self.limit.min(self.spent);
        }
    }

    /// Counts a check by the judge.
    pub(crate) fn charge_look(&mut self, problem: &ContactProblem) {
        let bodies = problem.bodies().len() as f64;
        self.charge(JUDGE_BODY * bodies + JUDGE_CONTACT * size(problem) as f64);
    }

    /// Counts a check of a bare matrix by the judge.
    pub(crate) fn charge_matrix_look(&mut self, problem: &MatrixProblem) {
        let [blocks, contacts] = [problem.block_count(), problem.contacts()].map(|n| n as f64);
        self.charge(JUDGE_BLOCK * blocks + JUDGE_BARE_CONTACT * contacts);
    }

    /// Counts a dense factorisation with this number of rows.
    pub(crate) fn charge_dense(&mut self, rows: usize) {
        let rows = rows as f64;
        self.charge(DENSE_FACTOR * rows.powi(3) + 100.0 * rows * rows);
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

    /// Units left.
    pub fn left(&self) -> f64 {
        (self.limit - self.spent).max(0.0)
    }

    /// Whether the budget is used up.
    pub fn is_spent(&self) -> bool {
        self.spent >= self.limit
    }

    /// Records it in an effort: the work, and the stop by the budget if nothing else stopped
    /// it.
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

//! Searches every combination of contact modes, deciding most of them many at a time.
//!
//! The search is depth first: one contact after the other is given each of its modes. If the
//! inequalities decided so far are infeasible, so is every combination that begins with them.
//! An undecided contact must not pull and not approach, and that is enough to exclude most
//! combinations (wedges hold from the start; the remaining numbers cannot reach the target).
//!
//! A combination in which everything is decided has one motion, none, or a polyhedron of them.

use super::modes::{Modes, Setting};
use super::tableau::{Sign, Tableau};
use super::{Possible, Progress};
use stiction_contact::ContactProblem;
use stiction_contact::judge::{self, Uniqueness};

/// Nodes between two reports of progress.
const REPORT: u64 = 256;

/// The search through one island.
pub(super) struct Search<'a, 'b> {
    problem: &'a ContactProblem,
    modes: Modes<'a>,
    tableau: Tableau,
    /// Contacts and rows that are undecided.
    open: Vec<usize>,
    /// Quantities that must not be zero, and their signs.
    strict: Vec<(usize, f64)>,
    budget: u64,
    nodes: u64,
    report: &'b mut dyn FnMut(Progress),
    pub found: Vec<Possible>,
    /// All combinations, and those decided.
    pub combinations: f64,
    pub decided: f64,
    /// Whether the work budget is used up.
    pub exhausted: bool,
    /// Whether rounding left a combination undecided.
    pub unclear: bool,
}

impl<'a, 'b> Search<'a, 'b> {
    /// Fails with the index of a contact with friction in the whole tangent plane, which has
    /// infinitely many modes.
    pub(super) fn new(
        problem: &'a ContactProblem,
        combinations: f64,
        budget: u64,
        report: &'b mut dyn FnMut(Progress),
    ) -> Result<Self, usize> {
        let (modes, tableau) = Modes::new(problem)?;
        Ok(Search {
            problem,
            open: (0..modes.choices.len()).collect(),
            strict: vec![],
            modes,
            tableau,
            budget,
            nodes: 0,
            report,
            found: vec![],
            combinations,
            decided: 0.0,
            exhausted: false,
            unclear: false,
        })
    }

    /// Multiplications so far.
    pub(super) fn work(&self) -> u64 {
        self.tableau.work
    }

    /// Decides every combination, or as many as the budget allows.
    pub(super) fn run(&mut self) {
        if self.is_possible() {
            self.descend(self.combinations);
        } else {
            self.decided = self.combinations;
        }
        self.unclear |= self.tableau.failed;
    }

    /// Decides the combinations that begin with the modes decided so far.
    fn descend(&mut self, combinations: f64) {
        self.exhausted |= self.tableau.work > self.budget;
        if self.exhausted {
            return;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(REPORT) {
            let part = self.decided / self.combinations;
            let (motions, work) = (self.found.len(), self.work());
            (self.report)(Progress { part, motions, work });
        }
        let Some(next) = self.next() else {
            self.decided += combinations;
            return self.settle();
        };
        let place = self.open.remove(next);
        let count = self.modes.choices[place].modes.len();
        for mode in 0..count {
            let settings = self.modes.choices[place].modes[mode].clone();
            self.with(&settings, combinations / count as f64);
        }
        self.open.insert(next, place);
    }

    /// Decides the combinations with one more mode.
    fn with(&mut self, settings: &[Setting], combinations: f64) {
        let before: Vec<(usize, Sign)> = settings
            .iter()
            .map(|it| (it.quantity, self.tableau.constrain(it.quantity, it.sign)))
            .collect();
        let strict = self.strict.len();
        let sign = |it: &Setting| if it.sign == Sign::AtMostZero { -1.0 } else { 1.0 };
        self.strict
            .extend(settings.iter().filter(|it| it.strict).map(|it| (it.quantity, sign(it))));
        if self.is_possible() {
            self.descend(combinations);
        } else {
            self.decided += combinations;
        }
        self.strict.truncate(strict);
        for (quantity, sign) in before.into_iter().rev() {
            self.tableau.constrain(quantity, sign);
        }
    }

    /// Whether the inequalities are feasible, and every quantity that must not be zero can be
    /// nonzero. (The mean of points at each of which one of them is nonzero has all of them
    /// nonzero.)
    fn is_possible(&mut self) -> bool {
        self.tableau.is_feasible()
            && (0..self.strict.len()).all(|k| {
                let (quantity, sign) = self.strict[k];
                self.tableau.can_leave_zero(quantity, sign)
            })
    }

    /// The contact to decide next: the one whose force and response contradict each other most
    /// at the current point, otherwise the first.
    fn next(&self) -> Option<usize> {
        let conflict = |place: usize| {
            let both = |&[force, response]: &[usize; 2]| {
                self.tableau.value(force) * self.tableau.value(response).abs()
            };
            self.modes.choices[place].pairs.iter().map(both).fold(0.0, f64::max)
        };
        let conflicts = self.open.iter().enumerate().map(|(k, &place)| (k, conflict(place)));
        let worst = conflicts.reduce(|one, other| if other.1 > one.1 { other } else { one });
        worst.map(|(k, _)| k)
    }

    /// All contacts are decided and the combination is feasible: records its motion, or one of
    /// infinitely many.
    fn settle(&mut self) {
        let forces = self.modes.forces_of(&self.tableau.point());
        if !judge::judge(self.problem, &forces).is_certified() {
            self.unclear = true;
            return;
        }
        let isolated = !self.tableau.varies(self.modes.motion);
        let unique = isolated && !self.tableau.varies(self.modes.forces);
        let uniqueness = if unique { Uniqueness::Unique } else { Uniqueness::NotUnique };
        let same = |known: &Possible| super::same::is_same(self.problem, &known.forces, &forces);
        match self.found.iter_mut().find(|known| known.isolated && isolated && same(known)) {
            Some(known) if !unique => known.uniqueness = Uniqueness::NotUnique,
            Some(_) => {}
            None => self.found.push(Possible { forces, uniqueness, isolated }),
        }
    }
}

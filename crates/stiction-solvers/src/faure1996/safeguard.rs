//! Prevents cycles of the iteration, and reports those it cannot prevent.
//!
//! Changing every inconsistent contact at once is fast but can cycle. After a while without
//! progress, contacts change one at a time. Without friction, changing the last one by index
//! always terminates (Murty's rule); with friction the most violated and the last one
//! alternate.

use super::balance::CUTS;
use super::hypotheses::{Change, Mode, State};
use crate::settings::SAME;
use stiction_contact::Stop;

/// Iterations without a decrease in the number of inconsistent contacts before they change one
/// at a time: block pivoting may get worse for a while.
const PATIENCE: usize = 10;

/// Number of visits to the same hypotheses before contacts change one at a time. Newton's
/// method may revisit them with better friction directions.
const VISITS: usize = 3;

/// Iterations without a smaller residual before another cut is tried.
const STALLED: usize = 12;

/// Hypotheses visited, with the forces and the iteration.
struct Visit {
    mode: Vec<Mode>,
    force: Vec<f64>,
    iteration: usize,
}

pub(super) struct Safeguard {
    rule: Rule,
    iteration: usize,
    visits: Vec<Visit>,
    /// Index of the cut in use.
    cut: usize,
    /// The smallest residual, and the iteration that reached it or changed the cut.
    best: (f64, usize),
}

enum Rule {
    /// The paper's: no rule.
    Literal,
    /// Without friction: fewest inconsistent contacts so far, patience left, and the number of
    /// cycles of single changes.
    Murty { fewest: usize, patience: usize, cycles: usize },
    /// With friction: single changes left, number of times that mode was entered, and the
    /// states at which it was.
    Turns { left: usize, begun: usize, begins: Vec<Visit> },
}

impl Safeguard {
    pub(super) fn new(state: &State) -> Self {
        let rule = if state.literal.is_some() {
            Rule::Literal
        } else if state.has_friction() {
            Rule::Turns { left: 0, begun: 0, begins: Vec::new() }
        } else {
            Rule::Murty { fewest: usize::MAX, patience: PATIENCE, cycles: 0 }
        };
        Safeguard { rule, iteration: 0, visits: Vec::new(), cut: 0, best: (f64::INFINITY, 0) }
    }

    /// The fraction of the largest pivot below which the linear system is cut.
    pub(super) fn cut(&self) -> f64 {
        CUTS[self.cut % CUTS.len()]
    }

    /// Keeps only the changes that may be made now; returns the end of the iteration if the
    /// state recurs.
    pub(super) fn restrain(
        &mut self,
        state: &State,
        changes: &mut Vec<Change>,
        residual: f64,
    ) -> Option<Stop> {
        self.iteration += 1;
        if residual < 0.5 * self.best.0 {
            self.best = (residual, self.iteration);
        } else if self.iteration >= self.best.1 + STALLED {
            self.cut += 1;
            self.best.1 = self.iteration;
        }
        let last = changes.last()?.contact;
        let visit = Visit {
            mode: state.mode.clone(),
            force: state.force.clone(),
            iteration: self.iteration,
        };
        match self.rule {
            Rule::Literal => self.restrain_literal(visit, last),
            Rule::Murty { .. } => self.restrain_by_index(visit, changes, last),
            Rule::Turns { .. } => self.restrain_in_turns(visit, changes, last),
        }
    }

    /// The paper's: all changes are made, and a recurring state recurs for ever.
    fn restrain_literal(&mut self, visit: Visit, last: usize) -> Option<Stop> {
        let repeated = self.visits.iter().find(|old| old.is(&visit));
        let period = repeated.map(|old| visit.iteration - old.iteration);
        self.visits.push(visit);
        period.map(|period| Stop::Alternation { contact: last, period })
    }

    /// Murty's: once patience is used up, only the last contact by index changes.
    fn restrain_by_index(
        &mut self,
        visit: Visit,
        changes: &mut Vec<Change>,
        last: usize,
    ) -> Option<Stop> {
        let Rule::Murty { fewest, patience, cycles } = &mut self.rule else { return None };
        if changes.len() < *fewest {
            (*fewest, *patience) = (changes.len(), PATIENCE);
            self.visits.clear();
        }
        *patience = patience.saturating_sub(1);
        if *patience > 0 {
            return None;
        }
        changes.drain(..changes.len() - 1);
        let repeated = self.visits.iter().find(|old| old.mode == visit.mode);
        let period = repeated.map(|old| visit.iteration - old.iteration);
        self.visits.push(visit);
        if period.is_some() && *cycles + 1 < CUTS.len() {
            // Murty's rule terminates in exact arithmetic: the cut may be wrong.
            self.visits.clear();
            self.cut += 1;
            (*cycles, *fewest) = (*cycles + 1, usize::MAX);
            return None;
        }
        period.map(|period| Stop::Alternation { contact: last, period })
    }

    /// With friction: for a while the most violated and the last one alternate.
    fn restrain_in_turns(
        &mut self,
        visit: Visit,
        changes: &mut Vec<Change>,
        last: usize,
    ) -> Option<Stop> {
        let Rule::Turns { left, begun, begins } = &mut self.rule else { return None };
        let met = self.visits.iter().filter(|old| old.mode == visit.mode).count();
        if met + 1 >= VISITS {
            let same_turn = begins.iter().skip(*begun % 2).step_by(2);
            let repeated = same_turn.rev().find(|old| old.is(&visit));
            if let Some(old) = repeated {
                let period = visit.iteration - old.iteration;
                return Some(Stop::Alternation { contact: last, period });
            }
            *left = 2 * visit.mode.len();
            *begun += 1;
            begins.push(visit);
            self.visits.clear();
        } else {
            self.visits.push(visit);
        }
        if *left > 0 {
            *left -= 1;
            let one = if *begun % 2 == 1 { most_violated(changes) } else { changes.pop() };
            *changes = one.into_iter().collect();
        }
        None
    }
}

impl Visit {
    fn is(&self, other: &Visit) -> bool {
        let near = |(x, y): (&f64, &f64)| (x - y).abs() <= SAME;
        self.mode == other.mode && self.force.iter().zip(&other.force).all(near)
    }
}

/// The change with the largest violation, the first on ties.
fn most_violated(changes: &[Change]) -> Option<Change> {
    let larger = |best: Change, next: &Change| {
        if next.violation > best.violation { *next } else { best }
    };
    let first = changes.first().copied()?;
    Some(changes.iter().fold(first, larger))
}

//! Connected parts under the current hypotheses, and reuse of their factors.
//!
//! Open contacts transmit nothing, so an island splits into *parts*: rows with unknown forces,
//! connected by moving bodies. Each part has its own linear system, which is the same as in the
//! last iteration if neither its rows nor the directions of its friction changed. Its factor is
//! then reused.
//!
//! ```text
//!   ┌───┐ open ┌───┐
//!   │ A │  ·   │ B │      one island, two parts: changes
//!  ─┴───┴──────┴───┴─     under A do not affect B
//! ```
//!
//! A factor is reused or rebuilt, never updated: redundant contacts are the normal case, and
//! only the pivoting shows which of them are redundant.

use super::hypotheses::{Mode, State};
use crate::linalg::MinimumNorm;
use crate::rows::Rows;

/// What friction contributes to one row of `M`: nothing, or `μ d` and its dependence on `z`.
pub(super) type Turn = Option<[f64; 3]>;

pub(super) struct Part {
    /// Rows with unknown forces.
    pub rows: Vec<usize>,
    pub factor: Option<Factor>,
}

/// A factored system, and the data besides the rows that it depends on.
pub(super) struct Factor {
    pub turns: Vec<Turn>,
    pub cut: f64,
    pub weights: Vec<f64>,
    pub inverse: MinimumNorm,
}

impl Factor {
    pub(super) fn is_of(&self, turns: &[Turn], cut: f64) -> bool {
        self.turns == turns && self.cut.to_bits() == cut.to_bits()
    }
}

impl State {
    /// Splits the island into the parts given by the hypotheses. Parts with the same rows as
    /// before are kept; the indices of the others are returned.
    pub(super) fn take_apart(&mut self) -> Vec<usize> {
        let mut old: Vec<Option<Part>> =
            std::mem::take(&mut self.parts).into_iter().map(Some).collect();
        let mut of_row = vec![usize::MAX; self.rows.len()];
        for (k, part) in old.iter().flatten().enumerate() {
            of_row[part.rows[0]] = k;
        }
        let mut fresh = Vec::new();
        for (k, rows) in components(&self.rows, &self.unknown()).into_iter().enumerate() {
            let same = |part: &mut Part| part.rows == rows;
            let known = old.get_mut(of_row[rows[0]]).and_then(|part| part.take_if(same));
            if known.is_none() {
                fresh.push(k);
            }
            self.parts.push(known.unwrap_or(Part { rows, factor: None }));
        }
        fresh
    }

    /// Rows whose forces are not given by the hypotheses.
    fn unknown(&self) -> Vec<usize> {
        let contacts = self.rows.contacts.iter().zip(&self.mode).flat_map(|(rows, mode)| {
            let count = match mode {
                Mode::Open => 0,
                Mode::Slip if self.literal.is_some() => 1,
                Mode::Slip | Mode::Stick | Mode::Yield => 1 + rows.tangents,
            };
            rows.normal..rows.normal + count
        });
        contacts.chain(self.rows.bilateral..self.rows.len()).collect()
    }
}

/// The given rows, grouped by connection through moving bodies.
fn components(rows: &Rows, given: &[usize]) -> Vec<Vec<usize>> {
    let still = rows.body_count - 1;
    let mut parent: Vec<usize> = (0..rows.body_count).collect();
    for &r in given {
        let [a, b] = rows.bodies[r].map(|body| body as usize);
        if a != still && b != still {
            let (a, b) = (root(&parent, a), root(&parent, b));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut number = vec![None; rows.body_count];
    let mut components: Vec<Vec<usize>> = Vec::new();
    for &r in given {
        let [a, b] = rows.bodies[r].map(|body| body as usize);
        let root = root(&parent, if a == still { b } else { a });
        let mine = *number[root].get_or_insert_with(|| {
            components.push(Vec::new());
            components.len() - 1
        });
        components[mine].push(r);
    }
    components
}

fn root(parent: &[usize], mut body: usize) -> usize {
    while parent[body] != body {
        body = parent[body];
    }
    body
}

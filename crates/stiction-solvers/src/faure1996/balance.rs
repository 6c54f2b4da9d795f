//! The linear system of one iteration: the computed values follow from the assumed ones, `M v̄
//! + b = 0` [F96, §3.2].
//!
//! Corrections have minimum norm, since redundant contacts make `M` singular: by §2.5 this
//! minimises the elastic energy of the real bodies. Only parts with something left to correct
//! are solved, and factored only if their system changed.

use super::hypotheses::{Mode, State, tangents};
use super::parts::{Factor, Turn};
use crate::error::SolveError;
use crate::linalg::{MinimumNorm, minimum_norm};
use crate::rows::{Bodies, ContactRows};
use crate::settings::CONTRADICTS;
use faer::Mat;

/// Relative cuts: singular directions of `M` are dropped below this fraction of the largest
/// pivot. The first is fine enough for ten digits; the others are for problems that do not
/// settle with it, above all contacts duplicated within a nanometre.
pub(super) const CUTS: [f64; 3] = [1e-11, 1e-8, FINEST];
/// The finest cut: a few hundred roundings.
const FINEST: f64 = 1e-13;

/// Corrections (scaled) below this are rounding: a part without larger ones is left unchanged.
const SETTLED: f64 = 1e-15;

/// A cut leaves accelerations of at most about this multiple of itself, relative to the largest
/// force.
const LEAVES: f64 = 10.0;

/// The equation of one row in an iteration.
enum Law {
    /// The force changes by this amount: it is in H.
    Given(f64),
    /// The response becomes zero.
    Response,
    /// Friction stays on its cone, against the slip:
    /// `f_t = μ f_n d` with `d` along `z = f_t − a_t`, to first order.
    Cone {
        /// `μ f_n d − f_t`
        missing: f64,
        /// `μ d`
        along_normal: f64,
        /// How the target depends on `z` along each tangent.
        turn: [f64; 2],
        normal: usize,
        tangents: usize,
    },
}

impl Law {
    /// Its contribution to the matrix besides entries of `A`.
    fn turn(&self) -> Turn {
        match self {
            Law::Cone { along_normal, turn, .. } => Some([*along_normal, turn[0], turn[1]]),
            Law::Given(_) | Law::Response => None,
        }
    }
}

impl State {
    /// Checks that all bilateral rows can be satisfied together, whatever the contacts do.
    /// Reports the worst of them, under the forces of bilateral rows alone, if they cannot.
    ///
    /// # Errors
    ///
    /// [`SolveError::Contradiction`] names that row.
    pub(super) fn check_bilateral(&self) -> Result<(), SolveError> {
        let rows: Vec<usize> = (self.rows.bilateral..self.rows.len()).collect();
        let block = Mat::from_fn(rows.len(), rows.len(), |i, j| self.a[(rows[i], rows[j])]);
        let free = Mat::from_fn(rows.len(), 1, |i, _| self.rows.bias[rows[i]]);
        let left = &free - &block * minimum_norm(block.as_ref(), free.as_ref(), FINEST);
        let size = rows.iter().map(|&r| self.rows.local[r]).fold(0.0, f64::max);
        let worst =
            (0..rows.len()).max_by(|&p, &q| left[(p, 0)].abs().total_cmp(&left[(q, 0)].abs()));
        match worst {
            Some(k) if left[(k, 0)].abs() > CONTRADICTS * size => Err(SolveError::Contradiction {
                place: self.rows.place(rows[k]),
                response: self.rows.physical_response(rows[k], left[(k, 0)]),
            }),
            _ => Ok(()),
        }
    }

    /// Compensates and restores the balance: computes the forces and responses that follow from
    /// the hypotheses. Returns the number of systems factored.
    pub(super) fn balance(&mut self, cut: f64) -> usize {
        let fresh = self.take_apart();
        self.forget(&fresh);
        let laws = self.laws();
        let mut step = vec![0.0; self.rows.len()];
        let mut given = Bodies::at_rest(self.rows.body_count);
        for (r, law) in laws.iter().enumerate() {
            if let Law::Given(change) = law {
                step[r] = *change;
                given.push(&self.rows, r, &self.rows.column[r], *change);
            }
        }
        let mut parts = std::mem::take(&mut self.parts);
        let mut factored = 0;
        for part in &mut parts {
            let value = self.value(&laws, &given, &part.rows);
            if value.norm_max() <= SETTLED {
                continue;
            }
            let turns: Vec<Turn> = part.rows.iter().map(|&r| laws[r].turn()).collect();
            let kept = part.factor.take().filter(|factor| factor.is_of(&turns, cut));
            let factor = kept.unwrap_or_else(|| {
                factored += 1;
                self.factor(&laws, &part.rows, turns, cut)
            });
            let solved = factor.inverse.solve(value.as_ref());
            for (i, &r) in part.rows.iter().enumerate() {
                step[r] = solved[(i, 0)] / factor.weights[i];
            }
            part.factor = Some(factor);
        }
        self.parts = parts;
        for (force, step) in self.force.iter_mut().zip(&step) {
            *force += step;
        }
        self.response = self.rows.response(&self.force);
        self.left = LEAVES * cut * self.force.iter().fold(1.0, |most, f| f.abs().max(most));
        factored
    }

    fn factor(&self, laws: &[Law], rows: &[usize], turns: Vec<Turn>, cut: f64) -> Factor {
        let weights = self.weights(rows);
        let inverse = MinimumNorm::new(self.matrix(laws, rows, &weights).as_ref(), cut);
        Factor { turns, cut, weights, inverse }
    }

    /// Without unknown friction the minimum-norm forces are required, not the minimum-norm
    /// corrections: the history must not matter, or refuted hypotheses could recur. Parts that
    /// are not `fresh` already have theirs.
    fn forget(&mut self, fresh: &[usize]) {
        if self.literal.is_some() || self.has_friction() {
            return;
        }
        for part in fresh.iter().map(|&k| &self.parts[k]) {
            for &r in &part.rows {
                self.force[r] = 0.0;
            }
        }
        self.response = self.rows.response(&self.force);
    }

    fn laws(&self) -> Vec<Law> {
        let mut laws: Vec<Law> = self.force.iter().map(|_| Law::Response).collect();
        for (rows, mode) in self.rows.contacts.iter().zip(&self.mode) {
            let all = rows.normal..=rows.normal + rows.tangents;
            match mode {
                Mode::Stick => {}
                Mode::Open => all.for_each(|r| laws[r] = Law::Given(-self.force[r])),
                Mode::Slip | Mode::Yield => {
                    for (k, r) in all.skip(1).enumerate() {
                        laws[r] = self.slip(rows, k, *mode == Mode::Yield);
                    }
                }
            }
        }
        laws
    }

    /// The equation of tangent `k` of a slipping contact. In the literal method friction is
    /// limited to its cone and then stays constant. Where sticking was impossible, forces have
    /// no meaning yet: friction points `straight` against the remaining acceleration, `z =
    /// −a_t`, and does not turn at first.
    fn slip(&self, rows: &ContactRows, k: usize, straight: bool) -> Law {
        let limit = rows.friction * self.force[rows.normal].max(0.0);
        let force = tangents(rows, &self.force);
        if self.literal.is_some() {
            let size = force[0].hypot(force[1]);
            return Law::Given(if size > limit { (limit / size - 1.0) * force[k] } else { 0.0 });
        }
        let slip = tangents(rows, &self.response);
        let held = if straight { [0.0; 2] } else { force };
        let z = [held[0] - slip[0], held[1] - slip[1]];
        let length = z[0].hypot(z[1]);
        let d = if length > 0.0 { z.map(|z| z / length) } else { [0.0; 2] };
        let follows = if length > limit && !straight { limit / length } else { 0.0 };
        let unit = |j: usize| if j == k { 1.0 } else { 0.0 };
        Law::Cone {
            missing: limit * d[k] - force[k],
            along_normal: rows.friction * d[k],
            turn: std::array::from_fn(|j| follows * (unit(j) - d[k] * d[j])),
            normal: rows.normal,
            tangents: rows.tangents,
        }
    }

    /// `−b`: the right-hand side for the computed values.
    fn value(&self, laws: &[Law], given: &Bodies, computed: &[usize]) -> Mat<f64> {
        let caused = |r: usize| given.response(&self.rows, r);
        Mat::from_fn(computed.len(), 1, |i, _| {
            let r = computed[i];
            match &laws[r] {
                Law::Given(_) => 0.0,
                Law::Response => -self.response[r] - caused(r),
                Law::Cone { missing, turn, normal, tangents, .. } => {
                    let turned: f64 =
                        (0..*tangents).map(|j| turn[j] * caused(normal + 1 + j)).sum();
                    missing - turned
                }
            }
        })
    }

    /// The weight of each force in the norm. Literally and without unknown friction, contact
    /// forces count in newtons [F96, §2.5]; with it, and in joints, relative to the effective
    /// mass, which keeps `M` well scaled.
    fn weights(&self, computed: &[usize]) -> Vec<f64> {
        let newtons = self.literal.is_some() || !self.has_friction();
        let unit = |&r: &usize| self.rows.physical_force(r, 1.0);
        let contacts = || computed.iter().filter(|&&r| r < self.rows.bilateral);
        let largest = contacts().map(unit).fold(0.0, f64::max);
        let counts = |r: &usize| newtons && *r < self.rows.bilateral && largest > 0.0;
        computed.iter().map(|r| if counts(r) { unit(r) / largest } else { 1.0 }).collect()
    }

    /// `M`: the columns of the computed forces, divided by their weights.
    fn matrix(&self, laws: &[Law], computed: &[usize], weights: &[f64]) -> Mat<f64> {
        let is = |x: usize, y: usize| if x == y { 1.0 } else { 0.0 };
        Mat::from_fn(computed.len(), computed.len(), |i, j| {
            let (r, c) = (computed[i], computed[j]);
            let entry = match &laws[r] {
                Law::Given(_) => 0.0,
                Law::Response => self.a[(r, c)],
                Law::Cone { along_normal, turn, normal, tangents, .. } => {
                    let turned = |k: usize| {
                        let t = normal + 1 + k;
                        turn[k] * (is(t, c) - self.a[(t, c)])
                    };
                    let turned: f64 = (0..*tangents).map(turned).sum();
                    is(r, c) - along_normal * is(*normal, c) - turned
                }
            };
            entry / weights[j]
        })
    }
}

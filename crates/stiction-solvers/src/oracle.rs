//! Every combination of contact modes, one by one: slow, simple, complete (with
//! one friction coefficient per contact: the static one).
//!
//! For tests. Each contact is open or clamped (and then, with planar friction,
//! sticks or slips either way); each bounded row is at a bound or between. For
//! every combination the clamped equations are solved and the conditions
//! checked. Combinations with dependent equations are skipped: if they hold a
//! solution, so does a combination with fewer clamped contacts (Carathéodory).

use crate::judge::{self, Response};
use crate::problem::{ContactProblem, Friction, Tangents};
use crate::solution::{ContactForce, Forces};
use glam::DVec3;

/// Most combinations that are tried: 12 contacts with planar friction.
pub const MOST_COMBINATIONS: u64 = 1 << 24;

/// Why a problem cannot be enumerated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum OracleError {
    /// Friction in the whole tangent plane has infinitely many modes.
    #[error("contact {contact} has friction in the whole tangent plane")]
    RoundCone { contact: usize },
    /// Too many combinations.
    #[error("{combinations} combinations of contact modes are more than {MOST_COMBINATIONS}")]
    TooLarge { combinations: f64 },
}

/// One way to be: which column of forces acts, which response it holds at zero.
#[derive(Clone, Copy)]
struct Choice {
    /// Unknown forces of this choice: unit forces by index into the units.
    columns: [Option<(usize, f64, usize)>; 2],
    /// Force at a bound, as a multiple of a unit.
    fixed: Option<(usize, f64)>,
}

/// All solutions with independent clamped equations; empty if there are none.
///
/// # Errors
///
/// [`OracleError`] if the problem has round cones or too many contacts.
pub fn enumerate(problem: &ContactProblem) -> Result<Vec<Forces>, OracleError> {
    let system = System::new(problem)?;
    let mut found = Vec::new();
    let mut pick = vec![0; system.choices.len()];
    loop {
        if let Some(forces) = system.try_combination(&pick) {
            found.push(forces);
        }
        let Some(next) = pick.iter().zip(&system.choices).position(|(&p, c)| p + 1 < c.len())
        else {
            return Ok(found);
        };
        pick[..next].fill(0);
        pick[next] += 1;
    }
}

/// The problem as a dense matrix over unit forces.
struct System<'a> {
    problem: &'a ContactProblem,
    /// `units[k]` sets one unknown to one.
    units: Vec<Unit>,
    /// Response of unit `i` to unit `j`.
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    choices: Vec<Vec<Choice>>,
}

#[derive(Clone, Copy)]
enum Unit {
    Normal(usize),
    Tangent(usize),
    Bilateral(usize),
    Bounded(usize),
}

impl<'a> System<'a> {
    fn new(problem: &'a ContactProblem) -> Result<Self, OracleError> {
        let mut units = Vec::new();
        let mut choices = Vec::new();
        let open = Choice { columns: [None; 2], fixed: None };
        for (i, contact) in problem.contacts().iter().enumerate() {
            let n = units.len();
            units.push(Unit::Normal(i));
            let clamped = Choice { columns: [Some((n, 0.0, n)), None], fixed: None };
            if contact.friction.has_tangent_unknowns() {
                if contact.tangents == Tangents::Plane {
                    return Err(OracleError::RoundCone { contact: i });
                }
                units.push(Unit::Tangent(i));
                let t = n + 1;
                let mu = contact.friction.limit();
                let stick = Choice { columns: [Some((n, 0.0, n)), Some((t, 0.0, t))], fixed: None };
                let slip = |mu: f64| Choice { columns: [Some((n, mu, t)), None], fixed: None };
                choices.push(vec![open, stick, slip(mu), slip(-mu)]);
            } else {
                choices.push(vec![open, clamped]);
            }
        }
        for i in 0..problem.bilateral().len() {
            let k = units.len();
            units.push(Unit::Bilateral(i));
            choices.push(vec![Choice { columns: [Some((k, 0.0, k)), None], fixed: None }]);
        }
        for (i, bounded) in problem.bounded().iter().enumerate() {
            let k = units.len();
            units.push(Unit::Bounded(i));
            let mut ways = vec![Choice { columns: [Some((k, 0.0, k)), None], fixed: None }];
            for bound in [bounded.lower, bounded.upper] {
                if bound.is_finite() {
                    ways.push(Choice { columns: [None; 2], fixed: Some((k, bound)) });
                }
            }
            choices.push(ways);
        }
        let combinations = choices.iter().map(|c| c.len() as f64).product::<f64>();
        if combinations > MOST_COMBINATIONS as f64 {
            return Err(OracleError::TooLarge { combinations });
        }
        let mut system = System { problem, units, a: vec![], b: vec![], choices };
        let n = system.units.len();
        system.b = system.read(&judge::response(problem, &system.forces(&vec![0.0; n])));
        let mut columns = Vec::new();
        for j in 0..n {
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            let moved = system.read(&judge::response(problem, &system.forces(&unit)));
            columns.push(moved.iter().zip(&system.b).map(|(u, b)| u - b).collect::<Vec<_>>());
        }
        system.a = (0..n).map(|i| (0..n).map(|j| columns[j][i]).collect()).collect();
        Ok(system)
    }

    /// Forces from one value per unit. Friction of sliding contacts follows.
    fn forces(&self, values: &[f64]) -> Forces {
        let problem = self.problem;
        let mut forces = Forces {
            contacts: vec![ContactForce::default(); problem.contacts().len()],
            bilateral: vec![0.0; problem.bilateral().len()],
            bounded: vec![0.0; problem.bounded().len()],
        };
        for (unit, &value) in self.units.iter().zip(values) {
            match *unit {
                Unit::Normal(i) => {
                    forces.contacts[i].normal = value;
                    if let Friction::Sliding { friction, direction } =
                        problem.contacts()[i].friction
                    {
                        forces.contacts[i].friction = direction.map(|x| -friction * value * x);
                    }
                }
                Unit::Tangent(i) => {
                    let tangent = problem.contacts()[i].frame()[0];
                    forces.contacts[i].friction = (value * tangent).to_array();
                }
                Unit::Bilateral(i) => forces.bilateral[i] = value,
                Unit::Bounded(i) => forces.bounded[i] = value,
            }
        }
        forces
    }

    fn read(&self, response: &Response) -> Vec<f64> {
        let value = |unit: &Unit| match *unit {
            Unit::Normal(i) => response.contacts[i].normal,
            Unit::Tangent(i) => {
                let tangent: DVec3 = self.problem.contacts()[i].frame()[0];
                response.contacts[i].tangential.dot(tangent)
            }
            Unit::Bilateral(i) => response.bilateral[i],
            Unit::Bounded(i) => response.bounded[i],
        };
        self.units.iter().map(value).collect()
    }

    /// Solves one combination and has the judge look at it.
    fn try_combination(&self, pick: &[usize]) -> Option<Forces> {
        let n = self.units.len();
        let chosen: Vec<Choice> =
            pick.iter().zip(&self.choices).map(|(&p, choices)| choices[p]).collect();
        let mut fixed = vec![0.0; n];
        for (k, value) in chosen.iter().filter_map(|c| c.fixed) {
            fixed[k] = value;
        }
        let unknowns: Vec<(usize, f64, usize)> =
            chosen.iter().flat_map(|c| c.columns).flatten().collect();
        let mut matrix: Vec<Vec<f64>> = Vec::with_capacity(unknowns.len());
        for &(row, ..) in &unknowns {
            let entries = unknowns
                .iter()
                .map(|&(column, mu, tied)| self.a[row][column] + mu * self.a[row][tied]);
            let known: f64 = (0..n).map(|k| self.a[row][k] * fixed[k]).sum();
            matrix.push(entries.chain([-(self.b[row] + known)]).collect());
        }
        let x = eliminate(matrix)?;
        let mut values = fixed;
        for (&(column, mu, tied), x) in unknowns.iter().zip(x) {
            values[column] += x;
            values[tied] += mu * x;
        }
        let forces = self.forces(&values);
        let certificate = judge::judge(self.problem, &forces);
        certificate.is_certified().then_some(forces)
    }
}

/// Gaussian elimination with partial pivoting on `[A | b]`, rows first scaled;
/// nothing if `A` is singular.
fn eliminate(mut matrix: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = matrix.len();
    for row in &mut matrix {
        let size = row[..n].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if size == 0.0 {
            return None;
        }
        for x in row.iter_mut() {
            *x /= size;
        }
    }
    for k in 0..n {
        let best = (k..n).max_by(|&i, &j| matrix[i][k].abs().total_cmp(&matrix[j][k].abs()))?;
        matrix.swap(k, best);
        let pivot = matrix[k][k];
        if pivot.abs() < 1e-10 {
            return None;
        }
        for i in k + 1..n {
            let factor = matrix[i][k] / pivot;
            for j in k..=n {
                matrix[i][j] -= factor * matrix[k][j];
            }
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| matrix[k][j] * x[j]).sum();
        x[k] = (matrix[k][n] - known) / matrix[k][k];
    }
    Some(x)
}

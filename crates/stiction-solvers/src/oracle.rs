//! Enumerates every combination of contact modes: slow, simple and complete (with one friction
//! coefficient per contact: the static one).
//!
//! For tests. Each contact is open or clamped (and then, with planar friction, sticks or slips
//! either way); each bounded row is at a bound or between. For every combination the clamped
//! equations are solved and the conditions checked. Combinations with dependent equations are
//! skipped: if they have a solution, so does a combination with fewer clamped contacts
//! (Carathéodory).

use crate::unit_forces::UnitForces;
use stiction_contact::{ContactProblem, Forces, Place, judge};

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

/// One mode of a contact or row: the forces that act and the responses held at zero.
#[derive(Clone, Copy)]
struct Choice {
    /// Unknown forces of this mode: unit forces by index into the units.
    columns: [Option<(usize, f64, usize)>; 2],
    /// Force at a bound, as a multiple of a unit.
    fixed: Option<(usize, f64)>,
}

/// All solutions with independent clamped equations; possibly empty.
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

/// The modes of every contact and row over the matrix of unit forces.
struct System<'a> {
    matrix: UnitForces<'a>,
    choices: Vec<Vec<Choice>>,
}

impl<'a> System<'a> {
    fn new(problem: &'a ContactProblem) -> Result<Self, OracleError> {
        let matrix =
            UnitForces::new(problem).map_err(|contact| OracleError::RoundCone { contact })?;
        let choices: Vec<Vec<Choice>> =
            matrix.places().map(|place| choices(problem, place)).collect();
        let combinations = choices.iter().map(|c| c.len() as f64).product::<f64>();
        if combinations > MOST_COMBINATIONS as f64 {
            return Err(OracleError::TooLarge { combinations });
        }
        Ok(System { matrix, choices })
    }

    /// Solves one combination and lets the judge check it.
    fn try_combination(&self, pick: &[usize]) -> Option<Forces> {
        let n = self.matrix.b.len();
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
            let entries = unknowns.iter().map(|&(column, mu, tied)| {
                self.matrix.a[row][column] + mu * self.matrix.a[row][tied]
            });
            let known: f64 = (0..n).map(|k| self.matrix.a[row][k] * fixed[k]).sum();
            matrix.push(entries.chain([-(self.matrix.b[row] + known)]).collect());
        }
        let x = eliminate(matrix)?;
        let mut values = fixed;
        for (&(column, mu, tied), x) in unknowns.iter().zip(x) {
            values[column] += x;
            values[tied] += mu * x;
        }
        let forces = self.matrix.forces(&values);
        let certificate = judge::judge(self.matrix.problem, &forces);
        certificate.is_certified().then_some(forces)
    }
}

/// The modes of the contact or row whose unit forces begin at `first`.
fn choices(problem: &ContactProblem, (place, first): (Place, usize)) -> Vec<Choice> {
    let none = Choice { columns: [None; 2], fixed: None };
    let (n, t) = (first, first + 1);
    let held = Choice { columns: [Some((n, 0.0, n)), None], fixed: None };
    match place {
        Place::Contact(i) if problem.contacts()[i].friction.has_tangent_unknowns() => {
            let mu = problem.contacts()[i].friction.limit();
            let stick = Choice { columns: [Some((n, 0.0, n)), Some((t, 0.0, t))], fixed: None };
            let slip = |mu: f64| Choice { columns: [Some((n, mu, t)), None], fixed: None };
            vec![none, stick, slip(mu), slip(-mu)]
        }
        Place::Contact(_) => vec![none, held],
        Place::Bounded(i) => {
            let bounded = &problem.bounded()[i];
            let bounds = [bounded.lower, bounded.upper].into_iter().filter(|x| x.is_finite());
            let at = |bound: f64| Choice { columns: [None; 2], fixed: Some((n, bound)) };
            [held].into_iter().chain(bounds.map(at)).collect()
        }
        _ => vec![held],
    }
}

/// Gaussian elimination with partial pivoting on `[A | b]`, rows scaled first; `None` if `A` is
/// singular.
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

//! A proof that the motion is unique, by monotonicity.

use super::determinacy::BodySpace;
use super::null_space::{Wrench, length};
use crate::forces::ContactForce;
use crate::problem::{ContactProblem, Friction, Tangents};
use crate::settings::RANK;
use faer::{Mat, Side};

/// Largest number of unknowns for which the proof is tried: it takes dense eigenvalues, cubic
/// in this number.
const PROOF_LIMIT: usize = 300;

/// Whether a law has any friction.
pub(super) fn has_friction(law: &Friction) -> bool {
    law.has_tangent_unknowns()
        || matches!(law, Friction::Sliding { friction, .. } if *friction > 0.0)
}

/// Whether all answers are proved to cause the same motion: there is no friction, or too little
/// of it to matter. This does not prove that an answer exists.
pub fn has_one_motion(problem: &ContactProblem) -> bool {
    !problem.contacts().iter().any(|c| has_friction(&c.friction)) || is_monotone(problem)
}

/// A proof that the response is unique, for sufficiently small friction.
///
/// Two answers differ by `δf` with `δu = W δf`. The normal laws give
/// `δf_n δu_n ≤ 0`, maximum dissipation `δf_t · δu_t ≤ μ |δf_n| |δu_t|`, hence
/// `δfᵀ W δf ≤ μ |δf| |W_t δf|`. If the least eigenvalue of `W` exceeds
/// `μ ‖W_t‖`, only `δf = 0` remains. Contacts that are already sliding put their friction into
/// the matrix, which then must have a positive definite symmetric part.
fn is_monotone(problem: &ContactProblem) -> bool {
    let unknowns = problem.contacts().len() + problem.bilateral().len() + problem.bounded().len();
    if unknowns > PROOF_LIMIT {
        return false;
    }
    let Some(Unknowns { rows, columns, tangential, friction }) = Unknowns::new(problem) else {
        return false;
    };
    let n = rows.len();
    if n == 0 || n > PROOF_LIMIT {
        return n == 0;
    }
    let dot = |a: &Wrench, b: &Wrench| {
        let both = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
        let same = both.filter(|((x, _), (y, _))| x == y);
        same.map(|((_, x), (_, y))| (0..6).map(|k| x[k] * y[k]).sum::<f64>()).sum::<f64>()
    };
    let w = Mat::from_fn(n, n, |i, j| dot(&rows[i], &columns[j]));
    let symmetric = Mat::from_fn(n, n, |i, j| 0.5 * (w[(i, j)] + w[(j, i)]));
    let Ok(values) = symmetric.self_adjoint_eigenvalues(Side::Lower) else {
        return false;
    };
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let all_tangential: f64 = (0..n)
        .filter(|&i| tangential[i])
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .map(|at| w[at] * w[at])
        .sum();
    least > RANK + friction * all_tangential.sqrt()
}

/// Every unknown force of a problem, whatever its mode: its row (response) and its column
/// (force), divided by the length of the contact's normal row.
struct Unknowns {
    rows: Vec<Wrench>,
    columns: Vec<Wrench>,
    tangential: Vec<bool>,
    /// The largest friction coefficient.
    friction: f64,
}

impl Unknowns {
    /// `None` if the proof does not cover the problem.
    fn new(problem: &ContactProblem) -> Option<Self> {
        let space = BodySpace::new(problem);
        let mut rows: Vec<Wrench> = Vec::new();
        let mut columns: Vec<Wrench> = Vec::new();
        let mut tangential: Vec<bool> = Vec::new();
        let mut largest = 0.0_f64;
        let over = |wrench: Wrench, size: f64| -> Wrench {
            wrench.into_iter().map(|(body, on)| (body, on.map(|x| x / size))).collect()
        };
        let mut add = |row: Wrench, column: Wrench, is_tangential: bool, size: f64| {
            rows.push(over(row, size));
            columns.push(over(column, size));
            tangential.push(is_tangential);
        };
        for (i, contact) in problem.contacts().iter().enumerate() {
            let unit = ContactForce { normal: 1.0, friction: [0.0; 3] };
            let normal = space.of_contact(i, &unit);
            let size = length(&normal);
            match contact.friction {
                Friction::Sliding { friction, direction } => {
                    let drag = direction.map(|x| -friction * x);
                    let column = space.of_contact(i, &ContactForce { normal: 1.0, friction: drag });
                    add(normal, column, false, size);
                }
                Friction::Coulomb { static_friction, dynamic_friction }
                    if static_friction != dynamic_friction =>
                {
                    return None;
                }
                Friction::Frictionless => add(normal.clone(), normal, false, size),
                Friction::Static { friction }
                | Friction::Coulomb { static_friction: friction, .. } => {
                    largest = largest.max(friction);
                    add(normal.clone(), normal, false, size);
                    let count = if matches!(contact.tangents, Tangents::Line(_)) { 1 } else { 2 };
                    for tangent in &contact.frame()[..count] {
                        let force = ContactForce { normal: 0.0, friction: tangent.to_array() };
                        let wrench = space.of_contact(i, &force);
                        add(wrench.clone(), wrench, true, size);
                    }
                }
            }
        }
        for row in problem.bilateral().iter().chain(problem.bounded().iter().map(|b| &b.row)) {
            let wrench = space.of_row(row);
            let size = length(&wrench);
            if size == 0.0 {
                return None;
            }
            add(wrench.clone(), wrench, false, size);
        }
        Some(Unknowns { rows, columns, tangential, friction: largest })
    }
}

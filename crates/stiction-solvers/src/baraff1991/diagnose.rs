//! Is a problem consistent, and is its motion determined?

use crate::judge;
use crate::oracle::{self, OracleError};
use crate::problem::ContactProblem;
use crate::solution::Forces;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Responses of the bodies closer than this, relative to the free motion, are
/// the same.
const SAME_MOTION: f64 = 1e-6;

/// Rounding of a response, relative to that of the fastest body.
const ROUNDING: f64 = 1e-12;

/// What is known about a problem's solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Every solution causes the same motion.
    Unique,
    /// There are solutions with different motions.
    Indeterminate,
    /// No combination of contact modes has a solution: proved.
    Inconsistent,
    /// Too many combinations, or friction cones that cannot be enumerated.
    TooLarge,
}

/// A verdict and what it rests on.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// The verdict.
    pub verdict: Verdict,
    /// One solution for each different motion.
    pub solutions: Vec<Forces>,
    /// Why nothing could be decided, if so.
    pub reason: Option<OracleError>,
}

/// Tries every combination of contact modes.
pub fn diagnose(problem: &ContactProblem) -> Diagnosis {
    let found = match oracle::enumerate(problem) {
        Ok(found) => found,
        Err(error) => {
            return Diagnosis {
                verdict: Verdict::TooLarge,
                solutions: vec![],
                reason: Some(error),
            };
        }
    };
    let mut solutions: Vec<(Forces, Vec<[f64; 6]>)> = Vec::new();
    for forces in found {
        let motion = judge::response(problem, &forces).bodies;
        if !solutions.iter().any(|(_, known)| is_same(problem, known, &motion)) {
            solutions.push((forces, motion));
        }
    }
    let verdict = match solutions.len() {
        0 => Verdict::Inconsistent,
        1 => Verdict::Unique,
        _ => Verdict::Indeterminate,
    };
    let solutions = solutions.into_iter().map(|(forces, _)| forces).collect();
    Diagnosis { verdict, solutions, reason: None }
}

/// Whether two motions are the same, each body against the largest response it
/// has in either of them or when left alone. A body that does not move at all has
/// none: its rounding is compared with the fastest body, its turning by the speed
/// that it gives to the contact farthest from its centre.
fn is_same(problem: &ContactProblem, one: &[[f64; 6]], other: &[[f64; 6]]) -> bool {
    let part =
        |v: &[f64; 6], from: usize| v[from..from + 3].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let free = || problem.bodies().iter().map(|body| &body.free_response);
    let fastest = |from: usize| {
        let all = one.iter().chain(other).chain(free());
        all.map(|v| part(v, from)).fold(0.0, f64::max)
    };
    let reaches: Vec<f64> = (0..problem.bodies().len()).map(|body| reach(problem, body)).collect();
    [0, 3].into_iter().all(|from| {
        one.iter().zip(other).zip(free()).zip(&reaches).all(|(((a, b), free), &reach)| {
            let delta: [f64; 6] = std::array::from_fn(|k| a[k] - b[k]);
            let size = part(a, from).max(part(b, from)).max(part(free, from));
            let turning = if from == 3 && reach > 0.0 { fastest(0) / reach } else { 0.0 };
            let rounding = ROUNDING * fastest(from).max(turning);
            part(&delta, from) <= (SAME_MOTION * size).max(rounding)
        })
    })
}

/// Distance of the farthest contact of a body from its centre (m).
fn reach(problem: &ContactProblem, body: usize) -> f64 {
    let centre = DVec3::from_array(problem.bodies()[body].position);
    let own = problem.contacts().iter().filter(|it| it.a == body || it.b == Some(body));
    own.map(|it| DVec3::from_array(it.point).distance(centre)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Contact, Friction, Level};

    /// The legs can share the weight in many ways, but all of them leave the table at rest.
    #[test]
    fn a_table_that_rests_moves_in_one_way() {
        let inertia = [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.5]];
        let table = Body::rigid(3.0, inertia, [0.0, 0.0, 0.7])
            .with_free_response([0.0, 0.0, -9.81, 0.0, 0.0, 0.0]);
        let legs = [[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]]
            .map(|foot| Contact::new(0, None, foot, [0.0, 0.0, 1.0], Friction::Frictionless));
        let problem =
            ContactProblem::new(Level::Acceleration, vec![table], legs.to_vec(), vec![], vec![]);
        assert_eq!(diagnose(&problem.unwrap()).verdict, Verdict::Unique);
    }
}

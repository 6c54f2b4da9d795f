//! Is a problem consistent, and is its motion determined?

use crate::judge;
use crate::oracle::{self, OracleError};
use crate::problem::ContactProblem;
use crate::solution::Forces;
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
/// none: its rounding is compared with the fastest body.
fn is_same(problem: &ContactProblem, one: &[[f64; 6]], other: &[[f64; 6]]) -> bool {
    let part =
        |v: &[f64; 6], from: usize| v[from..from + 3].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let free = || problem.bodies().iter().map(|body| &body.free_response);
    [0, 3].into_iter().all(|from| {
        let all = one.iter().chain(other).chain(free());
        let rounding = ROUNDING * all.map(|v| part(v, from)).fold(0.0, f64::max);
        one.iter().zip(other).zip(free()).all(|((a, b), free)| {
            let delta: [f64; 6] = std::array::from_fn(|k| a[k] - b[k]);
            let size = part(a, from).max(part(b, from)).max(part(free, from));
            part(&delta, from) <= (SAME_MOTION * size).max(rounding)
        })
    })
}

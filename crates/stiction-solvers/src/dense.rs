//! Forms the contact matrix, for comparison with methods that need it.

use faer::Mat;
use stiction_contact::{ContactForce, ContactProblem, Forces, judge};

/// `A` and `b` of the normal forces, `a = A f + b`, computed column by column by the judge.
/// Rows other than contacts have zero force.
pub fn normal_system(problem: &ContactProblem) -> (Mat<f64>, Mat<f64>) {
    let n = problem.contacts().len();
    let at = |unit: Option<usize>| -> Vec<f64> {
        let force = |i| ContactForce {
            normal: if Some(i) == unit { 1.0 } else { 0.0 },
            friction: [0.0; 3],
        };
        let forces = Forces {
            contacts: (0..n).map(force).collect(),
            bilateral: vec![0.0; problem.bilateral().len()],
            bounded: vec![0.0; problem.bounded().len()],
        };
        judge::response(problem, &forces).contacts.iter().map(|u| u.normal).collect()
    };
    let b = at(None);
    let columns: Vec<Vec<f64>> = (0..n).map(|k| at(Some(k))).collect();
    (Mat::from_fn(n, n, |i, j| columns[j][i] - b[i]), Mat::from_fn(n, 1, |i, _| b[i]))
}

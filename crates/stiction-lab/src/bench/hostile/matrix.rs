//! Bare matrices: their generation, and checks of their answers in 300 bits.
//!
//! ```text
//!   u = W r + q,   every response compared with |q_i| + min(Σ_j |W_ij r_j|, √(w_i E))
//!   E = min(Σ_j |q_j|²/w_j, rᵀ W r)
//! ```

use super::draw::Draw;
use super::laws::{Friction, Local, Scale};
use super::number::{Real, length};
use stiction_solvers::{MatrixError, MatrixProblem, Triplets};

/// `W`, `q` and `μ` as in the files of such problems.
#[derive(Clone, Debug)]
pub struct GivenMatrix {
    pub dimension: usize,
    pub w: Triplets,
    pub q: Vec<f64>,
    pub friction: Vec<f64>,
}

/// A problem of a few contacts with fewer degrees of freedom, in extreme units.
pub fn any(draw: &mut Draw) -> GivenMatrix {
    let dimension = draw.pick(&[2, 3, 3]);
    let contacts = draw.count(1, 12);
    let freedoms = draw.count(2, 3 * contacts + 3);
    let n = dimension * contacts;
    let overall = if draw.chance(0.3) { 1.0 } else { draw.decades(-12.0, 12.0) };
    let spread = draw.pick(&[0.0, 0.0, 2.0, 4.0]);
    let rows: Vec<Vec<f64>> = (0..contacts)
        .flat_map(|_| {
            let factor = draw.decades(-spread, spread);
            (0..dimension)
                .map(|_| (0..freedoms).map(|_| factor * draw.uniform(-1.0, 1.0)).collect())
                .collect::<Vec<Vec<f64>>>()
        })
        .collect();
    let mut w = Triplets { rows: n, columns: n, entries: Vec::new() };
    for i in 0..n {
        for j in 0..n {
            let (low, high) = (i.min(j), i.max(j));
            let entry: f64 = rows[low].iter().zip(&rows[high]).map(|(x, y)| x * y).sum();
            w.entries.push((i, j, overall * entry));
        }
    }
    // In the range of the matrix, so that bodies with this motion exist.
    let motion: Vec<f64> = (0..freedoms).map(|_| draw.uniform(-1.0, 1.0)).collect();
    let speed = if draw.chance(0.5) { 1.0 } else { draw.decades(-9.0, 9.0) };
    let q = rows.iter().map(|row| speed * row.iter().zip(&motion).map(|(x, v)| x * v).sum::<f64>());
    let q = q.collect();
    let friction =
        (0..contacts).map(|_| if draw.chance(0.2) { 0.0 } else { draw.decades(-2.0, 1.0) });
    GivenMatrix { dimension, w, q, friction: friction.collect() }
}

impl GivenMatrix {
    pub fn problem(&self) -> Result<MatrixProblem, MatrixError> {
        MatrixProblem::new(self.dimension, &self.w, self.q.clone(), self.friction.clone())
    }

    /// Every contact under these forces, which must be finite and fit in number.
    pub fn check(&self, force: &[f64]) -> Vec<Local> {
        let d = self.dimension;
        let r: Vec<Real> = force.iter().map(|&x| Real::new(x)).collect();
        let mut u: Vec<Real> = self.q.iter().map(|&x| Real::new(x)).collect();
        let mut passed = vec![0.0; self.q.len()];
        let mut own = vec![0.0; self.q.len()];
        let mut together = Real::zero();
        for &(i, j, entry) in &self.w.entries {
            let part = &Real::new(entry) * &r[j];
            passed[i] += part.value().abs();
            u[i] = &u[i] + &part;
            together = &together + &(&part * &r[i]);
            if i == j {
                own[i] = entry;
            }
        }
        let u: Vec<f64> = u.iter().map(Real::value).collect();
        let energy = self.q.iter().zip(&own).filter(|(_, w)| **w > 0.0).map(|(q, w)| q * q / w);
        let energy = energy.sum::<f64>().min(together.value().max(0.0));
        let scale = (0..u.len()).map(|i| self.q[i].abs() + passed[i].min((own[i] * energy).sqrt()));
        let scale: Vec<f64> = scale.collect();
        let contacts = self.friction.iter().enumerate().map(|(contact, &mu)| {
            let at = contact * d;
            let tangent = |x: &[f64]| {
                let second = if d == 3 { x[at + 2] } else { 0.0 };
                [0.0, x[at + 1], second]
            };
            let whole = |least: f64| Scale { least, forces: 0.0 };
            Local {
                friction: Friction::Free { sticking: mu, slipping: mu },
                normal_force: force[at],
                friction_force: tangent(force),
                stray: 0.0,
                normal_response: u[at],
                slip: tangent(&u),
                normal_scale: whole(scale[at]),
                slip_scale: whole(length(&tangent(&scale))),
                mobility: own[at],
                reach: (at..at + d).map(|k| own[k]).sum::<f64>() / 3.0,
                frame: ([0.0, 1.0, 0.0], (d == 3).then_some([0.0, 0.0, 1.0])),
            }
        });
        contacts.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::exact::Checked;
    use super::super::laws::Claim;
    use super::super::verdict::{Distance, Verdict};
    use super::*;

    /// One contact in the plane, in units in which forces are a billion.
    #[test]
    fn units_of_a_matrix_do_not_matter() {
        let unit = 1e-9;
        let w = Triplets { rows: 2, columns: 2, entries: vec![(0, 0, unit), (1, 1, unit)] };
        let given = GivenMatrix { dimension: 2, w, q: vec![-1.0, 2.0], friction: vec![0.5] };
        let of = |force: [f64; 2]| {
            let checked = Checked { contacts: given.check(&force), rows: vec![] };
            Distance::from_law(&checked, 0, Claim::MaximumDissipation).verdict(true)
        };
        assert_eq!(of([1e9, -0.5e9]), Verdict::Right);
        assert_eq!(of([1e9, 0.5e9]), Verdict::Wrong);
        assert_eq!(of([1.001e9, -0.5005e9]), Verdict::Wrong);
        assert_eq!(of([0.0, 0.0]), Verdict::Wrong);
    }
}

//! What an answer to a problem without bodies is worth.
//!
//! Without masses there is no scale but the numbers themselves, so the measure
//! is the one of the field: with `û = u + μ|u_t| n` and `P` the projection on the
//! friction cones, the *natural map* `|r − P(r − û)|` over all contacts, relative
//! to the largest of `|q|`, `|r|`, `|u|`.

use super::double::Dd;
use crate::matrix::MatrixProblem;
use serde::Serialize;

/// Largest relative natural map of an answer that is called certified: what
/// those who exchange such problems ask for.
pub const MATRIX_CERTIFIED: f64 = 1e-8;

/// Keeps quotients finite when everything is zero.
const TINY: f64 = 1e-300;

/// What an answer to a [`MatrixProblem`] is worth. Parts are relative to the
/// largest force, the largest response, or both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MatrixCertificate {
    /// Whether the relative natural map is at most [`MATRIX_CERTIFIED`].
    pub certified: bool,
    /// `|r − P(r − û)|`
    pub natural_map: f64,
    /// The same relative to `max(|q|, |r|, |u|)`.
    pub relative: f64,
    /// Most negative normal force.
    pub negative_force: f64,
    /// Most negative normal response.
    pub penetration: f64,
    /// Largest `|r_n u_n|`.
    pub complementarity: f64,
    /// Largest friction beyond the cone.
    pub cone: f64,
    /// Largest `| |u_t| r_t + μ r_n u_t |`: friction not against the slip.
    pub alignment: f64,
}

/// Judges forces from anywhere; the response is recomputed in double-double
/// arithmetic.
pub fn judge_matrix(problem: &MatrixProblem, force: &[f64]) -> MatrixCertificate {
    let d = problem.dimension();
    if force.len() != problem.len() {
        return Worst::default().certificate(problem, force, &[], f64::NAN);
    }
    let response = response(problem, force);
    let mut worst = Worst::default();
    let mut square = 0.0;
    let contacts = force.chunks_exact(d).zip(response.chunks_exact(d)).zip(problem.friction());
    for ((r, u), &mu) in contacts {
        let slip = norm(&u[1..]);
        let mut heading = [0.0; 3];
        (0..d).for_each(|k| heading[k] = r[k] - u[k]);
        heading[0] -= mu * slip;
        project(&mut heading[..d], mu);
        square += (0..d).map(|k| (r[k] - heading[k]).powi(2)).sum::<f64>();
        worst.meet(r, u, mu, slip);
    }
    worst.certificate(problem, force, &response, square.sqrt())
}

/// `u = W r + q`, to the last digit.
fn response(problem: &MatrixProblem, force: &[f64]) -> Vec<f64> {
    let d = problem.dimension();
    let mut response = Vec::with_capacity(problem.len());
    for i in 0..problem.contacts() {
        let mut u = [Dd::default(); 3];
        for (j, block) in problem.block_row(i) {
            for (u, row) in u.iter_mut().zip(block.chunks_exact(d)) {
                for (w, r) in row.iter().zip(&force[j * d..]) {
                    *u = *u + Dd::from(*w) * Dd::from(*r);
                }
            }
        }
        let q = &problem.q()[i * d..(i + 1) * d];
        response.extend(q.iter().zip(u).map(|(q, u)| (u + Dd::from(*q)).value()));
    }
    response
}

/// Onto the cone `|t| ≤ μ n`.
fn project(x: &mut [f64], mu: f64) {
    let (normal, tangent) = (x[0], norm(&x[1..]));
    if mu * tangent <= -normal {
        x.fill(0.0);
    } else if tangent > mu * normal {
        x[0] = (mu * tangent + normal) / (1.0 + mu * mu);
        let factor = mu * x[0] / tangent;
        x[1..].iter_mut().for_each(|t| *t *= factor);
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The worst of every part so far.
#[derive(Default)]
struct Worst {
    negative_force: f64,
    penetration: f64,
    complementarity: f64,
    cone: f64,
    alignment: f64,
}

impl Worst {
    fn meet(&mut self, r: &[f64], u: &[f64], mu: f64, slip: f64) {
        self.negative_force = self.negative_force.max(-r[0]);
        self.penetration = self.penetration.max(-u[0]);
        self.complementarity = self.complementarity.max((r[0] * u[0]).abs());
        self.cone = self.cone.max(norm(&r[1..]) - mu * r[0].max(0.0));
        let against = r[1..].iter().zip(&u[1..]).map(|(r_t, u_t)| slip * r_t + mu * r[0] * u_t);
        let square: f64 = against.map(|x| x * x).sum();
        self.alignment = self.alignment.max(square.sqrt());
    }

    fn certificate(
        self,
        problem: &MatrixProblem,
        force: &[f64],
        response: &[f64],
        natural_map: f64,
    ) -> MatrixCertificate {
        let size = norm(problem.q()).max(norm(force)).max(norm(response)).max(TINY);
        let largest = |x: &[f64]| x.iter().fold(TINY, |m, x| m.max(x.abs()));
        let (r, u) = (largest(force), largest(problem.q()).max(largest(response)));
        MatrixCertificate {
            certified: natural_map / size <= MATRIX_CERTIFIED,
            natural_map,
            relative: natural_map / size,
            negative_force: self.negative_force / r,
            penetration: self.penetration / u,
            complementarity: self.complementarity / r / u,
            cone: self.cone / r,
            alignment: self.alignment / r / u,
        }
    }
}

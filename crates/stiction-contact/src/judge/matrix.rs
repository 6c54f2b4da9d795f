//! Checks answers to problems given by a matrix, without bodies.
//!
//! Without bodies only the relative free motion `q` is known, not that of each body. The scale
//! of a contact is
//!
//! ```text
//!   U = |q_i| + min(Σ_j |W_ij r_j|, √w_i max_j |q_j|/√w_j) + κ (|q_i| + Σ_j |W_ij r_j|)
//! ```
//!
//! with `w` the mean diagonal of each own block: the effect of forces there, limited by what
//! the free motion of the connected contacts can explain. The relative residual does not change
//! when `W` is scaled, as a whole or contact by contact (`W → D W D`, `q → D q`, `r → D⁻¹ r`).
//! The laws are those of `judge/laws.rs`.
//!
//! Also reported is the measure common among projects that exchange such problems, the *natural
//! map* `|r − P(r − û)|` over all contacts relative to the largest of `|q|`, `|r|`, `|u|`. It
//! mixes units of force and response and certifies nothing.

use super::laws::ContactState;
use super::response::ContactResponse;
use super::scale::Scale;
use crate::double::Dd;
use crate::forces::ContactForce;
use crate::matrix::MatrixProblem;
use crate::problem::{Contact, Friction};
use glam::DVec3;
use serde::Serialize;

/// Largest relative residual of a certified answer, the same as with bodies.
pub const MATRIX_CERTIFIED: f64 = super::CERTIFIED;

/// Added to divisors so that quotients stay finite when everything is zero.
const TINY: f64 = 1e-300;

/// The judge's verdict on an answer to a [`MatrixProblem`]. The single measures are relative to
/// the largest force, the largest response, or both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MatrixCertificate {
    /// Whether the relative residual is at most [`MATRIX_CERTIFIED`].
    pub certified: bool,
    /// Largest distance from the laws relative to the scale of each contact.
    pub relative: f64,
    /// `|r − P(r − û)|`
    pub natural_map: f64,
    /// The same relative to `max(|q|, |r|, |u|)`.
    pub natural_map_relative: f64,
    /// Most negative normal force.
    pub negative_force: f64,
    /// Most negative normal response.
    pub penetration: f64,
    /// Largest `|r_n u_n|`.
    pub complementarity: f64,
    /// Largest friction beyond the cone.
    pub cone: f64,
    /// Largest `| |u_t| r_t + μ r_n u_t |`: friction that is not against the slip.
    pub alignment: f64,
}

/// Judges forces from any source; recomputes the response in double-double arithmetic.
pub fn judge_matrix(problem: &MatrixProblem, force: &[f64]) -> MatrixCertificate {
    let d = problem.dimension();
    if force.len() != problem.len() {
        return Worst::default().certificate(problem, force, &[], f64::NAN);
    }
    let response = response(problem, force);
    let scales = scales(problem, force);
    let mut worst = Worst::default();
    let mut square = 0.0;
    let contacts = force.chunks_exact(d).zip(response.chunks_exact(d));
    let given = problem.friction().iter().zip(scales);
    for ((r, u), (&mu, scale)) in contacts.zip(given) {
        let slip = norm(&u[1..]);
        let mut heading = [0.0; 3];
        (0..d).for_each(|k| heading[k] = r[k] - u[k]);
        heading[0] -= mu * slip;
        project(&mut heading[..d], mu);
        square += (0..d).map(|k| (r[k] - heading[k]).powi(2)).sum::<f64>();
        worst.meet(r, u, mu, slip);
        worst.see(state(r, u, mu, scale).error().dissipation);
    }
    worst.certificate(problem, force, &response, square.sqrt())
}

/// A contact with its force and response, normal component first.
fn state(r: &[f64], u: &[f64], mu: f64, scale: Scale) -> ContactState {
    let tangent = |x: &[f64]| DVec3::new(0.0, x[1], x.get(2).copied().unwrap_or(0.0));
    let law = Friction::coulomb(mu);
    let contact = Contact::new(0, None, [0.0; 3], [1.0, 0.0, 0.0], law);
    let force = ContactForce { normal: r[0], friction: tangent(r).to_array() };
    let response = ContactResponse { normal: u[0], tangential: tangent(u) };
    ContactState::new(&contact, &force, &response, scale)
}

/// The scale of every contact.
fn scales(problem: &MatrixProblem, force: &[f64]) -> Vec<Scale> {
    let (d, count) = (problem.dimension(), problem.contacts());
    let islands = islands(problem);
    let (mut mobility, mut transmitted) = (vec![0.0; count], vec![0.0; count]);
    let mut normal = vec![0.0; count];
    for i in 0..count {
        for (j, block) in problem.block_row(i) {
            let r = &force[j * d..(j + 1) * d];
            let product = |row: &[f64]| row.iter().zip(r).map(|(w, r)| w * r).sum::<f64>();
            let terms: Vec<f64> = block.chunks_exact(d).map(product).collect();
            transmitted[i] += norm(&terms);
            if i == j {
                mobility[i] = (0..d).map(|k| block[k * (d + 1)]).sum::<f64>().abs() / d as f64;
                normal[i] = block[0];
            }
        }
    }
    let q = |i: usize| &problem.q()[i * d..(i + 1) * d];
    // Largest free motion of each island, weighted so that units of contacts cancel.
    let mut largest = vec![0.0_f64; count];
    for i in 0..count {
        let size = norm(q(i)) / mobility[i].sqrt();
        largest[islands[i]] = largest[islands[i]].max(if mobility[i] > 0.0 { size } else { 0.0 });
    }
    let scale = |i: usize| {
        let explained = transmitted[i].min(mobility[i].sqrt() * largest[islands[i]]);
        let response = q(i)[0].abs() + explained;
        let slip = norm(q(i)) + explained;
        let own = if normal[i] > 0.0 { normal[i] } else { mobility[i] };
        let force = if own > 0.0 { response / own } else { 0.0 };
        let friction = if mobility[i] > 0.0 { force.min(slip / mobility[i]) } else { force };
        Scale { response, slip, force, friction, terms: norm(q(i)) + transmitted[i] }
    };
    (0..count).map(scale).collect()
}

/// For every contact the smallest index of a contact connected to it by blocks of `W`.
fn islands(problem: &MatrixProblem) -> Vec<usize> {
    let mut of: Vec<usize> = (0..problem.contacts()).collect();
    let root = |of: &mut Vec<usize>, mut i: usize| {
        while of[i] != i {
            of[i] = of[of[i]];
            i = of[i];
        }
        i
    };
    for i in 0..of.len() {
        for (j, block) in problem.block_row(i) {
            if block.iter().any(|&w| w != 0.0) {
                let (a, b) = (root(&mut of, i), root(&mut of, j));
                of[a.max(b)] = a.min(b);
            }
        }
    }
    (0..of.len()).map(|i| root(&mut of, i)).collect()
}

/// `u = W r + q` in double-double arithmetic.
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

/// Projects onto the cone `|t| ≤ μ n`.
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

/// The largest value of every measure so far.
#[derive(Default)]
struct Worst {
    relative: f64,
    negative_force: f64,
    penetration: f64,
    complementarity: f64,
    cone: f64,
    alignment: f64,
}

impl Worst {
    /// A value that is not a number counts as the worst.
    fn see(&mut self, error: f64) {
        self.relative = self.relative.max(if error.is_finite() { error } else { f64::MAX });
    }

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
        let relative = if natural_map.is_finite() { self.relative } else { f64::MAX };
        MatrixCertificate {
            certified: relative <= MATRIX_CERTIFIED,
            relative,
            natural_map,
            natural_map_relative: natural_map / size,
            negative_force: self.negative_force / r,
            penetration: self.penetration / u,
            complementarity: self.complementarity / r / u,
            cone: self.cone / r,
            alignment: self.alignment / r / u,
        }
    }
}

//! Checks answers to problems given by a matrix, without bodies.
//!
//! Without bodies only the relative free motion `q` is known, not that of each body. The scale
//! of a contact is
//!
//! ```text
//!   U = |q_i| + min(Σ_j |W_ij r_j|, √w_i max_j |q_j|/√w_j, √w_i (rᵀ W r)^½)
//! ```
//!
//! with `w` the mean diagonal of each own block: the effect of forces there, limited by what
//! the free motion of the connected contacts can explain, and by what all forces do together (Cauchy
//! and Schwarz, over the connected contacts): forces that only squeeze do not count. The relative residual does not change
//! when `W` is scaled, as a whole or contact by contact (`W → D W D`, `q → D q`, `r → D⁻¹ r`).
//! The laws are those of `judge/laws.rs`.
//!
//! The measure of those who exchange such problems, the *natural map* `|r − P(r − û)|` over all
//! contacts relative to the largest of `|q|`, `|r|`, `|u|`, is given beside it ([`Exchange`]).

use super::laws::ContactState;
use super::response::{ContactResponse, Response};
use super::scale::{Scale, Scales};
use super::{Certificate, Evaluation, certify, conclude};
use crate::answer::{Answer, Candidate, Found};
use crate::cone;
use crate::double::Dd;
use crate::forces::ContactForce;
use crate::matrix::MatrixProblem;
use crate::problem::{Contact, Friction, Level};
use crate::union_find::UnionFind;
use glam::DVec3;
use serde::Serialize;

/// Keeps quotients finite when everything is zero.
const TINY: f64 = 1e-300;

/// The measures of those who exchange such problems. Parts are relative to the largest force,
/// the largest response, or both. They mix units of force and response and certify nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Exchange {
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

/// Judges forces on a problem without bodies: `r` as in the files, per contact normal first.
/// The response is recomputed in double-double arithmetic.
pub fn judge_matrix(problem: &MatrixProblem, force: &[f64]) -> Certificate {
    evaluate(problem, force).0
}

/// Makes an answer of what a solver found for a problem without bodies.
///
/// The contacts of its forces and responses are in their own axes, the normal first.
pub fn answer_matrix(
    problem: &MatrixProblem,
    candidate: Candidate,
    requested: &'static str,
    approximates: bool,
) -> Answer {
    let (Found::Forces(forces) | Found::Ray(forces)) = &candidate.found;
    let (certificate, response) = evaluate(problem, &problem.flat(forces));
    conclude(candidate, response, certificate, requested, approximates)
}

fn evaluate(problem: &MatrixProblem, force: &[f64]) -> (Certificate, Response) {
    let level = Level::Velocity;
    let fits = force.len() == problem.len() && force.iter().all(|x| x.is_finite());
    if !fits {
        let reason = "the forces do not fit the problem, or are not finite";
        return (Certificate::refused_at(level, 0.0, reason.into()), Response::default());
    }
    let d = problem.dimension();
    let effect = effect(problem, force);
    let both = problem.q().iter().zip(&effect);
    let response: Vec<f64> = both.map(|(q, e)| (*e + Dd::from(*q)).value()).collect();
    let contacts = force.chunks_exact(d).zip(response.chunks_exact(d));
    let given = problem.friction().iter().zip(scales(problem, force, &effect));
    let states: Vec<ContactState> =
        contacts.zip(given).map(|((r, u), (&mu, scale))| state(r, u, mu, scale)).collect();
    let scales = Scales::of_contacts(states.iter().map(|state| state.scale).collect());
    let exchange = exchange(problem, force, &response);
    let at = |s: &ContactState| ContactResponse { normal: s.normal_response, tangential: s.slip };
    let contacts = states.iter().map(at).collect();
    let response = Response { contacts, ..Response::default() };
    let evaluation = Evaluation { response, states, scales, bounded: Vec::new() };
    let certificate = certify(&evaluation, level, 0.0);
    (Certificate { exchange: Some(exchange), ..certificate }, evaluation.response)
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
fn scales(problem: &MatrixProblem, force: &[f64], effect: &[Dd]) -> Vec<Scale> {
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
    // rᵀ W r, where what cancels must leave nothing.
    let mut together = vec![Dd::default(); count];
    for (k, (&e, &r)) in effect.iter().zip(force).enumerate() {
        let island = islands[k / d];
        together[island] = together[island] + e * r;
    }
    let together: Vec<f64> = together.into_iter().map(energy_root).collect();
    let scale = |i: usize| {
        let motion = largest[islands[i]].min(together[islands[i]]);
        let explained = transmitted[i].min(mobility[i].sqrt() * motion);
        let response = q(i)[0].abs() + explained;
        let slip = norm(q(i)) + explained;
        let own = if normal[i] > 0.0 { normal[i] } else { mobility[i] };
        let force = if own > 0.0 { response / own } else { 0.0 };
        let friction = if mobility[i] > 0.0 { force.min(slip / mobility[i]) } else { force };
        Scale { response, slip, force, friction, terms: norm(q(i)) + transmitted[i], rounding: 0.0 }
    };
    (0..count).map(scale).collect()
}

/// For every contact the smallest index of a contact connected to it by blocks of `W`.
fn islands(problem: &MatrixProblem) -> Vec<usize> {
    let mut sets = UnionFind::new(problem.contacts());
    for i in 0..problem.contacts() {
        for (j, block) in problem.block_row(i) {
            if block.iter().any(|&w| w != 0.0) {
                sets.join(i, j);
            }
        }
    }
    sets.roots()
}

/// The root of an energy. Rounding may leave less than nothing; what is not a number bounds
/// nothing.
fn energy_root(energy: Dd) -> f64 {
    let energy = energy.value();
    if energy.is_nan() { f64::INFINITY } else { energy.max(0.0).sqrt() }
}

/// `W r` in double-double arithmetic.
fn effect(problem: &MatrixProblem, force: &[f64]) -> Vec<Dd> {
    let d = problem.dimension();
    let mut effect = Vec::with_capacity(problem.len());
    for i in 0..problem.contacts() {
        let mut u = [Dd::default(); 3];
        for (j, block) in problem.block_row(i) {
            for (u, row) in u.iter_mut().zip(block.chunks_exact(d)) {
                for (w, r) in row.iter().zip(&force[j * d..]) {
                    *u = *u + Dd::from(*w) * Dd::from(*r);
                }
            }
        }
        effect.extend_from_slice(&u[..d]);
    }
    effect
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The natural map over all contacts, and the worst of every part.
fn exchange(problem: &MatrixProblem, force: &[f64], response: &[f64]) -> Exchange {
    let d = problem.dimension();
    let mut worst = Exchange {
        natural_map: 0.0,
        natural_map_relative: 0.0,
        negative_force: 0.0,
        penetration: 0.0,
        complementarity: 0.0,
        cone: 0.0,
        alignment: 0.0,
    };
    let contacts = force.chunks_exact(d).zip(response.chunks_exact(d));
    for ((r, u), &mu) in contacts.zip(problem.friction()) {
        let slip = norm(&u[1..]);
        let mut heading = [0.0; 3];
        (0..d).for_each(|k| heading[k] = r[k] - u[k]);
        heading[0] -= mu * slip;
        let lawful = cone::project(mu, heading);
        worst.natural_map += (0..d).map(|k| (r[k] - lawful[k]).powi(2)).sum::<f64>();
        worst.negative_force = worst.negative_force.max(-r[0]);
        worst.penetration = worst.penetration.max(-u[0]);
        worst.complementarity = worst.complementarity.max((r[0] * u[0]).abs());
        worst.cone = worst.cone.max(norm(&r[1..]) - mu * r[0].max(0.0));
        let against = r[1..].iter().zip(&u[1..]).map(|(r_t, u_t)| slip * r_t + mu * r[0] * u_t);
        worst.alignment = worst.alignment.max(against.map(|x| x * x).sum::<f64>().sqrt());
    }
    let size = norm(problem.q()).max(norm(force)).max(norm(response)).max(TINY);
    let largest = |x: &[f64]| x.iter().fold(TINY, |m, x| m.max(x.abs()));
    let (r, u) = (largest(force), largest(problem.q()).max(largest(response)));
    let natural_map = worst.natural_map.sqrt();
    Exchange {
        natural_map,
        natural_map_relative: natural_map / size,
        negative_force: worst.negative_force / r,
        penetration: worst.penetration / u,
        complementarity: worst.complementarity / r / u,
        cone: worst.cone / r,
        alignment: worst.alignment / r / u,
    }
}

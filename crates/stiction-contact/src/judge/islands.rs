//! A bound on the response of a contact in any answer that obeys the laws, from the free motion
//! of its island.
//!
//! Contacts and joints that only resist add no energy. In the mass norm the motion under their
//! forces is at most the free motion, so the response at a contact of mobility `w` is at most
//!
//! ```text
//!   √w (Σ vᵀ M v + Σ s²/m)^½
//! ```
//!
//! over the bodies of the island with their free motion `v`, and over all biases and driven
//! bodies that move with a speed `s` at a contact or row of mobility `m`.

use super::scale::BodySize;
use crate::problem::{ContactProblem, Row};
use glam::DVec3;

pub(super) struct IslandMotion<'a> {
    problem: &'a ContactProblem,
    islands: Vec<usize>,
    /// The square root of twice the energy, by island.
    weighted: Vec<f64>,
}

impl<'a> IslandMotion<'a> {
    pub(super) fn new(problem: &'a ContactProblem, bodies: &[BodySize]) -> Self {
        let islands = problem.island_of_bodies();
        let mut energy = vec![0.0_f64; bodies.len()];
        // A body without contacts and rows bounds nothing.
        let touched = problem.bodies().iter().zip(&islands).zip(bodies);
        for ((body, &island), _) in touched.filter(|(_, size)| size.is_touched()) {
            energy[island] += body.inertia.energy(&body.free_response);
        }
        let mut drive = |a: usize, b: Option<usize>, speed: f64, mobility: f64| {
            if speed > 0.0 && mobility > 0.0 {
                energy[problem.island_of(&islands, a, b)] += speed * speed / mobility;
            }
        };
        for contact in problem.contacts() {
            let pair = [Some(contact.a), contact.b].into_iter().flatten();
            // A fixed body that moves (a conveyor) drives the mass of the other one.
            let driven = pair.clone().filter(|&body| bodies[body].fixed).map(|body| {
                let [v, w] = super::scale::halves(&problem.bodies()[body].free_response);
                (v + w.cross(super::scale::arm(problem, body, contact))).length()
            });
            let speed = DVec3::from_array(contact.bias).length() + driven.sum::<f64>();
            let mobility = pair.map(|body| bodies[body].most.linear / 3.0).sum();
            drive(contact.a, contact.b, speed, mobility);
        }
        let rows = problem.bilateral().iter();
        for row in rows.chain(problem.bounded().iter().map(|bounded| &bounded.row)) {
            let Row { a, on_a, b, on_b, bias } = row;
            let (mut speed, mut mobility) = (bias.abs(), 0.0);
            for (body, on) in [(Some(*a), on_a), (*b, on_b)] {
                let Some(body) = body else { continue };
                if bodies[body].fixed {
                    let free = &problem.bodies()[body].free_response;
                    speed += on.iter().zip(free).map(|(x, v)| (x * v).abs()).sum::<f64>();
                }
                mobility += bodies[body].mobility(on);
            }
            drive(*a, *b, speed, mobility);
        }
        let weighted = energy.into_iter().map(f64::sqrt).collect();
        IslandMotion { problem, islands, weighted }
    }

    /// A sum of terms, limited to the largest motion possible at a contact or row of this
    /// mobility between these bodies; NaN if the energy of the island overflows.
    pub(super) fn limit(&self, terms: f64, (a, b): (usize, Option<usize>), mobility: f64) -> f64 {
        let weighted = self.weighted[self.problem.island_of(&self.islands, a, b)];
        if weighted.is_finite() { terms.min(weighted * mobility.sqrt()) } else { f64::NAN }
    }
}

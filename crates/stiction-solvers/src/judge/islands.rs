//! The free motion of whole islands, for runs.
//!
//! For each body at each of its contacts and rows, `|free response| · √mass`, the largest of the
//! island: the same number in any units, for forces and torques alike. Times the root of the
//! mobility of a contact it is a response.

use crate::problem::{Body, Contact, ContactProblem, Row};
use glam::DVec3;

pub(super) struct IslandMotion<'a> {
    problem: &'a ContactProblem,
    islands: Vec<usize>,
    /// Largest `|free response| · √mass`, by island.
    weighted: Vec<f64>,
}

impl<'a> IslandMotion<'a> {
    pub(super) fn new(problem: &'a ContactProblem) -> Self {
        let islands = problem.island_of_bodies();
        let inverse: Vec<_> = problem.bodies().iter().map(Body::inverse_inertia).collect();
        let mut weighted = vec![0.0_f64; problem.bodies().len()];
        let mut see = |island: usize, speed: f64, mobility: f64| {
            if mobility > 0.0 {
                weighted[island] = weighted[island].max(speed / mobility.sqrt());
            }
        };
        for contact in problem.contacts() {
            let island = problem.island_of(&islands, contact.a, contact.b);
            let bodies = [Some(contact.a), contact.b].into_iter().flatten();
            let at = |body: usize| point_mobility(&inverse[body], arm(problem, body, contact));
            let shared: f64 = bodies.clone().map(at).sum();
            for body in bodies {
                // A fixed body that moves (a conveyor) moves the other one's mass.
                let fixed = problem.bodies()[body].is_fixed();
                let [v, w] = halves(&problem.bodies()[body].free_response);
                let speed = (v + w.cross(arm(problem, body, contact))).length();
                see(island, speed, if fixed { shared } else { at(body) });
            }
            see(island, DVec3::from_array(contact.bias).length(), shared);
        }
        let rows = problem.bilateral().iter();
        for row in rows.chain(problem.bounded().iter().map(|bounded| &bounded.row)) {
            let Row { a, on_a, b, on_b, bias } = row;
            for (body, on) in [(Some(*a), on_a), (*b, on_b)] {
                let Some(body) = body else { continue };
                let free = &problem.bodies()[body].free_response;
                let speed: f64 = on.iter().zip(free).map(|(x, v)| (x * v).abs()).sum();
                let island = problem.island_of(&islands, *a, *b);
                see(island, speed + bias.abs(), quadratic(&inverse[body], on));
            }
        }
        IslandMotion { problem, islands, weighted }
    }

    /// Of the island of a pair of bodies.
    pub(super) fn of(&self, a: usize, b: Option<usize>) -> f64 {
        self.weighted[self.problem.island_of(&self.islands, a, b)]
    }
}

/// `wᵀ M⁻¹ w`
fn quadratic(inverse: &[[f64; 6]; 6], wrench: &[f64; 6]) -> f64 {
    let moved = inverse.iter().map(|row| row.iter().zip(wrench).map(|(m, w)| m * w).sum::<f64>());
    moved.zip(wrench).map(|(v, w)| v * w).sum()
}

/// Mean response of a body to unit forces at a point.
fn point_mobility(inverse: &[[f64; 6]; 6], arm: DVec3) -> f64 {
    let along = |axis: DVec3| {
        let torque = arm.cross(axis);
        quadratic(inverse, &[axis.x, axis.y, axis.z, torque.x, torque.y, torque.z])
    };
    DVec3::AXES.into_iter().map(along).sum::<f64>() / 3.0
}

fn arm(problem: &ContactProblem, body: usize, contact: &Contact) -> DVec3 {
    DVec3::from_array(contact.point) - DVec3::from_array(problem.bodies()[body].position)
}

fn halves(six: &[f64; 6]) -> [DVec3; 2] {
    [DVec3::from_slice(&six[..3]), DVec3::from_slice(&six[3..])]
}

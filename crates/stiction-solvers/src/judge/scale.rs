//! What a residual is compared with: masses and free motion, island by island.
//!
//! For each body at each of its contacts, `|free response at the point|` times
//! the body's effective mass there is the force that would stop it. Two powers
//! of mass meet in a contact between a feather and an anvil, so residuals are
//! weighted by `1/√mass` and compared with the largest `|free response|·√mass`
//! of the island: the same number in any units, for forces and torques alike.

use crate::problem::{Body, Contact, ContactProblem, Row};
use glam::{DMat3, DVec3};

pub(super) struct Scale {
    /// Largest `|free response| · √mass`, by island.
    weighted: Vec<f64>,
    contacts: Vec<usize>,
    bilateral: Vec<usize>,
    bounded: Vec<usize>,
    /// Largest `|free response| · mass` of all.
    pub force: f64,
}

impl Scale {
    pub(super) fn new(problem: &ContactProblem) -> Self {
        let islands = problem.island_of_bodies();
        let of = |a: usize, b: Option<usize>| problem.island_of(&islands, a, b);
        let contacts: Vec<usize> = problem.contacts().iter().map(|c| of(c.a, c.b)).collect();
        let bilateral: Vec<usize> = problem.bilateral().iter().map(|r| of(r.a, r.b)).collect();
        let bounded: Vec<usize> = problem.bounded().iter().map(|r| of(r.row.a, r.row.b)).collect();

        let mut weighted = vec![0.0_f64; problem.bodies().len()];
        let mut force = 0.0_f64;
        let mut see = |island: usize, speed: f64, inverse_mass: f64| {
            if inverse_mass > 0.0 {
                weighted[island] = weighted[island].max(speed / inverse_mass.sqrt());
                force = force.max(speed / inverse_mass);
            }
        };
        for (contact, &island) in problem.contacts().iter().zip(&contacts) {
            let shared = inverse_mass_at(problem, contact);
            for body in [Some(contact.a), contact.b].into_iter().flatten() {
                let body = &problem.bodies()[body];
                // A fixed body that moves (a conveyor) moves the other one's mass.
                let inverse =
                    if body.is_fixed() { shared } else { point_inverse_mass(body, contact) };
                see(island, free_speed(body, contact), trace(&inverse) / 3.0);
            }
            let bias = DVec3::from_array(contact.bias).length();
            see(island, bias, trace(&shared) / 3.0);
        }
        let rows = problem.bilateral().iter().zip(&bilateral);
        let bounds = problem.bounded().iter().map(|b| &b.row).zip(&bounded);
        for (row, &island) in rows.chain(bounds) {
            let Row { a, on_a, b, on_b, bias } = row;
            for (body, on) in [(Some(*a), on_a), (*b, on_b)] {
                let Some(body) = body else { continue };
                let body = &problem.bodies()[body];
                let speed: f64 =
                    on.iter().zip(&body.free_response).map(|(x, v)| (x * v).abs()).sum();
                let product = |i: usize| {
                    let moved = |j: usize| body.inverse_inertia[i][j] * on[j];
                    on[i] * (0..6).map(moved).sum::<f64>()
                };
                see(island, speed + bias.abs(), (0..6).map(product).sum());
            }
        }
        Scale { weighted, contacts, bilateral, bounded, force }
    }

    pub(super) fn of_contact(&self, i: usize) -> f64 {
        self.weighted[self.contacts[i]]
    }

    pub(super) fn of_bilateral(&self, i: usize) -> f64 {
        self.weighted[self.bilateral[i]]
    }

    pub(super) fn of_bounded(&self, i: usize) -> f64 {
        self.weighted[self.bounded[i]]
    }
}

fn trace(m: &DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

fn arm(body: &Body, contact: &Contact) -> DVec3 {
    DVec3::from_array(contact.point) - DVec3::from_array(body.position)
}

fn free_speed(body: &Body, contact: &Contact) -> f64 {
    let v = DVec3::from_slice(&body.free_response[..3]);
    let w = DVec3::from_slice(&body.free_response[3..]);
    (v + w.cross(arm(body, contact))).length()
}

/// How a body answers a unit force at a contact: 3×3.
fn point_inverse_mass(body: &Body, contact: &Contact) -> DMat3 {
    let arm = arm(body, contact);
    DMat3::from_cols_array_2d(&DVec3::AXES.map(|axis| {
        let torque = arm.cross(axis);
        let wrench = [axis.x, axis.y, axis.z, torque.x, torque.y, torque.z];
        let moved: [f64; 6] = std::array::from_fn(|i| {
            body.inverse_inertia[i].iter().zip(&wrench).map(|(m, w)| m * w).sum()
        });
        let spin = DVec3::from_slice(&moved[3..]);
        (DVec3::from_slice(&moved[..3]) + spin.cross(arm)).to_array()
    }))
}

/// How both bodies of a contact answer a unit force there: 3×3.
pub(super) fn inverse_mass_at(problem: &ContactProblem, contact: &Contact) -> DMat3 {
    let of = |body: usize| point_inverse_mass(&problem.bodies()[body], contact);
    contact.b.map_or_else(|| of(contact.a), |b| of(contact.a) + of(b))
}

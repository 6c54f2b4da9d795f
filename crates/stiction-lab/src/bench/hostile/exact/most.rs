//! An upper bound of the motion that lawful forces cause at a place, by the energy of its island.
//!
//! Passive contacts and joints add no energy, so a place of mobility `w` moves with
//!
//! ```text
//!   at most √w (Σ vᵀ M v + Σ s²/m)^½
//! ```
//!
//! over the bodies connected with it, `v` their free motion, and over the drives among them, each with
//! a speed `s` at a place of mobility `m`.

use super::super::number::{Real, dot, length, values};
use super::Exact;
use super::parts::{Body, Six};

/// Twice the energy of every island.
pub struct Most {
    /// For every body the representative of its island.
    of: Vec<usize>,
    energy: Vec<f64>,
}

impl Most {
    pub fn new(exact: &Exact) -> Self {
        let mut of: Vec<usize> = (0..exact.bodies.len()).collect();
        let pairs =
            exact.contacts.iter().map(|c| c.bodies).chain(exact.rows.iter().map(|r| r.bodies));
        for pair in pairs.clone() {
            if let [Some(a), Some(b)] = pair.map(|body| body.filter(|&b| exact.moves(b))) {
                let (from, to) = (of[a].max(of[b]), of[a].min(of[b]));
                of.iter_mut().filter(|x| **x == from).for_each(|x| *x = to);
            }
        }
        let mut most = Most { energy: vec![0.0; of.len()], of };
        for (i, body) in exact.bodies.iter().enumerate() {
            most.energy[most.of[i]] += energy(body);
        }
        let driven = |bodies: &[Option<usize>; 2], side: usize| {
            bodies[side].filter(|&body| !exact.moves(body))
        };
        for contact in &exact.contacts {
            let mut speed = length(&values(&contact.bias));
            for side in 0..2 {
                let body = driven(&contact.bodies, side).map(|body| &exact.bodies[body]);
                speed +=
                    body.map_or(0.0, |body| length(&values(&contact.at_point(side, &body.free))));
            }
            let moving = contact.bodies.iter().flatten().map(|&body| exact.bodies[body].linear());
            most.add(&contact.bodies, exact, speed, moving.sum());
        }
        for row in &exact.rows {
            let mut speed = row.bias.value().abs();
            let mut mobility = 0.0;
            for side in 0..2 {
                let Some(body) = row.bodies[side] else { continue };
                mobility += dot(&exact.bodies[body].response(&row.on[side]), &row.on[side]).value();
                if driven(&row.bodies, side).is_some() {
                    let terms = row.on[side].iter().zip(&exact.bodies[body].free);
                    speed += terms.map(|(x, v)| (x * v).value().abs()).sum::<f64>();
                }
            }
            most.add(&row.bodies, exact, speed, mobility);
        }
        most
    }

    fn add(&mut self, pair: &[Option<usize>; 2], exact: &Exact, speed: f64, mobility: f64) {
        if let Some(body) = pair.iter().flatten().find(|&&body| exact.moves(body))
            && mobility > 0.0
        {
            self.energy[self.of[*body]] += speed * speed / mobility;
        }
    }

    /// Largest speed of a place of this mobility between these bodies.
    pub fn at(&self, pair: &[Option<usize>; 2], exact: &Exact, mobility: f64) -> f64 {
        let body = pair.iter().flatten().find(|&&body| exact.moves(body));
        body.map_or(0.0, |&body| (self.energy[self.of[body]] * mobility).sqrt())
    }
}

/// `vᵀ M v` of a body: `vᵀ x` with `M⁻¹ x = v` by elimination. Directions in which no force moves
/// it do not count.
fn energy(body: &Body) -> f64 {
    let mut a: [Six; 6] = std::array::from_fn(|_| [0.0; 6].map(Real::new));
    for (i, j, entry) in &body.inverse {
        a[*i][*j] = entry.clone();
    }
    let mut right = body.free.clone();
    // Eliminated symmetrically: vᵀ M v = Σ (pivot row's rest)² / pivot.
    let mut total = Real::zero();
    for k in 0..6 {
        if a[k][k].value() <= 0.0 {
            continue;
        }
        let (pivot, rest) = (a[k].clone(), right[k].clone());
        total = &total + &(&(&rest * &rest) / &pivot[k]);
        for i in k + 1..6 {
            let factor = &a[i][k] / &pivot[k];
            for j in k..6 {
                a[i][j] = &a[i][j] - &(&factor * &pivot[j]);
            }
            right[i] = &right[i] - &(&factor * &rest);
        }
    }
    total.value()
}

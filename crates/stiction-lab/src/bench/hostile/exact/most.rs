//! An upper bound of the motion that lawful forces cause at a place, by the energy of its island.
//!
//! Passive contacts and joints add no energy, so a place of mobility `w` moves with
//!
//! ```text
//!   at most √(w E),   E = min(Σ vᵀ M v, Σ cᵀ M c) + Σ min(s²/m, max(0, −f s))
//! ```
//!
//! over the bodies connected with it, `v` their free motion and `c` the motion that all forces
//! together cause, and over the drives among them, each with a speed `s` at a place of mobility `m`
//! and a force `f`.

use super::super::number::{Real, dot, length, sum, values};
use super::parts::{Body, Six, total};
use super::{Exact, Pushes};
use stiction_solvers::Forces;

/// The bound `E` of every island.
pub struct Most {
    /// For every body the representative of its island.
    of: Vec<usize>,
    energy: Vec<f64>,
}

impl Most {
    pub(super) fn new(exact: &Exact, forces: &Forces, pushes: &[Pushes]) -> Self {
        let mut of: Vec<usize> = (0..exact.bodies.len()).collect();
        let pairs =
            exact.contacts.iter().map(|c| c.bodies).chain(exact.rows.iter().map(|r| r.bodies));
        for pair in pairs.clone() {
            if let [Some(a), Some(b)] = pair.map(|body| body.filter(|&b| exact.moves(b))) {
                let (from, to) = (of[a].max(of[b]), of[a].min(of[b]));
                of.iter_mut().filter(|x| **x == from).for_each(|x| *x = to);
            }
        }
        let (mut before, mut changed) = (vec![0.0; of.len()], vec![0.0; of.len()]);
        for (i, push) in pushes.iter().enumerate() {
            before[of[i]] += exact.energy[i];
            changed[of[i]] += push.energy;
        }
        let energy = before.into_iter().zip(changed).map(|(x, y): (f64, f64)| x.min(y)).collect();
        let mut most = Most { of, energy };
        for (contact, force) in exact.contacts.iter().zip(&forces.contacts) {
            let none = [0.0; 6].map(Real::new);
            let driven = |body: usize| {
                if exact.moves(body) { &none } else { &exact.bodies[body].free }
            };
            let speed = sum(&contact.relative(driven), &contact.bias);
            let force = total(contact, force.normal, &force.friction);
            let moving = contact.bodies.iter().flatten().map(|&body| exact.bodies[body].linear());
            let power = -dot(&force, &speed).value();
            most.add(&contact.bodies, exact, length(&values(&speed)), power, moving.sum());
        }
        for (row, force) in exact.rows.iter().zip(forces.bilateral.iter().chain(&forces.bounded)) {
            let mut speed = row.bias.clone();
            let mut mobility = 0.0;
            for side in 0..2 {
                let Some(body) = row.bodies[side] else { continue };
                mobility += dot(&exact.bodies[body].response(&row.on[side]), &row.on[side]).value();
                if !exact.moves(body) {
                    speed = &speed + &dot(&row.on[side], &exact.bodies[body].free);
                }
            }
            let power = -(&speed * &Real::new(*force)).value();
            most.add(&row.bodies, exact, speed.value().abs(), power, mobility);
        }
        most
    }

    fn add(
        &mut self,
        pair: &[Option<usize>; 2],
        exact: &Exact,
        speed: f64,
        power: f64,
        mobility: f64,
    ) {
        if let Some(body) = pair.iter().flatten().find(|&&body| exact.moves(body))
            && mobility > 0.0
            && power > 0.0
        {
            self.energy[self.of[*body]] += (speed * speed / mobility).min(power);
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
pub fn energy(body: &Body) -> f64 {
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

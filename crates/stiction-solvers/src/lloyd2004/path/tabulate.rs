//! Values and rates of all basic variables, from the solution of the reduced
//! system \[L04, eq. 36, 38 and 41\].

use super::Path;
use crate::lloyd2004::pyramid::Quad;
use crate::lloyd2004::state::{Basis, NO, Variable};
use crate::lloyd2004::system::NONE;

impl Path<'_> {
    /// Responses of the contacts to the motion of the bodies.
    #[inline(always)]
    pub(super) fn respond(&mut self) {
        let motion = &self.basis.system.motion[..];
        let still = self.basis.pyramid.still;
        for (block, response) in self.basis.pyramid.blocks.iter().zip(&mut self.response) {
            let mut u = [block.bias, [0.0; 4]];
            for (across, &body) in block.across.iter().zip(&block.bodies) {
                if body != still {
                    let [v, dv] = &motion[body as usize];
                    for k in 0..6 {
                        u = [plus(u[0], &across[k], v[k]), plus(u[1], &across[k], dv[k])];
                    }
                }
            }
            *response = u;
        }
    }

    /// Fills the table of basic variables.
    #[inline(always)]
    pub(super) fn tabulate(&mut self) {
        let Basis { contacts, frictional, system, covers, .. } = &self.basis;
        let table = &mut self.table;
        let (z, dz) = (system.value[0], system.rate[0]);
        table.cover = [z, dz];
        table.frictional = frictional.len();
        for (i, (contact, [u, du])) in contacts.iter().zip(&self.response).enumerate() {
            let [value, rate] = if contact.theta == NONE {
                [u[0] + covers.normal * z, du[0] + covers.normal * dz]
            } else {
                let s = contact.theta as usize;
                [system.value[s], system.rate[s]]
            };
            table.normal.value[i] = value;
            table.normal.rate[i] = rate;
        }
        if let Variable::Normal(i) = self.driving.0 {
            table.normal.rate[i as usize] = 0.0;
        }
        for place in 0..self.basis.frictional.len() {
            self.tabulate_friction(place);
        }
        self.table.close(self.basis.contacts.len());
    }

    /// The unused part of the friction cone of a contact: γ, or `φ_x` in its place, `μ θ − Σ φ
    /// + c z₀`.
    #[inline(always)]
    fn left_of_cone(&self, i: u32) -> [f64; 2] {
        let Basis { pyramid, contacts, system, covers, .. } = &self.basis;
        let contact = &contacts[i as usize];
        let friction = pyramid.blocks[i as usize].friction;
        let mut left = [covers.limit * system.value[0], covers.limit * system.rate[0]];
        if contact.theta != NONE {
            left[0] += friction * system.value[contact.theta as usize];
            left[1] += friction * system.rate[contact.theta as usize];
        }
        for &slot in &contact.slots[..contact.kappas] {
            left[0] -= system.value[slot as usize];
            left[1] -= system.rate[slot as usize];
        }
        match self.driving {
            (Variable::Normal(c), true) if c == i => left[1] += friction,
            (Variable::Direction(c, _), true) if c == i => left[1] -= 1.0,
            _ => {}
        }
        left
    }

    /// λ or γ, and φ or σ, of one contact with friction.
    #[inline(always)]
    fn tabulate_friction(&mut self, place: usize) {
        let i = self.basis.frictional[place];
        let left = self.left_of_cone(i);
        let Basis { pyramid, contacts, system, covers, .. } = &self.basis;
        let contact = &contacts[i as usize];
        let [u, du] = &self.response[i as usize];
        let fan = pyramid.fan(i as usize);
        let (driving, is_z) = self.driving;
        // λ and with it every σ: d_j·u + λ + c z₀
        let cover = [covers.direction * system.value[0], covers.direction * system.rate[0]];
        let mut slip = [0.0, f64::from(u8::from(is_z && driving == Variable::Limit(i)))];
        let mut limit = left;
        if contact.slides != NO {
            let [x, y] = [fan.cos[contact.slides as usize], fan.sin[contact.slides as usize]];
            slip = [-(x * u[1] + y * u[2]) - cover[0], -(x * du[1] + y * du[2]) - cover[1]];
            limit = slip;
        }
        let shift = [slip[0] + cover[0], slip[1] + cover[1]];
        let stride = pyramid.stride;
        let from = place * stride;
        let values = &mut self.table.direction.value[from..from + stride];
        let rates = &mut self.table.direction.rate[from..from + stride];
        let (cos, sin) = (&fan.cos[..stride], &fan.sin[..stride]);
        for j in 0..stride {
            values[j] = cos[j] * u[1] + sin[j] * u[2] + shift[0];
            rates[j] = cos[j] * du[1] + sin[j] * du[2] + shift[1];
        }
        rates[fan.count..].fill(0.0);
        // Where φ is basic, σ is not.
        for k in 0..contact.kappas {
            let s = contact.slots[k] as usize;
            values[contact.kappa[k] as usize] = system.value[s];
            rates[contact.kappa[k] as usize] = system.rate[s];
        }
        if contact.slides != NO {
            values[contact.slides as usize] = left[0];
            rates[contact.slides as usize] = left[1];
        }
        // Of the driving pair neither is basic.
        match driving {
            Variable::Direction(c, j) if c == i => rates[j as usize] = 0.0,
            Variable::Limit(c) if c == i => limit[1] = 0.0,
            _ => {}
        }
        self.table.limit.value[place] = limit[0];
        self.table.limit.rate[place] = limit[1];
    }
}

/// `x + factor y`
#[inline(always)]
fn plus(x: Quad, y: &Quad, factor: f64) -> Quad {
    std::array::from_fn(|l| x[l] + factor * y[l])
}

//! Which variables of each contact are basic, and the slots assigned to them.

use super::pyramid::Pyramid;
use super::system::{Drive, NONE, Slot, System};
use crate::rows::Pair;

/// Most friction components of a contact that can be basic besides `φ_x`: two by appendix B,
/// more only by rounding.
pub(super) const KAPPAS: usize = 4;

/// No direction.
pub(super) const NO: u16 = u16::MAX;

/// A complementary pair of the contact problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    /// θ_i and ν_i.
    Normal(u32),
    /// λ_i and γ_i.
    Limit(u32),
    /// φ_ij and σ_ij.
    Direction(u32, u16),
    /// z₀.
    Cover,
}

/// Basic variables of one contact.
#[derive(Clone, Copy)]
pub(super) struct Contact {
    /// Slot of θ.
    pub theta: u32,
    /// The direction of `φ_x`: λ is basic exactly when there is one.
    pub slides: u16,
    /// Directions of `φ_κ`.
    pub kappa: [u16; KAPPAS],
    /// Their slots.
    pub slots: [u32; KAPPAS],
    pub kappas: usize,
    /// Index among the contacts with friction variables.
    pub place: u32,
}

impl Contact {
    /// A contact without basic variables.
    pub(super) const OPEN: Contact = Contact {
        theta: NONE,
        slides: NO,
        kappa: [NO; KAPPAS],
        slots: [NONE; KAPPAS],
        kappas: 0,
        place: NONE,
    };

    pub(super) fn find(&self, j: u16) -> Option<usize> {
        self.kappa[..self.kappas].iter().position(|&k| k == j)
    }
}

/// The basis is invalid, by rounding: it has more basic variables than possible.
pub(super) struct InvalidBasis;

/// Entries of the covering vector for ν, σ and γ.
#[derive(Clone, Copy)]
pub(super) struct Covers {
    pub normal: f64,
    pub direction: f64,
    pub limit: f64,
}

/// The basis: contacts and the reduced system they form.
pub(super) struct Basis<'a> {
    pub pyramid: &'a Pyramid,
    pub contacts: Vec<Contact>,
    /// Contacts with friction variables.
    pub frictional: Vec<u32>,
    pub system: System,
    pub covers: Covers,
    /// Fingerprint of the set of basic variables.
    pub print: u64,
}

impl Basis<'_> {
    /// Coordinates of `d_j − d_x`, or of `d_j` where the contact does not slide.
    #[inline(always)]
    fn star(&self, i: usize, j: u16) -> [f64; 3] {
        let [x, y] = self.pyramid.direction(i, j as usize);
        let slides = self.contacts[i].slides;
        if slides == NO {
            return [0.0, x, y];
        }
        let [u, v] = self.pyramid.direction(i, slides as usize);
        [0.0, x - u, y - v]
    }

    /// The column of θ_i: `n_i + μ_i d_x`.
    #[inline(always)]
    fn normal_column(&self, i: usize) -> Pair {
        let block = &self.pyramid.blocks[i];
        let slides = self.contacts[i].slides;
        if slides == NO {
            return self.pyramid.rows.column[block.row];
        }
        let [x, y] = self.pyramid.direction(i, slides as usize);
        self.pyramid.line(i, [1.0, block.friction * x, block.friction * y])
    }

    #[inline(always)]
    fn normal_slot(&self, i: usize) -> Slot {
        let block = &self.pyramid.blocks[i];
        Slot {
            bodies: block.bodies,
            left: self.pyramid.rows.row[block.row],
            right: self.normal_column(i),
            bias: block.bias[0],
            cover: self.covers.normal,
        }
    }

    #[inline(always)]
    fn direction_slot(&self, i: usize, j: u16) -> Slot {
        let block = &self.pyramid.blocks[i];
        let x = self.star(i, j);
        let line = self.pyramid.line(i, x);
        let slides = self.contacts[i].slides != NO;
        Slot {
            bodies: block.bodies,
            left: line,
            right: line,
            bias: x[1] * block.bias[1] + x[2] * block.bias[2],
            cover: if slides { 0.0 } else { self.covers.direction },
        }
    }

    /// The effect of increasing a variable on the reduced system.
    #[inline(always)]
    pub(super) fn drive(&self, variable: Variable, is_z: bool) -> Drive {
        if !is_z {
            return Drive::CoverRow;
        }
        match variable {
            Variable::Normal(i) => {
                let bodies = self.pyramid.blocks[i as usize].bodies;
                Drive::Column { bodies, right: self.normal_column(i as usize) }
            }
            Variable::Direction(i, j) => {
                let bodies = self.pyramid.blocks[i as usize].bodies;
                let right = self.pyramid.line(i as usize, self.star(i as usize, j));
                Drive::Column { bodies, right }
            }
            Variable::Limit(i) => Drive::Slip(self.contacts[i as usize].slots),
            Variable::Cover => Drive::Nothing,
        }
    }

    #[inline(always)]
    fn mark(&mut self, variable: Variable) {
        let key = match variable {
            Variable::Normal(i) => u64::from(i) << 32,
            Variable::Limit(i) => u64::from(i) << 32 | 1,
            Variable::Direction(i, j) => u64::from(i) << 32 | u64::from(j) << 1 | 1 << 20,
            Variable::Cover => u64::MAX,
        };
        let x = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        self.print ^= x ^ (x >> 31);
    }

    /// Makes θ, φ or λ basic.
    #[inline(always)]
    pub(super) fn enter(&mut self, variable: Variable) -> Result<(), InvalidBasis> {
        self.mark(variable);
        match variable {
            Variable::Normal(i) => {
                let slot = self.normal_slot(i as usize);
                self.contacts[i as usize].theta = self.system.add(&slot).ok_or(InvalidBasis)?;
            }
            Variable::Direction(i, j) => self.hold(i as usize, j)?,
            Variable::Limit(i) => {
                // One of the components takes the rest of the cone: φ_x.
                let i = i as usize;
                let contact = self.contacts[i];
                if contact.kappas == 0 {
                    return Err(InvalidBasis);
                }
                self.release(i, contact.kappas - 1);
                self.contacts[i].slides = contact.kappa[contact.kappas - 1];
                self.rebuild(i);
            }
            Variable::Cover => {}
        }
        Ok(())
    }

    /// Makes θ, φ or λ zero.
    #[inline(always)]
    pub(super) fn leave(&mut self, variable: Variable) -> Result<(), InvalidBasis> {
        self.mark(variable);
        match variable {
            Variable::Normal(i) => {
                self.system.remove(self.contacts[i as usize].theta);
                self.contacts[i as usize].theta = NONE;
            }
            Variable::Direction(i, j) => {
                let i = i as usize;
                let contact = self.contacts[i];
                if let Some(k) = contact.find(j) {
                    self.release(i, k);
                } else if contact.kappas == 0 {
                    // λ without any φ: excluded by appendix C, except by rounding.
                    return Err(InvalidBasis);
                } else {
                    self.release(i, contact.kappas - 1);
                    self.contacts[i].slides = contact.kappa[contact.kappas - 1];
                    self.rebuild(i);
                }
            }
            Variable::Limit(i) => {
                let i = i as usize;
                let j = std::mem::replace(&mut self.contacts[i].slides, NO);
                self.rebuild(i);
                self.hold(i, j)?;
            }
            Variable::Cover => self.system.remove_cover(),
        }
        Ok(())
    }

    /// Assigns a slot to a friction component.
    #[inline(always)]
    fn hold(&mut self, i: usize, j: u16) -> Result<(), InvalidBasis> {
        let slot = self.direction_slot(i, j);
        let contact = &mut self.contacts[i];
        if contact.kappas == KAPPAS {
            return Err(InvalidBasis);
        }
        contact.kappa[contact.kappas] = j;
        contact.slots[contact.kappas] = self.system.add(&slot).ok_or(InvalidBasis)?;
        contact.kappas += 1;
        Ok(())
    }

    /// Frees its slot.
    #[inline(always)]
    fn release(&mut self, i: usize, k: usize) {
        let contact = &mut self.contacts[i];
        self.system.remove(contact.slots[k]);
        contact.kappas -= 1;
        let last = contact.kappas;
        contact.kappa[k] = contact.kappa[last];
        contact.slots[k] = contact.slots[last];
        contact.kappa[last] = NO;
        contact.slots[last] = NONE;
    }

    /// Rebuilds the slots of a contact after `φ_x` has changed.
    #[inline(always)]
    fn rebuild(&mut self, i: usize) {
        let contact = self.contacts[i];
        if contact.theta != NONE {
            let slot = self.normal_slot(i);
            self.system.replace(contact.theta, &slot);
        }
        for k in 0..contact.kappas {
            let slot = self.direction_slot(i, contact.kappa[k]);
            self.system.replace(contact.slots[k], &slot);
        }
    }

    /// Sets the row of `w_r`, the pair of which neither is basic.
    #[inline(always)]
    pub(super) fn set_cover_row(&mut self, variable: Variable) {
        match variable {
            Variable::Normal(i) => {
                let block = &self.pyramid.blocks[i as usize];
                let left = self.pyramid.rows.row[block.row];
                self.system.set_cover_line(block.bodies, left, block.bias[0], self.covers.normal);
            }
            Variable::Direction(i, j) => {
                let slot = self.direction_slot(i as usize, j);
                self.system.set_cover_line(slot.bodies, slot.left, slot.bias, slot.cover);
            }
            Variable::Limit(i) => {
                let contact = &self.contacts[i as usize];
                let friction = self.pyramid.blocks[i as usize].friction;
                let kappa = &contact.slots[..contact.kappas];
                self.system.set_cover_limit(friction, contact.theta, kappa, self.covers.limit);
            }
            Variable::Cover => {}
        }
    }

    /// `c_* = D_x c_γ` \[L04, eq. 39\], where friction limits are covered.
    #[inline(always)]
    pub(super) fn gather_cover(&mut self) {
        let limit = self.covers.limit;
        if limit == 0.0 {
            return;
        }
        let cover = &mut self.system.cover;
        cover.fill([0.0; 8]);
        for &i in &self.frictional {
            let i = i as usize;
            let slides = self.contacts[i].slides;
            if slides == NO {
                continue;
            }
            let [x, y] = self.pyramid.direction(i, slides as usize);
            let line = self.pyramid.line(i, [0.0, limit * x, limit * y]);
            for side in 0..2 {
                let on = &mut cover[self.pyramid.blocks[i].bodies[side] as usize];
                *on = std::array::from_fn(|k| on[k] + line[side][k]);
            }
        }
    }

    /// Adds the friction variables of a contact.
    #[inline(always)]
    pub(super) fn expand(&mut self, i: usize, slides: u16) {
        self.contacts[i].place = self.frictional.len() as u32;
        self.contacts[i].slides = slides;
        self.frictional.push(i as u32);
        if slides != NO {
            self.mark(Variable::Limit(i as u32));
            self.mark(Variable::Direction(i as u32, slides));
        }
    }

    /// Drops the friction variables of a contact that no longer pushes.
    #[inline(always)]
    pub(super) fn contract(&mut self, i: usize) {
        let contact = self.contacts[i];
        if contact.place == NONE {
            return;
        }
        for k in (0..contact.kappas).rev() {
            self.mark(Variable::Direction(i as u32, contact.kappa[k]));
            self.release(i, k);
        }
        if contact.slides != NO {
            self.mark(Variable::Limit(i as u32));
            self.mark(Variable::Direction(i as u32, contact.slides));
        }
        self.frictional.swap_remove(contact.place as usize);
        if let Some(&moved) = self.frictional.get(contact.place as usize) {
            self.contacts[moved as usize].place = contact.place;
        }
        self.contacts[i] = Contact { theta: contact.theta, ..Contact::OPEN };
    }
}

//! The result of a path: forces, polished forces, or a ray.

use super::{Path, Scope};
use crate::lloyd2004::state::{Basis, Contact, NO, Variable};
use crate::lloyd2004::system::NONE;
use crate::observer::{Member, Set, Snapshot};
use stiction_contact::{Forces, Place};

/// Corrections of the final answer.
const POLISH: usize = 2;

impl Path<'_> {
    /// Forces at the end of the path.
    pub fn forces(&self) -> Forces {
        self.read(1.0, self.last)
    }

    /// Forces at the end of the path to full precision: z₀ is removed and the equations of the
    /// final basis are solved again, through the bodies. `None` if that basis is singular; not
    /// always more accurate otherwise.
    pub fn polished(&mut self) -> Option<Forces> {
        let (driving, is_z) = self.driving;
        if driving == Variable::Cover
            || (is_z && self.basis.enter(driving).is_err())
            || self.basis.leave(Variable::Cover).is_err()
        {
            return None;
        }
        self.driving = (Variable::Cover, true);
        self.last = 0.0;
        self.settle()
    }

    /// Forces of the complementary basis in which the given variables, θ before φ
    /// before λ, are basic.
    pub(in crate::lloyd2004) fn settle_at(
        &mut self,
        basic: impl Iterator<Item = Variable>,
    ) -> Option<Forces> {
        self.begin(Scope::Pushing);
        for variable in basic {
            if let Variable::Normal(i) = variable
                && self.basis.pyramid.fan(i as usize).count > 0
            {
                self.basis.expand(i as usize, NO);
            }
            self.basis.enter(variable).ok()?;
        }
        self.settle()
    }

    /// Solves the equations of a complementary basis, through the bodies.
    fn settle(&mut self) -> Option<Forces> {
        if !self.evaluate() || !(0..POLISH).all(|_| self.basis.system.refine()) {
            return None;
        }
        self.respond();
        self.tabulate();
        Some(self.forces())
    }

    /// Change of the forces along the ray at its end.
    pub fn ray(&self) -> Forces {
        self.read(0.0, 1.0)
    }

    /// The basic forces θ, friction directions φ and slip speeds λ, and the current forces.
    pub(super) fn snapshot(&self) -> Snapshot {
        let contacts = &self.basis.contacts;
        let of = |name, holds: fn(&Contact) -> bool| {
            Set::of_contacts(name, contacts.len(), |i| holds(&contacts[i]))
        };
        let directions = |(i, contact): (usize, &Contact)| {
            let slides = (contact.slides != NO).then_some(contact.slides);
            let all = slides.into_iter().chain(contact.kappa[..contact.kappas].iter().copied());
            let member =
                move |j| Member { place: Place::Contact(i), direction: Some(usize::from(j)) };
            all.map(member).collect::<Vec<_>>()
        };
        let friction =
            Set { name: "φ", members: contacts.iter().enumerate().flat_map(directions).collect() };
        let sets = vec![
            of("θ", |contact| contact.theta != NONE),
            friction,
            of("λ", |contact| contact.slides != NO),
        ];
        Snapshot { sets, forces: self.read(1.0, 0.0) }
    }

    /// Forces from the values and the rates.
    fn read(&self, of_values: f64, of_rates: f64) -> Forces {
        let Basis { pyramid, contacts, system, .. } = &self.basis;
        let sum = |value: f64, rate: f64| of_values * value + of_rates * rate;
        let at = |slot: u32| sum(system.value[slot as usize], system.rate[slot as usize]);
        let mut forces = vec![[0.0; 3]; contacts.len()];
        for (i, contact) in contacts.iter().enumerate() {
            if contact.theta != NONE {
                forces[i][0] = at(contact.theta).max(0.0);
            }
            let mut push = |j: u16, size: f64| {
                let [x, y] = pyramid.direction(i, j as usize);
                forces[i][1] += x * size.max(0.0);
                forces[i][2] += y * size.max(0.0);
            };
            for k in 0..contact.kappas {
                push(contact.kappa[k], at(contact.slots[k]));
            }
            if contact.slides != NO {
                let from = contact.place as usize * pyramid.stride + contact.slides as usize;
                let side = &self.table.direction;
                push(contact.slides, sum(side.value[from], side.rate[from]));
            }
        }
        match self.driving {
            (Variable::Normal(i), true) => forces[i as usize][0] = of_rates,
            (Variable::Direction(i, j), true) => {
                let [x, y] = pyramid.direction(i as usize, j as usize);
                forces[i as usize][1] += x * of_rates;
                forces[i as usize][2] += y * of_rates;
            }
            _ => {}
        }
        let bilateral = (1..=pyramid.bilateral.len()).map(|s| at(s as u32));
        pyramid.physical(&forces, &bilateral.collect::<Vec<f64>>())
    }
}

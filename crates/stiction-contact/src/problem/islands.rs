//! Islands: connected components of a problem, as problems of their own.
//!
//! Forces are transmitted by bodies that move; a fixed body transmits nothing. Components that
//! are not connected can be solved separately.

use super::{Contact, ContactProblem, Row};
use crate::forces::Forces;
use crate::union_find::UnionFind;
use glam::DVec3;

/// A connected component of a problem.
pub struct Island {
    /// Its bodies, contacts and rows.
    pub problem: ContactProblem,
    bodies: Vec<usize>,
    contacts: Vec<usize>,
    bilateral: Vec<usize>,
    bounded: Vec<usize>,
}

impl ContactProblem {
    /// For every body the smallest index of a body connected to it through bodies that move.
    pub fn island_of_bodies(&self) -> Vec<usize> {
        let mut sets = UnionFind::new(self.bodies.len());
        let contacts = self.contacts.iter().map(|c| (c.a, c.b));
        let rows = self.bilateral.iter().map(|r| (r.a, r.b));
        let bounded = self.bounded.iter().map(|r| (r.row.a, r.row.b));
        for (a, b) in contacts.chain(rows).chain(bounded) {
            let Some(b) = b else { continue };
            if self.bodies[a].is_fixed() || self.bodies[b].is_fixed() {
                continue;
            }
            sets.join(a, b);
        }
        sets.roots()
    }

    /// The island a pair of bodies belongs to: that of the one that moves.
    pub fn island_of(&self, islands: &[usize], a: usize, b: Option<usize>) -> usize {
        match b {
            Some(b) if self.bodies[a].is_fixed() => islands[b],
            _ => islands[a],
        }
    }

    /// The connected components, without those that have no constraints.
    pub fn islands(&self) -> Vec<Island> {
        let of_bodies = self.island_of_bodies();
        let of = |a: usize, b: Option<usize>| self.island_of(&of_bodies, a, b);
        let mut parts: Vec<[Vec<usize>; 3]> = vec![Default::default(); self.bodies.len()];
        for (i, c) in self.contacts.iter().enumerate() {
            parts[of(c.a, c.b)][0].push(i);
        }
        for (i, row) in self.bilateral.iter().enumerate() {
            parts[of(row.a, row.b)][1].push(i);
        }
        for (i, bounded) in self.bounded.iter().enumerate() {
            parts[of(bounded.row.a, bounded.row.b)][2].push(i);
        }
        let full = parts.into_iter().filter(|part| part.iter().any(|list| !list.is_empty()));
        full.map(|[contacts, bilateral, bounded]| self.part(contacts, bilateral, bounded)).collect()
    }

    /// The same problem without duplicate contacts: those with the same law between the same
    /// bodies whose points are at most `close` apart, relative to their distance from the
    /// centres.
    pub fn without_duplicates(&self, close: f64) -> Island {
        let is_near = |p: &[f64; 3], q: &[f64; 3], size: f64| {
            DVec3::from_array(*p).distance(DVec3::from_array(*q)) <= close * size
        };
        let equal = |one: &Contact, other: &Contact| {
            let body = |i: usize| DVec3::from_array(self.bodies[i].position);
            let arm = |i: usize| body(i).distance(DVec3::from_array(one.point));
            let size = one.b.map_or(0.0, arm).max(arm(one.a));
            (one.a, one.b, one.friction, one.tangents)
                == (other.a, other.b, other.friction, other.tangents)
                && is_near(&one.point, &other.point, size)
                && is_near(&one.normal, &other.normal, 1.0)
                && is_near(&one.bias, &other.bias, DVec3::from_array(one.bias).length())
        };
        let mut kept: Vec<usize> = Vec::new();
        for (i, contact) in self.contacts.iter().enumerate() {
            if !kept.iter().any(|&k| equal(&self.contacts[k], contact)) {
                kept.push(i);
            }
        }
        self.part(kept, (0..self.bilateral.len()).collect(), (0..self.bounded.len()).collect())
    }

    /// The problem of some of the contacts and rows, with the bodies they refer to.
    fn part(&self, contacts: Vec<usize>, bilateral: Vec<usize>, bounded: Vec<usize>) -> Island {
        let mut place = vec![usize::MAX; self.bodies.len()];
        let (mut bodies, mut members) = (Vec::new(), Vec::new());
        let mut at = |body: usize| {
            if place[body] == usize::MAX {
                place[body] = bodies.len();
                bodies.push(self.bodies[body].clone());
                members.push(body);
            }
            place[body]
        };
        let mut moved = |row: &Row| Row { a: at(row.a), b: row.b.map(&mut at), ..row.clone() };
        let rows = bilateral.iter().map(|&i| moved(&self.bilateral[i])).collect();
        let bounds = bounded.iter().map(|&i| {
            let bounded = &self.bounded[i];
            super::BoundedRow { row: moved(&bounded.row), ..bounded.clone() }
        });
        let bounds = bounds.collect();
        let touching = contacts.iter().map(|&i| {
            let contact = &self.contacts[i];
            Contact { a: at(contact.a), b: contact.b.map(&mut at), ..contact.clone() }
        });
        let touching = touching.collect();
        let problem = ContactProblem {
            level: self.level,
            resolution: self.resolution,
            bodies,
            contacts: touching,
            bilateral: rows,
            bounded: bounds,
        };
        Island { problem, bodies: members, contacts, bilateral, bounded }
    }
}

impl Island {
    /// The indices of its bodies in the whole problem.
    pub fn bodies(&self) -> &[usize] {
        &self.bodies
    }

    /// The indices of its contacts in the whole problem.
    pub fn contacts(&self) -> &[usize] {
        &self.contacts
    }

    /// Extracts the forces of the island from those of the whole problem.
    pub fn gather(&self, whole: &Forces) -> Forces {
        let pick = |list: &[usize], of: &[f64]| list.iter().map(|&i| of[i]).collect();
        Forces {
            contacts: self.contacts.iter().map(|&i| whole.contacts[i]).collect(),
            bilateral: pick(&self.bilateral, &whole.bilateral),
            bounded: pick(&self.bounded, &whole.bounded),
        }
    }

    /// Copies the forces of the island into those of the whole problem.
    pub fn scatter(&self, forces: &Forces, whole: &mut Forces) {
        for (&i, force) in self.contacts.iter().zip(&forces.contacts) {
            whole.contacts[i] = *force;
        }
        for (&i, force) in self.bilateral.iter().zip(&forces.bilateral) {
            whole.bilateral[i] = *force;
        }
        for (&i, force) in self.bounded.iter().zip(&forces.bounded) {
            whole.bounded[i] = *force;
        }
    }
}

//! A small problem as a dense matrix over unit forces, for searches through contact modes.
//!
//! ```text
//!   response = A · force + b
//! ```
//!
//! One unknown for the normal force of each contact (with friction that follows it, where the
//! contact already slides), one more for friction along the line of a planar contact or two for
//! friction in the tangent plane, one per row.

use stiction_contact::judge::{self, Response};
use stiction_contact::{ContactForce, ContactProblem, Forces, Friction, Place, Tangents};

#[derive(Clone, Copy)]
enum Unit {
    Normal(usize),
    /// Along an axis of the contact's frame.
    Tangent(usize, usize),
    Bilateral(usize),
    Bounded(usize),
}

/// The matrix `A`, the responses `b` to zero force, and the effect of each unit on the bodies.
pub(crate) struct UnitForces<'a> {
    pub problem: &'a ContactProblem,
    units: Vec<Unit>,
    /// Response of unit `i` to unit `j`.
    pub a: Vec<Vec<f64>>,
    pub b: Vec<f64>,
    /// `[linear; angular]` change of every body by unit `j`.
    pub moved: Vec<Vec<[f64; 6]>>,
}

impl<'a> UnitForces<'a> {
    /// Fails with the index of a contact with friction in the whole tangent plane, whose modes
    /// are not signs of these forces.
    pub(crate) fn new(problem: &'a ContactProblem) -> Result<Self, usize> {
        let round = problem.contacts().iter().position(|contact| {
            contact.friction.has_tangent_unknowns() && contact.tangents == Tangents::Plane
        });
        round.map_or_else(|| Ok(UnitForces::round(problem)), Err)
    }

    /// With two unknowns for friction in the tangent plane.
    pub(crate) fn round(problem: &'a ContactProblem) -> Self {
        let mut units = Vec::new();
        for (i, contact) in problem.contacts().iter().enumerate() {
            units.push(Unit::Normal(i));
            if contact.friction.has_tangent_unknowns() {
                let axes = if contact.tangents == Tangents::Plane { 2 } else { 1 };
                units.extend((0..axes).map(|axis| Unit::Tangent(i, axis)));
            }
        }
        units.extend((0..problem.bilateral().len()).map(Unit::Bilateral));
        units.extend((0..problem.bounded().len()).map(Unit::Bounded));
        let n = units.len();
        let mut system = UnitForces { problem, units, a: vec![], b: vec![], moved: vec![] };
        let still = judge::response(problem, &system.forces(&vec![0.0; n]));
        system.b = system.read(&still);
        let mut columns = Vec::new();
        for j in 0..n {
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            let pushed = judge::response(problem, &system.forces(&unit));
            let change = system.read(&pushed);
            columns.push(change.iter().zip(&system.b).map(|(u, b)| u - b).collect::<Vec<_>>());
            let bodies = pushed.bodies.iter().zip(&still.bodies);
            let moved = bodies.map(|(after, before)| std::array::from_fn(|k| after[k] - before[k]));
            system.moved.push(moved.collect());
        }
        system.a = (0..n).map(|i| (0..n).map(|j| columns[j][i]).collect()).collect();
        system
    }

    /// Number of unknowns of a contact's friction.
    pub(crate) fn tangents(&self, contact: usize) -> usize {
        self.units.iter().filter(|it| matches!(it, Unit::Tangent(i, _) if *i == contact)).count()
    }

    /// Every contact and row, with the first of its unknowns.
    pub(crate) fn places(&self) -> impl Iterator<Item = (Place, usize)> {
        self.units.iter().enumerate().filter_map(|(k, unit)| match *unit {
            Unit::Normal(i) => Some((Place::Contact(i), k)),
            Unit::Tangent(..) => None,
            Unit::Bilateral(i) => Some((Place::Bilateral(i), k)),
            Unit::Bounded(i) => Some((Place::Bounded(i), k)),
        })
    }

    /// Forces from one value per unknown. Friction of sliding contacts follows.
    pub(crate) fn forces(&self, values: &[f64]) -> Forces {
        let mut forces = Forces::zeros(self.problem);
        for (unit, &value) in self.units.iter().zip(values) {
            match *unit {
                Unit::Normal(i) => {
                    forces.contacts[i].normal = value;
                    if let Friction::Sliding { friction, direction } =
                        self.problem.contacts()[i].friction
                    {
                        forces.contacts[i].friction = direction.map(|x| -friction * value * x);
                    }
                }
                Unit::Tangent(i, axis) => {
                    let tangent = value * self.problem.contacts()[i].frame()[axis];
                    let friction = &mut forces.contacts[i].friction;
                    friction.iter_mut().zip(tangent.to_array()).for_each(|(f, x)| *f += x);
                }
                Unit::Bilateral(i) => forces.bilateral[i] = value,
                Unit::Bounded(i) => forces.bounded[i] = value,
            }
        }
        forces
    }

    fn read(&self, response: &Response) -> Vec<f64> {
        let value = |unit: &Unit| match *unit {
            Unit::Normal(i) => response.contacts[i].normal,
            Unit::Tangent(i, axis) => {
                let tangent = self.problem.contacts()[i].frame()[axis];
                response.contacts[i].tangential.dot(tangent)
            }
            Unit::Bilateral(i) => response.bilateral[i],
            Unit::Bounded(i) => response.bounded[i],
        };
        self.units.iter().map(value).collect()
    }

    /// Response of unknown `k` to a unit of its own force, without the friction of sliding
    /// contacts: positive, or zero where nothing can move.
    pub(crate) fn own(&self, k: usize) -> f64 {
        let Unit::Normal(i) = self.units[k] else { return self.a[k][k] };
        if !matches!(self.problem.contacts()[i].friction, Friction::Sliding { .. }) {
            return self.a[k][k];
        }
        let mut forces = Forces::zeros(self.problem);
        forces.contacts[i] = ContactForce { normal: 1.0, friction: [0.0; 3] };
        judge::response(self.problem, &forces).contacts[i].normal - self.b[k]
    }
}

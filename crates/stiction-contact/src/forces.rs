//! Forces at contacts and rows, whatever their source.

use crate::problem::ContactProblem;
use serde::{Deserialize, Serialize};

/// The force of one contact on its body `a`; the opposite acts on `b`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactForce {
    /// Along the contact's normal; never negative in a valid answer.
    pub normal: f64,
    /// In the tangent plane, world axes.
    pub friction: [f64; 3],
}

/// One value for every unknown of a problem. They may come from our solvers, a file or another
/// engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Forces {
    /// One per contact.
    pub contacts: Vec<ContactForce>,
    /// One per bilateral row.
    pub bilateral: Vec<f64>,
    /// One per bounded row.
    pub bounded: Vec<f64>,
}

impl Forces {
    /// All forces zero.
    pub fn zeros(problem: &ContactProblem) -> Self {
        Forces {
            contacts: vec![ContactForce::default(); problem.contacts().len()],
            bilateral: vec![0.0; problem.bilateral().len()],
            bounded: vec![0.0; problem.bounded().len()],
        }
    }

    /// The first list whose length does not match the problem: its name, its length, and the
    /// length expected.
    pub fn misfit(&self, problem: &ContactProblem) -> Option<(&'static str, usize, usize)> {
        [
            ("contacts", self.contacts.len(), problem.contacts().len()),
            ("bilateral rows", self.bilateral.len(), problem.bilateral().len()),
            ("bounded rows", self.bounded.len(), problem.bounded().len()),
        ]
        .into_iter()
        .find(|(_, given, expected)| given != expected)
    }

    /// The same direction, scaled so that its largest normal force is one.
    #[must_use]
    pub fn into_unit(mut self) -> Self {
        let largest = self.contacts.iter().fold(0.0_f64, |m, f| m.max(f.normal.abs()));
        if largest > 0.0 {
            for force in &mut self.contacts {
                force.normal /= largest;
                force.friction = force.friction.map(|x| x / largest);
            }
            for force in self.bilateral.iter_mut().chain(&mut self.bounded) {
                *force /= largest;
            }
        }
        self
    }
}

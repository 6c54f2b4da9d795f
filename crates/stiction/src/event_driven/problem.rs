//! The problem of forces and accelerations after an event.

use super::system::{Given, creeping};
use crate::assemble::{self, JointEntry, joint_rows};
use crate::detect::Contact;
use crate::impact::{self, AT_LIMIT};
use crate::joint::RowRule;
use crate::time_stepping::slip;
use crate::world::{State, World};
use glam::DVec3;
use stiction_geometry::Twist;
use stiction_solvers::{ContactProblem, Friction, Level};

/// Rows of joints in a problem.
pub(super) struct Rows {
    pub entries: Vec<JointEntry>,
    /// Which entries are in the problem.
    pub acting: Vec<usize>,
    pub given: Vec<Given>,
}

impl Rows {
    pub fn picked(&self) -> Vec<JointEntry> {
        self.acting.iter().map(|&i| self.entries[i].clone()).collect()
    }
}

/// Which rows of joints act, and which have a given force; those of bodies that sleep do not.
pub(super) fn sort(world: &World, state: &State, rest: f64, asleep: &[bool]) -> Rows {
    let entries = joint_rows(world, state);
    let (mut acting, mut given) = (Vec::new(), Vec::new());
    for (i, entry) in entries.iter().enumerate().filter(|(_, entry)| !entry.is_of(asleep)) {
        let speed = entry.rate(&state.twists) - entry.row.target;
        match entry.row.rule {
            RowRule::Equal => acting.push(i),
            RowRule::AtLeast => {
                if entry.row.error <= AT_LIMIT && speed <= rest {
                    acting.push(i);
                }
            }
            RowRule::Motor { greatest } | RowRule::Friction { greatest } => {
                if speed.abs() <= rest {
                    acting.push(i);
                } else {
                    given.push(Given { entry: i, force: -speed.signum() * greatest });
                }
            }
        }
    }
    Rows { entries, acting, given }
}

/// The problem of forces and accelerations, and the free accelerations in it.
pub(super) fn problem(
    world: &World,
    touching: &[Contact],
    rows: &Rows,
    least: &[f64],
    slips: Option<(usize, DVec3)>,
    threshold: Option<f64>,
) -> Option<(ContactProblem, Vec<Twist>)> {
    let state = &world.state;
    let mut free: Vec<Twist> =
        (0..world.bodies.len()).map(|i| world.free_acceleration(i, state)).collect();
    assemble::add_motor_forces(world, state, &mut free);
    world.add_springs(state, &mut free);
    for given in &rows.given {
        assemble::push_row(world, state, &rows.entries[given.entry], given.force, &mut free);
    }
    let contact = |(i, c): (usize, &Contact)| {
        let geometry = &c.touch.geometry;
        let begins = slips.filter(|(begins, _)| *begins == i);
        let slip = begins.map_or_else(|| slip(c, state), |(_, along)| along);
        let sliding = |drag: DVec3| match drag.try_normalize() {
            Some(along) => {
                Friction::Sliding { friction: drag.length(), direction: along.to_array() }
            }
            None => Friction::Frictionless,
        };
        let law = if let Some(speed) = threshold {
            sliding(creeping(&c.material, slip, speed))
        } else if c.material.static_friction > 0.0 && slip.length() > least[i] {
            let friction = c.material.dynamic_friction;
            Friction::Sliding { friction, direction: slip.normalize().to_array() }
        } else {
            assemble::coulomb(c, false)
        };
        assemble::contact(world, c, geometry, law, drift(c, state))
    };
    let contacts = touching.iter().enumerate().map(contact).collect();
    let picked = rows.picked();
    let biases: Vec<f64> = picked.iter().map(|e| e.row.drift).collect();
    let (bilateral, bounded, _) = assemble::sort_rows(&picked, &biases, 1.0);
    let bodies = assemble::bodies(world, &state.poses, &free);
    let made = assemble::problem(
        Level::Acceleration,
        bodies,
        contacts,
        (bilateral, bounded),
        world.gravity.length(),
    );
    made.ok().map(|problem| (problem, free))
}

/// What the acceleration at a contact is when no body accelerates.
fn drift(contact: &Contact, state: &State) -> DVec3 {
    let (a, b) = (contact.a, contact.b);
    let (twist_a, twist_b) = (&state.twists[a], &state.twists[b]);
    let rates = contact.touch.rates(&state.poses[a], twist_a, &state.poses[b], twist_b);
    let drift = twist_a.angular.cross(rates.point - twist_a.linear)
        - twist_b.angular.cross(rates.point - twist_b.linear);
    let u = impact::relative(contact, state);
    drift + contact.touch.geometry.normal * rates.normal.dot(u)
}

//! The problem of forces and accelerations after an event.

use super::system::{Given, creeping};
use crate::assemble::{self, Assembled, ContactLaw, JointEntry, Laws, Snapshot, joint_rows};
use crate::detect::Contact;
use crate::impact::AT_LIMIT;
use crate::joint::RowRule;
use crate::kinematics::{drift, slip};
use crate::world::{State, World};
use glam::DVec3;
use stiction_geometry::Twist;
use stiction_solvers::{Friction, Level};

/// Rows of joints in a problem.
pub(crate) struct Rows {
    pub entries: Vec<JointEntry>,
    /// Which entries are in the problem.
    pub acting: Vec<usize>,
    pub given: Vec<Given>,
}

/// Which rows of joints act, and which have a given force; those of bodies that sleep do not.
pub(crate) fn sort(world: &World, state: &State, rest: f64, asleep: &[bool]) -> Rows {
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
pub(crate) fn problem(
    world: &World,
    touching: &[Contact],
    rows: &Rows,
    least: &[f64],
    slips: Option<(usize, DVec3)>,
    threshold: Option<f64>,
) -> Option<(Assembled, Vec<Twist>)> {
    let state = &world.state;
    let mut free: Vec<Twist> =
        (0..world.bodies.len()).map(|i| world.free_acceleration(i, state)).collect();
    assemble::add_motor_forces(world, state, &mut free);
    world.add_springs(state, &mut free);
    for given in &rows.given {
        assemble::push_row(world, state, &rows.entries[given.entry], given.force, &mut free);
    }
    let law = |(i, c): (usize, &Contact)| {
        let begins = slips.filter(|(begins, _)| *begins == i);
        let slip = begins.map_or_else(|| slip(c, state), |(_, along)| along);
        let sliding = |drag: DVec3| match drag.try_normalize() {
            Some(along) => {
                Friction::Sliding { friction: drag.length(), direction: along.to_array() }
            }
            None => Friction::Frictionless,
        };
        let friction = if let Some(speed) = threshold {
            sliding(creeping(&c.material, slip, speed))
        } else if c.material.static_friction > 0.0 && slip.length() > least[i] {
            let friction = c.material.dynamic_friction;
            Friction::Sliding { friction, direction: slip.normalize().to_array() }
        } else {
            assemble::coulomb(c, false)
        };
        ContactLaw { friction, bias: drift(c, state) }
    };
    let mut biases = vec![None; rows.entries.len()];
    for &i in &rows.acting {
        biases[i] = Some(rows.entries[i].row.drift);
    }
    let laws = Laws {
        level: Level::Acceleration,
        free: &free,
        resting: &[],
        contacts: touching.iter().enumerate().map(law).collect(),
        rows: biases,
        duration: 1.0,
        resolution: world.gravity.length(),
    };
    let snapshot = Snapshot { state, contacts: touching, rows: &rows.entries };
    let assembled = assemble::assemble(world, &snapshot, &laws).ok()?;
    Some((assembled, free))
}

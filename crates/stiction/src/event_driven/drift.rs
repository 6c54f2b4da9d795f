//! What integration lets drift, removed by the least motion in the metric of the masses.

use super::linear::{Row, mobilities, solve};
use super::system::{Carrying, Modes, push_contact};
use crate::assemble::{JointEntry, halves, joint_rows, six};
use crate::journal::Journal;
use crate::world::{State, World};
use glam::DVec3;
use stiction_geometry::{ContactGeometry, Twist};

/// Removes what integration let drift: poses first, then velocities, by impulses that are booked.
pub(super) fn remove_drift(world: &mut World, modes: &Modes, journal: &mut Journal) {
    let place = |_: &_, place: Place<'_>| match place {
        Place::Contact { geometry, row: 0, .. } => geometry.gap,
        Place::Contact { .. } => 0.0,
        Place::Row(entry) => entry.row.error,
    };
    let moved = project(world, &world.state, modes, place, None);
    for (pose, motion) in world.state.poses.iter_mut().zip(&moved) {
        *pose = pose.moved(motion, 1.0);
    }
    let velocity = |state: &State, place: Place<'_>| match place {
        Place::Contact { carrying, geometry, on, .. } => {
            let (a, b) = (carrying.contact.a, carrying.contact.b);
            let at = |i: usize| state.twists[i].at(&state.poses[i], geometry.point);
            on.dot(at(a) - at(b))
        }
        Place::Row(entry) => entry.rate(&state.twists) - entry.row.target,
    };
    let changed = project(world, &world.state, modes, velocity, Some(journal));
    for (twist, change) in world.state.twists.iter_mut().zip(&changed) {
        twist.linear += change.linear;
        twist.angular += change.angular;
    }
}

/// A correction of poses or velocities: the least motion, in the metric of the masses,
/// after which every row's value is gone. The impulses of a correction of velocities are booked.
fn project(
    world: &World,
    state: &State,
    modes: &Modes,
    value: impl Fn(&State, Place<'_>) -> f64,
    journal: Option<&mut Journal>,
) -> Vec<Twist> {
    let mobility = mobilities(world, state);
    let entries = joint_rows(world, state);
    let mut rows = Vec::new();
    for carrying in &modes.carrying {
        let first = rows.len();
        let (geometry, _) = push_contact(world, state, carrying, &mut rows);
        for (k, row) in rows[first..].iter_mut().enumerate() {
            row.drift = value(
                state,
                Place::Contact { carrying, geometry: &geometry, row: k, on: row.on[0][0] },
            );
            row.pushes = row.on;
            row.start = 0.0;
        }
    }
    for holding in &modes.holding {
        let entry = &entries[holding.entry];
        let on = [halves(&entry.row.on_a), halves(&entry.row.on_b)];
        let drift = value(state, Place::Row(entry));
        rows.push(Row { a: entry.a, b: entry.b, on, pushes: on, drift, start: 0.0 });
    }
    let mut motion = vec![Twist::ZERO; state.poses.len()];
    let impulses = solve(&rows, &modes.basis, &mobility, &mut motion);
    if let Some(journal) = journal {
        for (row, impulse) in rows.iter().zip(&impulses) {
            let [on_a, on_b] =
                row.on.map(|[f, t]| six(&Twist { linear: f * *impulse, angular: t * *impulse }));
            journal.push_wrenches((row.a, row.b), &on_a, &on_b);
        }
    }
    motion
}

/// A row of a projection.
enum Place<'a> {
    /// Of a contact: its normal (row 0) or a tangent.
    Contact { carrying: &'a Carrying, geometry: &'a ContactGeometry, row: usize, on: DVec3 },
    /// Of a joint.
    Row(&'a JointEntry),
}

//! Overlap and drift removed by moving bodies, least in the metric of their masses.
//!
//! ```text
//!   d = M⁻¹ Jᵀ λ        gap + n · d ≥ 0,   λ ≥ 0,   C + J d = 0
//! ```
//!
//! Velocities stay as they are: no energy but that of lifting a body by its overlap.

use crate::assemble::{self, JointEntry, joint_rows};
use crate::detect::{Contact, Detector};
use crate::joint::RowRule;
use crate::report::{EnergyLedger, Event};
use crate::solve::{self, SolverSession, keys};
use crate::time_stepping::size;
use crate::world::World;
use stiction_geometry::Twist;
use stiction_solvers::judge::{self, CERTIFIED};
use stiction_solvers::{Forces, Friction, Level};

/// Rounds of repair, each of which leaves the square of the overlap over the size; and at most,
/// while more is left than may be.
const ROUNDS: usize = 2;
const MOST_ROUNDS: usize = 8;

/// Overlap that is left alone, part of the smaller body. A move that is exact but for less is
/// certified: what is repaired may be little more than rounding.
pub(crate) const OVERLAP: f64 = 1e-10;

/// Contacts nearer than this fraction of the smaller body are kept apart while others are.
const NEAR: f64 = 1e-4;

/// How far a row of a joint is from where it should be (m or rad); motors have no place.
pub(crate) fn drift(entry: &JointEntry) -> f64 {
    match entry.row.rule {
        RowRule::Equal => entry.row.error.abs(),
        RowRule::AtLeast => -entry.row.error,
        RowRule::Motor { .. } | RowRule::Friction { .. } => 0.0,
    }
}

/// Moves bodies out of each other and joints together. The lift against gravity by contacts is
/// entered as lost by collisions, where overlap comes from; drift of joints is an error of the
/// integration, and so is its energy.
pub(crate) fn repair(
    world: &mut World,
    detector: &mut Detector,
    session: &mut SolverSession,
    ledger: &mut EnergyLedger,
) -> Vec<Event> {
    let mut events = Vec::new();
    let largest = world.free().map(|(_, b)| b.bounding_radius()).fold(0.0, f64::max);
    let sizes = world.free().map(|(_, b)| b.bounding_radius()).filter(|size| *size > 0.0);
    let least = sizes.fold(1.0, f64::min);
    let resolution = OVERLAP * least / CERTIFIED;
    for round in 0..MOST_ROUNDS {
        let contacts = detector.detect(world, &world.state, NEAR * largest);
        let entries: Vec<JointEntry> = joint_rows(world, &world.state)
            .into_iter()
            .filter(|e| matches!(e.row.rule, RowRule::Equal | RowRule::AtLeast))
            .collect();
        let overlap = contacts.iter().map(|c| -c.touch.geometry.gap / size(world, c));
        if round >= ROUNDS && overlap.chain(entries.iter().map(drift)).all(|x| x <= OVERLAP) {
            break;
        }
        let still = vec![Twist::ZERO; world.bodies.len()];
        let bodies = assemble::bodies(world, &world.state.poses, &still);
        let contact = |c: &Contact| {
            let geometry = &c.touch.geometry;
            assemble::contact(
                world,
                c,
                geometry,
                Friction::Frictionless,
                geometry.normal * geometry.gap,
            )
        };
        let rows = contacts.iter().map(contact).collect();
        let biases: Vec<f64> = entries.iter().map(|e| e.row.error).collect();
        let (bilateral, bounded, _) = assemble::sort_rows(&entries, &biases, 1.0);
        let joints = (bilateral, bounded);
        let made = assemble::problem(Level::FirstOrder, bodies, rows, joints, resolution);
        let Ok(problem) = made else { break };
        let found = session.solve(&problem, &keys(&contacts), false);
        if found.is_impulse() {
            break;
        }
        let (residual, certified) = (found.certificate.residual(), found.is_certified());
        session.used(residual, certified);
        let time = world.state.time;
        events.extend(solve::mark(&found).map(|what| Event { time, what }));
        // Joints and contacts that contradict each other: what leaves no less than it found is
        // no repair.
        let still = || judge::judge(&problem, &Forces::zeros(&problem)).residual();
        if !certified && residual >= still() {
            break;
        }
        for (contact, force) in contacts.iter().zip(&found.forces.contacts) {
            ledger.impacts -= lift(world, contact, force.normal);
        }
        for (i, moved) in found.response.bodies.iter().enumerate() {
            world.state.poses[i] = world.state.poses[i].moved(&assemble::twist(moved), 1.0);
        }
    }
    events
}

/// The potential energy that the push of a contact gives to its bodies (J), which it moves by
/// `λ n / m`.
fn lift(world: &World, contact: &Contact, push: f64) -> f64 {
    let along = |i: usize| match &world.bodies[i] {
        body if body.is_free() => {
            let weight = world.gravity + body.force / body.mass;
            weight.dot(contact.touch.geometry.normal)
        }
        _ => 0.0,
    };
    push * (along(contact.b) - along(contact.a))
}

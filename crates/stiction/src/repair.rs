//! Overlap and drift removed by moving bodies, least in the metric of their masses.
//!
//! ```text
//!   d = M⁻¹ Jᵀ λ        gap + n · d ≥ 0,   λ ≥ 0,   C + J d = 0
//! ```
//!
//! Velocities stay as they are: no energy but that of lifting a body by its overlap.

use crate::assemble::{self, ContactLaw, JointEntry, Laws, Snapshot, joint_rows};
use crate::detect::{Contact, Detector};
use crate::islands::connected;
use crate::joint::RowRule;
use crate::report::{EnergyLedger, Event};
use crate::solve::{self, SolverSession, keys};
use crate::touching::{BESIDE, OVERLAP, drift, size};
use crate::world::{Body, World};
use stiction_geometry::Twist;
use stiction_solvers::judge::{self, CERTIFIED};
use stiction_solvers::{ContactProblem, Forces, Friction, Level};

/// Rounds of repair at most. Each leaves the square of its largest move over the size.
const MOST_ROUNDS: usize = 8;

/// Within which distance contacts are kept apart while others are repaired, and how far bodies move.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reach {
    /// [`BESIDE`]; as far as the repair needs, which is little.
    Beside,
    /// At least within this distance (m); in a round no point of a body moves farther than half of it.
    Bounded(f64),
}

/// Moves bodies out of each other and joints together: what a step left, which is little.
pub(crate) fn repair(
    world: &mut World,
    detector: &mut Detector,
    session: &mut SolverSession,
    ledger: &mut EnergyLedger,
) -> Vec<Event> {
    repair_within(world, detector, session, ledger, Reach::Beside)
}

/// Moves bodies out of each other and joints together. The lift against gravity by contacts is
/// entered as lost by collisions, where overlap comes from; drift of joints is an error of the
/// integration, and so is its energy.
pub(crate) fn repair_within(
    world: &mut World,
    detector: &mut Detector,
    session: &mut SolverSession,
    ledger: &mut EnergyLedger,
    reach: Reach,
) -> Vec<Event> {
    let mut events = Vec::new();
    let largest = world.free().map(|(_, b)| b.bounding_radius()).fold(0.0, f64::max);
    let sizes = world.free().map(|(_, b)| b.bounding_radius()).filter(|size| *size > 0.0);
    let least = sizes.fold(1.0, f64::min);
    let resolution = OVERLAP * least / CERTIFIED;
    let margin = match reach {
        Reach::Beside => BESIDE * largest,
        Reach::Bounded(distance) => distance.max(BESIDE * largest),
    };
    for _ in 0..MOST_ROUNDS {
        let contacts = detector.detect(world, &world.state, margin);
        let Misplaced { contacts, rows, worst } = Misplaced::new(world, contacts);
        if worst <= OVERLAP {
            break;
        }
        let Some(problem) = problem(world, &contacts, &rows, resolution) else { break };
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
        let moves: Vec<Twist> = found.response.bodies.iter().map(assemble::twist).collect();
        let part = match reach {
            Reach::Beside => 1.0,
            Reach::Bounded(_) => (0.5 * margin / longest(world, &moves)).min(1.0),
        };
        let mut farthest = 0.0_f64;
        for (i, moved) in moves.iter().enumerate() {
            world.state.poses[i] = world.state.poses[i].moved(moved, part);
            farthest = farthest.max(moved.linear.length() / least).max(moved.angular.length());
        }
        if farthest * farthest <= OVERLAP {
            break;
        }
    }
    events
}

/// How far a point of any body moves at most (m).
fn longest(world: &World, moves: &[Twist]) -> f64 {
    let far = |(moved, body): (&Twist, &Body)| {
        moved.linear.length() + moved.angular.length() * body.bounding_radius()
    };
    moves.iter().zip(&world.bodies).filter(|(_, body)| body.is_free()).map(far).fold(0.0, f64::max)
}

/// The islands in which something is to be repaired.
struct Misplaced {
    contacts: Vec<Contact>,
    /// Rows of joints that know a position.
    rows: Vec<JointEntry>,
    /// The worst overlap, part of the smaller body, or drift (m or rad).
    worst: f64,
}

impl Misplaced {
    fn new(world: &World, mut contacts: Vec<Contact>) -> Self {
        let mut rows = joint_rows(world, &world.state);
        rows.retain(|e| matches!(e.row.rule, RowRule::Equal | RowRule::AtLeast));
        let mut islands = connected(world, &contacts);
        let mut misplaced = vec![false; world.bodies.len()];
        let mut worst = 0.0_f64;
        let overlap = |c: &Contact| -c.touch.geometry.gap / size(world, c);
        let of_contacts = contacts.iter().map(|c| (c.a, overlap(c)));
        // The body of a row that forces move determines its island.
        let mover = |e: &JointEntry| e.b.filter(|_| !world.bodies[e.a].is_free()).unwrap_or(e.a);
        for (body, off) in of_contacts.chain(rows.iter().map(|e| (mover(e), drift(e)))) {
            worst = worst.max(off);
            misplaced[islands.of(body)] |= off > OVERLAP;
        }
        contacts.retain(|c| misplaced[islands.of(c.a)]);
        rows.retain(|e| misplaced[islands.of(mover(e))]);
        Misplaced { contacts, rows, worst }
    }
}

/// The least move after which nothing overlaps and joints are together; none if its numbers are
/// not finite.
fn problem(
    world: &World,
    contacts: &[Contact],
    rows: &[JointEntry],
    resolution: f64,
) -> Option<ContactProblem> {
    let law = |c: &Contact| {
        let geometry = &c.touch.geometry;
        ContactLaw { friction: Friction::Frictionless, bias: geometry.normal * geometry.gap }
    };
    let laws = Laws {
        level: Level::FirstOrder,
        free: &vec![Twist::ZERO; world.bodies.len()],
        resting: &[],
        contacts: contacts.iter().map(law).collect(),
        rows: rows.iter().map(|entry| Some(entry.row.error)).collect(),
        duration: 1.0,
        resolution,
    };
    let snapshot = Snapshot { state: &world.state, contacts, rows };
    Some(assemble::assemble(world, &snapshot, &laws).ok()?.problem)
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

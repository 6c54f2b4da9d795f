//! Which contact forces of a frame are the only possible ones.
//!
//! The judge examines, island by island, a problem of accelerations that the forces of
//! the frame solve by construction: bodies that would accelerate against them by just as much
//! as they push. All responses are then zero and the modes are those of the frame, whatever
//! stepper it is from. Where it is undecided, other forces that do the same are sought, and
//! it examines the mean of both. Contacts that only touch are examined too; those that are apart,
//! or part, carry no force, which is unique.

use crate::assemble::{self, JointEntry, joint_rows, push, tangents};
use crate::frame::Frame;
use crate::islands::connected_pairs;
use crate::joint::RowRule;
use crate::report::{ContactRecord, JointRecord, Mode};
use crate::world::{BodyId, State, World};
use glam::DVec3;
use std::collections::BTreeMap;
use stiction_geometry::Twist;
use stiction_solvers::judge::{Uniqueness, determinacy, judge};
use stiction_solvers::{
    self as solvers, Auto, ContactForce, ContactProblem, ContactSolver, Forces, Friction, Level,
    Row, Selection,
};

/// Contacts of an island at most. Beyond, the null space of a thousand unknowns takes longer
/// than the step that the frame is from, and the answer is [`Uniqueness::Undecided`].
pub const LARGEST_ISLAND: usize = 200;

/// A contact without force touches if its gap, and what is added to it in a second, are
/// below this fraction of its first body's size.
const TOUCHES: f64 = 1e-6;

/// Motors and dry friction this near to their greatest force (relative) give way.
const AT_LIMIT: f64 = 1e-9;

/// What is unique, one per contact of a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unique {
    /// Of the whole force.
    pub forces: Vec<Uniqueness>,
    /// Of the normal force alone.
    pub normals: Vec<Uniqueness>,
}

/// Which contact forces of a frame of this world are unique.
pub fn uniqueness(world: &World, frame: &Frame) -> Unique {
    let count = frame.contacts.len();
    let unique = || vec![Uniqueness::Unique; count];
    let mut found = Unique { forces: unique(), normals: unique() };
    let bodies = balanced(world, frame);
    let rows = held_rows(world, frame);
    for contacts in touching(world, frame) {
        let verdicts = island(world, frame, &bodies, &rows, &contacts);
        for (k, &i) in contacts.iter().enumerate() {
            let of = |all: &[Uniqueness]| all.get(k).copied().unwrap_or(Uniqueness::Undecided);
            (found.forces[i], found.normals[i]) = (of(&verdicts.forces), of(&verdicts.normals));
        }
    }
    found
}

/// Contacts that touch, by island.
fn touching(world: &World, frame: &Frame) -> Vec<Vec<usize>> {
    let pairs = frame.contacts.iter().map(|contact| (contact.key.a.index(), contact.key.b.index()));
    let mut islands = connected_pairs(world, pairs);
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, contact) in frame.contacts.iter().enumerate() {
        if contact.mode != Mode::Open || touches(world, &frame.state, contact) {
            found.entry(islands.of(contact.key.a.index())).or_default().push(i);
        }
    }
    found.into_values().collect()
}

/// Whether a contact without force could have some without moving.
fn touches(world: &World, state: &State, contact: &ContactRecord) -> bool {
    let [a, b] = contact.key.bodies().map(BodyId::index);
    let velocity = |body: usize| {
        let (pose, twist) = (&state.poses[body], &state.twists[body]);
        twist.linear + twist.angular.cross(contact.point - pose.position)
    };
    let opens = contact.normal.dot(velocity(a) - velocity(b));
    contact.gap.max(opens) <= TOUCHES * world.bodies[a].bounding_radius()
}

/// The bodies as a problem knows them, accelerating against the contact forces of the frame.
fn balanced(world: &World, frame: &Frame) -> Vec<solvers::Body> {
    let state = &frame.state;
    let mut free = vec![Twist::ZERO; world.bodies.len()];
    for contact in &frame.contacts {
        let force = contact.normal_force * contact.normal + contact.friction_force;
        for (body, force) in [(contact.key.a.index(), -force), (contact.key.b.index(), force)] {
            let torque = (contact.point - state.poses[body].position).cross(force);
            let [f, t] = [force, torque];
            push(world, state, body, &[f.x, f.y, f.z, t.x, t.y, t.z], &mut free);
        }
    }
    assemble::bodies(world, &state.poses, &free)
}

/// Rows of joints that hold: their forces are whatever is needed.
fn held_rows(world: &World, frame: &Frame) -> Vec<JointEntry> {
    let mut rows = joint_rows(world, &frame.state);
    rows.retain(|entry| holds(entry, frame.joints.get(entry.joint)));
    rows
}

fn holds(entry: &JointEntry, record: Option<&JointRecord>) -> bool {
    let drive = record.map_or(0.0, |record| record.drive.abs());
    match entry.row.rule {
        RowRule::Equal => true,
        RowRule::AtLeast => drive > 0.0,
        RowRule::Motor { greatest } | RowRule::Friction { greatest } => {
            drive < greatest * (1.0 - AT_LIMIT)
        }
    }
}

/// The verdict of the judge on these contacts; empty where it is not called.
fn island(
    world: &World,
    frame: &Frame,
    bodies: &[solvers::Body],
    rows: &[JointEntry],
    contacts: &[usize],
) -> Unique {
    if contacts.len() > LARGEST_ISLAND {
        return Unique::default();
    }
    let mut members = Members::default();
    let made: Vec<_> = contacts.iter().map(|&i| &frame.contacts[i]).collect();
    let problem_contacts = made.iter().map(|contact| members.contact(world, contact)).collect();
    let bilateral: Vec<Row> = members.rows(world, rows);
    let parts = members.all.iter().map(|&body| bodies[body].clone()).collect();
    let count = bilateral.len();
    let problem =
        ContactProblem::new(Level::Acceleration, parts, problem_contacts, bilateral, Vec::new());
    let Ok(problem) = problem else { return Unique::default() };
    let force = |contact: &&ContactRecord| ContactForce {
        normal: contact.normal_force,
        friction: contact.friction_force.to_array(),
    };
    let forces = Forces {
        contacts: made.iter().map(force).collect(),
        bilateral: vec![0.0; count],
        bounded: Vec::new(),
    };
    let mut verdict = determinacy(&problem, &forces);
    if verdict.contacts.contains(&Uniqueness::Undecided)
        && let Some(between) = between(&problem, &forces)
    {
        verdict = determinacy(&problem, &between);
    }
    Unique { forces: verdict.contacts, normals: verdict.normals }
}

/// The mean of these forces and the minimum-norm forces with the same effect, if that is an answer too. It
/// is farther from all limits, so that the judge can say more: of a table on two of its four
/// legs it cannot decide whether the others could bear load, on four it can.
fn between(problem: &ContactProblem, forces: &Forces) -> Option<Forces> {
    let solved = Auto::selecting(Selection::Smallest).solve(problem).ok()?;
    if solved.is_impulse() {
        return None;
    }
    let smallest = solved.forces;
    let middle = |(one, other): (&f64, &f64)| f64::midpoint(*one, *other);
    let contacts =
        forces.contacts.iter().zip(&smallest.contacts).map(|(one, other)| ContactForce {
            normal: f64::midpoint(one.normal, other.normal),
            friction: std::array::from_fn(|k| f64::midpoint(one.friction[k], other.friction[k])),
        });
    let between = Forces {
        contacts: contacts.collect(),
        bilateral: forces.bilateral.iter().zip(&smallest.bilateral).map(middle).collect(),
        bounded: Vec::new(),
    };
    judge(problem, &between).is_certified().then_some(between)
}

/// Bodies of an island, numbered as they are met.
#[derive(Default)]
struct Members {
    all: Vec<usize>,
    numbers: BTreeMap<usize, usize>,
}

impl Members {
    fn number(&mut self, body: usize) -> usize {
        let next = self.all.len();
        let number = *self.numbers.entry(body).or_insert(next);
        if number == next {
            self.all.push(body);
        }
        number
    }

    fn contact(&mut self, world: &World, contact: &ContactRecord) -> solvers::Contact {
        let [a, b] = contact.key.bodies().map(BodyId::index);
        solvers::Contact {
            a: self.number(a),
            b: Some(self.number(b)),
            point: contact.point.to_array(),
            normal: contact.normal.to_array(),
            friction: law(contact),
            tangents: tangents(world, contact.normal),
            bias: [0.0; 3],
        }
    }

    /// Rows of joints on free bodies of the island, and of joints that these lead to.
    fn rows(&mut self, world: &World, rows: &[JointEntry]) -> Vec<Row> {
        let mut left: Vec<&JointEntry> = rows.iter().collect();
        let mut made = Vec::new();
        loop {
            let here =
                |body: usize| world.bodies[body].is_free() && self.numbers.contains_key(&body);
            let (now, later): (Vec<_>, Vec<_>) =
                left.into_iter().partition(|row| here(row.a) || row.b.is_some_and(here));
            if now.is_empty() {
                return made;
            }
            for JointEntry { a, b, row, .. } in now {
                let (a, b) = (self.number(*a), b.map(|b| self.number(b)));
                made.push(Row { a, on_a: row.on_a, b, on_b: row.on_b, bias: 0.0 });
            }
            left = later;
        }
    }
}

/// The law of a contact as it is: slipping ones rub along their slip, others hold up to the limit.
fn law(contact: &ContactRecord) -> Friction {
    let [static_friction, dynamic_friction] = contact.friction;
    let across = contact.slip - contact.normal * contact.normal.dot(contact.slip);
    match across.try_normalize() {
        Some(direction) if contact.mode == Mode::Slip => {
            let direction = DVec3::to_array(&direction);
            Friction::Sliding { friction: dynamic_friction, direction }
        }
        _ if static_friction > 0.0 => Friction::Static { friction: static_friction },
        _ => Friction::Frictionless,
    }
}

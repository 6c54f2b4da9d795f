//! From one instant of a world to a contact problem.
//!
//! A [`Snapshot`] says where bodies, contacts and rows of joints are, [`Laws`] say what holds
//! there at one [`Level`]; [`assemble`] makes the problem of both. No other place of the crate
//! makes one, except the judges of motion and uniqueness, which share nothing with steppers.

use crate::detect::Contact;
use crate::joint::{JointRow, RowRule};
use crate::world::{State, World};
use glam::DVec3;
use stiction_geometry::{Pose, Twist};
use stiction_solvers as solvers;
use stiction_solvers::{BoundedRow, ContactProblem, Friction, Level, ProblemError, Row, Tangents};

/// A row of a joint and the joint it belongs to.
#[derive(Clone, Debug)]
pub(crate) struct JointEntry {
    pub joint: usize,
    pub a: usize,
    pub b: Option<usize>,
    pub row: JointRow,
}

impl JointEntry {
    /// Whether one of its bodies is among these.
    pub(crate) fn is_of(&self, bodies: &[bool]) -> bool {
        bodies[self.a] || self.b.is_some_and(|b| bodies[b])
    }

    /// Velocity along the row.
    pub(crate) fn rate(&self, twists: &[Twist]) -> f64 {
        let on = |wrench: &[f64; 6], i: usize| dot(wrench, &twists[i]);
        on(&self.row.on_a, self.a) + self.b.map_or(0.0, |b| on(&self.row.on_b, b))
    }

    /// The part of it that driven bodies have: the force of the row works against it.
    pub(crate) fn carried(&self, world: &World, twists: &[Twist]) -> f64 {
        let of = |wrench: &[f64; 6], i: usize| {
            if world.bodies[i].is_free() { 0.0 } else { dot(wrench, &twists[i]) }
        };
        of(&self.row.on_a, self.a) + self.b.map_or(0.0, |b| of(&self.row.on_b, b))
    }
}

/// `[force; torque]` on a twist.
pub(crate) fn dot(wrench: &[f64; 6], twist: &Twist) -> f64 {
    let [force, torque] = halves(wrench);
    force.dot(twist.linear) + torque.dot(twist.angular)
}

/// The two halves of a wrench or twist.
pub(crate) fn halves(six: &[f64; 6]) -> [DVec3; 2] {
    [DVec3::from_slice(&six[..3]), DVec3::from_slice(&six[3..])]
}

/// A twist as six numbers.
pub(crate) fn six(twist: &Twist) -> [f64; 6] {
    let (v, w) = (twist.linear, twist.angular);
    [v.x, v.y, v.z, w.x, w.y, w.z]
}

/// Six numbers as a twist.
pub(crate) fn twist(six: &[f64; 6]) -> Twist {
    let [linear, angular] = halves(six);
    Twist { linear, angular }
}

/// The rows of all joints in a state: as many in every state. A joint of two bodies that no force
/// moves has none.
pub(crate) fn joint_rows(world: &World, state: &State) -> Vec<JointEntry> {
    let mut entries = Vec::new();
    let mut rows = Vec::new();
    let moves = |i: usize| world.bodies[i].is_free();
    let joints = world.joints.iter().enumerate();
    for (index, joint) in joints.filter(|(_, j)| moves(j.a.index()) || j.other().is_some_and(moves))
    {
        rows.clear();
        let at = |i: usize| (&state.poses[i], &state.twists[i]);
        let b = joint.other().map_or((&Pose::IDENTITY, &Twist::ZERO), at);
        joint.rows(at(joint.a.index()), b, state.time, state.turns[index], &mut rows);
        let entry =
            |row: JointRow| JointEntry { joint: index, a: joint.a.index(), b: joint.other(), row };
        entries.extend(rows.drain(..).filter(|row| acts(world, row)).map(entry));
    }
    entries
}

/// Whether a row can move anything: those across the plane of a planar world cannot.
fn acts(world: &World, row: &JointRow) -> bool {
    let Some(normal) = world.plane else { return true };
    [&row.on_a, &row.on_b].into_iter().any(|wrench| {
        let [force, torque] = halves(wrench);
        let along = (force - normal * normal.dot(force)).length();
        along.max(normal.dot(torque).abs()) > ACROSS
    })
}

/// What is left in the plane of a row across it: rounding.
const ACROSS: f64 = 1e-9;

/// Accelerations that the given forces of joint motors cause, added to `to`.
pub(crate) fn add_motor_forces(world: &World, state: &State, to: &mut [Twist]) {
    for joint in &world.joints {
        let pose = |i: usize| state.poses[i];
        let b = joint.other().map_or(Pose::IDENTITY, pose);
        if let Some((on_a, on_b)) = joint.applied(&pose(joint.a.index()), &b, state.time) {
            push(world, state, joint.a.index(), &on_a, to);
            if let Some(b) = joint.other() {
                push(world, state, b, &on_b, to);
            }
        }
    }
}

/// Work per time that the given forces of joint motors do on bodies that forces move, and driven bodies
/// on springs (W).
pub(crate) fn motor_power(world: &World, state: &State) -> f64 {
    let power = |joint: &crate::joint::Joint| {
        let pose = |i: usize| state.poses[i];
        let b = joint.other().map_or(Pose::IDENTITY, pose);
        let Some((on_a, on_b)) = joint.applied(&pose(joint.a.index()), &b, state.time) else {
            return 0.0;
        };
        let of = |wrench: &[f64; 6], i: usize| {
            if world.bodies[i].is_free() { dot(wrench, &state.twists[i]) } else { 0.0 }
        };
        of(&on_a, joint.a.index()) + joint.other().map_or(0.0, |b| of(&on_b, b))
    };
    world.joints.iter().map(power).sum::<f64>() + world.power_into_springs(state)
}

/// Adds the accelerations that the force of a row causes.
pub(crate) fn push_row(
    world: &World,
    state: &State,
    entry: &JointEntry,
    force: f64,
    to: &mut [Twist],
) {
    push(world, state, entry.a, &entry.row.on_a.map(|x| force * x), to);
    if let Some(b) = entry.b {
        push(world, state, b, &entry.row.on_b.map(|x| force * x), to);
    }
}

/// Adds the acceleration that a wrench on a body causes.
pub(crate) fn push(world: &World, state: &State, body: usize, wrench: &[f64; 6], to: &mut [Twist]) {
    let mobility = world.mobility(body, &state.poses[body]);
    let [force, torque] = halves(wrench);
    to[body].linear += mobility.linear * force;
    to[body].angular += mobility.angular * torque;
}

/// The bodies of a problem: where they are, how they answer, and what they do freely.
pub(crate) fn bodies(world: &World, poses: &[Pose], free: &[Twist]) -> Vec<solvers::Body> {
    let body = |(i, pose): (usize, &Pose)| {
        let mobility = world.mobility(i, pose);
        let mut inverse_inertia = [[0.0; 6]; 6];
        for r in 0..3 {
            for c in 0..3 {
                // The mean of the two keeps what the inverse rounds apart symmetric.
                let angular = 0.5 * (mobility.angular.col(c)[r] + mobility.angular.col(r)[c]);
                inverse_inertia[r][c] = mobility.linear.col(c)[r];
                inverse_inertia[3 + r][3 + c] = angular;
            }
        }
        let position = pose.position.to_array();
        solvers::Body::with_inverse_inertia(inverse_inertia, position)
            .with_free_response(six(&free[i]))
    };
    poses.iter().enumerate().map(body).collect()
}

/// Where friction may point: along the plane of a planar world.
pub(crate) fn tangents(world: &World, normal: DVec3) -> Tangents {
    let line = |plane: DVec3| Tangents::Line(plane.cross(normal).normalize().to_array());
    world.plane.map_or(Tangents::Plane, line)
}

/// The law of a contact between bodies that slip with `slip` (m/s): sticking ones
/// hold up to the static limit, slipping ones rub with the dynamic one.
pub(crate) fn coulomb(contact: &Contact, slips: bool) -> Friction {
    let material = contact.material;
    if material.static_friction == 0.0 {
        return Friction::Frictionless;
    }
    let dynamic_friction = material.dynamic_friction;
    let static_friction = if slips { dynamic_friction } else { material.static_friction };
    if static_friction == 0.0 {
        return Friction::Frictionless;
    }
    Friction::Coulomb { static_friction, dynamic_friction }
}

/// One instant of a world: bodies, the contacts that take part, and the rows of all joints.
#[derive(Clone, Copy)]
pub(crate) struct Snapshot<'a> {
    /// Poses and velocities.
    pub state: &'a State,
    /// With the geometry that they have at that instant.
    pub contacts: &'a [Contact],
    pub rows: &'a [JointEntry],
}

/// What holds in a snapshot, and what bodies do if nothing touches or holds them.
pub(crate) struct Laws<'a> {
    pub level: Level,
    /// Responses without contacts and joints, one per body.
    pub free: &'a [Twist],
    /// Bodies that no force moves, beside those that never are; none if empty.
    pub resting: &'a [bool],
    /// One per contact.
    pub contacts: Vec<ContactLaw>,
    /// What is added to the response of each row; rows without take no part.
    pub rows: Vec<Option<f64>>,
    /// How long forces act: turns greatest forces of rows into impulses (s); 1 for forces.
    pub duration: f64,
    /// The response that counts as rounding ([`ContactProblem::with_resolution`]).
    pub resolution: f64,
}

/// What holds at a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactLaw {
    pub friction: Friction,
    /// What is added to its response.
    pub bias: DVec3,
}

/// A problem, and which of its rows each row of a joint became.
pub(crate) struct Assembled {
    pub problem: ContactProblem,
    pub places: Vec<Option<RowIndex>>,
}

impl Assembled {
    /// The forces of all rows of joints: zero of those that take no part.
    pub(crate) fn row_forces(&self, forces: &solvers::Forces) -> Vec<f64> {
        row_forces(&self.places, forces)
    }
}

/// The forces of rows of joints that became these rows of a problem.
pub(crate) fn row_forces(places: &[Option<RowIndex>], forces: &solvers::Forces) -> Vec<f64> {
    let force = |place: &Option<RowIndex>| place.map_or(0.0, |place| place.force(forces));
    places.iter().map(force).collect()
}

/// Which row of a problem a row of a joint became.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RowIndex {
    Bilateral(usize),
    Bounded(usize),
}

impl RowIndex {
    /// Its force.
    pub(crate) fn force(self, forces: &solvers::Forces) -> f64 {
        match self {
            RowIndex::Bilateral(i) => forces.bilateral[i],
            RowIndex::Bounded(i) => forces.bounded[i],
        }
    }
}

/// The problem of a snapshot under these laws.
pub(crate) fn assemble(
    world: &World,
    snapshot: &Snapshot<'_>,
    laws: &Laws<'_>,
) -> Result<Assembled, ProblemError> {
    let mut bodies = bodies(world, &snapshot.state.poses, laws.free);
    for (body, _) in bodies.iter_mut().zip(laws.resting).filter(|(_, rests)| **rests) {
        *body = solvers::Body::fixed(body.position);
    }
    let contacts = snapshot.contacts.iter().zip(&laws.contacts);
    let contacts = contacts.map(|(contact, law)| self::contact(world, contact, law)).collect();
    let Rows { bilateral, bounded, places } = sort_rows(snapshot.rows, laws);
    let problem = ContactProblem::new(laws.level, bodies, contacts, bilateral, bounded)?;
    Ok(Assembled { problem: problem.with_resolution(laws.resolution), places })
}

/// A contact of a problem.
fn contact(world: &World, contact: &Contact, law: &ContactLaw) -> solvers::Contact {
    let geometry = &contact.touch.geometry;
    solvers::Contact {
        a: contact.a,
        b: Some(contact.b),
        point: geometry.point.to_array(),
        normal: geometry.normal.to_array(),
        friction: law.friction,
        tangents: tangents(world, geometry.normal),
        bias: law.bias.to_array(),
    }
}

/// The rows of a problem, and which of them each row of a joint became.
#[derive(Default)]
struct Rows {
    bilateral: Vec<Row>,
    bounded: Vec<BoundedRow>,
    places: Vec<Option<RowIndex>>,
}

fn sort_rows(entries: &[JointEntry], laws: &Laws<'_>) -> Rows {
    let mut rows = Rows::default();
    for (entry, bias) in entries.iter().zip(&laws.rows) {
        let place = bias.map(|bias| rows.push(entry, bias, laws.duration));
        rows.places.push(place);
    }
    rows
}

impl Rows {
    fn push(&mut self, entry: &JointEntry, bias: f64, duration: f64) -> RowIndex {
        let JointEntry { a, b, row, .. } = entry;
        let made = Row { a: *a, on_a: row.on_a, b: *b, on_b: row.on_b, bias };
        let [lower, upper] = match row.rule {
            RowRule::Equal => {
                self.bilateral.push(made);
                return RowIndex::Bilateral(self.bilateral.len() - 1);
            }
            RowRule::AtLeast => [0.0, f64::INFINITY],
            RowRule::Motor { greatest } | RowRule::Friction { greatest } => {
                [-greatest * duration, greatest * duration]
            }
        };
        self.bounded.push(BoundedRow { row: made, lower, upper });
        RowIndex::Bounded(self.bounded.len() - 1)
    }
}

//! A frame: all that is known at one instant of a run, and its bytes.
//!
//! Recordings keep frames, the viewer draws them, exporters write them down;
//! `docs/frames.md` is the layout of the bytes.

mod bytes;

use crate::detect::ContactKey;
use crate::journal::{Impulse, Waypoint};
use crate::motion::FrameVerdict;
use crate::report::{
    ContactRecord, EnergyLedger, Event, EventKind, JointRecord, Mode, Reason, Report,
};
use crate::world::{BodyId, JointId, State, World};
use bytes::{Reader, Writer};
use glam::DQuat;
use std::collections::BTreeMap;
use stiction_geometry::{Pose, Twist};
pub use stiction_solvers::judge::Uniqueness;

/// All that is known at one instant of a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Frame {
    /// Number in its run; frame 0 is the start.
    pub index: u64,
    /// Where everything is and how it moves.
    pub state: State,
    /// Contacts with their forces.
    pub contacts: Vec<ContactRecord>,
    /// Whether the force of each contact is unique; empty if it was not examined.
    pub unique: Vec<Uniqueness>,
    /// One per joint.
    pub joints: Vec<JointRecord>,
    /// What happened since the frame before.
    pub events: Vec<Event>,
    /// Worst relative residual of all answers since the frame before.
    pub residual: f64,
    /// Whether all of them were certified.
    pub certified: bool,
    /// Problems solved since the frame before.
    pub solves: u32,
    /// Where the energy is.
    pub ledger: EnergyLedger,
    /// What each body received since the frame before, and last the world outside.
    pub impulses: Vec<Impulse>,
    /// Where bodies were since the frame before, where two frames do not determine it.
    pub waypoints: Vec<Waypoint>,
    /// How many answers each method gave since the frame before, by name.
    pub answers: BTreeMap<String, u64>,
    /// What it is worth by the laws of motion.
    pub verdict: FrameVerdict,
}

/// Bytes that are no frame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a frame of {length} bytes {fault}")]
pub struct FrameError {
    length: usize,
    fault: &'static str,
}

impl Frame {
    /// The start of a run.
    pub fn first(world: &World) -> Self {
        let report =
            Report { certified: true, ledger: EnergyLedger::open(world), ..Report::default() };
        Frame::capture(0, world, report)
    }

    /// What a step left behind.
    pub fn capture(index: u64, world: &World, report: Report) -> Self {
        let mut joints = report.joints;
        joints.resize(world.joints.len(), JointRecord::default());
        let mut impulses = report.journal.impulses;
        impulses.resize(world.bodies.len() + 1, Impulse::default());
        let answers = report.answers.into_iter();
        Frame {
            index,
            state: world.state.clone(),
            contacts: report.contacts,
            unique: Vec::new(),
            joints,
            events: report.events,
            residual: report.residual,
            certified: report.certified,
            solves: u32::try_from(report.solves).unwrap_or(u32::MAX),
            ledger: report.ledger,
            impulses,
            waypoints: report.journal.waypoints,
            answers: answers.map(|(name, count)| (name.to_owned(), count as u64)).collect(),
            verdict: FrameVerdict::default(),
        }
    }

    /// Its bytes.
    pub fn encode(&self) -> Vec<u8> {
        self.encode_over(Vec::new())
    }

    /// Its bytes, in the place of others.
    pub(crate) fn encode_over(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.clear();
        let mut to = Writer { bytes };
        to.u64(self.index);
        to.f64(self.state.time);
        to.u64(self.state.hash());
        to.pair(self.state.poses.len(), self.joints.len());
        to.pair(self.contacts.len(), self.events.len());
        to.pair(self.solves as usize, self.flags());
        to.f64(self.residual);
        let EnergyLedger { kinetic, potential, work, friction, impacts, start, turnover } =
            self.ledger;
        to.numbers(&[kinetic, potential, work, friction, impacts, start, turnover]);
        to.pair(self.waypoints.len(), self.answers.len());
        to.numbers(&self.verdict.worst);
        for (pose, twist) in self.state.poses.iter().zip(&self.state.twists) {
            to.vector(pose.position);
            to.numbers(&pose.rotation.to_array());
            to.vector(twist.linear);
            to.vector(twist.angular);
        }
        for impulse in &self.impulses {
            to.vector(impulse.linear);
            to.vector(impulse.angular);
        }
        for (joint, turn) in self.joints.iter().zip(&self.state.turns) {
            to.vector(joint.force);
            to.vector(joint.torque);
            to.numbers(&[joint.drive, joint.coordinate.unwrap_or(f64::NAN), *turn]);
        }
        for (i, contact) in self.contacts.iter().enumerate() {
            encode_contact(&mut to, contact, self.unique.get(i).copied());
        }
        for event in &self.events {
            encode_event(&mut to, event);
        }
        for waypoint in &self.waypoints {
            encode_waypoint(&mut to, waypoint);
        }
        for (name, count) in &self.answers {
            to.name(name);
            to.u64(*count);
        }
        to.bytes
    }

    /// Bit 0: every answer is certified. From bit 8 on: bounds of the laws that are broken.
    fn flags(&self) -> usize {
        let broken = self.verdict.broken.iter().enumerate();
        let laws: usize = broken.map(|(k, broken)| usize::from(*broken) << (LAWS + k)).sum();
        usize::from(self.certified) | laws
    }

    /// Reads bytes.
    ///
    /// # Errors
    ///
    /// [`FrameError`] if they are too few, too many, or say what cannot be.
    pub fn decode(bytes: &[u8]) -> Result<Self, FrameError> {
        let fault = |fault| FrameError { length: bytes.len(), fault };
        let mut from = Reader::new(bytes);
        let frame = read(&mut from).ok_or_else(|| fault("ends early or says what cannot be"))?;
        if !from.at_end() {
            return Err(fault("has bytes after its end"));
        }
        Ok(frame)
    }
}

/// The first bit of the laws in the flags of a frame.
const LAWS: usize = 8;

fn read(from: &mut Reader<'_>) -> Option<Frame> {
    let (index, time, hash) = (from.u64()?, from.f64()?, from.u64()?);
    let [bodies, joint_count] = from.pair()?;
    let [contact_count, event_count] = from.pair()?;
    let [solves, flags] = from.pair()?;
    let residual = from.f64()?;
    let [kinetic, potential, work, friction, impacts, start, turnover] = from.numbers()?;
    let ledger = EnergyLedger { kinetic, potential, work, friction, impacts, start, turnover };
    let [waypoint_count, answer_count] = from.pair()?;
    let worst = from.numbers()?;
    let mut state = State { time, poses: vec![], twists: vec![], turns: vec![] };
    for _ in 0..bodies {
        let (position, rotation) = (from.vector()?, DQuat::from_array(from.numbers()?));
        state.poses.push(Pose { position, rotation });
        state.twists.push(Twist { linear: from.vector()?, angular: from.vector()? });
    }
    let mut impulses = Vec::new();
    for _ in 0..=bodies {
        impulses.push(Impulse { linear: from.vector()?, angular: from.vector()? });
    }
    let mut joints = Vec::new();
    for _ in 0..joint_count {
        let (force, torque) = (from.vector()?, from.vector()?);
        let [drive, coordinate, turn] = from.numbers()?;
        joints.push(JointRecord { force, torque, drive, coordinate: known(coordinate) });
        state.turns.push(turn);
    }
    let (mut contacts, mut unique) = (Vec::new(), Vec::new());
    for _ in 0..contact_count {
        let (contact, is_unique) = read_contact(from, bodies)?;
        contacts.push(contact);
        unique.extend(is_unique);
    }
    let events = (0..event_count).map(|_| read_event(from)).collect::<Option<_>>()?;
    let waypoints =
        (0..waypoint_count).map(|_| read_waypoint(from, bodies)).collect::<Option<_>>()?;
    let mut answers = BTreeMap::new();
    for _ in 0..answer_count {
        answers.insert(from.name()?, from.u64()?);
    }
    let broken = std::array::from_fn(|k| flags >> (LAWS + k) & 1 == 1);
    let examined = unique.len() == contacts.len();
    (state.hash() == hash && (examined || unique.is_empty())).then_some(Frame {
        index,
        state,
        contacts,
        unique,
        joints,
        events,
        residual,
        certified: flags & 1 == 1,
        solves: solves as u32,
        ledger,
        impulses,
        waypoints,
        answers,
        verdict: FrameVerdict { worst, broken },
    })
}

fn known(number: f64) -> Option<f64> {
    (!number.is_nan()).then_some(number)
}

/// Numbers of the modes and of uniqueness in frames.
const MODES: [Mode; 3] = [Mode::Open, Mode::Stick, Mode::Slip];
const UNIQUE: [Option<Uniqueness>; 4] =
    [None, Some(Uniqueness::Unique), Some(Uniqueness::NotUnique), Some(Uniqueness::Undecided)];

fn encode_contact(to: &mut Writer, contact: &ContactRecord, unique: Option<Uniqueness>) {
    let ContactKey { a, b, feature } = contact.key;
    to.pair(a.index(), b.index());
    to.u64(feature);
    to.vector(contact.point);
    to.vector(contact.normal);
    to.numbers(&[contact.gap, contact.normal_force]);
    to.vector(contact.friction_force);
    to.f64(contact.normal_impulse);
    to.vector(contact.friction_impulse);
    to.vector(contact.slip);
    to.f64(contact.margin.unwrap_or(f64::NAN));
    to.numbers(&contact.friction);
    let mode = MODES.iter().position(|mode| *mode == contact.mode);
    let unique = UNIQUE.iter().position(|word| *word == unique);
    to.pair(mode.unwrap_or_default(), unique.unwrap_or_default());
}

fn read_contact(
    from: &mut Reader<'_>,
    bodies: usize,
) -> Option<(ContactRecord, Option<Uniqueness>)> {
    let ([a, b], feature) = (from.pair()?, from.u64()?);
    let (point, normal) = (from.vector()?, from.vector()?);
    let [gap, normal_force] = from.numbers()?;
    let friction_force = from.vector()?;
    let (normal_impulse, friction_impulse) = (from.f64()?, from.vector()?);
    let (slip, margin, friction) = (from.vector()?, known(from.f64()?), from.numbers()?);
    let [mode, unique] = from.pair()?;
    let contact = ContactRecord {
        key: ContactKey::of(a, b, feature),
        point,
        normal,
        gap,
        normal_force,
        friction_force,
        normal_impulse,
        friction_impulse,
        slip,
        mode: *MODES.get(mode)?,
        margin,
        friction,
    };
    (a < bodies && b < bodies).then_some((contact, *UNIQUE.get(unique)?))
}

fn encode_waypoint(to: &mut Writer, waypoint: &Waypoint) {
    to.pair(waypoint.body.index(), 0);
    to.f64(waypoint.time);
    to.vector(waypoint.pose.position);
    to.numbers(&waypoint.pose.rotation.to_array());
    for twist in [waypoint.before, waypoint.after] {
        to.vector(twist.linear);
        to.vector(twist.angular);
    }
}

fn read_waypoint(from: &mut Reader<'_>, bodies: usize) -> Option<Waypoint> {
    let ([body, _], time) = (from.pair()?, from.f64()?);
    let (position, rotation) = (from.vector()?, DQuat::from_array(from.numbers()?));
    let pose = Pose { position, rotation };
    let before = Twist { linear: from.vector()?, angular: from.vector()? };
    let after = Twist { linear: from.vector()?, angular: from.vector()? };
    let body = (body < bodies).then(|| BodyId::from_index(body))?;
    Some(Waypoint { body, time, pose, before, after })
}

/// In place of a body, where there is none.
const NO_BODY: usize = u32::MAX as usize;

fn encode_event(to: &mut Writer, event: &Event) {
    let at = |kind, key: ContactKey, numbers: [f64; 2]| (kind, 0, key, numbers);
    let nowhere = ContactKey::of(NO_BODY, NO_BODY, 0);
    let (kind, joint, ContactKey { a, b, feature }, numbers) = match event.what {
        EventKind::Collision { contact, speed, lost } => at(0, contact, [speed, lost]),
        EventKind::Parts(contact) => at(1, contact, [0.0; 2]),
        EventKind::Sticks(contact) => at(2, contact, [0.0; 2]),
        EventKind::Slips(contact) => at(3, contact, [0.0; 2]),
        EventKind::Moves(contact) => at(4, contact, [0.0; 2]),
        EventKind::Impulse { contact, size, lost } => at(5, contact, [size, lost]),
        EventKind::Joint(joint) => (6, joint.index(), nowhere, [0.0; 2]),
        EventKind::RestitutionReduced { factor } => at(7, nowhere, [factor, 0.0]),
        EventKind::Uncertified { residual } => at(8, nowhere, [residual, 0.0]),
        EventKind::FellBack { duration, reason } => {
            let number = Reason::ALL.iter().position(|known| *known == reason);
            (9, number.unwrap_or_default(), nowhere, [duration, 0.0])
        }
    };
    to.f64(event.time);
    to.pair(kind, joint);
    to.pair(a.index(), b.index());
    to.u64(feature);
    to.numbers(&numbers);
}

fn read_event(from: &mut Reader<'_>) -> Option<Event> {
    let (time, [kind, number], [a, b], feature) =
        (from.f64()?, from.pair()?, from.pair()?, from.u64()?);
    let [first, second] = from.numbers()?;
    let contact = ContactKey::of(a, b, feature);
    let what = match kind {
        0 => EventKind::Collision { contact, speed: first, lost: second },
        1 => EventKind::Parts(contact),
        2 => EventKind::Sticks(contact),
        3 => EventKind::Slips(contact),
        4 => EventKind::Moves(contact),
        5 => EventKind::Impulse { contact, size: first, lost: second },
        6 => EventKind::Joint(JointId::from_index(number)),
        7 => EventKind::RestitutionReduced { factor: first },
        8 => EventKind::Uncertified { residual: first },
        9 => EventKind::FellBack { duration: first, reason: *Reason::ALL.get(number)? },
        _ => return None,
    };
    Some(Event { time, what })
}

//! What a step reports: contacts, joints, events, certificates and the energy ledger.

use crate::assemble::{JointEntry, halves};
use crate::detect::ContactKey;
use crate::joint::{Joint, Motor, RowRule};
use crate::journal::Journal;
use crate::world::{BodyId, JointId, World};
use glam::DVec3;
use std::collections::BTreeMap;
use stiction_geometry::Pose;
use stiction_solvers::SolveError;

/// What a contact does.
pub use stiction_solvers::judge::Mode;

/// One contact at the end of a step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactRecord {
    /// Identifies it from step to step: both bodies and the features that meet.
    pub key: ContactKey,
    /// Where it is (m).
    pub point: DVec3,
    /// Unit vector from the second body into the first.
    pub normal: DVec3,
    /// Distance, negative for overlap (m).
    pub gap: f64,
    /// Force along the normal on the first body (N): now, or in time-stepping the mean of the
    /// last piece of the step.
    pub normal_force: f64,
    /// Friction force on the first body (N).
    pub friction_force: DVec3,
    /// Impulse along the normal of collisions during the step (N·s).
    pub normal_impulse: f64,
    /// Friction impulse of collisions during the step (N·s).
    pub friction_impulse: DVec3,
    /// Tangential velocity of the first body relative to the second (m/s).
    pub slip: DVec3,
    /// What it does.
    pub mode: Mode,
    /// Unused part of the friction cone, where there is force and friction.
    pub margin: Option<f64>,
    /// Static and dynamic coefficients of friction.
    pub friction: [f64; 2],
}

/// One joint at the end of a step.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct JointRecord {
    /// Force on the first body (N).
    pub force: DVec3,
    /// Torque on the first body about its centre of mass (N·m).
    pub torque: DVec3,
    /// Force (N) or torque (N·m) of motor, limit or dry friction along the free coordinate.
    pub drive: f64,
    /// The free coordinate (m or rad), for joints that have one.
    pub coordinate: Option<f64>,
}

impl ContactRecord {
    /// Force on one of its bodies (N); `None` for others.
    pub fn force_on(&self, body: BodyId) -> Option<DVec3> {
        let force = self.normal_force * self.normal + self.friction_force;
        match self.key.bodies() {
            [a, _] if a == body => Some(force),
            [_, b] if b == body => Some(-force),
            _ => None,
        }
    }
}

impl JointRecord {
    /// Every joint of a world as it stands, with the given force of its motor; those of rows are
    /// to be added.
    pub(crate) fn all(world: &World) -> Vec<JointRecord> {
        let state = &world.state;
        let record = |joint: &Joint| {
            let pose = |i: usize| state.poses[i];
            let (a, b) = (pose(joint.a.index()), joint.other().map_or(Pose::IDENTITY, pose));
            let applied = joint.applied(&a, &b, state.time);
            let [force, torque] = halves(&applied.map_or([0.0; 6], |(on_a, _)| on_a));
            let drive = match &joint.motor {
                Some(Motor::Force { value }) if applied.is_some() => value.at(state.time).value,
                _ => 0.0,
            };
            JointRecord { force, torque, drive, coordinate: joint.coordinate(&a, &b) }
        };
        world.joints.iter().map(record).collect()
    }

    /// Adds the force of one row.
    pub(crate) fn add(&mut self, world: &World, entry: &JointEntry, force: f64) {
        let [on, about] = halves(&entry.row.on_a);
        self.force += force * on;
        self.torque += force * about;
        if entry.row.rule != RowRule::Equal {
            self.drive += force;
        } else if matches!(world.joints[entry.joint].motor, Some(Motor::Position { .. })) {
            // The row of the drive is the last that holds.
            self.drive = force;
        }
    }
}

/// Something that happened at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When (s).
    pub time: f64,
    /// What.
    pub what: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventKind {
    /// Bodies collided.
    Collision {
        /// Contact that approached fastest.
        contact: ContactKey,
        /// Its speed of approach (m/s).
        speed: f64,
        /// Kinetic energy lost (J).
        lost: f64,
    },
    /// A contact that carried force opens.
    Parts(ContactKey),
    /// A slipping contact stops.
    Sticks(ContactKey),
    /// A sticking contact slips.
    Slips(ContactKey),
    /// The features that touch change.
    Moves(ContactKey),
    /// No force holds the bodies apart: an impulse acted (Baraff 1991).
    Impulse {
        /// The contact that stuck first.
        contact: ContactKey,
        /// Its normal parts at all contacts, added up (N·s).
        size: f64,
        /// Kinetic energy lost (J).
        lost: f64,
    },
    /// A joint reached its limit, or a motor its greatest force.
    Joint(JointId),
    /// Restitution was reduced in a collision with friction that would have gained energy.
    RestitutionReduced {
        /// The factor it was multiplied by.
        factor: f64,
    },
    /// An answer that the judge did not certify.
    Uncertified {
        /// What it is short of (relative).
        residual: f64,
    },
    /// The event-driven stepper gave a piece of time to time-stepping.
    FellBack {
        /// How long (s).
        duration: f64,
        /// Why.
        reason: Reason,
    },
}

impl EventKind {
    /// What it is called in reports and tables.
    pub fn name(&self) -> &'static str {
        match self {
            EventKind::Collision { .. } => "collision",
            EventKind::Parts(_) => "parts",
            EventKind::Sticks(_) => "sticks",
            EventKind::Slips(_) => "slips",
            EventKind::Moves(_) => "moves",
            EventKind::Impulse { .. } => "impulse",
            EventKind::Joint(_) => "joint",
            EventKind::RestitutionReduced { .. } => "restitution-reduced",
            EventKind::Uncertified { .. } => "uncertified",
            EventKind::FellBack { .. } => "fell-back",
        }
    }

    /// The contact it is about.
    pub fn contact(&self) -> Option<ContactKey> {
        match *self {
            EventKind::Collision { contact, .. }
            | EventKind::Parts(contact)
            | EventKind::Sticks(contact)
            | EventKind::Slips(contact)
            | EventKind::Moves(contact)
            | EventKind::Impulse { contact, .. } => Some(contact),
            _ => None,
        }
    }
}

/// Why the event-driven stepper fell back to time-stepping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The integrator's steps become shorter and shorter.
    #[error("steps without end")]
    Steps,
    /// Events follow each other ever faster.
    #[error("events without end")]
    Events,
    /// The modes read off certified forces give other accelerations.
    #[error("modes that do not cause the motion found")]
    Modes,
    /// Collisions cause collisions.
    #[error("collisions without end")]
    Collisions,
    /// Something became infinite.
    #[error("numbers that are not finite")]
    NotFinite,
    /// Where no force will do, no impulse did either.
    #[error("no force and no impulse")]
    NoImpulse,
    /// Forces that the judge does not certify are not integrated.
    #[error("forces that are not certified")]
    Uncertified,
}

impl Reason {
    /// All of them, in the order of their numbers in frames.
    pub const ALL: [Reason; 7] = [
        Reason::Steps,
        Reason::Events,
        Reason::Modes,
        Reason::Collisions,
        Reason::NotFinite,
        Reason::NoImpulse,
        Reason::Uncertified,
    ];
}

/// Where the energy is and where it went (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct EnergyLedger {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy in gravity, constant forces and springs.
    pub potential: f64,
    /// Work done so far by motors, drives and applied torques.
    pub work: f64,
    /// Heat of friction so far.
    pub friction: f64,
    /// Heat of collisions so far.
    pub impacts: f64,
    /// All energy at the start.
    pub start: f64,
    /// The largest kinetic or potential change so far: what [`EnergyLedger::error`] is measured by.
    pub turnover: f64,
}

impl EnergyLedger {
    /// What the ledger does not account for (J).
    pub fn residual(&self) -> f64 {
        self.kinetic + self.potential + self.friction + self.impacts - self.work - self.start
    }

    /// The relative energy error: the residual over the energy that was converted so far.
    pub fn error(&self) -> f64 {
        let turnover = self.turnover.max(self.friction).max(self.impacts).max(self.work.abs());
        if turnover > 0.0 { self.residual().abs() / turnover } else { 0.0 }
    }
}

/// What a step reports.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Contacts at the end of the step: those that carry force, in time-stepping also those near.
    pub contacts: Vec<ContactRecord>,
    /// One per joint.
    pub joints: Vec<JointRecord>,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// The worst relative residual of all answers used.
    pub residual: f64,
    /// Whether every answer used was certified.
    pub certified: bool,
    /// Problems solved: in time-stepping those of single clusters of bodies.
    pub solves: usize,
    /// Newton steps, pivots and steps along a path in all of them.
    pub iterations: usize,
    /// How often contacts were detected: in time-stepping of single clusters of bodies.
    pub detections: usize,
    /// What the solver does not model, where Gauss–Seidel sweeps replaced it.
    pub refusal: Option<SolveError>,
    /// Where the energy is.
    pub ledger: EnergyLedger,
    /// The impulses that bodies received, and their waypoints.
    pub journal: Journal,
    /// How many answers each method gave, by name.
    pub answers: BTreeMap<&'static str, usize>,
}

impl Report {
    /// The contacts of a body.
    pub fn contacts_of(&self, body: BodyId) -> impl Iterator<Item = &ContactRecord> {
        self.contacts.iter().filter(move |contact| contact.key.bodies().contains(&body))
    }

    /// The sum of the contact forces on a body (N).
    pub fn contact_force(&self, body: BodyId) -> DVec3 {
        self.contacts.iter().filter_map(|contact| contact.force_on(body)).sum()
    }

    /// Force and torque of a joint.
    ///
    /// # Panics
    ///
    /// If there is no such joint.
    pub fn joint(&self, id: JointId) -> &JointRecord {
        &self.joints[id.index()]
    }
}

//! What a step reports of its contacts and joints.

use super::plan::Plan;
use super::rest::Resting;
use super::substep::Piece;
use crate::detect::Contact;
use crate::impact::Impulses;
use crate::kinematics::{slip, tangential};
use crate::report::{ContactRecord, JointRecord, Mode};
use crate::world::{Body, World};
use glam::DVec3;
use stiction_solvers::ContactForce;
use stiction_solvers::judge::CERTIFIED;

/// Slower slip than this fraction of the fastest motion is reported as stick.
const STICK: f64 = 1e-9;

/// An impulse below this fraction of the strongest on both of its bodies is what rounding left of
/// nothing: its friction points anywhere.
const NOTHING: f64 = 1e-14;

/// The impulse on each body that is nothing: rounding beside the strongest, or less than what a
/// certificate leaves open, `m` times that part of the resolution (m/s). Infinite on bodies that forces do not
/// move.
fn nothing(
    world: &World,
    contacts: &[Contact],
    forces: &[ContactForce],
    resolution: f64,
) -> Vec<f64> {
    let open = |body: &Body| {
        if body.is_free() { CERTIFIED * resolution * body.mass } else { f64::INFINITY }
    };
    let mut nothing: Vec<f64> = world.bodies.iter().map(open).collect();
    for (contact, force) in contacts.iter().zip(forces) {
        for body in [contact.a, contact.b] {
            nothing[body] = nothing[body].max(NOTHING * force.normal);
        }
    }
    nothing
}

fn least(nothing: &[f64], contact: &Contact) -> f64 {
    nothing[contact.a].min(nothing[contact.b])
}

impl Piece {
    /// Contacts and joints at the end of a step whose last piece this was, in a run of this
    /// resolution (m/s).
    pub(super) fn records(
        &self,
        world: &World,
        impulses: &Impulses,
        resting: &Resting,
        resolution: f64,
    ) -> (Vec<ContactRecord>, Vec<JointRecord>) {
        let Piece { plan, solved, .. } = self;
        let nothing = nothing(world, &plan.contacts, &solved.forces.contacts, resolution);
        let record = |(i, contact): (usize, &Contact)| {
            let force = match solved.forces.contacts.get(i) {
                Some(impulse) if impulse.normal.abs() <= least(&nothing, contact) => {
                    ContactForce::default()
                }
                Some(impulse) => ContactForce {
                    normal: impulse.normal / plan.length,
                    friction: impulse.friction.map(|x| x / plan.length),
                },
                None if plan.rests(contact) => resting.force(contact).unwrap_or_default(),
                None => ContactForce::default(),
            };
            let impulse = impulses.get(&contact.key()).copied().unwrap_or_default();
            record_contact(world, contact, force, impulse, plan.speed)
        };
        let contacts = plan.contacts.iter().enumerate().map(record).collect();
        (contacts, joints(plan, resting, world))
    }
}

/// A contact as it is now, with the force on it and the impulse of collisions.
pub(crate) fn record_contact(
    world: &World,
    contact: &Contact,
    force: ContactForce,
    impulse: ContactForce,
    speed: f64,
) -> ContactRecord {
    let mut contact = contact.clone();
    let state = &world.state;
    contact.touch.geometry =
        contact.touch.geometry(&state.poses[contact.a], &state.poses[contact.b]);
    let normal = contact.touch.geometry.normal;
    let (normal_force, friction_force) = (force.normal, turned(normal, &force));
    let slip = slip(&contact, state);
    let slips = slip.length() > STICK * speed;
    let mode = match (normal_force > 0.0, slips) {
        (false, _) => Mode::Open,
        (true, false) => Mode::Stick,
        (true, true) => Mode::Slip,
    };
    let material = contact.material;
    let friction = if slips { material.dynamic_friction } else { material.static_friction };
    let limit = friction * normal_force;
    ContactRecord {
        key: contact.key(),
        point: contact.touch.geometry.point,
        normal: contact.touch.geometry.normal,
        gap: contact.touch.geometry.gap,
        normal_force,
        friction_force,
        normal_impulse: impulse.normal,
        friction_impulse: DVec3::from_array(impulse.friction),
        slip,
        mode,
        margin: (limit > 0.0).then(|| 1.0 - friction_force.length() / limit),
        friction: [material.static_friction, material.dynamic_friction],
    }
}

/// Friction in the plane of a contact as it is now: in the piece it turned with the contact.
fn turned(normal: DVec3, force: &ContactForce) -> DVec3 {
    let friction = DVec3::from_array(force.friction);
    friction.length() * tangential(normal, friction).normalize_or_zero()
}

fn joints(plan: &Plan, resting: &Resting, world: &World) -> Vec<JointRecord> {
    let mut records = JointRecord::all(world);
    for (entry, force) in plan.joints.iter().zip(&resting.rows) {
        records[entry.joint].add(world, entry, *force);
    }
    records
}

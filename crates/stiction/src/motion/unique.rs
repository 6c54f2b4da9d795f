//! Whether the motion is shown to be the only possible one.
//!
//! Without friction it is: the law of contact is then monotone. With friction it is shown for few
//! contacts, and if there is little of it, by the proof of the judge of forces
//! (`crates/stiction-contact/src/judge/monotone.rs`) on the problem of the frame's contacts. Otherwise it is not
//! shown, which does not mean that there is another.

use super::Worst;
use super::law::Place;
use crate::detect::ContactKey;
use crate::frame::Frame;
use crate::report::{ContactRecord, Mode};
use crate::world::World;
use glam::{DMat3, DVec3};
use stiction_solvers::judge::has_one_motion;
use stiction_solvers::{Body, Contact, ContactProblem, Friction, Level, Tangents};

/// Contacts for which a proof is tried: it takes the cube of their number.
const MOST: usize = 12;

/// The value of a frame whose motion is not shown to be unique.
const NOT_SHOWN: f64 = 1.0;

/// What was shown last, and of which contacts.
#[derive(Clone, Debug, Default)]
pub(super) struct Unique {
    known: Option<(Vec<(ContactKey, Mode)>, bool)>,
}

impl Unique {
    /// Notes whether the motion of a frame is shown to be unique. It is shown again where contacts or
    /// their modes change.
    pub(super) fn see(&mut self, world: &World, frame: &Frame, worst: &mut Worst) {
        let keys = || frame.contacts.iter().map(|contact| (contact.key, contact.mode));
        let same = |known: &&(Vec<_>, bool)| known.0.iter().copied().eq(keys());
        let shown = match self.known.as_ref().filter(same) {
            Some((_, shown)) => *shown,
            None => is_unique(world, frame),
        };
        if self.known.as_ref().is_none_or(|known| !same(&known)) {
            self.known = Some((keys().collect(), shown));
        }
        let value = if shown { 0.0 } else { NOT_SHOWN };
        worst.note(value, frame.state.time, || Place::Ledger("not shown to be unique, first"));
    }
}

fn is_unique(world: &World, frame: &Frame) -> bool {
    let touching: Vec<&ContactRecord> =
        frame.contacts.iter().filter(|contact| contact.mode != Mode::Open).collect();
    let rubs = touching.iter().any(|contact| contact.friction[0] > 0.0);
    let dry = world.joints.iter().any(|joint| joint.friction > 0.0);
    !dry && (!rubs || (world.joints.is_empty() && is_shown(world, frame, &touching)))
}

fn is_shown(world: &World, frame: &Frame, touching: &[&ContactRecord]) -> bool {
    if touching.len() > MOST {
        return false;
    }
    let bodies = world.bodies.iter().zip(&frame.state.poses).map(|(body, pose)| {
        let position = pose.position.to_array();
        if !body.is_free() {
            return Body::fixed(position);
        }
        let turn = DMat3::from_quat(pose.rotation);
        let inertia = turn * body.inertia * turn.transpose();
        Body::with_inverse_inertia(mobility(world, body.mass, inertia), position)
    });
    let contact = |contact: &&ContactRecord| {
        let [static_friction, dynamic_friction] = contact.friction;
        let friction = match contact.mode {
            _ if static_friction == 0.0 => Friction::Frictionless,
            Mode::Slip if contact.slip != DVec3::ZERO => Friction::Sliding {
                friction: dynamic_friction,
                direction: contact.slip.normalize().to_array(),
            },
            _ => Friction::Coulomb { static_friction, dynamic_friction },
        };
        let line =
            |plane: DVec3| Tangents::Line(plane.cross(contact.normal).normalize().to_array());
        Contact {
            a: contact.key.a.index(),
            b: Some(contact.key.b.index()),
            point: contact.point.to_array(),
            normal: contact.normal.to_array(),
            friction,
            tangents: world.plane.map_or(Tangents::Plane, line),
            bias: [0.0; 3],
        }
    };
    let contacts = touching.iter().map(contact).collect();
    ContactProblem::new(Level::Acceleration, bodies.collect(), contacts, vec![], vec![])
        .is_ok_and(|problem| has_one_motion(&problem))
}

/// Acceleration per force and torque, in a planar world along the plane and about its normal.
fn mobility(world: &World, mass: f64, inertia: DMat3) -> [[f64; 6]; 6] {
    let (linear, angular) = match world.plane {
        None => (DMat3::IDENTITY * (1.0 / mass), inertia.inverse()),
        Some(n) => {
            let across = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
            ((DMat3::IDENTITY - across) * (1.0 / mass), across * (1.0 / n.dot(inertia * n)))
        }
    };
    let mut all = [[0.0; 6]; 6];
    for r in 0..3 {
        for c in 0..3 {
            all[r][c] = linear.col(c)[r];
            all[3 + r][3 + c] = 0.5 * (angular.col(c)[r] + angular.col(r)[c]);
        }
    }
    all
}

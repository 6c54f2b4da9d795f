//! What contacts and joints do, for the report and the journal.

use super::EventDriven;
use super::system::{Acts, Carrying, Mode};
use crate::assemble::joint_rows;
use crate::detect::Contact;
use crate::impact::Impulses;
use crate::journal::Journal;
use crate::report::{ContactRecord, JointRecord};
use crate::world::World;
use glam::DVec3;

impl EventDriven {
    /// Enters what holds sleeping bodies for a time (s) into the journal.
    pub(super) fn book_resting(&self, world: &World, duration: f64, journal: &mut Journal) {
        for carrying in &self.resting {
            let (contact, acts) = (&carrying.contact, carrying.at_rest(world));
            let force = acts.normal * acts.geometry.normal + acts.friction;
            let (bodies, point) = ((contact.a, Some(contact.b)), acts.geometry.point);
            journal.push(&world.state.poses, bodies, [point; 2], duration * force);
        }
        if !self.resting_rows.is_empty() {
            let entries = joint_rows(world, &world.state);
            for row in &self.resting_rows {
                journal.push_row(&entries[row.entry], duration * row.force);
            }
        }
    }

    /// Contacts, with their impulses of collisions, and joints as they are now, if modes are known.
    pub(super) fn records(
        &self,
        world: &World,
        impulses: &Impulses,
    ) -> Option<(Vec<ContactRecord>, Vec<JointRecord>)> {
        let (modes, happens) = self.modes.as_ref()?;
        let mut joints = JointRecord::all(world);
        let contact = |(carrying, acts): (&Carrying, &Acts)| {
            let contact: &Contact = &carrying.contact;
            let key = contact.key();
            let impulse = impulses.get(&key).copied().unwrap_or_default();
            let (mode, friction) = match carrying.mode {
                Mode::Stick => (crate::report::Mode::Stick, contact.material.static_friction),
                Mode::Slip(_) | Mode::Faint(_) | Mode::Creep(_) => {
                    (crate::report::Mode::Slip, contact.material.dynamic_friction)
                }
            };
            let limit = friction * acts.normal;
            ContactRecord {
                key,
                point: acts.geometry.point,
                normal: acts.geometry.normal,
                gap: acts.geometry.gap,
                normal_force: acts.normal,
                friction_force: acts.friction,
                normal_impulse: impulse.normal,
                friction_impulse: DVec3::from_array(impulse.friction),
                slip: acts.slip,
                mode,
                margin: (limit > 0.0).then(|| 1.0 - acts.friction.length() / limit),
                friction: [contact.material.static_friction, contact.material.dynamic_friction],
            }
        };
        let resting: Vec<Acts> = self.resting.iter().map(|c| c.at_rest(world)).collect();
        let moving = modes.carrying.iter().zip(&happens.contacts);
        let contacts = moving.chain(self.resting.iter().zip(&resting)).map(contact).collect();
        let held = modes.holding.iter().zip(&happens.rows).map(|(h, f)| (h.entry, *f));
        let given = modes.given.iter().chain(&self.resting_rows).map(|g| (g.entry, g.force));
        for (entry, force) in held.chain(given) {
            let entry = &happens.entries[entry];
            joints[entry.joint].add(world, entry, force);
        }
        Some((contacts, joints))
    }
}

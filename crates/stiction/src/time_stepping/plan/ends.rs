//! Where a piece ends: contacts that stop, bodies that meet, joints that come apart.

use super::{Law, Plan, Solved, TOUCH, size};
use crate::assemble::joint_rows;
use crate::detect::{Contact, ContactKey, Detector};
use crate::repair::{OVERLAP, drift};
use crate::root::falls;
use crate::time_stepping::substep::Care;
use crate::world::World;
use glam::DVec3;
use std::collections::HashSet;
use stiction_geometry::Twist;

/// A stop is worth a cut if the slip would move a contact by more than this fraction of the
/// smaller body.
const WORTH: f64 = 1e-6;

/// Bodies that approach more slowly than they would after falling for this fraction of a piece
/// meet at its end: the overlap, `v h / 2` at most, is repaired.
const SLOW: f64 = 0.1;

/// The time of a meeting is found to this fraction of the piece.
const MEETS: f64 = 1e-9;

/// Bodies that meet during a piece.
pub(in crate::time_stepping) struct Met {
    /// The part of the piece after which the first pair does that comes fast.
    pub first: Option<f64>,
    /// Contacts that must be in the problem.
    pub slow: Vec<Contact>,
}

impl Plan {
    /// Slip at the end of the piece.
    pub(super) fn end_slip(&self, index: usize, twists: &[Twist]) -> DVec3 {
        let contact = &self.contacts[index];
        let (a, b) = (contact.a, contact.b);
        let (pose_a, pose_b) = (self.pose_at(a, &twists[a], 1.0), self.pose_at(b, &twists[b], 1.0));
        let geometry = contact.touch.geometry(&pose_a, &pose_b);
        let u = twists[a].at(&pose_a, geometry.point) - twists[b].at(&pose_b, geometry.point);
        u - geometry.normal * geometry.normal.dot(u)
    }

    /// Normal velocities at the beginning and the end of the piece, together: zero but where
    /// bodies meet.
    pub(super) fn approaches(&self, index: usize, twists: &[Twist]) -> f64 {
        let contact = &self.contacts[index];
        let (a, b) = (contact.a, contact.b);
        let (pose_a, pose_b) = (self.pose_at(a, &twists[a], 1.0), self.pose_at(b, &twists[b], 1.0));
        let geometry = contact.touch.geometry(&pose_a, &pose_b);
        let u = twists[a].at(&pose_a, geometry.point) - twists[b].at(&pose_b, geometry.point);
        crate::impact::separation(contact, &self.start) + geometry.normal.dot(u)
    }

    /// Contacts taken to slip to the end that do not.
    pub(in crate::time_stepping) fn stopped(&self, solved: &Solved) -> Vec<usize> {
        let stops = |&i: &usize| {
            self.laws[i] == Law::Mean
                && solved.forces.contacts.get(i).is_some_and(|f| f.normal > 0.0)
                && self.end_slip(i, &solved.twists).dot(self.slips[i]) < 0.0
        };
        (0..self.active).filter(stops).collect()
    }

    /// Whether the slip of a contact would move it by a length that matters.
    pub(in crate::time_stepping) fn is_worth_a_cut(&self, world: &World, index: usize) -> bool {
        self.slips[index].length() * self.length > WORTH * size(world, &self.contacts[index])
    }

    /// The first of these contacts to stop, and the part of the piece after which it does.
    pub(in crate::time_stepping) fn first_stop(
        &self,
        onward: &Solved,
        contacts: &[usize],
    ) -> Option<(f64, ContactKey)> {
        if onward.jammed {
            return None;
        }
        let part = |&i: &usize| {
            let slip = self.slips[i];
            let (before, after) =
                (slip.length_squared(), self.end_slip(i, &onward.twists).dot(slip));
            (after < 0.0).then(|| (before / (before - after), self.contacts[i].key()))
        };
        contacts.iter().filter_map(part).min_by(|x, y| x.0.total_cmp(&y.0))
    }

    /// Contacts that end the piece in overlap.
    pub(in crate::time_stepping) fn met(
        &self,
        world: &World,
        solved: &Solved,
        detector: &mut Detector,
    ) -> Met {
        let mut met = Met { first: None, slow: Vec::new() };
        let active = self.contacts[..self.active].iter();
        let at_rest = self.contacts[self.active..].iter().filter(|c| self.rests(c));
        let at_rest = at_rest.filter(|c| Plan::near(world, c));
        let known: HashSet<ContactKey> = active.chain(at_rest).map(Contact::key).collect();
        let end = self.end_state(world, solved);
        let fast = SLOW * world.gravity.length() * self.length;
        for contact in detector.detect(world, &end, 0.0) {
            let least = OVERLAP * size(world, &contact);
            if contact.touch.geometry.gap >= -least
                || known.contains(&contact.key())
                || detector.passes(world, &end, &contact)
            {
                continue;
            }
            let mut gap = |part: f64| self.gap(world, &contact, solved, &known, part, detector);
            let (before, after) = (gap(0.0), contact.touch.geometry.gap);
            let apart = before > TOUCH * size(world, &contact);
            if self.care != Care::Plain && apart && before - after > fast * self.length {
                // A piece that was cut here ends here: the collision follows.
                if self.care == Care::Split {
                    let part = falls((0.0, before), (1.0, after), MEETS, gap);
                    met.first = Some(met.first.map_or(part, |first: f64| first.min(part)));
                }
            } else {
                let mut contact = contact;
                let (a, b) = (&self.start.poses[contact.a], &self.start.poses[contact.b]);
                contact.touch.geometry = contact.touch.geometry(a, b);
                met.slow.push(contact);
            }
        }
        met
    }

    /// The least gap between the bodies of a contact after part of the piece, where they do not
    /// carry each other already; no more than what can be bridged in a piece.
    fn gap(
        &self,
        world: &World,
        contact: &Contact,
        solved: &Solved,
        known: &HashSet<ContactKey>,
        part: f64,
        detector: &mut Detector,
    ) -> f64 {
        let [a, b] = [contact.a, contact.b].map(|i| self.pose_at(i, &solved.twists[i], part));
        let most = 2.0 * self.speed * self.length;
        let touches = detector.touches(world, contact, &a, &b, most);
        let strange =
            touches.filter(|t| !known.contains(&ContactKey::of(contact.a, contact.b, t.key)));
        strange.map(|touch| touch.geometry.gap).fold(most, f64::min)
    }

    /// By how much joints come apart in the piece (m or rad).
    pub(in crate::time_stepping) fn strain(&self, world: &World, solved: &Solved) -> f64 {
        if self.joints.is_empty() || self.care == Care::Plain {
            return 0.0;
        }
        let mut end = self.end_state(world, solved);
        world.follow(&mut end);
        let before = self.joints.iter().map(drift).fold(0.0, f64::max);
        joint_rows(world, &end).iter().map(drift).fold(0.0, f64::max) - before
    }
}

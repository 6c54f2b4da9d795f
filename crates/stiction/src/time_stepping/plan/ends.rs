//! Where a piece ends: contacts that stop, bodies that meet, joints that come apart.

use super::{Law, Plan, SLOW, Solved};
use crate::assemble::joint_rows;
use crate::detect::{Contact, ContactKey, Detector};
use crate::kinematics::{separation, tangential};
use crate::root::falls;
use crate::sweep::{Meeting, relative_motion};
use crate::time_stepping::substep::{Care, SLIVER};
use crate::touching::{OVERLAP, TOUCH, drift, near, overlaps, size};
use crate::world::{State, World};
use glam::DVec3;
use std::collections::HashSet;
use stiction_geometry::{ContactGeometry, Twist};

/// A stop is worth a cut if the slip would move a contact by more than this fraction of the
/// smaller body.
const WORTH: f64 = 1e-6;

/// The time of a meeting is found to this fraction of the piece.
const MEETS: f64 = 1e-13;

/// Bodies that meet during a piece.
pub(in crate::time_stepping) struct Met {
    /// The part of the piece after which the first pair does that comes fast.
    pub first: Option<f64>,
    /// Contacts of pairs that come fast in a plain piece, ...
    pub fast: Vec<Contact>,
    /// ... and those that only have to be in the problem.
    pub slow: Vec<Contact>,
}

impl Plan {
    /// Slip at the end of the piece.
    pub(super) fn end_slip(&self, index: usize, twists: &[Twist]) -> DVec3 {
        let (geometry, u) = self.at_end(index, twists);
        tangential(geometry.normal, u)
    }

    /// Normal velocities at the beginning and the end of the piece, together: zero but where
    /// bodies meet.
    pub(super) fn approaches(&self, index: usize, twists: &[Twist]) -> f64 {
        let (geometry, u) = self.at_end(index, twists);
        separation(&self.contacts[index], &self.start) + geometry.normal.dot(u)
    }

    /// Where a contact is at the end of the piece, and its velocity.
    fn at_end(&self, index: usize, twists: &[Twist]) -> (ContactGeometry, DVec3) {
        let contact = &self.contacts[index];
        let (a, b) = (contact.a, contact.b);
        let (pose_a, pose_b) = (self.pose_at(a, &twists[a], 1.0), self.pose_at(b, &twists[b], 1.0));
        let geometry = contact.touch.geometry(&pose_a, &pose_b);
        let u = twists[a].at(&pose_a, geometry.point) - twists[b].at(&pose_b, geometry.point);
        (geometry, u)
    }

    /// Contacts taken to slip to the end that do not.
    pub(in crate::time_stepping) fn stopped(&self, solved: &Solved) -> Vec<usize> {
        let stops = |&i: &usize| {
            self.laws[i] == Law::Mean
                && self.contacts[i].material.dynamic_friction > 0.0
                && solved.forces.contacts.get(i).is_some_and(|f| f.normal > 0.0)
                && self.end_slip(i, &solved.twists).dot(self.slips[i]) < 0.0
        };
        (0..self.active).filter(stops).collect()
    }

    /// Whether the slip of a contact would move it by a length that matters.
    fn is_worth_a_cut(&self, world: &World, index: usize) -> bool {
        self.slips[index].length() * self.length > WORTH * size(world, &self.contacts[index])
    }

    /// The first of these contacts to stop, and the part of the piece after which it does, if that is
    /// worth a cut. Until it stops friction is at its limit; what was found is less where even the
    /// mean slip would be reversed, and then slows the contact in proportion:
    ///
    /// ```text
    ///   s = Σ|f| / Σ(μ n) · u² / (u² − u·u⁺)
    /// ```
    pub(in crate::time_stepping) fn first_stop(
        &self,
        world: &World,
        solved: &Solved,
        contacts: &[usize],
    ) -> Option<(f64, ContactKey)> {
        let part = |&i: &usize| {
            let slip = self.slips[i];
            let (before, after) =
                (slip.length_squared(), self.end_slip(i, &solved.twists).dot(slip));
            let used = self.used_friction(solved, contacts, i);
            (used * before / (before - after), self.contacts[i].key())
        };
        let worth = contacts.iter().filter(|&&i| self.is_worth_a_cut(world, i));
        let first = worth.map(part).min_by(|x, y| x.0.total_cmp(&y.0))?;
        let time = first.0 * self.length;
        (time.min(self.length - time) > SLIVER).then_some(first)
    }

    /// The part of its limit that friction has, at all of these contacts of the two bodies of one of
    /// them: how forces are shared among those is not unique.
    fn used_friction(&self, solved: &Solved, contacts: &[usize], one: usize) -> f64 {
        let bodies = |i: usize| (self.contacts[i].a, self.contacts[i].b);
        let (mut friction, mut limit) = (0.0, 0.0);
        for &i in contacts.iter().filter(|&&i| bodies(i) == bodies(one)) {
            let force = &solved.forces.contacts[i];
            friction += DVec3::from_array(force.friction).length();
            limit += self.contacts[i].material.dynamic_friction * force.normal;
        }
        (friction / limit).min(1.0)
    }

    /// Bodies that meet on the way, and contacts that end the piece in overlap.
    pub(in crate::time_stepping) fn met(
        &self,
        world: &World,
        solved: &Solved,
        detector: &mut Detector,
    ) -> Met {
        let known = self.known(world);
        let end = self.end_state(world, solved);
        let mut meetings = self.on_the_way(world, solved, &known, detector);
        let pairs: HashSet<[usize; 2]> = meetings.iter().map(|(c, _)| [c.a, c.b]).collect();
        for contact in detector.detect(world, &end, 0.0) {
            if overlaps(world, &contact, contact.touch.geometry.gap)
                && !pairs.contains(&[contact.a, contact.b])
                && !known.contains(&contact.key())
                && !detector.passes(world, &end, &contact)
            {
                meetings.push((contact, Meeting { before: 0.0, after: 1.0 }));
            }
        }
        let mut met = Met { first: None, fast: Vec::new(), slow: Vec::new() };
        let fast = SLOW * world.gravity.length() * self.length;
        for (mut contact, Meeting { before, after }) in meetings {
            let mut gap = |part: f64| self.gap(world, &contact, solved, &known, part, detector);
            let (start, last) = (gap(0.0), contact.touch.geometry.gap);
            let apart = start > TOUCH * size(world, &contact);
            let is_fast = apart && start - last > fast * after * self.length;
            if is_fast && self.care != Care::Plain {
                let part = falls((before, gap(before)), (after, last), MEETS, gap);
                met.first = Some(met.first.map_or(part, |first: f64| first.min(part)));
            } else {
                let (a, b) = (&self.start.poses[contact.a], &self.start.poses[contact.b]);
                contact.touch.geometry = contact.touch.geometry(a, b);
                if is_fast { met.fast.push(contact) } else { met.slow.push(contact) }
            }
        }
        met
    }

    /// Contacts of bodies that carry each other already.
    fn known(&self, world: &World) -> HashSet<ContactKey> {
        let active = self.contacts[..self.active].iter();
        let at_rest = self.contacts[self.active..].iter().filter(|c| self.rests(c));
        let at_rest = at_rest.filter(|c| near(world, c));
        active.chain(at_rest).map(Contact::key).collect()
    }

    /// Bodies that meet before the end of the piece: the contacts that overlap first, and when.
    fn on_the_way(
        &self,
        world: &World,
        solved: &Solved,
        known: &HashSet<ContactKey>,
        detector: &mut Detector,
    ) -> Vec<(Contact, Meeting)> {
        let ends = [&self.start.twists[..], &solved.twists[..]];
        let stays = |i: usize| self.resting[i] || !world.bodies[i].is_free() && !world.is_driven(i);
        let (mut meetings, mut seen) = (Vec::new(), HashSet::new());
        for contact in &self.contacts[self.active..] {
            let (a, b) = (contact.a, contact.b);
            let motion = relative_motion(world, (a, b), ends, self.length);
            let far = contact.touch.geometry.gap > motion || stays(a) && stays(b);
            if far || !seen.insert([a, b]) {
                continue;
            }
            let path = |i: usize, part: f64| self.pose_at(i, &solved.twists[i], part);
            let least = OVERLAP * size(world, contact);
            let meeting = detector.first_meeting(world, contact, (&path, motion), known, least);
            let Some(meeting) = meeting else { continue };
            let then = self.state_at(solved, meeting.after);
            let [pose_a, pose_b] = [a, b].map(|i| &then.poses[i]);
            let touches = detector.touches(world, contact, pose_a, pose_b, 0.0);
            let overlaps = touches.filter(|t| t.geometry.gap < -least);
            let contacts = overlaps.map(|t| Contact { touch: t.clone(), ..contact.clone() });
            let new: Vec<Contact> = contacts.filter(|c| !known.contains(&c.key())).collect();
            let new = new.into_iter().filter(|c| !detector.passes(world, &then, c));
            meetings.extend(new.map(|contact| (contact, meeting)));
        }
        meetings
    }

    /// Poses and velocities after part of the piece, accelerations being constant.
    fn state_at(&self, solved: &Solved, part: f64) -> State {
        let mut state = self.start.clone();
        state.time += part * self.length;
        for (i, end) in solved.twists.iter().enumerate() {
            let start = self.start.twists[i];
            state.poses[i] = self.pose_at(i, end, part);
            state.twists[i] = Twist {
                linear: start.linear.lerp(end.linear, part),
                angular: start.angular.lerp(end.angular, part),
            };
        }
        state
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
        detector.least_gap(world, contact, (&a, &b), known, most).unwrap_or(most)
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

//! Bodies that meet between two instants: conservative advancement.
//!
//! While two bodies move by at most `D` relative to each other, a gap `g` between them cannot close
//! before the part `g / D` of that motion is over. From there the gap is measured again, and so on
//! until it is closed or the motion ends:
//!
//! ```text
//!   s ← s + max(g(s), f) / D
//! ```
//!
//! The floor `f` keeps steps from shrinking without end. It is at most a quarter of the thickness
//! of the bodies, so that none passes through another unseen; overlap on the way that is both
//! entered and left within a step of `f` is missed: it is no deeper than `f`.

use crate::detect::{Contact, ContactKey, Detector};
use crate::world::{Body, World};
use std::collections::HashSet;
use stiction_geometry::{Pose, Twist};

/// The floor, part of the thickness of the thicker body.
const PART_OF_THICKNESS: f64 = 0.25;

/// The floor is not smaller than this fraction of the smaller body, unless it is thinner, ...
const PART_OF_SIZE: f64 = 1e-3;

/// ... or than this fraction of the motion.
const PART_OF_MOTION: f64 = 1.0 / 16.0;

/// Measurements of one pair at most. A pair that needs more is said to meet where it got to.
const MOST: usize = 1000;

/// The poses of bodies on their way, by body and part of the way from 0 to 1.
pub(crate) type Path<'a> = &'a dyn Fn(usize, f64) -> Pose;

/// Where on their way two bodies meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meeting {
    /// They have not met at this part of the way.
    pub before: f64,
    /// They overlap at this one.
    pub after: f64,
}

/// A bound on how far points of two bodies move relative to each other (m) in a time (s) during
/// which their velocities stay between two values.
pub(crate) fn relative_motion(
    world: &World,
    (a, b): (usize, usize),
    [start, end]: [&[Twist]; 2],
    time: f64,
) -> f64 {
    let turning = |i: usize| {
        let rate = start[i].angular.length().max(end[i].angular.length());
        // Half-spaces do not turn.
        if rate > 0.0 { rate * world.bodies[i].bounding_radius() } else { 0.0 }
    };
    let linear = |twists: &[Twist]| (twists[a].linear - twists[b].linear).length();
    time * (linear(start).max(linear(end)) + turning(a) + turning(b))
}

impl Detector {
    /// The first meeting of the bodies of a contact, at features that are not known to touch
    /// already, if points of them move by at most `motion` (m) relative to each other. `least` is
    /// the overlap that counts (m).
    pub(crate) fn first_meeting(
        &mut self,
        world: &World,
        contact: &Contact,
        (path, motion): (Path<'_>, f64),
        known: &HashSet<ContactKey>,
        least: f64,
    ) -> Option<Meeting> {
        let floor = floor([&world.bodies[contact.a], &world.bodies[contact.b]], motion);
        let (mut before, mut now) = (0.0, 0.0);
        for _ in 0..MOST {
            let left = (1.0 - now) * motion;
            let (a, b) = (path(contact.a, now), path(contact.b, now));
            let gap = self.least_gap(world, contact, (&a, &b), known, left)?;
            if gap < -least {
                return Some(Meeting { before, after: now });
            }
            before = now;
            now += gap.max(floor) / motion;
            if now >= 1.0 {
                return None;
            }
        }
        Some(Meeting { before, after: now })
    }

    /// The smallest gap between the bodies of a contact in other poses, at features that are not
    /// known to touch already; nothing if there is none up to `margin` (m).
    pub(crate) fn least_gap(
        &mut self,
        world: &World,
        contact: &Contact,
        (pose_a, pose_b): (&Pose, &Pose),
        known: &HashSet<ContactKey>,
        margin: f64,
    ) -> Option<f64> {
        let touches = self.touches(world, contact, pose_a, pose_b, margin);
        let is_new = |key: u64| !known.contains(&ContactKey { feature: key, ..contact.key() });
        touches.filter(|t| is_new(t.key)).map(|t| t.geometry.gap).reduce(f64::min)
    }
}

/// The shortest motion after which the gap of two bodies is measured again (m).
fn floor(bodies: [&Body; 2], motion: f64) -> f64 {
    let [one, other] = bodies.map(Body::thickness);
    let size = bodies.map(Body::bounding_radius).into_iter().fold(f64::INFINITY, f64::min);
    (PART_OF_SIZE * size).max(PART_OF_MOTION * motion).min(PART_OF_THICKNESS * one.max(other))
}

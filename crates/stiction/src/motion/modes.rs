//! Contacts do what their modes say.
//!
//! | what | measured by |
//! | --- | --- |
//! | a contact that sticks in two frames does not slip from one to the next | the slip of its bodies' paths at the contact, added up as long as it sticks, over the smaller body's size |
//! | one that slips in both is opposed by its friction | the work of friction that drives it, over force and size |
//! | forces are within their cones, nothing pulls | what is beyond, over the normal force |
//! | open contacts carry nothing | their force over the weight of the first body |
//! | forces act where bodies touch | the gap, less what it may have opened since the frame before, over the size |
//!
//! Only contacts without an event between the two frames are compared over time. Where nothing moved
//! in two frames, and the contacts are the same, nothing is measured again.

use super::Worst;
use super::law::Place;
use super::path::Track;
use crate::detect::ContactKey;
use crate::frame::Frame;
use crate::report::{ContactRecord, Mode};
use crate::world::{BodyId, State, World};
use glam::DVec3;
use std::collections::{HashMap, HashSet};
use stiction_geometry::Pose;

/// Nodes and weights of Gauss's rule of order six on the interval from 0 to 1.
const NODES: [(f64, f64); 3] = [
    (0.112_701_665_379_258_3, 5.0 / 18.0),
    (0.5, 8.0 / 18.0),
    (0.887_298_334_620_741_7, 5.0 / 18.0),
];

/// Friction of a contact up to this fraction beyond its cone is rounding.
const CONE: f64 = 1e-9;

/// Part of the fastest motion of a body that forces resolve in a frame: what bounces without gravity
/// stops to this, and its forces are rounding.
const RESOLVED: f64 = 1e-6;

/// What was seen of the contacts.
#[derive(Clone, Debug, Default)]
pub(super) struct Modes {
    last: HashMap<ContactKey, Known>,
    /// How far contacts slipped since they began to stick (m).
    slipped: HashMap<ContactKey, DVec3>,
    /// Contacts of the last frame, and the worst of them, if nothing moved to it.
    still: Option<(Vec<ContactRecord>, Worst)>,
}

/// What is known of a contact of the frame before.
#[derive(Clone, Copy, Debug)]
struct Known {
    mode: Mode,
    carries: bool,
    point: DVec3,
    normal: DVec3,
    slip: DVec3,
}

impl Known {
    fn new(contact: &ContactRecord) -> Self {
        let &ContactRecord { mode, point, normal, slip, .. } = contact;
        Known { mode, carries: carries(contact), point, normal, slip }
    }
}

impl Modes {
    /// Begins with a frame that is not judged.
    pub(super) fn begin(&mut self, frame: &Frame) {
        self.still = None;
        self.last.clear();
        self.last.extend(frame.contacts.iter().map(|c| (c.key, Known::new(c))));
    }

    /// What contacts slipped so far is forgotten.
    pub(super) fn forget(&mut self) {
        self.slipped.clear();
        self.still = None;
    }

    /// Judges the contacts of a frame; `tracks` lead to it from the frame before, if there was one.
    pub(super) fn see(
        &mut self,
        world: &World,
        frame: &Frame,
        tracks: Option<(&[Track<'_>], [f64; 2])>,
        worst: &mut Worst,
    ) {
        let time = frame.state.time;
        let still = frame.events.is_empty()
            && tracks.is_some_and(|(tracks, _)| !tracks.iter().any(Track::moves));
        let known = self.still.as_ref().filter(|known| still && known.0 == frame.contacts);
        if let Some((_, known)) = known {
            worst.join(&Worst { time, ..*known });
            return;
        }
        let disturbed: HashSet<BodyId> = disturbed(frame).collect();
        let mut slipped = HashMap::new();
        for contact in &frame.contacts {
            let mut note = |value: f64, what| {
                worst.note(value, time, || Place::Contact(contact.key.bodies(), what));
            };
            let size = size(world, contact);
            let body = contact.key.a.index();
            let resolved = tracks.map_or(0.0, |(tracks, [from, to])| {
                RESOLVED * world.bodies[body].mass * tracks[body].greatest(from, to).speed
                    / (to - from)
            });
            instant(world, contact, resolved, &mut note);
            if contact.normal_force > 0.0 {
                let opened = tracks
                    .map_or(0.0, |(tracks, times)| opened(contact, &frame.state, tracks, times));
                note((contact.gap - opened).max(0.0) / size, "force across a gap");
            }
            let before = self.last.get(&contact.key).filter(|before| {
                let calm = contact.key.bodies().iter().all(|body| !disturbed.contains(body));
                let turns = before.slip.dot(contact.slip) < 0.0;
                let same = before.mode == contact.mode && !turns;
                calm && same && before.carries && carries(contact)
            });
            let (Some(before), Some((tracks, times))) = (before, tracks) else { continue };
            let slip = slip(before, contact, tracks, times);
            match contact.mode {
                Mode::Stick => {
                    let so_far = self.slipped.get(&contact.key).copied().unwrap_or_default();
                    let all = so_far + slip;
                    note(all.length() / size, "sticks, but slips");
                    slipped.insert(contact.key, all);
                }
                Mode::Slip => {
                    let friction = contact.friction_force;
                    let drives = friction.normalize_or_zero().dot(slip);
                    note(drives / size, "friction drives the slip");
                }
                Mode::Open => {}
            }
        }
        self.slipped = slipped;
        self.begin(frame);
        self.still = still.then(|| (frame.contacts.clone(), *worst));
    }
}

/// Bodies that something happened to since the frame before.
fn disturbed(frame: &Frame) -> impl Iterator<Item = BodyId> + '_ {
    let events = frame.events.iter().filter_map(|event| event.what.contact());
    let struck = frame.waypoints.iter().filter(|point| point.before != point.after);
    events.flat_map(|key| key.bodies()).chain(struck.map(|point| point.body))
}

fn carries(contact: &ContactRecord) -> bool {
    contact.normal_force > 0.0 && contact.friction[0] > 0.0
}

/// The size of the smaller body (m).
fn size(world: &World, contact: &ContactRecord) -> f64 {
    let radius = contact.key.bodies().map(|body| world.bodies[body.index()].bounding_radius());
    radius[0].min(radius[1])
}

/// What holds at any instant; forces are compared with the weight of the first body, or with what is `resolved` (N).
fn instant(
    world: &World,
    contact: &ContactRecord,
    resolved: f64,
    note: &mut impl FnMut(f64, &'static str),
) {
    let body = &world.bodies[contact.key.a.index()];
    let weight = (body.mass * world.gravity + body.force).length().max(resolved);
    let force = contact.normal_force * contact.normal + contact.friction_force;
    let normal = contact.normal.dot(force);
    let friction = (force - normal * contact.normal).length();
    let over = |force: f64| if force <= 0.0 { 0.0 } else { force / weight.max(normal.abs()) };
    note(over(-normal), "pulls");
    if contact.mode == Mode::Open {
        note(over(normal.abs().max(friction)), "open, but carries force");
        return;
    }
    let cone = contact.friction[0].max(contact.friction[1]) * normal * (1.0 + CONE);
    note(over(friction - cone), "friction beyond its cone");
}

/// How far a contact may have opened or closed since the frame before (m): `|v_n| h + a h² / 2`.
fn opened(
    contact: &ContactRecord,
    state: &State,
    tracks: &[Track<'_>],
    [from, to]: [f64; 2],
) -> f64 {
    let [first, second] = contact.key.bodies().map(|body| tracks[body.index()].greatest(from, to));
    let bend = first.and(second).acceleration * (to - from).powi(2) / 2.0;
    let [a, b] = contact.key.bodies().map(|body| {
        let (pose, twist) = (&state.poses[body.index()], &state.twists[body.index()]);
        twist.linear + twist.angular.cross(contact.point - pose.position)
    });
    contact.normal.dot(a - b).abs() * (to - from) + bend
}

/// The body that carries a contact along, if it stays at one place of it: between two frames the
/// contact then goes where that body does, and otherwise in a straight line.
fn carrier<'a, 'b>(
    tracks: [&'b Track<'a>; 2],
    [first, last]: [DVec3; 2],
    [from, to]: [f64; 2],
) -> Option<&'b Track<'a>> {
    let moved = |track: &&Track<'_>| {
        let [start, end] = [track.pose(from), track.pose(to)];
        start.local_point(first).distance(end.local_point(last))
    };
    let nearest = tracks.into_iter().min_by(|x, y| moved(x).total_cmp(&moved(y)));
    nearest.filter(|track| moved(track) < 0.5 * first.distance(last))
}

/// The slip of the first body on the second along their paths, from one frame to the next (m): the
/// contact goes with a body or in a straight line, its normal turns evenly. Where it goes in an arc, its place is
/// off by the sagitta, which bodies that turn make a slip of.
fn slip(
    before: &Known,
    after: &ContactRecord,
    tracks: &[Track<'_>],
    [from, to]: [f64; 2],
) -> DVec3 {
    let [a, b] = after.key.bodies().map(|body| &tracks[body.index()]);
    if !a.moves() && !b.moves() {
        return DVec3::ZERO;
    }
    let mut times: Vec<f64> = a.times().chain(b.times()).chain([from, to]).collect();
    times.sort_by(f64::total_cmp);
    let duration = to - from;
    let carrier = carrier([a, b], [before.point, after.point], [from, to]);
    let mut slip = DVec3::ZERO;
    let mut turning = 0.0_f64;
    for pair in times.windows(2).filter(|pair| pair[1] > pair[0]) {
        for (node, weight) in NODES {
            let time = pair[0] + node * (pair[1] - pair[0]);
            let part = (time - from) / duration;
            let frame = |time: f64| carrier.map_or(Pose::IDENTITY, |track| track.pose(time));
            let local = [(from, before.point), (to, after.point)];
            let [first, last] = local.map(|(time, point)| frame(time).local_point(point));
            let point = frame(time).point(first.lerp(last, part));
            let normal = before.normal.lerp(after.normal, part).normalize_or(after.normal);
            let (on_a, on_b) = (a.twist(time), b.twist(time));
            let velocity = on_a.at(&a.pose(time), point) - on_b.at(&b.pose(time), point);
            slip += weight * (pair[1] - pair[0]) * (velocity - normal * normal.dot(velocity));
            turning = turning.max((on_a.angular - on_b.angular).length());
        }
    }
    let sagitta =
        (after.point - before.point).length() * (after.normal - before.normal).length() / 8.0;
    let unknown = turning * duration * sagitta;
    slip * (1.0 - unknown / slip.length().max(f64::MIN_POSITIVE)).max(0.0)
}

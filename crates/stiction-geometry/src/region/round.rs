//! Contacts between balls and capsules.
//!
//! A capsule is a rod, a ball is a rod of length zero. The contacts of two rods are
//! those of their axes, offset by the radii.

use glam::DVec3;

use super::{Numbered, ROUND, SAME, Sink};
use crate::{Feature, Part, Shape};

/// Sine of the angle between axes below which capsules may lie along each other: their ends are
/// then additional contacts beside the crossing. At 0.1 the ends of a capsule ten times as long as
/// wide are one radius apart.
const ALONGSIDE: f64 = 0.1;

/// Sine below which two lines count as parallel: the error of the direction of their common
/// perpendicular is rounding divided by this.
pub(super) const PARALLEL: f64 = 1e-7;

/// A line segment with a radius, in its body frame; a ball has half length 0.
#[derive(Clone, Copy)]
pub(super) struct Rod {
    pub at: DVec3,
    pub along: DVec3,
    pub half_length: f64,
    pub radius: f64,
}

impl Rod {
    pub fn new(part: &Part) -> Self {
        let (half_length, radius) = match *part.shape() {
            Shape::Ball { radius } => (0.0, radius),
            Shape::Capsule { half_length, radius } => (half_length, radius),
            _ => (0.0, 0.0),
        };
        let pose = part.pose();
        Rod { at: pose.position, along: pose.direction(DVec3::Z), half_length, radius }
    }

    /// The axis and radius of a cylinder; its ends are flat.
    pub fn side_of(part: &Part) -> Self {
        let mut rod = Rod::new(part);
        if let Shape::Cylinder { half_length, radius } = *part.shape() {
            (rod.half_length, rod.radius) = (half_length, radius);
        }
        rod
    }

    /// Its end points; one for a ball.
    pub fn ends(&self) -> impl Iterator<Item = (u64, DVec3)> + use<> {
        let (at, half) = (self.at, self.along * self.half_length);
        let count = if self.half_length > 0.0 { 2 } else { 1 };
        [(0, at - half), (1, at + half)].into_iter().take(count)
    }

    pub fn end(&self, id: u64, at: DVec3) -> Numbered {
        Numbered { feature: Feature::Point { at, radius: self.radius }, id: ROUND | id }
    }

    pub fn line(&self) -> Numbered {
        let &Rod { at, along, half_length, radius } = self;
        Numbered { feature: Feature::Line { at, along, half_length, radius }, id: ROUND | 2 }
    }

    /// The same rod, transformed from the frame `from` to the frame `to`.
    pub fn in_frame(&self, from: &crate::Pose, to: &crate::Pose) -> Rod {
        Rod {
            at: to.local_point(from.point(self.at)),
            along: to.local_direction(from.direction(self.along)),
            ..*self
        }
    }
}

/// Contacts of two rods.
pub(super) fn contacts(first: &Rod, second: &Rod, sink: &mut Sink<'_>) {
    let near = first.in_frame(sink.first(), sink.second());
    let sine = near.along.cross(second.along).length();
    crossing(first, &near, second, sink);
    let short = first.half_length == 0.0 || second.half_length == 0.0;
    if short || sine < ALONGSIDE || sink.found().is_empty() {
        ends_of_first(first, &near, second, sink);
        ends_of_second(first, &near, second, sink);
    }
    tips(first, second, sink);
}

/// The common perpendicular of the axes, if it ends inside both.
fn crossing(first: &Rod, near: &Rod, second: &Rod, sink: &mut Sink<'_>) {
    let m = near.along.cross(second.along);
    if first.half_length == 0.0 || second.half_length == 0.0 || m.length() <= PARALLEL {
        return;
    }
    let d = second.at - near.at;
    let s = d.cross(second.along).dot(m) / m.length_squared();
    let t = d.cross(near.along).dot(m) / m.length_squared();
    if s.abs() <= first.half_length && t.abs() <= second.half_length {
        let facing = if m.dot(d) > 0.0 { -1.0 } else { 1.0 };
        sink.add(first.line(), second.line(), facing);
    }
}

/// Ends of the first rod beside the second.
fn ends_of_first(first: &Rod, near: &Rod, second: &Rod, sink: &mut Sink<'_>) {
    for ((id, end), (_, seen)) in first.ends().zip(near.ends()) {
        if new_beside(seen, second, first.radius, sink) {
            sink.add(first.end(id, end), second.line(), 1.0);
        }
    }
}

/// Ends of the second rod beside the first.
fn ends_of_second(first: &Rod, near: &Rod, second: &Rod, sink: &mut Sink<'_>) {
    for (id, end) in second.ends() {
        if new_beside(end, near, second.radius, sink) {
            sink.add(first.line(), second.end(id, end), 1.0);
        }
    }
}

/// Whether the projection of an end with radius `radius` is inside a rod and there is no contact at
/// this point yet; both are in the frame of the second body.
fn new_beside(end: DVec3, rod: &Rod, radius: f64, sink: &Sink<'_>) -> bool {
    let s = rod.along.dot(end - rod.at);
    let foot = rod.at + rod.along * s;
    if rod.half_length == 0.0 || s.abs() > rod.half_length * (1.0 + SAME) {
        return false;
    }
    let out = (end - foot).normalize_or_zero();
    let half_gap = 0.5 * (end.distance(foot) - rod.radius - radius);
    let size = rod.half_length + rod.radius + radius;
    let there = sink.second();
    let point = there.point(foot + out * (rod.radius + half_gap));
    !sink.has(point, there.direction(out), 4.0 * SAME * size)
}

/// The nearest ends, if no other contact is as near: axes that form a V also have an end beside a
/// side, but farther away.
fn tips(first: &Rod, second: &Rod, sink: &mut Sink<'_>) {
    let (here, there) = (sink.first(), sink.second());
    let pairs = first.ends().flat_map(|end| second.ends().map(move |other| (end, other)));
    let nearest = pairs.min_by(|(p, q), (r, s)| {
        let apart = |p: DVec3, q: DVec3| here.point(p).distance(there.point(q));
        apart(p.1, q.1).total_cmp(&apart(r.1, s.1))
    });
    if let Some(((i, end), (j, other))) = nearest {
        let gap = here.point(end).distance(there.point(other)) - first.radius - second.radius;
        let size = first.half_length + first.radius + second.half_length + second.radius;
        if sink.found().iter().any(|contact| contact.geometry.gap <= gap + SAME * size) {
            return;
        }
        sink.add(first.end(i, end), second.end(j, other), 1.0);
    }
}

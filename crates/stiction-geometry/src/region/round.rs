//! Balls and capsules among themselves.
//!
//! A ball is a rod of length zero, a capsule a rod; the contacts of two rods are
//! those of their axes, moved out by the radii.

use glam::DVec3;

use super::{Numbered, ROUND, SAME, Sink};
use crate::{Feature, Part, Shape};

/// Sine of the angle between axes below which capsules may lie along each other: their ends are
/// contacts of their own, beside the crossing. At 0.1 the ends of a capsule ten times as long as wide
/// are one radius apart.
const ALONGSIDE: f64 = 0.1;

/// Sine below which two lines have no common perpendicular worth computing: the error of its
/// direction is rounding divided by this.
pub(super) const PARALLEL: f64 = 1e-7;

/// A segment with a radius, in its body frame; a ball has half length 0.
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

    /// Its end points; one for a ball.
    pub fn ends(&self) -> impl Iterator<Item = (u64, DVec3)> + use<> {
        let (at, reach) = (self.at, self.along * self.half_length);
        let count = if self.half_length > 0.0 { 2 } else { 1 };
        [(0, at - reach), (1, at + reach)].into_iter().take(count)
    }

    pub fn end(&self, id: u64, at: DVec3) -> Numbered {
        Numbered { feature: Feature::Point { at, radius: self.radius }, id: ROUND | id }
    }

    pub fn line(&self) -> Numbered {
        let &Rod { at, along, half_length, radius } = self;
        Numbered { feature: Feature::Line { at, along, half_length, radius }, id: ROUND | 2 }
    }

    /// The same rod in another frame.
    pub fn seen(&self, from: &crate::Pose, to: &crate::Pose) -> Rod {
        Rod {
            at: to.local_point(from.point(self.at)),
            along: to.local_direction(from.direction(self.along)),
            ..*self
        }
    }
}

/// Contacts of two rods.
pub(super) fn contacts(first: &Rod, second: &Rod, sink: &mut Sink<'_>) {
    let near = first.seen(sink.first(), sink.second());
    let sine = near.along.cross(second.along).length();
    let both_long = first.half_length > 0.0 && second.half_length > 0.0;
    if both_long && sine > PARALLEL {
        crossing(first, &near, second, sink);
    }
    if !both_long || sine < ALONGSIDE || sink.found().is_empty() {
        ends(first, &near, second, sink);
    }
    if sink.found().is_empty() {
        tips(first, second, sink);
    }
}

/// The common perpendicular of the axes, if its feet are inside both.
fn crossing(first: &Rod, near: &Rod, second: &Rod, sink: &mut Sink<'_>) {
    let m = near.along.cross(second.along);
    let d = second.at - near.at;
    let s = d.cross(second.along).dot(m) / m.length_squared();
    let t = d.cross(near.along).dot(m) / m.length_squared();
    if s.abs() <= first.half_length && t.abs() <= second.half_length {
        let facing = if m.dot(d) > 0.0 { -1.0 } else { 1.0 };
        sink.add(first.line(), second.line(), facing);
    }
}

/// Ends of one rod beside the other.
fn ends(first: &Rod, near: &Rod, second: &Rod, sink: &mut Sink<'_>) {
    let size = first.radius + second.radius + first.half_length + second.half_length;
    for ((id, end), (_, seen)) in first.ends().zip(near.ends()) {
        if let Some(point) = beside(seen, second)
            && !sink.has(sink.second().point(point), DVec3::ZERO, same(size, sink.margin))
        {
            sink.add(first.end(id, end), second.line(), 1.0);
        }
    }
    for (id, end) in second.ends() {
        if let Some(point) = beside(end, near)
            && !sink.has(sink.second().point(point), DVec3::ZERO, same(size, sink.margin))
        {
            sink.add(first.line(), second.end(id, end), 1.0);
        }
    }
}

/// Middle of a point and its foot on a rod, if the foot is inside.
fn beside(point: DVec3, rod: &Rod) -> Option<DVec3> {
    let s = rod.along.dot(point - rod.at);
    let foot = rod.at + rod.along * s;
    let inside = rod.half_length > 0.0 && s.abs() <= rod.half_length * (1.0 + SAME);
    inside.then_some(0.5 * (foot + point))
}

/// The nearest ends, when nothing else is near.
fn tips(first: &Rod, second: &Rod, sink: &mut Sink<'_>) {
    let (here, there) = (sink.first(), sink.second());
    let pairs = first.ends().flat_map(|end| second.ends().map(move |other| (end, other)));
    let nearest = pairs.min_by(|(p, q), (r, s)| {
        let apart = |p: DVec3, q: DVec3| here.point(p).distance(there.point(q));
        apart(p.1, q.1).total_cmp(&apart(r.1, s.1))
    });
    if let Some(((i, end), (j, other))) = nearest {
        sink.add(first.end(i, end), second.end(j, other), 1.0);
    }
}

fn same(size: f64, _margin: f64) -> f64 {
    2.0 * SAME * size
}

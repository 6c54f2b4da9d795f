//! Nothing is in anything else, at frames and between them.
//!
//! Frames and waypoints are moments at which the overlap of every pair is measured. Over the
//! stretch of time between two moments a pair is apart if one axis, fixed in one of the two, separates
//! them at both its ends: in between they come nearer along it by no more than the sagitta of their
//! paths, `a h² / 8`. Where no axis does, the stretch is halved and the moment in its middle
//! measured, until every piece has its axis, the distances at its ends exceed what the bodies can
//! travel, or an overlap is found. A body that passed through another has no axis at any length.

use super::Worst;
use super::law::Place;
use super::path::Track;
use super::solid::{Solid, along, refined, separation};
use crate::world::{BodyId, World};
use glam::DVec3;
use obstacle::{Obstacle, Swept, obstacles, sweep};
use std::collections::HashMap;
use stiction_geometry::Pose;

mod obstacle;

/// Overlap that is not measured further, part of the smaller body: rounding.
const ROUNDING: f64 = 1e-10;

/// Overlap from which on a better axis is looked for, part of the smaller body: a tenth of the bounds.
const FINE: f64 = 1e-7;

/// Overlap between two moments that is not counted, part of the smaller body: what a step does
/// not resolve, such as the arc of a corner between two places on a floor.
pub const UNRESOLVED: f64 = 1e-2;

/// Halvings of the time between two moments.
const HALVINGS: u32 = 30;

/// Moments measured for a pair and stretch; what is not decided then counts as passed through.
const MOMENTS: u32 = 2000;

/// Moments at which the depth of an overlap that was found between two others is measured.
const SAMPLES: u32 = 16;

/// Two parts of bodies: body, part, body, part; of surfaces also the triangle.
type PairKey = [u32; 5];

/// An axis fixed in the first or second body.
#[derive(Clone, Copy)]
struct Axis {
    local: DVec3,
    in_first: bool,
}

impl Axis {
    fn new(world: DVec3, poses: &[Pose; 2], in_first: bool) -> Axis {
        let pose = &poses[usize::from(!in_first)];
        Axis { local: pose.local_direction(world), in_first }
    }

    fn world(&self, poses: &[Pose; 2]) -> DVec3 {
        poses[usize::from(!self.in_first)].direction(self.local)
    }
}

/// The overlap of the bodies of a world.
pub(super) struct Overlap {
    bodies: Vec<Vec<Obstacle>>,
    axes: HashMap<PairKey, Axis>,
    /// Boxes around bodies that did not move, and where they were.
    boxes: Vec<Option<(Pose, Swept)>>,
    /// Whether nothing was seen yet.
    first: bool,
}

/// Two solids on their way through the moments of a frame.
struct Meeting<'a> {
    solids: [&'a Solid; 2],
    tracks: [&'a Track<'a>; 2],
    /// Of the smaller body (m).
    size: f64,
    /// Normals of contacts of the two bodies: axes worth a try.
    hints: &'a [DVec3],
    axis: Option<Axis>,
    left: u32,
}

/// A moment of two bodies.
#[derive(Clone, Copy)]
struct Moment {
    time: f64,
    poses: [Pose; 2],
}

impl Overlap {
    pub(super) fn new(world: &World) -> Self {
        let bodies: Vec<_> = world.bodies.iter().map(|body| obstacles(&body.parts)).collect();
        let boxes = vec![None; bodies.len()];
        Overlap { bodies, axes: HashMap::new(), boxes, first: true }
    }

    /// Forgets axes: what is found does not depend on what was seen before.
    pub(super) fn forget(&mut self) {
        self.axes.clear();
        self.first = false;
    }

    /// Measures all that moves between two times; `normals` are those of the contacts by pair.
    pub(super) fn see(
        &mut self,
        world: &World,
        tracks: &[Track<'_>],
        [from, to]: [f64; 2],
        normals: &HashMap<[BodyId; 2], Vec<DVec3>>,
        worst: &mut Worst,
    ) {
        let boxes = self.swept(tracks, [from, to]);
        let first = std::mem::replace(&mut self.first, false);
        for [i, j] in sweep(&boxes) {
            let [a, b] = [i, j].map(BodyId::from_index);
            if !(first || tracks[i].moves() || tracks[j].moves()) || !world.may_touch(a, b) {
                continue;
            }
            let radius = |i: usize| world.bodies[i].bounding_radius();
            let size = radius(i).min(radius(j));
            if !(size > 0.0 && size.is_finite()) {
                continue;
            }
            let hints: Vec<DVec3> =
                [[a, b], [b, a]].iter().filter_map(|k| normals.get(k)).flatten().copied().collect();
            let times = moments([&tracks[i], &tracks[j]], [from, to]);
            let mut note = |depth: f64, time: f64| {
                worst.note(depth / size, time, || Place::Bodies(a, b));
            };
            self.pair([i, j], [&tracks[i], &tracks[j]], size, &hints, &times, &mut note);
        }
    }

    /// Boxes in which bodies stay between two times.
    fn swept(&mut self, tracks: &[Track<'_>], [from, to]: [f64; 2]) -> Vec<Swept> {
        let boxes = self.bodies.iter().zip(tracks).zip(&mut self.boxes);
        let around = |parts: &[Obstacle], pose: &Pose| {
            parts.iter().fold(Swept::EMPTY, |all, part| all.union(&part.around(pose)))
        };
        let swept = boxes.map(|((parts, track), known)| {
            if !track.moves() {
                let pose = track.pose(to);
                return match known {
                    Some((there, swept)) if *there == pose => *swept,
                    _ => known.insert((pose, around(parts, &pose))).1,
                };
            }
            *known = None;
            let mut all = around(parts, &track.pose(from));
            let mut start = from;
            for time in track.times().chain([to]) {
                let sagitta = track.greatest(start, time).sagitta(time - start);
                let there = around(parts, &track.pose(time));
                all = all.union(&there).inflated(sagitta);
                start = time;
            }
            all
        });
        swept.collect()
    }

    fn pair(
        &mut self,
        bodies: [usize; 2],
        tracks: [&Track<'_>; 2],
        size: f64,
        hints: &[DVec3],
        times: &[f64],
        note: &mut impl FnMut(f64, f64),
    ) {
        let [i, j] = bodies;
        let balls = Balls::new([&self.bodies[i], &self.bodies[j]], tracks, times);
        for (p, first) in self.bodies[i].iter().enumerate() {
            for (q, second) in self.bodies[j].iter().enumerate() {
                if balls.are_apart(p, q) {
                    continue;
                }
                let key = |triangle: usize| [i, p, j, q, triangle].map(|k| k as u32);
                let mut meet = |solids: [&Solid; 2], tracks, key: PairKey| {
                    let axis = self.axes.get(&key).copied();
                    let left = MOMENTS;
                    let mut meeting = Meeting { solids, tracks, size, hints, axis, left };
                    meeting.follow(times, note);
                    self.axes.extend(meeting.axis.map(|axis| (key, axis)));
                };
                let [a, b] = tracks;
                match (first, second) {
                    (Obstacle::Solid(x), Obstacle::Solid(y)) => meet([x, y], tracks, key(0)),
                    (Obstacle::Solid(solid), Obstacle::HalfSpace(plane)) => {
                        above(solid, a, plane, b, times, note);
                    }
                    (Obstacle::HalfSpace(plane), Obstacle::Solid(solid)) => {
                        above(solid, b, plane, a, times, note);
                    }
                    (Obstacle::Solid(solid), surface @ Obstacle::Surface { triangles, .. }) => {
                        for k in surface.near(b, solid, a, times) {
                            meet([solid, &triangles[k]], tracks, key(k));
                        }
                    }
                    (surface @ Obstacle::Surface { triangles, .. }, Obstacle::Solid(solid)) => {
                        for k in surface.near(a, solid, b, times) {
                            meet([&triangles[k], solid], tracks, key(k));
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Balls around the solids of two bodies at the end of a time in which they travel this far (m)
/// against each other.
struct Balls {
    solids: [Vec<Option<(DVec3, f64)>>; 2],
    travel: f64,
}

impl Balls {
    fn new(bodies: [&Vec<Obstacle>; 2], tracks: [&Track<'_>; 2], times: &[f64]) -> Self {
        let [Some(first), Some(last)] = [times.first(), times.last()] else {
            return Balls { solids: [vec![], vec![]], travel: 0.0 };
        };
        let single = bodies.iter().all(|parts| parts.len() == 1);
        let balls = |k: usize| {
            let pose = tracks[k].pose(*last);
            let ball = |part: &Obstacle| match part {
                Obstacle::Solid(solid) => Some(solid.ball(&pose)),
                Obstacle::HalfSpace(_) | Obstacle::Surface { .. } => None,
            };
            if single { vec![] } else { bodies[k].iter().map(ball).collect() }
        };
        let travel = |track: &Track<'_>| {
            let ends = times.windows(2);
            let speed = ends.map(|ends| track.greatest(ends[0], ends[1]).speed);
            speed.fold(0.0, f64::max) * (last - first)
        };
        Balls { solids: [balls(0), balls(1)], travel: travel(tracks[0]) + travel(tracks[1]) }
    }

    /// Whether two parts are apart all the time.
    fn are_apart(&self, p: usize, q: usize) -> bool {
        let [Some(Some((a, r))), Some(Some((b, s)))] =
            [self.solids[0].get(p), self.solids[1].get(q)]
        else {
            return false;
        };
        a.distance(*b) > r + s + self.travel
    }
}

/// The times at which two bodies are known, from one frame to the next.
fn moments(tracks: [&Track<'_>; 2], [from, to]: [f64; 2]) -> Vec<f64> {
    let mut times: Vec<f64> = tracks.iter().flat_map(|track| track.times()).collect();
    times.extend([from, to]);
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// A solid above a half-space, which has one axis only.
fn above(
    solid: &Solid,
    track: &Track<'_>,
    plane: &Pose,
    ground: &Track<'_>,
    times: &[f64],
    note: &mut impl FnMut(f64, f64),
) {
    let height = |time: f64| {
        let (at, plane) = (track.pose(time), ground.pose(time).compose(plane));
        let normal = plane.direction(DVec3::Z);
        -solid.extent(&at, -normal) - normal.dot(plane.position)
    };
    let least = UNRESOLVED * track.radius;
    note(-height(times[0]), times[0]);
    for pair in times.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        note(-height(to), to);
        let greatest = track.greatest(from, to).and(ground.greatest(from, to));
        if height(from).min(height(to)) - greatest.sagitta(to - from) < -least {
            for k in 1..SAMPLES {
                let time = from + (to - from) * f64::from(k) / f64::from(SAMPLES);
                note(-height(time) - least, time);
            }
        }
    }
}

impl Meeting<'_> {
    /// Measures every moment and the stretches between them.
    fn follow(&mut self, times: &[f64], note: &mut impl FnMut(f64, f64)) {
        let mut last = self.moment(times[0]);
        let mut apart = self.measure(&last);
        note(-apart, last.time);
        for &time in &times[1..] {
            let next = self.moment(time);
            let apart_before = std::mem::replace(&mut apart, self.measure(&next));
            note(-apart, time);
            self.left = MOMENTS;
            // What overlaps at a moment is counted there.
            if apart.min(apart_before) > -UNRESOLVED * self.size
                && let Err(found) = self.stretch(&last, &next, HALVINGS)
            {
                self.sound(&last, &next, found, note);
            }
            last = next;
        }
    }

    fn moment(&self, time: f64) -> Moment {
        Moment { time, poses: self.tracks.map(|track| track.pose(time)) }
    }

    fn along(&self, axis: DVec3, moment: &Moment) -> f64 {
        let [a, b] = [0, 1].map(|k| (self.solids[k], &moment.poses[k]));
        along(axis, a, b)
    }

    fn separation(&self, moment: &Moment) -> (f64, DVec3) {
        let [a, b] = [0, 1].map(|k| (self.solids[k], &moment.poses[k]));
        separation(a, b)
    }

    /// How far the two are apart at a moment (m), or how deep they overlap if negative, by the best
    /// axis known; it is kept.
    fn measure(&mut self, moment: &Moment) -> f64 {
        if let Some(axis) = self.axis {
            let apart = self.along(axis.world(&moment.poses), moment);
            if apart >= -ROUNDING * self.size {
                return apart;
            }
        }
        let mut best = self.separation(moment);
        if best.0 < -ROUNDING * self.size {
            for hint in self.hints.iter().flat_map(|n| [*n, -*n]) {
                let apart = self.along(hint, moment);
                best = if apart > best.0 { (apart, hint) } else { best };
            }
        }
        if best.0 < -FINE * self.size {
            let [a, b] = [0, 1].map(|k| (self.solids[k], &moment.poses[k]));
            best = refined(best, a, b, self.size);
        }
        self.axis = Some(Axis::new(best.1, &moment.poses, false));
        best.0
    }

    /// Whether an axis keeps the two apart over a stretch, but for what is not resolved; if none
    /// does, when they overlap.
    fn stretch(&mut self, from: &Moment, to: &Moment, halvings: u32) -> Result<(), f64> {
        let length = to.time - from.time;
        let greatest = self.tracks.map(|track| track.greatest(from.time, to.time));
        let greatest = greatest[0].and(greatest[1]);
        let least = greatest.sagitta(length) - UNRESOLVED * self.size;
        let separates = |axis: &Axis| {
            let at = |moment: &Moment| self.along(axis.world(&moment.poses), moment);
            at(to) >= least && at(from) >= least
        };
        if self.axis.is_some_and(|axis| separates(&axis)) {
            return Ok(());
        }
        let ((apart_from, first), (apart_to, last)) = (self.separation(from), self.separation(to));
        let mean = (first + last).normalize_or(last);
        let axes = [
            Axis::new(last, &to.poses, false),
            Axis::new(last, &to.poses, true),
            Axis::new(first, &from.poses, false),
            Axis::new(first, &from.poses, true),
            Axis::new(mean, &to.poses, false),
        ];
        if let Some(axis) = axes.into_iter().find(separates) {
            self.axis = Some(axis);
            return Ok(());
        }
        if apart_from.min(apart_to) > 0.0 && apart_from + apart_to > greatest.speed * length {
            return Ok(());
        }
        let middle = self.moment(0.5 * (from.time + to.time));
        let is_inside = self.separation(&middle).0 < -UNRESOLVED * self.size;
        if is_inside || halvings == 0 || self.left == 0 {
            return Err(middle.time);
        }
        self.left -= 1;
        self.stretch(from, &middle, halvings - 1)?;
        self.stretch(&middle, to, halvings - 1)
    }

    /// Measures how deep an overlap is that was found within a stretch. Where none is found though
    /// no axis separates, the bodies passed through each other faster than can be followed.
    fn sound(&self, from: &Moment, to: &Moment, found: f64, note: &mut impl FnMut(f64, f64)) {
        let times = (1..SAMPLES)
            .map(|k| from.time + (to.time - from.time) * f64::from(k) / f64::from(SAMPLES));
        let depth = |time: f64| -self.separation(&self.moment(time)).0 - UNRESOLVED * self.size;
        let deepest = times.chain([found]).map(|time| (depth(time), time));
        let (depth, time) = deepest.fold((0.0, found), |x, y| if y.0 > x.0 { y } else { x });
        note(if depth > 0.0 { depth } else { self.size }, time);
    }
}

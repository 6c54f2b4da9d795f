//! Nothing is in anything else, at frames and between them.

use super::path::Path;
use super::solids::{Solid, depth, solids};
use super::{Breaches, LOOSER};
use stiction::{BodyId, Frame, World};

/// Bound of the judge at frames, part of the radius of the smaller body.
const AT_FRAMES: f64 = 1e-6;

/// Bound of the judge between frames, likewise.
const BETWEEN: f64 = stiction::motion::UNRESOLVED;

/// Travel between two samples, part of the radius of the smaller body.
const STRIDE: f64 = 0.25;

/// Samples between two frames: least and most.
const SAMPLES: [u32; 2] = [4, 400];

/// Angle of a piece of a path (rad) up to which a cubic curve describes where the body is.
const TURN: f64 = 0.5;

/// Two bodies that may touch.
struct Pair<'a> {
    world: &'a World,
    ids: [BodyId; 2],
    solids: [&'a [Solid]; 2],
    /// Radius of the smaller one (m).
    size: f64,
}

pub fn see(world: &World, frames: &[Frame], breaches: &mut Breaches) {
    let bodies: Vec<(BodyId, Vec<Solid>)> =
        world.bodies().map(|(id, body)| (id, solids(body))).collect();
    for (k, (a, first)) in bodies.iter().enumerate() {
        for (b, second) in &bodies[..k] {
            let radius = |id: BodyId| match world.body(id).bounding_radius() {
                radius if radius > 0.0 => radius,
                _ => f64::INFINITY,
            };
            let size = radius(*a).min(radius(*b));
            if world.may_touch(*a, *b) && size.is_finite() {
                Pair { world, ids: [*a, *b], solids: [first, second], size }.see(frames, breaches);
            }
        }
    }
}

impl Pair<'_> {
    fn see(&self, frames: &[Frame], breaches: &mut Breaches) {
        for (k, frame) in frames.iter().enumerate() {
            // Starts may overlap by what scenes allow.
            if k > 0 {
                self.between(&frames[k - 1], frame, breaches);
                let poses = self.ids.map(|id| frame.state.pose(id));
                let bound = LOOSER * AT_FRAMES * self.size;
                self.measure(poses, bound, frame.state.time, "overlap", breaches);
            }
        }
    }

    fn between(&self, before: &Frame, after: &Frame, breaches: &mut Breaches) {
        let paths = self.ids.map(|id| Path::new(before, after, id));
        let travel =
            [0, 1].map(|k| paths[k].travel(self.world.body(self.ids[k]).bounding_radius()));
        if travel.iter().any(|(_, angle)| *angle > TURN) {
            return;
        }
        let far: f64 = travel.iter().map(|(travel, _)| travel).sum();
        let enough = |samples: &u32| f64::from(*samples) * STRIDE * self.size >= far;
        let samples = (SAMPLES[0]..SAMPLES[1]).find(enough).unwrap_or(SAMPLES[1]);
        let [from, to] = [before.state.time, after.state.time];
        for k in 1..samples {
            let time = from + (to - from) * f64::from(k) / f64::from(samples);
            let poses = [paths[0].pose(time), paths[1].pose(time)];
            self.measure(poses, LOOSER * BETWEEN * self.size, time, "overlap between", breaches);
        }
    }

    fn measure(
        &self,
        poses: [stiction::geometry::Pose; 2],
        bound: f64,
        time: f64,
        law: &'static str,
        breaches: &mut Breaches,
    ) {
        if let Some(depth) = depth(self.solids, [&poses[0], &poses[1]], bound) {
            breaches.note(law, depth / self.size, bound / self.size, time, || {
                let [a, b] = self.ids.map(|id| &self.world.body(id).name);
                format!("{a} and {b}")
            });
        }
    }
}

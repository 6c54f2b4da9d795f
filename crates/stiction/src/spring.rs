//! Springs: a force along the line between two points.

use crate::world::{BodyId, State, World};
use glam::DVec3;
use stiction_geometry::{Pose, Twist};

/// A spring with a damper beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Spring {
    /// Its name.
    pub name: String,
    /// First body.
    pub a: BodyId,
    /// Second body; `None` is the world.
    pub b: Option<BodyId>,
    /// Its end on the first body, body frame (m).
    pub on_a: DVec3,
    /// Its end on the second body, body frame, or in the world (m).
    pub on_b: DVec3,
    /// Length without force (m).
    pub length: f64,
    /// Force per stretch (N/m).
    pub stiffness: f64,
    /// Force per speed of stretching (N·s/m).
    pub damping: f64,
}

/// A spring in a state.
struct Stretched {
    /// From the second end to the first, unit; zero where they coincide.
    along: DVec3,
    ends: [DVec3; 2],
    stretch: f64,
    rate: f64,
}

impl Spring {
    /// The index of its second body.
    pub(crate) fn other(&self) -> Option<usize> {
        self.b.map(BodyId::index)
    }

    /// Where its ends are, and its force on the first body (N).
    pub(crate) fn pull(&self, state: &State) -> ([DVec3; 2], DVec3) {
        let now = self.stretched(state);
        (now.ends, -(self.stiffness * now.stretch + self.damping * now.rate) * now.along)
    }

    fn stretched(&self, state: &State) -> Stretched {
        let (pose_a, twist_a) = (&state.poses[self.a.index()], &state.twists[self.a.index()]);
        let world = (Pose::IDENTITY, Twist::ZERO);
        let (pose_b, twist_b) = self.other().map_or(world, |b| (state.poses[b], state.twists[b]));
        let ends = [pose_a.point(self.on_a), pose_b.point(self.on_b)];
        let apart = ends[0] - ends[1];
        let along = apart.normalize_or_zero();
        let rate = along.dot(twist_a.at(pose_a, ends[0]) - twist_b.at(&pose_b, ends[1]));
        Stretched { along, ends, stretch: apart.length() - self.length, rate }
    }
}

impl World {
    /// Adds the accelerations that springs cause.
    pub(crate) fn add_springs(&self, state: &State, to: &mut [Twist]) {
        for spring in &self.springs {
            let (ends, pull) = spring.pull(state);
            for (body, end, force) in
                [(Some(spring.a.index()), ends[0], pull), (spring.other(), ends[1], -pull)]
            {
                let Some(body) = body else { continue };
                let mobility = self.mobility(body, &state.poses[body]);
                let torque = (end - state.poses[body].position).cross(force);
                to[body].linear += mobility.linear * force;
                to[body].angular += mobility.angular * torque;
            }
        }
    }

    /// Energy in springs (J).
    pub(crate) fn spring_energy(&self, state: &State) -> f64 {
        let energy = |s: &Spring| 0.5 * s.stiffness * s.stretched(state).stretch.powi(2);
        self.springs.iter().map(energy).sum()
    }

    /// Work per time that driven bodies do on springs (W).
    pub(crate) fn power_into_springs(&self, state: &State) -> f64 {
        let power = |spring: &Spring| {
            let (ends, pull) = spring.pull(state);
            let on = |body: usize, end: DVec3, force: DVec3| {
                let velocity = state.twists[body].at(&state.poses[body], end);
                if self.bodies[body].is_free() { 0.0 } else { -force.dot(velocity) }
            };
            let second = spring.other().map_or(0.0, |b| on(b, ends[1], -pull));
            on(spring.a.index(), ends[0], pull) + second
        };
        self.springs.iter().map(power).sum()
    }

    /// Heat per time in dampers (W).
    pub(crate) fn spring_loss(&self, state: &State) -> f64 {
        self.springs.iter().map(|s| s.damping * s.stretched(state).rate.powi(2)).sum()
    }
}

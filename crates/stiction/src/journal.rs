//! What a step does to bodies, booked for the judge of motion: the impulse that each received, and
//! where it was between the ends of the step wherever these do not determine it.

use crate::assemble::{JointEntry, halves};
use crate::motion::path::{Knot, fits};
use crate::world::{BodyId, State, World};
use glam::DVec3;
use stiction_geometry::{Pose, Twist};
use stiction_solvers::{ContactProblem, Forces};

/// The impulse that a body received from contacts, joints, springs, motors and collisions; not
/// that of gravity and of the force and torque that the world applies to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impulse {
    /// N·s.
    pub linear: DVec3,
    /// About the centre of mass, world axes (N·m·s).
    pub angular: DVec3,
}

/// Where a body was at a moment within a step. Between its waypoints a body follows the cubic that
/// has their poses and velocities; where it collides its velocity jumps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waypoint {
    /// Which body.
    pub body: BodyId,
    /// When (s).
    pub time: f64,
    /// Where it was.
    pub pose: Pose,
    /// How it moved until then.
    pub before: Twist,
    /// How it moved from then on.
    pub after: Twist,
}

/// What a step books beside energies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    /// One per body, and a last one for the world outside, which joints and springs without a
    /// second body hold on to.
    pub impulses: Vec<Impulse>,
    /// In order of body, then of time.
    pub waypoints: Vec<Waypoint>,
}

impl Journal {
    pub(crate) fn new(world: &World) -> Self {
        let impulses = vec![Impulse::default(); world.bodies.len() + 1];
        Journal { impulses, waypoints: Vec::new() }
    }

    /// Adds what another, of the same world, has.
    pub(crate) fn append(&mut self, other: Journal) {
        for (total, more) in self.impulses.iter_mut().zip(other.impulses) {
            total.linear += more.linear;
            total.angular += more.angular;
        }
        self.waypoints.extend(other.waypoints);
    }

    /// An impulse at a point on body a, and its reaction on body b or, if there is none, on the
    /// world outside.
    pub(crate) fn push(
        &mut self,
        poses: &[Pose],
        (a, b): (usize, Option<usize>),
        [point_a, point_b]: [DVec3; 2],
        impulse: DVec3,
    ) {
        let mut add = |body: usize, point: DVec3, impulse: DVec3| {
            let arm = poses.get(body).map_or(DVec3::ZERO, |pose| point - pose.position);
            self.add(body, [impulse, arm.cross(impulse)]);
        };
        add(a, point_a, impulse);
        add(b.unwrap_or(poses.len()), point_b, -impulse);
    }

    /// The impulses of the contacts and rows of a problem.
    pub(crate) fn push_problem(
        &mut self,
        problem: &ContactProblem,
        poses: &[Pose],
        forces: &Forces,
    ) {
        for (contact, force) in problem.contacts().iter().zip(&forces.contacts) {
            let normal = DVec3::from_array(contact.normal);
            let impulse = force.normal * normal + DVec3::from_array(force.friction);
            let point = DVec3::from_array(contact.point);
            self.push(poses, (contact.a, contact.b), [point; 2], impulse);
        }
        let bounded = problem.bounded().iter().map(|bounded| &bounded.row);
        let forces = forces.bilateral.iter().chain(&forces.bounded);
        for (row, force) in problem.bilateral().iter().chain(bounded).zip(forces) {
            let [on_a, on_b] = [row.on_a, row.on_b].map(|wrench| wrench.map(|x| force * x));
            self.push_wrenches((row.a, row.b), &on_a, &on_b);
        }
    }

    /// The impulse of a row of a joint.
    pub(crate) fn push_row(&mut self, entry: &JointEntry, impulse: f64) {
        let on_a = entry.row.on_a.map(|x| impulse * x);
        let on_b = entry.row.on_b.map(|x| impulse * x);
        self.push_wrenches((entry.a, entry.b), &on_a, &on_b);
    }

    /// Wrenches on two bodies, or on one and the world outside.
    pub(crate) fn push_wrenches(
        &mut self,
        (a, b): (usize, Option<usize>),
        on_a: &[f64; 6],
        on_b: &[f64; 6],
    ) {
        let [force, torque] = halves(on_a);
        self.add(a, [force, torque]);
        let outside = self.impulses.len().saturating_sub(1);
        self.add(b.unwrap_or(outside), if b.is_some() { halves(on_b) } else { [-force, -torque] });
    }

    /// The forces of springs and of motors that exert a given force, for a time (s).
    pub(crate) fn push_pulls(&mut self, world: &World, state: &State, duration: f64) {
        for spring in &world.springs {
            let (ends, pull) = spring.pull(state);
            self.push(&state.poses, (spring.a.index(), spring.other()), ends, duration * pull);
        }
        for joint in &world.joints {
            let (a, b) = (joint.a.index(), joint.other());
            let pose_b = b.map_or(Pose::IDENTITY, |b| state.poses[b]);
            if let Some((on_a, on_b)) = joint.applied(&state.poses[a], &pose_b, state.time) {
                let [on_a, on_b] = [on_a, on_b].map(|wrench| wrench.map(|x| duration * x));
                self.push_wrenches((a, b), &on_a, &on_b);
            }
        }
    }

    fn add(&mut self, body: usize, [linear, angular]: [DVec3; 2]) {
        if let Some(impulse) = self.impulses.get_mut(body) {
            impulse.linear += linear;
            impulse.angular += angular;
        }
    }

    /// Velocities jump, poses do not.
    pub(crate) fn jump(&mut self, world: &World, before: &[Twist], after: &State) {
        for (i, _) in world.free().filter(|(i, _)| before[*i] != after.twists[*i]) {
            self.waypoints.push(Waypoint {
                body: BodyId::from_index(i),
                time: after.time,
                pose: after.poses[i],
                before: before[i],
                after: after.twists[i],
            });
        }
    }

    /// The bodies that move pass through a state.
    pub(crate) fn pass(&mut self, world: &World, state: &State) {
        for (i, _) in world.free().filter(|(i, _)| state.twists[*i] != Twist::ZERO) {
            let (pose, twist) = (state.poses[i], state.twists[i]);
            let (body, time) = (BodyId::from_index(i), state.time);
            self.waypoints.push(Waypoint { body, time, pose, before: twist, after: twist });
        }
    }

    /// Leaves out what follows from the rest: stretches without a jump that one cubic describes.
    pub(crate) fn thin(&mut self, world: &World, start: &State, end: &State) {
        self.waypoints.retain(|point| point.time < end.time || point.before != point.after);
        self.waypoints.sort_by(|p, q| p.body.cmp(&q.body).then(p.time.total_cmp(&q.time)));
        let mut kept = Vec::new();
        for points in self.waypoints.chunk_by(|p, q| p.body == q.body) {
            let i = points[0].body.index();
            let size = world.bodies[i].bounding_radius();
            let mut from = Knot { time: start.time, pose: start.poses[i], twist: start.twists[i] };
            let last = Knot { time: end.time, pose: end.poses[i], twist: end.twists[i] };
            for stretch in points.split_inclusive(|point| point.before != point.after) {
                let jump = stretch.last().filter(|point| point.before != point.after);
                let (within, to) = match jump {
                    Some(jump) => (&stretch[..stretch.len() - 1], Knot::before(jump)),
                    None => (stretch, last),
                };
                if !fits(&from, &to, within, size) {
                    kept.extend_from_slice(within);
                }
                kept.extend(jump);
                from = jump.map_or(last, Knot::after);
            }
        }
        self.waypoints = kept;
    }
}

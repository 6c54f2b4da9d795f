//! How bodies move in a piece.

use super::{Plan, Setting, Solved};
use crate::assemble;
use crate::rotation::turn_freely;
use crate::world::{Body, State, World};
use glam::{DQuat, DVec3};
use stiction_geometry::{Pose, Twist};

/// Bodies that turn farther in a piece (rad) are followed by their free rotation; for others the
/// mean angular velocity will do: it is off by a twelfth of the cube.
const TUMBLES: f64 = 1e-2;

impl Plan {
    /// Motion to the end of the piece if nothing touched or pulled.
    pub(super) fn let_go(&mut self, world: &World) {
        let h = self.length;
        let later = State { time: self.start.time + h, ..self.start.clone() };
        (self.free, self.turned, self.tumbles) = (Vec::new(), Vec::new(), Vec::new());
        for (i, body) in world.bodies.iter().enumerate() {
            let (pose, twist) = (&self.start.poses[i], &self.start.twists[i]);
            let mut tumble = None;
            let (turned, free) = if self.resting[i] {
                (pose.rotation, Twist::ZERO)
            } else if body.is_free() {
                let pull = world.mobility(i, &pose.moved(twist, 0.5 * h));
                let linear = pull.linear * (body.force + body.mass * world.gravity);
                let angular = pull.angular * body.torque;
                let (turned, spin) = if world.plane.is_some() {
                    (pose.moved(twist, h).rotation, twist.angular)
                } else {
                    turn_freely(&body.derived.principal, pose.rotation, twist.angular, h)
                };
                if h * twist.angular.length() > TUMBLES && world.plane.is_none() {
                    tumble = Some(body.derived.principal);
                }
                let half = DQuat::from_scaled_axis(0.5 * h * h * angular);
                let free = Twist { linear: twist.linear + h * linear, angular: spin + h * angular };
                ((half * turned).normalize(), free)
            } else {
                (world.driven_pose(i, later.time).rotation, world.driven_twist(i, later.time))
            };
            self.tumbles.push(tumble);
            self.turned.push(turned);
            self.free.push(free);
        }
    }

    /// The middle of the piece: the mean of its ends, where springs keep their energy; the
    /// beginning of a straight one.
    pub(super) fn middle(&self, end: &[Twist]) -> State {
        if self.straight {
            return self.start.clone();
        }
        let h = self.length;
        let mean = |(v, end): (&Twist, &Twist)| Twist {
            linear: 0.5 * (v.linear + end.linear),
            angular: 0.5 * (v.angular + end.angular),
        };
        let twists: Vec<Twist> = self.start.twists.iter().zip(end).map(mean).collect();
        let poses = self.start.poses.iter().zip(&twists).map(|(x, v)| x.moved(v, 0.5 * h));
        let (time, turns) = (self.start.time + 0.5 * h, self.start.turns.clone());
        State { time, poses: poses.collect(), twists, turns }
    }

    /// Impulses of what depends on the motion, as it is in the middle: springs and given forces of
    /// motors (N·s, N·m·s).
    pub(super) fn pulls(&self, world: &World, guess: &[Twist]) -> Vec<Twist> {
        let mut pulls = vec![Twist::ZERO; world.bodies.len()];
        if !world.is_pulled() {
            return pulls;
        }
        let middle = self.middle(guess);
        assemble::add_motor_forces(world, &middle, &mut pulls);
        world.add_springs(&middle, &mut pulls);
        let h = self.length;
        for (i, (pull, pose)) in pulls.iter_mut().zip(&middle.poses).enumerate() {
            let mass = world.bodies[i].mass;
            let angular = h * world.spin(i, pose, pull.angular);
            *pull = Twist { linear: h * mass * pull.linear, angular };
        }
        pulls
    }

    /// Velocities at the end if nothing touched or held bodies, with the impulses of a setting:
    ///
    /// ```text
    ///   ω = I⁻¹ (L + h τ + P)
    /// ```
    ///
    /// with the angular momentum L of the beginning and the inertia I of the end, so that angular
    /// momentum changes by the impulses and by nothing else. In a straight piece the change of I
    /// is that of free rotation.
    pub(super) fn freely(&self, world: &World, setting: &Setting) -> Vec<Twist> {
        let h = self.length;
        let mut free = self.free.clone();
        for (i, body) in world.free().filter(|(i, _)| !self.resting[*i]) {
            let pose = &setting.end.state.poses[i];
            let (mobility, push) = (world.mobility(i, pose), &setting.pushes[i]);
            free[i].linear += mobility.linear * push.linear;
            if self.straight || world.plane.is_some() {
                free[i].angular += mobility.angular * push.angular;
            } else {
                let start = &self.start.twists[i];
                let spin = world.spin(i, &self.start.poses[i], start.angular);
                free[i].angular = mobility.angular * (spin + h * body.torque + push.angular);
            }
        }
        free
    }

    /// The largest change of velocities by which a body would answer to the same impulses in another
    /// setting, at its bounding radius (m/s).
    pub(super) fn change_of_motion(&self, world: &World, old: &Setting, new: &Setting) -> f64 {
        let change = |(i, body): (usize, &Body)| {
            let [before, after] = [old, new].map(|setting| &setting.end.state.poses[i]);
            let mobility = world.mobility(i, after);
            let (x, y) = (&old.pushes[i], &new.pushes[i]);
            let linear = mobility.linear * (y.linear - x.linear);
            let mut angular = mobility.angular * (y.angular - x.angular);
            if world.plane.is_none() && !self.straight {
                let spin = new.guess[i].angular;
                angular += mobility.angular * world.spin(i, before, spin) - spin;
            }
            linear.length() + angular.length() * body.bounding_radius()
        };
        world.free().filter(|(i, _)| !self.resting[*i]).map(change).fold(0.0, f64::max)
    }

    /// Velocities at the end, if bodies keep their accelerations; those that nothing
    /// touches or holds move freely.
    pub(in crate::time_stepping) fn predicted(
        &self,
        world: &World,
        acceleration: &[Twist],
    ) -> Vec<Twist> {
        let mut held = vec![false; world.bodies.len()];
        let contacts = self.contacts[..self.active].iter().map(|c| (c.a, Some(c.b)));
        let joints = world.joints.iter().map(|j| (j.a.index(), j.other()));
        let springs = world.springs.iter().map(|s| (s.a.index(), s.other()));
        for (a, b) in contacts.chain(joints).chain(springs) {
            [Some(a), b].into_iter().flatten().for_each(|i| held[i] = true);
        }
        let predict = |(i, v): (usize, &Twist)| {
            let a = &acceleration[i];
            let (linear, angular) = (self.length * a.linear, self.length * a.angular);
            let on = Twist { linear: v.linear + linear, angular: v.angular + angular };
            if held[i] { on } else { self.free[i] }
        };
        self.start.twists.iter().enumerate().map(predict).collect()
    }

    /// Accelerations over the piece.
    pub(in crate::time_stepping) fn acceleration(&self, solved: &Solved) -> Vec<Twist> {
        let mean = |(v, end): (&Twist, &Twist)| Twist {
            linear: (end.linear - v.linear) / self.length,
            angular: (end.angular - v.angular) / self.length,
        };
        self.start.twists.iter().zip(&solved.twists).map(mean).collect()
    }

    /// A body after part of the piece: it moves freely, and what pushes it is constant.
    pub(super) fn pose_at(&self, body: usize, end: &Twist, part: f64) -> Pose {
        let (pose, start) = (&self.start.poses[body], &self.start.twists[body]);
        let time = part * self.length;
        // The part of the change of velocity that acts on the way, in the mean.
        let pushed = 0.5 * part;
        let linear = start.linear + pushed * (end.linear - start.linear);
        let position = pose.position + time * linear;
        let push = time * pushed * (end.angular - self.free[body].angular);
        let turned = match &self.tumbles[body] {
            _ if part == 1.0 => self.turned[body],
            Some(tumble) => turn_freely(tumble, pose.rotation, start.angular, time).0,
            None => {
                let angular = start.angular + pushed * (self.free[body].angular - start.angular);
                pose.moved(&Twist { linear: DVec3::ZERO, angular }, time).rotation
            }
        };
        Pose { position, rotation: (DQuat::from_scaled_axis(push) * turned).normalize() }
    }

    /// The state at the end of the piece.
    pub(super) fn end_state(&self, world: &World, solved: &Solved) -> State {
        let mut state = self.start.clone();
        state.time += self.length;
        for (i, _) in world.free() {
            state.poses[i] = self.pose_at(i, &solved.twists[i], 1.0);
            state.twists[i] = solved.twists[i];
        }
        world.follow_drives(&mut state);
        state
    }
}

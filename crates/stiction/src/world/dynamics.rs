//! Mobilities, accelerations, energies and momenta of the bodies of a world.

use super::state::mix;
use super::{Body, ImpactModel, Motion, State, World};
use crate::joint::{Joint, Motor};
use glam::{DMat3, DVec3};
use std::sync::Arc;
use stiction_geometry::{Pose, Twist};

/// How a body responds to a wrench: velocity per impulse, acceleration per force.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mobility {
    /// Of the centre of mass (1/kg).
    pub linear: DMat3,
    /// Of rotation (1/(kg·m²)), world axes.
    pub angular: DMat3,
}

impl World {
    /// How a body responds to a wrench in a pose.
    pub(crate) fn mobility(&self, body: usize, pose: &Pose) -> Mobility {
        let it = &self.bodies[body];
        if !it.is_free() {
            return Mobility { linear: DMat3::ZERO, angular: DMat3::ZERO };
        }
        let turn = DMat3::from_quat(pose.rotation);
        let inertia = turn * it.inertia * turn.transpose();
        match self.plane {
            None => Mobility {
                linear: DMat3::from_diagonal(DVec3::splat(1.0 / it.mass)),
                angular: inertia.inverse(),
            },
            Some(n) => {
                let across = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
                Mobility {
                    linear: (DMat3::IDENTITY - across) * (1.0 / it.mass),
                    angular: across * (1.0 / n.dot(inertia * n)),
                }
            }
        }
    }

    /// Acceleration of a body without contacts and joints: gravity, applied forces, and
    /// `I ω̇ = τ − ω × I ω`; of a driven body that of its drive.
    pub(crate) fn free_acceleration(&self, body: usize, state: &State) -> Twist {
        let it = &self.bodies[body];
        if !it.is_free() {
            return it.driven_twist(state.time)[1];
        }
        let (pose, twist) = (&state.poses[body], &state.twists[body]);
        let mobility = self.mobility(body, pose);
        let spin = pose.local_direction(twist.angular);
        let gyroscopic = pose.direction((it.inertia * spin).cross(spin));
        Twist {
            linear: mobility.linear * (it.force + it.mass * self.gravity),
            angular: mobility.angular * (it.torque + gyroscopic),
        }
    }

    /// Velocity of a fixed or driven body at a time.
    pub(crate) fn driven_twist(&self, body: usize, time: f64) -> Twist {
        self.bodies[body].driven_twist(time)[0]
    }

    /// Pose of a driven body at a time.
    pub(crate) fn driven_pose(&self, body: usize, time: f64) -> Pose {
        self.bodies[body].driven_pose(time)
    }

    /// The next time at which a drive of a body or joint is not smooth.
    pub(crate) fn next_kink(&self, after: f64) -> Option<f64> {
        let bodies = self.bodies.iter().filter_map(|body| match &body.motion {
            Motion::Driven { position, angle, .. } => {
                let kinks = [position.next_kink(after), angle.next_kink(after)];
                kinks.into_iter().flatten().reduce(f64::min)
            }
            Motion::Free | Motion::Fixed => None,
        });
        let joints = self.joints.iter().filter_map(|joint| joint.next_kink(after));
        bodies.chain(joints).reduce(f64::min)
    }

    /// Whether a body moves by a given function of time.
    pub(crate) fn is_driven(&self, body: usize) -> bool {
        matches!(self.bodies[body].motion, Motion::Driven { .. })
    }

    /// Whether forces depend on positions or times: there are springs or motors of given force.
    pub(crate) fn is_pulled(&self) -> bool {
        let given = |joint: &Joint| matches!(joint.motor, Some(Motor::Force { .. }));
        !self.springs.is_empty() || self.joints.iter().any(given)
    }

    /// Bodies that never come to lasting rest: those of joints with motors, and of joints and
    /// springs whose other body is driven.
    pub(crate) fn agitated(&self) -> impl Iterator<Item = usize> {
        let joints = self.joints.iter().map(|j| (j.a.index(), j.other(), j.motor.is_some()));
        let springs = self.springs.iter().map(|s| (s.a.index(), s.other(), false));
        let driven = |body: Option<usize>| body.is_some_and(|b| self.is_driven(b));
        let agitated = joints
            .chain(springs)
            .filter(move |&(a, b, motor)| motor || driven(Some(a)) || driven(b));
        agitated.flat_map(|(a, b, _)| [Some(a), b]).flatten()
    }

    /// Moves driven bodies to where they are at the time of a state.
    pub(crate) fn follow_drives(&self, state: &mut State) {
        for (i, body) in self.bodies.iter().enumerate() {
            if matches!(body.motion, Motion::Driven { .. }) {
                state.poses[i] = body.driven_pose(state.time);
                state.twists[i] = body.driven_twist(state.time)[0];
            }
        }
    }

    /// Updates the counted angles of hinges.
    pub(crate) fn follow_turns(&mut self) {
        let mut state = self.state.clone();
        self.follow(&mut state);
        self.state.turns = state.turns;
    }

    /// Updates the counted angles of hinges of a state.
    pub(crate) fn follow(&self, state: &mut State) {
        for (turn, joint) in state.turns.iter_mut().zip(&self.joints) {
            // Bodies that do not exist are for `validate` to report.
            let pose = |i: usize| state.poses.get(i).copied();
            let b = joint.other().map_or(Some(Pose::IDENTITY), pose);
            let (Some(a), Some(b)) = (pose(joint.a.index()), b) else { continue };
            if let Some(coordinate) = joint.coordinate_near(&a, &b, *turn) {
                *turn = coordinate;
            }
        }
    }

    /// Sixty-four bits that differ when the state differs, or what acts on it.
    pub(crate) fn fingerprint(&self) -> u64 {
        mix(self.timeless_fingerprint(), [self.state.time].into_iter())
    }

    /// The same, whatever the time is.
    pub(crate) fn timeless_fingerprint(&self) -> u64 {
        mix(self.constants(), self.state.moving())
    }

    /// Sixty-four bits that differ when what acts on bodies differs: gravity, materials, forces and
    /// torques, whatever [`World`]'s methods changed.
    pub(crate) fn constants(&self) -> u64 {
        let materials = self.materials.iter().chain(self.pairs.iter().map(|(_, m)| m));
        let materials =
            materials.flat_map(|m| [m.static_friction, m.dynamic_friction, m.restitution]);
        let forces = self.bodies.iter().flat_map(|b| [b.force, b.torque]);
        let forces = forces.chain([self.gravity]).chain(self.plane).flat_map(|v| v.to_array());
        let propagates = f64::from(self.impacts == ImpactModel::Propagation);
        let others = [f64::from_bits(self.revision), propagates];
        mix(self.pairs.len() as u64, materials.chain(forces).chain(others))
    }

    /// The same in worlds whose bodies are the same.
    pub(crate) fn shapes(&self) -> &Arc<()> {
        &self.shapes
    }

    /// Kinetic energy (J).
    pub fn kinetic_energy(&self, state: &State) -> f64 {
        let energy = |i: usize| self.kinetic_energy_of(i, &state.poses[i], &state.twists[i]);
        self.free().map(|(i, _)| energy(i)).sum()
    }

    /// Kinetic energy of one body in a pose (J).
    pub(crate) fn kinetic_energy_of(&self, body: usize, pose: &Pose, twist: &Twist) -> f64 {
        let it = &self.bodies[body];
        let spin = pose.local_direction(twist.angular);
        0.5 * (it.mass * twist.linear.length_squared() + spin.dot(it.inertia * spin))
    }

    /// Potential energy in gravity, in constant forces on bodies and in springs (J).
    pub fn potential_energy(&self, state: &State) -> f64 {
        let energy = |(i, body): (usize, &Body)| {
            -(body.mass * self.gravity + body.force).dot(state.poses[i].position)
        };
        self.free().map(energy).sum::<f64>() + self.spring_energy(state)
    }

    /// Angular momentum of a body about its centre of mass (N·m·s).
    pub(crate) fn spin(&self, body: usize, pose: &Pose, angular: DVec3) -> DVec3 {
        pose.direction(self.bodies[body].inertia * pose.local_direction(angular))
    }

    /// Momentum, and angular momentum about the origin.
    pub fn momentum(&self, state: &State) -> [DVec3; 2] {
        self.free().fold([DVec3::ZERO; 2], |[p, l], (i, body)| {
            let (twist, pose) = (&state.twists[i], &state.poses[i]);
            let momentum = body.mass * twist.linear;
            let spin = self.spin(i, pose, twist.angular);
            [p + momentum, l + spin + pose.position.cross(momentum)]
        })
    }

    /// The bodies that forces move.
    pub(crate) fn free(&self) -> impl Iterator<Item = (usize, &Body)> {
        self.bodies.iter().enumerate().filter(|(_, body)| body.is_free())
    }
}

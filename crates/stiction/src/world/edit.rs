//! Adding, removing and changing bodies, joints, springs and excluded pairs.

use super::{Body, BodyId, JointId, Motion, World};
use crate::joint::{Joint, JointKind};
use crate::spring::Spring;
use glam::DVec3;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use stiction_geometry::{Part, Pose, Shape, Twist};

/// A number that no other change of any world has.
fn next_revision() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

impl World {
    /// Adds a body.
    pub fn add_body(&mut self, mut body: Body) -> BodyId {
        body.derive();
        self.state.poses.push(body.driven_pose(self.state.time));
        self.state.twists.push(body.driven_twist(self.state.time)[0]);
        self.bodies.push(body);
        self.shapes = Arc::default();
        BodyId::from_index(self.bodies.len() - 1)
    }

    /// Adds a fixed half-space below `z = 0`.
    pub fn add_ground(&mut self) -> BodyId {
        let parts = Part::new(Shape::HalfSpace, Pose::IDENTITY).into_iter().collect();
        self.add_body(Body::fixed("ground", parts, Pose::IDENTITY))
    }

    /// Adds a joint.
    pub fn add_joint(&mut self, joint: Joint) -> JointId {
        self.joints.push(joint);
        self.state.turns.push(0.0);
        self.follow_turns();
        JointId::from_index(self.joints.len() - 1)
    }

    /// Adds a spring.
    pub fn add_spring(&mut self, spring: Spring) {
        self.springs.push(spring);
        self.revision = next_revision();
    }

    /// Makes two bodies pass through each other.
    pub fn exclude_pair(&mut self, a: BodyId, b: BodyId) {
        let pair = [a.min(b), a.max(b)];
        if !self.excluded_pairs.contains(&pair) {
            self.excluded_pairs.push(pair);
            self.revision = next_revision();
        }
    }

    /// Removes a body with its drive, and the joints, springs and excluded pairs that name it. All
    /// other handles stay valid (see [`World`]). `None` if there is no such body, or it was
    /// removed before.
    pub fn remove_body(&mut self, id: BodyId) -> Option<Body> {
        if !self.contains(id) {
            return None;
        }
        let held: Vec<JointId> =
            self.joints().filter(|(_, joint)| joint.names(id)).map(|(joint, _)| joint).collect();
        for joint in held {
            self.remove_joint(joint);
        }
        self.springs.retain(|spring| spring.a != id && spring.b != Some(id));
        self.excluded_pairs.retain(|pair| !pair.contains(&id));
        let i = id.index();
        let mut empty = Body::fixed("", Vec::new(), self.state.poses[i]);
        empty.collision_groups = 0;
        empty.derive();
        self.state.twists[i] = Twist::ZERO;
        self.removed.bodies.insert(id);
        self.revision = next_revision();
        self.shapes = Arc::default();
        Some(std::mem::replace(&mut self.bodies[i], empty))
    }

    /// Removes a joint. All other handles stay valid (see [`World`]). `None` if there is no such
    /// joint, or it was removed before.
    pub fn remove_joint(&mut self, id: JointId) -> Option<Joint> {
        if !self.contains_joint(id) {
            return None;
        }
        let joint = &mut self.joints[id.index()];
        let empty = Joint {
            name: String::new(),
            b: None,
            kind: JointKind::Free,
            limits: None,
            motor: None,
            friction: 0.0,
            ..joint.clone()
        };
        let removed = std::mem::replace(joint, empty);
        self.state.turns[id.index()] = 0.0;
        self.removed.joints.insert(id);
        self.revision = next_revision();
        Some(removed)
    }

    /// Removes the springs for which `keep` is false; calls it in their order.
    pub fn retain_springs(&mut self, keep: impl FnMut(&Spring) -> bool) {
        self.springs.retain(keep);
        self.revision = next_revision();
    }

    /// Changes a body, and works out again what follows from its shape, inertia and motion.
    ///
    /// # Panics
    ///
    /// As [`World::body`].
    pub fn edit_body(&mut self, id: BodyId, change: impl FnOnce(&mut Body)) {
        let i = self.slot(id);
        let body = &mut self.bodies[i];
        change(body);
        body.derive();
        if matches!(body.motion, Motion::Driven { .. }) {
            self.state.poses[i] = body.driven_pose(self.state.time);
        }
        if !body.is_free() {
            self.state.twists[i] = body.driven_twist(self.state.time)[0];
        }
        self.revision = next_revision();
        self.shapes = Arc::default();
    }

    /// Changes a joint: its motor, limits or friction, say.
    ///
    /// # Panics
    ///
    /// As [`World::joint`].
    pub fn edit_joint(&mut self, id: JointId, change: impl FnOnce(&mut Joint)) {
        let i = self.joint_slot(id);
        change(&mut self.joints[i]);
        self.follow_turns();
        self.revision = next_revision();
    }

    /// Sets the force at the centre of mass of a body, besides gravity (N, world axes).
    ///
    /// # Panics
    ///
    /// As [`World::body`].
    pub fn set_force(&mut self, id: BodyId, force: DVec3) {
        let i = self.slot(id);
        self.bodies[i].force = force;
    }

    /// Sets the torque on a body (N·m, world axes).
    ///
    /// # Panics
    ///
    /// As [`World::body`].
    pub fn set_torque(&mut self, id: BodyId, torque: DVec3) {
        let i = self.slot(id);
        self.bodies[i].torque = torque;
    }

    /// Moves a body that is not driven to another pose, its velocity unchanged.
    ///
    /// # Panics
    ///
    /// As [`World::body`], and if the body is driven: its drive decides where it is.
    pub fn set_pose(&mut self, id: BodyId, pose: Pose) {
        let i = self.slot(id);
        assert!(!self.is_driven(i), "{id} is driven; its drive decides where it is");
        self.state.poses[i] = Pose { rotation: pose.rotation.normalize(), ..pose };
        self.follow_turns();
    }

    /// Sets the velocity of a free body.
    ///
    /// # Panics
    ///
    /// As [`World::body`], and if the body is fixed or driven.
    pub fn set_twist(&mut self, id: BodyId, twist: Twist) {
        let i = self.slot(id);
        assert!(self.bodies[i].is_free(), "{id} is not free; forces do not move it");
        self.state.twists[i] = twist;
    }

    /// Sets the velocity of the centre of mass of a free body (m/s).
    ///
    /// # Panics
    ///
    /// As [`World::set_twist`].
    pub fn set_velocity(&mut self, id: BodyId, linear: DVec3) {
        self.set_twist(id, Twist { linear, ..self.twist(id) });
    }

    /// Sets the angular velocity of a free body (rad/s).
    ///
    /// # Panics
    ///
    /// As [`World::set_twist`].
    pub fn set_angular_velocity(&mut self, id: BodyId, angular: DVec3) {
        self.set_twist(id, Twist { angular, ..self.twist(id) });
    }
}

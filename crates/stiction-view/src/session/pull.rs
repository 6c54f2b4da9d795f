//! A hand at a body: a spring to the mouse, or a torque about the centre.
//!
//! The spring has no length of its own and is so stiff that the weight of the body stretches it
//! by a quarter of its size; a critical damper lies beside it. Both follow the mass, so that a
//! pebble and a wall feel alike.

use crate::command::{CommandError, Pull, PullKind};
use glam::{DMat3, DVec3};
use serde_json::{Value, json};
use stiction::{BodyId, Spring, World};

/// Its name among the springs of a world.
const NAME: &str = "pull";
/// Gravity that weights are felt by (m/s²), whatever that of the scene is.
const FELT_GRAVITY: f64 = 9.81;
/// Stretch by the weight over the radius of the body: a quarter of its diameter.
const STRETCH: f64 = 0.5;
/// Radius of bodies that have none to speak of (m).
const LEAST_RADIUS: f64 = 1e-3;
/// Greatest part of its spin that a turning pull takes away in one frame.
const MOST_DAMPED: f64 = 1.0;

/// A pull that goes on.
pub struct Held {
    pull: Pull,
    body: BodyId,
    /// Force per stretch (N/m).
    stiffness: f64,
    /// Force per speed (N·s/m).
    damping: f64,
}

impl Held {
    /// A pull at a body of the world.
    ///
    /// # Errors
    ///
    /// [`CommandError`] if there is no such body or forces do not move it.
    pub fn new(world: &World, pull: Pull) -> Result<Self, CommandError> {
        let id = world.body_id(pull.body).ok_or(CommandError::NoBody(pull.body))?;
        let body = world.body(id);
        if !body.is_free() {
            return Err(CommandError::NotFree(body.name.clone()));
        }
        let radius = if body.bounding_radius().is_finite() { body.bounding_radius() } else { 1.0 };
        let stiffness = body.mass * FELT_GRAVITY / (STRETCH * radius.max(LEAST_RADIUS));
        let damping = 2.0 * (stiffness * body.mass).sqrt();
        Ok(Held { pull, body: id, stiffness, damping })
    }

    /// Whether it only turns, so that the world is told anew before each frame.
    pub fn turns(&self) -> bool {
        self.pull.kind == PullKind::Torque
    }

    /// Makes the world feel it for the next `dt` seconds; `scene` is the world as it was written.
    pub fn apply(&self, world: &mut World, scene: &World, dt: f64) {
        match self.pull.kind {
            PullKind::Force => world.add_spring(Spring {
                name: NAME.into(),
                a: self.body,
                b: None,
                on_a: self.pull.on(),
                on_b: self.pull.to(),
                length: 0.0,
                stiffness: self.stiffness,
                damping: self.damping,
            }),
            PullKind::Torque => {
                let torque = scene.body(self.body).torque + self.torque(world, dt);
                world.set_torque(self.body, torque);
            }
        }
    }

    /// Lets go.
    pub fn remove(&self, world: &mut World, scene: &World) {
        let mut left = scene.springs().len();
        world.retain_springs(|_| {
            let keep = left > 0;
            left = left.saturating_sub(1);
            keep
        });
        world.set_torque(self.body, scene.body(self.body).torque);
    }

    /// What the status says of it, with the force (N) and the torque about the centre (N·m) it has
    /// now.
    pub fn describe(&self, world: &World, dt: f64) -> Value {
        let Pull { body, on, to, kind } = &self.pull;
        let (force, torque) = match kind {
            PullKind::Force => {
                let force = self.force(world);
                (force, world.pose(self.body).direction(self.pull.on()).cross(force))
            }
            PullKind::Torque => (DVec3::ZERO, self.torque(world, dt)),
        };
        json!({
            "body": body,
            "on": on,
            "to": to,
            "kind": kind.name(),
            "force": force.to_array(),
            "torque": torque.to_array(),
        })
    }

    /// The force of the spring, with its damper (N).
    fn force(&self, world: &World) -> DVec3 {
        let (pose, twist) = (world.pose(self.body), world.twist(self.body));
        let point = pose.point(self.pull.on());
        let stretch = self.pull.to() - point;
        let along = stretch.normalize_or_zero();
        self.stiffness * stretch - self.damping * along.dot(twist.at(&pose, point)) * along
    }

    /// The torque of the stretched spring about the centre, less what calms the spin: critical
    /// damping of `I θ̈ = −k r² θ`, but never more than all of it in one frame (N·m).
    fn torque(&self, world: &World, dt: f64) -> DVec3 {
        let body = world.body(self.body);
        let (pose, twist) = (world.pose(self.body), world.twist(self.body));
        let arm = pose.direction(self.pull.on());
        let pull = arm.cross(self.stiffness * (self.pull.to() - pose.position - arm));
        let turn = DMat3::from_quat(pose.rotation);
        let spin = turn * body.inertia * turn.transpose() * twist.angular;
        let inertia =
            DVec3::AXES.map(|axis| axis.dot(body.inertia * axis)).iter().sum::<f64>() / 3.0;
        let frequency = (self.stiffness * arm.length_squared() / inertia).sqrt();
        pull - (2.0 * frequency).min(MOST_DAMPED / dt) * spin
    }
}

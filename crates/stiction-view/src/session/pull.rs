//! Pulls a body with the mouse: a spring from the body to the mouse, or a torque about its centre.
//!
//! The spring has rest length zero. The weight of the body stretches it by a quarter of the body's
//! diameter. A critical damper acts along it. Stiffness and damping scale with the mass, so light
//! and heavy bodies respond alike.

use crate::command::{CommandError, Pull, PullKind};
use crate::message::PullStatus;
use glam::{DMat3, DVec3};
use stiction::{BodyId, Spring, World};

/// Name of the spring in the world.
const NAME: &str = "pull";
/// Gravity (m/s²) that sets the stiffness, independent of the gravity of the scene.
const REFERENCE_GRAVITY: f64 = 9.81;
/// Stretch under the weight divided by the radius of the body: a quarter of its diameter.
const STRETCH: f64 = 0.5;
/// Smallest radius (m) used for the stiffness.
const MIN_RADIUS: f64 = 1e-3;
/// Largest fraction of the angular momentum that the torque removes in one frame.
const MAX_DAMPED: f64 = 1.0;

/// A pull that acts on the world until it is removed.
#[derive(Clone)]
pub struct ActivePull {
    pull: Pull,
    body: BodyId,
    /// Stiffness of the spring (N/m).
    stiffness: f64,
    /// Damping along the spring (N·s/m).
    damping: f64,
}

impl ActivePull {
    /// A pull on a body of the world.
    ///
    /// # Errors
    ///
    /// [`CommandError`] if the body does not exist or is not free.
    pub fn new(world: &World, pull: Pull) -> Result<Self, CommandError> {
        let id = world.body_id(pull.body).ok_or(CommandError::UnknownBody(pull.body))?;
        let body = world.body(id);
        if !body.is_free() {
            return Err(CommandError::NotFree(body.name.clone()));
        }
        let radius = if body.bounding_radius().is_finite() { body.bounding_radius() } else { 1.0 };
        let stiffness = body.mass * REFERENCE_GRAVITY / (STRETCH * radius.max(MIN_RADIUS));
        let damping = 2.0 * (stiffness * body.mass).sqrt();
        Ok(ActivePull { pull, body: id, stiffness, damping })
    }

    /// Whether the pull is a torque, which must be updated before each frame.
    pub fn is_torque(&self) -> bool {
        self.pull.kind == PullKind::Torque
    }

    /// Applies the pull for the next `dt` seconds; `scene` is the world of the scene file.
    pub fn apply(&self, world: &mut World, scene: &World, dt: f64) {
        match self.pull.kind {
            PullKind::Force => world.add_spring(self.spring()),
            PullKind::Torque => {
                let torque = scene.body(self.body).torque + self.torque(world, dt);
                world.set_torque(self.body, torque);
            }
        }
    }

    /// The spring of a force.
    fn spring(&self) -> Spring {
        Spring {
            name: NAME.into(),
            a: self.body,
            b: None,
            on_a: self.pull.on(),
            on_b: self.pull.to(),
            length: 0.0,
            stiffness: self.stiffness,
            damping: self.damping,
        }
    }

    /// Removes the pull from the world.
    pub fn remove(&self, world: &mut World, scene: &World) {
        let mut left = scene.springs().len();
        world.retain_springs(|_| {
            let keep = left > 0;
            left = left.saturating_sub(1);
            keep
        });
        world.set_torque(self.body, scene.body(self.body).torque);
    }

    /// The pull in the status message, with its current force (N) and torque about the centre of
    /// mass (N·m).
    pub fn describe(&self, world: &World, dt: f64) -> PullStatus {
        let Pull { body, on, to, kind } = self.pull;
        let (force, torque) = match kind {
            PullKind::Force => {
                let force = self.force(world);
                (force, world.pose(self.body).direction(self.pull.on()).cross(force))
            }
            PullKind::Torque => (DVec3::ZERO, self.torque(world, dt)),
        };
        PullStatus { body, on, to, kind, force: force.to_array(), torque: torque.to_array() }
    }

    /// The force of the spring and its damper (N).
    fn force(&self, world: &World) -> DVec3 {
        let (pose, twist) = (world.pose(self.body), world.twist(self.body));
        let point = pose.point(self.pull.on());
        let stretch = self.pull.to() - point;
        let along = stretch.normalize_or_zero();
        self.stiffness * stretch - self.damping * along.dot(twist.at(&pose, point)) * along
    }

    /// The torque of the stretched spring about the centre (N·m) with critical damping of
    /// `I θ̈ = −k r² θ`. The damping removes at most the whole angular momentum in one frame.
    fn torque(&self, world: &World, dt: f64) -> DVec3 {
        let body = world.body(self.body);
        let (pose, twist) = (world.pose(self.body), world.twist(self.body));
        let arm = pose.direction(self.pull.on());
        let pull = arm.cross(self.stiffness * (self.pull.to() - pose.position - arm));
        let rotation = DMat3::from_quat(pose.rotation);
        let angular_momentum = rotation * body.inertia * rotation.transpose() * twist.angular;
        let inertia =
            DVec3::AXES.map(|axis| axis.dot(body.inertia * axis)).iter().sum::<f64>() / 3.0;
        let frequency = (self.stiffness * arm.length_squared() / inertia).sqrt();
        pull - (2.0 * frequency).min(MAX_DAMPED / dt) * angular_momentum
    }
}

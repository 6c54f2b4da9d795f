//! Rigid bodies: shape, mass, motion, and what acts on them.

use crate::drive::{Drive, Motion as DriveMotion};
use crate::rotation::Principal;
use glam::{DMat3, DQuat, DVec3};
use stiction_geometry::{MassProperties, Part, Pose, Shape, ShapeError, Twist};

/// What moves a body.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Motion {
    /// Forces.
    Free,
    /// Nothing.
    Fixed,
    /// A given function of time, whatever the forces: along a line and about an
    /// axis through the origin of its frame, from the pose it was placed in.
    Driven {
        /// Direction of the line, unit.
        along: DVec3,
        /// Displacement along it (m).
        position: Drive,
        /// Axis, unit.
        axis: DVec3,
        /// Angle about it (rad).
        angle: Drive,
    },
}

/// A rigid body. Its frame has its origin at the centre of mass.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name, unique in its world.
    pub name: String,
    /// Its shape; empty for a body that touches nothing.
    pub parts: Vec<Part>,
    /// What moves it.
    pub motion: Motion,
    /// Mass (kg).
    pub mass: f64,
    /// Inertia about the centre of mass, body axes (kg·m²).
    pub inertia: DMat3,
    /// Index into [`World::materials`](crate::World::materials).
    pub material: usize,
    /// Collision groups it belongs to, one bit each: bodies touch if they share one.
    pub collision_groups: u64,
    /// Force at the centre of mass, world axes, besides gravity (N).
    pub force: DVec3,
    /// Torque, world axes (N·m).
    pub torque: DVec3,
    /// Its pose when it is added to a world.
    pub placed: Pose,
    /// What follows from shape and inertia, computed when it is added to a world.
    pub(crate) derived: Derived,
}

/// What follows from a body's shape and inertia.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Derived {
    pub bounding_radius: f64,
    pub thickness: f64,
    pub principal: Principal,
}

impl Derived {
    /// Before the body is in a world.
    fn unknown(inertia: &DMat3) -> Self {
        let principal = Principal::of(inertia);
        Derived { bounding_radius: 0.0, thickness: 0.0, principal }
    }
}

impl Body {
    /// A free body of one shape and density (kg/m³), at a position.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] for shapes without volume or with impossible sizes.
    pub fn new(
        name: &str,
        shape: Shape,
        density: f64,
        position: DVec3,
    ) -> Result<Self, ShapeError> {
        Body::of_parts(name, vec![Part::new(shape, Pose::IDENTITY)?], density, position)
    }

    /// A free body of several parts; `position` is where the origin of their frame goes.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] for shapes without volume.
    pub fn of_parts(
        name: &str,
        parts: Vec<Part>,
        density: f64,
        position: DVec3,
    ) -> Result<Self, ShapeError> {
        let mass = MassProperties::of_parts(&parts, density)?;
        Body::with_mass(name, parts, mass, Pose::at(position))
    }

    /// A free body whose mass is given in the frame of its parts.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] if the centre of mass is not finite.
    pub fn with_mass(
        name: &str,
        mut parts: Vec<Part>,
        mass: MassProperties,
        pose: Pose,
    ) -> Result<Self, ShapeError> {
        if mass.centre != DVec3::ZERO {
            for part in &mut parts {
                let pose = Pose { position: part.pose().position - mass.centre, ..*part.pose() };
                *part = Part::new(part.shape().clone(), pose)?;
            }
        }
        let placed = Pose { position: pose.point(mass.centre), rotation: pose.rotation };
        Ok(Body {
            name: name.to_string(),
            parts,
            motion: Motion::Free,
            mass: mass.mass,
            inertia: mass.inertia,
            material: 0,
            collision_groups: 1,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            placed,
            derived: Derived::unknown(&mass.inertia),
        })
    }

    /// A body that nothing moves.
    pub fn fixed(name: &str, parts: Vec<Part>, pose: Pose) -> Self {
        Body {
            name: name.to_string(),
            parts,
            motion: Motion::Fixed,
            mass: 1.0,
            inertia: DMat3::IDENTITY,
            material: 0,
            collision_groups: 1,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            placed: pose,
            derived: Derived::unknown(&DMat3::IDENTITY),
        }
    }

    /// The same body, rotated about its centre of mass.
    #[must_use]
    pub fn rotated(mut self, rotation: DQuat) -> Self {
        self.placed.rotation = (rotation * self.placed.rotation).normalize();
        self
    }

    /// Whether forces move it.
    pub fn is_free(&self) -> bool {
        self.motion == Motion::Free
    }

    /// The radius of a ball about the centre of mass that holds the body; infinite for half-spaces.
    pub fn bounding_radius(&self) -> f64 {
        self.derived.bounding_radius
    }

    /// The width of its thinnest part (m); infinite for half-spaces, zero for surfaces.
    pub fn thickness(&self) -> f64 {
        self.derived.thickness
    }

    pub(super) fn derive(&mut self) {
        let aabb = stiction_geometry::aabb(&self.parts, &Pose::IDENTITY);
        let radius = aabb.low.abs().max(aabb.high.abs()).length();
        let bounding_radius = if self.parts.is_empty() { 0.0 } else { radius };
        let thickness = stiction_geometry::thickness(&self.parts);
        let principal = Principal::of(&self.inertia);
        self.derived = Derived { bounding_radius, thickness, principal };
    }

    /// Pose of a driven body at a time.
    pub(super) fn driven_pose(&self, time: f64) -> Pose {
        let Motion::Driven { along, position, axis, angle } = &self.motion else {
            return self.placed;
        };
        let turn = DQuat::from_axis_angle(*axis, angle.at(time).value);
        Pose {
            position: self.placed.position + *along * position.at(time).value,
            rotation: (turn * self.placed.rotation).normalize(),
        }
    }

    /// Velocity of a driven body at a time, and its acceleration.
    pub(super) fn driven_twist(&self, time: f64) -> [Twist; 2] {
        let Motion::Driven { along, position, axis, angle } = &self.motion else {
            return [Twist::ZERO; 2];
        };
        let (line, turn): (DriveMotion, DriveMotion) = (position.at(time), angle.at(time));
        let twist = |x: f64, y: f64| Twist { linear: *along * x, angular: *axis * y };
        [twist(line.rate, turn.rate), twist(line.acceleration, turn.acceleration)]
    }
}

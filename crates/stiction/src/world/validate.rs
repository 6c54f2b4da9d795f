//! Refuses worlds that cannot be simulated.

use super::{Body, BodyId, Material, Motion, World};
use crate::drive::DriveError;
use crate::joint::JointError;
use crate::spring::Spring;
use glam::DVec3;

/// How far the length of a unit vector may be from one.
const UNIT_TOLERANCE: f64 = 1e-9;

/// Farthest point from the origin (m): there a coordinate still resolves 0.1 µm.
const FARTHEST: f64 = 1e9;

/// Highest speed (m/s), that of light: nothing faster is a rigid body. Also the highest angular
/// velocity (rad/s).
const FASTEST: f64 = 3e8;

/// Why a world cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
#[non_exhaustive]
pub enum WorldError {
    /// A number that is not finite, or out of its range.
    #[error("{what} of {subject} is {value}, {wanted}")]
    Value { subject: String, what: &'static str, value: f64, wanted: &'static str },
    /// A vector that is not finite, or not of unit length.
    #[error("{what} of {subject} is {value}, {wanted}")]
    Vector { subject: String, what: &'static str, value: DVec3, wanted: &'static str },
    /// A name or an index that nothing has.
    #[error("{subject} refers to {what} {index}, which does not exist")]
    Missing { subject: String, what: &'static str, index: usize },
    /// Two bodies or joints of one name.
    #[error("two {what} are called {name:?}")]
    Twice { what: &'static str, name: String },
    /// A spring or an excluded pair of a body and itself.
    #[error("{subject} connects {body} to itself")]
    SameBody { subject: String, body: BodyId },
    /// A joint that cannot be used.
    #[error(transparent)]
    Joint(#[from] JointError),
    /// A drive that cannot be used.
    #[error("{what} of {subject}: {source}")]
    Drive { subject: String, what: &'static str, source: DriveError },
    /// A state of another number of bodies or joints.
    #[error("the state has {found} {what}, but the world has {expected} slots for them")]
    Size { what: &'static str, found: usize, expected: usize },
}

impl World {
    /// Refuses worlds that cannot be simulated: numbers out of range, handles of what was removed
    /// or is of another world, names that are not unique, directions that are not unit vectors,
    /// limits out of order.
    ///
    /// # Errors
    ///
    /// [`WorldError`] names the body, joint, spring, drive or pair, and the value.
    pub fn validate(&self) -> Result<(), WorldError> {
        finite("the world", "gravity", self.gravity)?;
        if let Some(normal) = self.plane {
            unit("the world", "the normal of the plane", normal)?;
        }
        for material in self.materials.iter().chain(self.pairs.iter().map(|(_, m)| m)) {
            validate_material(material)?;
        }
        self.validate_bodies()?;
        self.validate_joints()?;
        for spring in &self.springs {
            self.validate_spring(spring)?;
        }
        for pair in &self.excluded_pairs {
            self.validate_ends("an excluded pair", pair[0], Some(pair[1]))?;
        }
        self.validate_state()
    }

    fn validate_bodies(&self) -> Result<(), WorldError> {
        unique_names("bodies", self.bodies().map(|(_, body)| body.name.as_str()))?;
        for (_, body) in self.bodies() {
            let subject = format!("body {:?}", body.name);
            if body.material >= self.materials.len() {
                let (what, index) = ("material", body.material);
                return Err(WorldError::Missing { subject, what, index });
            }
            if body.is_free() {
                validate_mass(&subject, body)?;
            }
            validate_motion(&subject, &body.motion)?;
            finite(&subject, "the force", body.force)?;
            finite(&subject, "the torque", body.torque)?;
        }
        Ok(())
    }

    fn validate_joints(&self) -> Result<(), WorldError> {
        unique_names("joints", self.joints().map(|(_, joint)| joint.name.as_str()))?;
        for (_, joint) in self.joints() {
            joint.validate()?;
            let subject = format!("joint {:?}", joint.name);
            near(&subject, "its place on the first body", joint.frame_a.position)?;
            near(&subject, "its place on the second body", joint.frame_b.position)?;
            self.validate_ends(&subject, joint.a, joint.b)?;
        }
        Ok(())
    }

    fn validate_spring(&self, spring: &Spring) -> Result<(), WorldError> {
        let subject = format!("spring {:?}", spring.name);
        self.validate_ends(&subject, spring.a, spring.b)?;
        near(&subject, "the end on the first body", spring.on_a)?;
        near(&subject, "the end on the second body", spring.on_b)?;
        for (what, value) in [
            ("length", spring.length),
            ("stiffness", spring.stiffness),
            ("damping", spring.damping),
        ] {
            within(&subject, what, value, f64::MAX, "but must be finite and not negative")?;
        }
        Ok(())
    }

    /// That both bodies of something exist and differ.
    fn validate_ends(&self, subject: &str, a: BodyId, b: Option<BodyId>) -> Result<(), WorldError> {
        if let Some(id) = [Some(a), b].into_iter().flatten().find(|&id| !self.contains(id)) {
            let (subject, what) = (subject.to_string(), "body");
            return Err(WorldError::Missing { subject, what, index: id.index() });
        }
        if b == Some(a) {
            return Err(WorldError::SameBody { subject: subject.to_string(), body: a });
        }
        Ok(())
    }

    fn validate_state(&self) -> Result<(), WorldError> {
        let (bodies, joints) = (self.bodies.len(), self.joints.len());
        for (what, found, expected) in [
            ("poses", self.state.poses.len(), bodies),
            ("twists", self.state.twists.len(), bodies),
            ("turns", self.state.turns.len(), joints),
        ] {
            if found != expected {
                return Err(WorldError::Size { what, found, expected });
            }
        }
        for (id, body) in self.bodies() {
            let (pose, twist) = (&self.state.poses[id.index()], &self.state.twists[id.index()]);
            let subject = format!("body {:?}", body.name);
            near(&subject, "the position", pose.position)?;
            slow(&subject, "the velocity", twist.linear)?;
            slow(&subject, "the angular velocity", twist.angular)?;
            let (what, value) = ("length of the quaternion", pose.rotation.length());
            if (value - 1.0).is_nan() || (value - 1.0).abs() > UNIT_TOLERANCE {
                return Err(WorldError::Value { subject, what, value, wanted: "but must be 1" });
            }
        }
        if self.state.time.is_finite() {
            return Ok(());
        }
        let (subject, what, value) = ("the state".to_string(), "time", self.state.time);
        Err(WorldError::Value { subject, what, value, wanted: "but must be finite" })
    }
}

fn validate_material(material: &Material) -> Result<(), WorldError> {
    let within = |what, value, most, wanted| within("a material", what, value, most, wanted);
    let wanted = "but must be finite and not negative";
    within("static friction", material.static_friction, f64::MAX, wanted)?;
    let wanted = "but must lie between 0 and the static friction";
    within("dynamic friction", material.dynamic_friction, material.static_friction, wanted)?;
    within("restitution", material.restitution, 1.0, "but must lie between 0 and 1")
}

fn validate_mass(subject: &str, body: &Body) -> Result<(), WorldError> {
    let positive = |what, value: f64| {
        let wanted = "but must be positive and finite";
        let error = || WorldError::Value { subject: subject.to_string(), what, value, wanted };
        if value > 0.0 && value.is_finite() { Ok(()) } else { Err(error()) }
    };
    positive("mass", body.mass)?;
    for axis in DVec3::AXES {
        positive("inertia", axis.dot(body.inertia * axis))?;
    }
    positive("determinant of inertia", body.inertia.determinant())?;
    positive("size", body.bounding_radius() + 1.0)
}

fn validate_motion(subject: &str, motion: &Motion) -> Result<(), WorldError> {
    let Motion::Driven { along, position, axis, angle } = motion else { return Ok(()) };
    unit(subject, "the direction of the drive", *along)?;
    unit(subject, "the axis of the drive", *axis)?;
    for (what, drive) in [("the position", position), ("the angle", angle)] {
        let error = |source| WorldError::Drive { subject: subject.to_string(), what, source };
        drive.validate().map_err(error)?;
    }
    Ok(())
}

fn unique_names<'a>(
    what: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), WorldError> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(WorldError::Twice { what, name: name.to_string() });
        }
    }
    Ok(())
}

fn within(
    subject: &str,
    what: &'static str,
    value: f64,
    most: f64,
    wanted: &'static str,
) -> Result<(), WorldError> {
    let error = || WorldError::Value { subject: subject.to_string(), what, value, wanted };
    if (0.0..=most).contains(&value) && value.is_finite() { Ok(()) } else { Err(error()) }
}

fn finite(subject: &str, what: &'static str, value: DVec3) -> Result<(), WorldError> {
    vector(subject, what, value, value.is_finite(), "but must be finite")
}

/// A point within [`FARTHEST`].
fn near(subject: &str, what: &'static str, value: DVec3) -> Result<(), WorldError> {
    let wanted = "but must be finite and within 1e9 m of the origin";
    vector(subject, what, value, value.length() <= FARTHEST, wanted)
}

/// A velocity of at most [`FASTEST`].
fn slow(subject: &str, what: &'static str, value: DVec3) -> Result<(), WorldError> {
    let wanted = "but must be finite and at most 3e8 m/s or rad/s";
    vector(subject, what, value, value.length() <= FASTEST, wanted)
}

fn vector(
    subject: &str,
    what: &'static str,
    value: DVec3,
    fine: bool,
    wanted: &'static str,
) -> Result<(), WorldError> {
    let error = || WorldError::Vector { subject: subject.to_string(), what, value, wanted };
    if fine { Ok(()) } else { Err(error()) }
}

fn unit(subject: &str, what: &'static str, value: DVec3) -> Result<(), WorldError> {
    let fine = (value.length() - 1.0).abs() <= UNIT_TOLERANCE;
    vector(subject, what, value, fine, "but must be a unit vector")
}

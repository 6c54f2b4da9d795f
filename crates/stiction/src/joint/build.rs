//! How joints are made and checked.

use glam::{DMat3, DQuat, DVec3};
use stiction_geometry::Pose;

use super::{Joint, JointKind, Motor};
use crate::drive::DriveError;
use crate::world::BodyId;

/// How far the length of a frame's quaternion may be from one.
const UNIT_TOLERANCE: f64 = 1e-9;

/// Shorter axes (of any unit) and distances (m) than this have no direction.
const LEAST_LENGTH: f64 = 1e-9;

/// Why a joint cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JointError {
    /// Both frames are on one body.
    #[error("joint {name:?} joins {body} to itself")]
    SameBody {
        /// Which joint.
        name: String,
        /// Which body.
        body: BodyId,
    },
    /// A frame, point or axis is not finite.
    #[error("joint {name:?}: {what} is {value}, not finite")]
    NotFinite {
        /// Which joint.
        name: String,
        /// What of it.
        what: &'static str,
        /// Its value.
        value: DVec3,
    },
    /// The quaternion of a frame is not of unit length.
    #[error("joint {name:?}: the quaternion of {what} has length {length}, not 1")]
    NotUnit {
        /// Which joint.
        name: String,
        /// Which frame.
        what: &'static str,
        /// Its length.
        length: f64,
    },
    /// An axis of no length, or two points at one place.
    #[error("joint {name:?}: {what} has length {length:e}, too short for a direction")]
    NoDirection {
        /// Which joint.
        name: String,
        /// What of it.
        what: &'static str,
        /// Its length.
        length: f64,
    },
    /// Limits that are not numbers, not in order, or never to be met.
    #[error("joint {name:?}: limits from {least} to {greatest} are not possible")]
    BadLimits {
        /// Which joint.
        name: String,
        /// The lower limit.
        least: f64,
        /// The upper limit.
        greatest: f64,
    },
    /// A limit, motor or friction where the kind has no free coordinate.
    #[error("joint {name:?}: a {kind} joint cannot have {what}")]
    NoCoordinate {
        /// Which joint.
        name: String,
        /// Its kind.
        kind: &'static str,
        /// What it cannot have.
        what: &'static str,
    },
    /// The greatest force of a motor or of friction is negative or not a number.
    #[error("joint {name:?}: greatest force {greatest} of its {what} is not possible")]
    BadForce {
        /// Which joint.
        name: String,
        /// Motor or friction.
        what: &'static str,
        /// The force.
        greatest: f64,
    },
    /// The drive of its motor cannot be used.
    #[error("joint {name:?}: {source}")]
    BadDrive {
        /// Which joint.
        name: String,
        /// Why.
        source: DriveError,
    },
}

impl JointError {
    /// The name of the joint.
    pub fn name(&self) -> &str {
        match self {
            JointError::SameBody { name, .. }
            | JointError::NotFinite { name, .. }
            | JointError::NotUnit { name, .. }
            | JointError::NoDirection { name, .. }
            | JointError::BadLimits { name, .. }
            | JointError::NoCoordinate { name, .. }
            | JointError::BadForce { name, .. }
            | JointError::BadDrive { name, .. } => name,
        }
    }
}

impl Joint {
    /// A joint of bodies at these poses, from a point and an axis of the world.
    ///
    /// Both frames are at the anchor with z along the axis, so that the joint
    /// is satisfied (a distance excepted) and its coordinate is 0. Without
    /// limits, motor and friction; `None` for b is the world.
    ///
    /// # Errors
    ///
    /// If the anchor or the axis is not finite, or the axis zero.
    pub fn at(
        kind: JointKind,
        name: impl Into<String>,
        a: (BodyId, &Pose),
        b: Option<(BodyId, &Pose)>,
        anchor: DVec3,
        axis: DVec3,
    ) -> Result<Self, JointError> {
        let name = name.into();
        check_finite(&name, "the anchor", anchor)?;
        check_finite(&name, "the axis", axis)?;
        let length = axis.length();
        if !(length > LEAST_LENGTH && length.is_finite()) {
            return Err(JointError::NoDirection { name, what: "the axis", length });
        }
        let frame = Pose { position: anchor, rotation: along_axis(axis / length) };
        Ok(Joint::with_frames(kind, name, a, b, &frame, &frame))
    }

    /// Keeps two points, given in the world, as far apart as they are now.
    ///
    /// # Errors
    ///
    /// If a point is not finite or both are at one place.
    pub fn between(
        name: impl Into<String>,
        a: (BodyId, &Pose),
        b: Option<(BodyId, &Pose)>,
        point_a: DVec3,
        point_b: DVec3,
    ) -> Result<Self, JointError> {
        let name = name.into();
        check_finite(&name, "the point of a", point_a)?;
        check_finite(&name, "the point of b", point_b)?;
        let length = (point_a - point_b).length();
        if !(length > LEAST_LENGTH && length.is_finite()) {
            return Err(JointError::NoDirection { name, what: "the distance", length });
        }
        let kind = JointKind::Distance { length };
        Ok(Joint::with_frames(kind, name, a, b, &Pose::at(point_a), &Pose::at(point_b)))
    }

    /// With its frames given in the world.
    fn with_frames(
        kind: JointKind,
        name: String,
        a: (BodyId, &Pose),
        b: Option<(BodyId, &Pose)>,
        frame_a: &Pose,
        frame_b: &Pose,
    ) -> Self {
        Joint {
            name,
            a: a.0,
            b: b.map(|(body, _)| body),
            kind,
            frame_a: seen_from(a.1, frame_a),
            frame_b: b.map_or(*frame_b, |(_, pose)| seen_from(pose, frame_b)),
            limits: None,
            motor: None,
            friction: 0.0,
        }
    }

    /// Whether it can be used; [`World::validate`](crate::World::validate) also checks that its bodies exist.
    ///
    /// # Errors
    ///
    /// The first thing wrong, by name.
    pub fn validate(&self) -> Result<(), JointError> {
        if self.b == Some(self.a) {
            return Err(JointError::SameBody { name: self.name.clone(), body: self.a });
        }
        self.check_frame("frame a", &self.frame_a)?;
        self.check_frame("frame b", &self.frame_b)?;
        self.check_limits()?;
        self.check_motor()?;
        self.check_friction()
    }

    fn check_frame(&self, what: &'static str, frame: &Pose) -> Result<(), JointError> {
        check_finite(&self.name, what, frame.position)?;
        let length = frame.rotation.length();
        if (length - 1.0).abs() <= UNIT_TOLERANCE {
            Ok(())
        } else {
            Err(JointError::NotUnit { name: self.name.clone(), what, length })
        }
    }

    fn check_limits(&self) -> Result<(), JointError> {
        match (self.limits, self.kind) {
            (None, JointKind::Distance { length }) => {
                if length > LEAST_LENGTH && length.is_finite() {
                    return Ok(());
                }
                let (name, what) = (self.name.clone(), "the distance");
                Err(JointError::NoDirection { name, what, length })
            }
            (None, _) => Ok(()),
            (Some([least, greatest]), kind) => {
                let distance = matches!(kind, JointKind::Distance { .. });
                if !distance && !self.has_drive() {
                    return Err(self.no_coordinate("limits"));
                }
                let ordered = least <= greatest && least < f64::INFINITY;
                let possible = greatest > if distance { LEAST_LENGTH } else { f64::NEG_INFINITY };
                if ordered && possible {
                    return Ok(());
                }
                Err(JointError::BadLimits { name: self.name.clone(), least, greatest })
            }
        }
    }

    fn check_motor(&self) -> Result<(), JointError> {
        let Some(motor) = &self.motor else { return Ok(()) };
        if !self.has_drive() {
            return Err(self.no_coordinate("a motor"));
        }
        if let Motor::Speed { greatest, .. } = *motor
            && (greatest.is_nan() || greatest < 0.0)
        {
            return Err(self.bad_force("motor", greatest));
        }
        let name = || self.name.clone();
        motor.drive().validate().map_err(|source| JointError::BadDrive { name: name(), source })
    }

    fn check_friction(&self) -> Result<(), JointError> {
        if !self.friction.is_finite() || self.friction < 0.0 {
            return Err(self.bad_force("friction", self.friction));
        }
        if self.friction > 0.0 && !self.has_drive() {
            return Err(self.no_coordinate("friction"));
        }
        Ok(())
    }

    fn no_coordinate(&self, what: &'static str) -> JointError {
        JointError::NoCoordinate { name: self.name.clone(), kind: self.kind.name(), what }
    }

    fn bad_force(&self, what: &'static str, greatest: f64) -> JointError {
        JointError::BadForce { name: self.name.clone(), what, greatest }
    }
}

fn check_finite(name: &str, what: &'static str, vector: DVec3) -> Result<(), JointError> {
    if vector.is_finite() {
        Ok(())
    } else {
        Err(JointError::NotFinite { name: name.to_owned(), what, value: vector })
    }
}

/// A frame of the world in the frame of a body.
fn seen_from(body: &Pose, frame: &Pose) -> Pose {
    Pose {
        position: body.local_point(frame.position),
        rotation: (body.rotation.conjugate() * frame.rotation).normalize(),
    }
}

/// An orientation with z along a unit axis and x as near as can be to the axis of
/// the world that is most across it; among equals the first.
fn along_axis(z: DVec3) -> DQuat {
    let mut across = DVec3::X;
    for axis in [DVec3::Y, DVec3::Z] {
        if z.dot(axis).abs() < z.dot(across).abs() {
            across = axis;
        }
    }
    let x = across.reject_from_normalized(z).normalize();
    DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize()
}

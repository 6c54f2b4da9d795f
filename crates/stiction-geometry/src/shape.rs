//! What bodies are made of.

use std::sync::Arc;

use glam::DVec3;

use crate::polyhedron::Polyhedron;
use crate::{Aabb, HeightField, Mesh, Pose};

/// Corners of the polygon that stands for a round flat end where it lies on another flat face.
/// The pressure under a standing cylinder is carried by these points of its rim: the support
/// polygon is inscribed, its nearest side 2 % (1 − cos π/16) inside the rim.
pub(crate) const RIM_POINTS: u32 = 16;

/// Why a shape is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A size is zero, negative or not finite.
    #[error("{what} must be positive and finite, not {value}")]
    Size {
        /// Which size.
        what: &'static str,
        /// What it is.
        value: f64,
    },
    /// A coordinate is NaN or infinite.
    #[error("{what} {index} is not finite")]
    NotFinite {
        /// Point, vertex, position, …
        what: &'static str,
        /// Which one.
        index: usize,
    },
    /// The points lie in a plane, on a line, or are too few.
    #[error("the points are flat: no thicker than {thickness:e} m")]
    Flat {
        /// How thick they are (m).
        thickness: f64,
    },
    /// No closed hull was found although the points are not flat.
    #[error("the points have no well-defined convex hull")]
    NoHull,
    /// A triangle has a corner that does not exist.
    #[error("triangle {triangle} refers to a vertex that does not exist")]
    NoVertex {
        /// From 0.
        triangle: usize,
    },
    /// Heights do not fill a grid.
    #[error("{heights} heights do not fill two or more rows of {columns} columns")]
    Grid {
        /// Per row; two or more.
        columns: usize,
        /// In all.
        heights: usize,
    },
    /// Density or mass is not positive, or the shape has no volume (half-spaces, meshes).
    #[error("the mass of {what} is not defined")]
    NoMass {
        /// The shape.
        what: &'static str,
    },
}

/// A solid. Axes of capsule, cylinder and cone are z; the middle is the origin.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A box.
    Box {
        /// Half its edges (m).
        half: DVec3,
    },
    /// A ball.
    Ball {
        /// Its radius (m).
        radius: f64,
    },
    /// A cylinder with round ends.
    Capsule {
        /// Half the length of the axis between the centres of the ends (m).
        half_length: f64,
        /// Its radius (m).
        radius: f64,
    },
    /// A cylinder with flat ends.
    Cylinder {
        /// Half its length (m).
        half_length: f64,
        /// Its radius (m).
        radius: f64,
    },
    /// A cone with its tip at +z and its base at −z.
    Cone {
        /// Half its height (m).
        half_length: f64,
        /// Of its base (m).
        radius: f64,
    },
    /// A convex polyhedron.
    Polyhedron(Arc<Polyhedron>),
    /// All below z = 0, its outward normal +z; for fixed bodies.
    HalfSpace,
    /// A surface of triangles; for fixed bodies.
    Mesh(Arc<Mesh>),
    /// A surface of heights over a grid; for fixed bodies.
    HeightField(Arc<HeightField>),
}

impl Shape {
    /// Refuses sizes that are not positive and finite.
    ///
    /// # Errors
    ///
    /// [`ShapeError::Size`] names the first such size.
    pub fn validate(&self) -> Result<(), ShapeError> {
        match *self {
            Shape::Box { half } => {
                positive("half.x", half.x)?;
                positive("half.y", half.y)?;
                positive("half.z", half.z)
            }
            Shape::Ball { radius } => positive("radius", radius),
            Shape::Capsule { half_length, radius }
            | Shape::Cylinder { half_length, radius }
            | Shape::Cone { half_length, radius } => {
                positive("half_length", half_length)?;
                positive("radius", radius)
            }
            Shape::Polyhedron(_) | Shape::HalfSpace | Shape::Mesh(_) | Shape::HeightField(_) => {
                Ok(())
            }
        }
    }

    /// The surface of a mesh or height field.
    pub fn surface(&self) -> Option<&Mesh> {
        match self {
            Shape::Mesh(mesh) => Some(mesh),
            Shape::HeightField(field) => Some(field.mesh()),
            _ => None,
        }
    }

    /// The polyhedron, or the one that stands for the flat ends of a round shape.
    fn hull(&self) -> Result<Option<Polyhedron>, ShapeError> {
        Ok(Some(match self {
            Shape::Box { half } => Polyhedron::cuboid(*half)?,
            Shape::Cylinder { half_length, radius } => {
                Polyhedron::rounded(RIM_POINTS, *radius, *half_length, false)?
            }
            Shape::Cone { half_length, radius } => {
                Polyhedron::rounded(RIM_POINTS, *radius, *half_length, true)?
            }
            Shape::Polyhedron(hull) => hull.as_ref().clone(),
            _ => return Ok(None),
        }))
    }
}

/// The largest and the inverse of the smallest length that shapes may have (m): squares and cubes
/// of lengths must neither overflow nor vanish.
const LONGEST: f64 = 1e50;

pub(crate) fn positive(what: &'static str, value: f64) -> Result<(), ShapeError> {
    let fine = value > 1.0 / LONGEST && value < LONGEST;
    if fine { Ok(()) } else { Err(ShapeError::Size { what, value }) }
}

/// A shape at its place in a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    shape: Shape,
    pose: Pose,
    hull: Option<Arc<Polyhedron>>,
    bounds: Aabb,
}

impl Part {
    /// A shape placed in the body frame.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] if the shape does not [`Shape::validate`] or the pose is not finite.
    pub fn new(shape: Shape, pose: Pose) -> Result<Self, ShapeError> {
        shape.validate()?;
        let turn = pose.rotation.length_squared();
        if !pose.position.is_finite() || !turn.is_finite() || turn <= 0.0 {
            return Err(ShapeError::NotFinite { what: "pose", index: 0 });
        }
        let pose = Pose { rotation: pose.rotation.normalize(), ..pose };
        let hull = shape.hull()?.map(|hull| Arc::new(hull.placed(&pose)));
        let bounds = crate::bounds::of_shape(&shape, &pose);
        Ok(Part { shape, pose, hull, bounds })
    }

    /// What it is.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Where it is in the body frame.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The polyhedron of a box or polyhedron, the inscribed one of a cylinder or cone; body frame.
    pub fn hull(&self) -> Option<&Polyhedron> {
        self.hull.as_deref()
    }

    /// Its box in the body frame.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }
}

//! Shapes, and the parts that bodies consist of.

use std::sync::Arc;

use glam::DVec3;

use crate::polyhedron::Polyhedron;
use crate::{Aabb, HeightField, Mesh, Pose};

/// Number of corners of the polygon that replaces a round flat end where it lies on another flat
/// face. These points of the rim carry a standing cylinder: the support polygon is inscribed, and
/// its sides are up to 2 % (1 − cos π/16) of the radius inside the rim.
pub(crate) const RIM_POINTS: u32 = 16;

/// Why a shape is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A size is zero, negative or not finite.
    #[error("{what} must be positive and finite, not {value}")]
    Size {
        /// Which size.
        what: &'static str,
        /// Its value.
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
    /// The points lie in a plane or on a line, or there are too few of them.
    #[error("the points are flat: no thicker than {thickness:e} m")]
    Flat {
        /// Their thickness (m).
        thickness: f64,
    },
    /// No closed hull was found although the points are not flat.
    #[error("the points have no well-defined convex hull")]
    NoHull,
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} refers to a vertex that does not exist")]
    NoVertex {
        /// Index of the triangle, from 0.
        triangle: usize,
    },
    /// The heights do not fill a grid.
    #[error("{heights} heights do not fill two or more rows of {columns} columns")]
    Grid {
        /// Number of columns; two or more.
        columns: usize,
        /// Number of heights in total.
        heights: usize,
    },
    /// Density or mass is not positive, or the shape has no volume (half-spaces, meshes).
    #[error("the mass of {what} is not defined")]
    NoMass {
        /// The shape.
        what: &'static str,
    },
}

/// A shape in its own frame. The axis of a capsule, cylinder or cone is z; the origin is the
/// middle.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A box.
    Box {
        /// Half the edge lengths (m).
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
        /// Radius of its base (m).
        radius: f64,
    },
    /// A convex polyhedron.
    Polyhedron(Arc<Polyhedron>),
    /// The half-space z ≤ 0 with outward normal +z; for fixed bodies.
    HalfSpace,
    /// A triangle mesh; for fixed bodies.
    Mesh(Arc<Mesh>),
    /// Heights over a grid; for fixed bodies.
    HeightField(Arc<HeightField>),
}

impl Shape {
    /// Checks that all sizes are positive and finite.
    ///
    /// # Errors
    ///
    /// [`ShapeError::Size`] names the first invalid size.
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

    /// The polyhedron, or the polyhedron that replaces the flat ends of a round shape.
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

/// The largest length of a shape, and the inverse of the smallest (m): squares and cubes of lengths
/// must neither overflow nor underflow.
const LONGEST: f64 = 1e50;

pub(crate) fn positive(what: &'static str, value: f64) -> Result<(), ShapeError> {
    let fine = value > 1.0 / LONGEST && value < LONGEST;
    if fine { Ok(()) } else { Err(ShapeError::Size { what, value }) }
}

/// A shape placed in a body.
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
    /// [`ShapeError`] if [`Shape::validate`] fails or the pose is not finite.
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

    /// Its shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Its pose in the body frame.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The polyhedron of a box or polyhedron, or the polyhedron inscribed in a cylinder or cone; in
    /// the body frame.
    pub fn hull(&self) -> Option<&Polyhedron> {
        self.hull.as_deref()
    }

    /// Its bounding box in the body frame.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }
}

//! Shapes, mass properties, and exact contact regions of rigid bodies.
//!
//! A body is a list of [`Part`]s. [`candidates`] finds the pairs of bodies that
//! are near each other. [`region()`] finds every contact of one pair as a
//! [`FeaturePair`]: two features that determine contact point, normal, gap and
//! their rates at any later pose.
//!
//! # Where to start reading
//!
//! `feature.rs` defines a contact, `region.rs` finds the contacts of two bodies,
//! `region/hulls.rs` computes the contact polygon of two polyhedra.

mod bounds;
mod broad;
mod decompose;
mod feature;
mod files;
mod hull;
mod mass;
mod mesh;
mod moving;
mod overlap;
mod polyhedron;
mod pose;
mod query;
mod region;
mod shape;
mod support;
mod thickness;

pub use bounds::{Aabb, aabb};
pub use broad::{BroadPhase, candidates};
pub use decompose::{DecomposeError, convex_parts};
pub use feature::{ContactGeometry, Feature, FeaturePair, Rates};
pub use files::{FileError, Outside, Shelf, read_file};
pub use mass::MassProperties;
pub use mesh::{HeightField, Mesh};
pub use overlap::{Overlap, overlap};
pub use polyhedron::{Edge, Face, Polyhedron};
pub use pose::{Pose, Twist};
pub use query::{Hit, distance, ray_cast};
pub use region::region;
pub use shape::{Part, Shape, ShapeError};
pub use thickness::thickness;

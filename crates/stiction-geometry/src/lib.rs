//! Shapes, masses, and the exact regions where rigid bodies touch.
//!
//! A body is a list of [`Part`]s. [`candidates`] finds the pairs of bodies that
//! are near each other, [`region()`] every contact of one pair as a [`FeaturePair`]: two
//! features, from which point, normal, gap and their rates follow at any later
//! pose.
//!
//! # Where to start reading
//!
//! `feature.rs` says what a contact is, `region.rs` which contacts two bodies
//! have, `region/hulls.rs` how the contact polygon of two polyhedra is found.

mod bounds;
mod broad;
mod feature;
mod files;
mod hull;
mod mass;
mod mesh;
mod moving;
mod polyhedron;
mod pose;
mod query;
mod region;
mod shape;
mod support;

pub use bounds::{Aabb, aabb};
pub use broad::{BroadPhase, candidates};
pub use feature::{ContactGeometry, Feature, FeaturePair, Rates};
pub use files::FileError;
pub use mass::MassProperties;
pub use mesh::{HeightField, Mesh};
pub use polyhedron::{Edge, Face, Polyhedron};
pub use pose::{Pose, Twist};
pub use query::{Hit, distance, ray_cast};
pub use region::region;
pub use shape::{Part, Shape, ShapeError};

//! Contact forces with Coulomb friction, and a judge that certifies every answer.
//!
//! A [`ContactProblem`] is bodies and the places where they push on each other.
//! A [`ContactSolver`] finds forces; [`judge`] says what they are worth.
//!
//! | room | paper | solver | what for |
//! | --- | --- | --- | --- |
//! | [`baraff1994`] | Baraff 1994 | [`Dantzig`](baraff1994::Dantzig) | exact forces of small and middling problems, any mix of friction and joints |
//!
//! [`oracle`] tries every combination of contact modes and is for tests.

pub mod all;
pub mod baraff1994;
pub mod cone;
mod error;
pub mod file;
pub mod gallery;
pub mod judge;
mod linalg;
mod observer;
pub mod oracle;
mod problem;
mod rows;
mod solution;
mod solver;

pub use error::SolveError;
pub use judge::Certificate;
pub use observer::{Blind, Change, Driven, Event, Observer};
pub use problem::{
    Body, BoundedRow, Contact, ContactProblem, Friction, Level, Place, ProblemError, Row, Tangents,
};
pub use solution::{ContactForce, Effort, Forces, ImpulseRay, Outcome, Route, Solution};
pub use solver::{Attempt, ContactSolver, Found};

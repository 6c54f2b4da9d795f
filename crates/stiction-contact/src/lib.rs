//! Rigid-body contact problems with Coulomb friction, and a judge that certifies any answer.
//!
//! ```text
//!   v = v_free + M⁻¹ Jᵀ f              response to forces
//!   0 ≤ u_n ⟂ f_n ≥ 0                  contacts only push, and only where bodies stay together
//!   |f_t| ≤ μ f_n, against the slip    Coulomb's law on the round cone
//! ```
//!
//! A [`ContactProblem`] is a set of bodies and the points where they push on each other.
//! [`judge`] takes a problem and forces from any source and recomputes their effect in
//! double-double arithmetic, from mass and inertia as given. This crate contains no solver, so
//! the verdict is independent of every solver; the solvers are in `stiction-solvers`.
//!
//! | module | content |
//! | --- | --- |
//! | [`ContactProblem`] | bodies, contacts, joints and motors as rows; checked once, when built |
//! | [`MatrixProblem`], [`Lcp`] | friction problems and linear complementarity problems given by a matrix |
//! | [`Candidate`], [`Answer`] | the result of a method, and the judged answer |
//! | [`judge`](mod@judge) | certificates of forces and impulses, uniqueness |
//! | [`file`](mod@file) | `contact-1` files, answers computed elsewhere |
//! | [`gallery`] | textbook problems with known answers |
//!
//! # A first example
//!
//! Suppose each leg of a table of 3 kg carries 7 N. That is not enough:
//!
//! ```
//! use stiction_contact::{Body, Contact, ContactForce, ContactProblem, Forces, Friction, Level, judge};
//!
//! let inertia = [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.5]];
//! let table = Body::rigid(3.0, inertia, [0.0, 0.0, 0.7])
//!     .with_free_response([0.0, 0.0, -9.81, 0.0, 0.0, 0.0]);
//! let legs = [[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]]
//!     .map(|foot| Contact::new(0, None, foot, [0.0, 0.0, 1.0], Friction::Static { friction: 0.5 }));
//! let problem =
//!     ContactProblem::new(Level::Acceleration, vec![table], legs.to_vec(), vec![], vec![])?;
//!
//! let leg = |normal: f64| ContactForce { normal, friction: [0.0; 3] };
//! let claim = |normal: f64| Forces { contacts: vec![leg(normal); 4], ..Forces::zeros(&problem) };
//! assert!(!judge::judge(&problem, &claim(7.0)).is_certified());
//! assert!(judge::judge(&problem, &claim(3.0 * 9.81 / 4.0)).is_certified());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
pub mod cone;
pub mod double;
pub mod file;
mod forces;
pub mod gallery;
pub mod judge;
mod lcp;
mod matrix;
pub mod multifrontal;
mod names;
mod problem;
mod settings;
mod union_find;

pub use answer::{
    Answer, Candidate, Effort, Found, Provenance, Route, Selection, Stage, Status, Stop,
};
pub use forces::{ContactForce, Forces};
pub use judge::Certificate;
pub use lcp::{LCP_CERTIFIED, Lcp, LcpCertificate, LcpError};
pub use matrix::{Masses, MatrixError, MatrixProblem, Triplets};
pub use names::nearest;
pub use problem::{
    Body, BoundedRow, Contact, ContactProblem, Friction, Inertia, Island, Level, Place,
    ProblemError, Row, Tangents,
};
pub use union_find::UnionFind;

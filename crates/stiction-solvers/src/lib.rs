//! Contact forces with Coulomb friction, and a judge that certifies every answer.
//!
//! A [`ContactProblem`] is bodies and the places where they push on each other.
//! A [`ContactSolver`] finds forces; [`judge`] says what they are worth.
//!
//! | module | paper | solver | what for |
//! | --- | --- | --- | --- |
//! | [`baraff1989`] | Baraff 1989 | [`LinearProgram`](baraff1989::LinearProgram) | no friction: a guess of the contacts that part, tested; [`collide`](baraff1989::collide()) for collisions with restitution |
//! | [`baraff1991`] | Baraff 1991 | [`ForcesOrImpulse`](baraff1991::ForcesOrImpulse) | contacts that slide already: forces, or an impulse ([`impact`](baraff1991::impact()) follows it); [`diagnose`](baraff1991::diagnose()) says whether a small problem is consistent |
//! | | | [`Threshold`](baraff1991::Threshold), [`Signs`](baraff1991::Signs) | approximations of static friction, for comparison |
//! | [`baraff1994`] | Baraff 1994 | [`Dantzig`](baraff1994::Dantzig) | exact forces of small and middling problems, any mix of friction and joints |
//! | [`faure1996`] | Faure 1996 | [`Energy`](faure1996::Energy) | a complete answer after every iteration: stop by precision, iterations or time |
//!
//! A [`MatrixProblem`] has no bodies; [`all::BARE`] lists the solvers that take it.
//!
//! [`lemke`] solves linear complementarity problems that need not come from contact.
//! [`cone`] finishes an answer on the round friction cone. [`file`](mod@file) reads and
//! writes problems, [`gallery`] builds textbook ones.
//!
//! [`oracle`] tries every combination of contact modes and is for tests.
//!
//! # A first example
//!
//! A table of 3 kg on four legs: one more than needed, so the forces are not
//! unique, and the answer says so.
//!
//! ```
//! use stiction_solvers::baraff1994::Dantzig;
//! use stiction_solvers::{Body, Contact, ContactProblem, ContactSolver, Friction, Level, judge};
//!
//! let inertia = [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.5]];
//! let table = Body::rigid(3.0, inertia, [0.0, 0.0, 0.7])
//!     .with_free_response([0.0, 0.0, -9.81, 0.0, 0.0, 0.0]);
//! let legs = [[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]]
//!     .map(|foot| Contact::new(0, None, foot, [0.0, 0.0, 1.0], Friction::Static { friction: 0.5 }));
//! let problem =
//!     ContactProblem::new(Level::Acceleration, vec![table], legs.to_vec(), vec![], vec![])?;
//!
//! let answer = Dantzig::default().solve(&problem)?;
//! assert!(answer.is_certified());
//! let weight: f64 = answer.forces.contacts.iter().map(|f| f.normal).sum();
//! assert!((weight - 3.0 * 9.81).abs() < 1e-12);
//!
//! let determinacy = judge::determinacy(&problem, &answer.forces);
//! assert!(determinacy.freedom > 0, "the legs can share the weight in many ways");
//! assert!(determinacy.sum_is_unique(&[1.0; 4]), "but all together they carry it");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod admm;
mod alart_curnier;
pub mod all;
mod auto;
pub mod baraff1989;
pub mod baraff1991;
pub mod baraff1994;
mod coefficients;
pub mod cone;
mod convex;
pub mod dense;
mod error;
pub mod faure1996;
pub mod gauss_seidel;
pub mod interior;
pub mod lemke;
mod linalg;
pub mod lloyd2004;
mod observer;
pub mod oracle;
pub mod parameters;
pub mod portfolio;
pub mod proximal;
mod rows;
pub mod selection;
mod settings;
mod solver;
mod space;
mod unit_forces;
mod work;

pub use auto::Auto;
pub use error::SolveError;
pub use lemke::{LcpOutcome, solve_lcp};
pub use observer::{Change, Driven, Event, Member, NoObserver, Observer, Set, Snapshot};
pub use parameters::{PARAMETERS, Parameter, ParameterError, Parameters};
pub use solver::{Call, ContactSolver, Searched};
pub use stiction_contact::{
    Answer, Body, BoundedRow, Candidate, Certificate, Contact, ContactForce, ContactProblem,
    Effort, Forces, Found, Friction, Inertia, Island, Lcp, Level, Masses, MatrixError,
    MatrixProblem, Place, ProblemError, Provenance, Route, Row, Selection, Stage, Status, Stop,
    Tangents, Triplets, UnionFind, file, gallery, judge, nearest,
};
pub use work::Work;

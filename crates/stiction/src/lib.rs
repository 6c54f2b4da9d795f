//! Stiction simulates rigid bodies with exact contact forces and Coulomb friction. Every answer
//! carries a certificate of an independent judge, and every step an energy ledger.
//!
//! A [`World`] holds bodies, joints and what acts on them; users name them by [`BodyId`] and
//! [`JointId`]. A [`Stepper`] advances it and returns a [`Report`]: contact forces and impulses,
//! events, the certificate, and where the energy went.
//!
//! | stepper | what for |
//! | --- | --- |
//! | [`EventDriven`] | exact motion: an integrator of order five between events, events located |
//! | [`TimeStepping`] | many bodies: one velocity problem per step, second order |
//! | [`FirstOrder`] | mechanisms without inertia: force is mass times velocity |
//!
//! | module | what |
//! | --- | --- |
//! | [`prelude`] | what most programs need |
//! | [`joint`] | joints with limits, motors and dry friction |
//! | [`drive`] | given functions of time, for motors and driven bodies |
//! | [`scene`] | worlds read from TOML files; [`Simulation`] runs them |
//! | [`recording`] | runs written to files; a [`Frame`] is one instant |
//! | [`geometry`] | shapes, masses, poses, contact regions: the crate `stiction-geometry` |
//! | [`solvers`] | single contact problems, their solvers and the judge: the crate `stiction-solvers` |
//! | [`glam`] | vectors, matrices and quaternions: the crate `glam` |
//!
//! The folder `examples` of the crate teaches its use in five short programs: `sliding_block`,
//! `stack`, `pendulum`, `custom_loop`, `contact_problem`.
//!
//! # Example
//!
//! A block slides down an incline, modelled by tilting gravity:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use stiction::prelude::*;
//!
//! let (angle, friction) = (30_f64.to_radians(), 0.4);
//! let mut world = World::new();
//! world.materials[0] = Material::new(friction);
//! world.gravity = 9.81 * DVec3::new(angle.sin(), 0.0, -angle.cos());
//! world.add_ground();
//! let shape = Shape::Box { half: DVec3::new(0.2, 0.1, 0.1) };
//! let block = world.add_body(Body::new("block", shape, 500.0, DVec3::new(0.0, 0.0, 0.1))?);
//! world.validate()?;
//!
//! let report = EventDriven::default().step(&mut world, 1.0); // TimeStepping: many steps of 1/240 s, say
//! for contact in &report.contacts {
//!     println!("{} N, friction {} N, {:?}", contact.normal_force, contact.friction_force, contact.mode);
//! }
//! let displacement = world.pose(block).position.x;
//! let expected = 0.5 * 9.81 * (angle.sin() - friction * angle.cos());
//! assert!(report.certified && (displacement - expected).abs() < 1e-9);
//! # Ok(())
//! # }
//! ```

mod assemble;
mod detect;
pub mod drive;
mod event_driven;
mod first_order;
mod frame;
mod impact;
mod instant;
mod islands;
pub mod joint;
mod journal;
mod kinematics;
mod ledger;
pub mod motion;
pub mod prelude;
pub mod recording;
mod repair;
mod report;
mod root;
mod rotation;
pub mod scene;
mod settle;
mod simulation;
mod solve;
mod spring;
mod stepper;
mod sweep;
mod time_stepping;
mod touching;
mod unique;
mod world;

pub use glam;
pub use stiction_geometry as geometry;
pub use stiction_solvers as solvers;

pub use detect::{Contact, ContactKey, Detector};
pub use event_driven::EventDriven;
pub use first_order::FirstOrder;
pub use frame::{Frame, FrameError, Uniqueness};
pub use instant::Instant;
pub use journal::{Impulse, Journal, Waypoint};
pub use report::{
    ContactRecord, EnergyLedger, Event, EventKind, JointRecord, Mode, Reason, Report,
};
pub use settle::{Separation, Settled, settle};
pub use simulation::{CHECKPOINT, Counts, Simulation};
pub use solve::SolverSession;
pub use spring::Spring;
pub use stepper::Stepper;
pub use stiction_solvers::all::Choice;
pub use stiction_solvers::{Answer, Certificate, ContactSolver, SolveError, Status};
pub use time_stepping::TimeStepping;
pub use unique::{LARGEST_ISLAND, Unique, uniqueness};
pub use world::{
    Body, BodyId, BodyOverlap, ImpactModel, JointId, Material, Motion, SEPARABLE,
    SEPARABLE_FROM_FIXED, START_OVERLAP, START_OVERLAP_OF_THICKNESS, State, World, WorldError,
};

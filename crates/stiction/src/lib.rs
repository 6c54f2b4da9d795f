//! Worlds of rigid bodies with exact contact forces, moved three ways.
//!
//! A [`World`] is bodies, joints and what acts on them. A [`Stepper`] moves it:
//!
//! | stepper | what for |
//! | --- | --- |
//! | [`EventDriven`] | exact motion: between events an integrator of order five, events located |
//! | [`TimeStepping`] | many bodies: one velocity problem per step, second order |
//! | [`FirstOrder`] | mechanisms without inertia: force is mass times velocity |
//!
//! Each step gives a [`Report`]: contact forces and impulses, events, the certificate,
//! and where the energy went.
//!
//! A block slides down an incline, made by tilting gravity:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use glam::DVec3;
//! use stiction::{Body, EventDriven, Material, Stepper, World};
//! use stiction_geometry::Shape;
//!
//! let (angle, friction) = (30_f64.to_radians(), 0.4);
//! let mut world = World::new();
//! world.materials[0] = Material::new(friction);
//! world.gravity = 9.81 * DVec3::new(angle.sin(), 0.0, -angle.cos());
//! world.add_ground();
//! let shape = Shape::Box { half: DVec3::new(0.2, 0.1, 0.1) };
//! let block = world.add(Body::new("block", shape, 500.0, DVec3::new(0.0, 0.0, 0.1))?);
//! world.validate()?;
//!
//! let report = EventDriven::default().step(&mut world, 1.0); // TimeStepping: many steps of 1/240 s, say
//! for contact in &report.contacts {
//!     println!("{} N, friction {} N, {:?}", contact.normal_force, contact.friction_force, contact.mode);
//! }
//! let way = world.state.poses[block].position.x;
//! let expected = 0.5 * 9.81 * (angle.sin() - friction * angle.cos());
//! assert!(report.certified && (way - expected).abs() < 1e-9);
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
mod islands;
pub mod joint;
mod ledger;
pub mod recording;
mod repair;
mod report;
mod root;
mod rotation;
pub mod scene;
mod simulation;
mod solve;
mod spring;
mod stepper;
mod time_stepping;
mod unique;
mod world;

pub use detect::{Contact, Detector, Key};
pub use event_driven::EventDriven;
pub use first_order::FirstOrder;
pub use frame::{Frame, FrameError, Uniqueness};
pub use report::{
    ContactRecord, EnergyLedger, Event, EventKind, JointRecord, Mode, Reason, Report,
};
pub use simulation::{CHECKPOINT, Simulation};
pub use solve::SolverSession;
pub use spring::Spring;
pub use stepper::Stepper;
pub use time_stepping::TimeStepping;
pub use unique::{LARGEST_ISLAND, Unique, uniqueness};
pub use world::{Body, ImpactModel, Material, Mobility, Motion, State, World, WorldError};

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

mod assemble;
mod book;
mod detect;
pub mod drive;
mod event_driven;
mod first_order;
mod frame;
mod impact;
mod islands;
pub mod joint;
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
pub use report::{Book, ContactRecord, Event, Happening, JointRecord, Mode, Reason, Report};
pub use simulation::{CHECKPOINT, Simulation};
pub use solve::Asking;
pub use spring::Spring;
pub use stepper::Stepper;
pub use time_stepping::TimeStepping;
pub use unique::{LARGEST_ISLAND, Unique, uniqueness};
pub use world::{Body, ImpactModel, Material, Mobility, Motion, State, World, WorldError};

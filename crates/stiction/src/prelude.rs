//! What most programs need: `use stiction::prelude::*;`.

pub use crate::drive::Drive;
pub use crate::joint::{Joint, JointKind, Motor};
pub use crate::scene::Scene;
pub use crate::{
    Answer, Body, BodyId, Choice, ContactRecord, EnergyLedger, EventDriven, EventKind, FirstOrder,
    Frame, JointId, JointRecord, Material, Mode, Motion, Report, Simulation, Spring, Status,
    Stepper, TimeStepping, Uniqueness, World,
};
pub use glam::{DMat3, DQuat, DVec3};
pub use stiction_geometry::{MassProperties, Part, Polyhedron, Pose, Shape, Twist};

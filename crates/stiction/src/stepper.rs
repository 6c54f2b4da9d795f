//! The interface of steppers.

use crate::report::{EnergyLedger, Report};
use crate::world::World;

/// Advances a world in time.
pub trait Stepper {
    /// Its name in scenes and on the command line.
    fn name(&self) -> &'static str;

    /// Advances the world by a time (s) and reports what happened.
    fn step(&mut self, world: &mut World, dt: f64) -> Report;

    /// Continues a ledger of earlier steps; a stepper without one opens a new ledger.
    fn set_ledger(&mut self, ledger: EnergyLedger);
}

//! What moves a world.

use crate::report::{EnergyLedger, Report};
use crate::world::World;

/// A way to move a world.
pub trait Stepper {
    /// Its name in scenes and on the command line.
    fn name(&self) -> &'static str;

    /// Moves the world by a time (s) and tells what happened.
    fn step(&mut self, world: &mut World, dt: f64) -> Report;

    /// Goes on with a ledger kept so far; steppers open one of their own otherwise.
    fn keep_book(&mut self, ledger: EnergyLedger);
}

//! Keeping the energy ledger.

use crate::report::EnergyLedger;
use crate::world::World;

impl EnergyLedger {
    /// The ledger of a world at its start.
    pub fn open(world: &World) -> Self {
        let kinetic = world.kinetic_energy(&world.state);
        let potential = world.potential_energy(&world.state);
        EnergyLedger { kinetic, potential, start: kinetic + potential, ..EnergyLedger::default() }
    }

    /// Enters the energies that the world has now.
    pub(crate) fn close(&mut self, world: &World) {
        let kinetic = world.kinetic_energy(&world.state);
        let potential = world.potential_energy(&world.state);
        self.turnover = self.turnover.max(kinetic).max((potential - self.start).abs());
        (self.kinetic, self.potential) = (kinetic, potential);
    }
}

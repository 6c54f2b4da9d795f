//! Keeping the energy ledger.

use crate::impact::Struck;
use crate::report::EnergyLedger;
use crate::world::World;

impl EnergyLedger {
    /// The ledger of a world at its start.
    pub fn open(world: &World) -> Self {
        let kinetic = world.kinetic_energy(&world.state);
        let potential = world.potential_energy(&world.state);
        EnergyLedger { kinetic, potential, start: kinetic + potential, ..EnergyLedger::default() }
    }

    /// Enters what collisions did.
    pub(crate) fn strike(&mut self, struck: &Struck) {
        self.impacts += struck.heat;
        self.work += struck.work;
    }

    /// Enters the energies that the world has now.
    pub(crate) fn close(&mut self, world: &World) {
        let kinetic = world.kinetic_energy(&world.state);
        let potential = world.potential_energy(&world.state);
        self.turnover = self.turnover.max(kinetic).max((potential - self.start).abs());
        (self.kinetic, self.potential) = (kinetic, potential);
    }
}

//! Keeping the energy book.

use crate::report::Book;
use crate::world::World;

impl Book {
    /// The book of a world at its start.
    pub fn open(world: &World) -> Self {
        let kinetic = world.kinetic_energy(&world.state);
        let potential = world.potential_energy(&world.state);
        Book { kinetic, potential, start: kinetic + potential, ..Book::default() }
    }

    /// Enters the energies that the world has now.
    pub(crate) fn close(&mut self, world: &World) {
        let kinetic = world.kinetic_energy(&world.state);
        let potential = world.potential_energy(&world.state);
        self.turnover = self.turnover.max(kinetic).max((potential - self.start).abs());
        (self.kinetic, self.potential) = (kinetic, potential);
    }
}

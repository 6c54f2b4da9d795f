//! Islands: bodies connected by contacts, joints and springs.

use crate::detect::Contact;
use crate::world::World;

/// Sets of bodies that can be joined.
#[derive(Clone, Debug)]
pub(crate) struct Islands {
    parents: Vec<usize>,
}

impl Islands {
    /// Every body alone.
    pub(crate) fn new(count: usize) -> Self {
        Islands { parents: (0..count).collect() }
    }

    /// The smallest body of the island of this one.
    pub(crate) fn of(&mut self, mut body: usize) -> usize {
        while self.parents[body] != body {
            self.parents[body] = self.parents[self.parents[body]];
            body = self.parents[body];
        }
        body
    }

    /// Makes two islands one.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.parents[a.max(b)] = a.min(b);
    }
}

/// Bodies connected by contacts, joints and springs.
pub(crate) fn connected<'a>(
    world: &World,
    touching: impl IntoIterator<Item = &'a Contact>,
) -> Islands {
    connected_pairs(world, touching.into_iter().map(|c| (c.a, c.b)))
}

/// The same of contacts given as pairs of bodies.
pub(crate) fn connected_pairs(
    world: &World,
    touching: impl IntoIterator<Item = (usize, usize)>,
) -> Islands {
    let mut islands = Islands::new(world.bodies.len());
    let contacts = touching.into_iter().map(|(a, b)| (a, Some(b)));
    let joints = world.joints.iter().map(|j| (j.a.index(), j.other()));
    let springs = world.springs.iter().map(|s| (s.a.index(), s.other()));
    for (a, b) in contacts.chain(joints).chain(springs) {
        if let Some(b) = b
            && world.bodies[a].is_free()
            && world.bodies[b].is_free()
        {
            islands.join(a, b);
        }
    }
    islands
}

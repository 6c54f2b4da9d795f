//! Islands: bodies connected by contacts, joints and springs.

use crate::detect::Contact;
use crate::world::World;
use stiction_solvers::UnionFind;

/// Bodies connected by contacts, joints and springs.
pub(crate) fn connected<'a>(
    world: &World,
    touching: impl IntoIterator<Item = &'a Contact>,
) -> UnionFind {
    connected_pairs(world, touching.into_iter().map(|c| (c.a, c.b)))
}

/// The same of contacts given as pairs of bodies.
pub(crate) fn connected_pairs(
    world: &World,
    touching: impl IntoIterator<Item = (usize, usize)>,
) -> UnionFind {
    let mut islands = UnionFind::new(world.bodies.len());
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

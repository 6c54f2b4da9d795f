//! Materials: friction and restitution of surfaces.

use super::{BodyId, World};

/// How a surface rubs and bounces.
///
/// Where two materials meet, each coefficient is the geometric mean of both:
/// equal materials keep theirs, and a frictionless or inelastic one makes the
/// pair so. [`World::pair`] gives a pair of materials its own coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Limit of |friction| / normal force while sticking.
    pub static_friction: f64,
    /// |friction| / normal force while slipping; not above the static one.
    pub dynamic_friction: f64,
    /// Speed after a collision over the speed before it, 0 to 1.
    pub restitution: f64,
}

impl Material {
    /// One coefficient of friction, no bounce.
    pub fn new(friction: f64) -> Self {
        Material { static_friction: friction, dynamic_friction: friction, restitution: 0.0 }
    }

    /// The same with this restitution.
    #[must_use]
    pub fn with_restitution(mut self, restitution: f64) -> Self {
        self.restitution = restitution;
        self
    }

    /// The coefficients where it meets another.
    pub(crate) fn with(self, other: Material) -> Material {
        let mean = |x: f64, y: f64| if x == y { x } else { (x * y).sqrt() };
        Material {
            static_friction: mean(self.static_friction, other.static_friction),
            dynamic_friction: mean(self.dynamic_friction, other.dynamic_friction),
            restitution: mean(self.restitution, other.restitution),
        }
    }
}

impl World {
    /// Adds a material; returns its index, for [`Body::material`](crate::Body::material).
    pub fn add_material(&mut self, material: Material) -> usize {
        self.materials.push(material);
        self.materials.len() - 1
    }

    /// Sets the coefficients of a pair of materials, given by their indices.
    pub fn pair(&mut self, a: usize, b: usize, material: Material) {
        self.pairs.push(([a.min(b), a.max(b)], material));
    }

    /// The coefficients where two bodies meet.
    pub fn material(&self, a: BodyId, b: BodyId) -> Material {
        let [a, b] = [a, b].map(|id| self.bodies[id.index()].material);
        let key = [a.min(b), a.max(b)];
        let own = self.pairs.iter().rev().find(|(pair, _)| *pair == key);
        own.map_or_else(|| self.materials[a].with(self.materials[b]), |(_, material)| *material)
    }
}

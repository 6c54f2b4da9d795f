//! Blocks, the interfaces in which they touch, and what loads them.
//!
//! ```text
//!   f_n ≥ 0, |f_t| ≤ μ f_n         at every corner of every interface, n from b into a
//!   weights + λ load + forces = 0  on every block that is not fixed
//! ```
//!
//! SI units throughout. Blocks are numbered from 0 in the order in which they are listed.

use glam::{DMat3, DVec3};
use stiction_contact::UnionFind;

/// An assembly of rigid blocks at rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assembly {
    /// Its name.
    pub name: String,
    /// Gravity (m/s²).
    pub gravity: DVec3,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Coefficients of friction.
    pub friction: FrictionTable,
    /// Where blocks touch. Two fixed blocks have no interface.
    pub interfaces: Vec<Interface>,
    /// Whether the interfaces were given or detected.
    pub source: InterfaceSource,
    /// The live load, which λ multiplies.
    pub load: Vec<Load>,
    /// Knobs of toy bricks.
    pub knobs: Vec<Knob>,
    /// What was taken as given because the file does not say it.
    pub assumptions: Vec<String>,
}

/// One rigid block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Its name, or `block 3` if it has none.
    pub name: String,
    /// A fixed block is a support.
    pub fixed: bool,
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass (m).
    pub centre: DVec3,
    /// Inertia about the centre of mass in world axes (kg m²), if it is known.
    pub inertia: Option<DMat3>,
    /// Corners (m).
    pub vertices: Vec<DVec3>,
    /// Faces as indices into `vertices`, counter-clockwise seen from outside.
    pub faces: Vec<Vec<usize>>,
}

/// One coefficient of friction for all pairs, and others for some.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrictionTable {
    /// The coefficient of every pair that is not listed.
    pub general: f64,
    /// Pairs of blocks with another one.
    pub pairs: Vec<(usize, usize, f64)>,
}

/// A plane polygon, edge or point in which two blocks touch.
///
/// Forces act at the corners. A force in the friction cone at an inner point is a sum of forces in the cone at
/// the corners of the convex hull, so the corners represent every distribution of pressure.
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    /// The block on which the normal points.
    pub a: usize,
    /// The other block.
    pub b: usize,
    /// Corners (m).
    pub points: Vec<DVec3>,
    /// Unit normal, from `b` into `a`.
    pub normal: DVec3,
    /// Coefficient of friction.
    pub friction: f64,
}

/// Where the interfaces come from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum InterfaceSource {
    /// Listed in the file.
    #[default]
    Given,
    /// Detected within this tolerance.
    Detected(Tolerance),
}

/// What counts as touching.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Largest distance between two faces that touch (m).
    pub gap: f64,
    /// Smallest area of an interface (m²); `None`: a millionth of the smaller face.
    pub area: Option<f64>,
    /// Largest angle between the planes of two faces that touch (rad).
    pub angle: f64,
}

/// A live load on one block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// The block.
    pub block: usize,
    /// Force (N).
    pub force: DVec3,
    /// Torque about the centre of mass (N m).
    pub torque: DVec3,
}

/// A knob of a toy brick: it presses without limit and pulls with at most `tension` at each point; shear at its
/// centre has no limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Knob {
    /// The block on which the normal points.
    pub a: usize,
    /// The other block.
    pub b: usize,
    /// Unit normal, from `b` into `a`.
    pub normal: DVec3,
    /// Where shear acts (m).
    pub centre: DVec3,
    /// Where normal forces act (m).
    pub points: Vec<DVec3>,
    /// Most tension at each point (N).
    pub tension: f64,
}

/// Why the interfaces of an assembly cannot be detected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AssemblyError {
    /// Two blocks that share volume.
    #[error(
        "blocks {} and {} overlap by {depth:.3e} m at ({:.4}, {:.4}, {:.4}), more than the gap of {gap:.3e} m; \
         move them apart, or choose a gap of {:.1e} m",
        names[0], names[1], point.x, point.y, point.z, 1.01 * depth
    )]
    Overlap {
        /// The two blocks.
        blocks: [usize; 2],
        /// Their names.
        names: [String; 2],
        /// The shortest translation that separates them (m).
        depth: f64,
        /// Where.
        point: DVec3,
        /// The tolerance (m).
        gap: f64,
    },
}

impl AssemblyError {
    /// A block that is to blame.
    pub fn block(&self) -> Option<usize> {
        match self {
            AssemblyError::Overlap { blocks, .. } => Some(blocks[0]),
        }
    }
}

impl FrictionTable {
    /// The coefficient between two blocks.
    pub fn between(&self, a: usize, b: usize) -> f64 {
        let found = self.pairs.iter().find(|(x, y, _)| (*x, *y) == (a, b) || (*x, *y) == (b, a));
        found.map_or(self.general, |pair| pair.2)
    }
}

impl Assembly {
    /// The number of contact points: corners of interfaces.
    pub fn contact_count(&self) -> usize {
        self.interfaces.iter().map(|interface| interface.points.len()).sum()
    }

    /// The free blocks that no chain of interfaces or knobs connects to a fixed one.
    pub fn floating(&self) -> Vec<usize> {
        let count = self.blocks.len();
        let mut groups = UnionFind::new(count + 1);
        for (k, _) in self.blocks.iter().enumerate().filter(|(_, block)| block.fixed) {
            groups.join(k, count);
        }
        let touching = self.interfaces.iter().map(|it| (it.a, it.b));
        for (a, b) in touching.chain(self.knobs.iter().map(|it| (it.a, it.b))) {
            groups.join(a, b);
        }
        let roots = groups.roots();
        (0..count).filter(|&k| roots[k] != roots[count]).collect()
    }

    /// The assembly while it is put together: the fixed blocks and the first `count` free ones in the order of the
    /// list, with what touches and loads only them.
    #[must_use]
    pub fn with_first(&self, count: usize) -> Assembly {
        let mut numbers: Vec<Option<usize>> = Vec::with_capacity(self.blocks.len());
        let (mut kept, mut free) = (0, 0);
        for block in &self.blocks {
            free += usize::from(!block.fixed);
            let keep = block.fixed || free <= count;
            numbers.push(keep.then_some(kept));
            kept += usize::from(keep);
        }
        let both = |a: usize, b: usize| Some((numbers[a]?, numbers[b]?));
        let blocks = self.blocks.iter().zip(&numbers).filter(|(_, number)| number.is_some());
        let interface = |it: &Interface| {
            let (a, b) = both(it.a, it.b)?;
            Some(Interface { a, b, ..it.clone() })
        };
        let knob = |it: &Knob| {
            let (a, b) = both(it.a, it.b)?;
            Some(Knob { a, b, ..it.clone() })
        };
        let load = |it: &Load| Some(Load { block: numbers[it.block]?, ..*it });
        let pairs = self.friction.pairs.iter();
        Assembly {
            name: self.name.clone(),
            gravity: self.gravity,
            blocks: blocks.map(|(block, _)| block.clone()).collect(),
            friction: FrictionTable {
                general: self.friction.general,
                pairs: pairs
                    .filter_map(|&(a, b, mu)| both(a, b).map(|(a, b)| (a, b, mu)))
                    .collect(),
            },
            interfaces: self.interfaces.iter().filter_map(interface).collect(),
            source: self.source,
            load: self.load.iter().filter_map(load).collect(),
            knobs: self.knobs.iter().filter_map(knob).collect(),
            assumptions: self.assumptions.clone(),
        }
    }

    /// The diagonal of the bounding box of the free blocks, of all blocks if none is free (m).
    pub fn size(&self) -> f64 {
        let any_free = self.blocks.iter().any(|block| !block.fixed && !block.vertices.is_empty());
        let counted = self.blocks.iter().filter(|block| !any_free || !block.fixed);
        let mut points = counted.flat_map(|block| block.vertices.iter().copied());
        let Some(first) = points.next() else { return 0.0 };
        let (low, high) = points.fold((first, first), |(low, high), p| (low.min(p), high.max(p)));
        (high - low).length()
    }
}

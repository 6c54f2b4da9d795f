//! An assembly as the matrices of statics, without units:
//!
//! ```text
//!   G f + w = 0        balance of every free block: three forces, three torques about its centre
//!   u = Gᵀ v           velocity of block a against block b at a contact, v: velocities of the blocks
//! ```
//!
//! Lengths are divided by the size of the free blocks and forces by their mean weight, so that an
//! answer does not depend on units. A contact holds forces with `|f_t| ≤ μ f_n` in world axes.
//! Without friction, only its normal component counts.

use crate::assembly::Assembly;
use glam::DVec3;
use stiction_check::{Case, Model};

/// Marks a side of a contact that is fixed.
pub(crate) const FIXED: usize = usize::MAX;

/// Force and torque, or velocity and spin, of one block.
pub(crate) type Six = [f64; 6];

/// A corner of an interface.
#[derive(Clone, Debug)]
pub(crate) struct Contact {
    /// Free blocks by their number among the free ones, or [`FIXED`]: first the one on which the force acts.
    pub blocks: [usize; 2],
    /// From the centre of each block to the corner.
    pub arms: [DVec3; 2],
    /// Unit normal and two tangents.
    pub axes: [DVec3; 3],
    /// Coefficient of friction.
    pub friction: f64,
    /// The interface in the assembly.
    pub interface: usize,
}

/// An assembly without units.
#[derive(Clone, Debug)]
pub(crate) struct Structure {
    /// Numbers of the free blocks in the assembly.
    pub free: Vec<usize>,
    /// The corners of all interfaces, in the order of the assembly.
    pub contacts: Vec<Contact>,
    /// Pairs of free blocks that touch.
    pub edges: Vec<[u32; 2]>,
    /// For each contact between free blocks its pair, and whether its first block is the second of the pair.
    pub edge_of: Vec<Option<(usize, bool)>>,
    /// Metres per unit of length, newtons per unit of force.
    pub length: f64,
    pub force: f64,
    /// The point about which motions in a certificate are written (m).
    pub origin: DVec3,
}

impl Structure {
    /// Of an assembly.
    pub(crate) fn new(assembly: &Assembly) -> Self {
        let free: Vec<usize> =
            (0..assembly.blocks.len()).filter(|&k| !assembly.blocks[k].fixed).collect();
        let mut number = vec![FIXED; assembly.blocks.len()];
        free.iter().enumerate().for_each(|(k, &block)| number[block] = k);
        let length = match assembly.size() {
            size if size > 0.0 => size,
            _ => 1.0,
        };
        let gravity = match assembly.gravity.length() {
            g if g > 0.0 => g,
            _ => 1.0,
        };
        let mass: f64 = free.iter().map(|&k| assembly.blocks[k].mass).sum();
        let force = match mass * gravity / free.len() as f64 {
            mean if mean > 0.0 && mean.is_finite() => mean,
            _ => 1.0,
        };
        let centres = free.iter().map(|&k| assembly.blocks[k].centre);
        let origin = centres.sum::<DVec3>() / free.len().max(1) as f64;
        let mut structure = Structure {
            contacts: contacts(assembly, &number, length),
            free,
            edges: Vec::new(),
            edge_of: Vec::new(),
            length,
            force,
            origin,
        };
        structure.connect();
        structure
    }

    /// Finds the pairs of free blocks that touch.
    pub(crate) fn connect(&mut self) {
        let mut pairs = std::collections::BTreeMap::new();
        for contact in &self.contacts {
            let [a, b] = contact.blocks;
            if a != FIXED && b != FIXED {
                pairs.insert([a.min(b) as u32, a.max(b) as u32], 0_usize);
            }
        }
        self.edges = pairs.keys().copied().collect();
        pairs.values_mut().enumerate().for_each(|(k, place)| *place = k);
        let edge = |contact: &Contact| {
            let [a, b] = contact.blocks;
            (a != FIXED && b != FIXED).then(|| (pairs[&[a.min(b) as u32, a.max(b) as u32]], a > b))
        };
        self.edge_of = self.contacts.iter().map(edge).collect();
    }

    /// A wrench per block of the assembly in SI units, divided by the units.
    pub(crate) fn scaled(&self, loads: &[(DVec3, DVec3)]) -> Vec<Six> {
        let scaled = |&k: &usize| {
            let (force, torque) = loads[k];
            six(force / self.force, torque / (self.force * self.length))
        };
        self.free.iter().map(scaled).collect()
    }

    /// The load of a case on every block.
    pub(crate) fn load(&self, model: &Model, case: &Case) -> Vec<Six> {
        let field = DVec3::from(model.gravity) * case.weight + DVec3::from(case.acceleration);
        let mut loads: Vec<(DVec3, DVec3)> =
            model.blocks.iter().map(|block| (field * block.mass, DVec3::ZERO)).collect();
        let mut more = |block: usize, w: &Six, factor: f64| {
            loads[block].0 += DVec3::new(w[0], w[1], w[2]) * factor;
            loads[block].1 += DVec3::new(w[3], w[4], w[5]) * factor;
        };
        model.live.iter().enumerate().for_each(|(k, live)| more(k, live, case.live));
        case.wrenches.iter().for_each(|(k, wrench)| more(*k, wrench, 1.0));
        self.scaled(&loads)
    }

    /// With all coefficients of friction multiplied.
    pub(crate) fn with_friction(&self, factor: f64) -> Self {
        let mut other = self.clone();
        other.contacts.iter_mut().for_each(|contact| contact.friction *= factor);
        other
    }
}

fn contacts(assembly: &Assembly, number: &[usize], length: f64) -> Vec<Contact> {
    let mut contacts = Vec::with_capacity(assembly.contact_count());
    for (k, interface) in assembly.interfaces.iter().enumerate() {
        let normal = interface.normal.normalize();
        let (first, second) = normal.any_orthonormal_pair();
        for &point in &interface.points {
            let arm = |block: usize| (point - assembly.blocks[block].centre) / length;
            contacts.push(Contact {
                blocks: [number[interface.a], number[interface.b]],
                arms: [arm(interface.a), arm(interface.b)],
                axes: [normal, first, second],
                friction: interface.friction,
                interface: k,
            });
        }
    }
    contacts
}

/// Two vectors side by side.
pub(crate) fn six(force: DVec3, torque: DVec3) -> Six {
    [force.x, force.y, force.z, torque.x, torque.y, torque.z]
}

/// `sum += factor · x`
pub(crate) fn add(sum: &mut Six, factor: f64, x: &Six) {
    sum.iter_mut().zip(x).for_each(|(s, x)| *s += factor * x);
}

/// `a · b` over all blocks.
pub(crate) fn dot(a: &[Six], b: &[Six]) -> f64 {
    a.iter().flatten().zip(b.iter().flatten()).map(|(x, y)| x * y).sum()
}

/// The largest entry.
pub(crate) fn largest(a: &[Six]) -> f64 {
    a.iter().flatten().fold(0.0, |most, x| most.max(x.abs()))
}

/// `a + factor · b`
pub(crate) fn plus(a: &[Six], factor: f64, b: &[Six]) -> Vec<Six> {
    let mut sum = a.to_vec();
    sum.iter_mut().zip(b).for_each(|(s, x)| add(s, factor, x));
    sum
}

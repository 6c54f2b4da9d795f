//! The families of problems, each with its own difficulty.

mod bodies;
mod contacts;
mod rows;
mod soup;
mod structures;

use super::draw::Draw;
use super::given::Given;
use super::matrix::{self, GivenMatrix};

/// Problems of one kind.
pub struct Family {
    pub name: &'static str,
    /// Their difficulty.
    pub what: &'static str,
    pub make: Make,
}

/// How they are generated.
#[derive(Clone, Copy)]
pub enum Make {
    Bodies(fn(&mut Draw) -> Given),
    /// Solved on cones with flat sides.
    Pyramids(fn(&mut Draw) -> Given),
    Matrix(fn(&mut Draw) -> GivenMatrix),
}

const fn family(name: &'static str, what: &'static str, make: fn(&mut Draw) -> Given) -> Family {
    Family { name, what, make: Make::Bodies(make) }
}

/// All of them, in the order of the table.
pub const FAMILIES: &[Family] = &[
    family("masses", "masses over 12 orders", bodies::masses),
    family("inertia", "inertias with condition numbers up to 1e14", bodies::inertia),
    family("last-bit", "bodies that the last bit of a normal moves visibly", bodies::last_bit),
    family("units", "lengths from 1e-9 to 1e6 m", bodies::units),
    family("magnitudes", "masses around 1e-60 or 1e60", bodies::magnitudes),
    family("far", "bodies 1e6 m from the origin", bodies::far),
    family("forms", "all levels; inverse inertias, free responses, loads", bodies::forms),
    family("planar", "planar bodies and contacts", bodies::planar),
    family("rest", "nothing moves, or everything together", bodies::rest),
    family("grain", "a grain among heavy bodies", bodies::grain),
    family("friction", "friction from 0 to 1000", contacts::friction),
    family("coefficients", "static and dynamic friction that differ", contacts::coefficients),
    family("sliding", "contacts that slide already, with much friction", contacts::sliding),
    family("parallel", "normals 1e-3 to 1e-15 from parallel", contacts::parallel),
    family("duplicates", "the same contact up to thousands of times", contacts::duplicates),
    family("tangential", "fast along the surface, slow against it", contacts::tangential),
    family("bias", "huge bias at open contacts", contacts::bias),
    family("conveyors", "fixed bodies with huge velocities", contacts::conveyors),
    family("bilateral", "joints, redundant and loaded", rows::bilateral),
    family("contradictions", "bilateral rows that contradict each other", rows::contradictions),
    family("equal-bounds", "bounded rows with one possible force", rows::equal_bounds),
    family("bounds", "one-sided, wide and narrow bounds", rows::bounds),
    family("motors", "motors with huge targets", rows::motors),
    family("preload", "bodies pressed together by 1e9 times their weight", rows::preload),
    family("wedges", "bodies squeezed between walls", structures::wedges),
    family("feathers", "feather on anvil, anvil on feather, and between", structures::feathers),
    family("transmission", "bodies without free motion that transmit", structures::transmission),
    family("stacks", "tall stacks", structures::stacks),
    family("arches", "arches of voussoirs", structures::arches),
    family("chains", "chains of joints with contacts", structures::chains),
    family("islands", "problems of many kinds in one", structures::islands),
    Family {
        name: "pyramids",
        what: "friction cones with flat sides",
        make: Make::Pyramids(contacts::pyramids),
    },
    Family {
        name: "matrices",
        what: "bare matrices, scaled by 1e-12 to 1e12",
        make: Make::Matrix(matrix::any),
    },
];

/// The family of that name.
pub fn named(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.name == name)
}

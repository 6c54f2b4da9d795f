//! Whether an assembly of rigid blocks stands, with what margin, and what proves it.
//!
//! An [`Assembly`] is a list of blocks and the plane polygons in which they touch. [`read`](mod@read)
//! makes one from a file.
//!
//! [`Statics`] answers: [`Statics::stands`], [`Statics::load_factor`], [`Statics::tilt`],
//! [`Statics::least_friction`]. Every answer carries its proof; [`check`] is the program that accepts it.
//!
//! # Where to start reading
//!
//! `statics.rs` asks whether a load is carried, `program.rs` solves the cone programs, `witness.rs`
//! makes witnesses that the checker accepts. `assembly.rs` defines the assembly, `read.rs` the
//! formats it comes from, `detect.rs` how the places where blocks touch are found.

mod assembly;
mod certificate;
pub mod detect;
mod friction;
pub mod gallery;
mod margin;
mod mechanism;
mod moving;
pub mod picture;
mod program;
pub mod read;
mod region;
mod solid;
mod statics;
mod structure;
mod surface;
mod verdict;
mod witness;
mod write;

pub use assembly::{
    Assembly, AssemblyError, Block, FrictionTable, Interface, InterfaceSource, Knob, Load,
    Tolerance,
};
pub use margin::Margin;
pub use mechanism::{Mechanism, Mode};
pub use statics::Statics;
pub use stiction_check as check;
pub use verdict::{Answer, Options, Verdict, stands, stands_all};

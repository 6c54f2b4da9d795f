//! Whether an assembly of rigid blocks stands, with what margin, and what proves it.
//!
//! An [`Assembly`] is a list of blocks and the plane polygons in which they touch. [`read`](mod@read)
//! makes one from a file.
//!
//! # Where to start reading
//!
//! `assembly.rs` defines the assembly, `read.rs` the formats it comes from, `detect.rs` how the
//! places where blocks touch are found.

mod assembly;
pub mod detect;
pub mod gallery;
pub mod picture;
pub mod read;
mod solid;
mod surface;
mod write;
mod margin;
mod program;
mod statics;
mod structure;
mod verdict;
mod witness;

pub use assembly::{
    Assembly, AssemblyError, Block, FrictionTable, Interface, InterfaceSource, Knob, Load,
    Tolerance,
};
pub use margin::Margin;
pub use statics::Statics;
pub use verdict::{Answer, Options, Verdict, stands};

//! Whether an assembly of rigid blocks stands, with what margin, and what proves it.
//!
//! ```
//! use stiction_statics::{Options, Statics, Verdict, gallery};
//!
//! let wall = gallery::wall(1); // or read::open(path, &read::Options::default())?
//! let statics = Statics::new(&wall);
//!
//! let answer = statics.stands(&Options::default());
//! assert_eq!(answer.verdict.can(), Some(true));
//!
//! // The largest multiple of the live load: forces prove the lower end, a mechanism the upper one.
//! let load = statics.load_factor();
//! assert!((load.value() - 0.642859).abs() < 1e-6);
//!
//! // What proves both is accepted by a checker without a solver.
//! let certificate = statics.certificate(&wall, &answer, &[load]);
//! assert!(certificate.check(&statics.model).is_ok());
//! # assert_ne!(answer.verdict, Verdict::Cannot);
//! ```
//!
//! | question | answered by |
//! | --- | --- |
//! | does it stand? | [`Statics::stands`], [`stands`]; many at once: [`stands_all`] |
//! | how much of a live load does it carry? | [`Statics::load_factor`]; with friction that does not dilate, [`Statics::limit_load`] |
//! | how far can it be tilted? | [`Statics::tilt`] |
//! | which accelerations does it carry, on a lorry or in an earthquake? | [`Statics::accelerations`] |
//! | how much friction does it need? | [`Statics::least_friction`] |
//! | which forces can an interface have? | [`Statics::force_range`] |
//! | how much does a clamp have to press? | [`Statics::clamp`] |
//! | how large may disturbances be? | [`Statics::robustness`] |
//! | how does it fail? | [`Statics::mechanism`] |
//! | what does that look like? | [`Statics::display`], [`picture`] |
//!
//! [`read`](mod@read) makes an [`Assembly`] from a file: a list of blocks and the plane polygons in which they touch.
//! [`detect`](mod@detect) finds these polygons. [`check`] is the program that accepts or refuses proofs.
//!
//! # Where to start reading
//!
//! `statics.rs` asks whether a load is carried, `program.rs` solves the cone programs, `witness.rs`
//! makes witnesses that the checker accepts. `assembly.rs` defines the assembly, `read.rs` the
//! formats it comes from, `detect.rs` how the places where blocks touch are found.

mod assembly;
mod certificate;
pub mod detect;
mod display;
mod friction;
pub mod gallery;
mod margin;
mod mechanism;
mod moving;
pub mod picture;
mod program;
pub mod read;
mod region;
mod robustness;
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
pub use display::{Display, DisplayBlock, DisplayInterface};
pub use margin::Margin;
pub use mechanism::{Mechanism, Mode};
pub use region::{Demand, EN12195_ROAD, Region};
pub use robustness::Robustness;
pub use statics::Statics;
pub use stiction_check as check;
pub use verdict::{Answer, Options, Verdict, stands, stands_all};

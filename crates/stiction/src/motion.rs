//! The judge of motion.

mod law;
pub(crate) mod path;

pub use law::{FrameVerdict, LawName};

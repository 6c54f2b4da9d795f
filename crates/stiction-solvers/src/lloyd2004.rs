//! Lemke's algorithm made nearly linear, after Lloyd (2004).

mod lu;
mod path;
mod pyramid;
mod ratio;
mod state;
mod system;

pub use path::{End, Path, Scope};
pub use pyramid::Pyramid;

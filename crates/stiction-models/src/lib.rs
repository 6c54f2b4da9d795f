//! Robot models in MJCF and URDF as rigid bodies and joints.
//!
//! ```text
//!   text ─xml→ elements ─mjcf, urdf→ Tree of links ─assemble→ Model
//! ```
//!
//! A [`Model`] is in the world's frame, as the model begins. Links without joints are part of what carries
//! them. What is not read is listed with its line ([`Model::ignored`]); what would change the bodies and is not
//! read is an error.
//!
//! # Where to start reading
//!
//! `tree.rs` is what both formats are read into, `assemble.rs` makes bodies of it, `mjcf.rs` and
//! `urdf.rs` are the formats.

mod assemble;
mod compiler;
mod error;
mod files;
mod meshes;
mod mjcf;
mod model;
mod tree;
mod urdf;
mod value;
mod xml;

pub use error::{Ignored, ModelError, Place};
pub use model::{Joint, JointKind, Model, ModelBody};
pub use stiction_geometry::Shelf;

use error::Notes;

/// Whether a text is XML, as models are.
pub fn is_model(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('<')
}

/// Reads a model in MJCF or URDF, as its root element says; messages call it `name`.
///
/// # Errors
///
/// [`ModelError`] with file, line, element and value.
pub fn read(text: &str, name: &str, shelf: Shelf<'_>) -> Result<Model, ModelError> {
    let root = xml::parse(text, name)?;
    let mut notes = Notes::default();
    let (root, tree) = match root.tag.as_str() {
        "mujoco" => {
            let root = mjcf::include(root, shelf)?;
            let tree = mjcf::read(&root, shelf, &mut notes)?;
            (root, tree)
        }
        "robot" => {
            let tree = urdf::read(&root, shelf, &mut notes)?;
            (root, tree)
        }
        _ => {
            return Err(root.fault("is not the root of a model, which is <mujoco> or <robot>"));
        }
    };
    root.unread(&mut notes);
    assemble::assemble(tree, notes)
}

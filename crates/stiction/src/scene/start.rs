//! What a scene may read, and how its bodies may begin.

use super::source::Source;
use super::{Reader, SceneError};
use crate::world::{BodyOverlap, World};
use std::path::Path;

/// What a scene may do beyond what scenes may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Read files of meshes that are not below its folder.
    pub files_anywhere: bool,
    /// Begin with bodies that overlap, as with `overlap = "allow"`.
    pub overlap: bool,
}

/// Most bytes of a scene: enough for a million numbers.
const LARGEST: u64 = 1 << 26;

/// The text of a scene in a file.
pub(crate) fn read_text(path: &Path) -> Result<String, SceneError> {
    let bytes = stiction_geometry::read_file(path, LARGEST);
    let text = bytes.and_then(|bytes| {
        String::from_utf8(bytes).map_err(|_| std::io::Error::other("is not UTF-8 text"))
    });
    text.map_err(|source| SceneError::Io { path: path.to_owned(), source })
}

impl Reader<'_> {
    /// Refuses bodies that overlap.
    pub(super) fn check_overlap(
        &self,
        source: Source<'_>,
        world: &World,
    ) -> Result<(), SceneError> {
        let found = world.overlaps();
        let Some(BodyOverlap { bodies: [first, second], overlap }) = found.first() else {
            return Ok(());
        };
        let [first, second] = [first, second].map(|id| world.body(*id).name.as_str());
        let subject = format!("body {second:?}");
        let others = match found.len() - 1 {
            0 => String::new(),
            1 => ", and another pair overlaps".to_owned(),
            more => format!(", and {more} other pairs overlap"),
        };
        let [x, y, z] = overlap.point.to_array().map(|x| (x * 1e6).round() / 1e6 + 0.0);
        let message = format!(
            "overlaps body {first:?} by {:.3e} m at [{x}, {y}, {z}]{others}; place them apart \
             (stiction settle does), or say overlap = \"allow\"",
            overlap.depth
        );
        Err(source.fault(self.place_of(&subject), &subject, message))
    }
}

//! What a scene may read, and how its bodies may begin.

use super::source::Source;
use super::{Reader, SceneError};
use crate::settle::settle;
use crate::world::{BodyOverlap, World};
use std::path::Path;

/// What a scene may do beyond what scenes may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Read files of meshes that are not below its folder.
    pub files_anywhere: bool,
    /// Begin with bodies that overlap however deep, as with `overlap = "allow"`.
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

/// What is done with bodies that overlap at the start by more than any scene may begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Overlapping {
    /// They are moved apart ([`World::is_separable`]); deeper ones are refused.
    #[default]
    Separate,
    Refuse,
    /// The run begins, whatever is left of the overlap.
    Allow,
}

impl Overlapping {
    pub(super) const NAMES: [(&'static str, Overlapping); 3] = [
        ("separate", Overlapping::Separate),
        ("refuse", Overlapping::Refuse),
        ("allow", Overlapping::Allow),
    ];
}

impl Reader<'_> {
    /// Refuses bodies that overlap and are not to be, or cannot be, moved apart.
    pub(super) fn check_overlap(
        &self,
        source: Source<'_>,
        world: &World,
        overlapping: Overlapping,
    ) -> Result<(), SceneError> {
        if overlapping == Overlapping::Allow {
            return Ok(());
        }
        let found = world.overlaps();
        let deep = found.iter().find(|pair| !world.is_separable(pair));
        if let (Overlapping::Refuse, Some(pair)) = (overlapping, found.first()) {
            let options = if deep.is_none() { "\"separate\" or \"allow\"" } else { "\"allow\"" };
            return Err(self.overlapping(source, world, (pair, found.len()), options));
        }
        if let Some(pair) = deep {
            return Err(self.overlapping(source, world, (pair, found.len()), "\"allow\""));
        }
        // Wedged between bodies that do not move.
        let left = if found.is_empty() { found } else { settle(&mut world.clone()).left };
        match left.first() {
            Some(pair) => Err(self.overlapping(source, world, (pair, left.len()), "\"allow\"")),
            None => Ok(()),
        }
    }

    /// The refusal of a pair among so many, with what else the scene may say.
    fn overlapping(
        &self,
        source: Source<'_>,
        world: &World,
        (pair, count): (&BodyOverlap, usize),
        options: &str,
    ) -> SceneError {
        let BodyOverlap { bodies: [first, second], overlap } = pair;
        let [first, second] = [first, second].map(|id| world.body(*id).name.as_str());
        let subject = format!("body {second:?}");
        let others = match count - 1 {
            0 => String::new(),
            1 => ", and another pair overlaps".to_owned(),
            more => format!(", and {more} other pairs overlap"),
        };
        let [x, y, z] = overlap.point.to_array().map(|x| (x * 1e6).round() / 1e6 + 0.0);
        let message = format!(
            "overlaps body {first:?} by {:.3e} m at [{x}, {y}, {z}]{others}; place them apart \
             (stiction settle does), or say overlap = {options}",
            overlap.depth
        );
        source.fault(self.place_of(&subject), &subject, message)
    }
}

//! Files beside a model.

use crate::error::{ModelError, Place};
use std::path::{Path, PathBuf};
use stiction_geometry::{Outside, Shelf, read_file};

/// Most bytes of a file of XML.
const LARGEST: u64 = 1 << 26;

/// Reads the text of a file.
pub(crate) fn read_text(path: &Path) -> Result<String, ModelError> {
    let text = read_file(path, LARGEST).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|_| std::io::Error::other("is not UTF-8 text"))
    });
    text.map_err(|source| ModelError::Io { path: path.to_owned(), source })
}

/// The path of a file that an element names.
pub(crate) fn find(
    shelf: Shelf<'_>,
    name: &str,
    place: &Place,
    field: &str,
) -> Result<PathBuf, ModelError> {
    shelf.find(name).map_err(|Outside| ModelError::Value {
        place: place.clone(),
        field: field.to_owned(),
        message: format!(
            "is {name:?}, which is not below the folder of the model; --allow-files-anywhere permits it"
        ),
    })
}

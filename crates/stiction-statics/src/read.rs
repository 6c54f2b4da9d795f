//! Reads assemblies from files.
//!
//! | file | format |
//! | --- | --- |
//! | JSON with `"format": "assembly-1"` | our own |

mod assembly1;

use crate::Assembly;
use std::path::Path;
pub use stiction_contact::file::FileError;
use stiction_contact::file::{line_of, read_text};

/// What the user adds to a file or overrides in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// Largest distance between faces that touch (m); detection runs anew even if the file lists
    /// interfaces.
    pub gap: Option<f64>,
}

/// Reads an assembly.
///
/// # Errors
///
/// [`FileError`] with file, line, field and value.
pub fn open(path: &Path, options: &Options) -> Result<Assembly, FileError> {
    parse(&read_text(path)?, &path.display().to_string(), options)
}

/// Parses an assembly from a text that was read from `file`.
///
/// # Errors
///
/// As [`open`].
pub fn parse(text: &str, file: &str, options: &Options) -> Result<Assembly, FileError> {
    assembly1::parse(&Source { text, file }, options)
}

/// A text and the file from which it was read, for messages.
#[derive(Clone, Copy)]
struct Source<'a> {
    text: &'a str,
    file: &'a str,
}

impl Source<'_> {
    /// A fault in the value at a path such as `blocks[2].density`.
    fn fault(&self, field: &str, message: impl Into<String>) -> FileError {
        FileError::Value {
            file: self.file.to_owned(),
            line: line_of(self.text, field).unwrap_or(1),
            field: field.to_owned(),
            message: message.into(),
        }
    }
}

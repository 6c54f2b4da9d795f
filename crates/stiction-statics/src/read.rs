//! Reads assemblies from files.
//!
//! | file | format | what it lacks |
//! | --- | --- | --- |
//! | JSON with `"format": "assembly-1"` | our own (`docs/assemblies.md`) | |
//! | JSON with a `dtype` of COMPAS 2 | an `Assembly` or a `BlockModel` of the COMPAS framework | friction |
//! | `.obj` | one block per object or group | friction, density, supports |
//! | `.csv`, and JSON that is a list | boxes: name, size, position, mass | friction |
//!
//! [`of_scene`] makes one of a scene of the simulator.
//!
//! [`Options`] supplies what a file lacks. Nothing is assumed in silence: [`Assembly::assumptions`]
//! lists every default that was taken.

mod assembly1;
mod boxes;
mod compas;
mod draft;
mod obj;
mod scene;
mod units;

use crate::Assembly;
use glam::DVec3;
use std::path::Path;
pub use stiction_contact::file::FileError;
use stiction_contact::file::{line_of, read_text};

/// What the user adds to a file or overrides in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Largest distance between faces that touch (m); if given, interfaces are detected even if the file
    /// lists them.
    pub gap: Option<f64>,
    /// Smallest area of an interface (m²).
    pub area: Option<f64>,
    /// Largest angle between faces that touch (rad).
    pub angle: Option<f64>,
    /// The coefficient of friction of all pairs; overrides that of the file.
    pub friction: Option<f64>,
    /// Density of blocks of which the file gives neither mass nor density (kg/m³).
    pub density: Option<f64>,
    /// Gravity; overrides that of the file (m/s²).
    pub gravity: Option<DVec3>,
    /// Unit of length of the file in metres, for formats that do not name one; 1 if missing.
    pub unit: Option<f64>,
    /// Names of blocks that are supports, besides those of the file.
    pub fixed: Vec<String>,
}

/// Reads an assembly.
///
/// # Errors
///
/// [`FileError`] with file, line, field and value.
pub fn open(path: &Path, options: &Options) -> Result<Assembly, FileError> {
    parse(&read_text(path)?, &path.display().to_string(), options)
}

/// Parses an assembly from a text that was read from `file`, whose ending separates OBJ and CSV from JSON.
///
/// # Errors
///
/// As [`open`].
pub fn parse(text: &str, file: &str, options: &Options) -> Result<Assembly, FileError> {
    let source = Source { text, file };
    let ending = Path::new(file).extension().and_then(|it| it.to_str()).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "obj" => obj::parse(source, options),
        "csv" => boxes::parse_csv(source, options),
        _ if text.trim_start().starts_with('[') => boxes::parse_json(source, options),
        _ if compas::is_compas(text) => compas::parse(source, options),
        _ => assembly1::parse(source, options),
    }
}

pub use compas::with_forces;
pub use scene::{SceneFault, of_scene};
pub use units::length;

/// A text and the file from which it was read, for messages.
#[derive(Clone, Copy)]
struct Source<'a> {
    text: &'a str,
    file: &'a str,
}

impl Source<'_> {
    /// A fault in the value at a path such as `blocks[2].density` of a JSON text.
    fn fault(&self, field: &str, message: impl Into<String>) -> FileError {
        // A field that is missing is looked for in what should hold it.
        let mut place = field;
        let line = loop {
            if let Some(line) = line_of(self.text, place) {
                break line;
            }
            let Some(end) = place.rfind(['.', '[']) else { break 1 };
            place = &place[..end];
        };
        self.fault_at(line, field, message)
    }

    /// A fault in a line.
    fn fault_at(&self, line: usize, field: &str, message: impl Into<String>) -> FileError {
        FileError::Value {
            file: self.file.to_owned(),
            line,
            field: field.to_owned(),
            message: message.into(),
        }
    }
}

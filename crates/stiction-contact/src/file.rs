//! Problem files: JSON, format `contact-1`. The crate `stiction-formats` reads the files of
//! other projects (FCLIB, Siconos, ContactBench).
//!
//! One file holds one configuration and a list of loads. Each load makes one problem: its
//! wrench is added to that of its body. `docs/contact-1.md` describes every field.
//!
//! # Where to start reading
//!
//! [`ProblemFile::parse`] reads a text, [`ProblemFile::problem`] builds a problem from it.

mod answer;
mod build;
mod locate;
mod write;

pub use answer::{parse_answer, read_answer};
pub use locate::line as line_of;

use crate::problem::Level;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The only supported format.
pub const FORMAT: &str = "contact-1";

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
pub enum FileError {
    /// The file cannot be opened.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// Not JSON, or JSON of another structure.
    #[error("{file}:{line}:{column}: {field}: {message}")]
    Syntax { file: String, line: usize, column: usize, field: String, message: String },
    /// An invalid value.
    #[error("{file}:{line}: {field}: {message}")]
    Value { file: String, line: usize, field: String, message: String },
    /// An invalid part of a binary file.
    #[error("{file}: {dataset}: {message}")]
    Dataset { file: String, dataset: String, message: String },
    /// A load that does not exist.
    #[error("{file}: load {load} requested, but there are {count}")]
    NoSuchLoad { file: String, load: usize, count: usize },
}

/// A configuration and its loads, as given in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemFile {
    format: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    family: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(default = "velocity")]
    level: Level,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    h: Option<f64>,
    #[serde(default = "round")]
    d: u32,
    bodies: Vec<FileBody>,
    contacts: Vec<FileContact>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bilateral: Vec<FileRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bounded: Vec<FileRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    loads: Vec<Load>,
    /// The text the file was read from, to report line numbers.
    #[serde(skip)]
    origin: Origin,
}

#[derive(Clone, Debug, Default)]
struct Origin {
    file: String,
    text: String,
}

/// Two files are equal if their contents are, regardless of where they were read from.
impl PartialEq for Origin {
    fn eq(&self, _other: &Origin) -> bool {
        true
    }
}

fn velocity() -> Level {
    Level::Velocity
}

fn round() -> u32 {
    8
}

/// A body, either by mass and inertia or by its inverse inertia.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileBody {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mass: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inertia: Option<[[f64; 3]; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inverse_inertia: Option<[[f64; 6]; 6]>,
    position: [f64; 3],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    velocity: Option<[f64; 6]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wrench: Option<[f64; 6]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    free_response: Option<[f64; 6]>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    fixed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FileLaw {
    Frictionless,
    Static,
    Sliding,
    Coulomb,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileContact {
    a: usize,
    /// −1 is the fixed world.
    b: i64,
    point: [f64; 3],
    normal: [f64; 3],
    #[serde(default)]
    mu: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mu_dynamic: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    law: Option<FileLaw>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    direction: Option<[f64; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tangent: Option<[f64; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bias: Option<[f64; 3]>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRow {
    a: usize,
    b: i64,
    on_a: [f64; 6],
    #[serde(default)]
    on_b: [f64; 6],
    #[serde(default)]
    bias: f64,
    /// Missing means unbounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lower: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    upper: Option<f64>,
}

/// A wrench on one body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Load {
    body: usize,
    wrench: [f64; 6],
}

/// Reads a file as text.
///
/// # Errors
///
/// [`FileError::Io`].
pub fn read_text(path: &Path) -> Result<String, FileError> {
    std::fs::read_to_string(path).map_err(|source| FileError::Io { path: path.to_owned(), source })
}

/// Parses JSON that was read from `file`.
///
/// # Errors
///
/// [`FileError::Syntax`] with line, column and field; a misspelt field gets a suggestion.
pub fn parse_json<T: serde::de::DeserializeOwned>(text: &str, file: &str) -> Result<T, FileError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let syntax = |field: String, error: &serde_json::Error| {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(m, _)| m);
        FileError::Syntax {
            file: file.to_owned(),
            line: error.line(),
            column: error.column(),
            field,
            message: format!("{message}{}", crate::names::suggestion(message)),
        }
    };
    let read = serde_path_to_error::deserialize(&mut json)
        .map_err(|error| syntax(error.path().to_string(), error.inner()))?;
    json.end().map_err(|error| syntax("end of file".into(), &error))?;
    Ok(read)
}

impl ProblemFile {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`FileError`] with file, line, field and value.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let text = read_text(path)?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Parses a text that was read from `file`.
    ///
    /// # Errors
    ///
    /// [`FileError`] with file, line, field and value.
    pub fn parse(text: &str, file: &str) -> Result<Self, FileError> {
        let mut read: ProblemFile = parse_json(text, file)?;
        read.origin = Origin { file: file.to_owned(), text: text.to_owned() };
        if read.format != FORMAT {
            let message = format!("is \"{}\", but only \"{FORMAT}\" is supported", read.format);
            return Err(read.fault("format", message));
        }
        Ok(read)
    }

    /// The same file with these velocities, one per body.
    #[must_use]
    pub fn with_velocities(mut self, velocities: &[[f64; 6]]) -> Self {
        for (body, &velocity) in self.bodies.iter_mut().zip(velocities) {
            body.velocity = Some(velocity);
        }
        self
    }

    /// The same file with these names, one per body.
    #[must_use]
    pub fn with_names<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        for (body, name) in self.bodies.iter_mut().zip(names) {
            body.name = Some(name.to_owned());
        }
        self
    }

    /// Current `[linear; angular]` velocity of each body, if the file gives any.
    pub fn velocities(&self) -> Option<Vec<[f64; 6]>> {
        let given = self.bodies.iter().any(|body| body.velocity.is_some());
        given.then(|| self.bodies.iter().map(|body| body.velocity.unwrap_or_default()).collect())
    }

    /// The file as text.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The name given in the file.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The family given in the file.
    pub fn family(&self) -> Option<&str> {
        self.family.as_deref()
    }

    /// Number of contacts of each problem.
    pub fn contact_count(&self) -> usize {
        self.contacts.len()
    }

    /// Sides of the friction pyramids for methods that use them, if given.
    pub fn directions(&self) -> Option<usize> {
        (self.d > 0).then_some(self.d as usize)
    }

    /// Whether no contact of the file has friction.
    pub fn is_frictionless(&self) -> bool {
        let smooth = |c: &FileContact| match c.law {
            Some(law) => law == FileLaw::Frictionless || c.mu == 0.0,
            None => self.d == 0 || c.mu == 0.0,
        };
        self.contacts.iter().all(smooth)
    }

    /// Number of problems in the file: one per load, at least one.
    pub fn len(&self) -> usize {
        self.loads.len().max(1)
    }

    /// Always false: a file holds at least one problem.
    pub fn is_empty(&self) -> bool {
        false
    }

    fn fault(&self, field: &str, message: String) -> FileError {
        let line = locate::line(&self.origin.text, field).unwrap_or(1);
        FileError::Value { file: self.origin.file.clone(), line, field: field.to_owned(), message }
    }
}

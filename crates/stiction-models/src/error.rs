//! Why a model cannot be read, and what of it is ignored.

use std::fmt;
use std::path::PathBuf;
use std::rc::Rc;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as messages call it.
    pub file: Rc<str>,
    /// Line number, from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Why a model cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file cannot be opened.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Not XML, or more of it than is read.
    #[error("{place}: {message}")]
    Syntax {
        /// Where.
        place: Place,
        /// What is wrong.
        message: String,
    },
    /// An element or attribute that makes no sense, or that changes the model and is not read.
    #[error("{place}: {field}: {message}")]
    Value {
        /// Where.
        place: Place,
        /// Element and attribute.
        field: String,
        /// What is wrong with it.
        message: String,
    },
}

/// Something of a file that the model does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// Element or attribute, such as `<camera>` or `geom.rgba`.
    pub what: String,
    /// Why, where it is not plain.
    pub why: &'static str,
    /// Every place, in the order of the files.
    pub places: Vec<Place>,
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Places that are listed.
        const LISTED: usize = 4;
        write!(f, "{}", self.what)?;
        if let Some(Place { file, .. }) = self.places.first() {
            let lines: Vec<String> =
                self.places.iter().take(LISTED).map(|place| place.line.to_string()).collect();
            let s = if self.places.len() == 1 { "" } else { "s" };
            write!(f, " ({file}, line{s} {}", lines.join(", "))?;
            match self.places.len().saturating_sub(LISTED) {
                0 => f.write_str(")")?,
                more => write!(f, " and {more} more)")?,
            }
        }
        if self.why.is_empty() { Ok(()) } else { write!(f, ": {}", self.why) }
    }
}

/// What was met and is ignored, gathered by what and why.
#[derive(Debug, Default)]
pub(crate) struct Notes(Vec<Ignored>);

impl Notes {
    pub(crate) fn add(&mut self, what: impl Into<String>, why: &'static str, place: &Place) {
        let what = what.into();
        match self.0.iter_mut().find(|it| it.what == what && it.why == why) {
            Some(known) => known.places.push(place.clone()),
            None => self.0.push(Ignored { what, why, places: vec![place.clone()] }),
        }
    }

    pub(crate) fn finish(self) -> Vec<Ignored> {
        self.0
    }
}

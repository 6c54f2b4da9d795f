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
mod locate;

pub use answer::{parse_answer, read_answer};

use crate::problem::{
    Body, BoundedRow, Contact, ContactProblem, Friction, Inertia, Level, Place, ProblemError, Row,
    Tangents,
};
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

impl ProblemFile {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`FileError`] with file, line, field and value.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| FileError::Io { path: path.to_owned(), source })?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Parses a text that was read from `file`.
    ///
    /// # Errors
    ///
    /// [`FileError`] with file, line, field and value.
    pub fn parse(text: &str, file: &str) -> Result<Self, FileError> {
        let mut json = serde_json::Deserializer::from_str(text);
        let syntax = |field: String, error: &serde_json::Error| {
            let message = error.to_string();
            let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(m, _)| m);
            FileError::Syntax {
                file: file.to_owned(),
                line: error.line(),
                column: error.column(),
                field,
                message: message.to_owned(),
            }
        };
        let mut read: ProblemFile = serde_path_to_error::deserialize(&mut json)
            .map_err(|error| syntax(error.path().to_string(), error.inner()))?;
        json.end().map_err(|error| syntax("end of file".into(), &error))?;
        read.origin = Origin { file: file.to_owned(), text: text.to_owned() };
        if read.format != FORMAT {
            let message = format!("is \"{}\", but only \"{FORMAT}\" is supported", read.format);
            return Err(read.fault("format", message));
        }
        Ok(read)
    }

    /// Writes a problem as a file without loads.
    pub fn from_problem(problem: &ContactProblem, name: &str) -> Self {
        let other = |b: Option<usize>| b.map_or(-1, |b| i64::try_from(b).unwrap_or(-1));
        let contact = |c: &Contact| {
            let (law, mu, mu_dynamic, direction) = match c.friction {
                Friction::Frictionless => (FileLaw::Frictionless, 0.0, None, None),
                Friction::Static { friction } => (FileLaw::Static, friction, None, None),
                Friction::Sliding { friction, direction } => {
                    (FileLaw::Sliding, friction, None, Some(direction))
                }
                Friction::Coulomb { static_friction, dynamic_friction } => {
                    let other = (dynamic_friction != static_friction).then_some(dynamic_friction);
                    (FileLaw::Coulomb, static_friction, other, None)
                }
            };
            FileContact {
                a: c.a,
                b: other(c.b),
                point: c.point,
                normal: c.normal,
                mu,
                mu_dynamic,
                law: Some(law),
                direction,
                tangent: match c.tangents {
                    Tangents::Plane => None,
                    Tangents::Line(tangent) => Some(tangent),
                },
                bias: (c.bias != [0.0; 3]).then_some(c.bias),
            }
        };
        let row = |r: &Row, lower: f64, upper: f64| FileRow {
            a: r.a,
            b: other(r.b),
            on_a: r.on_a,
            on_b: r.on_b,
            bias: r.bias,
            lower: lower.is_finite().then_some(lower),
            upper: upper.is_finite().then_some(upper),
        };
        let body = |b: &Body| {
            let mut written = FileBody {
                position: b.position,
                free_response: Some(b.free_response),
                ..FileBody::default()
            };
            match b.inertia {
                Inertia::Fixed => written.fixed = true,
                Inertia::Inverse(inverse) => written.inverse_inertia = Some(inverse),
                Inertia::Rigid { mass, inertia } => {
                    (written.mass, written.inertia) = (Some(mass), Some(inertia));
                }
            }
            written
        };
        let infinity = f64::INFINITY;
        ProblemFile {
            format: FORMAT.into(),
            family: None,
            name: Some(name.into()),
            seed: None,
            level: problem.level(),
            h: None,
            d: round(),
            bodies: problem.bodies().iter().map(body).collect(),
            contacts: problem.contacts().iter().map(contact).collect(),
            bilateral: problem.bilateral().iter().map(|r| row(r, infinity, infinity)).collect(),
            bounded: problem.bounded().iter().map(|r| row(&r.row, r.lower, r.upper)).collect(),
            loads: Vec::new(),
            origin: Origin::default(),
        }
    }

    /// The same file with these velocities, one per body.
    #[must_use]
    pub fn with_velocities(mut self, velocities: &[[f64; 6]]) -> Self {
        for (body, &velocity) in self.bodies.iter_mut().zip(velocities) {
            body.velocity = Some(velocity);
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

    /// The problem under load `load`.
    ///
    /// # Errors
    ///
    /// [`FileError`] with the line of an invalid value.
    pub fn problem(&self, load: usize) -> Result<ContactProblem, FileError> {
        if load >= self.len() {
            let (file, count) = (self.origin.file.clone(), self.len());
            return Err(FileError::NoSuchLoad { file, load, count });
        }
        let added = self.loads.get(load);
        if let Some(load_entry) = added {
            let field = format!("loads[{load}].body");
            if load_entry.body >= self.bodies.len() {
                let message =
                    format!("is {}, but there are {} bodies", load_entry.body, self.bodies.len());
                return Err(self.fault(&field, message));
            }
        }
        let bodies = (0..self.bodies.len())
            .map(|i| self.body(i, added.filter(|l| l.body == i).map(|l| &l.wrench)))
            .collect::<Result<Vec<_>, _>>()?;
        let contacts =
            (0..self.contacts.len()).map(|i| self.contact(i)).collect::<Result<Vec<_>, _>>()?;
        let row = |list: &str, i: usize, r: &FileRow| {
            Ok(Row {
                a: r.a,
                on_a: r.on_a,
                b: self.other(&format!("{list}[{i}].b"), r.b)?,
                on_b: r.on_b,
                bias: r.bias,
            })
        };
        let bilateral = self.bilateral.iter().enumerate();
        let bilateral = bilateral
            .map(|(i, r)| row("bilateral", i, r))
            .collect::<Result<Vec<_>, FileError>>()?;
        let bounded = self.bounded.iter().enumerate();
        let bounded = bounded
            .map(|(i, r)| {
                Ok(BoundedRow {
                    row: row("bounded", i, r)?,
                    lower: r.lower.unwrap_or(f64::NEG_INFINITY),
                    upper: r.upper.unwrap_or(f64::INFINITY),
                })
            })
            .collect::<Result<Vec<_>, FileError>>()?;
        ContactProblem::new(self.level, bodies, contacts, bilateral, bounded)
            .map_err(|error| self.problem_fault(&error))
    }

    /// A body with the wrench of the load added, at the file's level:
    ///
    /// ```text
    ///   acceleration, first-order   free = M⁻¹ wrench
    ///   velocity                    free = velocity + h M⁻¹ wrench
    ///   impact                      free = velocity + M⁻¹ wrench
    /// ```
    fn body(&self, i: usize, added: Option<&[f64; 6]>) -> Result<Body, FileError> {
        let given = &self.bodies[i];
        let field = |name: &str| format!("bodies[{i}].{name}");
        let mut body = match (given.fixed, given.inverse_inertia, given.mass, given.inertia) {
            (true, ..) => Body::fixed(given.position),
            (_, Some(inverse), None, None) => Body::with_inverse_inertia(inverse, given.position),
            (_, None, Some(mass), Some(inertia)) => Body::rigid(mass, inertia, given.position),
            _ => {
                let message = "needs mass and inertia, or inverse_inertia, or \"fixed\": true";
                return Err(self.fault(&format!("bodies[{i}]"), message.into()));
            }
        };
        let step = match self.level {
            Level::Velocity => match self.h {
                Some(h) if h > 0.0 && h.is_finite() => h,
                Some(h) => return Err(self.fault("h", format!("is {h}, must be positive"))),
                None if given.wrench.is_none() && added.is_none() => 0.0,
                None => return Err(self.fault("h", "is needed at velocity level".into())),
            },
            _ => 1.0,
        };
        let moves = matches!(self.level, Level::Velocity | Level::Impact);
        let wrench = given.wrench.unwrap_or_default();
        let added = added.copied().unwrap_or_default();
        let start = given.velocity.filter(|_| moves).unwrap_or_default();
        let pushed = body.inertia.response(&std::array::from_fn(|k| wrench[k] + added[k]));
        body.free_response = std::array::from_fn(|row| start[row] + step * pushed[row]);
        if let Some(free) = given.free_response {
            if given.wrench.is_some() || moves && given.velocity.is_some() {
                let message =
                    if moves { "excludes velocity and wrench" } else { "excludes wrench" };
                let message = message.into();
                return Err(self.fault(&field("free_response"), message));
            }
            body.free_response = std::array::from_fn(|k| body.free_response[k] + free[k]);
        }
        Ok(body)
    }

    fn contact(&self, i: usize) -> Result<Contact, FileError> {
        let given = &self.contacts[i];
        let field = |name: &str| format!("contacts[{i}].{name}");
        let law = given.law.unwrap_or(match self.level {
            _ if self.d == 0 => FileLaw::Frictionless,
            Level::Acceleration | Level::FirstOrder => FileLaw::Static,
            Level::Velocity | Level::Impact => FileLaw::Coulomb,
        });
        let friction = match law {
            FileLaw::Frictionless => Friction::Frictionless,
            FileLaw::Static => Friction::Static { friction: given.mu },
            FileLaw::Sliding => Friction::Sliding {
                friction: given.mu,
                direction: given.direction.ok_or_else(|| {
                    self.fault(
                        &format!("contacts[{i}]"),
                        "a sliding contact needs a direction".into(),
                    )
                })?,
            },
            FileLaw::Coulomb => Friction::Coulomb {
                static_friction: given.mu,
                dynamic_friction: given.mu_dynamic.unwrap_or(given.mu),
            },
        };
        Ok(Contact {
            a: given.a,
            b: self.other(&field("b"), given.b)?,
            point: given.point,
            normal: given.normal,
            friction,
            tangents: given.tangent.map_or(Tangents::Plane, Tangents::Line),
            bias: given.bias.unwrap_or_default(),
        })
    }

    fn other(&self, field: &str, b: i64) -> Result<Option<usize>, FileError> {
        match usize::try_from(b) {
            Ok(b) => Ok(Some(b)),
            Err(_) if b == -1 => Ok(None),
            Err(_) => Err(self.fault(field, format!("is {b}, must be a body or -1 for the world"))),
        }
    }

    fn problem_fault(&self, error: &ProblemError) -> FileError {
        let path = match error.place() {
            Place::Body(i) => format!("bodies[{i}]"),
            Place::Contact(i) => format!("contacts[{i}]"),
            Place::Bilateral(i) => format!("bilateral[{i}]"),
            Place::Bounded(i) => format!("bounded[{i}]"),
        };
        let name = match error.field() {
            Some("friction" | "static_friction") => "mu",
            Some("dynamic_friction") => "mu_dynamic",
            Some(field) => field,
            None => "",
        };
        let full = format!("{path}.{name}");
        let message = error.to_string();
        let message = message.split_once(": ").map_or(message.as_str(), |(_, rest)| rest);
        // A field that the file does not contain is reported at the line of the object it
        // belongs to.
        let found = locate::line(&self.origin.text, &full).is_some();
        self.fault(if found { &full } else { &path }, message.to_owned())
    }

    fn fault(&self, field: &str, message: String) -> FileError {
        let line = locate::line(&self.origin.text, field).unwrap_or(1);
        FileError::Value { file: self.origin.file.clone(), line, field: field.to_owned(), message }
    }
}

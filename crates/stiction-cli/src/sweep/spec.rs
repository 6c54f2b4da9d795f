//! What is varied: a specification as TOML, and the cases that it makes.

use super::parts::Row;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use stiction::scene::Assignment;

/// Most cases of a sweep.
const MOST_CASES: usize = 10_000_000;

/// The file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// A scene that is run.
    scene: Option<PathBuf>,
    /// A scene or assembly; the question is whether it stands.
    model: Option<PathBuf>,
    out: Option<PathBuf>,
    /// Bodies whose last position and motion are columns.
    #[serde(default)]
    bodies: Vec<String>,
    /// `load`, `friction`: margins of a model.
    #[serde(default)]
    margins: Vec<MarginName>,
    /// Directions of tilt of a model (degrees from x towards y).
    #[serde(default)]
    tilt: Vec<f64>,
    /// Values of every case.
    #[serde(default)]
    set: toml::Table,
    /// A grid, the last fastest.
    #[serde(default)]
    vary: Vec<Vary>,
    /// Cases one by one.
    #[serde(default)]
    case: Vec<toml::Table>,
    #[serde(skip)]
    file: PathBuf,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum MarginName {
    Load,
    Friction,
}

/// One parameter of a grid.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vary {
    path: String,
    /// The column; the path if missing.
    name: Option<String>,
    values: Option<Vec<toml::Value>>,
    from: Option<f64>,
    to: Option<f64>,
    count: Option<usize>,
}

/// What is run, and its cases.
pub struct Plan {
    pub subject: Subject,
    pub out: PathBuf,
    pub bodies: Vec<String>,
    pub margins: Vec<MarginName>,
    pub tilt: Vec<f64>,
    pub cases: Vec<Case>,
}

pub enum Subject {
    Scene(PathBuf),
    Model(PathBuf),
}

/// Values that are set, and what the row says of them.
pub struct Case {
    pub set: Vec<Assignment>,
    pub given: Row,
}

/// A value of a case: its column, its path, the value.
type Setting = (String, String, toml::Value);

/// A parameter: its column, its path, its values.
type Parameter = (String, String, Vec<toml::Value>);

impl Spec {
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        let spec: Result<Spec, toml::de::Error> = toml::from_str(&text);
        let spec = spec.map_err(|error| {
            let before = error.span().map_or("", |span| &text[..span.start.min(text.len())]);
            let line = 1 + before.matches('\n').count();
            format!("{}:{line}: {}", path.display(), error.message().replace('\n', "; "))
        })?;
        Ok(Spec { file: path.to_owned(), ..spec })
    }

    /// The cases, with values that the command line sets in all of them.
    pub fn plan(self, more: &[Assignment]) -> Result<Plan, String> {
        let fault = |what: &str| format!("{}: {what}", self.file.display());
        let beside = |path: &PathBuf| self.file.parent().unwrap_or(Path::new("")).join(path);
        let subject = match (&self.scene, &self.model) {
            (Some(scene), None) => Subject::Scene(beside(scene)),
            (None, Some(model)) => Subject::Model(beside(model)),
            _ => return Err(fault("needs either scene or model")),
        };
        let of_model = !self.margins.is_empty() || !self.tilt.is_empty();
        match subject {
            Subject::Scene(_) if of_model => return Err(fault("margins and tilt need a model")),
            Subject::Model(_) if !self.bodies.is_empty() => {
                return Err(fault("bodies needs a scene"));
            }
            _ => {}
        }
        let mut fixed = Vec::new();
        for (path, value) in &self.set {
            fixed.push(assignment(path, value).map_err(|why| fault(&why))?);
        }
        fixed.extend(more.iter().cloned());
        let rows = self.rows().map_err(|why| fault(&why))?;
        let case = |row: Vec<Setting>| -> Result<Case, String> {
            let mut case = Case { set: fixed.clone(), given: Row::default() };
            for (name, path, value) in row {
                case.set.push(assignment(&path, &value).map_err(|why| fault(&why))?);
                case.given.push(&name, serde_json::to_value(&value).unwrap_or(Value::Null));
            }
            Ok(case)
        };
        let cases = rows.into_iter().map(case).collect::<Result<Vec<_>, String>>()?;
        let out = self.out.as_ref().map_or_else(|| self.file.with_extension("parquet"), beside);
        let Spec { bodies, margins, tilt, .. } = self;
        Ok(Plan { subject, out, bodies, margins, tilt, cases })
    }

    /// Column, path and value of every parameter of every case.
    fn rows(&self) -> Result<Vec<Vec<Setting>>, String> {
        if self.vary.is_empty() == self.case.is_empty() {
            return Err("needs either [[vary]] or [[case]]".into());
        }
        let of_table = |table: &toml::Table| -> Vec<Setting> {
            table.iter().map(|(path, value)| (path.clone(), path.clone(), value.clone())).collect()
        };
        if self.vary.is_empty() {
            return Ok(self.case.iter().map(of_table).collect());
        }
        let parameters = self.vary.iter().map(Vary::parameter).collect::<Result<Vec<_>, _>>()?;
        let count = parameters
            .iter()
            .try_fold(1_usize, |count, (.., values)| count.checked_mul(values.len()));
        let count = count.filter(|count| *count <= MOST_CASES);
        let count = count.ok_or_else(|| format!("more than {MOST_CASES} cases"))?;
        let row = |k: usize| {
            let mut rest = k;
            let pick = |(name, path, values): &Parameter| {
                let value = values[rest % values.len()].clone();
                rest /= values.len();
                (name.clone(), path.clone(), value)
            };
            let mut row: Vec<_> = parameters.iter().rev().map(pick).collect();
            row.reverse();
            row
        };
        Ok((0..count).map(row).collect())
    }
}

impl Vary {
    fn parameter(&self) -> Result<Parameter, String> {
        let fault = |what: &str| format!("vary {:?}: {what}", self.path);
        let values = match (&self.values, self.from, self.to, self.count) {
            (Some(values), None, None, None) if !values.is_empty() => values.clone(),
            (None, Some(from), Some(to), Some(count)) if count >= 2 => {
                let part = |k: usize| k as f64 / (count - 1) as f64;
                let value = |k| toml::Value::Float(from * (1.0 - part(k)) + to * part(k));
                (0..count).map(value).collect()
            }
            _ => return Err(fault("needs values, or from, to and a count of at least 2")),
        };
        let name = self.name.clone().unwrap_or_else(|| self.path.clone());
        Ok((name, self.path.clone(), values))
    }
}

fn assignment(path: &str, value: &toml::Value) -> Result<Assignment, String> {
    format!("{path}={value}").parse::<Assignment>().map_err(|error| error.to_string())
}

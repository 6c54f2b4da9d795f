//! The model of a command of statics, and how to read it.

use glam::DVec3;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use stiction::recording::Origin;
use stiction::scene::{Assignment, assign};
use stiction_contact::file::{FileError, read_text};
use stiction_statics::read::{self, Options};
use stiction_statics::{Assembly, Load};

/// A model and how to read it.
#[derive(clap::Args)]
pub(crate) struct Model {
    /// An assembly, a COMPAS file, OBJ groups, a list of boxes (CSV, JSON) or a scene (TOML, MJCF, URDF)
    #[arg(value_name = "MODEL")]
    pub file: PathBuf,
    /// Largest gap between faces that touch, in metres; detects the interfaces again
    #[arg(long, value_name = "METRES")]
    pub tolerance: Option<f64>,
    /// Coefficient of friction of all pairs
    #[arg(long, value_name = "COEFFICIENT")]
    mu: Option<f64>,
    /// Density of blocks for which the file gives none (kg/m³)
    #[arg(long)]
    density: Option<f64>,
    /// Unit of length of the file: m, dm, cm, mm, in, ft
    #[arg(long, value_parser = read::length)]
    unit: Option<f64>,
    /// Name of a block that is a support; repeatable
    #[arg(long, value_name = "BLOCK")]
    fix: Vec<String>,
    /// A live load instead of that of the file: a force at the centre of a block (N), as BLOCK=x,y,z; repeatable
    #[arg(long, value_name = "BLOCK=X,Y,Z", value_parser = push, allow_hyphen_values = true)]
    push: Vec<(String, DVec3)>,
    /// Gravity (m/s²), as x,y,z
    #[arg(long, value_name = "X,Y,Z", value_parser = vector, allow_hyphen_values = true)]
    gravity: Option<DVec3>,
    #[command(flatten)]
    set: crate::SetFlags,
}

impl Model {
    /// A file of which some values are set.
    pub fn of(file: &Path, set: Vec<Assignment>) -> Self {
        Model {
            file: file.to_owned(),
            tolerance: None,
            mu: None,
            density: None,
            unit: None,
            fix: Vec::new(),
            gravity: None,
            push: Vec::new(),
            set: crate::SetFlags { set },
        }
    }

    /// Reads the model; `gap` counts if no tolerance is given.
    pub fn read(&self, gap: Option<f64>) -> Result<Assembly, String> {
        let options = Options {
            gap: self.tolerance.or(gap),
            friction: self.mu,
            density: self.density,
            unit: self.unit,
            fixed: self.fix.clone(),
            gravity: self.gravity,
            ..Options::default()
        };
        let is_scene =
            |ending: &OsStr| ["toml", "xml", "mjcf", "urdf"].iter().any(|it| ending == *it);
        if self.file.extension().is_some_and(is_scene) {
            let mut origin = Origin::read(&self.file).map_err(|error| error.to_string())?;
            let set = assign(&origin.text, &self.set.set);
            origin.text = set.map_err(|error| format!("--set {error}"))?;
            let scene = origin.scene().map_err(|error| error.to_string())?;
            crate::input::say_ignored(&scene);
            let name = self.file.display().to_string();
            let mut assembly =
                read::of_scene(&scene, &name, &options).map_err(|error| error.to_string())?;
            self.push(&mut assembly)?;
            return Ok(assembly);
        }
        let mut assembly = self.open(&options)?;
        self.push(&mut assembly)?;
        if assembly.knobs.is_empty() {
            return Ok(assembly);
        }
        let (file, count) = (self.file.display(), assembly.knobs.len());
        Err(format!("{file}: knobs: there are {count}, and joints that pull are not solved yet"))
    }

    /// The live load that the command gives instead of that of the file.
    fn push(&self, assembly: &mut Assembly) -> Result<(), String> {
        let load = |(name, force): &(String, DVec3)| {
            let block =
                assembly.blocks.iter().position(|block| block.name == *name && !block.fixed);
            let block = block.ok_or_else(|| {
                format!("--push: {} has no free block \"{name}\"", self.file.display())
            })?;
            Ok(Load { block, force: *force, torque: DVec3::ZERO })
        };
        let loads = self.push.iter().map(load).collect::<Result<Vec<_>, String>>()?;
        if !loads.is_empty() {
            assembly.load = loads;
        }
        Ok(())
    }

    /// Reads a file that is no scene; values are set in files in JSON.
    fn open(&self, options: &Options) -> Result<Assembly, String> {
        let words = |error: FileError| error.to_string();
        if self.set.set.is_empty() {
            return read::open(&self.file, options).map_err(words);
        }
        let (text, file) = (read_text(&self.file).map_err(words)?, self.file.display());
        let Ok(mut value) = serde_json::from_str(&text) else {
            return Err(format!("{file}: --set changes scenes and JSON"));
        };
        for one in &self.set.set {
            set_json(&mut value, one).map_err(|why| format!("--set {why}"))?;
        }
        read::parse(&format!("{value:#}"), &format!("with --set, {file}"), options).map_err(words)
    }

    /// The unit of length of the file (m).
    pub fn unit(&self) -> f64 {
        self.unit.unwrap_or(1.0)
    }
}

fn push(text: &str) -> Result<(String, DVec3), String> {
    let (name, force) = text.split_once('=').ok_or("needs a block and a force, as BLOCK=x,y,z")?;
    Ok((name.to_owned(), vector(force)?))
}

fn vector(text: &str) -> Result<DVec3, String> {
    let parts: Vec<Option<f64>> = text
        .split(',')
        .map(|part| part.trim().parse().ok().filter(|x: &f64| x.is_finite()))
        .collect();
    match parts[..] {
        [Some(x), Some(y), Some(z)] => Ok(DVec3::new(x, y, z)),
        _ => Err("needs three numbers with commas between them".into()),
    }
}

/// Sets a value of a JSON text; entries of lists are called by their names or numbers.
fn set_json(value: &mut Value, assignment: &Assignment) -> Result<(), String> {
    let path = assignment.path();
    let fault = |what: String| format!("{}: {what}", path.join("."));
    let place = place_of(value, path).map_err(fault)?;
    *place = assignment.json().ok_or_else(|| fault("is no JSON value".into()))?;
    Ok(())
}

/// The value at the end of a path; the last key may be missing.
fn place_of<'a>(value: &'a mut Value, path: &[String]) -> Result<&'a mut Value, String> {
    let Some((key, rest)) = path.split_first() else { return Ok(value) };
    let missing = || format!("there is no {key:?}");
    match value {
        Value::Object(entries) if rest.is_empty() || entries.contains_key(key) => {
            place_of(entries.entry(key).or_insert(Value::Null), rest)
        }
        Value::Array(items) => {
            let named = items.iter().position(|item| item["name"] == key.as_str());
            let number = named.or_else(|| key.parse().ok()).ok_or_else(missing)?;
            place_of(items.get_mut(number).ok_or_else(missing)?, rest)
        }
        _ => Err(missing()),
    }
}

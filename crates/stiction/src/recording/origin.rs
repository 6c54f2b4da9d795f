//! What a recording is of: the text of its scene and how that was run.

use super::machine;
use crate::motion::{Bounds, LawName};
use crate::scene::{Permissions, Run, Scene, SceneError, StepperKind, read_text};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stiction_solvers::Parameters;
use stiction_solvers::all::Choice;

/// The text of a scene and where it is from.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// What messages call it: the path as the user gave it, or words for a built-in scene.
    pub name: String,
    /// Where files of meshes are sought.
    pub folder: Option<PathBuf>,
    /// The text, TOML.
    pub text: String,
    /// Whether files of meshes may be outside the folder.
    pub files_anywhere: bool,
}

impl Origin {
    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// [`SceneError::Io`] if it cannot be read.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        let fault = |source| SceneError::Io { path: path.to_owned(), source };
        let text = read_text(path)?;
        let whole = std::path::absolute(path).map_err(fault)?;
        let folder = whole.parent().map(Path::to_owned);
        let name = path.display().to_string();
        Ok(Origin { name, folder, text, files_anywhere: false })
    }

    /// A text without a file.
    pub fn built_in(name: &str, text: &str) -> Self {
        let (name, text) = (name.to_owned(), text.to_owned());
        Origin { name, folder: None, text, files_anywhere: false }
    }

    /// The scene, run as it says itself.
    ///
    /// # Errors
    ///
    /// [`SceneError`] with file, line, key and value.
    pub fn scene(&self) -> Result<Scene, SceneError> {
        self.scene_with(false)
    }

    /// The scene, run as it says itself; with `overlap` its bodies may overlap at the start.
    ///
    /// # Errors
    ///
    /// [`SceneError`] with file, line, key and value.
    pub fn scene_with(&self, overlap: bool) -> Result<Scene, SceneError> {
        let permitted = Permissions { files_anywhere: self.files_anywhere, overlap };
        Scene::parse_with(&self.text, &self.name, self.folder.as_deref(), permitted)
    }

    /// The head of a recording: this, how it is run, and the description of the scene.
    pub(super) fn head(&self, scene: &Scene) -> Value {
        let Run { until, dt, stepper, solver, bounds } = &scene.run;
        let (stepper, name, parameters) = (stepper.name(), solver.name(), solver.parameters());
        let bounds: BTreeMap<&str, f64> = bounds.given().map(|(law, b)| (law.name(), b)).collect();
        json!({
            "scene": {
                "name": self.name, "folder": self.folder, "text": self.text,
                "files_anywhere": self.files_anywhere,
            },
            "run": {
                "until": until, "dt": dt, "stepper": stepper, "solver": name,
                "parameters": parameters, "bounds": bounds,
            },
            "machine": machine(),
            "description": scene.describe(),
        })
    }

    /// Origin and run from the head of a recording; `None` where it is another's.
    pub(super) fn from_head(head: &Value) -> Option<(Self, Run)> {
        let (scene, run) = (&head["scene"], &head["run"]);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let positive = |value: &Value| value.as_f64().filter(|x| x.is_finite() && *x > 0.0);
        let origin = Origin {
            name: text(&scene["name"])?,
            folder: text(&scene["folder"]).map(PathBuf::from),
            text: text(&scene["text"])?,
            files_anywhere: scene["files_anywhere"].as_bool().unwrap_or(false),
        };
        let run = Run {
            until: positive(&run["until"])?,
            dt: positive(&run["dt"])?,
            stepper: StepperKind::by_name(run["stepper"].as_str()?)?,
            solver: Choice::new(run["solver"].as_str()?, parameters(&run["parameters"])?).ok()?,
            bounds: bounds(&run["bounds"])?,
        };
        Some((origin, run))
    }
}

/// Bounds of the laws of motion that were set.
fn bounds(value: &Value) -> Option<Bounds> {
    let mut bounds = Bounds::default();
    for (name, value) in value.as_object()? {
        bounds.set(LawName::of(name)?, value.as_f64()?).ok()?;
    }
    Some(bounds)
}

/// Parameters of a solver; none in recordings made before there were any.
fn parameters(value: &Value) -> Option<Parameters> {
    if value.is_null() {
        return Some(Parameters::default());
    }
    value.as_object()?.iter().try_fold(Parameters::default(), |all, (name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        all.with(name, &text).ok()
    })
}

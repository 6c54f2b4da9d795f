//! Scenes of the picker: the built-in ones and the one the viewer was started with.

use crate::embedded;
use crate::message::SceneEntry;
use std::path::{Path, PathBuf};
use stiction::scene::{Scene, SceneError, StepperKind};
use stiction_solvers::ParameterError;
use stiction_solvers::all::Choice;

/// The scene shown by default.
pub const FIRST: &str = "baraff1994/fig01_block_feeder";

/// Most scenes besides the built-in ones.
const MAX_OWN: usize = 16;
/// The folder of scenes that pages send: there is none, so that the meshes they name are not found.
const NO_FOLDER: &str = "(a scene sent by a page has no folder)";

/// Why a scene cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// No scene has this id.
    #[error("unknown scene {0:?}")]
    Unknown(String),
    /// The scene cannot be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The solver of the settings is unknown.
    #[error(transparent)]
    Solver(#[from] ParameterError),
}

/// Settings of a run that replace those of the first scene.
#[derive(Clone, Default)]
pub struct Overrides {
    /// The stepper.
    pub stepper: Option<StepperKind>,
    /// The name of the solver; it keeps the parameters of the scene.
    pub solver: Option<String>,
    /// Time between frames (s).
    pub dt: Option<f64>,
}

impl Overrides {
    /// The scene with these settings.
    ///
    /// # Errors
    ///
    /// [`ParameterError`] if the solver is unknown.
    pub fn on(&self, mut scene: Scene) -> Result<Scene, ParameterError> {
        let run = &mut scene.run;
        run.dt = self.dt.unwrap_or(run.dt);
        run.stepper = self.stepper.unwrap_or(run.stepper);
        if let Some(name) = &self.solver {
            run.solver = Choice::new(name, run.solver.parameters().of(name))?;
        }
        Ok(scene)
    }
}

/// The built-in scenes, the scene of the user, which is the first, and those that pages sent.
#[derive(Clone, Default)]
pub struct Catalogue {
    own: Vec<(String, Scene)>,
    file: Option<PathBuf>,
    overrides: Overrides,
}

impl Catalogue {
    /// The built-in scenes and one more.
    pub fn with(id: String, scene: Scene) -> Self {
        Catalogue { own: vec![(id, scene)], ..Catalogue::default() }
    }

    /// The same, with the file of the scene: it is shown again when the file is saved, with the
    /// same settings instead of its own.
    pub fn with_file(id: String, scene: Scene, file: PathBuf, overrides: Overrides) -> Self {
        Catalogue { own: vec![(id, scene)], file: Some(file), overrides }
    }

    /// The text of a built-in scene.
    pub fn text(id: &str) -> Option<&'static str> {
        embedded::scene(id)
    }

    /// The ids of the built-in scenes.
    pub fn ids() -> impl Iterator<Item = &'static str> {
        embedded::scene_ids()
    }

    /// The id of the scene to show first.
    pub fn first(&self) -> &str {
        self.own.first().map_or(FIRST, |own| &own.0)
    }

    /// The file of the first scene.
    pub(crate) fn watched(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// A scene by its id.
    ///
    /// # Errors
    ///
    /// [`CatalogueError`] if the id is unknown or the scene cannot be read.
    pub fn find(&self, id: &str) -> Result<Scene, CatalogueError> {
        if let Some(own) = self.own.iter().find(|own| own.0 == id) {
            return Ok(own.1.clone());
        }
        let text = embedded::scene(id).ok_or_else(|| CatalogueError::Unknown(id.to_owned()))?;
        Ok(Scene::parse(text, id)?)
    }

    /// Reads a scene that a page sent and keeps it under its name. It may not name files.
    pub(crate) fn read(&mut self, name: &str, text: &str) -> Result<Scene, CatalogueError> {
        let scene = Scene::parse_in(text, name, Some(Path::new(NO_FOLDER)))?;
        self.keep(name, &scene);
        Ok(scene)
    }

    /// Reads the file of the first scene again.
    pub(crate) fn read_again(&mut self, file: &Path) -> Result<Scene, CatalogueError> {
        let scene = self.overrides.on(Scene::read(file)?)?;
        let id = self.first().to_owned();
        self.keep(&id, &scene);
        Ok(scene)
    }

    /// Keeps a scene in the place of one with the same id.
    fn keep(&mut self, id: &str, scene: &Scene) {
        if let Some(own) = self.own.iter_mut().find(|own| own.0 == id) {
            own.1 = scene.clone();
            return;
        }
        if self.own.len() >= MAX_OWN {
            // The first one stays.
            self.own.remove(1);
        }
        self.own.push((id.to_owned(), scene.clone()));
    }

    /// The entries of the picker; scenes that cannot be read are left out.
    pub(crate) fn list(&self) -> Vec<SceneEntry> {
        let own = self.own.iter().map(|own| entry(&own.0, &own.1));
        let others = embedded::scene_ids().filter(|id| *id != self.first() || self.own.is_empty());
        let others = others.filter_map(|id| Some(entry(id, &self.find(id).ok()?)));
        own.chain(others).collect()
    }
}

fn entry(id: &str, scene: &Scene) -> SceneEntry {
    SceneEntry {
        id: id.to_owned(),
        title: scene.title.clone(),
        figure: scene.figure.clone(),
        look_for: scene.look_for.clone(),
        bodies: scene.world.bodies().count(),
    }
}

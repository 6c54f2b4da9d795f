//! Scenes of the picker: the built-in ones and the one the viewer was started with.

use crate::embedded;
use serde_json::{Value, json};
use stiction::scene::{Scene, SceneError};

/// The scene shown by default.
pub const FIRST: &str = "baraff1994/fig01_block_feeder";

/// Why a scene cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// No scene has this id.
    #[error("unknown scene {0:?}")]
    Unknown(String),
    /// The scene cannot be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
}

/// The built-in scenes and at most one scene of the user, by id.
#[derive(Clone, Default)]
pub struct Catalogue {
    own: Option<Box<(String, Scene)>>,
}

impl Catalogue {
    /// The built-in scenes and one more.
    pub fn with(id: String, scene: Scene) -> Self {
        Catalogue { own: Some(Box::new((id, scene))) }
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
        self.own.as_ref().map_or(FIRST, |own| &own.0)
    }

    /// A scene by its id.
    ///
    /// # Errors
    ///
    /// [`CatalogueError`] if the id is unknown or the scene cannot be read.
    pub fn find(&self, id: &str) -> Result<Scene, CatalogueError> {
        if let Some(own) = self.own.as_ref().filter(|own| own.0 == id) {
            return Ok(own.1.clone());
        }
        let text = embedded::scene(id).ok_or_else(|| CatalogueError::Unknown(id.to_owned()))?;
        Ok(Scene::parse(text, id)?)
    }

    /// The entries of the picker as JSON; scenes that cannot be read are left out.
    pub fn list(&self) -> Value {
        let own = self.own.iter().map(|own| entry(&own.0, &own.1));
        let others = embedded::scene_ids().filter(|id| *id != self.first() || self.own.is_none());
        let others = others.filter_map(|id| Some(entry(id, &self.find(id).ok()?)));
        own.chain(others).collect()
    }
}

fn entry(id: &str, scene: &Scene) -> Value {
    json!({
        "id": id,
        "title": scene.title,
        "figure": scene.figure,
        "look_for": scene.look_for,
        "bodies": scene.world.bodies().count(),
    })
}

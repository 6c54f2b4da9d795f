//! `[[include]]`: other scenes and robot models, as often and wherever they are placed.

use super::place::{Plane, turn};
use super::repeat::{copies, vector};
use super::source::Table;
use super::{Permissions, Reader, Scene, SceneError, is_model, read_text};
use crate::world::World;
use std::cell::Cell;
use std::path::PathBuf;
use stiction_geometry::Pose;

/// Files inside each other, at most.
const DEEPEST: usize = 16;

/// Files that are read for one scene, at most.
const MOST_FILES: usize = 1000;

/// Bodies of a scene that includes others, at most.
const MOST_BODIES: usize = 100_000;

/// The files around one that is read.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) files: &'a [PathBuf],
    /// Files that were read so far.
    pub(super) count: &'a Cell<usize>,
}

/// A scene, and the names of its materials.
pub(super) struct Included {
    pub(super) scene: Scene,
    pub(super) materials: Vec<String>,
}

impl Reader<'_> {
    /// Adds the bodies, joints and springs of a file, and its copies.
    pub(super) fn include(
        &mut self,
        mut table: Table<'_>,
        world: &mut World,
    ) -> Result<(), SceneError> {
        let name = table.named()?;
        let pose =
            Pose { position: vector(&table, "at")?, rotation: turn(&table, self.workshop.plane)? };
        let included = self.open(&table)?;
        for ignored in &included.scene.ignored {
            if !self.ignored.contains(ignored) {
                self.ignored.push(ignored.clone());
            }
        }
        for copy in copies(&table)? {
            if world.bodies.len() + included.scene.world.bodies.len() > MOST_BODIES {
                return Err(table.fault(format!("makes more than {MOST_BODIES} bodies")));
            }
            let prefix = copy.name(name.text()?);
            let rename = |name: &str| format!("{prefix}.{name}");
            let first = world.bodies.len();
            let place = Pose { position: pose.position + copy.offset, ..pose };
            world.absorb(included.scene.world.clone(), &place, rename);
            self.materials.extend(included.materials.iter().map(|name| rename(name)));
            for index in first..world.bodies.len() {
                let body = &world.bodies[index];
                if body.is_free() {
                    self.workshop.plane.check_along(&name, body.placed.position)?;
                }
                let full = body.name.clone();
                self.places.push((format!("body {full:?}"), table.place()));
                self.name_body(&name, &full, crate::world::BodyId::from_index(index))?;
            }
        }
        table.finish()
    }

    fn open(&self, table: &Table<'_>) -> Result<Included, SceneError> {
        let file = table.need("file")?;
        let path = self.workshop.find(&file)?;
        let real = path
            .canonicalize()
            .map_err(|why| file.fault(format!("is {:?}: {why}", path.display().to_string())))?;
        let mut files = self.around.files.to_vec();
        if files.contains(&real) || files.len() >= DEEPEST {
            return Err(
                file.fault("includes itself, or is one of too many files inside each other")
            );
        }
        files.push(real);
        self.around.count.set(self.around.count.get() + 1);
        if self.around.count.get() > MOST_FILES {
            return Err(file.fault(format!("is one of more than {MOST_FILES} files")));
        }
        let text = read_text(&path)?;
        let permitted = Permissions { files_anywhere: self.workshop.files.anywhere, overlap: true };
        let name = path.display().to_string();
        let around = Around { files: &files, count: self.around.count };
        let included = Scene::parse_inside(&text, &name, path.parent(), permitted, around)?;
        let same = match (included.scene.world.plane, self.workshop.plane) {
            (None, _) if is_model(&text) => true,
            (None, Plane::Space) => true,
            (Some(normal), plane) => plane.normal() == Some(normal),
            (None, _) => false,
        };
        if same { Ok(included) } else { Err(file.fault("has another plane than this scene")) }
    }
}

//! Scenes: worlds as TOML files.
//!
//! A file gives gravity, materials, bodies and joints in SI units, z up, angles
//! in degrees where a key ends in `_deg`. `docs/scene.md` describes every key.
//!
//! ```
//! let scene = stiction::scene::Scene::parse(
//!     r#"
//!     title = "A box on the ground"
//!
//!     [[body]]
//!     name = "ground"
//!     ground = true
//!
//!     [[body]]
//!     name = "crate"
//!     box = [1.0, 1.0, 1.0]
//!     at = [0.0, 0.0, 0.5]
//!     mass = 20.0
//!     "#,
//!     "crate.toml",
//! )
//! .unwrap();
//! let id = scene.world.find_body("crate").unwrap();
//! assert_eq!(scene.world.body(id).mass, 20.0);
//! ```
//!
//! # Where to start reading
//!
//! [`Scene::parse`] is the order of reading, `source.rs` how values know their
//! line and how unknown keys are refused, `body.rs`, `joint.rs` and `spring.rs` the rest.

mod assignment;
mod body;
mod describe;
mod drive;
mod expression;
mod include;
mod joint;
mod lower;
mod material;
mod model;
mod parameters;
mod place;
mod repeat;
mod rewrite;
mod run;
mod shape;
mod source;
mod spring;
mod start;

use crate::world::{BodyId, ImpactModel, World, WorldError};
pub use assignment::{Assignment, AssignmentError, assign};
pub use rewrite::with_poses;
pub use run::{Run, StepperKind};
use start::Overlapping;
pub use start::Permissions;
pub(crate) use start::read_text;

use expression::Parameters;
use include::{Around, Included};
use place::Plane;
use repeat::Copy;
use shape::Workshop;
use source::{Source, Table, Value, suggestion};
use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use stiction_geometry::Shelf;
pub use stiction_models::is_model;
use toml::de::DeTable;

/// Why a scene could not be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
#[non_exhaustive]
pub enum SceneError {
    /// The file cannot be opened.
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// Not TOML.
    #[error("{file}:{line}: {message}")]
    Syntax { file: String, line: usize, message: String },
    /// A key or value that makes no sense.
    #[error("{file}:{line}: {field}: {message}")]
    Value { file: String, line: usize, field: String, message: String },
}

/// A world and how to run it.
#[derive(Clone, Debug)]
pub struct Scene {
    /// A title of a few words.
    pub title: String,
    /// What to see in it, a sentence.
    pub look_for: String,
    /// The paper and figure it is taken from.
    pub figure: String,
    /// How it is run.
    pub run: Run,
    /// The world as it begins.
    pub world: World,
    /// What of a robot model is not in the world, one sentence each; none of scenes in TOML.
    pub ignored: Vec<String>,
}

impl Scene {
    /// Reads a file; files of meshes are sought beside it.
    ///
    /// # Errors
    ///
    /// [`SceneError`] with file, line, key and value.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        let text = read_text(path)?;
        Scene::parse_in(&text, &path.display().to_string(), path.parent())
    }

    /// Reads a text; messages call it `name`.
    ///
    /// # Errors
    ///
    /// [`SceneError`] with name, line, key and value.
    pub fn parse(text: &str, name: &str) -> Result<Self, SceneError> {
        Scene::parse_in(text, name, None)
    }

    /// Reads a text; files of meshes are sought in the folder.
    ///
    /// # Errors
    ///
    /// [`SceneError`] with name, line, key and value.
    pub fn parse_in(text: &str, name: &str, folder: Option<&Path>) -> Result<Self, SceneError> {
        Scene::parse_with(text, name, folder, Permissions::default())
    }

    /// Reads a text; files of meshes are sought in the folder. Permits more than others do. A text
    /// that begins with `<` is a robot model, MJCF or URDF (`docs/models.md`).
    ///
    /// # Errors
    ///
    /// [`SceneError`] with name, line, key and value.
    pub fn parse_with(
        text: &str,
        name: &str,
        folder: Option<&Path>,
        permitted: Permissions,
    ) -> Result<Self, SceneError> {
        let count = Cell::new(0);
        let around = Around { files: &[], count: &count };
        Scene::parse_inside(text, name, folder, permitted, around).map(|it| it.scene)
    }

    /// Reads a text that other files include.
    fn parse_inside(
        text: &str,
        name: &str,
        folder: Option<&Path>,
        permitted: Permissions,
        around: Around<'_>,
    ) -> Result<Included, SceneError> {
        if is_model(text) {
            let scene = model::read(text, name, folder, permitted)?;
            let materials = (0..scene.world.materials.len()).map(|k| format!("surface.{k}"));
            return Ok(Included { materials: materials.collect(), scene });
        }
        let none = Parameters::new();
        let source = Source { name, text, parameters: &none };
        let entries = DeTable::parse(text).map_err(|error| source.syntax(&error))?;
        let parameters = parameters::read(&Table::top(source, entries.get_ref()))?;
        let source = Source { parameters: &parameters, ..source };
        let top = Table::top(source, entries.get_ref());
        top.get("parameters");
        let words = |key| top.read(key, |value| value.text().map(str::to_owned));
        let title = words("title")?.unwrap_or_default();
        let look_for = words("look_for")?.unwrap_or_default();
        let figure = words("figure")?.unwrap_or_default();
        let run = run::run(&top)?;
        let overlapping = top.read("overlap", |it| it.choice(&Overlapping::NAMES))?;
        let files = Shelf { folder, anywhere: permitted.files_anywhere };
        let (reader, world) = Reader::read(&top, files, around)?;
        top.finish()?;
        world.validate().map_err(|error| reader.world_fault(source, &error))?;
        let allowed = permitted.overlap.then_some(Overlapping::Allow);
        reader.check_overlap(source, &world, allowed.or(overlapping).unwrap_or_default())?;
        let Reader { materials, ignored, .. } = reader;
        let scene = Scene { title, look_for, figure, run, world, ignored };
        Ok(Included { scene, materials })
    }
}

/// What is known while a world is read.
struct Reader<'a> {
    workshop: Workshop<'a>,
    materials: Vec<String>,
    bodies: HashMap<String, BodyId>,
    /// What of robot models is not in the world.
    ignored: Vec<String>,
    /// The files around this one.
    around: Around<'a>,
    /// Where things stand in the file, by the words that [`WorldError`] has for them.
    places: Vec<(String, usize)>,
}

impl<'a> Reader<'a> {
    fn read(
        top: &Table<'_>,
        files: Shelf<'a>,
        around: Around<'a>,
    ) -> Result<(Self, World), SceneError> {
        let plane = top.read("planar", Plane::read)?.unwrap_or(Plane::Space);
        let depth = top.read("depth", Value::positive)?;
        let mut reader = Reader {
            workshop: Workshop { plane, depth, files },
            materials: vec!["default".into()],
            bodies: HashMap::new(),
            ignored: Vec::new(),
            around,
            places: Vec::new(),
        };
        let mut world = World::new();
        world.plane = plane.normal();
        world.gravity = top.read("gravity", Value::vector)?.unwrap_or(world.gravity);
        let impacts = [
            ("simultaneous", ImpactModel::Simultaneous),
            ("propagation", ImpactModel::Propagation),
        ];
        world.impacts = top.read("impacts", |it| it.choice(&impacts))?.unwrap_or(world.impacts);
        for table in top.tables("material")? {
            reader.add_material(table, &mut world)?;
        }
        for table in top.tables("pair")? {
            reader.add_pair(table, &mut world)?;
        }
        for table in top.tables("include")? {
            reader.include(table, &mut world)?;
        }
        for table in top.tables("body")? {
            reader.body(table, &mut world)?;
        }
        for table in top.tables("joint")? {
            reader.joint(table, &mut world)?;
        }
        for table in top.tables("spring")? {
            reader.spring(table, &mut world)?;
        }
        let apart = top.read("apart", |value| reader.keep_apart(value, &world))?;
        world.excluded_pairs.extend(apart.unwrap_or_default());
        world.excluded_pairs.sort_unstable();
        world.excluded_pairs.dedup();
        Ok((reader, world))
    }

    fn find_body(&self, value: &Value<'_>, copy: &Copy) -> Result<BodyId, SceneError> {
        let name = copy.fill(value.text()?);
        self.bodies.get(&name).copied().ok_or_else(|| {
            let mut known: Vec<&String> = self.bodies.keys().collect();
            known.sort_unstable();
            value.fault(format!("is {name:?}, an unknown body{}", suggestion(&name, &known)))
        })
    }

    /// All copies for `brick.*`, otherwise the one body of that name.
    fn find_bodies(&self, value: &Value<'_>, world: &World) -> Result<Vec<BodyId>, SceneError> {
        let none = Copy { offset: glam::DVec3::ZERO, indices: Vec::new() };
        let Some(stem) = value.text()?.strip_suffix('*') else {
            return Ok(vec![self.find_body(value, &none)?]);
        };
        let named = world.bodies().filter(|(_, body)| body.name.starts_with(stem));
        let found: Vec<_> = named.map(|(id, _)| id).collect();
        if found.is_empty() {
            return Err(value.fault(format!("no body's name begins with {stem:?}")));
        }
        Ok(found)
    }

    fn keep_apart(&self, value: &Value<'_>, world: &World) -> Result<Vec<[BodyId; 2]>, SceneError> {
        let mut pairs = Vec::new();
        for item in value.list()? {
            let names = item.list()?;
            let [first, second] = &names[..] else {
                return Err(item.unfit("the names of two bodies"));
            };
            let (firsts, seconds) =
                (self.find_bodies(first, world)?, self.find_bodies(second, world)?);
            for &a in &firsts {
                let others = seconds.iter().filter(|&&b| b != a);
                pairs.extend(others.map(|&b| [a.min(b), a.max(b)]));
            }
        }
        Ok(pairs)
    }

    /// Where something stands in the file, by the words that [`WorldError`] has for it.
    fn place_of(&self, subject: &str) -> usize {
        let place = self.places.iter().find(|(known, _)| known == subject);
        place.map_or(0, |(_, place)| *place)
    }

    fn world_fault(&self, source: Source<'_>, error: &WorldError) -> SceneError {
        let subject = subject(error);
        source.fault(self.place_of(&subject), &subject, error.to_string())
    }
}

/// What an error is about, in its words.
fn subject(error: &WorldError) -> String {
    match error {
        WorldError::Value { subject, .. }
        | WorldError::Vector { subject, .. }
        | WorldError::Missing { subject, .. }
        | WorldError::SameBody { subject, .. }
        | WorldError::Drive { subject, .. } => subject.clone(),
        WorldError::Twice { what: "joints", name } => format!("joint {name:?}"),
        WorldError::Twice { name, .. } => format!("body {name:?}"),
        WorldError::Joint(error) => format!("joint {:?}", error.name()),
        WorldError::Size { .. } => "the state".to_string(),
    }
}

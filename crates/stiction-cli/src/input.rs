//! What a command is given: a contact problem, a scene or a recording; and the problem of an instant.

use crate::FileFlags;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use stiction::recording::{Origin, Recording, RecordingError};
use stiction::scene::{Scene, SceneError};
use stiction::{Instant, Simulation, World};
use stiction_solvers::file::{FileError, ProblemFile};
use stiction_solvers::{ContactProblem, Island, Level, SolveError};

/// Bytes from which the kind of a file is recognised.
const SNIFFED: u64 = 65_536;

/// Times that differ by less than this fraction of the time between frames are the same.
const ROUNDING: f64 = 1e-9;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Problem,
    Scene,
    Recording,
}

impl Kind {
    /// The kind of a file, by how it begins; `None` for pipes, files that cannot be read and others.
    fn of(path: &Path) -> Option<Kind> {
        if !path.metadata().ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        std::fs::File::open(path).ok()?.take(SNIFFED).read_to_end(&mut bytes).ok()?;
        if bytes.starts_with(b"stiction") {
            return Some(Kind::Recording);
        }
        let text = String::from_utf8_lossy(&bytes);
        if stiction::scene::is_model(&text) {
            return Some(Kind::Scene);
        }
        if text.trim_start().starts_with('{') {
            return Some(Kind::Problem);
        }
        let has_body = text.lines().any(|line| line.trim_start().starts_with("[[body]]"));
        let toml = path.extension().is_some_and(|ending| ending == "toml");
        (toml || has_body).then_some(Kind::Scene)
    }

    /// The commands that take it.
    fn commands(self) -> &'static str {
        match self {
            Kind::Problem => "solve, diagnose, compare and trace take it",
            Kind::Scene => "run, view and problem take it",
            Kind::Recording => "view, replay, info, export, verify and problem take it",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Problem => "contact problem",
            Kind::Scene => "scene",
            Kind::Recording => "recording",
        })
    }
}

/// Why an input cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error("{0}")]
    File(#[from] FileError),
    #[error("{0}")]
    Scene(#[from] SceneError),
    #[error("{0}")]
    Recording(#[from] RecordingError),
    #[error("{}: there is no such file, nor a built-in scene of this name{near}", path.display())]
    NoScene { path: PathBuf, near: String },
    #[error("{}: is a {found}, not a {wanted}: {}", path.display(), found.commands())]
    Kind { path: PathBuf, found: Kind, wanted: Kind },
    #[error("{}: --at and --island choose from a scene or a recording, and this is neither", .0.display())]
    NoInstant(PathBuf),
    #[error("--at: {time} s is after the last frame of {}, at {last} s", path.display())]
    After { path: PathBuf, time: f64, last: f64 },
    #[error(
        "{name}: no finite forces act there: a motor without a greatest force is off its speed"
    )]
    NotFinite { name: String },
    #[error("--island: {island} requested, but {name} has {count} islands with contacts or joints")]
    NoIsland { name: String, island: usize, count: usize },
    #[error("{name}: {why}")]
    Refused { name: String, why: SolveError },
}

/// Refuses a file of another kind than a command takes.
pub fn expect(path: &Path, wanted: Kind) -> Result<(), InputError> {
    match Kind::of(path) {
        Some(found) if found != wanted => {
            Err(InputError::Kind { path: path.to_owned(), found, wanted })
        }
        _ => Ok(()),
    }
}

/// Opens a recording.
pub fn recording(path: &Path) -> Result<Recording, InputError> {
    expect(path, Kind::Recording)?;
    Ok(Recording::open(path)?)
}

/// Reads the text of a scene: a file, or a built-in scene by its id.
pub fn origin(path: &Path) -> Result<Origin, InputError> {
    expect(path, Kind::Scene)?;
    if path.exists() {
        return Ok(Origin::read(path)?);
    }
    let name = path.display().to_string();
    match built_in(&name) {
        Ok(text) => Ok(Origin::built_in(&name, text)),
        Err(near) => Err(InputError::NoScene { path: path.to_owned(), near }),
    }
}

/// The text of a built-in scene; otherwise which id is like that, in words.
#[cfg(feature = "view")]
fn built_in(name: &str) -> Result<&'static str, String> {
    use stiction_view::Catalogue;
    let ids: Vec<&str> = Catalogue::ids().collect();
    let near = || stiction_solvers::nearest(name, &ids).map(|id| format!("; did you mean {id}?"));
    Catalogue::text(name).ok_or_else(|| near().unwrap_or_default())
}

/// Without the viewer there are no scenes by id.
#[cfg(not(feature = "view"))]
fn built_in(_: &str) -> Result<&'static str, String> {
    Err(String::new())
}

/// The scene of a text; says on stderr what of a robot model it does not have.
pub fn scene(origin: &Origin) -> Result<Scene, SceneError> {
    let scene = origin.scene()?;
    say_ignored(&scene);
    Ok(scene)
}

/// Says on stderr what of a robot model a scene does not have.
pub fn say_ignored(scene: &Scene) {
    for ignored in &scene.ignored {
        eprintln!("stiction: ignored: {ignored}");
    }
}

/// Opens a contact-1 file.
pub fn problem_file(path: &Path) -> Result<ProblemFile, InputError> {
    expect(path, Kind::Problem)?;
    Ok(ProblemFile::open(path)?)
}

/// Which problem of a scene or recording.
#[derive(clap::Args)]
pub struct InstantFlags {
    /// Of a scene or recording: the time whose problem is taken (s) [default: 0]
    #[arg(long, value_name = "S", value_parser = time, allow_negative_numbers = true)]
    at: Option<f64>,
    /// Of a scene or recording: only this island, from 0
    #[arg(long, value_name = "N")]
    pub island: Option<usize>,
    #[command(flatten)]
    files: FileFlags,
}

/// A time of a run.
fn time(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(time) if time >= 0.0 && f64::is_finite(time) => Ok(time),
        _ => Err("must be a time from 0 on, in seconds".to_owned()),
    }
}

/// An instant of a run.
pub struct Moment {
    /// The run and the time, in words.
    pub name: String,
    pub world: World,
    pub instant: Instant,
    pub islands: Vec<Island>,
    island: Option<usize>,
}

impl Moment {
    /// The instant of a scene or recording.
    pub fn read(path: &Path, flags: &InstantFlags) -> Result<Self, InputError> {
        let time = flags.at.unwrap_or(0.0);
        let simulation = if Kind::of(path) == Some(Kind::Recording) {
            recorded(path, time)?
        } else {
            let mut origin = origin(path)?;
            origin.files_anywhere = flags.files.allow_files_anywhere;
            Simulation::new(&scene(&origin)?)
        };
        let name = format!("{} at {time} s", path.display());
        let run = simulation.run().clone();
        let refused = |why| InputError::Refused { name: name.clone(), why };
        let world = simulation.world_at(time).map_err(refused)?;
        let instant = Instant::new(&world, &run);
        let instant = instant.ok_or_else(|| InputError::NotFinite { name: name.clone() })?;
        let islands = instant.problem().islands();
        if let Some(island) = flags.island.filter(|island| *island >= islands.len()) {
            return Err(InputError::NoIsland { name, island, count: islands.len() });
        }
        Ok(Moment { name, world, instant, islands, island: flags.island })
    }

    /// The name of a body.
    pub fn body(&self, index: usize) -> &str {
        self.world.bodies().nth(index).map_or("", |(_, body)| body.name.as_str())
    }

    /// Its problem as a file.
    pub fn file(&self) -> ProblemFile {
        let island = self.island.map(|island| &self.islands[island]);
        let name = self
            .island
            .map_or_else(|| self.name.clone(), |island| format!("{}, island {island}", self.name));
        self.instant.file(&self.world, &name, island)
    }
}

/// The run of a recording, at the last of its frames that is not after a time (s).
fn recorded(path: &Path, time: f64) -> Result<Simulation, InputError> {
    let recording = recording(path)?;
    let scene = recording.scene()?;
    let dt = scene.run.dt;
    let last = recording.len().saturating_sub(1) as f64 * dt;
    if time > last + ROUNDING * dt {
        return Err(InputError::After { path: path.to_owned(), time, last });
    }
    #[allow(clippy::cast_sign_loss)] // times are not negative
    let frame = recording.frame((time / dt + ROUNDING) as u64)?;
    let other = RecordingError::OtherScene { path: path.to_owned() };
    Ok(Simulation::resume(&scene, &frame).ok_or(other)?)
}

/// The file of a problem: as it is given, or of an instant of a scene or recording.
pub fn problem(path: &Path, flags: &InstantFlags) -> Result<ProblemFile, InputError> {
    match Kind::of(path) {
        Some(Kind::Scene | Kind::Recording) => Ok(Moment::read(path, flags)?.file()),
        _ if flags.is_given() => Err(InputError::NoInstant(path.to_owned())),
        _ => Ok(ProblemFile::open(path)?),
    }
}

impl InstantFlags {
    /// Whether an instant is chosen.
    pub fn is_given(&self) -> bool {
        self.at.is_some() || self.island.is_some()
    }
}

/// One problem, and what else its file says of the bodies.
pub struct Given {
    pub problem: ContactProblem,
    /// Velocities of the bodies, if they are known and not part of the problem.
    pub velocities: Option<Vec<[f64; 6]>>,
}

impl Given {
    /// One load of a problem.
    pub fn read(path: &Path, flags: &InstantFlags, load: usize) -> Result<Self, InputError> {
        let file = problem(path, flags)?;
        let problem = file.problem(load)?;
        let velocities = file.velocities().filter(|_| problem.level() == Level::Acceleration);
        Ok(Given { problem, velocities })
    }
}

//! A scene that is being run. Locks are taken without the interpreter's, and all work is done there.

use crate::fault;
use crate::frame::{PyFrame, finite};
use crate::problem::Problem;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use stiction::motion::RunCertificate;
use stiction::recording::{Origin, Recorder};
use stiction::scene::{Permissions, Scene, StepperKind};
use stiction::{Choice, Frame, Instant, Simulation, uniqueness};
use stiction_solvers::Parameters;

/// Frames between two looks at whether the interpreter was interrupted.
const CHUNK: u64 = 16;

/// What a run is of: a scene and how it is run.
pub struct Source {
    pub origin: Origin,
    pub scene: Scene,
}

struct Inner {
    source: Source,
    simulation: Simulation,
    last: Frame,
    recorder: Option<Recorder>,
}

/// A scene that is being run.
#[pyclass(module = "stiction._core", frozen)]
pub struct Run {
    inner: Mutex<Inner>,
}

/// The settings of a run, where they are not the scene's.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Settings {
    name: String,
    folder: Option<String>,
    files_anywhere: bool,
    overlap: bool,
    until: Option<f64>,
    dt: Option<f64>,
    stepper: Option<String>,
    solver: Option<String>,
    parameters: BTreeMap<String, String>,
}

impl Source {
    /// Reads a scene; settings override it.
    pub fn read(text: String, settings: &Settings) -> PyResult<Self> {
        let folder = settings.folder.as_ref().map(PathBuf::from);
        let (name, files_anywhere) = (settings.name.clone(), settings.files_anywhere);
        let origin = Origin { name, folder, text, files_anywhere };
        let permitted = Permissions { files_anywhere, overlap: settings.overlap };
        let read =
            Scene::parse_with(&origin.text, &origin.name, origin.folder.as_deref(), permitted);
        let mut scene = read.map_err(|error| fault::scene(&error))?;
        let run = &mut scene.run;
        let positive = |name: &str, value: Option<f64>| match value {
            Some(x) if !(x.is_finite() && x > 0.0) => {
                Err(fault::input(&format!("{name}: {x} is not a time above zero")))
            }
            _ => Ok(value),
        };
        run.dt = positive("dt", settings.dt)?.unwrap_or(run.dt);
        run.until = positive("until", settings.until)?.unwrap_or(run.until);
        if let Some(name) = &settings.stepper {
            let known = StepperKind::NAMES.map(|(name, _)| name).join(", ");
            run.stepper = StepperKind::by_name(name).ok_or_else(|| {
                fault::input(&format!("stepper: unknown \"{name}\" (known: {known})"))
            })?;
        }
        if settings.solver.is_some() || !settings.parameters.is_empty() {
            let name = settings.solver.as_deref().unwrap_or(run.solver.name());
            let mut parameters = run.solver.parameters().of(name);
            parameters.extend(&read_parameters(&settings.parameters)?);
            run.solver = choice(name, parameters)?;
        }
        Ok(Source { origin, scene })
    }
}

/// Parameters of a solver, from their names and values as text.
pub fn read_parameters(given: &BTreeMap<String, String>) -> PyResult<Parameters> {
    let add = |all: Parameters, (name, value): (&String, &String)| all.with(name, value);
    let read = given.iter().try_fold(Parameters::default(), add);
    read.map_err(|error| fault::input(&error.to_string()))
}

/// A solver by name.
pub fn choice(name: &str, parameters: Parameters) -> PyResult<Choice> {
    Choice::new(name, parameters).map_err(|error| fault::input(&error.to_string()))
}

#[pymethods]
impl Run {
    /// A scene at its start, or at a frame that was encoded.
    #[new]
    #[pyo3(signature = (text, settings, frame=None))]
    fn new(
        py: Python<'_>,
        text: String,
        settings: Settings,
        frame: Option<&[u8]>,
    ) -> PyResult<Self> {
        let source = Source::read(text, &settings)?;
        let frame = frame.map(Frame::decode).transpose();
        let frame = frame.map_err(|error| fault::input(&error.to_string()))?;
        let begin = || {
            let Some(last) = frame else {
                let mut simulation = Simulation::new(&source.scene);
                let last = simulation.first();
                return Some((simulation, last));
            };
            Simulation::resume(&source.scene, &last).map(|simulation| (simulation, last))
        };
        let (simulation, last) =
            py.detach(begin).ok_or_else(|| fault::input("the frame is of another world"))?;
        refused(&simulation)?;
        Ok(Run { inner: Mutex::new(Inner { source, simulation, last, recorder: None }) })
    }

    /// Advances by frames.
    fn step(&self, py: Python<'_>, frames: u64) -> PyResult<()> {
        let mut left = frames;
        while left > 0 {
            let now = left.min(CHUNK);
            py.detach(|| self.lock().advance(now))?;
            left -= now;
            py.check_signals()?;
        }
        Ok(())
    }

    /// Frames until the end of the run.
    fn left(&self, py: Python<'_>) -> u64 {
        py.detach(|| {
            let inner = self.lock();
            inner.source.scene.run.last_frame().saturating_sub(inner.simulation.index())
        })
    }

    /// The present frame; with `unique`, which of its forces are unique.
    fn frame(&self, py: Python<'_>, unique: bool) -> PyFrame {
        py.detach(|| {
            let inner = self.lock();
            let mut frame = inner.last.clone();
            if unique {
                frame.unique = uniqueness(&inner.simulation.world, &frame).forces;
            }
            PyFrame { frame }
        })
    }

    /// The certificate of the run so far, as JSON.
    fn certificate(&self, py: Python<'_>) -> String {
        py.detach(|| certificate(&self.lock().simulation.certificate()).to_string())
    }

    /// The scene and how it is run, as JSON.
    fn description(&self, py: Python<'_>) -> String {
        py.detach(|| self.lock().source.scene.describe().to_string())
    }

    /// The contact problem of the present instant.
    #[pyo3(signature = (island=None))]
    fn problem(&self, py: Python<'_>, island: Option<usize>) -> PyResult<Problem> {
        py.detach(|| {
            let inner = self.lock();
            let (world, run) = (&inner.simulation.world, inner.simulation.run());
            let finite = || {
                fault::input(
                    "no finite forces act here: a motor without a greatest force is off its speed",
                )
            };
            let instant = Instant::new(world, run).ok_or_else(finite)?;
            let islands = instant.problem().islands();
            let one = island.map(|i| {
                let count = islands.len();
                let missing =
                    || fault::input(&format!("island {i} requested, but there are {count}"));
                islands.get(i).ok_or_else(missing)
            });
            let name = format!("{} at {} s", inner.source.origin.name, world.state.time);
            Problem::of(&instant.file(world, &name, one.transpose()?), 0)
        })
    }

    /// Changes the velocity of a body: linear (3) and angular (3).
    fn set_velocity(&self, py: Python<'_>, body: usize, velocity: [f64; 6]) -> PyResult<()> {
        if velocity.iter().any(|x| !x.is_finite()) {
            return Err(fault::input("velocity: not all of it is finite"));
        }
        py.detach(|| {
            let mut inner = self.lock();
            let known = inner.simulation.world.body_id(body);
            let body = known.ok_or_else(|| fault::input(&format!("no body {body}")))?;
            inner.simulation.alter(|world| {
                let twist = &mut world.state.twists[body.index()];
                let [vx, vy, vz, wx, wy, wz] = velocity;
                (twist.linear, twist.angular) = ([vx, vy, vz].into(), [wx, wy, wz].into());
            });
            inner.last.state = inner.simulation.world.state.clone();
            Ok(())
        })
    }

    /// Writes every frame from now on to a file, which must not exist; only at the start of a run.
    fn record(&self, py: Python<'_>, path: &str) -> PyResult<()> {
        py.detach(|| {
            let mut inner = self.lock();
            if inner.simulation.index() > 0 {
                return Err(fault::input(
                    "a recording begins at the start of a run: reset it first",
                ));
            }
            let Source { origin, scene } = &inner.source;
            let made = Recorder::create(Path::new(path), origin, scene);
            let mut recorder = made.map_err(|error| fault::recording(&error))?;
            recorder.append(&inner.last).map_err(|error| fault::recording(&error))?;
            inner.recorder = Some(recorder);
            Ok(())
        })
    }

    /// Ends the recording.
    fn stop_recording(&self, py: Python<'_>) {
        py.detach(|| self.lock().recorder = None);
    }
}

impl Run {
    /// A panic in another thread leaves the run as it was after its last frame.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn advance(&mut self, frames: u64) -> PyResult<()> {
        for _ in 0..frames {
            let frame = self.simulation.advance();
            refused(&self.simulation)?;
            if let Some(recorder) = &mut self.recorder {
                recorder.append(&frame).map_err(|error| fault::recording(&error))?;
            }
            self.last = frame;
        }
        Ok(())
    }
}

/// An exception where the chosen solver does not model what happened.
fn refused(simulation: &Simulation) -> PyResult<()> {
    let refusal = simulation.refusal();
    refusal.map_or(Ok(()), |why| Err(fault::solver(&why.to_string())))
}

/// A certificate as JSON.
pub fn certificate(certificate: &RunCertificate) -> Value {
    let law = |law: &stiction::motion::Law| {
        json!({
            "name": law.name.name(), "holds": law.holds, "worst": finite(law.worst),
            "bound": finite(law.bound), "time": finite(law.time), "place": law.place,
            "sentence": law.to_string(),
        })
    };
    json!({
        "holds": certificate.holds(),
        "frames": certificate.frames,
        "solver": certificate.requested,
        "answers": certificate.answers,
        "laws": certificate.laws.iter().map(law).collect::<Vec<_>>(),
    })
}

/// The description of a scene, as JSON: what it says, checked.
#[pyfunction]
pub fn describe(py: Python<'_>, text: String, settings: Settings) -> PyResult<String> {
    py.detach(|| Ok(Source::read(text, &settings)?.scene.describe().to_string()))
}

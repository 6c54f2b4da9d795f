//! `stiction run`: runs a scene, records every frame on request, and reports what happened.

mod forces;
mod print;
mod progress;
pub mod summary;

use crate::input::{self, InputError};
use crate::laws;
use crate::parameters::Flags;
use progress::Progress;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use stiction::Simulation;
use stiction::motion::LawName;
use stiction::recording::{Origin, Recorder, Recording, RecordingError};
use stiction::scene::{AssignmentError, Run, Scene, SceneError, StepperKind, assign};
use stiction_solvers::all::{self, Choice};
use stiction_solvers::{ParameterError, SolveError};
use stiction_terminal::finish;
use summary::{Recorded, Summary};

/// The scene that is run without an argument: it takes a second and shows many kinds of events.
const BUILT_IN: &str = include_str!("../scenes/dominoes.toml");

#[derive(clap::Args)]
pub struct Arguments {
    /// A scene in TOML (docs/scene.md), a robot model in MJCF or URDF (docs/models.md) or the id of a built-in scene; without one, the dominoes of Baraff 1989, fig. 14 (b)
    #[arg(conflicts_with = "resume")]
    scene: Option<PathBuf>,
    /// End time (s), instead of the scene's
    #[arg(long, value_name = "S", value_parser = positive)]
    until: Option<f64>,
    /// Step of time-stepping, and time between frames (s)
    #[arg(long, value_name = "S", value_parser = positive, conflicts_with = "resume")]
    dt: Option<f64>,
    /// The integrator
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(StepperKind::NAMES.map(|(name, _)| name)), conflicts_with = "resume")]
    stepper: Option<String>,
    /// The solver of the contact problems
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(all::NAMES), conflicts_with = "resume")]
    solver: Option<String>,
    /// Threads to compute with, by default all; the results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Write every frame to this file, usually called ….stiction
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Continue the recording of --out where it ends
    #[arg(long, requires = "out")]
    resume: bool,
    /// Report the contact forces of the last frame
    #[arg(long)]
    forces: bool,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
    /// Bound of a law of motion, as LAW=VALUE; may be given several times (docs/certificates.md)
    #[arg(long = "bound", value_name = "LAW=VALUE", value_parser = laws::bound, conflicts_with = "resume")]
    bounds: Vec<(LawName, f64)>,
    #[command(flatten)]
    set: crate::SetFlags,
    #[command(flatten)]
    files: crate::FileFlags,
    #[command(flatten)]
    parameters: Flags,
}

/// Why a run cannot begin or continue.
#[derive(Debug, thiserror::Error)]
enum RunError {
    #[error("{0}")]
    Input(#[from] InputError),
    #[error("{0}")]
    Scene(#[from] SceneError),
    #[error("{0}")]
    Recording(#[from] RecordingError),
    #[error("{0}; --resume continues it")]
    Exists(RecordingError),
    #[error("--set {0}")]
    Set(#[from] AssignmentError),
    #[error("--resume continues the scene of the recording: --set cannot change it")]
    ResumedSet,
    #[error("{0}")]
    Parameters(#[from] ParameterError),
    #[error("--resume continues with the parameters of the recording: give none")]
    ResumedParameters,
    #[error("--bound: {0}")]
    Bound(String),
    #[error("at {time} s: {why}")]
    Refused { time: f64, why: SolveError },
    #[error("--threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("Ctrl-C: {0}")]
    Interrupt(#[from] ctrlc::Error),
}

/// A run before its first step.
struct Started {
    run: Run,
    simulation: Simulation,
    recorder: Option<Recorder>,
    summary: Summary,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let done = begin(arguments).and_then(|started| {
        let stop = stop_on_interrupt()?;
        advance(started, &stop, arguments.forces)
    });
    finish(done, arguments.json, print::print, |summary| summary.certificate.holds)
}

/// Runs a scene to its end, or until `stop` is set, and prints the report.
#[cfg(feature = "view")]
pub fn report(name: &str, scene: &Scene, stop: &AtomicBool) {
    let mut simulation = Simulation::new(scene);
    let mut summary = Summary::new(name, scene);
    summary.see_start(&simulation);
    summary.see(simulation.first());
    let started = Started { run: scene.run.clone(), simulation, recorder: None, summary };
    match advance(started, stop, false) {
        Ok(summary) => print::print(&summary),
        Err(error) => eprintln!("stiction: {error}"),
    }
}

fn begin(arguments: &Arguments) -> Result<Started, RunError> {
    if let Some(threads) = arguments.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    match &arguments.out {
        Some(_) if arguments.resume && !arguments.parameters.given.is_empty() => {
            Err(RunError::ResumedParameters)
        }
        Some(_) if arguments.resume && !arguments.set.set.is_empty() => Err(RunError::ResumedSet),
        Some(path) if arguments.resume => resume(path, arguments.until),
        out => start(arguments, out.as_deref()),
    }
}

fn start(arguments: &Arguments, out: Option<&std::path::Path>) -> Result<Started, RunError> {
    let mut origin = match &arguments.scene {
        Some(path) => input::origin(path)?,
        None => Origin::built_in("built-in scene", BUILT_IN),
    };
    origin.files_anywhere = arguments.files.allow_files_anywhere;
    origin.text = assign(&origin.text, &arguments.set.set)?;
    let mut scene = input::scene(&origin)?;
    let run = &mut scene.run;
    run.until = arguments.until.unwrap_or(run.until);
    run.dt = arguments.dt.unwrap_or(run.dt);
    run.solver = chosen(arguments, &run.solver)?;
    run.stepper =
        arguments.stepper.as_deref().and_then(StepperKind::by_name).unwrap_or(run.stepper);
    for (law, bound) in &arguments.bounds {
        run.bounds.set(*law, *bound).map_err(RunError::Bound)?;
    }
    let mut simulation = Simulation::new(&scene);
    let first = simulation.first();
    refused(&simulation, 0.0)?;
    let mut recorder = match out {
        Some(path) => Some(Recorder::create(path, &origin, &scene).map_err(exists)?),
        None => None,
    };
    if let Some(recorder) = &mut recorder {
        recorder.append(&first)?;
    }
    let mut summary = Summary::new(&origin.name, &scene);
    summary.see_start(&simulation);
    if let (true, Some(words)) = (summary.separated.is_deep, &summary.separated.words) {
        eprintln!("stiction: {words}");
    }
    summary.see(first);
    summary.recorded = out.map(Recorded::at);
    Ok(Started { run: scene.run, simulation, recorder, summary })
}

/// The solver of the flags, or the scene's; parameters of flags override the scene's.
fn chosen(arguments: &Arguments, written: &Choice) -> Result<Choice, ParameterError> {
    let name = arguments.solver.as_deref().unwrap_or(written.name());
    let mut parameters = written.parameters().of(name);
    parameters.extend(&arguments.parameters.given);
    Choice::new(name, parameters)
}

fn exists(error: RecordingError) -> RunError {
    match error {
        RecordingError::Exists { .. } => RunError::Exists(error),
        _ => RunError::Recording(error),
    }
}

/// Resumes from the last checkpoint; the frames before it are read from the file.
fn resume(path: &std::path::Path, until: Option<f64>) -> Result<Started, RunError> {
    input::expect(path, input::Kind::Recording)?;
    let mut resumed = Recorder::resume(path)?;
    let recording = Recording::open(path)?;
    let mut scene: Scene = recording.scene()?;
    scene.run.until = until.unwrap_or(scene.run.until);
    let mut summary = Summary::new(&recording.origin().name, &scene);
    summary.see_start(&resumed.simulation);
    for frame in recording.frames().take(resumed.from.index as usize) {
        let frame = frame?;
        resumed.simulation.recall(&frame);
        summary.see(frame);
    }
    if resumed.from.index > 0 {
        resumed.simulation.recall(&resumed.from);
    }
    summary.see(resumed.from);
    let recorded =
        Recorded { resumed: Some(resumed.frames), cut: resumed.cut, ..Recorded::at(path) };
    summary.recorded = Some(recorded);
    let (simulation, recorder) = (resumed.simulation, Some(resumed.recorder));
    Ok(Started { run: scene.run, simulation, recorder, summary })
}

/// Advances frame by frame to the end, or until `stop` is set; with `forces` the report has the contact
/// forces of the last frame.
fn advance(started: Started, stop: &AtomicBool, forces: bool) -> Result<Summary, RunError> {
    let Started { run, mut simulation, mut recorder, mut summary } = started;
    let (last, begun, first) = (run.last_frame(), Instant::now(), simulation.index());
    let mut progress = Progress::new(last);
    while simulation.index() < last && !stop.load(Ordering::Relaxed) {
        let time = simulation.world.state.time;
        let frame = simulation.advance();
        refused(&simulation, time).inspect_err(|_| progress.end())?;
        if let Some(recorder) = &mut recorder {
            recorder.append(&frame)?;
        }
        progress.show(&frame, &summary, frame.index.saturating_sub(first) as f64 * run.dt);
        summary.see(frame);
    }
    progress.end();
    summary.interrupted = simulation.index() < last;
    summary.computing = begun.elapsed().as_secs_f64();
    if let (Some(recorded), Some(recorder)) = (&mut summary.recorded, &recorder) {
        recorded.bytes = recorder.bytes();
    }
    summary.close(&simulation.world, &simulation.certificate(), forces);
    Ok(summary)
}

/// An error if the chosen solver does not model what the frame after a time has.
fn refused(simulation: &Simulation, time: f64) -> Result<(), RunError> {
    simulation.refusal().map_or(Ok(()), |why| Err(RunError::Refused { time, why: why.clone() }))
}

/// Set by the first Ctrl-C; the second ends the program at once.
fn stop_on_interrupt() -> Result<Arc<AtomicBool>, ctrlc::Error> {
    /// What shells expect of a program that Ctrl-C ended.
    const INTERRUPTED: i32 = 130;
    let stop = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    })?;
    Ok(stop)
}

/// A number above zero.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "is not a number".to_owned())?;
    if number.is_finite() && number > 0.0 { Ok(number) } else { Err("must be above zero".into()) }
}

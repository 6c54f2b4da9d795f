//! `stiction view`: a run in the browser, live or recorded, or as one page.

use std::fmt::Display;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use stiction::Simulation;
use stiction::recording::{Recording, RecordingError};
use stiction::scene::{Scene, StepperKind, assign};
use stiction_solvers::all;
use stiction_terminal::{refuse, say};
use stiction_view::{Catalogue, FIRST, Overrides, Server, Show};
use tokio::sync::Notify;

/// File extension of recordings.
const RECORDING: &str = "stiction";

#[derive(clap::Args)]
pub struct Arguments {
    /// A scene file, the id of a built-in scene, or a recording [default: a block feeder]
    #[arg(value_name = "SCENE|RECORDING")]
    what: Option<PathBuf>,
    /// Port of the page; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Address to listen on; anyone who can reach it and knows the token can control the run
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    host: IpAddr,
    /// Print the address of the page and nothing else, do not open it
    #[arg(long)]
    no_open: bool,
    /// The integrator, instead of the scene's
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(StepperKind::NAMES.map(|(name, _)| name)))]
    stepper: Option<String>,
    /// The solver of the contact problems, instead of the scene's
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(all::NAMES))]
    solver: Option<String>,
    /// Time between frames (s), instead of the scene's
    #[arg(long, value_name = "S", value_parser = crate::run::positive)]
    dt: Option<f64>,
    /// Run the scene to its end and write it as one page that needs no server
    #[arg(long, value_name = "PAGE")]
    export: Option<PathBuf>,
    #[command(flatten)]
    set: crate::SetFlags,
}

/// A result whose error is only printed.
type Outcome<T> = Result<T, Box<dyn Display>>;

pub fn run(arguments: &Arguments) -> ExitCode {
    let done = match stiction_view::missing() {
        Some(why) => Err(message(why)),
        None => match &arguments.export {
            Some(page) => export(arguments, page),
            None => view(arguments),
        },
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&*error),
    }
}

fn message(error: impl Display + 'static) -> Box<dyn Display> {
    Box::new(error)
}

/// What to show.
enum Wanted {
    Live(String, Box<Scene>),
    Recorded(Run),
}

/// A finished run: the description of its scene, and the bytes of its frames.
struct Run {
    description: serde_json::Value,
    frames: Vec<Vec<u8>>,
}

impl Run {
    fn frames(&self) -> impl Iterator<Item = &[u8]> {
        self.frames.iter().map(Vec::as_slice)
    }
}

fn find(arguments: &Arguments) -> Outcome<Wanted> {
    let path = arguments.what.as_deref().unwrap_or(Path::new(FIRST));
    let overrides = overrides(arguments);
    let set = &arguments.set.set;
    if path.extension().is_some_and(|ending| ending == RECORDING) {
        let fixed = overrides.stepper.is_some() || overrides.solver.is_some();
        if fixed || overrides.dt.is_some() {
            return Err(message("a recording keeps the stepper, solver and dt it was made with"));
        }
        if !set.is_empty() {
            return Err(message("--set changes scenes, and this is a recording"));
        }
        return Ok(Wanted::Recorded(read_recording(path)?));
    }
    let id = path.display().to_string();
    let mut origin = crate::input::origin(path).map_err(message)?;
    let text = assign(&origin.text, set);
    origin.text = text.map_err(|error| message(format!("--set {error}")))?;
    let scene = crate::input::scene(&origin).map_err(message)?;
    Ok(Wanted::Live(id, Box::new(overrides.on(scene).map_err(message)?)))
}

/// The settings of the flags, which replace those of the scene.
fn overrides(arguments: &Arguments) -> Overrides {
    Overrides {
        stepper: arguments.stepper.as_deref().and_then(StepperKind::by_name),
        solver: arguments.solver.clone(),
        dt: arguments.dt,
    }
}

fn read_recording(path: &Path) -> Outcome<Run> {
    let recording = Recording::open(path).map_err(message)?;
    if let Some(fault) = recording.fault() {
        eprintln!("stiction: {fault}; the frames before are shown");
    }
    let frames: Result<_, _> = recording.frames().map(|it| Ok(it?.encode())).collect();
    let frames = frames.map_err(|error: RecordingError| message(error))?;
    Ok(Run { description: recording.description().clone(), frames })
}

/// Runs a scene to its end; an error if its solver does not model what happens.
fn run_scene(scene: &Scene) -> Outcome<Run> {
    let mut simulation = Simulation::new(scene);
    let mut frames = vec![simulation.first().encode()];
    for _ in 0..scene.run.last_frame() {
        frames.push(simulation.advance().encode());
        if let Some(refusal) = simulation.refusal() {
            return Err(message(refusal.clone()));
        }
    }
    Ok(Run { description: scene.describe(), frames })
}

fn export(arguments: &Arguments, page: &Path) -> Outcome<()> {
    let run = match find(arguments)? {
        Wanted::Live(_, scene) => run_scene(&scene)?,
        Wanted::Recorded(run) => run,
    };
    let html = stiction_view::write_page(&run.description, run.frames()).map_err(message)?;
    std::fs::write(page, html).map_err(|error| message(format!("{}: {error}", page.display())))
}

fn view(arguments: &Arguments) -> Outcome<()> {
    let mut unseen = None;
    let show = match find(arguments)? {
        Wanted::Live(id, scene) => {
            if !arguments.no_open && !has_display() {
                unseen = Some(Unseen { name: id.clone(), scene: scene.clone() });
            }
            Show::Live(catalogue(id, *scene, arguments))
        }
        Wanted::Recorded(run) => {
            Show::Recording(stiction_view::pack(&run.description, run.frames()).map_err(message)?)
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(message)?.block_on(serve(arguments, show, unseen))
}

/// The built-in scenes and this one; a scene in a file is shown again when the file is saved.
fn catalogue(id: String, scene: Scene, arguments: &Arguments) -> Catalogue {
    match arguments.what.as_ref().filter(|path| path.exists()) {
        Some(path) => Catalogue::with_file(id, scene, path.clone(), overrides(arguments)),
        None => Catalogue::with(id, scene),
    }
}

/// A scene on a machine without a display: its report is printed instead.
struct Unseen {
    name: String,
    scene: Box<Scene>,
}

async fn serve(arguments: &Arguments, show: Show, unseen: Option<Unseen>) -> Outcome<()> {
    let server = Server::bind(arguments.host, arguments.port, show).await.map_err(message)?;
    // A page that the program opens starts playing at once.
    let url = if arguments.no_open { server.url() } else { format!("{}&play", server.url()) };
    say!("{url}");
    if !arguments.no_open && has_display() {
        // Without a browser the printed address remains.
        let _ = open::that_detached(&url);
    }
    let (end, stop) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
    let (interrupted, stopped) = (Arc::clone(&end), Arc::clone(&stop));
    ctrlc::set_handler(move || {
        stopped.store(true, Ordering::Relaxed);
        interrupted.notify_one();
    })
    .map_err(message)?;
    let reporting = unseen.map(|Unseen { name, scene }| {
        eprintln!("stiction: no display; the report of the run follows, Ctrl-C ends the page");
        std::thread::spawn(move || crate::run::report(&name, &scene, &stop))
    });
    let served = server.run(end.notified()).await.map_err(message);
    if let Some(reporting) = reporting {
        // A report that failed has printed why.
        let _ = reporting.join();
    }
    served
}

/// Whether there is a display to open a browser on.
fn has_display() -> bool {
    let named = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || named("DISPLAY") || named("WAYLAND_DISPLAY")
}

//! `stiction bench steps`: what a simulated second costs, over a fixed set of scenes.
//!
//! Every run is certified as a whole before its time counts: the judge of motion sees every frame.
//! `docs/speed.md` has the table.

mod scenes;

use crate::plot::bars::{Bar, Bars};
use cpu_time::ProcessTime;
use scenes::{CASES, Case};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stiction::motion::{LawName, MotionJudge};
use stiction::scene::{Scene, SceneError};
use stiction::{Frame, Simulation};
use stiction_terminal::{finish, progress, say};

#[derive(clap::Args)]
pub struct Arguments {
    /// Only the scenes of these names, or with one of these words in their name
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    only: Vec<String>,
    /// Simulate at most this much of a scene (s)
    #[arg(long, value_name = "SECONDS", default_value_t = f64::INFINITY)]
    until: f64,
    /// CPU time after which a scene is cut short (s)
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0)]
    limit: f64,
    /// Threads
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Write the bar chart into this file (SVG)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the scenes into this folder instead of running them, for `stiction run`
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// One JSON array on stdout
    #[arg(long)]
    json: bool,
}

/// One scene, as documented in `docs/commands.md`.
#[derive(Serialize)]
struct Line {
    scene: &'static str,
    stepper: &'static str,
    bodies: usize,
    /// Time that it simulated, and was to simulate (s).
    simulated: f64,
    until: f64,
    steps: u64,
    /// CPU time of a simulated second (s): of the steps, and of judging them.
    step_s: f64,
    judge_s: f64,
    /// Per step.
    solves: f64,
    iterations: f64,
    detections: f64,
    /// Worst residual of forces.
    residual: f64,
    /// Energy error at the end, relative to the energy converted.
    energy_error: f64,
    /// Whether the scene reached its end and every law of motion holds.
    certified: bool,
    /// The laws that do not hold.
    broken: Vec<&'static str>,
    /// Hash of the last state: equal at any number of threads.
    hash: String,
}

#[derive(Debug, thiserror::Error)]
enum BenchError {
    #[error("{0}")]
    Scene(#[from] SceneError),
    #[error("{0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("no scene with {0:?} in its name; there are {1}")]
    Unknown(String, String),
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let certified = |lines: &Vec<Line>| lines.iter().all(|line| line.certified);
    finish(measure(arguments), arguments.json, |lines| print(lines), certified)
}

fn measure(arguments: &Arguments) -> Result<Vec<Line>, BenchError> {
    let cases = chosen(&arguments.only)?;
    if let Some(folder) = &arguments.keep {
        return keep(folder, &cases).map(|()| Vec::new());
    }
    faer::set_global_parallelism(faer::Par::Seq);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build()?;
    let mut lines = Vec::new();
    for (k, case) in cases.iter().enumerate() {
        progress::show(k, cases.len(), case.name);
        let until = case.until.min(arguments.until);
        lines.push(pool.install(|| simulate(case, until, arguments.limit))?);
    }
    progress::clear();
    if let Some(path) = &arguments.svg {
        let io = |source| BenchError::Io { path: path.clone(), source };
        std::fs::write(path, chart(&lines).svg()).map_err(io)?;
    }
    Ok(lines)
}

/// The scenes of these names, or with one of these words in their name; all without words.
fn chosen(words: &[String]) -> Result<Vec<&'static Case>, BenchError> {
    let named = |word: &String| CASES.iter().any(|case| case.name.contains(word.as_str()));
    if let Some(unknown) = words.iter().find(|word| !named(word)) {
        let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        return Err(BenchError::Unknown(unknown.clone(), names.join(", ")));
    }
    let is_name = |word: &str| CASES.iter().any(|case| case.name == word);
    let fits = |case: &Case, word: &str| {
        if is_name(word) { case.name == word } else { case.name.contains(word) }
    };
    let is_chosen = |case: &&Case| words.is_empty() || words.iter().any(|word| fits(case, word));
    Ok(CASES.iter().filter(is_chosen).collect())
}

fn keep(folder: &Path, cases: &[&Case]) -> Result<(), BenchError> {
    let io = |source| BenchError::Io { path: folder.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(io)?;
    for case in cases {
        let path = folder.join(case.name).with_extension("toml");
        std::fs::write(&path, (case.text)()).map_err(io)?;
    }
    Ok(())
}

/// Runs a scene until some time (s) or a limit of CPU time (s). Judging is part of a run; its share is
/// measured by judging all frames once more.
fn simulate(case: &Case, until: f64, limit: f64) -> Result<Line, BenchError> {
    let mut scene = Scene::parse(&(case.text)(), case.name)?;
    (scene.run.stepper, scene.run.dt, scene.run.until) = (case.stepper, case.dt, until);
    let mut simulation = Simulation::new(&scene);
    let mut frames = vec![simulation.first()];
    let begun = ProcessTime::now();
    while simulation.index() < scene.run.last_frame() && begun.elapsed().as_secs_f64() < limit {
        frames.push(simulation.advance());
    }
    let all = begun.elapsed().as_secs_f64();
    let begun = ProcessTime::now();
    let mut judge = MotionJudge::new(&scene.world, &scene.run);
    for frame in &frames {
        judge.see(frame);
    }
    let judging = begun.elapsed().as_secs_f64();
    Ok(line((case, until), &simulation, &frames, [all - judging, judging]))
}

/// A scene that was run, with the CPU time of its steps and of judging them (s).
fn line(
    (case, until): (&Case, f64),
    simulation: &Simulation,
    frames: &[Frame],
    seconds: [f64; 2],
) -> Line {
    let (steps, counts) = (simulation.index(), simulation.counts());
    let certificate = simulation.certificate();
    let worst = |name: LawName| {
        certificate.laws.iter().find(|law| law.name == name).map_or(f64::NAN, |law| law.worst)
    };
    let last = frames.last();
    let simulated = last.map_or(0.0, |frame| frame.state.time);
    let [step_s, judge_s] = seconds.map(|seconds| seconds / simulated);
    let per_step = |count: usize| count as f64 / steps as f64;
    Line {
        scene: case.name,
        stepper: case.stepper.name(),
        bodies: simulation.world.bodies().count(),
        simulated,
        until,
        steps,
        step_s,
        judge_s,
        solves: per_step(counts.solves),
        iterations: per_step(counts.iterations),
        detections: per_step(counts.detections),
        residual: worst(LawName::Contact),
        energy_error: last.map_or(0.0, |frame| frame.ledger.error()),
        certified: certificate.holds() && simulated > until - 0.5 * case.dt,
        broken: certificate.broken().map(|law| law.name.name()).collect(),
        hash: last.map_or(String::new(), |frame| format!("{:016x}", frame.state.hash())),
    }
}

fn print(lines: &[Line]) {
    if lines.is_empty() {
        return;
    }
    say!(
        "{:<16} {:>6} {:>6}  {:>9} {:>9}  {:>7} {:>9} {:>8}  {:>8} {:>8}",
        "scene",
        "bodies",
        "s",
        "steps s/s",
        "judge s/s",
        "solves",
        "Newton",
        "detect",
        "residual",
        "energy"
    );
    for line in lines {
        let cut = if line.simulated < 0.99 * line.until { " cut short" } else { "" };
        let broken = if line.broken.is_empty() {
            String::new()
        } else {
            format!(" NOT CERTIFIED: {}", line.broken.join(", "))
        };
        say!(
            "{:<16} {:>6} {:>6.2}  {:>9.3} {:>9.3}  {:>7.2} {:>9.1} {:>8.2}  {:>8.1e} {:>8.1e}{cut}{broken}",
            line.scene,
            line.bodies,
            line.simulated,
            line.step_s,
            line.judge_s,
            line.solves,
            line.iterations,
            line.detections,
            line.residual,
            line.energy_error
        );
    }
}

/// CPU time of a simulated second, scene by scene: an outline where a run is not certified.
fn chart(lines: &[Line]) -> Bars {
    let bar = |line: &Line| Bar {
        label: line.scene.to_owned(),
        value: 1e3 * (line.step_s + line.judge_s),
        hollow: !line.certified,
    };
    Bars {
        title: "CPU time of a simulated second".to_owned(),
        note: "steps and judging; an outline where the run is not certified to its end".to_owned(),
        unit: "ms".to_owned(),
        all: lines.iter().map(bar).collect(),
    }
}

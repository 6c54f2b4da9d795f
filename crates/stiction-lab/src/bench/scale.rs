//! Structures of many bodies: time to given residuals, factorisations, memory, growth.

use crate::plot::{Axis, Marker, Plot, Scale, Series};
use crate::reproduce::page::Folder;
use serde::Serialize;
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use stiction_solvers::admm::Admm;
use stiction_solvers::all::{self, Choice};
use stiction_solvers::gallery::scenes::Scene;
use stiction_solvers::gauss_seidel::GaussSeidel;
use stiction_solvers::{
    Candidate, ContactProblem, ContactSolver, Effort, Event, Parameters, SolveError, interior,
    judge,
};
use stiction_terminal::{refuse, say};

#[derive(clap::Args)]
pub struct Arguments {
    /// Structures and their motion: wall, pyramid-hit, pile-collapsing, …
    #[arg(long, value_delimiter = ',', default_value = "wall,wall-hit,pyramid,pyramid-hit")]
    scenes: Vec<String>,
    /// Numbers of bodies
    #[arg(long, value_delimiter = ',', default_value = "100,1000")]
    bodies: Vec<usize>,
    /// Friction coefficients
    #[arg(long, value_delimiter = ',', default_value = "0.5")]
    friction: Vec<f64>,
    /// Seeds of the random parts
    #[arg(long, value_delimiter = ',', default_value = "0")]
    seeds: Vec<u64>,
    /// Solvers
    #[arg(long, value_delimiter = ',', default_value = "iterations,admm,gauss-seidel",
          value_parser = clap::builder::PossibleValuesParser::new(all::NAMES))]
    solvers: Vec<String>,
    /// Sweeps of gauss-seidel and steps of admm before they give up
    #[arg(long, default_value_t = 2000)]
    sweeps: usize,
    /// Numbers of threads; 1 for comparable times
    #[arg(long, value_delimiter = ',', default_value = "1")]
    threads: Vec<usize>,
    /// Folder for a plot (SVG) and a table (CSV) of every scene
    #[arg(long)]
    out: Option<PathBuf>,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// Natural maps to which the time is reported.
const LEVELS: [f64; 4] = [1e-4, 1e-6, 1e-8, 1e-10];

/// One solver on one scene.
#[derive(Serialize)]
struct Run {
    scene: String,
    solver: String,
    friction: f64,
    seed: u64,
    bodies: usize,
    contacts: usize,
    threads: usize,
    certified: bool,
    /// Relative natural map, by the judge.
    natural_map: f64,
    /// Seconds in total, without the judge.
    seconds: f64,
    /// Seconds to natural maps of 1e-4, 1e-6, 1e-8, 1e-10, if the solver reports its progress.
    to: [Option<f64>; 4],
    /// Pivots, steps, or sweeps.
    steps: usize,
    /// Factorisations.
    factored: usize,
    /// Numbers in the sparse factors.
    fill: usize,
    /// Largest memory of the process during the run (MB), if the system reports it.
    memory_mb: Option<f64>,
    /// Exponent of growth from the previous size of the same scene and solver.
    growth: Option<f64>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let runs = measure_all(arguments);
    match runs.and_then(|runs| write(arguments, &runs).map(|()| runs)) {
        Ok(runs) if arguments.json => {
            say!("{}", serde_json::to_string(&runs).unwrap_or_default());
            ExitCode::SUCCESS
        }
        Ok(runs) => {
            let certified = runs.iter().filter(|run| run.certified).count();
            say!("\n{certified} of {} runs certified", runs.len());
            ExitCode::SUCCESS
        }
        Err(error) => refuse(&error),
    }
}

fn measure_all(arguments: &Arguments) -> Result<Vec<Run>, Box<dyn Error + Send + Sync>> {
    let mut runs: Vec<Run> = Vec::new();
    if !arguments.json {
        head();
    }
    for &threads in &arguments.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        for name in &arguments.scenes {
            for solver in &arguments.solvers {
                for &friction in &arguments.friction {
                    for &seed in &arguments.seeds {
                        let scene = |bodies: usize| {
                            let name = format!("{name}-{bodies}");
                            let known = Scene::named(&name);
                            let known = known.ok_or_else(|| format!("unknown scene {name:?}"))?;
                            Ok(Scene { friction, seed, ..known })
                        };
                        pool.install(|| grow(&scene, solver, arguments, &mut runs))?;
                    }
                }
            }
        }
    }
    Ok(runs)
}

/// One solver on one scene at every size.
fn grow(
    scene: &(impl Fn(usize) -> Result<Scene, String> + Sync),
    solver: &str,
    arguments: &Arguments,
    runs: &mut Vec<Run>,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut last: Option<(f64, f64)> = None;
    for &bodies in &arguments.bodies {
        let mut run = measure(&scene(bodies)?, solver, arguments.sweeps)?;
        let now = (run.bodies as f64, run.seconds);
        run.growth = last.map(|old| (now.1 / old.1).ln() / (now.0 / old.0).ln());
        last = run.certified.then_some(now);
        if !arguments.json {
            print(&run);
        }
        runs.push(run);
    }
    Ok(())
}

fn measure(scene: &Scene, name: &str, sweeps: usize) -> Result<Run, Box<dyn Error + Send + Sync>> {
    let problem = scene.problem()?;
    let mut solver: Box<dyn ContactSolver> = match name {
        "gauss-seidel" => Box::new(GaussSeidel { limit: sweeps }),
        "admm" => Box::new(Admm { limit: sweeps, ..Admm::default() }),
        name => Choice::new(name, Parameters::default())?.solver(),
    };
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let mut to = [None; 4];
    let start = Instant::now();
    let mut watch = |event: Event| {
        if let Event::PathStep { residual, .. }
        | Event::SplitStep { residual, .. }
        | Event::Sweeps { residual, .. } = event
        {
            for (to, level) in to.iter_mut().zip(LEVELS) {
                if to.is_none() && residual <= level {
                    *to = Some(start.elapsed().as_secs_f64());
                }
            }
        }
    };
    let outcome = solver.candidate(&problem, None, &mut watch);
    let seconds = start.elapsed().as_secs_f64();
    let memory_mb = peak_memory();
    let (natural_map, certified, effort) = judged(&problem, outcome);
    Ok(Run {
        scene: scene.name(),
        solver: name.to_owned(),
        friction: scene.friction,
        seed: scene.seed,
        bodies: problem.bodies().len(),
        contacts: problem.contacts().len(),
        threads: rayon::current_num_threads(),
        certified,
        natural_map,
        seconds,
        to,
        steps: effort.pivots,
        factored: effort.factored,
        fill: interior::fill(&problem),
        memory_mb,
        growth: None,
    })
}

/// The judged result: natural map, whether it is certified, and the effort.
fn judged(problem: &ContactProblem, found: Result<Candidate, SolveError>) -> (f64, bool, Effort) {
    let Ok(candidate) = found else { return (f64::NAN, false, Effort::default()) };
    let answer = judge::answer(problem, candidate, "", false);
    let natural_map =
        if answer.is_impulse() { f64::NAN } else { answer.certificate.natural_map.relative };
    (natural_map, answer.is_certified(), answer.provenance.effort)
}

/// Largest resident memory since it was last reset (MB).
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

fn head() {
    say!(
        "{:<16} {:>4} {:>6} {:>7}  {:<13} {:>7} {:>9} {:>8} {:>8} {:>8} {:>8} {:>6} {:>7} {:>9} {:>7} {:>7}  natural map",
        "scene",
        "μ",
        "bodies",
        "contacts",
        "solver",
        "threads",
        "seconds",
        "to 1e-4",
        "1e-6",
        "1e-8",
        "1e-10",
        "steps",
        "factors",
        "fill",
        "MB",
        "growth"
    );
}

fn print(run: &Run) {
    let or_dash =
        |x: Option<f64>, digits: usize| x.map_or("–".into(), |x| format!("{x:.digits$}"));
    let to = run.to.map(|time| format!("{:>8}", or_dash(time, 3))).join(" ");
    say!(
        "{:<16} {:>4} {:>6} {:>7}   {:<13} {:>7} {:>9.3} {to} {:>6} {:>7} {:>9} {:>7} {:>7}  {:.1e} {}",
        run.scene,
        run.friction,
        run.bodies,
        run.contacts,
        run.solver,
        run.threads,
        run.seconds,
        run.steps,
        run.factored,
        run.fill,
        or_dash(run.memory_mb, 0),
        or_dash(run.growth, 2),
        run.natural_map,
        if run.certified { "" } else { "NOT CERTIFIED" }
    );
}

/// A table and a plot of every scene.
fn write(arguments: &Arguments, runs: &[Run]) -> Result<(), Box<dyn Error + Send + Sync>> {
    let Some(out) = &arguments.out else { return Ok(()) };
    let folder = Folder::create(out)?;
    for scene in &arguments.scenes {
        let of_scene: Vec<&Run> = runs.iter().filter(|run| run.scene == *scene).collect();
        folder.figure(scene, &csv(&of_scene), &plot(scene, &of_scene, &arguments.solvers))?;
    }
    Ok(())
}

fn csv(runs: &[&Run]) -> String {
    let mut text = String::from(
        "solver,threads,friction,seed,bodies,contacts,certified,natural_map,seconds,to_1e-4,to_1e-6,to_1e-8,to_1e-10,\
         steps,factored,fill,memory_mb,growth\n",
    );
    let or_empty = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
    for run in runs {
        let Run {
            solver,
            threads,
            friction,
            seed,
            bodies,
            contacts,
            certified,
            natural_map,
            seconds,
            ..
        } = run;
        let to = run.to.map(or_empty).join(",");
        let _ = writeln!(
            text,
            "{solver},{threads},{friction},{seed},{bodies},{contacts},{certified},{natural_map:e},{seconds},{to},{},{},{},{},{}",
            run.steps,
            run.factored,
            run.fill,
            or_empty(run.memory_mb),
            or_empty(run.growth)
        );
    }
    text
}

fn plot(scene: &str, runs: &[&Run], solvers: &[String]) -> Plot {
    let markers = [Marker::Circle, Marker::Square, Marker::Triangle];
    let series = solvers.iter().enumerate().flat_map(|(k, solver)| {
        [true, false].map(|certified| {
            let fits = |run: &&&Run| run.solver == *solver && run.certified == certified;
            let marks: Vec<[f64; 2]> =
                runs.iter().filter(fits).map(|run| [run.bodies as f64, run.seconds]).collect();
            let mark = if certified { "" } else { " ✗" };
            Series {
                label: format!("{solver}{mark}"),
                colour: k,
                marker: markers[k % markers.len()],
                quoted: !certified,
                line: if certified { marks.clone() } else { Vec::new() },
                marks,
            }
        })
    });
    let listed = |mut values: Vec<String>| {
        values.dedup();
        values.join(", ")
    };
    let friction = listed(runs.iter().map(|run| run.friction.to_string()).collect());
    let threads = listed(runs.iter().map(|run| run.threads.to_string()).collect());
    Plot {
        title: format!("{scene}: time to the answer"),
        notes: vec![format!("Friction {friction}; threads: {threads}; ✗: not certified.")],
        x: Axis { label: "bodies".into(), scale: Scale::Log },
        y: Axis { label: "seconds".into(), scale: Scale::Log },
        series: series.filter(|series| !series.marks.is_empty()).collect(),
    }
}

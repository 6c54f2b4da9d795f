//! Islands recorded from runs, each with the forces of the moment before: how many a method
//! certifies, and in what time, beside the portfolio of a run on the same islands.

use super::{CONTACT_FILE, files};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use stiction_solvers::file::{FileError, ProblemFile, read_answer};
use stiction_solvers::{
    Answer, Auto, Call, ContactProblem, ContactSolver, Forces, NoObserver, Selection, SolveError,
    Work, all, judge,
};
use stiction_terminal::timing::median;
use stiction_terminal::{exit, refuse, say};

/// Units of work that the portfolio may spend on proximal points for one island, as in a run.
const LONGEST: f64 = 2e8;

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "independent flags of a command")]
pub struct Arguments {
    /// Folder of contact-1 files, or a folder of such folders; NAME.start beside NAME.json holds
    /// the forces to begin from
    #[arg(long)]
    data: PathBuf,
    /// Only files with this in their name
    #[arg(long, default_value = "")]
    only: String,
    /// The method
    #[arg(long, default_value = "proximal",
          value_parser = clap::builder::PossibleValuesParser::new(all::NAMES))]
    solver: String,
    /// Begin from nothing
    #[arg(long)]
    cold: bool,
    /// Leave out the portfolio of a run
    #[arg(long)]
    alone: bool,
    /// List every island
    #[arg(long)]
    each: bool,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Table {
    method: String,
    islands: usize,
    certified: usize,
    mean_ms: f64,
    median_ms: f64,
    most_ms: f64,
    /// Steps of the method per island: Newton steps, steps along a path, pivots.
    mean_steps: f64,
    worst_residual: f64,
}

struct Case {
    name: String,
    problem: ContactProblem,
    start: Option<Forces>,
}

/// One island by one method.
struct Run {
    answer: Result<Answer, SolveError>,
    time: Duration,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    faer::set_global_parallelism(faer::Par::Seq);
    let cases = match read(arguments) {
        Ok(cases) => cases,
        Err(error) => return refuse(&error),
    };
    if cases.is_empty() {
        return refuse(&format!("{}: no contact-1 file (.json)", arguments.data.display()));
    }
    let Some(mut solver) = all::by_name(&arguments.solver) else {
        return refuse(&format!("unknown solver {:?}", arguments.solver));
    };
    let mut tables = vec![measure(&arguments.solver, &mut *solver, &cases, arguments.each)];
    if !arguments.alone {
        let mut auto = Auto::selecting(Selection::Any).with_work_budget(LONGEST);
        tables.push(measure("auto, in a sequence", &mut auto, &cases, arguments.each));
    }
    if arguments.json {
        say!("{}", serde_json::to_string(&tables).unwrap_or_default());
    } else {
        for t in &tables {
            say!(
                "{:<20} certified {} of {}; mean {:.3} ms, median {:.3}, most {:.1}; {:.1} steps, worst residual {:.1e}",
                t.method,
                t.certified,
                t.islands,
                t.mean_ms,
                t.median_ms,
                t.most_ms,
                t.mean_steps,
                t.worst_residual
            );
        }
    }
    ExitCode::from(if tables[0].certified < cases.len() { exit::NO } else { 0 })
}

fn read(arguments: &Arguments) -> Result<Vec<Case>, FileError> {
    let folder = |path: &Path| -> Result<Vec<Case>, FileError> {
        files(path, &arguments.only, &[CONTACT_FILE])?
            .iter()
            .map(|path| case(path, arguments.cold))
            .collect()
    };
    let mut cases = folder(&arguments.data)?;
    let io = |source| FileError::Io { path: arguments.data.clone(), source };
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(&arguments.data).map_err(io)? {
        let path = entry.map_err(io)?.path();
        folders.extend(path.is_dir().then_some(path));
    }
    folders.sort();
    for path in folders {
        cases.extend(folder(&path)?);
    }
    Ok(cases)
}

fn case(path: &Path, cold: bool) -> Result<Case, FileError> {
    let problem = ProblemFile::open(path)?.problem(0)?;
    let beside = path.with_extension("start");
    let start =
        (!cold && beside.exists()).then(|| read_answer(&beside, &problem, 0)).transpose()?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Case { name, problem, start })
}

/// Every island once to have it judged, and once more for the time.
fn measure(method: &str, solver: &mut dyn ContactSolver, cases: &[Case], each: bool) -> Table {
    let mut runs = Vec::with_capacity(cases.len());
    for Case { name, problem, start } in cases {
        let answer = solver.solve_from(problem, start.as_ref(), &mut NoObserver);
        let begin = cpu_time::ThreadTime::now();
        let mut work = Work::for_problem(problem);
        let call = Call { start: start.as_ref(), work: &mut work, observer: &mut NoObserver };
        let _ = solver.search(problem, call);
        let run = Run { answer, time: begin.elapsed() };
        if each {
            let (contacts, ms) = (problem.contacts().len(), milliseconds(run.time));
            let (residual, steps) = (run.residual(), run.steps());
            say!("{name}: {contacts} contacts, {ms:.3} ms, {steps} steps, residual {residual:.1e}");
        }
        runs.push(run);
    }
    let mut times: Vec<f64> = runs.iter().map(|run| milliseconds(run.time)).collect();
    let count = cases.len() as f64;
    Table {
        method: method.to_owned(),
        islands: cases.len(),
        certified: runs.iter().filter(|run| run.residual() <= judge::CERTIFIED).count(),
        mean_ms: times.iter().sum::<f64>() / count,
        most_ms: times.iter().copied().fold(0.0, f64::max),
        median_ms: median(&mut times),
        mean_steps: runs.iter().map(Run::steps).sum::<usize>() as f64 / count,
        worst_residual: runs.iter().map(Run::residual).fold(0.0, f64::max),
    }
}

impl Run {
    /// How far the forces are from maximum dissipation (relative); infinite without forces.
    fn residual(&self) -> f64 {
        let settled = self.answer.as_ref().ok().filter(|answer| !answer.is_impulse());
        settled.map_or(f64::INFINITY, |answer| answer.certificate.natural_map.relative)
    }

    fn steps(&self) -> usize {
        self.answer.as_ref().map_or(0, |answer| answer.provenance.effort.pivots)
    }
}

fn milliseconds(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}

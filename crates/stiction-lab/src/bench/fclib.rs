//! Friction problems without bodies, from other projects: how many are certified,
//! and in what time.

mod peers;

use super::Files;
use peers::{Peers, Run};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stiction_formats::read_matrix;
use stiction_solvers::file::FileError;
use stiction_solvers::{ContactSolver, Work, all};
use stiction_terminal::{refuse, say};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    files: Files,
    /// Skip problems with more contacts than this
    #[arg(long, value_name = "CONTACTS", default_value_t = usize::MAX, hide_default_value = true)]
    most: usize,
    /// The method
    #[arg(long, default_value = all::BARE[0],
          value_parser = clap::builder::PossibleValuesParser::new(all::BARE))]
    solver: String,
    /// Table (CSV) of other solvers on the same problems, to show beside ours
    #[arg(long, value_name = "CSV")]
    beside: Option<PathBuf>,
    /// Folder for the forces, a JSON file per problem in the order of that problem's file
    #[arg(long, value_name = "DIR")]
    answers: Option<PathBuf>,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Case {
    problem: String,
    dimension: usize,
    contacts: usize,
    certified: bool,
    natural_map: f64,
    sweeps: usize,
    newton_steps: usize,
    time_s: f64,
    /// Other solvers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    beside: Vec<Run>,
}

#[derive(Serialize)]
struct Table {
    solver: String,
    /// Numbers of certified and of all problems, 3D and 2D.
    certified_3d: usize,
    problems_3d: usize,
    certified_2d: usize,
    problems_2d: usize,
    cases: Vec<Case>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    faer::set_global_parallelism(faer::Par::Seq);
    let Some(mut solver) = all::by_name(&arguments.solver) else {
        return refuse(&format!("unknown solver {:?}", arguments.solver));
    };
    let cases = match cases(arguments, &mut *solver) {
        Ok(cases) => cases,
        Err(error) => return refuse(&error),
    };
    let count = |dimension: usize, all: bool| {
        cases.iter().filter(|c| c.dimension == dimension && (all || c.certified)).count()
    };
    let table = Table {
        solver: arguments.solver.clone(),
        certified_3d: count(3, false),
        problems_3d: count(3, true),
        certified_2d: count(2, false),
        problems_2d: count(2, true),
        cases,
    };
    if arguments.json {
        say!("{}", serde_json::to_string(&table).unwrap_or_default());
    } else {
        let Table { certified_3d, problems_3d, certified_2d, problems_2d, .. } = table;
        say!(
            "\n{}: certified {certified_3d} of {problems_3d} in space, {certified_2d} of {problems_2d} in the plane",
            table.solver
        );
    }
    ExitCode::SUCCESS
}

fn cases(arguments: &Arguments, solver: &mut dyn ContactSolver) -> Result<Vec<Case>, FileError> {
    let peers = arguments.beside.as_deref().map_or_else(|| Ok(Peers::new()), peers::read)?;
    let mut cases = Vec::new();
    for path in arguments.files.paths(&["hdf5", "h5", "dat", "npz"])? {
        let Some(problem) = read_matrix(&path)?.filter(|p| p.contacts() <= arguments.most) else {
            continue;
        };
        let start = cpu_time::ThreadTime::now();
        let found = solver.solve_matrix(&problem, &mut Work::for_matrix(&problem));
        let time_s = start.elapsed().as_secs_f64();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(answer) = found else { continue };
        let force = problem.flat(&answer.forces);
        if let Some(folder) = &arguments.answers {
            write_answer(folder, &path, &force)?;
        }
        let case = Case {
            dimension: problem.dimension(),
            contacts: problem.contacts(),
            certified: answer.is_certified(),
            natural_map: answer.certificate.exchange.map_or(f64::NAN, |c| c.natural_map_relative),
            sweeps: answer.provenance.effort.sweeps,
            newton_steps: answer.provenance.effort.pivots,
            time_s,
            beside: peers.get(&name).cloned().unwrap_or_default(),
            problem: name,
        };
        if !arguments.json {
            print(&case, !peers.is_empty());
        }
        cases.push(case);
    }
    Ok(cases)
}

fn print(case: &Case, beside: bool) {
    let mark = |certified: bool| if certified { "" } else { "NOT" };
    let ours = format!(
        "{:<46} {}D {:>5} contacts  {:>8.1e} {:<3} {:>6} sweeps {:>5} steps {:>9.4} s",
        case.problem,
        case.dimension,
        case.contacts,
        case.natural_map,
        mark(case.certified),
        case.sweeps,
        case.newton_steps,
        case.time_s
    );
    let other = match peers::best(&case.beside) {
        Some(run) => {
            let number = |x: Option<f64>| x.map_or("–".to_owned(), |x| format!("{x:.1e}"));
            let (natural_map, time_s) = (number(run.natural_map), number(run.time_s));
            let certified = case.beside.iter().filter(|run| run.certified).count();
            format!(
                "  | {certified} of {} others, {:<7} {natural_map:>7} {:<3} {time_s:>7} s",
                case.beside.len(),
                run.solver,
                mark(run.certified)
            )
        }
        None if beside => "  | not tried".to_owned(),
        None => String::new(),
    };
    say!("{ours}{other}");
}

/// Forces as `{"r": […]}`, per contact in the order of the problem's file.
fn write_answer(folder: &Path, problem: &Path, force: &[f64]) -> Result<(), FileError> {
    let mut force = force.to_vec();
    if problem.extension().is_some_and(|ending| ending == "npz") {
        // ContactBench puts the normal last.
        force.chunks_exact_mut(3).for_each(|contact| contact.rotate_left(1));
    }
    let name = problem.file_name().unwrap_or_default().to_string_lossy();
    let path = folder.join(format!("{name}.json"));
    let text = serde_json::json!({ "r": force }).to_string();
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|source| FileError::Io { path, source })
}

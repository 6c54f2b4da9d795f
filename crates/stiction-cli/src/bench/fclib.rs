//! Friction problems without bodies, from other projects: how many are certified,
//! and in what time.

use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stiction_solvers::file::{FileError, read_matrix};
use stiction_solvers::matrix_solver::{self, MatrixSolver};

#[derive(clap::Args)]
pub struct Arguments {
    /// Folder of FCLIB .hdf5 and Siconos .dat friction problems
    #[arg(long)]
    data: PathBuf,
    /// Only files whose name contains this
    #[arg(long, default_value = "")]
    only: String,
    /// The method
    #[arg(long, default_value = matrix_solver::NAMES[0],
          value_parser = clap::builder::PossibleValuesParser::new(matrix_solver::NAMES))]
    solver: String,
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
}

#[derive(Serialize)]
struct Table {
    solver: String,
    /// Certified and all, in space and in the plane.
    certified_3d: usize,
    problems_3d: usize,
    certified_2d: usize,
    problems_2d: usize,
    cases: Vec<Case>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    faer::set_global_parallelism(faer::Par::Seq);
    let Some(solver) = matrix_solver::by_name(&arguments.solver) else {
        return crate::refuse(&format!("{} is not known", arguments.solver));
    };
    let cases = match cases(arguments, &*solver) {
        Ok(cases) => cases,
        Err(error) => return crate::refuse(&error),
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

fn cases(arguments: &Arguments, solver: &dyn MatrixSolver) -> Result<Vec<Case>, FileError> {
    let mut cases = Vec::new();
    for path in files(&arguments.data, &arguments.only)? {
        let Some(case) = measure(&path, solver)? else { continue };
        if !arguments.json {
            say!(
                "{:<46} {}D {:>5} contacts  {:>8.1e} {:<3} {:>6} sweeps {:>5} steps {:>9.4} s",
                case.problem,
                case.dimension,
                case.contacts,
                case.natural_map,
                if case.certified { "" } else { "NOT" },
                case.sweeps,
                case.newton_steps,
                case.time_s
            );
        }
        cases.push(case);
    }
    Ok(cases)
}

/// Files that may hold such a problem, by name.
fn files(folder: &Path, only: &str) -> Result<Vec<PathBuf>, FileError> {
    let io = |source| FileError::Io { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let known = path.extension().is_some_and(|e| e == "hdf5" || e == "h5" || e == "dat");
        if known && name.contains(only) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Solves one; nothing if the file is a problem of another kind.
fn measure(path: &Path, solver: &dyn MatrixSolver) -> Result<Option<Case>, FileError> {
    let Some(problem) = read_matrix(path)? else { return Ok(None) };
    let start = cpu_time::ThreadTime::now();
    let solution = solver.solve(&problem);
    Ok(Some(Case {
        problem: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        dimension: problem.dimension(),
        contacts: problem.contacts(),
        certified: solution.certificate.certified,
        natural_map: solution.certificate.relative,
        sweeps: solution.effort.sweeps,
        newton_steps: solution.effort.steps,
        time_s: start.elapsed().as_secs_f64(),
    }))
}

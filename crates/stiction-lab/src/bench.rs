//! Benchmarks: success over families of problems, speed against LU and a QP, growth with the
//! number of contacts; campaigns that try to break solvers, steppers and judges.

mod assemblies;
mod campaign;
mod draw;
pub(crate) mod families;
mod fclib;
mod fuzz;
mod hostile;
mod islands;
pub(crate) mod lloyd;
mod record;
mod scale;
pub(crate) mod speed;
mod statics;
mod steps;
mod worlds;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stiction_solvers::file::FileError;

/// The ending of `contact-1` files.
pub(crate) const CONTACT_FILE: &str = "json";

/// The problems of a benchmark.
#[derive(clap::Args)]
struct Files {
    /// Folder of problem files
    #[arg(long)]
    data: PathBuf,
    /// Only files with this in their name
    #[arg(long, default_value = "")]
    only: String,
}

impl Files {
    /// Those with one of these endings, in order.
    fn paths(&self, endings: &[&str]) -> Result<Vec<PathBuf>, FileError> {
        files(&self.data, &self.only, endings)
    }
}

/// The files of a folder with this in their name and one of these endings, in order.
pub(crate) fn files(
    folder: &Path,
    only: &str,
    endings: &[&str],
) -> Result<Vec<PathBuf>, FileError> {
    let io = |source| FileError::Io { path: folder.to_owned(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let known = path.extension().is_some_and(|e| endings.iter().any(|known| e == *known));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if known && name.contains(only) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// What can be measured.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Decide whether assemblies of blocks stand, and their margins, beside a reference and other solvers
    Assemblies(assemblies::Arguments),
    /// Limits of arches against the literature; the speed of many small assemblies and of one large wall
    Statics(statics::Arguments),
    /// Solve every load of every problem file in a folder; count what is certified
    Families(families::Arguments),
    /// Solve friction problems without bodies (FCLIB, Siconos); count what is certified
    Fclib(fclib::Arguments),
    /// Damage files and give them to every reader; none may panic or take long
    Fuzz(fuzz::Arguments),
    /// Run problems designed to break solvers and judge; every answer is checked in 300-bit arithmetic
    Hostile(hostile::Arguments),
    /// Solve islands recorded from runs, beside the portfolio of a run; count what is certified, and time it
    Islands(islands::Arguments),
    /// Run the three methods of Lloyd 2004 on families of problems: time, pivots, success, growth
    Lloyd(lloyd::Arguments),
    /// Measure the cost of recording a run: time against the simulation's, bytes per body and frame
    Record(record::Arguments),
    /// Solve structures of many bodies: time to given residuals, factorisations, memory, growth
    Scale(scale::Arguments),
    /// Time frictionless problems against LU of the same matrix and a QP solver
    Speed(speed::Arguments),
    /// Run a fixed set of scenes: CPU time of a simulated second, solves, Newton steps, energy error
    Steps(steps::Arguments),
    /// Run random scenes by both steppers; what is certified is checked by code that shares nothing with them
    Worlds(worlds::Arguments),
}

/// Runs a benchmark and returns the exit code.
pub fn run(command: &Command) -> ExitCode {
    match command {
        Command::Assemblies(arguments) => assemblies::run(arguments),
        Command::Statics(arguments) => statics::run(arguments),
        Command::Families(arguments) => families::run(arguments),
        Command::Fclib(arguments) => fclib::run(arguments),
        Command::Fuzz(arguments) => fuzz::run(arguments),
        Command::Hostile(arguments) => hostile::run(arguments),
        Command::Islands(arguments) => islands::run(arguments),
        Command::Lloyd(arguments) => lloyd::run(arguments),
        Command::Record(arguments) => record::run(arguments),
        Command::Scale(arguments) => scale::run(arguments),
        Command::Speed(arguments) => speed::run(arguments),
        Command::Steps(arguments) => steps::run(arguments),
        Command::Worlds(arguments) => worlds::run(arguments),
    }
}

//! `stiction generate`: problems of any size with a known answer.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_solvers::file::ProblemFile;
use stiction_solvers::gallery;
use stiction_terminal::{refuse, say};

#[derive(clap::Subcommand)]
pub enum Command {
    /// Baraff 1991, figure 6: as many motions as subsets of the numbers that add up to the target
    SubsetSum(SubsetSum),
}

#[derive(clap::Args)]
pub struct SubsetSum {
    /// Positive numbers, separated by commas: masses of the rods (kg)
    #[arg(long, value_name = "N,N,…", required = true, value_delimiter = ',')]
    numbers: Vec<f64>,
    /// The sum that some of them should add up to, not negative
    #[arg(long, value_name = "SUM")]
    target: f64,
    /// The contact-1 file to write, which must not exist; by default stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
enum GenerateError {
    #[error("--numbers: {0} is not a positive number")]
    Number(f64),
    #[error("--target: {0} is not a number ≥ 0")]
    Target(f64),
    #[error("--numbers: {0}")]
    Problem(#[from] stiction_solvers::ProblemError),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

pub fn run(command: &Command) -> ExitCode {
    let Command::SubsetSum(arguments) = command;
    match subset_sum(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&error),
    }
}

fn subset_sum(arguments: &SubsetSum) -> Result<(), GenerateError> {
    let SubsetSum { numbers, target, out } = arguments;
    let positive = |x: &f64| *x > 0.0 && x.is_finite();
    if let Some(&bad) = numbers.iter().find(|x| !positive(x)) {
        return Err(GenerateError::Number(bad));
    }
    if *target != 0.0 && !positive(target) {
        return Err(GenerateError::Target(*target));
    }
    let problem = gallery::subset_sum(numbers, *target)?;
    let list: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    let name = format!("subset sum {} of {}", target, list.join(", "));
    let text = ProblemFile::from_problem(&problem, &name).to_json();
    let Some(path) = out else {
        say!("{text}");
        return Ok(());
    };
    let io = |source| GenerateError::Io { path: path.clone(), source };
    let mut file = std::fs::File::create_new(path).map_err(io)?;
    writeln!(file, "{text}").map_err(io)
}

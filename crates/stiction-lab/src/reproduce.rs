//! Reproductions of the papers' figures and tables, with the papers' numbers beside ours.

mod baraff1989;
mod baraff1991;
mod baraff1994;
mod faure1996;
mod lloyd;
pub(crate) mod page;

use std::path::PathBuf;
use std::process::ExitCode;

/// Where a reproduction is written, and how much of it.
#[derive(clap::Args)]
pub struct Output {
    /// Folder for the plots (SVG), tables (CSV) and pages (README.md); by default target/reproduce/PAPER
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Few and small problems only
    #[arg(long)]
    quick: bool,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

impl Output {
    fn folder(&self, paper: &str) -> PathBuf {
        self.out.clone().unwrap_or_else(|| PathBuf::from("target/reproduce").join(paper))
    }
}

/// Papers whose figures can be reproduced.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Baraff 1989, figures 11 to 13: collisions by two models, and how often the guesses are right
    Baraff1989(Output),
    /// Baraff 1991, §8: how often two approximations of static friction succeed
    Baraff1991(Output),
    /// Baraff 1994, §7: time against LU and a QP, calls to drive-to-zero
    Baraff1994(Output),
    /// Faure 1996, figures 4 and 5: iterates, iterations per instant, residual per iteration
    Faure1996(Output),
    /// Lloyd 2004, figures 5 to 8 and 10: compute times of the three methods
    Lloyd(lloyd::Arguments),
}

/// Writes the figures of a paper and returns the exit code.
pub fn run(command: &Command) -> ExitCode {
    match command {
        Command::Baraff1989(arguments) => baraff1989::run(arguments),
        Command::Baraff1991(arguments) => baraff1991::run(arguments),
        Command::Baraff1994(arguments) => baraff1994::run(arguments),
        Command::Faure1996(arguments) => faure1996::run(arguments),
        Command::Lloyd(arguments) => lloyd::run(arguments),
    }
}

//! The command `stiction`: glue only.

/// Prints a line. A reader that has gone away (`… | head`) is no error.
macro_rules! say {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($words)*);
    }};
}

mod bench;
mod charts;
mod collide;
mod compare;
mod diagnose;
mod export;
mod generate;
mod info;
mod parameters;
mod plot;
mod replay;
mod reproduce;
mod run;
mod solve;
mod trace;
mod verify;
mod view;

use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stiction_solvers::file::{FileError, ProblemFile};
use stiction_solvers::{ContactProblem, Level};

/// The forces that really act where rigid bodies touch, with proof.
#[derive(Parser)]
#[command(version, about, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Move a scene, write down every frame if asked to, and tell what happened
    Run(run::Arguments),
    /// Make a recorded run again and compare every frame, bit by bit
    Replay(AboutRecording),
    /// What a recording holds
    Info(AboutRecording),
    /// Write the tables of a recording: bodies, contacts, joints, events, energies
    Export(export::Arguments),
    /// Draw a recording: energies, contact forces, certificates, events
    Plot(charts::Arguments),
    /// Find the contact forces of a problem and certify them
    Solve(solve::Arguments),
    /// Say whether a small problem has one motion, several, or none, by deciding every contact mode
    Diagnose(diagnose::Arguments),
    /// Write a problem with a known answer
    #[command(subcommand)]
    Generate(generate::Command),
    /// What a collision does: all contacts at once, and one after the other
    Collide(collide::Arguments),
    /// Every solver on one problem: outcome, certificate, effort, time
    Compare(compare::Arguments),
    /// Judge an answer made elsewhere
    Verify(verify::Arguments),
    /// See a scene move in the browser, with every force, and reach into it
    View(view::Arguments),
    /// Watch a method at work, event by event
    Trace(trace::Arguments),
    /// Measure the solvers; every answer is judged before it is timed
    #[command(subcommand)]
    Bench(bench::Command),
    /// Make the figures of the papers anew, their numbers beside ours
    #[command(subcommand)]
    Reproduce(reproduce::Command),
}

/// Exit codes, the same for every command.
mod exit {
    /// The answer is "no": not certified.
    pub const NO: u8 = 1;
    /// The input makes no sense.
    pub const BAD_INPUT: u8 = 2;
    /// A solver broke down.
    pub const BREAKDOWN: u8 = 3;
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Plot(arguments) => charts::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Diagnose(arguments) => diagnose::run(&arguments),
        Command::Generate(command) => generate::run(&command),
        Command::Collide(arguments) => collide::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::View(arguments) => view::run(&arguments),
        Command::Trace(arguments) => trace::run(&arguments),
        Command::Bench(command) => bench::run(&command),
        Command::Reproduce(command) => reproduce::run(&command),
    }
}

/// A problem of a file.
struct Given {
    problem: ContactProblem,
    /// Velocities of the bodies, where they are known and not part of the problem.
    velocities: Option<Vec<[f64; 6]>>,
}

impl Given {
    /// One load of a contact-1 file.
    fn read(path: &Path, load: usize) -> Result<Self, FileError> {
        let file = ProblemFile::open(path)?;
        let problem = file.problem(load)?;
        let velocities = file.velocities().filter(|_| problem.level() == Level::Acceleration);
        Ok(Given { problem, velocities })
    }
}

/// Prints an error as `stiction: …` and gives its exit code.
fn refuse(error: &dyn std::fmt::Display) -> ExitCode {
    eprintln!("stiction: {error}");
    ExitCode::from(exit::BAD_INPUT)
}

/// What commands about a recording take.
#[derive(clap::Args)]
struct AboutRecording {
    /// A recording
    file: PathBuf,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// Tells what was found, as JSON or in words, or why nothing was; gives the exit code, which
/// is that of a "no" unless it is good.
fn tell<T: serde::Serialize>(
    told: Result<T, impl std::fmt::Display>,
    json: bool,
    print: fn(&T),
    good: fn(&T) -> bool,
) -> ExitCode {
    let told = match told {
        Ok(told) => told,
        Err(error) => return refuse(&error),
    };
    if json {
        say!("{}", serde_json::to_string(&told).unwrap_or_default());
    } else {
        print(&told);
    }
    ExitCode::from(if good(&told) { 0 } else { exit::NO })
}

/// A folder for what is made from a file: the one given, or one beside the file called after it.
fn beside(file: &Path, given: Option<&Path>, what: &str) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    given.map_or_else(|| file.with_file_name(format!("{stem}_{what}")), Path::to_owned)
}

//! Benchmarks: success over families of problems, speed against LU and a QP, growth with the
//! number of contacts; campaigns that try to break solvers, steppers and judges.

mod campaign;
mod draw;
pub(crate) mod families;
mod fclib;
mod hostile;
mod islands;
pub(crate) mod lloyd;
mod record;
mod scale;
pub(crate) mod speed;
mod worlds;

use std::process::ExitCode;

/// What can be measured.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Solve every load of every problem file in a folder; count what is certified
    Families(families::Arguments),
    /// Solve friction problems without bodies (FCLIB, Siconos); count what is certified
    Fclib(fclib::Arguments),
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
    /// Run random scenes by both steppers; what is certified is checked by code that shares nothing with them
    Worlds(worlds::Arguments),
}

/// Runs a benchmark and returns the exit code.
pub fn run(command: &Command) -> ExitCode {
    match command {
        Command::Families(arguments) => families::run(arguments),
        Command::Fclib(arguments) => fclib::run(arguments),
        Command::Hostile(arguments) => hostile::run(arguments),
        Command::Islands(arguments) => islands::run(arguments),
        Command::Lloyd(arguments) => lloyd::run(arguments),
        Command::Record(arguments) => record::run(arguments),
        Command::Scale(arguments) => scale::run(arguments),
        Command::Speed(arguments) => speed::run(arguments),
        Command::Worlds(arguments) => worlds::run(arguments),
    }
}

//! Measurements: success over whole families, speed against LU and a QP, growth
//! with the number of contacts.

pub mod families;
mod fclib;
mod hostile;
pub mod lloyd;
mod record;
mod scale;
pub mod speed;

use std::process::ExitCode;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Solve every load of every problem file in a folder; count what is certified
    Families(families::Arguments),
    /// Solve friction problems without bodies (FCLIB, Siconos); count what is certified
    Fclib(fclib::Arguments),
    /// Problems meant to break solvers and judge, every answer checked in exact arithmetic
    Hostile(hostile::Arguments),
    /// Lloyd's three methods over his families: time, pivots, success, growth
    Lloyd(lloyd::Arguments),
    /// What writing down a run costs: time against the simulation's, bytes per body and frame
    Record(record::Arguments),
    /// Structures of many bodies: time to so many digits, factorisations, memory, growth
    Scale(scale::Arguments),
    /// Time frictionless problems against LU of the same matrix and a QP solver
    Speed(speed::Arguments),
}

pub fn run(command: &Command) -> ExitCode {
    match command {
        Command::Families(arguments) => families::run(arguments),
        Command::Fclib(arguments) => fclib::run(arguments),
        Command::Hostile(arguments) => hostile::run(arguments),
        Command::Lloyd(arguments) => lloyd::run(arguments),
        Command::Record(arguments) => record::run(arguments),
        Command::Scale(arguments) => scale::run(arguments),
        Command::Speed(arguments) => speed::run(arguments),
    }
}

/// Thread CPU time of one call, in microseconds: the median of several runs,
/// at least three and about ten milliseconds in all.
pub fn median_us(mut call: impl FnMut()) -> f64 {
    median_of(|| timed(&mut call).1)
}

/// The same of whatever time a run says it took.
pub fn median_of(mut run: impl FnMut() -> f64) -> f64 {
    let mut times = Vec::new();
    let mut total = 0.0;
    while times.len() < 3 || (total < 10_000.0 && times.len() < 1000) {
        let us = run();
        total += us;
        times.push(us);
    }
    median(&mut times)
}

/// One call and its thread CPU time, in microseconds.
pub fn timed<T>(call: impl FnOnce() -> T) -> (T, f64) {
    let start = cpu_time::ThreadTime::now();
    let value = call();
    (value, start.elapsed().as_secs_f64() * 1e6)
}

pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Shows on stderr where a long run is.
pub fn progress(done: usize, count: usize, name: &str) {
    eprint!("\r{done:>4} of {count}  {name:<50}");
}

/// Leaves no trace of it.
pub fn end_progress() {
    eprint!("\r{:70}\r", "");
}

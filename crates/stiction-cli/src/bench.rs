//! Measurements: success over whole families, speed against LU and a QP, growth
//! with the number of contacts.

pub mod families;
mod fclib;
pub mod lloyd;
mod speed;

use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Solve every load of every problem file in a folder; count what is certified
    Families(families::Arguments),
    /// Solve friction problems without bodies (FCLIB, Siconos); count what is certified
    Fclib(fclib::Arguments),
    /// Lloyd's three methods over his families: time, pivots, success, growth
    Lloyd(lloyd::Arguments),
    /// Time frictionless problems against LU of the same matrix and a QP solver
    Speed(speed::Arguments),
}

pub fn run(command: &Command) -> ExitCode {
    match command {
        Command::Families(arguments) => families::run(arguments),
        Command::Fclib(arguments) => fclib::run(arguments),
        Command::Lloyd(arguments) => lloyd::run(arguments),
        Command::Speed(arguments) => speed::run(arguments),
    }
}

/// Thread CPU time of one call, in microseconds: the median of several runs,
/// at least three and about ten milliseconds in all.
pub fn median_us(mut call: impl FnMut()) -> f64 {
    let mut times = Vec::new();
    let mut total = Duration::ZERO;
    while times.len() < 3 || (total < Duration::from_millis(10) && times.len() < 1000) {
        let start = cpu_time::ThreadTime::now();
        call();
        let time = start.elapsed();
        total += time;
        times.push(time.as_secs_f64() * 1e6);
    }
    median(&mut times)
}

pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

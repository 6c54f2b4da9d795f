//! Lloyd's three methods over families of problems, from files.

pub mod measure;

use super::{CONTACT_FILE, Files};
use measure::{Batch, Configurations, METHODS, Settings, Tally, measure};
use serde::Serialize;
use std::process::ExitCode;
use stiction_solvers::file::FileError;
use stiction_solvers::lloyd2004::Method;
use stiction_terminal::timing::set_repeats;
use stiction_terminal::{exit, refuse, say};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    files: Files,
    /// Skip problems with more contacts than this
    #[arg(long, default_value_t = 400)]
    most_contacts: usize,
    /// Skip the standard method for more unknowns than this
    #[arg(long, default_value_t = 400)]
    most_standard: usize,
    /// Update the inverse of reduced systems with more unknowns than this
    #[arg(long, value_name = "K")]
    crossover: Option<usize>,
    /// List every load that a method does not solve alone
    #[arg(long)]
    failures: bool,
    /// Runs of every measurement, whatever time they take: to count instructions [default: as many
    /// as a median needs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: Option<u32>,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

fn measure_files(arguments: &Arguments) -> Result<Configurations, FileError> {
    let paths = arguments.files.paths(&[CONTACT_FILE])?;
    let settings = Settings {
        contacts: arguments.most_contacts,
        standard: arguments.most_standard,
        crossover: arguments.crossover,
        failures: arguments.failures,
    };
    measure(paths.iter().map(|path| Batch::open(path)), &settings)
}

/// How much longer a method takes at the larger of two configurations.
fn growth(found: &Configurations, from: &str, to: &str, method: &str) -> Option<f64> {
    let us = |name: &str| found.get(name)?.methods.get(method).map(|t| t.median_us);
    Some(us(to)? / us(from)?)
}

/// Pairs of configurations whose growth is reported.
const GROWTHS: [(&str, &str); 2] = [("peg_n008", "peg_n032"), ("peg_n032", "peg_n128")];

#[derive(Serialize)]
struct Report {
    configurations: Configurations,
    growth: Vec<Growth>,
    choice: Option<(f64, String)>,
}

#[derive(Serialize)]
struct Growth {
    from: &'static str,
    to: &'static str,
    method: &'static str,
    times: f64,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    set_repeats(arguments.repeats);
    let configurations = match measure_files(arguments) {
        Ok(found) => found,
        Err(error) => return refuse(&error),
    };
    let mut growths = Vec::new();
    for (from, to) in GROWTHS {
        for method in METHODS.map(Method::name) {
            if let Some(times) = growth(&configurations, from, to, method) {
                growths.push(Growth { from, to, method, times });
            }
        }
    }
    let choice = choice(&configurations);
    let report = Report { configurations, growth: growths, choice };
    let wrong =
        report.configurations.values().flat_map(|c| c.methods.values()).any(|t| t.wrong > 0);
    if arguments.json {
        say!("{}", serde_json::to_string(&report).unwrap_or_default());
    } else {
        print(&report);
    }
    ExitCode::from(if wrong { exit::NO } else { 0 })
}

fn print(report: &Report) {
    say!(
        "{:<38} {:>4} {:>3}  {:<10} {:>6} {:>8} {:>9} {:>6} {:>8} {:>10} {:>9}",
        "configuration",
        "n",
        "m",
        "method",
        "loads",
        "alone %",
        "in all %",
        "wrong",
        "pivots",
        "µs",
        "worst"
    );
    for (name, c) in &report.configurations {
        for (method, t) in &c.methods {
            let percent = |k: usize| 100.0 * k as f64 / t.loads as f64;
            say!(
                "{name:<38} {:>4} {:>3}  {method:<10} {:>6} {:>8.2} {:>9.2} {:>6} {:>8.0} {:>10.2} {:>9.1e}",
                c.contacts,
                c.bodies,
                t.loads,
                percent(t.alone),
                percent(t.certified),
                t.wrong,
                t.median_pivots,
                t.median_us,
                t.worst_residual
            );
        }
    }
    say!("");
    for method in METHODS.map(Method::name) {
        let all = || report.configurations.values().filter_map(|c| c.methods.get(method));
        let sum = |of: fn(&Tally) -> usize| all().map(of).sum::<usize>();
        let loads = sum(|t| t.loads);
        if loads > 0 {
            let worst = all().map(|t| t.worst_residual).fold(0.0, f64::max);
            say!(
                "{method:<10} {loads} loads: {} certified, {} of them by a fallback, {} wrong, worst residual {worst:.1e}",
                sum(|t| t.certified),
                sum(|t| t.certified) - sum(|t| t.alone),
                sum(|t| t.wrong)
            );
        }
    }
    for g in &report.growth {
        say!("{:<10} {} → {}: {:.1} times as long", g.method, g.from, g.to, g.times);
    }
    if let Some((times, name)) = &report.choice {
        say!(
            "the choice of auto: up to {SMALL} contacts, at worst {times:.2} times the time of the best method ({name})"
        );
    }
}

/// Contacts up to which the choice of `auto` is compared with the best method.
const SMALL: usize = 40;

/// The configuration at which the choice of `auto` is slowest relative to the best method, and
/// the factor.
fn choice(configurations: &Configurations) -> Option<(f64, String)> {
    let behind =
        configurations.iter().filter(|(_, c)| c.contacts <= SMALL).filter_map(|(name, c)| {
            let best = c.methods.values().map(|t| t.median_us).fold(f64::INFINITY, f64::min);
            let taken = c.methods.get(c.auto.map(Method::name)?)?;
            Some((taken.median_us / best, name.clone()))
        });
    behind.max_by(|a, b| a.0.total_cmp(&b.0))
}

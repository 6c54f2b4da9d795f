//! `stiction bench fuzz`: damaged files for every reader; none may panic, or take long.
//!
//! ```text
//!   files of the corpus ─seed, number→ damaged bytes → reader (→ solver, judge, stepper) → read, refused ┐
//!                                                                               └ panic, no end ┴→ tally
//! ```
//!
//! `fuzz/mutate.rs` damages, `fuzz/targets.rs` says who reads what, `fuzz/seeds.rs` where the files come from.

mod mutate;
mod seeds;
mod targets;

use super::campaign::{self, End};
use super::draw::Draw;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use stiction_terminal::{exit, print_report, progress, refuse, say};
use targets::{TARGETS, Target};

/// Cases between two looks at the clock.
const BATCH: u64 = 50;

/// CPU time of a case above which it is a finding (s). Readers take milliseconds; what is solved or run has budgets
/// of work.
const SLOW: f64 = campaign::SLOW;

#[derive(clap::Args)]
pub struct Arguments {
    /// Only this target
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(TARGETS.map(|it| it.name)))]
    target: Option<String>,
    /// Wall time for each target (s)
    #[arg(long, value_name = "S", default_value_t = 5)]
    seconds: u64,
    /// Seed of all cases
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only the case with this number
    #[arg(long, value_name = "NUMBER", requires = "target")]
    case: Option<u64>,
    /// The checkout, in which files to damage are sought: corpus, scenes
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    root: PathBuf,
    /// Threads; by default all
    #[arg(long)]
    threads: Option<usize>,
    /// Write the inputs of all findings into this folder; with --case that input
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// Counts of one target.
#[derive(Default, Serialize)]
struct Tally {
    cases: u64,
    /// Inputs that were read.
    read: u64,
    /// Inputs that were refused with a message.
    refused: u64,
    panics: u64,
    slow: u64,
    /// The largest CPU time of a case (s).
    slowest: f64,
}

/// A case worth a test.
#[derive(Serialize)]
struct Finding {
    target: &'static str,
    number: u64,
    what: String,
}

#[derive(Default, Serialize)]
struct Report {
    targets: BTreeMap<&'static str, Tally>,
    findings: Vec<Finding>,
}

/// What a case comes to: whether the input was read, and the CPU time (s).
struct Tried {
    read: bool,
    seconds: f64,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    match runs(arguments) {
        Ok(report) => {
            print_report(&report, arguments.json, || print(&report, arguments.seed));
            ExitCode::from(if report.findings.is_empty() { 0 } else { exit::NO })
        }
        Err(error) => refuse(&error),
    }
}

fn runs(arguments: &Arguments) -> io::Result<Report> {
    let mut report = Report::default();
    let wanted = |it: &&Target| arguments.target.as_ref().is_none_or(|name| name == it.name);
    for (k, target) in TARGETS.iter().enumerate().filter(|(_, it)| wanted(it)) {
        progress::show(k, TARGETS.len(), target.name);
        let seeds = Arc::new((target.seeds)(&arguments.root)?);
        if seeds.is_empty() {
            let (name, root) = (target.name, arguments.root.display());
            return Err(io::Error::other(format!("{root}: has no files for the target {name}")));
        }
        if let (Some(folder), Some(number)) = (&arguments.keep, arguments.case) {
            keep(folder, target, number, &input(target, &seeds, arguments.seed, number))?;
        }
        try_all(arguments, target, &seeds, &mut report)?;
    }
    progress::clear();
    Ok(report)
}

/// The damaged input of a case.
fn input(target: &Target, seeds: &[Vec<u8>], seed: u64, number: u64) -> Vec<u8> {
    let mut draw = Draw::new(&format!("fuzz {}", target.name), seed, number);
    mutate::mutate(&mut draw, seeds)
}

/// Batches of cases until the time is over.
fn try_all(
    arguments: &Arguments,
    target: &'static Target,
    seeds: &Arc<Vec<Vec<u8>>>,
    report: &mut Report,
) -> io::Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = arguments.threads.unwrap_or(threads);
    let (begun, limit) = (Instant::now(), Duration::from_secs(arguments.seconds));
    let mut first = arguments.case.unwrap_or(0);
    let batch = if arguments.case.is_some() { 1 } else { BATCH };
    let tally = report.targets.entry(target.name).or_default();
    loop {
        let (given, seed) = (Arc::clone(seeds), arguments.seed);
        let attempt = move |k: u64| {
            let bytes = input(target, &given, seed, first + k);
            let clock = cpu_time::ThreadTime::now();
            let read = (target.read)(&bytes);
            Tried { read, seconds: clock.elapsed().as_secs_f64() }
        };
        let mut found = Vec::new();
        campaign::run(batch, threads, attempt, |k, end| {
            if let Some(what) = tally.see(&end) {
                found.push((first + k, what));
            }
        });
        for (number, what) in found {
            if let Some(folder) = &arguments.keep {
                keep(folder, target, number, &input(target, seeds, arguments.seed, number))?;
            }
            report.findings.push(Finding { target: target.name, number, what });
        }
        first += batch;
        if begun.elapsed() >= limit || arguments.case.is_some() {
            return Ok(());
        }
    }
}

impl Tally {
    /// Counts a case; returns what is wrong with it.
    fn see(&mut self, end: &End<Tried>) -> Option<String> {
        self.cases += 1;
        match end {
            End::Tried(Tried { read, seconds }) => {
                *(if *read { &mut self.read } else { &mut self.refused }) += 1;
                self.slowest = self.slowest.max(*seconds);
                self.slow += u64::from(*seconds > SLOW);
                (*seconds > SLOW).then(|| format!("takes {seconds:.1} s"))
            }
            End::Panicked(message) => {
                self.panics += 1;
                Some(message.clone())
            }
            End::Unfinished(seconds) => {
                self.slow += 1;
                Some(format!("has not ended after {seconds:.0} s"))
            }
        }
    }
}

/// Writes the input of a case.
fn keep(folder: &Path, target: &Target, number: u64, bytes: &[u8]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(format!("{}-{number}.{}", target.name, target.ending)), bytes)
}

fn print(report: &Report, seed: u64) {
    say!(
        "{:<12}  {:>8}  {:>8}  {:>8}  {:>6}  {:>4}  slowest s",
        "target",
        "cases",
        "read",
        "refused",
        "panics",
        "slow"
    );
    for (name, it) in &report.targets {
        let Tally { cases, read, refused, panics, slow, slowest } = it;
        say!(
            "{name:<12}  {cases:>8}  {read:>8}  {refused:>8}  {panics:>6}  {slow:>4}  {slowest:>9.2}"
        );
    }
    for Finding { target, number, what } in &report.findings {
        say!("--target {target} --seed {seed} --case {number}: {what}");
    }
}

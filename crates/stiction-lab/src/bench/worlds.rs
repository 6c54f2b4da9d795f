//! `stiction bench worlds`: random scenes, run by the steppers; no run that is certified may break a
//! law.
//!
//! ```text
//!   seed, number → scene (TOML) → stepper → frames → judge of motion → certified? ┐
//!                                              └─ independent check → right?      ┴→ tally
//! ```
//!
//! `docs/certificates.md` says what is checked and how.

mod body;
mod case;
mod check;
mod joints;
mod scene;
mod tally;

use super::campaign::{self, End};
use super::draw;
use case::Tried;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use stiction::scene::StepperKind;
use stiction_terminal::{exit, print_report, progress, refuse};
use tally::Report;

#[derive(clap::Args)]
pub struct Arguments {
    /// Number of scenes; each is run by every stepper
    #[arg(long, default_value_t = 1000)]
    scenes: u64,
    /// Seed of all scenes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this stepper
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(STEPPERS.map(StepperKind::name)))]
    stepper: Option<String>,
    /// Only the scene with this number
    #[arg(long, value_name = "NUMBER")]
    case: Option<u64>,
    /// Threads; by default all
    #[arg(long)]
    threads: Option<usize>,
    /// Write the scenes of all findings into this folder, for `stiction run`; with --case that scene
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// The steppers of bodies with inertia.
const STEPPERS: [StepperKind; 2] = [StepperKind::EventDriven, StepperKind::TimeStepping];

pub fn run(arguments: &Arguments) -> ExitCode {
    match runs(arguments) {
        Ok(report) => {
            print_report(&report, arguments.json, || report.print());
            ExitCode::from(if report.has_faults() { exit::NO } else { 0 })
        }
        Err(error) => refuse(&error),
    }
}

fn runs(arguments: &Arguments) -> io::Result<Report> {
    let only = arguments.stepper.as_deref().and_then(StepperKind::by_name);
    let steppers = only.map_or(STEPPERS.to_vec(), |stepper| vec![stepper]);
    let (first, scenes) = arguments.case.map_or((0, arguments.scenes), |number| (number, 1));
    let count = scenes * steppers.len() as u64;
    let place = {
        let steppers = steppers.clone();
        move |k: u64| {
            let each = steppers.len() as u64;
            (first + k / each, steppers[(k % each) as usize])
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let folder = std::env::temp_dir().join(format!("stiction-worlds-{}", std::process::id()));
    if let (Some(folder), Some(number)) = (&arguments.keep, arguments.case) {
        keep(folder, arguments.seed, number)?;
    }
    let mut ends: Vec<Option<End<Tried>>> = (0..count).map(|_| None).collect();
    let (seed, home, at) = (arguments.seed, Arc::new(folder.clone()), place.clone());
    let attempt = move |k: u64| {
        let (number, stepper) = at(k);
        case::attempt(&home, seed, number, stepper)
    };
    let mut done = 0;
    campaign::run(count, arguments.threads.unwrap_or(threads), attempt, |k, end| {
        done += 1;
        progress::show(done, ends.len(), place(k).1.name());
        if let Some(slot) = ends.get_mut(k as usize) {
            *slot = Some(end);
        }
    });
    progress::clear();
    // Nothing is there unless a scene has a mesh.
    let _ = std::fs::remove_dir_all(&folder);
    let mut report = Report::default();
    for (k, end) in ends.into_iter().enumerate() {
        let ((number, stepper), Some(end)) = (place(k as u64), end) else { continue };
        if arguments.case.is_some() && !arguments.json {
            tally::print_details(stepper.name(), &end);
        }
        let found = report.see(number, stepper.name(), &end);
        if let Some(folder) = arguments.keep.as_ref().filter(|_| found) {
            keep(folder, seed, number)?;
        }
    }
    Ok(report)
}

/// Writes a scene and its meshes into a folder of their own.
fn keep(folder: &Path, seed: u64, number: u64) -> io::Result<()> {
    let name = format!("{seed}-{number}");
    case::write(&folder.join(&name), &format!("{name}.toml"), &scene::generate(seed, number))
}

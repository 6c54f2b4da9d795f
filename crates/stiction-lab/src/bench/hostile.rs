//! `stiction bench hostile`: problems designed to break solvers and judge. The answers are checked
//! in exact arithmetic that is independent of both.
//!
//! ```text
//!   family, seed, number → problem → solver → judge → certified? ┐
//!                             └─ exact check in 300 bits → right?┴→ verdict
//! ```
//!
//! `docs/hostile.md` defines right and wrong, and the columns.

mod case;
mod exact;
mod families;
mod given;
mod laws;
mod matrix;
mod mutate;
mod number;
mod tally;
mod verdict;

use super::campaign::{self, End};
use super::draw;
use case::Tried;
use families::{FAMILIES, Family};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use stiction_terminal::{exit, progress, refuse, say};
use tally::{Finding, Report};

/// One problem of the campaign.
#[derive(Clone, Copy)]
struct Place {
    family: &'static Family,
    number: u64,
}

/// The problems of a campaign.
struct Plan {
    families: Vec<&'static Family>,
    first: u64,
}

impl Plan {
    /// Round robin over the families.
    fn place(&self, k: u64) -> Place {
        let families = self.families.len() as u64;
        Place { family: self.families[(k % families) as usize], number: self.first + k / families }
    }
}

#[derive(clap::Args)]
pub struct Arguments {
    /// Number of problems, one answer each; mutated copies of certified answers are added
    #[arg(long, default_value_t = 20_000)]
    answers: u64,
    /// Seed of all problems
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only this family
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(FAMILIES.iter().map(|f| f.name)))]
    family: Option<String>,
    /// Only the problem with this number
    #[arg(long, value_name = "NUMBER", requires = "family")]
    case: Option<u64>,
    /// Threads; by default all
    #[arg(long)]
    threads: Option<usize>,
    /// Write all counts and findings to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write problems and answers of all findings into this folder, for `stiction verify`
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// List the families
    #[arg(long)]
    list: bool,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    if arguments.list {
        for family in FAMILIES {
            say!("{:<15} {}", family.name, family.what);
        }
        return ExitCode::SUCCESS;
    }
    match campaign(arguments) {
        Ok(report) => {
            report.print();
            ExitCode::from(if report.has_faults() { exit::NO } else { 0 })
        }
        Err(error) => refuse(&error),
    }
}

fn campaign(arguments: &Arguments) -> io::Result<Report> {
    let only = arguments.family.as_deref().and_then(families::named);
    let families: Vec<&'static Family> = only.map_or(FAMILIES.iter().collect(), |it| vec![it]);
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let plan = Arc::new(Plan { families, first: arguments.case.unwrap_or(0) });
    let count = if arguments.case.is_some() { 1 } else { arguments.answers };
    if let Some(folder) = &arguments.keep {
        std::fs::create_dir_all(folder)?;
    }
    let mut ends: Vec<Option<(Place, End<Tried>)>> = (0..count).map(|_| None).collect();
    let mut done = 0;
    let (shared, seed) = (Arc::clone(&plan), arguments.seed);
    let attempt = move |k: u64| {
        let place = shared.place(k);
        case::attempt(place.family, seed, place.number)
    };
    campaign::run(count, arguments.threads.unwrap_or(all), attempt, |k, end| {
        let place = plan.place(k);
        done += 1;
        if done % 100 == 0 {
            progress::show(done, ends.len(), place.family.name);
        }
        if let Some(slot) = ends.get_mut(k as usize) {
            *slot = Some((place, end));
        }
    });
    progress::clear();
    // Counted in the order of the problems, so that the report does not depend on threads.
    let mut report = Report::default();
    for (place, end) in ends.into_iter().flatten() {
        if arguments.case.is_some() {
            tally::print_details(place, seed, &end);
        }
        for finding in report.see(place, seed, end) {
            if let Some(folder) = &arguments.keep {
                keep(folder, place, arguments.seed, &finding)?;
            }
        }
    }
    if let Some(path) = &arguments.json {
        std::fs::write(path, serde_json::to_string_pretty(&report).unwrap_or_default())?;
    }
    Ok(report)
}

/// Writes a problem and its answer to the same folder.
fn keep(folder: &Path, place: Place, seed: u64, finding: &Finding) -> io::Result<()> {
    let how = finding.mutation.map_or(String::new(), |how| format!("-{how}"));
    let kind = finding.kind.replace(' ', "-");
    let name = format!("{}-{seed}-{}{how}-{kind}", place.family.name, place.number);
    let (ending, bytes) = case::file(place.family, seed, place.number);
    std::fs::write(folder.join(format!("{name}.{ending}")), bytes)?;
    match &finding.answer {
        Some(answer) => std::fs::write(folder.join(format!("{name}-answer.json")), answer),
        None => Ok(()),
    }
}

//! `stiction trace`: a method at work, event by event.

use crate::exit;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_solvers::file::ProblemFile;
use stiction_solvers::{Event, Found, all};

#[derive(clap::Args)]
pub struct Arguments {
    /// A contact-1 file
    problem: PathBuf,
    /// The method
    #[arg(long, default_value = all::NAMES[0], value_parser = clap::builder::PossibleValuesParser::new(all::NAMES))]
    solver: String,
    /// Which load of the file, from 0
    #[arg(long, value_name = "K", default_value_t = 0)]
    load: usize,
    /// One JSON object per event
    #[arg(long)]
    json: bool,
}

/// One event, as documented in `docs/output.md`.
#[derive(Serialize)]
struct Json {
    number: usize,
    #[serde(flatten)]
    event: Event,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let problem =
        ProblemFile::open(&arguments.problem).and_then(|file| file.problem(arguments.load));
    let problem = match problem {
        Ok(problem) => problem,
        Err(error) => return crate::refuse(&error),
    };
    let Some(mut solver) = all::by_name(&arguments.solver) else {
        return crate::refuse(&format!("{} is not a solver", arguments.solver));
    };
    let mut number = 0;
    let mut show = |event: Event| {
        number += 1;
        if arguments.json {
            let line = serde_json::to_string(&Json { number, event }).unwrap_or_default();
            say!("{line}");
        } else {
            say!("{number:>6}  {event}");
        }
    };
    let end = solver.attempt(&problem, None, &mut show);
    let (words, code) = match end {
        Ok(attempt) => match attempt.found {
            Found::Forces(_) => ("forces".to_owned(), 0),
            Found::Ray(_) => ("the direction of an impulse".to_owned(), 0),
        },
        Err(error) => (error.to_string(), exit::BREAKDOWN),
    };
    if !arguments.json {
        let shows = if number == 0 { " (this method shows no events)" } else { "" };
        say!("{}: {words} after {number} events{shows}", solver.name());
    }
    ExitCode::from(code)
}

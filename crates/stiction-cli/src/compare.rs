//! `stiction compare`: every solver on one problem.

use crate::input::{Given, InstantFlags};
use crate::parameters::Flags;
use crate::solve::{QUICK_US, reason};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
#[cfg(feature = "lab")]
use stiction_lab::bars::{Bar, Bars};
use stiction_solvers::all::{self, Choice};
use stiction_solvers::judge::{self, Law};
use stiction_solvers::{Answer, Call, NoObserver, Parameters, SolveError, Work};
use stiction_terminal::timing::median_us;
use stiction_terminal::{exit, refuse, say};

#[derive(clap::Args)]
pub struct Arguments {
    /// A contact-1 file, a scene or a recording
    problem: PathBuf,
    #[command(flatten)]
    instant: InstantFlags,
    /// Which load of the file, from 0
    #[arg(long, value_name = "K", default_value_t = 0)]
    load: usize,
    /// Work budget of each solver in units, as in `stiction solve`
    #[arg(long, value_name = "UNITS", value_parser = crate::solve::budget)]
    budget: Option<f64>,
    /// Write a bar chart of the times
    #[cfg(feature = "lab")]
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// One JSON array on stdout
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    parameters: Flags,
}

/// One solver on the problem, as documented in `docs/output.md`.
#[derive(Serialize)]
struct Line {
    solver: &'static str,
    /// Those of the given ones that it has.
    #[serde(skip_serializing_if = "Parameters::is_empty")]
    parameters: Parameters,
    /// `solved`, `impulse`, `uncertified`, `failed` or `unsupported`.
    outcome: &'static str,
    certified: bool,
    law: Option<Law>,
    /// Relative residual of that law, or of the weakest if none holds.
    residual: Option<f64>,
    pivots: Option<usize>,
    time_us: Option<f64>,
    /// What the solver approximates, does not model, or ran into.
    note: Option<String>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let given = match Given::read(&arguments.problem, &arguments.instant, arguments.load) {
        Ok(given) => given,
        Err(error) => return refuse(&error),
    };
    let (flags, budget) = (&arguments.parameters.given, arguments.budget);
    let choices = all::NAMES.iter().filter_map(|name| Choice::new(name, flags.of(name)).ok());
    let lines: Vec<Line> = choices.map(|choice| line(&given, &choice, budget)).collect();
    #[cfg(feature = "lab")]
    if let Some(path) = &arguments.svg
        && let Err(error) = std::fs::write(path, chart(arguments, &lines))
    {
        return refuse(&format!("{}: {error}", path.display()));
    }
    if arguments.json {
        say!("{}", serde_json::to_string(&lines).unwrap_or_default());
    } else {
        print(&lines);
    }
    ExitCode::from(if lines.iter().any(|l| l.certified) { 0 } else { exit::NO })
}

fn line(given: &Given, choice: &Choice, budget: Option<f64>) -> Line {
    let problem = &given.problem;
    let mut solver = choice.solver();
    solver.set_velocities(given.velocities.as_deref());
    let mut line = Line {
        solver: choice.name(),
        parameters: choice.parameters().clone(),
        outcome: "failed",
        certified: false,
        law: None,
        residual: None,
        pivots: None,
        time_us: None,
        note: solver.approximation().map(|words| format!("approximates: {words}")),
    };
    let work = || budget.map_or_else(|| Work::for_problem(problem), Work::new);
    let mut spent = work();
    let clock = cpu_time::ThreadTime::now();
    let found =
        solver.search(problem, Call { start: None, work: &mut spent, observer: &mut NoObserver });
    let once_us = clock.elapsed().as_secs_f64() * 1e6;
    let approximates = solver.approximation().is_some();
    match found.map(|found| judge::answer(problem, found, choice.name(), approximates)) {
        Ok(answer) => describe(&mut line, &answer),
        Err(SolveError::Unsupported { reason, .. }) => {
            line.outcome = "unsupported";
            line.note = Some(reason);
            return line;
        }
        Err(error) => line.note = Some(reason(&error, &spent)),
    }
    line.time_us = Some(if once_us > QUICK_US {
        once_us
    } else {
        median_us(|| {
            let call = Call { start: None, work: &mut work(), observer: &mut NoObserver };
            let _ = std::hint::black_box(solver.search(problem, call));
        })
    });
    line
}

fn describe(line: &mut Line, answer: &Answer) {
    let origin = &answer.provenance;
    line.certified = answer.is_certified();
    line.pivots = Some(origin.effort.pivots);
    if answer.is_impulse() {
        line.outcome = "impulse";
        return;
    }
    line.outcome = if line.certified { "solved" } else { "uncertified" };
    line.law = answer.certificate.certified;
    line.residual = Some(answer.certificate.residual());
    if origin.solver != origin.requested {
        line.note = line.note.take().or(Some(format!("by {}", origin.solver)));
    }
}

fn print(lines: &[Line]) {
    say!(
        "{:<18} {:<12} {:<34} {:>9} {:>7} {:>11}  note",
        "solver",
        "outcome",
        "certified for",
        "residual",
        "pivots",
        "µs"
    );
    let or_dash = |words: Option<String>| words.unwrap_or_else(|| "–".into());
    for l in lines {
        let note = match (&l.parameters, l.note.as_deref().unwrap_or("")) {
            (none, note) if none.is_empty() => note.to_owned(),
            (given, note) => format!("with {given}; {note}"),
        };
        let law = match (l.law, l.certified) {
            (Some(law), _) => law.to_string(),
            (None, true) => "a valid impulse".into(),
            (None, false) => "–".into(),
        };
        say!(
            "{:<18} {:<12} {law:<34} {:>9} {:>7} {:>11}  {}",
            l.solver,
            l.outcome,
            or_dash(l.residual.map(|r| format!("{r:.1e}"))),
            or_dash(l.pivots.map(|p| p.to_string())),
            or_dash(l.time_us.map(|t| format!("{t:.1}"))),
            note
        );
    }
}

/// Times as bars; solvers whose answer is not certified are hollow.
#[cfg(feature = "lab")]
fn chart(arguments: &Arguments, lines: &[Line]) -> String {
    let bar = |l: &Line| {
        let note = if l.certified { "" } else { " (not certified)" };
        Some(Bar { label: format!("{}{note}", l.solver), value: l.time_us?, hollow: !l.certified })
    };
    let name = arguments.problem.file_stem().unwrap_or_default().to_string_lossy();
    Bars {
        title: format!("{name}, load {}", arguments.load),
        note: "Time of one attempt; hollow: not certified".into(),
        unit: "µs".into(),
        all: lines.iter().filter_map(bar).collect(),
    }
    .svg()
}

//! `stiction trace`: the steps of a method, event by event.

use crate::input::{Given, InstantFlags};
use crate::parameters::Flags;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_solvers::all::{self, Choice};
use stiction_solvers::{Event, Forces, Found, Member, Observer, Set, Snapshot};
use stiction_terminal::{count, exit, refuse, say};

#[derive(clap::Args)]
pub struct Arguments {
    /// A contact-1 file, a scene or a recording
    problem: PathBuf,
    #[command(flatten)]
    instant: InstantFlags,
    /// The method
    #[arg(long, default_value = all::NAMES[0], value_parser = clap::builder::PossibleValuesParser::new(all::NAMES))]
    solver: String,
    /// Which load of the file, from 0
    #[arg(long, value_name = "K", default_value_t = 0)]
    load: usize,
    /// The index sets of the method after every event
    #[arg(long)]
    sets: bool,
    /// The forces after every event
    #[arg(long)]
    forces: bool,
    /// One JSON object per event
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    parameters: Flags,
}

/// One event, as documented in `docs/output.md`.
#[derive(Serialize)]
struct Json<'a> {
    number: usize,
    #[serde(flatten)]
    event: Event,
    #[serde(skip_serializing_if = "Option::is_none")]
    sets: Option<BTreeMap<&'static str, &'a [Member]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    forces: Option<&'a Forces>,
}

/// Prints events, each with the snapshot that follows it.
struct Tracer<'a> {
    arguments: &'a Arguments,
    unit: &'static str,
    /// The event that waits for its snapshot.
    pending: Option<Event>,
    number: usize,
    snapshots: usize,
}

impl Observer for Tracer<'_> {
    fn event(&mut self, event: Event) {
        self.flush(None);
        self.pending = Some(event);
    }

    fn snapshot(&mut self, snapshot: &Snapshot) {
        self.snapshots += 1;
        self.flush(Some(snapshot));
    }

    fn inspects(&self) -> bool {
        self.arguments.sets || self.arguments.forces
    }
}

impl Tracer<'_> {
    fn flush(&mut self, snapshot: Option<&Snapshot>) {
        let Some(event) = self.pending.take() else { return };
        self.number += 1;
        let sets = snapshot.filter(|_| self.arguments.sets).map(|it| &it.sets[..]);
        let forces = snapshot.filter(|_| self.arguments.forces).map(|it| &it.forces);
        if self.arguments.json {
            let json = Json { number: self.number, event, sets: sets.map(by_name), forces };
            say!("{}", serde_json::to_string(&json).unwrap_or_default());
            return;
        }
        let hint = match event {
            Event::Guessed => "; use --solver dantzig --initial zero to see the pivots",
            _ => "",
        };
        say!("{:>6}  {event}{hint}", self.number);
        for set in sets.unwrap_or_default() {
            say!("{:>8}{set}", "");
        }
        if let Some(forces) = forces {
            self.print_forces(forces);
        }
    }

    fn print_forces(&self, forces: &Forces) {
        for (i, force) in forces.contacts.iter().enumerate() {
            let ([x, y, z], unit) = (force.friction, self.unit);
            say!(
                "{:>8}contact {i}: normal {:.6}, friction [{x:.6}, {y:.6}, {z:.6}] {unit}",
                "",
                force.normal
            );
        }
        for (name, rows) in [("bilateral", &forces.bilateral), ("bounded", &forces.bounded)] {
            for (i, force) in rows.iter().enumerate() {
                say!("{:>8}{name} row {i}: {force:.6}", "");
            }
        }
    }
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let choice = match Choice::new(&arguments.solver, arguments.parameters.given.clone()) {
        Ok(choice) => choice,
        Err(error) => return refuse(&error),
    };
    match Given::read(&arguments.problem, &arguments.instant, arguments.load) {
        Ok(given) => trace(arguments, &choice, &given),
        Err(error) => refuse(&error),
    }
}

fn by_name(sets: &[Set]) -> BTreeMap<&'static str, &[Member]> {
    sets.iter().map(|set| (set.name, &set.members[..])).collect()
}

fn trace(arguments: &Arguments, choice: &Choice, given: &Given) -> ExitCode {
    let problem = &given.problem;
    let mut solver = choice.solver();
    solver.set_velocities(given.velocities.as_deref());
    let unit = problem.level().force_unit();
    let mut tracer = Tracer { arguments, unit, pending: None, number: 0, snapshots: 0 };
    let end = solver.candidate(problem, None, &mut tracer);
    tracer.flush(None);
    let code = match &end {
        Ok(found) if found.shortfall.is_none() => 0,
        _ => exit::BREAKDOWN,
    };
    if arguments.json {
        return ExitCode::from(code);
    }
    let events = count(tracer.number, "event", "events");
    let found = match end {
        Ok(found) => found,
        Err(error) => {
            say!("{choice} ended after {events}: {error}");
            return ExitCode::from(code);
        }
    };
    let shows = match (tracer.number, tracer.snapshots) {
        (0, _) => " (this method reports no events)",
        (_, 0) if tracer.inspects() => " (this method reports no sets or forces between events)",
        _ => "",
    };
    if let Some(residual) = found.shortfall {
        say!("{choice} ended after {events}, with a residual of {residual:.1e} (relative)");
        return ExitCode::from(code);
    }
    let (what, forces) = match &found.found {
        Found::Forces(forces) => ("forces", forces),
        Found::Ray(direction) => ("the direction of an impulse", direction),
    };
    say!("{choice}: {what} after {events}{shows}");
    if arguments.forces {
        tracer.print_forces(forces);
    }
    ExitCode::from(code)
}

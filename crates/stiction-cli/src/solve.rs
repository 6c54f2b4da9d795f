//! `stiction solve`: forces, modes, margins and the certificate.

mod impact;
mod lcp;
mod matrix;

use crate::bench::median_of;
use crate::exit;
use crate::parameters::{Flags, named};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_formats::read_matrix;
use stiction_solvers::all::{self, Choice};
use stiction_solvers::baraff1991::{self, Impact, ImpactError};
use stiction_solvers::file::{FileError, ProblemFile, read_answer};
use stiction_solvers::gallery;
use stiction_solvers::judge::{
    self, Certificate, Determinacy, Mode, Motion, OtherModes, Uniqueness,
};
use stiction_solvers::lloyd2004;
use stiction_solvers::matrix_solver;
use stiction_solvers::{
    ContactProblem, ContactSolver, Effort, Forces, ImpulseRay, Level, NoObserver, Outcome,
    Parameters, Route, Selection, Solution, SolveError, Stop, Work,
};

#[derive(clap::Args)]
pub struct Arguments {
    /// A contact-1 file, an FCLIB .hdf5 friction problem, or a Siconos .dat problem
    /// (friction or complementarity); without one, a built-in stack of bricks about
    /// to topple
    problem: Option<PathBuf>,
    /// The method; auto chooses by what the problem contains
    #[arg(long, default_value = all::NAMES[0], value_parser = clap::builder::PossibleValuesParser::new(names()))]
    solver: String,
    /// The friction cones: Coulomb's own, or pyramids (Lloyd's complementarity problem)
    #[arg(long, value_enum, default_value_t = ConeShape::Round)]
    cone: ConeShape,
    /// Sides of the pyramids [default: `d` of the file, or 8]
    #[arg(long, value_name = "D")]
    directions: Option<usize>,
    /// Which of all forces that cause the same motion [default: the smallest with auto, any
    /// with other methods]
    #[arg(long, value_enum, value_name = "WHICH")]
    forces: Option<Which>,
    /// An answer to start from: what `solve --json` printed, or CSV
    #[arg(long, value_name = "ANSWER")]
    start: Option<PathBuf>,
    /// Units of work that the search may take, about a nanosecond each [default: 2e9, and 1e7
    /// for each contact and row]
    #[arg(long, value_name = "UNITS", value_parser = budget)]
    budget: Option<f64>,
    /// Which load of the file, from 0
    #[arg(long, value_name = "K", default_value_t = 0, conflicts_with = "all")]
    load: usize,
    /// Every load of the file
    #[arg(long)]
    all: bool,
    /// One JSON object per load on stdout
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    parameters: Flags,
}

impl Arguments {
    /// Whether something was asked for that has a meaning for bodies only.
    fn needs_bodies(&self) -> bool {
        self.forces.is_some() || self.start.is_some() || self.cone != ConeShape::Round
    }
}

/// A budget of work.
pub fn budget(given: &str) -> Result<f64, String> {
    match given.parse() {
        Ok(units) if units > 0.0 => Ok(units),
        _ => Err("must be a positive number of units".to_owned()),
    }
}

/// Solvers of problems with bodies, then those that know bare matrices only.
fn names() -> Vec<&'static str> {
    let others = matrix_solver::NAMES.iter().filter(|name| !all::NAMES.contains(name));
    all::NAMES.iter().chain(others).copied().collect()
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ConeShape {
    Round,
    Pyramid,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    /// Those that are found
    Any,
    /// Of least norm
    Smallest,
    /// Nearest to the start
    Nearest,
}

impl From<Which> for Selection {
    fn from(which: Which) -> Self {
        match which {
            Which::Any => Selection::Any,
            Which::Smallest => Selection::Smallest,
            Which::Nearest => Selection::Nearest,
        }
    }
}

/// What takes longer is measured once.
pub const QUICK_US: f64 = 50_000.0;

/// What is printed about one load.
struct Answer {
    name: String,
    load: usize,
    solver: &'static str,
    parameters: Parameters,
    approximation: Option<&'static str>,
    time_us: f64,
    /// What the search took.
    work: Work,
    outcome: Result<Outcome, SolveError>,
    /// What the impulse does to bodies with the velocities of the file.
    impact: Option<Result<Impact, ImpactError>>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let solver = &arguments.solver;
    if let Err(error) = arguments.parameters.given.check(solver) {
        return crate::refuse(&error);
    }
    if let Some(path) = &arguments.problem {
        match read_matrix(path) {
            Ok(Some(_)) if arguments.needs_bodies() => {
                let message = "this problem has no bodies: --forces, --start and --cone need them";
                return crate::refuse(&built_in("solver", message.to_owned()));
            }
            Ok(Some(problem)) => {
                return matrix::run(path, &problem, arguments);
            }
            Ok(None) if path.extension().is_some_and(|ending| ending == "dat") => {
                if *solver != all::NAMES[0] || arguments.needs_bodies() {
                    return crate::refuse(&format!(
                        "{solver} cannot take this problem: it is a linear complementarity \
                         problem, which Lemke's algorithm solves without --solver and other flags"
                    ));
                }
                return lcp::run(path, arguments.json);
            }
            Ok(None) => {}
            Err(error) => return crate::refuse(&error),
        }
    }
    let answers = match answers(arguments) {
        Ok(answers) => answers,
        Err(error) => return crate::refuse(&error),
    };
    let mut worst = 0;
    for (problem, answer) in &answers {
        if arguments.json {
            say!("{}", json(problem, answer));
        } else {
            print(problem, answer);
        }
        worst = worst.max(code(answer));
    }
    ExitCode::from(worst)
}

fn answers(arguments: &Arguments) -> Result<Vec<(ContactProblem, Answer)>, FileError> {
    let Some(path) = &arguments.problem else {
        let mut solver = solver(arguments, None)?;
        let problem = gallery::overbalanced_bricks(0.5)
            .map_err(|error| built_in("problem", error.to_string()))?;
        let name = "overbalanced bricks (Baraff 1989, fig. 1), friction 0.5".to_owned();
        let start = start(arguments, &problem, 0)?;
        let budget = arguments.budget;
        let mut answer = answer(&problem, (name, 0), &mut *solver, start.as_ref(), None, budget);
        answer.parameters.clone_from(&arguments.parameters.given);
        return Ok(vec![(problem, answer)]);
    };
    let file = ProblemFile::open(path)?;
    let mut solver = solver(arguments, file.directions())?;
    let loads = if arguments.all { (0..file.len()).collect() } else { vec![arguments.load] };
    let name = file.name().map_or_else(|| path.display().to_string(), str::to_owned);
    let known = file.velocities();
    loads
        .into_iter()
        .map(|load| {
            let problem = file.problem(load)?;
            let velocities = known.clone().filter(|_| problem.level() == Level::Acceleration);
            let start = start(arguments, &problem, load)?;
            let (name, velocities) = ((name.clone(), load), velocities.as_deref());
            let (start, budget) = (start.as_ref(), arguments.budget);
            let mut answer = answer(&problem, name, &mut *solver, start, velocities, budget);
            answer.parameters.clone_from(&arguments.parameters.given);
            Ok((problem, answer))
        })
        .collect()
}

/// The answer to start from, if one is given.
fn start(
    arguments: &Arguments,
    problem: &ContactProblem,
    load: usize,
) -> Result<Option<Forces>, FileError> {
    arguments.start.as_ref().map(|path| read_answer(path, problem, load)).transpose()
}

/// The solver that was asked for, on the cones that were asked for.
fn solver(
    arguments: &Arguments,
    of_file: Option<usize>,
) -> Result<Box<dyn ContactSolver>, FileError> {
    let name = &arguments.solver;
    let parameters = &arguments.parameters.given;
    let from_zero = Parameters::default().with("initial", "zero");
    if arguments.start.is_some() && from_zero.is_ok_and(|zero| parameters.of(name) == zero) {
        let message = "--start gives forces to start from and --initial zero none: give one";
        return Err(built_in("start", message.to_owned()));
    }
    let found = match arguments.cone {
        ConeShape::Round => Choice::new(name, parameters.clone())
            .map(|choice| match arguments.forces {
                Some(which) => all::selecting(&choice, which.into()),
                None => choice.solver(),
            })
            .map_err(|_| format!("{name} takes bare matrices only, this problem has bodies")),
        ConeShape::Pyramid if arguments.forces.is_some() => {
            Err("--forces selects on round cones only".to_owned())
        }
        ConeShape::Pyramid => {
            let directions = arguments.directions.or(of_file).unwrap_or(lloyd2004::DIRECTIONS);
            all::on_pyramids(name, directions).ok_or_else(|| {
                format!("{name} knows round cones only; auto and the lloyd methods know pyramids")
            })
        }
    };
    found.map_err(|message| built_in("solver", message))
}

/// A fault of what the program brings along.
fn built_in(field: &str, message: String) -> FileError {
    FileError::Value { file: "built-in".into(), line: 0, field: field.into(), message }
}

fn answer(
    problem: &ContactProblem,
    (name, load): (String, usize),
    solver: &mut dyn ContactSolver,
    start: Option<&Forces>,
    velocities: Option<&[[f64; 6]]>,
    budget: Option<f64>,
) -> Answer {
    solver.set_velocities(velocities);
    let mut attempt = || {
        let clock = cpu_time::ProcessTime::now();
        let mut work = budget.map_or_else(|| Work::for_problem(problem), Work::new);
        let attempt = solver.attempt_within(problem, start, &mut work, &mut NoObserver);
        ((attempt, work), clock.elapsed().as_secs_f64() * 1e6)
    };
    let ((first, work), mut time_us) = attempt();
    if time_us < QUICK_US {
        time_us = median_of(|| attempt().1);
    }
    let outcome = first.map(|mut attempt| {
        work.enter(&mut attempt.effort);
        attempt.into_outcome(problem)
    });
    let impact = match (&outcome, velocities) {
        (Ok(Outcome::NeedsImpulse(ray)), Some(velocities)) => {
            Some(baraff1991::impact(problem, ray, velocities))
        }
        _ => None,
    };
    let (solver, approximation) = (solver.name(), solver.approximation());
    let parameters = Parameters::default();
    Answer { name, load, solver, parameters, approximation, time_us, work, outcome, impact }
}

fn code(answer: &Answer) -> u8 {
    let certified = match &answer.outcome {
        Ok(Outcome::Solved(solution)) => solution.certificate.is_certified(),
        Ok(Outcome::NeedsImpulse(ray)) => ray.certificate.certified,
        Err(SolveError::Uncertified { .. }) => false,
        Err(_) => return exit::BREAKDOWN,
    };
    if certified { 0 } else { exit::NO }
}

// ---- for people -------------------------------------------------------------

fn print(problem: &ContactProblem, answer: &Answer) {
    say!(
        "{}, load {}: {} bodies, {} contacts, {} level",
        answer.name,
        answer.load,
        problem.bodies().len(),
        problem.contacts().len(),
        problem.level().response_name()
    );
    match &answer.outcome {
        Ok(Outcome::Solved(solution)) => print_solution(problem, solution),
        Ok(Outcome::NeedsImpulse(ray)) => {
            print_ray(problem, ray);
            if let Some(impact) = &answer.impact {
                impact::print(impact);
            }
        }
        Err(error) => {
            say!("\n{} found no certified forces: {}", answer.solver, reason(error, &answer.work));
            if let SolveError::Uncertified { best, .. } = error {
                say!("\nthe best it has:");
                print_forces(problem, best);
                say!("\n{}", judge::judge(problem, best));
            }
        }
    }
    let solver = named(answer.solver, &answer.parameters);
    say!("\n{solver}, {}", effort(&answer.outcome, answer.time_us));
    if let Some(approximation) = answer.approximation {
        say!("an approximation: {approximation}");
    }
}

/// An error, and whether the work budget ended the search.
pub fn reason(error: &SolveError, work: &Work) -> String {
    let ended = if work.is_spent() { format!("; ended by {}", Stop::Work) } else { String::new() };
    format!("{error}{ended}")
}

fn effort(outcome: &Result<Outcome, SolveError>, time_us: f64) -> String {
    let said = |e: &Effort| {
        let ended = e.stop.map_or_else(String::new, |stop| format!(", ended by {stop}"));
        if e.stop.is_some() && e.drives == 0 {
            format!("{} iterations, {time_us:.0} µs{ended}", e.pivots)
        } else {
            format!("{} drives, {} pivots, {time_us:.0} µs{ended}", e.drives, e.pivots)
        }
    };
    match outcome {
        Ok(Outcome::Solved(Solution { effort, route, finish, by, .. })) => {
            let mut words = by.map_or_else(String::new, |name| format!("by {name}, "));
            words += &said(effort);
            if let Route::Restarted { sweeps } = route {
                let _ = write!(words, ", restarted after {sweeps} Gauss–Seidel sweeps");
            }
            if *route == Route::Fallback {
                words += ", after the method asked for had lost its way";
            }
            if let Route::AddsEnergy { amount } = route {
                let _ = write!(words, ", ADDS ENERGY: force × response is {amount:.3e}, not 0");
            }
            if let Route::Compromise { residual } = route {
                let _ = write!(words, ", bilateral rows gave way by up to {residual:.3e}");
            }
            if let Some(iterations) = finish {
                let _ =
                    write!(words, ", finished on the round cone in {iterations} Newton iterations");
            }
            words
        }
        Ok(Outcome::NeedsImpulse(ray)) => said(&ray.effort),
        Err(_) => format!("{time_us:.0} µs"),
    }
}

fn print_solution(problem: &ContactProblem, solution: &Solution) {
    print_forces(problem, &solution.forces);
    match solution.selection {
        Selection::Any => {}
        Selection::Smallest => say!("of all forces that cause this motion, these are the smallest"),
        Selection::Nearest => {
            say!("of all forces that cause this motion, these are the nearest to the start");
        }
    }
    say!("\n{}", solution.certificate);
}

fn print_ray(problem: &ContactProblem, ray: &ImpulseRay) {
    say!("\nno force was found that keeps the bodies apart: an impulse acts, along");
    say!("\n{:>8}  {:>12}  {:>12}", "contact", "normal", "friction");
    for (i, force) in ray.direction.contacts.iter().enumerate() {
        let friction = force.friction.iter().map(|x| x * x).sum::<f64>().sqrt();
        say!("{i:>8}  {:>12.6}  {friction:>12.6}", force.normal);
    }
    let valid = if ray.certificate.certified { "a valid contact impulse" } else { "NOT CERTIFIED" };
    say!(
        "\n{valid}: forces {:.1e}, responses {:.1e} off, moves {:.3e} {} per unit",
        ray.certificate.force_violation,
        ray.certificate.response_violation,
        ray.certificate.response,
        problem.level().response_unit()
    );
}

pub fn print_forces(problem: &ContactProblem, forces: &Forces) {
    let unit = problem.level().force_unit();
    let determinacy = judge::determinacy(problem, forces);
    say!(
        "\n{:>8}  {:>11}  {:>14}  {:>14}  {:<5}  {:>7}  unique",
        "contact",
        "bodies",
        format!("normal {unit}"),
        format!("friction {unit}"),
        "mode",
        "margin"
    );
    for (i, report) in judge::report(problem, forces).iter().enumerate() {
        let contact = &problem.contacts()[i];
        let other = contact.b.map_or_else(|| "world".to_owned(), |b| b.to_string());
        let mode = match report.mode {
            Mode::Open => "open",
            Mode::Stick => "stick",
            Mode::Slip => "slip",
        };
        let margin = report
            .margin
            .map_or_else(|| "–".to_owned(), |m| format!("{:.1} %", 100.0 * m.max(0.0)));
        let unique = word(&determinacy, i);
        say!(
            "{i:>8}  {:>11}  {:>14.6}  {:>14.6}  {mode:<5}  {margin:>7}  {unique}",
            format!("{} on {other}", contact.a),
            report.normal_force,
            report.friction_force
        );
    }
    for (name, rows) in [("bilateral", &forces.bilateral), ("bounded", &forces.bounded)] {
        for (i, force) in rows.iter().enumerate() {
            say!("{name} row {i}: {force:.6}");
        }
    }
    let motion = match determinacy.motion {
        Motion::Unique => "the motion is unique",
        Motion::LocallyUnique => "the motion is unique for these contact modes",
        Motion::NotShown => "the motion is not shown to be unique",
    };
    match determinacy.freedom {
        0 => say!("\n{motion}, and so are the forces"),
        1 => say!("\n{motion}; forces can shift in 1 way without changing it"),
        n => say!("\n{motion}; forces can shift in {n} independent ways without changing it"),
    }
    if determinacy.other_modes == OtherModes::NotExamined {
        say!("other contact modes were not examined; `stiction diagnose` examines them");
    }
}

fn word(determinacy: &Determinacy, contact: usize) -> &'static str {
    match (determinacy.contacts[contact], determinacy.normals[contact]) {
        (Uniqueness::Unique, _) if determinacy.other_modes == OtherModes::NotExamined => {
            "in these modes"
        }
        (Uniqueness::Unique, _) => "yes",
        (_, Uniqueness::Unique) => "normal only",
        (Uniqueness::NotUnique, _) => "no",
        (Uniqueness::Undecided, _) => "undecided",
    }
}

// ---- for programs -----------------------------------------------------------

/// One load, as documented in `docs/output.md`.
#[derive(Serialize)]
struct Json<'a> {
    problem: &'a str,
    load: usize,
    solver: &'a str,
    #[serde(skip_serializing_if = "Parameters::is_empty")]
    parameters: &'a Parameters,
    #[serde(skip_serializing_if = "Option::is_none")]
    approximation: Option<&'static str>,
    outcome: &'static str,
    certified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    level: Level,
    normal: Vec<f64>,
    friction: Vec<[f64; 3]>,
    bilateral: Vec<f64>,
    bounded: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    velocity: Option<Vec<[f64; 6]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    acceleration: Option<Vec<[f64; 6]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contacts: Option<Vec<judge::ContactReport>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    determinacy: Option<Determinacy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Certificate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ray_certificate: Option<judge::RayCertificate>,
    /// θ, then φ contact by contact, then λ, when the cones are pyramids.
    #[serde(skip_serializing_if = "Option::is_none")]
    z: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cone: Option<judge::Cone>,
    #[serde(skip_serializing_if = "Option::is_none")]
    impact: Option<impact::Json<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<Route>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    selection: Option<Selection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finish: Option<usize>,
    pivots: usize,
    effort: Effort,
    time_us: f64,
}

fn json(problem: &ContactProblem, answer: &Answer) -> String {
    let none = Forces::default();
    let (outcome, forces, effort, reason) = match &answer.outcome {
        Ok(Outcome::Solved(s)) => ("solved", &s.forces, s.effort, s.certificate.reason.clone()),
        Ok(Outcome::NeedsImpulse(ray)) => ("impulse", &ray.direction, ray.effort, None),
        Err(error) => {
            let best = match error {
                SolveError::Uncertified { best, .. } => best,
                _ => &none,
            };
            let mut effort = Effort::default();
            answer.work.enter(&mut effort);
            ("failed", best, effort, Some(reason(error, &answer.work)))
        }
    };
    let known =
        matches!(&answer.outcome, Ok(Outcome::Solved(_)) | Err(SolveError::Uncertified { .. }));
    let moved = known.then(|| judge::response(problem, forces).bodies);
    let accelerates = problem.level() == Level::Acceleration;
    let solution = match &answer.outcome {
        Ok(Outcome::Solved(solution)) => Some(solution),
        _ => None,
    };
    let ray = match &answer.outcome {
        Ok(Outcome::NeedsImpulse(ray)) => Some(ray.certificate),
        _ => None,
    };
    let object = Json {
        problem: &answer.name,
        load: answer.load,
        solver: answer.solver,
        parameters: &answer.parameters,
        approximation: answer.approximation,
        outcome,
        certified: code(answer) == 0,
        reason,
        level: problem.level(),
        normal: forces.contacts.iter().map(|f| f.normal).collect(),
        friction: forces.contacts.iter().map(|f| f.friction).collect(),
        bilateral: forces.bilateral.clone(),
        bounded: forces.bounded.clone(),
        velocity: moved.clone().filter(|_| !accelerates),
        acceleration: moved.filter(|_| accelerates),
        contacts: solution.map(|s| judge::report(problem, &s.forces)),
        determinacy: solution.map(|s| judge::determinacy(problem, &s.forces)),
        certificate: solution.map(|s| s.certificate.clone()),
        ray_certificate: ray,
        z: solution.and_then(|s| s.certificate.pyramid.as_ref()).map(|p| &p.z[..]),
        cone: solution.map(|s| s.cone),
        impact: answer.impact.as_ref().map(impact::Json::new),
        route: solution.map(|s| s.route),
        by: solution.and_then(|s| s.by),
        selection: solution.map(|s| s.selection),
        finish: solution.and_then(|s| s.finish),
        pivots: effort.pivots,
        effort,
        time_us: answer.time_us,
    };
    serde_json::to_string(&object).unwrap_or_default()
}

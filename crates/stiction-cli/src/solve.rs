//! `stiction solve`: forces, modes, margins and the certificate.

mod impact;
mod json;
mod lcp;
mod matrix;
mod print;

pub use json::contacts;
pub use print::print_forces;

use crate::input::{self, InputError, InstantFlags};
use crate::parameters::Flags;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_formats::read_matrix;
use stiction_solvers::all::{self, Choice};
use stiction_solvers::baraff1991::{self, Impact, ImpactError};
use stiction_solvers::file::{FileError, read_answer};
use stiction_solvers::gallery;
use stiction_solvers::lloyd2004;
use stiction_solvers::{
    Answer, Call, ContactProblem, ContactSolver, Forces, Level, NoObserver, Parameters, Selection,
    SolveError, Stop, Work, judge,
};
use stiction_terminal::timing::median_of;
use stiction_terminal::{exit, refuse, say};

#[derive(clap::Args)]
pub struct Arguments {
    /// A contact-1 file, a scene or a recording, an FCLIB .hdf5 friction problem, or a
    /// Siconos .dat problem (friction or complementarity); without one, a built-in stack
    /// of bricks about to topple
    problem: Option<PathBuf>,
    #[command(flatten)]
    instant: InstantFlags,
    /// The method; auto chooses by what the problem contains
    #[arg(long, default_value = all::NAMES[0], value_parser = clap::builder::PossibleValuesParser::new(all::NAMES))]
    solver: String,
    /// The friction cones: Coulomb's own, or pyramids (Lloyd's complementarity problem)
    #[arg(long, value_enum, default_value_t = ConeShape::Round)]
    cone: ConeShape,
    /// Sides of the pyramids [default: `d` of the file, or 8]
    #[arg(long, value_name = "D")]
    directions: Option<usize>,
    /// Which of all forces that cause the same motion [default: the minimum-norm forces with auto,
    /// any with other methods]
    #[arg(long, value_enum, value_name = "WHICH")]
    forces: Option<Which>,
    /// An answer to start from: what `solve --json` printed, or CSV
    #[arg(long, value_name = "ANSWER")]
    start: Option<PathBuf>,
    /// Work budget of the search in units of about a nanosecond [default: 2e9, and 1e7 for each
    /// contact and row]
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
    /// Whether a flag was given that applies to problems with bodies only.
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

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ConeShape {
    Round,
    Pyramid,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    /// Those found first
    Any,
    /// The minimum-norm forces
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

/// Searches that take longer are measured once.
pub const QUICK_US: f64 = 50_000.0;

/// What is printed about one load.
struct Solved {
    name: String,
    load: usize,
    solver: &'static str,
    parameters: Parameters,
    approximation: Option<&'static str>,
    time_us: f64,
    /// The work of the search.
    work: Work,
    answer: Result<Answer, SolveError>,
    /// What the impulse does to bodies with the velocities of the file.
    impact: Option<Result<Impact, ImpactError>>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let solver = &arguments.solver;
    if let Err(error) = arguments.parameters.given.check(solver) {
        return refuse(&error);
    }
    if let Some(path) = &arguments.problem {
        match read_matrix(path) {
            Ok(Some(_)) if arguments.instant.is_given() => {
                return refuse(&InputError::NoInstant(path.clone()));
            }
            Ok(Some(_)) if arguments.needs_bodies() => {
                let message = "this problem has no bodies: --forces, --start and --cone need them";
                return refuse(&built_in("solver", message.to_owned()));
            }
            Ok(Some(problem)) => {
                return matrix::run(path, &problem, arguments);
            }
            Ok(None) if path.extension().is_some_and(|ending| ending == "dat") => {
                if *solver != all::NAMES[0] || arguments.needs_bodies() {
                    return refuse(&format!(
                        "{solver} cannot take this problem: it is a linear complementarity \
                         problem, which Lemke's algorithm solves without --solver and other flags"
                    ));
                }
                return lcp::run(path, arguments.json);
            }
            Ok(None) => {}
            Err(error) => return refuse(&error),
        }
    }
    let answers = match answers(arguments) {
        Ok(answers) => answers,
        Err(error) => return refuse(&error),
    };
    let mut worst = 0;
    for (problem, solved) in &answers {
        if arguments.json {
            say!("{}", json::line(problem, solved));
        } else {
            print::print(problem, solved);
        }
        worst = worst.max(solved.code());
    }
    ExitCode::from(worst)
}

fn answers(arguments: &Arguments) -> Result<Vec<(ContactProblem, Solved)>, InputError> {
    let Some(path) = &arguments.problem else {
        let mut solver = solver(arguments, None)?;
        let problem = gallery::overbalanced_bricks(0.5)
            .map_err(|error| built_in("problem", error.to_string()))?;
        let name = "overbalanced bricks (Baraff 1989, fig. 1), friction 0.5".to_owned();
        let start = start(arguments, &problem, 0)?;
        let budget = arguments.budget;
        let mut solved = solve(&problem, (name, 0), &mut *solver, start.as_ref(), None, budget);
        solved.parameters.clone_from(&arguments.parameters.given);
        return Ok(vec![(problem, solved)]);
    };
    let file = input::problem(path, &arguments.instant)?;
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
            let mut solved = solve(&problem, name, &mut *solver, start, velocities, budget);
            solved.parameters.clone_from(&arguments.parameters.given);
            Ok((problem, solved))
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

/// The solver and the cones that were requested.
fn solver(
    arguments: &Arguments,
    of_file: Option<usize>,
) -> Result<Box<dyn ContactSolver>, FileError> {
    let name = &arguments.solver;
    let parameters = &arguments.parameters.given;
    let from_zero = Parameters::default().with("initial", "zero");
    if arguments.start.is_some() && from_zero.is_ok_and(|zero| parameters.of(name) == zero) {
        let message = "--start and --initial zero contradict each other: give one of them";
        return Err(built_in("start", message.to_owned()));
    }
    let found = match arguments.cone {
        ConeShape::Round => Choice::new(name, parameters.clone())
            .map(|choice| match arguments.forces {
                Some(which) => all::selecting(&choice, which.into()),
                None => choice.solver(),
            })
            .map_err(|error| error.to_string()),
        ConeShape::Pyramid if arguments.forces.is_some() => {
            Err("--forces selects on round cones only".to_owned())
        }
        ConeShape::Pyramid => {
            let directions = arguments.directions.or(of_file).unwrap_or(lloyd2004::DIRECTIONS);
            all::on_pyramids(name, directions).ok_or_else(|| {
                format!("{name} solves on round cones only; auto and the lloyd methods solve on pyramids")
            })
        }
    };
    found.map_err(|message| built_in("solver", message))
}

/// A fault without a file.
fn built_in(field: &str, message: String) -> FileError {
    FileError::Value { file: "built-in".into(), line: 0, field: field.into(), message }
}

fn solve(
    problem: &ContactProblem,
    (name, load): (String, usize),
    solver: &mut dyn ContactSolver,
    start: Option<&Forces>,
    velocities: Option<&[[f64; 6]]>,
    budget: Option<f64>,
) -> Solved {
    solver.set_velocities(velocities);
    let (solver_name, approximation) = (solver.name(), solver.approximation());
    let mut search = || {
        let clock = cpu_time::ProcessTime::now();
        let mut work = budget.map_or_else(|| Work::for_problem(problem), Work::new);
        let found =
            solver.search(problem, Call { start, work: &mut work, observer: &mut NoObserver });
        ((found, work), clock.elapsed().as_secs_f64() * 1e6)
    };
    let ((first, work), mut time_us) = search();
    if time_us < QUICK_US {
        time_us = median_of(|| search().1);
    }
    let answer = first.map(|mut candidate| {
        work.enter(&mut candidate.effort);
        judge::answer(problem, candidate, solver_name, approximation.is_some())
    });
    let impact = match (&answer, velocities) {
        (Ok(answer), Some(velocities)) if answer.is_impulse() => {
            Some(baraff1991::impact(problem, answer, velocities))
        }
        _ => None,
    };
    let (solver, parameters) = (solver_name, Parameters::default());
    Solved { name, load, solver, parameters, approximation, time_us, work, answer, impact }
}

impl Solved {
    /// Its exit code.
    fn code(&self) -> u8 {
        match &self.answer {
            Ok(answer) if answer.is_certified() => 0,
            Ok(_) => exit::NO,
            Err(_) => exit::BREAKDOWN,
        }
    }
}

/// An error, and whether the work budget ended the search.
pub fn reason(error: &SolveError, work: &Work) -> String {
    let ended = if work.is_spent() { format!("; ended by {}", Stop::Work) } else { String::new() };
    format!("{error}{ended}")
}

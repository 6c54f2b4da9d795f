//! `stiction collide`: a collision by two models, all contacts at once and one after the other
//! (Baraff 1989, §8).

use crate::input::{self, InputError};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_solvers::all;
use stiction_solvers::baraff1989::{
    Budget, Collision, CollisionEnd, Model, Pivoting, Refusal, Round, collide_with,
};
use stiction_solvers::file::FileError;
use stiction_solvers::{ContactProblem, ContactSolver, Place, gallery};
use stiction_terminal::{count, exit, print_report, refuse, say};

/// Rounds that the JSON lists of each model; fig. 12 has up to 100,000.
const LISTED: usize = 1000;

/// Work of prescribed motion below this part of the kinetic energy is rounding.
const DRIVEN: f64 = 1e-9;

#[derive(clap::Args)]
pub struct Arguments {
    /// A contact-1 file with velocities; without one, three billiard balls in a row, the first
    /// with 3 m/s (Baraff 1989, fig. 11)
    problem: Option<PathBuf>,
    /// Coefficients of restitution from 0 to 1: one for all contacts, or one per
    /// contact, separated by commas
    #[arg(
        long,
        value_name = "E,E,…",
        value_delimiter = ',',
        default_value = "1",
        allow_negative_numbers = true
    )]
    restitution: Vec<f64>,
    /// The solver of the rounds of all at once; `lp` is the paper's heuristic [default: dantzig,
    /// and lloyd-reduced where it finds nothing certified]
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(all::NAMES))]
    solver: Option<String>,
    /// Rounds, or single collisions, at most [default: 20000, or 100000]
    #[arg(long, value_name = "N")]
    rounds: Option<usize>,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// Both models, as documented in `docs/output.md`.
#[derive(Serialize)]
struct Report {
    problem: String,
    restitution: Vec<f64>,
    solver: &'static str,
    before: Vec<[f64; 6]>,
    simultaneous: ModelReport,
    propagation: ModelReport,
}

/// One model.
#[derive(Serialize)]
struct ModelReport {
    /// `[linear; angular]` velocity of each body.
    after: Vec<[f64; 6]>,
    /// Normal impulse of each contact (N·s).
    impulse: Vec<f64>,
    /// Energy gained at contacts and joints (J).
    energy: f64,
    /// Work of bodies with a prescribed motion (J).
    work: f64,
    /// Kinetic energy (J).
    energy_before: f64,
    energy_after: f64,
    /// Rounds, or single collisions.
    steps: usize,
    settled: bool,
    /// Whether no round was refused: all that were applied are certified.
    certified: bool,
    /// Largest relative residual of the rounds made.
    residual: f64,
    /// How it ended, as a sentence.
    end: String,
    refused: Option<RefusalReport>,
    /// The impulse that stops joints which the velocities break.
    joints: Option<RoundReport>,
    /// Contacts that no motion opens.
    jammed: Vec<usize>,
    rounds: Vec<RoundReport>,
}

#[derive(Serialize)]
struct RoundReport {
    round: usize,
    /// The contact of a single collision.
    contact: Option<usize>,
    contacts: usize,
    solver: &'static str,
    certified: bool,
    residual: f64,
    energy_before: f64,
    energy_after: f64,
    /// Energy gained at contacts and joints (J).
    gain: f64,
}

#[derive(Serialize)]
struct RefusalReport {
    round: usize,
    solver: &'static str,
    #[serde(flatten)]
    place: Option<Place>,
    residual: Option<f64>,
    cause: String,
}

struct Input {
    name: String,
    problem: ContactProblem,
    before: Vec<[f64; 6]>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let Input { name, problem, before } = match read(arguments) {
        Ok(input) => input,
        Err(error) => return refuse(&error),
    };
    let restitution = match &arguments.restitution[..] {
        [one] => vec![*one; problem.contacts().len()],
        several => several.to_vec(),
    };
    let solver: Option<Box<dyn ContactSolver>> = match &arguments.solver {
        None => Some(Box::new(Pivoting)),
        Some(name) => all::by_name(name).map(|solver| solver as Box<dyn ContactSolver>),
    };
    let Some(mut solver) = solver else { return refuse(&"--solver: unknown solver") };
    let name_of_solver = solver.name();
    let budget = arguments.rounds.map_or_else(Budget::default, |n| Budget {
        rounds: n,
        single_collisions: n,
        ..Budget::default()
    });
    let mut collide = |model| {
        collide_with(&mut *solver, budget, &problem, &before, &restitution, model)
            .map(ModelReport::new)
    };
    let both = collide(Model::Simultaneous).and_then(|one| Ok((one, collide(Model::Propagation)?)));
    let (simultaneous, propagation) = match both {
        Ok(both) => both,
        Err(error) => return refuse(&format!("{name}: {error}")),
    };
    let good = simultaneous.settled && propagation.settled;
    let report = Report {
        problem: name,
        restitution,
        solver: name_of_solver,
        before,
        simultaneous,
        propagation,
    };
    print_report(&report, arguments.json, || report.print());
    ExitCode::from(if good { 0 } else { exit::NO })
}

fn read(arguments: &Arguments) -> Result<Input, InputError> {
    let fault = |file: String, field: &str, message: String| FileError::Value {
        file,
        line: 1,
        field: field.into(),
        message,
    };
    let Some(path) = &arguments.problem else {
        let problem = gallery::three_balls(3.0)
            .map_err(|error| fault("built-in".into(), "problem", error.to_string()))?;
        let before = problem.bodies().iter().map(|body| body.free_response).collect();
        return Ok(Input { name: "three balls (Baraff 1989, fig. 11)".into(), problem, before });
    };
    let file = input::problem_file(path)?;
    let name = path.display().to_string();
    let before = file.velocities().ok_or_else(|| {
        fault(name.clone(), "bodies", "no body has a velocity: nothing collides".into())
    })?;
    Ok(Input { name, problem: file.problem(0)?, before })
}

impl ModelReport {
    fn new(collision: Collision) -> Self {
        let (work, residual, settled) =
            (collision.work(), collision.residual(), collision.is_settled());
        let [energy_before, energy_after] = collision.kinetic;
        let end = collision.end.to_string();
        let refused = match collision.end {
            CollisionEnd::Refused(refusal) => Some(RefusalReport::new(&refusal)),
            CollisionEnd::Settled | CollisionEnd::Budget { .. } => None,
        };
        let rounds = collision.rounds.iter().take(LISTED).enumerate();
        ModelReport {
            after: collision.after,
            impulse: collision.impulse.contacts.iter().map(|j| j.normal).collect(),
            energy: collision.energy,
            work,
            energy_before,
            energy_after,
            steps: collision.steps,
            settled,
            certified: refused.is_none(),
            residual,
            end,
            refused,
            joints: collision.joints.map(|round| RoundReport::new(0, &round)),
            jammed: collision.jammed,
            rounds: rounds.map(|(k, round)| RoundReport::new(k + 1, round)).collect(),
        }
    }

    /// Whether bodies with a prescribed motion took part.
    fn is_driven(&self) -> bool {
        self.work.abs() > DRIVEN * self.energy_before.max(self.energy_after)
    }
}

impl RoundReport {
    fn new(number: usize, round: &Round) -> Self {
        let Round { contact, contacts, solver, residual, kinetic, gain } = *round;
        let [energy_before, energy_after] = kinetic;
        // Rounds that are not certified are not applied.
        let certified = true;
        RoundReport {
            round: number,
            contact,
            contacts,
            solver,
            certified,
            residual,
            energy_before,
            energy_after,
            gain,
        }
    }
}

impl RefusalReport {
    fn new(refusal: &Refusal) -> Self {
        let Refusal { round, solver, place, residual, ref cause } = *refusal;
        RefusalReport { round, solver, place, residual, cause: cause.to_string() }
    }
}

impl Report {
    fn print(&self) {
        let Report { problem, restitution, before, simultaneous, propagation, .. } = self;
        say!("{problem}: restitution {}\n", list(restitution));
        say!("{:>5}  {:<19}  {:^32}  {:^32}", "body", "", "velocity m/s", "angular rad/s");
        for (i, before) in before.iter().enumerate() {
            let states = [
                ("before", before),
                ("all at once", &simultaneous.after[i]),
                ("one after the other", &propagation.after[i]),
            ];
            for (state, v) in states {
                // `+ 0.0`: no minus sign before zeros.
                let [linear, angular] = [&v[..3], &v[3..]]
                    .map(|v| v.iter().map(|x| format!("{:>10.5}", x + 0.0)).collect());
                let [linear, angular]: [Vec<String>; 2] = [linear, angular];
                say!("{i:>5}  {state:<19}  {}  {}", linear.join(" "), angular.join(" "));
            }
        }
        say!("\n{:>7}  {:>15}  {:>19}", "contact", "all at once N·s", "one by one N·s");
        for (i, j) in simultaneous.impulse.iter().enumerate() {
            say!("{i:>7}  {j:>15.6}  {:>19.6}", propagation.impulse[i]);
        }
        say!("");
        simultaneous.print("all at once", "round");
        propagation.print("one after the other", "collision");
    }
}

impl ModelReport {
    fn print(&self, model: &str, step: &str) {
        say!(
            "{model}: {}, energy {:+.3e} J, certified: residual {:.1e}",
            count(self.steps, step, &format!("{step}s")),
            self.energy,
            self.residual
        );
        if !self.jammed.is_empty() {
            let jammed: Vec<String> = self.jammed.iter().map(usize::to_string).collect();
            say!("  jammed (they hold and do not bounce): contacts {}", jammed.join(", "));
        }
        if let Some(joints) = &self.joints {
            say!("  stopping joints and jammed contacts first takes {:.3e} J", -joints.gain);
        }
        if self.is_driven() {
            say!("  work of bodies with a prescribed motion: {:+.3e} J", self.work);
        }
        if !self.settled {
            let kind = if self.certified { "NOT SETTLED" } else { "NOT CERTIFIED" };
            say!("  {kind}: {}", self.end);
        }
    }
}

/// One number if all are the same.
fn list(restitution: &[f64]) -> String {
    match restitution {
        [first, rest @ ..] if rest.iter().all(|e| e == first) => first.to_string(),
        several => several.iter().map(f64::to_string).collect::<Vec<_>>().join(", "),
    }
}

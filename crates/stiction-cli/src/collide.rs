//! `stiction collide`: what a collision does, all contacts at once and one after
//! the other (Baraff 1989, §8).

use crate::exit;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_solvers::baraff1989::{Collision, CollisionError, Model, collide};
use stiction_solvers::file::{FileError, ProblemFile};
use stiction_solvers::{ContactProblem, Route, gallery};

#[derive(clap::Args)]
pub struct Arguments {
    /// A contact-1 file whose bodies have velocities; without one, three billiard
    /// balls in a row, the first with 3 m/s (Baraff 1989, fig. 11)
    problem: Option<PathBuf>,
    /// Coefficient of restitution of every contact, from 0 to 1
    #[arg(long, value_name = "E", default_value_t = 1.0)]
    restitution: f64,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// Both models, as documented in `docs/output.md`.
#[derive(Serialize)]
struct Json {
    problem: String,
    restitution: f64,
    before: Vec<[f64; 6]>,
    simultaneous: Told,
    propagation: Told,
}

/// One model.
#[derive(Serialize)]
struct Told {
    /// `[linear; angular]` velocity of each body.
    after: Vec<[f64; 6]>,
    /// Normal impulse of each contact (N·s).
    impulse: Vec<f64>,
    /// Kinetic energy gained (J).
    energy: f64,
    /// Rounds, or single collisions.
    steps: usize,
    settled: bool,
    /// The judge's word on all rounds; nothing for collisions that follow each other.
    certified: Option<bool>,
    /// Largest relative natural map of the rounds.
    natural_map: Option<f64>,
    /// Twice the energy added where the guesses were wrong (J).
    adds_energy: f64,
}

struct Input {
    name: String,
    problem: ContactProblem,
    before: Vec<[f64; 6]>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let Input { name, problem, before } = match read(arguments) {
        Ok(input) => input,
        Err(error) => return crate::refuse(&error),
    };
    let restitution = vec![arguments.restitution; problem.contacts().len()];
    let told = |model| collide(&problem, &before, &restitution, model).map(|c| tell(&c, model));
    let both = told(Model::Simultaneous).and_then(|one| Ok((one, told(Model::Propagation)?)));
    let (simultaneous, propagation) = match both {
        Ok(both) => both,
        Err(CollisionError::Impulses(error)) => {
            eprintln!("stiction: {name}: {error}");
            return ExitCode::from(exit::BREAKDOWN);
        }
        Err(error) => return crate::refuse(&format!("{name}: {error}")),
    };
    let good = simultaneous.certified == Some(true) && simultaneous.settled && propagation.settled;
    let told = Json {
        problem: name,
        restitution: arguments.restitution,
        before,
        simultaneous,
        propagation,
    };
    if arguments.json {
        say!("{}", serde_json::to_string(&told).unwrap_or_default());
    } else {
        print(&told);
    }
    ExitCode::from(if good { 0 } else { exit::NO })
}

fn read(arguments: &Arguments) -> Result<Input, FileError> {
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
    let file = ProblemFile::open(path)?;
    let name = path.display().to_string();
    let before = file.velocities().ok_or_else(|| {
        fault(name.clone(), "bodies", "none has a velocity: nothing collides".into())
    })?;
    Ok(Input { name, problem: file.problem(0)?, before })
}

fn tell(collision: &Collision, model: Model) -> Told {
    let rounds = &collision.rounds;
    let together = model == Model::Simultaneous;
    let adds = |route: &Route| match route {
        Route::AddsEnergy { amount } => *amount,
        _ => 0.0,
    };
    Told {
        after: collision.after.clone(),
        impulse: collision.impulse.contacts.iter().map(|j| j.normal).collect(),
        energy: collision.energy,
        steps: collision.steps,
        settled: collision.settled,
        certified: together.then(|| rounds.iter().all(|round| round.certificate.is_certified())),
        natural_map: together.then(|| {
            rounds.iter().fold(0.0, |m: f64, round| m.max(round.certificate.natural_map.relative))
        }),
        adds_energy: rounds.iter().map(|round| adds(&round.route)).sum(),
    }
}

fn print(told: &Json) {
    let Json { problem, restitution, before, simultaneous, propagation } = told;
    say!("{problem}: restitution {restitution}\n");
    say!("{:>5}  {:<19}  {:^32}  {:^32}", "body", "", "velocity m/s", "angular rad/s");
    for (i, before) in before.iter().enumerate() {
        let states = [
            ("before", before),
            ("all at once", &simultaneous.after[i]),
            ("one after the other", &propagation.after[i]),
        ];
        for (state, v) in states {
            // No minus before zeros.
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
    let ended = |t: &Told| if t.settled { "" } else { ", NOT SETTLED" };
    let word = if simultaneous.certified == Some(true) { "certified" } else { "NOT CERTIFIED" };
    say!(
        "\nall at once: {} rounds, energy {:+.3e} J, {word}: natural map {:.1e}{}",
        simultaneous.steps,
        simultaneous.energy,
        simultaneous.natural_map.unwrap_or(0.0),
        ended(simultaneous)
    );
    if simultaneous.adds_energy > 0.0 {
        say!("ADDS ENERGY: impulse × velocity is {:.3e} J, not 0", simultaneous.adds_energy);
    }
    say!(
        "one after the other: {} collisions, energy {:+.3e} J{}",
        propagation.steps,
        propagation.energy,
        ended(propagation)
    );
}

//! `stiction solve FILE.hdf5`, or a Siconos friction `.dat`: a problem without bodies.

use super::Arguments;
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use stiction_solvers::judge::{CERTIFIED, Exchange};
use stiction_solvers::{Answer, MatrixProblem, Stage, Stop, Work, all};
use stiction_terminal::{exit, refuse, say};

/// One problem, as documented in `docs/fclib.md`.
#[derive(Serialize)]
struct Json<'a> {
    problem: &'a str,
    solver: &'static str,
    /// The method that found it, if not the requested one.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    dimension: usize,
    contacts: usize,
    certified: bool,
    /// Per contact, normal first.
    r: &'a [f64],
    u: Vec<f64>,
    certificate: Certificate,
    stages: &'a [Stage],
    sweeps: usize,
    newton_steps: usize,
    /// Units of work.
    work: u64,
    /// Set if the work budget ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<Stop>,
    time_s: f64,
}

/// The local residual, and the measures of those who exchange such problems.
#[derive(Serialize)]
struct Certificate {
    certified: bool,
    relative: f64,
    #[serde(flatten)]
    exchange: Option<Exchange>,
}

pub fn run(path: &Path, problem: &MatrixProblem, arguments: &Arguments) -> ExitCode {
    let Some(mut solver) = all::by_name(&arguments.solver) else {
        return refuse(&format!("unknown solver {:?}", arguments.solver));
    };
    let start = cpu_time::ThreadTime::now();
    let mut work = arguments.budget.map_or_else(|| Work::for_matrix(problem), Work::new);
    let answer = match solver.solve_matrix(problem, &mut work) {
        Ok(answer) => answer,
        Err(error) => {
            return refuse(&format!("{error}; {} can", all::BARE.join(", ")));
        }
    };
    let time_s = start.elapsed().as_secs_f64();
    let name = path.display().to_string();
    let force = problem.flat(&answer.forces);
    let origin = &answer.provenance;
    let by = (origin.solver != origin.requested).then_some(origin.solver);
    let (sweeps, newton_steps) = (origin.effort.sweeps, origin.effort.pivots);
    let stop = work.is_spent().then_some(Stop::Work);
    if arguments.json {
        let object = Json {
            problem: &name,
            solver: solver.name(),
            by,
            dimension: problem.dimension(),
            contacts: problem.contacts(),
            certified: answer.is_certified(),
            r: &force,
            u: problem.response(&force),
            certificate: Certificate {
                certified: answer.is_certified(),
                relative: answer.certificate.natural_map.relative,
                exchange: answer.certificate.exchange,
            },
            stages: &origin.stages,
            sweeps,
            newton_steps,
            work: work.units(),
            stop,
            time_s,
        };
        say!("{}", serde_json::to_string(&object).unwrap_or_default());
    } else {
        print(&name, problem, &answer, &force);
        let by = by.map_or_else(String::new, |name| format!(" by {name}"));
        let ended = stop.map_or_else(String::new, |stop| format!(", ended by {stop}"));
        say!(
            "\n{}{by}, {sweeps} sweeps, {newton_steps} Newton steps, {time_s:.3} s{ended}",
            solver.name(),
        );
    }
    if answer.is_certified() { ExitCode::SUCCESS } else { ExitCode::from(exit::NO) }
}

fn print(name: &str, problem: &MatrixProblem, answer: &Answer, force: &[f64]) {
    let d = problem.dimension();
    say!("{name}: u = W r + q with {} contacts, dimension {d}\n", problem.contacts());
    say!("{:>7}  {:^50}  {:^50}", "contact", "force r: normal, tangents", "response u");
    let response = problem.response(force);
    for (i, (r, u)) in force.chunks_exact(d).zip(response.chunks_exact(d)).enumerate() {
        let numbers =
            |x: &[f64]| x.iter().map(|x| format!("{x:>16.8e}")).collect::<Vec<_>>().concat();
        say!("{i:>7}  {:<50}  {:<50}", numbers(r), numbers(u));
    }
    let verdict = if answer.is_certified() { "certified" } else { "NOT CERTIFIED" };
    let relative = answer.certificate.natural_map.relative;
    say!("\n{verdict}: {relative:.1e} relative (limit {CERTIFIED:.0e})");
    if let Some(c) = &answer.certificate.exchange {
        say!(
            "natural map {:.1e}, r_n ≥ −{:.1e}, u_n ≥ −{:.1e}, r_n u_n {:.1e}, cone {:.1e}, friction off the slip {:.1e}",
            c.natural_map_relative,
            c.negative_force,
            c.penetration,
            c.complementarity,
            c.cone,
            c.alignment
        );
    }
}

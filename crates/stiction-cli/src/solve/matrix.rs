//! `stiction solve FILE.hdf5`, or a Siconos friction `.dat`: a problem without bodies.

use super::Arguments;
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use stiction_solvers::judge::{MATRIX_CERTIFIED, MatrixCertificate};
use stiction_solvers::matrix_solver::{self, MatrixSolution};
use stiction_solvers::{MatrixProblem, Stop, Work};
use stiction_terminal::{exit, refuse, say};

/// One problem, as documented in `docs/fclib.md`.
#[derive(Serialize)]
struct Json<'a> {
    problem: &'a str,
    solver: &'static str,
    /// The solver that found it, if not the one requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    dimension: usize,
    contacts: usize,
    certified: bool,
    /// Per contact, normal first.
    r: &'a [f64],
    u: Vec<f64>,
    certificate: MatrixCertificate,
    sweeps: usize,
    newton_steps: usize,
    /// Units of work.
    work: u64,
    /// Set if the work budget ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<Stop>,
    time_s: f64,
}

pub fn run(path: &Path, problem: &MatrixProblem, arguments: &Arguments) -> ExitCode {
    let requested = &arguments.solver;
    let Some(solver) = matrix_solver::by_name(requested) else {
        let able = matrix_solver::NAMES.join(", ");
        return refuse(&format!(
            "{requested} cannot take this problem: it needs bodies, and a bare matrix has none; {able} can"
        ));
    };
    let start = cpu_time::ThreadTime::now();
    let mut work = arguments.budget.map_or_else(|| Work::for_matrix(problem), Work::new);
    let solution = solver.solve_within(problem, &mut work);
    let stop = work.is_spent().then_some(Stop::Work);
    let time_s = start.elapsed().as_secs_f64();
    let name = path.display().to_string();
    if arguments.json {
        let object = Json {
            problem: &name,
            solver: solver.name(),
            by: solution.by,
            dimension: problem.dimension(),
            contacts: problem.contacts(),
            certified: solution.certificate.certified,
            r: &solution.force,
            u: problem.response(&solution.force),
            certificate: solution.certificate,
            sweeps: solution.effort.sweeps,
            newton_steps: solution.effort.steps,
            work: work.units(),
            stop,
            time_s,
        };
        say!("{}", serde_json::to_string(&object).unwrap_or_default());
    } else {
        print(&name, problem, &solution);
        let effort = solution.effort;
        let by = solution.by.map_or_else(String::new, |name| format!(" by {name}"));
        let ended = stop.map_or_else(String::new, |stop| format!(", ended by {stop}"));
        say!(
            "\n{}{by}, {} sweeps, {} Newton steps, {time_s:.3} s{ended}",
            solver.name(),
            effort.sweeps,
            effort.steps
        );
    }
    if solution.certificate.certified { ExitCode::SUCCESS } else { ExitCode::from(exit::NO) }
}

fn print(name: &str, problem: &MatrixProblem, solution: &MatrixSolution) {
    let d = problem.dimension();
    say!("{name}: u = W r + q with {} contacts, dimension {d}\n", problem.contacts());
    say!("{:>7}  {:^50}  {:^50}", "contact", "force r: normal, tangents", "response u");
    let response = problem.response(&solution.force);
    for (i, (r, u)) in solution.force.chunks_exact(d).zip(response.chunks_exact(d)).enumerate() {
        let numbers =
            |x: &[f64]| x.iter().map(|x| format!("{x:>16.8e}")).collect::<Vec<_>>().concat();
        say!("{i:>7}  {:<50}  {:<50}", numbers(r), numbers(u));
    }
    let c = &solution.certificate;
    let verdict = if c.certified { "certified" } else { "NOT CERTIFIED" };
    say!(
        "\n{verdict}: {:.1e} relative (limit {MATRIX_CERTIFIED:.0e}); natural map {:.1e}, r_n ≥ −{:.1e}, u_n ≥ −{:.1e}, r_n u_n {:.1e}, cone {:.1e}, friction off the slip {:.1e}",
        c.relative,
        c.natural_map_relative,
        c.negative_force,
        c.penetration,
        c.complementarity,
        c.cone,
        c.alignment
    );
}

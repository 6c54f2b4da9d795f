//! `stiction verify`: the certificate of an answer of another program.

use crate::solve::print_forces;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_solvers::ContactProblem;
use stiction_solvers::file::{FileError, ProblemFile, read_answer};
use stiction_solvers::judge::{self, Certificate, Cone};
use stiction_terminal::{exit, refuse, say};

#[derive(clap::Args)]
pub struct Arguments {
    /// A contact-1 file
    problem: PathBuf,
    /// Forces: JSON as `stiction solve --json` prints, or CSV with `normal,fx,fy,fz`
    /// (or the whole force `fx,fy,fz`) for each contact
    answer: PathBuf,
    /// Which load of the problem, from 0
    #[arg(long, value_name = "K", default_value_t = 0)]
    load: usize,
    /// Judge it on friction pyramids with this number of sides
    #[arg(long, value_name = "D")]
    pyramid: Option<usize>,
    /// The certificate as JSON
    #[arg(long)]
    json: bool,
}

/// As documented in `docs/output.md`.
#[derive(Serialize)]
struct Json<'a> {
    problem: String,
    load: usize,
    answer: String,
    certified: bool,
    certificate: &'a Certificate,
    contacts: Vec<judge::ContactReport>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let (problem, forces) = match read(arguments) {
        Ok(both) => both,
        Err(error) => return refuse(&error),
    };
    let cone = arguments.pyramid.map_or(Cone::Round, |directions| Cone::Pyramid { directions });
    let certificate = judge::judge_in(&problem, &forces, cone);
    if arguments.json {
        let object = Json {
            problem: arguments.problem.display().to_string(),
            load: arguments.load,
            answer: arguments.answer.display().to_string(),
            certified: certificate.is_certified(),
            certificate: &certificate,
            contacts: judge::report(&problem, &forces),
        };
        say!("{}", serde_json::to_string(&object).unwrap_or_default());
    } else {
        print_forces(&problem, &forces);
        say!("\n{certificate}");
    }
    ExitCode::from(if certificate.is_certified() { 0 } else { exit::NO })
}

fn read(arguments: &Arguments) -> Result<(ContactProblem, stiction_solvers::Forces), FileError> {
    let problem = ProblemFile::open(&arguments.problem)?.problem(arguments.load)?;
    let forces = read_answer(&arguments.answer, &problem, arguments.load)?;
    Ok((problem, forces))
}

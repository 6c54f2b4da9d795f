//! `stiction verify`: the certificate of an answer or a recording of another program.

mod recording;

use crate::input::{self, InputError};
use crate::solve::{contacts, print_forces};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stiction::motion::LawName;
use stiction_solvers::ContactProblem;
use stiction_solvers::file::read_answer;
use stiction_solvers::judge::{self, Certificate, Cone};
use stiction_terminal::{exit, refuse, say};

#[derive(clap::Args)]
pub struct Arguments {
    /// A contact-1 file, or a recording, whose motion is judged
    problem: PathBuf,
    /// Forces: JSON as `stiction solve --json` prints, or CSV with `normal,fx,fy,fz`
    /// (or the whole force `fx,fy,fz`) for each contact
    answer: Option<PathBuf>,
    /// Which load of the problem, from 0
    #[arg(long, value_name = "K", default_value_t = 0)]
    load: usize,
    /// Judge it on friction pyramids with this number of sides
    #[arg(long, value_name = "D")]
    pyramid: Option<usize>,
    /// Bound of a law of motion, as LAW=VALUE, instead of the recording's
    #[arg(long = "bound", value_name = "LAW=VALUE", value_parser = crate::laws::bound, conflicts_with = "answer")]
    bounds: Vec<(LawName, f64)>,
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
    let Some(answer) = &arguments.answer else {
        return recording::run(&arguments.problem, &arguments.bounds, arguments.json);
    };
    let (problem, forces) = match read(arguments, answer) {
        Ok(both) => both,
        Err(error) => return refuse(&error),
    };
    let cone = arguments.pyramid.map_or(Cone::Round, |directions| Cone::Pyramid { directions });
    let certificate = judge::judge_in(&problem, &forces, cone);
    if arguments.json {
        let object = Json {
            problem: arguments.problem.display().to_string(),
            load: arguments.load,
            answer: answer.display().to_string(),
            certified: certificate.is_certified(),
            certificate: &certificate,
            contacts: contacts(&problem, &forces, &judge::determinacy(&problem, &forces)),
        };
        say!("{}", serde_json::to_string(&object).unwrap_or_default());
    } else {
        print_forces(&problem, &forces);
        say!("\n{certificate}");
    }
    ExitCode::from(if certificate.is_certified() { 0 } else { exit::NO })
}

fn read(
    arguments: &Arguments,
    answer: &Path,
) -> Result<(ContactProblem, stiction_solvers::Forces), InputError> {
    let problem = input::problem_file(&arguments.problem)?.problem(arguments.load)?;
    let forces = read_answer(answer, &problem, arguments.load)?;
    Ok((problem, forces))
}

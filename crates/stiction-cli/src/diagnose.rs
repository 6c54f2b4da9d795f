//! `stiction diagnose`: is a small problem consistent, is its motion determined?

use crate::exit;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_solvers::baraff1991::{Verdict, diagnose};
use stiction_solvers::file::ProblemFile;
use stiction_solvers::judge::{self, Certificate};
use stiction_solvers::{ContactProblem, Forces};

#[derive(clap::Args)]
pub struct Arguments {
    /// A contact-1 file with few contacts, frictionless, sliding or planar
    problem: PathBuf,
    /// Which load of the file, from 0
    #[arg(long, value_name = "K", default_value_t = 0)]
    load: usize,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// The verdict, as documented in `docs/output.md`.
#[derive(Serialize)]
struct Json {
    verdict: Verdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    solutions: Vec<JsonSolution>,
}

#[derive(Serialize)]
struct JsonSolution {
    normal: Vec<f64>,
    friction: Vec<[f64; 3]>,
    certificate: Certificate,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let read = ProblemFile::open(&arguments.problem).and_then(|file| file.problem(arguments.load));
    let problem = match read {
        Ok(problem) => problem,
        Err(error) => return crate::refuse(&error),
    };
    let diagnosis = diagnose(&problem);
    if arguments.json {
        let solution = |forces: &Forces| JsonSolution {
            normal: forces.contacts.iter().map(|f| f.normal).collect(),
            friction: forces.contacts.iter().map(|f| f.friction).collect(),
            certificate: judge::judge(&problem, forces),
        };
        let object = Json {
            verdict: diagnosis.verdict,
            reason: diagnosis.reason.as_ref().map(ToString::to_string),
            solutions: diagnosis.solutions.iter().map(solution).collect(),
        };
        say!("{}", serde_json::to_string(&object).unwrap_or_default());
    } else {
        say!("{}", sentence(diagnosis.verdict, diagnosis.solutions.len()));
        if let Some(reason) = &diagnosis.reason {
            say!("{reason}");
        }
        for (k, forces) in diagnosis.solutions.iter().enumerate() {
            print(&problem, k, forces);
        }
    }
    match diagnosis.verdict {
        Verdict::Unique => ExitCode::SUCCESS,
        _ => ExitCode::from(exit::NO),
    }
}

fn sentence(verdict: Verdict, count: usize) -> String {
    match verdict {
        Verdict::Unique => "unique: every solution causes the same motion".into(),
        Verdict::Indeterminate => format!("indeterminate: {count} different motions are possible"),
        Verdict::Inconsistent => {
            "inconsistent: no combination of contact modes has a solution (all were tried)".into()
        }
        Verdict::TooLarge => "not decided: too large to try every combination".into(),
    }
}

fn print(problem: &ContactProblem, k: usize, forces: &Forces) {
    let unit = problem.level().force_unit();
    say!("\nsolution {k}");
    for (i, report) in judge::report(problem, forces).iter().enumerate() {
        say!(
            "  contact {i}: normal {:.6} {unit}, friction {:.6} {unit}, parts with {:.6} {}",
            report.normal_force,
            report.friction_force,
            report.normal_response,
            problem.level().response_unit()
        );
    }
    say!("{}", judge::judge(problem, forces));
}

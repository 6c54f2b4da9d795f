//! `stiction diagnose`: whether a small problem is consistent and its motion unique.

use crate::input::{Given, InstantFlags};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use stiction_formats::read_matrix;
use stiction_solvers::baraff1991::{
    BUDGET, Diagnosis, IslandDiagnosis, Possible, Progress, Verdict, diagnose_matrix,
    diagnose_within,
};
use stiction_solvers::judge::{self, Certificate, Uniqueness};
use stiction_solvers::{ContactProblem, MatrixProblem};
use stiction_terminal::{exit, refuse, say};

/// Shorter searches show no progress bar.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(clap::Args)]
pub struct Arguments {
    /// A contact-1 file, a scene or a recording, with few contacts; or a friction problem without
    /// bodies (FCLIB, Siconos, ContactBench)
    problem: PathBuf,
    #[command(flatten)]
    instant: InstantFlags,
    /// Which load of the file, from 0
    #[arg(long, value_name = "K", default_value_t = 0)]
    load: usize,
    /// Work budget of each island, in millions of multiplications (about a millisecond each, the
    /// same on every machine)
    #[arg(long, value_name = "N", default_value_t = BUDGET)]
    budget: u64,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// The verdict, as documented in `docs/output.md`.
#[derive(Serialize)]
struct Json {
    verdict: Verdict,
    /// Missing if infinite.
    motions: Option<f64>,
    infinite: bool,
    complete: bool,
    budget: u64,
    solutions: Vec<JsonSolution>,
    islands: Vec<JsonIsland>,
}

#[derive(Serialize)]
struct JsonSolution {
    normal: Vec<f64>,
    friction: Vec<[f64; 3]>,
    bilateral: Vec<f64>,
    bounded: Vec<f64>,
    forces: Uniqueness,
    isolated: bool,
    certificate: Certificate,
}

#[derive(Serialize)]
struct JsonIsland {
    contacts: Vec<usize>,
    verdict: Verdict,
    motions: usize,
    infinite: bool,
    /// Missing if infinite.
    combinations: Option<f64>,
    decided: f64,
    work: f64,
    reason: Option<String>,
}

/// The verdict on a problem without bodies.
#[derive(Serialize)]
struct JsonMatrix {
    verdict: Verdict,
    complete: bool,
    budget: u64,
    /// A certified answer, per contact normal first.
    r: Option<Vec<f64>>,
    decided: f64,
    work: f64,
    reason: Option<String>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    match read_matrix(&arguments.problem) {
        Ok(Some(problem)) if arguments.load > 0 => {
            let contacts = problem.contacts();
            return refuse(&format!(
                "{}: --load {}: a problem of {contacts} contacts without bodies has one load, 0",
                arguments.problem.display(),
                arguments.load
            ));
        }
        Ok(Some(problem)) => return run_matrix(&arguments.problem, &problem, arguments),
        Ok(None) => {}
        Err(error) => return refuse(&error),
    }
    let problem = match Given::read(&arguments.problem, &arguments.instant, arguments.load) {
        Ok(given) => given.problem,
        Err(error) => return refuse(&error),
    };
    let mut bar = Bar { begun: Instant::now(), shown: None };
    let diagnosis =
        diagnose_within(&problem, arguments.budget, &mut |progress| bar.show(&progress));
    bar.end();
    if arguments.json {
        let object = json(&problem, &diagnosis, arguments.budget);
        say!("{}", serde_json::to_string(&object).unwrap_or_default());
    } else {
        print(&problem, &diagnosis);
    }
    match diagnosis.verdict {
        Verdict::Unique => ExitCode::SUCCESS,
        _ => ExitCode::from(exit::NO),
    }
}

/// Whether a problem without bodies has an answer.
fn run_matrix(path: &Path, problem: &MatrixProblem, arguments: &Arguments) -> ExitCode {
    let known = diagnose_matrix(problem, arguments.budget);
    let reason = known.open.as_ref().map(ToString::to_string);
    if arguments.json {
        let object = JsonMatrix {
            verdict: known.verdict,
            complete: known.verdict != Verdict::Undecided,
            budget: arguments.budget,
            r: known.answer.map(|answer| problem.flat(&answer.forces)),
            decided: known.decided,
            work: known.work,
            reason,
        };
        say!("{}", serde_json::to_string(&object).unwrap_or_default());
        return ExitCode::from(exit::NO);
    }
    match (known.verdict, reason) {
        (Verdict::Inconsistent, _) => say!(
            "inconsistent: no forces obey the laws; {} combinations of modes and sectors of slip were \
             closed, which cover all",
            known.decided
        ),
        (_, reason) => {
            match known.answer {
                Some(_) => say!("undecided: at least 1 motion"),
                None => say!("undecided: no forces were found, and no proof that none exist"),
            }
            if let Some(reason) = reason {
                say!("{reason}");
            }
            if known.answer.is_some() {
                say!("`stiction solve {}` prints certified forces", path.display());
            }
        }
    }
    ExitCode::from(exit::NO)
}

/// The progress of the search, on a terminal.
struct Bar {
    begun: Instant,
    shown: Option<ProgressBar>,
}

impl Bar {
    fn show(&mut self, progress: &Progress) {
        if self.begun.elapsed() < PATIENCE {
            return;
        }
        let bar = self.shown.get_or_insert_with(|| {
            let bar = ProgressBar::new(1000);
            if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3} %  {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        #[allow(clippy::cast_sign_loss)] // a part, from 0 to 1
        bar.set_position((1000.0 * progress.part) as u64);
        let (found, work) = (motions(progress.motions as f64), progress.work / 1_000_000);
        bar.set_message(format!("{found} so far, {work} million multiplications"));
    }

    fn end(&self) {
        if let Some(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}

fn json(problem: &ContactProblem, diagnosis: &Diagnosis, budget: u64) -> Json {
    let solution = |found: &Possible| JsonSolution {
        normal: found.forces.contacts.iter().map(|f| f.normal).collect(),
        friction: found.forces.contacts.iter().map(|f| f.friction).collect(),
        bilateral: found.forces.bilateral.clone(),
        bounded: found.forces.bounded.clone(),
        forces: found.uniqueness,
        isolated: found.isolated,
        certificate: judge::judge(problem, &found.forces),
    };
    let island = |island: &IslandDiagnosis| JsonIsland {
        contacts: island.contacts.clone(),
        verdict: island.verdict,
        motions: island.solutions.len(),
        infinite: is_infinite(island),
        combinations: Some(island.combinations).filter(|count| count.is_finite()),
        decided: island.decided,
        work: island.work,
        reason: island.open.as_ref().map(ToString::to_string),
    };
    Json {
        verdict: diagnosis.verdict,
        motions: Some(diagnosis.motions).filter(|count| count.is_finite()),
        infinite: diagnosis.motions.is_infinite(),
        complete: diagnosis.verdict != Verdict::Undecided,
        budget,
        solutions: diagnosis.solutions.iter().map(solution).collect(),
        islands: diagnosis.islands.iter().map(island).collect(),
    }
}

fn is_infinite(island: &IslandDiagnosis) -> bool {
    island.solutions.iter().any(|found| !found.isolated)
}

fn motions(count: f64) -> String {
    match count {
        1.0 => "1 motion".into(),
        f64::INFINITY => "infinitely many motions".into(),
        _ => format!("{count} motions"),
    }
}

fn sentence(verdict: Verdict, count: f64) -> String {
    match verdict {
        Verdict::Unique => "unique: every solution causes the same motion".into(),
        Verdict::Indeterminate if count.is_infinite() => {
            "indeterminate: infinitely many motions are possible".into()
        }
        Verdict::Indeterminate => format!("indeterminate: {count} different motions are possible"),
        Verdict::Inconsistent => {
            "inconsistent: no combination of contact modes has a solution (all were decided)".into()
        }
        Verdict::Undecided => format!("undecided: at least {}", motions(count)),
    }
}

fn print(problem: &ContactProblem, diagnosis: &Diagnosis) {
    say!("{}", sentence(diagnosis.verdict, diagnosis.motions));
    let several = diagnosis.islands.len() > 1;
    for (k, island) in diagnosis.islands.iter().enumerate() {
        let count = if is_infinite(island) { f64::INFINITY } else { island.solutions.len() as f64 };
        if several {
            let contacts: Vec<String> = island.contacts.iter().map(ToString::to_string).collect();
            let sentence = sentence(island.verdict, count);
            say!("island {k}, contacts {}: {sentence}", contacts.join(" "));
        }
        if let Some(reason) = &island.open {
            let IslandDiagnosis { decided, combinations, .. } = island;
            say!("{reason}; {decided} of {combinations} combinations of contact modes are decided");
        }
    }
    for (k, found) in diagnosis.solutions.iter().enumerate() {
        print_solution(problem, k, found);
    }
    let listed = diagnosis.solutions.len() as f64;
    if diagnosis.motions.is_finite() && diagnosis.motions > listed {
        say!("\nand {} more", diagnosis.motions - listed);
    }
}

fn print_solution(problem: &ContactProblem, k: usize, found: &Possible) {
    let unit = problem.level().force_unit();
    say!("\nsolution {k}");
    for (i, report) in judge::report(problem, &found.forces).iter().enumerate() {
        say!(
            "  contact {i}: normal {:.6} {unit}, friction {:.6} {unit}, separates with {:.6} {}",
            report.normal_force,
            report.friction_force,
            report.normal_response,
            problem.level().response_unit()
        );
    }
    match found.uniqueness {
        _ if !found.isolated => say!("  one of infinitely many motions with these contact modes"),
        Uniqueness::Unique => say!("  no other forces cause this motion"),
        Uniqueness::NotUnique => say!("  other forces cause the same motion"),
        Uniqueness::Undecided => say!("  other forces may cause the same motion"),
    }
    say!("{}", judge::judge(problem, &found.forces));
}

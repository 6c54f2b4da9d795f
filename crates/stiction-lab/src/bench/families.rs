//! Success rate of a solver over families of problems.

use super::{CONTACT_FILE, Files};
use serde::Serialize;
use std::collections::BTreeMap;
use std::process::ExitCode;
use stiction_solvers::baraff1994::Dantzig;
use stiction_solvers::file::{FileError, ProblemFile};
use stiction_solvers::{ContactSolver, Route, Status, Stop};
use stiction_terminal::timing::median;
use stiction_terminal::{exit, refuse, say};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    files: Files,
    /// Skip problems with more contacts than this
    #[arg(long, default_value_t = 100)]
    most_contacts: usize,
    /// The method; the next two options apply to dantzig only
    #[arg(long, default_value = "dantzig", value_parser = clap::builder::PossibleValuesParser::new(stiction_solvers::all::NAMES))]
    solver: String,
    /// Restarts allowed after the method itself has failed
    #[arg(long, default_value_t = Dantzig::default().restarts)]
    restarts: usize,
    /// Keep the friction directions that Baraff's method freezes, without the finish on the round cone
    #[arg(long)]
    frozen: bool,
    /// List every load that failed
    #[arg(long)]
    failures: bool,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

#[derive(Default, Serialize)]
struct Tally {
    loads: usize,
    /// Certified without a restart.
    alone: usize,
    /// Certified in all.
    certified: usize,
    /// Of these, certified for maximum dissipation.
    dissipative: usize,
    /// Of these, with a natural map of at most 1e-10.
    ten_digits: usize,
    impulses: usize,
    errors: usize,
    /// Answers that the solver reports as solved and the judge rejects.
    wrong: usize,
    worst_residual: f64,
    #[serde(skip)]
    pivots: Vec<f64>,
    median_pivots_per_contact: f64,
}

/// Solves and counts one load.
fn count(
    tally: &mut Tally,
    solver: &mut dyn ContactSolver,
    file: &ProblemFile,
    load: usize,
) -> Result<Option<String>, FileError> {
    let problem = file.problem(load)?;
    tally.loads += 1;
    match solver.solve(&problem) {
        Ok(answer) if answer.is_impulse() => tally.impulses += 1,
        Ok(answer) if answer.status == Status::Uncertified => {
            tally.errors += 1;
            let residual = answer.certificate.residual();
            return Ok(Some(format!("violates the contact conditions by {residual:e} (relative)")));
        }
        Ok(solution) => {
            let origin = &solution.provenance;
            if !solution.certificate.is_certified()
                && let Some(stop) = origin.effort.stop
                && stop != Stop::Precision
            {
                tally.errors += 1;
                return Ok(Some(format!("not settled: {stop:?}")));
            }
            if !solution.certificate.is_certified() {
                tally.wrong += 1;
                return Ok(solution.certificate.reason);
            }
            tally.certified += 1;
            tally.alone += usize::from(origin.route == Route::Direct);
            let law = solution.certificate.certified;
            let exact = law == Some(stiction_solvers::judge::Law::MaximumDissipation);
            tally.dissipative += usize::from(exact);
            tally.ten_digits += usize::from(solution.certificate.natural_map.relative <= 1e-10);
            tally.worst_residual = tally.worst_residual.max(solution.certificate.residual());
            tally.pivots.push(origin.effort.pivots as f64 / problem.contacts().len() as f64);
        }
        Err(error) => {
            tally.errors += 1;
            return Ok(Some(error.to_string()));
        }
    }
    Ok(None)
}

/// `degen_dup_peg_n016` belongs to `degen_dup`, `stack_m10_…` to `stack`.
fn family(name: &str) -> String {
    let parts: Vec<&str> = name.split('_').collect();
    if parts[0] == "degen" && parts.len() > 1 {
        format!("{}_{}", parts[0], parts[1])
    } else {
        parts[0].to_owned()
    }
}

fn tally(arguments: &Arguments) -> Result<BTreeMap<String, Tally>, FileError> {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let (restarts, round) = (arguments.restarts, !arguments.frozen);
    let dantzig = Dantzig { restarts, round, ..Dantzig::default() };
    let mut solver: Box<dyn ContactSolver> = match arguments.solver.as_str() {
        "dantzig" => Box::new(dantzig),
        name => stiction_solvers::all::by_name(name).unwrap_or(Box::new(dantzig)),
    };
    for path in arguments.files.paths(&[CONTACT_FILE])? {
        let file = ProblemFile::open(&path)?;
        if file.contact_count() > arguments.most_contacts {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let tally = tallies.entry(family(&name)).or_default();
        for load in 0..file.len() {
            let failure = count(tally, &mut *solver, &file, load)?;
            if let (true, Some(failure)) = (arguments.failures, failure) {
                eprintln!("{} load {load}: {failure}", path.display());
            }
        }
    }
    for tally in tallies.values_mut() {
        tally.median_pivots_per_contact = median(&mut tally.pivots);
    }
    Ok(tallies)
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let tallies = match tally(arguments) {
        Ok(tallies) => tallies,
        Err(error) => return refuse(&error),
    };
    let wrong: usize = tallies.values().map(|t| t.wrong).sum();
    let code = ExitCode::from(if wrong > 0 { exit::NO } else { 0 });
    if arguments.json {
        say!("{}", serde_json::to_string(&tallies).unwrap_or_default());
        return code;
    }
    say!(
        "{:<14} {:>6} {:>9} {:>9} {:>9} {:>9} {:>8} {:>7} {:>6} {:>9} {:>9}",
        "family",
        "loads",
        "alone %",
        "in all %",
        "max dis %",
        "1e-10 %",
        "impulse",
        "errors",
        "wrong",
        "pivots/n",
        "worst"
    );
    for (family, t) in &tallies {
        let percent = |k: usize| 100.0 * k as f64 / t.loads as f64;
        say!(
            "{:<14} {:>6} {:>9.2} {:>9.2} {:>9.2} {:>9.2} {:>8} {:>7} {:>6} {:>9.2} {:>9.1e}",
            family,
            t.loads,
            percent(t.alone),
            percent(t.certified),
            percent(t.dissipative),
            percent(t.ten_digits),
            t.impulses,
            t.errors,
            t.wrong,
            t.median_pivots_per_contact,
            t.worst_residual
        );
    }
    code
}

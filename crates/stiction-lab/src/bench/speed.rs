//! Dantzig against LU of the same matrix, as Baraff (1994, §7) compares them,
//! and against an interior-point QP. Judged before it is timed.

pub mod measure;

use super::{CONTACT_FILE, Files};
use serde::Serialize;
use std::collections::BTreeMap;
use std::process::ExitCode;
use stiction_solvers::ContactProblem;
use stiction_solvers::file::{FileError, ProblemFile};
use stiction_terminal::timing::{median, set_repeats};
use stiction_terminal::{refuse, say};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    files: Files,
    /// Loads of each file
    #[arg(long, default_value_t = 5)]
    loads: usize,
    /// Runs of every measurement, whatever time they take: to count instructions [default: as many
    /// as a median needs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: Option<u32>,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

#[derive(Default, Serialize)]
struct Times {
    contacts: usize,
    #[serde(skip)]
    all: [Vec<f64>; 4],
    /// Dantzig in total: scaling, guess, pivots, physical forces.
    dantzig_us: f64,
    /// LU with partial pivoting of A, and one solve.
    lu_us: f64,
    /// Interior-point QP in the normal forces.
    qp_us: f64,
    pivots: f64,
}

fn add(problem: &ContactProblem, times: &mut Times) -> Result<(), String> {
    let run = measure::dantzig(problem, None)?;
    let given = measure::given_the_matrix(problem);
    times.all[0].push(run.us);
    times.all[1].push(given.lu_us);
    times.all[2].extend(given.qp_us);
    times.all[3].push(run.effort.pivots as f64);
    Ok(())
}

fn table(arguments: &Arguments) -> Result<BTreeMap<String, Times>, FileError> {
    let mut table: BTreeMap<String, Times> = BTreeMap::new();
    for path in arguments.files.paths(&[CONTACT_FILE])? {
        let file = ProblemFile::open(&path)?;
        if !file.is_frictionless() {
            continue;
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = stem.rsplit_once("_s").map_or(&*stem, |(name, _)| name);
        let times = table.entry(name.to_owned()).or_default();
        times.contacts = file.contact_count();
        for load in 0..file.len().min(arguments.loads) {
            if let Err(reason) = add(&file.problem(load)?, times) {
                eprintln!("{} load {load} is not timed: {reason}", path.display());
            }
        }
    }
    for times in table.values_mut() {
        let [dantzig, lu, qp, pivots] = &mut times.all;
        times.dantzig_us = median(dantzig);
        times.lu_us = median(lu);
        times.qp_us = median(qp);
        times.pivots = median(pivots);
    }
    Ok(table)
}

pub fn run(arguments: &Arguments) -> ExitCode {
    set_repeats(arguments.repeats);
    faer::set_global_parallelism(faer::Par::Seq);
    let table = match table(arguments) {
        Ok(table) => table,
        Err(error) => return refuse(&error),
    };
    if arguments.json {
        say!("{}", serde_json::to_string(&table).unwrap_or_default());
        return ExitCode::SUCCESS;
    }
    say!(
        "{:<12} {:>5} {:>8} {:>11} {:>9} {:>9} {:>9} {:>9}",
        "problem",
        "n",
        "pivots",
        "dantzig µs",
        "LU µs",
        "QP µs",
        "× LU",
        "QP ÷ us"
    );
    for (name, t) in &table {
        say!(
            "{:<12} {:>5} {:>8.0} {:>11.1} {:>9.1} {:>9.1} {:>9.2} {:>9.1}",
            name,
            t.contacts,
            t.pivots,
            t.dantzig_us,
            t.lu_us,
            t.qp_us,
            t.dantzig_us / t.lu_us,
            t.qp_us / t.dantzig_us
        );
    }
    ExitCode::SUCCESS
}

//! `stiction sweep` and `stiction merge`: a scene or an assembly with many values, on all cores.
//!
//! Every case is a file as soon as it is done, so that a sweep that was killed continues where it was, and shards
//! on other machines write into the same folder. The table is made of these files, in the order of the cases.

mod case;
mod parts;
mod spec;
mod table;

use parts::Parts;
use rayon::prelude::*;
use spec::{Plan, Spec};
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use stiction::scene::Assignment;
use stiction_terminal::{count, exit, progress, refuse, say};

#[derive(clap::Args)]
pub struct Arguments {
    /// What is varied, in TOML (docs/sweeps.md)
    spec: PathBuf,
    /// The table: .parquet, .csv or .jsonl, instead of the specification's
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Set a value in every case, as PATH=VALUE; repeatable
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<Assignment>,
    /// Run the i-th of N parts of the cases, from 1; `stiction merge` makes the table
    #[arg(long, value_name = "i/N")]
    shard: Option<Shard>,
    /// Threads to compute with, by default all; the results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

#[derive(clap::Args)]
pub struct MergeArguments {
    /// The table that a sweep was to write
    out: PathBuf,
}

/// Which part of the cases.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shard {
    index: usize,
    of: usize,
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (index, of) = text.split_once('/').ok_or("needs i/N")?;
        let number = |text: &str| text.parse::<usize>().map_err(|_| "needs two whole numbers");
        let shard = Shard { index: number(index)?, of: number(of)? };
        if (1..=shard.of).contains(&shard.index) { Ok(shard) } else { Err("i is from 1 to N") }
    }
}

/// Runs `stiction sweep`.
pub fn run(arguments: &Arguments) -> ExitCode {
    match sweep(arguments) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(exit::NO),
        Err(error) => refuse(&error),
    }
}

/// Runs `stiction merge`.
pub fn merge(arguments: &MergeArguments) -> ExitCode {
    match table::check_ending(&arguments.out)
        .and_then(|()| write(&Parts::of(&arguments.out), &arguments.out))
    {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => refuse(&error),
    }
}

/// How many cases failed.
fn sweep(arguments: &Arguments) -> Result<usize, String> {
    let plan = Spec::read(&arguments.spec)?.plan(&arguments.set)?;
    let out = arguments.out.clone().unwrap_or_else(|| plan.out.clone());
    table::check_ending(&out)?;
    if let Some(threads) = arguments.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
        pool.map_err(|error| error.to_string())?;
    }
    let parts = Parts::begin(&out, plan.cases.iter().map(|case| &case.given))?;
    let mine = |k: &usize| arguments.shard.is_none_or(|shard| k % shard.of == shard.index - 1);
    let left: Vec<usize> =
        (0..plan.cases.len()).filter(mine).filter(|&k| !parts.is_done(k)).collect();
    run_cases(&plan, &parts, &left)?;
    if let Some(Shard { index, of }) = arguments.shard {
        let cases = count(left.len(), "case", "cases");
        say!(
            "shard {index} of {of}: {cases} run; stiction merge {} makes the table",
            out.display()
        );
        return Ok(0);
    }
    write(&parts, &out)
}

/// Runs cases side by side, and keeps each as it is done.
fn run_cases(plan: &Plan, parts: &Parts, left: &[usize]) -> Result<(), String> {
    let (done, shown) = (AtomicUsize::new(0), std::io::stderr().is_terminal());
    let kept = left.par_iter().try_for_each(|&k| {
        let row = case::row(plan, &plan.cases[k]);
        parts.keep(k, &row)?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if shown {
            progress::show(done, left.len(), "");
        }
        Ok(())
    });
    if shown {
        progress::clear();
    }
    kept
}

/// Writes the table and removes the parts.
fn write(parts: &Parts, out: &std::path::Path) -> Result<usize, String> {
    let rows = parts.rows()?;
    table::write(out, &rows)?;
    parts.remove()?;
    let failed = rows.iter().filter(|row| row.get(case::ERROR).is_some()).count();
    let failures = if failed > 0 { format!(", {failed} failed") } else { String::new() };
    say!("{}: {}{failures}", out.display(), count(rows.len(), "case", "cases"));
    Ok(failed)
}

//! `stiction problem`: the contact problem of an instant of a run, as a contact-1 file.

use crate::input::{InputError, InstantFlags, Moment};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_solvers::Island;
use stiction_terminal::{count, refuse, say};

/// Islands and bodies listed.
const LISTED: usize = 12;

#[derive(clap::Args)]
pub struct Arguments {
    /// A scene, which is run to that time, or a recording
    #[arg(value_name = "SCENE|RECORDING")]
    file: PathBuf,
    #[command(flatten)]
    instant: InstantFlags,
    /// The contact-1 file to write, which must not exist; by default stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
enum ProblemError {
    #[error("{0}")]
    Input(#[from] InputError),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

pub fn run(arguments: &Arguments) -> ExitCode {
    match write(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&error),
    }
}

fn write(arguments: &Arguments) -> Result<(), ProblemError> {
    let moment = Moment::read(&arguments.file, &arguments.instant)?;
    let text = moment.file().to_json();
    let Some(path) = &arguments.out else {
        say!("{text}");
        return Ok(());
    };
    let io = |source| ProblemError::Io { path: path.clone(), source };
    let mut file = std::fs::File::create_new(path).map_err(io)?;
    writeln!(file, "{text}").map_err(io)?;
    print(&moment, arguments.instant.island);
    say!("written to {}", path.display());
    Ok(())
}

fn print(moment: &Moment, chosen: Option<usize>) {
    let problem = moment.instant.problem();
    let islands = count(moment.islands.len(), "island", "islands");
    let contacts = count(problem.contacts().len(), "contact", "contacts");
    say!("{}: {islands}, {contacts}, {} level", moment.name, problem.level().response_name());
    let listed = moment.islands.iter().enumerate();
    let listed: Vec<_> = listed.filter(|(i, _)| chosen.is_none_or(|n| n == *i)).collect();
    if listed.is_empty() {
        return;
    }
    say!("\n  island  contacts  joint rows  bodies");
    for (i, island) in listed.iter().take(LISTED) {
        let problem = &island.problem;
        let rows = problem.bilateral().len() + problem.bounded().len();
        say!("{i:>8}  {:>8}  {rows:>10}  {}", problem.contacts().len(), bodies(moment, island));
    }
    if listed.len() > LISTED {
        say!("  and {} more", listed.len() - LISTED);
    }
}

fn bodies(moment: &Moment, island: &Island) -> String {
    let bodies = island.bodies();
    let names = bodies.iter().take(LISTED).map(|&i| moment.body(i));
    let more = bodies.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    names.collect::<Vec<_>>().join(", ") + &more
}

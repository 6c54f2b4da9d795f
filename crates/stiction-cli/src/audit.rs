//! `stiction audit`: what the contact forces of another engine are worth.

mod figures;
mod read;

use figures::Audit;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_solvers::Forces;
use stiction_solvers::all::Choice;
use stiction_solvers::judge::{self, Uniqueness};
use stiction_terminal::{count, finish, say};

/// Contacts in a table of text.
const MOST_ROWS: usize = 20;

#[derive(clap::Args)]
pub struct Arguments {
    /// Forces in the format audit-1 (docs/python.md)
    file: PathBuf,
    /// Do not solve for exact forces
    #[arg(long)]
    quick: bool,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// As documented in `docs/output.md`.
#[derive(Serialize)]
struct Report {
    file: String,
    engine: Option<String>,
    scene: Option<String>,
    #[serde(flatten)]
    audit: Audit,
    exact: Option<Exact>,
}

/// Lawful forces of the same problem.
#[derive(Serialize)]
struct Exact {
    certified: bool,
    residual: f64,
    /// How many normal forces are the only possible ones.
    unique: usize,
    /// The largest difference between a unique normal force and the given one (mean weights).
    difference: Option<f64>,
    normal: Vec<f64>,
    uniqueness: Vec<Uniqueness>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    finish(report(arguments), arguments.json, print, |report| report.audit.certified)
}

fn report(arguments: &Arguments) -> Result<Report, String> {
    let given = read::read(&arguments.file).map_err(|error| error.to_string())?;
    let audit = Audit::new(&given);
    let exact = if arguments.quick { None } else { exact(&given, &audit) };
    Ok(Report {
        file: arguments.file.display().to_string(),
        engine: given.engine,
        scene: given.scene,
        audit,
        exact,
    })
}

/// Forces by the default solver; none if it finds none.
fn exact(given: &read::Given, audit: &Audit) -> Option<Exact> {
    let answer = Choice::default().solver().solve(&given.problem).ok()?;
    let unique = judge::determinacy(&given.problem, &answer.forces).normals;
    let normal: Vec<f64> = answer.forces.contacts.iter().map(|force| force.normal).collect();
    let is_unique = |k: &usize| unique[*k] == Uniqueness::Unique;
    let known: Vec<usize> = (0..normal.len()).filter(is_unique).collect();
    let given_normal = |forces: &Forces, k: usize| forces.contacts[k].normal;
    let off = known.iter().map(|&k| (normal[k] - given_normal(&given.forces, k)).abs());
    Some(Exact {
        certified: answer.is_certified(),
        residual: answer.certificate.residual(),
        unique: known.len(),
        difference: (!known.is_empty()).then(|| off.fold(0.0, f64::max) / audit.unit()),
        normal,
        uniqueness: unique,
    })
}

fn print(report: &Report) {
    let audit = &report.audit;
    let words = [&report.engine, &report.scene].map(|it| it.as_deref().unwrap_or_default());
    say!(
        "{}: {}, {}  {}",
        report.file,
        count(audit.balance.len(), "body", "bodies"),
        count(audit.normal.len(), "contact", "contacts"),
        words.join(" ").trim()
    );
    say!(
        "\n{:>7}  {:>12}  {:>12}  {:>8}  {:>11}  {:>11}",
        "contact",
        "normal N",
        "friction N",
        "of cone",
        "gap m",
        "slip m/s"
    );
    for k in 0..audit.normal.len().min(MOST_ROWS) {
        let optional = |values: &Option<Vec<f64>>| {
            values.as_ref().map_or_else(|| "-".into(), |values| format!("{:.3e}", values[k]))
        };
        let part = audit.friction_use[k].map_or_else(|| "-".into(), |part| format!("{part:.4}"));
        say!(
            "{k:>7}  {:>12.6}  {:>12.6}  {part:>8}  {:>11}  {:>11}",
            audit.normal[k],
            audit.friction[k],
            optional(&audit.gap),
            optional(&audit.slip)
        );
    }
    if audit.normal.len() > MOST_ROWS {
        say!("      … and {} more", audit.normal.len() - MOST_ROWS);
    }
    say!("\n{:<34} {:>12}", "forces in mean weights", format!("{:.6} N", audit.weight));
    for (name, value) in audit.figures.named() {
        say!("  {name:<32} {value:>12.4e}");
    }
    if let Some(exact) = &report.exact {
        let certified = if exact.certified { "certified" } else { "not certified" };
        say!(
            "\nexact forces: {certified}, residual {:.1e}; {} of {} normal forces are unique",
            exact.residual,
            exact.unique,
            exact.normal.len()
        );
        if let Some(difference) = exact.difference {
            say!("  the given ones are up to {difference:.4e} mean weights from these");
        }
    }
    let verdict = if audit.certified { "certified" } else { "NOT CERTIFIED" };
    say!("\n{verdict}: relative residual {:.2e}", audit.figures.residual);
}

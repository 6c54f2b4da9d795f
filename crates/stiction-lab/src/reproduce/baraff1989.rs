//! Baraff (1989): collisions by two models (figures 11 to 13), and how often the
//! guesses of the contacts that part are right.

mod collisions;
mod guesses;

use super::page::{Figure, Folder, Page};
use serde::Serialize;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction_terminal::{print_report, refuse};

#[derive(clap::Args)]
pub struct Arguments {
    /// Folder for the plots (SVG) and tables (CSV)
    #[arg(long, default_value = "target/reproduce/baraff1989")]
    out: PathBuf,
    /// Small mass ratios, few sizes and few loads
    #[arg(long)]
    quick: bool,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// All that was found.
#[derive(Serialize)]
struct Report {
    speeds: Vec<collisions::Speeds>,
    rest: Vec<collisions::Rest>,
    guesses: Vec<guesses::Tally>,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let report = match reproduce(arguments) {
        Ok(report) => report,
        Err(error) => return refuse(&error),
    };
    print_report(&report, arguments.json, || page(&report).print(&arguments.out));
    ExitCode::SUCCESS
}

fn reproduce(arguments: &Arguments) -> Result<Report, Box<dyn Error>> {
    let out = Folder::create(&arguments.out)?;
    let speeds = collisions::speeds()?;
    out.write("collisions.csv", &collisions::speeds_csv(&speeds))?;
    let rest = collisions::until_rest(arguments.quick)?;
    out.figure("fig12", &collisions::rest_csv(&rest), &collisions::rest_plot(&rest))?;
    let guesses = guesses::tallies(arguments.quick)?;
    out.figure("guesses", &guesses::csv(&guesses), &guesses::plot(&guesses))?;
    let report = Report { speeds, rest, guesses };
    out.write("README.md", &page(&report).markdown())?;
    Ok(report)
}

/// The page beside the plots.
fn page(report: &Report) -> Page {
    let about = [
        "Collisions are those of `baraff1989::collide`: one after the other (propagation), the fastest \
         approach first, or all at once (simultaneous). The velocities of figures 11 and 13 are in \
         [collisions.csv](collisions.csv).",
        "Guesses are those of the solver `lp`. Piles and walls are ours, for the paper does not tell its \
         problems: bodies at rest under gravity, the last one pushed by a random wrench, no friction. \
         Every guess called right has forces that the judge certifies.",
        "The paper speaks of the instants of simulations, at which contacts seldom part. Here each problem \
         is an instant at which somebody pushes. Piles are the hard case: nearly every push parts some \
         contacts.",
    ];
    let mut claims = collisions::speed_claims(&report.speeds);
    claims.extend(collisions::rest_claims(&report.rest));
    claims.extend(guesses::claims(&report.guesses));
    let figure = |name: &str, caption: &str| Figure { name: name.into(), caption: caption.into() };
    Page {
        title: "Baraff 1989: collisions by two models, and guesses of the contacts that part"
            .into(),
        command: "cargo run --release -- reproduce baraff1989 --out docs/figures/baraff1989".into(),
        about: about.map(str::to_owned).to_vec(),
        claims,
        figures: vec![
            figure("fig12", "Figure 12: solves until both balls rest"),
            figure("guesses", "How often the guesses are right"),
        ],
    }
}

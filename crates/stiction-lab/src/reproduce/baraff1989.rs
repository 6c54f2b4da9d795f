//! Baraff (1989): collisions by two models (figures 11 to 13), and how often the
//! guesses of the separating contacts are right.

mod collisions;
mod guesses;

use super::Output;
use super::page::{Figure, Folder, Page};
use serde::Serialize;
use std::error::Error;
use std::process::ExitCode;
use stiction_terminal::{print_report, refuse};

/// All results.
#[derive(Serialize)]
struct Report {
    speeds: Vec<collisions::Speeds>,
    rest: Vec<collisions::Rest>,
    guesses: Vec<guesses::Tally>,
}

pub fn run(arguments: &Output) -> ExitCode {
    let report = match reproduce(arguments) {
        Ok(report) => report,
        Err(error) => return refuse(&error),
    };
    print_report(&report, arguments.json, || page(&report).print(&arguments.folder("baraff1989")));
    ExitCode::SUCCESS
}

fn reproduce(arguments: &Output) -> Result<Report, Box<dyn Error>> {
    let out = Folder::create(&arguments.folder("baraff1989"))?;
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
        "`baraff1989::collide` resolves the collisions: one after the other, the fastest approach \
         first (propagation), or all at once (simultaneous). [collisions.csv](collisions.csv) \
         contains the velocities of figures 11 and 13.",
        "The guesses are those of the solver `lp`. The paper does not describe its test problems, \
         so piles and walls are our own: bodies at rest under gravity, the last one pushed by a \
         random wrench, without friction. A guess counts as right only if the judge certifies its \
         forces.",
        "The paper's statement is about the instants of a simulation, at which contacts seldom \
         separate. Here a random wrench acts in every problem. Piles are the hard case: nearly \
         every wrench separates some contacts.",
    ];
    let mut claims = collisions::speed_claims(&report.speeds);
    claims.extend(collisions::rest_claims(&report.rest));
    claims.extend(guesses::claims(&report.guesses));
    let figure = |name: &str, caption: &str| Figure { name: name.into(), caption: caption.into() };
    Page {
        title: "Baraff 1989: collisions by two models, and guesses of the contacts that separate"
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

//! Faure (1996): the bar of figure 4, the four-ball solid of figure 5, and how
//! the residual falls from iteration to iteration.

mod bar;
mod four_balls;
mod residual;

use super::Output;
use super::page::{Figure, Folder, Page};
use serde::Serialize;
use std::error::Error;
use std::process::ExitCode;
use stiction_solvers::faure1996::Energy;
use stiction_solvers::{Answer, ContactProblem, ContactSolver, Forces};
use stiction_terminal::{exit, print_report, refuse};

/// All results, figure by figure.
#[derive(Serialize)]
struct Report {
    bar: Vec<bar::Iterate>,
    four_balls: four_balls::Summary,
    residual: Vec<residual::Family>,
}

pub fn run(arguments: &Output) -> ExitCode {
    let report = match reproduce(arguments) {
        Ok(report) => report,
        Err(error) => return refuse(&error),
    };
    print_report(&report, arguments.json, || page(&report).print(&arguments.folder("faure1996")));
    ExitCode::from(if report.four_balls.certified() { 0 } else { exit::NO })
}

fn reproduce(arguments: &Output) -> Result<Report, Box<dyn Error>> {
    let out = Folder::create(&arguments.folder("faure1996"))?;
    let bar = bar::iterates()?;
    out.figure("fig04", &bar::csv(&bar), &bar::plot(&bar))?;
    let instants = four_balls::instants(arguments.quick)?;
    let table = four_balls::torque_csv(&instants);
    out.figure("fig05_torque", &table, &four_balls::torque(&instants))?;
    let table = four_balls::change_csv(&instants);
    out.figure("fig05_change", &table, &four_balls::change(&instants))?;
    let table = four_balls::iterations_csv(&instants);
    out.figure("fig05_iterations", &table, &four_balls::iterations(&instants))?;
    let residual = residual::families(arguments.quick)?;
    out.figure("residual", &residual::csv(&residual), &residual::plot(&residual))?;
    let report = Report { bar, four_balls: four_balls::summary(&instants), residual };
    out.write("README.md", &page(&report).markdown())?;
    Ok(report)
}

/// An answer of the method, which has one after any number of iterations.
fn solve(
    mut solver: Energy,
    problem: &ContactProblem,
    start: Option<&Forces>,
) -> Result<Answer, Box<dyn Error>> {
    let answer = solver.solve_from(problem, start, &mut stiction_solvers::NoObserver)?;
    if answer.is_impulse() {
        return Err("an impulse where only forces are sought".into());
    }
    Ok(answer)
}

/// The page beside the plots.
fn page(report: &Report) -> Page {
    let about = [
        "The method is `energy`: the paper's method with changes that make it end at Coulomb's \
         law. `energy-literal` implements the pseudocode of figure 3 literally. \
         [docs/papers/faure1996.md](../../papers/faure1996.md) lists the differences.",
        "The paper gives no numbers for the bar. For the four-ball solid it gives the friction \
         coefficients, 0.7 at the dark ball and 0.2 at the others. The other numbers are our own: \
         the plane starts horizontal and tilts at 0.1 rad/s about a horizontal line in it; the \
         balls of radius 0.05 m form a square of side 0.2 m with a total mass of 1 kg, rotated by \
         2.6 rad (the dark ball is at the side), initially at rest with the centre 0.3 m from the \
         line. The run ends after 4 s or when a ball lifts off. Angle and rate were chosen from a \
         few tries so that one ball holds for a while as three slide. With other values that \
         phase is short or missing, and the largest number of iterations at an instant was larger \
         or smaller than here.",
        "At every instant the problem is solved four times: from a cold start to the end, from a \
         cold start with a stop after three iterations, from a cold start by the literal method, \
         and with a warm start from the forces of the previous instant. The first answer \
         determines the motion. The judge checks it, and all answers of the last figure, whose \
         residual is the judge's relative natural map.",
    ];
    let mut claims = bar::claims(&report.bar);
    claims.extend(report.four_balls.claims());
    claims.extend(report.residual.iter().map(residual::Family::claim));
    let figure = |name: &str, caption: &str| Figure { name: name.into(), caption: caption.into() };
    Page {
        title: "Faure 1996: iterations, forces after each, and the torque of a rotating plane"
            .into(),
        command: "cargo run --release -- reproduce faure1996 --out docs/figures/faure1996".into(),
        about: about.map(str::to_owned).to_vec(),
        claims,
        figures: vec![
            figure("fig04", "Figure 4: forces on the bar after each iteration"),
            figure("fig05_torque", "Figure 5: the torque that keeps the plane turning"),
            figure("fig05_change", "Figure 5: what stopping at three changes of the torque"),
            figure("fig05_iterations", "Figure 5: iterations per instant"),
            figure("residual", "Residual against iterations"),
        ],
    }
}

//! Figure 4: forces on a bar with four supports, iteration by iteration.

use crate::plot::{Axis, Marker, Plot, Scale, Series};
use crate::reproduce::page::Claim;
use serde::Serialize;
use std::error::Error;
use std::fmt::Write as _;
use stiction_solvers::faure1996::Energy;
use stiction_solvers::{Stop, faure1996};

/// One iterate of the literal method.
#[derive(Serialize)]
pub struct Iterate {
    iteration: usize,
    /// Of the supports from left to right (N).
    forces: Vec<f64>,
    certified: bool,
}

pub fn iterates() -> Result<Vec<Iterate>, Box<dyn Error>> {
    let bar = faure1996::scenes::bar()?;
    let mut iterates = Vec::new();
    loop {
        let iterations = iterates.len() + 1;
        let solution = super::solve(Energy { iterations, ..Energy::literal() }, &bar, None)?;
        iterates.push(Iterate {
            iteration: solution.provenance.effort.pivots,
            forces: solution.forces.contacts.iter().map(|force| force.normal).collect(),
            certified: solution.certificate.is_certified(),
        });
        if solution.provenance.effort.stop != Some(Stop::Iterations) {
            return Ok(iterates);
        }
    }
}

pub fn csv(iterates: &[Iterate]) -> String {
    let mut text = String::from("iteration,force_1,force_2,force_3,force_4,certified\n");
    for Iterate { iteration, forces, certified } in iterates {
        let _ = writeln!(text, "{iteration},{},{certified}", numbers(forces, ","));
    }
    text
}

pub fn plot(iterates: &[Iterate]) -> Plot {
    let support = |k: usize| {
        let point = |iterate: &Iterate| Some([iterate.iteration as f64, *iterate.forces.get(k)?]);
        let points: Vec<[f64; 2]> = iterates.iter().filter_map(point).collect();
        Series {
            label: format!("support {}", k + 1),
            colour: k,
            marker: [Marker::Circle, Marker::Square, Marker::Triangle][k % 3],
            quoted: false,
            marks: points.clone(),
            line: points,
        }
    };
    Plot {
        title: "Faure 1996, fig. 4. A bar on four supports".into(),
        notes: vec!["Supports from left to right, the load beyond the last one.".into()],
        x: Axis { label: "iteration".into(), scale: Scale::Count },
        y: Axis { label: "force / N".into(), scale: Scale::Linear },
        series: (0..4).map(support).collect(),
    }
}

pub fn claims(iterates: &[Iterate]) -> Vec<Claim> {
    let paper = [
        "the first solution has two negative forces",
        "they are taken back; a negative force appears at another contact",
        "the correct solution: the bar pivots around the right-hand contact",
    ];
    let here = |iterate: &Iterate| {
        let note = if iterate.certified { ", certified" } else { "" };
        format!("{} N{note}", numbers(&iterate.forces, "; "))
    };
    let claim = |(iterate, paper): (&Iterate, &str)| Claim {
        place: format!("figure 4, iteration {}", iterate.iteration),
        paper: paper.into(),
        here: here(iterate),
    };
    iterates.iter().zip(paper).map(claim).collect()
}

/// Forces with two decimals; those that round to zero have no sign.
fn numbers(forces: &[f64], between: &str) -> String {
    let number = |force: &f64| format!("{:.2}", if force.abs() < 0.005 { 0.0 } else { *force });
    forces.iter().map(number).collect::<Vec<_>>().join(between)
}

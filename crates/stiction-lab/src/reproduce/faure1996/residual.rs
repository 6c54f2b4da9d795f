//! The residual of the answer after one, two, three … iterations.

use super::solve;
use crate::plot::{Axis, Marker, Plot, Scale, Series};
use crate::reproduce::page::Claim;
use serde::Serialize;
use std::error::Error;
use std::fmt::Write as _;
use stiction_solvers::faure1996::Energy;
use stiction_solvers::gallery::lloyd::{Draw, Lie, peg, stack};
use stiction_solvers::gallery::piles::pile;
use stiction_solvers::{ContactProblem, Stop};

/// Iterations allowed, from one to this many.
const MOST: usize = 30;

/// Problems of one kind, and the natural maps of their answers.
#[derive(Serialize)]
pub struct Family {
    name: &'static str,
    loads: usize,
    /// Loads that reach the method's precision within its iterations.
    settled: usize,
    /// Over the loads, after one iteration, two, …: median and largest.
    median: Vec<f64>,
    largest: Vec<f64>,
}

pub fn families(quick: bool) -> Result<Vec<Family>, Box<dyn Error>> {
    let draw = if quick { Draw { loads: 3, ..Draw::default() } } else { Draw::default() };
    [
        ("peg, 32 contacts", peg(32, draw)?),
        ("stack, 32 contacts", stack(5, Lie::Rotated, draw)?),
        ("pile, 30 contacts", pile(30, 0.3, draw)?),
        ("pile, no friction", pile(30, 0.0, draw)?),
    ]
    .into_iter()
    .map(|(name, problems)| family(name, &problems))
    .collect()
}

fn family(name: &'static str, problems: &[ContactProblem]) -> Result<Family, Box<dyn Error>> {
    eprintln!("residual against iterations: {name}");
    let (mut median, mut largest) = (Vec::new(), Vec::new());
    for iterations in 1..=MOST {
        let solver = Energy { iterations, ..Energy::default() };
        let residual = |problem| Ok(solve(solver, problem, None)?.certificate.natural_map.relative);
        let mut residuals: Vec<f64> =
            problems.iter().map(residual).collect::<Result<_, Box<dyn Error>>>()?;
        residuals.sort_by(f64::total_cmp);
        median.push(residuals[residuals.len() / 2]);
        largest.push(residuals[residuals.len() - 1]);
    }
    let mut settled = 0;
    for problem in problems {
        let stop = solve(Energy::default(), problem, None)?.provenance.effort.stop;
        settled += usize::from(stop == Some(Stop::Precision));
    }
    Ok(Family { name, loads: problems.len(), settled, median, largest })
}

impl Family {
    pub fn claim(&self) -> Claim {
        let at = |k: usize| format!("{:.1e}", self.median[k - 1]);
        Claim {
            place: format!("§4, {}", self.name),
            paper: "fast decrease of error".into(),
            here: format!(
                "{} loads, median residual after 1, 3, 5, 7, 9 iterations: {}; largest after {MOST}: {:.1e}; {} settle within {}",
                self.loads,
                [1, 3, 5, 7, 9].map(at).join(", "),
                self.largest[MOST - 1],
                self.settled,
                Energy::default().iterations
            ),
        }
    }
}

pub fn csv(families: &[Family]) -> String {
    let mut text = String::from("problems,loads,iterations,median_residual,largest_residual\n");
    for family in families {
        // The names contain commas.
        let name = family.name.replace(", ", " with ");
        for (k, (median, largest)) in family.median.iter().zip(&family.largest).enumerate() {
            let _ = writeln!(text, "{name},{},{},{median:.3e},{largest:.3e}", family.loads, k + 1);
        }
    }
    text
}

pub fn plot(families: &[Family]) -> Plot {
    let mut series = Vec::new();
    for (colour, family) in families.iter().enumerate() {
        for (quoted, values) in [(false, &family.median), (true, &family.largest)] {
            let points: Vec<[f64; 2]> =
                values.iter().enumerate().map(|(k, value)| [k as f64 + 1.0, *value]).collect();
            series.push(Series {
                label: if quoted { "largest".into() } else { family.name.into() },
                colour,
                marker: [Marker::Circle, Marker::Square, Marker::Triangle][colour % 3],
                quoted,
                marks: points.clone(),
                line: points,
            });
        }
    }
    Plot {
        title: "Residual against iterations".into(),
        notes: vec!["Relative natural map: median over the loads, dashed the largest.".into()],
        x: Axis { label: "iterations".into(), scale: Scale::Count },
        y: Axis { label: "residual".into(), scale: Scale::Log },
        series,
    }
}

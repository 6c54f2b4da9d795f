//! How often V = ∅ is right, and how often the prediction by the least forces.

use crate::plot::{Axis, Marker, Plot, Scale, Series};
use crate::reproduce::page::Claim;
use serde::Serialize;
use std::error::Error;
use std::fmt::Write as _;
use stiction_solvers::baraff1989::LinearProgram;
use stiction_solvers::gallery::piles::{Draw, pile, wall};
use stiction_solvers::{ContactProblem, ContactSolver, Event, Route};

/// Results of the guesses on problems of one kind and size.
#[derive(Serialize)]
pub struct Tally {
    family: &'static str,
    contacts: usize,
    loads: usize,
    /// V = ∅ was right.
    empty: usize,
    /// The prediction was.
    predicted: usize,
    /// Neither, but the least forces were certified themselves.
    least: usize,
    /// None of these: forces that add energy.
    adds_energy: usize,
}

/// Seeds of each size, and loads of each seed.
const SEEDS: u64 = 6;
const LOADS: usize = 10;

pub fn tallies(quick: bool) -> Result<Vec<Tally>, Box<dyn Error>> {
    let sizes: &[usize] =
        if quick { &[6, 12] } else { &[4, 6, 8, 10, 15, 20, 30, 45, 60, 80, 100] };
    let (seeds, loads) = if quick { (1, 4) } else { (SEEDS, LOADS) };
    let mut tallies = Vec::new();
    for &contacts in sizes {
        eprintln!("guesses: {contacts} contacts");
        for family in ["wall", "pile"] {
            let mut tally = Tally::new(family, contacts);
            for seed in 0..seeds {
                let draw = Draw { loads, seed };
                let make = if family == "pile" { pile } else { wall };
                for problem in make(contacts, 0.0, draw)? {
                    tally.see(&problem)?;
                }
            }
            tallies.push(tally);
        }
    }
    Ok(tallies)
}

impl Tally {
    fn new(family: &'static str, contacts: usize) -> Self {
        Tally { family, contacts, loads: 0, empty: 0, predicted: 0, least: 0, adds_energy: 0 }
    }

    fn see(&mut self, problem: &ContactProblem) -> Result<(), Box<dyn Error>> {
        let mut held = None;
        let mut watch = |event: Event| {
            if let Event::Guess { vanishing, holds: true } = event {
                held = Some(vanishing);
            }
        };
        let answer = LinearProgram::default().solve_from(problem, None, &mut watch)?;
        self.loads += 1;
        match (answer.provenance.route, held) {
            (Route::Direct, Some(0)) => self.empty += 1,
            (Route::Direct, Some(_)) => self.predicted += 1,
            (Route::Direct, None) => self.least += 1,
            _ => self.adds_energy += 1,
        }
        Ok(())
    }

    /// Percentages of the loads: V = ∅ right, either guess right.
    fn shares(&self) -> [f64; 2] {
        [self.empty, self.empty + self.predicted].map(|k| 100.0 * k as f64 / self.loads as f64)
    }
}

pub fn csv(tallies: &[Tally]) -> String {
    let mut text = String::from(
        "family,contacts,loads,empty_right,prediction_right,least_forces,adds_energy\n",
    );
    for t in tallies {
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{}",
            t.family, t.contacts, t.loads, t.empty, t.predicted, t.least, t.adds_energy
        );
    }
    text
}

pub fn plot(tallies: &[Tally]) -> Plot {
    let mut series = Vec::new();
    for (colour, family) in ["wall", "pile"].into_iter().enumerate() {
        for (k, what) in ["V = ∅", "either guess"].into_iter().enumerate() {
            let of_family = tallies.iter().filter(|t| t.family == family);
            let points: Vec<[f64; 2]> =
                of_family.map(|t| [t.contacts as f64, t.shares()[k]]).collect();
            series.push(Series {
                label: format!("{family}s: {what}"),
                colour,
                marker: [Marker::Circle, Marker::Square][colour],
                quoted: k == 0,
                marks: points.clone(),
                line: points,
            });
        }
    }
    let loads = tallies.first().map_or(0, |t| t.loads);
    Plot {
        title: "Baraff 1989, §6. How often the guesses are right".into(),
        notes: vec![format!(
            "{loads} problems per mark, without friction, a random wrench at the last body."
        )],
        x: Axis { label: "contacts".into(), scale: Scale::Count },
        y: Axis { label: "right / % of the problems".into(), scale: Scale::Linear },
        series,
    }
}

pub fn claims(tallies: &[Tally]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for family in ["wall", "pile"] {
        let sum = |of: fn(&Tally) -> usize| -> usize {
            tallies.iter().filter(|t| t.family == family).map(of).sum()
        };
        let (loads, empty, predicted) = (sum(|t| t.loads), sum(|t| t.empty), sum(|t| t.predicted));
        let share = |k: usize, of: usize| 100.0 * k as f64 / of.max(1) as f64;
        claims.push(Claim {
            place: format!("§6.2, {family}s"),
            paper: "V = ∅ is correct for the vast majority of cases".into(),
            here: format!("right in {empty} of {loads} ({:.1} %)", share(empty, loads)),
        });
        let others = loads - empty;
        claims.push(Claim {
            place: format!("§6.4, {family}s"),
            paper: "the residuals are a good predictor of the vanishing contacts".into(),
            here: format!(
                "right in {predicted} of the other {others} ({:.1} %); {} answers add energy",
                share(predicted, others),
                sum(|t| t.adds_energy)
            ),
        });
    }
    claims
}

//! Figure 5: the four-ball solid on a rotating plane, instant by instant.

use super::solve;
use crate::plot::{Axis, Marker, Plot, Scale, Series};
use crate::reproduce::page::Claim;
use serde::Serialize;
use std::error::Error;
use std::fmt::Write as _;
use stiction_solvers::Forces;
use stiction_solvers::faure1996::Energy;
use stiction_solvers::faure1996::scenes::FourBalls;

/// Duration of the run, and the usual time between instants (s).
const WATCHED: f64 = 4.0;
const STEP: f64 = 0.005;
const QUICK_STEP: f64 = 0.05;

/// Iterations after which the paper reports no perceptible difference.
const ENOUGH: usize = 3;

/// Smaller relative changes of the torque are ignored: the precision of the method.
const ROUNDING: f64 = 1e-10;

/// Iterations at one instant, and the driving torques.
#[derive(Serialize)]
pub struct Instant {
    time: f64,
    tilt: f64,
    /// Balls that slip, of four.
    sliding: usize,
    iterations: usize,
    warm_iterations: usize,
    literal_iterations: usize,
    torque: f64,
    torque_after_three: f64,
    torque_literal: f64,
    certified: bool,
    literal_certified: bool,
}

/// The run: from the horizontal plane until the time is over or a ball lifts off.
pub fn instants(quick: bool) -> Result<Vec<Instant>, Box<dyn Error>> {
    let step = if quick { QUICK_STEP } else { STEP };
    let mut balls = FourBalls::begin();
    let mut time = 0.0;
    let mut before: Option<Forces> = None;
    let mut instants = Vec::new();
    while time < WATCHED {
        let problem = balls.problem()?;
        let found = solve(Energy::default(), &problem, None)?;
        let warm = solve(Energy::default(), &problem, before.as_ref())?;
        let early = Energy { iterations: ENOUGH, ..Energy::default() };
        let early = solve(early, &problem, None)?;
        let literal = solve(Energy::literal(), &problem, None)?;
        let torque = |forces: &Forces| forces.bilateral[FourBalls::DRIVE];
        instants.push(Instant {
            time,
            tilt: balls.tilt,
            sliding: balls.slips().into_iter().filter(|slips| *slips).count(),
            iterations: found.provenance.effort.pivots,
            warm_iterations: warm.provenance.effort.pivots,
            literal_iterations: literal.provenance.effort.pivots,
            torque: torque(&found.forces),
            torque_after_three: torque(&early.forces),
            torque_literal: torque(&literal.forces),
            certified: found.certificate.is_certified(),
            literal_certified: literal.certificate.is_certified(),
        });
        if found.forces.contacts.iter().any(|force| force.normal <= 0.0) {
            break;
        }
        time += balls.advance(&problem, &found.forces, step);
        before = Some(found.forces);
    }
    Ok(instants)
}

pub fn torque_csv(instants: &[Instant]) -> String {
    let mut text = String::from("time_s,tilt_rad,torque_Nm,after_three_Nm,literal_Nm\n");
    for i in instants {
        let Instant { time, tilt, torque, torque_after_three, torque_literal, .. } = i;
        let torques = format!("{torque:.6},{torque_after_three:.6},{torque_literal:.6}");
        let _ = writeln!(text, "{time:.4},{tilt:.5},{torques}");
    }
    text
}

/// Changes of the torque relative to its largest value.
pub fn change_csv(instants: &[Instant]) -> String {
    let largest = largest_torque(instants);
    let mut text = String::from("time_s,stopped_at_three,literal\n");
    for i in instants {
        let [stopped, literal] =
            [i.torque_after_three, i.torque_literal].map(|t| (t - i.torque).abs() / largest);
        let _ = writeln!(text, "{:.4},{stopped:.2e},{literal:.2e}", i.time);
    }
    text
}

pub fn iterations_csv(instants: &[Instant]) -> String {
    let mut text = String::from(
        "time_s,sliding,iterations,certified,warm_iterations,literal_iterations,literal_certified\n",
    );
    for i in instants {
        let ours = format!("{},{},{}", i.iterations, i.certified, i.warm_iterations);
        let literal = format!("{},{}", i.literal_iterations, i.literal_certified);
        let _ = writeln!(text, "{:.4},{},{ours},{literal}", i.time, i.sliding);
    }
    text
}

/// The run in a few numbers.
#[derive(Serialize)]
pub struct Summary {
    instants: usize,
    certified: usize,
    literal_certified: usize,
    /// Instants by the number of balls that slip.
    by_sliding: Vec<Group>,
    /// Iterations with a warm start from the previous instant: median, largest.
    warm_iterations: [usize; 2],
    /// Largest torque of the run (N·m); changes are relative to it.
    largest_torque: f64,
    /// Instants that take more than three iterations.
    longer_than_three: usize,
    /// Change of the torque when stopped at three.
    stopped_at_three: Change,
    /// Torque of the literal method against ours.
    literal: Change,
}

/// Instants with the same number of slipping balls: median and largest number of iterations.
#[derive(Serialize)]
struct Group {
    sliding: usize,
    instants: usize,
    iterations: [usize; 2],
    literal_iterations: [usize; 2],
}

/// Over all instants, relative to the largest torque.
#[derive(Serialize)]
struct Change {
    mean: f64,
    most: f64,
}

pub fn summary(instants: &[Instant]) -> Summary {
    let largest_torque = largest_torque(instants);
    let change = |other: fn(&Instant) -> f64| {
        let changes = || instants.iter().map(|i| (other(i) - i.torque).abs() / largest_torque);
        let mean = changes().sum::<f64>() / instants.len() as f64;
        Change { mean, most: changes().fold(0.0, f64::max) }
    };
    let group = |sliding| {
        let of = |count: fn(&Instant) -> usize| {
            median_and_most(instants.iter().filter(|i| i.sliding == sliding).map(count))
        };
        Group {
            sliding,
            instants: instants.iter().filter(|i| i.sliding == sliding).count(),
            iterations: of(|i| i.iterations),
            literal_iterations: of(|i| i.literal_iterations),
        }
    };
    Summary {
        instants: instants.len(),
        certified: instants.iter().filter(|i| i.certified).count(),
        literal_certified: instants.iter().filter(|i| i.literal_certified).count(),
        by_sliding: (0..=4).map(group).filter(|group| group.instants > 0).collect(),
        warm_iterations: median_and_most(instants.iter().map(|i| i.warm_iterations)),
        largest_torque,
        longer_than_three: instants.iter().filter(|i| i.iterations > ENOUGH).count(),
        stopped_at_three: change(|i| i.torque_after_three),
        literal: change(|i| i.torque_literal),
    }
}

fn largest_torque(instants: &[Instant]) -> f64 {
    instants.iter().fold(0.0, |m, i| m.max(i.torque.abs()))
}

fn median_and_most(counts: impl Iterator<Item = usize>) -> [usize; 2] {
    let mut counts: Vec<usize> = counts.collect();
    counts.sort_unstable();
    let at = |k: usize| counts.get(k).copied().unwrap_or(0);
    [at(counts.len() / 2), at(counts.len().saturating_sub(1))]
}

impl Summary {
    /// Whether every answer that determined the motion is certified.
    pub fn certified(&self) -> bool {
        self.certified == self.instants
    }

    pub fn claims(&self) -> Vec<Claim> {
        let claim = |paper: &str, here: String| Claim {
            place: "§4, figure 5".into(),
            paper: paper.into(),
            here,
        };
        let mut claims: Vec<Claim> = self.by_sliding.iter().map(Group::claim).collect();
        let Summary { instants, certified, literal_certified, .. } = self;
        let [median, most] = self.warm_iterations;
        claims.extend([
            claim(
                "–",
                format!("from the forces of the instant before; iterations: median {median}, most {most}"),
            ),
            claim(
                "where five iterations were required, three make no perceptible difference",
                format!(
                    "{} of {instants} instants take more than three; stopped there, the torque changes by {:.1e} of \
                     its largest value at most, {:.1e} in the mean",
                    self.longer_than_three, self.stopped_at_three.most, self.stopped_at_three.mean
                ),
            ),
            claim(
                "it converges to a consistent solution",
                format!(
                    "`energy`: {certified} of {instants} instants certified; `energy-literal`: {literal_certified}, its torque \
                     is off by {:.1e} of the largest value at most",
                    self.literal.most
                ),
            ),
        ]);
        claims
    }
}

impl Group {
    fn claim(&self) -> Claim {
        let paper = match self.sliding {
            4 => "four sliding: 1 iteration",
            3 => "one static and three sliding: up to 5",
            _ => "–",
        };
        let [[median, most], [literal_median, literal_most]] =
            [self.iterations, self.literal_iterations];
        Claim {
            place: format!("§4, figure 5, {} of 4 sliding", self.sliding),
            paper: paper.into(),
            here: format!(
                "instants: {}; iterations: median {median}, most {most}; literal: median {literal_median}, most {literal_most}",
                self.instants
            ),
        }
    }
}

pub fn torque(instants: &[Instant]) -> Plot {
    /// Instants from mark to mark.
    const APART: usize = 30;
    let stopped = instants.iter().step_by(APART).map(|i| [i.time, i.torque_after_three]);
    Plot {
        title: "Faure 1996, fig. 5. Torque that keeps the plane turning".into(),
        notes: vec!["Four balls on a plane that tilts with 0.1 rad/s.".into()],
        x: time(),
        y: Axis { label: "torque / N·m".into(), scale: Scale::Linear },
        series: vec![
            plain("to the end", 0, instants.iter().map(|i| [i.time, i.torque]).collect()),
            Series {
                marks: stopped.collect(),
                quoted: true,
                ..plain("three iterations", 1, vec![])
            },
        ],
    }
}

/// Change of the torque by stopping at three iterations, and by the literal method.
pub fn change(instants: &[Instant]) -> Plot {
    let largest = largest_torque(instants);
    let series = |label: &str, colour, of: fn(&Instant) -> f64| {
        let point = |i: &Instant| [i.time, (of(i) - i.torque).abs() / largest];
        let marks = instants.iter().map(point).filter(|p| p[1] >= ROUNDING).collect();
        Series { marks, ..plain(label, colour, vec![]) }
    };
    Plot {
        title: "Faure 1996, fig. 5. Change of the torque".into(),
        notes: vec![
            "Relative to its largest value, against the answer at the end of the iteration.".into(),
            format!("Changes below {ROUNDING:e} are left out."),
        ],
        x: time(),
        y: Axis { label: "change".into(), scale: Scale::Log },
        series: vec![
            series("literal", 2, |i| i.torque_literal),
            series("three iterations", 1, |i| i.torque_after_three),
        ],
    }
}

pub fn iterations(instants: &[Instant]) -> Plot {
    let series = |label: &str, colour, of: fn(&Instant) -> usize| {
        plain(label, colour, instants.iter().map(|i| [i.time, of(i) as f64]).collect())
    };
    Plot {
        title: "Faure 1996, fig. 5. Iterations per instant".into(),
        notes: vec!["The paper: 1 with four sliding contacts, up to 5 with three.".into()],
        x: time(),
        y: Axis { label: "iterations, or balls".into(), scale: Scale::Count },
        series: vec![
            series("balls sliding", 3, |i| i.sliding),
            series("energy", 0, |i| i.iterations),
            series("literal", 2, |i| i.literal_iterations),
        ],
    }
}

fn time() -> Axis {
    Axis { label: "time / s".into(), scale: Scale::Linear }
}

/// A series without marks.
fn plain(label: &str, colour: usize, line: Vec<[f64; 2]>) -> Series {
    let (marker, quoted, marks) = (Marker::Circle, false, vec![]);
    Series { label: label.into(), colour, marker, quoted, marks, line }
}

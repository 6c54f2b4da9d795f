//! Figures 11 to 13: colliding balls, one collision after the other and all at once.

use crate::plot::{Axis, Marker, Plot, Scale, Series};
use crate::reproduce::page::Claim;
use serde::Serialize;
use std::error::Error;
use std::fmt::Write as _;
use stiction_solvers::baraff1989::{Collision, Model, collide};
use stiction_solvers::{ContactProblem, gallery};

const MODELS: [(Model, &str); 2] =
    [(Model::Propagation, "propagation"), (Model::Simultaneous, "simultaneous")];

/// Figures 11 and 13: velocities along the axis of the collision.
#[derive(Serialize)]
pub struct Speeds {
    figure: usize,
    model: &'static str,
    restitution: f64,
    /// Velocities of the bodies, relative to that of the first mover.
    after: Vec<f64>,
    /// Normal impulses of the contacts, relative to its momentum.
    impulses: Vec<f64>,
    /// Kinetic energy gained, relative to that before.
    energy: f64,
}

fn collision(
    problem: &ContactProblem,
    restitution: f64,
    model: Model,
) -> Result<Collision, Box<dyn Error>> {
    let before: Vec<[f64; 6]> = problem.bodies().iter().map(|body| body.free_response).collect();
    let restitution = vec![restitution; problem.contacts().len()];
    Ok(collide(problem, &before, &restitution, model)?)
}

/// Balls of one kilogram, the first mover with one metre per second.
pub fn speeds() -> Result<Vec<Speeds>, Box<dyn Error>> {
    const KINETIC: f64 = 0.5;
    let row = gallery::three_balls(1.0)?;
    let pushed = gallery::pushed_away(1.0)?;
    let mut all = Vec::new();
    for (figure, problem, axis, restitutions) in
        [(11, &row, 0, &[1.0][..]), (13, &pushed, 2, &[0.0, 0.5, 1.0])]
    {
        for &restitution in restitutions {
            for (model, name) in MODELS {
                let Collision { after, impulse, energy, .. } =
                    collision(problem, restitution, model)?;
                all.push(Speeds {
                    figure,
                    model: name,
                    restitution,
                    after: after.iter().map(|velocity| velocity[axis]).collect(),
                    impulses: impulse.contacts.iter().map(|force| force.normal).collect(),
                    energy: energy / KINETIC,
                });
            }
        }
    }
    Ok(all)
}

pub fn speeds_csv(speeds: &[Speeds]) -> String {
    let mut text = String::from(
        "figure,model,restitution,after_1,after_2,after_3,impulse_1,impulse_2,energy_gained\n",
    );
    for Speeds { figure, model, restitution, after, impulses, energy } in speeds {
        let (after, impulses) = (numbers(after, ","), numbers(impulses, ","));
        let energy = numbers(&[*energy], "");
        let _ = writeln!(text, "{figure},{model},{restitution},{after},{impulses},{energy}");
    }
    text
}

pub fn speed_claims(speeds: &[Speeds]) -> Vec<Claim> {
    speeds.iter().map(Speeds::claim).collect()
}

impl Speeds {
    fn claim(&self) -> Claim {
        let Speeds { figure, model, restitution, after, impulses, energy } = self;
        let (paper, here) = if *figure == 11 {
            let paper = match *model {
                "propagation" => "velocities 0, 0, v",
                _ => "velocities −v/3, 2v/3, 2v/3",
            };
            let energy = numbers(&[*energy], "");
            (paper, format!("{} v, energy gained {energy}", numbers(after, "; ")))
        } else {
            let [impulse, a] = [impulses, after].map(|values| numbers(&values[..1], ""));
            ("no impulse between A and B", format!("impulse {impulse}, A leaves with {a} v"))
        };
        let place = format!("figure {figure}, {model}, ε = {restitution}");
        Claim { place, paper: paper.into(), here }
    }
}

/// Numbers with six decimals; those that round to zero have no sign.
fn numbers(values: &[f64], between: &str) -> String {
    let number = |value: &f64| format!("{:.6}", if value.abs() < 5e-7 { 0.0 } else { *value });
    values.iter().map(number).collect::<Vec<_>>().join(between)
}

/// Figure 12: a heavy ball falls on a light one, without restitution.
#[derive(Serialize)]
pub struct Rest {
    /// Mass of the upper ball over that of the lower.
    ratio: f64,
    model: &'static str,
    /// Number of solves, or of single collisions.
    steps: usize,
    /// Whether no contact approaches faster than 1e-10 of the initial speed.
    settled: bool,
    /// Largest speed left, relative to the initial one.
    left: f64,
}

pub fn until_rest(quick: bool) -> Result<Vec<Rest>, Box<dyn Error>> {
    let ratios: &[f64] = if quick {
        &[1.0, 9.0, 30.0]
    } else {
        &[1.0, 3.0, 9.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 1e4, 1e5, 1e6]
    };
    let mut all = Vec::new();
    for &ratio in ratios {
        eprintln!("figure 12: mass ratio {ratio}");
        let balls = gallery::ball_on_ball(ratio, 1.0)?;
        for (model, name) in MODELS {
            let collision = collision(&balls, 0.0, model)?;
            let settled = collision.is_settled();
            let Collision { after, steps, .. } = collision;
            let left = after.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
            all.push(Rest { ratio, model: name, steps, settled, left });
        }
    }
    Ok(all)
}

pub fn rest_csv(rest: &[Rest]) -> String {
    let mut text = String::from("mass_ratio,model,steps,settled,fastest_left\n");
    for Rest { ratio, model, steps, settled, left } in rest {
        let _ = writeln!(text, "{ratio},{model},{steps},{settled},{left:.3e}");
    }
    text
}

pub fn rest_plot(rest: &[Rest]) -> Plot {
    let series = |colour: usize, name: &str, marker| {
        let of_model = rest.iter().filter(|r| r.model == name && r.settled);
        let points: Vec<[f64; 2]> = of_model.map(|r| [r.ratio, r.steps as f64]).collect();
        let (marks, line) = (points.clone(), points);
        Series { label: name.into(), colour, marker, quoted: false, marks, line }
    };
    let mut notes =
        vec!["Collisions without restitution, until 1e-10 of the speed is left.".to_owned()];
    if let Some(endless) = rest.iter().find(|r| !r.settled) {
        let Rest { ratio, model, steps, .. } = endless;
        notes.push(format!("From a ratio of {ratio} on, {model} is not at rest after {steps}."));
    }
    Plot {
        title: "Baraff 1989, fig. 12. A heavy ball on a light one".into(),
        notes,
        x: Axis { label: "mass ratio".into(), scale: Scale::Log },
        y: Axis { label: "solves until rest".into(), scale: Scale::Log },
        series: vec![
            series(1, MODELS[0].1, Marker::Square),
            series(0, MODELS[1].1, Marker::Circle),
        ],
    }
}

/// The paper's mass ratio, one in between, and the largest.
pub fn rest_claims(rest: &[Rest]) -> Vec<Claim> {
    let largest = rest.iter().fold(0.0_f64, |m, r| m.max(r.ratio));
    rest.iter().filter(|r| [9.0, 1000.0, largest].contains(&r.ratio)).map(Rest::claim).collect()
}

impl Rest {
    fn claim(&self) -> Claim {
        let Rest { ratio, model, steps, settled, left } = self;
        let paper = match *model {
            "propagation" if *ratio == 9.0 => "after n iterations 0.9ⁿ of the speed is left",
            "propagation" => "slower for a higher mass ratio",
            _ => "rest in one iteration, regardless of the mass ratio",
        };
        let note = if *settled { "" } else { ", not at rest then" };
        Claim {
            place: format!("figure 12, mass ratio {ratio}, {model}"),
            paper: paper.into(),
            here: format!("solves: {steps}{note}; {left:.1e} of the speed left"),
        }
    }
}

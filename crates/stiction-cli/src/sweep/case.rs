//! One case: a run or a question about statics, as a row.

use super::parts::Row;
use super::spec::{Case, MarginName, Plan, Subject};
use crate::run::summary::Summary;
use crate::statics::input::Model;
use glam::DVec3;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use stiction::Simulation;
use stiction::recording::Origin;
use stiction::scene::{Scene, assign};
use stiction_statics::{Margin, Options, Statics};

/// The column of cases that failed.
pub const ERROR: &str = "error";

/// Results by name.
type Results = Vec<(String, Value)>;

/// The parameters and the results of a case; of one that failed its error.
pub fn row(plan: &Plan, case: &Case) -> Row {
    let mut row = case.given.clone();
    let run = || match &plan.subject {
        Subject::Scene(path) => run(path, plan, case),
        Subject::Model(path) => ask(path, plan, case),
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(results)) => results.into_iter().for_each(|(name, value)| row.push(&name, value)),
        Ok(Err(error)) => row.push(ERROR, error.into()),
        Err(_) => row.push(ERROR, "the program failed (a bug)".into()),
    }
    row
}

fn run(path: &Path, plan: &Plan, case: &Case) -> Result<Results, String> {
    let mut origin = Origin::read(path).map_err(|error| error.to_string())?;
    origin.text = assign(&origin.text, &case.set).map_err(|error| error.to_string())?;
    let scene = origin.scene().map_err(|error| error.to_string())?;
    let mut simulation = Simulation::new(&scene);
    let mut summary = Summary::new(&origin.name, &scene);
    summary.see(simulation.first());
    for _ in 0..scene.run.last_frame() {
        let frame = simulation.advance();
        if let Some(why) = simulation.refusal() {
            return Err(format!("at {} s: {why}", simulation.world.state.time));
        }
        summary.see(frame);
    }
    summary.close(&simulation.world, &simulation.certificate(), false);
    let mut results = results_of(&summary);
    for name in &plan.bodies {
        results.extend(body(name, &scene, &simulation)?);
    }
    Ok(results)
}

/// What every run says.
fn results_of(summary: &Summary) -> Results {
    let certificate = &summary.certificate;
    let mut results: Results = vec![
        ("certified".into(), certificate.holds.into()),
        ("residual".into(), certificate.worst.into()),
    ];
    let law = |law: &crate::laws::LawReport| (format!("law.{}", law.name), json!(law.worst));
    results.extend(certificate.laws.iter().map(law));
    let energy = &summary.energy;
    for (name, value) in [
        ("kinetic", energy.kinetic),
        ("potential", energy.potential),
        ("work", energy.work),
        ("friction", energy.friction),
        ("impacts", energy.impacts),
    ] {
        results.push((format!("energy.{name}"), value.into()));
    }
    let farthest = summary.moved.first();
    results.push(("displacement".into(), json!(farthest.map(|moved| moved.displacement))));
    results.push(("hash".into(), summary.hash.clone().into()));
    results
}

/// Where a body is at the end, and how it moves.
fn body(name: &str, scene: &Scene, simulation: &Simulation) -> Result<Results, String> {
    let found = scene.world.bodies().find(|(_, body)| body.name == name);
    let (id, _) = found.ok_or_else(|| format!("bodies: unknown {name:?}"))?;
    let state = &simulation.world.state;
    let (pose, twist) = (state.pose(id), &state.twists[id.index()]);
    let axes = |what: &str, v: DVec3| {
        ["x", "y", "z"]
            .into_iter()
            .zip(v.to_array())
            .map(move |(axis, value)| (format!("{name}.{what}.{axis}"), Value::from(value)))
            .collect::<Vec<_>>()
    };
    let parts = [("position", pose.position), ("velocity", twist.linear), ("spin", twist.angular)];
    Ok(parts.into_iter().flat_map(|(what, v)| axes(what, v)).collect())
}

fn ask(path: &Path, plan: &Plan, case: &Case) -> Result<Results, String> {
    let assembly = Model::of(path, case.set.clone()).read(None)?;
    let statics = Statics::new(&assembly);
    let answer = statics.stands(&Options::default());
    let mut results: Results = vec![
        ("verdict".into(), answer.verdict.name().into()),
        ("can_stand".into(), json!(answer.verdict.can())),
    ];
    let mut add = |name: &str, margin: &Margin| {
        let ends = [("at_least", margin.at_least), ("at_most", margin.at_most)];
        results.extend(ends.map(|(end, value)| (format!("{name}.{end}"), json!(value))));
    };
    for name in &plan.margins {
        match name {
            MarginName::Load => add("load", &statics.load_factor()),
            MarginName::Friction => add("friction", &statics.least_friction()),
        }
    }
    for degrees in &plan.tilt {
        let angle = degrees.to_radians();
        let direction = DVec3::new(angle.cos(), angle.sin(), 0.0);
        add(&format!("tilt.{degrees}"), &statics.tilt(direction));
    }
    Ok(results)
}

//! The output of `stiction solve --json`, documented in `docs/output.md`.

use super::{Solved, impact, reason};
use serde::Serialize;
use stiction_solvers::judge::{self, Certificate, Determinacy};
use stiction_solvers::{
    Answer, ContactProblem, Effort, Forces, Level, Parameters, Route, Selection, Stage, Status,
};

/// One load.
#[derive(Serialize)]
struct Json<'a> {
    problem: &'a str,
    load: usize,
    solver: &'a str,
    #[serde(skip_serializing_if = "Parameters::is_empty")]
    parameters: &'a Parameters,
    #[serde(skip_serializing_if = "Option::is_none")]
    approximation: Option<&'static str>,
    outcome: &'static str,
    status: &'static str,
    certified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    level: Level,
    normal: Vec<f64>,
    friction: Vec<[f64; 3]>,
    bilateral: Vec<f64>,
    bounded: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    velocity: Option<Vec<[f64; 6]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    acceleration: Option<Vec<[f64; 6]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contacts: Option<Vec<judge::ContactReport>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    determinacy: Option<Determinacy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<Certificate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ray_certificate: Option<judge::RayCertificate>,
    /// θ, then φ contact by contact, then λ, when the cones are pyramids.
    #[serde(skip_serializing_if = "Option::is_none")]
    z: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cone: Option<judge::Cone>,
    #[serde(skip_serializing_if = "Option::is_none")]
    impact: Option<impact::Json<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    route: Option<Route>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'static str>,
    /// The methods tried.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    stages: &'a [Stage],
    #[serde(skip_serializing_if = "Option::is_none")]
    selection: Option<Selection>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finish: Option<usize>,
    pivots: usize,
    effort: Effort,
    time_us: f64,
}

/// The object of one load.
pub(super) fn line(problem: &ContactProblem, solved: &Solved) -> String {
    let nothing = Forces::default();
    let answer = solved.answer.as_ref().ok();
    let forces = answer.map_or(&nothing, |answer| &answer.forces);
    // The effect of an impulse is in `impact`.
    let known: Option<&Answer> = answer.filter(|answer| !answer.is_impulse());
    let moved = known.map(|answer| answer.response.bodies.clone());
    let accelerates = problem.level() == Level::Acceleration;
    let origin = answer.map(|answer| &answer.provenance);
    let mut effort = origin.map_or_else(Effort::default, |origin| origin.effort);
    if answer.is_none() {
        solved.work.enter(&mut effort);
    }
    let (outcome, status, why) = outcome(solved);
    let determinacy = known.map(|a| judge::determinacy(problem, &a.forces));
    let object = Json {
        problem: &solved.name,
        load: solved.load,
        solver: solved.solver,
        parameters: &solved.parameters,
        approximation: solved.approximation,
        outcome,
        status,
        certified: solved.code() == 0,
        reason: why,
        level: problem.level(),
        normal: forces.contacts.iter().map(|f| f.normal).collect(),
        friction: forces.contacts.iter().map(|f| f.friction).collect(),
        bilateral: forces.bilateral.clone(),
        bounded: forces.bounded.clone(),
        velocity: moved.clone().filter(|_| !accelerates),
        acceleration: moved.filter(|_| accelerates),
        contacts: known.zip(determinacy.as_ref()).map(|(a, it)| contacts(problem, &a.forces, it)),
        determinacy,
        certificate: known.map(|a| a.certificate.clone()),
        ray_certificate: answer.and_then(|a| a.impulse),
        z: known.and_then(|a| a.certificate.pyramid.as_ref()).map(|p| &p.z[..]),
        cone: known.map(|a| a.provenance.cone),
        impact: solved.impact.as_ref().map(impact::Json::new),
        route: known.map(|a| a.provenance.route),
        by: origin.filter(|o| o.solver != o.requested).map(|o| o.solver),
        stages: origin.map_or(&[], |origin| &origin.stages),
        selection: known.map(|a| a.provenance.selection),
        finish: known.and_then(|a| a.provenance.finish),
        pivots: effort.pivots,
        effort,
        time_us: solved.time_us,
    };
    serde_json::to_string(&object).unwrap_or_default()
}

/// The contacts, with the margins of unique forces alone.
pub fn contacts(
    problem: &ContactProblem,
    forces: &Forces,
    determinacy: &Determinacy,
) -> Vec<judge::ContactReport> {
    let mut reports = judge::report(problem, forces);
    for (report, unique) in reports.iter_mut().zip(&determinacy.contacts) {
        report.margin = super::print::own_margin(report, *unique);
    }
    reports
}

/// Outcome, status and, where it is not certified, why.
fn outcome(solved: &Solved) -> (&'static str, &'static str, Option<String>) {
    let answer = match &solved.answer {
        Ok(answer) => answer,
        Err(error) => return ("failed", "failed", Some(reason(error, &solved.work))),
    };
    let why = || answer.certificate.reason.clone();
    match answer.status {
        Status::Certified(_) => ("solved", "certified", None),
        Status::Approximate(_) => ("solved", "approximate", why()),
        Status::Uncertified => ("failed", "uncertified", why()),
        Status::Impulse => ("impulse", "impulse", None),
    }
}

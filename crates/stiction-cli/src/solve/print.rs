//! The output of `stiction solve` as text.

use super::{Solved, impact, reason};
use crate::parameters::named;
use std::fmt::Write as _;
use stiction_solvers::judge::{
    self, ContactReport, Determinacy, Mode, Motion, OtherModes, Uniqueness,
};
use stiction_solvers::{
    Answer, ContactProblem, Effort, Forces, Provenance, Route, Selection, Status,
};
use stiction_terminal::{count, say};

pub(super) fn print(problem: &ContactProblem, solved: &Solved) {
    say!(
        "{}, load {}: {}, {}, {} level",
        solved.name,
        solved.load,
        count(problem.bodies().len(), "body", "bodies"),
        count(problem.contacts().len(), "contact", "contacts"),
        problem.level().response_name()
    );
    let solver = named(solved.solver, &solved.parameters);
    match &solved.answer {
        Ok(answer) => {
            print_answer(problem, solved, answer);
            say!("\n{solver}, {}", provenance(&answer.provenance, solved.time_us));
        }
        Err(error) => {
            say!("\n{} found no forces: {}", solved.solver, reason(error, &solved.work));
            say!("\n{solver}, {:.0} µs", solved.time_us);
        }
    }
    if let Some(approximation) = solved.approximation {
        say!("an approximation: {approximation}");
    }
}

fn print_answer(problem: &ContactProblem, solved: &Solved, answer: &Answer) {
    if answer.is_impulse() {
        print_impulse(problem, answer);
        if let Some(impact) = &solved.impact {
            impact::print(impact);
        }
        return;
    }
    if answer.status == Status::Uncertified {
        let ended = answer.provenance.effort.stop;
        let ended = ended.map_or_else(String::new, |stop| format!("; ended by {stop}"));
        say!("\n{} found no certified forces{ended}; the best forces:", solved.solver);
    }
    print_forces(problem, &answer.forces);
    match answer.provenance.selection {
        Selection::Any => {}
        Selection::Smallest => {
            say!("of all forces that cause this motion, these are the minimum-norm forces");
        }
        Selection::Nearest => {
            say!("of all forces that cause this motion, these are the nearest to the start");
        }
    }
    say!("\n{}", answer.certificate);
}

/// The method that answered, its effort, and how it got there.
fn provenance(provenance: &Provenance, time_us: f64) -> String {
    let Provenance { requested, solver, route, finish, effort, .. } = provenance;
    let by = if requested == solver { String::new() } else { format!("by {solver}, ") };
    let mut text = by + &counts(effort, time_us);
    match route {
        Route::Direct => {}
        Route::Restarted { sweeps } => {
            let _ = write!(text, ", restarted after {sweeps} Gauss–Seidel sweeps");
        }
        Route::Fallback => text += ", after the first method had failed",
        Route::AddsEnergy { amount } => {
            let _ = write!(text, ", ADDS ENERGY: force × response is {amount:.3e}, not 0");
        }
        Route::Compromise { residual } => {
            let _ = write!(text, ", bilateral rows gave way by up to {residual:.3e}");
        }
    }
    if let Some(iterations) = finish {
        let _ = write!(text, ", finished on the round cone in {iterations} Newton iterations");
    }
    text
}

fn counts(effort: &Effort, time_us: f64) -> String {
    let Effort { pivots, drives, stop, .. } = effort;
    let ended = stop.map_or_else(String::new, |stop| format!(", ended by {stop}"));
    if stop.is_some() && *drives == 0 {
        format!("{pivots} iterations, {time_us:.0} µs{ended}")
    } else {
        format!("{drives} drives, {pivots} pivots, {time_us:.0} µs{ended}")
    }
}

fn print_impulse(problem: &ContactProblem, answer: &Answer) {
    let Some(certificate) = &answer.impulse else { return };
    say!("\nno force was found that keeps the bodies apart: an impulse acts, along");
    say!("\n{:>8}  {:>12}  {:>12}", "contact", "normal", "friction");
    for (i, force) in answer.forces.contacts.iter().enumerate() {
        let friction = force.friction.iter().map(|x| x * x).sum::<f64>().sqrt();
        say!("{i:>8}  {:>12.6}  {friction:>12.6}", force.normal);
    }
    let valid = if certificate.certified { "a valid contact impulse" } else { "NOT CERTIFIED" };
    say!(
        "\n{valid}: forces {:.1e}, responses {:.1e} off, moves {:.3e} {} per unit",
        certificate.force_violation,
        certificate.response_violation,
        certificate.response,
        problem.level().response_unit()
    );
}

pub fn print_forces(problem: &ContactProblem, forces: &Forces) {
    let unit = problem.level().force_unit();
    let determinacy = judge::determinacy(problem, forces);
    say!(
        "\n{:>8}  {:>11}  {:>14}  {:>14}  {:<5}  {:>7}  unique",
        "contact",
        "bodies",
        format!("normal {unit}"),
        format!("friction {unit}"),
        "mode",
        "margin"
    );
    for (i, report) in judge::report(problem, forces).iter().enumerate() {
        let contact = &problem.contacts()[i];
        let other = contact.b.map_or_else(|| "world".to_owned(), |b| b.to_string());
        let mode = match report.mode {
            Mode::Open => "open",
            Mode::Stick => "stick",
            Mode::Slip => "slip",
        };
        let margin = own_margin(report, determinacy.contacts[i])
            .map_or_else(|| "–".to_owned(), |m| format!("{:.1} %", 100.0 * m.max(0.0)));
        let unique = unique(&determinacy, i);
        say!(
            "{i:>8}  {:>11}  {:>14.6}  {:>14.6}  {mode:<5}  {margin:>7}  {unique}",
            format!("{} on {other}", contact.a),
            report.normal_force,
            report.friction_force
        );
    }
    for (name, rows) in [("bilateral", &forces.bilateral), ("bounded", &forces.bounded)] {
        for (i, force) in rows.iter().enumerate() {
            say!("{name} row {i}: {force:.6}");
        }
    }
    let motion = match determinacy.motion {
        Motion::Unique => "the motion is unique",
        Motion::LocallyUnique => "the motion is unique for these contact modes",
        Motion::NotShown => "the motion is not shown to be unique",
    };
    match determinacy.freedom {
        0 => say!("\n{motion}, and so are the forces"),
        1 => say!("\n{motion}; forces can shift in 1 way without changing it"),
        n => say!("\n{motion}; forces can shift in {n} independent ways without changing it"),
    }
    if determinacy.other_modes == OtherModes::NotExamined {
        say!("other contact modes were not examined; `stiction diagnose` examines them");
    }
}

/// The margin of a contact whose force is unique, or that slips: others have none of their own.
pub(super) fn own_margin(report: &ContactReport, unique: Uniqueness) -> Option<f64> {
    report.margin.filter(|_| unique == Uniqueness::Unique || report.mode == Mode::Slip)
}

fn unique(determinacy: &Determinacy, contact: usize) -> &'static str {
    match (determinacy.contacts[contact], determinacy.normals[contact]) {
        (Uniqueness::Unique, _) if determinacy.other_modes == OtherModes::NotExamined => {
            "in these modes"
        }
        (Uniqueness::Unique, _) => "yes",
        (_, Uniqueness::Unique) => "normal only",
        (Uniqueness::NotUnique, _) => "no",
        (Uniqueness::Undecided, _) => "undecided",
    }
}

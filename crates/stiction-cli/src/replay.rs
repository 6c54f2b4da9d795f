//! `stiction replay`: recomputes a recorded run and reports whether every frame is identical.

use crate::AboutRecording;
use crate::input::{self, InputError};
use serde::Serialize;
use std::process::ExitCode;
use stiction::{Frame, Simulation, State};
use stiction_terminal::{finish, say};

/// As documented in `docs/commands.md`.
#[derive(Serialize)]
struct Json {
    file: String,
    frames: u64,
    same: bool,
    difference: Option<Difference>,
    ignored_bytes: u64,
    /// What of the file cannot be read, and where.
    faults: Vec<String>,
}

/// The first frame that differs.
#[derive(Serialize)]
struct Difference {
    frame: u64,
    time: f64,
    /// State hashes, in hexadecimal digits.
    recorded: String,
    found: String,
    /// The first body whose pose or velocity differs, if any, and by what distance (m).
    body: Option<String>,
    distance: Option<f64>,
}

pub fn run(arguments: &AboutRecording) -> ExitCode {
    finish(replay(arguments), arguments.json, print, |report| {
        report.same && report.faults.is_empty()
    })
}

fn replay(arguments: &AboutRecording) -> Result<Json, InputError> {
    let recording = input::recording(&arguments.file)?;
    let mut simulation = Simulation::new(&recording.scene()?);
    let names: Vec<String> = simulation.world.bodies().map(|(_, body)| body.name.clone()).collect();
    let mut difference = None;
    for recorded in recording.frames() {
        let recorded = recorded?;
        let mut found = Frame::first(&simulation.world);
        while simulation.index() < recorded.index {
            found = simulation.advance();
        }
        if found.state.hash() != recorded.state.hash() {
            difference = Some(compare(&recorded, &found, &names));
            break;
        }
    }
    Ok(Json {
        file: arguments.file.display().to_string(),
        frames: recording.len(),
        same: difference.is_none(),
        difference,
        ignored_bytes: recording.ignored(),
        faults: recording.faults(),
    })
}

fn compare(recorded: &Frame, found: &Frame, names: &[String]) -> Difference {
    let (kept, made): (&State, &State) = (&recorded.state, &found.state);
    let differs = |i: &usize| {
        kept.poses.get(*i) != made.poses.get(*i) || kept.twists.get(*i) != made.twists.get(*i)
    };
    let body = (0..names.len()).find(differs);
    let pose = |state: &State, i: usize| state.poses.get(i).map(|pose| pose.position);
    let distance = body.and_then(|i| Some(pose(kept, i)?.distance(pose(made, i)?)));
    Difference {
        frame: recorded.index,
        time: kept.time,
        recorded: format!("{:016x}", kept.hash()),
        found: format!("{:016x}", made.hash()),
        body: body.map(|i| names[i].clone()),
        distance,
    }
}

fn print(report: &Json) {
    let Json { file, frames, ignored_bytes, .. } = report;
    match &report.difference {
        None if report.faults.is_empty() => {
            say!("{file}: all {frames} frames are identical, bit by bit");
        }
        None => say!("{file}: all frames that can be read are identical, bit by bit"),
        Some(Difference { frame, time, recorded, found, body, distance }) => {
            say!("{file}: frame {frame} ({time:.6} s) differs, those before it are identical");
            say!("  recorded {recorded}, found {found}");
            if let Some((body, distance)) = body.as_ref().zip(*distance) {
                say!("  the first body that differs is {body}, by {distance:.3e} m");
            }
        }
    }
    for fault in &report.faults {
        say!("  damaged: {fault}");
    }
    if *ignored_bytes > 0 {
        say!("  {ignored_bytes} bytes after the last complete frame were ignored");
    }
}

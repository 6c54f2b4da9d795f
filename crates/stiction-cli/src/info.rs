//! `stiction info`: what a recording holds.

use crate::AboutRecording;
use crate::parameters::named;
use serde::Serialize;
use std::process::ExitCode;
use stiction::recording::{Recording, RecordingError};
use stiction_solvers::Parameters;
use stiction_terminal::{finish, say};

/// As documented in `docs/commands.md`.
#[derive(Serialize)]
struct Json {
    file: String,
    scene: String,
    title: String,
    stepper: &'static str,
    solver: &'static str,
    parameters: Parameters,
    until: f64,
    dt: f64,
    bodies: usize,
    joints: usize,
    frames: u64,
    /// Frames that stand by themselves.
    plain_frames: usize,
    /// Time of the last frame (s).
    time: Option<f64>,
    /// State hash of the last frame, in hexadecimal digits.
    hash: Option<String>,
    bytes: u64,
    ignored_bytes: u64,
    /// Why they are ignored, and where.
    fault: Option<String>,
}

pub fn run(arguments: &AboutRecording) -> ExitCode {
    finish(look(arguments), arguments.json, print, |_| true)
}

fn look(arguments: &AboutRecording) -> Result<Json, RecordingError> {
    let recording = Recording::open(&arguments.file)?;
    let last = recording.len().checked_sub(1).map(|last| recording.frame(last)).transpose()?;
    let (run, told) = (recording.run(), recording.description());
    let count = |what: &str| told[what].as_array().map_or(0, Vec::len);
    Ok(Json {
        file: arguments.file.display().to_string(),
        scene: recording.origin().name.clone(),
        title: told["title"].as_str().unwrap_or_default().to_owned(),
        stepper: run.stepper.name(),
        solver: run.solver.name(),
        parameters: run.solver.parameters().clone(),
        until: run.until,
        dt: run.dt,
        bodies: count("bodies"),
        joints: count("joints"),
        frames: recording.len(),
        plain_frames: recording.plain_frames(),
        time: last.as_ref().map(|frame| frame.state.time),
        hash: last.as_ref().map(|frame| format!("{:016x}", frame.state.hash())),
        bytes: recording.bytes(),
        ignored_bytes: recording.ignored(),
        fault: recording.fault(),
    })
}

fn print(told: &Json) {
    let Json { file, scene, title, stepper, solver, until, dt, bodies, joints, .. } = told;
    say!("{file}: {title} ({scene})");
    let solver = named(solver, &told.parameters);
    say!("{stepper}, solver {solver}, until {until} s by {dt} s");
    say!("{bodies} bodies, {joints} joints");
    let per_frame = told.bytes as f64 / told.frames.max(1) as f64;
    say!(
        "{} frames, {} of them by themselves, {} bytes, {per_frame:.0} per frame",
        told.frames,
        told.plain_frames,
        told.bytes
    );
    if let Some((time, hash)) = told.time.zip(told.hash.as_ref()) {
        say!("the last is at {time:.6} s, state {hash}");
    }
    if let Some(fault) = &told.fault {
        say!("{} bytes are not read: {fault}", told.ignored_bytes);
    }
}

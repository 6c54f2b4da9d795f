//! `stiction info`: the contents of a recording.

use crate::AboutRecording;
use crate::input::{self, InputError};
use crate::parameters::named;
use serde::Serialize;
use std::process::ExitCode;
use stiction_solvers::Parameters;
use stiction_terminal::{count, finish, say};

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
    /// The class of the machine that it was recorded on.
    machine: Option<String>,
    bodies: usize,
    joints: usize,
    frames: u64,
    /// Frames stored without reference to others.
    plain_frames: usize,
    /// Time of the last frame (s).
    time: Option<f64>,
    /// State hash of the last frame, in hexadecimal digits.
    hash: Option<String>,
    bytes: u64,
    ignored_bytes: u64,
    /// Why they are ignored, and where.
    fault: Option<String>,
    /// Bytes before the last frame that cannot be read, and the frames lost with them.
    damage: Vec<String>,
}

pub fn run(arguments: &AboutRecording) -> ExitCode {
    finish(inspect(arguments), arguments.json, print, |info| {
        info.fault.is_none() && info.damage.is_empty()
    })
}

fn inspect(arguments: &AboutRecording) -> Result<Json, InputError> {
    let recording = input::recording(&arguments.file)?;
    let last = recording.len().checked_sub(1).map(|last| recording.frame(last)).transpose()?;
    let (run, description) = (recording.run(), recording.description());
    let number = |what: &str| description[what].as_array().map_or(0, Vec::len);
    Ok(Json {
        file: arguments.file.display().to_string(),
        scene: recording.origin().name.clone(),
        title: description["title"].as_str().unwrap_or_default().to_owned(),
        stepper: run.stepper.name(),
        solver: run.solver.name(),
        parameters: run.solver.parameters().clone(),
        until: run.until,
        dt: run.dt,
        machine: recording.machine().map(str::to_owned),
        bodies: number("bodies"),
        joints: number("joints"),
        frames: recording.len(),
        plain_frames: recording.plain_frames(),
        time: last.as_ref().map(|frame| frame.state.time),
        hash: last.as_ref().map(|frame| format!("{:016x}", frame.state.hash())),
        bytes: recording.bytes(),
        ignored_bytes: recording.ignored(),
        fault: recording.fault(),
        damage: recording.damage().iter().map(ToString::to_string).collect(),
    })
}

fn print(info: &Json) {
    let Json { file, scene, title, stepper, solver, until, dt, bodies, joints, .. } = info;
    say!("{file}: {title} ({scene})");
    let solver = named(solver, &info.parameters);
    say!("{stepper}, solver {solver}, until {until} s by {dt} s");
    let (bodies, joints) = (count(*bodies, "body", "bodies"), count(*joints, "joint", "joints"));
    say!("{bodies}, {joints}");
    let per_frame = info.bytes as f64 / info.frames.max(1) as f64;
    say!(
        "{}, {} of them stored whole, {} bytes, {per_frame:.0} per frame",
        count(info.frames as usize, "frame", "frames"),
        info.plain_frames,
        info.bytes
    );
    if let Some((time, hash)) = info.time.zip(info.hash.as_ref()) {
        say!("the last is at {time:.6} s, state hash {hash}");
    }
    if let Some(machine) = &info.machine {
        say!("recorded on a machine of class {machine}");
    }
    for damage in &info.damage {
        say!("damaged: {damage}");
    }
    if let Some(fault) = &info.fault {
        say!("{} bytes ignored: {fault}", info.ignored_bytes);
    }
}

//! `stiction replay`: recomputes a recorded run and reports whether every frame is identical.
//!
//! On a machine of the class that it was recorded on, frames have the same bits. Elsewhere bodies
//! are compared within [`BOUND`]; where rounding has grown beyond it, the run goes back to the recorded
//! frame before.

use crate::AboutRecording;
use crate::input::{self, InputError};
use serde::Serialize;
use std::process::ExitCode;
use stiction::recording::{Recording, RecordingError, machine};
use stiction::scene::Scene;
use stiction::{Frame, Simulation, State, World};
use stiction_terminal::{count, finish, say};

/// How far a body may be from where it was recorded on a machine of another class: part of its size,
/// and angle (rad).
const BOUND: f64 = 1e-6;

/// As documented in `docs/commands.md`.
#[derive(Serialize)]
struct Json {
    file: String,
    frames: u64,
    same: bool,
    difference: Option<Difference>,
    /// Of a recording from a machine of another class.
    other_machine: Option<OtherMachine>,
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

/// How frames were compared on a machine of another class.
#[derive(Default, Serialize)]
struct OtherMachine {
    recorded: String,
    here: String,
    /// The largest difference: part of the body's size or angle (rad); and the largest that counts as the
    /// same.
    worst: f64,
    bound: f64,
    /// How often the run went back to a recorded frame.
    restarts: usize,
}

pub fn run(arguments: &AboutRecording) -> ExitCode {
    finish(replay(arguments), arguments.json, print, |report| {
        report.same && report.faults.is_empty()
    })
}

fn replay(arguments: &AboutRecording) -> Result<Json, InputError> {
    let recording = input::recording(&arguments.file)?;
    let scene = recording.scene()?;
    let recorded = recording.other_machine().map(str::to_owned);
    let mut other_machine = recorded.map(|recorded| {
        let (here, bound) = (machine(), BOUND);
        OtherMachine { recorded, here, bound, ..OtherMachine::default() }
    });
    let difference = match &mut other_machine {
        None => compare_bits(&recording, &scene)?,
        Some(other) => compare_motion(&recording, &scene, other)?,
    };
    Ok(Json {
        file: arguments.file.display().to_string(),
        frames: recording.len(),
        same: difference.is_none(),
        difference,
        other_machine,
        ignored_bytes: recording.ignored(),
        faults: recording.faults(),
    })
}

/// Runs the scene from its start; the first frame that does not have the same bits.
fn compare_bits(
    recording: &Recording,
    scene: &Scene,
) -> Result<Option<Difference>, RecordingError> {
    let mut simulation = Simulation::new(scene);
    let mut found = simulation.first();
    for recorded in recording.frames() {
        let recorded = recorded?;
        while simulation.index() < recorded.index {
            found = simulation.advance();
        }
        if found.state.hash() != recorded.state.hash() {
            return Ok(Some(describe(&recorded, &found, &simulation.world)));
        }
    }
    Ok(None)
}

/// Runs the scene from its start, and again from the recorded frame before wherever what differed by
/// rounding has grown beyond [`BOUND`]; the first frame that is farther off than that from there.
fn compare_motion(
    recording: &Recording,
    scene: &Scene,
    other: &mut OtherMachine,
) -> Result<Option<Difference>, RecordingError> {
    let mut simulation = Simulation::new(scene);
    let mut found = simulation.first();
    let mut before: Option<Frame> = None;
    for recorded in recording.frames() {
        let recorded = recorded?;
        while simulation.index() < recorded.index {
            found = simulation.advance();
        }
        let mut off = apart(&simulation.world, &recorded.state, &found.state);
        let follows = before.take().filter(|before| before.index + 1 == recorded.index);
        if let Some(resumed) =
            follows.filter(|_| off > BOUND).and_then(|before| Simulation::resume(scene, &before))
        {
            simulation = resumed;
            found = simulation.advance();
            off = apart(&simulation.world, &recorded.state, &found.state);
            other.restarts += 1;
        }
        if off > BOUND {
            return Ok(Some(describe(&recorded, &found, &simulation.world)));
        }
        other.worst = other.worst.max(off);
        before = Some(recorded);
    }
    Ok(None)
}

/// The largest distance of a free body between two states, over its size, or angle (rad).
fn apart(world: &World, one: &State, other: &State) -> f64 {
    let of = |(id, body): (_, &stiction::Body)| {
        let (p, q) = (one.pose(id), other.pose(id));
        let shift = p.position.distance(q.position) / body.bounding_radius();
        shift.max(p.rotation.angle_between(q.rotation))
    };
    world.free_bodies().map(of).fold(0.0, f64::max)
}

fn describe(recorded: &Frame, found: &Frame, world: &World) -> Difference {
    let (kept, made): (&State, &State) = (&recorded.state, &found.state);
    let differs = |i: &usize| {
        kept.poses.get(*i) != made.poses.get(*i) || kept.twists.get(*i) != made.twists.get(*i)
    };
    let body = (0..world.bodies().count()).find(differs);
    let pose = |state: &State, i: usize| state.poses.get(i).map(|pose| pose.position);
    let distance = body.and_then(|i| Some(pose(kept, i)?.distance(pose(made, i)?)));
    Difference {
        frame: recorded.index,
        time: kept.time,
        recorded: format!("{:016x}", kept.hash()),
        found: format!("{:016x}", made.hash()),
        body: body.and_then(|i| world.bodies().nth(i)).map(|(_, body)| body.name.clone()),
        distance,
    }
}

fn print(report: &Json) {
    let Json { file, frames, ignored_bytes, other_machine, faults, .. } = report;
    let all = if faults.is_empty() {
        format!("all {frames} frames")
    } else {
        "all frames that can be read".into()
    };
    match (&report.difference, other_machine) {
        (None, None) => say!("{file}: {all} are identical, bit by bit"),
        (None, Some(other)) => {
            let times = count(other.restarts, "restart", "restarts");
            say!("{file}: {all} agree within {:.1e} of a body's size, with {times}", other.worst);
        }
        (Some(Difference { frame, time, recorded, found, body, distance }), _) => {
            say!("{file}: frame {frame} ({time:.6} s) differs, those before it do not");
            say!("  recorded {recorded}, found {found}");
            if let Some((body, distance)) = body.as_ref().zip(*distance) {
                say!("  the first body that differs is {body}, by {distance:.3e} m");
            }
        }
    }
    if let Some(OtherMachine { recorded, here, bound, .. }) = other_machine {
        say!(
            "  recorded on a machine of class {recorded}; this one is {here} and rounds otherwise: compared within {bound:.0e}"
        );
    }
    for fault in faults {
        say!("  damaged: {fault}");
    }
    if *ignored_bytes > 0 {
        say!("  {ignored_bytes} bytes after the last complete frame were ignored");
    }
}

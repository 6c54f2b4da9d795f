//! `stiction replay`: makes a recorded run again and says whether every bit comes out the same.

use crate::AboutRecording;
use serde::Serialize;
use std::process::ExitCode;
use stiction::recording::{Recording, RecordingError};
use stiction::{Frame, Simulation, State};

/// As documented in `docs/commands.md`.
#[derive(Serialize)]
struct Json {
    file: String,
    frames: u64,
    same: bool,
    difference: Option<Difference>,
    ignored_bytes: u64,
}

/// The first frame that comes out different.
#[derive(Serialize)]
struct Difference {
    frame: u64,
    time: f64,
    /// State hashes, in hexadecimal digits.
    recorded: String,
    found: String,
    /// The first body that is elsewhere or moves otherwise, if any, and how far off it is (m).
    body: Option<String>,
    distance: Option<f64>,
}

pub fn run(arguments: &AboutRecording) -> ExitCode {
    crate::tell(replay(arguments), arguments.json, print, |told| told.same)
}

fn replay(arguments: &AboutRecording) -> Result<Json, RecordingError> {
    let recording = Recording::open(&arguments.file)?;
    let mut simulation = Simulation::new(&recording.scene()?);
    let names: Vec<String> = simulation.world.bodies().map(|(_, body)| body.name.clone()).collect();
    let mut difference = None;
    for recorded in recording.frames() {
        let recorded = recorded?;
        let found = match recorded.index {
            0 => Frame::first(&simulation.world),
            _ => simulation.advance(),
        };
        if found.state.hash() != recorded.state.hash() {
            difference = Some(tell(&recorded, &found, &names));
            break;
        }
    }
    Ok(Json {
        file: arguments.file.display().to_string(),
        frames: recording.len(),
        same: difference.is_none(),
        difference,
        ignored_bytes: recording.ignored(),
    })
}

fn tell(recorded: &Frame, found: &Frame, names: &[String]) -> Difference {
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

fn print(told: &Json) {
    let Json { file, frames, ignored_bytes, .. } = told;
    match &told.difference {
        None => say!("{file}: all {frames} frames come out the same, bit by bit"),
        Some(Difference { frame, time, recorded, found, body, distance }) => {
            say!(
                "{file}: frame {frame} ({time:.6} s) comes out different, those before it the same"
            );
            say!("  recorded {recorded}, found {found}");
            if let Some((body, distance)) = body.as_ref().zip(*distance) {
                say!("  the first body that differs is {body}, {distance:.3e} m off");
            }
        }
    }
    if *ignored_bytes > 0 {
        say!("  {ignored_bytes} bytes after the last whole frame were not read");
    }
}

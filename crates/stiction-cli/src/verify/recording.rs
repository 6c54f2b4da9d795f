//! The motion of a recording, judged from its frames and its scene alone.

use crate::input::{self, InputError};
use crate::laws::{self, LawReport};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use stiction::motion::{LawName, MotionJudge};
use stiction::recording::RecordingError;
use stiction_terminal::{count, finish, say};

/// Why a recording cannot be judged.
#[derive(Debug, thiserror::Error)]
enum VerifyError {
    #[error("{0}")]
    Input(#[from] InputError),
    #[error("{0}")]
    Recording(#[from] RecordingError),
    #[error("--bound: {0}")]
    Bound(String),
}

/// As documented in `docs/commands.md`.
#[derive(Serialize)]
struct Json {
    file: String,
    /// Whether every law holds and every byte was read.
    holds: bool,
    frames: u64,
    stepper: &'static str,
    solver: String,
    answers: BTreeMap<String, u64>,
    laws: Vec<LawReport>,
    /// Why the rest of the file was not read.
    fault: Option<String>,
    /// Wall-clock time of judging, without reading (s).
    computing: f64,
}

pub fn run(file: &Path, bounds: &[(LawName, f64)], json: bool) -> ExitCode {
    finish(verify(file, bounds), json, print, |report| report.holds)
}

fn verify(file: &Path, bounds: &[(LawName, f64)]) -> Result<Json, VerifyError> {
    let recording = input::recording(file)?;
    let mut scene = recording.scene()?;
    for (law, bound) in bounds {
        scene.run.bounds.set(*law, *bound).map_err(VerifyError::Bound)?;
    }
    let mut judge = MotionJudge::new(&scene.world, &scene.run);
    let mut computing = 0.0;
    for frame in recording.frames() {
        let (frame, begun) = (frame?, Instant::now());
        judge.see(&frame);
        computing += begun.elapsed().as_secs_f64();
    }
    let (certificate, fault) = (judge.certificate(), recording.fault());
    Ok(Json {
        file: file.display().to_string(),
        holds: certificate.holds() && fault.is_none(),
        frames: certificate.frames,
        stepper: scene.run.stepper.name(),
        solver: certificate.requested,
        answers: certificate.answers,
        laws: certificate.laws.iter().map(LawReport::new).collect(),
        fault,
        computing,
    })
}

fn print(report: &Json) {
    let frames = count(report.frames as usize, "frame", "frames");
    say!("{}: {frames}, {}, solver {}", report.file, report.stepper, report.solver);
    say!("{:.2} s of judging", report.computing);
    if let Some(fault) = &report.fault {
        say!("NOT READ TO ITS END: {fault}");
    }
    laws::print(&report.laws);
}

//! `stiction bench record`: the cost of recording a run, for a wall of 104 bricks at rest and
//! for falling dominoes.
//!
//! Every frame is read back and compared before a number is reported.

use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use stiction::recording::{Origin, Recorder, Recording, RecordingError};
use stiction::scene::SceneError;
use stiction::{Frame, Simulation};
use stiction_terminal::{finish, say};

/// The scenes: one at rest, and one in which every number changes in every frame.
const WALL: &str = include_str!("record/wall.toml");
const DOMINOES: &str = include_str!("record/dominoes.toml");

#[derive(clap::Args)]
pub struct Arguments {
    /// Frames of each run
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..))]
    frames: u64,
    /// Folder of the recordings, which are kept
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// One JSON array on stdout
    #[arg(long)]
    json: bool,
}

/// One run, as documented in `docs/commands.md`.
#[derive(Serialize)]
struct Line {
    run: &'static str,
    bodies: usize,
    contacts: usize,
    frames: u64,
    /// Mean wall-clock time of a step (ms), and of writing its frame.
    step_ms: f64,
    write_ms: f64,
    /// The second over the first.
    overhead: f64,
    bytes: u64,
    bytes_per_body_and_frame: f64,
    certified: bool,
}

#[derive(Debug, thiserror::Error)]
enum BenchError {
    #[error("{0}")]
    Scene(#[from] SceneError),
    #[error("{0}")]
    Recording(#[from] RecordingError),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: frame {frame} differs after reading it back", path.display())]
    Changed { path: PathBuf, frame: u64 },
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let certified = |lines: &Vec<Line>| lines.iter().all(|line| line.certified);
    finish(measure(arguments), arguments.json, |lines| print(lines), certified)
}

fn measure(arguments: &Arguments) -> Result<Vec<Line>, BenchError> {
    let folder = &arguments.out;
    let io = |source| BenchError::Io { path: folder.clone(), source };
    std::fs::create_dir_all(folder).map_err(io)?;
    let runs = [("wall at rest", "wall", WALL), ("dominoes falling", "dominoes", DOMINOES)];
    runs.into_iter()
        .map(|(run, file, text)| {
            let path = folder.join(file).with_extension("stiction");
            let _ = std::fs::remove_file(&path);
            record(run, &path, &Origin::built_in(run, text), arguments.frames)
        })
        .collect()
}

fn record(run: &'static str, path: &Path, origin: &Origin, count: u64) -> Result<Line, BenchError> {
    let scene = origin.scene()?;
    let mut simulation = Simulation::new(&scene);
    let mut frames = vec![Frame::first(&simulation.world)];
    let mut recorder = Recorder::create(path, origin, &scene)?;
    recorder.append(&frames[0])?;
    let (mut stepping, mut writing) = (0.0, 0.0);
    for _ in 0..count {
        let begun = Instant::now();
        let frame = simulation.advance();
        stepping += begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        recorder.append(&frame)?;
        writing += begun.elapsed().as_secs_f64();
        frames.push(frame);
    }
    for (read, written) in Recording::open(path)?.frames().zip(&frames) {
        if read? != *written {
            return Err(BenchError::Changed { path: path.to_owned(), frame: written.index });
        }
    }
    let (bodies, bytes) = (scene.world.bodies().count(), recorder.bytes());
    Ok(Line {
        run,
        bodies,
        contacts: frames.iter().map(|frame| frame.contacts.len()).max().unwrap_or(0),
        frames: count,
        step_ms: 1e3 * stepping / count as f64,
        write_ms: 1e3 * writing / count as f64,
        overhead: writing / stepping,
        bytes,
        bytes_per_body_and_frame: bytes as f64 / (bodies as f64 * count as f64),
        certified: frames.iter().all(|frame| frame.certified),
    })
}

fn print(lines: &[Line]) {
    say!(
        "{:<22}  {:>6}  {:>8}  {:>6}  {:>8}  {:>8}  {:>8}  {:>14}",
        "run",
        "bodies",
        "contacts",
        "frames",
        "step ms",
        "write ms",
        "overhead",
        "bytes/body/frame"
    );
    for line in lines {
        let note = if line.certified { "" } else { "  NOT CERTIFIED" };
        say!(
            "{:<22}  {:>6}  {:>8}  {:>6}  {:>8.3}  {:>8.3}  {:>6.1} %  {:>16.1}{note}",
            line.run,
            line.bodies,
            line.contacts,
            line.frames,
            line.step_ms,
            line.write_ms,
            100.0 * line.overhead,
            line.bytes_per_body_and_frame
        );
    }
}

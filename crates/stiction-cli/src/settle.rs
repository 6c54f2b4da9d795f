//! `stiction settle`: moves bodies that overlap at the start of a scene apart, and writes the scene.

use crate::input::{self, InputError};
use serde::Serialize;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stiction::World;
use stiction::recording::Origin;
use stiction::scene::{SceneError, with_poses};
use stiction_terminal::{finish, say};

#[derive(clap::Args)]
pub struct Arguments {
    /// A scene in TOML
    scene: PathBuf,
    /// The scene to write, which must not exist; by default nothing is written
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// One JSON object on stdout
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    files: crate::FileFlags,
}

/// Why a scene cannot be settled or written.
#[derive(Debug, thiserror::Error)]
enum SettleError {
    #[error("{0}")]
    Input(#[from] InputError),
    #[error("{0}")]
    Scene(#[from] SceneError),
    #[error("{}: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("--out: {0}")]
    Rewritten(SceneError),
}

/// As documented in `docs/commands.md`.
#[derive(Serialize)]
struct Json {
    file: String,
    /// Bodies that moved.
    moved: Vec<Moved>,
    /// Pairs that still overlap by more than scenes may begin with.
    left: Vec<Left>,
    out: Option<String>,
}

#[derive(Serialize)]
struct Moved {
    body: String,
    /// Displacement (m) and rotation (°).
    displacement: f64,
    rotation: f64,
    by: [f64; 3],
}

#[derive(Serialize)]
struct Left {
    bodies: [String; 2],
    depth: f64,
    point: [f64; 3],
}

pub fn run(arguments: &Arguments) -> ExitCode {
    finish(settle(arguments), arguments.json, print, |report| report.left.is_empty())
}

fn settle(arguments: &Arguments) -> Result<Json, SettleError> {
    let mut origin = input::origin(&arguments.scene)?;
    origin.files_anywhere = arguments.files.allow_files_anywhere;
    let scene = origin.scene_with(true)?;
    input::say_ignored(&scene);
    let mut world = scene.world;
    let settled = stiction::settle(&mut world);
    let name = |world: &World, id| world.body(id).name.clone();
    let moved = settled.displacements().map(|(id, by, angle)| Moved {
        body: name(&world, id),
        displacement: by.length(),
        rotation: angle.to_degrees(),
        by: by.to_array(),
    });
    let left = settled.left.iter().map(|pair| Left {
        bodies: pair.bodies.map(|id| name(&world, id)),
        depth: pair.overlap.depth,
        point: pair.overlap.point.to_array(),
    });
    let report = Json {
        file: arguments.scene.display().to_string(),
        moved: moved.collect(),
        left: left.collect(),
        out: arguments.out.as_ref().map(|path| path.display().to_string()),
    };
    if let (Some(path), true) = (&arguments.out, report.left.is_empty()) {
        let poses: Vec<_> =
            settled.moved.iter().map(|(id, poses)| (name(&world, *id), *poses)).collect();
        write(path, &origin, &with_poses(&origin.text, &origin.name, &world, &poses)?)?;
    }
    Ok(report)
}

/// Writes a scene that was read again and begins without overlap.
fn write(path: &Path, origin: &Origin, text: &str) -> Result<(), SettleError> {
    let written = Origin { text: text.to_owned(), ..origin.clone() };
    written.scene().map_err(SettleError::Rewritten)?;
    let fault = |source| SettleError::Write { path: path.to_owned(), source };
    let mut file = std::fs::File::create_new(path).map_err(fault)?;
    file.write_all(text.as_bytes()).map_err(fault)
}

fn print(report: &Json) {
    let Json { file, moved, left, out } = report;
    if moved.is_empty() && left.is_empty() {
        say!("{file}: no body overlaps another");
    }
    if !moved.is_empty() {
        say!("{:<24}  displacement m  rotation °", "moved");
    }
    for Moved { body, displacement, rotation, .. } in moved {
        say!("  {body:<22}  {displacement:>14.3e}  {rotation:>10.2}");
    }
    for Left { bodies: [first, second], depth, point: [x, y, z] } in left {
        say!("{second} still overlaps {first} by {depth:.3e} m at [{x:.4}, {y:.4}, {z:.4}]");
    }
    match out {
        Some(out) if left.is_empty() => say!("written to {out}"),
        Some(_) => say!("nothing is written"),
        None => {}
    }
}

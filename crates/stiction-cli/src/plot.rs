//! `stiction plot`: energies, contact forces, certificates and events of a recording over time.

use crate::export::Names;
use crate::input::{self, InputError};
use std::path::PathBuf;
use std::process::ExitCode;
use stiction::recording::RecordingError;
use stiction_lab::charts::Curves;
use stiction_terminal::{folder_beside, refuse, say};

#[derive(clap::Args)]
pub struct Arguments {
    /// A recording
    file: PathBuf,
    /// Where the pictures are written; by default a folder beside the recording, named after it
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
enum PlotError {
    #[error("{0}")]
    Input(#[from] InputError),
    #[error("{0}")]
    Recording(#[from] RecordingError),
    #[error("{}: has no frames", .0.display())]
    Empty(PathBuf),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

pub fn run(arguments: &Arguments) -> ExitCode {
    match draw(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&error),
    }
}

fn draw(arguments: &Arguments) -> Result<(), PlotError> {
    let recording = input::recording(&arguments.file)?;
    let mut curves = Curves::default();
    for frame in recording.frames() {
        curves.add(&frame?);
    }
    if curves.is_empty() {
        return Err(PlotError::Empty(arguments.file.clone()));
    }
    let description = recording.description();
    let title = description["title"].as_str().unwrap_or_default();
    let folder = folder_beside(&arguments.file, arguments.out.as_deref(), "plots");
    let io = |path: PathBuf| |source| PlotError::Io { path, source };
    std::fs::create_dir_all(&folder).map_err(io(folder.clone()))?;
    for (name, svg) in curves.pictures(title, &Names::new(description).bodies) {
        let path = folder.join(name).with_extension("svg");
        std::fs::write(&path, svg).map_err(io(path.clone()))?;
        say!("{}", path.display());
    }
    Ok(())
}

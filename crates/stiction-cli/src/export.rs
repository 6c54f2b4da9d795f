//! `stiction export`: the tables of a recording, for other programs.

#[cfg(feature = "parquet")]
mod parquet;
mod table;
mod tables;
mod text;

use crate::input::{self, InputError};
use clap::ValueEnum as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use stiction::recording::RecordingError;
use stiction::{Frame, Unique, World, uniqueness};
use stiction_terminal::{folder_beside, refuse, say};
pub use table::{Cell, Column, Kind, Sink};
use tables::{Rows, TABLES};

pub use tables::Names;

#[derive(clap::Args)]
pub struct Arguments {
    /// A recording
    file: PathBuf,
    /// File format of the tables
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Where they are written; by default a folder beside the recording, named after it
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Report for every contact force whether it is unique, which takes longer than the rest
    #[arg(long)]
    unique: bool,
}

#[derive(Clone, Copy, Default, clap::ValueEnum)]
pub enum Format {
    #[cfg(feature = "parquet")]
    #[default]
    Parquet,
    #[cfg_attr(not(feature = "parquet"), default)]
    Csv,
    Jsonl,
}

impl Format {
    /// The format that the ending of a path names.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        Self::value_variants().iter().copied().find(|format| format.ending() == ending)
    }

    fn ending(self) -> &'static str {
        match self {
            #[cfg(feature = "parquet")]
            Format::Parquet => "parquet",
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
        }
    }
}

/// Why tables cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("{0}")]
    Input(#[from] InputError),
    #[error("{0}")]
    Recording(#[from] RecordingError),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[cfg(feature = "parquet")]
    #[error("{}: {source}", path.display())]
    Parquet { path: PathBuf, source: ::parquet::errors::ParquetError },
}

pub fn run(arguments: &Arguments) -> ExitCode {
    match export(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&error),
    }
}

fn export(arguments: &Arguments) -> Result<(), ExportError> {
    let recording = input::recording(&arguments.file)?;
    let folder = folder_beside(&arguments.file, arguments.out.as_deref(), "tables");
    let io = |source| ExportError::Io { path: folder.clone(), source };
    std::fs::create_dir_all(&folder).map_err(io)?;
    let world = if arguments.unique { Some(recording.scene()?.world) } else { None };
    let names = Names::new(recording.description());
    let ending = arguments.format.ending();
    let paths = TABLES.map(|table| folder.join(table.name).with_extension(ending));
    let mut sinks = Vec::new();
    for (table, path) in TABLES.iter().zip(&paths) {
        sinks.push((table, sink(arguments.format, path, table.columns)?, 0));
    }
    for frame in recording.frames() {
        let frame = frame?;
        let unique = unique(world.as_ref(), &frame);
        let rows = Rows { frame: &frame, names: &names, unique: unique.as_ref() };
        for (table, sink, count) in &mut sinks {
            (table.rows)(&rows, &mut |row| {
                *count += 1;
                sink.row(row)
            })?;
        }
    }
    for ((_, sink, count), path) in sinks.into_iter().zip(&paths) {
        sink.finish()?;
        say!("{}: {}", path.display(), stiction_terminal::count(count, "row", "rows"));
    }
    for damage in recording.damage() {
        say!("{}: {damage}", arguments.file.display());
    }
    if let Some(fault) = recording.fault() {
        say!("{} bytes of {} ignored: {fault}", recording.ignored(), arguments.file.display());
    }
    Ok(())
}

fn unique(world: Option<&World>, frame: &Frame) -> Option<Unique> {
    world.map(|world| uniqueness(world, frame))
}

/// A table that is written row by row.
pub fn sink(
    format: Format,
    path: &Path,
    columns: &[Column<'_>],
) -> Result<Box<dyn Sink>, ExportError> {
    Ok(match format {
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(parquet::Writer::create(path, columns)?),
        Format::Csv => Box::new(text::Csv::create(path, columns)?),
        Format::Jsonl => Box::new(text::Lines::create(path, columns)?),
    })
}

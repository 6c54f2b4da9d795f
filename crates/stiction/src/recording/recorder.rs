//! Writes frames.

use super::words::{self, Packer};
use super::{FIRST, Origin, Recording, RecordingError, block, difference, machine};
use crate::frame::Frame;
use crate::scene::Scene;
use crate::simulation::{CHECKPOINT, Simulation};
use std::collections::VecDeque;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes frames, each with one call: whatever ends the program, no frame that was written is lost.
pub struct Recorder {
    path: PathBuf,
    file: File,
    /// Number of the next frame.
    next: u64,
    /// Frames that the file has already and that are being computed again: number and hash.
    known: VecDeque<(u64, u64)>,
    frames: Frames,
    packer: Packer,
    bytes: u64,
}

/// Frames as bytes and words, the same buffers from frame to frame: allocating memory costs more
/// than all that is done with it.
#[derive(Default)]
struct Frames {
    bytes: Vec<u8>,
    now: Vec<u64>,
    /// Empty where the next frame has to stand by itself.
    before: Vec<u64>,
    difference: Vec<u64>,
}

/// A recording that is resumed.
pub struct Resumed {
    /// What it is of, run as it was.
    pub scene: Scene,
    /// The frame from which it continues: the last checkpoint.
    pub from: Frame,
    /// The run at that frame.
    pub simulation: Simulation,
    /// Takes the frames after it. Those that the file has are compared, not written.
    pub recorder: Recorder,
    /// Frames that the file has.
    pub frames: u64,
    /// Bytes after the last whole frame, which were cut off.
    pub cut: u64,
}

impl Recorder {
    /// Begins a file, whole from the first moment that it has its name.
    ///
    /// # Errors
    ///
    /// [`RecordingError`] if there is such a file already, or it cannot be written.
    pub fn create(path: &Path, origin: &Origin, scene: &Scene) -> Result<Self, RecordingError> {
        let head = origin.head(scene).to_string();
        let block = block::pack(block::SCENE, head.as_bytes());
        let block = block.ok_or(RecordingError::TooLarge { path: path.to_owned() })?;
        let bytes = [&FIRST[..], &block].concat();
        let unnamed = unnamed(path);
        let written = begin(path, &unnamed, &bytes);
        let _ = std::fs::remove_file(&unnamed);
        Ok(Recorder::at(path, written?, 0, bytes.len() as u64))
    }

    fn at(path: &Path, file: File, next: u64, bytes: u64) -> Self {
        let (path, known, packer) = (path.to_owned(), VecDeque::new(), Packer::new());
        Recorder { path, file, next, known, frames: Frames::default(), packer, bytes }
    }

    /// Resumes a file from its last checkpoint; cuts off what is not a whole frame. One that
    /// was left before its first frame gets that.
    ///
    /// # Errors
    ///
    /// [`RecordingError`] if it is no recording, damaged or of another scene, or another program is
    /// writing it.
    pub fn resume(path: &Path) -> Result<Resumed, RecordingError> {
        let fault = |source| RecordingError::Io { path: path.to_owned(), source };
        let file = OpenOptions::new().append(true).open(path).map_err(fault)?;
        lock(&file, path)?;
        let recording = Recording::open(path)?;
        if let Some(damage) = recording.damage().first() {
            let (path, damage) = (path.to_owned(), damage.to_string());
            return Err(RecordingError::Damaged { path, damage });
        }
        if let Some(recorded) = recording.other_machine() {
            let (path, recorded, here) = (path.to_owned(), recorded.to_owned(), machine());
            return Err(RecordingError::Machine { path, recorded, here });
        }
        let scene = recording.scene()?;
        let count = recording.len();
        let checkpoint = count.saturating_sub(1) / CHECKPOINT * CHECKPOINT;
        let mut frames = recording.frames_from(checkpoint);
        let from = frames.next().unwrap_or_else(|| Ok(Simulation::new(&scene).first()))?;
        let known = frames.map(|frame| frame.map(|frame| (frame.index, frame.state.hash())));
        let known = known.collect::<Result<VecDeque<_>, _>>()?;
        let other = RecordingError::OtherScene { path: path.to_owned() };
        let simulation = Simulation::resume(&scene, &from).ok_or(other)?;
        file.set_len(recording.bytes()).map_err(fault)?;
        let mut recorder = Recorder::at(path, file, count, recording.bytes());
        recorder.known = known;
        if count == 0 {
            recorder.append(&from)?;
        }
        let cut = recording.ignored();
        Ok(Resumed { scene, from, simulation, recorder, frames: count, cut })
    }

    /// Writes the next frame; one that the file has already is compared instead.
    ///
    /// # Errors
    ///
    /// [`RecordingError`] if it cannot be written, is not the next one, or differs from the
    /// one that the file has.
    pub fn append(&mut self, frame: &Frame) -> Result<(), RecordingError> {
        let next = self.known.front().map_or(self.next, |(index, _)| *index);
        if frame.index != next {
            let (path, given) = (self.path.clone(), frame.index);
            return Err(RecordingError::Order { path, given, next });
        }
        if let Some((index, recorded)) = self.known.pop_front() {
            let (path, found) = (self.path.clone(), frame.state.hash());
            let differs = RecordingError::Differs { path, frame: index, found, recorded };
            return if found == recorded { Ok(()) } else { Err(differs) };
        }
        self.write(frame)
    }

    fn write(&mut self, frame: &Frame) -> Result<(), RecordingError> {
        let Frames { bytes, now, before, difference } = &mut self.frames;
        *bytes = frame.encode_over(std::mem::take(bytes));
        words::of_bytes(bytes, now);
        if frame.index.is_multiple_of(CHECKPOINT) {
            before.clear();
        }
        difference.clone_from(now);
        let differs = difference::encode(difference, before).is_some();
        let kind = if differs { block::DIFFERENCE } else { block::PLAIN };
        let payload = self.packer.pack(difference);
        let block = payload.and_then(|payload| block::pack(kind, &payload));
        let block = block.ok_or_else(|| RecordingError::TooLarge { path: self.path.clone() })?;
        let written = self.file.write_all(&block).and_then(|()| self.file.flush());
        written.map_err(|source| RecordingError::Io { path: self.path.clone(), source })?;
        std::mem::swap(&mut self.frames.now, &mut self.frames.before);
        self.next = frame.index + 1;
        self.bytes += block.len() as u64;
        Ok(())
    }

    /// Length of the file (bytes).
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// The name of a file until it is whole, its own for every file that is begun.
fn unnamed(path: &Path) -> PathBuf {
    static BEGUN: AtomicU32 = AtomicU32::new(0);
    let mut name = path.as_os_str().to_owned();
    let number = BEGUN.fetch_add(1, Ordering::Relaxed);
    name.push(format!(".{}.{number}.new", std::process::id()));
    name.into()
}

/// Writes the first bytes under another name, then gives the file its own, unless there is one of
/// that name; it is locked from the start.
fn begin(path: &Path, unnamed: &Path, bytes: &[u8]) -> Result<File, RecordingError> {
    let fault = |source: std::io::Error| match source.kind() {
        ErrorKind::AlreadyExists => RecordingError::Exists { path: path.to_owned() },
        _ => RecordingError::Io { path: path.to_owned(), source },
    };
    let mut file = File::create(unnamed).map_err(fault)?;
    lock(&file, path)?;
    file.write_all(bytes).map_err(fault)?;
    match std::fs::hard_link(unnamed, path) {
        Ok(()) => Ok(file),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(fault(error)),
        // Some file systems have no links: whoever creates the empty file owns the name.
        Err(_) => {
            File::create_new(path).map_err(fault)?;
            std::fs::rename(unnamed, path).map_err(fault)?;
            Ok(file)
        }
    }
}

/// Locks a file until it is closed: one program writes a recording at a time.
fn lock(file: &File, path: &Path) -> Result<(), RecordingError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => RecordingError::Locked { path: path.to_owned() },
        TryLockError::Error(source) => RecordingError::Io { path: path.to_owned(), source },
    })
}

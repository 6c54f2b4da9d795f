//! Recordings: a run in a file, frame by frame, that can be read, replayed and resumed.
//!
//! ```text
//!   "stiction" version │ scene │ frame 0 │ difference │ difference │ … │ frame 256 │ …
//! ```
//!
//! [`Recorder`] writes, [`Recording`] reads. What a program that was killed left behind is
//! read up to the last whole frame. `docs/recording.md` is the layout.
//!
//! # Where to start reading
//!
//! `recorder.rs` writes frames, `block.rs` is what the file is made of, `difference.rs` and
//! `words.rs` how a frame becomes few bytes.

mod block;
mod difference;
mod origin;
mod recorder;
mod words;

pub use origin::Origin;
pub use recorder::{Recorder, Resumed};

use crate::frame::Frame;
use crate::scene::{Run, Scene, SceneError};
use block::Found;
use serde_json::Value;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// How a recording begins: its name, and the version of the layout.
const FIRST: [u8; 12] = *b"stiction\x02\0\0\0";

/// Bytes of [`FIRST`] that are the name.
const NAME: usize = 8;

/// Why a recording cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say what the fields are
#[non_exhaustive]
pub enum RecordingError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: exists already", path.display())]
    Exists { path: PathBuf },
    #[error("{}: byte {offset}: {fault}", path.display())]
    Fault { path: PathBuf, offset: u64, fault: String },
    #[error("{}: has {count} frames, no frame {frame}", path.display())]
    NoFrame { path: PathBuf, frame: u64, count: u64 },
    #[error("{}: a frame of more than four gigabytes", path.display())]
    TooLarge { path: PathBuf },
    #[error("{}: its frames are of another scene", path.display())]
    OtherScene { path: PathBuf },
    #[error("{}: the scene it is of: {source}", path.display())]
    Scene { path: PathBuf, source: SceneError },
    #[error("{}: frame {given} was given where frame {next} comes next", path.display())]
    Order { path: PathBuf, given: u64, next: u64 },
    #[error("{}: frame {frame} comes out as {found:016x}, recorded is {recorded:016x}", path.display())]
    Differs { path: PathBuf, frame: u64, found: u64, recorded: u64 },
}

/// Where a frame stands in the file.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u64,
    /// Whether it stands by itself.
    plain: bool,
}

/// A run in a file.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    file: File,
    origin: Origin,
    run: Run,
    description: Value,
    places: Vec<Place>,
    /// Length of the file up to the last whole frame, and of all of it (bytes).
    end: u64,
    length: u64,
    fault: Option<&'static str>,
}

impl Recording {
    /// Opens a file and finds its frames. They end where a block is incomplete or fails its check.
    ///
    /// # Errors
    ///
    /// [`RecordingError`] if it cannot be read, or its head is not that of a recording.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        let io = |source| RecordingError::Io { path: path.to_owned(), source };
        let file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let mut from = BufReader::new(&file);
        let head = head(&mut from, path, length)?;
        let foreign = || fault(path, FIRST.len() as u64, "the head is not that of a recording");
        let (origin, run) = Origin::from_head(&head.content).ok_or_else(foreign)?;
        let (mut places, mut payload, mut end) = (Vec::new(), Vec::new(), head.end);
        let fault = loop {
            match block::read(&mut from, length - end, &mut payload).map_err(io)? {
                Found::Whole(kind @ (block::PLAIN | block::DIFFERENCE)) => {
                    places.push(Place { offset: end, plain: kind == block::PLAIN });
                    end += (block::HEAD + payload.len()) as u64;
                }
                Found::Whole(_) => break Some("a block of a kind that has no meaning"),
                Found::End => break None,
                Found::Faulty(fault) => break Some(fault),
            }
        };
        let mut content = head.content;
        let description = content["description"].take();
        let path = path.to_owned();
        Ok(Recording { path, file, origin, run, description, places, end, length, fault })
    }

    /// What it is called.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text of its scene.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// How the scene was run.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The description of the scene for programs that draw it, as in `docs/frames.md`.
    pub fn description(&self) -> &Value {
        &self.description
    }

    /// The scene, run as it was.
    ///
    /// # Errors
    ///
    /// [`RecordingError::Scene`] if its text makes no sense any more, or files of meshes are gone.
    pub fn scene(&self) -> Result<Scene, RecordingError> {
        let mut scene = self.origin.scene().map_err(|source| {
            let path = self.path.clone();
            RecordingError::Scene { path, source }
        })?;
        scene.run = self.run.clone();
        Ok(scene)
    }

    /// Number of whole frames.
    pub fn len(&self) -> u64 {
        self.places.len() as u64
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Frames that stand by themselves.
    pub fn plain_frames(&self) -> usize {
        self.places.iter().filter(|place| place.plain).count()
    }

    /// Length up to the last whole frame (bytes).
    pub fn bytes(&self) -> u64 {
        self.end
    }

    /// Bytes after the last whole frame, which are not read.
    pub fn ignored(&self) -> u64 {
        self.length - self.end
    }

    /// Why they are not read, naming the byte; `None` if every byte is read.
    pub fn fault(&self) -> Option<String> {
        self.fault.map(|fault| format!("byte {}: {fault}", self.end))
    }

    /// One frame.
    ///
    /// # Errors
    ///
    /// [`RecordingError`] if there is no such frame, or it cannot be read.
    pub fn frame(&self, index: u64) -> Result<Frame, RecordingError> {
        let missing = || {
            let (path, count) = (self.path.clone(), self.len());
            RecordingError::NoFrame { path, frame: index, count }
        };
        self.frames_from(index).next().ok_or_else(missing)?
    }

    /// All frames.
    pub fn frames(&self) -> Frames<'_> {
        self.frames_from(0)
    }

    /// The frames from one on.
    pub fn frames_from(&self, index: u64) -> Frames<'_> {
        Frames { recording: self, next: index, before: None }
    }

    /// The words of a frame, given those of the one before unless it stands by itself.
    fn words(&self, index: usize, before: Option<&[u64]>) -> Result<Vec<u64>, RecordingError> {
        let place = self.places[index];
        let io = |source| RecordingError::Io { path: self.path.clone(), source };
        let fault = |words| fault(&self.path, place.offset, words);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(place.offset)).map_err(io)?;
        let mut payload = Vec::new();
        let left = self.end - place.offset;
        let Found::Whole(_) = block::read(&mut file, left, &mut payload).map_err(io)? else {
            return Err(fault("changed while it was read"));
        };
        let words = words::unpack(&payload).ok_or_else(|| fault("a frame cannot be unpacked"))?;
        if place.plain {
            return Ok(words);
        }
        let whole = before.and_then(|before| difference::decode(words, before));
        whole.ok_or_else(|| fault("a difference to a frame that is not there"))
    }
}

/// Frames of a recording in order.
pub struct Frames<'a> {
    recording: &'a Recording,
    next: u64,
    /// The words of the frame before `next`.
    before: Option<Vec<u64>>,
}

impl Frames<'_> {
    /// The next frame, from the last one before it that stands by itself.
    fn read(&mut self) -> Result<Frame, RecordingError> {
        let (recording, index) = (self.recording, self.next as usize);
        let plain = recording.places[..=index].iter().rposition(|place| place.plain).unwrap_or(0);
        let mut words = self.before.take();
        let first = if words.is_some() { index } else { plain };
        for k in first..=index {
            words = Some(recording.words(k, words.as_deref())?);
        }
        let words = words.unwrap_or_default();
        let fault = |words: String| fault(&recording.path, recording.places[index].offset, words);
        let frame = Frame::decode(&words::to_bytes(&words));
        let frame = frame.map_err(|error| fault(error.to_string()))?;
        if frame.index != self.next {
            return Err(fault(format!("frame {} stands in the place of {index}", frame.index)));
        }
        self.before = Some(words);
        Ok(frame)
    }
}

impl Iterator for Frames<'_> {
    type Item = Result<Frame, RecordingError>;

    /// Ends after the first frame that cannot be read.
    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.recording.len() {
            return None;
        }
        let frame = self.read();
        self.next = if frame.is_ok() { self.next + 1 } else { u64::MAX };
        Some(frame)
    }
}

/// The head of a file and where it ends.
struct Head {
    content: Value,
    end: u64,
}

fn head(from: &mut impl Read, path: &Path, length: u64) -> Result<Head, RecordingError> {
    let io = |source| RecordingError::Io { path: path.to_owned(), source };
    let fault = |offset: usize, words| fault(path, offset as u64, words);
    let mut first = [0; FIRST.len()];
    let whole = length >= FIRST.len() as u64;
    if whole {
        from.read_exact(&mut first).map_err(io)?;
    }
    if !whole || first[..NAME] != FIRST[..NAME] {
        return Err(fault(0, "not a recording: it does not begin with «stiction»"));
    }
    if first != FIRST {
        return Err(fault(NAME, "a version of recordings that is not known"));
    }
    let mut payload = Vec::new();
    match block::read(from, length - FIRST.len() as u64, &mut payload).map_err(io)? {
        Found::Whole(block::SCENE) => {}
        Found::Faulty(words) => return Err(fault(FIRST.len(), words)),
        _ => return Err(fault(FIRST.len(), "the head of the recording is missing")),
    }
    let content = serde_json::from_slice(&payload).map_err(|_| fault(FIRST.len(), "no JSON"))?;
    Ok(Head { content, end: (FIRST.len() + block::HEAD + payload.len()) as u64 })
}

fn fault(path: &Path, offset: u64, fault: impl Into<String>) -> RecordingError {
    RecordingError::Fault { path: path.to_owned(), offset, fault: fault.into() }
}

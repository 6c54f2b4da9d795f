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
mod machine;
mod origin;
mod recorder;
mod words;

pub use machine::machine;
pub use origin::Origin;
pub use recorder::{Recorder, Resumed};

use crate::frame::Frame;
use crate::scene::{Run, Scene, SceneError};
use block::Found;
use serde_json::Value;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
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
    #[error("{}: another program is writing it", path.display())]
    Locked { path: PathBuf },
    #[error("{}: {damage}; it cannot be continued", path.display())]
    Damaged { path: PathBuf, damage: String },
    #[error("{}: was recorded on a machine of class {recorded}, and this one is {here}, which rounds otherwise: it can be read and replayed, but not continued here", path.display())]
    Machine { path: PathBuf, recorded: String, here: String },
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

/// Bytes of a file that cannot be read, and the frames that are lost with them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The first of these bytes, and the first after them that can be read again.
    pub bytes: Range<u64>,
    /// Numbers of the frames that are lost: up to the next that stands by itself.
    pub frames: Range<u64>,
    /// What is wrong at the first of them.
    pub fault: &'static str,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Range { start, end } = self.frames;
        write!(
            f,
            "byte {}: {}; frames {start} to {} are lost",
            self.bytes.start,
            self.fault,
            end - 1
        )
    }
}

/// A run in a file.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    file: File,
    origin: Origin,
    run: Run,
    description: Value,
    machine: Option<String>,
    /// Of every frame up to the last whole one; none of those that are lost.
    places: Vec<Option<Place>>,
    damage: Vec<Damage>,
    /// Length of the file up to the last whole frame, and of all of it (bytes).
    end: u64,
    length: u64,
    fault: Option<&'static str>,
}

impl Recording {
    /// Opens a file and finds its frames. Where a block is incomplete or fails its check, the next
    /// frame that stands by itself is sought; frames end where there is none.
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
        let mut content = head.content;
        let description = content["description"].take();
        let machine = content["machine"].as_str().map(str::to_owned);
        let (path, end) = (path.to_owned(), head.end);
        let (places, damage, fault) = (Vec::new(), Vec::new(), None);
        drop(from);
        let mut recording = Recording {
            path,
            file,
            origin,
            run,
            description,
            machine,
            places,
            damage,
            end,
            length,
            fault,
        };
        recording.find_frames().map_err(io)?;
        Ok(recording)
    }

    fn find_frames(&mut self) -> std::io::Result<()> {
        let mut payload = Vec::new();
        let mut from = BufReader::new(&self.file);
        from.seek(SeekFrom::Start(self.end))?;
        loop {
            let fault = match block::read(&mut from, self.length - self.end, &mut payload)? {
                Found::Whole(kind @ (block::PLAIN | block::DIFFERENCE)) => {
                    let plain = kind == block::PLAIN;
                    self.places.push(Some(Place { offset: self.end, plain }));
                    self.end += (block::HEAD + payload.len()) as u64;
                    continue;
                }
                Found::Whole(_) => "a block of a kind that has no meaning",
                Found::End => return Ok(()),
                Found::Faulty(fault) => fault,
            };
            let after = self.next_plain(self.end + 1)?;
            let lost = self.places.len() as u64;
            let Some((offset, frame)) = after.filter(|(_, frame)| *frame > lost) else {
                self.fault = Some(fault);
                return Ok(());
            };
            self.damage.push(Damage { bytes: self.end..offset, frames: lost..frame, fault });
            self.places.resize(frame as usize, None);
            self.end = offset;
            from.seek(SeekFrom::Start(offset))?;
        }
    }

    /// Where the next frame that stands by itself begins, from a byte on, and its number.
    fn next_plain(&self, from: u64) -> std::io::Result<Option<(u64, u64)>> {
        let (mut file, mut rest) = (&self.file, Vec::new());
        file.seek(SeekFrom::Start(from))?;
        file.take(self.length.saturating_sub(from)).read_to_end(&mut rest)?;
        let plain = block::PLAIN.to_le_bytes();
        let mut payload = Vec::new();
        for start in 0..rest.len().saturating_sub(block::HEAD) {
            let bytes = &rest[start..];
            if bytes[4..8] != plain {
                continue;
            }
            let found = block::read(&mut &bytes[..], bytes.len() as u64, &mut payload)?;
            let frame = words::unpack(&payload).and_then(|w| w.get(difference::INDEX).copied());
            // A number that no file of this length can have is another's.
            let likely = frame.filter(|frame| *frame <= self.length);
            if let (Found::Whole(block::PLAIN), Some(frame)) = (found, likely) {
                return Ok(Some((from + start as u64, frame)));
            }
        }
        Ok(None)
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

    /// The class of the machine that it was recorded on, if that is not the class of this one: bits of
    /// a replay may then differ.
    pub fn other_machine(&self) -> Option<&str> {
        self.machine.as_deref().filter(|class| *class != machine())
    }

    /// The class of the machine that it was recorded on; none in older recordings.
    pub fn machine(&self) -> Option<&str> {
        self.machine.as_deref()
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

    /// Number of frames up to the last whole one, those that are lost included.
    pub fn len(&self) -> u64 {
        self.places.len() as u64
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Frames that stand by themselves.
    pub fn plain_frames(&self) -> usize {
        self.places.iter().flatten().filter(|place| place.plain).count()
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

    /// The byte at which a frame begins; none if it is lost or not there.
    pub fn frame_offset(&self, index: u64) -> Option<u64> {
        let place = self.places.get(usize::try_from(index).ok()?)?;
        place.map(|place| place.offset)
    }

    /// Bytes before the last whole frame that cannot be read, and the frames lost with them.
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// All that cannot be read, in words: damage, and what is after the last whole frame.
    pub fn faults(&self) -> Vec<String> {
        self.damage.iter().map(ToString::to_string).chain(self.fault()).collect()
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
        if let Some(lost) = self.damage.iter().find(|damage| damage.frames.contains(&index)) {
            return Err(fault(&self.path, lost.bytes.start, lost.fault));
        }
        self.frames_from(index).next().ok_or_else(missing)?
    }

    /// All frames but those that are lost.
    pub fn frames(&self) -> Frames<'_> {
        self.frames_from(0)
    }

    /// The frames from one on, but for those that are lost.
    pub fn frames_from(&self, index: u64) -> Frames<'_> {
        Frames { recording: self, next: index, before: None }
    }

    /// The words of a frame, given those of the one before unless it stands by itself.
    fn words(&self, index: usize, before: Option<&[u64]>) -> Result<Vec<u64>, RecordingError> {
        let lost = || fault(&self.path, self.end, "a frame is lost");
        let place = self.places[index].ok_or_else(lost)?;
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
        let stands = |place: &Option<Place>| place.is_some_and(|place| place.plain);
        let plain = recording.places[..=index].iter().rposition(stands).unwrap_or(0);
        let mut words = self.before.take();
        let first = if words.is_some() { index } else { plain };
        for k in first..=index {
            words = Some(recording.words(k, words.as_deref())?);
        }
        let words = words.unwrap_or_default();
        let offset = recording.places[index].map_or(0, |place| place.offset);
        let fault = |words: String| fault(&recording.path, offset, words);
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
        let lost = |place: &&Option<Place>| place.is_none();
        let from = self.recording.places.get(usize::try_from(self.next).ok()?..)?;
        let skipped = from.iter().take_while(lost).count();
        if skipped > 0 {
            (self.next, self.before) = (self.next + skipped as u64, None);
        }
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

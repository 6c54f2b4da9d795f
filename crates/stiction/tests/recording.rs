//! Recordings: frames come back as they were, damage is seen and named, and a run resumes
//! from what is left as if it had never stopped.

use std::path::{Path, PathBuf};
use stiction::recording::{Origin, Recorder, Recording, RecordingError};
use stiction::{CHECKPOINT, Frame, Simulation};

fn origin(name: &str) -> Origin {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    Origin::read(&folder.join(name)).expect("a scene of ours")
}

/// A file that is not there yet.
fn fresh(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).with_extension("stiction");
    let _ = std::fs::remove_file(&path);
    path
}

/// Records this number of frames after the first.
fn record(path: &Path, origin: &Origin, count: u64) -> Vec<Frame> {
    let scene = origin.scene().expect("a scene");
    let mut run = Simulation::new(&scene);
    let mut frames = vec![run.first()];
    frames.extend((0..count).map(|_| run.advance()));
    let mut recorder = Recorder::create(path, origin, &scene).expect("a file");
    for frame in &frames {
        recorder.append(frame).expect("written");
    }
    assert_eq!(recorder.bytes(), std::fs::metadata(path).expect("a file").len());
    frames
}

#[test]
fn frames_come_back_as_they_were_in_any_order() {
    // Contacts come and go; joints; events.
    for name in ["baraff1989/fig14a_bricks.toml", "baraff1994/fig02_jack.toml"] {
        let (path, origin) = (fresh("order"), origin(name));
        let frames = record(&path, &origin, CHECKPOINT + 10);
        let recording = Recording::open(&path).expect("a recording");
        assert_eq!(recording.len(), frames.len() as u64);
        assert_eq!((recording.ignored(), recording.fault()), (0, None));
        assert_eq!(recording.origin(), &origin);
        let scene = recording.scene().expect("its scene");
        assert_eq!(recording.description(), &scene.describe());
        for (read, written) in recording.frames().zip(&frames) {
            assert_eq!(&read.expect("a frame"), written, "{name}");
        }
        for index in [CHECKPOINT + 3, 7, CHECKPOINT, 0, CHECKPOINT - 1] {
            assert_eq!(recording.frame(index).expect("a frame"), frames[index as usize]);
        }
        let beyond = recording.frame(recording.len()).expect_err("there is none");
        assert!(beyond.to_string().contains("no frame"), "{beyond}");
    }
}

/// Killed between the file and its first frame.
#[test]
fn a_recording_without_a_frame_goes_on_from_the_beginning() {
    let origin = origin("baraff1989/fig14a_bricks.toml");
    let whole = record(&fresh("begun"), &origin, 3);
    let path = fresh("unbegun");
    drop(Recorder::create(&path, &origin, &origin.scene().expect("a scene")).expect("a file"));
    let mut resumed = Recorder::resume(&path).expect("a recording that resumes");
    assert_eq!((resumed.frames, &resumed.from), (0, &whole[0]));
    for _ in 0..3 {
        resumed.recorder.append(&resumed.simulation.advance()).expect("written");
    }
    let recording = Recording::open(&path).expect("a recording");
    let read: Vec<Frame> = recording.frames().map(|frame| frame.expect("a frame")).collect();
    assert_eq!(read, whole);
}

#[test]
fn what_is_cut_off_is_said_and_the_rest_is_read() {
    let (path, origin) = (fresh("cut"), origin("baraff1989/fig14a_bricks.toml"));
    let frames = record(&path, &origin, 12);
    let bytes = std::fs::read(&path).expect("bytes");
    let whole = Recording::open(&path).expect("a recording");
    let cut = fresh("cut_off");
    for length in (0..bytes.len()).step_by(7) {
        std::fs::write(&cut, &bytes[..length]).expect("written");
        match Recording::open(&cut) {
            Ok(recording) => {
                assert!(recording.len() <= whole.len());
                assert_eq!(recording.bytes() + recording.ignored(), length as u64);
                assert_eq!(recording.ignored() > 0, recording.fault().is_some());
                let read: Vec<Frame> = recording.frames().map(|f| f.expect("a frame")).collect();
                assert_eq!(read, frames[..read.len()], "{length} bytes");
            }
            Err(error) => assert!(error.to_string().contains("byte "), "{error}"),
        }
    }
}

#[test]
fn flipped_bits_are_seen_and_never_believed() {
    let (path, origin) = (fresh("flip"), origin("baraff1989/fig08_block.toml"));
    let frames = record(&path, &origin, 8);
    let bytes = std::fs::read(&path).expect("bytes");
    let flipped = fresh("flipped");
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        std::fs::write(&flipped, &damaged).expect("written");
        match Recording::open(&flipped) {
            Ok(recording) => {
                assert!(recording.len() < frames.len() as u64, "bit of byte {at} not seen");
                let fault = recording.fault().expect("a fault");
                assert!(fault.starts_with(&format!("byte {}", recording.bytes())), "{fault}");
                let read: Vec<Frame> = recording.frames().map(|f| f.expect("a frame")).collect();
                assert_eq!(read, frames[..read.len()], "byte {at}");
            }
            Err(error) => assert!(error.to_string().contains("byte "), "{error}"),
        }
    }
}

#[test]
fn a_recording_goes_on_as_if_never_stopped() {
    let origin = origin("baraff1989/fig14a_bricks.toml");
    let path = fresh("whole");
    let frames = record(&path, &origin, CHECKPOINT + 30);
    let bytes = std::fs::read(&path).expect("bytes");
    let cut = fresh("resumed");
    // Before and after the checkpoint.
    for part in [3, 98] {
        std::fs::write(&cut, &bytes[..bytes.len() * part / 100]).expect("written");
        let resumed = Recorder::resume(&cut).expect("a recording that resumes");
        let (mut simulation, mut recorder) = (resumed.simulation, resumed.recorder);
        assert_eq!(simulation.index(), resumed.from.index);
        while simulation.index() < CHECKPOINT + 30 {
            recorder.append(&simulation.advance()).expect("the same again");
        }
        let recording = Recording::open(&cut).expect("a recording");
        assert_eq!((recording.len(), recording.ignored()), (frames.len() as u64, 0));
        for (read, written) in recording.frames().zip(&frames) {
            assert_eq!(&read.expect("a frame"), written, "{part} %");
        }
    }
}

#[test]
fn frames_that_do_not_fit_are_refused() {
    let (path, origin) = (fresh("fit"), origin("baraff1989/fig08_block.toml"));
    let frames = record(&path, &origin, 5);
    let scene = origin.scene().expect("a scene");
    let exists = Recorder::create(&path, &origin, &scene).err().expect("it is there");
    assert!(matches!(exists, RecordingError::Exists { .. }), "{exists}");
    let mut recorder = Recorder::resume(&path).expect("a recording that resumes").recorder;
    let order = recorder.append(&frames[3]).expect_err("not the next");
    assert!(matches!(order, RecordingError::Order { given: 3, next: 1, .. }), "{order}");
    let mut other = frames[1].clone();
    other.state.poses[1].position.x += 1e-15;
    let differs = recorder.append(&other).expect_err("another state");
    assert!(matches!(differs, RecordingError::Differs { frame: 1, .. }), "{differs}");
}

/// A flipped bit costs the frames up to the next checkpoint, wherever it is, and no others.
#[test]
fn damage_costs_the_frames_between_two_checkpoints_at_most() {
    let (path, origin) = (fresh("damage"), origin("baraff1989/fig08_block.toml"));
    let frames = record(&path, &origin, 3 * CHECKPOINT + 20);
    let bytes = std::fs::read(&path).expect("bytes");
    let first = Recording::open(&path).expect("a recording").frame_offset(1).expect("a frame");
    let damaged = fresh("damaged");
    let span = bytes.len() - first as usize;
    for k in 0..97 {
        let at = first as usize + span * k / 97;
        let mut copy = bytes.clone();
        copy[at] ^= 1 << (k % 8);
        std::fs::write(&damaged, &copy).expect("written");
        let recording = Recording::open(&damaged).expect("a recording");
        let read: Vec<Frame> = recording.frames().map(|f| f.expect("a frame")).collect();
        let lost = frames.len() - read.len();
        assert!(lost > 0 && lost as u64 <= CHECKPOINT, "byte {at}: {lost} frames lost");
        assert_eq!(recording.faults().len(), 1, "{:?}", recording.faults());
        for frame in &read {
            assert_eq!(frame, &frames[frame.index as usize]);
        }
        if let [damage] = recording.damage() {
            let lost = recording.frame(damage.frames.start).expect_err("it is lost");
            assert!(lost.to_string().contains(&format!("byte {}", damage.bytes.start)), "{lost}");
            let refused = Recorder::resume(&damaged).err().expect("not continued");
            assert!(matches!(refused, RecordingError::Damaged { .. }), "{refused}");
        }
    }
}

#[test]
fn one_program_writes_a_recording_at_a_time() {
    let (path, origin) = (fresh("locked"), origin("baraff1989/fig08_block.toml"));
    let scene = origin.scene().expect("a scene");
    let writer = Recorder::create(&path, &origin, &scene).expect("a file");
    let refused = Recorder::resume(&path).err().expect("another writes it");
    assert!(matches!(refused, RecordingError::Locked { .. }), "{refused}");
    drop(writer);
    let resumed = Recorder::resume(&path).expect("free again");
    assert!(matches!(Recorder::resume(&path).err(), Some(RecordingError::Locked { .. })));
    drop(resumed);
    // Of many that begin at once, one succeeds.
    let path = fresh("claimed");
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (path, origin, scene) = (path.clone(), origin.clone(), scene.clone());
            std::thread::spawn(move || Recorder::create(&path, &origin, &scene).is_ok())
        })
        .collect();
    let begun = threads.into_iter().map(|it| it.join().expect("a thread"));
    assert_eq!(begun.filter(|begun| *begun).count(), 1);
    Recording::open(&path).expect("a whole recording");
}

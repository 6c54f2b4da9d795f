//! Recordings: runs that are killed, stopped and resumed, tables, plots, and reports on damaged
//! files.

mod common;

use common::command::{stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use stiction::recording::{Origin, Recorder, Recording};

/// A ball that slides down an incline: fast, and no frame is like another.
const SCENE: &str = "baraff1989/fig07_incline.toml";

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn stiction(arguments: &[&str]) -> Output {
    command(arguments).output().expect("it runs")
}

fn scene(name: &str) -> String {
    format!("{}/../../scenes/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A path where no file exists.
fn fresh(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn words(path: &Path) -> &str {
    path.to_str().expect("a name in Unicode")
}

/// Records a scene to a new file and returns its path.
fn record(name: &str, scene_name: &str, more: &[&str]) -> PathBuf {
    let path = fresh(name);
    let output = stiction(&[&["run", &scene(scene_name), "--out", words(&path)], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    path
}

/// State hashes of all frames.
fn hashes(path: &Path) -> Vec<u64> {
    let recording = Recording::open(path).expect("a recording");
    recording.frames().map(|frame| frame.expect("a frame").state.hash()).collect()
}

/// Pseudo-random numbers from 0 to 1.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Kills a program (SIGKILL) after some time; whether it had ended before.
fn kill_after(mut child: Child, time: Duration) -> bool {
    std::thread::sleep(time);
    let ended = child.try_wait().expect("a state").is_some();
    let _ = child.kill();
    child.wait().expect("an end");
    ended
}

#[test]
fn no_frame_is_lost_when_the_program_is_killed() {
    /// How often a run is killed.
    const KILLS: usize = 100;
    let length = ["--dt", "0.001", "--until", "1.5"];
    let begun = Instant::now();
    let expected = hashes(&record("uninterrupted.stiction", SCENE, &length));
    let whole = begun.elapsed();
    let (path, mut chance) = (fresh("killed.stiction"), Chance(7));
    let (mut kills, mut known, mut runs) = (0, 0, 0);
    while kills < KILLS {
        let (out, scene) = (words(&path), scene(SCENE));
        let first = [&["run", &scene, "--out", out][..], &length].concat();
        let again = ["run", "--out", out, "--resume"];
        let child = if path.exists() { command(&again) } else { command(&first) };
        let child = child_of(child);
        let ended = kill_after(child, whole.mul_f64(chance.next()));
        if path.exists() {
            let found = hashes(&path);
            assert!(found.len() >= known, "{known} frames were there, {} are left", found.len());
            assert_eq!(found, expected[..found.len()]);
            known = found.len();
        }
        kills += usize::from(!ended);
        if ended {
            assert_eq!(known, expected.len());
            std::fs::remove_file(&path).expect("removed");
            (known, runs) = (0, runs + 1);
        }
    }
    assert!(runs > 0, "no run came to its end");
}

fn child_of(mut command: Command) -> Child {
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs")
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_complete_file_and_a_report() {
    let path = fresh("stopped.stiction");
    let arguments = ["run", &scene(SCENE), "--dt", "1e-5", "--json", "--out", words(&path)];
    let child = command(&arguments).spawn().expect("it runs");
    while Recording::open(&path).map_or(0, |recording| recording.len()) < 20 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let output = child.wait_with_output().expect("an end");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(report["interrupted"], true);
    let recording = Recording::open(&path).expect("a recording");
    assert_eq!((Some(recording.len()), recording.ignored()), (report["frames"].as_u64(), 0));
    let last = recording.frame(recording.len() - 1).expect("the last frame");
    assert_eq!(report["hash"], format!("{:016x}", last.state.hash()));
}

#[test]
fn replay_finds_a_tampered_frame() {
    let path = record("honest.stiction", SCENE, &["--until", "0.5"]);
    let output = stiction(&["replay", words(&path)]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(stdout(&output).contains("are identical"));

    let recording = Recording::open(&path).expect("a recording");
    let tampered = fresh("tampered.stiction");
    let scene = recording.scene().expect("its scene");
    let mut recorder = Recorder::create(&tampered, recording.origin(), &scene).expect("a file");
    for frame in recording.frames() {
        let mut frame = frame.expect("a frame");
        if frame.index == 17 {
            frame.state.twists[1].linear.x += 1e-12;
        }
        recorder.append(&frame).expect("written");
    }
    let output = stiction(&["replay", words(&tampered), "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!((&report["same"], &report["difference"]["frame"]), (&false.into(), &17.into()));
}

/// The columns that `docs/recording.md` lists, table by table.
fn documented_columns() -> Vec<(String, Vec<String>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/recording.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let mut tables: Vec<(String, Vec<String>)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("### ") {
            tables.push((name.trim_matches('`').to_owned(), Vec::new()));
        } else if let Some((_, columns)) = tables.last_mut() {
            let names = line.split('|').nth(1).unwrap_or_default();
            columns.extend(names.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    tables
}

#[test]
fn tables_have_the_columns_that_are_documented() {
    let path = record("tables.stiction", "baraff1994/fig02_jack.toml", &["--until", "0.1"]);
    let folder = fresh("tables");
    for format in ["csv", "jsonl", "parquet"] {
        let arguments =
            ["export", words(&path), "--format", format, "--out", words(&folder), "--unique"];
        let output = stiction(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
    let tables = documented_columns();
    assert_eq!(tables.len(), 6);
    for (name, columns) in tables {
        let csv = std::fs::read_to_string(folder.join(format!("{name}.csv"))).expect("a table");
        assert_eq!(csv.lines().next(), Some(columns.join(",").as_str()), "{name}");
        let jsonl = std::fs::read_to_string(folder.join(format!("{name}.jsonl"))).expect("a table");
        assert_eq!(csv.lines().count(), jsonl.lines().count() + 1, "{name}");
        for line in jsonl.lines() {
            let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(row.as_object().map(serde_json::Map::len), Some(columns.len()));
        }
        let parquet = std::fs::read(folder.join(format!("{name}.parquet"))).expect("a table");
        assert!(parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1"), "{name}");
    }
}

#[test]
fn a_run_without_a_scene_prints_a_report() {
    let output = stiction(&["run", "--until", "0.3"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for word in ["Dominoes", "largest motion", "events", "energy", "certified: every law holds"] {
        assert!(text.contains(word), "no «{word}» in\n{text}");
    }
}

#[test]
fn plots_are_drawn_and_info_lists_the_contents() {
    let path = record("drawn.stiction", SCENE, &["--until", "0.2"]);
    let folder = fresh("pictures");
    let output = stiction(&["plot", words(&path), "--out", words(&folder)]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for name in ["energies", "forces", "certificates", "events"] {
        let svg = std::fs::read_to_string(folder.join(format!("{name}.svg"))).expect("a picture");
        assert!(svg.contains("</svg>") && svg.contains("time / s"), "{name}");
    }
    let output = stiction(&["info", words(&path), "--json"]);
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!((&report["frames"], &report["ignored_bytes"]), (&21.into(), &0.into()));
}

#[test]
fn faulty_files_are_named_with_exit_code_2() {
    let path = record("fault.stiction", SCENE, &["--until", "0.1"]);
    let mut bytes = std::fs::read(&path).expect("bytes");
    bytes[30] ^= 4;
    let faulty = fresh("faulty.stiction");
    std::fs::write(&faulty, bytes).expect("written");
    for command in ["replay", "info", "export", "plot"] {
        let output = stiction(&[command, words(&faulty)]);
        assert_eq!(output.status.code(), Some(2), "{command}");
        let said = stderr(&output);
        assert!(said.contains("faulty.stiction: byte 12: a block fails"), "{said}");
    }
    let output = stiction(&["run", &scene(SCENE), "--out", words(&path)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("exists already; --resume"), "{}", stderr(&output));
}

#[test]
fn overrides_are_kept_in_the_file() {
    let more =
        ["--until", "0.1", "--dt", "0.02", "--stepper", "time-stepping", "--solver", "dantzig"];
    let path = record("overrides.stiction", SCENE, &more);
    let recording = Recording::open(&path).expect("a recording");
    let run = recording.scene().expect("its scene").run;
    assert_eq!((run.until, run.dt, run.stepper.name()), (0.1, 0.02, "time-stepping"));
    assert_eq!(run.solver.name(), "dantzig");
    assert_eq!(recording.origin(), &Origin::read(Path::new(&scene(SCENE))).expect("the file"));
}

/// A damaged byte is named, and the frames after the next checkpoint are still compared.
#[test]
fn damage_makes_info_and_replay_say_no() {
    let path = record("undamaged.stiction", SCENE, &["--dt", "0.001", "--until", "0.6"]);
    let offset = Recording::open(&path).expect("a recording").frame_offset(100).expect("a frame");
    let mut bytes = std::fs::read(&path).expect("bytes");
    bytes[offset as usize + 15] ^= 1;
    let damaged = fresh("one_byte.stiction");
    std::fs::write(&damaged, bytes).expect("written");
    for command in ["info", "replay"] {
        assert_eq!(stiction(&[command, words(&path)]).status.code(), Some(0), "{command}");
        let output = stiction(&[command, words(&damaged)]);
        assert_eq!(output.status.code(), Some(1), "{command}");
        let said = stdout(&output);
        let expected =
            format!("byte {offset}: a block fails its check; frames 100 to 255 are lost");
        assert!(said.contains(&expected), "{said}");
    }
}

/// CRC-32 as in gzip.
fn crc(bytes: &[u8]) -> u32 {
    let bit = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| bit(crc)))
}

/// The same recording from a machine of another class: the last letter of its name is another.
fn from_elsewhere(path: &Path) -> PathBuf {
    let mut bytes = std::fs::read(path).expect("bytes");
    let class = stiction::recording::machine();
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    let payload = &mut bytes[24..24 + length];
    let at = payload.windows(class.len()).position(|word| word == class.as_bytes());
    payload[at.expect("the class") + class.len() - 1] = b'!';
    let checked = [&bytes[12..20], &bytes[24..24 + length]].concat();
    bytes[20..24].copy_from_slice(&crc(&checked).to_le_bytes());
    let other = fresh("elsewhere.stiction");
    std::fs::write(&other, bytes).expect("written");
    other
}

#[test]
fn a_recording_from_a_machine_of_another_class_is_compared_within_a_bound() {
    let path = record("here.stiction", SCENE, &["--until", "0.5"]);
    let other = from_elsewhere(&path);
    let output = stiction(&["replay", words(&other), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!((&report["same"], &report["other_machine"]["bound"]), (&true.into(), &1e-6.into()));
    assert!(stdout(&stiction(&["info", words(&other)])).contains("recorded on"));
    let output = stiction(&["run", "--resume", "--out", words(&other), "--until", "1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("rounds otherwise"), "{}", stderr(&output));

    let recording = Recording::open(&other).expect("a recording");
    let (moved, scene) = (fresh("moved.stiction"), recording.scene().expect("its scene"));
    let mut recorder = Recorder::create(&moved, recording.origin(), &scene).expect("a file");
    for frame in recording.frames() {
        let mut frame = frame.expect("a frame");
        if frame.index == 17 {
            frame.state.poses[1].position.z += 1e-3;
        }
        recorder.append(&frame).expect("written");
    }
    let output = stiction(&["replay", words(&from_elsewhere(&moved)), "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(report["difference"]["frame"], 17);
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    for arguments in [&["run", "--until", "0.05", "--json"][..], &["run", "--until", "0.05"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
        let output = command(arguments).stdout(full).output().expect("it runs");
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("standard output"), "{}", stderr(&output));
    }
}

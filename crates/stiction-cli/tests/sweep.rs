//! `stiction sweep`, `merge` and `--set`: shards, threads and kills give the same table.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SCENE: &str = r#"
[run]
until = 0.1
dt = 0.02
[[body]]
name = "ground"
ground = true
[[body]]
name = "block"
box = [0.3, 0.2, 0.1]
at = [0, 0, 0.05]
velocity = [1, 0, 0]
"#;

const SPEC: &str = r#"
scene = "scene.toml"
bodies = ["block"]
[[vary]]
path = "material.0.friction"
name = "friction"
from = 0.1
to = 0.8
count = 15
[[vary]]
path = "body.block.mass"
values = [0.5, 2, -1]
"#;

/// A folder with the scene and the specification.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let scene = format!("[[material]]\nname = \"default\"\nfriction = 0.5\n{SCENE}");
    std::fs::write(folder.join("scene.toml"), scene).expect("a scene");
    std::fs::write(folder.join("spec.toml"), SPEC).expect("a specification");
    folder
}

fn stiction(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
    command.current_dir(folder).args(arguments).output().expect("the program")
}

fn text(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

#[test]
fn shards_threads_and_kills_give_the_same_table() {
    let folder = folder("sweep_shards");
    let read = |name: &str| std::fs::read(folder.join(name)).expect("a table");
    // A third of the cases have a negative mass: they fail, and are rows.
    let done = stiction(&folder, &["sweep", "spec.toml", "--out", "all.csv"]);
    assert_eq!(done.status.code(), Some(1), "{}", text(&done.stderr));
    assert!(text(&done.stdout).contains("45 cases, 15 failed"), "{}", text(&done.stdout));
    let all = text(&read("all.csv"));
    assert_eq!(all.lines().count(), 46);
    let head = all.lines().next().unwrap_or_default();
    assert!(head.starts_with("friction,body.block.mass,certified,residual"), "{head}");
    // v² / 2 μ g is beyond the end of the run: v t − μ g t² / 2 at μ = 0.1 and t = 0.1.
    let place = head.split(',').position(|name| name == "block.position.x").expect("a column");
    let first: f64 = all
        .lines()
        .nth(1)
        .and_then(|row| row.split(',').nth(place)?.parse().ok())
        .expect("a number");
    assert!((first - (0.1 - 0.5 * 0.1 * 9.81 * 0.01)).abs() < 1e-6, "{first}");

    stiction(&folder, &["sweep", "spec.toml", "--out", "one.csv", "--threads", "1"]);
    assert!(read("one.csv") == read("all.csv"));
    for shard in ["2/3", "3/3"] {
        stiction(&folder, &["sweep", "spec.toml", "--out", "merged.csv", "--shard", shard]);
    }
    let early = stiction(&folder, &["merge", "merged.csv"]);
    assert_eq!(early.status.code(), Some(2));
    assert!(text(&early.stderr).contains("15 of 45 cases are missing"), "{}", text(&early.stderr));
    stiction(&folder, &["sweep", "spec.toml", "--out", "merged.csv", "--shard", "1/3"]);
    assert!(stiction(&folder, &["merge", "merged.csv"]).status.success());
    assert!(read("merged.csv") == read("all.csv") && !folder.join("merged.csv.parts").exists());

    for pause in [30, 60, 5, 90, 15] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
        command.current_dir(&folder).args(["sweep", "spec.toml", "--out", "killed.csv"]);
        let mut child = command.spawn().expect("the program");
        std::thread::sleep(std::time::Duration::from_millis(pause));
        let _ = child.kill();
        let _ = child.wait();
    }
    stiction(&folder, &["sweep", "spec.toml", "--out", "killed.csv"]);
    assert!(read("killed.csv") == read("all.csv"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = folder("sweep_refused");
    for (spec, words) in [
        ("scene = \"scene.toml\"", "needs either [[vary]] or [[case]]"),
        ("[[case]]\nx = 1", "needs either scene or model"),
        ("scene = 3", "spec.toml:1:"),
        ("scen = \"a\"", "unknown field"),
        ("scene = \"a\"\n[[vary]]\npath = \"x\"", "needs values, or from, to"),
        ("scene = \"a\"\nout = \"a.xls\"\n[[case]]\nx = 1", "written to .parquet"),
    ] {
        std::fs::write(folder.join("spec.toml"), spec).expect("a specification");
        let refused = stiction(&folder, &["sweep", "spec.toml"]);
        let said = text(&refused.stderr);
        assert!(refused.status.code() == Some(2) && said.contains(words), "{spec}: {said}");
    }
    let refused = stiction(&folder, &["sweep", "spec.toml", "--shard", "4/3"]);
    assert!(text(&refused.stderr).contains("from 1 to N"), "{}", text(&refused.stderr));
}

#[test]
fn statics_and_json_take_values_too() {
    let folder = folder("sweep_statics");
    let model =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/assemblies/ladder_holds.json");
    let spec = format!(
        "model = {:?}\nmargins = [\"friction\"]\n[[vary]]\npath = \"friction\"\nname = \"mu\"\nvalues = [0.28, 0.3]\n",
        model.display().to_string()
    );
    std::fs::write(folder.join("spec.toml"), spec).expect("a specification");
    let done = stiction(&folder, &["sweep", "spec.toml", "--out", "ladder.jsonl"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    // The least friction of the floor is ½ cot 60° = 0.2887.
    let table = std::fs::read_to_string(folder.join("ladder.jsonl")).expect("a table");
    let verdicts: Vec<bool> = table.lines().map(|row| row.contains("\"can_stand\":true")).collect();
    assert_eq!(verdicts, [false, true], "{table}");
}

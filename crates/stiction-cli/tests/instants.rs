//! From a run to its problems, and what commands say of a file of another kind.

use std::path::PathBuf;
use std::process::{Command, Output};

fn stiction(folder: &PathBuf, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
    command.args(arguments).current_dir(folder).output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const SCENE: &str = "[run]\nuntil = 0.1\ndt = 0.01\n[[body]]\nname = \"ground\"\nground = true\n\
    [[body]]\nname = \"crate\"\nbox = [1, 1, 1]\nat = [0, 0, 0.5]\nmass = 2\n\
    [[body]]\nname = \"other\"\nbox = [1, 1, 1]\nat = [3, 0, 0.5]\nmass = 1\n";

/// A folder with a scene, its recording, and a problem.
fn folder(name: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("stiction-instants-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("crate.toml"), SCENE).expect("a file");
    let made = stiction(&folder, &["run", "crate.toml", "--out", "crate.stiction"]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    let made = stiction(&folder, &["problem", "crate.toml", "--out", "crate.json"]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    assert!(text(&made.stdout).contains("2 islands, 8 contacts"), "{}", text(&made.stdout));
    folder
}

#[test]
fn problems_of_an_instant_are_solved_diagnosed_compared_and_traced() {
    let folder = folder("solved");
    let weight = |arguments: &[&str]| {
        let output = stiction(&folder, &[&["solve", "--json"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        object["normal"]
            .as_array()
            .expect("forces")
            .iter()
            .filter_map(serde_json::Value::as_f64)
            .sum::<f64>()
    };
    let near = |force: f64, mass: f64| assert!((force - mass * 9.81).abs() < 1e-6, "{force}");
    near(weight(&["crate.json"]), 3.0);
    near(weight(&["crate.toml"]), 3.0);
    near(weight(&["crate.toml", "--at", "0.053", "--island", "0"]), 2.0);
    near(weight(&["crate.stiction", "--at", "0.1", "--island", "1"]), 1.0);
    for command in ["compare", "trace"] {
        let output = stiction(&folder, &[command, "crate.stiction", "--at", "0.05"]);
        assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output.stderr));
    }
    let output = stiction(&folder, &["problem", "crate.stiction", "--island", "1"]);
    assert!(text(&output.stdout).contains("\"name\": \"other\""), "{}", text(&output.stdout));
}

#[test]
fn a_file_of_another_kind_is_refused_with_the_commands_that_take_it() {
    let folder = folder("refused");
    for (arguments, words) in [
        (
            &["run", "crate.stiction"][..],
            "crate.stiction: is a recording, not a scene: view, replay",
        ),
        (&["run", "crate.json"], "crate.json: is a contact problem, not a scene: solve"),
        (&["settle", "crate.stiction"], "is a recording, not a scene"),
        (&["run", "--resume", "--out", "crate.toml"], "is a scene, not a recording"),
        (&["verify", "crate.toml"], "crate.toml: is a scene, not a recording: run, view"),
        (&["replay", "crate.json"], "is a contact problem, not a recording"),
        (&["info", "crate.toml"], "is a scene, not a recording"),
        (&["export", "crate.toml"], "is a scene, not a recording"),
        (&["verify", "crate.toml", "crate.json"], "is a scene, not a contact problem"),
        (&["collide", "crate.stiction"], "is a recording, not a contact problem"),
        (&["problem", "crate.json"], "is a contact problem, not a scene"),
        (&["solve", "crate.json", "--at", "1"], "--at and --island choose from a scene"),
        (&["solve", "crate.toml", "--island", "2"], "has 2 islands"),
        (&["problem", "crate.stiction", "--at", "0.2"], "is after the last frame"),
        (&["problem", "crate.toml", "--at", "-1"], "must be a time from 0 on"),
        (&["problem", "crate.toml", "--at", "NaN"], "must be a time from 0 on"),
        (&["problem", "crate.toml", "--out", "crate.json"], "crate.json: File exists"),
    ] {
        let output = stiction(&folder, arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}

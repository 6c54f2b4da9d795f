//! Random scenes, few enough for every change: nothing certified breaks a law, nothing panics.
//! `docs/certificates.md` says what is checked.

use std::process::Command;

fn campaign(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["bench", "worlds"])
        .args(arguments)
        .output()
        .expect("the command runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

fn sum(report: &serde_json::Value, count: &str) -> u64 {
    let steppers = ["event-driven", "time-stepping"];
    steppers.iter().map(|name| report["steppers"][name][count].as_u64().unwrap_or(0)).sum()
}

#[test]
fn no_certified_run_breaks_a_law() {
    let (_, text) = campaign(&["--scenes", "10", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(sum(&report, "scenes"), 20, "{text}");
    assert_eq!(sum(&report, "wrong") + sum(&report, "panics"), 0, "{text}");
}

#[test]
fn a_scene_is_kept_and_runs() {
    let folder = std::env::temp_dir().join(format!("stiction-worlds-kept-{}", std::process::id()));
    let kept = folder.display().to_string();
    let (code, report) = campaign(&["--case", "5", "--keep", &kept]);
    assert_eq!(code, Some(0), "{report}");
    let run = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["run", "--stepper", "time-stepping"])
        .arg(folder.join("1-5/1-5.toml"))
        .status()
        .expect("the command runs");
    assert_eq!(run.code(), Some(0));
    let _ = std::fs::remove_dir_all(&folder);
}

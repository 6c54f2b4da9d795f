//! The hostile campaign, small enough for every change: nothing certified is wrong, nothing
//! panics, nothing takes long. `docs/hostile.md` says what is checked.

use std::process::Command;

fn campaign(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["bench", "hostile"])
        .args(arguments)
        .output()
        .expect("the command runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn no_certified_answer_is_wrong() {
    let (code, report) = campaign(&["--answers", "3200", "--seed", "7"]);
    assert_eq!(code, Some(0), "{report}");
}

/// An inertia of condition 1e15: the last bit of the normals moves the body, so that nothing is
/// certified. The old judge was satisfied with forces that let the body sink.
#[test]
fn what_the_last_bit_of_the_data_decides_is_not_certified() {
    for (family, case) in [("inertia", "256"), ("last-bit", "87"), ("last-bit", "211")] {
        let (code, report) = campaign(&["--family", family, "--case", case, "--seed", "1"]);
        assert_eq!(code, Some(0), "{report}");
    }
    let (code, report) = campaign(&["--family", "last-bit", "--answers", "100", "--seed", "1"]);
    assert_eq!(code, Some(0), "{report}");
}

#[test]
fn problems_are_the_same_on_any_number_of_threads() {
    let of = |threads| campaign(&["--family", "rest", "--answers", "60", "--threads", threads]);
    let (one, two) = (of("1"), of("2"));
    assert!(one.1.contains("60"), "{}", one.1);
    assert_eq!(one, two);
}

#[test]
fn findings_are_kept_for_verify() {
    let folder = std::env::temp_dir().join(format!("stiction-hostile-{}", std::process::id()));
    let json = folder.join("report.json");
    std::fs::create_dir_all(&folder).expect("a folder");
    let kept = folder.join("kept");
    let (_, report) = campaign(&[
        "--family",
        "bias",
        "--answers",
        "40",
        "--keep",
        &kept.display().to_string(),
        "--json",
        &json.display().to_string(),
    ]);
    let text = std::fs::read_to_string(&json).expect("a report");
    let counts: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let answers = counts["families"]["bias"]["answers"].as_u64().unwrap_or(0);
    assert!(answers >= 35, "{report}");
    let findings = counts["findings"].as_array().map_or(0, Vec::len);
    let files = std::fs::read_dir(&kept).expect("a folder").count();
    assert_eq!(findings == 0, files == 0, "{findings} findings, {files} files");
    std::fs::remove_dir_all(&folder).expect("the folder again");
}

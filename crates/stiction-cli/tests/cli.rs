//! The command line: output and exit codes.

mod common;

use common::command::{corpus, stdout, stiction};
use std::path::PathBuf;

#[test]
fn without_a_file_it_shows_forces_and_a_certificate() {
    let output = stiction(&["solve"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    for word in
        ["overbalanced bricks", "normal N", "stick", "margin", "unique", "certified: maximum"]
    {
        assert!(text.contains(word), "no «{word}» in\n{text}");
    }
}

#[test]
fn json_has_every_promised_field_for_every_load() {
    let output = stiction(&["solve", &corpus("stack_m02_rotated_n012_s0"), "--all", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 20);
    for (load, line) in lines.iter().enumerate() {
        let object: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(object["load"], load);
        assert_eq!(object["solver"], "auto");
        assert_eq!(object["outcome"], "solved");
        assert_eq!(object["certified"], true);
        assert_eq!(object["normal"].as_array().map(Vec::len), Some(12));
        assert_eq!(object["friction"][0].as_array().map(Vec::len), Some(3));
        assert_eq!(object["velocity"].as_array().map(Vec::len), Some(2));
        assert!(
            object["certificate"]["natural_map"]["relative"].as_f64().expect("a number") < 1e-8
        );
        assert!(object["pivots"].is_u64() && object["time_us"].as_f64().expect("a number") > 0.0);
    }
}

#[test]
fn an_impulse_is_an_answer() {
    let output = stiction(&["solve", &corpus("rod_inconsistent"), "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let object: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(object["outcome"], "impulse");
    // In the file the rod of 2.5 kg slides with 3 m/s: 4 m v / 27.
    assert_eq!(object["impact"]["certified"], true);
    let impulse = object["impact"]["impulse"]["contacts"][0]["normal"].as_f64().expect("a number");
    assert!((impulse - 10.0 / 9.0).abs() < 1e-12);
    assert_eq!(object["impact"]["method"], "wang-mason");
    let text = stdout(&stiction(&["solve", &corpus("rod_inconsistent")]));
    assert!(text.contains("an impulse acts") && text.contains("contact 0 sticks first (valid)"));
    let text = stdout(&stiction(&["solve", &corpus("wedged_block_pushed")]));
    assert!(text.contains("all contacts at once (valid)"), "{text}");
}

#[test]
fn approximations_are_labelled_as_such() {
    for (solver, code) in [("threshold", 1), ("signs", 0)] {
        let arguments = ["solve", &corpus("incline_holds_turn15"), "--solver", solver];
        let output = stiction(&arguments);
        assert_eq!(output.status.code(), Some(code), "{solver}");
        assert!(stdout(&output).contains("an approximation: friction"), "{}", stdout(&output));
        let json = stdout(&stiction(&[&arguments[..], &["--json"]].concat()));
        let object: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert!(object["approximation"].is_string());
        assert_eq!(object["certified"], code == 0);
    }
    // A block that creeps has some friction, in proportion to its speed.
    let text = std::fs::read_to_string(corpus("incline_holds_turn15")).expect("readable");
    let mut file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    file["bodies"][0]["velocity"] = serde_json::json!([2e-4, 0.0, -1e-4, 0.0, 0.0, 0.0]);
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("creeping.json");
    std::fs::write(&path, file.to_string()).expect("written");
    let path = path.display().to_string();
    let json = stdout(&stiction(&["solve", &path, "--solver", "threshold", "--json"]));
    let object: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let friction = object["friction"][0][0].as_f64().expect("a number");
    let normal = object["normal"][0].as_f64().expect("a number");
    assert!(friction < 0.0 && -friction < 0.2 * normal, "{friction} of {normal}");

    let exact = stdout(&stiction(&["solve", &corpus("lever_rule"), "--json"]));
    assert!(!exact.contains("approximation"));
}

#[test]
fn an_iteration_reports_what_ended_it() {
    let output = stiction(&["solve", "--solver", "energy"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.contains(" iterations, ") && text.contains("ended by the precision"), "{text}");
}

#[test]
fn diagnose_distinguishes_one_motion_several_and_none() {
    for (name, word, code) in [
        ("lever_rule", "unique", 0),
        ("rod_indeterminate", "indeterminate: 2", 1),
        ("rod_inconsistent", "inconsistent", 1),
        ("incline_holds_turn15", "undecided: at least 1 motion", 1),
    ] {
        let output = stiction(&["diagnose", &corpus(name)]);
        assert_eq!(output.status.code(), Some(code), "{name}");
        assert!(stdout(&output).starts_with(word), "{name}: {}", stdout(&output));
    }
    let output = stiction(&["diagnose", &corpus("rod_indeterminate"), "--json"]);
    let object: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(object["verdict"], "indeterminate");
    assert_eq!(object["solutions"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_budget_ends_diagnose_and_bad_numbers_are_refused() {
    let numbers: Vec<String> =
        (0..22).map(|i| (1000 + 2 * (i * i * 7 % 101)).to_string()).collect();
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("subset_sum.json");
    let _ = std::fs::remove_file(&path);
    let path = path.display().to_string();
    let list = format!("--numbers={}", numbers.join(","));
    let generate = ["generate", "subset-sum", &list, "--target", "11001", "--out", &path];
    assert_eq!(stiction(&generate).status.code(), Some(0));
    assert_eq!(stiction(&generate).status.code(), Some(2), "it is there already");
    let output = stiction(&["diagnose", &path, "--budget", "5"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.starts_with("undecided: at least 0 motions\nthe work budget of 5 "), "{text}");
    let output = stiction(&["diagnose", &path, "--budget", "5", "--json"]);
    let object: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!((&object["verdict"], &object["complete"]), (&"undecided".into(), &false.into()));
    let of_island = |field: &str| object["islands"][0][field].as_f64().expect("a number");
    assert!(0.0 < of_island("decided") && of_island("decided") < of_island("combinations"));
    for (numbers, target) in [("3,-1", "2"), ("nan", "2"), ("inf", "2"), ("3,", "2"), ("3", "-2")] {
        let numbers = format!("--numbers={numbers}");
        let target = format!("--target={target}");
        let output = stiction(&["generate", "subset-sum", &numbers, &target]);
        assert_eq!(output.status.code(), Some(2), "{numbers} {target}");
    }
}

#[test]
fn solve_reports_for_which_modes_a_force_is_unique() {
    let text = stdout(&stiction(&["solve", &corpus("rod_indeterminate")]));
    assert!(
        text.contains("in these modes\n") && text.contains("modes were not examined"),
        "{text}"
    );
    let text = stdout(&stiction(&["solve", &corpus("lever_rule")]));
    assert!(text.contains("  yes\n") && !text.contains("not examined"), "{text}");
    let json = stdout(&stiction(&["solve", &corpus("rod_indeterminate"), "--json"]));
    assert!(json.contains("\"other_modes\":\"not-examined\""), "{json}");
}

#[test]
fn a_complementarity_problem_is_solved_from_its_file() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join("two.dat");
    std::fs::write(&path, "2 0 2 2\n2 2\n2 1\n1 2\n-5 -6\n").expect("written");
    let path = path.display().to_string();
    let output = stiction(&["solve", &path, "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let object: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let z = |i: usize| object["z"][i].as_f64().expect("a number");
    assert!((z(0) - 4.0 / 3.0).abs() < 1e-12 && (z(1) - 7.0 / 3.0).abs() < 1e-12);
    assert!(stdout(&stiction(&["solve", &path])).contains("certified"));
}

#[test]
fn bad_input_exits_with_two_and_names_the_place() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let text = std::fs::read_to_string(corpus("lever_rule")).expect("readable");
    let bad = folder.join("bad.json");
    std::fs::write(&bad, text.replacen("\"contact-1\"", "\"contact-7\"", 1)).expect("written");
    let path = bad.display().to_string();
    for (arguments, word) in [
        (vec!["solve", "/nowhere.json"], "/nowhere.json"),
        (vec!["solve", &path], "bad.json:2: format"),
        (vec!["solve", "--solver", "magic"], "dantzig"),
        (vec!["bench", "families", "--data", "/nowhere"], "/nowhere"),
    ] {
        let output = stiction(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(word), "{arguments:?}: {error}");
    }
    let output = stiction(&["solve", &corpus("lever_rule"), "--load", "3"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn benches_judge_and_print_tables() {
    let folder = format!("{}/../../corpus/problems", env!("CARGO_MANIFEST_DIR"));
    let families = stdout(&stiction(&["bench", "families", "--data", &folder, "--only", "_s0"]));
    assert!(families.contains("degen_dup") && families.contains("in all %"), "{families}");
    let json =
        stdout(&stiction(&["bench", "families", "--data", &folder, "--only", "_s0", "--json"]));
    let object: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    for (family, tally) in object.as_object().expect("an object") {
        assert_eq!(tally["certified"], tally["loads"], "{family}");
        assert_eq!(tally["wrong"], 0, "{family}");
    }
    let speed =
        stdout(&stiction(&["bench", "speed", "--data", &folder, "--only", "_s0", "--loads", "1"]));
    assert!(speed.contains("pile_n050") && speed.contains("wall_n030"), "{speed}");
}

/// A block of unit stiffness, pressed by 1 and dragged by 2, friction 0.5.
#[test]
fn friction_problems_without_bodies_are_solved_or_refused() {
    let folder = std::env::temp_dir().join(format!("stiction-cli-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("writable");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("writable");
        path.display().to_string()
    };
    let good = write("good.dat", "3 1 0 3 3 3 3  1 0 0  0 1 0  0 0 1  -1 2 0  0.5");
    let output = stiction(&["solve", &good, "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let object: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(object["certified"], true);
    assert!((object["r"][1].as_f64().expect("a number") + 0.5).abs() < 1e-8);
    let output = stiction(&["bench", "fclib", "--data", &folder.display().to_string()]);
    assert!(stdout(&output).contains("certified 1 of 1 in space"), "{}", stdout(&output));

    let negative = write("mu.dat", "3 1 0 3 3 3 3  1 0 0  0 1 0  0 0 1  -1 2 0\n-0.5");
    for (arguments, expected) in [
        (vec!["solve", &negative], "mu.dat:2: mu[0]: is -0.5"),
        (
            vec!["solve", &write("cut.hdf5", "\u{89}HDF\r\n")],
            "cut.hdf5: /: is not a readable HDF5 file",
        ),
        (vec!["solve", &good, "--solver", "dantzig"], "dantzig cannot take this problem"),
    ] {
        let output = stiction(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains(expected), "{message}, expected {expected}");
    }
    std::fs::remove_dir_all(&folder).expect("there");
}

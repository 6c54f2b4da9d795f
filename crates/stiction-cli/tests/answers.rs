//! Friction pyramids, answers of other programs, `compare`, `trace`, `collide`, `bench scale`.

mod common;

use common::command::{corpus, stderr, stdout, stiction};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A file in a folder of its own.
fn temporary(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("answers");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path
}

fn objects(output: &Output) -> Vec<serde_json::Value> {
    stdout(output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn pyramids_return_z_and_name_their_cone() {
    let peg = corpus("peg_n008_s0");
    let output = stiction(&["solve", &peg, "--all", "--json", "--cone", "pyramid"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for object in objects(&output) {
        assert_eq!(object["z"].as_array().map(Vec::len), Some(8 * 10));
        assert_eq!(object["cone"]["pyramid"]["directions"], 8);
        assert_eq!((&object["solver"], &object["by"]), (&"auto".into(), &"lloyd-reduced".into()));
        assert!(object["certificate"]["pyramid"]["relative"].as_f64().expect("a number") <= 1e-9);
    }
    let four = ["solve", &peg, "--json", "--cone", "pyramid", "--directions", "4"];
    assert_eq!(objects(&stiction(&four))[0]["z"].as_array().map(Vec::len), Some(8 * 6));
    let refused = stiction(&["solve", &peg, "--cone", "pyramid", "--solver", "dantzig"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("dantzig solves on round cones only"));
}

#[test]
fn our_own_answers_are_verified_and_altered_ones_are_not() {
    let peg = corpus("peg_n008_s0");
    let text = stdout(&stiction(&["solve", &peg, "--all", "--json"]));
    let answer = temporary("peg.json", &text);
    let answer = answer.to_str().expect("UTF-8");
    for load in ["0", "7"] {
        let output = stiction(&["verify", &peg, answer, "--load", load, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(objects(&output)[0]["certified"], true);
    }
    let mut object: serde_json::Value =
        serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
    object["normal"][0] = (object["normal"][0].as_f64().expect("a number") + 0.1).into();
    let spoilt = temporary("spoilt.json", &object.to_string());
    let output = stiction(&["verify", &peg, spoilt.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("NOT CERTIFIED"));
}

#[test]
fn csv_is_read_as_normal_and_friction_or_as_whole_forces() {
    let table = corpus("four_legged_table");
    let solved = &objects(&stiction(&["solve", &table, "--json"]))[0];
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let mut four = "normal,fx,fy,fz\n# four legs\n".to_owned();
    let mut three = String::new();
    for i in 0..4 {
        let n = number(&solved["normal"][i]);
        let [x, y, z] = [0, 1, 2].map(|k| number(&solved["friction"][i][k]));
        let _ = writeln!(four, "{n},{x},{y},{z}");
        let _ = writeln!(three, "{x}; {y}; {}", z + n);
    }
    for (name, text) in [("four.csv", &four), ("three.csv", &three)] {
        let path = temporary(name, text);
        let output = stiction(&["verify", &table, path.to_str().expect("UTF-8")]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
    }
}

#[test]
fn bad_answers_are_refused_with_file_line_and_value() {
    let table = corpus("four_legged_table");
    for (name, text, words) in [
        ("word.csv", "1,0,0,0\n1,0,zero,0\n", ":2: force: \"zero\" is not a number"),
        ("short.csv", "1,0,0,0\n", "contacts: the answer has 1, the problem 4"),
        ("wide.csv", "1,2,3,4,5\n", ":1: force: 5 numbers"),
        ("many.csv", "0,0,1\n0,0,1\n0,0,1\n0,0,1\n0,0,1\n", ":5: force: more forces"),
        ("nan.csv", "NaN,0,0,0\n", ":1: force:"),
        ("half.json", "{\"normal\": [1, 2", "half.json:1:"),
        ("empty.json", "{}", "needs `contacts`, or"),
        ("uneven.json", "{\"normal\": [1], \"friction\": []}", "friction: 0 numbers"),
        ("empty.csv", "", "contacts: the answer has 0"),
    ] {
        let path = temporary(name, text);
        let output = stiction(&["verify", &table, path.to_str().expect("UTF-8")]);
        let error = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{name}: {error}");
        assert!(error.contains(name) && error.contains(words), "{name}: {error}");
    }
    let missing = stiction(&["verify", &table, "/nowhere/answer.csv"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn compare_lists_every_solver_and_draws() {
    let path = temporary("compare.svg", "");
    let svg = path.to_str().expect("UTF-8");
    let output = stiction(&["compare", &corpus("peg_n008_s0"), "--json", "--svg", svg]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let lines: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let lines = lines.as_array().expect("an array");
    assert_eq!(lines.len(), stiction_solvers::all::NAMES.len());
    let dantzig = lines.iter().find(|line| line["solver"] == "dantzig").expect("it is there");
    assert_eq!(dantzig["certified"], true);
    let picture = std::fs::read_to_string(path).expect("written");
    assert!(picture.starts_with("<svg") && picture.contains("lloyd-reduced"));
    let text = stdout(&stiction(&["compare", &corpus("four_legged_table")]));
    assert!(text.contains("unsupported") || text.contains("solved"), "{text}");
}

#[test]
fn trace_shows_every_pivot() {
    let peg = corpus("peg_n008_s0");
    for solver in ["dantzig", "lloyd-reduced", "lloyd-structural"] {
        let output = stiction(&["trace", &peg, "--solver", solver, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let events = objects(&output);
        assert!(events.iter().any(|event| event["event"] == "pivot"), "{solver}");
        assert!(events.iter().enumerate().all(|(k, event)| event["number"] == k + 1));
        let text = stdout(&stiction(&["trace", &peg, "--solver", solver]));
        assert!(text.contains("pushes") && text.contains("forces after"), "{text}");
    }
}

/// Figures 11 and 13 of Baraff 1989 from the command line.
#[test]
fn collisions_are_reported_in_both_models() {
    let output = stiction(&["collide", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let report = &objects(&output)[0];
    let speeds = |model: &str| -> Vec<f64> {
        let after = report[model]["after"].as_array().expect("bodies");
        after.iter().map(|v| v[0].as_f64().expect("a number")).collect()
    };
    let close = |x: &[f64], y: [f64; 3]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-12);
    assert!(close(&speeds("simultaneous"), [-1.0, 2.0, 2.0]), "{report}");
    assert!(close(&speeds("propagation"), [0.0, 0.0, 3.0]), "{report}");
    for model in ["simultaneous", "propagation"] {
        let report = &report[model];
        assert_eq!((&report["certified"], &report["settled"]), (&true.into(), &true.into()));
        let rounds = report["rounds"].as_array().expect("rounds");
        assert_eq!(rounds.len() as u64, report["steps"].as_u64().expect("a number"));
        for round in rounds {
            assert_eq!(round["certified"], true, "{round}");
            assert_eq!(round["energy_before"], 4.5, "{round}");
            assert!((round["energy_after"].as_f64().expect("J") - 4.5).abs() < 1e-14, "{round}");
            assert!(round["solver"].is_string() && round["residual"].is_number(), "{round}");
        }
    }
    assert!(stdout(&stiction(&["collide"])).contains("1 round,"));
    let each = &objects(&stiction(&["collide", "--restitution", "1,0.5", "--json"]))[0];
    let after = each["propagation"]["after"][2][0].as_f64().expect("a number");
    assert!((after - 2.25).abs() < 1e-14, "{each}");
    for (given, words) in [
        ("1.5", "restitution of contact 0 is 1.5"),
        ("1,-0.5", "restitution of contact 1 is -0.5"),
        ("0.5,nan", "restitution of contact 1 is NaN"),
        ("1,1,1", "restitution: 3 coefficients for 2 contacts"),
        ("1,x", "--restitution"),
    ] {
        let bad = stiction(&["collide", "--restitution", given]);
        assert_eq!(bad.status.code(), Some(2), "{given}");
        assert!(stderr(&bad).contains(words), "{given}: {}", stderr(&bad));
    }
    let still = stiction(&["collide", &corpus("four_legged_table")]);
    assert_eq!(still.status.code(), Some(2));
    assert!(stderr(&still).contains("no body has a velocity"), "{}", stderr(&still));
}

/// Wrong guesses of the paper's heuristic, and collisions that do not settle, are not certified.
#[test]
fn failed_collisions_are_reported() {
    let file = format!(
        "{}/../stiction-solvers/tests/collisions/three_contacts.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let exact = stiction(&["collide", &file, "--json"]);
    assert_eq!(exact.status.code(), Some(0), "{}", stdout(&exact));
    let wrong = stiction(&["collide", &file, "--solver", "lp", "--json"]);
    assert_eq!(wrong.status.code(), Some(1));
    let report = &objects(&wrong)[0];
    assert_eq!(report["simultaneous"]["certified"], false, "{report}");
    assert_eq!(report["simultaneous"]["after"], report["before"], "{report}");
    let refused = &report["simultaneous"]["refused"];
    assert!(refused["round"] == 1 && refused["solver"] == "lp", "{refused}");
    assert!(refused["contact"].is_number() && refused["residual"].is_number(), "{refused}");
    let text = stdout(&stiction(&["collide", &file, "--solver", "lp"]));
    assert!(text.contains("NOT CERTIFIED: refused in round 1, contact"), "{text}");
    let short = stiction(&["collide", "--rounds", "1"]);
    assert_eq!(short.status.code(), Some(1));
    assert!(stdout(&short).contains("NOT SETTLED"), "{}", stdout(&short));
    let rough = stiction(&["collide", &corpus("incline_holds_turn00")]);
    assert_eq!(rough.status.code(), Some(2), "{}", stderr(&rough));
}

#[test]
fn selections_that_cannot_be_made_are_refused() {
    let table = corpus("four_legged_table");
    let pyramid = stiction(&["solve", &table, "--cone", "pyramid", "--forces", "smallest"]);
    assert_eq!(pyramid.status.code(), Some(2));
    assert!(stderr(&pyramid).contains("round cones only"), "{}", stderr(&pyramid));
    let report = &objects(&stiction(&["solve", &table, "--json"]))[0];
    assert_eq!(report["selection"], "smallest", "{report}");
    let report = &objects(&stiction(&["solve", &table, "--forces", "any", "--json"]))[0];
    assert_eq!(report["selection"], "any", "{report}");
}

#[test]
fn structures_are_measured_and_drawn() {
    let out = temporary("scale", "").with_extension("folder");
    let folder = out.to_str().expect("UTF-8");
    let few =
        ["bench", "scale", "--scenes", "wall,pile-moving", "--bodies", "9,16", "--sweeps", "100"];
    let output = stiction(&[&few[..], &["--json", "--out", folder]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let runs = &objects(&output)[0];
    assert_eq!(runs.as_array().map(Vec::len), Some(12));
    for run in runs.as_array().into_iter().flatten().filter(|run| run["solver"] == "iterations") {
        assert_eq!(run["certified"], true, "{run}");
        assert!(run["natural_map"].as_f64().expect("a number") <= 1e-10, "{run}");
    }
    for scene in ["wall", "pile-moving"] {
        let svg = std::fs::read_to_string(out.join(format!("{scene}.svg"))).expect("a plot");
        assert!(svg.contains("iterations") && svg.ends_with("</svg>\n"));
        let csv = std::fs::read_to_string(out.join(format!("{scene}.csv"))).expect("a table");
        let columns = csv.lines().next().map(|line| line.split(',').count());
        assert!(csv.lines().all(|line| Some(line.split(',').count()) == columns), "{csv}");
    }
    let bad = stiction(&["bench", "scale", "--scenes", "hall"]);
    assert_eq!(bad.status.code(), Some(2));
    assert!(stderr(&bad).contains("unknown scene"), "{}", stderr(&bad));
}

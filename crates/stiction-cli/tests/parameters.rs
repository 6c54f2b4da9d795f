//! Parameters of the papers' methods as flags and keys of scenes, refusals, and that the
//! requested solver is the one that answers.

mod common;

use common::command::{corpus, stderr, stdout, stiction};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use stiction_solvers::{PARAMETERS, all};

/// Lines of JSON, with the exit code that is expected.
fn objects(arguments: &[&str], code: i32) -> Vec<Value> {
    let output = stiction(&[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
    stdout(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A file in a folder of its own, which nothing else writes.
fn temporary(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("parameters");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path.display().to_string()
}

/// A block on three feet: rows and the law of its feet as given.
fn block(name: &str, level: &str, law: &Value, rows: &Value) -> String {
    let foot = |x: f64, y: f64| {
        let mut foot = json!({"a": 0, "b": -1, "point": [x, y, 0], "normal": [0, 0, 1]});
        let (foot_fields, law) = (foot.as_object_mut().expect("it is"), law.as_object());
        foot_fields.extend(law.expect("fields").clone());
        foot
    };
    let mut file = json!({
        "format": "contact-1", "level": level,
        "bodies": [{"mass": 2.0, "inertia": [[0.05, 0, 0], [0, 0.05, 0], [0, 0, 0.05]],
                    "position": [0, 0, 0.1], "free_response": [1, 0, -9.81, 0, 0, 0]}],
        "contacts": [foot(-0.2, -0.2), foot(0.2, -0.2), foot(0.0, 0.2)],
    });
    let fields = file.as_object_mut().expect("it is");
    fields.extend(rows.as_object().expect("fields").clone());
    temporary(name, &file.to_string())
}

/// A row along x with a prescribed acceleration of minus the bias.
fn row(bias: f64) -> Value {
    json!({"a": 0, "b": -1, "on_a": [1, 0, 0, 0, 0, 0], "bias": bias})
}

fn contradicting(name: &str) -> String {
    let rows = json!({"bilateral": [row(0.0), row(0.0), row(-3.0)]});
    block(name, "acceleration", &json!({"law": "frictionless"}), &rows)
}

#[test]
fn flags_set_the_parameters_of_solve() {
    let energy = ["solve", "--solver", "energy"];
    let report = &objects(&[&energy[..], &["--iterations", "2"]].concat(), 1)[0];
    assert_eq!((&report["pivots"], &report["parameters"]), (&2.into(), &json!({"iterations": 2})));
    let report = &objects(&[&energy[..], &["--precision", "1", "--time", "10"]].concat(), 1)[0];
    assert_eq!(report["pivots"], 3, "{report}");
    assert_eq!(report["parameters"], json!({"precision": 1.0, "time": 10.0}));
    let text = stdout(&stiction(&["solve", "--solver", "energy-literal", "--time", "1e-9"]));
    assert!(text.contains("energy-literal (time 1e-9), 1 iterations"), "{text}");
    assert!(objects(&energy, 0)[0].get("parameters").is_none());

    let file = contradicting("norms.json");
    assert!(objects(&["solve", &file, "--solver", "lp"], 3)[0]["reason"].is_string());
    for (norm, expected) in [("one", 0.0), ("two", 1.0)] {
        let report = &objects(&["solve", &file, "--solver", "lp", "--norm", norm], 1)[0];
        let moved = report["acceleration"][0][0].as_f64().expect("a number");
        assert!((moved - expected).abs() < 1e-6, "{norm}: {moved}");
        assert!(report["route"].to_string().contains("compromise"), "{}", report["route"]);
    }
    let zero = ["solve", &corpus("lever_rule"), "--solver", "dantzig", "--initial", "zero"];
    let pivots = |arguments: &[&str]| objects(arguments, 0)[0]["pivots"].as_u64();
    assert_eq!((pivots(&zero[..4]), pivots(&zero)), (Some(0), Some(2)));

    // A selection keeps the parameters, and the velocities that threshold needs.
    let both = [&energy[..], &["--iterations", "2", "--forces", "smallest"]].concat();
    assert_eq!(objects(&both, 1)[0]["pivots"], 2);
    let text = std::fs::read_to_string(corpus("incline_holds_turn15")).expect("readable");
    let mut file: Value = serde_json::from_str(&text).expect("JSON");
    file["bodies"][0]["velocity"] = json!([2e-4, 0.0, -1e-4, 0.0, 0.0, 0.0]);
    let file = temporary("creeps.json", &file.to_string());
    let friction = |more: &[&str]| {
        let report = objects(&[&["solve", &file, "--solver", "threshold"], more].concat(), 1);
        let value = |number: &Value| number.as_f64().expect("a number");
        value(&report[0]["friction"][0][0]) / value(&report[0]["normal"][0])
    };
    let usual = friction(&[]);
    assert!(usual < 0.0, "{usual}");
    assert!((friction(&["--forces", "any"]) - usual).abs() < 1e-12);
    assert!((friction(&["--epsilon", "2e-3"]) - 0.5 * usual).abs() < 1e-3 * usual.abs());
}

#[test]
fn compare_gives_each_solver_the_parameters_that_it_has() {
    let lever = corpus("lever_rule");
    let report = objects(&["compare", &lever, "--iterations", "1", "--initial", "zero"], 0);
    for line in report[0].as_array().expect("an array") {
        let expected = match line["solver"].as_str().expect("a name") {
            "energy" | "energy-literal" => json!({"iterations": 1}),
            "dantzig" => json!({"initial": "zero"}),
            _ => Value::Null,
        };
        assert_eq!(line.get("parameters").unwrap_or(&Value::Null), &expected, "{line}");
    }
    let text = stdout(&stiction(&["compare", &lever, "--initial", "zero"]));
    assert!(text.contains("with initial zero"), "{text}");
}

#[test]
fn trace_shows_sets_and_forces_after_every_event() {
    let lever = corpus("lever_rule");
    let dantzig = ["trace", &lever, "--solver", "dantzig"];
    let text = stdout(&stiction(&dantzig));
    let hint = "the start by sweeps already solves it; use --solver dantzig --initial zero to see";
    assert!(text.contains(hint), "{text}");
    let zero = [&dantzig[..], &["--initial", "zero", "--sets", "--forces"]].concat();
    let events = objects(&zero, 0);
    let last = events.last().expect("some");
    assert_eq!(last["sets"]["C"], json!([{"contact": 0}, {"contact": 1}]));
    for (contact, expected) in [14.715, 4.905].into_iter().enumerate() {
        let force = last["forces"]["contacts"][contact]["normal"].as_f64().expect("a number");
        assert!((force - expected).abs() < 1e-9, "{last}");
    }
    let text = stdout(&stiction(&zero));
    assert!(text.contains("C = {contact 0, contact 1}"), "{text}");
    assert!(text.contains("contact 0: normal 14.715000, friction"), "{text}");
    let sets = objects(&[&dantzig[..], &["--initial", "zero", "--sets"]].concat(), 0);
    assert!(sets.iter().all(|event| event["sets"].is_object() && event.get("forces").is_none()));

    let peg = corpus("peg_n008_s0");
    for (solver, names) in [
        ("dantzig", &["C", "NC", "C_F", "NC_F", "undecided", "undecided_F"][..]),
        ("lloyd-reduced", &["θ", "φ", "λ"]),
        ("lloyd-structural", &["θ", "φ", "λ"]),
        ("energy", &["open", "stick", "slip", "inconsistent"]),
        ("energy-literal", &["open", "stick", "slip", "inconsistent"]),
    ] {
        let events = objects(&["trace", &peg, "--solver", solver, "--sets", "--forces"], 0);
        assert!(events.len() > 1, "{solver}");
        for event in events {
            assert!(names.iter().all(|name| event["sets"][name].is_array()), "{solver}: {event}");
            assert_eq!(event["forces"]["contacts"].as_array().map(Vec::len), Some(8), "{solver}");
        }
    }
    let sweeps = stdout(&stiction(&["trace", &peg, "--solver", "gauss-seidel", "--sets"]));
    assert!(sweeps.contains("reports no sets or forces between events"), "{sweeps}");
}

#[test]
fn invalid_values_are_refused_in_a_sentence() {
    let lever = corpus("lever_rule");
    let answer = temporary("lever.json", &stdout(&stiction(&["solve", &lever, "--json"])));
    let lcp = temporary("two.dat", "2 0 2 2\n2 2\n2 1\n1 2\n-5 -6\n");
    let friction = temporary("friction.dat", "3 1 0 3 3 3 3  1 0 0  0 1 0  0 0 1  -1 2 0  0.5");
    let foreign = "dantzig has no parameter epsilon; threshold has it";
    for (arguments, expected) in [
        (vec!["solve", "--solver", "dantzig", "--epsilon", "1"], foreign),
        (vec!["trace", &lever, "--solver", "dantzig", "--epsilon", "1"], foreign),
        (vec!["run", "--solver", "dantzig", "--epsilon", "1"], foreign),
        (vec!["solve", "--precision", "1e-3"], "auto has no parameter precision"),
        (vec!["solve", &friction, "--norm", "one"], "auto has no parameter norm; lp has it"),
        (vec!["solve", "--solver", "energy", "--precision", "-1"], "precision is -1, must be"),
        (vec!["solve", "--solver", "energy", "--iterations", "0"], "from 1 to 1000000"),
        (vec!["compare", &lever, "--norm", "both"], "norm is both, must be one or two"),
        (vec!["solve", "--solver", "dantzg"], "'dantzig'"),
        (vec!["trace", &lever, "--solver", "lloyd-reducd"], "'lloyd-reduced'"),
        (
            vec!["solve", &lever, "--solver", "dantzig", "--initial", "zero", "--start", &answer],
            "--initial zero",
        ),
        (vec!["solve", &lcp, "--solver", "dantzig"], "dantzig cannot take this problem"),
        (vec!["solve", &friction, "--cone", "pyramid"], "--cone"),
        (vec!["run", "--resume", "--out", "none.stiction", "--norm", "one"], "--resume"),
    ] {
        let output = stiction(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stdout(&output));
        assert!(stderr(&output).contains(expected), "{arguments:?}: {}", stderr(&output));
    }
}

/// The requested solver answers itself, or reports in a sentence what it does not model.
#[test]
fn the_requested_solver_answers_or_refuses() {
    let (none, nothing) = (json!({}), json!({"law": "frictionless"}));
    let rough = json!({"law": "static", "mu": 0.5});
    let coulomb = json!({"law": "coulomb", "mu": 0.5, "mu_dynamic": 0.4});
    let sliding = json!({"law": "sliding", "mu": 0.2, "direction": [1, 0, 0]});
    let bounded = json!({"bounded": [{"a": 0, "b": -1, "on_a": [1, 0, 0, 0, 0, 0],
                                      "bias": 0.5, "lower": -3, "upper": 3}]});
    let friction = ["forces-or-impulse", "lp"];
    let rows: Vec<&str> =
        vec!["forces-or-impulse", "threshold", "lp", "energy", "energy-literal", "lloyd-reduced"];
    for (name, file, refusing) in [
        ("none", block("plain.json", "acceleration", &nothing, &none), vec![]),
        ("rough", block("rough.json", "acceleration", &rough, &none), friction.to_vec()),
        ("coulomb", block("coulomb.json", "velocity", &coulomb, &none), friction.to_vec()),
        ("impact", block("impact.json", "impact", &rough, &none), friction.to_vec()),
        ("sliding", block("sliding.json", "acceleration", &sliding, &none), vec!["lp"]),
        (
            "bilateral",
            block("joint.json", "acceleration", &nothing, &json!({"bilateral": [row(0.0)]})),
            vec![],
        ),
        ("bounded", block("bounded.json", "acceleration", &nothing, &bounded), rows),
    ] {
        for solver in all::NAMES {
            let output = stiction(&["solve", &file, "--solver", solver, "--json"]);
            let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
            assert_eq!(report["solver"], *solver, "{name}");
            let refused = format!("{solver} cannot take this problem: ");
            let reason = report["reason"].as_str().unwrap_or_default();
            if refusing.contains(solver) {
                assert_eq!(output.status.code(), Some(3), "{name}, {solver}: {report}");
                assert!(reason.starts_with(&refused), "{name}, {solver}: {reason}");
            }
            if *solver == "auto" {
                assert!(
                    report["by"].is_string() && report["certified"] == true,
                    "{name}: {report}"
                );
            } else if report["outcome"] == "failed" {
                assert!(reason.starts_with(&refused), "{name}, {solver}: {reason}");
            }
        }
    }
    let matrix = temporary("matrix.dat", "3 1 0 3 3 3 3  1 0 0  0 1 0  0 0 1  -1 2 0  0.5");
    for solver in all::NAMES {
        let output = stiction(&["solve", &matrix, "--solver", solver]);
        let takes = all::BARE.contains(solver);
        assert_eq!(output.status.code(), Some(if takes { 0 } else { 2 }), "{solver}");
        let refused = format!("{solver} cannot take this problem");
        assert!(takes || stderr(&output).contains(&refused), "{}", stderr(&output));
    }
}

const INCLINE: &str = r#"
title = "A block on an incline of 10 degrees"
planar = "xz"
gravity = [1.7035, 0, -9.661]
[[body]]
name = "ground"
ground = true
[[body]]
name = "block"
box = [0.4, 0.1, 0.2]
at = [0, 0, 0.1]
mass = 2
"#;

fn incline(name: &str, more: &str) -> String {
    temporary(name, &format!("{more}\n{INCLINE}"))
}

/// Baraff 1991, §8.1: a block on an incline creeps with `v = ε g_x / (μ g_z)`.
#[test]
fn runs_take_parameters_from_the_scene_and_from_flags_and_replay_them() {
    let scene = incline(
        "creep.toml",
        "run = { until = 1, solver = \"threshold\" }\nsolver = { epsilon = 0.002 }",
    );
    let displacement = |arguments: &[&str], code| {
        let report = objects(&[&["run", &scene], arguments].concat(), code).remove(0);
        (report["moved"][0]["displacement"].as_f64().expect("a number"), report)
    };
    let speed = |epsilon: f64| epsilon * 1.7035 / (0.5 * 9.661);
    let (found, report) = displacement(&[], 0);
    assert!((found - speed(0.002)).abs() < 1e-2 * speed(0.002), "{found}");
    assert_eq!(report["parameters"], json!({"epsilon": 0.002}));
    assert!(report["approximation"].is_string() && report["certificate"]["certified"] == true);
    let recording = Path::new(env!("CARGO_TARGET_TMPDIR")).join("parameters/creep.stiction");
    let _ = std::fs::remove_file(&recording);
    let file = recording.to_str().expect("UTF-8");
    let (found, _) = displacement(&["--epsilon", "0.01", "--out", file], 0);
    assert!((found - speed(0.01)).abs() < 1e-2 * speed(0.01), "{found}");
    let replayed = stiction(&["replay", file]);
    assert_eq!(replayed.status.code(), Some(0), "{}", stdout(&replayed));
    assert_eq!(objects(&["info", file], 0)[0]["parameters"], json!({"epsilon": 0.01}));
    let text = stdout(&stiction(&["info", file]));
    assert!(text.contains("solver threshold (epsilon 0.01)"), "{text}");
    let resumed = stiction(&["run", "--resume", "--out", file, "--until", "1.2"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
    assert!(stdout(&resumed).contains("solver threshold (epsilon 0.01)"), "{}", stdout(&resumed));

    // Another solver ignores them, and the block stays at rest.
    let (found, report) = displacement(&["--solver", "dantzig", "--initial", "zero"], 0);
    assert!(found < 1e-9 && report["parameters"] == json!({"initial": "zero"}), "{report}");
    for (solver, table) in [
        ("energy", "precision = 1e-9, iterations = 100, time = 10"),
        ("dantzig", "initial = \"zero\""),
    ] {
        let tables =
            format!("run = {{ until = 0.1, solver = \"{solver}\" }}\nsolver = {{ {table} }}");
        let report = objects(&["run", &incline(&format!("{solver}.toml"), &tables)], 0);
        assert_eq!(report[0]["solver"], solver);
    }
}

#[test]
fn a_run_ends_where_its_solver_does_not_model_what_happens() {
    let scene = incline("rests.toml", "run = { until = 0.1 }");
    for (solver, stepper) in [
        ("lp", "event-driven"),
        ("lp", "time-stepping"),
        ("lp", "first-order"),
        ("forces-or-impulse", "event-driven"),
        ("forces-or-impulse", "time-stepping"),
    ] {
        let output = stiction(&["run", &scene, "--solver", solver, "--stepper", stepper]);
        assert_eq!(output.status.code(), Some(2), "{solver}: {}", stdout(&output));
        let expected = format!("at 0 s: {solver} cannot take this problem: contact 0 has friction");
        assert!(stderr(&output).contains(&expected), "{stepper}: {}", stderr(&output));
    }
    let smooth = format!("{INCLINE}[[material]]\nname = \"default\"\nfriction = 0\n");
    let smooth = temporary("smooth.toml", &format!("run = {{ until = 0.1 }}\n{smooth}"));
    let report = objects(&["run", &smooth, "--solver", "lp", "--norm", "two"], 0);
    let displacement = report[0]["moved"][0]["displacement"].as_f64().expect("a number");
    assert!((displacement - 0.5 * 1.7035 * 0.01).abs() < 1e-9, "{displacement}");
}

#[test]
fn the_pages_list_every_parameter() {
    for page in ["docs/commands.md", "docs/scene.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
        let text = std::fs::read_to_string(path).expect("readable");
        for parameter in &PARAMETERS {
            let is_its = |line: &&str| {
                let key = line.trim_start_matches("| `").trim_start_matches("--");
                line.starts_with("| `") && key.split([' ', '`']).next() == Some(parameter.name)
            };
            let default = parameter.default.split(',').next().unwrap_or_default();
            let whole = |line: &str| {
                parameter.solvers.iter().all(|name| line.contains(name))
                    && line.contains(parameter.unit)
                    && line.contains(default)
            };
            assert!(text.lines().filter(is_its).any(whole), "{page}: {}", parameter.name);
        }
    }
}

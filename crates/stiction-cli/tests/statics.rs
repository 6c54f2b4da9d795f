//! `stiction static` and `stiction check-certificate` from the command line.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn stiction(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stiction")).args(arguments).output().expect("it runs")
}

fn model(name: &str) -> String {
    format!("{}/../../corpus/assemblies/{name}.json", env!("CARGO_MANIFEST_DIR"))
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Exit code of the check of a certificate against a model.
fn checked(name: &str, certificate: &Path, more: &[&str]) -> Option<i32> {
    let model = model(name);
    let certificate = certificate.to_str().expect("a path");
    let output = stiction(&[&["check-certificate", &model, certificate], more].concat());
    output.status.code()
}

/// Every structure of the gallery: a certificate of everything is accepted, and no other friction, digit or contact is.
#[test]
fn certificates_are_accepted_and_altered_ones_refused() {
    for name in ["arch_holds", "stack_falls", "ladder_holds", "peg", "table", "pallet"] {
        let path = file(&format!("{name}.certificate.json"));
        let at = path.to_str().expect("a path");
        let output = stiction(&[
            "static",
            &model(name),
            "--tilt",
            "0",
            "--tilt",
            "90",
            "--friction",
            "--preset",
            "en12195-road",
            "--certificate",
            at,
        ]);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{name}: {output:?}");
        assert_eq!(checked(name, &path, &[]), Some(0), "{name}");
        assert_eq!(checked(name, &path, &["--mu", "0.49"]), Some(1), "{name}: another friction");
        assert_eq!(checked(name, &path, &["--gravity", "0,0,-9.8"]), Some(1), "{name}: gravity");
        let text = std::fs::read_to_string(&path).expect("a certificate");
        let altered = file(&format!("{name}.altered.json"));
        let refused = |text: String, what: &str| {
            std::fs::write(&altered, text).expect("written");
            assert!(matches!(checked(name, &altered, &[]), Some(1 | 2)), "{name}: {what}");
        };
        // One digit in the last claim.
        let digit = text.rfind(|c: char| ('1'..='8').contains(&c)).expect("a digit");
        let other = (text.as_bytes()[digit] + 1) as char;
        refused(format!("{}{other}{}", &text[..digit], &text[digit + 1..]), "a digit");
        // One contact.
        let mut value: Value = serde_json::from_str(&text).expect("JSON");
        value["model"]["contacts"].as_array_mut().expect("contacts").pop();
        refused(value.to_string(), "a contact");
    }
}

/// What is wrong with a model is named, with exit code 2.
#[test]
fn bad_models_are_refused_by_name() {
    let cube = |name: &str, more: &str, z: f64| {
        let corners: Vec<String> = (0..8)
            .map(|k| format!("[{},{},{}]", k & 1, k >> 1 & 1, f64::from(k >> 2) + z))
            .collect();
        let faces = "[[0,2,3,1],[4,5,7,6],[0,1,5,4],[2,6,7,3],[0,4,6,2],[1,3,7,5]]";
        let corners = corners.join(",");
        format!(r#"{{"name":"{name}",{more},"vertices":[{corners}],"faces":{faces}}}"#)
    };
    let assembly = |blocks: &[String]| {
        format!(r#"{{"format":"assembly-1","friction":0.5,"blocks":[{}]}}"#, blocks.join(","))
    };
    let ground = cube("ground", r#""fixed":true"#, -1.0);
    let solid = cube("box", r#""density":500"#, 0.0);
    let on_ground = |block: String| assembly(&[ground.clone(), block]);
    let cases = [
        ("open", on_ground(solid.replace(",[1,3,7,5]]", "]")), "blocks[1]"),
        ("inverted", on_ground(solid.replace("[4,5,7,6]", "[6,7,5,4]")), "wrong way round"),
        ("overlap", on_ground(cube("box", r#""density":500"#, -0.5)), "overlap"),
        ("no_support", assembly(std::slice::from_ref(&solid)), "support"),
        ("massless", on_ground(solid.replace("500", "0")), "density"),
        ("unknown", on_ground(solid.replace("\"density\"", "\"densty\"")), "density"),
    ];
    for (name, text, word) in cases {
        let path = file(&format!("{name}.json"));
        std::fs::write(&path, text).expect("written");
        let output = stiction(&["static", path.to_str().expect("a path")]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{name}: {message}{}", stdout(&output));
        assert!(message.contains(word), "{name}: no «{word}» in {message}");
    }
    for (name, text) in [("furlong", "name,size_x_furlong\n"), ("empty", "")] {
        let path = file(&format!("{name}.csv"));
        std::fs::write(&path, text).expect("written");
        assert_eq!(stiction(&["static", path.to_str().expect("a path")]).status.code(), Some(2));
    }
    let unit = stiction(&["static", &model("table"), "--unit", "furlong"]);
    assert_eq!(unit.status.code(), Some(2));
}

/// Margins, regions and the state to be drawn, as JSON and as files.
#[test]
fn one_object_has_everything() {
    let [plot, page] = ["region.svg", "page.html"].map(file);
    let output = stiction(&[
        "static",
        &model("table"),
        "--json",
        "--accelerations",
        "--preset",
        "en12195-road",
        "--ranges",
        "--region",
        plot.to_str().expect("a path"),
        "--page",
        page.to_str().expect("a path"),
    ]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let object: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(object["verdict"], "must stand");
    assert_eq!(object["accelerations"]["demands"].as_array().map(Vec::len), Some(6));
    assert_eq!(
        object["ranges"].as_array().map(Vec::len),
        object["interfaces"].as_u64().map(|n| n as usize)
    );
    let state = &object["state"];
    assert!(state["blocks"][0]["faces"].is_array() && state["thrust"].is_array());
    assert!(state["interfaces"][0]["resultant"].is_array(), "{state}");
    let page = std::fs::read_to_string(&page).expect("a page");
    assert!(page.contains("must stand") && !page.contains("/*REPORT*/"));
    assert!(std::fs::read_to_string(&plot).expect("a plot").ends_with("</svg>\n"));
}

/// A force at a block is a live load; a name that no block has is an error.
#[test]
fn a_push_is_a_live_load() {
    let push =
        |load: &str| stiction(&["static", &model("table"), "--push", load, "--load", "--quick"]);
    let text = stdout(&push("table=1,0,0"));
    assert!(text.contains("load factor"), "{text}");
    assert_eq!(push("tabel=1,0,0").status.code(), Some(2));
    assert_eq!(push("table=1,0").status.code(), Some(2));
}

//! `stiction reproduce`: the files it writes and how it exits.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn reproduce(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
    command.args(["reproduce", "lloyd"]).args(arguments).output().expect("it runs")
}

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

const FIGURES: [&str; 5] = ["fig05", "fig06", "fig07", "fig08", "fig10"];

#[test]
fn every_figure_becomes_a_plot_and_a_table_with_the_papers_numbers() {
    let out = folder("reproduce_quick");
    let output = reproduce(&["--quick", "--json", "--out", &out.display().to_string()]);
    assert_eq!(output.status.code(), Some(0));
    for name in FIGURES {
        let svg = read(&out, &format!("{name}.svg"));
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{name}");
        assert!(svg.contains("time / time of reduced"), "{name}");
        let csv = read(&out, &format!("{name}.csv"));
        let columns = csv.lines().next().expect("a header").split(',').count();
        assert!(csv.lines().count() > 2, "{name}");
        assert!(csv.lines().all(|line| line.split(',').count() == columns), "{name}");
    }
    // The last column of the largest peg by the standard method: 400.75 ms / 1.08 ms.
    let csv = read(&out, "fig05.csv");
    let row = csv.lines().find(|line| line.starts_with("peg_n032,32,1,standard,")).expect("a row");
    assert!(row.ends_with(",32,400.75,371.0648"), "{row}");

    let page = read(&out, "README.md");
    assert!(
        page.contains(
            "| §5.4, peg in a hole, reduced | 8 → 32 contacts: 1.08 → 4.58 ms, 4.2 times |"
        )
    );
    assert!(FIGURES.iter().all(|name| page.contains(&format!("({name}.svg)"))), "{page}");

    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let growth = report["growth"].as_array().expect("a list");
    assert_eq!(growth.len(), 9);
    for g in growth {
        assert_eq!(g["contacts"], g["paper_contacts"]);
        assert!(g["times"].as_f64().expect("a number") > 0.0);
    }
    for row in report["figures"]["fig10"].as_array().expect("a list") {
        assert_eq!(row["alone"], row["loads"], "{row}");
    }
}

#[test]
fn files_take_the_place_of_the_built_in_problems() {
    let corpus = format!("{}/../../corpus/problems", env!("CARGO_MANIFEST_DIR"));
    let data = folder("reproduce_files");
    let out = folder("reproduce_from_files");
    std::fs::create_dir_all(&data).expect("made");
    let name = "peg_n008_s0.json";
    std::fs::copy(format!("{corpus}/{name}"), data.join(name)).expect("copied");
    let arguments = ["--data", &data.display().to_string(), "--out", &out.display().to_string()];
    let output = reproduce(&arguments);
    assert_eq!(output.status.code(), Some(0));
    assert!(read(&out, "fig05.csv").contains("peg_n008,8,1,reduced,"));
    assert!(!out.join("fig10.csv").exists());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("fig10 left out"), "{said}");
}

#[test]
fn bad_folders_are_named() {
    let out = folder("reproduce_bad");
    std::fs::create_dir_all(&out).expect("made");
    let file = out.join("file");
    std::fs::write(&file, "").expect("written");
    let under_a_file = file.join("out").display().to_string();
    let empty = out.join("empty");
    std::fs::create_dir_all(&empty).expect("made");
    let [out, empty] = [out, empty].map(|path| path.display().to_string());
    for (arguments, word) in [
        (vec!["--quick", "--out", &under_a_file], &under_a_file),
        (vec!["--data", "/nowhere", "--out", &out], &"/nowhere".to_owned()),
        (vec!["--data", &empty, "--out", &out], &empty),
    ] {
        let output = reproduce(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(word), "{arguments:?}: {said}");
    }
}

//! `stiction reproduce`: the figures of Faure 1996 and Baraff 1989, and the text of every page.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The output of a quick run: its folder, its page, its JSON.
fn reproduce(paper: &str) -> (PathBuf, String, Value) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reproduce_{paper}"));
    let _ = std::fs::remove_dir_all(&folder);
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
    command.args(["reproduce", paper, "--quick", "--json", "--out"]).arg(&folder);
    let output = command.output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let report = serde_json::from_slice(&output.stdout).expect("JSON");
    let page = read(&folder, "README.md");
    (folder, page, report)
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A table with the same number of columns in every row.
fn check_table(folder: &Path, name: &str) {
    let csv = read(folder, name);
    let columns = csv.lines().next().expect("a header").split(',').count();
    assert!(csv.lines().count() > 2, "{name}");
    assert!(csv.lines().all(|line| line.split(',').count() == columns), "{name}");
}

/// A plot that the page shows, with its table.
fn check_figure(folder: &Path, page: &str, name: &str) {
    let svg = read(folder, &format!("{name}.svg"));
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{name}");
    check_table(folder, &format!("{name}.csv"));
    assert!(page.contains(&format!("({name}.svg)")), "{page}");
}

#[test]
fn faures_figures_are_drawn_with_his_claims_beside_ours() {
    let (folder, page, report) = reproduce("faure1996");
    for name in ["fig04", "fig05_torque", "fig05_change", "fig05_iterations", "residual"] {
        check_figure(&folder, &page, name);
    }
    let last = "| the correct solution: the bar pivots around the right-hand contact \
                | 0.00; 0.00; 0.00; 10.00 N, certified |";
    assert!(page.contains(last), "{page}");
    assert!(page.contains("| four sliding: 1 iteration |"), "{page}");

    let balls = &report["four_balls"];
    assert_eq!(balls["certified"], balls["instants"]);
    let groups = balls["by_sliding"].as_array().expect("a list");
    let four = groups.iter().find(|group| group["sliding"] == 4).expect("in the end all slide");
    assert_eq!(four["iterations"], serde_json::json!([1, 1]));
    let third = report["bar"][1]["forces"][2].as_f64().expect("a number");
    assert!((third + 10.5).abs() < 1e-12, "{third}");
}

#[test]
fn baraffs_figures_are_drawn_with_his_claims_beside_ours() {
    let (folder, page, report) = reproduce("baraff1989");
    for name in ["fig12", "guesses"] {
        check_figure(&folder, &page, name);
    }
    check_table(&folder, "collisions.csv");
    let row =
        "| figure 11, propagation, ε = 1 | velocities 0, 0, v | 0.000000; 0.000000; 1.000000 v";
    assert!(page.contains(row), "{page}");

    for rest in report["rest"].as_array().expect("a list") {
        assert_eq!(rest["settled"], true, "{rest}");
        let one = rest["model"] == "simultaneous";
        assert_eq!(rest["steps"] == 1, one, "{rest}");
    }
    for tally in report["guesses"].as_array().expect("a list") {
        let count = |name: &str| tally[name].as_u64().expect("a number");
        let ends = ["empty", "predicted", "least", "adds_energy"].map(count);
        assert_eq!(ends.iter().sum::<u64>(), count("loads"), "{tally}");
    }
}

#[test]
fn a_folder_that_cannot_be_created_is_named() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reproduce_not_a_folder");
    std::fs::write(&file, "").expect("written");
    for paper in ["faure1996", "baraff1989"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
        let output = command.args(["reproduce", paper, "--quick", "--out"]).arg(file.join("out"));
        let output = output.output().expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{paper}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("reproduce_not_a_folder"), "{said}");
    }
}

/// Title and paragraphs of a page, up to its table, with every number as `#`.
fn text_of(page: &str) -> Vec<String> {
    let text = page.lines().take_while(|line| !line.starts_with('|'));
    let mask = |line: &str| {
        let masked = |word: &str| match word.trim_end_matches([',', ';', '.']).parse::<f64>() {
            Ok(_) => "#".to_owned(),
            Err(_) => word.to_owned(),
        };
        line.split(' ').map(masked).collect::<Vec<_>>().join(" ")
    };
    text.map(mask).collect()
}

/// The pages of `docs/figures` have the text that the command writes today.
#[test]
fn the_pages_of_the_figures_have_the_text_of_the_command() {
    for (paper, folder) in [
        ("baraff1989", "baraff1989"),
        ("baraff1991", "baraff1991"),
        ("baraff1994", "baraff1994"),
        ("faure1996", "faure1996"),
        ("lloyd", "lloyd2004"),
    ] {
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("text_{paper}"));
        let _ = std::fs::remove_dir_all(&out);
        let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
        command.args(["reproduce", paper, "--quick", "--out"]).arg(&out);
        let output = command.output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/figures").join(folder);
        let [written, kept] = [out, docs].map(|folder| text_of(&read(&folder, "README.md")));
        assert_eq!(written, kept, "{paper}");
    }
}

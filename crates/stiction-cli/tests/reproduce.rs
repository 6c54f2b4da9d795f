//! `stiction reproduce`: the files it writes and how it exits.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn reproduce(paper: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
    command.args(["reproduce", paper]).args(arguments).output().expect("it runs")
}

/// The report of a quick run into this folder.
fn quick(paper: &str, out: &Path) -> serde_json::Value {
    let output = reproduce(paper, &["--quick", "--json", "--out", &out.display().to_string()]);
    assert_eq!(output.status.code(), Some(0), "{paper}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(&text).expect("JSON")
}

/// A plot, a table with as many columns in every row, and both on the page.
fn check_figure(out: &Path, name: &str, words: &str) {
    let svg = read(out, &format!("{name}.svg"));
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{name}");
    assert!(svg.contains(words), "{name}");
    let csv = read(out, &format!("{name}.csv"));
    let columns = csv.lines().next().expect("a header").split(',').count();
    assert!(csv.lines().count() > 2, "{name}");
    assert!(csv.lines().all(|line| line.split(',').count() == columns), "{name}");
    let page = read(out, "README.md");
    let link = format!("({name}.svg)\n\n");
    assert!(page.contains(&link) && page.contains(&format!("({name}.csv)")), "{page}");
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
    let report = quick("lloyd", &out);
    for name in FIGURES {
        check_figure(&out, name, "time / time of reduced");
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
fn baraff_1994_is_timed_against_lu_and_a_qp() {
    let out = folder("reproduce_baraff1994");
    let report = quick("baraff1994", &out);
    check_figure(&out, "time_piles", "median time (µs)");
    check_figure(&out, "time_walls", "median time (µs)");
    check_figure(&out, "drives", "calls to drive-to-zero");
    let page = read(&out, "README.md");
    let claim = "| §7, from zero, QP ÷ time | five to ten times faster than the best QP methods, up to n = 150 | piles ";
    assert!(page.contains(claim), "{page}");
    let rows = report["rows"].as_array().expect("a list");
    assert_eq!(rows.len(), 4);
    for row in rows {
        assert_eq!(row["exact"], row["problems"], "{row}");
        assert_eq!(row["friction_solved"], row["problems"], "{row}");
        for time in ["sweeps_us", "zero_us", "lu_us", "qp_us"] {
            assert!(row[time].as_f64().expect("a number") > 0.0, "{row}");
        }
        let count = |name: &str| row[name].as_f64().expect("a number");
        assert!(count("sweeps_drives") < count("zero_drives"), "{row}");
        assert!(count("zero_drives") <= count("zero_steps"), "{row}");
    }
    assert_eq!(report["growth"].as_array().expect("a list").len(), 6);
}

#[test]
fn baraff_1991_counts_what_is_certified() {
    let out = folder("reproduce_baraff1991");
    let report = quick("baraff1991", &out);
    check_figure(&out, "success", "certified (%)");
    check_figure(&out, "time", "median time (ms)");
    let page = read(&out, "README.md");
    let claim = "| §8.1, creeping, up to 40 contacts | guaranteed to produce a result: forces or impulses | piles 4 of 4";
    assert!(page.contains(claim), "{page}");
    let rows = report["rows"].as_array().expect("a list");
    assert_eq!(rows.len(), 12);
    for row in rows {
        let count = |name: &str| row[name].as_u64().expect("a number");
        assert_eq!(count("forces") + count("impulses"), count("problems"), "{row}");
        assert!(count("swept") <= if row["method"] == "signs" { count("forces") } else { 0 });
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
    let output = reproduce("lloyd", &arguments);
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
    for (paper, arguments, word) in [
        ("baraff1991", vec!["--quick", "--out", &under_a_file], &under_a_file),
        ("baraff1994", vec!["--quick", "--out", &under_a_file], &under_a_file),
        ("lloyd", vec!["--quick", "--out", &under_a_file], &under_a_file),
        ("lloyd", vec!["--data", "/nowhere", "--out", &out], &"/nowhere".to_owned()),
        ("lloyd", vec!["--data", &empty, "--out", &out], &empty),
    ] {
        let output = reproduce(paper, &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(word), "{paper} {arguments:?}: {said}");
    }
}

//! Paths and links in the documentation lead to files that exist.

mod common;

use common::{pages_of_docs, read, root};
use std::path::{Path, PathBuf};

/// Text without blocks of code.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// Everything in back-quotes that looks like a path: it has a slash or a known
/// ending, no space, and is not made by a command.
fn paths(text: &str) -> Vec<&str> {
    let endings = [".rs", ".md", ".toml", ".json", ".lock"];
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| !word.contains([' ', '<', '*', '(', '\n', '=', '…']))
        .filter(|word| !word.starts_with(['-', '.']) || word.starts_with(".ci"))
        .filter(|word| !word.contains("::") && !word.starts_with("target/"))
        .filter(|word| word.contains('/') || endings.iter().any(|e| word.ends_with(e)))
        .collect()
}

#[test]
fn every_path_in_the_maps_exists() {
    let root = root();
    let mut seen = 0;
    for map in [
        "ARCHITECTURE.md",
        "README.md",
        "CONTRIBUTING.md",
        "docs/papers/baraff1991.md",
        "docs/papers/baraff1994.md",
        "docs/papers/baraff1989.md",
        "docs/papers/faure1996.md",
        "docs/papers/lloyd2004.md",
        "docs/output.md",
        "docs/figures/README.md",
        "docs/notation.md",
        "docs/fclib.md",
        "docs/scaling.md",
        "docs/recording.md",
        "docs/commands.md",
        "docs/certificates.md",
        "docs/tutorial.md",
    ] {
        let whole = read(Path::new(map));
        let text = prose(&whole);
        for path in paths(&text) {
            if whole.contains(&format!("<!-- file: {path} -->")) {
                continue; // the reader writes it
            }
            let places = [
                root.join(path),
                root.join("crates/stiction-contact/src").join(path),
                root.join("crates/stiction-formats/src").join(path),
                root.join("crates/stiction-solvers/src").join(path),
                root.join("crates/stiction-solvers").join(path),
                root.join("crates/stiction-cli/src").join(path),
                root.join("crates/stiction-lab/src").join(path),
                root.join("docs").join(path),
            ];
            assert!(places.iter().any(|p| p.exists()), "{map} names {path}, which is not there");
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} paths found: is the check still able to fail?");
}

/// Targets of `[text](target)` that are files.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|it| !it.is_empty() && !it.contains("://")).collect()
}

#[test]
fn every_link_of_the_book_leads_somewhere() {
    let mut seen = 0;
    let mut pages = pages_of_docs();
    pages.push(PathBuf::from("README.md"));
    for page in pages {
        let text = prose(&read(&page));
        let folder = root().join(page.parent().unwrap_or(Path::new("")));
        for link in links(&text) {
            let there = folder.join(link).exists();
            assert!(there, "{} links {link}, which is not there", page.display());
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} links found: is the check still able to fail?");
}

/// Every page is listed in the table of contents.
#[test]
fn every_page_is_in_the_book() {
    let summary = read(Path::new("docs/SUMMARY.md"));
    let named = links(&summary);
    for page in pages_of_docs() {
        let inside = page.strip_prefix("docs").expect("a page of docs").display().to_string();
        if inside != "SUMMARY.md" {
            assert!(named.contains(&inside.as_str()), "docs/SUMMARY.md does not name {inside}");
        }
    }
}

/// Published packages hold no file from outside their folder, so the built-in scene is a copy.
#[test]
fn the_built_in_scene_is_that_of_the_gallery() {
    let [ours, gallery] =
        ["crates/stiction-cli/scenes/dominoes.toml", "scenes/baraff1989/fig14b_dominoes.toml"]
            .map(|path| read(Path::new(path)));
    assert_eq!(ours, gallery);
}

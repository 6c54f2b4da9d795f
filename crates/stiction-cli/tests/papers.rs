//! The maps of the papers lead to code: every row that names a file names something that is
//! defined there.

mod common;

use common::{read, root};
use std::path::{Path, PathBuf};

/// Folders that paths of the maps start from.
const FOLDERS: [&str; 5] = [
    "",
    "crates/stiction-contact/src",
    "crates/stiction-formats/src",
    "crates/stiction-solvers/src",
    "crates/stiction-lab/src",
];

/// Rows of a paper's map that must lead to code, at least.
const LEAST_ROWS: usize = 3;

/// Everything in back-quotes.
fn quoted(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

/// A source file that a map names.
fn file(path: &str) -> Option<PathBuf> {
    let is_source = Path::new(path).extension().is_some_and(|ending| ending == "rs");
    let places = FOLDERS.iter().map(|folder| root().join(folder).join(path));
    places.into_iter().find(|place| is_source && place.is_file())
}

/// Whether a text defines this name: `fn name`, `struct Name`, a field `pub name`, …
fn defines(text: &str, name: &str) -> bool {
    // A variant stands at the beginning of its line.
    let variant = |line: &str| {
        let rest = line.trim_start().strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with([',', '(', ' ', '{']))
    };
    if name.starts_with(char::is_uppercase) && text.lines().any(variant) {
        return true;
    }
    ["fn", "struct", "enum", "trait", "const", "type", "mod", "pub"].iter().any(|kind| {
        let definition = format!("{kind} {name}");
        text.match_indices(&definition).any(|(at, _)| {
            let rest = &text[at + definition.len()..];
            !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    })
}

#[test]
fn every_row_of_the_papers_maps_leads_to_a_definition() {
    for paper in ["baraff1989", "baraff1991", "baraff1994", "faure1996", "lloyd2004"] {
        let page = read(Path::new(&format!("docs/papers/{paper}.md")));
        let mut rows = 0;
        for line in page.lines().filter(|line| line.starts_with("| §")) {
            let words = quoted(line);
            let texts: Vec<String> =
                words.iter().filter_map(|word| file(word)).map(|path| read(&path)).collect();
            let names: Vec<&str> = words
                .iter()
                .filter_map(|word| word.rsplit("::").next())
                .filter(|name| !name.is_empty())
                .filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
                .collect();
            if texts.is_empty() || names.is_empty() {
                continue;
            }
            let found = names.iter().any(|name| texts.iter().any(|text| defines(text, name)));
            assert!(found, "{paper}: none of {names:?} is defined where this row points:\n{line}");
            rows += 1;
        }
        println!("{paper}: {rows} rows followed");
        assert!(rows >= LEAST_ROWS, "{paper}: only {rows} rows of the map lead to code");
    }
}

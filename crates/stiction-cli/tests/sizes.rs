//! Files and functions that a reader can hold in mind. A longer one says why, in a comment that
//! begins with `Long:`, at the top of the file or just above the function.

mod common;

use common::root;
use std::path::{Path, PathBuf};

/// Most lines of a file.
const FILE: usize = 450;

/// Most lines of a function.
const FUNCTION: usize = 60;

/// Lines above a function in which the reason may stand: its comment and attributes.
const ABOVE: usize = 12;

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && name != "node_modules" {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// Whether a line begins a function, by its words before the name.
fn begins_function(line: &str) -> bool {
    let words = line.trim_start().split(' ');
    let before: Vec<&str> = words.take_while(|word| *word != "fn").collect();
    let known =
        |word: &&str| word.starts_with("pub") || ["const", "async", "super)"].contains(word);
    line.contains("fn ") && before.iter().all(known)
}

/// First line and length of every function, by the indentation that rustfmt gives.
fn functions(lines: &[&str]) -> Vec<(usize, usize)> {
    let starts = (0..lines.len()).filter(|&k| begins_function(lines[k]));
    let whole = |start: usize| {
        let indent = lines[start].len() - lines[start].trim_start().len();
        let closes = |line: &&str| line.len() == indent + 1 && line.trim_start() == "}";
        let end = lines[start..].iter().position(closes);
        // One without a body ends at its semicolon.
        let declared = lines[start..].iter().position(|line| line.ends_with(';'));
        match (end, declared) {
            (Some(end), Some(semicolon)) if semicolon < end && is_declaration(&lines[start..]) => {
                None
            }
            (Some(end), _) => Some((start, end + 1)),
            (None, _) => None,
        }
    };
    starts.filter_map(whole).collect()
}

/// Whether the signature ends without a body.
fn is_declaration(lines: &[&str]) -> bool {
    lines
        .iter()
        .find(|line| line.ends_with([';', '{', '}']))
        .is_some_and(|line| line.ends_with(';'))
}

fn has_reason(lines: &[&str]) -> bool {
    lines.iter().any(|line| line.trim_start().starts_with("//") && line.contains("Long: "))
}

#[test]
fn files_and_functions_are_short_or_say_why_not() {
    let mut files = Vec::new();
    for folder in ["crates", "benches"] {
        rust_files(&root().join(folder), &mut files);
    }
    let (mut found, mut seen) = (Vec::new(), 0);
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a text");
        let lines: Vec<&str> = text.lines().collect();
        if lines.len() > FILE && !has_reason(&lines[..ABOVE]) {
            found.push(format!("{}: {} lines", file.display(), lines.len()));
        }
        for (start, length) in functions(&lines) {
            seen += 1;
            if length > FUNCTION && !has_reason(&lines[start.saturating_sub(ABOVE)..start]) {
                found.push(format!("{}:{}: {length} lines", file.display(), start + 1));
            }
        }
    }
    assert!(found.is_empty(), "longer than {FILE} or {FUNCTION}:\n{}", found.join("\n"));
    assert!(files.len() > 300 && seen > 2000, "{} files, {seen} functions", files.len());
}

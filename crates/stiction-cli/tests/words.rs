//! Texts use the words of the field: phrases that engineers do not search for stay out of code,
//! messages and pages.

mod common;

use common::root;
use std::path::{Path, PathBuf};

/// Phrases that have a plainer word, as they are split below (`CONTRIBUTING.md` has the list of
/// words to use).
const PHRASES: &[&str] = &[
    "told",
    "tells",
    "tell",
    "asked",
    "who is asked",
    "goes on",
    "gone on",
    "made again",
    "what hangs",
    "is called so",
    "blow",
    "haste",
    "in haste",
    "hasty",
    "anew",
    "gone on with",
    "hangs together",
    "hang together",
    "what changed hands",
    "runs wild",
    "are none",
    "so many milliseconds",
    "smallest forces",
    "energy book",
    "Asking",
    "Happening",
    "Blind",
    "Scheme",
    "Material::rough",
    "Material::bouncing",
    "World::check",
    "Body::reach",
    "Body::levels",
    "World::apart",
    "struct Look",
    "struct Touch",
    "struct Book",
    "struct Kept",
    "rooms",
    "doors",
    "Forces::none",
    "nobody's friend",
    "moves worlds",
    "staircase",
];

const ENDINGS: [&str; 7] = ["rs", "ts", "md", "toml", "css", "mjs", "html"];

/// Generated, installed, or a record of older words.
const LEFT_OUT: [&str; 5] = ["node_modules", "target", "CHANGELOG.md", "words.rs", ".git"];

fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if LEFT_OUT.contains(&&*name) {
            continue;
        }
        if path.is_dir() {
            texts(&path, found);
        } else if path.extension().is_some_and(|e| ENDINGS.iter().any(|ending| e == *ending)) {
            found.push(path);
        }
    }
}

/// Whether a phrase stands in a line as whole words.
fn stands(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        !line[..at].ends_with(is_word) && !line[at + phrase.len()..].starts_with(is_word)
    })
}

#[test]
fn texts_use_the_words_of_the_field() {
    let mut files = Vec::new();
    for folder in ["crates", "docs", "scenes", "corpus", "benches"] {
        texts(&root().join(folder), &mut files);
    }
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
    files.extend(top.map(|name| root().join(name)));
    let mut found = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a text");
        for (number, line) in text.lines().enumerate() {
            for phrase in PHRASES.iter().filter(|phrase| stands(line, phrase)) {
                found.push(format!("{}:{}: {phrase}", file.display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(files.len() > 300, "only {} files: is the check still able to fail?", files.len());
}

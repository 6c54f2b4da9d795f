//! If a map names a place, a test has been there.

use std::path::Path;

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
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
    ] {
        let text = std::fs::read_to_string(root.join(map)).expect(map);
        let text: String = text.split("```").step_by(2).collect();
        for path in paths(&text) {
            let places = [
                root.join(path),
                root.join("crates/stiction-solvers/src").join(path),
                root.join("crates/stiction-solvers").join(path),
                root.join("crates/stiction-cli/src").join(path),
                root.join("docs").join(path),
            ];
            assert!(places.iter().any(|p| p.exists()), "{map} names {path}, which is not there");
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} paths found: is the check still able to fail?");
}

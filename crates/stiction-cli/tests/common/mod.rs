//! The pages of the documentation, for tests that read them; the command line.
#![allow(dead_code)] // each test uses its part

pub mod command;

use std::path::{Path, PathBuf};

/// The folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of a file, by its path from the root.
pub fn read(path: &Path) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Every page of `docs`, by its path from the root.
pub fn pages_of_docs() -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![PathBuf::from("docs")]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = folder.join(entry.file_name());
            if entry.file_type().expect("a type").is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

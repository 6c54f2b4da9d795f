//! Inputs that once made the program panic, found by `stiction bench fuzz`; and a short run of that.

mod common;

use common::root;
use std::process::Command;

/// The highest code that the command ends with by itself.
const BREAKDOWN: i32 = 3;

#[test]
fn inputs_that_once_broke_something_do_not() {
    let mut tried = 0;
    for entry in std::fs::read_dir(root().join("corpus/fuzz/found")).expect("the findings") {
        let path = entry.expect("a file").path();
        let command = match path.extension().and_then(|ending| ending.to_str()) {
            Some("json" | "dat") => "solve",
            _ => "run",
        };
        let stiction = env!("CARGO_BIN_EXE_stiction");
        let done = Command::new(stiction).arg(command).arg(&path).output().expect("a command");
        let code = done.status.code().unwrap_or(i32::MAX);
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(code <= BREAKDOWN, "{}: {code}: {said}", path.display());
        tried += 1;
    }
    assert!(tried >= 2, "{tried}");
}

#[test]
fn damaged_files_are_read_or_refused() {
    let stiction = env!("CARGO_BIN_EXE_stiction");
    let arguments = ["bench", "fuzz", "--seconds", "1", "--seed", "5", "--threads", "1", "--root"];
    let done = Command::new(stiction).args(arguments).arg(root()).output().expect("a command");
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}");
    for target in ["scene", "mjcf", "urdf", "contact-1", "solve", "npz", "recording"] {
        assert!(said.contains(target), "{target}: {said}");
    }
}

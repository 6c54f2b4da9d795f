//! The command line as tests call it.

use std::process::{Command, Output};

/// Runs `stiction` with these arguments.
pub fn stiction(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stiction")).args(arguments).output().expect("it runs")
}

/// A problem of the corpus.
pub fn corpus(name: &str) -> String {
    format!("{}/../../corpus/problems/{name}.json", env!("CARGO_MANIFEST_DIR"))
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

//! What the commands of `stiction` share: lines on stdout, refusals, exit codes, progress, measured times.

pub mod timing;

use serde::Serialize;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Prints a line to stdout. A closed pipe (`… | head`) is not an error.
#[macro_export]
macro_rules! say {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($words)*);
    }};
}

/// Exit codes, the same for every command.
pub mod exit {
    /// The answer is "no": not certified.
    pub const NO: u8 = 1;
    /// The input cannot be used.
    pub const BAD_INPUT: u8 = 2;
    /// A solver broke down.
    pub const BREAKDOWN: u8 = 3;
}

/// Progress of a long run on stderr, in one line that is overwritten.
pub mod progress {
    /// Shows how many items are done, and the name of the current one.
    pub fn show(done: usize, count: usize, name: &str) {
        eprint!("\r{done:>4} of {count}  {name:<50}");
    }

    /// Clears the line.
    pub fn clear() {
        eprint!("\r{:70}\r", "");
    }
}

/// Prints an error as `stiction: …` and returns the exit code of bad input.
pub fn refuse(error: &dyn Display) -> ExitCode {
    eprintln!("stiction: {error}");
    ExitCode::from(exit::BAD_INPUT)
}

/// Prints a report as one line of JSON, or as text by the given function.
pub fn print_report<T: Serialize + ?Sized>(report: &T, json: bool, print: impl FnOnce()) {
    if json {
        say!("{}", serde_json::to_string(report).unwrap_or_default());
    } else {
        print();
    }
}

/// Prints the result of a command, as JSON or as text, or refuses with its error.
///
/// The exit code is 0 if `good` holds for the report, and [`exit::NO`] otherwise.
pub fn finish<T: Serialize>(
    result: Result<T, impl Display>,
    json: bool,
    print: fn(&T),
    good: fn(&T) -> bool,
) -> ExitCode {
    match result {
        Err(error) => refuse(&error),
        Ok(report) => {
            print_report(&report, json, || print(&report));
            ExitCode::from(if good(&report) { 0 } else { exit::NO })
        }
    }
}

/// A number and what it counts: `1 body`, `2 bodies`.
pub fn count(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// The output folder of a command: the given one, or one beside the input file, named after it.
pub fn folder_beside(file: &Path, given: Option<&Path>, suffix: &str) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    given.map_or_else(|| file.with_file_name(format!("{stem}_{suffix}")), Path::to_owned)
}

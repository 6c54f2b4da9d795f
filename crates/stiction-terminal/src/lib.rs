//! What the commands of `stiction` share: lines on stdout, refusals, exit codes, progress, measured times.

pub mod timing;

use serde::Serialize;
use std::fmt::Display;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Prints a line to stdout. A closed pipe (`… | head`) is not an error; others are kept for
/// [`close_output`].
#[macro_export]
macro_rules! say {
    ($($words:tt)*) => {
        $crate::print_line(format_args!($($words)*))
    };
}

/// Whether a line could not be written to stdout.
static UNWRITTEN: AtomicBool = AtomicBool::new(false);

/// Prints a line to stdout: what [`say!`] does.
pub fn print_line(line: std::fmt::Arguments<'_>) {
    keep(writeln!(std::io::stdout(), "{line}"));
}

/// The exit code of a command, once all that it printed is written; [`exit::BAD_INPUT`] if a part
/// of it could not be.
pub fn close_output(code: ExitCode) -> ExitCode {
    keep(std::io::stdout().flush());
    if UNWRITTEN.load(Ordering::Relaxed) { ExitCode::from(exit::BAD_INPUT) } else { code }
}

/// Reports the first error of stdout, but not that of a closed pipe.
fn keep(written: std::io::Result<()>) {
    let Err(error) = written else { return };
    if error.kind() != ErrorKind::BrokenPipe && !UNWRITTEN.swap(true, Ordering::Relaxed) {
        eprintln!("stiction: standard output: {error}");
    }
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

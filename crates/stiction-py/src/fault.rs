//! Exceptions: `stiction.InputError` with file, line and key, and `stiction.SolverError`.

use pyo3::prelude::*;
use stiction::recording::RecordingError;
use stiction::scene::SceneError;
use stiction_solvers::file::FileError;

/// An exception of the package, with these arguments.
fn raise(
    py: Python<'_>,
    class: &str,
    arguments: impl for<'py> pyo3::call::PyCallArgs<'py>,
) -> PyErr {
    let made = py
        .import("stiction._errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call1(arguments));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// An input that cannot be used.
pub fn input(message: &str) -> PyErr {
    input_at(message, None, None, None)
}

fn input_at(message: &str, file: Option<&str>, line: Option<usize>, key: Option<&str>) -> PyErr {
    Python::attach(|py| raise(py, "InputError", (message, file, line, key)))
}

/// A solver that does not model a problem, or broke down.
pub fn solver(message: &str) -> PyErr {
    Python::attach(|py| raise(py, "SolverError", (message,)))
}

pub fn scene(error: &SceneError) -> PyErr {
    let message = error.to_string();
    match error {
        SceneError::Syntax { file, line, .. } => input_at(&message, Some(file), Some(*line), None),
        SceneError::Value { file, line, field, .. } => {
            input_at(&message, Some(file), Some(*line), Some(field))
        }
        SceneError::Io { path, .. } => {
            input_at(&message, Some(&path.display().to_string()), None, None)
        }
        _ => input(&message),
    }
}

pub fn file(error: &FileError) -> PyErr {
    let message = error.to_string();
    match error {
        FileError::Syntax { file, line, field, .. }
        | FileError::Value { file, line, field, .. } => {
            input_at(&message, Some(file), Some(*line), Some(field))
        }
        _ => input(&message),
    }
}

pub fn recording(error: &RecordingError) -> PyErr {
    input(&error.to_string())
}

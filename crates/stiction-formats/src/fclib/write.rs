//! Writes a problem as an FCLIB local file: compressed rows.

use super::matrix::COMPRESSED_ROWS;
use hdf5_pure::FileBuilder;
use std::path::Path;
use stiction_contact::MatrixProblem;
use stiction_contact::file::FileError;

/// Writes a problem, with forces as `/solution/r` if given.
///
/// # Errors
///
/// [`FileError`] if the problem is too large for the format or the file cannot be written.
pub fn write_fclib(
    path: &Path,
    problem: &MatrixProblem,
    title: &str,
    solution: Option<&[f64]>,
) -> Result<(), FileError> {
    let bytes = fclib_bytes(problem, title, solution).map_err(|message| FileError::Dataset {
        file: path.display().to_string(),
        dataset: "fclib_local".into(),
        message,
    })?;
    std::fs::write(path, bytes).map_err(|source| FileError::Io { path: path.to_owned(), source })
}

/// The same as bytes.
///
/// # Errors
///
/// A message, if the problem is too large for the format.
pub fn fclib_bytes(
    problem: &MatrixProblem,
    title: &str,
    solution: Option<&[f64]>,
) -> Result<Vec<u8>, String> {
    let n = integer(problem.len())?;
    let (mut p, mut i, mut x) = (vec![0], Vec::new(), Vec::new());
    for (row, column, value) in problem.entries() {
        p.resize(row + 1, integer(x.len())?);
        i.push(integer(column)?);
        x.push(value);
    }
    p.resize(problem.len() + 1, integer(x.len())?);

    let mut file = FileBuilder::new();
    let mut local = file.create_group("fclib_local");
    local.create_dataset("spacedim").with_i32_data(&[integer(problem.dimension())?]);
    let mut w = local.create_group("W");
    for (name, value) in [("nzmax", integer(x.len())?), ("m", n), ("n", n), ("nz", COMPRESSED_ROWS)]
    {
        w.create_dataset(name).with_i32_data(&[value]);
    }
    w.create_dataset("p").with_i32_data(&p);
    w.create_dataset("i").with_i32_data(&i);
    w.create_dataset("x").with_f64_data(&x);
    local.add_group(w.finish());
    let mut vectors = local.create_group("vectors");
    vectors.create_dataset("q").with_f64_data(problem.q());
    vectors.create_dataset("mu").with_f64_data(problem.friction());
    local.add_group(vectors.finish());
    let mut info = local.create_group("info");
    for (name, words) in [("title", title), ("description", ""), ("math_info", "")] {
        // An empty string has no size in HDF5.
        let words = if words.is_empty() { "-" } else { words };
        info.create_dataset(name).with_strings(&[words]).map_err(|error| error.to_string())?;
    }
    local.add_group(info.finish());
    file.add_group(local.finish());
    if let Some(force) = solution {
        let mut group = file.create_group("solution");
        group.create_dataset("r").with_f64_data(force);
        group.create_dataset("u").with_f64_data(&problem.response(force));
        file.add_group(group.finish());
    }
    file.finish().map_err(|error| error.to_string())
}

fn integer(value: usize) -> Result<i32, String> {
    i32::try_from(value).map_err(|_| format!("{value} is more than the format's integers hold"))
}

//! Siconos text files: linear complementarity problems and friction problems.
//!
//! ```text
//!   n  MATRIX M  q                                       complementarity
//!   dimension  contacts  MATRIX W  q  mu                 friction
//!   dimension  contacts  MATRIX M  MATRIX H  f  w  mu    friction, with masses
//!
//!   MATRIX  =  storage  rows  columns, then by storage
//!     0 (dense)    rows columns, then the entries COLUMN by column
//!     1 (blocks)   number of blocks, row ends, column ends, row pointers,
//!                  block columns, then each block: its number and its
//!                  entries column by column
//!     2 (sparse)   output of CSparse: triplets or columns, six digits
//! ```
//!
//! `#` starts a comment; anything after the last vector is ignored.

mod matrix;
mod words;

use std::path::Path;
use stiction_contact::file::FileError;
use stiction_contact::{Lcp, Masses, MatrixProblem};
use words::Words;

/// Largest `n` of a complementarity problem: its dense matrix takes 3.2 GB.
const MOST: usize = 20_000;

/// Reads a linear complementarity problem.
///
/// # Errors
///
/// [`FileError`] with file, line, field and value.
pub fn read_lcp(path: &Path) -> Result<Lcp, FileError> {
    parse_lcp(&text(path)?, &path.display().to_string())
}

/// The text of a file. Invalid bytes are replaced: they cannot be part of a number.
pub(super) fn text(path: &Path) -> Result<String, FileError> {
    let bytes =
        std::fs::read(path).map_err(|source| FileError::Io { path: path.to_owned(), source })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Parses a text that was read from `file`.
///
/// # Errors
///
/// [`FileError`] with file, line, field and value.
pub fn parse_lcp(text: &str, file: &str) -> Result<Lcp, FileError> {
    let mut words = Words::new(text, file);
    let n = words.count("n")?;
    if n > MOST {
        return Err(words.fault("n", format!("is {n}, must be a whole number up to {MOST}")));
    }
    let triplets = matrix::read(&mut words, "M")?;
    let (rows, columns) = (triplets.rows, triplets.columns);
    if rows != n || columns != n {
        return Err(words.fault("rows", format!("M is {rows} × {columns}, but n is {n}")));
    }
    let q = words.numbers("q", n)?;
    let mut m = vec![0.0; n * n];
    triplets.entries.iter().for_each(|&(i, j, value)| m[i * n + j] += value);
    Lcp::new(m, q).map_err(|error| words.fault("M, q", error.to_string()))
}

/// Whether a text is a friction problem rather than a complementarity problem: it starts with 2
/// or 3 and does not continue as `n storage n n …`.
pub fn is_friction(text: &str) -> bool {
    let words = Words::new(text, "");
    let number = |k: usize| words.ahead(k).and_then(|word| word.parse::<f64>().ok());
    let header: Vec<Option<f64>> = (0..7).map(number).collect();
    let complementarity = header.iter().all(Option::is_some)
        && (header[1] == Some(0.0) || header[1] == Some(1.0))
        && header[0] == header[2]
        && header[0] == header[3];
    (header[0] == Some(2.0) || header[0] == Some(3.0)) && !complementarity
}

/// Parses a text that was read from `file`; a problem with masses is condensed.
///
/// # Errors
///
/// [`FileError`] with file, line, field and value.
pub fn parse_friction(text: &str, file: &str) -> Result<MatrixProblem, FileError> {
    let mut words = Words::new(text, file);
    let dimension = words.count("dimension")?;
    if !(2..=3).contains(&dimension) {
        return Err(words.fault("dimension", format!("is {dimension}, must be 2 or 3")));
    }
    let contacts = words.count("contacts")?;
    let n = dimension * contacts;
    let first = matrix::read(&mut words, "W")?;
    // With masses, a second matrix and two vectors follow; otherwise q, mu and at most a flag.
    let local = first.rows == n && words.left() <= n + contacts + 1;
    let problem = if local {
        let q = words.numbers("q", n)?;
        MatrixProblem::new(dimension, &first, q, friction(&mut words, contacts)?)
    } else {
        let h = matrix::read(&mut words, "H")?;
        let f = words.numbers("f", first.rows)?;
        let w = words.numbers("w", n)?;
        let friction = friction(&mut words, contacts)?;
        Masses { m: first, h, f, w, joints: None }.condense(dimension, friction)
    };
    problem.map_err(|error| words.fault("problem", error.to_string()))
}

/// The friction coefficients.
fn friction(words: &mut Words<'_>, contacts: usize) -> Result<Vec<f64>, FileError> {
    words.must_hold("mu", contacts)?;
    (0..contacts)
        .map(|i| {
            let field = format!("mu[{i}]");
            match words.number(&field)? {
                mu if mu < 0.0 => {
                    Err(words.fault(&field, format!("is {mu}, must not be negative")))
                }
                mu => Ok(mu),
            }
        })
        .collect()
}

//! FCLIB files: friction problems in HDF5.
//!
//! ```text
//!   /fclib_local/{spacedim, W, vectors/{q, mu}}        u = W r + q
//!                {V, R, vectors/s}  optional           + V λ,  Vᵀ r + R λ + s = 0
//!   /fclib_global/{spacedim, M, H, vectors/{f, w, mu}} M v = H r + f,  u = Hᵀ v + w
//!                 {G, vectors/b}  optional             + G λ,  Gᵀ v + b = 0
//!   /solution/{r, u}  optional
//! ```
//!
//! Masses and joints are condensed. A stored solution is not read: in most files it is zero.

mod hdf5;
mod matrix;
mod write;

pub use write::{fclib_bytes, write_fclib};

use hdf5::Hdf5;
use std::path::Path;
use stiction_contact::file::FileError;
use stiction_contact::{Masses, MatrixError, MatrixProblem, Triplets};

/// Reads a problem from an FCLIB file.
///
/// # Errors
///
/// [`FileError`] with file, dataset and value.
pub fn read_fclib(path: &Path) -> Result<MatrixProblem, FileError> {
    let bytes =
        std::fs::read(path).map_err(|source| FileError::Io { path: path.to_owned(), source })?;
    parse_fclib(bytes, &path.display().to_string())
}

/// Parses the bytes of an FCLIB file that were read from `file`.
///
/// # Errors
///
/// [`FileError`] with file, dataset and value.
pub fn parse_fclib(bytes: Vec<u8>, file: &str) -> Result<MatrixProblem, FileError> {
    let hdf5 = Hdf5::new(bytes, file)?;
    if hdf5.has("fclib_local") {
        local(&hdf5)
    } else if hdf5.has("fclib_global") {
        global(&hdf5)
    } else {
        Err(hdf5.fault("/", "has neither fclib_local nor fclib_global".into()))
    }
}

fn local(hdf5: &Hdf5<'_>) -> Result<MatrixProblem, FileError> {
    let place = |name: &str| format!("fclib_local/{name}");
    let dimension = dimension(hdf5, &place("spacedim"))?;
    let friction = hdf5.numbers(&place("vectors/mu"))?;
    let mut w = matrix::read(hdf5, &place("W"))?;
    let mut q = hdf5.numbers(&place("vectors/q"))?;
    if hdf5.has(&place("V")) {
        let v = matrix::read(hdf5, &place("V"))?;
        let r = matrix::read(hdf5, &place("R"))?;
        let s = hdf5.numbers(&place("vectors/s"))?;
        eliminate(&mut w, &mut q, v, r, s).map_err(|error| {
            hdf5.fault("fclib_local", format!("(M = R, H = Vᵀ, f = s) {error}"))
        })?;
    }
    MatrixProblem::new(dimension, &w, q, friction)
        .map_err(|error| hdf5.fault("fclib_local", error.to_string()))
}

/// Eliminates `λ` from `u = W r + V λ + q`, `Vᵀ r + R λ + s = 0`: subtracts `V R⁻¹ Vᵀ` and `V
/// R⁻¹ s`.
fn eliminate(
    w: &mut Triplets,
    q: &mut [f64],
    v: Triplets,
    r: Triplets,
    s: Vec<f64>,
) -> Result<(), MatrixError> {
    let transposed = v.entries.into_iter().map(|(i, j, x)| (j, i, x)).collect();
    let h = Triplets { rows: v.columns, columns: v.rows, entries: transposed };
    let joints = Masses { m: r, h, f: s, w: vec![0.0; q.len()], joints: None };
    let (less, shift) = joints.schur(q.len())?;
    w.entries.extend(less.entries.into_iter().map(|(i, j, x)| (i, j, -x)));
    q.iter_mut().zip(shift).for_each(|(q, shift)| *q -= shift);
    Ok(())
}

fn global(hdf5: &Hdf5<'_>) -> Result<MatrixProblem, FileError> {
    let place = |name: &str| format!("fclib_global/{name}");
    let dimension = dimension(hdf5, &place("spacedim"))?;
    let friction = hdf5.numbers(&place("vectors/mu"))?;
    let joints = if hdf5.has(&place("G")) {
        Some((matrix::read(hdf5, &place("G"))?, hdf5.numbers(&place("vectors/b"))?))
    } else {
        None
    };
    let masses = Masses {
        m: matrix::read(hdf5, &place("M"))?,
        h: matrix::read(hdf5, &place("H"))?,
        f: hdf5.numbers(&place("vectors/f"))?,
        w: hdf5.numbers(&place("vectors/w"))?,
        joints,
    };
    masses
        .condense(dimension, friction)
        .map_err(|error| hdf5.fault("fclib_global", error.to_string()))
}

fn dimension(hdf5: &Hdf5<'_>, place: &str) -> Result<usize, FileError> {
    match hdf5.integer(place)? {
        2 => Ok(2),
        3 => Ok(3),
        other => Err(hdf5.fault(place, format!("is {other}, must be 2 or 3"))),
    }
}

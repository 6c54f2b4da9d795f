//! Reads and writes contact problems in the file formats of other projects.
//!
//! | format | content | feature |
//! | --- | --- | --- |
//! | FCLIB, `.hdf5` | friction problems without bodies, read and written | `hdf5` |
//! | Siconos, `.dat` | friction problems and linear complementarity problems | |
//! | ContactBench, `.npz` | friction problems without bodies | `npz` |
//!
//! [`read_matrix`] chooses the format by the file extension. Our own format, `contact-1`, is
//! [`stiction_contact::file`].
//!
//! ```no_run
//! use std::path::Path;
//! use stiction_contact::judge::judge_matrix;
//!
//! let problem = stiction_formats::read_matrix(Path::new("Capsules.hdf5"))?.expect("a friction problem");
//! let zero = vec![0.0; problem.len()];
//! println!("{:?}", judge_matrix(&problem, &zero));
//! # Ok::<(), stiction_contact::file::FileError>(())
//! ```

#[cfg(feature = "npz")]
mod contactbench;
#[cfg(feature = "hdf5")]
mod fclib;
mod siconos;

#[cfg(feature = "npz")]
pub use contactbench::{parse_contactbench, read_contactbench};
#[cfg(feature = "hdf5")]
pub use fclib::{fclib_bytes, parse_fclib, read_fclib, write_fclib};
pub use siconos::{is_friction, parse_friction, parse_lcp, read_lcp};

use std::path::Path;
use stiction_contact::MatrixProblem;
use stiction_contact::file::FileError;

/// Reads a friction problem without bodies, if the file holds one: FCLIB HDF5 (extension `hdf5`
/// or `h5`), a ContactBench archive (`npz`) or Siconos text (`dat`, unless it holds a
/// complementarity problem).
///
/// # Errors
///
/// [`FileError`] with file, place and value.
pub fn read_matrix(path: &Path) -> Result<Option<MatrixProblem>, FileError> {
    match path.extension().and_then(|ending| ending.to_str()) {
        #[cfg(feature = "hdf5")]
        Some("hdf5" | "h5") => read_fclib(path).map(Some),
        #[cfg(feature = "npz")]
        Some("npz") => read_contactbench(path).map(Some),
        #[cfg(not(feature = "hdf5"))]
        Some("hdf5" | "h5") => Err(missing(path, "hdf5")),
        #[cfg(not(feature = "npz"))]
        Some("npz") => Err(missing(path, "npz")),
        Some("dat") => {
            let text = siconos::text(path)?;
            let friction = is_friction(&text);
            friction.then(|| parse_friction(&text, &path.display().to_string())).transpose()
        }
        _ => Ok(None),
    }
}

/// Refuses a file whose format this build leaves out.
#[cfg(not(all(feature = "hdf5", feature = "npz")))]
fn missing(path: &Path, feature: &str) -> FileError {
    FileError::Dataset {
        file: path.display().to_string(),
        dataset: "/".into(),
        message: format!("this build reads no such files (feature {feature} of stiction-formats)"),
    }
}

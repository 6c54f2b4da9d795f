//! ContactBench files: NumPy archives with `G`, `g` and `mus`.
//!
//! ```text
//!   u = G r + g,   per contact t₁, t₂, n
//! ```
//!
//! ContactBench puts the normal last, we put it first: forces and responses of such a problem
//! are in our order.

use std::io::{Cursor, Read};
use std::path::Path;
use stiction_contact::file::FileError;
use stiction_contact::{MatrixProblem, Triplets};

/// Most rows accepted: a square matrix of them has a gigabyte. More are more likely a damaged
/// header.
const ROWS: u64 = 11_585;

/// Most bytes of a header.
const HEADER: u64 = 1 << 16;

/// Reads a problem from a ContactBench archive.
///
/// # Errors
///
/// [`FileError`] with file, array and value.
pub fn read_contactbench(path: &Path) -> Result<MatrixProblem, FileError> {
    let bytes =
        std::fs::read(path).map_err(|source| FileError::Io { path: path.to_owned(), source })?;
    parse_contactbench(&bytes, &path.display().to_string())
}

/// Parses the bytes of a ContactBench archive that were read from `file`.
///
/// # Errors
///
/// [`FileError`] with file, array and value.
pub fn parse_contactbench(bytes: &[u8], file: &str) -> Result<MatrixProblem, FileError> {
    let fault = |dataset: &str, message: String| FileError::Dataset {
        file: file.to_owned(),
        dataset: dataset.to_owned(),
        message,
    };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes))
        .map_err(|error| fault("the archive", error.to_string()))?;
    // Archives may unpack to far more than their length: the vector says how large the matrix is.
    let mut array = |name: &str, numbers: u64| {
        let entry = archive.by_name(&format!("{name}.npy")).map_err(|error| error.to_string());
        let read = entry.and_then(|entry| read_array(entry, 8 * numbers + HEADER));
        read.map_err(|message| fault(name, message))
    };
    let (q, friction) = (array("g", ROWS)?, array("mus", ROWS)?);
    let n = q.values.len();
    let g = array("G", (n * n) as u64)?;
    if g.rows != n || g.values.len() != n * n {
        let message = format!("{} numbers in {} rows, for {n} in g", g.values.len(), g.rows);
        return Err(fault("G", message));
    }
    // Our row k is row `theirs(k)` of the file.
    let theirs = |k: usize| 3 * (k / 3) + (k % 3 + 2) % 3;
    if n % 3 != 0 {
        return Err(fault("g", format!("{n} numbers are not three per contact")));
    }
    let entries = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let entries = entries.map(|(i, j)| (i, j, g.at(theirs(i), theirs(j)))).collect();
    let w = Triplets { rows: n, columns: n, entries };
    let q = (0..n).map(|k| q.values[theirs(k)]).collect();
    MatrixProblem::new(3, &w, q, friction.values)
        .map_err(|error| fault("G, g, mus", format!("(as W, q, mu, normal first) {error}")))
}

/// Values in rows.
struct Array {
    rows: usize,
    by_columns: bool,
    values: Vec<f64>,
}

impl Array {
    fn at(&self, i: usize, j: usize) -> f64 {
        let columns = self.values.len() / self.rows;
        self.values[if self.by_columns { j * self.rows + i } else { i * columns + j }]
    }
}

/// Reads NumPy's own format: a magic string, a version, the length of the header, the header (a
/// Python dictionary), the values.
fn read_array(from: impl Read, most: u64) -> Result<Array, String> {
    let mut bytes = Vec::new();
    let read = from.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > most {
        return Err(format!("is longer than {most} bytes, the most for its place"));
    }
    let header = match bytes.get(..12) {
        Some([0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, low, high, ..]) => {
            10..10 + usize::from(u16::from_le_bytes([*low, *high]))
        }
        Some([0x93, b'N', b'U', b'M', b'P', b'Y', 2 | 3, _, a, b, c, d]) => {
            12..(u32::from_le_bytes([*a, *b, *c, *d]) as usize).saturating_add(12)
        }
        _ => return Err("is not a NumPy array".to_owned()),
    };
    let (start, text) = (header.end, bytes.get(header).ok_or("ends within its header")?);
    let text = String::from_utf8_lossy(text);
    if !text.contains("'<f8'") {
        return Err(format!("must hold little-endian 64-bit floats, its header is {text}"));
    }
    let shape = text.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    let shape = shape.ok_or_else(|| format!("has no shape in its header {text}"))?.0;
    let sizes: Result<Vec<usize>, _> =
        shape.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::parse).collect();
    let sizes = sizes.map_err(|error| format!("has the shape ({shape}): {error}"))?;
    let values: Vec<f64> =
        bytes[start..].as_chunks().0.iter().map(|number| f64::from_le_bytes(*number)).collect();
    let count = sizes.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
    if count != Some(values.len()) {
        return Err(format!("has {} numbers, for the shape ({shape})", values.len()));
    }
    let rows = sizes.first().copied().unwrap_or(1);
    Ok(Array { rows, by_columns: text.contains("'fortran_order': True"), values })
}

#[cfg(test)]
mod tests {
    use super::{HEADER, read_array};

    fn array(header: &str, numbers: &[f64]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        bytes
    }

    #[test]
    fn arrays_by_rows_and_by_columns() {
        for (order, expected) in [("False", 2.0), ("True", 3.0)] {
            let header =
                format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': (2, 2), }}\n");
            let read = read_array(&*array(&header, &[1.0, 2.0, 3.0, 4.0]), HEADER).expect("valid");
            assert_eq!((read.rows, read.at(0, 1)), (2, expected));
        }
    }

    #[test]
    fn truncated_arrays_are_rejected() {
        let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }\n";
        let whole = array(header, &[1.0, 2.0]);
        assert!(read_array(&*whole, HEADER).is_ok());
        for end in 0..whole.len() - 7 {
            assert!(read_array(&whole[..end], HEADER).is_err(), "{end}");
        }
        for bad in ["{'descr': '<f4', 'shape': (2,)}", "{'descr': '<f8'}", "'<f8' (-1)"] {
            assert!(read_array(&*array(bad, &[1.0, 2.0]), HEADER).is_err(), "{bad}");
        }
    }
}

//! Matrices in FCLIB files: compressed rows, compressed columns or triplets.

use super::hdf5::Hdf5;
use stiction_contact::Triplets;
use stiction_contact::file::FileError;

/// Value of `nz` in CSparse for a matrix in compressed columns.
const COMPRESSED_COLUMNS: i32 = -1;
/// Value of `nz` in FCLIB for a matrix in compressed rows.
pub(super) const COMPRESSED_ROWS: i32 = -2;

/// Reads the matrix in group `place`, without its zeros.
pub(super) fn read(hdf5: &Hdf5<'_>, place: &str) -> Result<Triplets, FileError> {
    let at = |name: &str| format!("{place}/{name}");
    let rows = size(hdf5, &at("m"))?;
    let columns = size(hdf5, &at("n"))?;
    let nz = hdf5.integer(&at("nz"))?;
    let p = indices(hdf5, &at("p"))?;
    let i = indices(hdf5, &at("i"))?;
    let x = hdf5.numbers(&at("x"))?;
    let mut entries: Vec<(usize, usize, f64)> = match nz {
        COMPRESSED_ROWS => compressed(hdf5, place, rows, &p, &i, &x)?,
        COMPRESSED_COLUMNS => {
            let entries = compressed(hdf5, place, columns, &p, &i, &x)?;
            entries.into_iter().map(|(column, row, x)| (row, column, x)).collect()
        }
        0.. => {
            // The order of CSparse, not the one in the comment of fclib.h: p holds the columns.
            let count = nz.unsigned_abs() as usize;
            if p.len().min(i.len()).min(x.len()) < count {
                return Err(hdf5.fault(&at("nz"), format!("is {nz}, more than p, i or x hold")));
            }
            (0..count).map(|k| (i[k], p[k], x[k])).collect()
        }
        _ => return Err(hdf5.fault(&at("nz"), format!("is {nz}, must be −2, −1 or a count"))),
    };
    if let Some((row, column, _)) = entries.iter().find(|(i, j, _)| *i >= rows || *j >= columns) {
        let message = format!("has an entry at ({row}, {column}), but is {rows} × {columns}");
        return Err(hdf5.fault(place, message));
    }
    entries.retain(|(_, _, value)| *value != 0.0);
    Ok(Triplets { rows, columns, entries })
}

/// Entries by lines (rows or columns): line, index, value.
fn compressed(
    hdf5: &Hdf5<'_>,
    place: &str,
    lines: usize,
    p: &[usize],
    i: &[usize],
    x: &[f64],
) -> Result<Vec<(usize, usize, f64)>, FileError> {
    let at = format!("{place}/p");
    if p.len() != lines + 1 {
        return Err(hdf5.fault(&at, format!("has {} entries, must have {}", p.len(), lines + 1)));
    }
    let mut entries = Vec::with_capacity(x.len());
    for line in 0..lines {
        let (start, end) = (p[line], p[line + 1]);
        if start > end || end > i.len().min(x.len()) {
            return Err(hdf5.fault(&at, format!("[{}] is {end}, out of order", line + 1)));
        }
        entries.extend((start..end).map(|k| (line, i[k], x[k])));
    }
    Ok(entries)
}

fn size(hdf5: &Hdf5<'_>, place: &str) -> Result<usize, FileError> {
    let size = hdf5.integer(place)?;
    usize::try_from(size).map_err(|_| hdf5.fault(place, format!("is {size}, must not be negative")))
}

fn indices(hdf5: &Hdf5<'_>, place: &str) -> Result<Vec<usize>, FileError> {
    let fault =
        |k: usize, value: i32| hdf5.fault(place, format!("[{k}] is {value}, must not be negative"));
    let numbers = hdf5.integers(place)?.into_iter().enumerate();
    numbers.map(|(k, value)| usize::try_from(value).map_err(|_| fault(k, value))).collect()
}

//! Matrices in Siconos texts: dense, in blocks or sparse.

use super::words::Words;
use stiction_contact::Triplets;
use stiction_contact::file::FileError;

/// Reads `storage rows columns` and the entries, without the zeros.
pub(super) fn read(words: &mut Words<'_>, name: &str) -> Result<Triplets, FileError> {
    let storage = words.count("storage")?;
    let (rows, columns) = (words.count("rows")?, words.count("columns")?);
    let mut matrix = Triplets { rows, columns, entries: Vec::new() };
    match storage {
        0 => dense(words, name, &mut matrix)?,
        1 => blocks(words, name, &mut matrix)?,
        2 => sparse(words, name, &mut matrix)?,
        _ => {
            let message = format!("is {storage}, must be 0 (dense), 1 (blocks) or 2 (sparse)");
            return Err(words.fault("storage", message));
        }
    }
    matrix.entries.retain(|(_, _, value)| *value != 0.0);
    Ok(matrix)
}

fn dense(words: &mut Words<'_>, name: &str, matrix: &mut Triplets) -> Result<(), FileError> {
    let (rows, columns) = (words.count("rows")?, words.count("columns")?);
    if (rows, columns) != (matrix.rows, matrix.columns) {
        let Triplets { rows: m, columns: n, .. } = matrix;
        return Err(
            words.fault("rows", format!("{name} is {m} × {n}, but also {rows} × {columns}"))
        );
    }
    words.must_hold(name, rows.saturating_mul(columns))?;
    for j in 0..columns {
        for i in 0..rows {
            matrix.entries.push((i, j, words.number(name)?));
        }
    }
    Ok(())
}

fn blocks(words: &mut Words<'_>, name: &str, matrix: &mut Triplets) -> Result<(), FileError> {
    words.count("blocks")?;
    let (row_count, column_count) = (words.count("block rows")?, words.count("block columns")?);
    let row_ends = ends(words, "row ends", row_count, matrix.rows)?;
    let column_ends = ends(words, "column ends", column_count, matrix.columns)?;
    let (pointer_count, index_count) = (words.count("pointers")?, words.count("indices")?);
    let pointers = words.counts("pointers", pointer_count)?;
    let indices = words.counts("indices", index_count)?;
    for block_row in 0..pointers.len().saturating_sub(1).min(row_count) {
        for block in pointers[block_row]..pointers[block_row + 1] {
            let Some(&column) = indices.get(block).filter(|&&c| c < column_count) else {
                return Err(words.fault("indices", format!("block {block} has no column")));
            };
            let number = words.count("block number")?;
            if number != block {
                return Err(words.fault("block number", format!("is {number}, expected {block}")));
            }
            for j in column_ends[column]..column_ends[column + 1] {
                for i in row_ends[block_row]..row_ends[block_row + 1] {
                    matrix.entries.push((i, j, words.number(name)?));
                }
            }
        }
    }
    Ok(())
}

/// Cumulative block ends with a leading zero, ascending and within `n`.
fn ends(
    words: &mut Words<'_>,
    field: &str,
    count: usize,
    n: usize,
) -> Result<Vec<usize>, FileError> {
    let mut ends = vec![0];
    for end in words.counts(field, count)? {
        if end < ends[ends.len() - 1] || end > n {
            return Err(words.fault(field, format!("{end} is out of order")));
        }
        ends.push(end);
    }
    Ok(ends)
}

/// The output of CSparse: triplets `i j : x`, or columns `col j : locations a to b` of lines `i
/// : x`.
fn sparse(words: &mut Words<'_>, name: &str, matrix: &mut Triplets) -> Result<(), FileError> {
    let origin = words.count("origin")?;
    while words.word("nnz")? != "nnz:" {}
    let word = words.word("nnz")?;
    let Ok(entries) = word.trim_end_matches(',').parse::<usize>() else {
        return Err(words.fault("nnz", format!("is {word}, must be a whole number")));
    };
    if words.ahead(0) == Some("1-norm:") {
        words.word("1-norm")?;
        words.word("1-norm")?;
    }
    let mut column = None;
    while matrix.entries.len() < entries || words.ahead(0) == Some("col") {
        if words.ahead(0) == Some("col") {
            words.word("col")?;
            column = Some(words.count("col")?);
            for word in [":", "locations", "a", "to", "b"] {
                words.word(word)?;
            }
            continue;
        }
        let row = words.count("row")?;
        let column = match (origin, column) {
            (1, _) => words.count("column")?,
            (_, Some(column)) => column,
            (_, None) => return Err(words.fault(name, "has an entry before its first col".into())),
        };
        let colon = words.word(":")?;
        if colon != ":" {
            return Err(words.fault(name, format!("has {colon} instead of :")));
        }
        if row >= matrix.rows || column >= matrix.columns {
            return Err(words.fault(name, format!("has no place ({row}, {column})")));
        }
        matrix.entries.push((row, column, words.number(name)?));
    }
    Ok(())
}

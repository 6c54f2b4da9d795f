//! Siconos text files: linear complementarity problems.
//!
//! ```text
//!   n  storage  rows  columns
//!   storage 0 (dense)    rows columns, then the entries COLUMN by column
//!   storage 1 (blocks)   number of blocks, row ends, column ends, row pointers,
//!                        block columns, then each block: its number and its
//!                        entries column by column
//!   q
//! ```
//!
//! `#` starts a comment; what follows `q` is a remark.

use super::FileError;
use crate::lemke::Lcp;
use std::path::Path;

/// Largest `n` read: a dense matrix of 20,000 rows takes 3.2 GB.
const MOST: usize = 20_000;

/// Reads a linear complementarity problem.
///
/// # Errors
///
/// [`FileError`] with file, line, field and value.
pub fn read_lcp(path: &Path) -> Result<Lcp, FileError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| FileError::Io { path: path.to_owned(), source })?;
    parse_lcp(&text, &path.display().to_string())
}

/// Reads a text that came from `file`.
///
/// # Errors
///
/// [`FileError`] with file, line, field and value.
pub fn parse_lcp(text: &str, file: &str) -> Result<Lcp, FileError> {
    let mut words = Text::new(text, file);
    let n = words.count("n")?;
    let storage = words.count("storage")?;
    let (rows, columns) = (words.count("rows")?, words.count("columns")?);
    if rows != n || columns != n {
        return Err(words.fault("rows", format!("M is {rows} × {columns}, but n is {n}")));
    }
    let m = match storage {
        0 => words.dense(n)?,
        1 => words.blocks(n)?,
        _ => {
            let message = format!("is {storage}, only 0 (dense) and 1 (blocks) are known");
            return Err(words.fault("storage", message));
        }
    };
    let q = (0..n).map(|i| words.number(&format!("q[{i}]"))).collect::<Result<Vec<_>, _>>()?;
    Lcp::new(m, q).map_err(|error| words.fault("M, q", error.to_string()))
}

/// The words of a text, with their lines.
struct Text<'a> {
    words: Vec<(usize, &'a str)>,
    at: usize,
    file: &'a str,
}

impl<'a> Text<'a> {
    fn new(text: &'a str, file: &'a str) -> Self {
        let lines = text.lines().enumerate();
        let words = lines.flat_map(|(i, line)| {
            let code = line.split('#').next().unwrap_or_default();
            code.split_whitespace().map(move |word| (i + 1, word))
        });
        Text { words: words.collect(), at: 0, file }
    }

    /// A complaint about the word just read.
    fn fault(&self, field: &str, message: String) -> FileError {
        let last = self.at.saturating_sub(1).min(self.words.len().saturating_sub(1));
        let line = self.words.get(last).map_or(1, |(line, _)| *line);
        FileError::Value { file: self.file.to_owned(), line, field: field.to_owned(), message }
    }

    fn word(&mut self, field: &str) -> Result<&'a str, FileError> {
        self.at += 1;
        match self.words.get(self.at - 1) {
            Some((_, word)) => Ok(word),
            None => Err(self.fault(field, "the file ends before it".into())),
        }
    }

    fn number(&mut self, field: &str) -> Result<f64, FileError> {
        let word = self.word(field)?;
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.fault(field, format!("is {word}, must be a finite number"))),
        }
    }

    /// A number of things.
    fn count(&mut self, field: &str) -> Result<usize, FileError> {
        let word = self.word(field)?;
        match word.parse::<usize>() {
            Ok(value) if value <= MOST => Ok(value),
            _ => Err(self.fault(field, format!("is {word}, must be a whole number up to {MOST}"))),
        }
    }

    fn counts(&mut self, field: &str, n: usize) -> Result<Vec<usize>, FileError> {
        (0..n).map(|_| self.count(field)).collect()
    }

    /// Room for `n × n`, if the text is long enough to fill it: a short file must
    /// not ask for gigabytes.
    fn room(&self, n: usize, entries: usize) -> Result<Vec<f64>, FileError> {
        if self.words.len() < entries {
            return Err(self.fault("M", format!("the file ends before its {entries} entries")));
        }
        Ok(vec![0.0; n * n])
    }

    fn dense(&mut self, n: usize) -> Result<Vec<f64>, FileError> {
        let (rows, columns) = (self.count("rows")?, self.count("columns")?);
        if rows != n || columns != n {
            return Err(self.fault("rows", format!("M is {rows} × {columns}, but n is {n}")));
        }
        let mut m = self.room(n, n * n)?;
        for j in 0..n {
            for i in 0..n {
                m[i * n + j] = self.number("M")?;
            }
        }
        Ok(m)
    }

    fn blocks(&mut self, n: usize) -> Result<Vec<f64>, FileError> {
        let blocks = self.count("blocks")?;
        let (row_count, column_count) = (self.count("block rows")?, self.count("block columns")?);
        let mut m = self.room(n, blocks + row_count + column_count)?;
        let row_ends = self.ends("row ends", row_count, n)?;
        let column_ends = self.ends("column ends", column_count, n)?;
        let (pointer_count, index_count) = (self.count("pointers")?, self.count("indices")?);
        let pointers = self.counts("pointers", pointer_count)?;
        let indices = self.counts("indices", index_count)?;
        for block_row in 0..pointers.len().saturating_sub(1).min(row_count) {
            for block in pointers[block_row]..pointers[block_row + 1] {
                let Some(&column) = indices.get(block).filter(|&&c| c < column_count) else {
                    return Err(self.fault("indices", format!("block {block} has no column")));
                };
                let number = self.count("block number")?;
                if number != block {
                    return Err(
                        self.fault("block number", format!("is {number}, expected {block}"))
                    );
                }
                for j in column_ends[column]..column_ends[column + 1] {
                    for i in row_ends[block_row]..row_ends[block_row + 1] {
                        m[i * n + j] = self.number("M")?;
                    }
                }
            }
        }
        Ok(m)
    }

    /// Cumulative block ends with a zero in front, rising and within `n`.
    fn ends(&mut self, field: &str, count: usize, n: usize) -> Result<Vec<usize>, FileError> {
        let mut ends = vec![0];
        for end in self.counts(field, count)? {
            if end < ends[ends.len() - 1] || end > n {
                return Err(self.fault(field, format!("{end} is out of order")));
            }
            ends.push(end);
        }
        Ok(ends)
    }
}

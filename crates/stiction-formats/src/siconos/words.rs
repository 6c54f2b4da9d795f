//! Splits a Siconos text into words, with their lines.

use stiction_contact::file::FileError;

/// The largest count accepted: the range of `i32` in the library that writes these files.
const MOST: usize = i32::MAX as usize;

/// The words of a text, with their lines.
pub(super) struct Words<'a> {
    all: Vec<(usize, &'a str)>,
    at: usize,
    file: &'a str,
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str, file: &'a str) -> Self {
        let lines = text.lines().enumerate();
        let words = lines.flat_map(|(i, line)| {
            let code = line.split('#').next().unwrap_or_default();
            code.split_whitespace().map(move |word| (i + 1, word))
        });
        Words { all: words.collect(), at: 0, file }
    }

    /// An error about the word just read.
    pub(super) fn fault(&self, field: &str, message: String) -> FileError {
        let last = self.at.saturating_sub(1).min(self.all.len().saturating_sub(1));
        let line = self.all.get(last).map_or(1, |(line, _)| *line);
        FileError::Value { file: self.file.to_owned(), line, field: field.to_owned(), message }
    }

    /// Number of words not read yet.
    pub(super) fn left(&self) -> usize {
        self.all.len().saturating_sub(self.at)
    }

    /// The word `by` places after the next one.
    pub(super) fn ahead(&self, by: usize) -> Option<&'a str> {
        self.all.get(self.at + by).map(|(_, word)| *word)
    }

    pub(super) fn word(&mut self, field: &str) -> Result<&'a str, FileError> {
        self.at += 1;
        match self.all.get(self.at - 1) {
            Some((_, word)) => Ok(word),
            None => Err(self.fault(field, "the file ends before it".into())),
        }
    }

    pub(super) fn number(&mut self, field: &str) -> Result<f64, FileError> {
        let word = self.word(field)?;
        match word.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.fault(field, format!("is {word}, must be a finite number"))),
        }
    }

    /// A vector of `n` numbers.
    pub(super) fn numbers(&mut self, field: &str, n: usize) -> Result<Vec<f64>, FileError> {
        self.must_hold(field, n)?;
        (0..n).map(|i| self.number(&format!("{field}[{i}]"))).collect()
    }

    /// A count or an index.
    pub(super) fn count(&mut self, field: &str) -> Result<usize, FileError> {
        let word = self.word(field)?;
        match word.parse::<usize>() {
            Ok(value) if value <= MOST => Ok(value),
            _ => Err(self.fault(field, format!("is {word}, must be a whole number up to {MOST}"))),
        }
    }

    pub(super) fn counts(&mut self, field: &str, n: usize) -> Result<Vec<usize>, FileError> {
        self.must_hold(field, n)?;
        (0..n).map(|_| self.count(field)).collect()
    }

    /// Rejects sizes beyond the length of the file: a short file must not demand gigabytes.
    pub(super) fn must_hold(&self, field: &str, entries: usize) -> Result<(), FileError> {
        if self.left() < entries {
            return Err(self.fault(field, format!("the file ends before its {entries} entries")));
        }
        Ok(())
    }
}

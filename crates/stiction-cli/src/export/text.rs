//! Tables as text: CSV, and a JSON object per line.

use super::ExportError;
use super::table::{Cell, Column, Sink};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A text file being written.
struct Page {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Page {
    fn create(path: &Path) -> Result<Self, ExportError> {
        let fault = |source| ExportError::Io { path: path.to_owned(), source };
        let file = BufWriter::new(File::create(path).map_err(fault)?);
        Ok(Page { path: path.to_owned(), file })
    }

    fn line(&mut self, mut line: String) -> Result<(), ExportError> {
        line.push('\n');
        self.file.write_all(line.as_bytes()).map_err(|source| self.fault(source))
    }

    fn finish(mut self) -> Result<(), ExportError> {
        self.file.flush().map_err(|source| self.fault(source))
    }

    fn fault(&self, source: std::io::Error) -> ExportError {
        ExportError::Io { path: self.path.clone(), source }
    }
}

/// Comma-separated values as in RFC 4180; missing values are empty.
pub struct Csv(Page);

impl Csv {
    pub fn create(path: &Path, columns: &[Column<'_>]) -> Result<Self, ExportError> {
        let mut page = Page::create(path)?;
        let names: Vec<String> =
            columns.iter().map(|column| csv(&Cell::Text(column.name))).collect();
        page.line(names.join(","))?;
        Ok(Csv(page))
    }
}

impl Sink for Csv {
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), ExportError> {
        let cells: Vec<String> = cells.iter().map(csv).collect();
        self.0.line(cells.join(","))
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        self.0.finish()
    }
}

/// Numbers with all their digits; text quoted where necessary.
fn csv(cell: &Cell<'_>) -> String {
    match cell {
        Cell::Whole(number) => number.to_string(),
        Cell::Number(number) => number.to_string(),
        Cell::Text(words) if words.contains([',', '"', '\n', '\r']) => {
            format!("\"{}\"", words.replace('"', "\"\""))
        }
        Cell::Text(words) => (*words).to_owned(),
        Cell::Flag(flag) => flag.to_string(),
        Cell::Nothing => String::new(),
    }
}

/// A JSON object per line; missing or non-finite values are null.
pub struct Lines {
    page: Page,
    names: Vec<String>,
}

impl Lines {
    pub fn create(path: &Path, columns: &[Column<'_>]) -> Result<Self, ExportError> {
        let names = columns.iter().map(|column| column.name.to_owned()).collect();
        Ok(Lines { page: Page::create(path)?, names })
    }
}

impl Sink for Lines {
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), ExportError> {
        let pair = |(name, cell): (&String, &Cell<'_>)| {
            format!("{}:{}", json(&Cell::Text(name)), json(cell))
        };
        let pairs: Vec<String> = self.names.iter().zip(cells).map(pair).collect();
        self.page.line(format!("{{{}}}", pairs.join(",")))
    }

    fn finish(self: Box<Self>) -> Result<(), ExportError> {
        self.page.finish()
    }
}

fn json(cell: &Cell<'_>) -> serde_json::Value {
    match *cell {
        Cell::Whole(number) => number.into(),
        Cell::Number(number) => number.into(),
        Cell::Text(words) => words.into(),
        Cell::Flag(flag) => flag.into(),
        Cell::Nothing => serde_json::Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_what_it_must_and_loses_no_digit() {
        for (cell, expected) in [
            (Cell::Text("brick.0"), "brick.0"),
            (Cell::Text("a \"b\", c"), "\"a \"\"b\"\", c\""),
            (Cell::Number(0.1 + 0.2), "0.30000000000000004"),
            (Cell::Whole(u64::MAX), "18446744073709551615"),
            (Cell::Nothing, ""),
        ] {
            assert_eq!(csv(&cell), expected);
        }
    }
}

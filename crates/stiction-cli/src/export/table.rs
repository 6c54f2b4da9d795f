//! Tables as rows of cells, independent of the file format.

use super::ExportError;

/// The type of a column; any cell may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Whole,
    Number,
    Text,
    Flag,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    pub name: &'a str,
    pub kind: Kind,
}

pub const fn whole(name: &'static str) -> Column<'static> {
    Column { name, kind: Kind::Whole }
}

pub const fn number(name: &'static str) -> Column<'static> {
    Column { name, kind: Kind::Number }
}

pub const fn text(name: &'static str) -> Column<'static> {
    Column { name, kind: Kind::Text }
}

pub const fn flag(name: &'static str) -> Column<'static> {
    Column { name, kind: Kind::Flag }
}

/// One value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    Whole(u64),
    Number(f64),
    Text(&'a str),
    Flag(bool),
    Nothing,
}

impl<'a> Cell<'a> {
    /// A number, if there is one.
    pub fn number(number: Option<f64>) -> Self {
        number.map_or(Cell::Nothing, Cell::Number)
    }

    /// A text, if there is one.
    pub fn text(words: Option<&'a str>) -> Self {
        words.map_or(Cell::Nothing, Cell::Text)
    }
}

/// Writes the rows of a table.
pub trait Sink {
    /// One row, a cell for every column.
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), ExportError>;

    /// Writes what is still buffered.
    fn finish(self: Box<Self>) -> Result<(), ExportError>;
}

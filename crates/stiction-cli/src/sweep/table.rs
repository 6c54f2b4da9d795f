//! The table of a sweep: columns in the order in which rows first have them.

use super::parts::Row;
use crate::export::{Cell, Column, ExportError, Format, Kind, sink};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// Refuses names of files that say no format.
pub fn check_ending(out: &Path) -> Result<(), String> {
    let words = || format!("{}: tables are written to .parquet, .csv and .jsonl", out.display());
    Format::of(out).map(|_| ()).ok_or_else(words)
}

/// Writes a table, whole or not at all.
pub fn write(out: &Path, rows: &[Row]) -> Result<(), String> {
    let columns = columns(rows);
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let unfinished = out.with_file_name(name);
    let format = Format::of(out).unwrap_or_default();
    fill(format, &unfinished, &columns, rows).map_err(|error| error.to_string())?;
    std::fs::rename(&unfinished, out).map_err(|error| format!("{}: {error}", out.display()))
}

fn fill(
    format: Format,
    path: &Path,
    columns: &[Column<'_>],
    rows: &[Row],
) -> Result<(), ExportError> {
    let mut sink = sink(format, path, columns)?;
    for row in rows {
        let texts: Vec<Option<String>> = columns.iter().map(|it| text(it, row)).collect();
        let cells = columns.iter().zip(&texts);
        let cells: Vec<Cell<'_>> =
            cells.map(|(column, words)| cell(column, words.as_deref(), row)).collect();
        sink.row(&cells)?;
    }
    sink.finish()
}

fn cell<'a>(column: &Column<'_>, words: Option<&'a str>, row: &Row) -> Cell<'a> {
    match (words, row.get(column.name)) {
        (Some(words), _) => Cell::Text(words),
        (None, Some(Value::Bool(flag))) => Cell::Flag(*flag),
        (None, Some(Value::Number(number))) => Cell::number(number.as_f64()),
        _ => Cell::Nothing,
    }
}

/// The text of a cell of a column of texts.
fn text(column: &Column<'_>, row: &Row) -> Option<String> {
    match row.get(column.name)? {
        _ if column.kind != Kind::Text => None,
        Value::Null => None,
        Value::String(words) => Some(words.clone()),
        other => Some(other.to_string()),
    }
}

/// Every column that a row has: of numbers, of truths, or else of texts.
fn columns(rows: &[Row]) -> Vec<Column<'_>> {
    let mut columns: Vec<(&str, Option<Kind>)> = Vec::new();
    let mut places = HashMap::new();
    for (name, value) in rows.iter().flat_map(Row::entries) {
        let place = *places.entry(name).or_insert_with(|| {
            columns.push((name, None));
            columns.len() - 1
        });
        let kind = match value {
            Value::Number(_) => Kind::Number,
            Value::Bool(_) => Kind::Flag,
            Value::Null => continue,
            _ => Kind::Text,
        };
        let known = &mut columns[place].1;
        *known = Some(if known.is_none_or(|known| known == kind) { kind } else { Kind::Text });
    }
    let column =
        |(name, kind): (_, Option<Kind>)| Column { name, kind: kind.unwrap_or(Kind::Text) };
    columns.into_iter().map(column).collect()
}

//! Lists of boxes along the axes: CSV with a header, or a JSON list of objects.
//!
//! | CSV columns | JSON field | meaning |
//! | --- | --- | --- |
//! | `name` | `name` | |
//! | `size_x`, `size_y`, `size_z` | `size` | edges |
//! | `corner_x`, … or `centre_x`, … | `corner` or `centre` | lowest corner, or the middle |
//! | `mass` or `density` | the same | |
//! | `fixed` | `fixed` | `true` for a support |
//!
//! A column may end with its unit: `size_x_mm`, `mass_t`.

use super::draft::{self, RawBlock, RawTolerance};
use super::{FileError, Options, Source, assembly1::GRAVITY, units};
use crate::assembly::{Assembly, FrictionTable};
use crate::solid::cuboid;
use glam::DVec3;
use serde::Deserialize;
use stiction_contact::{file, nearest};

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoxRow {
    name: Option<String>,
    size: [f64; 3],
    corner: Option<[f64; 3]>,
    #[serde(alias = "center")]
    centre: Option<[f64; 3]>,
    mass: Option<f64>,
    density: Option<f64>,
    #[serde(default)]
    fixed: bool,
}

/// Parses a JSON list.
pub(super) fn parse_json(source: Source<'_>, options: &Options) -> Result<Assembly, FileError> {
    let mut rows: Vec<BoxRow> = file::parse_json(source.text, source.file)?;
    let unit = options.unit.unwrap_or(1.0);
    for row in &mut rows {
        let lists = [Some(&mut row.size), row.corner.as_mut(), row.centre.as_mut()];
        lists.into_iter().flatten().flatten().for_each(|value| *value *= unit);
    }
    let fault = |index: Option<usize>, field: &str, message: String| {
        let dot = if field.is_empty() { "" } else { "." };
        let place = index.map_or(String::new(), |k| format!("[{k}]{dot}{field}"));
        source.fault(&place, message)
    };
    assemble(rows, source, options, fault)
}

/// Parses a table.
pub(super) fn parse_csv(source: Source<'_>, options: &Options) -> Result<Assembly, FileError> {
    let mut lines = source
        .text
        .lines()
        .enumerate()
        .map(|(k, line)| (k + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let Some((line, header)) = lines.next() else {
        return Err(source.fault_at(1, "header", "is missing: the file is empty"));
    };
    let columns = Column::read(header, options.unit.unwrap_or(1.0))
        .map_err(|(name, message)| source.fault_at(line, &name, message))?;
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    for (line, text) in lines {
        let fault = |(name, message): (String, String)| source.fault_at(line, &name, message);
        rows.push(row(&columns, text).map_err(fault)?);
        places.push(line);
    }
    let fault = |index: Option<usize>, field: &str, message: String| {
        source.fault_at(index.map_or(line, |k| places[k]), field, message)
    };
    assemble(rows, source, options, fault)
}

/// An assembly of boxes; `fault` makes an error of a field of a row.
fn assemble(
    rows: Vec<BoxRow>,
    source: Source<'_>,
    options: &Options,
    fault: impl Fn(Option<usize>, &str, String) -> FileError,
) -> Result<Assembly, FileError> {
    let Some(general) = options.friction else {
        let message = "a list of boxes has no coefficient of friction: give one";
        return Err(fault(None, "friction", message.into()));
    };
    let mut assembly = Assembly {
        name: source.file.to_owned(),
        gravity: options.gravity.unwrap_or(GRAVITY),
        friction: FrictionTable { general, pairs: Vec::new() },
        ..Assembly::default()
    };
    for (index, row) in rows.into_iter().enumerate() {
        let in_row = |field: &str, message: String| fault(Some(index), field, message);
        let size = DVec3::from(row.size);
        if !(size.is_finite() && size.min_element() > 0.0) {
            return Err(in_row("size", format!("is {:?}, must be positive", row.size)));
        }
        let low = match (row.corner, row.centre) {
            (Some(corner), None) => DVec3::from(corner),
            (None, Some(centre)) => DVec3::from(centre) - 0.5 * size,
            _ => return Err(in_row("corner", "or centre is needed, one of them".into())),
        };
        let (vertices, faces) = cuboid(low, low + size);
        let raw = RawBlock {
            name: row.name,
            fixed: row.fixed,
            vertices,
            faces,
            density: row.density,
            mass: row.mass,
            ..RawBlock::default()
        };
        assembly.blocks.push(raw.check(index, options, in_row)?);
    }
    let whole = |field: &str, message: String| fault(None, field, message);
    draft::finish(assembly, None, RawTolerance::default(), options, whole)
}

/// What a column of a table holds, and by what its numbers are multiplied.
struct Column {
    /// As the file has it.
    name: String,
    known: &'static str,
    kind: Kind,
    factor: f64,
}

#[derive(Clone, Copy)]
enum Kind {
    Name,
    Fixed,
    Size(usize),
    Corner(usize),
    Centre(usize),
    Mass,
    Density,
}

const COLUMNS: [(&str, Kind); 13] = [
    ("name", Kind::Name),
    ("fixed", Kind::Fixed),
    ("size_x", Kind::Size(0)),
    ("size_y", Kind::Size(1)),
    ("size_z", Kind::Size(2)),
    ("corner_x", Kind::Corner(0)),
    ("corner_y", Kind::Corner(1)),
    ("corner_z", Kind::Corner(2)),
    ("centre_x", Kind::Centre(0)),
    ("centre_y", Kind::Centre(1)),
    ("centre_z", Kind::Centre(2)),
    ("mass", Kind::Mass),
    ("density", Kind::Density),
];

const CORNER: [&str; 3] = ["corner_x", "corner_y", "corner_z"];
const CENTRE: [&str; 3] = ["centre_x", "centre_y", "centre_z"];

impl Column {
    fn read(header: &str, unit: f64) -> Result<Vec<Column>, (String, String)> {
        let mut found: Vec<Column> = Vec::new();
        for name in header.split(',').map(str::trim) {
            let column = Column::named(name, unit).map_err(|message| (name.to_owned(), message))?;
            if found.iter().any(|other| other.known == column.known) {
                return Err((name.to_owned(), "appears twice".into()));
            }
            found.push(column);
        }
        let has = |name: &str| found.iter().any(|column| column.known == name);
        for [x, y, z] in [["size_x", "size_y", "size_z"], CORNER, CENTRE] {
            let used = x.starts_with("size") || has(x) || has(y) || has(z);
            if let Some(missing) = [x, y, z].into_iter().find(|name| used && !has(name)) {
                return Err((missing.to_owned(), "is missing in the header".into()));
            }
        }
        Ok(found)
    }

    fn named(name: &str, unit: f64) -> Result<Column, String> {
        let plain = name.replace("center_", "centre_");
        let known = COLUMNS.iter().find(|(known, _)| {
            plain.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        });
        let Some((known, kind)) = known else {
            let names = COLUMNS.map(|column| column.0);
            if ["x", "y", "z"].contains(&name) {
                return Err(format!(
                    "may be the corner or the centre: name it corner_{name} or centre_{name}"
                ));
            }
            let hint = nearest(name, &names)
                .map_or_else(String::new, |it| format!("; did you mean {it:?}?"));
            return Err(format!("is not a column, which are {}{hint}", names.join(", ")));
        };
        let given = plain[known.len()..].strip_prefix('_');
        let factor = match (kind, given) {
            (Kind::Mass, Some(name)) => units::mass(name)?,
            (Kind::Size(_) | Kind::Corner(_) | Kind::Centre(_), Some(name)) => units::length(name)?,
            (_, Some(name)) => return Err(format!("has no unit {name:?}")),
            (Kind::Size(_) | Kind::Corner(_) | Kind::Centre(_), None) => unit,
            (_, None) => 1.0,
        };
        Ok(Column { name: name.to_owned(), known, kind: *kind, factor })
    }
}

/// One line of a table; errors name the column.
fn row(columns: &[Column], text: &str) -> Result<BoxRow, (String, String)> {
    let cells: Vec<&str> = text.split(',').map(str::trim).collect();
    if cells.len() != columns.len() {
        let message = format!("has {} cells, the header {}", cells.len(), columns.len());
        return Err(("line".into(), message));
    }
    let mut row = BoxRow::default();
    for (column, cell) in columns.iter().zip(cells) {
        let fault = |message: String| (column.name.clone(), message);
        let number = || {
            let value = cell.parse().ok().filter(|value: &f64| value.is_finite());
            let wrong = || fault(format!("is {cell:?}, must be a number"));
            value.map(|value| value * column.factor).ok_or_else(wrong)
        };
        match column.kind {
            Kind::Name => row.name = Some(cell.to_owned()).filter(|name| !name.is_empty()),
            Kind::Fixed => {
                row.fixed = match cell.to_ascii_lowercase().as_str() {
                    "true" | "yes" | "1" => true,
                    "false" | "no" | "0" | "" => false,
                    _ => return Err(fault(format!("is {cell:?}, must be true or false"))),
                }
            }
            Kind::Size(axis) => row.size[axis] = number()?,
            Kind::Corner(axis) => row.corner.get_or_insert([0.0; 3])[axis] = number()?,
            Kind::Centre(axis) => row.centre.get_or_insert([0.0; 3])[axis] = number()?,
            Kind::Mass | Kind::Density if cell.is_empty() => {}
            Kind::Mass => row.mass = Some(number()?),
            Kind::Density => row.density = Some(number()?),
        }
    }
    Ok(row)
}

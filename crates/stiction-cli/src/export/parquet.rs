//! Tables as Parquet files, in row groups of 65,536 rows.

use super::ExportError;
use super::table::{Cell, Column, Kind, Sink};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of a row group: buffered, then written.
const GROUP: usize = 65_536;

/// The values present in a column, and for every row whether it has one (1) or not (0).
struct Buffer {
    values: Values,
    present: Vec<i16>,
}

enum Values {
    Whole(Vec<i64>),
    Number(Vec<f64>),
    Text(Vec<ByteArray>),
    Flag(Vec<bool>),
}

impl Buffer {
    fn new(kind: Kind) -> Self {
        let values = match kind {
            Kind::Whole => Values::Whole(Vec::new()),
            Kind::Number => Values::Number(Vec::new()),
            Kind::Text => Values::Text(Vec::new()),
            Kind::Flag => Values::Flag(Vec::new()),
        };
        Buffer { values, present: Vec::new() }
    }

    /// A cell of another kind than the column's counts as missing.
    fn push(&mut self, cell: &Cell<'_>) {
        let mut present = 1;
        match (&mut self.values, *cell) {
            // The bits of an unsigned number, as the column's logical type says.
            (Values::Whole(values), Cell::Whole(number)) => values.push(number.cast_signed()),
            (Values::Number(values), Cell::Number(number)) => values.push(number),
            (Values::Text(values), Cell::Text(words)) => values.push(words.into()),
            (Values::Flag(values), Cell::Flag(flag)) => values.push(flag),
            _ => present = 0,
        }
        self.present.push(present);
    }

    fn write(&self, group: &mut SerializedRowGroupWriter<'_, File>) -> Result<(), ParquetError> {
        let Some(mut column) = group.next_column()? else { return Ok(()) };
        let present = Some(&self.present[..]);
        match &self.values {
            Values::Whole(values) => {
                column.typed::<Int64Type>().write_batch(values, present, None)?;
            }
            Values::Number(values) => {
                column.typed::<DoubleType>().write_batch(values, present, None)?;
            }
            Values::Text(values) => {
                column.typed::<ByteArrayType>().write_batch(values, present, None)?;
            }
            Values::Flag(values) => {
                column.typed::<BoolType>().write_batch(values, present, None)?;
            }
        }
        column.close()
    }
}

/// A Parquet file being written.
pub struct Writer {
    path: PathBuf,
    file: SerializedFileWriter<File>,
    kinds: Vec<Kind>,
    buffers: Vec<Buffer>,
    rows: usize,
}

impl Writer {
    pub fn create(path: &Path, columns: &[Column<'_>]) -> Result<Self, ExportError> {
        let fault = |source| ExportError::Parquet { path: path.to_owned(), source };
        let io = |source| ExportError::Io { path: path.to_owned(), source };
        let schema = schema(columns).map_err(fault)?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let file = File::create(path).map_err(io)?;
        let file = SerializedFileWriter::new(file, schema, Arc::new(properties)).map_err(fault)?;
        let kinds: Vec<Kind> = columns.iter().map(|column| column.kind).collect();
        let buffers = empty(&kinds);
        Ok(Writer { path: path.to_owned(), file, kinds, buffers, rows: 0 })
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for buffer in &self.buffers {
            buffer.write(&mut group)?;
        }
        group.close()?;
        (self.buffers, self.rows) = (empty(&self.kinds), 0);
        Ok(())
    }

    fn fault(&self, source: ParquetError) -> ExportError {
        ExportError::Parquet { path: self.path.clone(), source }
    }
}

fn empty(kinds: &[Kind]) -> Vec<Buffer> {
    kinds.iter().map(|kind| Buffer::new(*kind)).collect()
}

impl Sink for Writer {
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), ExportError> {
        self.buffers.iter_mut().zip(cells).for_each(|(buffer, cell)| buffer.push(cell));
        self.rows += 1;
        if self.rows < GROUP {
            return Ok(());
        }
        self.write_group().map_err(|source| self.fault(source))
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        let last = if self.rows > 0 { self.write_group() } else { Ok(()) };
        let done = last.and_then(|()| self.file.finish().map(|_| ()));
        done.map_err(|source| self.fault(source))
    }
}

fn schema(columns: &[Column<'_>]) -> Result<TypePtr, ParquetError> {
    let field = |column: &Column<'_>| {
        let (physical, logical) = match column.kind {
            Kind::Whole => (Physical::INT64, Some(LogicalType::integer(64, false))),
            Kind::Number => (Physical::DOUBLE, None),
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Flag => (Physical::BOOLEAN, None),
        };
        Type::primitive_type_builder(column.name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
    Type::group_type_builder("stiction").with_fields(fields).build().map(Arc::new)
}

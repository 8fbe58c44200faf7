//! Tables of results as Parquet: the same rows give the same bytes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use calibrant_schema::scores::{Outcome, ResponseRow};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use crate::tables::responses::joined;

/// Rows of a row group; fixed, so that bytes depend on the rows alone.
const GROUP: usize = 1 << 20;

/// Texts of a column may take this many bytes before its dictionary is given up: ids of a million items fit.
const DICTIONARY: usize = 64 * 1024 * 1024;

/// The cells of a column by row.
pub(super) enum Cells<'a> {
    /// Texts, one in each row.
    Text(&'a dyn Fn(usize) -> ByteArray),
    /// Texts or nothing.
    OptionalText(&'a dyn Fn(usize) -> Option<ByteArray>),
    /// Numbers, one in each row.
    Number(&'a dyn Fn(usize) -> f64),
    /// Numbers or nothing.
    OptionalNumber(&'a dyn Fn(usize) -> Option<f64>),
    /// Whole numbers.
    Whole(&'a dyn Fn(usize) -> i32),
}

/// A file of these columns.
pub(super) fn table(rows: usize, columns: &[(&str, Cells<'_>)]) -> Vec<u8> {
    let write = || -> Result<Vec<u8>> {
        let mut writer = SerializedFileWriter::new(Vec::new(), schema(columns)?, Arc::new(properties()?))?;
        for start in (0..rows).step_by(GROUP) {
            let range = start..rows.min(start + GROUP);
            let mut group = writer.next_row_group()?;
            for (_, cells) in columns {
                let mut column = group.next_column()?.expect("the schema has every column");
                write_cells(&mut column, cells, range.clone())?;
                column.close()?;
            }
            group.close()?;
        }
        writer.into_inner()
    };
    write().expect("memory takes a table of the types its schema names")
}

fn properties() -> Result<WriterProperties> {
    Ok(WriterProperties::builder()
        .set_created_by("calibrant".to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_dictionary_page_size_limit(DICTIONARY)
        .build())
}

fn schema(columns: &[(&str, Cells<'_>)]) -> Result<TypePtr> {
    let fields = columns
        .iter()
        .map(|(name, cells)| {
            let (physical, logical) = match cells {
                Cells::Text(_) | Cells::OptionalText(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
                Cells::Number(_) | Cells::OptionalNumber(_) => (Physical::DOUBLE, None),
                Cells::Whole(_) => (Physical::INT32, None),
            };
            let repetition = match cells {
                Cells::OptionalText(_) | Cells::OptionalNumber(_) => Repetition::OPTIONAL,
                _ => Repetition::REQUIRED,
            };
            let field = Type::primitive_type_builder(name, physical)
                .with_logical_type(logical)
                .with_repetition(repetition)
                .build()?;
            Ok(Arc::new(field))
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(Type::group_type_builder("table").with_fields(fields).build()?))
}

fn write_cells(column: &mut SerializedColumnWriter<'_>, cells: &Cells<'_>, rows: Range<usize>) -> Result<()> {
    match cells {
        Cells::Text(cell) => write_all::<ByteArrayType>(column, rows.map(cell).collect()),
        Cells::Number(cell) => write_all::<DoubleType>(column, rows.map(cell).collect()),
        Cells::Whole(cell) => write_all::<Int32Type>(column, rows.map(cell).collect()),
        Cells::OptionalText(cell) => write_some::<ByteArrayType>(column, rows.map(cell)),
        Cells::OptionalNumber(cell) => write_some::<DoubleType>(column, rows.map(cell)),
    }
}

fn write_all<T: DataType>(column: &mut SerializedColumnWriter<'_>, values: Vec<T::T>) -> Result<()> {
    column.typed::<T>().write_batch(&values, None, None).map(drop)
}

fn write_some<T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    cells: impl Iterator<Item = Option<T::T>>,
) -> Result<()> {
    let (mut values, mut present) = (Vec::new(), Vec::new());
    for cell in cells {
        present.push(i16::from(cell.is_some()));
        values.extend(cell);
    }
    column.typed::<T>().write_batch(&values, Some(&present), None).map(drop)
}

/// `responses.parquet`.
pub(crate) fn write_responses(rows: &[ResponseRow]) -> Vec<u8> {
    let text = |text: &str| ByteArray::from(text.as_bytes().to_vec());
    // A name stands in many rows; its bytes are kept once.
    let mut kept: BTreeMap<&str, ByteArray> = BTreeMap::new();
    for name in rows.iter().flat_map(|row| [&row.system, &row.query, &row.sample]) {
        kept.entry(name).or_insert_with(|| text(name));
    }
    let columns = [
        ("system", Cells::Text(&|row| kept[rows[row].system.as_str()].clone())),
        ("query", Cells::Text(&|row| kept[rows[row].query.as_str()].clone())),
        ("sample", Cells::Text(&|row| kept[rows[row].sample.as_str()].clone())),
        ("score", Cells::OptionalNumber(&|row| rows[row].score)),
        (
            "score_undefined",
            Cells::OptionalText(&|row| rows[row].score_undefined.as_ref().map(|why| text(&why.reason))),
        ),
        (
            "outcome",
            Cells::OptionalText(&|row| rows[row].outcome.map(|outcome: Outcome| text(outcome.word()))),
        ),
        (
            "gates_failed",
            Cells::Text(&|row| text(&joined(&rows[row].gates_failed))),
        ),
        ("coverage", Cells::Number(&|row| rows[row].coverage)),
    ];
    table(rows.len(), &columns)
}

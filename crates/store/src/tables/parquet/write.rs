//! Tables of results as Parquet: the same rows give the same bytes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use calibrant_schema::scores::{Outcome, ResponseRow};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type};
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
pub(crate) enum Cells<'a> {
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
    /// Yes or no.
    Flag(&'a dyn Fn(usize) -> bool),
    /// Lists of texts.
    Texts(&'a dyn Fn(usize) -> Vec<ByteArray>),
    /// Lists of numbers.
    Numbers(&'a dyn Fn(usize) -> Vec<f64>),
    /// Lists of objects with texts under these keys: for each key the list of its texts.
    Objects(&'a [&'a str], &'a dyn Fn(usize, usize) -> Vec<ByteArray>),
}

/// A file of these columns.
pub(crate) fn table(rows: usize, columns: &[(&str, Cells<'_>)]) -> Vec<u8> {
    let write = || -> Result<Vec<u8>> {
        let mut writer = SerializedFileWriter::new(Vec::new(), schema(columns)?, Arc::new(properties()?))?;
        for start in (0..rows).step_by(GROUP) {
            let range = start..rows.min(start + GROUP);
            let mut group = writer.next_row_group()?;
            for (_, cells) in columns {
                let leaves = match cells {
                    Cells::Objects(keys, _) => keys.len(),
                    _ => 1,
                };
                for leaf in 0..leaves {
                    let mut column = group.next_column()?.expect("the schema has every column");
                    write_cells(&mut column, cells, leaf, range.clone())?;
                    column.close()?;
                }
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
        .map(|(name, cells)| field(name, cells))
        .collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(Type::group_type_builder("table").with_fields(fields).build()?))
}

fn field(name: &str, cells: &Cells<'_>) -> Result<TypePtr> {
    let text = || leaf("element", Physical::BYTE_ARRAY, Repetition::REQUIRED);
    match cells {
        Cells::Text(_) => leaf(name, Physical::BYTE_ARRAY, Repetition::REQUIRED),
        Cells::OptionalText(_) => leaf(name, Physical::BYTE_ARRAY, Repetition::OPTIONAL),
        Cells::Number(_) => leaf(name, Physical::DOUBLE, Repetition::REQUIRED),
        Cells::OptionalNumber(_) => leaf(name, Physical::DOUBLE, Repetition::OPTIONAL),
        Cells::Whole(_) => leaf(name, Physical::INT32, Repetition::REQUIRED),
        Cells::Flag(_) => leaf(name, Physical::BOOLEAN, Repetition::REQUIRED),
        Cells::Texts(_) => list(name, text()?),
        Cells::Numbers(_) => list(name, leaf("element", Physical::DOUBLE, Repetition::REQUIRED)?),
        Cells::Objects(keys, _) => {
            let of_key = |key: &&str| leaf(key, Physical::BYTE_ARRAY, Repetition::REQUIRED);
            let fields = keys.iter().map(of_key).collect::<Result<Vec<_>>>()?;
            list(name, group("element", fields, Repetition::REQUIRED, None)?)
        }
    }
}

fn leaf(name: &str, physical: Physical, repetition: Repetition) -> Result<TypePtr> {
    let logical = (physical == Physical::BYTE_ARRAY).then_some(LogicalType::String);
    let leaf = Type::primitive_type_builder(name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition);
    Ok(Arc::new(leaf.build()?))
}

fn group(name: &str, fields: Vec<TypePtr>, repetition: Repetition, logical: Option<LogicalType>) -> Result<TypePtr> {
    let group = Type::group_type_builder(name)
        .with_fields(fields)
        .with_repetition(repetition)
        .with_logical_type(logical);
    Ok(Arc::new(group.build()?))
}

/// A list that is always there, of elements that are, in the three levels that Parquet has for it.
fn list(name: &str, element: TypePtr) -> Result<TypePtr> {
    let repeated = group("list", vec![element], Repetition::REPEATED, None)?;
    group(name, vec![repeated], Repetition::REQUIRED, Some(LogicalType::List))
}

fn write_cells(
    column: &mut SerializedColumnWriter<'_>,
    cells: &Cells<'_>,
    leaf: usize,
    rows: Range<usize>,
) -> Result<()> {
    match cells {
        Cells::Text(cell) => write_all::<ByteArrayType>(column, rows.map(cell).collect()),
        Cells::Number(cell) => write_all::<DoubleType>(column, rows.map(cell).collect()),
        Cells::Whole(cell) => write_all::<Int32Type>(column, rows.map(cell).collect()),
        Cells::Flag(cell) => write_all::<BoolType>(column, rows.map(cell).collect()),
        Cells::OptionalText(cell) => write_some::<ByteArrayType>(column, rows.map(cell)),
        Cells::OptionalNumber(cell) => write_some::<DoubleType>(column, rows.map(cell)),
        Cells::Texts(cell) => write_lists::<ByteArrayType>(column, rows.map(cell)),
        Cells::Numbers(cell) => write_lists::<DoubleType>(column, rows.map(cell)),
        Cells::Objects(_, cell) => write_lists::<ByteArrayType>(column, rows.map(|row| cell(row, leaf))),
    }
}

/// A list is told by two numbers an element: whether there is one, and whether it goes on with the list before it.
fn write_lists<T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    cells: impl Iterator<Item = Vec<T::T>>,
) -> Result<()> {
    let (mut values, mut present, mut goes_on) = (Vec::new(), Vec::new(), Vec::new());
    for cell in cells {
        present.extend(std::iter::repeat_n(1, cell.len()));
        goes_on.extend((0..cell.len()).map(|at| i16::from(at > 0)));
        if cell.is_empty() {
            present.push(0);
            goes_on.push(0);
        }
        values.extend(cell);
    }
    column
        .typed::<T>()
        .write_batch(&values, Some(&present), Some(&goes_on))
        .map(drop)
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

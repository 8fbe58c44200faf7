//! One column of a Parquet file as codes of its distinct texts.

use parquet::column::page::PageReader;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{BoolType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type};
use parquet::errors::Result;
use parquet::schema::types::ColumnDescPtr;
use rustc_hash::FxHashMap;

use super::kind::{Kind, Sign};
use super::pages::CodedPages;
use crate::tables::coded::{CodedColumn, NULL, SharedTexts, Texts};

/// A column being read, row group after row group.
pub(super) struct Column {
    /// Its place among the leaves of the schema.
    pub(super) leaf: usize,
    /// Its texts, and the codes of the rows read last.
    pub(super) coded: CodedColumn,
    column: ColumnDescPtr,
    kind: Kind,
    values: Option<Box<dyn Values>>,
}

impl Column {
    pub(super) fn new(leaf: usize, column: ColumnDescPtr, kind: Kind) -> Self {
        Self {
            leaf,
            coded: CodedColumn::default(),
            column,
            kind,
            values: None,
        }
    }

    /// Goes on with the pages of the next row group.
    pub(super) fn open(&mut self, pages: Box<dyn PageReader>) -> Result<()> {
        let column = self.column.clone();
        self.values = Some(match self.kind {
            Kind::Text => {
                let pages = CodedPages::new(pages, column, self.coded.texts.clone());
                typed::<Int32Type>(pages.column_of_codes()?, Box::new(pages), |code, _| *code as u32)
            }
            Kind::Truth => typed::<BoolType>(column, pages, |truth, numbers| {
                numbers.code(u64::from(*truth), || truth.to_string())
            }),
            Kind::Whole32(Sign::Signed) => typed::<Int32Type>(column, pages, |whole, numbers| {
                numbers.code(*whole as u64, || whole.to_string())
            }),
            Kind::Whole32(Sign::Unsigned) => typed::<Int32Type>(column, pages, |whole, numbers| {
                numbers.code(*whole as u64, || (*whole as u32).to_string())
            }),
            Kind::Whole64(Sign::Signed) => typed::<Int64Type>(column, pages, |whole, numbers| {
                numbers.code(*whole as u64, || whole.to_string())
            }),
            Kind::Whole64(Sign::Unsigned) => typed::<Int64Type>(column, pages, |whole, numbers| {
                numbers.code(*whole as u64, || (*whole as u64).to_string())
            }),
            Kind::Half => typed::<FixedLenByteArrayType>(column, pages, |half, numbers| {
                // The schema says that a value has two bytes; a page may say otherwise.
                let bits = half
                    .data()
                    .first_chunk()
                    .map_or(u16::MAX, |bytes| u16::from_le_bytes(*bytes));
                numbers.code(bits.into(), || half_to_double(bits).to_string())
            }),
            Kind::Single => typed::<FloatType>(column, pages, |number, numbers| {
                numbers.code(number.to_bits().into(), || number.to_string())
            }),
            Kind::Double => typed::<DoubleType>(column, pages, |number, numbers| {
                numbers.code(number.to_bits(), || number.to_string())
            }),
        });
        Ok(())
    }

    /// Reads up to `most` rows into `codes`; returns how many there were.
    pub(super) fn read(&mut self, most: usize) -> Result<usize> {
        self.coded.codes.clear();
        if let Some(values) = &mut self.values {
            values.read(most, &self.coded.texts, &mut self.coded.codes)?;
        }
        Ok(self.coded.codes.len())
    }
}

/// Values of one physical type on their way to codes.
trait Values {
    fn read(&mut self, most: usize, texts: &SharedTexts, into: &mut Vec<u32>) -> Result<()>;
}

struct Typed<T: DataType, F> {
    reader: ColumnReaderImpl<T>,
    has_nulls: bool,
    nulls: Vec<i16>,
    values: Vec<T::T>,
    seen: FxHashMap<u64, u32>,
    code: F,
}

fn typed<T: DataType>(
    column: ColumnDescPtr,
    pages: Box<dyn PageReader>,
    code: fn(&T::T, &mut Numbers<'_>) -> u32,
) -> Box<dyn Values> {
    Box::new(Typed {
        has_nulls: column.max_def_level() > 0,
        reader: ColumnReaderImpl::<T>::new(column, pages),
        nulls: Vec::new(),
        values: Vec::new(),
        seen: FxHashMap::default(),
        code,
    })
}

impl<T: DataType, F: Fn(&T::T, &mut Numbers<'_>) -> u32> Values for Typed<T, F> {
    fn read(&mut self, most: usize, texts: &SharedTexts, into: &mut Vec<u32>) -> Result<()> {
        self.nulls.clear();
        self.values.clear();
        self.reader
            .read_records(most, Some(&mut self.nulls), None, &mut self.values)?;
        let mut texts = texts.lock();
        let mut numbers = Numbers {
            seen: &mut self.seen,
            texts: &mut texts,
            last: None,
        };
        let mut codes = self.values.iter().map(|value| (self.code)(value, &mut numbers));
        if self.has_nulls && self.values.len() < self.nulls.len() {
            let filled = self.nulls.iter().map(|level| match level {
                0 => NULL,
                _ => codes.next().unwrap_or(NULL),
            });
            into.extend(filled);
        } else {
            into.extend(codes);
        }
        Ok(())
    }
}

/// Codes of values that are not stored as text, by their bits.
struct Numbers<'a> {
    seen: &'a mut FxHashMap<u64, u32>,
    texts: &'a mut Texts,
    last: Option<(u64, u32)>,
}

impl Numbers<'_> {
    fn code(&mut self, bits: u64, text: impl FnOnce() -> String) -> u32 {
        if let Some((last, code)) = self.last
            && last == bits
        {
            return code;
        }
        let code = *self.seen.entry(bits).or_insert_with(|| self.texts.code(&text()));
        self.last = Some((bits, code));
        code
    }
}

/// The value of a floating point number of 16 bits (IEEE 754, binary16).
fn half_to_double(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of IEEE 754-2019, table 3.5, binary16: one, the largest number, the smallest, and a third.
    #[test]
    fn halves_are_read_as_ieee_754_says() {
        assert_eq!(half_to_double(0x3c00), 1.0);
        assert_eq!(half_to_double(0x7bff), 65504.0);
        assert_eq!(half_to_double(0x0001), 2_f64.powi(-24));
        assert_eq!(half_to_double(0xb800), -0.5);
        assert!(half_to_double(0x7c01).is_nan());
        assert_eq!(half_to_double(0xfc00), f64::NEG_INFINITY);
    }
}

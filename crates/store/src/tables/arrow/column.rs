//! One column of a table in memory as codes of its distinct texts.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::DataType;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

use crate::tables::coded::{CodedColumn, NULL, Texts};
use crate::tables::role::Role;

/// A column with a role, batch after batch.
pub(super) struct ArrowColumn {
    /// What it holds.
    pub(super) role: Role,
    /// Its place in the schema.
    pub(super) place: usize,
    /// Its texts, and the codes of the rows read last.
    pub(super) coded: CodedColumn,
    /// Codes of numbers and truth values by their bits: their texts are written once.
    numbers: FxHashMap<u64, u32>,
    /// Codes of the texts of the batch's dictionary, where it has one.
    dictionary: Vec<u32>,
    codes_hash: Sha256,
}

impl ArrowColumn {
    pub(super) fn new(role: Role, place: usize) -> Self {
        Self {
            role,
            place,
            coded: CodedColumn::default(),
            numbers: FxHashMap::default(),
            dictionary: Vec::new(),
            codes_hash: Sha256::new(),
        }
    }

    /// Looks at the dictionary of a batch: a text that no row has gets no code of the table's until a row has it.
    pub(super) fn open(&mut self, array: &ArrayRef) {
        self.dictionary.clear();
        if let DataType::Dictionary(..) = array.data_type() {
            let values = array.as_any_dictionary().values();
            self.dictionary.resize(values.len(), NOT_MET);
        }
    }

    /// Reads these rows of the batch into codes.
    pub(super) fn read(&mut self, array: &ArrayRef, rows: Range<usize>) {
        self.coded.codes.clear();
        let mut codes = std::mem::take(&mut self.coded.codes);
        match array.data_type() {
            DataType::Dictionary(key, _) => self.dictionary_codes(array, key, rows, &mut codes),
            _ => {
                let shared = self.coded.texts.clone();
                let mut texts = shared.lock();
                let mut coder = Coder {
                    texts: &mut texts,
                    numbers: &mut self.numbers,
                };
                rows.for_each(|row| codes.push(coder.code(array.as_ref(), row)));
            }
        }
        for code in &codes {
            self.codes_hash.update(code.to_le_bytes());
        }
        self.coded.codes = codes;
    }

    fn dictionary_codes(&mut self, array: &ArrayRef, key: &DataType, rows: Range<usize>, codes: &mut Vec<u32>) {
        match key {
            DataType::Int8 => self.by_key::<Int8Type>(array, rows, codes),
            DataType::Int16 => self.by_key::<Int16Type>(array, rows, codes),
            DataType::Int32 => self.by_key::<Int32Type>(array, rows, codes),
            DataType::Int64 => self.by_key::<Int64Type>(array, rows, codes),
            DataType::UInt8 => self.by_key::<UInt8Type>(array, rows, codes),
            DataType::UInt16 => self.by_key::<UInt16Type>(array, rows, codes),
            DataType::UInt32 => self.by_key::<UInt32Type>(array, rows, codes),
            _ => self.by_key::<UInt64Type>(array, rows, codes),
        }
    }

    fn by_key<K: ArrowDictionaryKeyType>(&mut self, array: &ArrayRef, rows: Range<usize>, codes: &mut Vec<u32>) {
        let column = array.as_dictionary::<K>();
        let shared = self.coded.texts.clone();
        let mut texts = shared.lock();
        let mut coder = Coder {
            texts: &mut texts,
            numbers: &mut self.numbers,
        };
        for row in rows {
            let code = match column.key(row) {
                None => NULL,
                Some(key) => match self.dictionary.get_mut(key) {
                    None => NULL,
                    Some(known) => {
                        if *known == NOT_MET {
                            *known = coder.code(column.values().as_ref(), key);
                        }
                        *known
                    }
                },
            };
            codes.push(code);
        }
    }

    /// SHA-256 of the texts met, in their order, and of the codes of all rows.
    pub(super) fn finish(self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let texts = self.coded.texts.lock();
        for code in 0..texts.len() as u32 {
            let text = texts.get(code);
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        hash.update(self.codes_hash.finalize());
        hash.finalize().into()
    }
}

/// A text of a dictionary that no row was met with; no table has so many texts that this is one's code.
const NOT_MET: u32 = u32::MAX - 1;

/// Gives values their codes.
struct Coder<'a> {
    texts: &'a mut Texts,
    numbers: &'a mut FxHashMap<u64, u32>,
}

impl Coder<'_> {
    /// The code of one value of an array of a type that [`may_hold`] some role.
    fn code(&mut self, array: &dyn Array, row: usize) -> u32 {
        if array.is_null(row) {
            return NULL;
        }
        match array.data_type() {
            DataType::Utf8 => self.texts.code(array.as_string::<i32>().value(row)),
            DataType::LargeUtf8 => self.texts.code(array.as_string::<i64>().value(row)),
            DataType::Utf8View => self.texts.code(array.as_string_view().value(row)),
            DataType::Boolean => {
                let truth = array.as_boolean().value(row);
                self.number(u64::from(truth), || truth.to_string())
            }
            DataType::Int8 => self.whole::<Int8Type>(array, row),
            DataType::Int16 => self.whole::<Int16Type>(array, row),
            DataType::Int32 => self.whole::<Int32Type>(array, row),
            DataType::Int64 => self.whole::<Int64Type>(array, row),
            DataType::UInt8 => self.whole::<UInt8Type>(array, row),
            DataType::UInt16 => self.whole::<UInt16Type>(array, row),
            DataType::UInt32 => self.whole::<UInt32Type>(array, row),
            DataType::UInt64 => {
                let whole = array.as_primitive::<UInt64Type>().value(row);
                self.number(whole, || whole.to_string())
            }
            DataType::Float16 => {
                let half = array.as_primitive::<Float16Type>().value(row).to_f64();
                self.float(half, half.to_string())
            }
            DataType::Float32 => {
                let single = array.as_primitive::<Float32Type>().value(row);
                self.float(f64::from(single), single.to_string())
            }
            DataType::Float64 => {
                let double = array.as_primitive::<Float64Type>().value(row);
                if double.is_nan() {
                    return NULL;
                }
                self.number(double.to_bits(), || double.to_string())
            }
            // A column of nothing.
            _ => NULL,
        }
    }

    fn whole<T: ArrowPrimitiveType>(&mut self, array: &dyn Array, row: usize) -> u32
    where
        T::Native: Into<i64>,
    {
        let whole: i64 = array.as_primitive::<T>().value(row).into();
        self.number(whole as u64, || whole.to_string())
    }

    /// Frames without a null of their own write NaN for a missing number.
    fn float(&mut self, value: f64, text: String) -> u32 {
        if value.is_nan() {
            return NULL;
        }
        self.number(value.to_bits(), || text)
    }

    fn number(&mut self, bits: u64, text: impl FnOnce() -> String) -> u32 {
        match self.numbers.get(&bits) {
            Some(code) => *code,
            None => {
                let code = self.texts.code(&text());
                self.numbers.insert(bits, code);
                code
            }
        }
    }
}

/// Whether a column of this type may hold a role: ids are texts or whole numbers, labels any number or truth value too.
pub(super) fn may_hold(kind: &DataType, role: Role) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => true,
        DataType::Dictionary(_, values) => may_hold(values, role) && !matches!(**values, DataType::Dictionary(..)),
        DataType::Boolean | DataType::Float16 | DataType::Float32 | DataType::Float64 => {
            matches!(role, Role::Label | Role::Probability)
        }
        kind if kind.is_integer() => !matches!(role, Role::Status | Role::RubricHash),
        _ => false,
    }
}

/// A type in words.
pub(super) fn words(kind: &DataType) -> String {
    match kind {
        DataType::Boolean => "truth values".to_owned(),
        kind if kind.is_floating() => "floating point numbers".to_owned(),
        kind if kind.is_integer() => "whole numbers".to_owned(),
        kind if kind.is_temporal() => "dates or times".to_owned(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            "bytes".to_owned()
        }
        kind if kind.is_nested() => "values inside of values (a list, a map or a struct)".to_owned(),
        kind => format!("values of the type {kind}"),
    }
}

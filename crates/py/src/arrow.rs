//! Tables of other libraries through the Arrow PyCapsule interface, and our codes as dictionaries.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{UInt8Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, RecordBatch, RecordBatchIterator, RecordBatchReader, StringArray, StructArray,
    UInt32Array,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use calibrant_schema::Names;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::errors;

/// Record batches of another library's table, or of one of ours, without a copy.
///
/// # Errors
/// If the object has none of the methods of the interface, or what they give is none of its capsules.
pub(crate) fn batches(table: &Bound<'_, PyAny>, argument: &str) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    let py = table.py();
    if table.hasattr("__arrow_c_stream__")? {
        let capsule = table.call_method0("__arrow_c_stream__")?;
        let capsule = taken(&capsule, argument)?;
        let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
        // SAFETY: a capsule of this name holds an `ArrowArrayStream`, and taking it leaves a released one behind, as the interface says.
        let reader = unsafe { RecordBatchStreamReader::from_raw(stream.as_ptr().cast::<FFI_ArrowArrayStream>()) };
        let reader = reader.map_err(|reason| {
            errors::argument(
                py,
                argument,
                &format!("`{argument}` is no table: {reason}"),
                Some("give a table with columns: a frame, a record batch or a list of them"),
            )
        })?;
        return Ok(Box::new(reader));
    }
    if table.hasattr("__arrow_c_array__")? {
        return one_batch(table, argument);
    }
    let kind = table.get_type().qualname()?.to_string();
    Err(errors::argument(
        py,
        argument,
        &format!("`{argument}` is a {kind}, which has no `__arrow_c_stream__`"),
        Some(
            "give a frame of Polars, pandas 3, PyArrow or DuckDB, or the path of a file to `read_verdicts`; a dict becomes a frame by `polars.DataFrame` or `pyarrow.table`",
        ),
    ))
}

fn one_batch(table: &Bound<'_, PyAny>, argument: &str) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    let py = table.py();
    let pair = table.call_method0("__arrow_c_array__")?;
    let wrong = |reason: &str| {
        let what = format!("`{argument}` is no table: {reason}");
        errors::argument(
            py,
            argument,
            &what,
            Some("give a record batch, not an array of single values"),
        )
    };
    let (schema, array) = pair
        .cast::<PyTuple>()
        .map_err(|_| wrong("its `__arrow_c_array__` gives no pair of capsules"))?
        .extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
    let (schema, array) = (taken(&schema, argument)?, taken(&array, argument)?);
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?;
    let array = array.pointer_checked(Some(c"arrow_array"))?;
    // SAFETY: capsules of these names hold the structures of the interface; taking them leaves released ones behind.
    let data = unsafe {
        let schema = FFI_ArrowSchema::from_raw(schema.as_ptr().cast());
        from_ffi(FFI_ArrowArray::from_raw(array.as_ptr().cast()), &schema)
    };
    let data = data.map_err(|reason| wrong(&reason.to_string()))?;
    if !matches!(data.data_type(), arrow_schema::DataType::Struct(_)) {
        return Err(wrong("it holds single values instead of rows"));
    }
    let batch = RecordBatch::from(StructArray::from(data));
    let schema = batch.schema();
    Ok(Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
}

fn taken<'a, 'py>(capsule: &'a Bound<'py, PyAny>, argument: &str) -> PyResult<&'a Bound<'py, PyCapsule>> {
    capsule.cast::<PyCapsule>().map_err(|_| {
        let what = format!("what `{argument}` gives for the Arrow interface is no capsule");
        errors::argument(capsule.py(), argument, &what, None)
    })
}

/// A column of codes into names, without a copy of the codes.
pub(crate) fn named(codes: Vec<u32>, names: &Names) -> ArrayRef {
    let names: StringArray = names.iter().map(Some).collect();
    let column = DictionaryArray::<UInt32Type>::try_new(UInt32Array::from(codes), Arc::new(names));
    Arc::new(column.expect("codes are smaller than the number of names"))
}

/// The text of one cell of a column of texts or of codes of texts; none where it is null or the column is of another type.
pub(crate) fn text(column: &ArrayRef, row: usize) -> Option<&str> {
    if let Some(texts) = column.as_string_opt::<i32>() {
        return texts.is_valid(row).then(|| texts.value(row));
    }
    let (key, values) = match column.as_dictionary_opt::<UInt32Type>() {
        Some(column) => (column.key(row)?, column.values()),
        None => {
            let column = column.as_dictionary_opt::<UInt8Type>()?;
            (column.key(row)?, column.values())
        }
    };
    Some(values.as_string_opt::<i32>()?.value(key))
}

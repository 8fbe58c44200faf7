//! A table of results: named columns in memory, handed on through the Arrow C stream interface.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringBuilder};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt16Type};
use arrow_array::{Array, ArrayRef, BooleanArray, PrimitiveArray, RecordBatch, RecordBatchIterator};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field, Schema};
use numpy::ndarray::ArrayView1;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};

use crate::arrow::text;
use crate::table_html;

/// A table being made, column by column; all columns have one length.
#[derive(Default)]
pub(crate) struct Builder {
    fields: Vec<Field>,
    columns: Vec<ArrayRef>,
}

impl Builder {
    /// A column of texts.
    pub(crate) fn text<T: AsRef<str>>(mut self, name: &str, values: impl IntoIterator<Item = Option<T>>) -> Self {
        let mut column = StringBuilder::new();
        values.into_iter().for_each(|value| column.append_option(value));
        self.push(name, DataType::Utf8, Arc::new(column.finish()));
        self
    }

    /// A column of numbers; what is undefined is null.
    pub(crate) fn number(mut self, name: &str, values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let mut column = Float64Builder::new();
        values.into_iter().for_each(|value| column.append_option(value));
        self.push(name, DataType::Float64, Arc::new(column.finish()));
        self
    }

    /// A column of whole numbers.
    pub(crate) fn integer(mut self, name: &str, values: impl IntoIterator<Item = Option<i64>>) -> Self {
        let mut column = Int64Builder::new();
        values.into_iter().for_each(|value| column.append_option(value));
        self.push(name, DataType::Int64, Arc::new(column.finish()));
        self
    }

    /// A column of truth values.
    pub(crate) fn flag(mut self, name: &str, values: impl IntoIterator<Item = Option<bool>>) -> Self {
        let mut column = BooleanBuilder::new();
        values.into_iter().for_each(|value| column.append_option(value));
        self.push(name, DataType::Boolean, Arc::new(column.finish()));
        self
    }

    /// A column that is an array already.
    pub(crate) fn array(mut self, name: &str, values: ArrayRef) -> Self {
        self.push(name, values.data_type().clone(), values);
        self
    }

    fn push(&mut self, name: &str, kind: DataType, values: ArrayRef) {
        self.fields.push(Field::new(name, kind, true));
        self.columns.push(values);
    }

    /// The table.
    pub(crate) fn finish(self) -> Table {
        let schema = Arc::new(Schema::new(self.fields));
        let batch = RecordBatch::try_new(schema, self.columns).expect("columns of one table have one length");
        Table { batch }
    }
}

/// An immutable table of results with named columns.
///
/// Any library that reads the Arrow C stream interface takes it as it is, without a copy: ``polars.DataFrame(table)``,
/// ``pandas.DataFrame.from_arrow(table)``, ``pyarrow.table(table)``, and DuckDB in a query that names the variable. A single column
/// comes out as a numpy array: ``table["ability"]``.
///
/// Notes
/// -----
/// A number that is undefined is null, and NaN in the numpy array of its column; where a column ``x_undefined`` stands beside ``x``,
/// it says why.
#[pyclass(frozen, module = "calibrant")]
pub(crate) struct Table {
    batch: RecordBatch,
}

#[pymethods]
impl Table {
    /// list of str : The names of the columns, in their order.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let schema = self.batch.schema();
        schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.batch.column_by_name(name).is_some()
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let column = slf.get().batch.column_by_name(name).ok_or_else(|| {
            let known = slf.get().columns().join(", ");
            PyKeyError::new_err(format!("there is no column `{name}`; the columns are {known}"))
        })?;
        to_numpy(slf.as_any(), column)
    }

    /// The columns as lists of Python values, with None for null.
    ///
    /// Returns
    /// -------
    /// dict of str to list
    ///     One list a column, each as long as the table.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for (name, column) in self.columns().into_iter().zip(self.batch.columns()) {
            columns.set_item(name, to_list(py, column)?)?;
        }
        Ok(columns)
    }

    /// Hand the table to a library that reads the Arrow C stream interface.
    ///
    /// Parameters
    /// ----------
    /// requested_schema : capsule, optional
    ///     Passed over: columns have one type each.
    ///
    /// Returns
    /// -------
    /// capsule
    ///     An ``arrow_array_stream`` with one batch, which shares the table's memory.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        stream_capsule(py, self.batch.clone())
    }

    /// Hand the schema to a library that reads the Arrow C interface.
    ///
    /// Returns
    /// -------
    /// capsule
    ///     An ``arrow_schema``.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.batch.schema())
    }

    fn __repr__(&self) -> String {
        let shown: Vec<String> = self.columns();
        format!("Table of {} rows: {}", self.batch.num_rows(), shown.join(", "))
    }

    fn _repr_html_(&self) -> String {
        table_html::html(&self.batch)
    }
}

impl Table {
    /// Its rows.
    pub(crate) fn batch(&self) -> &RecordBatch {
        &self.batch
    }
}

/// A capsule with a stream of one batch; whoever takes the stream out owns it, and what nobody takes is released with the capsule.
pub(crate) fn stream_capsule(py: Python<'_>, batch: RecordBatch) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = batch.schema();
    let reader = RecordBatchIterator::new([Ok(batch)], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// A capsule with a schema.
pub(crate) fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema).expect("our columns have types of the C interface");
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// A column as a numpy array; numbers without a null share the table's memory and cannot be written to.
fn to_numpy<'py>(owner: &Bound<'py, PyAny>, column: &ArrayRef) -> PyResult<Bound<'py, PyAny>> {
    let py = owner.py();
    let any = column.as_any();
    if let Some(numbers) = any.downcast_ref::<PrimitiveArray<Float64Type>>() {
        if numbers.null_count() == 0 {
            return shared(owner, numbers.values());
        }
        let values: Vec<f64> = numbers.iter().map(|value| value.unwrap_or(f64::NAN)).collect();
        return Ok(PyArray1::from_vec(py, values).into_any());
    }
    if let Some(numbers) = any.downcast_ref::<PrimitiveArray<Int64Type>>() {
        if numbers.null_count() == 0 {
            return shared(owner, numbers.values());
        }
        let values: Vec<f64> = numbers
            .iter()
            .map(|value| value.map_or(f64::NAN, |n| n as f64))
            .collect();
        return Ok(PyArray1::from_vec(py, values).into_any());
    }
    if let Some(numbers) = any.downcast_ref::<PrimitiveArray<UInt16Type>>()
        && numbers.null_count() == 0
    {
        return shared(owner, numbers.values());
    }
    if let Some(flags) = any.downcast_ref::<BooleanArray>()
        && flags.null_count() == 0
    {
        let values: Vec<bool> = flags.iter().flatten().collect();
        return Ok(PyArray1::from_vec(py, values).into_any());
    }
    let values: Vec<Py<PyAny>> = to_list(py, column)?.iter().map(Bound::unbind).collect();
    Ok(PyArray1::from_owned_object_array(py, numpy::ndarray::Array1::from(values)).into_any())
}

/// An array over the table's own memory, which it keeps alive.
fn shared<'py, T: numpy::Element>(owner: &Bound<'py, PyAny>, values: &[T]) -> PyResult<Bound<'py, PyAny>> {
    let view = ArrayView1::from(values);
    // SAFETY: the table owns the buffer, never changes it and is the array's base; the array is made read-only at once.
    let array = unsafe { PyArray1::borrow_from_array(&view, owner.clone()) };
    array.readwrite().make_nonwriteable();
    Ok(array.into_any())
}

/// A column as a list of Python values.
fn to_list<'py>(py: Python<'py>, column: &ArrayRef) -> PyResult<Bound<'py, PyList>> {
    let any = column.as_any();
    if let Some(numbers) = any.downcast_ref::<PrimitiveArray<Float64Type>>() {
        return PyList::new(py, numbers.iter());
    }
    if let Some(numbers) = any.downcast_ref::<PrimitiveArray<Int64Type>>() {
        return PyList::new(py, numbers.iter());
    }
    if let Some(flags) = any.downcast_ref::<BooleanArray>() {
        return PyList::new(py, flags.iter());
    }
    if let Some(numbers) = any.downcast_ref::<PrimitiveArray<UInt16Type>>() {
        return PyList::new(py, numbers.iter());
    }
    PyList::new(py, (0..column.len()).map(|row| text(column, row)))
}

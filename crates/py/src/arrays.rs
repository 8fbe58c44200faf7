//! Arrays in and out: used in place where a kernel can read them as they lie, copied into that form where not.

use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::errors;

/// An array that lies row by row, aligned, in the bytes of this machine.
pub(crate) struct Array<'py, T: Element>(PyReadonlyArrayDyn<'py, T>);

impl<T: Element> Array<'_, T> {
    /// All entries, row by row.
    pub(crate) fn entries(&self) -> &[T] {
        self.0.as_slice().expect("the array was made contiguous")
    }

    pub(crate) fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    /// The entries of an array of one dimension.
    pub(crate) fn list(&self, py: Python<'_>, argument: &str) -> PyResult<&[T]> {
        match self.shape() {
            [_] => Ok(self.entries()),
            shape => Err(wrong_shape(py, argument, shape, "one row of numbers")),
        }
    }

    /// Rows, columns and entries of an array of two dimensions.
    pub(crate) fn table(&self, py: Python<'_>, argument: &str, words: &str) -> PyResult<(usize, usize, &[T])> {
        match *self.shape() {
            [rows, columns] => Ok((rows, columns, self.entries())),
            ref shape => Err(wrong_shape(py, argument, shape, words)),
        }
    }
}

fn wrong_shape(py: Python<'_>, argument: &str, shape: &[usize], words: &str) -> PyErr {
    let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let message = format!("{argument} has the shape ({}), which is not {words}", shape.join(", "));
    errors::argument(py, argument, &message, None)
}

/// An array of subclasses without what they add, and of masked arrays with NaN for what they hide; anything else as it is.
pub(crate) fn plain<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if value.is_exact_instance_of::<PyUntypedArray>() || value.cast::<PyUntypedArray>().is_err() {
        return Ok(value.clone());
    }
    let numpy = numpy(value.py())?;
    if value.is_instance(&numpy.getattr("ma")?.getattr("MaskedArray")?)? {
        let numbers = value.call_method1("astype", ("float64",))?;
        return numbers.call_method1("filled", (f64::NAN,));
    }
    numpy.getattr("asarray")?.call1((value,))
}

/// A [`plain`] array itself where its entries have this type and lie as kernels read them.
pub(crate) fn in_place<'py, T: Element>(value: &Bound<'py, PyAny>) -> Option<Array<'py, T>> {
    let array = value.cast::<PyArrayDyn<T>>().ok()?;
    let aligned = (array.data() as usize).is_multiple_of(align_of::<T>());
    (array.is_c_contiguous() && aligned).then(|| Array(array.readonly()))
}

/// Anything array-like as an array of `T`: in place where it can be, else a copy.
pub(crate) fn array<'py, T: Element>(value: &Bound<'py, PyAny>, argument: &str) -> PyResult<Array<'py, T>> {
    let py = value.py();
    let value = plain(value)?;
    if let Some(array) = in_place(&value) {
        return Ok(array);
    }
    let require = numpy(py)?.getattr("require")?;
    let made = require.call1((value, T::get_dtype(py), ["C", "A"]));
    let made = made.map_err(|error| {
        let message = format!("{argument} cannot be read as an array of numbers: {}", error.value(py));
        errors::argument(py, argument, &message, None)
    })?;
    Ok(in_place(&made).expect("numpy gave what was required"))
}

/// Anything array-like as numbers; masked entries are NaN.
pub(crate) fn numbers<'py>(value: &Bound<'py, PyAny>, argument: &str) -> PyResult<Array<'py, f64>> {
    array(value, argument)
}

/// A list of numbers that outlives the array it came from.
pub(crate) fn list(value: &Bound<'_, PyAny>, argument: &str) -> PyResult<Vec<f64>> {
    Ok(numbers(value, argument)?.list(value.py(), argument)?.to_vec())
}

/// A list of whole numbers from 0, such as counts, indices and names of clusters.
pub(crate) fn whole<T: TryFrom<u64>>(value: &Bound<'_, PyAny>, argument: &str) -> PyResult<Vec<T>> {
    let array = numbers(value, argument)?;
    whole_entries(value.py(), array.list(value.py(), argument)?, argument)
}

/// Whole numbers from 0 out of floats.
pub(crate) fn whole_entries<T: TryFrom<u64>>(py: Python<'_>, entries: &[f64], argument: &str) -> PyResult<Vec<T>> {
    let one = |(index, &x): (usize, &f64)| {
        let whole = x >= 0.0 && x.fract() == 0.0 && x <= MOST_WHOLE;
        let fits = if whole { T::try_from(x as u64).ok() } else { None };
        fits.ok_or_else(|| {
            let message = format!("{argument}: entry {index} is {x}, which is not a whole number from 0 in range");
            errors::argument(py, argument, &message, None)
        })
    };
    entries.iter().enumerate().map(one).collect()
}

/// The largest whole number up to which floats hold every whole number.
const MOST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// A list of yes and no: booleans, or the numbers 0 and 1.
pub(crate) fn flags(value: &Bound<'_, PyAny>, argument: &str) -> PyResult<Vec<bool>> {
    let array = numbers(value, argument)?;
    flag_entries(value.py(), array.list(value.py(), argument)?, argument)
}

/// Yes and no out of floats.
pub(crate) fn flag_entries(py: Python<'_>, entries: &[f64], argument: &str) -> PyResult<Vec<bool>> {
    let one = |(index, &x): (usize, &f64)| match x {
        0.0 => Ok(false),
        1.0 => Ok(true),
        _ => {
            let message = format!("{argument}: entry {index} is {x}, which is neither 0 nor 1");
            Err(errors::argument(py, argument, &message, None))
        }
    };
    entries.iter().enumerate().map(one).collect()
}

/// Checks that an argument has as many entries as another has.
pub(crate) fn same_length(py: Python<'_>, left: (&str, usize), right: (&str, usize)) -> PyResult<()> {
    if left.1 == right.1 {
        return Ok(());
    }
    let message = format!("{} has {} entries, {} has {}", left.0, left.1, right.0, right.1);
    Err(errors::argument(py, left.0, &message, None))
}

/// Numbers out.
pub(crate) fn out<T: Element>(py: Python<'_>, values: Vec<T>) -> Py<PyArray1<T>> {
    values.into_pyarray(py).unbind()
}

/// A table out, of rows with `columns` entries.
pub(crate) fn table_out<T: Element>(py: Python<'_>, values: Vec<T>, columns: usize) -> PyResult<Py<PyArray2<T>>> {
    let rows = values.len().checked_div(columns).unwrap_or(0);
    Ok(values.into_pyarray(py).reshape([rows, columns])?.unbind())
}

/// Numbers out in the form they came in: a float for a number, else an array of the shape.
pub(crate) fn shaped_out(py: Python<'_>, values: Vec<f64>, shape: &[usize]) -> PyResult<Py<PyAny>> {
    match (shape, values.as_slice()) {
        ([], [one]) => Ok(one.into_pyobject(py)?.into_any().unbind()),
        _ => Ok(values.into_pyarray(py).reshape(shape)?.into_any().unbind()),
    }
}

fn numpy<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?;
    Ok(module.bind(py).clone())
}

/// Several arguments, each repeated to the shape that all of them have together.
pub(crate) fn together<const N: usize>(
    py: Python<'_>,
    arguments: [(&str, &Bound<'_, PyAny>); N],
) -> PyResult<(Vec<usize>, [Vec<f64>; N])> {
    let mut read = Vec::with_capacity(N);
    for (name, value) in arguments {
        read.push(numbers(value, name)?.0.as_any().clone());
    }
    let spread = numpy(py)?.getattr("broadcast_arrays")?.call1(PyTuple::new(py, &read)?);
    let spread = spread.map_err(|error| {
        let names = arguments.map(|(name, _)| name).join(", ");
        let message = format!("the shapes of {names} do not go together: {}", error.value(py));
        errors::argument(py, arguments[0].0, &message, None)
    })?;
    let mut lists: [Vec<f64>; N] = std::array::from_fn(|_| Vec::new());
    let mut shape = Vec::new();
    for ((list, part), (name, _)) in lists.iter_mut().zip(spread.try_iter()?).zip(arguments) {
        let array = numbers(&part?, name)?;
        shape = array.shape().to_vec();
        *list = array.entries().to_vec();
    }
    Ok((shape, lists))
}

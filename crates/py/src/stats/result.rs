//! Results with more than one number: frozen classes with named fields, all made by one macro.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Declares a frozen class of `calibrant.stats` with the fields given, `_asdict`, and its text and HTML forms; with `float(field)` it
/// converts to that number. Methods of its own follow after the fields.
macro_rules! result {
    (
        $(#[$doc:meta])*
        $name:ident $(float($number:ident))? {
            $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
        }
        $($methods:tt)*
    ) => {
        $(#[$doc])*
        #[pyclass(frozen, get_all, module = "calibrant.stats")]
        pub(crate) struct $name {
            $($(#[$field_doc])* pub(crate) $field: $type,)*
        }

        impl $name {
            const FIELDS: &[&str] = &[$(stringify!($field)),*];
        }

        #[pymethods]
        impl $name {
            $(
                fn __float__(&self) -> f64 {
                    self.$number
                }
            )?

            fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
                $crate::stats::result::text(slf.as_any(), stringify!($name), Self::FIELDS)
            }

            fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
                $crate::stats::result::html(slf.as_any(), stringify!($name), Self::FIELDS)
            }

            /// The fields by name, in order.
            fn _asdict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
                $crate::stats::result::fields(slf.as_any(), Self::FIELDS)
            }

            $($methods)*
        }
    };
}
pub(crate) use result;

/// The fields of a result by name.
pub(crate) fn fields<'py>(result: &Bound<'py, PyAny>, names: &[&str]) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(result.py());
    for name in names {
        fields.set_item(name, result.getattr(*name)?)?;
    }
    Ok(fields)
}

/// `Name(field=value, ...)`, with the shape in the place of an array.
pub(crate) fn text(result: &Bound<'_, PyAny>, class: &str, names: &[&str]) -> PyResult<String> {
    let mut parts = Vec::with_capacity(names.len());
    for name in names {
        parts.push(format!("{name}={}", shown(&result.getattr(*name)?)?));
    }
    Ok(format!("{class}({})", parts.join(", ")))
}

/// A table of two columns: fields and values.
pub(crate) fn html(result: &Bound<'_, PyAny>, class: &str, names: &[&str]) -> PyResult<String> {
    let mut rows = String::new();
    for name in names {
        let value = escaped(&shown(&result.getattr(*name)?)?);
        rows.push_str(&format!("<tr><th>{name}</th><td>{value}</td></tr>"));
    }
    Ok(format!("<table><caption>{class}</caption>{rows}</table>"))
}

/// A value as its `repr`, long arrays by their shape.
fn shown(value: &Bound<'_, PyAny>) -> PyResult<String> {
    const LONGEST: usize = 6;
    if let Ok(shape) = value.getattr("shape") {
        let size: usize = value.getattr("size")?.extract()?;
        return match size {
            0..=LONGEST => Ok(value.call_method0("tolist")?.repr()?.to_string()),
            _ => Ok(format!("<array of shape {shape}>")),
        };
    }
    Ok(value.repr()?.to_string())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

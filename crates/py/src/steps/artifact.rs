//! What all artifacts have in common: their opening, their text, and how they are kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use calibrant_project::ProjectError;
use calibrant_report::weight_of;
use calibrant_schema::artifact::Header;
use calibrant_schema::warning::Noted;
use calibrant_store::write_atomic;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use crate::errors;

/// An artifact behind its Python face.
pub(crate) trait Held: Send + Sync + 'static {
    /// Its opening.
    fn header(&self) -> &Header;
    /// The text of its file.
    fn json(&self) -> String;
    /// What a notebook shows.
    fn card(&self) -> String;
    /// What it is, in a line.
    fn summary(&self) -> String;
}

/// What a step came to.
///
/// Every artifact has the opening of its file: what it was made from, with which settings and seed, and what to doubt about it.
/// Artifacts do not change once made, compare by their content, and can be pickled and copied.
#[pyclass(subclass, frozen, name = "Artifact", module = "calibrant")]
pub(crate) struct Artifact {
    held: Box<dyn Held>,
}

impl Artifact {
    /// The common part of the Python face of an artifact.
    pub fn over(held: impl Held) -> Self {
        Self { held: Box::new(held) }
    }
}

#[pymethods]
impl Artifact {
    /// The format of its file, such as ``"calibrant.fit/1"``.
    #[getter]
    fn format(&self) -> &str {
        &self.held.header().format
    }

    /// The seed of everything random in it.
    #[getter]
    fn seed(&self) -> u64 {
        self.held.header().seed
    }

    /// SHA-256 of what it was made from, in hexadecimal, by role.
    ///
    /// Notes
    /// -----
    /// Verdicts read from files have the hashes of the files under ``"verdicts"``, ``"verdicts 2"``, ...; a table from memory has a
    /// hash of what it says under ``"verdicts in memory"``. Everything between the steps has the hash of the file that
    /// ``calibrant run`` writes of it.
    #[getter]
    fn inputs(&self) -> BTreeMap<String, String> {
        self.held.header().inputs.clone()
    }

    /// The settings in force, defaults included, as words.
    #[getter]
    fn settings(&self) -> BTreeMap<String, String> {
        self.held.header().settings.clone()
    }

    /// What to doubt about it, each with what to do next, in the order met.
    ///
    /// Returns
    /// -------
    /// list of Doubt
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        doubts(py, &self.held.header().warnings)
    }

    /// The text of its file: indented JSON with a final line end, the same bytes that :meth:`write` writes.
    fn to_json(&self) -> String {
        self.held.json()
    }

    /// Its content as plain Python: dictionaries, lists, texts, numbers, ``None``.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        plain(py, &self.held.json())
    }

    /// Write its file, whole or not at all.
    ///
    /// Parameters
    /// ----------
    /// path : str or os.PathLike
    ///     The file; one that is there is replaced.
    ///
    /// Raises
    /// ------
    /// FileError
    ///     If it cannot be written; what stood there before is untouched.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        write(py, &path, &self.held.json())
    }

    fn _repr_html_(&self) -> String {
        self.held.card()
    }

    fn __repr__(&self) -> String {
        self.held.summary()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Self>();
        other.is_ok_and(|other| other.get().held.json() == self.held.json())
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.held.json().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let rebuild = native(py, "_rebuild")?;
        (rebuild, (slf.get_type(), slf.get().held.json())).into_pyobject(py)
    }
}

/// A function of the native module, which pickle finds by its name.
pub(crate) fn native<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("calibrant._calibrant")?.getattr(name)
}

/// Makes an artifact again from what pickle kept of it.
#[pyfunction]
fn _rebuild<'py>(class: &Bound<'py, PyType>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    class.call_method1("from_json", (text,))
}

/// Doubts as Python has them.
pub(crate) fn doubts<'py>(py: Python<'py>, warnings: &[Noted]) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let class = py.import("calibrant._doubts")?.getattr("Doubt")?;
    warnings
        .iter()
        .map(|noted| {
            let id = serde_json::to_value(&noted.warning).expect("warnings serialise");
            let id = id.get("id").and_then(serde_json::Value::as_str).unwrap_or("unknown");
            class.call1((id, &noted.message, &noted.action, weight_of(&noted.warning)))
        })
        .collect()
}

/// JSON as plain Python.
pub(crate) fn plain<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

/// A part of an artifact as plain Python.
pub(crate) fn part<'py>(py: Python<'py>, part: &impl serde::Serialize) -> PyResult<Bound<'py, PyAny>> {
    plain(py, &serde_json::to_string(part).expect("artifacts serialise"))
}

/// Writes a file whole or not at all.
pub(crate) fn write(py: Python<'_>, path: &Path, text: &str) -> PyResult<()> {
    write_atomic(path, text.as_bytes()).map_err(|error| errors::of_store(py, &error))
}

/// The text of a file.
pub(crate) fn text_of(py: Python<'_>, path: &Path) -> PyResult<String> {
    std::fs::read_to_string(path).map_err(|reason| errors::unreadable(py, path, &reason))
}

/// An artifact from the text of its file.
pub(crate) fn parsed<A: calibrant_schema::artifact::Artifact>(py: Python<'_>, text: &str, file: &str) -> PyResult<A> {
    A::from_json(text, file).map_err(|refused| errors::of_project(py, &ProjectError::Refused(refused)))
}

/// The methods of a class over an artifact: reading, and its own.
macro_rules! artifact_methods {
    ($class:ident, $schema:ident, $($own:tt)*) => {
        #[pymethods]
        impl $class {
            /// Read its file.
            ///
            /// Parameters
            /// ----------
            /// path : str or os.PathLike
            ///     A file that :meth:`write` or the command line wrote, of this version or an earlier one.
            ///
            /// Raises
            /// ------
            /// FileError
            ///     If it cannot be read.
            /// InputError
            ///     If it is another artifact, of a newer format, or broken.
            #[staticmethod]
            fn read(py: Python<'_>, path: PathBuf) -> PyResult<Py<Self>> {
                let text = artifact::text_of(py, &path)?;
                Self::face(py, artifact::parsed(py, &text, &path.display().to_string())?)
            }

            /// Read the text of its file.
            ///
            /// Parameters
            /// ----------
            /// text : str
            ///     JSON, as ``to_json`` gives it.
            ///
            /// Returns
            /// -------
            /// Artifact
            ///     Of this class.
            ///
            /// Raises
            /// ------
            /// InputError
            ///     If it is another artifact, of a newer format, or broken.
            #[staticmethod]
            fn from_json(py: Python<'_>, text: &str) -> PyResult<Py<Self>> {
                Self::face(py, artifact::parsed::<calibrant_schema::$schema>(py, text, "<text>")?)
            }

            $($own)*
        }
    };
}
pub(crate) use artifact_methods;

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Artifact>()?;
    module.add_function(wrap_pyfunction!(_rebuild, module)?)
}

//! The blocks of a run.

use std::path::PathBuf;
use std::sync::Arc;

use calibrant_report::blocks_card;
use calibrant_schema::artifact::{Artifact as _, Header};
use pyo3::prelude::*;

use crate::steps::artifact::{self, Artifact, Held, artifact_methods};
use crate::steps::tables::table;
use crate::table::Table;

/// The parts a run was divided into, each an instrument of its own, and how they stand beside the whole.
///
/// Made by :func:`run` with ``by``; the content of ``blocks.json``, field by field in ``docs/artifacts.md``.
#[pyclass(extends = Artifact, frozen, module = "calibrant")]
pub(crate) struct Blocks {
    pub made: Arc<calibrant_schema::Blocks>,
}

struct Shown(Arc<calibrant_schema::Blocks>);

impl Held for Shown {
    fn header(&self) -> &Header {
        &self.0.header
    }

    fn json(&self) -> String {
        self.0.to_json()
    }

    fn card(&self) -> String {
        blocks_card(&self.0)
    }

    fn summary(&self) -> String {
        format!("<Blocks: {} by {}>", self.0.blocks.len(), self.0.by.name())
    }
}

impl Blocks {
    /// The Python face of the blocks of a run.
    pub fn face(py: Python<'_>, made: calibrant_schema::Blocks) -> PyResult<Py<Self>> {
        let made = Arc::new(made);
        let shown = Shown(Arc::clone(&made));
        Py::new(py, (Self { made }, Artifact::over(shown)))
    }
}

artifact_methods! { Blocks, Blocks,
    /// What the run is divided by: ``"task_type"``, ``"domain"`` or ``"tag"``.
    #[getter]
    fn by(&self) -> &'static str {
        self.made.by.word()
    }

    /// One row a block, ordered by name, the block without a value last.
    #[getter]
    fn blocks(&self) -> Table {
        table(&self.made.blocks)
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Blocks>()
}

//! What stands in the folder of a run, for whoever goes on from it in memory.

use std::fs;

use calibrant_schema::Calibration;
use calibrant_schema::query::Query;
use calibrant_schema::scores::ResponseRow;
use calibrant_store::tables::parse_responses_table;
use calibrant_store::{Document, read_queries};

use super::{ArtifactFile, Folder, QUERIES, RESPONSES};
use crate::error::ProjectError;

impl Folder {
    /// Reads an artifact that a run need not have.
    ///
    /// # Errors
    /// If the file is there and is of another format, or broken.
    pub fn read_if_there<A: ArtifactFile>(&self) -> Result<Option<A>, ProjectError> {
        self.has(A::FILE).then(|| self.read()).transpose()
    }

    /// The queries of the run, when the calibration had some.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read_queries(&self, calibration: &Calibration) -> Result<Option<Document<Vec<Query>>>, ProjectError> {
        if !calibration.header.inputs.contains_key("queries") {
            return Ok(None);
        }
        Ok(Some(read_queries(&self.file(QUERIES))?))
    }

    /// The responses of the run; none where they were not written as text.
    ///
    /// # Errors
    /// If the file cannot be read, or is no table of responses.
    pub fn read_responses(&self) -> Result<Option<Vec<ResponseRow>>, ProjectError> {
        if self.responses_file() != RESPONSES || !self.has(RESPONSES) {
            return Ok(None);
        }
        let path = self.file(RESPONSES);
        let text = fs::read_to_string(&path).map_err(|reason| ProjectError::system(&path, "read", &reason))?;
        Ok(Some(parse_responses_table(&text, &path.display().to_string())?))
    }
}

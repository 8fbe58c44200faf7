//! The forms in which tables of results are written.

use calibrant_schema::scores::ResponseRow;
use calibrant_schema::{Diagnostic, Labels};

use crate::tables::labels::write_labels;
use crate::tables::responses::write_responses;

/// How labels and responses are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TableForm {
    /// Comma-separated text, for people and spreadsheets.
    #[default]
    Csv,
    /// Parquet: a small part of the size, with types.
    Parquet,
}

impl TableForm {
    /// The word in settings, and the ending of the files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }
}

/// A table of labels as the bytes of a file: [`crate::tables::write_labels`], or the same columns in Parquet.
///
/// In Parquet ids stand as they are, `label` is a number or null, `judges` and `agreeing` are whole numbers of 32 bits.
///
/// # Errors
/// If the program was built without Parquet and is asked for it.
pub fn labels_table(labels: &Labels, form: TableForm) -> Result<Vec<u8>, Box<Diagnostic>> {
    match form {
        TableForm::Csv => {
            let mut table = Vec::new();
            write_labels(labels, &mut table).expect("memory takes what is written to it");
            Ok(table)
        }
        #[cfg(feature = "parquet")]
        TableForm::Parquet => Ok(crate::tables::parquet::write_labels(labels)),
        #[cfg(not(feature = "parquet"))]
        TableForm::Parquet => Err(Box::new(not_built("labels.parquet"))),
    }
}

/// A table of responses as the bytes of a file: [`crate::tables::write_responses`], or the same columns in Parquet.
///
/// In Parquet ids stand as they are, and `score`, `score_undefined` and `outcome` are null where the CSV has an empty cell.
///
/// # Errors
/// If the program was built without Parquet and is asked for it.
pub fn responses_table(rows: &[ResponseRow], form: TableForm) -> Result<Vec<u8>, Box<Diagnostic>> {
    match form {
        TableForm::Csv => {
            let mut table = Vec::new();
            write_responses(rows, &mut table).expect("memory takes what is written to it");
            Ok(table)
        }
        #[cfg(feature = "parquet")]
        TableForm::Parquet => Ok(crate::tables::parquet::write_responses(rows)),
        #[cfg(not(feature = "parquet"))]
        TableForm::Parquet => Err(Box::new(not_built("responses.parquet"))),
    }
}

#[cfg(not(feature = "parquet"))]
pub(crate) fn not_built(name: &str) -> Diagnostic {
    Diagnostic::error(
        "parquet-not-built",
        format!("`{name}` is a Parquet file, and this program was built without Parquet"),
        "build it with the feature `parquet`, or use CSV or JSON lines",
    )
}

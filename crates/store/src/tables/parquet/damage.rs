//! What to say of a Parquet file that cannot be read, a panic of the library included.

use calibrant_schema::Diagnostic;
use parquet::errors::ParquetError;

/// Runs what decodes a file; a panic in it becomes an error.
///
/// The `parquet` crate has panicked on damaged files before (slices past the end of a page, dictionaries shorter than their indices),
/// and a file is other people's data.
pub(super) fn contained<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    crate::contained::contained(work)
        .unwrap_or_else(|| Err(ParquetError::General("a page contradicts itself".to_owned())))
}

/// A file whose end is not that of a Parquet file.
pub(super) fn truncated(name: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(
        "parquet-truncated",
        format!("`{name}` ends early: it begins as a Parquet file and does not end as one"),
        "the file was cut short while it was copied or written: fetch or write it again; nothing of it was used",
    ))
}

/// A Parquet file inside a packed one; `format` is that of the outer.
pub(super) fn packed(name: &str, format: &str) -> Box<Diagnostic> {
    let unpack = if format == "gzip" { "`gunzip`" } else { "`unzstd`" };
    Box::new(Diagnostic::error(
        "parquet-packed",
        format!("`{name}` is a Parquet file packed by {format}, and is not read as it lies"),
        format!("unpack it first, for example with {unpack}: the columns of a Parquet file are packed already"),
    ))
}

/// A file that is Parquet by its name only.
pub(super) fn not_parquet(name: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(
        "not-parquet",
        format!("`{name}` is no Parquet file: it does not begin with `PAR1`"),
        "name the file for what it is (.csv, .jsonl), or write it again; a file that begins with `PARE` is encrypted and cannot be read",
    ))
}

/// A file that the library refused, in its words.
pub(super) fn damaged(name: &str, reason: &ParquetError) -> Box<Diagnostic> {
    let reason = reason.to_string();
    let reason = reason.strip_prefix("Parquet error: ").unwrap_or(&reason);
    Box::new(Diagnostic::error(
        "parquet-damaged",
        format!("`{name}` is damaged: {}", first_line(reason)),
        "fetch or write the file again; nothing of it was used",
    ))
}

fn first_line(reason: &str) -> String {
    reason.lines().next().unwrap_or_default().chars().take(200).collect()
}

//! Parquet tables: verdicts and gold in, labels and responses out and back.
//!
//! The file's columns are read as they are stored, without Arrow between: a text column is a dictionary and codes into it, and so are
//! [`calibrant_schema::Verdicts`]. Each distinct text is looked at once, not once a row.

mod column;
mod damage;
mod file;
mod kind;
mod labels;
mod pages;
mod rows;
mod write;

pub(crate) use file::ParquetFile;
pub(crate) use labels::{read_labels, write_labels};
pub(crate) use write::{Cells, table, write_responses};

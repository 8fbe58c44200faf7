//! Where readers of other tools' files put what they find.

use std::fmt;

use calibrant_schema::query::Query;
use calibrant_schema::response::Response;
use serde_json::Value;

use crate::ledger::Entry;

/// Why a sink takes no more: a full disk, a caller who is interrupted.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

/// A criterion as another tool has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CriterionRow {
    /// Its id.
    pub id: String,
    /// The one query it belongs to; `None` for a criterion of all queries.
    pub query: Option<String>,
    /// What is asked.
    pub question: String,
    /// Its weight; negative for a penalty.
    pub weight: f64,
    /// Its tags.
    pub tags: Vec<String>,
    /// The values of its levels where they are not 0 and 1.
    pub levels: Option<Vec<f64>>,
    /// Decided by code: the `check` of the rubric format.
    pub check: Option<Value>,
}

/// A response; a name beside the other rows.
pub type ResponseRow = Response;

/// A verdict; imported rows carry no key and are never stale.
pub type VerdictRow = Entry;

/// Where rows stand in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line, from 1.
    Line(u32),
    /// An entry of a list or of an archive, from 1.
    Entry(u32),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Entry(entry) => write!(f, "entry {entry}"),
        }
    }
}

/// Takes rows in the order in which they stand in the file. A query comes before what is said about it where the file has it.
pub trait Sink {
    /// Where the rows that follow stand in the input, for messages about them. A sink that says nothing about places takes no
    /// notice, and a reader without places says nothing.
    fn at(&mut self, place: Place) {
        let _ = place;
    }
    /// A criterion. The same id and query may come again; the sink takes it once and refuses another that differs.
    ///
    /// # Errors
    /// If the sink takes no more.
    fn criterion(&mut self, row: CriterionRow) -> Result<(), Refusal>;
    /// A query; the same may come again.
    ///
    /// # Errors
    /// If the sink takes no more.
    fn query(&mut self, row: Query) -> Result<(), Refusal>;
    /// A response.
    ///
    /// # Errors
    /// If the sink takes no more.
    fn response(&mut self, row: ResponseRow) -> Result<(), Refusal>;
    /// A verdict.
    ///
    /// # Errors
    /// If the sink takes no more.
    fn verdict(&mut self, row: VerdictRow) -> Result<(), Refusal>;
}

/// Everything a file holds, in memory: for small files and tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Collected {
    /// Criteria in the order met.
    pub criteria: Vec<CriterionRow>,
    /// Queries in the order met.
    pub queries: Vec<Query>,
    /// Responses in the order met.
    pub responses: Vec<ResponseRow>,
    /// Verdicts in the order met.
    pub verdicts: Vec<VerdictRow>,
}

impl Sink for Collected {
    fn criterion(&mut self, row: CriterionRow) -> Result<(), Refusal> {
        self.criteria.push(row);
        Ok(())
    }

    fn query(&mut self, row: Query) -> Result<(), Refusal> {
        self.queries.push(row);
        Ok(())
    }

    fn response(&mut self, row: ResponseRow) -> Result<(), Refusal> {
        self.responses.push(row);
        Ok(())
    }

    fn verdict(&mut self, row: VerdictRow) -> Result<(), Refusal> {
        self.verdicts.push(row);
        Ok(())
    }
}

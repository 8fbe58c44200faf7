//! Long tables: verdicts in, labels and responses out and back.

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(any(feature = "arrow", feature = "parquet"))]
mod coded;
mod columns;
pub(crate) mod delimited;
mod form;
mod gold;
mod guard;
mod json_rows;
mod judge_filter;
mod judgement;
mod label_rows;
mod labels;
mod ledger_rows;
pub(crate) mod lines;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
mod progress;
mod query_values;
mod reading;
mod responses;
mod role;
pub(crate) mod row;
mod shown;
mod verdicts;

pub use columns::{How, RoleColumn};
pub use form::{TableForm, labels_table, responses_table};
pub use gold::{ANY_SYSTEM, GOLD, read_gold};
pub use guard::{guarded, unguarded};
pub use labels::{parse_labels, read_labels, write_labels};
pub use lines::LONGEST_LINE;
pub use progress::Progress;
pub use responses::{parse_responses_table, write_responses};
pub use role::Role;
pub(crate) use shown::shown;
pub use verdicts::{
    Detected, Format, LeftOut, OffScale, ReadOptions, ReadVerdicts, ScaleOrigin, Scales, read_verdicts,
};

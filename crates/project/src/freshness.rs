//! The key of a step: a hash of everything it reads.

use calibrant_schema::canonical::Hash;
use serde_json::{Value, json};

/// Version of the program; a new one makes every step again.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The key of a step over a description of its inputs and options.
pub(crate) fn step_key(step: &str, reads: &Value) -> String {
    Hash::of_json(&json!({"calibrant": "step/1", "version": VERSION, "step": step, "reads": reads})).to_string()
}

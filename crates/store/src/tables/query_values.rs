//! What a column says of each query: one value a query, whatever row it stands in.

use std::collections::BTreeMap;

use calibrant_schema::Diagnostic;
use calibrant_schema::blocks::task_type;

use crate::tables::role::Role;
use crate::tables::row::Row;
use crate::tables::shown::shown;

/// The values of one column by query, with the row each was first met in.
#[derive(Debug, Default)]
pub(crate) struct QueryValues {
    values: BTreeMap<Box<str>, Met>,
    /// The query of the row before: tables come in runs of one query, and a run needs no look-up.
    last: String,
    last_value: String,
}

#[derive(Debug)]
struct Met {
    value: Box<str>,
    file: Box<str>,
    line: u32,
    /// Whether the line is a row of a file that has no lines.
    is_row: bool,
}

impl QueryValues {
    /// Takes the value of a row in; rows without one say nothing.
    ///
    /// # Errors
    /// If the query has another value in an earlier row.
    pub(crate) fn take(
        &mut self,
        role: Role,
        query: &str,
        value: &str,
        file: &str,
        row: &Row,
    ) -> Result<(), Box<Diagnostic>> {
        let value = value.trim();
        if value.is_empty() || (self.last == query && self.last_value == value) {
            return Ok(());
        }
        if let Some(first) = self.values.get(query) {
            if !alike(role, &first.value, value) {
                return Err(Box::new(two_values(role, query, value, first)));
            }
        } else {
            let met = Met {
                value: value.into(),
                file: file.into(),
                line: row.line,
                is_row: row.number.is_some(),
            };
            self.values.insert(query.into(), met);
        }
        query.clone_into(&mut self.last);
        value.clone_into(&mut self.last_value);
        Ok(())
    }

    /// The values by query.
    pub(crate) fn into_values(self) -> BTreeMap<String, String> {
        let values = self.values.into_iter();
        values
            .map(|(query, met)| (query.into_string(), met.value.into_string()))
            .collect()
    }
}

/// Whether two values name one block: task types have several spellings.
fn alike(role: Role, left: &str, right: &str) -> bool {
    left == right || (role == Role::TaskType && task_type(left) == task_type(right))
}

fn two_values(role: Role, query: &str, value: &str, first: &Met) -> Diagnostic {
    let place = match first.is_row {
        true => format!("row {} of {}", first.line, first.file),
        false => format!("{}:{}", first.file, first.line),
    };
    let what = format!(
        "the query `{}` has the {role} `{}` here and `{}` in {place}",
        shown(query),
        shown(value),
        shown(&first.value),
    );
    Diagnostic::error(
        "two-values",
        what,
        format!("give every row of a query the same {role}, or divide by --by tag, where blocks may overlap"),
    )
}

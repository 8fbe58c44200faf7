//! The text of criteria, found by item.

use std::collections::BTreeMap;

use calibrant_schema::Rubric;

/// The questions of a rubric.
pub(crate) struct Questions<'a>(BTreeMap<(Option<&'a str>, &'a str), &'a str>);

impl<'a> Questions<'a> {
    pub fn of(rubric: Option<&'a Rubric>) -> Self {
        let criteria = rubric.iter().flat_map(|rubric| &rubric.criteria);
        Self(
            criteria
                .map(|criterion| {
                    (
                        (criterion.query.as_deref(), criterion.id.as_str()),
                        criterion.question.as_str(),
                    )
                })
                .collect(),
        )
    }

    /// The question of the item, else of its criterion over all queries.
    pub fn of_item(&self, query: Option<&str>, criterion: &str) -> Option<&'a str> {
        let own = query.and_then(|query| self.0.get(&(Some(query), criterion)));
        own.or_else(|| self.0.get(&(None, criterion))).copied()
    }
}

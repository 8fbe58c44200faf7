//! Criteria met on the way through a file, each once: shared by all queries where every query has it alike.

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::{CriterionRow, Refusal, Sink};

/// Criteria by id and query.
#[derive(Default)]
pub(super) struct Criteria {
    /// Ids in the order met.
    order: Vec<String>,
    rows: BTreeMap<String, BTreeMap<String, CriterionRow>>,
    queries: BTreeSet<String>,
}

/// What became of the criteria.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Handed {
    /// Criteria that every query has.
    pub shared: usize,
    /// Criteria of single queries.
    pub of_queries: usize,
}

impl Criteria {
    /// Remembers that there is a query, whether or not it has criteria.
    pub(super) fn saw(&mut self, query: &str) {
        if !self.queries.contains(query) {
            self.queries.insert(query.to_owned());
        }
    }

    /// Remembers the criterion of a query. `false` if the query has another one under this id; the first is kept.
    pub(super) fn add(&mut self, row: CriterionRow) -> bool {
        let query = row.query.clone().unwrap_or_default();
        self.saw(&query);
        if !self.rows.contains_key(&row.id) {
            self.order.push(row.id.clone());
        }
        let of_id = self.rows.entry(row.id.clone()).or_default();
        match of_id.get(&query) {
            Some(first) => *first == row,
            None => {
                of_id.insert(query, row);
                true
            }
        }
    }

    /// Hands the criteria to the sink, ids in the order met.
    pub(super) fn hand_over(mut self, sink: &mut dyn Sink) -> Result<Handed, Refusal> {
        let mut handed = Handed::default();
        for id in &self.order {
            let rows = self.rows.remove(id).unwrap_or_default();
            let first = rows.values().next().cloned();
            let alike = |row: &CriterionRow| {
                let without = |row: &CriterionRow| CriterionRow {
                    query: None,
                    ..row.clone()
                };
                first.as_ref().is_some_and(|first| without(first) == without(row))
            };
            if rows.len() == self.queries.len() && rows.values().all(alike) {
                handed.shared += 1;
                let shared = first.map(|row| CriterionRow { query: None, ..row });
                shared.map_or(Ok(()), |row| sink.criterion(row))?;
            } else {
                handed.of_queries += rows.len();
                rows.into_values().try_for_each(|row| sink.criterion(row))?;
            }
        }
        Ok(handed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Collected;

    fn row(id: &str, query: &str, question: &str) -> CriterionRow {
        CriterionRow {
            id: id.to_owned(),
            query: Some(query.to_owned()),
            question: question.to_owned(),
            weight: 1.0,
            ..CriterionRow::default()
        }
    }

    #[test]
    fn what_every_query_has_alike_is_shared() {
        let mut criteria = Criteria::default();
        for (id, query, question) in [
            ("all", "p", "Is it?"),
            ("some", "p", "Is it?"),
            ("other", "p", "Is it a?"),
            ("all", "q", "Is it?"),
            ("other", "q", "Is it b?"),
        ] {
            assert!(criteria.add(row(id, query, question)));
        }
        assert!(criteria.add(row("all", "p", "Is it?")));
        assert!(!criteria.add(row("all", "p", "Was it?")), "the first is kept");
        let mut sink = Collected::default();
        let handed = criteria.hand_over(&mut sink).expect("the sink takes all");
        assert_eq!(
            handed,
            Handed {
                shared: 1,
                of_queries: 3
            }
        );
        let ids: Vec<(&str, Option<&str>)> = sink
            .criteria
            .iter()
            .map(|row| (row.id.as_str(), row.query.as_deref()))
            .collect();
        let expected = [
            ("all", None),
            ("some", Some("p")),
            ("other", Some("p")),
            ("other", Some("q")),
        ];
        assert_eq!(ids, expected);
    }
}

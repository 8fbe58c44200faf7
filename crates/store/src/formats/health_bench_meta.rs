//! HealthBench's meta-evaluation: what several physicians said of one criterion of one answer.
//!
//! The design is incomplete: not every physician sees every answer. A physician is a judge; nothing says which model gave an answer, so
//! the answers of one prompt are samples of one system, and their labels are for agreement, not for a ranking.
//!
//! Source: PROTOCOLS 13.1.

use std::collections::{BTreeMap, BTreeSet};

use calibrant_schema::canonical::{Hash, canonical_json};
use calibrant_schema::query::Query;
use calibrant_schema::response::Response;
use calibrant_schema::rubric::health_bench::{HealthBenchMetaRow, read_meta_row};
use calibrant_schema::{Criterion, Diagnostic, Status};
use serde_json::Value;

use super::health_bench::stream;
use super::json_lines::{JsonLine, JsonLines, report};
use super::{CriterionRow, ImportOptions, Input, Losses, Place, ReadError, ReadReport, Sink};
use crate::findings::Findings;
use crate::formats::detect::first_keys;
use crate::ledger::{Cell, Entry, VerdictSource};
use crate::tables::shown;

/// The system where nobody says who answered.
const UNKNOWN_SYSTEM: &str = "unknown-system";

/// Whether the beginning of a file has the structure of these rows.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let keys = first_keys(text.trim_start_matches('\u{feff}').trim_start());
    let has = |key: &str| keys.iter().any(|known| known == key);
    has("binary_labels") && has("anonymized_physician_ids")
}

/// Reads the rows.
pub(crate) fn read(input: Input<'_>, options: &ImportOptions, sink: &mut dyn Sink) -> Result<ReadReport, ReadError> {
    let mut import = Import {
        sink,
        system: options.system.as_deref().unwrap_or(UNKNOWN_SYSTEM),
        queries: BTreeSet::new(),
        responses: BTreeSet::new(),
        criteria: BTreeMap::new(),
        repeats: BTreeMap::new(),
        repeated: 0,
        physicians: BTreeSet::new(),
        rows: 0,
        without_labels: 0,
        losses: Losses::default(),
    };
    let mut findings = Findings::default();
    let mut lines = JsonLines::new(&input.name, stream(input.content));
    loop {
        match lines.next(&mut findings) {
            JsonLine::Text(line, text) => {
                let (row, found) = read_meta_row(text, line, &input.name);
                report(&found, text, &mut findings);
                if let Some(row) = row.filter(|_| findings.is_empty()) {
                    import.sink.at(Place::Line(line));
                    import.row(&row)?;
                }
            }
            JsonLine::Skipped => {}
            JsonLine::End => break,
        }
    }
    findings.into_result()?;
    import.finish(&input.name)
}

/// Rows handed over so far, and what is to be said about them.
struct Import<'a> {
    sink: &'a mut dyn Sink,
    system: &'a str,
    queries: BTreeSet<String>,
    /// Answers by query and sample.
    responses: BTreeSet<(String, String)>,
    /// The category of each criterion.
    criteria: BTreeMap<String, Option<String>>,
    /// How often a physician labelled a cell, by the hash of both.
    repeats: BTreeMap<[u8; 16], u16>,
    repeated: u64,
    physicians: BTreeSet<String>,
    rows: u64,
    without_labels: u64,
    losses: Losses,
}

impl Import<'_> {
    fn row(&mut self, row: &HealthBenchMetaRow) -> Result<(), ReadError> {
        self.rows += 1;
        for key in &row.unused {
            let why = "the key is not known, and nothing of ours takes it";
            self.losses.add(&format!("values of `{}`", shown(key)), why);
        }
        let query = match &row.query {
            Some(id) => id.clone(),
            None => format!("q-{}", short(&canonical_json(&row.prompt))),
        };
        let sample = match &row.completion_id {
            Some(id) => id.clone(),
            None => format!("r-{}", short(&row.completion)),
        };
        let criterion = Criterion::new("", row.rubric.clone()).card().hash().short();
        let criterion = format!("c-{criterion}");
        self.query(&query, &row.prompt)?;
        self.response(&query, &sample, &row.completion)?;
        self.criterion(&criterion, row)?;
        self.without_labels += u64::from(row.labels.is_empty());
        for (physician, met) in &row.labels {
            self.verdict([&query, &sample, &criterion, physician], *met)?;
        }
        Ok(())
    }

    fn query(&mut self, id: &str, prompt: &Value) -> Result<(), ReadError> {
        if self.queries.insert(id.to_owned()) {
            self.sink.query(Query {
                query: id.to_owned(),
                prompt: Some(prompt.clone()),
                task_type: None,
                domain: None,
                tags: Vec::new(),
                weight: 1.0,
                cluster: None,
            })?;
        }
        Ok(())
    }

    fn response(&mut self, query: &str, sample: &str, text: &str) -> Result<(), ReadError> {
        if self.responses.insert((query.to_owned(), sample.to_owned())) {
            self.sink.response(Response {
                system: self.system.to_owned(),
                query: query.to_owned(),
                sample: sample.to_owned(),
                body: Value::String(text.to_owned()),
            })?;
        }
        Ok(())
    }

    fn criterion(&mut self, id: &str, row: &HealthBenchMetaRow) -> Result<(), ReadError> {
        if let Some(category) = self.criteria.get(id) {
            if *category != row.category {
                let why = "the criterion has the category of its first row as its tag";
                self.losses.add("further categories of a criterion", why);
            }
            return Ok(());
        }
        self.criteria.insert(id.to_owned(), row.category.clone());
        self.sink.criterion(CriterionRow {
            id: id.to_owned(),
            query: None,
            question: row.rubric.clone(),
            weight: 1.0,
            tags: row.category.iter().cloned().collect(),
            ..CriterionRow::default()
        })?;
        Ok(())
    }

    fn verdict(&mut self, names: [&String; 4], met: bool) -> Result<(), ReadError> {
        let hash = Hash::of_json(&serde_json::json!(names));
        let mut key = [0; 16];
        key.copy_from_slice(&hash.as_bytes()[..16]);
        let repeat = self.repeats.entry(key).or_default();
        if *repeat == u16::MAX {
            let why = "one physician labelled one cell more often than a repeat can count";
            self.losses.add("labels", why);
            return Ok(());
        }
        *repeat += 1;
        self.repeated += u64::from(*repeat > 1);
        let [query, sample, criterion, physician] = names;
        if !self.physicians.contains(physician) {
            self.physicians.insert(physician.clone());
        }
        let cell = Cell {
            system: self.system.to_owned(),
            query: query.clone(),
            sample: sample.clone(),
            criterion: criterion.clone(),
            judge: physician.clone(),
            repeat: *repeat,
        };
        let mut entry = Entry::new(cell, Status::Ok, Some(f64::from(u8::from(met))));
        entry.source = Some(VerdictSource::Human);
        self.sink.verdict(entry)?;
        Ok(())
    }

    fn finish(self, file: &str) -> Result<ReadReport, ReadError> {
        if self.rows == 0 {
            let what = format!("`{}` holds no row of HealthBench's meta-evaluation", shown(file));
            let help = "a row has `prompt`, `completion`, `rubric`, `binary_labels` and `anonymized_physician_ids`";
            return Err(Findings::from(Diagnostic::error("empty", what, help)).into());
        }
        let mut taken = vec![
            format!(
                "the {} ids of physicians are judges, and `binary_labels` their labels",
                self.physicians.len()
            ),
            "`rubric` is a criterion of all prompts, with an id from the hash of its text, and `category` its tag"
                .to_owned(),
            format!(
                "nothing says who answered: all answers are samples of the system `{}`, so that their labels are for agreement and not for a ranking",
                shown(self.system)
            ),
            "a prompt or answer without an id has one from the hash of its text".to_owned(),
        ];
        if self.repeated > 0 {
            taken.push(format!(
                "{} labels are of a physician who labelled the same criterion of the same answer before: they are repeats",
                self.repeated
            ));
        }
        if self.without_labels > 0 {
            taken.push(format!("{} rows have no label", self.without_labels));
        }
        Ok(ReadReport {
            version: None,
            taken,
            losses: self.losses,
        })
    }
}

fn short(text: &str) -> String {
    Hash::of_bytes(text.as_bytes()).short()
}

#[cfg(test)]
mod tests;

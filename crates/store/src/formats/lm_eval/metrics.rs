//! Metrics: those whose every value is 0 or 1 are criteria, the others are no labels.

use std::collections::BTreeMap;

use calibrant_schema::Status;
use calibrant_schema::tree::{Node, Value as Tree};

use super::answer::Answer;
use super::items;
use crate::formats::{CriterionRow, Losses, ReadReport, Refusal, Sink};
use crate::ledger::{Cell, Entry, VerdictSource};
use crate::tables::shown;

/// Keys of a row that are no metrics, in versions that do not list them.
const NO_METRICS: [&str; 11] = [
    "arguments",
    "doc",
    "doc_hash",
    "doc_id",
    "filter",
    "filtered_resps",
    "metrics",
    "prompt_hash",
    "resps",
    "target",
    "target_hash",
];

/// Metrics that are 0 or 1 by what they are; of others the whole file has to be seen before one value is a label.
const BINARY: [&str; 5] = ["acc", "acc_bytes", "acc_mutual_info", "acc_norm", "exact_match"];

/// The longest evidence, in characters.
const LONGEST_EVIDENCE: usize = 2_000;

/// A value of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Number(f64),
    /// NaN, null: the metric came to nothing.
    Missing,
    /// A list, a text: parts of something that is computed over all documents.
    Parts,
}

/// What is known of one metric after one filter.
#[derive(Default)]
struct Metric {
    /// Values of a metric that is not known to be 0 or 1, each with its query.
    waiting: Vec<(String, Value)>,
    rows: u64,
    missing: u64,
    /// Values that are no label.
    off: u64,
}

/// The metrics of one file.
pub(super) struct Metrics {
    task: Option<String>,
    /// By metric and filter.
    known: BTreeMap<(String, String), Metric>,
    cell: Option<Cell>,
}

impl Metrics {
    pub(super) fn new(task: Option<&str>) -> Self {
        Self {
            task: task.map(str::to_owned),
            known: BTreeMap::new(),
            cell: None,
        }
    }

    /// Takes the metrics of a row; returns the verdicts that are certain now.
    pub(super) fn take(
        &mut self,
        row: &Node,
        cell: &Cell,
        filter: &str,
        answer: &Answer,
        losses: &mut Losses,
    ) -> Vec<Entry> {
        self.cell.get_or_insert_with(|| cell.clone());
        let mut certain = Vec::new();
        for name in names(row) {
            let value = row.get(&name).filter(|_| !answer.broken).map_or(Value::Missing, value);
            let binary = BINARY.contains(&name.as_str());
            let id = self.id(&name, filter);
            let metric = self.known.entry((name, filter.to_owned())).or_default();
            metric.rows += 1;
            metric.missing += u64::from(value == Value::Missing);
            let off = !matches!(value, Value::Missing | Value::Number(0.0 | 1.0));
            metric.off += u64::from(off);
            if !binary {
                // One value off the scale decides for all: no more is kept.
                match metric.off {
                    0 => metric.waiting.push((cell.query.clone(), value)),
                    _ => metric.waiting.clear(),
                }
                continue;
            }
            if off {
                losses.add(
                    "values off 0 and 1 of metrics that are 0 or 1",
                    "such a verdict has no label",
                );
            }
            certain.push(entry(cell, &id, &cell.query, value, answer.filtered.as_deref()));
        }
        certain
    }

    /// Hands over the verdicts that waited, and the criteria.
    pub(super) fn hand_over(self, sink: &mut dyn Sink, report: &mut ReadReport) -> Result<(), Refusal> {
        let mut criteria = Vec::new();
        for ((name, filter), metric) in &self.known {
            let id = self.id(name, filter);
            let missing =
                "a number came to nothing (`NaN`), the metric or a likelihood it rests on: the verdict has no label";
            report
                .losses
                .add_many(&format!("missing values of `{}`", shown(name)), missing, metric.missing);
            if !BINARY.contains(&name.as_str()) && metric.off > 0 {
                let why =
                    "a label is a level of a scale: real numbers, and parts of numbers over all documents, are none";
                report
                    .losses
                    .add_many(&format!("values of `{}`", shown(name)), why, metric.rows);
                continue;
            }
            sink.criterion(self.criterion(name, filter, &id))?;
            criteria.push(format!("`{}`", shown(&id)));
            let Some(cell) = &self.cell else { continue };
            for (query, value) in &metric.waiting {
                sink.verdict(entry(cell, &id, query, *value, None))?;
            }
        }
        report.taken.push(match criteria.is_empty() {
            true => "No metric is 0 or 1 throughout: there are no verdicts.".to_owned(),
            false => format!(
                "A metric whose every value is 0 or 1 is a criterion: {}.",
                criteria.join(", ")
            ),
        });
        Ok(())
    }

    fn id(&self, metric: &str, filter: &str) -> String {
        let clean = |text: &str| -> String { text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect() };
        let task = self.task.as_deref().map(|task| format!("{task}.")).unwrap_or_default();
        match filter {
            "none" => format!("{task}{}", clean(metric)),
            filter => format!("{task}{}@{}", clean(metric), clean(filter)),
        }
    }

    fn criterion(&self, metric: &str, filter: &str, id: &str) -> CriterionRow {
        let task = self
            .task
            .as_deref()
            .map(|task| format!(" of the task `{task}`"))
            .unwrap_or_default();
        let after = if filter == "none" {
            String::new()
        } else {
            format!(" after the filter `{filter}`")
        };
        CriterionRow {
            id: id.to_owned(),
            question: format!("Is `{metric}`{task} 1{after}, as lm-eval computes it?"),
            weight: 1.0,
            ..CriterionRow::default()
        }
    }
}

/// The names of the metrics of a row: those it lists, else every key that is none of the others.
fn names(row: &Node) -> Vec<String> {
    match row.get("metrics") {
        Some(list) => items(Some(list))
            .iter()
            .filter_map(Node::text)
            .map(str::to_owned)
            .collect(),
        None => match &row.value {
            Tree::Map { entries, .. } => {
                let keys = entries.iter().map(|entry| entry.key.as_str());
                keys.filter(|key| !NO_METRICS.contains(key))
                    .map(str::to_owned)
                    .collect()
            }
            _ => Vec::new(),
        },
    }
}

fn value(node: &Node) -> Value {
    match (node.boolean(), node.number()) {
        (Some(truth), _) => Value::Number(f64::from(u8::from(truth))),
        (None, Some(number)) if number.is_nan() => Value::Missing,
        (None, Some(number)) => Value::Number(number),
        (None, None) if node.is_null() => Value::Missing,
        (None, None) => Value::Parts,
    }
}

fn entry(cell: &Cell, id: &str, query: &str, value: Value, filtered: Option<&str>) -> Entry {
    let cell = Cell {
        criterion: id.to_owned(),
        query: query.to_owned(),
        ..cell.clone()
    };
    let (status, label) = match value {
        Value::Number(number) if number == 0.0 || number == 1.0 => (Status::Ok, Some(number + 0.0)),
        Value::Missing => (Status::Failed, None),
        Value::Number(_) | Value::Parts => (Status::Unparsable, None),
    };
    let mut entry = Entry::new(cell, status, label);
    entry.source = Some(VerdictSource::Code);
    entry.evidence = filtered
        .filter(|text| !text.is_empty())
        .map(|text| text.chars().take(LONGEST_EVIDENCE).collect());
    entry
}

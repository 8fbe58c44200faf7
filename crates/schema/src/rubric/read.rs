//! From a tree to a rubric: everything outside a single criterion.

use std::collections::BTreeMap;

use super::criterion::{self, Field};
use super::outcome::{Known, read_roll_up, read_violations};
use super::{Criterion, Places, Rubric};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::scale::Scale;
use crate::tree::{self, Entry, Node, Place, Reader, Value};

const RUBRIC_KEYS: [&str; 6] = ["rubric", "version", "roll_up", "criteria", "violations", "allow"];

/// The ids of what is wrong with weights that make no score.
const NO_SCORE: [&str; 2] = ["nothing-scored", "no-positive-weight"];

const ROOT_HELP: &str = "begin the file with `criteria:` and give each criterion a `- id:` below it";

/// What the notation of a file is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Notation {
    Yaml,
    Json,
}

/// Reads a whole rubric file.
pub(super) fn parse(text: &str, file: &str, notation: Notation) -> Result<(Rubric, Diagnostics), Diagnostics> {
    parse_by(Reader::new(file), text, notation).map(|(rubric, found, _)| (rubric, found))
}

/// Reads a whole rubric file, with the places of its keys and values.
pub(super) fn parse_located(
    text: &str,
    file: &str,
    notation: Notation,
) -> Result<(Rubric, Diagnostics, Places), Diagnostics> {
    parse_by(Reader::with_places(file), text, notation)
}

fn parse_by(
    mut reader: Reader<'_>,
    text: &str,
    notation: Notation,
) -> Result<(Rubric, Diagnostics, Places), Diagnostics> {
    let rubric = read_text(text, notation, &mut reader);
    let places = std::mem::take(&mut reader.places);
    finish(rubric, reader).map(|(rubric, found)| (rubric, found, places))
}

/// Reads a part of a rubric from YAML; weights that make no score are not reported.
pub(super) fn parse_part(text: &str, file: &str) -> Result<(Rubric, Diagnostics), Diagnostics> {
    let mut reader = Reader::new(file);
    let rubric = read_text(text, Notation::Yaml, &mut reader);
    let found = std::mem::take(&mut reader.found).into_iter();
    reader.found = found.filter(|found| !NO_SCORE.contains(&found.id)).collect();
    finish(rubric, reader)
}

/// The rubric with its warnings, or everything that is wrong.
pub(super) fn finish(rubric: Option<Rubric>, reader: Reader<'_>) -> Result<(Rubric, Diagnostics), Diagnostics> {
    match rubric {
        Some(rubric) if !reader.found.has_errors() => Ok((rubric, reader.found)),
        _ => Err(reader.found),
    }
}

/// Reads a single criterion from JSON.
pub(super) fn criterion_from_json(text: &str) -> Result<Criterion, Diagnostics> {
    let mut reader = Reader::new("criterion");
    if let Some(node) = tree::parse_json(text, 1, &mut reader)
        && let Some(entries) = reader.map(&node, "criterion", "write an object with `id` and `question`")
    {
        let fields: Vec<Field<'_>> = entries.iter().map(|entry| (entry.key.as_str(), entry)).collect();
        let criterion = criterion::read(&fields, &node, &mut reader);
        if !reader.found.has_errors() {
            return Ok(Criterion { line: 0, ..criterion });
        }
    }
    Err(reader.found)
}

fn read_text(text: &str, notation: Notation, reader: &mut Reader<'_>) -> Option<Rubric> {
    if text.len() > tree::MOST_BYTES {
        let what = format!(
            "the file has {} bytes, more than the {} a rubric may have",
            text.len(),
            tree::MOST_BYTES
        );
        reader.found.push(Diagnostic::error(
            "too-large",
            what,
            "give query-specific criteria as JSON lines, a row each (.jsonl)",
        ));
        return None;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = match notation {
        Notation::Yaml => tree::parse_yaml(text, reader),
        Notation::Json => tree::parse_json(text, 1, reader),
    };
    match root {
        Some(root) if !root.is_null() => read_root(&root, reader),
        _ if reader.found.has_errors() => None,
        _ => {
            reader
                .found
                .push(Diagnostic::error("empty", "the rubric file is empty", ROOT_HELP));
            None
        }
    }
}

fn read_root(root: &Node, reader: &mut Reader<'_>) -> Option<Rubric> {
    let entries = match &root.value {
        Value::Map { entries, .. } => entries,
        _ => {
            let what = format!("a rubric is a mapping with `criteria:`, this is {}", root.kind());
            reader.error("root", root.place, what, ROOT_HELP);
            return None;
        }
    };
    let mut rubric = Rubric::default();
    for entry in entries {
        reader.places.add_root(&entry.key, entry);
        match entry.key.as_str() {
            "rubric" => rubric.name = reader.text(&entry.value, "rubric"),
            "version" => rubric.version = reader.whole(&entry.value, "version", 0),
            "criteria" => rubric.criteria = read_criteria(entry, reader),
            "allow" => rubric.allow = criterion::read_allow(&entry.value, reader, Places::add_root),
            "roll_up" | "violations" => {}
            _ => reader.unknown_key(entry, "a rubric", &RUBRIC_KEYS),
        }
    }
    let Some(criteria) = entries.iter().find(|entry| entry.key == "criteria") else {
        reader.error("no-criteria", root.place, "the rubric has no `criteria:`", ROOT_HELP);
        return Some(rubric);
    };
    check_weights(&rubric.criteria, criteria.key_place, reader);
    let known = Known::of(&rubric.criteria);
    for entry in entries {
        match entry.key.as_str() {
            "roll_up" => rubric.roll_up = read_roll_up(&entry.value, &known, reader),
            "violations" => rubric.violations = read_violations(&entry.value, &known, reader),
            _ => {}
        }
    }
    Some(rubric)
}

fn read_criteria(entry: &Entry, reader: &mut Reader<'_>) -> Vec<Criterion> {
    let Some(nodes) = reader.list(
        &entry.value,
        "criteria",
        "write each criterion after a dash: `- id: names_the_setting`",
    ) else {
        return Vec::new();
    };
    if nodes.is_empty() {
        reader.error(
            "no-criteria",
            entry.key_place,
            "the list of criteria is empty",
            ROOT_HELP,
        );
    }
    let mut ids = Ids::default();
    let mut criteria = Vec::with_capacity(nodes.len());
    for node in nodes {
        let help = "write `- id: ...` with the other keys of the criterion below it";
        let Some(entries) = reader.map(node, "criterion", help) else {
            continue;
        };
        let fields: Vec<Field<'_>> = entries.iter().map(|entry| (entry.key.as_str(), entry)).collect();
        let criterion = criterion::read(&fields, node, reader);
        let place = entries
            .iter()
            .find(|entry| entry.key == "id")
            .map_or(node.place, |entry| entry.value.place);
        ids.add(&criterion, place, reader);
        criteria.push(criterion);
    }
    criteria
}

/// The (id, query) pairs seen so far, each with its line.
#[derive(Default)]
pub(super) struct Ids {
    lines: BTreeMap<(String, Option<String>), u32>,
    /// The scale of each id: tables and labels know one scale per criterion, whatever the query.
    scales: BTreeMap<String, (Scale, u32)>,
}

impl Ids {
    /// Reports a criterion whose id its query already has.
    pub(super) fn add(&mut self, criterion: &Criterion, place: Place, reader: &mut Reader<'_>) {
        if criterion.id.is_empty() {
            return;
        }
        let key = (criterion.id.clone(), criterion.query.clone());
        let Some(first) = self.lines.get(&key) else {
            self.lines.insert(key, place.line);
            self.one_scale(criterion, place, reader);
            return;
        };
        let id = tree::shown(&criterion.id);
        let of_query = criterion
            .query
            .as_deref()
            .map(|query| format!(" of query `{}`", tree::shown(query)));
        let what = format!(
            "the id `{id}`{} is used twice, first on line {first}",
            of_query.unwrap_or_default()
        );
        let help = format!("give one of them another id, or remove it if it repeats line {first}");
        reader.labelled(Diagnostic::error("duplicate-id", what, help), place, "the second one");
    }
}

impl Ids {
    /// Reports an id that has another scale for another query.
    fn one_scale(&mut self, criterion: &Criterion, place: Place, reader: &mut Reader<'_>) {
        let values = |scale: &Scale| {
            (0..scale.level_count())
                .map(|level| scale.value(level as u8))
                .collect::<Vec<_>>()
        };
        match self.scales.get(&criterion.id) {
            None => {
                self.scales
                    .insert(criterion.id.clone(), (criterion.scale.clone(), place.line));
            }
            Some((scale, line)) if values(scale) != values(&criterion.scale) => {
                let what = format!(
                    "the criterion `{}` has another scale on line {line}",
                    tree::shown(&criterion.id)
                );
                let help = "give one id one scale, or the criterion another id";
                reader.labelled(Diagnostic::error("two-scales", what, help), place, "the second one");
            }
            Some(_) => {}
        }
    }
}

/// Reports weights that cannot make a score; `place` is where the list of criteria is announced.
pub(super) fn check_weights(criteria: &[Criterion], place: Place, reader: &mut Reader<'_>) {
    let scored: Vec<f64> = criteria
        .iter()
        .filter(|criterion| !criterion.monitor)
        .map(|criterion| criterion.weight)
        .collect();
    let positive: f64 = scored.iter().filter(|weight| **weight > 0.0).sum();
    if criteria.is_empty() || scored.iter().any(|weight| !weight.is_finite()) {
        return;
    }
    if scored.is_empty() {
        let help = "remove `monitor: true` from the criteria that count";
        reader.error(
            "nothing-scored",
            place,
            "every criterion is only monitored, so nothing is scored",
            help,
        );
    } else if positive == 0.0 {
        let what = if scored.iter().all(|weight| *weight == 0.0) {
            "every weight is 0"
        } else {
            "no weight is above 0"
        };
        let what = format!("{what}, so no score is defined");
        let help =
            "a score is divided by the sum of the positive weights: give what a response should do a weight above 0";
        reader.error("no-positive-weight", place, what, help);
    } else if !positive.is_finite() {
        reader.error(
            "weight-sum",
            place,
            "the weights add up to more than a number can hold",
            "divide all weights by the same number",
        );
    } else if criteria.iter().all(|criterion| criterion.query.is_none()) && scored.iter().sum::<f64>() == 0.0 {
        let what = "the penalties weigh as much as everything else together";
        let help =
            "a response that meets every criterion scores 0: check that this is meant, or make the penalties smaller";
        reader.labelled(
            Diagnostic::warning("weights-cancel", what, help),
            place,
            "these weights add up to 0",
        );
    }
}

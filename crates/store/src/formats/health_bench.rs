//! HealthBench: rows of prompts with criteria of signed points, and results with what the grader said of an answer.
//!
//! Three files have these rows. The published pools are JSON lines with `rubrics`. Results are rows with `rubric_items` and a
//! `completion`: JSON lines too, or the list `metadata.example_level_metadata` of the one JSON object that the evaluation leaves behind.
//!
//! Source: PROTOCOLS 13.1.

mod results;
mod write;

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read};

use calibrant_schema::canonical::{Hash, canonical_json};
use calibrant_schema::response::Response;
use calibrant_schema::rubric::health_bench::{HealthBenchItem, HealthBenchRow, IdealCompletions, read_row};
use calibrant_schema::{Criterion, Diagnostic, Diagnostics, Span, Status};
use serde_json::{Value, json};

use super::json_lines::{JsonLine, JsonLines, report};
use super::sink::Place as SinkPlace;
use super::{Content, CriterionRow, ImportOptions, Input, Losses, ReadError, ReadReport, Sink};
use crate::findings::Findings;
use crate::formats::detect::first_keys;
use crate::ledger::{Cell, Entry};
use crate::tables::{LONGEST_LINE, shown};

pub use write::write_health_bench;

/// The judge where nobody says who graded.
const UNKNOWN_JUDGE: &str = "unknown-judge";

/// How the file of an evaluation ends, behind the name of what answered.
const RESULTS_END: &str = "_allresults";

/// The system where nobody says who answered, nor the name of the file.
const UNKNOWN_SYSTEM: &str = "unknown-system";

/// The system of the answers that physicians wrote.
pub(super) const IDEAL: &str = "ideal";

/// The systems of the answers that physicians could read: `reference-1` and so on.
const REFERENCE: &str = "reference-";

/// Whether the beginning of a file has the structure of these rows.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let keys = first_keys(text.trim_start_matches('\u{feff}').trim_start());
    let has = |key: &str| keys.iter().any(|known| known == key);
    (has("prompt_id") && (has("rubrics") || has("rubric_items")))
        || (has("metrics") && has("htmls") && text.contains("\"overall_score\""))
}

/// Reads pools and results, as JSON lines or as the one object of an evaluation.
pub(crate) fn read(input: Input<'_>, options: &ImportOptions, sink: &mut dyn Sink) -> Result<ReadReport, ReadError> {
    let mut import = Import::new(&input.name, options, sink);
    let mut findings = Findings::default();
    let (beginning, rest) = first_line(stream(input.content));
    let whole = io::Cursor::new(beginning.clone()).chain(rest);
    if is_row(&beginning) {
        let mut lines = JsonLines::new(&input.name, Box::new(whole));
        loop {
            match lines.next(&mut findings) {
                JsonLine::Text(line, text) => {
                    let (row, found) = read_row(text, line, &input.name);
                    report(&found, text, &mut findings);
                    let place = Place {
                        file: &input.name,
                        line,
                    };
                    import.row(row, &found, place, &mut findings)?;
                }
                JsonLine::Skipped => {}
                JsonLine::End => break,
            }
        }
    } else {
        results::read(&input.name, whole, &mut import, &mut findings)?;
    }
    findings.into_result()?;
    import.finish(&input.name)
}

/// The bytes of an input, one after the other.
pub(super) fn stream(content: Content<'_>) -> Box<dyn BufRead + '_> {
    match content {
        Content::Stream(bytes) => bytes,
        Content::Seekable(bytes) => Box::new(BufReader::new(bytes)),
    }
}

/// The first line that is not blank with what stands before it, and the rest.
fn first_line<'a>(mut input: Box<dyn BufRead + 'a>) -> (Vec<u8>, Box<dyn BufRead + 'a>) {
    let mut beginning = Vec::new();
    while beginning.trim_ascii().is_empty() && beginning.len() < LONGEST_LINE {
        let room = (LONGEST_LINE - beginning.len()) as u64;
        match (&mut input).take(room).read_until(b'\n', &mut beginning) {
            Ok(0) => break,
            Ok(_) => {}
            // The reader of the rest meets it again and says so.
            Err(_) => break,
        }
    }
    (beginning, input)
}

/// Whether a line is a row by itself; the beginning of a larger object, or one that holds the results of an evaluation, is none.
fn is_row(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_start_matches('\u{feff}').trim();
    let keys = first_keys(text);
    let has = |key: &str| keys.iter().any(|known| known == key);
    let is_whole = text.ends_with('}') && !has("metrics") && !has("metadata");
    is_whole || has("rubrics") || has("rubric_items")
}

/// Where a row begins.
#[derive(Clone, Copy)]
struct Place<'a> {
    file: &'a str,
    line: u32,
}

impl Place<'_> {
    fn mistake(self, id: &'static str, what: String, help: &str) -> Diagnostic {
        Diagnostic::error(id, what, help).at(Span {
            file: self.file.to_owned(),
            line: self.line,
            column: 1,
            length: 0,
        })
    }
}

/// What is known of a prompt that was met.
struct Seen {
    line: u32,
    /// Of its messages and criteria.
    hash: Hash,
    /// Answers so far, of a file of results.
    answers: u32,
    /// Whether its ideal completions were handed over.
    ideal: bool,
}

/// Rows handed over so far, and what is to be said about them.
struct Import<'a> {
    sink: &'a mut dyn Sink,
    system: String,
    judge: &'a str,
    seen: BTreeMap<String, Seen>,
    losses: Losses,
    counts: Counts,
}

/// What is said once at the end, with the line of the first.
#[derive(Default)]
struct Counts {
    rows: u64,
    results: u64,
    criteria: u64,
    ideal: u64,
    references: u64,
    themes: u64,
    same: Noted,
    twice: Noted,
    zero: Noted,
    unlabelled: Noted,
    no_criteria: Noted,
    no_positive: Noted,
    other_id: Noted,
}

/// How often something was met, and on which line first.
#[derive(Default)]
struct Noted {
    count: u64,
    first: u32,
}

impl Noted {
    fn note(&mut self, line: u32) {
        if self.count == 0 {
            self.first = line;
        }
        self.count += 1;
    }

    /// The sentence about it, if it was met.
    fn say(&self, what: &str, why: &str, taken: &mut Vec<String>) {
        if self.count > 0 {
            taken.push(format!("{what}: {}, first on line {}: {why}", self.count, self.first));
        }
    }
}

impl<'a> Import<'a> {
    fn new(file: &str, options: &'a ImportOptions, sink: &'a mut dyn Sink) -> Self {
        Self {
            sink,
            system: options.system.clone().unwrap_or_else(|| system_of(file)),
            judge: options.judge.as_deref().unwrap_or(UNKNOWN_JUDGE),
            seen: BTreeMap::new(),
            losses: Losses::default(),
            counts: Counts::default(),
        }
    }

    fn row(
        &mut self,
        row: Option<HealthBenchRow>,
        found: &Diagnostics,
        place: Place<'_>,
        findings: &mut Findings,
    ) -> Result<(), ReadError> {
        for _ in found.iter().filter(|diagnostic| diagnostic.id == "zero-weight") {
            self.counts.zero.note(place.line);
        }
        let Some(row) = row else { return Ok(()) };
        if !findings.is_empty() {
            // The rest is read for its mistakes alone.
            return Ok(());
        }
        self.sink.at(SinkPlace::Line(place.line));
        self.counts.rows += 1;
        for key in &row.unused {
            let why = "the key is not known, and nothing of ours takes it";
            self.losses.add(&format!("values of `{}`", shown(key)), why);
        }
        let hash = hash_of(&row);
        let id = row.query.query.clone();
        match self.seen.get(&id).map(|seen| (seen.line, seen.hash == hash)) {
            None => {
                self.prompt(&row, place.line)?;
                let seen = Seen {
                    line: place.line,
                    hash,
                    answers: 0,
                    ideal: false,
                };
                self.seen.insert(id.clone(), seen);
            }
            Some((_, true)) if row.answer.is_none() => self.counts.same.note(place.line),
            Some((_, true)) => {}
            Some((line, false)) => {
                let what = format!(
                    "the prompt `{}` stands in the file twice with other messages or criteria, first on line {line}",
                    shown(&id)
                );
                let help = "an id names one prompt with one list of criteria: import the two as files of their own";
                findings.push(place.mistake("two-prompts", what, help), None);
                return Ok(());
            }
        }
        self.ideal(&row)?;
        self.answer(&row, place.line)
    }

    /// The query and its criteria, when it is met first.
    fn prompt(&mut self, row: &HealthBenchRow, line: u32) -> Result<(), ReadError> {
        self.sink.query(row.query.clone())?;
        self.counts.themes += u64::from(row.query.domain.is_some());
        if row.items.is_empty() {
            self.counts.no_criteria.note(line);
        } else if !row.items.iter().any(|item| item.criterion.weight > 0.0) {
            self.counts.no_positive.note(line);
        }
        let mut texts: Vec<&str> = row.items.iter().map(|item| item.criterion.question.as_str()).collect();
        texts.sort_unstable();
        for _ in texts.windows(2).filter(|pair| pair[0] == pair[1]) {
            self.counts.twice.note(line);
        }
        for item in &row.items {
            self.counts.criteria += 1;
            self.sink.criterion(criterion_row(&item.criterion))?;
        }
        Ok(())
    }

    fn ideal(&mut self, row: &HealthBenchRow) -> Result<(), ReadError> {
        let query = &row.query.query;
        let seen = self.seen.get_mut(query).expect("the prompt was noted");
        let Some(ideal) = row.ideal.as_ref().filter(|_| !seen.ideal) else {
            return Ok(());
        };
        seen.ideal = true;
        let IdealCompletions {
            completion,
            references,
            group,
        } = ideal;
        if let Some(text) = completion {
            self.counts.ideal += 1;
            self.sink.response(response(IDEAL, query, 1, json!(text)))?;
        }
        for (number, text) in (1..).zip(references) {
            self.counts.references += 1;
            let system = format!("{REFERENCE}{number}");
            self.sink.response(response(&system, query, 1, json!(text)))?;
        }
        if group.is_some() {
            let why = "which models' answers a physician could read has no place beside a response";
            self.losses.add("groups of ideal completions", why);
        }
        Ok(())
    }

    fn answer(&mut self, row: &HealthBenchRow, line: u32) -> Result<(), ReadError> {
        let Some(answer) = &row.answer else { return Ok(()) };
        let query = &row.query.query;
        let seen = self.seen.get_mut(query).expect("the prompt was noted");
        seen.answers += 1;
        let sample = seen.answers;
        self.counts.results += 1;
        let body = one_text(&answer.body);
        let response = response(&self.system, query, sample, body);
        if let Some(id) = &answer.completion_id {
            let hash = Hash::of_bytes(format!("{query}{}", response.text()).as_bytes());
            if !hash.to_string().ends_with(id.as_str()) {
                self.counts.other_id.note(line);
            }
        }
        if answer.has_usage {
            let why = "tokens are counted for verdicts, and these are of the answers";
            self.losses.add("token counts of responses", why);
        }
        self.sink.response(response)?;
        for item in &row.items {
            self.verdict(query, sample, item, line)?;
        }
        Ok(())
    }

    fn verdict(&mut self, query: &str, sample: u32, item: &HealthBenchItem, line: u32) -> Result<(), ReadError> {
        let cell = Cell {
            system: self.system.clone(),
            query: query.to_owned(),
            sample: sample.to_string(),
            criterion: item.criterion.id.clone(),
            judge: self.judge.to_owned(),
            repeat: 1,
        };
        let mut entry = match item.met {
            Some(met) => Entry::new(cell, Status::Ok, Some(f64::from(u8::from(met)))),
            None => {
                self.counts.unlabelled.note(line);
                Entry::new(cell, Status::Failed, None)
            }
        };
        entry.reason = item.explanation.clone().filter(|text| !text.is_empty());
        self.sink.verdict(entry)?;
        Ok(())
    }

    fn finish(self, file: &str) -> Result<ReadReport, ReadError> {
        let counts = &self.counts;
        if counts.rows == 0 {
            let help =
                "a pool has a JSON object a line with `prompt`, `prompt_id` and `rubrics`; results have `rubric_items`";
            let what = format!("`{}` holds no row of HealthBench", shown(file));
            return Err(Findings::from(Diagnostic::error("empty", what, help)).into());
        }
        Ok(ReadReport {
            version: None,
            taken: self.taken(),
            losses: self.losses,
        })
    }

    fn taken(&self) -> Vec<String> {
        let counts = &self.counts;
        let mut taken = vec![
            "`prompt_id` is the query, `points` are the weight of a criterion".to_owned(),
            "a criterion belongs to its query, and its id is its place there: `c01`, `c02` and so on".to_owned(),
        ];
        if counts.themes > 0 {
            taken.push("the theme among `example_tags` is the domain of the query; all of them are its tags".into());
        }
        if counts.ideal + counts.references > 0 {
            taken.push(format!(
                "{} of `ideal_completions_data` are responses: of the system `{IDEAL}` what a physician wrote, of `{REFERENCE}1` and so on \
                 what was shown beside it",
                counts.ideal + counts.references
            ));
        }
        if counts.results > 0 {
            taken.push(format!(
                "the rows do not say who answered and who graded: the system is `{}`, by the name of the file or as given, the judge `{}`",
                shown(&self.system),
                shown(self.judge)
            ));
            taken.push("`criteria_met` is the label, `explanation` the reason; a prompt that was answered again has further samples".into());
            taken.push("a score is not read but computed from the labels".into());
        }
        self.doubts(&mut taken);
        taken
    }

    fn doubts(&self, taken: &mut Vec<String>) {
        let counts = &self.counts;
        let once = "they say what an earlier row of the same prompt said, and are taken once";
        counts.same.say("repeated rows", once, taken);
        let each = "each counts, as it does in the published score";
        counts
            .twice
            .say("criteria with the text of another one of their prompt", each, taken);
        counts
            .zero
            .say("criteria with 0 points", "they add nothing to a score", taken);
        counts
            .no_criteria
            .say("prompts without a criterion", "there is nothing to score", taken);
        counts
            .no_positive
            .say("prompts without points above 0", "they have no score", taken);
        let failed = "the verdict is there as failed, without a label";
        counts
            .unlabelled
            .say("criteria of results without `criteria_met`", failed, taken);
        let edited = "it is not the hash of the prompt's id and the answer, which may have been edited";
        counts
            .other_id
            .say("results with another `completion_id`", edited, taken);
    }
}

fn criterion_row(criterion: &Criterion) -> CriterionRow {
    CriterionRow {
        id: criterion.id.clone(),
        query: criterion.query.clone(),
        question: criterion.question.clone(),
        weight: criterion.weight,
        tags: criterion.tags.clone(),
        ..CriterionRow::default()
    }
}

fn response(system: &str, query: &str, sample: u32, body: Value) -> Response {
    Response {
        system: system.to_owned(),
        query: query.to_owned(),
        sample: sample.to_string(),
        body,
    }
}

/// The text of an answer that is one message of the assistant with nothing but a text; another one as it is.
fn one_text(body: &Value) -> Value {
    let Some([Value::Object(message)]) = body.as_array().map(Vec::as_slice) else {
        return body.clone();
    };
    match (message.len(), message.get("role"), message.get("content")) {
        (2, Some(Value::String(role)), Some(Value::String(text))) if role == "assistant" => json!(text),
        _ => body.clone(),
    }
}

/// The system that a file of results is of: its name without folder and ending.
fn system_of(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = name.split(".json").next().unwrap_or(name);
    let stem = stem.strip_suffix(RESULTS_END).unwrap_or(stem);
    if file == "standard input"
        || stem.trim_matches(['-', ' ']).is_empty()
        || stem.chars().any(char::is_control)
        || stem.contains(['<', '>'])
    {
        return UNKNOWN_SYSTEM.to_owned();
    }
    stem.trim().to_owned()
}

/// What makes two rows the same prompt: its messages and criteria.
fn hash_of(row: &HealthBenchRow) -> Hash {
    let items: Vec<Value> = row
        .items
        .iter()
        .map(|item| {
            json!([
                item.criterion.id,
                item.criterion.question,
                item.criterion.weight,
                item.criterion.tags
            ])
        })
        .collect();
    Hash::of_bytes(canonical_json(&json!([row.query.prompt, items])).as_bytes())
}

#[cfg(test)]
mod tests;

//! lm-eval: the samples of one task as they were logged, `samples_TASK_DATE.jsonl`.
//!
//! A document is a query, what the model said a response, a metric (after a filter) a criterion, and the judge is `lm-eval`. The form is
//! that of lm-eval 0.4.13 and of earlier 0.4, which log no list of metrics. Python writes `NaN` where a number is missing; it is read as
//! missing.

mod answer;
mod metrics;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};

use calibrant_schema::canonical::Hash;
use calibrant_schema::query::Query;
use calibrant_schema::tree::{Node, Notation, Place, Value as Tree, parse};
use calibrant_schema::{Diagnostic, Response, Span};

use super::detect::first_keys;
use super::{Content, ImportOptions, Input, ReadError, ReadReport, Sink};
use crate::findings::Findings;
use crate::ledger::Cell;
use crate::tables::{LONGEST_LINE, shown};
use answer::Answer;
use metrics::Metrics;

/// The judge of metrics.
const JUDGE: &str = "lm-eval";

/// Keys that every row has.
const NEEDED: [&str; 4] = ["doc_id", "arguments", "resps", "filtered_resps"];

/// Whether the head of a file looks like logged samples.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let keys = first_keys(text.trim_start_matches('\u{feff}').trim_start());
    ["doc_id", "doc", "filtered_resps"]
        .iter()
        .all(|key| keys.iter().any(|known| known == key))
}

/// Reads logged samples.
pub(crate) fn read(input: Input<'_>, options: &ImportOptions, sink: &mut dyn Sink) -> Result<ReadReport, ReadError> {
    let stream: Box<dyn BufRead + '_> = match input.content {
        Content::Stream(stream) => stream,
        Content::Seekable(file) => Box::new(BufReader::new(file)),
    };
    let origin = Origin::of(&input.name, options)?;
    let mut samples = Samples {
        file: &input.name,
        metrics: Metrics::new(origin.task.as_deref()),
        judge: options.judge.clone().unwrap_or_else(|| JUDGE.to_owned()),
        origin,
        sink,
        documents: BTreeMap::new(),
        rows: BTreeMap::new(),
        findings: Findings::default(),
        report: ReadReport::default(),
    };
    let mut lines = Lines {
        input: stream,
        file: &input.name,
        line: 0,
    };
    while let Some(text) = lines.next()? {
        if !text.trim().is_empty() {
            samples.take(&text, lines.line)?;
        }
    }
    samples.finish()
}

/// What the name of a file says of it.
struct Origin {
    system: String,
    by_folder: bool,
    task: Option<String>,
}

impl Origin {
    fn of(name: &str, options: &ImportOptions) -> Result<Self, ReadError> {
        let mut parts = name.rsplit(['/', '\\']);
        let file = parts.next().unwrap_or_default();
        let folder = parts
            .next()
            .map(str::trim)
            .filter(|folder| !folder.is_empty() && *folder != "." && *folder != "..");
        let system = options
            .system
            .as_deref()
            .or(folder)
            .filter(|system| !system.chars().any(char::is_control));
        let Some(system) = system else {
            let what = "nothing says which model gave these answers";
            let help = "name it with `--system`; lm-eval puts the samples of a model into a folder named for it";
            return Err(mistake(name, 0, "no-system", what, help));
        };
        Ok(Self {
            system: system.to_owned(),
            by_folder: options.system.is_none(),
            task: task_of(file),
        })
    }
}

/// The task in `samples_TASK_DATE.jsonl`.
fn task_of(file: &str) -> Option<String> {
    let rest = file.strip_prefix("samples_")?;
    let rest = rest.split(".jsonl").next()?;
    let (task, date) = rest.rsplit_once('_')?;
    let dated = date.starts_with(|c: char| c.is_ascii_digit()) && date.contains('T');
    (dated && !task.is_empty() && !task.chars().any(char::is_control)).then(|| task.to_owned())
}

struct Samples<'a> {
    file: &'a str,
    origin: Origin,
    judge: String,
    sink: &'a mut dyn Sink,
    metrics: Metrics,
    /// Documents met, by the id of their query, with the line of their first row.
    documents: BTreeMap<String, u32>,
    /// Rows met, by query and filter, each with its line.
    rows: BTreeMap<(String, String), u32>,
    findings: Findings,
    report: ReadReport,
}

impl Samples<'_> {
    fn take(&mut self, text: &str, line: u32) -> Result<(), ReadError> {
        let row = match parse(text, self.file, Notation::Json, line) {
            Ok((row, _)) => row,
            Err(found) => {
                found
                    .into_iter()
                    .for_each(|diagnostic| self.findings.push(diagnostic, Some(text)));
                return Ok(());
            }
        };
        if let Some(missing) = NEEDED.iter().find(|key| row.get(key).is_none()) {
            let what = format!("the row has no `{missing}`, which samples of lm-eval 0.4 have");
            let help =
                "give a `samples_*.jsonl` that lm-eval 0.4 wrote with `--log_samples`; other versions are not known";
            self.error("not-a-sample", row.place, &what, help, text);
            return Ok(());
        }
        let filter = row.get("filter").and_then(Node::text).unwrap_or("none").to_owned();
        let query = self.query_of(&row);
        let key = (query.clone(), filter.clone());
        if let Some(first) = self.rows.get(&key) {
            let what = format!(
                "document `{}` has two rows under the filter `{}`, first on line {first}",
                shown(&query),
                shown(&filter)
            );
            self.error("duplicate-sample", row.place, &what, "keep one run in the file", text);
            return Ok(());
        }
        self.rows.insert(key, line);
        self.sink.at(super::Place::Line(line));
        let answer = Answer::of(&row);
        if !self.documents.contains_key(&query) {
            self.documents.insert(query.clone(), line);
            self.document(&query, &answer)?;
        }
        if row.get("target").is_some() {
            let why = "a query has no reference answer: metrics have compared with it, and a criterion may quote it";
            self.report.losses.add("targets", why);
        }
        let cell = Cell {
            system: self.origin.system.clone(),
            query,
            sample: "1".to_owned(),
            criterion: String::new(),
            judge: self.judge.clone(),
            repeat: 1,
        };
        for entry in self
            .metrics
            .take(&row, &cell, &filter, &answer, &mut self.report.losses)
        {
            self.sink.verdict(entry)?;
        }
        Ok(())
    }

    fn error(&mut self, id: &'static str, place: Place, what: &str, help: &str, text: &str) {
        let diagnostic = Diagnostic::error(id, what, help).at(place.in_file(self.file));
        self.findings.push(diagnostic, Some(text));
    }

    /// The id of a document: its task, its number, and eight digits of the hash of what it holds.
    fn query_of(&self, row: &Node) -> String {
        let number = row.get("doc_id").and_then(Node::text).unwrap_or("?");
        let number: String = number.chars().filter(|c| !c.is_control()).take(80).collect();
        let logged = row
            .get("doc_hash")
            .and_then(Node::text)
            .filter(|hash| hash.len() >= 8 && hash.bytes().all(|b| b.is_ascii_hexdigit()));
        let hash = match logged {
            Some(hash) => hash[..8].to_ascii_lowercase(),
            None => {
                let document = row.get("doc").and_then(Node::to_json).unwrap_or_default();
                Hash::of_json(&document).short()[..8].to_owned()
            }
        };
        match &self.origin.task {
            Some(task) => format!("{task}-{number}-{hash}"),
            None => format!("doc-{number}-{hash}"),
        }
    }

    fn document(&mut self, query: &str, answer: &Answer) -> Result<(), ReadError> {
        self.sink.query(Query {
            query: query.to_owned(),
            prompt: answer.prompt.clone(),
            task_type: None,
            domain: self.origin.task.clone(),
            tags: Vec::new(),
            weight: 1.0,
            cluster: None,
        })?;
        if answer.texts.is_empty() {
            let why = "likelihoods of a text are no text: there is a verdict and no response";
            self.report.losses.add("documents without an answer in words", why);
        }
        if answer.texts.len() > 1 {
            let why = "a metric has one value for all answers to a document: it stands at the first";
            self.report.losses.add("metrics over several answers", why);
        }
        for (sample, text) in (1..).zip(&answer.texts) {
            let sample: u64 = sample;
            self.sink.response(Response {
                system: self.origin.system.clone(),
                query: query.to_owned(),
                sample: sample.to_string(),
                body: text.clone().into(),
            })?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<ReadReport, ReadError> {
        if self.rows.is_empty() && self.findings.is_empty() {
            let help = "check that lm-eval ended, and that it was run with `--log_samples`";
            return Err(mistake(
                self.file,
                0,
                "no-samples",
                "there is no sample in this file",
                help,
            ));
        }
        self.findings.into_result()?;
        self.metrics.hand_over(self.sink, &mut self.report)?;
        self.report.version = Some("lm-eval samples, 0.4".to_owned());
        let taken = &mut self.report.taken;
        taken.push(match self.origin.by_folder {
            true => format!(
                "The system is `{}`, the folder of the file; `--system` names another.",
                shown(&self.origin.system)
            ),
            false => format!("The system is `{}`, as you say.", shown(&self.origin.system)),
        });
        taken.push(match &self.origin.task {
            Some(task) => format!(
                "The task is `{}`, by the name of the file; it is the domain of its queries.",
                shown(task)
            ),
            None => "The name of the file does not say the task.".to_owned(),
        });
        taken.push(
            "A response is what the model said; what a filter took from it stands as evidence beside the verdict. Where \
             choices were compared, it is the one with the highest likelihood."
                .to_owned(),
        );
        Ok(self.report)
    }
}

/// One mistake at a line; 0 for the whole file.
fn mistake(file: &str, line: u32, id: &'static str, what: &str, help: &str) -> ReadError {
    let diagnostic = Diagnostic::error(id, what, help).at(Span {
        file: file.to_owned(),
        line,
        column: u32::from(line > 0),
        length: 0,
    });
    ReadError::Findings(Findings::from(diagnostic))
}

/// Lines, one at a time and bounded.
struct Lines<'a> {
    input: Box<dyn BufRead + 'a>,
    file: &'a str,
    line: u32,
}

impl Lines<'_> {
    fn next(&mut self) -> Result<Option<String>, ReadError> {
        let mut bytes = Vec::new();
        let read = (&mut self.input)
            .take(LONGEST_LINE as u64 + 1)
            .read_until(b'\n', &mut bytes);
        self.line = self.line.saturating_add(1);
        if let Err(reason) = read {
            let what = format!("reading broke off: {reason}");
            return Err(mistake(
                self.file,
                self.line,
                "cannot-read",
                &what,
                "fetch or write the file again",
            ));
        }
        if bytes.len() > LONGEST_LINE {
            let what = format!("the line has more than {} MiB", LONGEST_LINE >> 20);
            return Err(mistake(
                self.file,
                self.line,
                "line-too-long",
                &what,
                "a sample is one line of JSON",
            ));
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let text = String::from_utf8(bytes);
        text.map(Some).map_err(|_| {
            mistake(
                self.file,
                self.line,
                "not-utf8",
                "the line is no UTF-8",
                "save the file as UTF-8",
            )
        })
    }
}

/// The items of a list, or none.
fn items(node: Option<&Node>) -> &[Node] {
    match node.map(|node| &node.value) {
        Some(Tree::List(nodes)) => nodes,
        _ => &[],
    }
}

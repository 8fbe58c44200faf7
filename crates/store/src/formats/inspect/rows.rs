//! Samples on their way into our nouns.

use std::collections::{BTreeMap, BTreeSet};

use calibrant_schema::query::Query;
use calibrant_schema::scale::MOST_LEVELS;
use calibrant_schema::{Response, Status};
use serde_json::Value;

use super::diagnostic;
use super::header::{Header, Scorer};
use super::messages::{Exchange, Messages};
use super::sample::Sample;
use super::score::{Spelled, outcome};
use crate::findings::Findings;
use crate::formats::{CriterionRow, Place, ReadError, ReadReport, Sink, VerdictRow};
use crate::ledger::{Cell, VerdictSource};
use crate::tables::shown;

/// The most members of one value that become criteria.
const MOST_MEMBERS: usize = 1_000;

/// The most criteria of a log.
const MOST_CRITERIA: usize = 100_000;

/// The most samples without scores that are remembered until all criteria are known.
const MOST_UNSCORED: usize = 100_000;

/// The most rows for samples that broke.
const MOST_SKIPPED: usize = 10_000_000;

/// Characters of an error that stand beside a verdict.
const LONGEST_ERROR: usize = 400;

/// Takes samples one by one and hands over what is in them.
pub(super) struct Rows<'s> {
    file: String,
    sink: &'s mut dyn Sink,
    header: Option<Header>,
    pub(super) report: ReadReport,
    findings: Findings,
    taken: u32,
    epochs: BTreeSet<u64>,
    /// Grades met, by criterion.
    levels: BTreeMap<String, BTreeSet<u64>>,
    /// Who decides what.
    pairs: BTreeMap<(String, String), Option<VerdictSource>>,
    /// Samples that ended before they were scored.
    unscored: Vec<(Cell, String)>,
    spelled: BTreeSet<Spelled>,
    edited: u64,
    limited: u64,
    invalid: u64,
}

impl<'s> Rows<'s> {
    pub(super) fn new(file: &str, sink: &'s mut dyn Sink) -> Self {
        Self {
            file: file.to_owned(),
            sink,
            header: None,
            report: ReadReport::default(),
            findings: Findings::default(),
            taken: 0,
            epochs: BTreeSet::new(),
            levels: BTreeMap::new(),
            pairs: BTreeMap::new(),
            unscored: Vec::new(),
            spelled: BTreeSet::new(),
            edited: 0,
            limited: 0,
            invalid: 0,
        }
    }

    pub(super) fn set_eval(&mut self, header: Header) {
        let package = header
            .package
            .as_deref()
            .map(|version| format!(" (inspect_ai {})", shown(version)));
        self.report.version = Some(format!("Inspect log, version 2{}", package.unwrap_or_default()));
        self.header = Some(header);
    }

    /// Counts what Inspect made of the scores of all samples.
    pub(super) fn reduced(&mut self, key: &str, count: u64) {
        let (what, why) = match key {
            "results" => ("metrics of the run", "Calibrant counts its own from the verdicts"),
            _ => ("scores reduced over epochs", "every epoch has its own verdicts"),
        };
        self.report.losses.add_many(what, why, count.min(1));
    }

    pub(super) fn has_header(&self) -> bool {
        self.header.is_some()
    }

    /// Notes a mistake; `place` is the entry or sample.
    pub(super) fn mistake(&mut self, id: &'static str, place: &str, what: &str, help: &str) {
        let what = format!("{}: {what}", shown(place));
        self.findings.push(diagnostic(&self.file, 0, id, what, help), None);
    }

    /// Whether so many mistakes were met that more would tell nothing.
    pub(super) fn is_hopeless(&self) -> bool {
        self.findings.more() > 0
    }

    /// Says how the run ended where it did not end well, and what is left behind of the whole.
    pub(super) fn ended(&mut self, status: Option<&str>, invalidated: bool) {
        match status {
            Some("success") => {}
            Some("started") | None => {
                self.say("The run had not ended: the log has the samples that were finished.".into())
            }
            Some(status) => self.say(format!("The run ended with the status `{}`.", shown(status))),
        }
        if invalidated {
            self.say("Inspect marks this log, or samples in it, as invalidated.".into());
        }
    }

    fn say(&mut self, sentence: String) {
        self.report.taken.push(sentence);
    }

    /// Takes a sample; `place` names it in messages.
    pub(super) fn take(&mut self, sample: &Sample, place: &str) -> Result<(), ReadError> {
        self.taken = self.taken.saturating_add(1);
        self.sink.at(Place::Entry(self.taken));
        let header = self.header.take().expect("a header stands before the samples");
        let taken = self.take_with(&header, sample, place);
        self.header = Some(header);
        taken
    }

    fn take_with(&mut self, header: &Header, sample: &Sample, place: &str) -> Result<(), ReadError> {
        let help = "give a log that Inspect wrote";
        let id = match sample.get("id") {
            Some(Value::String(id)) if !id.trim().is_empty() => id.clone(),
            Some(Value::Number(id)) => id.to_string(),
            _ => {
                self.mistake("no-sample-id", place, "the sample has no `id`", help);
                return Ok(());
            }
        };
        let Some(epoch) = sample
            .get("epoch")
            .map_or(Some(1), Value::as_u64)
            .filter(|epoch| *epoch > 0)
        else {
            self.mistake(
                "bad-epoch",
                place,
                "the `epoch` of the sample is no number from 1",
                help,
            );
            return Ok(());
        };
        self.epochs.insert(epoch);
        let cell = Cell {
            system: header.system.clone(),
            query: id,
            sample: epoch.to_string(),
            criterion: String::new(),
            judge: String::new(),
            repeat: 1,
        };
        self.left_behind(sample);
        let mut messages = Messages {
            attachments: &sample.attachments,
            losses: &mut self.report.losses,
        };
        let Exchange { prompt, response } = messages.exchange(sample);
        self.sink.query(query(&cell.query, prompt))?;
        let said = response.as_ref().map(spoken);
        if let Some(body) = response {
            self.sink.response(Response {
                system: cell.system.clone(),
                query: cell.query.clone(),
                sample: cell.sample.clone(),
                body,
            })?;
        }
        self.scores(header, sample, &cell, said.as_deref().unwrap_or_default())
    }

    fn scores(&mut self, header: &Header, sample: &Sample, cell: &Cell, said: &str) -> Result<(), ReadError> {
        let about = About::of(sample);
        self.limited += u64::from(sample.get("limit").is_some());
        self.invalid += u64::from(sample.get("invalidation").is_some());
        let mut any = false;
        let old = sample.get("score").map(|score| ("score", score));
        let listed = sample.get("scores").and_then(Value::as_object).into_iter().flatten();
        for (key, score) in listed.map(|(key, score)| (key.as_str(), score)).chain(old) {
            any = true;
            let scorer = header.scorer(key);
            self.score(header, &scorer, score, sample, &about, cell, said)?;
        }
        if !any && let Some(error) = about.error {
            match self.unscored.len() < MOST_UNSCORED {
                true => self.unscored.push((cell.clone(), error)),
                false => {
                    let why = "so many samples broke that the rest has no rows";
                    self.report
                        .losses
                        .add("samples that broke before they were scored", why);
                }
            }
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "what a row is made of comes from all of these")]
    fn score(
        &mut self,
        header: &Header,
        scorer: &Scorer,
        score: &Value,
        sample: &Sample,
        about: &About,
        cell: &Cell,
        said: &str,
    ) -> Result<(), ReadError> {
        let beside = self.beside(scorer, score, sample, about, said);
        let value = score.get("value").unwrap_or(&Value::Null);
        let reason = score
            .get("reason")
            .and_then(Value::as_str)
            .or_else(|| old_reason(score));
        let members: Vec<(String, &Value)> = match value {
            Value::Object(map) => map
                .iter()
                .map(|(key, value)| (header.criterion_of(scorer, key), value))
                .collect(),
            Value::Array(list) => (1..)
                .zip(list)
                .map(|(at, value): (u32, _)| (format!("{}/{at}", scorer.criterion), value))
                .collect(),
            value => vec![(scorer.criterion.clone(), value)],
        };
        let more = members.len().saturating_sub(MOST_MEMBERS) as u64;
        let why = "a value has so many members that they are no criteria";
        self.report.losses.add_many("members of a value", why, more);
        for (criterion, value) in members.into_iter().take(MOST_MEMBERS) {
            self.verdict(&beside, criterion, value, reason, cell)?;
        }
        Ok(())
    }

    fn verdict(
        &mut self,
        beside: &VerdictRow,
        criterion: String,
        value: &Value,
        reason: Option<&str>,
        cell: &Cell,
    ) -> Result<(), ReadError> {
        if criterion.trim().is_empty() {
            let why = "a criterion has an id";
            self.report.losses.add("members of a value without a name", why);
            return Ok(());
        }
        let mut read = outcome(value, reason);
        self.spelled.insert(read.spelled);
        if let Some(label) = read.label
            && !self.admits(&criterion, label)
        {
            let why = "a scale has at most 255 levels: round the grades in the scorer, or cut them at a threshold";
            self.report.losses.add("grades on a scale without steps", why);
            read.status = Status::Unparsable;
            read.comment = Some(label.to_string());
            read.label = None;
        }
        self.pairs
            .entry((criterion.clone(), beside.cell.judge.clone()))
            .or_insert(beside.source);
        let mut row = beside.clone();
        row.cell = Cell {
            criterion,
            judge: beside.cell.judge.clone(),
            ..cell.clone()
        };
        row.status = read.status;
        row.label = read.label;
        row.comment = read.comment;
        self.sink.verdict(row)?;
        Ok(())
    }

    /// Takes a grade into the scale of its criterion, as long as a scale can hold it.
    fn admits(&mut self, criterion: &str, label: f64) -> bool {
        if !self.levels.contains_key(criterion) && self.levels.len() >= MOST_CRITERIA {
            return false;
        }
        let levels = self.levels.entry(criterion.to_owned()).or_default();
        let bits = label.to_bits();
        // Two places are left for 0 and 1, which a scale of shares has in any case.
        levels.contains(&bits) || (levels.len() + 2 < MOST_LEVELS && levels.insert(bits))
    }

    /// What stands beside every label of a score.
    fn beside(&mut self, scorer: &Scorer, score: &Value, sample: &Sample, about: &About, said: &str) -> VerdictRow {
        let mut losses = std::mem::take(&mut self.report.losses);
        let mut messages = Messages {
            attachments: &sample.attachments,
            losses: &mut losses,
        };
        let mut text = |key: &str| {
            let text = score.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())?;
            Some(messages.text(text))
        };
        let (reason, answer) = (text("explanation"), text("answer"));
        let mut row = VerdictRow::new(
            Cell {
                system: String::new(),
                query: String::new(),
                sample: String::new(),
                criterion: String::new(),
                judge: scorer.judge.clone(),
                repeat: 1,
            },
            Status::Skipped,
            None,
        );
        row.source = scorer.source;
        row.reason = reason;
        row.judged_at.clone_from(&about.completed_at);
        row.flags.clone_from(&about.flags);
        match answer {
            Some(answer) if answer != said && said.contains(&answer) => row.evidence = Some(answer),
            Some(answer) if answer != said => {
                let why = "evidence is a passage of the response, and these are none";
                losses.add("answers as scorers read them", why);
            }
            _ => {}
        }
        let history = score
            .get("history")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        if let Some(last) = history.last() {
            self.edited += 1;
            row.source = Some(VerdictSource::Human);
            let when = last
                .get("provenance")
                .and_then(|provenance| provenance.get("timestamp"));
            row.judged_at = when.and_then(Value::as_str).and_then(time).or(row.judged_at);
            losses.add(
                "earlier values of edited scores",
                "a verdict is the value that stands in the end",
            );
        }
        let metadata = score.get("metadata").and_then(Value::as_object);
        row.model_answered = metadata.and_then(grader);
        if metadata.is_some_and(|metadata| !metadata.is_empty()) {
            let why = "a verdict has no place for them; the model of a grader is kept as `model_answered`";
            losses.add("metadata of scores", why);
        }
        self.report.losses = losses;
        row
    }

    /// Counts what of a sample has no place.
    fn left_behind(&mut self, sample: &Sample) {
        let words = [
            (
                "events",
                "events of runs",
                "verdicts and responses are what they led to",
            ),
            (
                "metadata",
                "metadata of samples",
                "write what matters into queries.jsonl: `domain`, `task_type` or `tags`",
            ),
            (
                "store",
                "stores of samples",
                "the state of a solver is no part of a response",
            ),
            ("usage", "token counts of systems", "costs are kept of judges only"),
            (
                "usage of roles",
                "token counts of roles",
                "the log does not say which score they belong to",
            ),
            (
                "times",
                "times that samples took",
                "only the end of a sample is kept, as the time of its verdicts",
            ),
            (
                "retries",
                "errors that were tried again",
                "a response is what came in the end",
            ),
            ("files", "files of samples", "a query is a text or messages"),
            (
                "description",
                "descriptions of samples",
                "a query is a text or messages",
            ),
        ];
        for (key, what, why) in words {
            let count = sample.left.get(key).copied().unwrap_or_default();
            self.report.losses.add_many(what, why, count);
        }
        let target = match sample.get("target") {
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Array(texts)) => !texts.is_empty(),
            _ => false,
        };
        if target {
            let why = "a rubric asks in words: write what a right answer has into its criteria";
            self.report.losses.add("target answers", why);
        }
    }

    /// Ends the reading: rows of samples that broke, the criteria, and what was taken for what.
    pub(super) fn finish(mut self) -> Result<ReadReport, ReadError> {
        if self.taken == 0 && self.findings.is_empty() {
            let what = "the log has no samples";
            let help = "give a log of a run that had log_samples=True; a log of a header alone has no scores";
            self.findings
                .push(diagnostic(&self.file, 0, "no-samples", what, help), None);
        }
        std::mem::take(&mut self.findings).into_result()?;
        let header = self.header.take().expect("a header stands before the samples");
        // A run in which every sample broke still names its scorers.
        if self.pairs.is_empty() {
            for scorer in &header.scorers {
                self.pairs
                    .insert((scorer.criterion.clone(), scorer.judge.clone()), scorer.source);
            }
        }
        let broken = self.broken()?;
        self.criteria()?;
        self.told(&header, broken);
        Ok(self.report)
    }

    /// Nobody was asked about a sample that broke, whoever would have been.
    fn broken(&mut self) -> Result<u64, ReadError> {
        let mut unscored = std::mem::take(&mut self.unscored);
        let room = MOST_SKIPPED / self.pairs.len().max(1);
        let why = "so many samples broke that the rest has no rows";
        let more = unscored.len().saturating_sub(room) as u64;
        self.report
            .losses
            .add_many("samples that broke before they were scored", why, more);
        unscored.truncate(room);
        for (cell, error) in &unscored {
            for ((criterion, judge), source) in &self.pairs {
                let cell = Cell {
                    criterion: criterion.clone(),
                    judge: judge.clone(),
                    ..cell.clone()
                };
                let mut row = VerdictRow::new(cell, Status::Skipped, None);
                row.source = *source;
                row.comment = Some(error.clone());
                row.flags = Some("error".to_owned());
                self.sink.verdict(row)?;
            }
        }
        Ok(unscored.len() as u64)
    }

    fn criteria(&mut self) -> Result<(), ReadError> {
        let ids: BTreeSet<String> = self.pairs.keys().map(|(criterion, _)| criterion.clone()).collect();
        for id in ids {
            let levels = self.levels.get(&id).and_then(scale);
            if let Some(levels) = &levels
                && levels.iter().any(|level| !(0.0..=1.0).contains(level))
            {
                let sentence = format!(
                    "The scale of `{}` has the grades that were given, {} of them: write those that were not into the rubric.",
                    shown(&id),
                    levels.len()
                );
                self.say(sentence);
            }
            self.sink.criterion(CriterionRow {
                id,
                weight: 1.0,
                levels,
                ..CriterionRow::default()
            })?;
        }
        Ok(())
    }

    fn told(&mut self, header: &Header, broken: u64) {
        let mut judges: BTreeMap<&str, u64> = BTreeMap::new();
        for (_, judge) in self.pairs.keys() {
            *judges.entry(judge).or_default() += 1;
        }
        let judges: Vec<String> = judges
            .into_iter()
            .take(20)
            .map(|(judge, count)| format!("`{}` ({count})", shown(judge)))
            .collect();
        let criteria = self
            .pairs
            .keys()
            .map(|(criterion, _)| criterion)
            .collect::<BTreeSet<_>>()
            .len();
        let mut sentences = vec![
            format!(
                "The model `{}` is the system, a sample of the task `{}` a query, and an epoch a sample of a response ({} of them).",
                shown(&header.system),
                shown(&header.task),
                self.epochs.len()
            ),
            format!(
                "A scorer, or a key of its value, is a criterion ({criteria} of them); the model that it asks, or the scorer itself, is the judge: {}.",
                if judges.is_empty() {
                    "none".to_owned()
                } else {
                    judges.join(", ")
                }
            ),
        ];
        if self.spelled.contains(&Spelled::Letter) {
            sentences.push("`C` is 1, `P` is 0.5, and `I` and `N` are 0, as Inspect counts them.".to_owned());
        }
        if self.spelled.contains(&Spelled::Word) {
            sentences.push(
                "Yes and no, true and false, and digits in quotes are numbers, as Inspect counts them.".to_owned(),
            );
        }
        if self.spelled.contains(&Spelled::Other) {
            let sentence = "A value that is no number has the status `unparsable`, with its text as the comment; Inspect counts it as 0.";
            sentences.push(sentence.to_owned());
        }
        let counted = [
            (
                self.edited,
                "scores were edited: the value that stands in the end is taken, as a person's",
            ),
            (
                self.limited,
                "samples met a limit: their verdicts have a flag such as `limit-message`",
            ),
            (
                self.invalid,
                "samples are marked as invalidated: their verdicts have the flag `invalidated`",
            ),
            (
                broken,
                "samples broke before they were scored: their verdicts have the status `skipped`",
            ),
        ];
        for (count, what) in counted.into_iter().filter(|(count, _)| *count > 0) {
            sentences.push(format!("{count} {what}."));
        }
        self.report.taken.splice(0..0, sentences);
    }
}

/// What a sample says of all of its scores.
struct About {
    completed_at: Option<String>,
    flags: Option<String>,
    error: Option<String>,
}

impl About {
    fn of(sample: &Sample) -> Self {
        let mut flags = Vec::new();
        if let Some(limit) = sample.get("limit") {
            let kind = limit.get("type").and_then(Value::as_str).unwrap_or("unknown");
            let kind: String = kind.chars().filter(char::is_ascii_alphanumeric).take(40).collect();
            flags.push(format!("limit-{kind}"));
        }
        let error = sample.get("error").map(|error| {
            let message = error.get("message").and_then(Value::as_str).or_else(|| error.as_str());
            let line = message.and_then(|message| message.lines().next()).unwrap_or_default();
            let line: String = line.chars().take(LONGEST_ERROR).collect();
            format!("the sample broke: {line}")
        });
        if error.is_some() {
            flags.push("error".to_owned());
        }
        if sample.get("invalidation").is_some() {
            flags.push("invalidated".to_owned());
        }
        Self {
            completed_at: sample.get("completed_at").and_then(Value::as_str).and_then(time),
            flags: (!flags.is_empty()).then(|| flags.join(" ")),
            error,
        }
    }
}

fn query(id: &str, prompt: Option<Value>) -> Query {
    Query {
        query: id.to_owned(),
        prompt,
        task_type: None,
        domain: None,
        tags: Vec::new(),
        weight: 1.0,
        cluster: None,
    }
}

/// A response as one text, in which a passage is looked for.
fn spoken(body: &Value) -> String {
    let turns = calibrant_schema::turn::turns(body, "assistant");
    turns.into_iter().map(|turn| turn.text).collect::<Vec<_>>().join("\n")
}

/// The word for why there is no value, where releases before 0.3.250 wrote it.
fn old_reason(score: &Value) -> Option<&str> {
    score.get("metadata")?.get("unscored_reason")?.as_str()
}

/// The model that graded, out of the exchange that the package keeps beside a score.
fn grader(metadata: &serde_json::Map<String, Value>) -> Option<String> {
    let exchange = metadata.get("grading")?.as_array()?;
    exchange
        .iter()
        .rev()
        .find_map(|message| message.get("model")?.as_str())
        .map(str::to_owned)
}

/// A time in ISO 8601 with seconds; anything else is none.
fn time(text: &str) -> Option<String> {
    let shape = b"dddd-dd-ddTdd:dd:dd";
    let fits = text.len() >= shape.len()
        && text.len() <= 40
        && text.is_ascii()
        && text.bytes().zip(shape).all(|(byte, expected)| match expected {
            b'd' => byte.is_ascii_digit(),
            expected => byte == *expected,
        })
        && text
            .bytes()
            .skip(shape.len())
            .all(|byte| byte.is_ascii_digit() || b"Z+-:.".contains(&byte));
    fits.then(|| text.to_owned())
}

/// The levels of a scale that has these grades; `None` for 0 and 1.
fn scale(grades: &BTreeSet<u64>) -> Option<Vec<f64>> {
    let mut levels: Vec<f64> = grades.iter().map(|bits| f64::from_bits(*bits)).collect();
    let share = levels.iter().all(|level| (0.0..=1.0).contains(level));
    if share {
        levels.extend([0.0, 1.0]);
    } else if levels.len() < 2 {
        levels.push(0.0);
    }
    levels.sort_unstable_by(f64::total_cmp);
    levels.dedup();
    (levels != [0.0, 1.0]).then_some(levels)
}

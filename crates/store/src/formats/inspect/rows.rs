//! Samples on their way into our nouns.

use std::collections::{BTreeMap, BTreeSet};

use calibrant_schema::query::Query;
use calibrant_schema::{Response, Status};
use serde_json::Value;

use super::diagnostic;
use super::header::{Header, Scorer};
use super::messages::{Exchange, Messages};
use super::row::{About, beside, is_edited, reason};
use super::sample::Sample;
use super::scales::Scales;
use super::score::{is_missing, outcome};
use super::told::{Tally, left_behind};
use super::waiting::Waiting;
use crate::findings::Findings;
use crate::formats::{CriterionRow, Place, ReadError, ReadReport, Sink, VerdictRow};
use crate::ledger::{Cell, VerdictSource};
use crate::tables::shown;

/// The most members of one value that become criteria.
const MOST_MEMBERS: usize = 1_000;

/// Who decides what: criteria and judges, with how.
pub(super) type Pairs = BTreeMap<(String, String), Option<VerdictSource>>;

/// Takes samples one by one and hands over what is in them.
pub(super) struct Rows<'s> {
    file: String,
    sink: &'s mut dyn Sink,
    header: Option<Header>,
    pub(super) report: ReadReport,
    findings: Findings,
    taken: u32,
    scales: Scales,
    pairs: Pairs,
    waiting: Waiting,
    tally: Tally,
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
            scales: Scales::default(),
            pairs: Pairs::new(),
            waiting: Waiting::default(),
            tally: Tally::default(),
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
        self.tally.epochs.insert(epoch);
        let cell = Cell {
            system: header.system.clone(),
            query: id,
            sample: epoch.to_string(),
            criterion: String::new(),
            judge: String::new(),
            repeat: 1,
        };
        left_behind(sample, &mut self.report.losses);
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
        self.tally.limited += u64::from(sample.get("limit").is_some());
        self.tally.invalid += u64::from(sample.get("invalidation").is_some());
        let mut any = false;
        let old = sample.get("score").map(|score| ("score", score));
        let listed = sample.get("scores").and_then(Value::as_object).into_iter().flatten();
        for (key, score) in listed.map(|(key, score)| (key.as_str(), score)).chain(old) {
            any = true;
            let scorer = header.scorer(key);
            self.score(header, &scorer, score, sample, &about, cell, said)?;
        }
        if !any && let Some(error) = about.error {
            self.waiting.broken(cell, error, &mut self.report.losses);
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
        let mut beside = beside(scorer, score, sample, about, said, &mut self.report.losses);
        beside.cell = Cell {
            judge: beside.cell.judge.clone(),
            ..cell.clone()
        };
        self.tally.edited += u64::from(is_edited(score));
        let value = score.get("value").unwrap_or(&Value::Null);
        let reason = reason(score);
        if is_missing(value) {
            let read = outcome(value, reason);
            self.tally.spelled.insert(read.spelled);
            (beside.status, beside.comment) = (read.status, read.comment);
            self.waiting
                .unscored(scorer, beside, self.taken, &mut self.report.losses);
            return Ok(());
        }
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
            self.waiting.met(scorer, &criterion);
            self.verdict(&beside, criterion, value, reason)?;
        }
        Ok(())
    }

    fn verdict(
        &mut self,
        beside: &VerdictRow,
        criterion: String,
        value: &Value,
        reason: Option<&str>,
    ) -> Result<(), ReadError> {
        if criterion.trim().is_empty() {
            let why = "a criterion has an id";
            self.report.losses.add("members of a value without a name", why);
            return Ok(());
        }
        let mut read = outcome(value, reason);
        self.tally.spelled.insert(read.spelled);
        if let Some(label) = read.label
            && !self.scales.admits(&criterion, label)
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
        row.cell.criterion = criterion;
        row.status = read.status;
        row.label = read.label;
        row.comment = read.comment;
        self.sink.verdict(row)?;
        Ok(())
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
        let waiting = std::mem::take(&mut self.waiting);
        self.tally.broken = waiting.hand_over(&header, &mut self.pairs, self.sink, &mut self.report.losses)?;
        self.criteria()?;
        let sentences = self.tally.sentences(&header, &self.pairs);
        self.report.taken.splice(0..0, sentences);
        Ok(self.report)
    }

    fn criteria(&mut self) -> Result<(), ReadError> {
        let ids: BTreeSet<String> = self.pairs.keys().map(|(criterion, _)| criterion.clone()).collect();
        for id in ids {
            let levels = self.scales.levels(&id);
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

//! The sink before every other: it cleans ids, takes what is said twice once, and refuses what contradicts itself.

use std::collections::{BTreeMap, BTreeSet};

use calibrant_schema::query::Query;
use calibrant_schema::{Diagnostic, Status};
use calibrant_store::formats::{
    CriterionRow, Losses, Place, Refusal, ResponseRow, Sink, VerdictRow, criterion_line, is_consistent, query_line,
    response_line, verdict_line,
};

use super::lines::{id, long_text, shown};
use super::seen::{Met, Seen, Spot};
use super::summary::{FileRead, ImportSummary, RowCounts};
use super::{Importing, Watching};
use crate::error::ProjectError;

/// Rows between two looks at whoever watches.
const EVERY: u64 = 1024;

/// Levels of a criterion that has none of its own.
const BINARY: [f64; 2] = [0.0, 1.0];

/// Hands rows on, each subject once.
pub(super) struct Checked<'a> {
    inner: &'a mut dyn Sink,
    watching: Watching<'a>,
    files: Vec<String>,
    place: Option<Place>,
    rows: u64,
    criteria: Seen,
    queries: Seen,
    /// The same by what was asked alone.
    prompts: Seen,
    responses: Seen,
    verdicts: Seen,
    /// Criteria of all queries wait for the end: another file may know more of their levels.
    shared: Vec<(CriterionRow, Spot)>,
    shared_at: BTreeMap<String, usize>,
    widened: BTreeSet<String>,
    systems: BTreeSet<String>,
    judges: BTreeSet<String>,
    statuses: [u64; Status::ALL.len()],
    losses: Losses,
    refusal: Option<Diagnostic>,
}

impl<'a> Checked<'a> {
    pub(super) fn new(inner: &'a mut dyn Sink, watching: Watching<'a>) -> Self {
        Self {
            inner,
            watching,
            files: Vec::new(),
            place: None,
            rows: 0,
            criteria: Seen::default(),
            queries: Seen::default(),
            prompts: Seen::default(),
            responses: Seen::default(),
            verdicts: Seen::default(),
            shared: Vec::new(),
            shared_at: BTreeMap::new(),
            widened: BTreeSet::new(),
            systems: BTreeSet::new(),
            judges: BTreeSet::new(),
            statuses: [0; Status::ALL.len()],
            losses: Losses::default(),
            refusal: None,
        }
    }

    /// Begins a file.
    ///
    /// # Errors
    /// If whoever watches ends it.
    pub(super) fn begin(&mut self, name: &str) -> Result<(), ProjectError> {
        self.files.push(name.to_owned());
        self.place = None;
        (self.watching)(Importing::File(name)).map_err(stopped)
    }

    /// Why the last row was refused, in the shape of findings.
    pub(super) fn refusal(&mut self) -> Option<ProjectError> {
        self.refusal
            .take()
            .map(|refusal| ProjectError::Refused(Box::new(refusal)))
    }

    /// Hands on what waited for the end, and sums up.
    ///
    /// # Errors
    /// If the inner sink takes no more.
    pub(super) fn finish(mut self, mut files: Vec<FileRead>) -> Result<ImportSummary, ProjectError> {
        for (row, _) in std::mem::take(&mut self.shared) {
            self.inner.criterion(row).map_err(|refusal| stopped(refusal.0))?;
        }
        if let Some(last) = files.last_mut() {
            last.taken.extend(
                self.widened
                    .iter()
                    .map(|criterion| format!("criterion `{}` has the levels of all files together", shown(criterion))),
            );
        }
        let mut losses = self.losses;
        for file in &files {
            losses.merge(file.losses.clone());
        }
        let statuses = Status::ALL
            .iter()
            .zip(self.statuses)
            .filter(|(_, count)| *count > 0)
            .map(|(status, count)| (status.as_str().to_owned(), count));
        Ok(ImportSummary {
            rows: RowCounts {
                criteria: (self.criteria.len() + self.shared_at.len()) as u64,
                queries: self.queries.len() as u64,
                responses: self.responses.len() as u64,
                verdicts: self.verdicts.len() as u64,
            },
            statuses: statuses.collect(),
            systems: self.systems.into_iter().collect(),
            judges: self.judges.into_iter().collect(),
            files,
            losses,
        })
    }

    fn spot(&self) -> Spot {
        (self.files.len() as u32 - 1, self.place)
    }

    fn told(&self, (file, place): Spot) -> String {
        let file = &self.files[file as usize];
        match place {
            Some(place) => format!("in `{file}` at {place}"),
            None => format!("in `{file}`"),
        }
    }

    /// Refuses a row, and keeps why.
    fn refuse(&mut self, id: &'static str, what: String, help: &str) -> Refusal {
        let refusal = Refusal(what.clone());
        self.refusal = Some(Diagnostic::error(id, what, help));
        refusal
    }

    /// Refuses a row that says something else than an earlier one.
    fn contradiction(&mut self, id: &'static str, subject: &str, first: Spot, help: &str) -> Refusal {
        let what = format!(
            "{subject}, and differently: first {}, then {}",
            self.told(first),
            self.told(self.spot())
        );
        self.refuse(id, what, help)
    }

    fn count(&mut self) -> Result<(), Refusal> {
        self.rows += 1;
        match self.rows.is_multiple_of(EVERY) {
            true => (self.watching)(Importing::Rows(self.rows)).map_err(Refusal),
            false => Ok(()),
        }
    }

    fn id(&mut self, text: &mut String, what: &str) -> Result<(), Refusal> {
        match id(text) {
            None => Ok(()),
            Some(clean) if clean.is_empty() => {
                let place = self.told(self.spot());
                let what = format!("{what} has no id {place}");
                Err(self.refuse("empty-id", what, "give it an id in the file it comes from"))
            }
            Some(clean) => {
                let why = "ids are one line of text without space around it: they were written so";
                self.losses
                    .add("line breaks, control characters and outer space in ids", why);
                *text = clean;
                Ok(())
            }
        }
    }

    /// Whether a query has nothing but its prompt, and the prompt is what it was before: some files keep all that is known of a
    /// query, and files about the same queries only what was asked.
    fn says_less(&mut self, row: &Query) -> bool {
        let prompt = Query {
            query: row.query.clone(),
            prompt: row.prompt.clone(),
            task_type: None,
            domain: None,
            tags: Vec::new(),
            weight: 1.0,
            cluster: None,
        };
        let before = self.prompts.meet(&[&row.query], &query_line(&prompt), self.spot());
        before == Met::Again && *row == prompt
    }

    /// A criterion of all queries: levels that another file knows are added.
    fn shared(&mut self, row: CriterionRow) -> Result<(), Refusal> {
        let spot = self.spot();
        let Some(at) = self.shared_at.get(&row.id).copied() else {
            self.shared_at.insert(row.id.clone(), self.shared.len());
            self.shared.push((row, spot));
            return Ok(());
        };
        let (before, first) = &mut self.shared[at];
        if *before == row {
            return Ok(());
        }
        let mut otherwise = row.clone();
        otherwise.levels.clone_from(&before.levels);
        if otherwise == *before {
            before.levels = Some(all_levels(before.levels.as_deref(), row.levels.as_deref()));
            self.widened.insert(row.id);
            return Ok(());
        }
        let first = *first;
        let subject = format!("the criterion `{}` is defined twice", shown(&row.id));
        Err(self.contradiction("two-criteria", &subject, first, ONE_FOLDER_EACH))
    }
}

/// What to do about queries that differ.
const FULLER_FIRST: &str =
    "give the file first that says more of a query, or import the files into folders of their own";

/// What to do where two files do not go together.
const ONE_FOLDER_EACH: &str = "import the files into folders of their own, or make them say the same";

/// The levels of two definitions, in ascending order.
fn all_levels(first: Option<&[f64]>, second: Option<&[f64]>) -> Vec<f64> {
    let mut levels = first.unwrap_or(&BINARY).to_vec();
    levels.extend(second.unwrap_or(&BINARY));
    levels.sort_unstable_by(f64::total_cmp);
    levels.dedup();
    levels
}

fn stopped(reason: String) -> ProjectError {
    ProjectError::refused(
        "import-stopped",
        reason,
        "start it again; nothing was left half written",
    )
}

impl Sink for Checked<'_> {
    fn at(&mut self, place: Place) {
        self.place = Some(place);
    }

    fn criterion(&mut self, mut row: CriterionRow) -> Result<(), Refusal> {
        self.count()?;
        self.id(&mut row.id, "a criterion")?;
        if let Some(query) = &mut row.query {
            let mut id = std::mem::take(query);
            self.id(&mut id, "the query of a criterion")?;
            row.query = Some(id);
        }
        if !row.weight.is_finite() {
            let what = format!(
                "the weight of the criterion `{}` is no finite number, {}",
                shown(&row.id),
                self.told(self.spot())
            );
            return Err(self.refuse("bad-weight", what, "give it a finite weight in the file it comes from"));
        }
        if row.question.trim().is_empty() {
            row.question.clone_from(&row.id);
            self.losses
                .add("criteria without a text", "their ids stand for what they ask");
        }
        let Some(query) = row.query.clone() else {
            return self.shared(row);
        };
        match self
            .criteria
            .meet(&[&row.id, &query], &criterion_line(&row), self.spot())
        {
            Met::First => self.inner.criterion(row),
            Met::Again => Ok(()),
            Met::Otherwise(first) => {
                let subject = format!(
                    "the criterion `{}` of query `{}` is defined twice",
                    shown(&row.id),
                    shown(&query)
                );
                Err(self.contradiction("two-criteria", &subject, first, ONE_FOLDER_EACH))
            }
        }
    }

    fn query(&mut self, mut row: Query) -> Result<(), Refusal> {
        self.count()?;
        self.id(&mut row.query, "a query")?;
        if self.says_less(&row) {
            return Ok(());
        }
        match self.queries.meet(&[&row.query], &query_line(&row), self.spot()) {
            Met::First => self.inner.query(row),
            Met::Again => Ok(()),
            Met::Otherwise(first) => {
                let subject = format!("the query `{}` is told twice", shown(&row.query));
                Err(self.contradiction("two-queries", &subject, first, FULLER_FIRST))
            }
        }
    }

    fn response(&mut self, mut row: ResponseRow) -> Result<(), Refusal> {
        self.count()?;
        for (text, what) in [
            (&mut row.system, "the system of a response"),
            (&mut row.query, "the query of a response"),
            (&mut row.sample, "the sample of a response"),
        ] {
            self.id(text, what)?;
        }
        let subject = [&*row.system, &*row.query, &*row.sample];
        match self.responses.meet(&subject, &response_line(&row), self.spot()) {
            Met::First => {
                if !self.systems.contains(&row.system) {
                    self.systems.insert(row.system.clone());
                }
                self.inner.response(row)
            }
            Met::Again => Ok(()),
            Met::Otherwise(first) => {
                let subject = format!(
                    "system `{}` answers query `{}` twice under sample `{}`",
                    shown(&row.system),
                    shown(&row.query),
                    shown(&row.sample)
                );
                let help = "say which system each file is of: --system NAME once for each file, in their order";
                Err(self.contradiction("two-responses", &subject, first, help))
            }
        }
    }

    fn verdict(&mut self, mut row: VerdictRow) -> Result<(), Refusal> {
        self.count()?;
        let cell = &mut row.cell;
        for (text, what) in [
            (&mut cell.system, "the system of a verdict"),
            (&mut cell.query, "the query of a verdict"),
            (&mut cell.sample, "the sample of a verdict"),
            (&mut cell.criterion, "the criterion of a verdict"),
            (&mut cell.judge, "the judge of a verdict"),
        ] {
            self.id(text, what)?;
        }
        if !is_consistent(&row) {
            let what = format!(
                "a verdict has a label without the status `ok`, or the other way round, {}",
                self.told(self.spot())
            );
            return Err(self.refuse("bad-verdict", what, "mend the row in the file it comes from"));
        }
        for text in [&mut row.reason, &mut row.evidence, &mut row.comment, &mut row.raw] {
            if long_text(text) {
                self.losses.add(
                    "ends of long texts",
                    "reasons and other texts beside a verdict end after 1 MiB",
                );
            }
        }
        let cell = &row.cell;
        let repeat = cell.repeat.to_string();
        let subject = [
            &*cell.system,
            &*cell.query,
            &*cell.sample,
            &*cell.criterion,
            &*cell.judge,
            &*repeat,
        ];
        match self.verdicts.meet(&subject, &verdict_line(&row), self.spot()) {
            Met::First => {
                self.statuses[usize::from(row.status.code())] += 1;
                for (names, name) in [(&mut self.systems, &cell.system), (&mut self.judges, &cell.judge)] {
                    if !names.contains(name) {
                        names.insert(name.clone());
                    }
                }
                self.inner.verdict(row)
            }
            Met::Again => Ok(()),
            Met::Otherwise(first) => {
                let subject = format!(
                    "judge `{}` says twice whether system `{}` meets criterion `{}` in query `{}` (sample `{}`)",
                    shown(&cell.judge),
                    shown(&cell.system),
                    shown(&cell.criterion),
                    shown(&cell.query),
                    shown(&cell.sample)
                );
                let help = "say who judged in each file: --judge NAME once for each file, in their order";
                Err(self.contradiction("two-verdicts", &subject, first, help))
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! `check`: what a rubric file is found to be, and the criteria of it that code decides.

use std::path::{Path, PathBuf};

use calibrant_schema::response::Response;
use calibrant_schema::rubric::Places;
use calibrant_schema::{Diagnostic, Diagnostics, Rubric};
use calibrant_steps::check::{CODE_JUDGE, CodeVerdict, evaluate, mistakes};
use calibrant_steps::lint::{Silenced, lint, lint_labels};
use calibrant_steps::{RubricJoin, consensus};
use calibrant_store::tables::{ReadOptions, ScaleOrigin, Scales, guarded, read_verdicts};
use calibrant_store::{Finding, Findings, Source, read_located_rubric, read_responses, write_atomic};

use crate::error::ProjectError;

/// A rubric file and everything found in it.
#[derive(Debug)]
pub struct Checked {
    /// The file as given.
    pub file: String,
    /// Its text, unpacked, for the lines that findings point at.
    pub text: String,
    /// The rubric, unless the file is none.
    pub rubric: Option<Rubric>,
    /// Errors, warnings and notes in the order of the file.
    pub findings: Diagnostics,
    /// Findings that the file silences, each with its reason.
    pub silenced: Vec<Silenced>,
    /// Where its texts stand.
    pub places: Places,
}

/// Reads a rubric and lints it: mistakes that make it unusable, or else warnings, lints and checks that cannot run.
///
/// A `bank.json` was written by a program and is not linted.
///
/// # Errors
/// If the file cannot be read or is no rubric; every mistake in it is reported.
pub fn check_rubric(path: &Path) -> Result<Checked, ProjectError> {
    let document = read_located_rubric(path)?;
    let (rubric, places) = document.value;
    let mut findings: Diagnostics = document.warnings;
    let mut silenced = Vec::new();
    if !places.is_empty() {
        let report = lint(&rubric, &document.file, &document.text, &places);
        findings.extend(report.findings);
        findings.extend(mistakes(&rubric, &document.file, &document.text, &places));
        silenced = report.silenced;
    }
    Ok(Checked {
        file: document.file,
        text: document.text,
        rubric: Some(rubric),
        findings,
        silenced,
        places,
    })
}

/// What code said of the responses to one criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodedCriterion {
    /// The criterion's id.
    pub criterion: String,
    /// Its query, where it belongs to one.
    pub query: Option<String>,
    /// Responses that meet the check.
    pub met: u64,
    /// Responses it was asked of.
    pub of: u64,
}

/// What code said of a file of responses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coded {
    /// A row per criterion with a check, in the order of the rubric.
    pub criteria: Vec<CodedCriterion>,
    /// The verdicts as a table, CSV.
    pub table: String,
    /// How many verdicts it has.
    pub verdicts: usize,
}

/// Columns of the table of code's verdicts.
const COLUMNS: &str = "system,query,sample,criterion,judge,label,rubric_hash,verdict_source";

/// Asks the checks of a rubric of responses: one verdict per criterion and response, in this order.
///
/// # Errors
/// If no criterion has a check, or a check cannot be used.
pub fn code_answers(rubric: &Rubric, responses: &[Response]) -> Result<Vec<CodeVerdict>, ProjectError> {
    if rubric.criteria.iter().all(|criterion| criterion.check.is_none()) {
        return Err(ProjectError::refused(
            "no-check",
            "no criterion of the rubric has a `check:`, so there is nothing for code to decide",
            "leave out --responses, or add `check:` to a criterion that code can decide",
        ));
    }
    evaluate(rubric, responses).map_err(|error| {
        ProjectError::refused(
            "bad-check",
            error.to_string(),
            "run `calibrant check` on the rubric alone",
        )
    })
}

/// Asks the checks of a rubric of every response of a file.
///
/// # Errors
/// If the responses cannot be read, no criterion has a check, or a check cannot be used.
pub fn code_verdicts(rubric: &Rubric, responses: &Path) -> Result<Coded, ProjectError> {
    let responses = read_responses(responses)?.value;
    let verdicts = code_answers(rubric, &responses)?;
    let mut criteria: Vec<CodedCriterion> = Vec::new();
    for entry in rubric.criteria.iter().filter(|criterion| criterion.check.is_some()) {
        criteria.push(CodedCriterion {
            criterion: entry.id.clone(),
            query: entry.query.clone(),
            met: 0,
            of: 0,
        });
    }
    let mut row_of = vec![usize::MAX; rubric.criteria.len()];
    let checked = (0..rubric.criteria.len()).filter(|at| rubric.criteria[*at].check.is_some());
    checked.enumerate().for_each(|(row, at)| row_of[at] = row);
    let mut table = format!("{COLUMNS}\n");
    let hash = rubric.hash();
    for verdict in &verdicts {
        let row = &mut criteria[row_of[verdict.criterion]];
        row.of += 1;
        row.met += u64::from(verdict.holds);
        let response = &responses[verdict.response];
        let cells = [&response.system, &response.query, &response.sample, &row.criterion].map(|cell| cell_text(cell));
        let label = verdict.label;
        table.push_str(&format!("{},{CODE_JUDGE},{label},{hash},code\n", cells.join(",")));
    }
    Ok(Coded {
        criteria,
        table,
        verdicts: verdicts.len(),
    })
}

impl Coded {
    /// Writes the verdicts as CSV.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), ProjectError> {
        Ok(write_atomic(path, self.table.as_bytes())?)
    }
}

/// A cell of CSV: guarded against spreadsheets, in quotes where it needs them.
fn cell_text(text: &str) -> String {
    let text = guarded(text);
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into_owned(),
    }
}

impl Checked {
    /// A file that is no rubric, with its mistakes.
    #[must_use]
    pub fn unusable(path: &Path, findings: Findings) -> Self {
        let mut text = String::new();
        let mut lines = 0;
        for finding in findings.shown() {
            // Mistakes come in the order of the file with their lines; those between are not kept.
            if let (Some(span), Some(line)) = (&finding.diagnostic.span, &finding.line)
                && span.line as usize > lines
            {
                text.push_str(&"\n".repeat(span.line as usize - lines - 1));
                text.push_str(line);
                text.push('\n');
                lines = span.line as usize;
            }
        }
        Self {
            file: path.display().to_string(),
            text,
            rubric: None,
            findings: findings
                .shown()
                .iter()
                .map(|finding| finding.diagnostic.clone())
                .collect(),
            silenced: Vec::new(),
            places: Places::default(),
        }
    }

    /// Every finding with the line it points at.
    pub fn each(&self) -> impl Iterator<Item = Finding> {
        let alone = |one: &Diagnostic| Diagnostics::from_iter([one.clone()]);
        self.findings
            .iter()
            .flat_map(move |one| Findings::of_text(alone(one), &self.text).shown().to_vec())
    }

    /// The findings with the lines they point at.
    #[must_use]
    pub fn lines(&self) -> Findings {
        Findings::of_text(self.findings.clone(), &self.text)
    }
}

/// Adds what tables of verdicts say of a rubric's criteria: pairs whose labels go together.
///
/// # Errors
/// If a table cannot be read, or has no criterion of the rubric.
pub fn verdict_findings(checked: &mut Checked, tables: &[PathBuf]) -> Result<(), ProjectError> {
    let Some(rubric) = &checked.rubric else { return Ok(()) };
    let by_criterion = rubric
        .criteria
        .iter()
        .map(|criterion| (criterion.id.clone(), criterion.scale.clone()))
        .collect();
    let options = ReadOptions {
        scales: Scales {
            by_criterion,
            origin: ScaleOrigin::Rubric,
            ..Scales::default()
        },
        ..ReadOptions::default()
    };
    let sources = tables.iter().map(|table| Source::from(table.as_path())).collect();
    let verdicts = read_verdicts(sources, &options)?.verdicts;
    let join = RubricJoin::new(Some(rubric));
    let (verdicts, _) = join.restrict(verdicts)?;
    let labels = consensus(&verdicts, &join);
    let report = lint_labels(rubric, &labels, &checked.file, &checked.text, &checked.places);
    checked.findings.extend(report.findings);
    checked.silenced.extend(report.silenced);
    Ok(())
}

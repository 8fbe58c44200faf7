//! What `check` found, for people and for programs.

use calibrant_project::{Checked, Coded, CodedCriterion};
use calibrant_report::{Reported, Rule, github, sarif};
use calibrant_schema::diagnostic::visible;
use calibrant_schema::{Diagnostic, Rubric};
use calibrant_steps::lint::{LINTS, Silenced};
use serde::Serialize;

use super::page::page;
use crate::output::Output;

/// The files checked, and what code said of responses.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) files: Vec<Checked>,
    pub(super) coded: Option<Coded>,
}

impl Shown {
    /// Findings with their lines, every line beginning with a word of ours or the margin, then a line on each sound rubric, then what code decided.
    pub(super) fn for_people(&self, output: &Output) {
        for checked in &self.files {
            if !checked.findings.is_empty() {
                output.data(&no_command(&checked.lines().paint(output.paint()), "# #["));
            }
            if let Some(rubric) = &checked.rubric
                && !checked.findings.has_errors()
            {
                output.data(&in_short(checked, rubric));
            }
        }
        if let Some(coded) = &self.coded {
            output.data(&coded_text(coded));
        }
    }

    /// Everything as one object.
    pub(super) fn json(&self) -> String {
        let printed = Printed {
            format: "calibrant.check/1",
            files: self.files.iter().map(FileRow::new).collect(),
            findings: self.files.iter().flat_map(|checked| &checked.findings).collect(),
            silenced: self
                .files
                .iter()
                .flat_map(|checked| &checked.silenced)
                .map(SilencedRow::new)
                .collect(),
            checks: self
                .coded
                .as_ref()
                .map(|coded| coded.criteria.iter().map(CodedRow::new).collect()),
        };
        let text = serde_json::to_string_pretty(&printed).expect("findings are JSON");
        no_command(&format!("{text}\n"), JSON_COMMAND)
    }

    /// A log for code scanning.
    pub(super) fn sarif(&self) -> String {
        let rules: Vec<Rule<'_>> = LINTS
            .iter()
            .map(|lint| Rule {
                id: lint.id,
                title: lint.title,
                level: lint.severity.as_str(),
                page: page(lint.id).expect("every lint has a page"),
            })
            .collect();
        no_command(
            &sarif(&self.reported(), &rules, env!("CARGO_PKG_VERSION")),
            JSON_COMMAND,
        )
    }

    /// Workflow commands.
    pub(super) fn github(&self) -> String {
        github(&self.reported())
    }

    fn reported(&self) -> Vec<Reported<'_>> {
        let mut all = Vec::new();
        for checked in &self.files {
            let lines: Vec<&str> = checked.text.lines().collect();
            let line = |diagnostic: &Diagnostic| {
                let at = (diagnostic.span.as_ref()?.line as usize).checked_sub(1)?;
                lines.get(at).copied()
            };
            all.extend(checked.findings.iter().map(|diagnostic| Reported {
                diagnostic,
                line: line(diagnostic),
                silenced: None,
            }));
            all.extend(checked.silenced.iter().map(|silenced| Reported {
                diagnostic: &silenced.diagnostic,
                line: line(&silenced.diagnostic),
                silenced: Some(&silenced.reason),
            }));
        }
        all
    }
}

/// The old form of a workflow command in JSON, where only strings can hold it.
const JSON_COMMAND: &str = "#\\u0023[";

/// Text in which a runner of workflows finds no command: the old form `##[...]` counts anywhere in a line.
fn no_command(text: &str, instead: &str) -> String {
    text.replace("##[", instead)
}

/// What `--json` prints. Types and no map, so that keys stand in one order in every build.
#[derive(Serialize)]
struct Printed<'a> {
    format: &'static str,
    files: Vec<FileRow<'a>>,
    findings: Vec<&'a Diagnostic>,
    silenced: Vec<SilencedRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checks: Option<Vec<CodedRow<'a>>>,
}

/// A file that was checked.
#[derive(Serialize)]
struct FileRow<'a> {
    file: &'a str,
    usable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    criteria: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rubric: Option<String>,
}

impl<'a> FileRow<'a> {
    fn new(checked: &'a Checked) -> Self {
        let rubric = checked.rubric.as_ref();
        Self {
            file: &checked.file,
            usable: rubric.is_some() && !checked.findings.has_errors(),
            criteria: rubric.map(|rubric| rubric.criteria.len()),
            rubric: rubric.map(|rubric| rubric.hash().to_string()),
        }
    }
}

/// A finding that is silenced, with the reason.
#[derive(Serialize)]
struct SilencedRow<'a> {
    #[serde(flatten)]
    diagnostic: &'a Diagnostic,
    reason: &'a str,
}

impl<'a> SilencedRow<'a> {
    fn new(silenced: &'a Silenced) -> Self {
        Self {
            diagnostic: &silenced.diagnostic,
            reason: &silenced.reason,
        }
    }
}

/// What code said of the responses to one criterion.
#[derive(Serialize)]
struct CodedRow<'a> {
    criterion: &'a str,
    query: Option<&'a str>,
    met: u64,
    of: u64,
}

impl<'a> CodedRow<'a> {
    fn new(row: &'a CodedCriterion) -> Self {
        Self {
            criterion: &row.criterion,
            query: row.query.as_deref(),
            met: row.met,
            of: row.of,
        }
    }
}

fn in_short(checked: &Checked, rubric: &Rubric) -> String {
    let weight: f64 = rubric.criteria.iter().map(|criterion| criterion.weight.max(0.0)).sum();
    let count = |holds: fn(&calibrant_schema::Criterion) -> bool| rubric.criteria.iter().filter(|c| holds(c)).count();
    let penalties = count(|criterion| criterion.weight < 0.0);
    let gates = count(|criterion| criterion.gate);
    let silenced = match checked.silenced.len() {
        0 => String::new(),
        silenced => format!(", silenced {silenced}"),
    };
    format!(
        "{}: criteria {}, weight {weight}, penalties {penalties}, gates {gates}{silenced}, rubric {}\n",
        checked.file,
        rubric.criteria.len(),
        rubric.hash().short(),
    )
}

/// A row per criterion that code decides.
fn coded_text(coded: &Coded) -> String {
    let mut text = String::from("\ndecided by code\n");
    let name = |row: &CodedCriterion| -> String {
        let query = row
            .query
            .as_deref()
            .map(|query| format!(" of {query}"))
            .unwrap_or_default();
        format!("{}{query}", row.criterion).chars().flat_map(visible).collect()
    };
    let width = coded
        .criteria
        .iter()
        .map(|row| name(row).chars().count())
        .max()
        .unwrap_or(0);
    for row in &coded.criteria {
        let share = match row.of {
            0 => "no response is about its query".to_owned(),
            of => format!("{} of {of} pass ({:.1} %)", row.met, 100.0 * row.met as f64 / of as f64),
        };
        text.push_str(&format!("  {:<width$}  {share}\n", name(row)));
    }
    text
}

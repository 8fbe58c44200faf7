//! What `import` and `export` say about files of other tools, for people and for programs.

use std::collections::BTreeSet;
use std::path::Path;

use calibrant_project::import::{Chosen, Doubt, FileRead, ImportSummary, IntoLedger};
use calibrant_schema::diagnostic::visible;
use calibrant_store::formats::Losses;
use calibrant_store::tables::Detected;
use serde_json::{Value, json};

use crate::output::Output;

/// Sentences of what was taken for what that are printed of one file; `--format json` has them all.
const MOST_TAKEN: usize = 12;

/// A result of `import`, ready to be printed.
pub(super) struct Printed {
    text: String,
    json: Value,
    doubts: Vec<String>,
}

impl Printed {
    /// Files read into a project folder.
    pub(super) fn folder(summary: &ImportSummary, out: &Path, written: &[String], doubts: &[Doubt]) -> Self {
        let mut text = read_text(summary);
        let out_text = shown(&out.display().to_string());
        text.push_str(&format!("wrote {} in {out_text}\n", written.join(", ")));
        text.push_str(&next(summary, &out_text, written));
        let mut json = summary.to_json();
        json["folder"] = json!(out.display().to_string());
        json["written"] = json!(written);
        json["doubts"] = doubts.iter().map(|doubt| json!(doubt.diagnostic)).collect();
        Self {
            text,
            json,
            doubts: doubts.iter().map(doubt_text).collect(),
        }
    }

    /// Files read into a ledger.
    pub(super) fn ledger(summary: &ImportSummary, ledger: &Path, into: IntoLedger) -> Self {
        let mut json = summary.to_json();
        put_ledger(&mut json, ledger, into);
        Self {
            text: read_text(summary) + &into_text(ledger, into),
            json,
            doubts: Vec::new(),
        }
    }

    /// Tables of verdicts read into a ledger.
    pub(super) fn table(detected: &[Detected], ledger: &Path, into: IntoLedger, losses: &Losses) -> Self {
        let files: Vec<Value> = detected
            .iter()
            .map(|table| json!({"file": table.file, "form": "table", "verdicts": table.rows}))
            .collect();
        let mut json = json!({
            "format": calibrant_project::import::IMPORT_FORMAT,
            "files": files,
            "verdicts": detected.iter().map(|table| table.rows).sum::<u64>(),
            "losses": calibrant_project::import::losses_json(losses),
        });
        put_ledger(&mut json, ledger, into);
        Self {
            text: losses_text(losses) + &into_text(ledger, into),
            json,
            doubts: Vec::new(),
        }
    }

    pub(super) fn print(&self, output: &Output) {
        for doubt in &self.doubts {
            output.note(doubt.trim_end());
        }
        output.result(|| format!("{:#}\n", self.json), || self.text.clone());
    }
}

fn put_ledger(json: &mut Value, ledger: &Path, into: IntoLedger) {
    json["ledger"] = json!(ledger.display().to_string());
    json["added"] = json!(into.added);
    json["known"] = json!(into.known);
}

fn into_text(ledger: &Path, into: IntoLedger) -> String {
    format!(
        "{}: {} added, {} known already\n",
        shown(&ledger.display().to_string()),
        counted(into.added, "verdict"),
        into.known
    )
}

/// What was read of each file, of all together, and what does not survive.
fn read_text(summary: &ImportSummary) -> String {
    let (mut text, mut said) = (String::new(), BTreeSet::new());
    for file in &summary.files {
        text.push_str(&file_text(file, &mut said));
    }
    let rows = &summary.rows;
    text.push_str(&format!(
        "read {}, {}, {} and {}",
        counted_as(rows.criteria, "criterion", "criteria"),
        counted_as(rows.queries, "query", "queries"),
        counted(rows.responses, "response"),
        counted(rows.verdicts, "verdict"),
    ));
    if rows.verdicts > 0 {
        let statuses: Vec<String> = summary
            .statuses
            .iter()
            .map(|(status, count)| format!("{count} {status}"))
            .collect();
        text.push_str(&format!(" ({})", statuses.join(", ")));
    }
    text.push('\n');
    for (what, names) in [("systems", &summary.systems), ("judges", &summary.judges)] {
        if !names.is_empty() {
            text.push_str(&format!("{what}: {}\n", named(names)));
        }
    }
    text + &losses_text(&summary.losses)
}

/// A file, and of what was taken for what that which no file before said.
fn file_text<'a>(file: &'a FileRead, said: &mut BTreeSet<&'a str>) -> String {
    let why = match file.chosen {
        Chosen::Asked => "as --from says",
        Chosen::Structure => "by its structure",
    };
    let version = match &file.version {
        Some(version) => format!(" ({})", shown(version)),
        None => String::new(),
    };
    let mut text = format!("{}: {}, {why}{version}\n", shown(&file.file), file.form.word());
    let new: Vec<&str> = file
        .taken
        .iter()
        .map(String::as_str)
        .filter(|sentence| said.insert(sentence))
        .collect();
    for sentence in new.iter().take(MOST_TAKEN) {
        text.push_str(&format!("  {}\n", shown(sentence)));
    }
    if new.len() > MOST_TAKEN {
        let more = new.len() - MOST_TAKEN;
        text.push_str(&format!("  and {more} more of this kind: --format json has them all\n"));
    }
    text
}

/// What does not survive a conversion, the count first; one line where everything does.
pub(crate) fn losses_text(losses: &Losses) -> String {
    if losses.is_empty() {
        return "everything survives\n".to_owned();
    }
    let mut text = String::from("what does not survive:\n");
    for loss in losses.iter() {
        text.push_str(&format!(
            "{:>8}  {}: {}\n",
            loss.count,
            shown(&loss.what),
            shown(&loss.why)
        ));
    }
    text
}

/// What a person does next.
fn next(summary: &ImportSummary, out: &str, written: &[String]) -> String {
    let rubric = written
        .iter()
        .find(|name| ["rubric.yaml", "criteria.jsonl"].contains(&name.as_str()));
    let config = format!("--config {}/calibrant.toml", crate::args::quoted(out));
    match (summary.rows.verdicts, summary.systems.len(), rubric) {
        (0, _, Some(rubric)) => format!("next: calibrant check {}/{rubric}\n", crate::args::quoted(out)),
        (0, _, None) => String::new(),
        (_, 0 | 1, _) => {
            let agree = match summary.judges.len() {
                0 | 1 => String::new(),
                _ => format!(", or ask how alike the judges are: calibrant agree {config}"),
            };
            format!(
                "one system alone cannot be ranked; next: import what others answered into the same folder{agree}\n"
            )
        }
        _ => format!("next: calibrant run {config}\n"),
    }
}

/// Names in a row, up to a dozen.
fn named(names: &[String]) -> String {
    let mut text: Vec<String> = names.iter().take(MOST_TAKEN).map(|name| shown(name)).collect();
    if names.len() > MOST_TAKEN {
        text.push(format!("and {} more", names.len() - MOST_TAKEN));
    }
    text.join(", ")
}

fn counted(count: u64, noun: &str) -> String {
    counted_as(count, noun, &format!("{noun}s"))
}

fn counted_as(count: u64, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    }
}

fn doubt_text(doubt: &Doubt) -> String {
    let mut findings = calibrant_store::Findings::default();
    findings.push(doubt.diagnostic.clone(), doubt.line.as_deref());
    let text = findings.paint(calibrant_schema::diagnostic::Paint::Plain);
    // The closing count is for whole files.
    text.trim_end()
        .rsplit_once('\n')
        .map_or(String::new(), |(finding, _)| finding.to_owned())
}

/// A text of other people, with nothing in it that moves a terminal, and not endless.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 400;
    let mut shown: String = text.chars().take(LONGEST).flat_map(visible).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

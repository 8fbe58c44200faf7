//! `check`.

use std::path::PathBuf;

use calibrant_project::{ProjectError, check_rubric};
use calibrant_schema::Rubric;
use calibrant_store::Document;

use crate::args::Format;
use crate::exit;
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// Rubrics: YAML, JSON, JSONL, or a bank.json
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

pub(crate) fn run(args: &CheckArgs, output: &Output) -> Result<u8, ProjectError> {
    let mut code = exit::DONE;
    let mut found = Vec::new();
    for file in &args.files {
        match check_rubric(file) {
            Ok(document) => sound(&document, output, &mut found),
            Err(ProjectError::Findings(findings))
                if findings
                    .shown()
                    .iter()
                    .all(|finding| !UNREADABLE.contains(&finding.diagnostic.id)) =>
            {
                code = exit::FOUND;
                found.extend(
                    findings
                        .shown()
                        .iter()
                        .map(|finding| serde_json::json!(finding.diagnostic)),
                );
                if output.format() == Format::Table {
                    output.data(&findings.paint(output.paint()));
                }
            }
            Err(error) => return Err(error),
        }
    }
    if output.format() == Format::Json {
        output.data(&format!("{:#}\n", serde_json::Value::Array(found)));
    }
    Ok(code)
}

/// Ids of the findings that a file cannot be read at all: then the code is 2, not 1.
const UNREADABLE: [&str; 3] = ["cannot-read", "gzip-truncated", "gzip-damaged"];

fn sound(document: &Document<Rubric>, output: &Output, found: &mut Vec<serde_json::Value>) {
    found.extend(document.warnings.iter().map(|warning| serde_json::json!(warning)));
    if output.format() == Format::Json {
        return;
    }
    if !document.warnings.is_empty() {
        output.data(&format!(
            "{}\n",
            document.warnings.paint(Some(&document.text), output.paint()).trim_end()
        ));
    }
    let rubric = &document.value;
    let weight: f64 = rubric.criteria.iter().map(|criterion| criterion.weight.max(0.0)).sum();
    let penalties = rubric
        .criteria
        .iter()
        .filter(|criterion| criterion.weight < 0.0)
        .count();
    let gates = rubric.criteria.iter().filter(|criterion| criterion.gate).count();
    output.data(&format!(
        "{}: criteria {}, weight {weight}, penalties {penalties}, gates {gates}, rubric {}\n",
        document.file,
        rubric.criteria.len(),
        rubric.hash().short(),
    ));
}

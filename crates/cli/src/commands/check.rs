//! `check`.

mod page;
mod print;

use std::fs;
use std::path::{Path, PathBuf};

use calibrant_project::{Checked, Coded, ProjectError, check_rubric, code_verdicts, verdict_findings};
use calibrant_schema::Severity;

use crate::args::Format;
use crate::exit;
use crate::output::Output;

use print::Shown;

#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// Rubrics: YAML, JSON, JSONL, or a bank.json
    #[arg(value_name = "FILE", required_unless_present = "explain")]
    files: Vec<PathBuf>,
    /// Warnings count as errors: the exit code is 1 for either
    #[arg(long)]
    strict: bool,
    /// Print the page of a lint and do nothing else
    #[arg(long, value_name = "LINT", conflicts_with_all = ["files", "strict", "verdicts", "responses", "write"])]
    explain: Option<String>,
    /// Tables of verdicts: also look for criteria whose labels go together
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "responses")]
    verdicts: Vec<PathBuf>,
    /// Responses (JSONL): ask the `check:` criteria of each
    #[arg(long, value_name = "FILE")]
    responses: Option<PathBuf>,
    /// Write the verdicts of code as a table of verdicts, CSV
    #[arg(long, value_name = "FILE", requires = "responses")]
    write: Option<PathBuf>,
}

pub(crate) fn run(args: &CheckArgs, output: &Output) -> Result<u8, ProjectError> {
    if let Some(id) = &args.explain {
        output.data(page::explained(id)?);
        return Ok(exit::DONE);
    }
    if (args.responses.is_some() || !args.verdicts.is_empty()) && args.files.len() != 1 {
        return Err(ProjectError::refused(
            "one-rubric",
            format!(
                "--responses and --verdicts go with one rubric, these are {}",
                args.files.len()
            ),
            "run the command once for each rubric",
        ));
    }
    let mut shown = Shown::default();
    for file in &args.files {
        let mut checked = read(file)?;
        if let (Some(_), false) = (&checked.rubric, args.verdicts.is_empty()) {
            verdict_findings(&mut checked, &args.verdicts)?;
        }
        shown.files.push(checked);
    }
    if let Some(path) = &args.write {
        let read = args.files.iter().chain(&args.verdicts).chain(&args.responses);
        refuse_to_replace(path, read)?;
    }
    let code = shown.code(args.strict);
    if let (Some(responses), exit::DONE) = (&args.responses, code) {
        shown.coded = Some(coded(&shown.files[0], responses, args.write.as_deref())?);
    }
    shown.print(output);
    Ok(code)
}

/// The table is written over no file that the command reads.
fn refuse_to_replace<'a>(path: &Path, mut read: impl Iterator<Item = &'a PathBuf>) -> Result<(), ProjectError> {
    let place = |path: &Path| fs::canonicalize(path).ok();
    let target = place(path);
    match read.find(|file| target.is_some() && place(file) == target) {
        Some(file) => Err(ProjectError::refused(
            "write-over-input",
            format!("--write would replace `{}`, which this command reads", file.display()),
            "name another file with --write",
        )),
        None => Ok(()),
    }
}

fn coded(checked: &Checked, responses: &Path, write: Option<&Path>) -> Result<Coded, ProjectError> {
    let rubric = checked.rubric.as_ref().expect("a rubric without errors is read");
    let coded = code_verdicts(rubric, responses)?;
    if let Some(path) = write {
        coded.write(path)?;
    }
    Ok(coded)
}

/// Ids of the findings that a file cannot be read at all: then the code is 2, not 1.
const UNREADABLE: [&str; 3] = ["cannot-read", "gzip-truncated", "gzip-damaged"];

/// A file with everything found in it, mistakes that make it unusable included.
fn read(file: &Path) -> Result<Checked, ProjectError> {
    match check_rubric(file) {
        Err(ProjectError::Findings(findings))
            if findings
                .shown()
                .iter()
                .all(|finding| !UNREADABLE.contains(&finding.diagnostic.id)) =>
        {
            Ok(Checked::unusable(file, findings))
        }
        other => other,
    }
}

impl Shown {
    /// 1 where an error was found, or a warning under `--strict`.
    fn code(&self, strict: bool) -> u8 {
        let counts = |checked: &Checked| {
            let warnings = if strict {
                checked.findings.count(Severity::Warning)
            } else {
                0
            };
            checked.findings.count(Severity::Error) + warnings > 0
        };
        match self.files.iter().any(counts) {
            true => exit::FOUND,
            false => exit::DONE,
        }
    }

    fn print(&self, output: &Output) {
        match output.format() {
            Format::Table => self.for_people(output),
            Format::Json => output.data(&self.json()),
            Format::Sarif => output.data(&self.sarif()),
            Format::Github => output.data(&self.github()),
        }
    }
}

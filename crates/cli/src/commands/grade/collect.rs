//! `grade collect`.

use std::path::PathBuf;

use calibrant_project::ProjectError;
use calibrant_project::grading::{CollectOptions, CollectedFile, Grading, OnChanges, OnMistakes, collect};
use calibrant_schema::diagnostic::visible;
use calibrant_store::sheets::{ColumnFrom, EncodingFrom, FoundColumn, Returned, ReturnedForm};

use super::exercise_args::RoundArgs;
use super::existing::opened;
use crate::args::Format;
use crate::commands::Door;
use crate::exit;

/// What `grade collect` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct CollectArgs {
    /// Results of pages (JSON), workbooks (XLSX) and CSV, told apart by what they hold
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    round: RoundArgs,
    /// Of a file with mistakes, record the rows without one
    #[arg(long)]
    partial: bool,
    /// Let verdicts that differ from those recorded replace them
    #[arg(long)]
    replace: bool,
    /// Lock the sheets that came back, which ends them
    #[arg(long)]
    lock: bool,
}

pub(crate) fn run(args: &CollectArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let grading = opened(&args.round, door)?;
    let options = CollectOptions {
        mistakes: if args.partial {
            OnMistakes::TakeTheRest
        } else {
            OnMistakes::Refuse
        },
        changes: if args.replace {
            OnChanges::Replace
        } else {
            OnChanges::Refuse
        },
    };
    let files = collect(&grading, &args.files, options)?;
    match door.output.format() {
        Format::Json => {
            let shown: Vec<serde_json::Value> = files.iter().map(json).collect();
            door.output.data(&format!("{:#}\n", serde_json::Value::Array(shown)));
        }
        Format::Table | Format::Sarif | Format::Github => {
            for file in &files {
                door.output.data(&text(file, options));
                if file.has_mistakes() {
                    door.output.failure(&ProjectError::Findings(file.findings.clone()));
                }
            }
        }
    }
    let mistakes = files.iter().any(CollectedFile::has_mistakes);
    finish(args, &grading, &files, door)?;
    Ok(if mistakes { exit::INPUT } else { exit::DONE })
}

/// Locks the sheets that came back without a mistake, or says which of them are ready to be.
fn finish(args: &CollectArgs, grading: &Grading, files: &[CollectedFile], door: &Door<'_>) -> Result<(), ProjectError> {
    for sheet in grading.progress()? {
        let mut came = files
            .iter()
            .filter(|file| file.returned.as_ref().and_then(|returned| returned.grader.as_ref()) == Some(&sheet.grader));
        let (came, sound) = (came.clone().next().is_some(), came.all(|file| !file.has_mistakes()));
        if !came || sheet.locked.is_some() {
            continue;
        }
        if args.lock && sound {
            let locked = grading.lock(&sheet.grader)?;
            let what = format!(
                "locked the sheet of {}: {} decided, {} skipped",
                sheet.grader, locked.decided, locked.skipped
            );
            door.output.note(&what);
        } else if sheet.left == 0 {
            door.output.note(&format!(
                "the sheet of {} is complete; --lock ends it, and nothing is added to it afterwards",
                sheet.grader
            ));
        } else {
            door.output.note(&format!(
                "the sheet of {} has {} of {} cells open",
                sheet.grader, sheet.left, sheet.cells
            ));
        }
    }
    Ok(())
}

fn text(file: &CollectedFile, options: CollectOptions) -> String {
    if let Some(other) = &file.same_as {
        return format!("{}: the same file as {}\n", file.file, other);
    }
    let Some(returned) = &file.returned else {
        return format!("{}: not read\n", file.file);
    };
    let whose = returned
        .grader
        .as_deref()
        .map_or("a sheet of nobody known".to_owned(), |grader| {
            format!("sheet of {grader}")
        });
    let mut text = format!("{}: {whose}, {}\n", file.file, form(&returned.form));
    if returned.form != ReturnedForm::Page {
        text.push_str(&format!("  {}\n", header(returned)));
    }
    text.push_str(&format!("  {}\n", counts(returned)));
    let refused = file.has_mistakes() && options.mistakes == OnMistakes::Refuse;
    text.push_str(&match refused {
        true => "  nothing of it was recorded\n".to_owned(),
        false => {
            let replaced = match file.changed {
                0 => String::new(),
                changed => format!(", of which {changed} replaced other verdicts"),
            };
            format!(
                "  recorded {}{replaced}; recorded before {}\n",
                file.recorded, file.known
            )
        }
    });
    text
}

fn form(form: &ReturnedForm) -> String {
    let ReturnedForm::Text {
        encoding,
        encoding_from,
        delimiter,
        sep_line,
        smart_quotes,
    } = form
    else {
        return match form {
            ReturnedForm::Workbook { sheet } => format!("workbook, its sheet `{}`", shown(sheet)),
            _ => "result of a page".to_owned(),
        };
    };
    let from = match encoding_from {
        EncodingFrom::Mark => "by its mark",
        EncodingFrom::Bytes => "by its bytes",
        EncodingFrom::Guess => "guessed; look at the letters of a comment",
    };
    let delimiter = match delimiter {
        '\t' => "tab".to_owned(),
        other => format!("`{other}`"),
    };
    let named = if *sep_line { ", named by its first line" } else { "" };
    let quotes = if *smart_quotes { ", typographic quotes" } else { "" };
    format!("text in {encoding} ({from}), delimiter {delimiter}{named}{quotes}")
}

fn header(returned: &Returned) -> String {
    let header = returned
        .header
        .as_ref()
        .map_or("no header".to_owned(), |place| format!("header in {place}"));
    let columns: Vec<String> = returned.columns.iter().map(column).collect();
    match columns[..] {
        [] => format!("{header}; no column of a sheet"),
        _ => format!("{header}; columns {}", columns.join(", ")),
    }
}

fn column(found: &FoundColumn) -> String {
    let (word, heading) = (found.column.word(), shown(&found.heading));
    match found.from {
        ColumnFrom::Cells => format!("{word} = `{heading}` (by its cells)"),
        ColumnFrom::Name if heading.to_lowercase() == word => word.to_owned(),
        ColumnFrom::Name => format!("{word} = `{heading}`"),
    }
}

fn counts(returned: &Returned) -> String {
    if returned.form == ReturnedForm::Page {
        let finished = if returned.finished {
            ", finished"
        } else {
            ", not finished"
        };
        return format!(
            "{} of {} marks can stand{finished}",
            returned.marks.len(),
            returned.lines
        );
    }
    let wrong = match returned.lines - returned.rows.len() {
        0 => String::new(),
        wrong => format!(" ({wrong} not taken)"),
    };
    let missing = match returned.missing {
        0 => String::new(),
        missing => format!("; no row for {missing} cells of the sheet"),
    };
    format!(
        "rows {}{wrong}: verdicts {}, empty {}, comments {}{missing}",
        returned.lines,
        returned.verdicts(),
        returned.open(),
        returned.comments(),
    )
}

/// Text of a file, with nothing in it that moves a terminal.
fn shown(text: &str) -> String {
    text.chars().take(60).flat_map(visible).collect()
}

fn json(file: &CollectedFile) -> serde_json::Value {
    let findings: Vec<serde_json::Value> = file
        .findings
        .shown()
        .iter()
        .map(|finding| serde_json::json!(finding.diagnostic))
        .collect();
    let returned = file.returned.as_ref();
    serde_json::json!({
        "file": file.file,
        "same_as": file.same_as,
        "grader": returned.and_then(|returned| returned.grader.as_deref()),
        "form": returned.map(|returned| form(&returned.form)),
        "header": returned.and_then(|returned| returned.header.as_deref()),
        "columns": returned.map(|returned| returned.columns.iter().map(column).collect::<Vec<_>>()),
        "rows": returned.map(|returned| returned.lines),
        "verdicts": returned.map(Returned::verdicts),
        "empty": returned.map(Returned::open),
        "comments": returned.map(Returned::comments),
        "missing": returned.map(|returned| returned.missing),
        "marks": returned.map(|returned| returned.marks.len()),
        "finished": returned.map(|returned| returned.finished),
        "recorded": file.recorded,
        "known": file.known,
        "changed": file.changed,
        "findings": findings,
    })
}

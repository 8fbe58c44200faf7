//! `grade status`.

use calibrant_project::ProjectError;
use calibrant_project::grading::{RoundProgress, SheetProgress, status};

use super::exercise_args::{Places, RoundArgs};
use crate::commands::Door;
use crate::commands::request::settings;
use crate::exit;

/// What `grade status` takes.
#[derive(Debug, clap::Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    round: RoundArgs,
}

pub(crate) fn run(args: &StatusArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let settings = settings(door.global, door.output)?;
    let Places { dir, ledger } = args.round.places(&settings);
    let rounds = status(&dir, &ledger, args.round.round)?;
    door.output.result(
        || format!("{:#}\n", serde_json::json!(rounds)),
        || {
            let texts: Vec<String> = rounds.iter().map(round_text).collect();
            texts.join("\n")
        },
    );
    Ok(exit::DONE)
}

fn round_text(round: &RoundProgress) -> String {
    let name = round.rubric.as_deref().unwrap_or("the rubric");
    let version = round
        .rubric_version
        .map_or_else(String::new, |version| format!(" version {version}"));
    let state = match round.all_locked() {
        true => "every sheet is locked",
        false => "open",
    };
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING).set_header([
        "grader",
        "answers",
        "decided",
        "skipped",
        "left",
        "flagged",
        "time",
        "last mark",
        "sheet",
    ]);
    for sheet in &round.sheets {
        table.add_row(cells(sheet));
    }
    format!(
        "round {}: {name}{version} ({}), {state}\n{}\n",
        round.round,
        &round.rubric_hash[..12],
        table.trim_fmt()
    )
}

fn cells(sheet: &SheetProgress) -> [String; 9] {
    [
        sheet.grader.clone(),
        format!("{} of {}", sheet.answers_done, sheet.answers),
        format!("{} of {}", sheet.decided, sheet.cells),
        sheet.skipped.to_string(),
        sheet.left.to_string(),
        sheet.flagged.to_string(),
        time(sheet.seen_ms),
        sheet.last_mark.clone().unwrap_or_else(|| "-".to_owned()),
        sheet
            .locked
            .as_ref()
            .map_or_else(|| "open".to_owned(), |at| format!("locked {at}")),
    ]
}

/// Time on the screen, in hours and minutes; `-` where no door measured it.
fn time(ms: u64) -> String {
    match (ms / 3_600_000, ms / 60_000 % 60) {
        _ if ms == 0 => "-".to_owned(),
        (0, 0) => "under 1 min".to_owned(),
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes:02} min"),
    }
}

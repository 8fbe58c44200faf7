//! `roll-up`.

use calibrant_project::{ProjectError, roll_ups, today};
use calibrant_report::roll_ups_text;
use calibrant_schema::Rubric;
use calibrant_schema::artifact::Artifact;
use calibrant_schema::roll_up::{RollUp, RollUpRule};

use super::panel::{PanelArgs, Tables, panel_request};
use crate::commands::Door;
use crate::exit;

#[derive(Debug, clap::Args)]
pub(crate) struct RollUpArgs {
    #[command(flatten)]
    panel: PanelArgs,
    /// A rule to compare; given once, the rubric's own is the other
    #[arg(
        long = "rule",
        value_name = "all|at_least:N|mandatory:ID,..",
        required_unless_present = "choose"
    )]
    rules: Vec<String>,
    /// The rule chosen: print the lines that store it in the rubric, with its reason and date
    #[arg(long, value_name = "RULE", requires = "reason", conflicts_with = "rules")]
    choose: Option<String>,
    /// Why this rule, and agreed with whom
    #[arg(long, value_name = "TEXT", requires = "choose")]
    reason: Option<String>,
    /// When it was agreed [default: today]
    #[arg(long, value_name = "YYYY-MM-DD", requires = "choose")]
    date: Option<String>,
}

pub(crate) fn run(args: &RollUpArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    if let Some(chosen) = &args.choose {
        return choose(args, chosen, door);
    }
    let rules = args
        .rules
        .iter()
        .map(|text| rule(text))
        .collect::<Result<Vec<_>, _>>()?;
    let request = panel_request(&args.panel, None, (None, Tables::Needed), door)?;
    let compared = roll_ups(&request, &rules, &mut |note| door.output.on(note))?;
    door.output
        .result(|| compared.to_json(), || roll_ups_text(&compared, door.output.style()));
    door.output.warnings(&compared.header.warnings);
    Ok(exit::DONE)
}

/// Prints what to write into the rubric.
fn choose(args: &RollUpArgs, chosen: &str, door: &Door<'_>) -> Result<u8, ProjectError> {
    let roll_up = RollUp {
        rule: rule(chosen)?,
        reason: args.reason.clone(),
        date: Some(match &args.date {
            None => today(),
            Some(text) => text.parse().map_err(|wrong: calibrant_schema::rubric::NotADate| {
                ProjectError::refused("date", format!("--date is `{text}`: {wrong}"), "write it as 2026-05-02")
            })?,
        }),
    };
    let lines = Rubric {
        roll_up: Some(roll_up),
        ..Rubric::default()
    }
    .to_yaml();
    let line = lines
        .lines()
        .find(|line| line.starts_with("roll_up:"))
        .unwrap_or_default();
    door.output.data(&format!("{line}\n"));
    door.output
        .note("this line is to stand in the rubric, above its criteria, in the place of any roll_up there");
    Ok(exit::DONE)
}

fn rule(text: &str) -> Result<RollUpRule, ProjectError> {
    text.parse().map_err(|unknown: calibrant_schema::roll_up::UnknownRule| {
        ProjectError::refused(
            "unknown-rule",
            unknown.to_string(),
            "write --rule all, --rule at_least:2 or --rule mandatory:first_id,second_id",
        )
    })
}

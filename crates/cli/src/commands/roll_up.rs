//! `roll-up`.

use calibrant_project::{ProjectError, RubricFile, roll_ups, today};
use calibrant_report::roll_ups_text;
use calibrant_schema::artifact::Artifact;
use calibrant_schema::roll_up::{RollUp, RollUpRule};
use calibrant_schema::rubric::edit::Edit;

use super::panel::{PanelArgs, Tables, panel_request, rubric_path};
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
    /// The rule chosen: written into the rubric file, with its reason and date
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

/// Writes the rule into the rubric file.
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
    let Some(path) = rubric_path(&args.panel, door)? else {
        return Err(ProjectError::refused(
            "no-rubric",
            "there is no rubric file to write the rule into",
            "name it with --rubric FILE, or as paths.rubric in calibrant.toml",
        ));
    };
    let before = RubricFile::read(&path)?;
    let after = before.edit(&Edit::RollUp { roll_up })?;
    let (file, version) = (path.display(), after.rubric.version);
    door.output.result(
        || {
            let shown = serde_json::json!({
                "rubric": file.to_string(), "version": version,
                "rubric_before": before.rubric.hash(), "rubric_after": after.rubric.hash(),
            });
            format!("{shown:#}\n")
        },
        || match version {
            Some(version) => format!("`{chosen}` stands in {file}, which is version {version} now\n"),
            None => format!("`{chosen}` stands in {file}\n"),
        },
    );
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

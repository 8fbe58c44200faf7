//! `grade rule`.

use calibrant_project::{Decided, ProjectError, RubricFile, Settled, Signature, Systems, settle};
use calibrant_report::short_name;
use calibrant_schema::canonical::Hash;
use calibrant_schema::resolution::Outcome;
use calibrant_schema::rubric::edit::Wording;
use clap::ValueEnum;

use super::review::{LabelArgs, json, read};
use crate::commands::Door;
use crate::exit;

#[derive(Debug, clap::Args)]
pub(crate) struct RuleArgs {
    /// The disagreement, as `grade review` names it
    #[arg(long, value_name = "ID")]
    disagreement: String,
    /// How it ended
    #[arg(long, value_enum, value_name = "OUTCOME")]
    outcome: Ends,
    /// The ruling or the new wording; for a slip or a deletion, why
    #[arg(long, value_name = "TEXT")]
    text: String,
    /// Which text a wording replaces
    #[arg(long, value_enum, value_name = "KEY", default_value = "question")]
    field: Field,
    /// Why a text is worded anew
    #[arg(long, value_name = "TEXT", required_if_eq("outcome", "wording"))]
    why: Option<String>,
    /// Who slipped
    #[arg(long, value_name = "NAME", required_if_eq("outcome", "slip"))]
    judge: Option<String>,
    /// The label that was meant
    #[arg(
        long,
        value_name = "LABEL",
        required_if_eq("outcome", "slip"),
        allow_negative_numbers = true
    )]
    label: Option<f64>,
    /// Who settled it
    #[arg(long, value_name = "NAME", default_value = "")]
    by: String,
    /// The day of the ruling, as 2026-05-09; today when left out
    #[arg(long, value_name = "DATE")]
    date: Option<calibrant_schema::rubric::Date>,
    #[command(flatten)]
    labels: LabelArgs,
}

/// The ways to end. There is no majority among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Ends {
    /// A text is added to the boundary
    Ruling,
    /// A text of the criterion is worded anew
    Wording,
    /// One grader slipped; the rubric stays
    Slip,
    /// The criterion is deleted
    Deletion,
}

/// The texts that can be worded anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Field {
    /// The question
    Question,
    /// The response that meets it
    PassExample,
    /// The near miss
    FailExample,
    /// The whole boundary
    Boundary,
}

pub(crate) fn run(args: &RuleArgs, door: &Door<'_>) -> Result<u8, ProjectError> {
    let review = read(&args.labels, Systems::Hidden, door)?;
    let Some(shown) = &review.rubric else {
        return Err(no_rubric());
    };
    let signature = Signature::now(&args.by, args.date);
    let settled = settle(&review, shown, &args.disagreement, &decided(args), &signature)?;
    door.output.result(|| settled_json(&settled), || settled_text(&settled));
    Ok(exit::DONE)
}

pub(super) fn no_rubric() -> ProjectError {
    ProjectError::refused(
        "no-rubric",
        "there is no rubric file to write into",
        "name it with --rubric FILE, or as paths.rubric in calibrant.toml",
    )
}

fn decided(args: &RuleArgs) -> Decided {
    let text = args.text.clone();
    match args.outcome {
        Ends::Ruling => Decided::Ruling { text },
        Ends::Wording => Decided::Wording {
            field: match args.field {
                Field::Question => Wording::Question,
                Field::PassExample => Wording::PassExample,
                Field::FailExample => Wording::FailExample,
                Field::Boundary => Wording::Boundary,
            },
            text,
            why: args.why.clone().unwrap_or_default(),
        },
        Ends::Slip => Decided::Slip {
            judge: args.judge.clone().unwrap_or_default(),
            label: args.label.unwrap_or(f64::NAN),
            why: text,
        },
        Ends::Deletion => Decided::Deletion { why: text },
    }
}

/// What was done, in words.
pub(super) fn settled_text(settled: &Settled) -> String {
    let id = &settled.disagreement.id;
    let criterion = short_name(&settled.disagreement.criterion, 60);
    let file = settled.after.path.display();
    let mut text = match settled.outcome {
        Outcome::Ruling => format!(
            "{id}: the ruling stands in the boundary of `{criterion}`; {file} {}\n",
            version(&settled.after)
        ),
        Outcome::Wording => format!(
            "{id}: `{criterion}` is worded anew; {file} {}\n",
            version(&settled.after)
        ),
        Outcome::Deletion => format!("{id}: `{criterion}` is deleted; {file} {}\n", version(&settled.after)),
        Outcome::Slip => format!("{id}: recorded as a slip; {file} and the labels stay as they are\n"),
    };
    if settled.stale > 0 && settled.outcome != Outcome::Deletion {
        let verdicts = match settled.stale {
            1 => "1 verdict on".to_owned(),
            stale => format!("{stale} verdicts on"),
        };
        let verb = if settled.stale == 1 { "is" } else { "are" };
        text.push_str(&format!(
            "{verdicts} `{criterion}` {verb} of the earlier wording: grade a new round\n"
        ));
    }
    text.push_str(&match settled.open {
        0 => "every disagreement is settled\n".to_owned(),
        1 => "1 disagreement is open\n".to_owned(),
        open => format!("{open} disagreements are open\n"),
    });
    text
}

fn version(file: &RubricFile) -> String {
    match file.rubric.version {
        Some(version) => format!("is version {version} now"),
        None => "has no version".to_owned(),
    }
}

/// What settling did, for programs.
#[derive(serde::Serialize)]
struct SettledJson<'s> {
    disagreement: &'s str,
    criterion: &'s str,
    outcome: Outcome,
    rubric: String,
    version: Option<u32>,
    rubric_before: Hash,
    rubric_after: Hash,
    stale: u64,
    open: usize,
}

fn settled_json(settled: &Settled) -> String {
    json(&SettledJson {
        disagreement: &settled.disagreement.id,
        criterion: &settled.disagreement.criterion,
        outcome: settled.outcome,
        rubric: settled.after.path.display().to_string(),
        version: settled.after.rubric.version,
        rubric_before: settled.before.rubric.hash(),
        rubric_after: settled.after.rubric.hash(),
        stale: settled.stale,
        open: settled.open,
    })
}

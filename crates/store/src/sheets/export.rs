//! What graders settled on, in the forms of other tools.
//!
//! Only a round whose sheets are all locked is exported: the rows name systems and every grader.

mod argilla;
mod jsonl;
mod label_studio;
mod prodigy;

use calibrant_schema::exercise::{
    CellState, Decision, Exercise, ExerciseUnit, Paper, PaperCriterion, PaperUnit, Sheet,
};
use calibrant_schema::{Scale, Status};

use super::lines::spoken;

/// A form that `calibrant grade export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportForm {
    /// A row a verdict, as `--verdicts` reads it.
    Jsonl,
    /// One JSON list of tasks with annotations, as Label Studio imports it.
    LabelStudio,
    /// One JSON list of records with responses, as Argilla's `from_json` reads it.
    Argilla,
    /// A row a verdict, as Prodigy's `db-in` reads it.
    Prodigy,
}

impl ExportForm {
    /// Every form, as `--as` names it.
    pub const ALL: [(&'static str, Self); 4] = [
        ("jsonl", Self::Jsonl),
        ("label-studio", Self::LabelStudio),
        ("argilla", Self::Argilla),
        ("prodigy", Self::Prodigy),
    ];

    /// The name of the file that holds it.
    #[must_use]
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Jsonl => "verdicts.jsonl",
            Self::LabelStudio => "label-studio.json",
            Self::Argilla => "argilla.json",
            Self::Prodigy => "prodigy.jsonl",
        }
    }
}

/// A grader's sheet: what it asked, and how it stands.
#[derive(Clone, Copy, Debug)]
pub struct GradedSheet<'a> {
    /// The paper the grader had.
    pub paper: &'a Paper,
    /// What the marks amount to.
    pub sheet: &'a Sheet,
}

/// The verdicts of an exercise in a form; answers in the order of the exercise, graders in the order of `sheets`.
///
/// Cells without a decision have no row. The same exercise and sheets give the same text.
#[must_use]
pub fn export(form: ExportForm, exercise: &Exercise, sheets: &[GradedSheet<'_>]) -> String {
    match form {
        ExportForm::Jsonl => jsonl::text(exercise, sheets),
        ExportForm::LabelStudio => label_studio::text(exercise, sheets),
        ExportForm::Argilla => argilla::text(exercise, sheets),
        ExportForm::Prodigy => prodigy::text(exercise, sheets),
    }
}

/// One cell of one grader with a decision.
struct Settled<'a> {
    grader: &'a str,
    criterion: &'a PaperCriterion,
    state: &'a CellState,
    decision: &'a Decision,
}

impl Settled<'_> {
    fn comment(&self) -> Option<&str> {
        self.state.comment.as_deref()
    }

    /// The decision as a word: `yes` and `no` for two levels, the level's value, or why there is none.
    fn word(&self) -> String {
        match (self.decision, &self.criterion.card.scale) {
            (Decision::Label(label), Scale::Binary) => if *label == 1.0 { "yes" } else { "no" }.to_owned(),
            (Decision::Label(label), Scale::Levels(_)) => label.to_string(),
            (other, _) => status_word(other.status()).to_owned(),
        }
    }
}

/// A status with spaces, as sheets offer it.
fn status_word(status: Status) -> &'static str {
    match status {
        Status::NotApplicable => "not applicable",
        Status::CannotAssess => "cannot assess",
        Status::Unclear => "unclear",
        _ => "skipped",
    }
}

/// What each grader settled on about one answer: grader after grader, criteria in the order of the rubric.
fn settled<'a>(unit: &ExerciseUnit, sheets: &[GradedSheet<'a>]) -> Vec<Settled<'a>> {
    let of_sheet = |graded: &GradedSheet<'a>| -> Vec<Settled<'a>> {
        let GradedSheet { paper, sheet } = *graded;
        let Some(asked) = paper_unit(unit, paper) else {
            return Vec::new();
        };
        let criteria = asked.criteria.iter().filter_map(|at| paper.criteria.get(*at as usize));
        criteria
            .filter_map(|criterion| {
                let state = sheet.cell(&unit.id, &criterion.criterion)?;
                Some(Settled {
                    grader: &paper.grader,
                    criterion,
                    state,
                    decision: state.decision.as_ref()?,
                })
            })
            .collect()
    };
    sheets.iter().flat_map(of_sheet).collect()
}

fn paper_unit<'a>(unit: &ExerciseUnit, paper: &'a Paper) -> Option<&'a PaperUnit> {
    paper.units.iter().find(|shown| shown.unit == unit.id)
}

/// Prompt and answer of a unit as text.
fn texts(unit: &ExerciseUnit, sheets: &[GradedSheet<'_>]) -> (String, String) {
    let shown = sheets.iter().find_map(|graded| paper_unit(unit, graded.paper));
    shown.map_or_else(Default::default, |shown| {
        (spoken(&shown.prompt), spoken(&shown.response))
    })
}

fn line(row: &serde_json::Value) -> String {
    format!("{row}\n")
}

fn list(rows: &[serde_json::Value]) -> String {
    let mut text = serde_json::to_string_pretty(rows).expect("rows are JSON");
    text.push('\n');
    text
}

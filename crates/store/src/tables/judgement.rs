//! From the cells of a row to a judgement, with every doubt reported at its cell.

use calibrant_schema::label_words::{LabelError, ParsedLabel, parse_label};
use calibrant_schema::{Diagnostic, Scale, Status};

use crate::findings::Findings;
use crate::tables::columns::Columns;
use crate::tables::role::Role;
use crate::tables::row::{Row, Value};
use crate::tables::shown::shown;
use crate::tables::verdicts::{ScaleOrigin, Scales};

/// The sample of a table without samples, and of a row that names none.
const ONLY_SAMPLE: &str = "1";

/// What a table must have, and what stands in for a column it need not have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Roles without which the table cannot be read.
    pub(crate) required: &'static [Role],
    /// The system of a table without a column for it.
    pub(crate) system: Option<&'static str>,
    /// The judge of all rows, whatever the table says.
    pub(crate) judge: Option<&'static str>,
}

/// A row in words, still without its label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids<'a> {
    pub(crate) system: &'a str,
    pub(crate) query: &'a str,
    pub(crate) sample: &'a str,
    pub(crate) criterion: &'a str,
    pub(crate) judge: &'a str,
    pub(crate) repeat: u16,
}

/// What the label and status cells of a row say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) level: Option<u8>,
    pub(crate) status: Status,
    pub(crate) on_scale: OnScale,
}

/// Whether the label was on the scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnScale {
    Yes,
    /// The label is a number that the declared scale does not have.
    No,
}

/// One row with its columns, being read.
pub(crate) struct RowReader<'a> {
    pub(crate) file: &'a str,
    pub(crate) row: &'a Row,
    pub(crate) columns: &'a Columns,
}

impl<'a> RowReader<'a> {
    /// The names of a row; `None` when one is missing, which was reported.
    pub(crate) fn ids(&self, shape: &Shape, findings: &mut Findings) -> Option<Ids<'a>> {
        let system = self.id(
            Role::System,
            shape.system.filter(|_| self.columns.of(Role::System).is_none()),
            findings,
        );
        let query = self.id(Role::Query, None, findings);
        let criterion = self.id(Role::Criterion, None, findings);
        let judge = self.id(Role::Judge, shape.judge, findings);
        let repeat = self.repeat(findings);
        Some(Ids {
            system: system?,
            query: query?,
            sample: self.sample(),
            criterion: criterion?,
            judge: judge?,
            repeat: repeat?,
        })
    }

    fn id(&self, role: Role, stand_in: Option<&'a str>, findings: &mut Findings) -> Option<&'a str> {
        if stand_in.is_some() {
            return stand_in;
        }
        let text = self.text(role);
        if text.trim().is_empty() {
            self.report(role, self.no_id(role), findings);
            return None;
        }
        Some(text)
    }

    fn sample(&self) -> &'a str {
        let text = self.text(Role::Sample);
        if text.is_empty() { ONLY_SAMPLE } else { text }
    }

    fn repeat(&self, findings: &mut Findings) -> Option<u16> {
        let text = self.text(Role::Repeat).trim();
        if text.is_empty() {
            return Some(1);
        }
        let number = text.parse().ok();
        if number.is_none() {
            let what = format!("repeat `{}` is no whole number from 0 to 65535", shown(text));
            self.report(
                Role::Repeat,
                Diagnostic::error("bad-repeat", what, "number a judge's repeats of one cell 1, 2, 3"),
                findings,
            );
        }
        number
    }

    /// What label and status say; `None` when they are wrong or contradict each other, which was reported.
    pub(crate) fn outcome(&self, scales: &Scales, criterion: &str, findings: &mut Findings) -> Option<Outcome> {
        let stated = self.status(findings)?;
        let scale = scales.of(criterion);
        let label = self.label(scale, scales.origin, findings)?;
        let text = self.text(Role::Label).trim();
        match (stated, label) {
            (None | Some(Status::Ok), Label::Level(level)) => Some(Outcome {
                level: Some(level),
                status: Status::Ok,
                on_scale: OnScale::Yes,
            }),
            (None, Label::None(status)) => Some(Outcome {
                level: None,
                status,
                on_scale: OnScale::Yes,
            }),
            (None | Some(Status::Ok | Status::Unparsable), Label::OffScale) => Some(Outcome {
                level: None,
                status: Status::Unparsable,
                on_scale: OnScale::No,
            }),
            (Some(status), Label::None(said)) if status != Status::Ok && (text.is_empty() || said == status) => {
                Some(Outcome {
                    level: None,
                    status,
                    on_scale: OnScale::Yes,
                })
            }
            (Some(status), _) => {
                self.report(Role::Status, contradiction(status, text), findings);
                None
            }
        }
    }

    fn status(&self, findings: &mut Findings) -> Option<Option<Status>> {
        let text = self.text(Role::Status);
        if text.trim().is_empty() {
            return Some(None);
        }
        match text.parse::<Status>() {
            Ok(status) => Some(Some(status)),
            Err(_) => {
                let known = Status::ALL.map(Status::as_str).join(", ");
                let what = format!("`{}` is no status", shown(text));
                self.report(
                    Role::Status,
                    Diagnostic::error("bad-status", what, format!("use one of {known}")),
                    findings,
                );
                None
            }
        }
    }

    fn label(&self, scale: &Scale, origin: ScaleOrigin, findings: &mut Findings) -> Option<Label> {
        let nested = self
            .columns
            .of(Role::Label)
            .and_then(|column| self.row.cell(column))
            .map(|cell| &cell.value);
        if matches!(nested, Some(Value::Nested)) {
            let what = format!("`{}` holds an object or a list", shown(self.columns.name(Role::Label)));
            let help =
                "write one row per verdict, with the label as a number, a word of the table, true, false or null";
            self.report(Role::Label, Diagnostic::error("bad-label", what, help), findings);
            return None;
        }
        let text = self.text(Role::Label);
        match parse_label(text, scale) {
            Ok(ParsedLabel::Level(level)) => Some(Label::Level(level)),
            Ok(ParsedLabel::NoLabel(Status::Unparsable)) if is_number(text) => Some(Label::OffScale),
            Ok(ParsedLabel::NoLabel(status)) => Some(Label::None(status)),
            Err(LabelError::OffBinaryScale { .. }) if origin != ScaleOrigin::NotDeclared => Some(Label::OffScale),
            Err(error) => {
                self.report(Role::Label, bad_label(&error), findings);
                None
            }
        }
    }

    fn no_id(&self, role: Role) -> Diagnostic {
        let name = shown(self.columns.name(role));
        let cell = self.columns.of(role).and_then(|column| self.row.cell(column));
        let what = match cell.map(|cell| &cell.value) {
            None => format!("the row has no `{name}`"),
            Some(Value::Nested) => format!("`{name}` holds an object or a list, not an id"),
            Some(_) => format!("`{name}` is empty"),
        };
        Diagnostic::error(
            "empty-id",
            what,
            format!("give the {role} of every row an id, or take the row out"),
        )
    }

    pub(crate) fn text(&self, role: Role) -> &'a str {
        self.columns.of(role).map_or("", |column| self.row.text(column))
    }

    fn report(&self, role: Role, mistake: Diagnostic, findings: &mut Findings) {
        let column = self.columns.of(role).unwrap_or(usize::MAX);
        self.row.report(self.file, column, mistake, findings);
    }
}

/// What a label cell says on a declared scale.
#[derive(Clone, Copy)]
enum Label {
    Level(u8),
    OffScale,
    None(Status),
}

fn is_number(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit())
}

/// The label error in two parts: `LabelError` says both in one sentence.
fn bad_label(error: &LabelError) -> Diagnostic {
    let message = error.to_string();
    let (what, help) = message
        .split_once("; ")
        .unwrap_or((&message, "see the label words of the table reference"));
    Diagnostic::error("bad-label", what, help)
}

fn contradiction(status: Status, label: &str) -> Diagnostic {
    let what = match label {
        "" => format!("the status is {status}, but there is no label"),
        label => format!("the row has the label `{}` and the status {status}", shown(label)),
    };
    Diagnostic::error(
        "label-and-status",
        what,
        "a label goes with the status ok; every other status says why there is none: keep one of the two",
    )
}

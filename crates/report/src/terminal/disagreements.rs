//! The queue of disagreements for a terminal, and one of them with everything that is looked at.

use calibrant_schema::Status;
use calibrant_schema::card::Card;
use calibrant_schema::disagreement::{
    Anatomy, Disagreement, Disagreements, JudgeLabel, Kind, Place, SharedTag, WithoutLabel,
};
use calibrant_schema::resolution::Outcome;
use calibrant_schema::scale::Scale;
use calibrant_schema::turn::Turn;

use super::columns::{Column, table};
use super::{Style, id, prose};
use crate::number::percent;

/// Characters of a name shown in a terminal.
const LONGEST: usize = 28;
/// Lines of an answer that are shown; the page has all of them.
const MOST_LINES: usize = 60;

/// One disagreement with what people look at while they settle it.
#[derive(Clone, Copy, Debug)]
pub struct Looked<'a> {
    /// The disagreement.
    pub disagreement: &'a Disagreement,
    /// The criterion as judges saw it, where the rubric is known.
    pub card: Option<&'a Card>,
    /// What was asked; nothing where nobody knows.
    pub prompt: &'a [Turn],
    /// What was answered; nothing where nobody knows.
    pub answer: &'a [Turn],
}

/// The queue as plain text: for each criterion a table of kinds, then the open disagreements, those that ended, and the
/// answers for which a judge gave a reason instead of a label.
#[must_use]
pub fn disagreements_text(all: &Disagreements, style: Style) -> String {
    let mut text: String = all.criteria.iter().map(|one| anatomy_text(one, style)).collect();
    let (open, ended): (Vec<&Disagreement>, Vec<&Disagreement>) = all.queue.iter().partition(|one| one.ended.is_none());
    if !open.is_empty() {
        text.push_str(&format!(
            "{} to settle:\n",
            counted(open.len(), "disagreement", "disagreements")
        ));
        text.push_str(&queue_table(&open, style));
        text.push('\n');
    }
    if !ended.is_empty() {
        text.push_str(&format!(
            "{} settled:\n",
            counted(ended.len(), "disagreement", "disagreements")
        ));
        text.push_str(&ended_table(&ended, style));
        text.push('\n');
    }
    if !all.without_label.is_empty() {
        text.push_str("without a label, and why:\n");
        text.push_str(&without_label_table(&all.without_label, style));
        text.push('\n');
    }
    text.push_str(&closing(all, open.len()));
    text
}

fn closing(all: &Disagreements, open: usize) -> String {
    if all.judges.len() < 2 {
        let judge = all.judges.first().map_or("nobody", String::as_str);
        return format!(
            "labels are from {} alone, and one judge cannot disagree\n",
            id(judge, LONGEST)
        );
    }
    if all.criteria.iter().all(|one| one.compared == 0) {
        return "no answer has labels of two judges on one criterion, so nothing can be compared\n".to_owned();
    }
    match open {
        0 if all.queue.is_empty() => "no disagreements\n".to_owned(),
        0 => "every disagreement is settled\n".to_owned(),
        _ => "Each ends in writing: a ruling on the boundary, a new wording, one grader's slip, or the criterion deleted.\n\
              A majority settles nothing.\n"
            .to_owned(),
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// How often judges agreed on a criterion, and the kinds of disagreement, the most frequent first.
fn anatomy_text(one: &Anatomy, style: Style) -> String {
    let name = id(&one.criterion, LONGEST);
    if one.compared == 0 {
        return format!("{name}: no answer has two labels\n{}\n", reasons(one));
    }
    let share = percent(f64::from(one.agreed) / f64::from(one.compared)).unwrap_or_default();
    let mut text = format!(
        "{name}: agreed on {} of {} ({share})\n",
        one.agreed,
        counted(one.compared as usize, "answer", "answers")
    );
    let agreed: Vec<String> = one
        .agreed_at
        .iter()
        .map(|at| format!("{} at {}", at.answers, at.label))
        .collect();
    let mut columns = [
        vec!["agreed".to_owned()],
        vec![one.agreed.to_string()],
        vec![agreed.join(", ")],
    ];
    for kind in &one.kinds {
        columns[0].push(kind.between());
        columns[1].push(kind.answers.to_string());
        columns[2].push(place(kind));
    }
    let [labels, answers, places] = columns;
    let shown = vec![
        Column::words("labels", 0, labels),
        Column::number("answers", 0, answers),
        Column::words("where", 1, places),
    ];
    text.push_str(&table(shown, style.width));
    text.extend(one.kinds.iter().map(|kind| shared(kind, one.compared)));
    text.push_str(&reasons(one));
    text.push('\n');
    text
}

fn place(kind: &Kind) -> String {
    match kind.place {
        Place::MiddleBoundary => "one level apart, a boundary in the middle of the scale".to_owned(),
        // A scale of two levels has one boundary, between not met and met.
        Place::OuterBoundary if (kind.low, kind.high) == (0.0, 1.0) => "not met and met".to_owned(),
        Place::OuterBoundary => "one level apart".to_owned(),
        Place::Large => format!("{} levels apart", kind.size),
    }
}

/// The tags that a kind of disagreement has more often than other answers have; empty when there are none.
fn shared(kind: &Kind, compared: u32) -> String {
    let tag = |tag: &SharedTag| {
        let name = id(&tag.tag, LONGEST);
        format!(
            "`{name}` in {} of {} ({} of all {compared})",
            tag.answers, kind.answers, tag.of_compared
        )
    };
    let tags: Vec<String> = kind.shared.iter().map(tag).collect();
    match tags.is_empty() {
        true => String::new(),
        false => format!("  {} share: {}\n", kind.between(), tags.join(", ")),
    }
}

/// What judges said instead of a label; empty when they gave labels alone.
fn reasons(one: &Anatomy) -> String {
    let counts = [
        (one.unclear, "called unclear"),
        (one.cannot_assess, "could not be assessed"),
        (
            one.not_applicable,
            "not applicable for one judge and labelled by another",
        ),
    ];
    let said: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    match said.is_empty() {
        true => String::new(),
        false => format!("  besides: {}\n", said.join(", ")),
    }
}

fn each<'d, T>(rows: &[&'d T], cell: impl Fn(&'d T) -> String) -> Vec<String> {
    rows.iter().map(|row| cell(row)).collect()
}

/// An answer by its query and, where a system answered more than once, the sample.
fn answer_name(query: &str, sample: &str) -> String {
    match sample {
        "1" => id(query, LONGEST),
        sample => format!("{} #{}", id(query, LONGEST), id(sample, 8)),
    }
}

fn labels_text(labels: &[JudgeLabel]) -> String {
    let label = |label: &JudgeLabel| format!("{} {}", id(&label.judge, LONGEST), label.label);
    labels.iter().map(label).collect::<Vec<_>>().join(", ")
}

fn queue_table(rows: &[&Disagreement], style: Style) -> String {
    let mut columns = vec![
        Column::words("id", 0, each(rows, |row| row.id.clone())),
        Column::words("criterion", 0, each(rows, |row| id(&row.criterion, LONGEST))),
        Column::words("labels", 0, each(rows, |row| row.between())),
        Column::words("by", 0, each(rows, |row| labels_text(&row.labels))),
        Column::words("query", 1, each(rows, |row| answer_name(&row.query, &row.sample))),
    ];
    if rows.iter().any(|row| row.system.is_some()) {
        let system = |row: &Disagreement| id(row.system.as_deref().unwrap_or("-"), LONGEST);
        columns.push(Column::words("system", 2, each(rows, system)));
    }
    if rows.iter().any(|row| !row.tags.is_empty()) {
        let tags = |row: &Disagreement| {
            row.tags
                .iter()
                .map(|tag| id(tag, LONGEST))
                .collect::<Vec<_>>()
                .join(", ")
        };
        columns.push(Column::words("tags", 3, each(rows, tags)));
    }
    table(columns, style.width)
}

fn ended_table(rows: &[&Disagreement], style: Style) -> String {
    let ended = |row: &Disagreement| row.ended.clone();
    let columns = vec![
        Column::words("id", 0, each(rows, |row| row.id.clone())),
        Column::words("criterion", 0, each(rows, |row| id(&row.criterion, LONGEST))),
        Column::words("labels", 2, each(rows, |row| row.between())),
        Column::words(
            "ended as",
            0,
            each(rows, |row| {
                ended(row).map_or_else(String::new, |e| outcome(e.outcome).to_owned())
            }),
        ),
        Column::words(
            "on",
            1,
            each(rows, |row| {
                ended(row).map_or_else(String::new, |e| id(e.at.get(..10).unwrap_or(&e.at), 10))
            }),
        ),
        Column::words(
            "by",
            3,
            each(rows, |row| ended(row).map_or_else(String::new, |e| id(&e.by, LONGEST))),
        ),
    ];
    table(columns, style.width)
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Wording => "new wording",
        Outcome::Ruling => "ruling",
        Outcome::Slip => "slip",
        Outcome::Deletion => "deletion",
    }
}

fn without_label_table(rows: &[WithoutLabel], style: Style) -> String {
    let rows: Vec<&WithoutLabel> = rows.iter().collect();
    let reasons = |row: &WithoutLabel| {
        let reason = |said: &calibrant_schema::disagreement::JudgeReason| {
            format!("{}: {}", id(&said.judge, LONGEST), status(said.status))
        };
        row.reasons.iter().map(reason).collect::<Vec<_>>().join(", ")
    };
    let columns = vec![
        Column::words("criterion", 0, each(&rows, |row| id(&row.criterion, LONGEST))),
        Column::words("query", 0, each(&rows, |row| answer_name(&row.query, &row.sample))),
        Column::words("reason", 0, each(&rows, reasons)),
        Column::words("labels of the others", 1, each(&rows, |row| labels_text(&row.labels))),
    ];
    table(columns, style.width)
}

fn status(status: Status) -> &'static str {
    match status {
        Status::Unclear => "criterion unclear",
        Status::CannotAssess => "cannot assess",
        Status::NotApplicable => "not applicable",
        other => other.as_str(),
    }
}

/// One disagreement as plain text: the prompt, the answer, the criterion with its boundary, and both labels with what
/// graders wrote and marked. Long answers are cut.
#[must_use]
pub fn disagreement_text(looked: &Looked<'_>) -> String {
    let one = looked.disagreement;
    let mut text = format!(
        "{}  {}  {}  query {}\n",
        one.id,
        id(&one.criterion, LONGEST),
        one.between(),
        answer_name(&one.query, &one.sample)
    );
    if let Some(system) = &one.system {
        text.push_str(&format!("system {}\n", id(system, LONGEST)));
    }
    for (head, turns) in [("asked", looked.prompt), ("answered", looked.answer)] {
        text.push_str(&turns_text(head, turns));
    }
    if let Some(card) = looked.card {
        text.push_str(&card_text(card));
    }
    text.push_str("\nlabels\n");
    for label in &one.labels {
        text.push_str(&format!("  {}: {}\n", id(&label.judge, LONGEST), label.label));
        if let Some(comment) = &label.comment {
            text.push_str(&format!("    wrote: {}\n", prose(comment)));
        }
        for passage in &label.evidence {
            text.push_str(&format!("    marked: {}\n", prose(&passage.quote)));
        }
    }
    text
}

fn turns_text(head: &str, turns: &[Turn]) -> String {
    if turns.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{head}\n");
    let several = turns.len() > 1;
    let lines = turns.iter().flat_map(|turn| {
        let role = several.then(|| format!("[{}]", id(&turn.role, LONGEST)));
        role.into_iter().chain(turn.text.lines().map(prose))
    });
    let lines: Vec<String> = lines.collect();
    for line in lines.iter().take(MOST_LINES) {
        text.push_str(format!("  {line}").trim_end());
        text.push('\n');
    }
    if lines.len() > MOST_LINES {
        text.push_str(&format!("  ... {} more lines\n", lines.len() - MOST_LINES));
    }
    text
}

fn card_text(card: &Card) -> String {
    let mut text = "\ncriterion\n".to_owned();
    let parts = [
        ("question", Some(&card.question)),
        ("pass", card.pass_example.as_ref()),
        ("fail", card.fail_example.as_ref()),
        ("boundary", card.boundary.as_ref()),
    ];
    for (name, part) in parts {
        if let Some(part) = part {
            text.push_str(&format!("  {name}: {}\n", prose(part)));
        }
    }
    if let Scale::Levels(levels) = &card.scale {
        for level in levels {
            let anchor = level.anchor.as_deref().map(|anchor| format!(" {}", prose(anchor)));
            text.push_str(&format!("  level {}:{}\n", level.value, anchor.unwrap_or_default()));
        }
    }
    text
}

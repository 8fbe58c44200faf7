//! The columns of each table.

use calibrant_schema::labels::CellLabel;
use calibrant_schema::query::Query;
use calibrant_schema::turn::Turn;
use calibrant_schema::{Criterion, Labels, Response, Scale, Status, Verdicts};
use parquet::data_type::ByteArray;

use super::{HubTable, HubTables};
use crate::tables::parquet::{Cells, table};

/// The keys of a message.
const MESSAGE: [&str; 2] = ["role", "content"];

/// All tables, those without rows too.
pub(super) fn written(tables: HubTables<'_>) -> Vec<HubTable> {
    let criteria = tables.rubric.map_or(&[][..], |rubric| &rubric.criteria);
    let mut written = vec![
        of_criteria(criteria),
        of_queries(tables.queries),
        of_responses(tables.responses),
    ];
    written.extend(tables.verdicts.map(of_verdicts));
    written.extend(tables.labels.map(of_labels));
    written
}

fn text(text: &str) -> ByteArray {
    ByteArray::from(text.as_bytes().to_vec())
}

fn texts(values: &[String]) -> Vec<ByteArray> {
    values.iter().map(|value| text(value)).collect()
}

fn some(value: Option<&String>) -> Option<ByteArray> {
    value.map(|value| text(value))
}

/// The part of each message that a key names.
fn parts(turns: &[Turn], key: usize) -> Vec<ByteArray> {
    let part = |turn: &Turn| text(if key == 0 { &turn.role } else { &turn.text });
    turns.iter().map(part).collect()
}

fn of_criteria(rows: &[Criterion]) -> HubTable {
    let levels = |criterion: &Criterion| -> Vec<f64> {
        let count = criterion.scale.level_count() as u8;
        (0..count).map(|level| criterion.scale.value(level)).collect()
    };
    let columns = [
        ("criterion", Cells::Text(&|at| text(&rows[at].id))),
        ("query", Cells::OptionalText(&|at| some(rows[at].query.as_ref()))),
        ("question", Cells::Text(&|at| text(&rows[at].question))),
        ("weight", Cells::Number(&|at| rows[at].weight)),
        ("tags", Cells::Texts(&|at| texts(&rows[at].tags))),
        ("levels", Cells::Numbers(&|at| levels(&rows[at]))),
        ("gate", Cells::Flag(&|at| rows[at].gate)),
        ("monitor", Cells::Flag(&|at| rows[at].monitor)),
        (
            "pass_example",
            Cells::OptionalText(&|at| some(rows[at].pass_example.as_ref())),
        ),
        (
            "fail_example",
            Cells::OptionalText(&|at| some(rows[at].fail_example.as_ref())),
        ),
        ("boundary", Cells::OptionalText(&|at| some(rows[at].boundary.as_ref()))),
        ("harm", Cells::OptionalText(&|at| some(rows[at].harm.as_ref()))),
        (
            "check",
            Cells::OptionalText(&|at| rows[at].check.as_ref().map(|check| text(&check.to_string()))),
        ),
    ];
    HubTable {
        name: "criteria",
        told: "a condition that responses meet or not, with its weight; below 0 it is a penalty",
        rows: rows.len(),
        bytes: table(rows.len(), &columns),
    }
}

fn of_queries(rows: &[Query]) -> HubTable {
    let columns = [
        ("query", Cells::Text(&|at| text(&rows[at].query))),
        (
            "messages",
            Cells::Objects(&MESSAGE, &|at, key| parts(&rows[at].turns(), key)),
        ),
        (
            "task_type",
            Cells::OptionalText(&|at| some(rows[at].task_type.as_ref())),
        ),
        ("domain", Cells::OptionalText(&|at| some(rows[at].domain.as_ref()))),
        ("tags", Cells::Texts(&|at| texts(&rows[at].tags))),
        ("weight", Cells::Number(&|at| rows[at].weight)),
        ("cluster", Cells::OptionalText(&|at| some(rows[at].cluster.as_ref()))),
    ];
    HubTable {
        name: "queries",
        told: "a prompt that systems answer",
        rows: rows.len(),
        bytes: table(rows.len(), &columns),
    }
}

fn of_responses(rows: &[Response]) -> HubTable {
    let columns = [
        ("system", Cells::Text(&|at| text(&rows[at].system))),
        ("query", Cells::Text(&|at| text(&rows[at].query))),
        ("sample", Cells::Text(&|at| text(&rows[at].sample))),
        ("response", Cells::Text(&|at| text(&rows[at].text()))),
        (
            "messages",
            Cells::Objects(&MESSAGE, &|at, key| parts(&rows[at].turns(), key)),
        ),
    ];
    HubTable {
        name: "responses",
        told: "an answer of a system to a query; `sample` tells its answers to one query apart",
        rows: rows.len(),
        bytes: table(rows.len(), &columns),
    }
}

/// The value of a level, where there is one.
fn value(scale: &Scale, level: Option<u8>) -> Option<f64> {
    level.map(|level| scale.value(level))
}

fn of_verdicts(verdicts: &Verdicts) -> HubTable {
    let item = |at: usize| verdicts.items()[verdicts.row(at).item as usize];
    let columns = [
        (
            "system",
            Cells::Text(&|at| text(verdicts.systems().get(verdicts.row(at).system))),
        ),
        ("query", Cells::Text(&|at| text(verdicts.queries().get(item(at).query)))),
        (
            "sample",
            Cells::Text(&|at| text(verdicts.samples().get(verdicts.row(at).sample))),
        ),
        (
            "criterion",
            Cells::Text(&|at| text(verdicts.criteria().get(item(at).criterion))),
        ),
        (
            "judge",
            Cells::Text(&|at| text(verdicts.judges().get(verdicts.row(at).judge))),
        ),
        ("repeat", Cells::Whole(&|at| i32::from(verdicts.row(at).repeat))),
        (
            "label",
            Cells::OptionalNumber(&|at| value(verdicts.scale(item(at).criterion), verdicts.row(at).level)),
        ),
        ("status", Cells::Text(&|at| text(verdicts.row(at).status.as_str()))),
    ];
    HubTable {
        name: "verdicts",
        told: "what one judge said of one criterion of one response",
        rows: verdicts.len(),
        bytes: table(verdicts.len(), &columns),
    }
}

fn of_labels(labels: &Labels) -> HubTable {
    let cells: Vec<_> = labels.all_cells().collect();
    let level = |at: usize| match cells[at].1.label {
        CellLabel::Level(level) => Some(level),
        CellLabel::None(_) => None,
    };
    let status = |at: usize| match cells[at].1.label {
        CellLabel::Level(_) => Status::Ok,
        CellLabel::None(status) => status,
    };
    let columns = [
        (
            "system",
            Cells::Text(&|at| text(labels.systems.get(cells[at].1.system))),
        ),
        ("query", Cells::Text(&|at| text(labels.query(cells[at].0)))),
        (
            "sample",
            Cells::Text(&|at| text(labels.samples.get(cells[at].1.sample))),
        ),
        ("criterion", Cells::Text(&|at| text(labels.criterion(cells[at].0)))),
        (
            "label",
            Cells::OptionalNumber(&|at| value(labels.scale(cells[at].0), level(at))),
        ),
        ("status", Cells::Text(&|at| text(status(at).as_str()))),
        ("judges", Cells::Whole(&|at| i32::from(cells[at].1.judges))),
        ("agreeing", Cells::Whole(&|at| i32::from(cells[at].1.agreeing))),
        ("agreement", Cells::Text(&|at| text(cells[at].1.agreement.word()))),
    ];
    HubTable {
        name: "labels",
        told: "what a panel of judges comes to on one criterion of one response",
        rows: cells.len(),
        bytes: table(cells.len(), &columns),
    }
}

//! Which criteria the panel applies alike.

use calibrant_schema::artifact::Pool;
use calibrant_schema::calibration::{CriterionRow, SweepRow};
use calibrant_schema::{Calibration, Rubric, Undefined};

use crate::document::{Block, Cell, Column, Form, HELD, Section, Table};
use crate::figure;
use crate::inputs::Inputs;
use crate::number::{count, counted, percent, threshold};
use crate::text::Text;

use super::questions::Questions;
use super::{drawn, drawn_over};

pub(super) fn section(inputs: &Inputs<'_>) -> Section {
    let calibration = inputs.calibration;
    let mut blocks = Vec::new();
    if let Some(banner) = banner(calibration.panel.most_judges) {
        blocks.push(Block::Paragraph(Text::prose(banner)));
    }
    blocks.push(Block::Facts(facts(calibration)));
    blocks.extend(drawn(inputs, || figure::measurability(calibration)));
    if !calibration.sweep.is_empty() {
        blocks.push(drawn_over(
            inputs,
            || sweep(&calibration.sweep),
            |table| figure::sweep(calibration, table),
        ));
    }
    if !calibration.criteria.is_empty() {
        blocks.push(Block::Table(least(calibration, inputs.rubric)));
    }
    Section {
        id: "measurability",
        title: "Measurability",
        blocks,
    }
}

/// What fewer than three judges cannot show (METHODS 64).
pub(crate) fn banner(judges: usize) -> Option<&'static str> {
    match judges {
        0 | 1 => Some(
            "One judge cannot disagree with anybody: whether a criterion is measurable cannot be told from these verdicts.",
        ),
        2 => Some(
            "With two judges unanimity is pairwise agreement: there is no independent rubric-level signal below. A third \
             judge would give one.",
        ),
        _ => None,
    }
}

/// The panel in numbers.
pub(crate) fn facts(calibration: &Calibration) -> Vec<(&'static str, Text)> {
    let rows = &calibration.criteria;
    let kept = rows.iter().filter(|row| row.kept).count();
    let noun = match calibration.pool {
        Pool::Item => ("item", "items"),
        Pool::Criterion => ("criterion", "criteria"),
    };
    let (agreed, units) = rows
        .iter()
        .fold((0, 0), |(agreed, units), row| (agreed + row.agreed, units + row.units));
    let units = usize::try_from(units).unwrap_or(usize::MAX);
    let mut facts = vec![
        (
            "Kept",
            Text::prose(&format!("{} of {}", count(kept), counted(rows.len(), noun.0, noun.1))),
        ),
        ("Threshold", Text::prose(&threshold(calibration.threshold))),
        ("Estimated per", Text::prose(calibration.pool.word())),
        (
            "Prior",
            Text::prose(&format!(
                "Beta({}, {})",
                short(calibration.prior.alpha),
                short(calibration.prior.beta)
            )),
        ),
    ];
    let share = if units == 0 {
        None
    } else {
        percent(agreed as f64 / units as f64)
    };
    facts.push(match share {
        Some(share) => (
            "Panel unanimous",
            Text::prose(&format!("on {share} of {} units with two or more judges", count(units))),
        ),
        None => ("Panel unanimous", Text::prose("– (no unit has two judges)")),
    });
    if !calibration.panel.agreement.is_empty() {
        let cells: Vec<String> = calibration
            .panel
            .agreement
            .iter()
            .map(|(how, cells)| format!("{how} {}", count(*cells)))
            .collect();
        facts.push(("Cells by agreement", Text::prose(&cells.join(", "))));
    }
    if !calibration.panel.statuses.is_empty() {
        let statuses: Vec<String> = calibration
            .panel
            .statuses
            .iter()
            .map(|(status, rows)| format!("{status} {}", count(*rows)))
            .collect();
        facts.push(("Verdicts by status", Text::prose(&statuses.join(", "))));
    }
    facts
}

/// What each threshold keeps.
pub(crate) fn sweep(rows: &[SweepRow]) -> Table {
    let columns = vec![
        Column::number("Threshold"),
        Column::number("Kept"),
        Column::number("Cells kept"),
        Column::number("Kappa between judges"),
        Column::number("Held-out kappa"),
        Column::words("Held out"),
    ];
    let mut table = Table::new("What each threshold keeps", "calibration.json", columns);
    for row in rows.iter().take(HELD) {
        let cells = vec![
            Cell::Number {
                value: threshold(row.threshold),
                interval: None,
                mark: None,
            },
            Cell::count(row.kept),
            table.number(row.coverage, Form::Percent, None),
            table.number(
                row.pairwise_kappa,
                Form::Decimal(3),
                row.pairwise_kappa_undefined.as_ref(),
            ),
            table.number(
                row.held_out_kappa,
                Form::Decimal(3),
                row.held_out_kappa_undefined.as_ref(),
            ),
            Cell::words(row.held_out.as_deref().unwrap_or("nothing")),
        ];
        table.push(cells);
    }
    table.total = rows.len();
    table.remarks.push(Text::prose(
        "Kappa between judges is taken on the verdicts that chose the criteria, so it is too high for high thresholds; the \
         held-out kappa is not.",
    ));
    table
}

/// The rows from the least measurable on; ties by query and criterion.
pub(crate) fn weakest(calibration: &Calibration) -> Vec<&CriterionRow> {
    let mut rows: Vec<&CriterionRow> = calibration.criteria.iter().collect();
    rows.sort_by(|x, y| {
        let known = |row: &CriterionRow| row.measurability.unwrap_or(f64::INFINITY);
        known(x)
            .total_cmp(&known(y))
            .then_with(|| (&x.query, &x.criterion).cmp(&(&y.query, &y.criterion)))
    });
    rows
}

/// Letters of a question in this table; the rubric has them whole.
const QUESTION: usize = 240;

/// The criteria, the least measurable first.
pub(crate) fn least(calibration: &Calibration, rubric: Option<&Rubric>) -> Table {
    let questions = Questions::of(rubric);
    let with_query = calibration.criteria.iter().any(|row| row.query.is_some());
    let mut columns = vec![Column::number("No."), Column::name("Criterion")];
    if with_query {
        columns.push(Column::words("Query"));
    }
    columns.extend(["Measurability", "Units", "Agreed", "Prevalence"].map(Column::number));
    columns.push(Column::words("Kept"));
    let mut table = Table::new("Least measurable first", "calibration.json", columns);
    let no_label = Undefined::new("no_label", "the criterion has no labelled cell");
    for (place, row) in weakest(calibration).into_iter().enumerate().take(HELD) {
        let question = questions.of_item(row.query.as_deref(), &row.criterion);
        let mut cells = vec![
            Cell::count(place + 1),
            Cell::Criterion {
                id: Text::id(&row.criterion),
                question: question.map(|question| Text::short_prose(question, QUESTION)),
            },
        ];
        if with_query {
            cells.push(Cell::id(row.query.as_deref().unwrap_or("all")));
        }
        let ends = (row.measurability_low, row.measurability_high);
        cells.extend([
            table.with_interval(
                row.measurability,
                ends,
                Form::Decimal(3),
                row.measurability_undefined.as_ref(),
            ),
            Cell::Number {
                value: row.units.to_string(),
                interval: None,
                mark: None,
            },
            Cell::Number {
                value: row.agreed.to_string(),
                interval: None,
                mark: None,
            },
            table.number(row.prevalence, Form::Percent, Some(&no_label)),
            Cell::words(if row.kept { "yes" } else { "no" }),
        ]);
        table.push(cells);
    }
    table.total = calibration.criteria.len();
    table.remarks.push(Text::prose(
        "Measurability: posterior that the whole panel gives one label, with its 95 % interval. Agreement is cheap where prevalence \
         is near 0 or 100 %.",
    ));
    table
}

fn short(value: f64) -> String {
    if value.is_finite() {
        value.to_string()
    } else {
        "–".to_owned()
    }
}

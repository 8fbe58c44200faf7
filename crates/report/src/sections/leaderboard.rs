//! Systems with scores, abilities, intervals and tiers.

use calibrant_schema::Scores;
use calibrant_schema::scores::SystemScore;

use crate::document::{Block, Cell, Column, Form, HELD, Section, Table};
use crate::figure;
use crate::inputs::Inputs;
use crate::text::Text;

use super::drawn;

type Value = fn(&SystemScore) -> Option<f64>;

/// A number of the leaderboard: its head, its field in `scores.json`, and where its interval is.
struct Measure {
    head: &'static str,
    field: &'static str,
    form: Form,
    value: Value,
    ends: Option<(Value, Value)>,
}

/// Decimals: a score moves by thousandths; an ability has an error of about a tenth.
const MEASURES: [Measure; 7] = [
    Measure {
        head: "Ability",
        field: "ability",
        form: Form::Decimal(2),
        value: |row| row.ability,
        ends: Some((|row| row.ability_low, |row| row.ability_high)),
    },
    Measure {
        head: "Score",
        field: "score",
        form: Form::Decimal(3),
        value: |row| row.score,
        ends: Some((|row| row.score_low, |row| row.score_high)),
    },
    Measure {
        head: "Information score",
        field: "information_score",
        form: Form::Decimal(3),
        value: |row| row.information_score,
        ends: None,
    },
    Measure {
        head: "Bank score",
        field: "bank_score",
        form: Form::Decimal(3),
        value: |row| row.bank_score,
        ends: None,
    },
    Measure {
        head: "Bank ability",
        field: "bank_ability",
        form: Form::Decimal(2),
        value: |row| row.bank_ability,
        ends: Some((|row| row.bank_ability_low, |row| row.bank_ability_high)),
    },
    Measure {
        head: "Pass rate",
        field: "pass_rate",
        form: Form::Percent,
        value: |row| row.pass_rate,
        ends: None,
    },
    Measure {
        head: "All met",
        field: "pass_rate_all",
        form: Form::Percent,
        value: |row| row.pass_rate_all,
        ends: None,
    },
];

pub(super) fn section(inputs: &Inputs<'_>) -> Section {
    let scores = inputs.scores;
    let mut blocks: Vec<Block> = drawn(inputs, || figure::leaderboard(scores)).into_iter().collect();
    blocks.push(Block::Table(table(scores)));
    blocks.extend(rule(scores));
    Section {
        id: "leaderboard",
        title: "Leaderboard",
        blocks,
    }
}

/// The rule by which a response passes.
pub(crate) fn rule(scores: &Scores) -> Option<Block> {
    let roll_up = scores.roll_up.as_ref()?;
    let reason = roll_up.reason.as_deref().unwrap_or("no reason was written down");
    Some(Block::Paragraph(Text::prose(&format!(
        "A response passes by this rule: {}. Why this rule: {reason}.",
        roll_up.rule.trim_end_matches('.')
    ))))
}

/// The systems, the best tier first.
pub(crate) fn table(scores: &Scores) -> Table {
    let measures: Vec<&Measure> = MEASURES
        .iter()
        .filter(|measure| scores.systems.iter().any(|row| is_there((measure.value)(row))))
        .collect();
    let gates = scores.systems.iter().any(|row| row.gates_failed > 0);
    let mut table = Table::new(
        "Systems by ability, the best tier first",
        "scores.json",
        columns(&measures, gates),
    );
    let mut tier = scores.systems.first().and_then(|row| row.tier);
    for row in scores.systems.iter().take(HELD) {
        let cells = cells(&mut table, scores, row, &measures, gates);
        table.push(cells);
        if row.tier != tier {
            tier = row.tier;
            table.rows.last_mut().expect("a row was just pushed").starts_band = true;
        }
    }
    table.total = scores.systems.len();
    table.remarks = remarks(scores);
    table
}

fn columns(measures: &[&Measure], gates: bool) -> Vec<Column> {
    let mut columns = vec![Column::number("Tier"), Column::name("System")];
    columns.extend(measures.iter().map(|measure| Column::number(measure.head)));
    columns.push(Column::number("Coverage"));
    if gates {
        columns.push(Column::number("Gate failures"));
    }
    columns
}

fn cells(table: &mut Table, scores: &Scores, row: &SystemScore, measures: &[&Measure], gates: bool) -> Vec<Cell> {
    let tier = row.tier.map(f64::from);
    let tier_reason = row.undefined.get("tier").or(scores.tiers_undefined.as_ref());
    let mut cells = vec![table.number(tier, Form::Decimal(0), tier_reason), Cell::id(&row.system)];
    cells.extend(measures.iter().map(|measure| cell(table, scores, row, measure)));
    cells.push(table.number(Some(row.coverage), Form::Percent, None));
    if gates {
        cells.push(Cell::count(row.gates_failed));
    }
    cells
}

fn cell(table: &mut Table, scores: &Scores, row: &SystemScore, measure: &Measure) -> Cell {
    let value = (measure.value)(row);
    let Some((low, high)) = measure.ends else {
        return table.number(value, measure.form, row.undefined.get(measure.field));
    };
    let whole = if measure.field == "score" {
        &scores.interval.score
    } else {
        &scores.interval.ability
    };
    let interval_reason = ["_low", "_high"]
        .iter()
        .find_map(|end| row.undefined.get(&format!("{}{end}", measure.field)))
        .or(whole.undefined.as_ref());
    let reason = if is_there(value) {
        interval_reason
    } else {
        row.undefined.get(measure.field)
    };
    table.with_interval(value, (low(row), high(row)), measure.form, reason)
}

/// What the columns mean, and why some are not there.
fn remarks(scores: &Scores) -> Vec<Text> {
    let mut remarks = vec![
        Text::prose(match scores.tier_rule.as_str() {
            "anchored" => "No system of a tier is told apart from the tier's first: do not read the order below it.",
            _ => {
                "Neighbours inside a tier are not told apart: do not read their order. Systems further apart in one tier may be; \
                 --tiers anchored ends a tier where the first system is told apart."
            }
        }),
        Text::prose(
            "Score: share of criteria met, the author's weights, \
         0 to 1. Information score: the same with each item's information as its weight. Ability: position on the \
         latent scale of the item response model, about 0 for an average system. Coverage: share of the cells \
         asked for that carry a label.",
        ),
    ];
    if scores
        .systems
        .iter()
        .any(|row| is_there(row.bank_score) || is_there(row.bank_ability))
    {
        remarks.push(Text::prose(
            "Bank score and bank ability use only the criteria of the bank; the score weighs them by information, alike for a consensus bank.",
        ));
    }
    if scores.systems.iter().any(|row| is_there(row.pass_rate_all)) {
        remarks.push(Text::prose("All met: share of responses that meet every criterion."));
    }
    if scores.systems.iter().any(|row| row.gates_failed > 0) {
        remarks.push(Text::prose(
            "Gate failures: responses that fail a criterion that must be met.",
        ));
    }
    for measure in &MEASURES {
        let absent = scores.systems.iter().all(|row| !is_there((measure.value)(row)));
        let reason = scores.systems.iter().find_map(|row| row.undefined.get(measure.field));
        if let (true, Some(reason)) = (absent, reason) {
            remarks.push(Text::prose(&format!(
                "No column “{}”: {}.",
                measure.head, reason.detail
            )));
        }
    }
    remarks
}

fn is_there(value: Option<f64>) -> bool {
    value.is_some_and(f64::is_finite)
}

//! The leaderboard for a terminal.

use calibrant_schema::Scores;
use calibrant_schema::scores::SystemScore;

use crate::number::{decimal, percent};

use super::columns::{Column, table};
use super::{Style, id, prose};

/// Characters of a system id shown in a terminal.
const LONGEST_SYSTEM: usize = 30;

type Value = fn(&SystemScore) -> Option<f64>;

/// The leaderboard as plain text: place, tier, system, score and ability with intervals, the bank's columns, coverage.
///
/// One line a system in the artifact's order. A number that is undefined is `-`, and the reasons follow below the
/// table. Columns that do not fit the width are left out and named.
#[must_use]
pub fn leaderboard_text(scores: &Scores, style: Style) -> String {
    let mut text = table(columns(scores), style.width);
    for reason in reasons(scores) {
        text.push_str(&format!("undefined (-): {reason}\n"));
    }
    text
}

fn columns(scores: &Scores) -> Vec<Column> {
    let rows = &scores.systems;
    let each = |cell: &dyn Fn(usize, &SystemScore) -> String| -> Vec<String> {
        rows.iter().enumerate().map(|(place, row)| cell(place, row)).collect()
    };
    let has = |value: Value| rows.iter().any(|row| value(row).is_some_and(f64::is_finite));
    if rows.iter().all(|row| row.score.is_none() && row.ability.is_none()) {
        return new_systems(rows);
    }
    let mut columns = vec![
        Column::number("rank", 3, each(&|place, _| (place + 1).to_string())),
        Column::number(
            "tier",
            0,
            each(&|_, row| row.tier.map_or_else(dash, |tier| tier.to_string())),
        ),
        Column::words("system", 0, each(&|_, row| id(&row.system, LONGEST_SYSTEM))),
        Column::number("score", 0, each(&|_, row| number(row.score, 3))),
        Column::number(
            "score 95 %",
            4,
            each(&|_, row| interval(row.score_low, row.score_high, 3)),
        ),
        Column::number("ability", 0, each(&|_, row| number(row.ability, 2))),
        Column::number(
            "ability 95 %",
            2,
            each(&|_, row| interval(row.ability_low, row.ability_high, 2)),
        ),
    ];
    if has(|row| row.bank_score) {
        columns.push(Column::number(
            "bank score",
            6,
            each(&|_, row| number(row.bank_score, 3)),
        ));
    }
    if has(|row| row.bank_ability) {
        columns.push(Column::number(
            "bank ability",
            7,
            each(&|_, row| number(row.bank_ability, 2)),
        ));
    }
    if has(|row| row.pass_rate) {
        columns.push(Column::number(
            "passed",
            1,
            each(&|_, row| row.pass_rate.and_then(percent).unwrap_or_else(dash)),
        ));
    }
    columns.push(Column::number(
        "coverage",
        5,
        each(&|_, row| percent(row.coverage).unwrap_or_else(dash)),
    ));
    columns
}

/// New systems on a bank: there is nothing over a pool to show.
fn new_systems(rows: &[SystemScore]) -> Vec<Column> {
    let each = |cell: &dyn Fn(&SystemScore) -> String| -> Vec<String> { rows.iter().map(cell).collect() };
    vec![
        Column::words("system", 0, each(&|row| id(&row.system, LONGEST_SYSTEM))),
        Column::number("bank score", 0, each(&|row| number(row.bank_score, 3))),
        Column::number("bank ability", 0, each(&|row| number(row.bank_ability, 2))),
        Column::number(
            "95 %",
            1,
            each(&|row| interval(row.bank_ability_low, row.bank_ability_high, 2)),
        ),
        Column::number("coverage", 2, each(&|row| percent(row.coverage).unwrap_or_else(dash))),
    ]
}

/// Why numbers of the table are missing, each reason once, in the order of the table.
fn reasons(scores: &Scores) -> Vec<String> {
    let shown = [
        "score",
        "score_low",
        "ability",
        "ability_low",
        "bank_score",
        "bank_ability",
        "tier",
    ];
    let of_rows = scores
        .systems
        .iter()
        .flat_map(|row| shown.iter().filter_map(|field| row.undefined.get(*field)));
    let of_all = [
        &scores.interval.score.undefined,
        &scores.interval.ability.undefined,
        &scores.tiers_undefined,
    ]
    .into_iter()
    .flatten();
    let mut reasons = Vec::new();
    for undefined in of_rows.chain(of_all) {
        let reason = prose(&undefined.detail);
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

fn number(value: Option<f64>, places: usize) -> String {
    value.and_then(|value| decimal(value, places)).unwrap_or_else(dash)
}

fn interval(low: Option<f64>, high: Option<f64>, places: usize) -> String {
    let ends = low
        .and_then(|low| decimal(low, places))
        .zip(high.and_then(|high| decimal(high, places)));
    ends.map_or_else(String::new, |(low, high)| format!("[{low}, {high}]"))
}

fn dash() -> String {
    "-".to_owned()
}

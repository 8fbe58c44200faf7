//! What `calibrate`, `fit` and `assemble` say about their results.

use calibrant_schema::artifact::Pool;
use calibrant_schema::calibration::CriterionRow;
use calibrant_schema::{Bank, Calibration, Fit, Undefined};

use crate::number::{count, counted, decimal, percent, threshold};
use crate::sections::{guarantee, weakest};

use super::columns::{Column, table};
use super::{Style, id, prose};

/// Characters of an id shown in a terminal.
const LONGEST_ID: usize = 28;
/// Criteria listed as the least measurable.
const WEAKEST: usize = 5;
/// Rows of the bank that are listed.
const FIRST: usize = 10;

/// The calibration in short: counts, what is kept, the sweep of thresholds, the five weakest criteria, and attrition.
#[must_use]
pub fn calibration_text(calibration: &Calibration, style: Style) -> String {
    let panel = &calibration.panel;
    let kept = calibration.criteria.iter().filter(|row| row.kept).count();
    let what = match calibration.pool {
        Pool::Item => counted(calibration.criteria.len(), "item", "items"),
        Pool::Criterion => counted(calibration.criteria.len(), "criterion", "criteria"),
    };
    let measured = calibration.criteria.iter().any(|row| row.measurability.is_some());
    let mut text = format!(
        "{}: {}, {}, {}\n",
        counted(panel.verdicts, "verdict", "verdicts"),
        counted(panel.systems, "system", "systems"),
        counted(panel.items, "item", "items"),
        counted(panel.judges, "judge", "judges"),
    );
    if !measured {
        text.push_str(&format!(
            "measurability of {what} is undefined: no unit has two judges\n"
        ));
        return text;
    }
    text.push_str(&format!(
        "kept {} of {what} at measurability {}\n",
        count(kept),
        threshold(calibration.threshold)
    ));
    text.push_str(&attrition_line(calibration));
    if !calibration.sweep.is_empty() {
        text.push('\n');
        text.push_str(&table(sweep_columns(calibration), style.width));
    }
    let weakest: Vec<&CriterionRow> = weakest(calibration).into_iter().take(WEAKEST).collect();
    if !weakest.is_empty() {
        text.push_str("\nleast measurable\n");
        text.push_str(&table(criterion_columns(&weakest), style.width));
    }
    text
}

fn attrition_line(calibration: &Calibration) -> String {
    let Some(last) = calibration.attrition.last() else {
        let reason = why(calibration.attrition_fit.geometric_undefined.as_ref());
        return format!("attrition of unanimity is undefined: {reason}\n");
    };
    let fit = &calibration.attrition_fit;
    let rate = match (&fit.geometric, &fit.geometric_undefined) {
        (Some(geometric), _) => format!("{} a system", number(Some(geometric.rho), 3)),
        (None, reason) => format!("undefined ({})", why(reason.as_ref())),
    };
    format!(
        "unanimous on {}: {} of {}; rate {rate}\n",
        if last.systems == 1 {
            "the one system".to_owned()
        } else {
            format!("all {} systems", last.systems)
        },
        percent(last.retention).unwrap_or_else(dash),
        counted(last.items, "item", "items")
    )
}

fn sweep_columns(calibration: &Calibration) -> Vec<Column> {
    let rows = &calibration.sweep;
    vec![
        Column::number(
            "threshold",
            0,
            rows.iter().map(|row| threshold(row.threshold)).collect(),
        ),
        Column::number("kept", 0, rows.iter().map(|row| count(row.kept)).collect()),
        Column::number(
            "cells",
            1,
            rows.iter()
                .map(|row| row.coverage.and_then(percent).unwrap_or_else(dash))
                .collect(),
        ),
        Column::number(
            "kappa (in sample)",
            0,
            rows.iter().map(|row| number(row.pairwise_kappa, 3)).collect(),
        ),
        Column::number(
            "kappa (held out)",
            0,
            rows.iter().map(|row| number(row.held_out_kappa, 3)).collect(),
        ),
        Column::words(
            "held out",
            2,
            rows.iter()
                .map(|row| id(row.held_out.as_deref().unwrap_or("-"), LONGEST_ID))
                .collect(),
        ),
    ]
}

fn criterion_columns(rows: &[&CriterionRow]) -> Vec<Column> {
    let interval = |row: &&CriterionRow| {
        format!(
            "[{}, {}]",
            number(row.measurability_low, 2),
            number(row.measurability_high, 2)
        )
    };
    let mut columns = vec![
        Column::number("no.", 0, (1..=rows.len()).map(|place| place.to_string()).collect()),
        Column::words(
            "criterion",
            0,
            rows.iter().map(|row| id(&row.criterion, LONGEST_ID)).collect(),
        ),
    ];
    if rows.iter().any(|row| row.query.is_some()) {
        let queries = rows.iter().map(|row| {
            row.query
                .as_deref()
                .map_or_else(|| "all".to_owned(), |query| id(query, LONGEST_ID))
        });
        columns.push(Column::words("query", 3, queries.collect()));
    }
    columns.extend([
        Column::number(
            "measurability",
            0,
            rows.iter().map(|row| number(row.measurability, 3)).collect(),
        ),
        Column::number("", 1, rows.iter().map(interval).collect()),
        Column::number(
            "agreed",
            2,
            rows.iter()
                .map(|row| format!("{} of {}", row.agreed, row.units))
                .collect(),
        ),
        Column::number(
            "prevalence",
            4,
            rows.iter()
                .map(|row| row.prevalence.and_then(percent).unwrap_or_else(dash))
                .collect(),
        ),
    ]);
    columns
}

/// The fit in short: model, items, how it stopped, the comparison of models, and the items left out.
#[must_use]
pub fn fit_text(fit: &Fit) -> String {
    let screened = fit.items.iter().filter(|item| item.screened_out).count();
    let state = if fit.convergence.converged {
        "converged"
    } else {
        "NOT converged"
    };
    let gain = fit
        .comparison
        .gain_per_parameter
        .map_or_else(dash, |gain| number(Some(gain), 3));
    format!(
        "{} over {} and {}: {state} after {}, gradient {:.1e}\n\
         log posterior {}, log-likelihood {}\n\
         2PL gains {} over 1PL, {gain} a parameter; AIC prefers {}, BIC {} (responses) and {} (systems)\n\
         left out: {}; kept out of banks by the screen: {}\n",
        fit.model.word(),
        counted(fit.items.len(), "item", "items"),
        counted(fit.systems.len(), "system", "systems"),
        counted(fit.convergence.iterations, "iteration", "iterations"),
        fit.convergence.gradient,
        number(Some(fit.log_posterior), 4),
        number(Some(fit.log_likelihood), 4),
        number(Some(fit.comparison.gain), 2),
        fit.comparison.aic_prefers.word(),
        fit.comparison.bic_responses_prefers.word(),
        fit.comparison.bic_systems_prefers.word(),
        counted(fit.dropped.len(), "item", "items"),
        counted(screened, "item", "items"),
    )
}

/// The bank in short: size, threshold, utility, how near it is to the best of its size, and its first rows.
#[must_use]
pub fn bank_text(bank: &Bank, style: Style) -> String {
    let utility = match (bank.utility, &bank.utility_undefined) {
        (Some(utility), _) => number(Some(utility), 4),
        (None, reason) => format!("undefined ({})", why(reason.as_ref())),
    };
    let cut = match bank.threshold {
        Some(cut) => format!("measurability at least {}", threshold(cut)),
        None => "no measurability threshold acted".to_owned(),
    };
    let mut text = format!(
        "bank of {} (budget {}, {}), chosen from {} of {} by {}\n\
         {cut}; utility {utility}\ncertificate: {}\n",
        counted(bank.criteria.len(), "item", "items"),
        count(bank.budget),
        prose(&bank.budget_rule),
        count(bank.feasible),
        counted(bank.pool, "item", "items"),
        bank.method.word(),
        prose(&guarantee(bank)),
    );
    let rows = &bank.criteria[..bank.criteria.len().min(FIRST)];
    if rows.is_empty() {
        return text;
    }
    let columns = vec![
        Column::number("no.", 0, (1..=rows.len()).map(|place| place.to_string()).collect()),
        Column::words(
            "criterion",
            0,
            rows.iter().map(|row| id(&row.criterion, LONGEST_ID)).collect(),
        ),
        Column::words("query", 4, rows.iter().map(|row| id(&row.query, LONGEST_ID)).collect()),
        Column::number(
            "difficulty",
            1,
            rows.iter().map(|row| number(row.difficulty, 2)).collect(),
        ),
        Column::number(
            "discrimination",
            2,
            rows.iter().map(|row| number(row.discrimination, 2)).collect(),
        ),
        Column::number(
            "information",
            3,
            rows.iter().map(|row| number(row.information, 3)).collect(),
        ),
        Column::number("gain", 0, rows.iter().map(|row| number(row.gain, 4)).collect()),
    ];
    text.push('\n');
    text.push_str(&table(columns, style.width));
    if bank.criteria.len() > rows.len() {
        text.push_str(&format!(
            "and {} more in bank.json\n",
            count(bank.criteria.len() - rows.len())
        ));
    }
    text
}

fn number(value: Option<f64>, places: usize) -> String {
    value.and_then(|value| decimal(value, places)).unwrap_or_else(dash)
}

fn why(undefined: Option<&Undefined>) -> String {
    prose(undefined.map_or("no reason is recorded", |undefined| &undefined.detail))
}

fn dash() -> String {
    "-".to_owned()
}

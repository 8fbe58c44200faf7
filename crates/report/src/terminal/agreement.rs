//! Agreement for a terminal: each criterion with its prevalence, whole answers, what changed since an earlier round.

use calibrant_schema::Agreement;
use calibrant_schema::agreement::{
    Change, ChangeMethod, Coefficient, CoefficientRow, CriterionFacts, Figure, Intervals, Reading, Rounds, Scope,
    SizeRow,
};

use crate::number::{counted, decimal, percent};

use super::columns::{Column, table};
use super::{Style, id, prose};

/// Criteria, pairs and judges listed; the artifact has them all.
const LISTED: usize = 20;
/// Characters of a name shown in a terminal.
const LONGEST: usize = 28;

/// The agreement in short: a row a criterion, whole answers, pairs of judges, why kappas are low, test-retest and validity, and
/// the change since an earlier round. `-` where a number is missing, with the reasons below.
#[must_use]
pub fn agreement_text(agreement: &Agreement, style: Style) -> String {
    let mut text = opening(agreement);
    if agreement.judges.len() > 1 {
        text.push_str(&criteria(agreement, style));
        text.push_str(&whole_answers(agreement));
        text.push_str(&pooled(agreement));
        text.push_str(&pairs(agreement, style));
        text.push_str(&sizes(agreement, style));
        text.push_str(&readings(agreement));
    }
    text.push_str(&single_judges(agreement, style));
    if let Some(rounds) = &agreement.rounds {
        text.push_str(&rounds_text(rounds, style));
    }
    text
}

fn opening(agreement: &Agreement) -> String {
    let mut text = format!(
        "{}: {}, {} ({})\n",
        counted(size(agreement.responses), "response", "responses"),
        counted(agreement.criteria.len(), "criterion", "criteria"),
        counted(agreement.judges.len(), "judge", "judges"),
        names(&agreement.judges),
    );
    if !agreement.decided_by_code.is_empty() {
        text.push_str(&format!(
            "left out, decided by code: {}\n",
            names(&agreement.decided_by_code)
        ));
    }
    let mut missing: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
    for row in &agreement.without_label {
        *missing.entry(&row.status).or_default() += row.verdicts;
    }
    let (not_applicable, missing): (Vec<_>, Vec<_>) =
        missing.into_iter().partition(|(status, _)| *status == "not_applicable");
    for (status, verdicts) in not_applicable {
        text.push_str(&format!("{status}: {verdicts}, counted apart: no label\n"));
    }
    if !missing.is_empty() {
        let words: Vec<String> = missing
            .iter()
            .map(|(status, verdicts)| format!("{status} {verdicts}"))
            .collect();
        text.push_str(&format!("without a label, left out as missing: {}\n", words.join(", ")));
    }
    text
}

fn names(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(6).map(|name| id(name, LONGEST)).collect();
    if names.len() > shown.len() {
        shown.push(format!("and {} more", names.len() - shown.len()));
    }
    shown.join(", ")
}

/// A row a criterion: kappa beside prevalence and raw agreement, never one number for the rubric.
fn criteria(agreement: &Agreement, style: Style) -> String {
    let rows = &agreement.criteria[..agreement.criteria.len().min(LISTED)];
    let each = |cell: &dyn Fn(&CriterionFacts) -> String| -> Vec<String> { rows.iter().map(cell).collect() };
    let figure =
        |row: &CriterionFacts, coefficient| agreement.figure(Scope::Criterion, Some(&row.criterion), coefficient);
    let value = |coefficient: Coefficient| each(&|row| number(figure(row, coefficient), coefficient));
    let two = agreement.judges.len() == 2;
    let has = |coefficient| rows.iter().any(|row| figure(row, coefficient).is_some());
    let mut columns = vec![
        Column::words("criterion", 0, each(&|row| id(&row.criterion, LONGEST))),
        Column::number("units", 2, each(&|row| row.units.to_string())),
        Column::words("met, by judge", 0, each(&|row| prevalence(agreement, &row.criterion))),
        Column::number("raw", 0, value(Coefficient::RawAgreement)),
    ];
    if !two {
        columns.push(Column::number("unanimous", 6, value(Coefficient::Unanimity)));
    }
    columns.push(Column::number("by chance", 0, value(Coefficient::ChanceAgreement)));
    let shown: &[(&'static str, u8, Coefficient)] = match two {
        true => &[
            ("Cohen's kappa", 0, Coefficient::CohenKappa),
            ("Scott's pi", 0, Coefficient::ScottPi),
        ],
        false => &[("Fleiss' kappa", 0, Coefficient::FleissKappa)],
    };
    let further: &[(&'static str, u8, Coefficient)] = &[
        ("quadratic", 4, Coefficient::KappaQuadratic),
        ("alpha", 5, Coefficient::AlphaNominal),
        ("alpha (ordinal)", 3, Coefficient::AlphaOrdinal),
        ("alpha (interval)", 5, Coefficient::AlphaInterval),
        ("AC1", 5, Coefficient::Ac1),
        ("AC2", 8, Coefficient::Ac2),
        ("PABAK", 5, Coefficient::Pabak),
    ];
    for (head, give_up, coefficient) in shown.iter().chain(further) {
        if has(*coefficient) {
            columns.push(Column::number(head, *give_up, value(*coefficient)));
            if shown.last().is_some_and(|last| last.2 == *coefficient) {
                columns.push(Column::number(
                    "95 %",
                    1,
                    each(&|row| interval(figure(row, *coefficient))),
                ));
            }
        }
    }
    let mut text = format!("\n{}", table(columns, style.width));
    if agreement.criteria.len() > rows.len() {
        let more = agreement.criteria.len() - rows.len();
        text.push_str(&format!("and {more} more criteria in agreement.json\n"));
    }
    let method = match agreement.intervals {
        Intervals::Analytic => "from standard errors for large samples",
        Intervals::Bootstrap => "by drawing responses",
    };
    text.push_str(&format!(
        "intervals of shares are Wilson's, those of the others {method}\n"
    ));
    text.push_str(&undefined(&agreement.coefficients));
    text
}

/// Each distinct reason for a missing value, once.
fn undefined(rows: &[CoefficientRow]) -> String {
    let mut reasons: Vec<String> = Vec::new();
    for row in rows.iter().filter(|row| row.value.is_none()) {
        let reason = row
            .undefined
            .as_ref()
            .map_or("no reason is recorded", |undefined| &undefined.detail);
        let line = format!("undefined (-): {}\n", prose(reason));
        if !reasons.contains(&line) {
            reasons.push(line);
        }
    }
    reasons.concat()
}

/// `52.5 % / 60.0 %` for two judges, the lowest and the highest for more.
fn prevalence(agreement: &Agreement, criterion: &str) -> String {
    let rows = agreement.prevalence.iter().filter(|row| row.criterion == criterion);
    let shares: Vec<f64> = rows.filter_map(|row| row.prevalence).collect();
    let share = |value: f64| decimal(100.0 * value, 1).unwrap_or_else(dash);
    match shares.as_slice() {
        [] => dash(),
        [one] => format!("{} %", share(*one)),
        [first, second] => format!("{} / {} %", share(*first), share(*second)),
        more => {
            let (low, high) = more.iter().fold((1.0f64, 0.0f64), |(low, high), share| {
                (low.min(*share), high.max(*share))
            });
            format!("{} to {} %", share(low), share(high))
        }
    }
}

fn whole_answers(agreement: &Agreement) -> String {
    let precision = &agreement.precision;
    let Some(share) = precision.agreement else {
        let why = precision
            .undefined
            .as_ref()
            .map_or("no reason is recorded", |undefined| &undefined.detail);
        return format!("\nwhole answers: undefined, {}\n", prose(why));
    };
    let figure = match agreement.judges.len() {
        2 => Coefficient::RawAgreement,
        _ => Coefficient::Unanimity,
    };
    let row = agreement.figure(Scope::Response, None, figure);
    let alike = (share * precision.responses as f64).round();
    let mut text = format!(
        "\nwhole answers (all criteria alike): {alike} of {}, {} {}\n",
        precision.responses,
        percent(share).unwrap_or_else(dash),
        shares(row),
    );
    let beyond: Vec<String> = agreement
        .coefficients
        .iter()
        .filter(|row| row.scope == Scope::Response && row.coefficient.is_chance_corrected() && row.value.is_some())
        .map(|row| {
            let interval = interval(Some(row));
            format!(
                "{} {} {interval}",
                row.coefficient.name(),
                number(Some(row), row.coefficient)
            )
        })
        .collect();
    if agreement.criteria.len() > 1 && !beyond.is_empty() {
        text.push_str(&format!(
            "  beyond chance, over patterns of criteria: {}\n",
            beyond.join("; ")
        ));
    }
    // Where all or none agree the formula gives 0, and the interval above says what is known.
    if let Some(error) = precision.standard_error.filter(|error| *error > 0.0) {
        text.push_str(&format!(
            "  with {} responses the standard error is {} points; half of it takes {}, a quarter {}\n",
            precision.responses,
            decimal(100.0 * error, 1).unwrap_or_else(dash),
            precision.to_halve,
            precision.to_quarter,
        ));
    }
    text
}

/// For comparison with published figures, and never the headline.
fn pooled(agreement: &Agreement) -> String {
    let words: Vec<String> = agreement
        .coefficients
        .iter()
        .filter(|row| row.scope == Scope::Pooled && row.value.is_some())
        .map(|row| format!("{} {}", row.coefficient.name(), number(Some(row), row.coefficient)))
        .collect();
    match words.is_empty() {
        true => String::new(),
        false => format!(
            "\npooled over criteria, for comparison with published figures only: {}\n",
            words.join("; ")
        ),
    }
}

fn pairs(agreement: &Agreement, style: Style) -> String {
    let scope = match agreement.criteria.len() {
        1 => Scope::Criterion,
        _ => Scope::Pooled,
    };
    let rows: Vec<&CoefficientRow> = agreement
        .pairs
        .iter()
        .filter(|row| row.scope == scope && row.coefficient == Coefficient::RawAgreement)
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let shown = &rows[..rows.len().min(LISTED)];
    let each = |cell: &dyn Fn(&&CoefficientRow) -> String| -> Vec<String> { shown.iter().map(cell).collect() };
    let of = |row: &CoefficientRow, coefficient| {
        let found = agreement
            .pairs
            .iter()
            .find(|other| other.scope == scope && other.judges == row.judges && other.coefficient == coefficient);
        number(found, coefficient)
    };
    let mut columns = vec![
        Column::words("pair of judges", 0, each(&|row| names(&row.judges))),
        Column::number("units", 2, each(&|row| row.units.to_string())),
        Column::number("raw", 0, each(&|row| of(row, Coefficient::RawAgreement))),
        Column::number("Cohen's kappa", 0, each(&|row| of(row, Coefficient::CohenKappa))),
        Column::number("Scott's pi", 1, each(&|row| of(row, Coefficient::ScottPi))),
    ];
    if agreement
        .pairs
        .iter()
        .any(|row| row.coefficient == Coefficient::KappaQuadratic)
    {
        let quadratic = |row: &&CoefficientRow| of(row, Coefficient::KappaQuadratic);
        columns.push(Column::number("quadratic kappa", 1, each(&quadratic)));
    }
    let what = match scope {
        Scope::Pooled => ", over all criteria (each criterion in agreement.json)",
        _ => "",
    };
    let mut text = format!("\npairs of judges{what}\n{}", table(columns, style.width));
    if rows.len() > shown.len() {
        text.push_str(&format!(
            "and {} more pairs in agreement.json\n",
            rows.len() - shown.len()
        ));
    }
    text
}

/// Disagreements on graded criteria by how far apart they are and across which levels.
fn sizes(agreement: &Agreement, style: Style) -> String {
    if agreement.sizes.is_empty() {
        return String::new();
    }
    let shown = &agreement.sizes[..agreement.sizes.len().min(LISTED)];
    let each = |cell: &dyn Fn(&SizeRow) -> String| -> Vec<String> { shown.iter().map(cell).collect() };
    let kind = |row: &SizeRow| match row.size {
        0 => "alike".to_owned(),
        1 => "neighbours".to_owned(),
        size => format!("{size} apart"),
    };
    let levels = |row: &SizeRow| match row.size {
        0 => row.lower.to_string(),
        _ => format!("{} and {}", row.lower, row.higher),
    };
    let mut columns = Vec::new();
    if agreement
        .sizes
        .iter()
        .any(|row| row.criterion != agreement.sizes[0].criterion)
    {
        columns.push(Column::words("criterion", 0, each(&|row| id(&row.criterion, LONGEST))));
    }
    columns.extend([
        Column::words("labels", 0, each(&kind)),
        Column::words("levels", 0, each(&levels)),
        Column::number("pairs", 0, each(&|row| row.count.to_string())),
    ]);
    format!(
        "\npairs of labels by size and boundary\n{}",
        table(columns, style.width)
    )
}

/// The sentences about low kappas.
fn readings(agreement: &Agreement) -> String {
    let told: Vec<String> = agreement
        .readings
        .iter()
        .filter(|reading| reading.reading != Reading::NotLow)
        .take(LISTED)
        .map(|reading| format!("  {}\n", prose(&reading.sentence)))
        .collect();
    match told.is_empty() {
        true => String::new(),
        false => format!("\nlow kappa: poor judges, or a rare outcome?\n{}", told.concat()),
    }
}

/// Test-retest and validity, apart from agreement.
fn single_judges(agreement: &Agreement, style: Style) -> String {
    let mut text = String::new();
    if !agreement.repeats.is_empty() {
        text.push_str(&format!(
            "\ntest-retest: the same judge over its repeats. It is no evidence of validity: temperature 0 raises it alone\n{}",
            judge_table(&agreement.repeats, style)
        ));
    }
    if !agreement.validity.is_empty() {
        text.push_str(&format!(
            "\nvalidity: judges against trusted labels\n{}",
            judge_table(&agreement.validity, style)
        ));
        text.push_str(&undefined(&agreement.validity));
    }
    text
}

/// A judge, and the criterion; none where criteria are pooled.
type Key<'a> = (&'a str, Option<&'a str>);

/// A row for each judge and criterion, a column a figure.
fn judge_table(rows: &[CoefficientRow], style: Style) -> String {
    let mut keys: Vec<Key<'_>> = Vec::new();
    let mut figures: Vec<Coefficient> = Vec::new();
    for row in rows {
        let key = (row.judges.first().map_or("", String::as_str), row.criterion.as_deref());
        if !keys.contains(&key) {
            keys.push(key);
        }
        if !figures.contains(&row.coefficient) {
            figures.push(row.coefficient);
        }
    }
    let shown = &keys[..keys.len().min(LISTED)];
    let find = |key: &Key<'_>, coefficient| {
        rows.iter().find(|row| {
            row.judges.first().is_some_and(|judge| judge == key.0)
                && row.criterion.as_deref() == key.1
                && row.coefficient == coefficient
        })
    };
    let each = |cell: &dyn Fn(&Key<'_>) -> String| -> Vec<String> { shown.iter().map(cell).collect() };
    let most = |key: &Key<'_>| {
        let units = figures.iter().filter_map(|figure| Some(find(key, *figure)?.units));
        units.max().unwrap_or(0).to_string()
    };
    let mut columns = vec![
        Column::words("judge", 0, each(&|key| id(key.0, LONGEST))),
        Column::words(
            "criterion",
            0,
            each(&|key| key.1.map_or_else(|| "(pooled)".to_owned(), |name| id(name, LONGEST))),
        ),
        Column::number("units", 3, each(&most)),
    ];
    for (at, figure) in figures.iter().enumerate() {
        let cells = each(&|key| number(find(key, *figure), *figure));
        columns.push(Column::number(head(*figure), if at < 3 { 0 } else { at as u8 }, cells));
    }
    let mut text = table(columns, style.width);
    if keys.len() > shown.len() {
        text.push_str(&format!(
            "and {} more rows in agreement.json\n",
            keys.len() - shown.len()
        ));
    }
    text
}

/// A short head for a column.
fn head(coefficient: Coefficient) -> &'static str {
    match coefficient {
        Coefficient::RawAgreement => "raw",
        Coefficient::AlphaNominal => "alpha",
        Coefficient::AlphaOrdinal => "alpha (ordinal)",
        Coefficient::PassRateDifference => "met, less gold",
        Coefficient::Leniency => "leniency",
        other => other.name(),
    }
}

fn rounds_text(rounds: &Rounds, style: Style) -> String {
    let paired = rounds
        .changes
        .iter()
        .any(|change| change.method == ChangeMethod::Paired);
    let how = match (rounds.same_responses, paired) {
        (_, true) => "the same responses in both: compared in pairs, p by McNemar's exact test".to_owned(),
        (0, false) => "other responses: compared as independent".to_owned(),
        (same, false) => format!("{same} responses in both, not all: compared as independent"),
    };
    let rows: Vec<&Change> = rounds.changes.iter().take(LISTED).collect();
    let each = |cell: &dyn Fn(&Change) -> String| -> Vec<String> { rows.iter().map(|row| cell(row)).collect() };
    let over = |row: &Change| match &row.criterion {
        Some(criterion) => id(criterion, LONGEST),
        None => "whole answers".to_owned(),
    };
    let columns = vec![
        Column::words("over", 0, each(&over)),
        Column::words("figure", 0, each(&|row| row.coefficient.name().to_owned())),
        Column::number("earlier", 0, each(&|row| of_round(&row.earlier, row.coefficient))),
        Column::number("now", 0, each(&|row| of_round(&row.later, row.coefficient))),
        Column::number("change", 0, each(&difference)),
        Column::number("95 %", 1, each(&change_interval)),
        Column::number(
            "z",
            2,
            each(&|row| row.z.and_then(|z| decimal(z, 1)).unwrap_or_default()),
        ),
        Column::number("p", 2, each(&|row| row.p.map(p_value).unwrap_or_default())),
    ];
    let mut text = format!("\nsince the earlier round ({how})\n{}", table(columns, style.width));
    let mut reasons: Vec<String> = Vec::new();
    for undefined in rounds.changes.iter().filter_map(|change| change.undefined.as_ref()) {
        let line = format!("not compared: {}\n", prose(&undefined.detail));
        if !reasons.contains(&line) {
            reasons.push(line);
        }
    }
    text.push_str(&reasons.concat());
    text
}

fn of_round(figure: &Figure, coefficient: Coefficient) -> String {
    written(figure.value, coefficient)
}

fn difference(change: &Change) -> String {
    let Some(difference) = change.difference else {
        return dash();
    };
    let sign = if difference > 0.0 { "+" } else { "" };
    match change.coefficient.is_share() {
        true => format!("{sign}{} points", decimal(100.0 * difference, 1).unwrap_or_else(dash)),
        false => format!("{sign}{}", decimal(difference, 3).unwrap_or_else(dash)),
    }
}

fn change_interval(change: &Change) -> String {
    match (change.low, change.high) {
        (Some(low), Some(high)) if change.coefficient.is_share() => ends(100.0 * low, 100.0 * high, 1),
        (Some(low), Some(high)) => ends(low, high, 3),
        _ => String::new(),
    }
}

fn p_value(p: f64) -> String {
    match decimal(p, 3) {
        Some(shown) if shown == "0.000" => "< 0.001".to_owned(),
        Some(shown) => shown,
        None => dash(),
    }
}

fn number(row: Option<&CoefficientRow>, coefficient: Coefficient) -> String {
    written(row.and_then(|row| row.value), coefficient)
}

fn written(value: Option<f64>, coefficient: Coefficient) -> String {
    let shown = match coefficient.is_share() {
        true => value.and_then(percent),
        false => value.and_then(|value| decimal(value, 3)),
    };
    shown.unwrap_or_else(dash)
}

fn interval(row: Option<&CoefficientRow>) -> String {
    match row.and_then(|row| row.low.zip(row.high)) {
        Some((low, high)) => ends(low, high, 3),
        None => String::new(),
    }
}

fn shares(row: Option<&CoefficientRow>) -> String {
    match row.and_then(|row| row.low.zip(row.high)) {
        Some((low, high)) => format!(
            "[{}, {}]",
            percent(low).unwrap_or_else(dash),
            percent(high).unwrap_or_else(dash)
        ),
        None => String::new(),
    }
}

fn ends(low: f64, high: f64, places: usize) -> String {
    let end = |value| decimal(value, places).unwrap_or_else(dash);
    format!("[{}, {}]", end(low), end(high))
}

fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn dash() -> String {
    "-".to_owned()
}

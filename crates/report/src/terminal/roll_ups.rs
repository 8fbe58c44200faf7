//! Roll-up rules beside each other for a terminal.

use calibrant_schema::roll_ups::{GapRow, RollUpResponse, RollUps, RuleRow};

use crate::number::{counted, decimal, percent};

use super::columns::{Column, table};
use super::{Style, id, prose};

/// Responses listed for a gap; the artifact has them all.
const LISTED: usize = 60;
/// Characters of a name shown in a terminal.
const LONGEST: usize = 28;

/// Each rule with its pass rate, then for each two rules the gap between them and exactly the responses in it.
#[must_use]
pub fn roll_ups_text(roll_ups: &RollUps, style: Style) -> String {
    let rows = &roll_ups.rules;
    let each = |cell: &dyn Fn(&RuleRow) -> String| -> Vec<String> { rows.iter().map(cell).collect() };
    let mut columns = vec![
        Column::words("rule", 0, each(&|row| prose(&row.rule))),
        Column::number("passed", 0, each(&|row| row.passed.to_string())),
        Column::number("of", 0, each(&|row| (row.passed + row.failed).to_string())),
        Column::number("pass rate", 0, each(&|row| share(row.pass_rate))),
        Column::number("95 %", 1, each(&interval)),
    ];
    if rows.iter().any(|row| row.open > 0) {
        columns.push(Column::number("undecided", 2, each(&|row| row.open.to_string())));
    }
    columns.push(Column::words("passes when", 3, each(&|row| prose(&row.words))));
    let mut text = table(columns, style.width);
    if rows.iter().any(|row| row.open > 0) {
        text.push_str("undecided: a missing label could turn the outcome, or the rule says nothing of the response\n");
    }
    roll_ups.gaps.iter().for_each(|gap| gap_text(&mut text, gap, style));
    text
}

fn gap_text(text: &mut String, gap: &GapRow, style: Style) {
    let (stricter, looser) = (prose(&gap.stricter), prose(&gap.looser));
    let Some(points) = gap.gap.and_then(|gap| decimal(100.0 * gap, 1)) else {
        text.push_str(&format!("\n{stricter} and {looser} decide no response in common\n"));
        return;
    };
    let number = |responses: &[RollUpResponse]| counted(responses.len(), "response", "responses");
    let nesting = match gap.nested {
        true => format!(
            "what {stricter} passes {looser} passes too, so the gap is exactly the {} below",
            number(&gap.between)
        ),
        false => format!(
            "neither rule holds the other: {} pass {stricter} alone",
            number(&gap.against)
        ),
    };
    text.push_str(&format!(
        "\n{stricter} passes {} of {}, {looser} {}: a gap of {points} points\n{nesting}\n",
        gap.passed_stricter, gap.responses, gap.passed_looser
    ));
    listed(text, &format!("passes {looser}, not {stricter}"), &gap.between, style);
    listed(text, &format!("passes {stricter}, not {looser}"), &gap.against, style);
}

fn listed(text: &mut String, heading: &str, responses: &[RollUpResponse], style: Style) {
    if responses.is_empty() {
        return;
    }
    text.push_str(&format!("\n{heading}\n"));
    let shown = &responses[..responses.len().min(LISTED)];
    let each = |cell: &dyn Fn(&RollUpResponse) -> String| -> Vec<String> { shown.iter().map(cell).collect() };
    let mut columns = vec![
        Column::words("system", 0, each(&|row| id(&row.system, LONGEST))),
        Column::words("query", 0, each(&|row| id(&row.query, LONGEST))),
    ];
    if responses.iter().any(|row| row.sample != responses[0].sample) {
        columns.push(Column::words("sample", 0, each(&|row| id(&row.sample, LONGEST))));
    }
    let fails = |row: &RollUpResponse| {
        let names: Vec<String> = row.fails.iter().map(|criterion| id(criterion, LONGEST)).collect();
        names.join(", ")
    };
    columns.push(Column::words("fails", 1, each(&fails)));
    text.push_str(&table(columns, style.width));
    if responses.len() > shown.len() {
        text.push_str(&format!("and {} more with --json\n", responses.len() - shown.len()));
    }
}

fn share(value: Option<f64>) -> String {
    value.and_then(percent).unwrap_or_else(|| "-".to_owned())
}

fn interval(row: &RuleRow) -> String {
    match (row.low, row.high) {
        (Some(low), Some(high)) => format!("[{}, {}]", share(Some(low)), share(Some(high))),
        _ => String::new(),
    }
}

//! What each interval claims, and how tiers were cut.

use calibrant_schema::Scores;
use calibrant_schema::scores::IntervalRow;

use crate::document::{Block, Cell, Column, Form, Section, Table};
use crate::number::decimal;
use crate::text::Text;

pub(super) fn section(scores: &Scores) -> Section {
    let columns = vec![
        Column::name("Interval of"),
        Column::words("Claims to cover"),
        Column::words("Method"),
        Column::number("Level"),
        Column::number("Replicates"),
    ];
    let mut table = Table::new("The intervals of the leaderboard", "scores.json", columns);
    for (name, interval) in [("score", &scores.interval.score), ("ability", &scores.interval.ability)] {
        let cells = cells(&mut table, name, interval);
        table.push(cells);
    }
    let mut facts = vec![("Tiers", Text::prose(&scores.tier_rule))];
    if let Some(effective) = scores.effective_criteria.and_then(|effective| decimal(effective, 1)) {
        facts.push((
            "Effective number of criteria",
            Text::prose(&format!("{effective}, by the author's weights")),
        ));
    }
    Section {
        id: "intervals",
        title: "What the intervals mean",
        blocks: vec![Block::Table(table), Block::Facts(facts)],
    }
}

fn cells(table: &mut Table, name: &str, interval: &IntervalRow) -> Vec<Cell> {
    let (level, replicates) = match &interval.undefined {
        Some(reason) => (table.missing(Some(reason)), table.missing(Some(reason))),
        None => (
            table.number(Some(interval.level), Form::Percent, None),
            Cell::count(interval.replicates),
        ),
    };
    vec![
        Cell::id(name),
        Cell::words(&interval.target),
        Cell::words(&interval.method),
        level,
        replicates,
    ]
}

//! The result beside what a simulation knows to be true.

use std::collections::BTreeMap;

use calibrant_schema::Scores;

use crate::document::{Block, Cell, Column, Form, HELD, Section, Table};
use crate::inputs::Truth;
use crate::text::Text;

pub(super) fn section(truth: &Truth<'_>, scores: &Scores) -> Section {
    let mut blocks = vec![
        Block::Paragraph(Text::prose(
            "The verdicts are simulated, so the right answer is known. A real run never has this table.",
        )),
        Block::Table(table(truth, scores)),
    ];
    if !truth.rows.is_empty() {
        blocks.push(Block::List(
            truth
                .rows
                .iter()
                .map(|(what, found)| Text::prose(&format!("{what}: {found}")))
                .collect(),
        ));
    }
    Section {
        id: "truth",
        title: "Against the known truth",
        blocks,
    }
}

fn table(truth: &Truth<'_>, scores: &Scores) -> Table {
    let columns = vec![
        Column::number("True place"),
        Column::number("Place found"),
        Column::name("System"),
        Column::number("True ability"),
        Column::number("Ability found"),
    ];
    let found: BTreeMap<&str, usize> = scores
        .systems
        .iter()
        .enumerate()
        .map(|(place, row)| (row.system.as_str(), place))
        .collect();
    let mut known: Vec<_> = truth.abilities.iter().collect();
    known.sort_by(|x, y| y.ability.total_cmp(&x.ability).then_with(|| x.system.cmp(y.system)));
    let mut table = Table::new("Systems by their true ability", "scores.json", columns);
    for (place, known) in known.iter().enumerate().take(HELD) {
        let row = found.get(known.system).map(|&place| (place, &scores.systems[place]));
        let found_place = match row {
            Some((place, _)) => Cell::count(place + 1),
            None => table.missing(None),
        };
        let ability = row.and_then(|(_, row)| row.ability);
        let ends = row.map_or((None, None), |(_, row)| (row.ability_low, row.ability_high));
        let undefined = row.and_then(|(_, row)| row.undefined.get("ability"));
        let cells = vec![
            Cell::count(place + 1),
            found_place,
            Cell::id(known.system),
            table.number(Some(known.ability), Form::Decimal(2), None),
            table.with_interval(ability, ends, Form::Decimal(2), undefined),
        ];
        table.push(cells);
    }
    table.total = known.len();
    table
}

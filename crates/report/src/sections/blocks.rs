//! The blocks of a run beside each other, and which block of which run a page is about.

use calibrant_schema::Undefined;
use calibrant_schema::blocks::{BlockRow, Blocks, By};

use crate::document::{Block, Cell, Column, Form, HELD, Section, Table};
use crate::inputs::{Inputs, PartOf};
use crate::number::counted;
use crate::text::Text;

use super::listed;

/// Columns of the matrix: more do not fit a page, and `blocks.json` has them all.
const COLUMNS: usize = 12;
/// Characters of a block's name in a column head.
const HEAD: usize = 24;

/// What a block's page says about itself.
pub(super) fn part_of(part: &PartOf<'_>) -> Section {
    let words = format!(
        "This page is about one block of a run that was divided by {}: {}. It is an instrument of its own, with its own \
         scale of abilities and its own bank. Doubts about the table as a whole, and the other blocks, are in the \
         report of the whole run.",
        part.by.name(),
        Text::id(part.block)
    );
    Section {
        id: "part-of",
        title: "One block of a run",
        blocks: vec![
            Block::Paragraph(Text::prose(&words)),
            Block::Link {
                text: Text::prose("The report of the whole run"),
                target: part.whole.to_owned(),
            },
        ],
    }
}

/// The blocks of the run, one row each, and the systems in all of them.
pub(super) fn section(blocks: &Blocks, inputs: &Inputs<'_>) -> Section {
    let mut parts = vec![
        Block::Paragraph(Text::prose(&opening(blocks))),
        Block::Table(table(blocks)),
    ];
    parts.extend(stopped(blocks));
    if blocks.blocks.iter().any(|block| !block.leaderboard.is_empty()) {
        parts.push(Block::Table(matrix(blocks, inputs)));
        parts.push(Block::Paragraph(Text::prose(COMPARABLE)));
    }
    Section {
        id: "blocks",
        title: "Blocks",
        blocks: parts,
    }
}

/// What may be compared across blocks, and what may not.
const COMPARABLE: &str = "Each block has an ability scale of its own, about 0 for an average system of that block. Read \
    the order and the tiers inside a column; do not compare abilities across columns, and do not average them. That two \
    systems change places between two blocks is a finding only where each of the two blocks tells them apart. The \
    correlations say how far a block ranks systems as the whole does; the whole contains the block, so they lean \
    towards 1, the more the larger the block.";

/// What the run is divided by.
pub(crate) fn opening(blocks: &Blocks) -> String {
    let overlap = match blocks.by {
        By::Tag => "An item is in the block of each tag of its criterion and of its query, so blocks may share items.",
        By::TaskType | By::Domain => "Every item is in the block of its query.",
    };
    format!(
        "The run is divided by {} into {}. Each was calibrated, fitted, assembled and scored from its own verdicts alone. \
         {overlap}",
        blocks.by.name(),
        counted(blocks.blocks.len(), "block", "blocks"),
    )
}

pub(crate) fn table(blocks: &Blocks) -> Table {
    let columns = vec![
        Column::name("Block"),
        Column::number("Systems"),
        Column::number("Queries"),
        Column::number("Items"),
        Column::number("Bank"),
        Column::number("Tiers"),
        Column::words("First tier"),
        Column::number("Pairs told apart"),
        Column::number("Kendall with the whole"),
        Column::number("Spearman"),
    ];
    let mut table = Table::new("Blocks", "blocks.json", columns);
    for block in blocks.blocks.iter().take(HELD) {
        let why = |field: &str| block.undefined.get(field);
        let number = |table: &mut Table, field: &str, value: Option<f64>, form| table.number(value, form, why(field));
        let bank = block.bank.map(|bank| bank as f64);
        let leading: Vec<&str> = block.leading.iter().map(String::as_str).collect();
        let cells = vec![
            name(block),
            Cell::count(block.systems),
            Cell::count(block.queries),
            Cell::count(block.items),
            number(&mut table, "bank", bank, Form::Decimal(0)),
            number(&mut table, "tiers", block.tiers.map(f64::from), Form::Decimal(0)),
            Cell::words(&if leading.is_empty() {
                "–".to_owned()
            } else {
                listed(&leading)
            }),
            number(&mut table, "pairs_separated", block.pairs_separated, Form::Percent),
            number(&mut table, "kendall", block.kendall, Form::Decimal(2)),
            number(&mut table, "spearman", block.spearman, Form::Decimal(2)),
        ];
        table.push(cells);
    }
    table.total = blocks.blocks.len();
    table
}

/// A block's name, linked to its page where it has one.
fn name(block: &BlockRow) -> Cell {
    match block.leaderboard.is_empty() {
        true => Cell::id(&block.block),
        false => Cell::Link {
            text: Text::id(&block.block),
            target: target(&block.folder),
        },
    }
}

/// The page of a block as a relative link, still without the ending of a format.
///
/// Names of folders are plain but for the percent sign and the brackets, which mean something in a link.
fn target(folder: &str) -> String {
    let coded = folder.replace('%', "%25").replace('(', "%28").replace(')', "%29");
    format!("{coded}/report")
}

/// The blocks that lack a step, with the reason.
fn stopped(blocks: &Blocks) -> Option<Block> {
    let lines: Vec<Text> = blocks
        .blocks
        .iter()
        .filter_map(|block| Some((block, block.stopped.as_ref()?)))
        .take(COLUMNS)
        .map(|(block, stopped)| {
            Text::prose(&format!(
                "{}: no {}, because {}.",
                Text::id(&block.block),
                stopped.step,
                stopped.why.detail
            ))
        })
        .collect();
    (!lines.is_empty()).then_some(Block::List(lines))
}

/// Systems by blocks: ability with its interval, and the tier in brackets.
fn matrix(blocks: &Blocks, inputs: &Inputs<'_>) -> Table {
    let shown: Vec<&BlockRow> = blocks
        .blocks
        .iter()
        .filter(|block| !block.leaderboard.is_empty())
        .take(COLUMNS)
        .collect();
    let mut columns = vec![Column::name("System")];
    let head = |block: &&BlockRow| Column::number(Text::short_id(&block.block, HEAD).as_str());
    columns.extend(shown.iter().map(head));
    let caption = "Ability of each system in each block with its interval, and its tier in brackets";
    let mut table = Table::new(caption, "blocks.json", columns);
    for system in inputs.scores.systems.iter().take(HELD) {
        let mut cells = vec![Cell::id(&system.system)];
        for block in &shown {
            let cell = place(&mut table, block, &system.system);
            cells.push(cell);
        }
        table.push(cells);
    }
    table.total = inputs.scores.systems.len();
    let with_one = blocks
        .blocks
        .iter()
        .filter(|block| !block.leaderboard.is_empty())
        .count();
    if with_one > shown.len() {
        table.remarks.push(Text::prose(&format!(
            "{} of {with_one} blocks are shown; blocks.json has the others.",
            shown.len()
        )));
    }
    table
}

fn place(table: &mut Table, block: &BlockRow, system: &str) -> Cell {
    let Some(place) = block.leaderboard.iter().find(|place| place.system == system) else {
        let why = Undefined::new("not_in_block", "the system has no verdict in this block");
        return table.missing(Some(&why));
    };
    let why = Undefined::new("in_block", "the page of the block says why");
    let ends = (place.ability_low, place.ability_high);
    let mut cell = table.with_interval(place.ability, ends, Form::Decimal(2), Some(&why));
    if let (
        Cell::Number {
            interval: Some(interval),
            ..
        },
        Some(tier),
    ) = (&mut cell, place.tier)
    {
        interval.push_str(&format!(" ({tier})"));
    }
    cell
}

//! What the numbers were made from, and how to make them again.

use calibrant_schema::Header;

use crate::document::{Block, Cell, Column, Section, Table};
use crate::inputs::Inputs;
use crate::text::Text;

use super::headers;

pub(super) fn section(inputs: &Inputs<'_>) -> Section {
    of_headers(&headers(inputs), inputs.command, inputs.files)
}

/// The section of artifacts with these openings.
pub(crate) fn of_headers(headers: &[(&'static str, &Header)], command: Option<&str>, files: &[&str]) -> Section {
    let mut blocks = Vec::new();
    if let Some(command) = command {
        blocks.push(Block::Paragraph(Text::prose("Made by this command:")));
        blocks.push(Block::Command(Text::prose(command)));
    }
    blocks.push(Block::Table(artifacts(headers)));
    blocks.push(Block::Table(sources(headers)));
    blocks.push(Block::Table(settings(headers)));
    if !files.is_empty() {
        blocks.push(Block::Paragraph(Text::prose("Files beside this report:")));
        blocks.push(Block::List(files.iter().map(|file| Text::id(file)).collect()));
    }
    Section {
        id: "provenance",
        title: "Provenance",
        blocks,
    }
}

fn artifacts(headers: &[(&'static str, &Header)]) -> Table {
    let columns = vec![
        Column::name("Artifact"),
        Column::words("Format"),
        Column::words("Calibrant"),
        Column::number("Seed"),
    ];
    let mut table = Table::new("Artifacts", "the artifacts", columns);
    for (name, header) in headers {
        table.push(vec![
            Cell::id(name),
            Cell::words(&header.format),
            Cell::words(&header.calibrant),
            Cell::Number {
                value: header.seed.to_string(),
                interval: None,
                mark: None,
            },
        ]);
    }
    table
}

/// A fact that several artifacts state, with the artifacts that state it.
struct Stated<'a> {
    name: &'a str,
    value: &'a str,
    by: Vec<&'static str>,
}

/// Facts with the same name and value become one; two values of one name stay apart and can be seen.
fn collect<'a>(facts: impl Iterator<Item = (&'static str, &'a str, &'a str)>) -> Vec<Stated<'a>> {
    let mut stated: Vec<Stated<'a>> = Vec::new();
    for (by, name, value) in facts {
        match stated
            .iter_mut()
            .find(|known| known.name == name && known.value == value)
        {
            Some(known) => known.by.push(by),
            None => stated.push(Stated {
                name,
                value,
                by: vec![by],
            }),
        }
    }
    stated
}

fn sources(headers: &[(&'static str, &Header)]) -> Table {
    let facts = headers.iter().flat_map(|(by, header)| {
        header
            .inputs
            .iter()
            .map(|(name, hash)| (*by, name.as_str(), hash.as_str()))
    });
    let columns = vec![
        Column::name("Input"),
        Column::words("SHA-256"),
        Column::words("Read by"),
    ];
    let mut table = Table::new("Inputs", "the artifacts", columns);
    for fact in collect(facts) {
        table.push(vec![
            Cell::id(fact.name),
            Cell::id(fact.value),
            Cell::words(&fact.by.join(", ")),
        ]);
    }
    table
}

fn settings(headers: &[(&'static str, &Header)]) -> Table {
    let facts = headers.iter().flat_map(|(by, header)| {
        header
            .settings
            .iter()
            .map(|(name, value)| (*by, name.as_str(), value.as_str()))
    });
    let columns = vec![
        Column::name("Setting"),
        Column::words("Value"),
        Column::words("In force for"),
    ];
    let mut table = Table::new("Settings, defaults included", "the artifacts", columns);
    for fact in collect(facts) {
        table.push(vec![
            Cell::id(fact.name),
            Cell::words(fact.value),
            Cell::words(&fact.by.join(", ")),
        ]);
    }
    table
}

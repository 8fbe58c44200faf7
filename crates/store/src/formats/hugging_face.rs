//! The folder layout of data sets on the Hugging Face hub: a card, and a Parquet file a table.
//!
//! Each table is a configuration of its own, because its columns are its own. Types are fixed whatever the rows hold, ids are texts, and nothing
//! is a union, so that a file is read the same alone, by the hub's viewer, and by a query engine.
//!
//! Source: PROTOCOLS 7.

#[cfg(feature = "parquet")]
mod columns;

use std::io;

use calibrant_schema::query::Query;
use calibrant_schema::{Labels, Response, Rubric, Verdicts};
use serde_json::Value;

use crate::formats::Losses;

/// The tables of a data set; a table without rows is left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct HubTables<'a> {
    /// Criteria come from the rubric.
    pub rubric: Option<&'a Rubric>,
    /// The queries.
    pub queries: &'a [Query],
    /// The responses.
    pub responses: &'a [Response],
    /// The verdicts.
    pub verdicts: Option<&'a Verdicts>,
    /// The labels after consensus.
    pub labels: Option<&'a Labels>,
}

/// The files of a data set, each with its path in the folder, and what does not survive.
pub type HubFiles = (Vec<(String, Vec<u8>)>, Losses);

/// One table on its way into the folder.
struct HubTable {
    name: &'static str,
    told: &'static str,
    rows: usize,
    bytes: Vec<u8>,
}

impl HubTable {
    fn path(&self) -> String {
        format!("data/{}-00000-of-00001.parquet", self.name)
    }
}

/// Writes the layout in memory: `README.md` and `data/TABLE-00000-of-00001.parquet` for each table with rows.
///
/// The card states no licence: who publishes decides it.
///
/// # Errors
/// If there is no row at all, or this build is without Parquet.
///
/// Source: PROTOCOLS 7.
pub fn write_hugging_face(tables: HubTables<'_>) -> io::Result<HubFiles> {
    let written = written(tables)?;
    if written.is_empty() {
        return Err(io::Error::other(
            "there is no criterion, query, response, verdict or label",
        ));
    }
    let mut files = vec![("README.md".to_owned(), card(&written, tables).into_bytes())];
    for table in written {
        files.push((table.path(), table.bytes));
    }
    Ok((files, losses(tables)))
}

#[cfg(feature = "parquet")]
fn written(tables: HubTables<'_>) -> io::Result<Vec<HubTable>> {
    Ok(columns::written(tables)
        .into_iter()
        .filter(|table| table.rows > 0)
        .collect())
}

#[cfg(not(feature = "parquet"))]
fn written(_: HubTables<'_>) -> io::Result<Vec<HubTable>> {
    Err(io::Error::other(
        "this build reads and writes no Parquet: build it with the feature `parquet`",
    ))
}

/// `README.md`: which file is which table, for programs and for people.
fn card(written: &[HubTable], tables: HubTables<'_>) -> String {
    let mut text = String::from("---\nconfigs:\n");
    for table in written {
        text.push_str(&format!(
            "- config_name: {}\n  data_files:\n  - split: train\n    path: {}\n",
            table.name,
            table.path()
        ));
    }
    let title = tables.rubric.and_then(|rubric| rubric.name.as_deref());
    let title = title.map_or_else(|| "Judged responses".to_owned(), one_line);
    text.push_str(&format!("---\n\n# {title}\n\n"));
    text.push_str("| table | rows | a row is |\n|---|---|---|\n");
    for table in written {
        text.push_str(&format!("| `{}` | {} | {} |\n", table.name, table.rows, table.told));
    }
    text.push_str(
        "\nTables are joined by their ids: `query`, `criterion`, `system`, `sample`, `judge`. A criterion without a `query` holds for all \
         queries. Each table is a configuration: `load_dataset(PATH, \"criteria\")`.\n",
    );
    if let Some(verdicts) = tables.verdicts {
        let judges: Vec<String> = verdicts
            .judges()
            .iter()
            .map(|judge| format!("`{}`", one_line(judge)))
            .collect();
        text.push_str(&format!(
            "\nJudges: {}. A verdict without a label has a `status` that says why; it is no failure of the system. Which judges are people, \
             models or simulated, and what was imported from elsewhere, the tables do not say: say it here before you publish.\n",
            judges.join(", ")
        ));
    }
    text.push_str(
        "\nNo licence is stated. Whoever publishes the set decides on one, for prompts, responses and verdicts of others too, and adds a \
         `license` line to the block at the top. Written by Calibrant.\n",
    );
    text
}

/// A name on one line, with nothing that Markdown or a table would take for its own.
fn one_line(text: &str) -> String {
    let plain = |c: char| !c.is_control() && !matches!(c, '`' | '|' | '<' | '>' | '[' | ']');
    text.chars().map(|c| if plain(c) { c } else { ' ' }).collect()
}

fn losses(tables: HubTables<'_>) -> Losses {
    let mut losses = Losses::default();
    if let Some(rubric) = tables.rubric {
        let rule = "the criteria table has a row a criterion, and no place for a rule of the whole";
        losses.add_many("roll-up rules", rule, u64::from(rubric.roll_up.is_some()));
        losses.add_many("violations", rule, rubric.violations.len() as u64);
        let count =
            |has: fn(&calibrant_schema::Criterion) -> bool| rubric.criteria.iter().filter(|c| has(c)).count() as u64;
        let kept = "it stays in the rubric file";
        losses.add_many(
            "histories of rulings",
            "the boundary as it stands is there",
            count(|c| !c.rulings.is_empty()),
        );
        losses.add_many("silenced lints", kept, count(|c| !c.allow.is_empty()));
        losses.add_many(
            "owners and dates of weights",
            kept,
            count(|c| c.weight_owner.is_some() || c.weight_date.is_some()),
        );
    }
    let more =
        "a message is written as its role and text: parts that are no text and calls of tools stand in it as text";
    let prompts = tables.queries.iter().filter_map(|query| query.prompt.as_ref());
    let bodies = tables.responses.iter().map(|response| &response.body);
    losses.add_many(
        "messages with more than a text",
        more,
        prompts.chain(bodies).map(beyond_text).sum(),
    );
    losses
}

/// How many messages hold more than a role and a text.
fn beyond_text(body: &Value) -> u64 {
    let is_plain = |message: &Value| {
        let Value::Object(map) = message else { return false };
        map.iter()
            .all(|(key, value)| matches!(key.as_str(), "role" | "content") && value.is_string())
    };
    match body {
        Value::Array(messages) => messages.iter().filter(|message| !is_plain(message)).count() as u64,
        _ => 0,
    }
}

#[cfg(all(test, feature = "parquet"))]
mod tests;

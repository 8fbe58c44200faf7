//! Ratings that Inspect's `precomputed_scores` attaches to a log.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use calibrant_schema::Labels;
use calibrant_schema::labels::CellLabel;
use serde_json::Value;

use crate::formats::Losses;

/// How records stand in a file; Inspect goes by the end of its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoresLayout {
    /// One record a line: a name that ends in `.jsonl`.
    Lines,
    /// A JSON list, one record a line of it: any other name.
    #[default]
    List,
}

/// Which labels are written, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoresOf<'a> {
    /// The one system: a log has one model.
    pub system: &'a str,
    /// How records stand in the file.
    pub layout: ScoresLayout,
    /// Whose labels they are, such as `consensus` or the name of a judge; stands in the metadata of each score.
    pub judge: Option<&'a str>,
}

/// Writes the labels of one system as ratings that Inspect's `precomputed_scores` takes: a record a sample and epoch.
///
/// The id is the query, the epoch the sample, and the value an object with the value of a level for every criterion of the labels. A
/// criterion without a label in a record is `NaN`, which is how Inspect and its JSON write "not scored": a key that is missing ends an
/// eval, and a null breaks its metrics. A record without any label is left out; Inspect leaves such a sample unscored. In Inspect, name
/// metrics by criterion: `precomputed_scores("FILE", metrics={"CRITERION": [mean()]})`.
///
/// Returns what does not survive: reasons for missing labels, labels of samples whose id is no epoch, and how a panel came to a label.
///
/// # Errors
/// If writing fails.
///
/// Source: PROTOCOLS 13.4.
pub fn write_scores(out: &mut impl Write, labels: &Labels, of: ScoresOf<'_>) -> io::Result<Losses> {
    let mut losses = Losses::default();
    let records = records(labels, of.system, &mut losses);
    let criteria: BTreeSet<&str> = records.values().flat_map(|labels| labels.keys().copied()).collect();
    let mut begun = false;
    if of.layout == ScoresLayout::List {
        writeln!(out, "[")?;
    }
    for ((query, epoch), labels) in &records {
        if labels.is_empty() {
            losses.add(
                "samples without any label",
                "Inspect leaves a sample unscored that the file does not name",
            );
            continue;
        }
        if begun && of.layout == ScoresLayout::List {
            writeln!(out, ",")?;
        }
        begun = true;
        write_record(out, query, *epoch, &criteria, labels, of.judge)?;
        if of.layout == ScoresLayout::Lines {
            writeln!(out)?;
        }
    }
    if of.layout == ScoresLayout::List {
        writeln!(out, "{}]", if begun { "\n" } else { "" })?;
    }
    Ok(losses)
}

type Records<'a> = BTreeMap<(&'a str, u64), BTreeMap<&'a str, f64>>;

fn records<'a>(labels: &'a Labels, system: &str, losses: &mut Losses) -> Records<'a> {
    let mut records = Records::new();
    for (item, cell) in labels.all_cells() {
        if labels.systems.get(cell.system) != system {
            continue;
        }
        let Some(epoch) = epoch(labels.samples.get(cell.sample)) else {
            let why = "Inspect counts epochs from 1, and the samples of these labels have other names";
            losses.add("labels of samples that are no epoch", why);
            continue;
        };
        let record = records.entry((labels.query(item), epoch)).or_default();
        match cell.label {
            CellLabel::Level(level) => {
                record.insert(labels.criterion(item), labels.scale(item).value(level));
            }
            CellLabel::None(status) => {
                let what = format!("reasons why there is no label: {}", status.as_str());
                losses.add(&what, "a value of Inspect is a number or NaN");
            }
        }
        if cell.judges > 1 {
            losses.add(
                "labels of several judges",
                "a record has the label they come to, and not who gave which",
            );
        }
    }
    records
}

/// The epoch that a sample is; what is no plain number from 1 is none.
fn epoch(sample: &str) -> Option<u64> {
    let number: u64 = sample.parse().ok()?;
    (number > 0 && number.to_string() == sample).then_some(number)
}

fn write_record(
    out: &mut impl Write,
    query: &str,
    epoch: u64,
    criteria: &BTreeSet<&str>,
    labels: &BTreeMap<&str, f64>,
    judge: Option<&str>,
) -> io::Result<()> {
    write!(
        out,
        "{{\"id\": {}, \"epoch\": {epoch}, \"value\": {{",
        Value::from(query)
    )?;
    for (at, criterion) in criteria.iter().enumerate() {
        let comma = if at > 0 { ", " } else { "" };
        write!(out, "{comma}{}: ", Value::from(*criterion))?;
        match labels.get(criterion) {
            Some(label) => write!(out, "{}", Value::from(*label))?,
            None => write!(out, "NaN")?,
        }
    }
    write!(out, "}}")?;
    if let Some(judge) = judge {
        write!(out, ", \"metadata\": {{\"judge\": {}}}", Value::from(judge))?;
    }
    write!(out, "}}")
}

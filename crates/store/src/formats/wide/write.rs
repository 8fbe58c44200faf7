//! Labels as a matrix that R reads, and the code book beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use calibrant_schema::labels::CellLabel;
use calibrant_schema::rubric::Criterion;
use calibrant_schema::{Fit, Labels, Rubric};

use super::SAMPLES;
use crate::formats::Losses;
use crate::tables::guarded;

/// What R writes where there is no value.
pub(super) const NA: &str = "NA";

/// Names of items as columns of R: `I001` and so on, in the order of the labels and then of what only the fit has.
pub(super) struct ItemNames {
    width: usize,
    numbers: BTreeMap<(String, String), usize>,
}

impl ItemNames {
    pub(super) fn new(labels: Option<&Labels>, fit: Option<&Fit>) -> Self {
        let mut numbers = BTreeMap::new();
        let labelled = labels.into_iter().flat_map(|labels| {
            (0..labels.items.len()).map(|item| (labels.query(item).to_owned(), labels.criterion(item).to_owned()))
        });
        let fitted = fit.into_iter().flat_map(|fit| &fit.items);
        let fitted = fitted.map(|item| (item.query.clone(), item.criterion.clone()));
        for key in labelled.chain(fitted) {
            let next = numbers.len() + 1;
            numbers.entry(key).or_insert(next);
        }
        let width = numbers.len().to_string().len();
        Self { width, numbers }
    }

    pub(super) fn name(&self, query: &str, criterion: &str) -> String {
        let number = self.numbers[&(query.to_owned(), criterion.to_owned())];
        format!("I{number:0width$}", width = self.width)
    }

    /// The name of an item that has one.
    pub(super) fn known(&self, query: &str, criterion: &str) -> Option<String> {
        let key = (query.to_owned(), criterion.to_owned());
        self.numbers.contains_key(&key).then(|| self.name(query, criterion))
    }

    /// Names, queries and criteria in the order of the names.
    fn in_order(&self) -> Vec<(String, &str, &str)> {
        let mut items: Vec<_> = self.numbers.iter().collect();
        items.sort_by_key(|(_, number)| **number);
        items
            .into_iter()
            .map(|((query, criterion), _)| (self.name(query, criterion), query.as_str(), criterion.as_str()))
            .collect()
    }
}

/// Writes labels as a matrix: a row a system and sample, a column an item, `NA` where there is no label.
///
/// A cell is the value of a level. Columns are named `I001` and so on, which R takes as they are; [`write_codebook`] says what they stand for. Rows are systems,
/// or `system#sample` where some system has several samples.
///
/// # Errors
/// If writing fails.
pub fn write_wide(out: &mut impl Write, labels: &Labels) -> io::Result<Losses> {
    let names = ItemNames::new(Some(labels), None);
    let mut rows: BTreeMap<(u32, u32), Vec<Option<f64>>> = BTreeMap::new();
    let mut losses = Losses::default();
    let mut samples: BTreeSet<u32> = BTreeSet::new();
    for (item, cell) in labels.all_cells() {
        samples.insert(cell.sample);
        let row = rows
            .entry((cell.system, cell.sample))
            .or_insert_with(|| vec![None; labels.items.len()]);
        match cell.label {
            CellLabel::Level(level) => row[item] = Some(labels.scale(item).value(level)),
            CellLabel::None(status) => {
                let what = format!("reasons why there is no label: {}", status.as_str());
                losses.add(&what, "a cell of a matrix is a number or NA");
            }
        }
    }
    let judges = labels.all_cells().filter(|(_, cell)| cell.judges > 1).count() as u64;
    losses.add_many(
        "labels of several judges",
        "the matrix has the label they come to, and not who gave which",
        judges,
    );
    let has_samples = samples.len() > 1;
    let mut table = csv::Writer::from_writer(out);
    let head = if has_samples { SAMPLES } else { "system" };
    let columns = (0..labels.items.len()).map(|item| names.name(labels.query(item), labels.criterion(item)));
    table.write_record(std::iter::once(head.to_owned()).chain(columns))?;
    for ((system, sample), cells) in rows {
        let system = labels.systems.get(system);
        let name = if has_samples {
            format!("{system}#{}", labels.samples.get(sample))
        } else {
            system.to_owned()
        };
        let cells = cells
            .into_iter()
            .map(|cell| cell.map_or_else(|| NA.to_owned(), |value| value.to_string()));
        table.write_record(std::iter::once(guarded(&name).into_owned()).chain(cells))?;
    }
    table.flush()?;
    Ok(losses)
}

/// Writes what each column of a matrix, and each row of item parameters, stands for: a row an item.
///
/// # Errors
/// If writing fails.
pub fn write_codebook(
    out: &mut impl Write,
    labels: Option<&Labels>,
    fit: Option<&Fit>,
    rubric: Option<&Rubric>,
) -> io::Result<()> {
    let names = ItemNames::new(labels, fit);
    let criteria = rubric.map(by_id).unwrap_or_default();
    let mut table = csv::Writer::from_writer(out);
    table.write_record(["item", "criterion", "query", "weight", "question"])?;
    for (name, query, criterion) in names.in_order() {
        let known = criteria
            .get(&(criterion, Some(query)))
            .or_else(|| criteria.get(&(criterion, None)));
        let weight = known.map_or_else(|| NA.to_owned(), |known| known.weight.to_string());
        let question = known.map_or(NA, |known| known.question.as_str());
        let (criterion, query, question) = (guarded(criterion), guarded(query), guarded(question));
        let cells = [name.as_str(), &criterion, &query, &weight, &question];
        table.write_record(cells)?;
    }
    table.flush()
}

fn by_id(rubric: &Rubric) -> BTreeMap<(&str, Option<&str>), &Criterion> {
    let keyed = rubric
        .criteria
        .iter()
        .map(|criterion| ((criterion.id.as_str(), criterion.query.as_deref()), criterion));
    keyed.collect()
}

//! Labels on their way back from a table: names are coded as they are met, rows are kept as codes.

use calibrant_schema::labels::{Agreement, Cell, CellLabel, LabelNames};
use calibrant_schema::names::Interner;
use calibrant_schema::verdicts::Item;
use calibrant_schema::{Diagnostic, Labels, Scale, Status};

use crate::findings::Findings;
use crate::tables::shown::shown;

/// The columns of a table of labels, in their order.
pub(crate) const COLUMNS: [&str; 9] = [
    "system",
    "query",
    "sample",
    "criterion",
    "label",
    "consensus",
    "judges",
    "agreeing",
    "status",
];

/// Gives the scale of a criterion by its id.
pub(crate) type ScaleOf<'a> = &'a dyn Fn(&str) -> Scale;

/// Rows read so far.
pub(crate) struct LabelRows<'a> {
    pub(crate) systems: Interner,
    pub(crate) queries: Interner,
    pub(crate) samples: Interner,
    criteria: Interner,
    scales: Vec<Scale>,
    scale_of: ScaleOf<'a>,
    rows: Vec<(Item, Cell)>,
}

impl<'a> LabelRows<'a> {
    pub(crate) fn new(scale_of: ScaleOf<'a>) -> Self {
        Self {
            systems: Interner::default(),
            queries: Interner::default(),
            samples: Interner::default(),
            criteria: Interner::default(),
            scales: Vec::new(),
            scale_of,
            rows: Vec::new(),
        }
    }

    pub(crate) fn criterion(&mut self, name: &str) -> u32 {
        let code = self.criteria.code(name);
        if code as usize == self.scales.len() {
            self.scales.push((self.scale_of)(name));
        }
        code
    }

    /// The scale of a criterion that was coded.
    pub(crate) fn scale(&self, criterion: u32) -> &Scale {
        &self.scales[criterion as usize]
    }

    /// Adds a row, in the codes that were given out here.
    pub(crate) fn push(&mut self, item: Item, cell: Cell) {
        self.rows.push((item, cell));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The labels, with names in their order; `file` is for messages.
    ///
    /// # Errors
    /// If a cell has two rows.
    pub(crate) fn finish(self, file: &str) -> Result<Labels, Findings> {
        let (systems, system_code) = self.systems.finish();
        let (queries, query_code) = self.queries.finish();
        let (samples, sample_code) = self.samples.finish();
        let (criteria, criterion_code) = self.criteria.finish();
        let mut scales = vec![Scale::Binary; criteria.len()];
        for (code, scale) in self.scales.into_iter().enumerate() {
            scales[criterion_code[code] as usize] = scale;
        }
        let mut rows = self.rows;
        for (item, cell) in &mut rows {
            item.query = query_code[item.query as usize];
            item.criterion = criterion_code[item.criterion as usize];
            cell.system = system_code[cell.system as usize];
            cell.sample = sample_code[cell.sample as usize];
        }
        rows.sort_unstable_by_key(|(item, cell)| (*item, cell.system, cell.sample));
        let twice = |pair: &[(Item, Cell)]| {
            (pair[0].0, pair[0].1.system, pair[0].1.sample) == (pair[1].0, pair[1].1.system, pair[1].1.sample)
        };
        if rows.windows(2).any(twice) {
            return Err(cell_twice(file).into());
        }
        let mut items: Vec<Item> = Vec::new();
        let mut cells = Vec::with_capacity(rows.len());
        for (item, cell) in rows {
            if items.last() != Some(&item) {
                items.push(item);
            }
            cells.push((items.len() as u32 - 1, cell));
        }
        let names = LabelNames {
            systems,
            queries,
            samples,
            criteria,
        };
        Ok(Labels::new(names, scales, items, cells))
    }
}

/// What the label and status cells of a row say together; `None` when they contradict each other or the scale.
pub(crate) fn label_of(label: &str, status: &str, scale: &Scale) -> Option<CellLabel> {
    match (label, status.parse().ok()?) {
        ("", Status::Ok) => None,
        (value, Status::Ok) => scale.level_of(value.parse().ok()?).map(CellLabel::Level),
        ("", status) => Some(CellLabel::None(status)),
        _ => None,
    }
}

/// The way a label came about, by its word.
pub(crate) fn agreement_of(word: &str) -> Option<Agreement> {
    Agreement::ALL.into_iter().find(|agreement| agreement.word() == word)
}

pub(crate) fn not_labels(name: &str) -> Diagnostic {
    Diagnostic::error(
        "not-labels",
        format!(
            "`{name}` is no table of labels: its header is not {}",
            COLUMNS.join(",")
        ),
        "give the labels.csv that `calibrate` wrote; a table of judges' verdicts goes to --verdicts",
    )
}

pub(crate) fn no_labels(name: &str) -> Diagnostic {
    Diagnostic::error("no-rows", format!("`{name}` has no rows"), "run `calibrate` again")
}

pub(crate) fn bad_cell(column: &str, text: &str, scale: &Scale) -> Diagnostic {
    let help = format!(
        "run `calibrate` again, with the rubric or --scale this table was made with (the scale here is {scale})"
    );
    Diagnostic::error(
        "bad-cell",
        format!(
            "`{}` is no {column} of a table of labels, or contradicts the status",
            shown(text)
        ),
        help,
    )
}

fn cell_twice(name: &str) -> Diagnostic {
    Diagnostic::error(
        "duplicate-cell",
        format!("`{name}` has two labels for one cell"),
        "run `calibrate` again",
    )
}

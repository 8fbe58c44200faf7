//! `labels.csv`: labels after consensus, out and back.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use calibrant_schema::labels::{Agreement, Cell, CellLabel, LabelNames};
use calibrant_schema::verdicts::Item;
use calibrant_schema::{Diagnostic, Labels, Names, Scale, Status};

use crate::findings::Findings;
use crate::stored::Source;
use crate::tables::delimited::Delimited;
use crate::tables::guard::{guarded, unguarded};
use crate::tables::lines::{Lines, Step};
use crate::tables::row::Row;
use crate::tables::shown::shown;

const COLUMNS: [&str; 9] = [
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

/// Writes labels as CSV, a row per cell in the order of [`Labels::all_cells`].
///
/// `label` is the level's value on the criterion's scale, empty where `status` is not `ok`; ids are [`guarded`].
///
/// # Errors
/// If `out` cannot be written.
pub fn write_labels(labels: &Labels, out: impl Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for (item, cell) in labels.all_cells() {
        let (label, status) = match cell.label {
            CellLabel::Level(level) => (labels.scale(item).value(level).to_string(), Status::Ok),
            CellLabel::None(status) => (String::new(), status),
        };
        writer.write_record([
            guarded(labels.systems.get(cell.system)).as_ref(),
            guarded(labels.query(item)).as_ref(),
            guarded(labels.samples.get(cell.sample)).as_ref(),
            guarded(labels.criterion(item)).as_ref(),
            &label,
            cell.agreement.word(),
            &cell.judges.to_string(),
            &cell.agreeing.to_string(),
            status.as_str(),
        ])?;
    }
    writer.flush()
}

/// Reads what [`write_labels`] wrote; `scale_of` gives the scale of a criterion by its id.
///
/// The labels are those written, except that names and items without any cell are not in the file.
///
/// # Errors
/// If the file cannot be read, is not such a table, has no rows, or a cell has two rows.
pub fn read_labels(path: &Path, scale_of: &dyn Fn(&str) -> Scale) -> Result<Labels, Findings> {
    let source = Source::from(path);
    let name = source.name();
    let mut findings = Findings::default();
    let mut row = Row::default();
    let mut rows = Vec::new();
    let mut scales = BTreeMap::new();
    let lines = Lines::new(name.clone(), source.open()?, &findings);
    if let Some(mut table) = Delimited::open(lines, &mut row, &mut findings) {
        if table.header() != COLUMNS {
            return Err(not_labels(&name).into());
        }
        loop {
            match table.next(&mut row, &mut findings) {
                Step::Read => rows.extend(LabelRow::read(&name, &row, scale_of, &mut scales, &mut findings)),
                Step::Skipped => {}
                Step::End => break,
            }
        }
    }
    if rows.is_empty() && findings.is_empty() {
        findings.push(no_labels(&name), None);
    }
    findings.into_result()?;
    assemble(&name, &rows, &scales)
}

/// A row of the file.
struct LabelRow {
    system: String,
    query: String,
    sample: String,
    criterion: String,
    label: CellLabel,
    agreement: Agreement,
    judges: u16,
    agreeing: u16,
}

impl LabelRow {
    fn read(
        file: &str,
        row: &Row,
        scale_of: &dyn Fn(&str) -> Scale,
        scales: &mut BTreeMap<String, Scale>,
        findings: &mut Findings,
    ) -> Option<Self> {
        let id = |column: usize| unguarded(row.text(column)).to_owned();
        let criterion = id(3);
        let scale = scales.entry(criterion.clone()).or_insert_with(|| scale_of(&criterion));
        let label = label_of(row.text(4), row.text(8), scale);
        let agreement = Agreement::ALL
            .into_iter()
            .find(|agreement| agreement.word() == row.text(5));
        let (judges, agreeing) = (row.text(6).parse().ok(), row.text(7).parse().ok());
        let wrong = [
            label.is_none(),
            agreement.is_none(),
            judges.is_none(),
            agreeing.is_none(),
        ];
        if let Some(at) = wrong.iter().position(|wrong| *wrong) {
            let column = at + 4;
            row.report(
                file,
                column,
                bad_cell(COLUMNS[column], row.text(column), scale),
                findings,
            );
        }
        Some(Self {
            system: id(0),
            query: id(1),
            sample: id(2),
            label: label?,
            agreement: agreement?,
            judges: judges?,
            agreeing: agreeing?,
            criterion,
        })
    }
}

fn label_of(label: &str, status: &str, scale: &Scale) -> Option<CellLabel> {
    match (label, status.parse().ok()?) {
        ("", Status::Ok) => None,
        (value, Status::Ok) => scale.level_of(value.parse().ok()?).map(CellLabel::Level),
        ("", status) => Some(CellLabel::None(status)),
        _ => None,
    }
}

fn assemble(file: &str, rows: &[LabelRow], scales: &BTreeMap<String, Scale>) -> Result<Labels, Findings> {
    let names = LabelNames {
        systems: rows.iter().map(|row| &row.system).collect(),
        queries: rows.iter().map(|row| &row.query).collect(),
        samples: rows.iter().map(|row| &row.sample).collect(),
        criteria: rows.iter().map(|row| &row.criterion).collect(),
    };
    let item_of = |row: &LabelRow| Item {
        query: code(&names.queries, &row.query),
        criterion: code(&names.criteria, &row.criterion),
    };
    let mut items: Vec<Item> = rows.iter().map(item_of).collect();
    items.sort_unstable();
    items.dedup();
    let cell_of = |row: &LabelRow| {
        let item = items
            .binary_search(&item_of(row))
            .expect("the items are those of the rows");
        let cell = Cell {
            system: code(&names.systems, &row.system),
            sample: code(&names.samples, &row.sample),
            label: row.label,
            judges: row.judges,
            agreeing: row.agreeing,
            agreement: row.agreement,
        };
        (item as u32, cell)
    };
    let mut cells: Vec<(u32, Cell)> = rows.iter().map(cell_of).collect();
    cells.sort_unstable_by_key(|(item, cell)| (*item, cell.system, cell.sample));
    let twice = |pair: &[(u32, Cell)]| {
        (pair[0].0, pair[0].1.system, pair[0].1.sample) == (pair[1].0, pair[1].1.system, pair[1].1.sample)
    };
    if cells.windows(2).any(twice) {
        return Err(cell_twice(file).into());
    }
    let scales = names
        .criteria
        .iter()
        .map(|criterion| scales[criterion].clone())
        .collect();
    Ok(Labels::new(names, scales, items, cells))
}

fn code(names: &Names, name: &str) -> u32 {
    names.find(name).expect("the names are those of the rows")
}

fn not_labels(name: &str) -> Diagnostic {
    Diagnostic::error(
        "not-labels",
        format!(
            "`{name}` is no table of labels: its header is not {}",
            COLUMNS.join(",")
        ),
        "give the labels.csv that `calibrate` wrote; a table of judges' verdicts goes to --verdicts",
    )
}

fn no_labels(name: &str) -> Diagnostic {
    Diagnostic::error("no-rows", format!("`{name}` has no rows"), "run `calibrate` again")
}

fn bad_cell(column: &str, text: &str, scale: &Scale) -> Diagnostic {
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

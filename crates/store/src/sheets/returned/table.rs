//! The rows of a returned table: each finds its cell, or is a mistake at its place.

use std::collections::{BTreeMap, BTreeSet};

use calibrant_schema::Diagnostic;
use calibrant_schema::exercise::{Act, Mark};
use calibrant_schema::suggest::did_you_mean;

use super::{Returned, ReturnedRow, no_table};
use crate::sheets::columns::{Layout, SheetColumn, layout};
use crate::sheets::grid::{At, Content, GridRow};
use crate::sheets::roster::Roster;
use crate::sheets::words::{cut, read_verdict};
use crate::tables::unguarded;

/// Reads the table into `returned`: columns, whose sheet it is, rows and mistakes.
pub(super) fn read(returned: &mut Returned, rows: &[GridRow], roster: &Roster<'_>) {
    let layout = layout(rows, roster);
    returned.columns.clone_from(&layout.columns);
    returned.header = layout.header.and_then(|header| rows[header].at()).map(told_row);
    let body: Vec<&GridRow> = layout.body(rows).iter().filter(|row| !row.is_blank()).collect();
    returned.lines = body.len();
    if let Some(finding) = of_another(&returned.file, &body, &layout, roster) {
        returned.findings.push(finding);
        return;
    }
    let Some(columns) = needed(returned, &layout, roster) else {
        return;
    };
    returned.grader = whose(returned, &body, &layout, roster);
    let mut table = Table {
        file: returned.file.clone(),
        columns,
        roster,
        with_row: BTreeSet::new(),
        seen: BTreeMap::new(),
    };
    for row in body {
        match table.row(row) {
            Ok(Some(read)) => returned.rows.push(read),
            Ok(None) => {}
            Err(finding) => returned.findings.push(*finding),
        }
    }
    returned.missing = roster.cell_ids().filter(|cell| !table.with_row.contains(cell)).count();
}

fn told_row(at: &At) -> String {
    match at {
        At::Line { line, .. } => format!("line {line}"),
        At::Cell { sheet, row, .. } => format!("row {} of `{sheet}`", row + 1),
    }
}

/// The columns a row is read from.
struct Columns {
    unit: u32,
    criterion: u32,
    verdict: u32,
    comment: Option<u32>,
}

/// The columns that rows are read from; `None` where one is missing, which is then reported.
fn needed(returned: &mut Returned, layout: &Layout, roster: &Roster<'_>) -> Option<Columns> {
    if layout.at(SheetColumn::Unit).is_none() && layout.at(SheetColumn::Criterion).is_none() {
        returned.findings.push(*no_table(&returned.file));
        return None;
    }
    let mut column = |column: SheetColumn| {
        let at = layout.at(column);
        if at.is_none() {
            returned
                .findings
                .push(no_column(&returned.file, column, layout, roster));
        }
        at
    };
    let [unit, criterion, verdict] = [SheetColumn::Unit, SheetColumn::Criterion, SheetColumn::Verdict].map(&mut column);
    Some(Columns {
        unit: unit?,
        criterion: criterion?,
        verdict: verdict?,
        comment: layout.at(SheetColumn::Comment),
    })
}

fn no_column(file: &str, column: SheetColumn, layout: &Layout, roster: &Roster<'_>) -> Diagnostic {
    let word = column.word();
    if column == SheetColumn::Verdict && !layout.verdict_among.is_empty() {
        let among: Vec<String> = layout
            .verdict_among
            .iter()
            .map(|name| format!("`{}`", cut(name)))
            .collect();
        return Diagnostic::error(
            "sheet-columns",
            format!(
                "`{file}` has more than one column that may hold the verdicts: {}",
                among.join(", ")
            ),
            "name the column that counts `verdict`, and the others otherwise",
        );
    }
    Diagnostic::error(
        "sheet-columns",
        format!("`{file}` has no column `{word}`"),
        format!(
            "put the column `{word}` of the sheet back as it was sent; the exercise is {}",
            roster.exercise()
        ),
    )
}

/// Whether the sheet is of another exercise, by the first cell that says so.
fn of_another(file: &str, body: &[&GridRow], layout: &Layout, roster: &Roster<'_>) -> Option<Diagnostic> {
    let column = layout.at(SheetColumn::Exercise)?;
    let foreign = |row: &&&GridRow| {
        let text = row.text(column);
        !text.is_empty() && roster.read(SheetColumn::Exercise, &text).is_none()
    };
    let row = body.iter().find(foreign)?;
    let at = row.cell(column).map(|cell| &cell.at);
    Some(other_exercise(file, at, &row.text(column), roster))
}

/// The grader that the rows name, which is one and the same.
fn whose(returned: &mut Returned, body: &[&GridRow], layout: &Layout, roster: &Roster<'_>) -> Option<String> {
    let file = returned.file.clone();
    let Some(column) = layout.at(SheetColumn::Grader) else {
        returned
            .findings
            .push(no_column(&file, SheetColumn::Grader, layout, roster));
        return None;
    };
    let mut grader: Option<&str> = None;
    for row in body {
        let text = row.text(column);
        let at = row.cell(column).map(|cell| &cell.at);
        match roster.read(SheetColumn::Grader, &text) {
            _ if text.is_empty() => {}
            None => {
                returned.findings.push(other_grader(&file, at, &text, roster));
                return None;
            }
            Some(named) if grader.is_some_and(|grader| grader != named) => {
                let at = at.expect("a cell with text has a place");
                let what = format!(
                    "this row is of `{named}`, and rows above are of `{}`",
                    grader.unwrap_or_default()
                );
                let help = "collect one file a grader: sheets that were put together are not taken apart";
                returned.findings.push(at.finding(&file, "sheet-graders", &what, help));
                return None;
            }
            Some(named) => grader = Some(named),
        }
    }
    if grader.is_none() {
        returned.findings.push(Diagnostic::error(
            "sheet-graders",
            format!("`{file}` does not say whose sheet it is: its column `grader` is empty"),
            format!("write one of these into it: {}", roster.graders().join(", ")),
        ));
    }
    grader.map(str::to_owned)
}

/// A table on its way into rows.
struct Table<'r, 'p> {
    file: String,
    columns: Columns,
    roster: &'r Roster<'p>,
    /// Cells that had a row, sound or not.
    with_row: BTreeSet<(&'p str, &'p str)>,
    /// What the first sound row of a cell said, and where.
    seen: BTreeMap<(&'p str, &'p str), (Option<Act>, String)>,
}

impl<'p> Table<'_, 'p> {
    /// What a row says; `None` for a second row that says the same of a cell.
    fn row(&mut self, row: &GridRow) -> Result<Option<ReturnedRow>, Box<Diagnostic>> {
        let unit = self.id(row, SheetColumn::Unit, self.columns.unit)?;
        let criterion = self.id(row, SheetColumn::Criterion, self.columns.criterion)?;
        let Some(scale) = self.roster.scale(unit, criterion) else {
            let what = format!("the criterion `{}` is not asked about this answer", cut(criterion));
            let help = "take the row away, or put back the ids that the sheet was sent with";
            return Err(self.wrong(row, self.columns.criterion, "sheet-criterion", &what, help));
        };
        self.with_row.insert((unit, criterion));
        let comment = self.comment(row);
        let content = row
            .cell(self.columns.verdict)
            .map_or(&Content::Empty, |cell| &cell.content);
        let act = read_verdict(content, &comment, scale)
            .map_err(|misread| self.wrong(row, self.columns.verdict, misread.id, &misread.what, &misread.help))?;
        self.can_stand(row, unit, criterion, &comment)?;
        let place = self.place(row);
        match self.seen.get(&(unit, criterion)) {
            None => {
                self.seen.insert((unit, criterion), (act.clone(), place.clone()));
            }
            Some((earlier, _)) if *earlier == act => return Ok(None),
            Some((_, earlier)) => {
                let what = format!(
                    "the answer has a second row for `{}`, and the first one at {earlier} says otherwise",
                    cut(criterion)
                );
                let help = "keep the row that counts and delete the other";
                return Err(self.wrong(row, self.columns.verdict, "sheet-row-twice", &what, help));
            }
        }
        Ok(Some(ReturnedRow {
            unit: unit.to_owned(),
            criterion: criterion.to_owned(),
            act,
            comment,
            place,
        }))
    }

    fn id(&self, row: &GridRow, column: SheetColumn, at: u32) -> Result<&'p str, Box<Diagnostic>> {
        let text = row.text(at);
        self.roster.read(column, &text).ok_or_else(|| {
            let (id, noun) = match column {
                SheetColumn::Unit => ("sheet-unit", "answer"),
                _ => ("sheet-criterion", "criterion"),
            };
            let what = if text.is_empty() {
                format!("the row does not say which {noun} it is about")
            } else {
                format!("no {noun} of this exercise has the id `{}`", cut(&text))
            };
            let help = "take the row away, or put back the ids that the sheet was sent with";
            self.wrong(row, at, id, &what, help)
        })
    }

    /// The comment, without the one `'` that our own sheets put before a formula.
    fn comment(&self, row: &GridRow) -> String {
        let cell = self.columns.comment.and_then(|comment| row.cell(comment));
        let text = cell.map_or_else(String::new, |cell| cell.content.text());
        unguarded(text.trim_matches([' ', '\n'])).to_owned()
    }

    /// A comment that is too long for a mark is told here and not when the sheet is recorded.
    fn can_stand(&self, row: &GridRow, unit: &str, criterion: &str, comment: &str) -> Result<(), Box<Diagnostic>> {
        let mark = Mark {
            unit: unit.to_owned(),
            criterion: Some(criterion.to_owned()),
            act: Act::Comment {
                text: comment.to_owned(),
            },
            at: String::new(),
            nth: 1,
        };
        self.roster.check(&mark).map_err(|wrong| {
            let column = self.columns.comment.unwrap_or(self.columns.verdict);
            self.wrong(row, column, "sheet-comment", &wrong.to_string(), "shorten the comment")
        })
    }

    fn place(&self, row: &GridRow) -> String {
        place_of(row, self.columns.verdict).told()
    }

    fn wrong(&self, row: &GridRow, column: u32, id: &'static str, what: &str, help: &str) -> Box<Diagnostic> {
        Box::new(place_of(row, column).finding(&self.file, id, what, help))
    }
}

/// The place of a cell; where it is absent, that in a workbook, and in text that of the row.
fn place_of(row: &GridRow, column: u32) -> At {
    if let Some(cell) = row.cell(column) {
        return cell.at.clone();
    }
    match row.at().expect("a row that is not blank has a cell") {
        At::Cell { sheet, row, .. } => At::Cell {
            sheet: sheet.clone(),
            column,
            row: *row,
        },
        line @ At::Line { .. } => line.clone(),
    }
}

/// A sheet of another exercise.
pub(super) fn other_exercise(file: &str, at: Option<&At>, named: &str, roster: &Roster<'_>) -> Diagnostic {
    let named = named.trim().trim_start_matches('\'').trim_start_matches("x-");
    let what = format!(
        "`{file}` is a sheet of another exercise: `{}`, and this one is {}",
        cut(named),
        roster.exercise()
    );
    let help = "collect it in the folder and round it was made in (--dir, --round)";
    placed(file, at, "sheet-exercise", &what, help.to_owned())
}

/// A sheet of someone who grades nothing here.
pub(super) fn other_grader(file: &str, at: Option<&At>, named: &str, roster: &Roster<'_>) -> Diagnostic {
    let what = format!("`{}` is no grader of this exercise", cut(named));
    placed(file, at, "sheet-grader", &what, did_you_mean(named, roster.graders()))
}

fn placed(file: &str, at: Option<&At>, id: &'static str, what: &str, help: String) -> Diagnostic {
    match at {
        Some(at) => at.finding(file, id, what, help),
        None => Diagnostic::error(id, what, help),
    }
}

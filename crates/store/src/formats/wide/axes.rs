//! The names along the two sides of a matrix.

use std::collections::BTreeMap;
use std::fmt;

use calibrant_schema::Diagnostic;

use super::{ITEM_MARK, SAMPLES, WideLayout};
use crate::findings::Findings;
use crate::tables::delimited::Delimited;
use crate::tables::lines::Step;
use crate::tables::row::Row;
use crate::tables::shown;

/// The name of a system with its sample, or of a criterion with its query.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) first: String,
    pub(super) second: Option<String>,
}

impl Name {
    fn new(first: &str, second: Option<&str>) -> Option<Self> {
        let (first, second) = (first.trim(), second.map(str::trim));
        (!first.is_empty() && second != Some("")).then(|| Self {
            first: first.to_owned(),
            second: second.map(str::to_owned),
        })
    }

    /// A name in one cell, whose parts are told apart by its last mark.
    fn split(text: &str, mark: Option<char>) -> Option<Self> {
        match mark.and_then(|mark| text.rsplit_once(mark)) {
            Some((first, second)) => Self::new(first, Some(second)),
            None => Self::new(text, None),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.second {
            Some(second) => write!(f, "{}{ITEM_MARK}{second}", self.first),
            None => f.write_str(&self.first),
        }
    }
}

/// How the names of rows are read.
pub(super) struct Axes {
    pub(super) layout: WideLayout,
    /// How many columns of names stand in front of the cells.
    pub(super) names: usize,
    /// What tells the parts of a row's name apart.
    mark: Option<char>,
}

impl Axes {
    /// Reads the head of a matrix; the names of its columns come with it. `None` when they cannot be used, which was reported.
    pub(super) fn open(
        table: &mut Delimited,
        row: &mut Row,
        layout: WideLayout,
        findings: &mut Findings,
    ) -> Option<(Self, Vec<Name>)> {
        let header = table.header().to_vec();
        let is_word = |at: usize, word: &str| header.get(at).is_some_and(|head| head.eq_ignore_ascii_case(word));
        let samples = header.first().is_some_and(|head| head == SAMPLES).then_some('#');
        let (names, mark, columns) = match layout {
            WideLayout::SystemsInRows if is_word(0, "criterion") => (1, None, two_rows(&header, table, row, findings)?),
            WideLayout::SystemsInRows => {
                let items = header.iter().skip(1).map(|name| Name::split(name, Some(ITEM_MARK)));
                (1, samples, items.collect())
            }
            WideLayout::ItemsInRows => {
                let names = if is_word(1, "query") { 2 } else { 1 };
                // Over the items there is no other place for it: the mark shows in the names of the systems themselves.
                let mark = header.first().is_some_and(|head| head.contains(SAMPLES)).then_some('#');
                let systems = header.iter().skip(names).map(|name| Name::split(name, mark));
                (names, Some(ITEM_MARK), systems.collect::<Vec<_>>())
            }
        };
        let columns = checked(columns, names, table.lines.name(), row, findings)?;
        Some((Self { layout, names, mark }, columns))
    }

    /// The name of a row; none where it is empty.
    pub(super) fn row_name(&self, row: &Row) -> Option<Name> {
        match self.names {
            1 => Name::split(row.text(0), self.mark),
            _ => Name::new(row.text(0), Some(row.text(1))),
        }
    }
}

/// The items of a head of two rows: criteria, and below them their queries.
fn two_rows(
    header: &[String],
    table: &mut Delimited,
    row: &mut Row,
    findings: &mut Findings,
) -> Option<Vec<Option<Name>>> {
    let has_row = table.next(row, findings) == Step::Read;
    if !has_row || !row.text(0).trim().eq_ignore_ascii_case("query") {
        let help =
            "below a row that begins `criterion` stands one that begins `query`; a head of one row begins `system`";
        row.report(
            table.lines.name(),
            0,
            Diagnostic::error("no-queries", "the second row names no queries", help),
            findings,
        );
        return None;
    }
    let names = (1..header.len()).map(|at| Name::new(&header[at], Some(row.text(at))));
    Some(names.collect())
}

/// The names of the columns, each there and none twice.
fn checked(
    columns: Vec<Option<Name>>,
    names: usize,
    file: &str,
    row: &Row,
    findings: &mut Findings,
) -> Option<Vec<Name>> {
    let before = findings.len();
    if columns.is_empty() {
        let help = "a matrix has a column a name, behind the names of its rows; columns are told apart by commas, semicolons or tabs";
        row.report(
            file,
            0,
            Diagnostic::error("no-columns", "the first row names nothing", help),
            findings,
        );
    }
    let mut seen: BTreeMap<&Name, usize> = BTreeMap::new();
    for (at, name) in columns.iter().enumerate() {
        let Some(name) = name else {
            let what = format!("column {} has no name", at + names + 1);
            row.report(
                file,
                at + names,
                Diagnostic::error("no-name", what, "give every column a name"),
                findings,
            );
            continue;
        };
        if let Some(first) = seen.insert(name, at) {
            let what = format!(
                "`{}` names two columns, first column {}",
                shown(&name.to_string()),
                first + names + 1
            );
            row.report(
                file,
                at + names,
                Diagnostic::error("two-columns", what, "keep one of the two"),
                findings,
            );
        }
    }
    if findings.len() > before {
        return None;
    }
    columns.into_iter().collect()
}

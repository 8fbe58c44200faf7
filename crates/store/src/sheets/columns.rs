//! Which column of a returned sheet holds what: by its name in some language, ids also by what they are.

use super::grid::{Content, GridRow};
use super::roster::Roster;
use super::words::read_verdict;

/// What a column that is read back can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SheetColumn {
    /// The id of the answer.
    Unit,
    /// The id of the criterion.
    Criterion,
    /// The verdict.
    Verdict,
    /// The comment.
    Comment,
    /// The id of the exercise.
    Exercise,
    /// Whose sheet it is.
    Grader,
}

impl SheetColumn {
    const ALL: [Self; 6] = [
        Self::Unit,
        Self::Criterion,
        Self::Verdict,
        Self::Comment,
        Self::Exercise,
        Self::Grader,
    ];

    /// The house name, and how it is called in other languages.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Unit => &["unit", "einheit", "unité", "unidad", "unità", "unidade"],
            Self::Criterion => &["criterion", "kriterium", "critère", "criterio", "critério"],
            Self::Verdict => &[
                "verdict",
                "label",
                "grade",
                "urteil",
                "bewertung",
                "note",
                "avis",
                "veredicto",
                "verdetto",
                "giudizio",
                "veredito",
                "oordeel",
            ],
            Self::Comment => &[
                "comment",
                "comments",
                "kommentar",
                "bemerkung",
                "anmerkung",
                "commentaire",
                "remarque",
                "comentario",
                "comentarios",
                "commento",
                "comentário",
                "opmerking",
            ],
            Self::Exercise => &["exercise", "übung", "exercice", "ejercicio", "esercizio", "exercício"],
            Self::Grader => &[
                "grader",
                "prüfer",
                "prüferin",
                "correcteur",
                "correctrice",
                "evaluador",
                "valutatore",
            ],
        }
    }

    /// The house name.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.names()[0]
    }

    fn of_name(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        Self::ALL
            .into_iter()
            .find(|column| column.names().contains(&name.as_str()))
    }
}

/// How a column was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnFrom {
    /// It has a name that is known.
    Name,
    /// Its cells are ids of the exercise, or words of verdicts.
    Cells,
}

/// A column that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundColumn {
    /// What it holds.
    pub column: SheetColumn,
    /// Its heading in the file.
    pub heading: String,
    /// How it was found.
    pub from: ColumnFrom,
    /// Where it stands, from 0.
    pub(crate) at: u32,
}

/// Rows from the top among which the header is looked for: a person may have put a title above it.
const HEADER_AMONG: usize = 30;

/// Where the table of a sheet begins, and its columns.
pub(crate) struct Layout {
    /// The row of the header; `None` when the table has none.
    pub(crate) header: Option<usize>,
    pub(crate) columns: Vec<FoundColumn>,
    /// Headings of columns that could each hold the verdicts, where no single one does.
    pub(crate) verdict_among: Vec<String>,
}

impl Layout {
    pub(crate) fn at(&self, column: SheetColumn) -> Option<u32> {
        self.columns
            .iter()
            .find(|found| found.column == column)
            .map(|found| found.at)
    }

    /// The rows of the table, with their places in `rows`.
    pub(crate) fn body<'r>(&self, rows: &'r [GridRow]) -> &'r [GridRow] {
        &rows[self.header.map_or(0, |header| header + 1)..]
    }
}

/// How many columns of a row have a name that is known; the most of the first rows tells tables apart.
pub(crate) fn names_known(rows: &[GridRow]) -> usize {
    let known = |row: &GridRow| {
        row.cells
            .iter()
            .filter(|(_, cell)| column_of(&cell.content).is_some())
            .count()
    };
    rows.iter().take(HEADER_AMONG).map(known).max().unwrap_or(0)
}

fn column_of(content: &Content) -> Option<SheetColumn> {
    match content {
        Content::Text(text) => SheetColumn::of_name(text),
        _ => None,
    }
}

/// Finds the header and the columns.
///
/// An id column that no name tells is the one with the most ids of the exercise; the verdict column the only one of
/// unknown heading whose every cell is a verdict on the scale of its row.
pub(crate) fn layout(rows: &[GridRow], roster: &Roster<'_>) -> Layout {
    let mut layout = Layout {
        header: header_row(rows, roster),
        columns: Vec::new(),
        verdict_among: Vec::new(),
    };
    let ids = [
        SheetColumn::Unit,
        SheetColumn::Criterion,
        SheetColumn::Exercise,
        SheetColumn::Grader,
    ];
    for column in ids {
        find_ids(column, rows, roster, &mut layout);
    }
    for column in [SheetColumn::Verdict, SheetColumn::Comment] {
        let named = named(column, rows, &layout);
        match named[..] {
            [at] => layout.add(column, at, ColumnFrom::Name, rows),
            [] if column == SheetColumn::Verdict => find_verdicts(rows, roster, &mut layout),
            [] => {}
            _ => layout.verdict_among = named.iter().map(|at| heading(*at, rows, layout.header)).collect(),
        }
    }
    layout
}

impl Layout {
    fn add(&mut self, column: SheetColumn, at: u32, from: ColumnFrom, rows: &[GridRow]) {
        let heading = heading(at, rows, self.header);
        self.columns.push(FoundColumn {
            column,
            heading,
            from,
            at,
        });
    }
}

/// The first row with the most known names, two at least; else the one above the first row with an id of an answer.
fn header_row(rows: &[GridRow], roster: &Roster<'_>) -> Option<usize> {
    let known = names_known(rows);
    if known >= 2 {
        return rows
            .iter()
            .take(HEADER_AMONG)
            .position(|row| names_known(std::slice::from_ref(row)) == known);
    }
    let is_id = |row: &GridRow| {
        row.cells
            .iter()
            .any(|(_, cell)| roster.read(SheetColumn::Unit, &cell.content.text()).is_some())
    };
    let first = rows.iter().position(is_id)?;
    rows[..first].iter().rposition(|row| !row.is_blank())
}

fn heading(at: u32, rows: &[GridRow], header: Option<usize>) -> String {
    header.map_or_else(String::new, |header| rows[header].text(at))
}

/// Columns whose heading is a name of `column`.
fn named(column: SheetColumn, rows: &[GridRow], layout: &Layout) -> Vec<u32> {
    let Some(header) = layout.header else {
        return Vec::new();
    };
    let cells = rows[header].cells.iter();
    cells
        .filter(|(_, cell)| column_of(&cell.content) == Some(column))
        .map(|(at, _)| *at)
        .collect()
}

fn find_ids(column: SheetColumn, rows: &[GridRow], roster: &Roster<'_>, layout: &mut Layout) {
    let named = named(column, rows, layout);
    let body = layout.body(rows);
    let known = |at: u32| {
        body.iter()
            .filter(|row| roster.read(column, &row.text(at)).is_some())
            .count()
    };
    if let [at] = named[..]
        && (known(at) > 0 || !columns_of(body).iter().any(|at| known(*at) > 0))
    {
        layout.add(column, at, ColumnFrom::Name, rows);
        return;
    }
    let best = columns_of(body)
        .into_iter()
        .map(|at| (known(at), std::cmp::Reverse(at)))
        .max();
    if let Some((1.., std::cmp::Reverse(at))) = best {
        let from = if named.contains(&at) {
            ColumnFrom::Name
        } else {
            ColumnFrom::Cells
        };
        layout.add(column, at, from, rows);
    }
}

fn find_verdicts(rows: &[GridRow], roster: &Roster<'_>, layout: &mut Layout) {
    let body = layout.body(rows);
    let candidates: Vec<u32> = columns_of(body)
        .into_iter()
        .filter(|at| !layout.columns.iter().any(|found| found.at == *at))
        .filter(|at| !super::lines::COLUMNS.contains(&heading(*at, rows, layout.header).to_lowercase().as_str()))
        .filter(|at| all_verdicts(*at, body, roster, layout))
        .collect();
    match candidates[..] {
        [at] => layout.add(SheetColumn::Verdict, at, ColumnFrom::Cells, rows),
        _ => layout.verdict_among = candidates.iter().map(|at| heading(*at, rows, layout.header)).collect(),
    }
}

/// Whether every cell of a column is empty or a verdict on the scale of its row, and one at least is a verdict.
fn all_verdicts(at: u32, body: &[GridRow], roster: &Roster<'_>, layout: &Layout) -> bool {
    let (Some(unit), Some(criterion)) = (layout.at(SheetColumn::Unit), layout.at(SheetColumn::Criterion)) else {
        return false;
    };
    let mut verdicts = 0;
    for row in body {
        let Some(cell) = row.cell(at).filter(|cell| !cell.content.is_blank()) else {
            continue;
        };
        let scale = roster.scale(&row.text(unit), &row.text(criterion));
        match scale.map(|scale| read_verdict(&cell.content, "-", scale)) {
            Some(Ok(_)) => verdicts += 1,
            Some(Err(_)) => return false,
            None => {}
        }
    }
    verdicts > 0
}

/// Every column that holds anything, ascending.
fn columns_of(rows: &[GridRow]) -> Vec<u32> {
    let mut columns: Vec<u32> = rows
        .iter()
        .flat_map(|row| {
            row.cells
                .iter()
                .filter(|(_, cell)| !cell.content.is_blank())
                .map(|(at, _)| *at)
        })
        .collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}

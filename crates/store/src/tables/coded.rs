//! Rows whose columns are codes of distinct texts, on their way into verdicts.
//!
//! A row whose texts were all met before goes by its codes alone. Any other row is put into words and read as a row of any table is,
//! so that there is one set of rules about labels and one set of messages.

mod texts;

use std::sync::Arc;

use calibrant_schema::verdicts::CodedJudgement;
use calibrant_schema::{Diagnostic, Scale, Status};
use rustc_hash::FxHashMap;

pub(super) use texts::{NULL, SharedTexts, Texts};

use crate::findings::Findings;
use crate::tables::columns::Columns;
use crate::tables::judgement::{OnScale, Outcome, RowReader};
use crate::tables::reading::Reading;
use crate::tables::role::Role;
use crate::tables::row::{Cell, Row, RowNumber, Value};
use crate::tables::verdicts::Scales;

/// Rows decoded at a time: the codes of all columns stay in a near cache.
pub(super) const BATCH: usize = 16 * 1024;

/// One column, batch after batch.
#[derive(Debug, Default)]
pub(super) struct CodedColumn {
    /// Its distinct texts.
    pub(super) texts: SharedTexts,
    /// The codes of the rows read last; [`NULL`] where there is no value.
    pub(super) codes: Vec<u32>,
}

/// A batch of rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    /// Rows of the table before it.
    pub(super) first: u64,
    /// How many rows it has.
    pub(super) rows: usize,
    /// The row group of a file it is in, from 1.
    pub(super) group: Option<usize>,
}

/// Whether to go on through the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walk {
    On,
    Enough,
}

/// The roles that say which cell a row is of, in the order of [`Row`]'s key.
const IDS: [Role; 5] = [Role::System, Role::Query, Role::Sample, Role::Criterion, Role::Judge];

/// Places of roles in [`IDS`].
const QUERY: usize = 1;
const CRITERION: usize = 3;
const JUDGE: usize = 4;

/// A file with more mistakes is not looked through to its end: a few bytes can stand for billions of wrong rows.
const MOST_MISTAKES: usize = 100_000;

/// What is known of a text of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// It was not met yet.
    New,
    /// The code that the verdicts gave it.
    Code(u32),
    /// The row is of a judge that is not asked for.
    Dropped,
}

impl Reading<'_> {
    /// Takes in a batch of rows, the columns in the order of their roles.
    pub(super) fn batch(&mut self, table: &mut Table<'_>, batch: Batch, columns: &[&CodedColumn]) -> Walk {
        table.grow(columns);
        let before = table.mistakes_before;
        for at in 0..batch.rows {
            let number = batch.first + at as u64 + 1;
            let row = table.row(columns, at);
            let is_kept = table.known[JUDGE].of(row.cell[JUDGE]) != Known::Dropped;
            if table.last == Some(row.cell) && is_kept && self.findings.is_empty() {
                self.findings.push(row_twice(table.file, number), None);
            }
            table.last = Some(row.cell);
            if self.findings.len() > before + MOST_MISTAKES {
                return Walk::Enough;
            }
            if !self.known_row(table, &row, number) {
                let words = table.in_words(columns, at, batch);
                self.row(table.file, &words, table.columns);
                self.remember(table, &row, &words);
            } else if let (Some(count), true) = (table.hashes.get_mut(row.hash as usize), row.hash != NULL) {
                *count += 1;
            }
        }
        Walk::On
    }

    /// Takes in a row by its codes; false when some of it is new or needs words.
    fn known_row(&mut self, table: &Table<'_>, row: &Codes, number: u64) -> bool {
        if table.known[JUDGE].of(row.cell[JUDGE]) == Known::Dropped {
            return true;
        }
        let mut ids = [0; IDS.len()];
        for (id, (known, code)) in ids.iter_mut().zip(table.known.iter().zip(row.cell)) {
            match known.of(code) {
                Known::Code(code) => *id = code,
                Known::New | Known::Dropped => return false,
            }
        }
        let Some(repeat) = table.repeat_of(row.cell[IDS.len()]) else {
            return false;
        };
        let scale = table.scale_of(row.cell[CRITERION]);
        let Some((level, status)) = table.outcomes.get(&(row.label, row.status, scale)).copied() else {
            return false;
        };
        if !table.has_value(row.cell[QUERY], row.value) {
            return false;
        }
        if !self.findings.is_empty() {
            return true;
        }
        let [system, query, sample, criterion, judge] = ids;
        self.builder.push_coded(CodedJudgement {
            system,
            query,
            sample,
            criterion,
            judge,
            repeat,
            level,
            status,
            line: self.lines_before + number as u32,
        });
        true
    }

    /// What a row in words taught about its texts, when nothing was wrong with it.
    fn remember(&mut self, table: &mut Table<'_>, row: &Codes, words: &Row) {
        let reader = RowReader {
            file: table.file,
            row: words,
            columns: table.columns,
        };
        let mut doubts = Findings::default();
        let Some(ids) = reader.ids(self.shape, &mut doubts) else {
            return;
        };
        if !self.judges.keeps(ids.judge) {
            table.known[JUDGE].set(row.cell[JUDGE], Known::Dropped);
            return;
        }
        let scales = &self.options.scales;
        let Some(outcome) = reader.outcome(scales, ids.criterion, &mut doubts) else {
            return;
        };
        // The row is among the verdicts, unless the table has mistakes: then no code is looked at again.
        let codes = [
            self.builder.system(ids.system),
            self.builder.query(ids.query),
            self.builder.sample(ids.sample),
            self.builder.criterion(ids.criterion, scales.of(ids.criterion)),
            self.builder.judge(ids.judge),
        ];
        for (known, (text, code)) in table.known.iter_mut().zip(row.cell.into_iter().zip(codes)) {
            known.set(text, Known::Code(code));
        }
        table.learn_repeat(row.cell[IDS.len()], ids.repeat);
        if let Some(role) = table.divides {
            table.learn_value(row.cell[QUERY], row.value, reader.text(role));
        }
        let scale = table.learn_scale(row.cell[CRITERION], scales, ids.criterion);
        if let Outcome {
            level,
            status,
            on_scale: OnScale::Yes,
        } = outcome
        {
            table.outcomes.insert((row.label, row.status, scale), (level, status));
        }
    }

    /// Adds the hashes of rubrics that rows went by without words.
    pub(super) fn count_hashes(&mut self, table: &Table<'_>, read: &[&CodedColumn]) {
        let Some(column) = table.at[Role::RubricHash.index()] else {
            return;
        };
        let texts = read[column].texts.lock();
        for (code, count) in table.hashes.iter().enumerate().filter(|(_, count)| **count > 0) {
            let hash = texts.get(code as u32);
            if !hash.is_empty() {
                *self.rubric_hashes.entry(hash.to_owned()).or_default() += count;
            }
        }
    }
}

/// One row in the codes of its columns.
struct Codes {
    /// System, query, sample, criterion, judge and repeat.
    cell: [u32; IDS.len() + 1],
    label: u32,
    status: u32,
    hash: u32,
    /// What the row says of its query; [`NULL`] where nothing was asked for.
    value: u32,
}

/// What is known of the texts of one column; the last entry stands for [`NULL`] and for a column that is not there.
#[derive(Default)]
struct Learned(Vec<Known>);

impl Learned {
    fn at(&self, code: u32) -> usize {
        (code as usize).min(self.0.len() - 1)
    }

    fn of(&self, code: u32) -> Known {
        self.0[self.at(code)]
    }

    fn set(&mut self, code: u32, known: Known) {
        let at = self.at(code);
        self.0[at] = known;
    }

    /// Makes room for `texts` texts.
    fn grow(&mut self, texts: usize) {
        let null = self.0.pop().unwrap_or(Known::New);
        self.0.resize(texts, Known::New);
        self.0.push(null);
    }
}

/// A file being read, with all that is known of its texts.
pub(super) struct Table<'a> {
    file: &'a str,
    columns: &'a Columns,
    names: Arc<[String]>,
    /// For each role, the place of its column among those read.
    at: [Option<usize>; Role::ALL.len()],
    known: [Learned; IDS.len()],
    repeats: FxHashMap<u32, u16>,
    /// The scales met, and for each criterion the place of its own among them.
    scales: Vec<Scale>,
    scale_of: FxHashMap<u32, u32>,
    /// What a label and a status say together on a scale.
    outcomes: FxHashMap<(u32, u32, u32), (Option<u8>, Status)>,
    hashes: Vec<u64>,
    /// The column of which each query's value is kept.
    divides: Option<Role>,
    /// By query, the value it was first met with.
    values: FxHashMap<u32, u32>,
    /// The value last met that says nothing, such as spaces.
    blank: u32,
    last: Option<[u32; IDS.len() + 1]>,
    mistakes_before: usize,
}

impl<'a> Table<'a> {
    /// Nothing is known yet; `present` says of each role whether its column is read, `divides` of which role each query's value is kept.
    pub(super) fn new(
        file: &'a str,
        columns: &'a Columns,
        present: &[bool],
        divides: Option<Role>,
        mistakes_before: usize,
    ) -> Self {
        let mut at = [None; Role::ALL.len()];
        let there = present.iter().enumerate().filter(|(_, present)| **present);
        for (place, (role, _)) in there.enumerate() {
            at[role] = Some(place);
        }
        Self {
            file,
            columns,
            names: columns.names().into(),
            at,
            known: Default::default(),
            repeats: FxHashMap::default(),
            scales: Vec::new(),
            scale_of: FxHashMap::default(),
            outcomes: FxHashMap::default(),
            hashes: Vec::new(),
            divides,
            values: FxHashMap::default(),
            blank: NULL,
            last: None,
            mistakes_before,
        }
    }

    /// Makes room for the texts met so far.
    fn grow(&mut self, read: &[&CodedColumn]) {
        let at = self.at;
        let texts = |role: Role| at[role.index()].map_or(0, |column| read[column].texts.lock().len());
        for (known, role) in self.known.iter_mut().zip(IDS) {
            known.grow(texts(role));
        }
        self.hashes.resize(texts(Role::RubricHash), 0);
    }

    fn code(&self, read: &[&CodedColumn], role: Role, row: usize) -> u32 {
        self.at[role.index()].map_or(NULL, |column| read[column].codes[row])
    }

    fn row(&self, read: &[&CodedColumn], at: usize) -> Codes {
        let code = |role| self.code(read, role, at);
        Codes {
            cell: [
                code(IDS[0]),
                code(IDS[1]),
                code(IDS[2]),
                code(IDS[3]),
                code(IDS[4]),
                code(Role::Repeat),
            ],
            label: code(Role::Label),
            status: code(Role::Status),
            hash: code(Role::RubricHash),
            value: self.divides.map_or(NULL, code),
        }
    }

    /// A row as rows of other tables are: its cells in words, by column.
    fn in_words(&self, read: &[&CodedColumn], at: usize, batch: Batch) -> Row {
        let number = batch.first + at as u64 + 1;
        let mut row = Row {
            line: number as u32,
            number: Some(RowNumber {
                row: number,
                group: batch.group,
                names: Arc::clone(&self.names),
            }),
            cells: vec![None; self.names.len()],
            ..Row::default()
        };
        for role in Role::ALL {
            let (Some(place), Some(column)) = (self.columns.of(role), self.at[role.index()]) else {
                continue;
            };
            let value = match read[column].codes[at] {
                NULL => Value::Null,
                code => {
                    let start = row.unquoted.len();
                    row.unquoted.push_str(read[column].texts.lock().get(code));
                    Value::Unquoted(start..row.unquoted.len())
                }
            };
            row.cells[place] = Some(Cell { place: 0..0, value });
        }
        row
    }

    fn repeat_of(&self, code: u32) -> Option<u16> {
        match code {
            NULL => Some(1),
            code => self.repeats.get(&code).copied(),
        }
    }

    fn learn_repeat(&mut self, code: u32, repeat: u16) {
        if code != NULL {
            self.repeats.insert(code, repeat);
        }
    }

    /// Whether a row says nothing of its query, or what was said of it before.
    fn has_value(&self, query: u32, value: u32) -> bool {
        value == NULL || value == self.blank || self.values.get(&query) == Some(&value)
    }

    fn learn_value(&mut self, query: u32, value: u32, text: &str) {
        if text.trim().is_empty() {
            self.blank = value;
        } else {
            // A second value is a mistake, or another spelling: every row of it goes by its words.
            self.values.entry(query).or_insert(value);
        }
    }

    /// The place of a criterion's scale; one that was not met yet has none.
    fn scale_of(&self, criterion: u32) -> u32 {
        match self.scales.len() {
            1 if self.scale_of.is_empty() => 0,
            _ => self.scale_of.get(&criterion).copied().unwrap_or(NULL),
        }
    }

    fn learn_scale(&mut self, code: u32, scales: &Scales, criterion: &str) -> u32 {
        let scale = scales.of(criterion);
        let at = self.scales.iter().position(|known| known == scale).unwrap_or_else(|| {
            self.scales.push(scale.clone());
            self.scales.len() - 1
        });
        if !scales.by_criterion.is_empty() {
            self.scale_of.insert(code, at as u32);
        }
        at as u32
    }
}

/// Two rows of one cell, one after the other: they are told before the file is at its end, because a few bytes of a hostile file can
/// stand for billions of them, and a table with mistakes keeps no rows.
fn row_twice(file: &str, number: u64) -> Diagnostic {
    Diagnostic::error(
        "duplicate-cell",
        format!(
            "rows {} and {number} of `{file}` are verdicts of one judge on one cell",
            number - 1
        ),
        "keep one of the two, or tell them apart: `repeat` numbers the judgements of one judge, `sample` the answers of one system",
    )
}

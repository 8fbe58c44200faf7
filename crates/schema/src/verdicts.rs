//! The one table of raw judgements, columnar and dictionary-coded.

mod order;

use std::fmt;

use self::order::{Field, order};
use crate::names::{Interner, Names};
use crate::scale::Scale;
use crate::status::Status;

/// The system of a gold label that holds for every system: gold of a query's criterion, not of an answer.
pub const ANY_SYSTEM: &str = "*";

/// The code in the label column of a row that carries no label.
const NO_LABEL: u8 = u8::MAX;

/// A (query, criterion) pair: what item response theory calls an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Item {
    /// Code of the query.
    pub query: u32,
    /// Code of the criterion.
    pub criterion: u32,
}

/// One judgement as a reader hands it over: names, not yet codes.
#[derive(Clone, Copy, Debug)]
pub struct Judgement<'a> {
    /// What answered.
    pub system: &'a str,
    /// What it answered.
    pub query: &'a str,
    /// Which of several answers of the system to the query; `"1"` when there is only one.
    pub sample: &'a str,
    /// The condition judged.
    pub criterion: &'a str,
    /// Who judged.
    pub judge: &'a str,
    /// Which of several judgements of the same cell by the same judge, from 1.
    pub repeat: u16,
    /// The level given, as an index into the criterion's scale; `None` unless the status is [`Status::Ok`].
    pub level: Option<u8>,
    /// What became of the judgement.
    pub status: Status,
    /// Line of the table, from 1, for messages; 0 when there is none.
    pub line: u32,
}

/// All verdicts of one analysis, sorted by (query, criterion, system, sample, judge, repeat).
///
/// Names are coded once, in byte order, so that no result depends on the order of the rows. A row takes 20 bytes:
/// 3.4 million rows take 68 MB.
#[derive(Clone, Debug)]
pub struct Verdicts {
    systems: Names,
    queries: Names,
    samples: Names,
    criteria: Names,
    judges: Names,
    scales: Vec<Scale>,
    items: Vec<Item>,
    item: Vec<u32>,
    system: Vec<u32>,
    sample: Vec<u32>,
    judge: Vec<u32>,
    repeat: Vec<u16>,
    level: Vec<u8>,
    status: Vec<Status>,
}

/// One row of [`Verdicts`], in codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Index into [`Verdicts::items`].
    pub item: u32,
    /// Code of the system.
    pub system: u32,
    /// Code of the sample.
    pub sample: u32,
    /// Code of the judge.
    pub judge: u32,
    /// Repeat, from 1.
    pub repeat: u16,
    /// Level index on the criterion's scale, when there is a label.
    pub level: Option<u8>,
    /// What became of the judgement.
    pub status: Status,
}

impl Verdicts {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.item.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.item.is_empty()
    }

    /// The systems judged.
    pub fn systems(&self) -> &Names {
        &self.systems
    }

    /// The queries answered.
    pub fn queries(&self) -> &Names {
        &self.queries
    }

    /// The sample ids.
    pub fn samples(&self) -> &Names {
        &self.samples
    }

    /// The criterion ids.
    pub fn criteria(&self) -> &Names {
        &self.criteria
    }

    /// The judges.
    pub fn judges(&self) -> &Names {
        &self.judges
    }

    /// The (query, criterion) pairs met, sorted by query, then criterion.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The scale of a criterion.
    pub fn scale(&self, criterion: u32) -> &Scale {
        &self.scales[criterion as usize]
    }

    /// One row.
    pub fn row(&self, at: usize) -> Verdict {
        Verdict {
            item: self.item[at],
            system: self.system[at],
            sample: self.sample[at],
            judge: self.judge[at],
            repeat: self.repeat[at],
            level: (self.level[at] != NO_LABEL).then_some(self.level[at]),
            status: self.status[at],
        }
    }

    /// All rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Verdict> {
        (0..self.len()).map(|at| self.row(at))
    }

    /// The queries a criterion was asked about; a criterion of one query is query-specific, of several shared.
    pub fn queries_per_criterion(&self) -> Vec<u32> {
        let mut count = vec![0; self.criteria.len()];
        for item in &self.items {
            count[item.criterion as usize] += 1;
        }
        count
    }

    /// The same verdicts with only the named judges.
    ///
    /// # Errors
    /// If a name is not among the judges of the table.
    pub fn select_judges(&self, wanted: &[String]) -> Result<Self, VerdictsError> {
        let wanted = wanted
            .iter()
            .map(|name| {
                self.judges.find(name).ok_or_else(|| VerdictsError::UnknownJudge {
                    judge: name.clone(),
                    known: self.judges.iter().map(str::to_owned).collect(),
                })
            })
            .collect::<Result<Vec<u32>, _>>()?;
        Ok(self.keep(|row| wanted.contains(&row.judge)))
    }

    /// Adds a row at the end, behind the rows of smaller cells.
    fn append(&mut self, row: &RawRow) {
        let item = Item {
            query: row.query,
            criterion: row.criterion,
        };
        if self.items.last() != Some(&item) {
            self.items.push(item);
        }
        self.item.push(self.items.len() as u32 - 1);
        self.system.push(row.system);
        self.sample.push(row.sample);
        self.judge.push(row.judge);
        self.repeat.push(row.repeat);
        self.level.push(row.level);
        self.status.push(row.status);
    }

    /// The rows that pass, with every dictionary cut to what is left.
    pub fn keep(&self, pass: impl Fn(&Verdict) -> bool) -> Self {
        let mut builder = VerdictsBuilder::default();
        for row in self.rows().filter(|row| pass(row)) {
            let item = self.items[row.item as usize];
            builder.push(
                Judgement {
                    system: self.systems.get(row.system),
                    query: self.queries.get(item.query),
                    sample: self.samples.get(row.sample),
                    criterion: self.criteria.get(item.criterion),
                    judge: self.judges.get(row.judge),
                    repeat: row.repeat,
                    level: row.level,
                    status: row.status,
                    line: 0,
                },
                self.scale(item.criterion),
            );
        }
        builder.finish().expect("a subset of distinct cells has distinct cells")
    }
}

/// Rows on their way into [`Verdicts`].
#[derive(Debug, Default)]
pub struct VerdictsBuilder {
    systems: Interner,
    queries: Interner,
    samples: Interner,
    criteria: Interner,
    judges: Interner,
    scales: Vec<Scale>,
    rows: Vec<RawRow>,
}

#[derive(Clone, Copy, Debug)]
struct RawRow {
    query: u32,
    criterion: u32,
    system: u32,
    sample: u32,
    judge: u32,
    line: u32,
    repeat: u16,
    level: u8,
    status: Status,
}

impl RawRow {
    fn cell(&self) -> (u32, u32, u32, u32, u32, u16) {
        (
            self.query,
            self.criterion,
            self.system,
            self.sample,
            self.judge,
            self.repeat,
        )
    }
}

/// A row in the codes that its [`VerdictsBuilder`] gave out.
#[derive(Clone, Copy, Debug)]
pub struct CodedJudgement {
    /// From [`VerdictsBuilder::system`].
    pub system: u32,
    /// From [`VerdictsBuilder::query`].
    pub query: u32,
    /// From [`VerdictsBuilder::sample`].
    pub sample: u32,
    /// From [`VerdictsBuilder::criterion`].
    pub criterion: u32,
    /// From [`VerdictsBuilder::judge`].
    pub judge: u32,
    /// As [`Judgement::repeat`].
    pub repeat: u16,
    /// As [`Judgement::level`].
    pub level: Option<u8>,
    /// As [`Judgement::status`].
    pub status: Status,
    /// As [`Judgement::line`].
    pub line: u32,
}

impl VerdictsBuilder {
    /// The code of a system, for [`VerdictsBuilder::push_coded`]; a name that is given a code must have a row.
    pub fn system(&mut self, name: &str) -> u32 {
        self.systems.code(name)
    }

    /// The code of a query, as [`VerdictsBuilder::system`].
    pub fn query(&mut self, name: &str) -> u32 {
        self.queries.code(name)
    }

    /// The code of a sample, as [`VerdictsBuilder::system`].
    pub fn sample(&mut self, name: &str) -> u32 {
        self.samples.code(name)
    }

    /// The code of a criterion, as [`VerdictsBuilder::system`]; the first scale given for a criterion stays.
    pub fn criterion(&mut self, name: &str, scale: &Scale) -> u32 {
        let criterion = self.criteria.code(name);
        if criterion as usize == self.scales.len() {
            self.scales.push(scale.clone());
        }
        criterion
    }

    /// The code of a judge, as [`VerdictsBuilder::system`].
    pub fn judge(&mut self, name: &str) -> u32 {
        self.judges.code(name)
    }

    /// Adds a row; `scale` is the scale of its criterion (the first one given for a criterion stays).
    pub fn push(&mut self, row: Judgement<'_>, scale: &Scale) {
        let coded = CodedJudgement {
            criterion: self.criterion(row.criterion, scale),
            query: self.query(row.query),
            system: self.system(row.system),
            sample: self.sample(row.sample),
            judge: self.judge(row.judge),
            repeat: row.repeat,
            level: row.level,
            status: row.status,
            line: row.line,
        };
        self.push_coded(coded);
    }

    /// Adds a row whose names were coded before: for readers that meet a name once and its code in many rows.
    pub fn push_coded(&mut self, row: CodedJudgement) {
        self.rows.push(RawRow {
            query: row.query,
            criterion: row.criterion,
            system: row.system,
            sample: row.sample,
            judge: row.judge,
            line: row.line,
            repeat: row.repeat,
            level: row.level.unwrap_or(NO_LABEL),
            status: row.status,
        });
    }

    /// Number of rows so far.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether no row was added.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Sorts, codes and checks the rows.
    ///
    /// # Errors
    /// If one cell (system, query, sample, criterion, judge, repeat) has two rows.
    pub fn finish(self) -> Result<Verdicts, VerdictsError> {
        let (systems, system_code) = self.systems.finish();
        let (queries, query_code) = self.queries.finish();
        let (samples, sample_code) = self.samples.finish();
        let (criteria, criterion_code) = self.criteria.finish();
        let (judges, judge_code) = self.judges.finish();
        let mut scales = vec![Scale::Binary; criteria.len()];
        for (provisional, scale) in self.scales.into_iter().enumerate() {
            scales[criterion_code[provisional] as usize] = scale;
        }
        let mut rows = self.rows;
        for row in &mut rows {
            row.system = system_code[row.system as usize];
            row.query = query_code[row.query as usize];
            row.sample = sample_code[row.sample as usize];
            row.criterion = criterion_code[row.criterion as usize];
            row.judge = judge_code[row.judge as usize];
        }
        let sizes = [&queries, &criteria, &systems, &samples, &judges].map(Names::len);
        let order = in_order(&rows, sizes);
        let mut verdicts = Verdicts {
            systems,
            queries,
            samples,
            criteria,
            judges,
            scales,
            items: Vec::new(),
            item: Vec::with_capacity(order.len()),
            system: Vec::with_capacity(order.len()),
            sample: Vec::with_capacity(order.len()),
            judge: Vec::with_capacity(order.len()),
            repeat: Vec::with_capacity(order.len()),
            level: Vec::with_capacity(order.len()),
            status: Vec::with_capacity(order.len()),
        };
        // Rows lie all over the memory in their new order, so each is fetched once, for all columns.
        let mut before: Option<&RawRow> = None;
        for row in order.iter().map(|at| &rows[*at as usize]) {
            if let Some(before) = before.filter(|before| before.cell() == row.cell()) {
                return Err(VerdictsError::duplicate(&verdicts, before, row.line));
            }
            verdicts.append(row);
            before = Some(row);
        }
        Ok(verdicts)
    }
}

/// The positions of rows sorted by cell; rows of one cell by line, so that a message about them names them in file order.
fn in_order(rows: &[RawRow], [queries, criteria, systems, samples, judges]: [usize; 5]) -> Vec<u32> {
    let repeats = rows
        .iter()
        .map(|row| row.repeat)
        .max()
        .map_or(0, |most| usize::from(most) + 1);
    let field = |values: usize, of| Field {
        values: values as u64,
        of,
    };
    let fields = [
        field(queries, &|row: &RawRow| row.query.into()),
        field(criteria, &|row: &RawRow| row.criterion.into()),
        field(systems, &|row: &RawRow| row.system.into()),
        field(samples, &|row: &RawRow| row.sample.into()),
        field(judges, &|row: &RawRow| row.judge.into()),
        field(repeats, &|row: &RawRow| row.repeat.into()),
    ];
    // Rows come in the order of their lines, and equal cells stay in it.
    order(rows, &fields).unwrap_or_else(|| {
        let mut positions: Vec<u32> = (0..rows.len() as u32).collect();
        positions.sort_by_key(|at| rows[*at as usize].cell());
        positions
    })
}

/// Why rows do not make a table of verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerdictsError {
    /// One cell has two rows.
    DuplicateCell {
        /// The cell in words.
        cell: String,
        /// Line of the first row; 0 when unknown.
        first: u32,
        /// Line of the second row; 0 when unknown.
        second: u32,
    },
    /// A judge was asked for that the table does not have.
    UnknownJudge {
        /// The name asked for.
        judge: String,
        /// The judges there are.
        known: Vec<String>,
    },
}

impl VerdictsError {
    fn duplicate(verdicts: &Verdicts, row: &RawRow, second: u32) -> Self {
        Self::DuplicateCell {
            cell: format!(
                "system `{}`, query `{}`, sample `{}`, criterion `{}`, judge `{}`, repeat {}",
                verdicts.systems.get(row.system),
                verdicts.queries.get(row.query),
                verdicts.samples.get(row.sample),
                verdicts.criteria.get(row.criterion),
                verdicts.judges.get(row.judge),
                row.repeat,
            ),
            first: row.line,
            second,
        }
    }
}

impl fmt::Display for VerdictsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateCell { cell, .. } => write!(f, "one cell has two verdicts ({cell})"),
            Self::UnknownJudge { judge, known } => {
                write!(
                    f,
                    "there is no judge `{judge}` in the table; it has {}",
                    known.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for VerdictsError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn judgement<'a>(system: &'a str, criterion: &'a str, judge: &'a str, level: u8, line: u32) -> Judgement<'a> {
        Judgement {
            system,
            query: "q",
            sample: "1",
            criterion,
            judge,
            repeat: 1,
            level: Some(level),
            status: Status::Ok,
            line,
        }
    }

    #[test]
    fn row_order_is_irrelevant() {
        let rows = [
            judgement("s2", "c1", "j1", 1, 2),
            judgement("s1", "c2", "j1", 0, 3),
            judgement("s1", "c1", "j2", 0, 4),
            judgement("s1", "c1", "j1", 1, 5),
        ];
        let build = |order: [usize; 4]| {
            let mut builder = VerdictsBuilder::default();
            for at in order {
                builder.push(rows[at], &Scale::Binary);
            }
            builder.finish().expect("distinct cells").rows().collect::<Vec<_>>()
        };
        assert_eq!(build([0, 1, 2, 3]), build([3, 1, 0, 2]));
    }

    #[test]
    fn a_cell_with_two_rows_is_refused_with_both_lines() {
        let mut builder = VerdictsBuilder::default();
        builder.push(judgement("s1", "c1", "j1", 1, 7), &Scale::Binary);
        builder.push(judgement("s1", "c1", "j2", 1, 8), &Scale::Binary);
        builder.push(judgement("s1", "c1", "j1", 1, 9), &Scale::Binary);
        let error = builder.finish().expect_err("line 9 repeats line 7");
        assert!(matches!(
            error,
            VerdictsError::DuplicateCell {
                first: 7,
                second: 9,
                ..
            }
        ));
    }

    #[test]
    fn an_unknown_judge_is_named() {
        let mut builder = VerdictsBuilder::default();
        builder.push(judgement("s1", "c1", "j1", 1, 2), &Scale::Binary);
        let verdicts = builder.finish().expect("one row");
        let error = verdicts.select_judges(&["j9".to_owned()]).expect_err("no j9");
        assert_eq!(error.to_string(), "there is no judge `j9` in the table; it has j1");
    }
}

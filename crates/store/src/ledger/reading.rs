//! The current verdicts of a ledger as one table.

use std::collections::BTreeMap;

use calibrant_schema::canonical::Hash;
use calibrant_schema::verdicts::CodedJudgement;
use calibrant_schema::{Rubric, Scale, Status, Verdicts, VerdictsBuilder};
use rusqlite::{Connection, Row};
use rustc_hash::FxHashMap;

use super::names;
use crate::tables::{OffScale, Scales, shown};

/// The hashes of today's cards: a verdict given to another card of the same criterion is stale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cards(BTreeMap<String, BTreeMap<Option<String>, Hash>>);

impl Cards {
    /// The cards of a rubric.
    #[must_use]
    pub fn of(rubric: &Rubric) -> Cards {
        let mut cards = Cards::default();
        for criterion in &rubric.criteria {
            let of_id = cards.0.entry(criterion.id.clone()).or_default();
            of_id.insert(criterion.query.clone(), criterion.card().hash());
        }
        cards
    }

    /// The card of a criterion for answers to a query: the query's own, else the shared one; `None` if there is none.
    #[must_use]
    pub fn hash(&self, criterion: &str, query: &str) -> Option<Hash> {
        let of_id = self.0.get(criterion)?;
        let own = of_id.iter().find(|(of, _)| of.as_deref() == Some(query));
        own.map(|(_, hash)| *hash).or_else(|| of_id.get(&None).copied())
    }
}

/// Which verdicts of a ledger are asked for: of each cell the newest row, unless it takes a verdict back.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// Only those of this exercise; `None` for all.
    pub exercise: Option<&'a str>,
    /// Only those of these judges; `None` for all.
    pub judges: Option<&'a [String]>,
    /// Today's cards: rows given to another card are left out and counted. `None` takes every row for fresh. Rows without a
    /// key were imported and are never stale.
    pub cards: Option<&'a Cards>,
    /// The scales that labels stand on.
    pub scales: &'a Scales,
}

/// What a ledger says.
#[derive(Clone, Debug)]
pub struct Selected {
    /// The verdicts.
    pub verdicts: Verdicts,
    /// What was read to find them.
    pub counts: Counts,
}

/// What was met while a ledger was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows that belong to what was asked for, history and all.
    pub rows: u64,
    /// The number of the last row.
    pub last_row: i64,
    /// Cells without a current verdict whose newest one was given to another card, by criterion.
    pub stale: BTreeMap<String, u64>,
    /// Rows of rounds of grading in which a sheet is not locked yet: they are left out, so that no grader meets what another
    /// one said before both are done.
    pub open: u64,
    /// Current verdicts without a key: imported, so nobody knows what their judges were shown.
    pub imported: u64,
    /// Labels off their scale: they are no verdicts.
    pub off_scale: OffScale,
    /// Current verdicts by the hash of the rubric they were given under.
    pub rubric_hashes: BTreeMap<String, u64>,
}

/// The verdicts of a ledger as a table of their own.
pub(super) fn select(connection: &Connection, reading: &Reading<'_>) -> rusqlite::Result<Selected> {
    let mut builder = VerdictsBuilder::default();
    let wanted = |judge: &str| {
        reading
            .judges
            .is_none_or(|judges| judges.iter().any(|wanted| wanted == judge))
    };
    let counts = collect(connection, reading, wanted, &mut builder, 0)?;
    Ok(Selected {
        verdicts: builder.finish().expect("a cell has one current row"),
        counts,
    })
}

/// A row in the codes of the ledger.
#[derive(Clone, Copy)]
struct Coded {
    /// query, criterion, system, sample, judge.
    names: [u32; 5],
    repeat: u16,
    status: Status,
    fresh: Freshness,
    withdrawn: bool,
    imported: bool,
    rubric: u32,
    row: u32,
    label: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Freshness {
    Fresh,
    Stale,
}

const QUERY: usize = 0;
const CRITERION: usize = 1;
const SYSTEM: usize = 2;
const SAMPLE: usize = 3;
const JUDGE: usize = 4;

/// Adds the current verdicts to a table; rows are numbered from `lines_before` on.
pub(crate) fn collect(
    connection: &Connection,
    reading: &Reading<'_>,
    keeps: impl FnMut(&str) -> bool,
    builder: &mut VerdictsBuilder,
    lines_before: u32,
) -> rusqlite::Result<Counts> {
    let names = names::all(connection)?;
    let mut counts = Counts::default();
    let mut rows = coded_rows(connection, reading, &names, keeps, &mut counts)?;
    // The newest row of a cell stays the last of it.
    rows.sort_by_key(|row| (row.names, row.repeat));
    let mut table = Table {
        names: &names,
        scales: reading.scales,
        codes: Codes::of(&names),
        builder,
        counts,
        lines_before,
    };
    for cell in rows.chunk_by(|a, b| (a.names, a.repeat) == (b.names, b.repeat)) {
        table.cell(cell);
    }
    Ok(table.counts)
}

/// Every row that belongs to what was asked for, in the order of the ledger.
fn coded_rows(
    connection: &Connection,
    reading: &Reading<'_>,
    names: &[String],
    mut keeps: impl FnMut(&str) -> bool,
    counts: &mut Counts,
) -> rusqlite::Result<Vec<Coded>> {
    let exercise = match reading.exercise {
        None => None,
        Some(id) => match names::find(connection, id)? {
            None => return Ok(Vec::new()),
            code => code,
        },
    };
    let mut today = Today {
        cards: reading.cards,
        names,
        hashes: hashes(names),
        of_item: FxHashMap::default(),
    };
    let open = open_rounds(connection)?;
    let mut kept: FxHashMap<u32, bool> = FxHashMap::default();
    let mut rows = Vec::new();
    let mut statement = connection.prepare(
        "SELECT query, criterion, system, sample, judge, repeat, label, status, withdrawn, card_hash, \
         verdict_key IS NULL, rubric_hash, row, exercise FROM verdict WHERE ?1 IS NULL OR exercise = ?1 ORDER BY row",
    )?;
    let mut found = statement.query([exercise])?;
    while let Some(row) = found.next()? {
        let judge: u32 = row.get(JUDGE)?;
        let keep = *kept
            .entry(judge)
            .or_insert_with(|| keeps(names.get(judge as usize).map_or("", String::as_str)));
        counts.last_row = row.get(12)?;
        let of_round: Option<i64> = row.get(13)?;
        if keep && of_round.is_some_and(|round| open.contains(&round)) {
            counts.open += 1;
        } else if keep {
            rows.push(coded(row, &mut today)?);
        }
    }
    counts.rows = rows.len() as u64;
    Ok(rows)
}

/// The codes of the rounds in which a sheet is not locked.
fn open_rounds(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    let mut statement = connection.prepare(
        "SELECT DISTINCT exercise FROM sheet WHERE NOT EXISTS \
         (SELECT 1 FROM lock WHERE lock.exercise = sheet.exercise AND lock.grader = sheet.grader)",
    )?;
    let rounds = statement.query_map([], |row| row.get(0))?;
    rounds.collect()
}

fn coded(row: &Row<'_>, today: &mut Today<'_>) -> rusqlite::Result<Coded> {
    let mut names = [0; 5];
    for (at, name) in names.iter_mut().enumerate() {
        *name = row.get(at)?;
    }
    let imported: bool = row.get(10)?;
    let card: Option<u32> = row.get(9)?;
    let stale = !imported && today.card(names).is_some_and(|today| card != Some(today));
    Ok(Coded {
        names,
        repeat: row.get(5)?,
        status: Status::from_code(row.get(7)?).unwrap_or(Status::Failed),
        fresh: if stale { Freshness::Stale } else { Freshness::Fresh },
        withdrawn: row.get(8)?,
        imported,
        rubric: row.get::<_, Option<u32>>(11)?.unwrap_or_default(),
        row: u32::try_from(row.get::<_, i64>(12)?).unwrap_or(u32::MAX),
        label: row.get::<_, Option<f64>>(6)?.unwrap_or(f64::NAN),
    })
}

/// Today's cards as codes of the ledger, each looked up once.
struct Today<'a> {
    cards: Option<&'a Cards>,
    names: &'a [String],
    /// Codes of what may be a hash.
    hashes: FxHashMap<&'a str, u32>,
    of_item: FxHashMap<(u32, u32), Option<u32>>,
}

impl Today<'_> {
    /// The code of the hash of today's card; 0, which no row has, where no row was given to it; `None` without a card.
    fn card(&mut self, names: [u32; 5]) -> Option<u32> {
        let cards = self.cards?;
        let item = (names[CRITERION], names[QUERY]);
        if let Some(known) = self.of_item.get(&item) {
            return *known;
        }
        let name = |code: u32| self.names.get(code as usize).map_or("", String::as_str);
        let card = cards.hash(name(item.0), name(item.1));
        let code = card.map(|hash| self.hashes.get(hash.to_string().as_str()).copied().unwrap_or_default());
        self.of_item.insert(item, code);
        code
    }
}

/// The codes of names as long as a hash.
fn hashes(names: &[String]) -> FxHashMap<&str, u32> {
    let codes = (0u32..).zip(names).filter(|(_, name)| name.len() == 64);
    codes.map(|(code, name)| (name.as_str(), code)).collect()
}

/// The codes that a builder gave to the names of the ledger, by role.
struct Codes([Vec<Option<u32>>; 5]);

impl Codes {
    fn of(names: &[String]) -> Codes {
        Codes([(); 5].map(|()| vec![None; names.len()]))
    }
}

/// Cells on their way into a table of verdicts.
struct Table<'a> {
    names: &'a [String],
    scales: &'a Scales,
    codes: Codes,
    builder: &'a mut VerdictsBuilder,
    counts: Counts,
    lines_before: u32,
}

impl Table<'_> {
    /// Adds what a cell says now; `rows` are its rows, the oldest first.
    fn cell(&mut self, rows: &[Coded]) {
        let newest = rows.iter().rfind(|row| row.fresh == Freshness::Fresh);
        match (newest, rows.last()) {
            (Some(row), _) if !row.withdrawn => self.row(row),
            (None, Some(stale)) if !stale.withdrawn => {
                let criterion = self.name(stale.names[CRITERION]).to_owned();
                *self.counts.stale.entry(criterion).or_default() += 1;
            }
            _ => {}
        }
    }

    fn row(&mut self, row: &Coded) {
        let names = self.names;
        let name = |at: usize| names.get(row.names[at] as usize).map_or("", String::as_str);
        let scale = self.scales.of(name(CRITERION));
        let (level, status) = self.label(row, scale);
        if row.imported {
            self.counts.imported += 1;
        }
        if let Some(hash) = names.get(row.rubric as usize).filter(|_| row.rubric > 0) {
            match self.counts.rubric_hashes.get_mut(hash) {
                Some(count) => *count += 1,
                None => drop(self.counts.rubric_hashes.insert(hash.clone(), 1)),
            }
        }
        let builder = &mut *self.builder;
        let mut code = |at: usize, of: fn(&mut VerdictsBuilder, &str, &Scale) -> u32| {
            *self.codes.0[at][row.names[at] as usize].get_or_insert_with(|| of(builder, name(at), scale))
        };
        let coded = CodedJudgement {
            query: code(QUERY, |builder, name, _| builder.query(name)),
            criterion: code(CRITERION, VerdictsBuilder::criterion),
            system: code(SYSTEM, |builder, name, _| builder.system(name)),
            sample: code(SAMPLE, |builder, name, _| builder.sample(name)),
            judge: code(JUDGE, |builder, name, _| builder.judge(name)),
            repeat: row.repeat,
            level,
            status,
            line: self.lines_before.saturating_add(row.row),
        };
        self.builder.push_coded(coded);
    }

    /// The level of a row on the scale of today; a label off it is no verdict.
    fn label(&mut self, row: &Coded, scale: &Scale) -> (Option<u8>, Status) {
        if row.status != Status::Ok {
            return (None, row.status);
        }
        if let Some(level) = scale.level_of(row.label) {
            return (Some(level), Status::Ok);
        }
        let criterion = self.name(row.names[CRITERION]);
        let example = format!(
            "row {}: label {} of criterion `{}` is not on the scale {scale}",
            row.row,
            row.label,
            shown(criterion)
        );
        self.counts.off_scale.count += 1;
        self.counts.off_scale.first.get_or_insert(example);
        (None, Status::Unparsable)
    }

    fn name(&self, code: u32) -> &str {
        self.names.get(code as usize).map_or("", String::as_str)
    }
}

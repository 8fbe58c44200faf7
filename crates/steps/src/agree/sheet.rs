//! Verdicts as sheets: what each judge says of each unit, repeats collapsed, for every criterion and for whole responses.

use std::borrow::Cow;
use std::collections::BTreeMap;

use calibrant_schema::verdicts::{Item, Verdict};
use calibrant_schema::{Scale, Status, Verdicts};

use crate::consensus::{Tie, add_judge_labels, for_each_cell};
use crate::join::RubricJoin;

/// A response as codes of its query, system and sample.
pub(super) type Response = (u32, u32, u32);

/// What a judge says of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Statement {
    /// A level, as an index into the scale.
    Level(u8),
    /// That the criterion does not apply.
    NotApplicable,
    /// Nothing that could be compared.
    Missing,
}

impl Statement {
    /// The level, where there is one.
    pub fn level(self) -> Option<u8> {
        match self {
            Self::Level(level) => Some(level),
            Self::NotApplicable | Self::Missing => None,
        }
    }
}

/// Statements on one criterion: a row a unit, a column a judge.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    pub criterion: String,
    pub scale: Scale,
    pub judges: usize,
    pub queries: u64,
    /// Whether it is shown and never scored, so that it is no part of a whole answer.
    pub monitored: bool,
    pub responses: Vec<Response>,
    statements: Vec<Statement>,
}

impl Sheet {
    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &[Statement]> {
        self.statements.chunks(self.judges.max(1))
    }

    /// Labels by unit and judge, as the kernels take them; only the judges named by their columns.
    pub fn labels(&self, judges: &[usize]) -> Vec<Option<u8>> {
        self.rows()
            .flat_map(|row| judges.iter().map(|judge| row[*judge].level()))
            .collect()
    }
}

/// The verdicts on what judges are asked, and the criteria that code decides: whoever speaks of nothing else is no judge here.
pub(super) fn asked<'a>(verdicts: &'a Verdicts, join: &RubricJoin<'_>) -> (Cow<'a, Verdicts>, Vec<String>) {
    let mut by_code = vec![false; verdicts.criteria().len()];
    for item in verdicts.items() {
        let (query, criterion) = (
            verdicts.queries().get(item.query),
            verdicts.criteria().get(item.criterion),
        );
        by_code[item.criterion as usize] |= join.is_decided_by_code(query, criterion);
    }
    if !by_code.contains(&true) {
        return (Cow::Borrowed(verdicts), Vec::new());
    }
    let is_of_code = |item: u32| by_code[verdicts.items()[item as usize].criterion as usize];
    let kept = verdicts.keep(|row| !is_of_code(row.item));
    let decided = (0..by_code.len() as u32).filter(|criterion| by_code[*criterion as usize]);
    let decided = decided.map(|criterion| verdicts.criteria().get(criterion).to_owned());
    (Cow::Owned(kept), decided.collect())
}

/// The sheets of a table, by criterion.
pub(super) fn sheets(verdicts: &Verdicts, join: &RubricJoin<'_>) -> Vec<Sheet> {
    let ties = Tie::of_items(verdicts, join);
    let judges = verdicts.judges().len();
    let mut sheets: Vec<Sheet> = (0..verdicts.criteria().len() as u32)
        .map(|criterion| Sheet {
            criterion: verdicts.criteria().get(criterion).to_owned(),
            scale: verdicts.scale(criterion).clone(),
            judges,
            queries: 0,
            monitored: false,
            responses: Vec::new(),
            statements: Vec::new(),
        })
        .collect();
    for item in verdicts.items() {
        let sheet = &mut sheets[item.criterion as usize];
        let query = verdicts.queries().get(item.query);
        sheet.queries += 1;
        sheet.monitored |= join.is_monitored(query, &sheet.criterion);
    }
    let mut votes = Vec::new();
    for_each_cell(verdicts, |at, rows| {
        let Item { query, criterion } = verdicts.items()[at as usize];
        let sheet = &mut sheets[criterion as usize];
        let start = sheet.statements.len();
        sheet.statements.resize(start + judges, Statement::Missing);
        sheet.responses.push((query, rows[0].system, rows[0].sample));
        let row = &mut sheet.statements[start..];
        mark_not_applicable(rows, row);
        votes.clear();
        add_judge_labels(rows, &sheet.scale, ties[at as usize], &mut votes);
        for vote in &votes {
            row[vote.judge as usize] = Statement::Level(vote.level);
        }
    });
    sheets
}

/// A judge that gives no label and once says that the criterion does not apply has said that it does not.
fn mark_not_applicable(rows: &[Verdict], row: &mut [Statement]) {
    for verdict in rows.iter().filter(|verdict| verdict.status == Status::NotApplicable) {
        row[verdict.judge as usize] = Statement::NotApplicable;
    }
}

/// Whole answers: each judge's statements on all criteria of a response, as one category.
#[derive(Clone, Debug, Default)]
pub(super) struct WholeAnswers {
    pub responses: Vec<Response>,
    /// By response and judge: the pattern of the judge's statements; none where one of them is missing.
    pub patterns: Vec<Option<u32>>,
    /// Patterns met.
    pub categories: usize,
    /// Whether all responses are asked the same criteria, so that patterns of different responses can be compared.
    pub same_criteria: bool,
    judges: usize,
}

impl WholeAnswers {
    /// The number of a response among all; those with nothing but monitored criteria share the last.
    pub fn number(&self, response: &Response) -> u32 {
        let found = self.responses.binary_search(response);
        found.unwrap_or(self.responses.len()) as u32
    }

    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = &[Option<u32>]> {
        self.patterns.chunks(self.judges.max(1))
    }

    /// Responses with the whole answers of at least two judges.
    pub fn comparable(&self) -> u64 {
        self.rows().filter(|row| row.iter().flatten().count() >= 2).count() as u64
    }
}

/// Whole answers from sheets (METHODS 30).
///
/// "Not applicable" is a statement here: two judges who both say it are alike, one who says it and one who labels are not.
/// Monitored criteria are no part of an answer.
pub(super) fn whole_answers(sheets: &[Sheet], judges: usize) -> WholeAnswers {
    let mut cells: BTreeMap<Response, Vec<(u32, &[Statement])>> = BTreeMap::new();
    for (at, sheet) in sheets.iter().enumerate().filter(|(_, sheet)| !sheet.monitored) {
        for (response, row) in sheet.responses.iter().zip(sheet.rows()) {
            cells.entry(*response).or_default().push((at as u32, row));
        }
    }
    let mut known: BTreeMap<Vec<(u32, Statement)>, u32> = BTreeMap::new();
    let mut whole = WholeAnswers {
        judges,
        ..WholeAnswers::default()
    };
    let mut asked: Vec<Vec<u32>> = Vec::new();
    for (response, criteria) in &cells {
        whole.responses.push(*response);
        asked.push(criteria.iter().map(|(criterion, _)| *criterion).collect());
        for judge in 0..judges {
            let pattern: Option<Vec<(u32, Statement)>> = criteria
                .iter()
                .map(|(criterion, row)| Some((*criterion, row[judge])).filter(|said| said.1 != Statement::Missing))
                .collect();
            whole.patterns.push(pattern.map(|pattern| {
                let next = known.len() as u32;
                *known.entry(pattern).or_insert(next)
            }));
        }
    }
    whole.categories = known.len();
    whole.same_criteria = asked.windows(2).all(|pair| pair[0] == pair[1]);
    whole
}

//! Rows that wait until every criterion of a log is known: those of samples that broke, and of scores without a value.

use std::collections::{BTreeMap, BTreeSet};

use calibrant_schema::Status;

use super::header::{Header, Scorer};
use super::rows::Pairs;
use crate::formats::{Losses, Place, ReadError, Sink, VerdictRow};
use crate::ledger::Cell;

/// The most samples, and the most scores, that wait.
const MOST_WAITING: usize = 100_000;

/// The most rows that they become.
const MOST_ROWS: usize = 10_000_000;

/// Bytes of a reason that waits.
const LONGEST_REASON: usize = 4096;

/// What waits.
#[derive(Default)]
pub(super) struct Waiting {
    /// Samples that ended before they were scored, and why.
    broken: Vec<(Cell, String)>,
    /// Scores without a value, with the scorer and the place of the sample.
    unscored: Vec<(Scorer, VerdictRow, u32)>,
    /// Criteria that the values of a scorer decided.
    members: BTreeMap<String, BTreeSet<String>>,
}

impl Waiting {
    /// Notes that a scorer decided a criterion.
    pub(super) fn met(&mut self, scorer: &Scorer, criterion: &str) {
        let members = self.members.entry(scorer.key.clone()).or_default();
        if !members.contains(criterion) {
            members.insert(criterion.to_owned());
        }
    }

    /// Notes a sample that broke.
    pub(super) fn broken(&mut self, cell: &Cell, error: String, losses: &mut Losses) {
        match self.broken.len() < MOST_WAITING {
            true => self.broken.push((cell.clone(), error)),
            false => too_many(1, losses),
        }
    }

    /// Notes a score without a value: it says so of every criterion of its scorer.
    pub(super) fn unscored(&mut self, scorer: &Scorer, mut row: VerdictRow, place: u32, losses: &mut Losses) {
        for text in [&mut row.reason, &mut row.evidence, &mut row.comment]
            .into_iter()
            .flatten()
        {
            if text.len() > LONGEST_REASON {
                text.truncate(text.floor_char_boundary(LONGEST_REASON));
                losses.add(
                    "ends of long texts",
                    "a text beside a score without a value ends after 4 KiB",
                );
            }
        }
        match self.unscored.len() < MOST_WAITING {
            true => self.unscored.push((scorer.clone(), row, place)),
            false => too_many(1, losses),
        }
    }

    /// Hands over what waited; returns how many samples broke. Criteria of scorers that decided nothing are added to the pairs.
    ///
    /// # Errors
    /// If the sink takes no more.
    pub(super) fn hand_over(
        self,
        header: &Header,
        pairs: &mut Pairs,
        sink: &mut dyn Sink,
        losses: &mut Losses,
    ) -> Result<u64, ReadError> {
        let mut room = MOST_ROWS;
        for (scorer, row, place) in self.unscored {
            let own = BTreeSet::from([scorer.criterion.clone()]);
            let criteria = self.members.get(&scorer.key).unwrap_or(&own);
            if criteria.len() > room {
                too_many(1, losses);
                continue;
            }
            room -= criteria.len();
            sink.at(Place::Entry(place));
            for criterion in criteria {
                pairs
                    .entry((criterion.clone(), row.cell.judge.clone()))
                    .or_insert(row.source);
                let mut row = row.clone();
                row.cell.criterion.clone_from(criterion);
                sink.verdict(row)?;
            }
        }
        if pairs.is_empty() {
            // A run in which every sample broke still names its scorers.
            let listed = header.scorers.iter();
            pairs.extend(listed.map(|scorer| ((scorer.criterion.clone(), scorer.judge.clone()), scorer.source)));
        }
        let fit = self.broken.len().min(room / pairs.len().max(1));
        too_many((self.broken.len() - fit) as u64, losses);
        for (cell, error) in &self.broken[..fit] {
            skipped(cell, error, pairs, sink)?;
        }
        Ok(self.broken.len() as u64)
    }
}

/// Nobody was asked about a sample that broke, whoever would have been.
fn skipped(cell: &Cell, error: &str, pairs: &Pairs, sink: &mut dyn Sink) -> Result<(), ReadError> {
    for ((criterion, judge), source) in pairs {
        let cell = Cell {
            criterion: criterion.clone(),
            judge: judge.clone(),
            ..cell.clone()
        };
        let mut row = VerdictRow::new(cell, Status::Skipped, None);
        row.source = *source;
        row.comment = Some(error.to_owned());
        row.flags = Some("error".to_owned());
        sink.verdict(row)?;
    }
    Ok(())
}

fn too_many(count: u64, losses: &mut Losses) {
    let why = "there are so many samples or scores without a value that the rest has no rows";
    losses.add_many("samples without a score", why, count);
}

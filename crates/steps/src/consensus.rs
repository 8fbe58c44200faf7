//! From verdicts to labels, in the one order of collapse: repeats of a judge, then judges; samples stay apart.

use calibrant_schema::labels::{Agreement, Cell, CellLabel, LabelNames};
use calibrant_schema::verdicts::{Item, Verdict};
use calibrant_schema::{Labels, Scale, Status, Verdicts};
use calibrant_stats::watch::Watch;

use crate::join::RubricJoin;

/// Labels by consensus of the panel (DESIGN 5, METHODS 67).
///
/// The repeats of one judge first become that judge's label, so that three repeats are not a panel of three; then the
/// judges' labels become one. Both times the label most often given wins, for a binary criterion. A graded criterion
/// takes the median. An even split takes the worse outcome: the lower level, and of a penalty the higher. A cell in
/// which nobody gave a label keeps its commonest status instead.
pub fn consensus(verdicts: &Verdicts, join: &RubricJoin<'_>) -> Labels {
    let ties = Tie::of_items(verdicts, join);
    let (mut cells, mut votes) = (Vec::new(), Vec::new());
    for_each_cell(verdicts, |item, rows| {
        let scale = verdicts.scale(verdicts.items()[item as usize].criterion);
        let tie = ties[item as usize];
        votes.clear();
        add_judge_labels(rows, scale, tie, &mut votes);
        cells.push((item, settle(rows, &votes, scale, tie)));
    });
    let names = LabelNames {
        systems: verdicts.systems().clone(),
        queries: verdicts.queries().clone(),
        samples: verdicts.samples().clone(),
        criteria: verdicts.criteria().clone(),
    };
    let scales = (0..verdicts.criteria().len() as u32)
        .map(|criterion| verdicts.scale(criterion).clone())
        .collect();
    Labels::new(names, scales, verdicts.items().to_vec(), cells)
}

/// Which way an even split falls: to the worse outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The lower level: meeting the criterion is good.
    Lower,
    /// The higher level: meeting the criterion is a penalty.
    Higher,
}

impl Tie {
    /// For the items of a table, in order.
    pub fn of_items(verdicts: &Verdicts, join: &RubricJoin<'_>) -> Vec<Self> {
        let of = |item: &Item| {
            let (query, criterion) = (
                verdicts.queries().get(item.query),
                verdicts.criteria().get(item.criterion),
            );
            if join.is_penalty(query, criterion) {
                Self::Higher
            } else {
                Self::Lower
            }
        };
        verdicts.items().iter().map(of).collect()
    }

    /// Whether a criterion is met by some of a number of judges.
    pub fn is_met(self, met: usize, judges: usize) -> bool {
        match self {
            Self::Lower => 2 * met > judges,
            Self::Higher => judges > 0 && 2 * met >= judges,
        }
    }
}

/// One judge's label on one cell, its repeats collapsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vote {
    /// Code of the judge.
    pub judge: u32,
    /// Level index.
    pub level: u8,
}

/// Calls `each` with the item and the rows of every cell (item, system, sample), in order.
pub fn for_each_cell(verdicts: &Verdicts, mut each: impl FnMut(u32, &[Verdict])) {
    let mut rows: Vec<Verdict> = Vec::new();
    let watch = Watch::current();
    for row in verdicts.rows() {
        watch.check();
        if let Some(first) = rows.first()
            && (first.item, first.system, first.sample) != (row.item, row.system, row.sample)
        {
            each(first.item, &rows);
            rows.clear();
        }
        rows.push(row);
    }
    if let Some(first) = rows.first() {
        each(first.item, &rows);
    }
}

/// The votes of the judges that gave a label in a cell, ordered by judge.
pub fn judge_labels(rows: &[Verdict], scale: &Scale, tie: Tie) -> Vec<Vote> {
    let mut votes = Vec::new();
    add_judge_labels(rows, scale, tie, &mut votes);
    votes
}

/// Adds what [`judge_labels`] says of a cell to a list: tables have millions of cells.
pub fn add_judge_labels(rows: &[Verdict], scale: &Scale, tie: Tie, votes: &mut Vec<Vote>) {
    for repeats in rows.chunk_by(|left, right| left.judge == right.judge) {
        let level = match repeats {
            [only] => only.level,
            _ => {
                let mut levels: Vec<u8> = repeats.iter().filter_map(|row| row.level).collect();
                middle(&mut levels, scale, tie)
            }
        };
        votes.extend(level.map(|level| Vote {
            judge: repeats[0].judge,
            level,
        }));
    }
}

/// The majority of binary levels, or the median of graded ones.
fn middle(levels: &mut [u8], scale: &Scale, tie: Tie) -> Option<u8> {
    if levels.is_empty() {
        return None;
    }
    if *scale == Scale::Binary {
        let met = levels.iter().filter(|level| **level == 1).count();
        return Some(u8::from(tie.is_met(met, levels.len())));
    }
    levels.sort_unstable();
    Some(match tie {
        Tie::Lower => levels[(levels.len() - 1) / 2],
        Tie::Higher => levels[levels.len() / 2],
    })
}

fn settle(rows: &[Verdict], votes: &[Vote], scale: &Scale, tie: Tie) -> Cell {
    let mut levels: Vec<u8> = votes.iter().map(|vote| vote.level).collect();
    let chosen = middle(&mut levels, scale, tie);
    let agreeing = levels.iter().filter(|level| Some(**level) == chosen).count();
    let agreement = match (levels.len(), chosen) {
        (0, _) | (_, None) => Agreement::None,
        (1, _) => Agreement::Single,
        (judges, _) if agreeing == judges => Agreement::Unanimous,
        (judges, _) if *scale == Scale::Binary && 2 * agreeing == judges => Agreement::Tie,
        (judges, _) if *scale != Scale::Binary && middle_is_split(&levels, judges) => Agreement::Tie,
        (judges, _) if 2 * agreeing > judges => Agreement::Majority,
        _ => Agreement::Median,
    };
    Cell {
        system: rows[0].system,
        sample: rows[0].sample,
        label: chosen.map_or_else(|| CellLabel::None(commonest_status(rows)), CellLabel::Level),
        judges: levels.len() as u16,
        agreeing: agreeing as u16,
        agreement,
    }
}

/// Whether an even panel's two middle levels differ, so that one of them was a choice. `levels` are sorted.
fn middle_is_split(levels: &[u8], judges: usize) -> bool {
    judges.is_multiple_of(2) && levels[judges / 2 - 1] != levels[judges / 2]
}

/// The status most rows have; among equals the first in the order of [`Status::ALL`].
fn commonest_status(rows: &[Verdict]) -> Status {
    let count = |status: Status| rows.iter().filter(|row| row.status == status).count();
    let mut best = Status::Skipped;
    let mut most = 0;
    for status in Status::ALL {
        if status != Status::Ok && count(status) > most {
            (best, most) = (status, count(status));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use calibrant_schema::VerdictsBuilder;
    use calibrant_schema::verdicts::Judgement;

    /// One cell judged by (judge, repeat, level); `None` is a failed call.
    fn one_cell(scale: &Scale, votes: &[(&str, u16, Option<u8>)]) -> Cell {
        let mut builder = VerdictsBuilder::default();
        for (judge, repeat, level) in votes {
            builder.push(
                Judgement {
                    system: "s",
                    query: "q",
                    sample: "1",
                    criterion: "c",
                    judge,
                    repeat: *repeat,
                    level: *level,
                    status: if level.is_some() { Status::Ok } else { Status::Failed },
                    line: 0,
                },
                scale,
            );
        }
        *consensus(&builder.finish().expect("distinct cells"), &RubricJoin::new(None))
            .cells(0)
            .first()
            .expect("one cell")
    }

    #[test]
    fn three_repeats_of_one_judge_are_not_a_panel_of_three() {
        let cell = one_cell(
            &Scale::Binary,
            &[("a", 1, Some(1)), ("a", 2, Some(1)), ("a", 3, Some(0))],
        );
        assert_eq!(
            (cell.label, cell.agreement, cell.judges),
            (CellLabel::Level(1), Agreement::Single, 1)
        );
    }

    #[test]
    fn repeats_collapse_before_judges() {
        // Judge a says 1,1,1; b and c say 0: by rows 3 of 5 are met, by judges 1 of 3.
        let cell = one_cell(
            &Scale::Binary,
            &[
                ("a", 1, Some(1)),
                ("a", 2, Some(1)),
                ("a", 3, Some(1)),
                ("b", 1, Some(0)),
                ("c", 1, Some(0)),
            ],
        );
        assert_eq!(
            (cell.label, cell.agreement, cell.agreeing),
            (CellLabel::Level(0), Agreement::Majority, 2)
        );
    }

    #[test]
    fn a_tie_fails_and_is_counted() {
        let cell = one_cell(&Scale::Binary, &[("a", 1, Some(1)), ("b", 1, Some(0))]);
        assert_eq!((cell.label, cell.agreement), (CellLabel::Level(0), Agreement::Tie));
    }

    #[test]
    fn a_graded_label_is_the_lower_median() {
        let scale: Scale = "1..5".parse().expect("a scale");
        let cell = one_cell(
            &scale,
            &[
                ("a", 1, Some(4)),
                ("b", 1, Some(1)),
                ("c", 1, Some(2)),
                ("d", 1, Some(0)),
            ],
        );
        assert_eq!((cell.label, cell.agreement), (CellLabel::Level(1), Agreement::Tie));
        let cell = one_cell(&scale, &[("a", 1, Some(4)), ("b", 1, Some(1)), ("c", 1, Some(0))]);
        assert_eq!(
            (cell.label, cell.agreement, cell.agreeing),
            (CellLabel::Level(1), Agreement::Median, 1)
        );
    }

    #[test]
    fn a_failed_call_is_no_label() {
        let cell = one_cell(&Scale::Binary, &[("a", 1, Some(1)), ("b", 1, None)]);
        assert_eq!((cell.label, cell.agreement), (CellLabel::Level(1), Agreement::Single));
        let cell = one_cell(&Scale::Binary, &[("a", 1, None)]);
        assert_eq!(
            (cell.label, cell.agreement),
            (CellLabel::None(Status::Failed), Agreement::None)
        );
    }
}

//! One row a judge: how much it said, how often it said yes, how often the others said the same.

use calibrant_schema::calibration::JudgeRow;
use calibrant_schema::{Status, Verdicts};

use super::{Unit, Units};

/// A judge's counts.
#[derive(Clone, Copy, Default)]
struct Tally {
    labels: usize,
    met: usize,
    without_label: usize,
    compared: usize,
    equal: usize,
}

pub(super) fn judge_rows(verdicts: &Verdicts, units: &Units) -> Vec<JudgeRow> {
    let mut tallies = vec![Tally::default(); verdicts.judges().len()];
    for row in verdicts.rows() {
        let tally = &mut tallies[row.judge as usize];
        match row.level {
            Some(level) => {
                let scale = verdicts.scale(verdicts.items()[row.item as usize].criterion);
                tally.labels += 1;
                tally.met += usize::from(scale.passes(level));
            }
            None => tally.without_label += usize::from(row.status != Status::Ok),
        }
    }
    for unit in units.iter() {
        compare(unit, &mut tallies);
    }
    let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
    tallies
        .iter()
        .enumerate()
        .map(|(judge, tally)| JudgeRow {
            judge: verdicts.judges().get(judge as u32).to_owned(),
            labels: tally.labels,
            without_label: tally.without_label,
            positive_rate: share(tally.met, tally.labels),
            agreement: share(tally.equal, tally.compared),
        })
        .collect()
}

/// Counts, for each judge of a unit, the other judges and those that gave the same label.
fn compare(unit: Unit<'_>, tallies: &mut [Tally]) {
    for vote in unit.votes {
        let alike = unit.votes.iter().filter(|other| other.level == vote.level).count();
        let tally = &mut tallies[vote.judge as usize];
        tally.compared += unit.votes.len() - 1;
        tally.equal += alike - 1;
    }
}

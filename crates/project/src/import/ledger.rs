//! Verdicts of other tools, and tables of verdicts, as rows of a ledger: what it says already is not added again.

use std::path::Path;

use calibrant_schema::verdicts::Verdict;
use calibrant_schema::{Scale, Verdicts};
use calibrant_store::Source;
use calibrant_store::formats::{Collected, Losses};
use calibrant_store::ledger::{Cell, Entry, Ledger};
use calibrant_store::tables::{Detected, ReadOptions, ScaleOrigin, Scales, read_verdicts};

use super::summary::ImportSummary;
use super::{ImportRequest, Watching, import_all};
use crate::error::ProjectError;

/// What came into a ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntoLedger {
    /// Rows added.
    pub added: u64,
    /// Verdicts that the ledger says already.
    pub known: u64,
}

/// Reads files of other tools, and adds their verdicts to a ledger: all, or none.
///
/// A verdict that the current row of its cell says already is not added, so that the same files twice change nothing; one that says
/// otherwise is a new row, and the old one stays in the cell's history. Criteria, queries and responses have no place in a ledger:
/// they are losses.
///
/// # Errors
/// If a file cannot be read or is in no form that is known, rows contradict each other, or the ledger cannot be written.
pub fn import_to_ledger(
    request: ImportRequest,
    ledger: &Path,
    watching: Watching<'_>,
) -> Result<(ImportSummary, IntoLedger), ProjectError> {
    let mut rows = Collected::default();
    let mut summary = import_all(request, &mut rows, watching)?;
    let why = "a ledger holds verdicts alone: --out DIR writes them into a project folder";
    for (what, count) in [
        ("criteria", summary.rows.criteria),
        ("queries", summary.rows.queries),
        ("responses", summary.rows.responses),
    ] {
        summary.losses.add_many(what, why, count);
    }
    let into = record(ledger, rows.verdicts)?;
    Ok((summary, into))
}

/// Reads tables of verdicts in the forms of `docs/tables.md`, and adds their rows to a ledger, as [`import_to_ledger`] does.
///
/// `scale` is the scale of all labels, 0 and 1 where none is declared. Returns what was taken of each table, what was added, and
/// what does not survive: columns beside label and status.
///
/// # Errors
/// If a table cannot be read, or the ledger cannot be written; nothing is then added.
pub fn import_table_to_ledger(
    tables: Vec<Source>,
    scale: Option<Scale>,
    ledger: &Path,
) -> Result<(Vec<Detected>, IntoLedger, Losses), ProjectError> {
    let options = ReadOptions {
        scales: Scales {
            origin: match scale {
                Some(_) => ScaleOrigin::Flag,
                None => ScaleOrigin::NotDeclared,
            },
            default: scale.unwrap_or_default(),
            ..Scales::default()
        },
        ..ReadOptions::default()
    };
    let read = read_verdicts(tables, &options)?;
    let mut losses = Losses::default();
    for table in &read.detected {
        let why = "a table is read for its labels and statuses: the ledger's other columns stay empty";
        losses.add_many("columns beside label and status", why, table.ignored.len() as u64);
    }
    losses.add_many(
        "labels off the scale",
        "their rows have the status `unparsable`: declare the scale with --scale",
        read.off_scale.count,
    );
    let into = record(ledger, entries(&read.verdicts))?;
    Ok((read.detected, into, losses))
}

/// The rows of a table as a ledger takes them: where a table counts repeats from 0, from 1.
fn entries(verdicts: &Verdicts) -> Vec<Entry> {
    let shift = u16::from(verdicts.rows().any(|row| row.repeat == 0));
    let entry = |row: Verdict| {
        let item = verdicts.items()[row.item as usize];
        let cell = Cell {
            system: verdicts.systems().get(row.system).to_owned(),
            query: verdicts.queries().get(item.query).to_owned(),
            sample: verdicts.samples().get(row.sample).to_owned(),
            criterion: verdicts.criteria().get(item.criterion).to_owned(),
            judge: verdicts.judges().get(row.judge).to_owned(),
            repeat: row.repeat.saturating_add(shift),
        };
        let label = row.level.map(|level| verdicts.scale(item.criterion).value(level));
        Entry::new(cell, row.status, label)
    };
    verdicts.rows().map(entry).collect()
}

/// Adds what the ledger does not say yet, in one piece.
fn record(path: &Path, verdicts: Vec<Entry>) -> Result<IntoLedger, ProjectError> {
    let ledger = Ledger::open(path)?;
    let mut into = IntoLedger::default();
    let mut new = Vec::new();
    for verdict in verdicts {
        let history = ledger.history(&verdict.cell)?;
        if history.last().is_some_and(|current| says(&current.entry, &verdict)) {
            into.known += 1;
        } else {
            new.push(verdict);
        }
    }
    into.added = new.len() as u64;
    ledger.record(new)?;
    Ok(into)
}

/// Whether a row of the ledger says all that an imported verdict says; what the import does not know may be anything.
fn says(row: &Entry, imported: &Entry) -> bool {
    fn known<T: PartialEq>(row: &Option<T>, imported: &Option<T>) -> bool {
        imported.is_none() || row == imported
    }
    !row.withdrawn
        && (row.label, row.status) == (imported.label, imported.status)
        && known(&row.probability, &imported.probability)
        && known(&row.source, &imported.source)
        && known(&row.reason, &imported.reason)
        && known(&row.evidence, &imported.evidence)
        && known(&row.comment, &imported.comment)
        && known(&row.flags, &imported.flags)
        && known(&row.raw, &imported.raw)
        && known(&row.model_answered, &imported.model_answered)
        && known(&row.judged_at, &imported.judged_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(ledger: &Path, table: &str) -> IntoLedger {
        let source = Source::bytes("verdicts.csv", table.as_bytes().to_vec());
        import_table_to_ledger(vec![source], None, ledger)
            .expect("a table of verdicts")
            .1
    }

    #[test]
    fn the_same_table_twice_changes_nothing_and_another_label_is_a_new_row() {
        const HEADER: &str = "system,query,criterion,judge,label,reason\n";
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("verdicts.db");
        let first = format!("{HEADER}s,q,c,ana,1,because\ns,q,c,ben,,\n");
        assert_eq!(import(&path, &first), IntoLedger { added: 2, known: 0 });
        assert_eq!(import(&path, &first), IntoLedger { added: 0, known: 2 });
        let second = format!("{HEADER}s,q,c,ana,0,\n");
        assert_eq!(import(&path, &second), IntoLedger { added: 1, known: 0 });
        let cell = Cell {
            system: "s".into(),
            query: "q".into(),
            sample: "1".into(),
            criterion: "c".into(),
            judge: "ana".into(),
            repeat: 1,
        };
        let ledger = Ledger::open(&path).expect("a ledger");
        let history = ledger.history(&cell).expect("it is read");
        let labels: Vec<_> = history.into_iter().map(|row| row.entry.label).collect();
        assert_eq!(labels, [Some(1.0), Some(0.0)]);
    }

    #[test]
    fn repeats_counted_from_nought_stay_apart() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("verdicts.db");
        let table = "system,query,criterion,judge,repeat,label\ns,q,c,j,0,1\ns,q,c,j,1,0\n";
        assert_eq!(import(&path, table), IntoLedger { added: 2, known: 0 });
    }
}

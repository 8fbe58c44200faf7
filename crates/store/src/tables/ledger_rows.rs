//! A ledger among tables of verdicts: of each cell its current row.

use std::path::Path;

use calibrant_schema::Diagnostic;

use crate::ledger::{Counts, LedgerError, Reading as Wanted, collect_file};
use crate::stored::Compression;
use crate::tables::columns::{How, RoleColumn};
use crate::tables::reading::Reading;
use crate::tables::role::Role;
use crate::tables::shown::shown;
use crate::tables::verdicts::{Detected, Format, ScaleOrigin};

/// The roles that a ledger knows of a verdict.
const ROLES: [Role; 8] = [
    Role::System,
    Role::Query,
    Role::Sample,
    Role::Criterion,
    Role::Judge,
    Role::Repeat,
    Role::Label,
    Role::Status,
];

impl Reading<'_> {
    /// Reads the current verdicts of a ledger; returns how many rows it has.
    pub(super) fn ledger_table(&mut self, name: &str, path: &Path, known: Option<String>) -> u32 {
        if self.shape.judge.is_some() {
            self.findings.push(gold_in_a_ledger(name), None);
            return 0;
        }
        let wanted = Wanted {
            exercise: None,
            judges: None,
            cards: self.options.cards.as_ref(),
            scales: &self.options.scales,
        };
        let (judges, builder) = (&mut self.judges, &mut self.builder);
        let read = collect_file(
            path,
            &wanted,
            |judge| judges.keeps(judge),
            builder,
            self.lines_before,
            known,
        );
        let (counts, sha256) = match read {
            Ok(read) => read,
            Err(error) => {
                self.findings.push(unreadable(&error), None);
                return 0;
            }
        };
        self.take_counts(name, &counts);
        self.options
            .progress
            .file_done(std::fs::metadata(path).map_or(0, |about| about.len()));
        let column = |role: Role| RoleColumn {
            role,
            column: role.word().to_owned(),
            how: How::Name,
        };
        self.add_detected(Detected {
            file: name.to_owned(),
            format: Format::Ledger,
            delimiter: None,
            compression: Compression::Plain,
            columns: ROLES.map(column).to_vec(),
            ignored: Vec::new(),
            rows: counts.rows,
            sha256,
        });
        u32::try_from(counts.last_row).unwrap_or(u32::MAX - self.lines_before)
    }

    fn take_counts(&mut self, name: &str, counts: &Counts) {
        if counts.off_scale.count > 0 && self.options.scales.origin == ScaleOrigin::NotDeclared {
            self.findings.push(off_undeclared_scale(name, counts), None);
            return;
        }
        self.off_scale.count += counts.off_scale.count;
        if let Some(first) = &counts.off_scale.first {
            self.off_scale.first.get_or_insert_with(|| format!("{name}: {first}"));
        }
        if counts.open > 0 && self.builder.is_empty() {
            self.findings.push(only_open_rounds(name), None);
        }
        self.left_out.open += counts.open;
        for (criterion, cells) in &counts.stale {
            *self.left_out.stale.entry(criterion.clone()).or_default() += cells;
        }
        // With today's cards at hand each row is known to be fresh, whatever else of the rubric changed.
        if self.options.cards.is_none() {
            for (hash, rows) in &counts.rubric_hashes {
                *self.rubric_hashes.entry(hash.clone()).or_default() += rows;
            }
        }
    }
}

fn unreadable(error: &LedgerError) -> Diagnostic {
    Diagnostic::error("ledger", error.to_string(), error.help())
}

fn gold_in_a_ledger(name: &str) -> Diagnostic {
    Diagnostic::error(
        "gold-in-a-ledger",
        format!("`{}` is a ledger, and a file of gold labels is a table", shown(name)),
        "read the ledger with --verdicts and name the trusted judges with --gold",
    )
}

fn only_open_rounds(name: &str) -> Diagnostic {
    Diagnostic::error(
        "round-open",
        format!(
            "every verdict of `{}` is of a round in which a sheet is not locked yet",
            shown(name)
        ),
        "let every grader finish: verdicts seen early are not independent; `calibrant grade status` says who is missing",
    )
}

fn off_undeclared_scale(name: &str, counts: &Counts) -> Diagnostic {
    Diagnostic::error(
        "off-scale",
        format!(
            "`{}` has {} labels that are not 0 or 1 (first: {})",
            shown(name),
            counts.off_scale.count,
            counts.off_scale.first.as_deref().unwrap_or_default()
        ),
        "give the rubric they were given under with --rubric, or declare the scale with --scale",
    )
}

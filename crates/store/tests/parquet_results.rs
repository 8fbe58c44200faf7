//! Tables of results in Parquet: out, and labels back as they were.

use std::fs;
use std::path::Path;

use calibrant_schema::labels::{Agreement, Cell, CellLabel, LabelNames};
use calibrant_schema::scores::{Outcome, ResponseRow};
use calibrant_schema::verdicts::Item;
use calibrant_schema::{Labels, Names, Scale, Status, Undefined};
use calibrant_store::tables::{ReadOptions, TableForm, labels_table, read_labels, read_verdicts, responses_table};
use calibrant_store::{Findings, Source};
use proptest::prelude::*;

fn scale_of(criterion: &str) -> Scale {
    match criterion {
        "graded" => "0,0.5,1".parse().expect("a scale"),
        _ => Scale::Binary,
    }
}

/// Labels of hostile names: each cell is (system, item, sample, label, judges).
fn labels(cells: &[(u32, u32, u32, u8, u16)]) -> Labels {
    let names = |names: &[&str]| names.iter().collect::<Names>();
    let criteria = names(&["graded", "=plain, \"quoted\"\n"]);
    let scales = criteria.iter().map(scale_of).collect();
    let items = [(0, 0), (0, 1), (1, 1)].map(|(query, criterion)| Item { query, criterion });
    let names = LabelNames {
        systems: names(&["'=twice", "=cmd|' /C calc'!A0", "b\u{e9}ta"]),
        queries: names(&["00123", "@q\n2"]),
        samples: names(&["1", "2"]),
        criteria,
    };
    let cell = |&(system, item, sample, label, judges): &(u32, u32, u32, u8, u16)| {
        let label = match label {
            3 => CellLabel::None(Status::Refused),
            level => CellLabel::Level(level.min(1)),
        };
        let agreement = Agreement::ALL[usize::from(judges) % Agreement::ALL.len()];
        let cell = Cell {
            system,
            sample,
            label,
            judges,
            agreeing: judges / 2,
            agreement,
        };
        (item, cell)
    };
    Labels::new(names, scales, items.to_vec(), cells.iter().map(cell).collect())
}

fn read_back(bytes: &[u8]) -> Result<Labels, Findings> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("labels");
    fs::write(&path, bytes).expect("the folder is writable");
    read_labels(&path, &scale_of)
}

/// Every cell in names.
fn cells(labels: &Labels) -> Vec<(String, CellLabel, u16, u16, Agreement)> {
    labels
        .all_cells()
        .map(|(item, cell)| {
            let ids = [
                labels.systems.get(cell.system),
                labels.query(item),
                labels.samples.get(cell.sample),
                labels.criterion(item),
            ];
            (ids.join("|"), cell.label, cell.judges, cell.agreeing, cell.agreement)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn labels_come_back_as_they_were_in_both_forms(
        drawn in prop::collection::btree_map((0_u32..3, 0_u32..3, 0_u32..2), (0_u8..4, any::<u16>()), 1..18),
    ) {
        let drawn: Vec<_> = drawn.into_iter().map(|((system, item, sample), (label, judges))| (system, item, sample, label, judges)).collect();
        let labels = labels(&drawn);
        for form in [TableForm::Csv, TableForm::Parquet] {
            let bytes = labels_table(&labels, form).expect("both forms are built");
            let read = read_back(&bytes).expect("our own table");
            prop_assert_eq!(cells(&read), cells(&labels));
            let again = labels_table(&read, form).expect("both forms are built");
            prop_assert_eq!(again, bytes);
        }
    }

    #[test]
    fn changed_bytes_of_labels_give_labels_or_an_error(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1_u8..), 1..4),
    ) {
        let labels = labels(&[(0, 0, 0, 1, 3), (1, 1, 1, 3, 0), (2, 2, 0, 0, 2)]);
        let mut bytes = labels_table(&labels, TableForm::Parquet).expect("Parquet is built");
        for (at, change) in changes {
            let at = at.index(bytes.len());
            bytes[at] ^= change;
        }
        if let Ok(read) = read_back(&bytes) {
            prop_assert!(read.len() <= 3);
        }
    }
}

#[test]
fn other_tables_and_changed_cells_are_refused() {
    let verdicts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/parquet/polars_default.parquet");
    let refused = read_labels(&verdicts, &scale_of).expect_err("a table of verdicts");
    assert_eq!(refused.shown()[0].diagnostic.id, "not-labels");
    let graded = labels(&[(0, 1, 0, 1, 3)]);
    let bytes = labels_table(&graded, TableForm::Parquet).expect("Parquet is built");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("labels.parquet");
    fs::write(&path, bytes).expect("the folder is writable");
    let refused = read_labels(&path, &|_| Scale::Binary).expect_err("0.5 is no level of 0 and 1");
    let what = &refused.shown()[0].diagnostic.what;
    assert!(
        what.ends_with("row 1: `0.5` is no label of a table of labels, or contradicts the status"),
        "{what}"
    );
}

#[test]
fn responses_have_types_and_nulls() {
    let row = |system: &str, score: Option<f64>, outcome: Option<Outcome>| ResponseRow {
        system: system.to_owned(),
        query: "1".to_owned(),
        sample: "c".to_owned(),
        score,
        score_undefined: score.is_none().then(|| Undefined::new("no_labels", "none has a label")),
        outcome,
        gates_failed: vec!["a;b".to_owned()],
        coverage: 0.5,
    };
    let rows = [row("=s", Some(1.0), Some(Outcome::Pass)), row("t", None, None)];
    let bytes = responses_table(&rows, TableForm::Parquet).expect("Parquet is built");
    assert_eq!(
        bytes,
        responses_table(&rows, TableForm::Parquet).expect("Parquet is built")
    );
    // Read as a table of verdicts under borrowed names, it tells its types, its ids and its nulls.
    let columns = [
        ("criterion", "query"),
        ("query", "sample"),
        ("judge", "gates_failed"),
        ("label", "score"),
    ];
    let options = ReadOptions {
        columns: columns
            .map(|(role, column)| (role.to_owned(), column.to_owned()))
            .into(),
        ..ReadOptions::default()
    };
    let read = read_verdicts(vec![Source::bytes("responses.parquet", bytes)], &options);
    let verdicts = read.unwrap_or_else(|findings| panic!("{findings}")).verdicts;
    assert_eq!(verdicts.systems().iter().collect::<Vec<_>>(), ["=s", "t"]);
    assert_eq!(verdicts.judges().iter().collect::<Vec<_>>(), ["a\\;b"]);
    assert_eq!(
        verdicts.rows().map(|row| row.level).collect::<Vec<_>>(),
        [Some(1), None]
    );
}

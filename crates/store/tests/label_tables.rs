//! Labels go out and come back as they were.

use std::fs;

use calibrant_schema::labels::{Agreement, Cell, CellLabel, LabelNames};
use calibrant_schema::verdicts::Item;
use calibrant_schema::{Labels, Names, Scale, Status};
use calibrant_store::tables::{read_labels, write_labels};

fn scale_of(criterion: &str) -> Scale {
    let graded = criterion == "graded";
    if graded {
        "0,0.5,1".parse().expect("a scale")
    } else {
        Scale::Binary
    }
}

/// Two systems with hostile names on three items; one cell has no label.
fn labels() -> Labels {
    let names = |names: &[&str]| names.iter().collect::<Names>();
    let criteria = names(&["graded", "plain, \"quoted\""]);
    let scales = criteria.iter().map(scale_of).collect();
    let names = LabelNames {
        systems: names(&["'=twice", "=cmd|' /C calc'!A0"]),
        queries: names(&["00123", "@q\n2"]),
        samples: names(&["1", "2"]),
        criteria,
    };
    let items = vec![
        Item { query: 0, criterion: 0 },
        Item { query: 0, criterion: 1 },
        Item { query: 1, criterion: 1 },
    ];
    let cell = |system, sample, label, judges, agreeing, agreement| Cell {
        system,
        sample,
        label,
        judges,
        agreeing,
        agreement,
    };
    let cells = vec![
        (0, cell(0, 0, CellLabel::Level(1), 3, 2, Agreement::Majority)),
        (0, cell(1, 0, CellLabel::Level(2), 2, 2, Agreement::Unanimous)),
        (1, cell(1, 1, CellLabel::Level(0), 2, 1, Agreement::Tie)),
        (2, cell(0, 0, CellLabel::None(Status::Refused), 0, 0, Agreement::None)),
        (2, cell(1, 0, CellLabel::Level(1), 1, 1, Agreement::Single)),
    ];
    Labels::new(names, scales, items, cells)
}

fn written(labels: &Labels) -> Vec<u8> {
    let mut out = Vec::new();
    write_labels(labels, &mut out).expect("memory takes bytes");
    out
}

fn read_back(bytes: &[u8]) -> Result<Labels, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("labels.csv");
    fs::write(&path, bytes).expect("the folder is writable");
    read_labels(&path, &scale_of).map_err(|findings| findings.shown()[0].diagnostic.id.to_owned())
}

#[test]
fn labels_come_back_as_they_were() {
    let labels = labels();
    let back = read_back(&written(&labels)).expect("our own table");
    assert_eq!(back.systems, labels.systems);
    assert_eq!(back.queries, labels.queries);
    assert_eq!(back.samples, labels.samples);
    assert_eq!(back.criteria, labels.criteria);
    assert_eq!(back.scales, labels.scales);
    assert_eq!(back.items, labels.items);
    assert!(back.all_cells().eq(labels.all_cells()));
    assert_eq!(written(&back), written(&labels));
}

#[test]
fn the_form_is_the_documented_one() {
    let text = String::from_utf8(written(&labels())).expect("UTF-8");
    let lines: Vec<&str> = text.lines().take(2).collect();
    assert_eq!(
        lines,
        [
            "system,query,sample,criterion,label,consensus,judges,agreeing,status",
            "''=twice,00123,1,graded,0.5,majority,3,2,ok"
        ]
    );
}

#[test]
fn other_tables_and_wrong_cells_are_refused() {
    let header = "system,query,sample,criterion,label,consensus,judges,agreeing,status\n";
    let refused = |text: String| read_back(text.as_bytes()).expect_err("the table is wrong");
    assert_eq!(
        refused("system,query,criterion,judge,label\ns,q,c,j,1\n".to_owned()),
        "not-labels"
    );
    assert_eq!(refused(header.to_owned()), "no-rows");
    assert_eq!(refused(format!("{header}s,q,1,graded,0.7,single,1,1,ok\n")), "bad-cell");
    assert_eq!(refused(format!("{header}s,q,1,c,1,single,1,1,refused\n")), "bad-cell");
    assert_eq!(refused(format!("{header}s,q,1,c,1,perhaps,1,1,ok\n")), "bad-cell");
    assert_eq!(
        refused(format!("{header}s,q,1,c,1,single,1,1,ok\ns,q,1,c,0,single,1,1,ok\n")),
        "duplicate-cell"
    );
}

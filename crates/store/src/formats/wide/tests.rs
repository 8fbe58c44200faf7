use std::io::BufReader;

use calibrant_schema::labels::{Agreement, CellLabel, LabelNames};
use calibrant_schema::verdicts::Item;
use calibrant_schema::{Labels, Names, Scale, labels};
use proptest::prelude::*;

use super::*;
use crate::formats::{Collected, Content};

fn import_as(text: &[u8], wide: WideLayout) -> Result<(Collected, ReadReport), ReadError> {
    let mut sink = Collected::default();
    let input = Input {
        name: "m.csv".into(),
        content: Content::Stream(Box::new(BufReader::new(text))),
    };
    let options = ImportOptions {
        wide,
        ..ImportOptions::default()
    };
    let report = read(input, &options, &mut sink)?;
    Ok((sink, report))
}

fn import(text: &str) -> Result<(Collected, ReadReport), ReadError> {
    import_as(text.as_bytes(), WideLayout::SystemsInRows)
}

/// System, sample, criterion, query and label of every verdict.
fn cells(found: &Collected) -> Vec<(String, f64)> {
    let told = |v: &Entry| {
        let cell = &v.cell;
        let name = format!("{}#{} {}|{}", cell.system, cell.sample, cell.criterion, cell.query);
        (name, v.label.expect("a cell without a label is no verdict"))
    };
    let mut cells: Vec<_> = found.verdicts.iter().map(told).collect();
    cells.sort_by(|left, right| left.0.cmp(&right.0));
    cells
}

/// The line, column and id of every mistake.
fn mistakes(text: &str) -> Vec<(u32, u32, &'static str)> {
    let Err(ReadError::Findings(findings)) = import(text) else {
        panic!("the text is wrong")
    };
    let place = |finding: &crate::Finding| {
        let span = finding.diagnostic.span.as_ref();
        (
            span.map_or(0, |s| s.line),
            span.map_or(0, |s| s.column),
            finding.diagnostic.id,
        )
    };
    findings.shown().iter().map(place).collect()
}

#[test]
fn a_matrix_is_verdicts_of_one_judge() {
    let text = "system,short,cited|q1\na,1,0\nb,NA,TRUE\n";
    assert!(looks_like(text.as_bytes()));
    let (found, report) = import(text).expect("the matrix is right");
    let expected = [("a#1 cited|q1", 0.0), ("a#1 short|all", 1.0), ("b#1 cited|q1", 1.0)];
    assert_eq!(cells(&found), expected.map(|(name, label)| (name.to_owned(), label)));
    let items: Vec<_> = found
        .criteria
        .iter()
        .map(|c| (c.id.as_str(), c.query.as_deref(), c.levels.clone()))
        .collect();
    assert_eq!(items, [("short", None, None), ("cited", Some("q1"), None)]);
    assert!(report.taken.join("\n").contains("1 cells are empty or say NA"));
}

#[test]
fn every_layout_says_the_same() {
    let plain = import("system;x|q;y|r\na;1;0\nb;0;1\n").expect("semicolons").0;
    let two_rows = import("criterion\tx\ty\nquery\tq\tr\na\t1\t0\nb\t0\t1\n")
        .expect("a head of two rows")
        .0;
    let lying = import_as(b"item,a,b\nx|q,1,0\ny|r,0,1\n", WideLayout::ItemsInRows)
        .expect("items in rows")
        .0;
    let named = import_as(b"criterion,query,a,b\nx,q,1,0\ny,r,0,1\n", WideLayout::ItemsInRows)
        .expect("two names")
        .0;
    for other in [&two_rows, &lying, &named] {
        assert_eq!(cells(other), cells(&plain));
        assert_eq!(other.criteria, plain.criteria);
    }
}

#[test]
fn samples_are_told_apart_only_where_the_head_says_so() {
    let told = |text: &str| cells(&import(text).expect("the matrix is right").0)[0].0.clone();
    assert_eq!(told("system#sample,x\nC#3,1\n"), "C#3 x|all");
    assert_eq!(told("system,x\nC#3,1\n"), "C#3#1 x|all");
}

#[test]
fn levels_are_those_of_the_whole_matrix() {
    let levels = |text: &str| import(text).expect("the matrix is right").0.criteria[0].levels.clone();
    assert_eq!(levels("s,x,y\na,1,4\nb,2,NA\n"), Some(vec![1.0, 2.0, 3.0, 4.0]));
    assert_eq!(levels("s,x\na,0\nb,0.5\n"), Some(vec![0.0, 0.5]));
    assert_eq!(levels("s,x\na,3\nb,3\n"), Some(vec![0.0, 1.0, 2.0, 3.0]));
    let many: String = (0..30)
        .map(|row| format!("s{row},{}\n", f64::from(row) / 7.0))
        .collect();
    assert_eq!(mistakes(&format!("s,x\n{many}")), [(0, 0, "no-scale")]);
}

#[test]
fn mistakes_have_their_places() {
    assert_eq!(
        mistakes("s,x,y\na,1,maybe\nb,inf,0\n"),
        [(2, 5, "bad-label"), (3, 3, "bad-label")]
    );
    assert_eq!(mistakes("s,x,x\na,1,1\n"), [(1, 5, "two-columns")]);
    assert_eq!(mistakes("s,x,\na,1,1\n"), [(1, 5, "no-name")]);
    assert_eq!(mistakes("s,x\na,1\na,0\n"), [(3, 1, "two-rows")]);
    assert_eq!(mistakes("criterion,x\na,1\n"), [(2, 1, "no-queries")]);
    assert_eq!(mistakes("s,x\na,1,2\n").len(), 1);
    assert_eq!(mistakes("s,x\na,\n"), [(0, 0, "empty")]);
    assert_eq!(mistakes("s\na\n")[0].2, "no-columns");
    assert_eq!(mistakes("")[0].2, "empty");
}

#[test]
fn a_long_table_is_no_matrix() {
    let long = "system,query,criterion,judge,label\na,q,c,j,1\n";
    assert!(!looks_like(long.as_bytes()));
    assert!(!looks_like(b"{\"a\": 1}"));
    assert!(!looks_like(b""));
}

/// Labels of two systems, one of them sampled twice, with a cell that nobody labelled.
fn made() -> Labels {
    let names = LabelNames {
        systems: Names::from_iter(["=a", "b"]),
        queries: Names::from_iter(["q"]),
        samples: Names::from_iter(["1", "2"]),
        criteria: Names::from_iter(["x", "y"]),
    };
    let cell = |system, sample, label| labels::Cell {
        system,
        sample,
        label,
        judges: 1,
        agreeing: 1,
        agreement: Agreement::Single,
    };
    let items = vec![Item { query: 0, criterion: 0 }, Item { query: 0, criterion: 1 }];
    let cells = vec![
        (0, cell(0, 0, CellLabel::Level(1))),
        (0, cell(0, 1, CellLabel::Level(0))),
        (1, cell(0, 0, CellLabel::None(Status::Refused))),
        (1, cell(1, 0, CellLabel::Level(0))),
    ];
    Labels::new(names, vec![Scale::Binary, Scale::Binary], items, cells)
}

#[test]
fn a_matrix_for_r_has_names_that_r_keeps() {
    let mut out = Vec::new();
    let losses = write_wide(&mut out, &made()).expect("memory takes it");
    let text = String::from_utf8(out).expect("UTF-8");
    assert_eq!(text, "system#sample,I1,I2\n'=a#1,1,NA\n'=a#2,0,NA\nb#1,NA,0\n");
    let lost: Vec<_> = losses.iter().map(|loss| (loss.what, loss.count)).collect();
    assert_eq!(lost, [("reasons why there is no label: refused".to_owned(), 1)]);
    let mut book = Vec::new();
    write_codebook(&mut book, Some(&made()), None, None).expect("memory takes it");
    assert_eq!(
        book,
        b"item,criterion,query,weight,question\nI1,x,q,NA,NA\nI2,y,q,NA,NA\n"
    );
    let (found, _) = import(&text).expect("what we write is right");
    assert_eq!(found.verdicts.len(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn damaged_matrices_are_findings_and_never_a_panic(at in 0usize..64, byte in any::<u8>(), cut in 0usize..64, lying in any::<bool>()) {
        let mut bytes = b"system#sample,x|q,\"y, z\"|q\na#1,1,NA\n\"b\"#2,0,3\n".to_vec();
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(length - cut % length);
        let layout = if lying { WideLayout::ItemsInRows } else { WideLayout::SystemsInRows };
        if let Err(ReadError::Findings(findings)) = import_as(&bytes, layout) {
            prop_assert!(!findings.is_empty());
            let _ = findings.to_string();
        }
    }
}

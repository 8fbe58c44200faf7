//! What tables of verdicts say when nothing is wrong with them.

use std::collections::BTreeMap;

use calibrant_schema::{Scale, Status, Verdicts};
use calibrant_store::tables::{
    ANY_SYSTEM, Format, GOLD, How, ReadOptions, ReadVerdicts, Role, ScaleOrigin, Scales, read_gold, read_verdicts,
};
use calibrant_store::{Compression, Source};
use proptest::prelude::*;

fn read_with(name: &str, text: &str, options: &ReadOptions) -> ReadVerdicts {
    read_verdicts(vec![Source::bytes(name, text.as_bytes().to_vec())], options)
        .unwrap_or_else(|findings| panic!("{findings}"))
}

fn read(name: &str, text: &str) -> ReadVerdicts {
    read_with(name, text, &ReadOptions::default())
}

fn graded() -> ReadOptions {
    let default: Scale = "1..5".parse().expect("a scale");
    ReadOptions {
        scales: Scales {
            default,
            origin: ScaleOrigin::Flag,
            ..Scales::default()
        },
        ..ReadOptions::default()
    }
}

/// Every row in names, in the order of the table.
fn rows(verdicts: &Verdicts) -> Vec<(String, Option<u8>, Status)> {
    let name = |row: calibrant_schema::verdicts::Verdict| {
        let item = verdicts.items()[row.item as usize];
        let cell = [
            verdicts.systems().get(row.system),
            verdicts.queries().get(item.query),
            verdicts.samples().get(row.sample),
            verdicts.criteria().get(item.criterion),
            verdicts.judges().get(row.judge),
            &row.repeat.to_string(),
        ];
        (cell.join("|"), row.level, row.status)
    };
    verdicts.rows().map(name).collect()
}

#[test]
fn csv_and_json_lines_say_the_same() {
    let csv = read("t.csv", "system,query,criterion,judge,label\ns,q,c,j,yes\ns,q,c,k,0\n");
    let json = read(
        "t.jsonl",
        "{\"judge\": \"j\", \"system\": \"s\", \"query\": \"q\", \"criterion\": \"c\", \"label\": true}\n\
         {\"system\": \"s\", \"query\": \"q\", \"criterion\": \"c\", \"judge\": \"k\", \"label\": 0}\n",
    );
    assert_eq!(rows(&csv.verdicts), rows(&json.verdicts));
    let expected = [
        ("s|q|1|c|j|1".to_owned(), Some(1), Status::Ok),
        ("s|q|1|c|k|1".to_owned(), Some(0), Status::Ok),
    ];
    assert_eq!(rows(&csv.verdicts), expected);
}

#[test]
fn what_was_detected_is_told() {
    let read = read(
        "t.txt",
        "model;prompt_id;sample;criterion;Grader;repeat;label;score;probability;verdict_source\ns;q;2;c;j;3;1;0.9;0.8;code\n",
    );
    let detected = &read.detected[0];
    assert_eq!(
        (detected.format, detected.delimiter, detected.compression),
        (Format::Csv, Some(';'), Compression::Plain)
    );
    assert_eq!(
        (detected.rows, detected.ignored.as_slice()),
        (1, ["score".to_owned()].as_slice())
    );
    let how = |role: Role| {
        detected
            .columns
            .iter()
            .find(|column| column.role == role)
            .map(|column| (column.column.as_str(), column.how))
    };
    assert_eq!(how(Role::System), Some(("model", How::Alias)));
    assert_eq!(how(Role::Judge), Some(("Grader", How::Alias)));
    assert_eq!(how(Role::Label), Some(("label", How::Name)));
    assert_eq!(how(Role::Probability), Some(("probability", How::Name)));
    assert_eq!(how(Role::VerdictSource), Some(("verdict_source", How::Name)));
    assert_eq!(rows(&read.verdicts)[0].0, "s|q|2|c|j|3");
}

#[test]
fn ids_stay_what_they_are() {
    let long = "ü".repeat(10_000);
    let text = format!("system,query,criterion,judge,label\n00123,1E5,{long},\"no, \"\"x\"\"\",1\n");
    let read = read("t.csv", &text);
    assert_eq!(rows(&read.verdicts)[0].0, format!("00123|1E5|1|{long}|no, \"x\"|1"));
    let numbers =
        "{\"system\": 1E5, \"query\": 12345678901234567890, \"criterion\": 1.0, \"judge\": true, \"label\": 1}\n";
    assert_eq!(
        rows(&self::read("t.jsonl", numbers).verdicts)[0].0,
        "1E5|12345678901234567890|1|1.0|true|1"
    );
}

#[test]
fn a_row_without_a_label_keeps_its_reason() {
    let text = "system,query,criterion,judge,label,status\n\
                s,q,a,j,,refused\ns,q,b,j,,\ns,q,c,j,n/a,\ns,q,d,j,1,ok\ns,q,e,j,N/A,not_applicable\n";
    let statuses: Vec<(Option<u8>, Status)> = rows(&read("t.csv", text).verdicts)
        .into_iter()
        .map(|row| (row.1, row.2))
        .collect();
    let expected = [
        (None, Status::Refused),
        (None, Status::Skipped),
        (None, Status::NotApplicable),
        (Some(1), Status::Ok),
        (None, Status::NotApplicable),
    ];
    assert_eq!(statuses, expected);
}

#[test]
fn labels_off_a_declared_scale_are_counted_and_never_clamped() {
    let text = "system,query,criterion,judge,label\ns,q,a,j,5\ns,q,b,j,6\ns,q,c,j,2.5\n";
    let read = read_with("t.csv", text, &graded());
    let levels: Vec<(Option<u8>, Status)> = rows(&read.verdicts).into_iter().map(|row| (row.1, row.2)).collect();
    assert_eq!(
        levels,
        [
            (Some(4), Status::Ok),
            (None, Status::Unparsable),
            (None, Status::Unparsable)
        ]
    );
    assert_eq!(read.off_scale.count, 2);
    assert_eq!(
        read.off_scale.first.as_deref(),
        Some("t.csv:3: label `6` of criterion `b` is not on the scale 1,2,3,4,5")
    );
    let declared = ReadOptions {
        scales: Scales {
            origin: ScaleOrigin::Rubric,
            ..Scales::default()
        },
        ..ReadOptions::default()
    };
    let read = read_with("t.csv", "system,query,criterion,judge,label\ns,q,a,j,3\n", &declared);
    assert_eq!(
        (read.off_scale.count, rows(&read.verdicts)[0].2),
        (1, Status::Unparsable)
    );
}

#[test]
fn a_criterion_has_its_own_scale() {
    let mut options = ReadOptions::default();
    options
        .scales
        .by_criterion
        .insert("graded".to_owned(), "1..5".parse().expect("a scale"));
    let read = read_with(
        "t.csv",
        "system,query,criterion,judge,label\ns,q,graded,j,3\ns,q,plain,j,met\n",
        &options,
    );
    assert_eq!(
        rows(&read.verdicts).iter().map(|row| row.1).collect::<Vec<_>>(),
        [Some(2), Some(1)]
    );
    assert_eq!(read.verdicts.scale(0).level_count(), 5);
}

#[test]
fn rows_of_other_judges_leave_no_name_behind() {
    let options = ReadOptions {
        judges: Some(vec!["j".to_owned()]),
        ..ReadOptions::default()
    };
    // The label of the judge left out is not even looked at.
    let read = read_with(
        "t.csv",
        "system,query,criterion,judge,label\ns,q,c,j,1\nt,q,c,k,rather\n",
        &options,
    );
    assert_eq!(read.verdicts.systems().iter().collect::<Vec<_>>(), ["s"]);
    assert_eq!(read.detected[0].rows, 2);
}

#[test]
fn rubric_hashes_are_counted() {
    let read = read(
        "t.csv",
        "system,query,criterion,judge,label,rubric_hash\ns,q,a,j,1,h2\ns,q,b,j,1,h1\ns,q,c,j,1,h2\ns,q,d,j,1,\n",
    );
    assert_eq!(
        read.rubric_hashes,
        BTreeMap::from([("h1".to_owned(), 1), ("h2".to_owned(), 2)])
    );
}

#[test]
fn keys_of_later_json_rows_count() {
    let text = "{\"system\": \"s\", \"query\": \"q\", \"criterion\": \"c\", \"judge\": \"j\", \"label\": 1}\n\
                {\"system\": \"s\", \"query\": \"q\", \"criterion\": \"d\", \"judge\": \"j\", \"status\": \"failed\", \"label\": null, \"raw\": {\"x\": [1]}}\n";
    let read = read("t.jsonl", text);
    assert_eq!(rows(&read.verdicts)[1].2, Status::Failed);
    assert_eq!(read.detected[0].ignored, ["raw"]);
}

#[test]
fn gold_needs_no_judge_and_no_system() {
    let source = Source::bytes("gold.csv", b"prompt_id,criterion_id,label\nq1,c,1\nq2,c,0\n".to_vec());
    let gold = read_gold(source, &ReadOptions::default()).unwrap_or_else(|findings| panic!("{findings}"));
    assert_eq!(
        rows(&gold.verdicts)[0],
        (format!("{ANY_SYSTEM}|q1|1|c|{GOLD}|1"), Some(1), Status::Ok)
    );
}

/// Eight distinct cells, one of them without a label.
const TABLE: [&str; 8] = [
    "s1,q1,c1,j1,1",
    "s1,q1,c1,j2,0",
    "s2,q1,c1,j1,met",
    "s2,q1,c1,j2,",
    "s1,q2,c2,j1,no",
    "s2,q2,c2,j1,1",
    "s1,q2,c3,j1,n/a",
    "s2,q2,c3,j2,1",
];

proptest! {
    #[test]
    fn the_order_of_rows_is_irrelevant(order in Just((0..TABLE.len()).collect::<Vec<_>>()).prop_shuffle(), split in 0..=TABLE.len()) {
        let text = |rows: &[usize]| {
            let lines: Vec<&str> = rows.iter().map(|at| TABLE[*at]).collect();
            format!("system,query,criterion,judge,label\n{}\n", lines.join("\n"))
        };
        let whole = read("t.csv", &text(&(0..TABLE.len()).collect::<Vec<_>>())).verdicts;
        let parts = [&order[..split], &order[split..]].into_iter().filter(|part| !part.is_empty());
        let sources = parts.map(|part| Source::bytes("t.csv", text(part).into_bytes())).collect();
        let shuffled = read_verdicts(sources, &ReadOptions::default()).unwrap_or_else(|findings| panic!("{findings}")).verdicts;
        prop_assert_eq!(rows(&whole), rows(&shuffled));
        prop_assert_eq!(whole.items(), shuffled.items());
        prop_assert_eq!(whole.systems(), shuffled.systems());
    }

    /// Tables are other people's text: whatever the bytes, the answer is verdicts or mistakes with places.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(prop::sample::select(b"sq,;\"{}[]:\n\r\t\xc3\xbc\x1f\x8b 01".to_vec()), 0..120), json in "[{}\"a:,1\\\\n\n]{0,60}") {
        for bytes in [bytes, json.into_bytes()] {
            let mut table = b"system,query,criterion,judge,label\n".to_vec();
            table.extend(&bytes);
            let sources = [("t.jsonl", bytes.clone()), ("t.csv", bytes), ("u.csv", table)];
            for (name, bytes) in sources {
                if let Err(findings) = read_verdicts(vec![Source::bytes(name, bytes)], &ReadOptions::default()) {
                    prop_assert!(!findings.is_empty());
                    prop_assert!(findings.to_string().contains("error"));
                }
            }
        }
    }
}

#[test]
fn a_column_that_divides_is_read_when_it_is_asked_for_and_named_unused_otherwise() {
    let table = "system,query,criterion,judge,label,Domain\na,q1,c,j,1,\nb,q1,c,j,0, law \na,q2,c,j,1,tax\n";
    let read = |values_of| {
        let options = ReadOptions {
            values_of,
            ..ReadOptions::default()
        };
        let read = read_verdicts(vec![Source::bytes("t.csv", table.into())], &options).expect("a sound table");
        assert_eq!(options.progress.rows(), 3);
        assert_eq!(options.progress.bytes(), table.len() as u64);
        read
    };
    let values: Vec<(String, String)> = read(Some(Role::Domain)).query_values.into_iter().collect();
    let expected = [("q1", "law"), ("q2", "tax")].map(|(query, value)| (query.to_owned(), value.to_owned()));
    assert_eq!(values, expected);
    let unasked = read(None);
    assert!(unasked.query_values.is_empty());
    assert_eq!(unasked.detected[0].ignored, ["Domain"]);
    assert!(read(Some(Role::TaskType)).query_values.is_empty());
}

#[test]
fn one_query_has_one_value_over_all_files() {
    let file = |name: &str, rows: &str| {
        let text = format!("system,query,criterion,judge,label,task_type\n{rows}");
        Source::bytes(name, text.into())
    };
    let sources = vec![
        file("one.csv", "a,q1,c,j,1,decision_support\na,q2,c,j,1,safety-critical\n"),
        // Two spellings of one task type are no two values.
        file("two.csv", "b,q2,c,j,1,high_risk_constraint\nb,q1,c,j,1,high_risk\n"),
    ];
    let options = ReadOptions {
        values_of: Some(Role::TaskType),
        ..ReadOptions::default()
    };
    let findings = read_verdicts(sources, &options).expect_err("q1 has two task types");
    let shown = findings.shown();
    assert_eq!(shown.len(), 1);
    let mistake = &shown[0].diagnostic;
    assert_eq!(mistake.id, "two-values");
    assert!(
        mistake
            .what
            .contains("`high_risk` here and `decision_support` in one.csv:2"),
        "{}",
        mistake.what
    );
    let place = mistake.span.as_ref().expect("a place");
    assert_eq!((place.file.as_str(), place.line), ("two.csv", 3));
}

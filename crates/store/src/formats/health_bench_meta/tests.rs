use proptest::prelude::*;

use super::*;
use crate::formats::{Collected, Content};

fn import(text: &[u8]) -> Result<(Collected, ReadReport), ReadError> {
    let mut sink = Collected::default();
    let input = Input {
        name: "meta.jsonl".into(),
        content: Content::Stream(Box::new(text)),
    };
    let report = read(input, &ImportOptions::default(), &mut sink)?;
    Ok((sink, report))
}

const MADE: &[u8] = include_bytes!("../../../../../testdata/formats/healthbench/meta.jsonl");

#[test]
fn physicians_are_judges_and_answers_samples() {
    assert!(looks_like(MADE));
    let (found, report) = import(MADE).expect("the file is right");
    assert_eq!(
        (found.criteria.len(), found.queries.len(), found.responses.len()),
        (3, 4, 12)
    );
    assert_eq!(found.verdicts.len(), 90, "2 or 3 labels in each of 36 rows");
    assert!(report.losses.is_empty());
    let judges: BTreeSet<&str> = found.verdicts.iter().map(|v| v.cell.judge.as_str()).collect();
    assert_eq!(judges.len(), 5);
    assert!(
        found
            .verdicts
            .iter()
            .all(|v| v.source == Some(VerdictSource::Human) && v.cell.repeat == 1)
    );
    assert_eq!(found.criteria[1].tags, ["cluster:1"]);
}

#[test]
fn a_physician_who_labels_twice_repeats() {
    let row = r#"{"prompt": [], "completion": "a", "rubric": "x", "binary_labels": [true, false], "anonymized_physician_ids": ["d", "d"], "category": null}"#;
    let (found, _) = import(row.as_bytes()).expect("the row is right");
    let repeats: Vec<u16> = found.verdicts.iter().map(|v| v.cell.repeat).collect();
    assert_eq!(repeats, [1, 2]);
}

#[test]
fn mistakes_have_lines_and_an_empty_file_is_one() {
    let text = "\n{\"prompt\": []}\n{\"prompt\": [], \"completion\": \"\", \"rubric\": \"x\", \"binary_labels\": [true], \"anonymized_physician_ids\": []}\n";
    let Err(ReadError::Findings(findings)) = import(text.as_bytes()) else {
        panic!("both rows are wrong")
    };
    let lines: BTreeSet<u32> = findings
        .shown()
        .iter()
        .filter_map(|finding| finding.diagnostic.span.as_ref().map(|span| span.line))
        .collect();
    assert_eq!(lines, BTreeSet::from([2, 3]));
    assert!(matches!(import(b""), Err(ReadError::Findings(_))));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn damaged_files_are_findings_and_never_a_panic(at in 0usize..1 << 16, byte in any::<u8>(), cut in 0usize..1 << 16) {
        let mut bytes = MADE.to_vec();
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(length - cut % (length / 2));
        if let Err(ReadError::Findings(findings)) = import(&bytes) {
            prop_assert!(!findings.is_empty());
            let _ = findings.to_string();
        }
    }
}

//! Tests of the sink before every other.

use calibrant_schema::Status;
use calibrant_store::formats::{Collected, CriterionRow, Place, ResponseRow, Sink, VerdictRow};
use calibrant_store::ledger::Cell;

use super::*;

fn criterion(id: &str, levels: Option<Vec<f64>>) -> CriterionRow {
    CriterionRow {
        id: id.into(),
        question: "Is it right?".into(),
        weight: 1.0,
        levels,
        ..CriterionRow::default()
    }
}

fn verdict(judge: &str, label: f64) -> VerdictRow {
    let cell = Cell {
        system: "s".into(),
        query: "q".into(),
        sample: "1".into(),
        criterion: "c".into(),
        judge: judge.into(),
        repeat: 1,
    };
    VerdictRow::new(cell, Status::Ok, Some(label))
}

/// Feeds two files of rows; returns the rows handed on with the summary, or the message.
fn fed(feed: impl Fn(&mut Checked<'_>) -> Result<(), Refusal>) -> Result<(Collected, ImportSummary), String> {
    let mut inner = Collected::default();
    let mut watching = |_: Importing<'_>| Ok(());
    let mut checked = Checked::new(&mut inner, &mut watching);
    checked.begin("a.json").expect("nobody ends it");
    if let Err(refusal) = feed(&mut checked) {
        let told = checked.refusal().expect("what was refused is kept");
        assert_eq!(told.to_string(), refusal.0);
        return Err(refusal.0);
    }
    let summary = checked.finish(Vec::new()).expect("the inner sink takes everything");
    Ok((inner, summary))
}

#[test]
fn the_same_twice_is_taken_once() {
    let (rows, summary) = fed(|sink| {
        for _ in 0..2 {
            sink.criterion(criterion("c", None))?;
            sink.verdict(verdict("j", 1.0))?;
        }
        sink.verdict(verdict("k", 0.0))
    })
    .expect("nothing contradicts");
    assert_eq!((rows.criteria.len(), rows.verdicts.len()), (1, 2));
    assert_eq!((summary.rows.criteria, summary.rows.verdicts), (1, 2));
    assert_eq!(
        (summary.systems, summary.judges),
        (vec!["s".to_owned()], vec!["j".into(), "k".into()])
    );
    assert_eq!(summary.statuses.into_iter().collect::<Vec<_>>(), [("ok".to_owned(), 2)]);
}

#[test]
fn a_contradiction_names_both_places() {
    let message = fed(|sink| {
        sink.at(Place::Line(3));
        sink.criterion(criterion("c\u{1b}", None))?;
        sink.begin("b.json").expect("nobody ends it");
        sink.at(Place::Line(9));
        let otherwise = CriterionRow {
            weight: 2.0,
            ..criterion("c ", None)
        };
        sink.criterion(otherwise)
    })
    .expect_err("the weights differ");
    assert_eq!(
        message,
        "the criterion `c` is defined twice, and differently: first in `a.json` at line 3, then in `b.json` at line 9"
    );
    let message = fed(|sink| {
        sink.verdict(verdict("j", 1.0))?;
        sink.at(Place::Entry(2));
        sink.verdict(verdict("j", 0.0))
    })
    .expect_err("the labels differ");
    assert!(
        message.ends_with("and differently: first in `a.json`, then in `a.json` at entry 2"),
        "{message}"
    );
}

#[test]
fn levels_of_a_shared_criterion_are_those_of_all_files() {
    let (rows, _) = fed(|sink| {
        sink.criterion(criterion("c", None))?;
        sink.criterion(criterion("c", Some(vec![0.0, 0.5])))
    })
    .expect("only the levels differ");
    assert_eq!(rows.criteria, [criterion("c", Some(vec![0.0, 0.5, 1.0]))]);
}

#[test]
fn ids_are_cleaned_and_an_empty_one_is_refused() {
    let response = |query: &str| ResponseRow {
        system: " s\n1 ".into(),
        query: query.into(),
        sample: "1".into(),
        body: "".into(),
    };
    let (rows, summary) = fed(|sink| sink.response(response("q"))).expect("a line break can be mended");
    assert_eq!(rows.responses[0].system, "s 1");
    assert_eq!(summary.losses.iter().map(|loss| loss.count).sum::<u64>(), 1);
    let message = fed(|sink| sink.response(response(" \t"))).expect_err("nothing is left of the id");
    assert_eq!(message, "the query of a response has no id in `a.json`");
}

#[test]
fn a_label_with_another_status_is_refused() {
    let message = fed(|sink| {
        let row = VerdictRow {
            status: Status::Failed,
            ..verdict("j", 1.0)
        };
        sink.verdict(row)
    })
    .expect_err("a failed judge gives no label");
    assert!(message.contains("without the status `ok`"), "{message}");
}

#[test]
fn a_query_that_says_less_says_the_same_and_must_come_later() {
    let query = |tags: &[&str], text: &str| calibrant_schema::query::Query {
        query: "q".into(),
        prompt: Some(text.into()),
        task_type: None,
        domain: None,
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        weight: 1.0,
        cluster: None,
    };
    let (rows, summary) = fed(|sink| {
        sink.query(query(&["theme:a"], "Hi"))?;
        sink.begin("b.json").expect("nobody ends it");
        sink.query(query(&[], "Hi"))
    })
    .expect("the second says less");
    assert_eq!(
        (rows.queries, summary.rows.queries),
        (vec![query(&["theme:a"], "Hi")], 1)
    );
    for second in [query(&["theme:a"], "Hi"), query(&[], "Hello")] {
        let message = fed(|sink| {
            sink.query(query(&[], "Hi"))?;
            sink.query(second.clone())
        })
        .expect_err("the second says more, or something else");
        assert!(message.contains("the query `q` is told twice"), "{message}");
    }
}

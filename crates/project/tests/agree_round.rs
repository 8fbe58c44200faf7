//! `agree` on a round of grading: nothing before every sheet is locked, then the round with the one before it.

use std::fs;
use std::path::Path;

use calibrant_project::grading::{Grading, GradingRequest, SampleOptions};
use calibrant_project::{AgreeRequest, GradedRound, ProjectError, Request, Start, agree};
use calibrant_schema::agreement::{Coefficient, Intervals, Scope};
use calibrant_schema::config::Config;
use calibrant_schema::exercise::{Act, Mark};

fn request(folder: &Path, round: u32) -> GradingRequest {
    GradingRequest {
        dir: folder.join("grading"),
        ledger: folder.join("verdicts.db"),
        round: Some(round),
        rubric: Some(folder.join("rubric.yaml")),
        responses: Some(folder.join("responses.jsonl")),
        queries: None,
        graders: vec!["anna".to_owned(), "ben".to_owned()],
        sample: SampleOptions {
            answers: 10,
            ..SampleOptions::default()
        },
    }
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let rubric =
        "criteria:\n  - {id: dated, question: Does it give a date?}\n  - {id: kind, question: Is it polite?}\n";
    fs::write(folder.path().join("rubric.yaml"), rubric).expect("the rubric");
    let rows: String = (0..24)
        .map(|at| {
            format!(
                "{{\"system\": \"s{}\", \"query\": \"q{at}\", \"response\": \"By {at} May.\"}}\n",
                at % 3
            )
        })
        .collect();
    fs::write(folder.path().join("responses.jsonl"), rows).expect("the responses");
    folder
}

/// Fills a grader's sheet: what comes first in the order of ids is met; `apart` answers are called otherwise on `kind`.
fn grade(grading: &Grading, grader: &str, apart: usize) {
    let paper = grading.paper(grader).expect("a paper");
    let mut units: Vec<&str> = paper.units.iter().map(|unit| unit.unit.as_str()).collect();
    units.sort_unstable();
    let mut marks = Vec::new();
    for (at, unit) in units.iter().enumerate() {
        for criterion in ["dated", "kind"] {
            let met = (at < 6) != (criterion == "kind" && at < apart);
            marks.push(Mark {
                unit: (*unit).to_owned(),
                criterion: Some(criterion.to_owned()),
                act: Act::Verdict {
                    label: f64::from(u8::from(met)),
                },
                at: "2026-05-09T08:00:00Z".to_owned(),
                nth: marks.len() as u64 + 1,
            });
        }
    }
    grading.record(grader, marks).unwrap_or_else(|error| panic!("{error}"));
}

fn compare(folder: &Path, round: u32) -> Result<calibrant_schema::Agreement, ProjectError> {
    let (config, _) = Config::read(None, "", &[] as &[(String, String)]).expect("defaults");
    let start = Start::Verdicts {
        tables: Vec::new(),
        out: folder.join("unused"),
    };
    let request = AgreeRequest {
        round: Request::new(start, config),
        graded: Some(GradedRound {
            dir: folder.join("grading"),
            ledger: folder.join("verdicts.db"),
            round,
        }),
        earlier: None,
        out: None,
        intervals: Intervals::Bootstrap,
    };
    agree(&request, &mut |_| ())
}

fn refusal(result: Result<calibrant_schema::Agreement, ProjectError>) -> String {
    match result.expect_err("it is refused") {
        ProjectError::Refused(diagnostic) => diagnostic.id.to_owned(),
        other => panic!("{other}"),
    }
}

#[test]
fn a_round_is_compared_with_the_one_before_and_never_while_it_is_open() {
    let folder = project();
    assert_eq!(refusal(compare(folder.path(), 1)), "no-round");
    for (round, apart) in [(1, 4), (2, 1)] {
        let grading = Grading::open(&request(folder.path(), round)).unwrap_or_else(|error| panic!("{error}"));
        grade(&grading, "anna", 0);
        grade(&grading, "ben", apart);
        assert_eq!(refusal(compare(folder.path(), round)), "round-open");
        grading.lock("anna").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(refusal(compare(folder.path(), round)), "round-open");
        grading.lock("ben").unwrap_or_else(|error| panic!("{error}"));
    }
    let first = compare(folder.path(), 1).unwrap_or_else(|error| panic!("{error}"));
    assert!(first.rounds.is_none());
    assert_eq!(first.precision.agreement, Some(0.6));
    let second = compare(folder.path(), 2).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(second.judges, ["anna", "ben"]);
    let raw = second.figure(Scope::Criterion, Some("kind"), Coefficient::RawAgreement);
    assert_eq!(raw.and_then(|row| row.value), Some(0.9));
    let rounds = second.rounds.expect("the round before");
    assert_eq!(rounds.changes[0].earlier.value, Some(0.6));
    assert_eq!(rounds.changes[0].later.value, Some(0.9));
}

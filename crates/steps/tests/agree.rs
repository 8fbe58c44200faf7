//! The exercise with forty answers, in the numbers of its source; what rounds refuse; nested roll-ups.

mod panel;

use calibrant_schema::agreement::{Agreement, ChangeMethod, Coefficient, Intervals, Reading, Scope};
use calibrant_schema::artifact::{Artifact, Header};
use calibrant_schema::roll_up::RollUpRule;
use calibrant_schema::{Scale, Status, Verdicts};
use calibrant_steps::agree::{AgreeInputs, AgreeOptions, Round};
use calibrant_steps::{RubricJoin, StepError, agree, consensus, roll_ups};
use panel::{Row, row, rubric, verdicts, verdicts_on};
use proptest::prelude::*;

/// Sums of at most 80 terms.
const ROUNDING: f64 = 1e-12;

/// (score of one judge, score of the other, answers): agreements 1, 2, 9, 7, 5; nine on 3|4, four 2 against 4, three others.
const FIRST_ROUND: [(u8, u8, usize); 11] = [
    (1, 1, 1),
    (2, 2, 2),
    (3, 3, 9),
    (4, 4, 7),
    (5, 5, 5),
    (3, 4, 7),
    (4, 3, 2),
    (2, 4, 3),
    (4, 2, 1),
    (1, 2, 1),
    (4, 5, 2),
];

fn query(at: usize) -> String {
    format!("q{at:02}")
}

fn first_round() -> Verdicts {
    let mut rows = Vec::new();
    for (anna, ben, answers) in FIRST_ROUND {
        for _ in 0..answers {
            let query = query(rows.len() / 2);
            rows.push(row("assistant", &query, "helpfulness", "anna", anna - 1));
            rows.push(row("assistant", &query, "helpfulness", "ben", ben - 1));
        }
    }
    verdicts_on(&"1..5".parse::<Scale>().expect("a scale"), &rows)
}

/// Three conditions on the same answers: 22 pass all, 11 exactly two, and the judges differ on four, all on `limit`.
fn second_rows() -> Vec<Row> {
    let answers: [([u8; 3], usize); 4] = [([1, 1, 1], 22), ([1, 2, 1], 4), ([0, 1, 1], 7), ([0, 0, 1], 7)];
    let mut rows = Vec::new();
    let mut at = 0;
    for (labels, times) in answers {
        for _ in 0..times {
            for (criterion, label) in ["label", "limit", "paths"].into_iter().zip(labels) {
                // 2 stands for a disagreement.
                let (anna, ben) = if label == 2 {
                    (at as u8 % 2, 1 - at as u8 % 2)
                } else {
                    (label, label)
                };
                rows.push(row("assistant", &query(at), criterion, "anna", anna));
                rows.push(row("assistant", &query(at), criterion, "ben", ben));
            }
            at += 1;
        }
    }
    rows
}

fn compare(round: &Verdicts, earlier: Option<&Verdicts>) -> Result<Agreement, StepError> {
    let join = RubricJoin::new(None);
    let inputs = AgreeInputs {
        round: Round {
            verdicts: round,
            join: &join,
        },
        gold: None,
        earlier: earlier.map(|verdicts| Round { verdicts, join: &join }),
    };
    agree(inputs, Header::default(), &AgreeOptions::default())
}

fn value(agreement: &Agreement, scope: Scope, criterion: Option<&str>, coefficient: Coefficient) -> f64 {
    let row = agreement
        .figure(scope, criterion, coefficient)
        .expect("the figure is there");
    row.value.expect("it has a value")
}

#[test]
fn the_first_round_is_that_of_the_source() {
    let agreement = compare(&first_round(), None).expect("two judges on forty answers");
    let of = |coefficient| value(&agreement, Scope::Criterion, Some("helpfulness"), coefficient);
    assert_eq!(of(Coefficient::RawAgreement), 24.0 / 40.0);
    // Shares of 80 scores: 3, 9, 27, 29, 12.
    let expected = [3.0, 9.0, 27.0, 29.0, 12.0]
        .map(|n: f64| (n / 80.0).powi(2))
        .iter()
        .sum::<f64>();
    assert!((of(Coefficient::ChanceAgreement) - expected).abs() < ROUNDING);
    assert_eq!(format!("{expected:.4}"), "0.2819");
    assert!((of(Coefficient::ScottPi) - (0.6 - expected) / (1.0 - expected)).abs() < ROUNDING);
    assert_eq!(format!("{:.3}", of(Coefficient::ScottPi)), "0.443");
    // Each judge's own shares: 2, 5, 18, 13, 2 twice would be alike; they are not, and Cohen's kappa is a little higher.
    assert!(of(Coefficient::CohenKappa) > of(Coefficient::ScottPi));
    assert_eq!(value(&agreement, Scope::Response, None, Coefficient::RawAgreement), 0.6);
    assert_eq!(
        format!("{:.4}", agreement.precision.standard_error.expect("an error")),
        "0.0775"
    );
    let sizes: Vec<(u64, u64)> = agreement.sizes.iter().map(|row| (row.size, row.count)).collect();
    assert_eq!(
        sizes,
        [(0, 1), (0, 2), (0, 9), (0, 7), (0, 5), (1, 1), (1, 9), (1, 2), (2, 4)]
    );
}

#[test]
fn a_change_of_scale_states_no_gain_in_raw_agreement() {
    let (first, second) = (first_round(), verdicts(&second_rows()));
    let agreement = compare(&second, Some(&first)).expect("two rounds");
    assert_eq!(
        value(&agreement, Scope::Response, None, Coefficient::RawAgreement),
        36.0 / 40.0
    );
    let rounds = agreement.rounds.expect("rounds");
    assert!(rounds.scale_changed && rounds.same_responses == 40 && rounds.taste.is_none());
    let raw = &rounds.changes[0];
    assert_eq!(
        (raw.coefficient, raw.difference, raw.p),
        (Coefficient::RawAgreement, None, None)
    );
    assert_eq!((raw.earlier.value, raw.later.value), (Some(0.6), Some(0.9)));
    assert_eq!(raw.undefined.as_ref().expect("a reason").reason, "scale_changed");
    let pi = rounds
        .changes
        .iter()
        .find(|change| change.coefficient == Coefficient::ScottPi);
    let pi = pi.expect("the figure beyond chance stands in its place");
    assert!(pi.difference.expect("a difference") > 0.0 && pi.method == ChangeMethod::Paired && pi.low.is_some());
    let ids: Vec<&str> = agreement
        .header
        .warnings
        .iter()
        .map(|noted| noted.action.as_str())
        .collect();
    assert!(
        ids.iter().any(|action| action.contains("figures beyond chance")),
        "{ids:?}"
    );
}

#[test]
fn the_same_responses_are_compared_in_pairs_and_others_as_independent() {
    let second = second_rows();
    // A third round in which the judges differ on two of the four answers they differed on before.
    let mut third = second.clone();
    let differs = |rows: &[Row], at: usize| rows[at].level != rows[at + 1].level;
    let open: Vec<usize> = (0..third.len()).step_by(2).filter(|at| differs(&third, *at)).collect();
    assert_eq!(open.len(), 4);
    for at in &open[..2] {
        third[at + 1].level = third[*at].level;
    }
    let agreement = compare(&verdicts(&third), Some(&verdicts(&second))).expect("two rounds");
    let raw = agreement.rounds.expect("rounds").changes[0].clone();
    assert_eq!(raw.method, ChangeMethod::Paired);
    assert!((raw.difference.expect("a difference") - 2.0 / 40.0).abs() < ROUNDING);
    // McNemar: two changed for the better and none for the worse, 2 / 2^2.
    assert!((raw.p.expect("p") - 0.5).abs() < 1e-9, "{raw:?}");
    let others: Vec<Row> = third
        .iter()
        .cloned()
        .map(|row| Row {
            query: format!("other-{}", row.query),
            ..row
        })
        .collect();
    let agreement = compare(&verdicts(&others), Some(&verdicts(&second))).expect("two rounds");
    let raw = agreement.rounds.expect("rounds").changes[0].clone();
    // The error of a difference, not of one round: .05 / sqrt(.95 * .05 / 40 + .9 * .1 / 40).
    let z = 0.05 / (0.95f64 * 0.05 / 40.0 + 0.9 * 0.1 / 40.0).sqrt();
    assert_eq!(raw.method, ChangeMethod::Unpaired);
    assert!((raw.z.expect("z") - z).abs() < 1e-9, "{raw:?}");
}

#[test]
fn panels_of_other_sizes_are_compared_beyond_chance_too() {
    let mut three = second_rows();
    let third: Vec<Row> = three
        .iter()
        .filter(|row| row.judge == "ben")
        .cloned()
        .map(|row| Row {
            judge: "cyd".to_owned(),
            ..row
        })
        .collect();
    three.extend(third);
    let agreement = compare(&verdicts(&three), Some(&verdicts(&second_rows()))).expect("two rounds");
    let rounds = agreement.rounds.expect("rounds");
    for scope in [Scope::Response, Scope::Criterion] {
        let found = rounds
            .changes
            .iter()
            .find(|change| change.scope == scope && change.coefficient == Coefficient::FleissKappa);
        let change = found.expect("raw agreement never stands alone");
        assert!(
            change.earlier.value.is_some() && change.later.value.is_some(),
            "{change:?}"
        );
    }
}

#[test]
fn a_judge_without_a_label_is_missing_and_not_applicable_is_counted_apart() {
    let mut rows = second_rows();
    let at = |rows: &[Row], criterion: &str, judge: &str, query: &str| {
        let found = rows
            .iter()
            .position(|row| row.criterion == criterion && row.judge == judge && row.query == query);
        found.expect("the row is there")
    };
    for (judge, status) in [("anna", Status::NotApplicable), ("ben", Status::NotApplicable)] {
        let place = at(&rows, "limit", judge, "q00");
        rows[place] = rows[place].clone().without_label(status);
    }
    let place = at(&rows, "paths", "ben", "q01");
    rows[place] = rows[place].clone().without_label(Status::Skipped);
    let agreement = compare(&verdicts(&rows), None).expect("two judges");
    let facts = |criterion: &str| {
        agreement
            .criteria
            .iter()
            .find(|row| row.criterion == criterion)
            .expect("facts")
    };
    assert_eq!((facts("limit").units, facts("limit").not_applicable_alike), (39, 1));
    assert_eq!((facts("paths").units, facts("paths").complete), (39, 39));
    // Both say that it does not apply: alike. One skipped: not to be compared.
    assert_eq!(agreement.precision.responses, 39);
    let statuses: Vec<&str> = agreement.without_label.iter().map(|row| row.status.as_str()).collect();
    assert_eq!(statuses, ["not_applicable", "not_applicable", "skipped"]);
    // What does not apply is an answer: only the skipped cell is one to judge again.
    let unanswered = agreement
        .header
        .warnings
        .iter()
        .find(|noted| noted.message.contains("without a label"));
    let message = unanswered.map(|noted| noted.message.as_str()).unwrap_or_default();
    assert!(
        message.starts_with(&format!("verdicts without a label: 1 of {}", rows.len())),
        "{message}"
    );
}

#[test]
fn taste_is_named_after_a_second_round() {
    let mut rows = second_rows();
    // The judges fall out over `limit` on every third answer.
    for (place, row) in rows.iter_mut().enumerate() {
        if row.criterion == "limit" && row.judge == "ben" && place % 18 == 3 {
            row.level = row.level.map(|level| 1 - level);
        }
    }
    let agreement = compare(&verdicts(&rows), Some(&verdicts(&second_rows()))).expect("two rounds");
    let taste = agreement.rounds.expect("rounds").taste.expect("below 85 %");
    assert!(taste.agreement < 0.85 && taste.criteria == ["limit"], "{taste:?}");
}

#[test]
fn a_criterion_decided_by_code_takes_no_part() {
    let rubric = rubric(
        "criteria:\n  - {id: label, question: Is it?}\n  - {id: limit, question: Is it?}\n  - {id: paths, question: Is it?, check: {max_words: 90}}\n",
    );
    let (mut rows, join) = (second_rows(), RubricJoin::new(Some(&rubric)));
    rows.push(row("s", &query(0), "paths", "code", 1));
    let table = verdicts(&rows);
    let inputs = AgreeInputs {
        round: Round {
            verdicts: &table,
            join: &join,
        },
        gold: None,
        earlier: None,
    };
    let agreement = agree(inputs, Header::default(), &AgreeOptions::default()).expect("two judges");
    assert_eq!(agreement.decided_by_code, ["paths"]);
    assert!(agreement.criteria.iter().all(|row| row.criterion != "paths"));
    // Code is no third judge: with it no answer would be whole for all, and the figures would be those of three.
    assert_eq!(agreement.judges, ["anna", "ben"]);
    assert!(agreement.pairs.is_empty());
}

#[test]
fn a_table_of_code_alone_has_nothing_to_agree_on() {
    let rubric = rubric("criteria:\n  - {id: paths, question: Is it?, check: {max_words: 90}}\n");
    let (table, join) = (
        verdicts(&[row("s", &query(0), "paths", "code", 1)]),
        RubricJoin::new(Some(&rubric)),
    );
    let round = Round {
        verdicts: &table,
        join: &join,
    };
    let inputs = AgreeInputs {
        round,
        gold: None,
        earlier: None,
    };
    let refused = agree(inputs, Header::default(), &AgreeOptions::default()).expect_err("nothing is judged");
    assert!(matches!(refused, StepError::AllDecidedByCode), "{refused}");
}

#[test]
fn complete_agreement_has_no_interval_and_one_label_no_kappa() {
    let rows: Vec<Row> = (0..12)
        .flat_map(|at| ["anna", "ben"].map(|judge| row("s", &query(at), "always", judge, 1)))
        .collect();
    let agreement = compare(&verdicts(&rows), None).expect("two judges");
    let figure = |coefficient| {
        agreement
            .figure(Scope::Criterion, Some("always"), coefficient)
            .expect("a row")
    };
    assert_eq!(figure(Coefficient::CohenKappa).value, None);
    assert_eq!(
        figure(Coefficient::CohenKappa)
            .undefined
            .as_ref()
            .expect("a reason")
            .reason,
        "one_label"
    );
    let pabak = figure(Coefficient::Pabak);
    assert_eq!((pabak.value, pabak.low), (Some(1.0), None));
    assert_eq!(pabak.undefined.as_ref().expect("a reason").reason, "no_disagreement");
    assert_eq!(agreement.readings[0].reading, Reading::Unknown);
}

#[test]
fn the_artifact_reads_back_and_every_null_has_its_reason() {
    for intervals in [Intervals::Bootstrap, Intervals::Analytic] {
        let (table, join) = (verdicts(&second_rows()), RubricJoin::new(None));
        let inputs = AgreeInputs {
            round: Round {
                verdicts: &table,
                join: &join,
            },
            gold: Some(&table),
            earlier: None,
        };
        let options = AgreeOptions {
            intervals,
            ..AgreeOptions::default()
        };
        let agreement = agree(inputs, Header::default(), &options).expect("two judges");
        let read = Agreement::from_json(&agreement.to_json(), "agreement.json").expect("it reads back");
        assert_eq!(read, agreement);
        for row in agreement.coefficients.iter().chain(&agreement.validity) {
            let whole = row.value.is_some() && row.low.is_some() && row.high.is_some();
            assert_eq!(row.undefined.is_none(), whole, "{row:?}");
            if let (Some(value), Some(low), Some(high)) = (row.value, row.low, row.high) {
                assert!(low <= value && value <= high, "{row:?}");
            }
        }
    }
}

#[test]
fn nothing_to_compare_is_refused_by_name() {
    let rows = second_rows();
    let only = |judge: &str| -> Vec<Row> { rows.iter().filter(|row| row.judge == judge).cloned().collect() };
    let alone = compare(&verdicts(&only("anna")), None).expect_err("one judge");
    assert!(
        matches!(alone, StepError::NobodyToCompare { ref judge } if judge == "anna"),
        "{alone}"
    );
    let mut apart = only("anna");
    apart.extend(only("ben").into_iter().map(|row| Row {
        query: format!("b-{}", row.query),
        ..row
    }));
    let apart = compare(&verdicts(&apart), None).expect_err("no common unit");
    assert!(matches!(apart, StepError::NoCommonUnit { judges: 2, .. }), "{apart}");
}

#[test]
fn the_gap_of_two_rules_is_exactly_the_responses_between_them() {
    let table = verdicts(&second_rows());
    let join = RubricJoin::new(None);
    let labels = consensus(&table, &join);
    let rules = [RollUpRule::All, RollUpRule::AtLeast(2)];
    let compared = roll_ups(&labels, &join, &rules, Header::default()).expect("two rules");
    let passed: Vec<u64> = compared.rules.iter().map(|row| row.passed).collect();
    assert_eq!(passed, [22, 33]);
    let gap = &compared.gaps[0];
    assert!((gap.gap.expect("a gap") - 0.275).abs() < ROUNDING);
    assert_eq!((gap.between.len(), gap.against.len(), gap.nested), (11, 0, true));
    assert!(gap.between.iter().all(|response| response.fails.len() == 1), "{gap:?}");
}

/// Tables of three systems, three queries, three criteria and two judges, in which some labels are missing.
fn table() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec(0u8..6, 3 * 3 * 3 * 2).prop_map(|draws| {
        let name = |names: [&str; 3], at: usize| names[at % 3].to_owned();
        let rows = draws.into_iter().enumerate().map(|(at, draw)| {
            let judge = ["anna", "ben"][at % 2];
            let at = at / 2;
            let made = row(
                &name(["s1", "s2", "s3"], at / 9),
                &name(["q1", "q2", "q3"], at / 3),
                &name(["a", "b", "c"], at),
                judge,
                u8::from(draw > 2),
            );
            match draw {
                0 => made.without_label(Status::NotApplicable),
                1 => made.without_label(Status::Failed),
                _ => made,
            }
        });
        rows.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_is_within_every_at_least(rows in table(), least in 1u32..4) {
        let table = verdicts(&rows);
        let join = RubricJoin::new(None);
        let labels = consensus(&table, &join);
        let rules = [RollUpRule::AtLeast(least), RollUpRule::All];
        let compared = roll_ups(&labels, &join, &rules, Header::default()).expect("two rules");
        let gap = &compared.gaps[0];
        prop_assert!(gap.nested && gap.against.is_empty());
        prop_assert_eq!(gap.passed_looser - gap.passed_stricter, gap.between.len() as u64);
    }

    #[test]
    fn the_order_of_rows_and_the_names_of_judges_are_irrelevant(rows in table()) {
        let renamed: Vec<Row> = rows
            .iter()
            .rev()
            .cloned()
            .map(|row| Row { judge: if row.judge == "anna" { "zoe".to_owned() } else { row.judge.clone() }, ..row })
            .collect();
        match (compare(&verdicts(&rows), None), compare(&verdicts(&renamed), None)) {
            (Ok(left), Ok(right)) => {
                let points = |agreement: &Agreement| -> Vec<Option<f64>> {
                    agreement.coefficients.iter().map(|row| row.value).collect()
                };
                for (left, right) in points(&left).into_iter().zip(points(&right)) {
                    match (left, right) {
                        (Some(left), Some(right)) => prop_assert!((left - right).abs() < ROUNDING),
                        (left, right) => prop_assert_eq!(left, right),
                    }
                }
            }
            (left, right) => prop_assert!(left.is_err() && right.is_err()),
        }
    }
}

/// Two judges with gaps: what only one of them labelled is no part of chance, in the table and in the sentence alike.
#[test]
fn chance_of_two_judges_is_that_of_the_units_both_labelled() {
    let mut rows = vec![
        row("s", &query(0), "limit", "anna", 1),
        row("s", &query(0), "limit", "ben", 1),
        row("s", &query(1), "limit", "anna", 0),
        row("s", &query(1), "limit", "ben", 1),
    ];
    rows.extend((2..8).map(|at| row("s", &query(at), "limit", "anna", 1)));
    let agreement = compare(&verdicts(&rows), None).expect("two judges");
    let figure = |coefficient| agreement.figure(Scope::Criterion, Some("limit"), coefficient);
    let value = |coefficient| figure(coefficient).and_then(|row| row.value).expect("a value");
    // Three of four labels are met: chance .75^2 + .25^2 = .625, pi (.5 - .625) / .375 = -1/3.
    assert!((value(Coefficient::ChanceAgreement) - 0.625).abs() < ROUNDING);
    assert!((value(Coefficient::ScottPi) + 1.0 / 3.0).abs() < ROUNDING);
    let reading = agreement.readings[0].kappa.expect("a kappa");
    assert!((reading - value(Coefficient::ScottPi)).abs() < ROUNDING, "{reading}");
}

/// With two of twenty responses of the rarer label intervals of kappa are too narrow, and it is said; with four it is not.
#[test]
fn a_rare_label_is_a_doubt_about_the_intervals() {
    let warns = |rare: usize| {
        let rows: Vec<Row> = (0..20)
            .flat_map(|at| {
                ["anna", "ben"].map(|judge| row("assistant", &query(at), "dose", judge, u8::from(at >= rare)))
            })
            .collect();
        let agreement = compare(&verdicts(&rows), None).expect("agreement");
        agreement
            .header
            .warnings
            .iter()
            .any(|noted| noted.message.contains("of the rarer label: 1"))
    };
    assert!(warns(2) && warns(3));
    // None at all is another doubt, that of one label.
    assert!(!warns(4) && !warns(10) && !warns(0));
}

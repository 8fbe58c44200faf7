//! From verdicts to measurability: pooling, gold, ties, one judge.

mod panel;

use calibrant_schema::artifact::Header;
use calibrant_schema::labels::{Agreement, CellLabel};
use calibrant_schema::{Calibration, Pool, Rubric, Scale, Status, Verdicts, Warning};
use calibrant_steps::calibrate::CalibrateOptions;
use calibrant_steps::{RubricJoin, StepError, calibrate};
use panel::{Row, road, row, rubric, verdicts, verdicts_on};

/// A quotient of small whole numbers.
const ROUNDING: f64 = 1e-15;

fn calibrated(verdicts: &Verdicts, gold: Option<&Verdicts>, pool: Option<Pool>) -> Calibration {
    let options = CalibrateOptions {
        pool,
        replicates: 20,
        ..CalibrateOptions::default()
    };
    let made = calibrate(verdicts, gold, &RubricJoin::new(None), Header::default(), &options);
    made.unwrap_or_else(|refusal| panic!("{refusal}")).0
}

/// Three systems by three judges: all agree on query q, none of the three cells of query r is unanimous.
fn split_by_query() -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, system) in ["s1", "s2", "s3"].into_iter().enumerate() {
        for (number, judge) in ["ann", "bob", "cyd"].into_iter().enumerate() {
            rows.push(row(system, "q", "a", judge, u8::from(at == 0)));
            rows.push(row(system, "r", "a", judge, u8::from(number == at)));
        }
    }
    rows
}

#[test]
fn measurability_is_of_an_item_or_of_a_criterion() {
    let table = verdicts(&split_by_query());
    let of = |calibration: &Calibration, query: Option<&str>| {
        let found = calibration.criteria.iter().find(|row| row.query.as_deref() == query);
        let found = found.unwrap_or_else(|| panic!("no row of {query:?}"));
        (
            found.units,
            found.agreed,
            serde_json::json!(found)["measurability"].as_f64().expect("a value"),
        )
    };
    let near = |found: (u64, u64, f64), units: u64, agreed: u64| {
        // METHODS 63 with the uniform prior: (1 + agreed) / (2 + units).
        let expected = (1.0 + agreed as f64) / (2.0 + units as f64);
        assert_eq!((found.0, found.1), (units, agreed));
        assert!((found.2 - expected).abs() <= ROUNDING, "{} and {expected}", found.2);
    };
    let items = calibrated(&table, None, Some(Pool::Item));
    near(of(&items, Some("q")), 3, 3);
    near(of(&items, Some("r")), 3, 0);
    let pooled = calibrated(&table, None, Some(Pool::Criterion));
    near(of(&pooled, None), 6, 3);
    // A criterion of two queries is shared, and pooled where nobody says otherwise (DESIGN 5).
    assert_eq!(calibrated(&table, None, None).criteria, pooled.criteria);
    let one_query: Vec<Row> = split_by_query().into_iter().filter(|row| row.query == "q").collect();
    assert_eq!(calibrated(&verdicts(&one_query), None, None).pool, Pool::Item);
}

#[test]
fn gold_is_held_out_of_everything_but_its_own_kappa() {
    let table = verdicts(&split_by_query());
    // Gold that says what the majority says; the label of each cell of r is not met, two to one.
    let gold: Vec<Row> = ["s1", "s2", "s3"]
        .into_iter()
        .flat_map(|system| {
            [("q", u8::from(system == "s1")), ("r", 0)].map(|(query, level)| row(system, query, "a", "gold", level))
        })
        .collect();
    let without = calibrated(&table, None, None);
    let with = calibrated(&table, Some(&verdicts(&gold)), None);
    assert_eq!(with.criteria, without.criteria);
    assert_eq!(with.judges, without.judges);
    assert_eq!(with.attrition, without.attrition);
    let first = &with.sweep[0];
    assert_eq!((first.threshold, first.held_out_kappa), (0.0, Some(1.0)), "{first:?}");
    assert_ne!(first.held_out, without.sweep[0].held_out);
}

#[test]
fn a_unit_needs_two_judges() {
    let rows = [
        row("s1", "q", "a", "ann", 1),
        row("s1", "q", "a", "bob", 1).without_label(Status::Failed),
        row("s2", "q", "a", "ann", 1),
        row("s2", "q", "a", "bob", 1),
    ];
    let found = &calibrated(&verdicts(&rows), None, None).criteria[0];
    assert_eq!(
        (found.units, found.agreed),
        (1, 1),
        "an instance with one label agrees trivially (METHODS 64)"
    );
}

#[test]
fn ties_are_counted_and_take_the_lower_level() {
    let rows = [
        row("s1", "q", "a", "ann", 1),
        row("s1", "q", "a", "bob", 0),
        row("s2", "q", "a", "ann", 1),
        row("s2", "q", "a", "bob", 1),
    ];
    let calibration = calibrated(&verdicts(&rows), None, None);
    assert_eq!(calibration.panel.agreement["tie"], 1);
    // METHODS 67: the tie fails, so one of two labels is met.
    assert_eq!(calibration.criteria[0].prevalence, Some(0.5));
}

#[test]
fn without_a_label_there_is_nothing_to_calibrate() {
    let rows = [row("s1", "q", "a", "ann", 1).without_label(Status::Refused)];
    let refusal = calibrate(
        &verdicts(&rows),
        None,
        &RubricJoin::new(None),
        Header::default(),
        &CalibrateOptions::default(),
    );
    assert_eq!(refusal.expect_err("nobody gave a label"), StepError::NoLabels);
}

#[test]
fn the_rubric_decides_what_is_pooled() {
    let mut rows = Vec::new();
    for query in ["q1", "q2"] {
        for system in ["s1", "s2", "s3"] {
            for judge in ["j1", "j2"] {
                rows.push(row(system, query, "c1", judge, 1));
                rows.push(row(system, query, "shared", judge, u8::from(system == "s1")));
            }
        }
    }
    // Without a rubric an id met with two queries is shared; this rubric writes `c1` anew for each.
    let pool = rubric(
        "criteria:\n  - {id: c1, query: q1, question: Is it so?}\n  - {id: c1, query: q2, question: Is that so?}\n  - {id: shared, question: Is it so?}\n",
    );
    let keys = |rubric: Option<&Rubric>| -> Vec<(String, Option<String>, u64)> {
        let made = road(&verdicts(&rows), rubric, &[]).expect("a sound table");
        made.calibration
            .criteria
            .iter()
            .map(|row| (row.criterion.clone(), row.query.clone(), row.units))
            .collect()
    };
    let own = |criterion: &str, query: Option<&str>, units| (criterion.to_owned(), query.map(str::to_owned), units);
    assert_eq!(keys(None), [own("c1", None, 6), own("shared", None, 6)]);
    assert_eq!(
        keys(Some(&pool)),
        [
            own("shared", None, 6),
            own("c1", Some("q1"), 3),
            own("c1", Some("q2"), 3)
        ]
    );
}

#[test]
fn graded_labels_without_a_majority_are_a_median() {
    let scale: Scale = "1..5".parse().expect("a scale");
    let rows = [
        row("s", "q", "c", "j1", 0),
        row("s", "q", "c", "j2", 2),
        row("s", "q", "c", "j3", 4),
    ];
    let labels = calibrant_steps::consensus(&verdicts_on(&scale, &rows), &RubricJoin::new(None));
    let cell = labels.cells(0)[0];
    assert_eq!(
        (cell.label, cell.agreement, cell.agreeing),
        (CellLabel::Level(2), Agreement::Median, 1)
    );
}

#[test]
fn a_judge_of_a_part_of_the_table_is_said_to_narrow_attrition() {
    let mut rows = Vec::new();
    for system in ["s1", "s2", "s3", "s4", "s5"] {
        for judge in ["j1", "j2"] {
            rows.push(row(system, "q", "c", judge, u8::from(system < "s3")));
        }
    }
    rows.push(row("s1", "q", "c", "j3", 1));
    let warned = |rows: &[Row]| {
        let made = road(&verdicts(rows), None, &[]).expect("a sound table");
        made.calibration
            .header
            .warnings
            .iter()
            .any(|noted| matches!(noted.warning, Warning::IncompletePanels { complete: 1, of: 5 }))
    };
    assert!(warned(&rows));
    assert!(!warned(&rows[..10]));
}

/// A criterion that three judges answer and one that code decides, of two systems on four queries.
fn with_code() -> (Vec<Row>, Rubric) {
    let mut rows = Vec::new();
    for query in ["q1", "q2", "q3", "q4"] {
        for system in ["s1", "s2"] {
            for judge in ["ann", "bob", "cyd"] {
                rows.push(row(system, query, "asked", judge, u8::from(system == "s1")));
                // The panel says no where code says yes: the rubric says who decides.
                rows.push(row(system, query, "short", judge, 0));
            }
            rows.push(row(system, query, "short", "code", u8::from(query != "q4")));
        }
    }
    let rubric = rubric(
        "criteria:\n  - {id: asked, question: Is it asked?}\n  - {id: short, question: Is it short?, check: {max_words: 9}}\n",
    );
    (rows, rubric)
}

#[test]
fn what_code_decides_is_no_matter_of_agreement() {
    let (rows, rubric) = with_code();
    let join = RubricJoin::new(Some(&rubric));
    let (table, _) = join.restrict(verdicts(&rows)).expect("the rubric has the criteria");
    let options = CalibrateOptions::default();
    let made = calibrate(&table, None, &join, Header::default(), &options);
    let (calibration, labels) = made.unwrap_or_else(|refusal| panic!("{refusal}"));
    let of = |id: &str| {
        calibration
            .criteria
            .iter()
            .find(|row| row.criterion == id)
            .expect("it has a row")
    };
    assert_eq!(
        (of("short").units, of("short").measurability, of("short").kept),
        (0, Some(1.0), true)
    );
    assert_eq!(of("short").prevalence, Some(0.75));
    assert_eq!(of("asked").units, 8);
    assert_eq!(calibration.panel.judges, 3);
    let label = |query: &str| labels.cells(labels.find(query, "short").expect("an item"))[0].label;
    assert_eq!((label("q1"), label("q4")), (CellLabel::Level(1), CellLabel::Level(0)));

    // Without what code decides, everything about the panel is the same.
    let asked: Vec<Row> = rows.into_iter().filter(|row| row.criterion == "asked").collect();
    let (alone, _) = calibrate(&verdicts(&asked), None, &join, Header::default(), &options).expect("it has labels");
    assert_eq!(of("asked"), &alone.criteria[0]);
    assert_eq!(calibration.header.warnings, alone.header.warnings);
    assert_eq!(calibration.attrition, alone.attrition);
    let kappas = |calibration: &Calibration| {
        let rows = calibration.sweep.iter();
        rows.map(|row| (row.pairwise_kappa, row.held_out_kappa))
            .collect::<Vec<_>>()
    };
    assert_eq!(kappas(&calibration), kappas(&alone));
}

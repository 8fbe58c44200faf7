//! What holds of every table: order is irrelevant, stricter rules never pass more, a null has its reason.

mod panel;

use calibrant_schema::artifact::Artifact;
use calibrant_schema::scores::Outcome;
use calibrant_steps::StepError;
use panel::{Made, Row, road, row, rubric, verdicts};
use proptest::prelude::*;
use serde_json::Value;

const SYSTEMS: [&str; 4] = ["s1", "s2", "s3", "s4"];
const QUERIES: [&str; 3] = ["q1", "q2", "q3"];
const CRITERIA: [&str; 3] = ["a", "b", "c"];
const JUDGES: [&str; 3] = ["ann", "bob", "cyd"];

/// Tables of four systems, three queries, three criteria and three judges, in which one label in eight is missing.
fn table() -> impl Strategy<Value = Vec<Row>> {
    let cells = SYSTEMS.len() * QUERIES.len() * CRITERIA.len() * JUDGES.len();
    proptest::collection::vec(0u8..8, cells).prop_map(|draws| {
        let mut rows = Vec::new();
        for (at, draw) in draws.into_iter().enumerate() {
            let (judge, at) = (JUDGES[at % 3], at / 3);
            let (criterion, at) = (CRITERIA[at % 3], at / 3);
            let (query, system) = (QUERIES[at % 3], at / 3);
            // The later systems are better, so that there is something to fit.
            if draw > 0 {
                rows.push(row(
                    SYSTEMS[system],
                    query,
                    criterion,
                    judge,
                    u8::from(usize::from(draw) <= 2 + system),
                ));
            }
        }
        rows
    })
}

/// The road, or `None` for a table in which nothing varies.
fn made(rows: &[Row], roll_up: Option<&str>) -> Option<Made> {
    let text: String = CRITERIA
        .map(|id| format!("  - {{id: {id}, question: Is it so?}}\n"))
        .concat();
    let rule = roll_up.map_or(String::new(), |rule| {
        format!("roll_up: {{{rule}, reason: agreed before}}\n")
    });
    let rubric = rubric(&format!("{rule}criteria:\n{text}"));
    match road(&verdicts(rows), Some(&rubric), &[]) {
        Ok(made) => Some(made),
        Err(StepError::NothingVaries { .. } | StepError::OneSystem { .. } | StepError::NoLabels) => None,
        Err(refusal) => panic!("{refusal}"),
    }
}

/// The responses that a rule passes.
fn passed(rows: &[Row], rule: &str) -> Option<Vec<(String, String)>> {
    let made = made(rows, Some(rule))?;
    let responses = made
        .responses
        .into_iter()
        .filter(|response| response.outcome == Some(Outcome::Pass));
    Some(responses.map(|response| (response.system, response.query)).collect())
}

fn nested(strict: &[(String, String)], loose: &[(String, String)]) -> bool {
    strict.iter().all(|response| loose.contains(response))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_rows_is_irrelevant((rows, shuffled) in table().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle()))) {
        match (made(&rows, None), made(&shuffled, None)) {
            (Some(left), Some(right)) => {
                prop_assert_eq!(format!("{:?}", left.labels), format!("{:?}", right.labels));
                prop_assert_eq!(left.calibration.to_json(), right.calibration.to_json());
                prop_assert_eq!(left.fit.to_json(), right.fit.to_json());
                prop_assert_eq!(left.bank.to_json(), right.bank.to_json());
                prop_assert_eq!(left.scores.to_json(), right.scores.to_json());
                prop_assert_eq!(left.responses, right.responses);
            }
            (left, right) => prop_assert!(left.is_none() && right.is_none()),
        }
    }

    #[test]
    fn the_names_of_judges_are_irrelevant(rows in table()) {
        let turned: Vec<Row> = rows
            .iter()
            .map(|row| {
                let at = JUDGES.iter().position(|judge| *judge == row.judge).expect("one of three");
                Row { judge: JUDGES[(at + 1) % JUDGES.len()].to_owned(), ..row.clone() }
            })
            .collect();
        match (made(&rows, None), made(&turned, None)) {
            (Some(left), Some(right)) => {
                prop_assert_eq!(format!("{:?}", left.labels), format!("{:?}", right.labels));
                prop_assert_eq!(left.calibration.criteria, right.calibration.criteria);
                prop_assert_eq!(left.calibration.attrition, right.calibration.attrition);
                prop_assert_eq!(left.fit.to_json(), right.fit.to_json());
                prop_assert_eq!(left.bank.to_json(), right.bank.to_json());
                prop_assert_eq!(left.scores.to_json(), right.scores.to_json());
            }
            (left, right) => prop_assert!(left.is_none() && right.is_none()),
        }
    }

    #[test]
    fn stricter_rules_never_pass_more(rows in table()) {
        let Some(all) = passed(&rows, "all") else { return Ok(()) };
        let of = |rule: &str| passed(&rows, rule).expect("the same table");
        let mut stricter = all.clone();
        for least in (1..=CRITERIA.len()).rev() {
            let looser = of(&format!("at_least: {least}"));
            prop_assert!(nested(&stricter, &looser), "at least {}: {:?} and {:?}", least, stricter, looser);
            stricter = looser;
        }
        let (both, one) = (of("mandatory: [a, b]"), of("mandatory: [a]"));
        prop_assert!(nested(&all, &both) && nested(&both, &one), "{:?}, {:?}, {:?}", all, both, one);
    }

    #[test]
    fn a_null_has_its_reason(rows in table()) {
        let Some(made) = made(&rows, Some("all")) else { return Ok(()) };
        for text in [made.calibration.to_json(), made.fit.to_json(), made.bank.to_json(), made.scores.to_json()] {
            let artifact: Value = serde_json::from_str(&text).expect("an artifact is JSON");
            let mut bare = Vec::new();
            nulls_without_reason(&artifact, "", &mut bare);
            prop_assert!(bare.is_empty(), "{:?}", bare);
        }
    }

    #[test]
    fn tiers_follow_the_order_of_abilities(rows in table()) {
        let Some(made) = made(&rows, None) else { return Ok(()) };
        let systems = &made.scores.systems;
        prop_assert!(systems.windows(2).all(|pair| pair[0].ability >= pair[1].ability));
        let tiers: Vec<u32> = systems.iter().filter_map(|system| system.tier).collect();
        if !tiers.is_empty() {
            prop_assert_eq!(tiers.len(), systems.len());
            prop_assert_eq!(tiers[0], 1);
            prop_assert!(tiers.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1), "{:?}", tiers);
        }
    }
}

/// Fields that hold no number: what has no query, no rule or no entry says so by its absence.
const NOT_NUMBERS: [&str; 6] = ["query", "model", "roll_up", "reason", "held_out", "bound_argument"];

/// Numbers with one possible reason, which `docs/artifacts.md` gives in the row of the field.
const ONE_REASON: [&str; 6] = [
    "r_squared",
    "rho_low",
    "rho_high",
    "joint_peak",
    "gain_per_parameter",
    "threshold",
];

/// Fields that share the reason of another: the two ends of an interval, and what is undefined together.
fn reason_bearer(key: &str) -> String {
    match key {
        "feasible_utility" | "optimum_bound" => "utility".to_owned(),
        "pairs_separated" | "tier" => "tiers".to_owned(),
        _ => key.replace("_high", "_low"),
    }
}

/// Collects the places of nulls that have neither NAME_undefined nor an entry of `undefined` beside them.
fn nulls_without_reason(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Array(rows) => {
            for (at, row) in rows.iter().enumerate() {
                nulls_without_reason(row, &format!("{place}[{at}]"), found);
            }
        }
        Value::Object(object) => {
            for (key, inside) in object {
                let reason_of = |name: &str| {
                    object.contains_key(&format!("{name}_undefined"))
                        || object.get("undefined").is_some_and(|map| map.get(name).is_some())
                };
                let known = NOT_NUMBERS.contains(&key.as_str()) || ONE_REASON.contains(&key.as_str());
                let explained = known || reason_of(key) || reason_of(&reason_bearer(key));
                match inside {
                    Value::Null if !explained => found.push(format!("{place}.{key}")),
                    Value::Null => {}
                    _ => nulls_without_reason(inside, &format!("{place}.{key}"), found),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn a_penalty_is_read_the_other_way_round_by_the_fit() {
    // Six systems in order: criterion cN is met from system N on, and the penalty by the three worst.
    let mut rows = Vec::new();
    for system in 0..6u8 {
        let id = format!("s{system}");
        for step in 1..6u8 {
            rows.push(row(&id, "q", &format!("c{step}"), "ann", u8::from(system >= step)));
        }
        rows.push(row(&id, "q", "penalty", "ann", u8::from(system < 3)));
    }
    let item = |rubric: Option<&calibrant_schema::Rubric>| {
        let fit = road(&verdicts(&rows), rubric, &[]).expect("a road").fit;
        fit.items
            .into_iter()
            .find(|item| item.criterion == "penalty")
            .expect("it varies")
    };
    let ids = (1..6)
        .map(|step| format!("  - {{id: c{step}, question: Is it so?}}\n"))
        .collect::<String>();
    let signed = rubric(&format!(
        "criteria:\n{ids}  - {{id: penalty, question: Is it so?, weight: -1}}\n"
    ));
    let (read, unread) = (item(Some(&signed)), item(None));
    // Without a rubric nobody knows that it is a penalty: it runs against the rest and is screened out (METHODS 83).
    assert!(unread.item_rest.expect("it varies") < 0.0 && unread.screened_out);
    assert!(read.item_rest.expect("it varies") > 0.0 && !read.screened_out);
    assert_eq!(read.item_rest, unread.item_rest.map(|correlation| -correlation));
}

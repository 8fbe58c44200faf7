//! From labels to scores: weights, penalties, what does not apply, samples, gates, scales, monitored criteria.

mod panel;

use calibrant_schema::scores::Outcome;
use calibrant_schema::{Rubric, Scale, Status};
use calibrant_steps::RubricJoin;
use calibrant_steps::observe::{item_responses, responses};
use panel::{Made, Row, drive, queries, road, row, rubric, verdicts, verdicts_on};

/// A few sums and quotients of small whole numbers.
const ROUNDING: f64 = 1e-15;

fn assert_near(found: Option<f64>, expected: f64) {
    let found = found.expect("a value");
    assert!((found - expected).abs() <= ROUNDING, "{found}, not {expected}");
}

/// A rubric of criteria with ids a, b, c ... and these keys.
fn rubric_of(keys: &[&str]) -> Rubric {
    let entry = |(at, keys): (usize, &&str)| {
        let id = char::from(b'a' + at as u8);
        format!("  - {{id: {id}, question: Is it so?, {keys}}}\n")
    };
    rubric(&format!(
        "criteria:\n{}",
        keys.iter().enumerate().map(entry).collect::<String>()
    ))
}

/// Labels of one query by one judge: criterion a, b, c ... of systems `good` and `bad`.
fn two_systems(good: &[u8], bad: &[u8]) -> Vec<Row> {
    let of = |system: &'static str, levels: &[u8]| {
        let labels = levels.iter().enumerate().map(move |(at, level)| {
            let id = char::from(b'a' + at as u8).to_string();
            row(system, "q", &id, "ann", *level)
        });
        labels.collect::<Vec<_>>()
    };
    [of("good", good), of("bad", bad)].concat()
}

#[test]
fn penalties_are_taken_from_what_could_be_earned() {
    let points = rubric_of(&["weight: 7", "weight: 5", "weight: 10", "weight: -6"]);
    let made = drive(&two_systems(&[1, 0, 1, 1], &[0, 1, 0, 0]), Some(&points));
    // METHODS 4: met, not met, met and the penalty met are (7 + 10 - 6) of the 22 that could be earned.
    assert_near(made.score("good"), 11.0 / 22.0);
    assert_near(made.score("bad"), 5.0 / 22.0);
}

#[test]
fn a_mean_below_zero_is_shown_as_zero_and_said() {
    let points = rubric_of(&["weight: 1", "weight: -3"]);
    let made = drive(&two_systems(&[1, 0], &[1, 1]), Some(&points));
    assert_near(made.score("good"), 1.0);
    // (1 - 3) / 1 of the response; the mean of the system is clipped (METHODS 4).
    assert_near(made.response("bad", "q").score, -2.0);
    assert_near(made.score("bad"), 0.0);
    let words: Vec<String> = made
        .scores
        .header
        .warnings
        .iter()
        .map(|noted| format!("{noted:?}"))
        .collect();
    assert!(words.iter().any(|word| word.contains("ClippedScores")), "{words:?}");
}

#[test]
fn what_does_not_apply_counts_as_the_rubric_says() {
    // One met, one not met, one that does not apply (METHODS 7).
    for (rule, expected) in [("pass", 2.0 / 3.0), ("fail", 1.0 / 3.0), ("skip", 1.0 / 2.0)] {
        let mut rows = two_systems(&[1, 0, 1], &[0, 0, 0]);
        rows[2] = rows[2].clone().without_label(Status::NotApplicable);
        let made = drive(&rows, Some(&rubric_of(&["", "", &format!("na: {rule}")])));
        assert_near(made.score("good"), expected);
        assert_near(Some(made.system("good").coverage), 1.0);
    }
}

#[test]
fn a_penalty_that_does_not_apply_and_passes_is_a_success() {
    let mut rows = two_systems(&[1, 1], &[0, 1]);
    rows[1] = rows[1].clone().without_label(Status::NotApplicable);
    let made = drive(&rows, Some(&rubric_of(&["weight: 1", "weight: -1, na: pass"])));
    assert_near(made.score("good"), 1.0);
    // The fit reads it as the score does: `good` succeeds where `bad` met the penalty, so the item varies.
    let penalty = made
        .fit
        .items
        .iter()
        .find(|item| item.criterion == "b")
        .expect("the item varies");
    assert_near(Some(penalty.pass_rate), 1.0 / 2.0);
}

/// What a figure shows of an item is what the fit was made from: samples, penalties, what does not apply, what is missing.
#[test]
fn an_item_is_counted_as_the_fit_counts_it() {
    let rubric = rubric_of(&["weight: 1", "weight: -1, na: pass", "na: skip"]);
    let mut rows = two_systems(&[1, 1, 1], &[0, 1, 0]);
    rows.extend(
        two_systems(&[1, 0, 0], &[1, 0, 1])
            .into_iter()
            .map(|row| row.of_sample("2")),
    );
    rows[1] = rows[1].clone().without_label(Status::NotApplicable);
    rows[2] = rows[2].clone().without_label(Status::NotApplicable);
    rows[3] = rows[3].clone().without_label(Status::Failed);
    let made = drive(&rows, Some(&rubric));
    let join = RubricJoin::new(Some(&rubric));
    let whole = responses(&made.labels, &join).expect("few samples");
    for item in 0..made.labels.items.len() {
        let of_fit = whole.successes(item).iter().zip(whole.trials(item));
        let of_fit: Vec<(u32, u32)> = of_fit
            .map(|(passed, trials)| (u32::from(*passed), u32::from(*trials)))
            .collect();
        assert_eq!(item_responses(&made.labels, &join, item), of_fit);
    }
    // `bad` of item a: one sample failed to be judged, the other is met. `good` of the penalty: not applicable passes, not met passes.
    let find = |criterion| made.labels.find("q", criterion).expect("the item is there");
    let counts = |criterion| item_responses(&made.labels, &join, find(criterion));
    assert_eq!(counts("a").iter().map(|(_, trials)| trials).sum::<u32>(), 3);
    assert!(counts("b").contains(&(2, 2)) && counts("b").contains(&(1, 2)));
    assert_eq!(counts("c").iter().map(|(_, trials)| trials).sum::<u32>(), 3);
}

#[test]
fn a_failed_call_lowers_coverage_and_not_the_score() {
    let mut rows = two_systems(&[1, 1, 0], &[0, 0, 0]);
    rows[2] = rows[2].clone().without_label(Status::Failed);
    let made = drive(&rows, None);
    assert_near(made.score("good"), 1.0);
    assert_near(Some(made.system("good").coverage), 2.0 / 3.0);
}

#[test]
fn samples_weigh_equally_inside_their_query() {
    let rows = [
        row("good", "q", "a", "ann", 1),
        row("good", "q", "a", "ann", 0).of_sample("2"),
        row("good", "q", "a", "ann", 0).of_sample("3"),
        row("good", "r", "a", "ann", 1),
        row("bad", "q", "a", "ann", 0),
        row("bad", "r", "a", "ann", 0),
    ];
    let made = drive(&rows, None);
    // One of three samples, then a query with one: (1/3 + 1) / 2, and not two of four responses.
    assert_near(made.score("good"), 2.0 / 3.0);
    // The fit sees three trials of one item.
    let item = made
        .fit
        .items
        .iter()
        .find(|item| item.query == "q")
        .expect("the item varies");
    assert_eq!(item.responses, 4);
}

#[test]
fn queries_weigh_as_described() {
    let rows = [
        row("good", "q", "a", "ann", 1),
        row("good", "r", "a", "ann", 0),
        row("bad", "q", "a", "ann", 0),
        row("bad", "r", "a", "ann", 1),
    ];
    let described = queries("{\"query\": \"q\", \"weight\": 3}\n{\"query\": \"r\", \"weight\": 1}\n");
    let made = road(&verdicts(&rows), None, &described).expect("a road");
    // Weights of any sum: 3 of 4 on the query that `good` passes.
    assert_near(made.score("good"), 3.0 / 4.0);
    assert_near(made.score("bad"), 1.0 / 4.0);
}

#[test]
fn clusters_are_what_is_resampled() {
    // Twelve queries are enough for a cluster interval, which needs ten; three clusters of four are not.
    let rows = twelve_queries();
    let alone = road(&verdicts(&rows), None, &[]).expect("a road");
    assert!(alone.system("good").score_low < alone.score("good"));
    let lines = (0..12).map(|at| format!("{{\"query\": \"q{at:02}\", \"cluster\": \"c{}\"}}\n", at % 3));
    let clustered = road(&verdicts(&rows), None, &queries(&lines.collect::<String>())).expect("a road");
    assert_eq!(clustered.score("good"), alone.score("good"));
    assert_eq!(clustered.system("good").score_low, None);
    assert_eq!(
        clustered.system("good").undefined["score_low"].reason,
        "too_few_clusters"
    );
}

#[test]
fn a_gate_is_reported_apart_and_leaves_the_score() {
    let gated = rubric_of(&["gate: true", ""]);
    let made = drive(&two_systems(&[1, 0], &[0, 1]), Some(&gated));
    assert_eq!(made.response("bad", "q").gates_failed, ["a"]);
    assert_eq!(made.response("good", "q").gates_failed, Vec::<String>::new());
    assert_eq!(
        (made.system("bad").gates_failed, made.system("good").gates_failed),
        (1, 0)
    );
    assert_eq!(made.score("good"), made.score("bad"));
}

#[test]
fn a_gate_on_a_penalty_fails_when_it_is_met() {
    let gated = rubric_of(&["weight: 1", "weight: -1, gate: true"]);
    let made = drive(&two_systems(&[1, 0], &[0, 1]), Some(&gated));
    assert_eq!(made.response("bad", "q").gates_failed, ["b"]);
    assert_eq!(made.response("good", "q").gates_failed, Vec::<String>::new());
}

#[test]
fn a_roll_up_is_settled_before_every_label_is_there() {
    let rules = |rule: &str| {
        let text = "criteria:\n  - {id: a, question: Is it so?}\n  - {id: b, question: Is it so?}\n";
        rubric(&format!(
            "roll_up: {{{rule}, reason: agreed before the labels}}\n{text}"
        ))
    };
    let mut rows = two_systems(&[1, 1], &[0, 0]);
    rows[1] = rows[1].clone().without_label(Status::Failed);
    let outcome = |rule: &str, system: &str| drive(&rows, Some(&rules(rule))).response(system, "q").outcome;
    // `good` met a, and b is missing: one of two is enough or not, whatever b is.
    assert_eq!(outcome("at_least: 1", "good"), Some(Outcome::Pass));
    assert_eq!(outcome("mandatory: [a]", "good"), Some(Outcome::Pass));
    assert_eq!(outcome("mandatory: [b]", "good"), Some(Outcome::Undetermined));
    assert_eq!(outcome("at_least: 2", "good"), Some(Outcome::Undetermined));
    assert_eq!(outcome("at_least: 1", "bad"), Some(Outcome::Fail));
}

#[test]
fn a_graded_label_is_a_share_of_its_scale_and_met_from_the_midpoint() {
    let scale: Scale = "1..5".parse().expect("a scale");
    // Levels from 0: `good` has 3 (value 4), `fair` has 2 (value 3, the midpoint), `bad` has 1 (value 2).
    let rows = [
        row("good", "q", "a", "ann", 3),
        row("fair", "q", "a", "ann", 2),
        row("bad", "q", "a", "ann", 1),
    ];
    let made = road(&verdicts_on(&scale, &rows), None, &[]).expect("a road");
    // METHODS 57: level l of L is worth l / (L - 1).
    assert_near(made.score("good"), 3.0 / 4.0);
    assert_near(made.score("fair"), 2.0 / 4.0);
    assert_near(made.score("bad"), 1.0 / 4.0);
    // METHODS 56: the midpoint passes, so two of three are met.
    assert_near(made.calibration.criteria[0].prevalence, 2.0 / 3.0);
    assert_near(Some(made.fit.items[0].pass_rate), 2.0 / 3.0);
}

#[test]
fn a_monitored_criterion_is_shown_and_never_scored() {
    let rows = two_systems(&[1, 0, 0], &[0, 0, 1]);
    let with = drive(&rows, Some(&rubric_of(&["", "", "monitor: true"])));
    let without = drive(&two_systems(&[1, 0], &[0, 0]), Some(&rubric_of(&["", ""])));
    for system in ["good", "bad"] {
        assert_eq!(with.score(system), without.score(system), "{system}");
        assert_eq!(
            with.system(system).information_score,
            without.system(system).information_score,
            "{system}"
        );
    }
    let shown = |made: &Made| made.calibration.criteria.iter().any(|found| found.criterion == "c");
    assert!(shown(&with), "it is calibrated like any other");
    assert!(with.bank.criteria.iter().all(|chosen| chosen.criterion != "c"));
}

#[test]
fn author_and_information_weights_stand_side_by_side() {
    let made = drive(
        &two_systems(&[1, 1, 0], &[0, 0, 1]),
        Some(&rubric_of(&["weight: 5", "", ""])),
    );
    assert_near(made.score("good"), 6.0 / 7.0);
    let total: f64 = made.fit.items.iter().map(|item| item.information).sum();
    let earned: f64 = made
        .fit
        .items
        .iter()
        .filter(|item| item.criterion != "c")
        .map(|item| item.information)
        .sum();
    assert_near(made.system("good").information_score, earned / total);
}

#[test]
fn a_system_without_a_label_has_no_place_on_the_leaderboard() {
    let mut rows = twelve_queries();
    rows.extend((0..12).map(|at| row("fair", &format!("q{at:02}"), "a", "ann", u8::from(at % 2 == 0))));
    rows.extend((0..12).map(|at| row("unseen", &format!("q{at:02}"), "a", "ann", 0).without_label(Status::Failed)));
    let made = drive(&rows, None);
    // Its ability would be the mean of the prior, which says nothing about it.
    let unseen = made.system("unseen");
    assert_eq!(
        (unseen.score, unseen.ability, unseen.ability_low, unseen.tier),
        (None, None, None, None)
    );
    for field in ["score", "ability", "ability_low", "tier"] {
        assert!(unseen.undefined.contains_key(field), "{field}: {:?}", unseen.undefined);
    }
    assert_eq!(
        made.scores.systems.last().map(|row| row.system.as_str()),
        Some("unseen")
    );
    assert_eq!(made.system("good").tier, Some(1));
}

/// One criterion on twelve queries: `good` fails three of them, `bad` passes four.
fn twelve_queries() -> Vec<Row> {
    let of_query = |at: usize| {
        let query = format!("q{at:02}");
        let divides = |of: usize| u8::from(at.is_multiple_of(of));
        [
            row("good", &query, "a", "ann", 1 - divides(4)),
            row("bad", &query, "a", "ann", divides(3)),
        ]
    };
    (0..12).flat_map(of_query).collect()
}

#[test]
fn two_systems_have_no_interval_of_width_zero() {
    // Aligned replicates of two systems are the same two numbers each time: an interval of them would say that nothing is in doubt.
    let made = drive(&twelve_queries(), None);
    let good = made.system("good");
    assert!(good.ability.is_some());
    assert_eq!((good.ability_low, good.ability_high, good.tier), (None, None, None));
    assert_eq!(good.undefined["ability_low"].reason, "too_few_systems");
    assert_eq!(made.scores.pairs_separated, None);
    assert!(made.scores.tiers_undefined.is_some());
}

#[test]
fn a_deciding_criterion_that_nobody_judged_leaves_the_outcome_open() {
    let rules = |rule: &str, gate: &str| {
        rubric(&format!(
            "roll_up: {{{rule}, reason: agreed before the labels}}\ncriteria:\n  - {{id: a, question: Is it so?}}\n  - {{id: b, question: Is it so?}}\n  - {{id: unjudged, question: Is it so?{gate}}}\n"
        ))
    };
    let rows = two_systems(&[1, 1], &[0, 1]);
    let of = |rubric: &Rubric, system: &str| drive(&rows, Some(rubric)).response(system, "q").clone();
    // Only the third criterion could turn these, and it has no row in the table.
    assert_eq!(
        of(&rules("mandatory: [unjudged]", ""), "good").outcome,
        Some(Outcome::Undetermined)
    );
    assert_eq!(of(&rules("rule: all", ""), "good").outcome, Some(Outcome::Undetermined));
    assert_eq!(of(&rules("rule: all", ""), "bad").outcome, Some(Outcome::Fail));
    assert_eq!(of(&rules("at_least: 2", ""), "good").outcome, Some(Outcome::Pass));
    // A score is over what was judged; a rule that does not ask for the criterion does not miss it.
    let indifferent = of(&rules("mandatory: [a]", ""), "good");
    assert_eq!(
        (indifferent.outcome, indifferent.score, indifferent.coverage),
        (Some(Outcome::Pass), Some(1.0), 1.0)
    );
    let gated = of(&rules("mandatory: [a]", ", gate: true"), "good");
    assert!(gated.gates_failed.is_empty() && gated.coverage < 1.0, "{gated:?}");
}

#[test]
fn descriptions_of_queries_must_be_of_these_queries() {
    let table = verdicts(&two_systems(&[1, 0], &[0, 1]));
    let refused = |text: &str| {
        road(&table, None, &queries(text))
            .expect_err("the descriptions are refused")
            .to_string()
    };
    let elsewhere = refused("{\"query\": \"elsewhere\", \"weight\": 2}\n");
    assert_eq!(
        elsewhere,
        "none of the 1 queries described is in the table (first: `elsewhere`)"
    );
    let text = "{\"query\": \"q\", \"weight\": 0}\n{\"query\": \"other\", \"weight\": 1}\n";
    assert_eq!(refused(text), "every query with a verdict has the weight 0");
}

#[test]
fn a_bank_is_never_certified_beyond_all_feasible_items() {
    let made = drive(&twelve_queries(), None);
    let (bound, all) = (
        made.bank.optimum_bound.expect("a bound"),
        made.bank.feasible_utility.expect("a utility"),
    );
    assert!(
        made.bank.utility.expect("a utility") <= bound && bound <= all,
        "{bound} {all}"
    );
}

#[test]
fn a_tie_takes_the_worse_outcome_of_a_penalty_too() {
    let rubric = rubric(
        "criteria:\n  - {id: a, question: Is it so?}\n  - {id: wrong_dose, question: Is the dose wrong?, weight: -1}\n",
    );
    let mut rows = Vec::new();
    for (system, labels) in [("split", [1, 0]), ("clean", [0, 0])] {
        for (judge, label) in ["j1", "j2"].into_iter().zip(labels) {
            rows.push(row(system, "q", "wrong_dose", judge, label));
            rows.push(row(system, "q", "a", judge, 1));
        }
    }
    let made = drive(&rows, Some(&rubric));
    // One of two judges saw the wrong dose: it counts as there. Without the penalty's sign the same tie is not met.
    assert_near(made.response("split", "q").score, 0.0);
    assert_near(made.response("clean", "q").score, 1.0);
}

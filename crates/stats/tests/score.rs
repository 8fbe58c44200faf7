//! Scoring: the arithmetic by hand, the three-valued outcomes, and what holds for any labels.

use calibrant_stats::score::{
    Clip, Observation, Outcome, PlanItem, RollUp, ScorePlan, WhenNotApplicable, k_eff, mean_of_samples, meets,
};
use calibrant_stats::{Error, Undefined};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use Observation::{Missing, NotApplicable, Value};

const MET: Observation = Value(1.0);
const UNMET: Observation = Value(0.0);

/// A few operations in double precision.
const ROUNDING: f64 = 1e-14;

fn plan(items: &[PlanItem], roll_up: RollUp) -> ScorePlan {
    ScorePlan::new(items.to_vec(), vec![1.0], roll_up, Clip::Mean).expect("weights are finite")
}

fn weighted(weights: &[f64]) -> Vec<PlanItem> {
    weights.iter().map(|&w| PlanItem::new(0, w)).collect()
}

#[test]
fn missing_labels_leave_both_sums_and_lower_the_coverage() {
    let found = plan(&weighted(&[4.0, 3.0, 1.0, -2.0]), RollUp::All).response(0, &[MET, Missing, UNMET, UNMET]);
    assert_eq!(found.score, Ok(4.0 / 5.0));
    assert_eq!(found.coverage, 0.75);
    assert_eq!(found.outcome, Outcome::Fail);
}

#[test]
fn a_missing_penalty_costs_nothing_and_shows_in_the_coverage() {
    let found = plan(&weighted(&[2.0, -1.0]), RollUp::All).response(0, &[MET, Missing]);
    assert_eq!((found.score, found.coverage), (Ok(1.0), 0.5));
    assert_eq!(found.outcome, Outcome::Undetermined);
}

#[test]
fn not_applicable_counts_as_the_item_says() {
    let item = |weight, when_not_applicable| PlanItem {
        when_not_applicable,
        ..PlanItem::new(0, weight)
    };
    // Beside a met criterion of weight 1: pass adds (3, 3), fail adds (0, 3), skip nothing; a penalty of 3 is taken only as a failure.
    let cases = [
        (3.0, WhenNotApplicable::Pass, 1.0, Outcome::Pass),
        (3.0, WhenNotApplicable::Fail, 0.25, Outcome::Fail),
        (3.0, WhenNotApplicable::Skip, 1.0, Outcome::Pass),
        (-3.0, WhenNotApplicable::Pass, 1.0, Outcome::Pass),
        (-3.0, WhenNotApplicable::Fail, -2.0, Outcome::Fail),
        (-3.0, WhenNotApplicable::Skip, 1.0, Outcome::Pass),
    ];
    for (weight, rule, score, outcome) in cases {
        let items = [PlanItem::new(0, 1.0), item(weight, rule)];
        let found = plan(&items, RollUp::All).response(0, &[MET, NotApplicable]);
        assert_eq!((found.score, found.outcome), (Ok(score), outcome), "{weight} {rule:?}");
        assert_eq!(found.coverage, 1.0);
    }
}

#[test]
fn undefined_scores_say_why() {
    let score = |weights: &[f64], labels: &[Observation]| plan(&weighted(weights), RollUp::All).response(0, labels);
    let nothing = score(&[1.0, 2.0], &[NotApplicable, NotApplicable]);
    assert_eq!(nothing.score, Err(Undefined::NothingApplies));
    assert_eq!(nothing.outcome, Outcome::Undetermined);
    assert_eq!(score(&[1.0], &[Missing]).score, Err(Undefined::NoLabels));
    assert_eq!(
        score(&[-1.0, -2.0], &[MET, UNMET]).score,
        Err(Undefined::NoPositiveWeight)
    );
    assert_eq!(
        score(&[0.0, 1.0], &[MET, Missing]).score,
        Err(Undefined::NoPositiveWeight)
    );
    let empty = score(&[], &[]);
    assert_eq!(
        (empty.score, empty.outcome),
        (Err(Undefined::NoPositiveWeight), Outcome::NoRule)
    );
}

#[test]
fn outcomes_have_three_values() {
    let mandatory = PlanItem {
        mandatory: true,
        ..PlanItem::new(0, 1.0)
    };
    let items = [mandatory, PlanItem::new(0, 1.0), PlanItem::new(0, -1.0)];
    let outcome = |roll_up, labels: [Observation; 3]| plan(&items, roll_up).response(0, &labels).outcome;
    // The last one is a penalty: not met is its pass.
    assert_eq!(outcome(RollUp::All, [MET, MET, UNMET]), Outcome::Pass);
    assert_eq!(outcome(RollUp::All, [MET, MET, MET]), Outcome::Fail);
    assert_eq!(outcome(RollUp::All, [MET, Missing, MET]), Outcome::Fail);
    assert_eq!(outcome(RollUp::All, [MET, Missing, UNMET]), Outcome::Undetermined);
    assert_eq!(outcome(RollUp::AtLeast(2), [MET, Missing, UNMET]), Outcome::Pass);
    assert_eq!(
        outcome(RollUp::AtLeast(2), [UNMET, Missing, UNMET]),
        Outcome::Undetermined
    );
    assert_eq!(outcome(RollUp::AtLeast(2), [UNMET, Missing, MET]), Outcome::Fail);
    assert_eq!(outcome(RollUp::AtLeast(9), [MET, MET, UNMET]), Outcome::Pass);
    assert_eq!(outcome(RollUp::Mandatory, [MET, UNMET, MET]), Outcome::Pass);
    assert_eq!(outcome(RollUp::Mandatory, [Missing, UNMET, MET]), Outcome::Undetermined);
    assert_eq!(outcome(RollUp::Weighted, [MET, MET, UNMET]), Outcome::NoRule);
    let none = plan(&items[1..], RollUp::Mandatory).response(0, &[MET, UNMET]);
    assert_eq!((none.outcome, none.all_passed), (Outcome::NoRule, Outcome::Pass));
}

#[test]
fn gates_are_reported_apart_and_leave_the_outcome_alone() {
    let gate = PlanItem {
        gate: true,
        ..PlanItem::new(0, 1.0)
    };
    let items = [PlanItem::new(0, 1.0), gate, gate];
    let rule = plan(&items, RollUp::AtLeast(1));
    let failed = rule.response(0, &[MET, UNMET, UNMET]);
    assert_eq!(
        (failed.gates_failed, failed.gates, failed.outcome),
        (vec![1, 2], Outcome::Fail, Outcome::Pass)
    );
    let open = rule.response(0, &[MET, MET, Missing]);
    assert_eq!((open.gates_failed, open.gates), (vec![], Outcome::Undetermined));
    assert_eq!(
        plan(&items[..1], RollUp::All).response(0, &[MET]).gates,
        Outcome::NoRule
    );
}

#[test]
fn a_monitored_item_changes_nothing() {
    let monitored = PlanItem {
        monitored: true,
        gate: true,
        mandatory: true,
        ..PlanItem::new(0, 5.0)
    };
    let items = [PlanItem::new(0, 1.0), PlanItem::new(0, 1.0)];
    let shown = [items[0], monitored, items[1]];
    for label in [MET, UNMET, NotApplicable, Missing] {
        assert_eq!(
            plan(&shown, RollUp::All).response(0, &[MET, label, UNMET]),
            plan(&items, RollUp::All).response(0, &[MET, UNMET]),
        );
    }
}

#[test]
fn equation_1_by_hand() {
    // Query 0: weights 2, 1, labels met, not met: 2/3. Query 1: weight 1, met: 1. Query 2 has no item. Omega 1, 3, 1.
    let items = vec![PlanItem::new(0, 2.0), PlanItem::new(0, 1.0), PlanItem::new(1, 1.0)];
    let plan = ScorePlan::new(items, vec![1.0, 3.0, 1.0], RollUp::Weighted, Clip::Mean).expect("weights are finite");
    assert_eq!(plan.items_of(1), 2..3);
    assert_eq!(plan.items_of(2), 3..3);
    let scores: Vec<Option<f64>> = [vec![MET, UNMET], vec![MET], vec![]]
        .iter()
        .enumerate()
        .map(|(query, labels)| plan.response(query, labels).score.ok())
        .collect();
    let system = plan.system(&scores);
    // (1 * 2/3 + 3 * 1) / 4 = 11/12, over four fifths of the weight.
    assert!((system.score.expect("two queries are scored") - 11.0 / 12.0).abs() < ROUNDING);
    assert!((system.coverage - 0.8).abs() < ROUNDING);
    assert_eq!(system.queries_scored, 2);
    assert_eq!(plan.system(&[None, None, None]).score, Err(Undefined::NoScoredQuery));
}

#[test]
fn penalties_below_zero_are_clipped_in_the_mean_only() {
    // Two queries with scores 1 and -2: mean -1/2.
    let items = vec![PlanItem::new(0, 1.0), PlanItem::new(1, 1.0), PlanItem::new(1, -3.0)];
    let with = |clip| {
        let plan = ScorePlan::new(items.clone(), vec![1.0, 1.0], RollUp::Weighted, clip).expect("weights are finite");
        let first = plan.response(0, &[MET]).score;
        let second = plan.response(1, &[MET, MET]).score;
        (second, plan.system(&[first.ok(), second.ok()]).score)
    };
    assert_eq!(with(Clip::Mean), (Ok(-2.0), Ok(0.0)));
    assert_eq!(with(Clip::None), (Ok(-2.0), Ok(-0.5)));
    assert_eq!(with(Clip::Example), (Ok(0.0), Ok(0.5)));
}

#[test]
fn samples_of_a_query_count_equally() {
    let plan = plan(&weighted(&[1.0, 1.0]), RollUp::All);
    let samples = [[MET, MET], [MET, UNMET], [Missing, Missing]].map(|labels| plan.response(0, &labels));
    assert_eq!(mean_of_samples(&samples), Some(0.75));
    assert_eq!(mean_of_samples(&samples[2..]), None);
}

#[test]
fn bad_plans_are_refused() {
    let new = |items: Vec<PlanItem>, omega: Vec<f64>| ScorePlan::new(items, omega, RollUp::All, Clip::Mean);
    assert!(matches!(
        new(weighted(&[1.0, f64::NAN]), vec![1.0]),
        Err(Error::EntryOutOfRange { index: 1, .. })
    ));
    assert!(matches!(new(vec![], vec![-1.0]), Err(Error::EntryOutOfRange { .. })));
    assert_eq!(
        new(vec![PlanItem::new(1, 1.0), PlanItem::new(0, 1.0)], vec![1.0, 1.0]),
        Err(Error::ItemsNotSorted {
            index: 1,
            query: 0,
            earlier: 1
        })
    );
    assert!(matches!(
        new(vec![PlanItem::new(1, 1.0)], vec![1.0]),
        Err(Error::NoSuchIndex { index: 1, .. })
    ));
}

#[test]
fn k_eff_of_equal_weights_is_their_number() {
    assert_eq!(k_eff(&[2.5; 8]), Ok(8.0));
    assert_eq!(k_eff(&[3.0, 0.0, 0.0]), Ok(1.0));
    assert_eq!(k_eff(&[0.0, 0.0]), Err(Undefined::NoPositiveWeight));
    assert_eq!(k_eff(&[]), Err(Undefined::NoPositiveWeight));
}

fn observations() -> impl Strategy<Value = Observation> {
    prop_oneof![
        3 => Just(MET),
        3 => Just(UNMET),
        1 => (0.0..=1.0f64).prop_map(Value),
        1 => Just(NotApplicable),
        1 => Just(Missing),
    ]
}

fn plan_items() -> impl Strategy<Value = PlanItem> {
    let when = prop_oneof![
        Just(WhenNotApplicable::Pass),
        Just(WhenNotApplicable::Fail),
        Just(WhenNotApplicable::Skip),
    ];
    (-3.0..6.0f64, any::<bool>(), when).prop_map(|(weight, mandatory, when_not_applicable)| PlanItem {
        mandatory,
        when_not_applicable,
        ..PlanItem::new(0, weight)
    })
}

fn responses() -> impl Strategy<Value = Vec<(PlanItem, Observation)>> {
    prop::collection::vec((plan_items(), observations()), 1..8)
}

/// How far an outcome is from a pass: a stricter rule never comes closer.
fn strictness(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Pass => 0,
        Outcome::Undetermined => 1,
        Outcome::Fail => 2,
        Outcome::NoRule => panic!("every rule here applies"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(3), cases: 512, ..ProptestConfig::default() })]

    /// METHODS 47: all passes no more than at least m, that no more than at least m - 1, all no more than mandatory.
    #[test]
    fn stricter_roll_ups_never_pass_more(response in responses()) {
        let (items, labels): (Vec<PlanItem>, Vec<Observation>) = response.into_iter().unzip();
        let outcome = |roll_up| plan(&items, roll_up).response(0, &labels).outcome;
        let all = strictness(outcome(RollUp::All));
        let mut looser = all;
        for m in (0..=items.len() as u32 + 1).rev() {
            let at_least = strictness(outcome(RollUp::AtLeast(m)));
            prop_assert!(at_least <= looser, "at least {} is stricter than the rule above it", m);
            looser = at_least;
        }
        if items.iter().any(|item| item.mandatory) {
            prop_assert!(strictness(outcome(RollUp::Mandatory)) <= all);
        }
        prop_assert_eq!(all, strictness(plan(&items, RollUp::Weighted).response(0, &labels).all_passed));
    }

    /// An outcome that is determined stays so whatever the missing labels turn out to be.
    #[test]
    fn missing_labels_never_overturn_an_outcome(response in responses(), m in 0..9u32, fill in prop::collection::vec(observations(), 8)) {
        let (items, labels): (Vec<PlanItem>, Vec<Observation>) = response.into_iter().unzip();
        let filled: Vec<Observation> = labels.iter().zip(&fill)
            .map(|(&label, &other)| if label == Missing { other } else { label })
            .collect();
        // A response to which nothing applies has no outcome to compare with.
        let applies = |item: &PlanItem, label: Observation| label != NotApplicable || item.when_not_applicable != WhenNotApplicable::Skip;
        prop_assume!(items.iter().zip(&filled).any(|(item, &label)| applies(item, label)));
        for roll_up in [RollUp::All, RollUp::AtLeast(m), RollUp::Mandatory] {
            let before = plan(&items, roll_up).response(0, &labels).outcome;
            let after = plan(&items, roll_up).response(0, &filled).outcome;
            if matches!(before, Outcome::Pass | Outcome::Fail) {
                prop_assert_eq!(before, after, "{:?}", roll_up);
            }
        }
    }

    /// A score without penalties is a weighted mean; meeting more never lowers it.
    #[test]
    fn a_score_is_a_mean_and_grows_with_its_labels(weights in prop::collection::vec(0.1..5.0f64, 1..8), seed in any::<u32>()) {
        let labels: Vec<Observation> = (0..weights.len()).map(|j| if seed >> j & 1 == 1 { MET } else { UNMET }).collect();
        let plan = plan(&weighted(&weights), RollUp::Weighted);
        let score = plan.response(0, &labels).score.expect("weights are positive");
        prop_assert!((0.0..=1.0).contains(&score));
        for place in 0..labels.len() {
            let mut better = labels.clone();
            better[place] = MET;
            prop_assert!(plan.response(0, &better).score.expect("weights are positive") >= score);
        }
    }
}

#[test]
fn a_value_of_one_half_is_met() {
    // METHODS 56, 57: 3 of 1..5 is level 2 of 0..4, value .5, and passes.
    assert!(meets(0.5) && !meets(0.499));
    let found = plan(&weighted(&[1.0]), RollUp::All).response(0, &[Value(0.5)]);
    assert_eq!((found.score, found.outcome), (Ok(0.5), Outcome::Pass));
}

//! Artifacts of a made-up run, by arithmetic alone: their numbers are plausible in form and mean nothing.
#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::BTreeMap;

use calibrant_report::{ItemResponses, SystemResponses};
use calibrant_schema::artifact::{Artifact, Header, Pool};
use calibrant_schema::bank::{Bank, BankRow, Method};
use calibrant_schema::calibration::{
    AttritionFit, AttritionRow, BetaRow, Calibration, CriterionRow, GeometricRow, JudgeRow, Panel, Prior, SweepRow,
};
use calibrant_schema::fit::{
    Comparison, Convergence, DropReason, DroppedItem, Fit, GridRow, ItemRow, Model, ModelRow, SystemRow,
};
use calibrant_schema::scores::{IntervalKind, IntervalRow, Intervals, RollUpRow, Scores, SystemScore};
use calibrant_schema::warning::{Noted, Warning};
use calibrant_schema::{Criterion, Rubric, Undefined};

/// How the systems of a sample did on the items of its bank.
#[must_use]
pub fn responses(sample: &Sample) -> Vec<ItemResponses<'_>> {
    let systems = &sample.scores.systems;
    let of_item = |index: usize| {
        systems
            .iter()
            .enumerate()
            .filter_map(|(place, system)| {
                Some(SystemResponses {
                    ability: system.ability?,
                    passed: u32::from((index + place).is_multiple_of(2)),
                    trials: 1,
                })
            })
            .collect()
    };
    let rows = sample.bank.criteria.iter().enumerate();
    rows.map(|(index, item)| ItemResponses {
        criterion: &item.criterion,
        query: &item.query,
        systems: of_item(index),
    })
    .collect()
}

/// One run.
pub struct Sample {
    pub calibration: Calibration,
    pub fit: Fit,
    pub bank: Bank,
    pub scores: Scores,
    pub rubric: Rubric,
}

/// Names and counts of a run.
pub struct Shape {
    pub systems: Vec<String>,
    pub criteria: Vec<String>,
    pub queries: Vec<String>,
    pub judges: Vec<String>,
}

impl Shape {
    /// Three systems in two tiers, four items, two queries, three judges.
    pub fn small() -> Self {
        Self::numbered(3, 2, 2)
    }

    /// Systems, criteria and queries with numbered names, and three judges.
    pub fn numbered(systems: usize, criteria: usize, queries: usize) -> Self {
        let names = |what: &str, how_many: usize| (1..=how_many).map(|number| format!("{what}-{number:02}")).collect();
        Self {
            systems: names("system", systems),
            criteria: names("criterion", criteria),
            queries: names("query", queries),
            judges: names("judge", 3),
        }
    }

    fn items(&self) -> Vec<(String, String)> {
        let with = |query: &String| {
            self.criteria
                .iter()
                .map(|criterion| (criterion.clone(), query.clone()))
                .collect::<Vec<_>>()
        };
        self.queries.iter().flat_map(with).collect()
    }
}

/// The artifacts of a run with this shape.
pub fn sample(shape: &Shape) -> Sample {
    Sample {
        calibration: calibration(shape),
        fit: fit(shape),
        bank: bank(shape),
        scores: scores(shape),
        rubric: rubric(shape),
    }
}

/// A number between 0 and 1 that looks irregular; the fractional part of multiples of the golden ratio.
fn spread(index: usize) -> f64 {
    (0.5 + index as f64 * 0.618_033_988_749_895).fract()
}

fn header(format: &str, warnings: Vec<Warning>) -> Header {
    let words = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    };
    Header {
        format: format.to_owned(),
        calibrant: "0.1.0".to_owned(),
        inputs: words(&[(
            "verdicts",
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        )]),
        seed: 20_261_130,
        settings: words(&[("pool", "item"), ("threshold", "0.8")]),
        warnings: warnings.into_iter().map(Noted::from).collect(),
    }
}

fn calibration(shape: &Shape) -> Calibration {
    let items = shape.items();
    let units = shape.systems.len() as u64;
    let criteria: Vec<CriterionRow> = items
        .iter()
        .enumerate()
        .map(|(index, (criterion, query))| {
            let agreed = units - (spread(index) * 0.4 * units as f64) as u64;
            let measurability = (1.0 + agreed as f64) / (2.0 + units as f64);
            CriterionRow {
                criterion: criterion.clone(),
                query: Some(query.clone()),
                units,
                agreed,
                measurability: Some(measurability),
                measurability_low: Some(measurability * 0.7),
                measurability_high: Some(1.0 - (1.0 - measurability) * 0.3),
                measurability_undefined: None,
                prevalence: (index != 1).then(|| spread(index + 3)),
                kept: measurability >= 0.8,
                levels: None,
            }
        })
        .collect();
    let verdicts = items.len() * shape.systems.len() * shape.judges.len();
    Calibration {
        header: header(
            Calibration::FORMAT,
            vec![
                Warning::Ties { ties: 0, of: 12 },
                Warning::FewClusters {
                    clusters: shape.queries.len(),
                    needed: 10,
                },
            ],
        ),
        threshold: 0.8,
        pool: Pool::Item,
        prior: Prior { alpha: 1.0, beta: 1.0 },
        panel: Panel {
            systems: shape.systems.len(),
            queries: shape.queries.len(),
            criteria: shape.criteria.len(),
            items: items.len(),
            judges: shape.judges.len(),
            verdicts,
            statuses: BTreeMap::from([("ok".to_owned(), verdicts)]),
            cells: verdicts / shape.judges.len(),
            most_judges: shape.judges.len(),
            agreement: BTreeMap::from([("majority".to_owned(), 3), ("unanimous".to_owned(), 9)]),
        },
        judges: shape
            .judges
            .iter()
            .enumerate()
            .map(|(index, judge)| judge_row(index, judge, verdicts))
            .collect(),
        sweep: [0.5, 0.8]
            .iter()
            .map(|threshold| sweep_row(*threshold, &criteria))
            .collect(),
        criteria,
        attrition: (1..=units as u32)
            .map(|systems| attrition_row(systems, items.len()))
            .collect(),
        attrition_fit: AttritionFit {
            joint_peak: Some(2),
            geometric: Some(GeometricRow {
                rho: 0.88,
                rho_low: Some(0.85),
                rho_high: Some(0.91),
                r_squared: Some(0.85),
                rmse: 0.068,
                judge_error: Some(0.0417),
                judge_error_undefined: None,
            }),
            geometric_undefined: None,
            beta: Some(BetaRow {
                a: 4.23,
                b: 1.05,
                rmse: 0.0036,
            }),
            beta_undefined: None,
        },
    }
}

fn judge_row(index: usize, judge: &str, verdicts: usize) -> JudgeRow {
    JudgeRow {
        judge: judge.to_owned(),
        labels: verdicts / 3 - index,
        without_label: index,
        positive_rate: Some(0.5 + 0.05 * index as f64),
        agreement: Some(0.9 - 0.03 * index as f64),
    }
}

fn sweep_row(threshold: f64, criteria: &[CriterionRow]) -> SweepRow {
    let kept = criteria
        .iter()
        .filter(|row| row.measurability.is_some_and(|mean| mean >= threshold))
        .count();
    SweepRow {
        threshold,
        kept,
        coverage: Some(kept as f64 / criteria.len() as f64),
        pairwise_kappa: Some(0.61),
        pairwise_kappa_undefined: None,
        held_out_kappa: None,
        held_out_kappa_undefined: Some(Undefined::new("no_gold", "no labels were held out")),
        held_out: None,
    }
}

fn attrition_row(systems: u32, items: usize) -> AttritionRow {
    let rate = 0.88_f64;
    let retention = rate.powi(systems.cast_signed());
    AttritionRow {
        systems,
        items,
        retention,
        distinguishability: 1.0 - 0.5_f64.powi(systems.cast_signed() - 1),
        joint: retention * (1.0 - 0.5_f64.powi(systems.cast_signed() - 1)),
        rate,
    }
}

fn convergence() -> Convergence {
    Convergence {
        converged: true,
        iterations: 41,
        gradient: 3.2e-9,
        tolerance: 1e-6,
        stopped: "the gradient is small".to_owned(),
    }
}

fn fit(shape: &Shape) -> Fit {
    let items = shape.items();
    let model_row = |model, parameters, log_likelihood: f64| ModelRow {
        model,
        parameters,
        log_likelihood,
        log_posterior: log_likelihood - 2.5,
        aic: -2.0 * log_likelihood + 2.0 * parameters as f64,
        bic_responses: -2.0 * log_likelihood + 2.5 * parameters as f64,
        bic_systems: -2.0 * log_likelihood + 1.1 * parameters as f64,
        convergence: convergence(),
    };
    Fit {
        header: header(
            Fit::FORMAT,
            vec![Warning::FewSystems {
                systems: shape.systems.len(),
            }],
        ),
        model: Model::TwoPl,
        grid: GridRow {
            nodes: 41,
            low: -4.0,
            high: 4.0,
            refined: false,
        },
        log_likelihood: -7.25,
        log_posterior: -9.75,
        convergence: convergence(),
        items: items
            .iter()
            .skip(1)
            .enumerate()
            .map(|(index, item)| item_row(index, item))
            .collect(),
        dropped: vec![DroppedItem {
            criterion: items[0].0.clone(),
            query: items[0].1.clone(),
            reason: DropReason::AllPassed,
        }],
        systems: shape
            .systems
            .iter()
            .map(|system| SystemRow {
                system: system.clone(),
                ability: 0.1,
                standard_error: 0.4,
                edge_mass: 0.0,
            })
            .collect(),
        comparison: Comparison {
            models: vec![
                model_row(Model::OnePl, items.len() + 1, -8.0),
                model_row(Model::TwoPl, 2 * items.len(), -7.25),
            ],
            gain: 0.75,
            extra_parameters: items.len() - 1,
            gain_per_parameter: Some(0.25),
            responses: (items.len() * shape.systems.len()) as u64,
            systems: shape.systems.len(),
            aic_prefers: Model::OnePl,
            bic_responses_prefers: Model::OnePl,
            bic_systems_prefers: Model::OnePl,
        },
    }
}

fn item_row(index: usize, (criterion, query): &(String, String)) -> ItemRow {
    ItemRow {
        criterion: criterion.clone(),
        query: query.clone(),
        discrimination: 0.6 + spread(index),
        discrimination_error: (index != 1).then_some(0.31),
        difficulty: 3.0 * spread(index + 5) - 1.5,
        difficulty_error: Some(0.42),
        information: 0.2 * spread(index) + 0.05,
        responses: 3,
        pass_rate: spread(index + 3),
        item_rest: (index != 2).then(|| spread(index) - 0.3),
        item_rest_undefined: (index == 2).then(|| Undefined::new("no_variation", "the rest has no variation")),
        screened_out: spread(index) <= 0.3,
    }
}

fn bank(shape: &Shape) -> Bank {
    let items = shape.items();
    let row = |(index, (criterion, query)): (usize, &(String, String))| BankRow {
        criterion: criterion.clone(),
        query: query.clone(),
        weight: if index == 0 { 1.0 } else { -2.0 },
        discrimination: Some(0.6 + spread(index)),
        difficulty: Some(3.0 * spread(index + 5) - 1.5),
        information: Some(0.2 * spread(index) + 0.05),
        gain: Some(0.18 / (1.0 + index as f64)),
        measurability: Some(0.8),
        entry: None,
    };
    let size = items.len() - 1;
    Bank {
        header: header(
            Bank::FORMAT,
            vec![Warning::ThinBank {
                queries: 1,
                of: shape.queries.len(),
            }],
        ),
        method: Method::Greedy,
        model: Some(Model::TwoPl),
        grid: None,
        budget: size,
        budget_rule: "the smallest with 95 % of the utility".to_owned(),
        threshold: Some(0.8),
        feasible: size,
        pool: items.len(),
        utility: Some(0.31415),
        feasible_utility: Some(0.32712),
        optimum_bound: Some(0.3225),
        bound_argument: Some("the least over the greedy prefixes".to_owned()),
        utility_undefined: None,
        criteria: items.iter().skip(1).enumerate().map(row).collect(),
    }
}

fn scores(shape: &Shape) -> Scores {
    let systems = shape.systems.len();
    let no_interval = Undefined::new(
        "too_few_clusters",
        format!(
            "{} query clusters are fewer than the 10 a bootstrap of queries needs",
            shape.queries.len()
        ),
    );
    Scores {
        header: header(
            Scores::FORMAT,
            vec![
                Warning::FewClusters {
                    clusters: shape.queries.len(),
                    needed: 10,
                },
                Warning::SimulatedCoverage {
                    method: "parametric bootstrap with refit".to_owned(),
                    low: 0.93,
                    high: 0.94,
                },
            ],
        ),
        interval: Intervals {
            score: IntervalRow {
                kind: IntervalKind::Cluster,
                method: "bootstrap of query clusters, percentiles".to_owned(),
                target: "the score on other queries like these".to_owned(),
                level: 0.95,
                replicates: 0,
                undefined: Some(no_interval),
            },
            ability: IntervalRow {
                kind: IntervalKind::Cluster,
                method: "parametric bootstrap with refit".to_owned(),
                target: "contrasts between systems on the fitted scale".to_owned(),
                level: 0.95,
                replicates: 300,
                undefined: None,
            },
        },
        tier_rule: "neighbours whose difference has an interval with 0 in it share a tier".to_owned(),
        pairs_separated: Some(1.0 / 3.0),
        tiers_undefined: None,
        effective_criteria: Some(3.2),
        roll_up: Some(RollUpRow {
            rule: "all criteria are met".to_owned(),
            reason: None,
        }),
        systems: shape
            .systems
            .iter()
            .enumerate()
            .map(|(place, system)| system_row(place, system, systems))
            .collect(),
    }
}

fn system_row(place: usize, system: &str, systems: usize) -> SystemScore {
    let ability = 1.4 - 2.8 * place as f64 / systems as f64;
    SystemScore {
        system: system.to_owned(),
        score: Some(0.9 - 0.6 * place as f64 / systems as f64),
        score_low: None,
        score_high: None,
        information_score: Some(0.88 - 0.6 * place as f64 / systems as f64),
        ability: Some(ability),
        ability_low: Some(ability - 0.31),
        ability_high: Some(ability + 0.28),
        bank_score: (place != 1).then_some(0.7),
        bank_ability: Some(ability - 0.1),
        bank_ability_low: Some(ability - 0.5),
        bank_ability_high: Some(ability + 0.4),
        tier: Some(1 + (place as u32).div_ceil(2)),
        coverage: if place == 1 { 0.9167 } else { 1.0 },
        pass_rate: Some(0.5),
        pass_rate_all: Some(0.5),
        gates_failed: place,
        undefined: if place == 1 {
            BTreeMap::from([(
                "bank_score".to_owned(),
                Undefined::new("no_label", "no criterion of the bank has a label"),
            )])
        } else {
            BTreeMap::new()
        },
    }
}

fn rubric(shape: &Shape) -> Rubric {
    let criteria = shape.criteria.iter().map(|id| {
        Criterion::new(
            id.clone(),
            format!("Does the answer do\n  what {id} asks, and nothing else?"),
        )
    });
    Rubric {
        name: Some("sample".to_owned()),
        criteria: criteria.collect(),
        ..Rubric::default()
    }
}

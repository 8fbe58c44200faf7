//! Values that sources print or other programs compute: `testdata/published/*.toml`.

use calibrant_stats::agreement::{PairTable, cohen_kappa, scott_pi};
use calibrant_stats::attrition::{AttritionPoint, BetaFit, geometric_fit};
use calibrant_stats::measurability::{BetaPrior, measurability, probability_at_least};
use calibrant_stats::ranking::{kendall_tau_b, spearman};
use calibrant_stats::score::{Clip, Observation, PlanItem, RollUp, ScorePlan, k_eff};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A few operations in double precision.
const ROUNDING: f64 = 1e-14;

fn parse<T: DeserializeOwned>(text: &str) -> T {
    toml::from_str(text).expect("the committed file is valid")
}

fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: found {found}, expected {expected}"
    );
}

#[derive(Deserialize)]
struct AgreementFile {
    table: Vec<AgreementCase>,
}

#[derive(Deserialize)]
struct AgreementCase {
    name: String,
    labels: usize,
    counts: Vec<u64>,
    observed: f64,
    expected: Option<f64>,
    kappa: Option<f64>,
    pi: Option<f64>,
    pi_expected: Option<f64>,
    tolerance: f64,
}

#[test]
fn agreement() {
    let file: AgreementFile = parse(include_str!("../../../testdata/published/agreement.toml"));
    for case in file.table {
        let table = PairTable::new(case.labels, case.counts).expect("the table is square");
        let kappa = cohen_kappa(&table).expect("there are units");
        let pi = scott_pi(&table).expect("there are units");
        let close = |found: f64, expected: Option<f64>, what: &str| {
            if let Some(expected) = expected {
                assert_close(found, expected, case.tolerance, &format!("{} {what}", case.name));
            }
        };
        close(kappa.observed, Some(case.observed), "observed");
        close(kappa.expected, case.expected, "expected");
        close(kappa.value.expect("two labels occur"), case.kappa, "kappa");
        close(pi.value.expect("two labels occur"), case.pi, "pi");
        close(pi.expected, case.pi_expected, "chance of pi");
    }
}

#[derive(Deserialize)]
struct AttritionFile {
    systems: Vec<u32>,
    retention: Vec<f64>,
    rate: Vec<f64>,
    tolerance: f64,
    fit: FitCase,
}

#[derive(Deserialize)]
struct FitCase {
    retention: Vec<f64>,
    rho: f64,
    r_squared: f64,
    rmse: f64,
    beta_raw: [f64; 2],
    beta_raw_rmse: f64,
    tolerance: f64,
    r_squared_tolerance: f64,
}

fn curve(points: impl Iterator<Item = (u32, f64)>) -> Vec<AttritionPoint> {
    points
        .map(|(systems, retention)| AttritionPoint {
            systems,
            items: 1,
            retention,
            distinguishability: 0.0,
            joint: 0.0,
            rate: retention.powf(1.0 / f64::from(systems)),
        })
        .collect()
}

#[test]
fn attrition() {
    let file: AttritionFile = parse(include_str!("../../../testdata/published/attrition.toml"));
    let rows = file.systems.iter().zip(&file.retention).zip(&file.rate);
    for ((&m, retention), &rate) in rows {
        assert_close(retention.powf(1.0 / f64::from(m)), rate, file.tolerance, "rate");
    }
    let case = file.fit;
    let curve = curve((1..).zip(case.retention));
    let fit = geometric_fit(&curve).expect("there are points");
    assert_close(fit.rho, case.rho, case.tolerance, "rho");
    assert_close(fit.rmse, case.rmse, case.tolerance, "rmse");
    let r_squared = fit.r_squared.expect("R varies");
    assert_close(r_squared, case.r_squared, case.r_squared_tolerance, "R squared");
    let [a, b] = case.beta_raw;
    assert_close(
        BetaFit::judged(a, b, &curve).rmse,
        case.beta_raw_rmse,
        case.tolerance,
        "beta rmse",
    );
}

#[derive(Deserialize)]
struct MeasurabilityFile {
    tolerance: f64,
    posterior: Vec<PosteriorCase>,
}

#[derive(Deserialize)]
struct PosteriorCase {
    agreed: u64,
    total: u64,
    mean: f64,
    low: f64,
    high: f64,
    at_least_80: f64,
}

#[test]
fn measurability_posteriors() {
    let file: MeasurabilityFile = parse(include_str!("../../../testdata/published/measurability.toml"));
    for case in file.posterior {
        let what = format!("{} of {}", case.agreed, case.total);
        let prior = BetaPrior::default();
        let found = measurability(case.agreed, case.total, prior).expect("counts are right");
        assert_close(found.mean, case.mean, file.tolerance, &what);
        assert_close(found.low, case.low, file.tolerance, &what);
        assert_close(found.high, case.high, file.tolerance, &what);
        let upper = probability_at_least(case.agreed, case.total, 0.8, prior).expect("counts are right");
        assert_close(upper, case.at_least_80, file.tolerance, &what);
    }
}

#[derive(Deserialize)]
struct RankingFile {
    tolerance: f64,
    pair: Vec<RankingCase>,
}

#[derive(Deserialize)]
struct RankingCase {
    x: Vec<f64>,
    y: Vec<f64>,
    tau_b: f64,
    spearman: f64,
}

#[test]
fn rank_correlations_with_ties() {
    let file: RankingFile = parse(include_str!("../../../testdata/published/ranking.toml"));
    for case in file.pair {
        let tau = kendall_tau_b(&case.x, &case.y).expect("both vary");
        let rho = spearman(&case.x, &case.y).expect("both vary");
        assert_close(tau, case.tau_b, file.tolerance, "tau-b");
        assert_close(rho, case.spearman, file.tolerance, "rho");
    }
}

#[derive(Deserialize)]
struct ScoresFile {
    response: Vec<ResponseCase>,
    k_eff: Vec<WeightsCase>,
}

#[derive(Deserialize)]
struct ResponseCase {
    source: String,
    weights: Vec<f64>,
    values: Vec<f64>,
    score: f64,
}

#[derive(Deserialize)]
struct WeightsCase {
    source: String,
    weights: Vec<f64>,
    k_eff: f64,
}

#[test]
fn scores() {
    let file: ScoresFile = parse(include_str!("../../../testdata/published/scores.toml"));
    for case in file.response {
        let items = case.weights.iter().map(|&w| PlanItem::new(0, w)).collect();
        let plan = ScorePlan::new(items, vec![1.0], RollUp::Weighted, Clip::Mean).expect("weights are finite");
        let labels: Vec<_> = case.values.into_iter().map(Observation::Value).collect();
        let score = plan.response(0, &labels).score.expect("a positive weight applies");
        assert_close(score, case.score, ROUNDING, &case.source);
    }
    for case in file.k_eff {
        let found = k_eff(&case.weights).expect("a weight differs from 0");
        assert_close(found, case.k_eff, ROUNDING, &case.source);
    }
}

//! Values computed by other programs: `testdata/reference/agreement.json`.

use calibrant_stats::agreement::{PairTable, cohen_kappa};
use calibrant_stats::measurability::{BetaPrior, measurability, probability_at_least};
use calibrant_stats::ranking::{kendall_tau_b, spearman};
use serde::Deserialize;

/// Both sides are short computations in double precision.
const ROUNDING: f64 = 1e-12;

/// The quantiles of the other program are themselves iterated.
const QUANTILE: f64 = 1e-9;

#[derive(Deserialize)]
struct Reference {
    cohen1960_1968: Cohen,
    rank_ties: RankTies,
    beta_bernoulli: Vec<Posterior>,
}

#[derive(Deserialize)]
struct Cohen {
    table: Vec<Vec<u64>>,
    direct: CohenValues,
}

#[derive(Deserialize)]
struct CohenValues {
    po: f64,
    pe: f64,
    kappa: f64,
}

#[derive(Deserialize)]
struct RankTies {
    x: Vec<f64>,
    y: Vec<f64>,
    peers: RankPeers,
}

#[derive(Deserialize)]
struct RankPeers {
    scipy_tau_b: [f64; 2],
    scipy_spearman: [f64; 2],
}

#[derive(Deserialize)]
struct Posterior {
    agree: u64,
    total: u64,
    alpha: f64,
    beta: f64,
    mean: f64,
    ci95: [f64; 2],
    prob_q_ge_0_8: f64,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("../../../testdata/reference/agreement.json"))
        .expect("the committed file is valid")
}

fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "found {found}, expected {expected}"
    );
}

#[test]
fn cohen_kappa_of_sklearn_and_statsmodels() {
    let Cohen { table, direct } = reference().cohen1960_1968;
    let table = PairTable::new(table.len(), table.concat()).expect("the table is square");
    let found = cohen_kappa(&table).expect("there are units");
    assert_close(found.observed, direct.po, ROUNDING);
    assert_close(found.expected, direct.pe, ROUNDING);
    assert_close(found.value.expect("three labels occur"), direct.kappa, ROUNDING);
}

#[test]
fn rank_correlations_of_scipy() {
    let RankTies { x, y, peers } = reference().rank_ties;
    assert_close(
        kendall_tau_b(&x, &y).expect("both vary"),
        peers.scipy_tau_b[0],
        ROUNDING,
    );
    assert_close(spearman(&x, &y).expect("both vary"), peers.scipy_spearman[0], ROUNDING);
}

#[test]
fn beta_posteriors_of_scipy() {
    for case in reference().beta_bernoulli {
        let prior = BetaPrior {
            alpha: case.alpha,
            beta: case.beta,
        };
        let found = measurability(case.agree, case.total, prior).expect("counts are right");
        assert_close(found.mean, case.mean, ROUNDING);
        assert_close(found.low, case.ci95[0], QUANTILE);
        assert_close(found.high, case.ci95[1], QUANTILE);
        let upper = probability_at_least(case.agree, case.total, 0.8, prior).expect("counts are right");
        assert_close(upper, case.prob_q_ge_0_8, QUANTILE);
    }
}

//! Fits of simulated tables come back to what was put in, and tables of any size keep to log space.

mod irt_data;

use calibrant_stats::irt::{FitOptions, Grid, Model, Priors, abilities, fit, information, standard_errors};
use irt_data::{Board, Spread, board, largest_difference, reference};

/// Items most of which most systems neither all pass nor all fail, so that posteriors are near normal.
const MODERATE: Spread = Spread {
    log_discrimination: 0.3,
    difficulty: 1.0,
    missing: 0.1,
};

/// The priors that say how [`MODERATE`] items are drawn.
const FROM_MODERATE: Priors = Priors {
    log_discrimination_sd: 0.3,
    difficulty_sd: 1.0,
};

/// Squared errors of log discriminations and difficulties over squared standard errors, averaged.
fn mean_squared_z(board: &Board, model: Model) -> [f64; 2] {
    let options = FitOptions {
        priors: FROM_MODERATE,
        ..FitOptions::default()
    };
    let fit = fit(&board.responses, model, &options).expect("no item is constant");
    let errors = standard_errors(&board.responses, &fit, &options).expect("a maximum");
    let mut sums = [0.0; 2];
    for (j, error) in errors.iter().enumerate() {
        let slope = (fit.items.discrimination[j] / board.items.discrimination[j]).ln();
        let difficulty = fit.items.difficulty[j] - board.items.difficulty[j];
        sums[0] += (slope / error.log_discrimination).powi(2);
        sums[1] += (difficulty / error.difficulty).powi(2);
    }
    sums.map(|sum| sum / errors.len() as f64)
}

/// Many systems and few items. The mode of all parameters together is not the mean of each: the log discriminations' exceeds it by about
/// items / systems, which is a fourth of their standard error here and 1.2 standard errors at 200 x 30 (in numpy alike).
const SYSTEMS: usize = 1000;
const ITEMS: usize = 10;

/// Tables whose errors are averaged. Errors of one table share the shift and stretch of its ability scale, so tables, not items, are the
/// independent draws.
const TABLES: u64 = 40;

/// Whether `means`, one mean square per table, average 1 within four of their standard errors. When truth is drawn from the priors,
/// squared errors over squared posterior deviations average 1; a tenth more is allowed because posteriors are only near normal.
fn average_one(means: &[f64]) -> bool {
    let count = means.len() as f64;
    let mean = means.iter().sum::<f64>() / count;
    let variance = means.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean - 1.0).abs() < 4.0 * (variance / count).sqrt() + 0.1
}

#[test]
fn two_parameter_items_come_back_within_their_standard_errors() {
    let draw = |seed| mean_squared_z(&board(SYSTEMS, ITEMS, &MODERATE, seed), Model::TwoPl);
    let (slopes, difficulties): (Vec<f64>, Vec<f64>) = (0..TABLES).map(draw).map(|[s, d]| (s, d)).unzip();
    assert!(average_one(&slopes), "log discriminations: {slopes:?}");
    assert!(average_one(&difficulties), "difficulties: {difficulties:?}");
}

#[test]
fn difficulties_under_one_slope_come_back_within_their_standard_errors() {
    let spread = Spread {
        log_discrimination: 0.0,
        ..MODERATE
    };
    let draw = |seed| mean_squared_z(&board(SYSTEMS, ITEMS, &spread, seed), Model::OnePl)[1];
    let difficulties: Vec<f64> = (100..100 + TABLES).map(draw).collect();
    assert!(average_one(&difficulties), "difficulties: {difficulties:?}");
}

/// Abilities under the true items: errors over posterior deviations have mean square 1; 400 independent systems leave 0.07, four of it.
#[test]
fn abilities_come_back_within_their_standard_errors() {
    let board = board(400, 60, &MODERATE, 20);
    let abilities = abilities(&board.responses, &board.items, &Grid::default(), None).expect("sound");
    let squares = abilities.iter().zip(&board.abilities);
    let mean = squares
        .map(|(x, theta)| ((x.mean - theta) / x.standard_error).powi(2))
        .sum::<f64>()
        / 400.0;
    assert!((mean - 1.0).abs() < 0.28, "mean square {mean}");
}

/// Products of 2,000 probabilities underflow. Where they do, every posterior is the prior or undefined, and every discrimination falls to
/// its prior's mode; as a log-normal density that is exp(-0.25), which a program of
/// that kind was seen to return for every item.
#[test]
fn fifteen_systems_on_two_thousand_items_do_not_underflow() {
    let spread = Spread {
        log_discrimination: 0.3,
        difficulty: 1.0,
        missing: 0.0,
    };
    let board = board(15, 2000, &spread, 30);
    let fit = fit(&board.responses, Model::TwoPl, &FitOptions::default()).expect("sound");
    assert!(fit.log_posterior.is_finite() && fit.convergence.converged());
    let mode = (-0.25f64).exp();
    let stuck = fit.items.discrimination.iter().filter(|&&a| (a - mode).abs() < 1e-3);
    assert!(stuck.count() < 100);
    let truth = &board.items.difficulty;
    let errors = fit.items.difficulty.iter().zip(truth).map(|(b, t)| (b - t).abs());
    // One difficulty from 15 labels is good to 0.7 or so; differences of two unrelated ones would average 1.1.
    assert!(errors.sum::<f64>() / (truth.len() as f64) < 0.8);
}

/// The reference's expected information over the standard normal weights, from its own parameters.
#[test]
fn information_matches_the_reference() {
    for name in ["lsat6", "sim2pl", "leaderboard"] {
        let reference = reference(name, Model::TwoPl);
        let grid = Grid::default();
        let expected = |(&a, &b): (&f64, &f64)| -> f64 {
            let terms = grid.nodes().iter().zip(grid.weights());
            terms.map(|(&theta, weight)| weight * information(a, b, theta)).sum()
        };
        let nu: Vec<f64> = reference.a.iter().zip(&reference.b).map(expected).collect();
        // Two programs, one closed form, rounding only.
        assert!(largest_difference(&nu, &reference.nu) < 1e-12);
    }
}

//! Fits against an independent estimator: numpy and scipy, the exact objective on the fixed 41-node grid, gradients below 1e-4.
//!
//! The values are in `testdata/reference/irt_map.json`; the data are LSAT-6 and LSAT-7 (`testdata/published`) and seeded simulations
//! (`testdata/reference/data`).

mod irt_data;

use calibrant_stats::irt::{Fit, FitOptions, Grid, GridRule, Model, abilities, compare, fit, standard_errors};
use irt_data::{Reference, largest_difference, reference, responses};

/// The tolerance on F at the maximum: both programs stop where the gradient is negligible, so only rounding remains.
const LOG_POSTERIOR: f64 = 1e-6;

/// The tolerance on the gradient.
const GRADIENT: f64 = 1e-6;

/// The tolerance on parameters: the gradient tolerance over the smallest curvature, the prior's, with room.
const PARAMETER: f64 = 1e-4;

/// The tolerance on abilities.
const ABILITY: f64 = 1e-5;

/// The log likelihood alone moves to first order with the parameters where F does not: 1e-6 of gradient over thousands of parameters.
const LOG_LIKELIHOOD: f64 = 1e-4;

/// Reference values are for exactly 41 nodes.
fn fixed() -> FitOptions {
    FitOptions {
        rule: GridRule::Fixed,
        ..FitOptions::default()
    }
}

fn fitted(name: &str, model: Model) -> (Fit, Reference) {
    let responses = responses(name);
    let fit = fit(&responses, model, &fixed()).expect("the reference data are sound");
    (fit, reference(name, model))
}

fn matches_reference(name: &str, model: Model) {
    let (fit, expected) = fitted(name, model);
    let responses = responses(name);
    assert!(fit.convergence.converged(), "{:?}", fit.convergence);
    assert!(fit.convergence.gradient_max <= GRADIENT);
    let gap = fit.log_posterior - expected.objective;
    assert!(gap.abs() <= LOG_POSTERIOR, "F is off by {gap:e}: {:?}", fit.convergence);
    assert!((fit.log_likelihood - expected.loglik).abs() <= LOG_LIKELIHOOD);
    assert_eq!(fit.parameters, expected.npar);
    assert!(largest_difference(&fit.items.discrimination, &expected.a) <= PARAMETER);
    assert!(largest_difference(&fit.items.difficulty, &expected.b) <= PARAMETER);

    let abilities = abilities(&responses, &fit.items, &Grid::default(), None).expect("fitted items");
    let means: Vec<f64> = abilities.iter().map(|x| x.mean).collect();
    let errors: Vec<f64> = abilities.iter().map(|x| x.standard_error).collect();
    assert!(largest_difference(&means, &expected.eap) <= ABILITY);
    let expected: Vec<f64> = expected.posterior_sd.iter().map(|x| x.unwrap_or(0.0)).collect();
    assert!(largest_difference(&errors, &expected) <= ABILITY);
}

#[test]
fn lsat6() {
    matches_reference("lsat6", Model::OnePl);
    matches_reference("lsat6", Model::TwoPl);
}

#[test]
fn lsat7() {
    matches_reference("lsat7", Model::OnePl);
    matches_reference("lsat7", Model::TwoPl);
}

#[test]
fn sim2pl() {
    matches_reference("sim2pl", Model::OnePl);
    matches_reference("sim2pl", Model::TwoPl);
}

#[test]
fn leaderboard() {
    matches_reference("leaderboard", Model::OnePl);
    matches_reference("leaderboard", Model::TwoPl);
}

/// F has several maxima here, because posteriors are narrower than the grid's spacing; the default start and path reach the reference's.
#[test]
fn longrow_two_parameters() {
    matches_reference("longrow", Model::TwoPl);
}

#[test]
fn longrow_one_slope() {
    matches_reference("longrow", Model::OnePl);
}

/// AIC, both BICs and the gain per parameter from the reference's log likelihoods and parameter counts.
#[test]
fn comparisons() {
    for name in ["lsat6", "lsat7", "sim2pl", "leaderboard", "longrow"] {
        let (simple, expected_simple) = fitted(name, Model::OnePl);
        let (rich, expected_rich) = fitted(name, Model::TwoPl);
        let (cells, systems) = (expected_rich.responses, expected_rich.persons);
        let comparison = compare(&simple, &rich, cells, systems);
        for (k, expected) in [&expected_simple, &expected_rich].into_iter().enumerate() {
            let twice = 2.0 * LOG_LIKELIHOOD;
            assert!((comparison.aic[k] - expected.aic).abs() <= twice);
            assert!((comparison.bic_systems[k] - expected.bic_persons).abs() <= twice);
            assert!((comparison.bic_cells[k] - expected.bic_responses).abs() <= twice);
        }
        let extra = (expected_rich.npar - expected_simple.npar) as f64;
        let kappa = (expected_rich.loglik - expected_simple.loglik) / extra;
        let difference = comparison.gain_per_parameter.expect("slopes are extra") - kappa;
        assert!(difference.abs() <= LOG_LIKELIHOOD);
        assert_eq!(comparison.aic_prefers_rich(), kappa > comparison.aic_threshold);
        assert_eq!(
            comparison.bic_cells_prefers_rich(),
            kappa > comparison.bic_cells_threshold
        );
        assert_eq!(
            comparison.bic_systems_prefers_rich(),
            kappa > comparison.bic_systems_threshold
        );
    }
}

/// The reference inverts a finite-difference Hessian (steps of 1e-5 on gradients good to 1e-12): about 1e-7 in the matrix, more in the
/// inverse of a matrix that is nearly singular along the ability scale.
const STANDARD_ERROR: f64 = 1e-5;

#[test]
fn standard_errors_of_items() {
    for name in ["lsat6", "lsat7", "sim2pl"] {
        for model in [Model::OnePl, Model::TwoPl] {
            let (fit, reference) = fitted(name, model);
            let errors = standard_errors(&responses(name), &fit, &fixed()).expect("a maximum has positive information");
            let expected = reference.se_x.expect("small models have standard errors");
            let (slopes, difficulties) = expected.split_at(expected.len() - errors.len());
            for (j, error) in errors.iter().enumerate() {
                let slope = slopes[j.min(slopes.len() - 1)];
                assert!((error.log_discrimination / slope - 1.0).abs() <= STANDARD_ERROR);
                assert!((error.difficulty / difficulties[j] - 1.0).abs() <= STANDARD_ERROR);
            }
        }
    }
}

//! The simulated panel: its shape, its determinism, and that what was put in can be found again.

use calibrant_stats::attrition::{ItemPanel, Moments, beta_fit};
use calibrant_stats::ranking::spearman;
use calibrant_stats::simulate::{SimulatedPanel, SimulationOptions, simulate};

/// Panels of each item over all systems.
fn item_panels(panel: &SimulatedPanel) -> Vec<ItemPanel> {
    let (systems, items) = (panel.abilities.len(), panel.difficulty.len());
    let judges = panel.labels.len();
    let passes = |i: usize, j: usize| panel.labels.iter().filter(|labels| labels[i * items + j] == 1).count();
    let count = |j: usize, kind: &dyn Fn(usize) -> bool| (0..systems).filter(|&i| kind(passes(i, j))).count() as u32;
    (0..items)
        .map(|j| ItemPanel {
            systems: systems as u32,
            unanimous_pass: count(j, &|n| n == judges),
            unanimous_fail: count(j, &|n| n == 0),
            majority_pass: count(j, &|n| 2 * n > judges),
        })
        .collect()
}

#[test]
fn the_default_has_the_shape_of_the_main_block() {
    let panel = simulate(&SimulationOptions::default());
    assert_eq!(
        (panel.abilities.len(), panel.difficulty.len(), panel.labels.len()),
        (15, 624, 3)
    );
    assert_eq!((panel.query[5], panel.query[6], panel.query[623]), (0, 1, 103));
    assert!(panel.truth.len() == 15 * 624 && panel.labels.iter().all(|labels| labels.len() == 15 * 624));
    assert!(panel.judge_error.iter().all(|e| (0.0..=0.5).contains(e)));
    assert!(panel.discrimination.iter().all(|&a| a > 0.0));
}

#[test]
fn one_seed_one_panel_and_another_judge_disturbs_nobody() {
    let options = SimulationOptions::default();
    let panel = simulate(&options);
    assert_eq!(simulate(&options), panel);
    let other = simulate(&SimulationOptions { seed: 2, ..options });
    assert_ne!(other.truth, panel.truth);
    let four = simulate(&SimulationOptions { judges: 4, ..options });
    assert_eq!((&four.truth, &four.labels[..3]), (&panel.truth, &panel.labels[..]));
}

#[test]
fn judges_without_error_tell_the_truth() {
    // Agreement of Beta(10^9, 1) is 1 within 10^-8, so an error is below 10^-8 and no label of 9,360 is likely to be wrong.
    let panel = simulate(&SimulationOptions {
        agreement: (1e9, 1.0),
        ..SimulationOptions::default()
    });
    assert!(panel.labels.iter().all(|labels| *labels == panel.truth));
}

#[test]
fn agreement_is_the_one_asked_for() {
    // Without leniency three judges agree on an item at its drawn rate; the mean of Beta(4.23, 1.05) is .8011.
    let panel = simulate(&SimulationOptions {
        queries: 500,
        leniency_sd: 0.0,
        ..SimulationOptions::default()
    });
    let fit = beta_fit(&item_panels(&panel), Moments::Factorial).expect("rates differ");
    let mean = fit.a / (fit.a + fit.b);
    // A rate has SD .159 and 15 systems add .1: the mean of 3,000 items has a standard error of .0034. Rates below that of coins
    // are raised to 1/4, which the mean hardly sees.
    assert!((mean - 4.23 / 5.28).abs() < 4.0 * 0.0034, "mean {mean}");
    // Heterogeneity: SD .159, recovered within a tenth.
    let sd = (mean * (1.0 - mean) / (fit.a + fit.b + 1.0)).sqrt();
    assert!((sd / 0.159 - 1.0).abs() < 0.1, "sd {sd}");
}

#[test]
fn a_lenient_judge_passes_more() {
    let panel = simulate(&SimulationOptions {
        leniency_sd: 1.0,
        ..SimulationOptions::default()
    });
    let rate = |labels: &Vec<u8>| labels.iter().map(|&label| f64::from(label)).sum::<f64>();
    let rates: Vec<f64> = panel.labels.iter().map(rate).collect();
    assert_eq!(spearman(&panel.leniency, &rates), Ok(1.0));
}

#[test]
fn abler_systems_pass_more() {
    let panel = simulate(&SimulationOptions::default());
    let rates: Vec<f64> = panel
        .truth
        .chunks(624)
        .map(|row| row.iter().map(|&y| f64::from(y)).sum())
        .collect();
    // A score of 624 items tells abilities apart that differ by about .1; a few of 105 pairs may still be turned.
    let rho = spearman(&panel.abilities, &rates).expect("abilities differ");
    assert!(rho > 0.95, "rho {rho}");
}

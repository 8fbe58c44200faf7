//! Every long kernel ends soon after somebody interrupts it, and gives the same numbers watched or not.

use std::sync::mpsc::channel;
use std::time::Duration;

use calibrant_stats::agreement::{AgreementBootstrapOptions, Difference, Ratings, bootstrap_alpha};
use calibrant_stats::assembly::{Stop, greedy};
use calibrant_stats::attrition::{ItemPanel, geometric_interval};
use calibrant_stats::information::InformationTable;
use calibrant_stats::irt::{
    BootstrapOptions, Fit, FitOptions, Grid, Model, Responses, cluster_bootstrap, fit, influence_bootstrap,
    parametric_bootstrap, posterior_draws, standard_errors,
};
use calibrant_stats::simulate::{SimulationOptions, simulate};
use calibrant_stats::watch::{Interrupted, Watch};

/// Replicates that no machine draws within the time that these tests take.
const FOREVER: u32 = u32::MAX >> 6;

/// The calculation is interrupted so long after its start.
const PATIENCE: Duration = Duration::from_millis(100);

/// It must then end within this time: a second of a person's, many times over what a loaded machine needs for a step.
const SOON: Duration = Duration::from_secs(20);

/// Interrupts a calculation that would run for hours.
fn ends(calculation: impl FnOnce() + Send) {
    let watch = Watch::new();
    let inner = watch.clone();
    std::thread::scope(|scope| {
        let (send, receive) = channel();
        scope.spawn(move || send.send(inner.run(calculation)));
        std::thread::sleep(PATIENCE);
        watch.interrupt();
        let outcome = receive.recv_timeout(SOON).expect("it ends soon");
        assert_eq!(outcome, Err(Interrupted), "it was long enough to be interrupted");
    });
}

/// Twelve systems on items in queries of three, some of each kind.
fn responses(items: usize) -> Responses {
    let options = SimulationOptions {
        systems: 12,
        queries: items / 3,
        criteria: 3,
        judges: 1,
        seed: 4,
        ..SimulationOptions::default()
    };
    let panel = simulate(&options);
    let passed = |j: usize| (0..12).map(move |i| (i, j));
    let truth = &panel.truth;
    let cells: Vec<u16> = (0..items)
        .flat_map(passed)
        .map(|(i, j)| u16::from(truth[i * items + j]))
        .collect();
    let all = Responses::new(12, items, cells, vec![1; 12 * items]).expect("the table is whole");
    let constant = calibrant_stats::irt::constant_items(&all);
    let kept: Vec<usize> = (0..items).filter(|j| !constant.contains(j)).collect();
    all.select(&kept)
}

fn fitted(items: usize) -> (Responses, Fit, FitOptions) {
    let responses = responses(items);
    let options = FitOptions::default();
    let fit = fit(&responses, Model::TwoPl, &options).expect("the table can be fitted");
    (responses, fit, options)
}

fn forever() -> BootstrapOptions {
    BootstrapOptions {
        replicates: FOREVER,
        ..BootstrapOptions::new(1)
    }
}

#[test]
fn bootstraps_of_abilities() {
    let (responses, fit, options) = fitted(60);
    let clusters: Vec<u32> = (0..responses.items() as u32).map(|j| j / 3).collect();
    ends(|| {
        drop(cluster_bootstrap(
            &responses,
            &fit,
            &clusters,
            None,
            &options,
            &forever(),
        ))
    });
    ends(|| {
        drop(influence_bootstrap(
            &responses,
            &fit,
            &clusters,
            None,
            &options,
            &forever(),
        ))
    });
    ends(|| drop(parametric_bootstrap(&responses, &fit, None, &options, &forever())));
    ends(|| drop(posterior_draws(&responses, &fit, None, &options, &forever())));
}

#[test]
fn bootstraps_of_agreement_and_attrition() {
    let codes: Vec<u8> = (0..3_000_u32).map(|at| u8::from(at * at % 7 < 3)).collect();
    let patterns = Ratings::new(3, 2, &codes).expect("whole units").tally().patterns();
    let options = AgreementBootstrapOptions {
        replicates: FOREVER,
        ..AgreementBootstrapOptions::default()
    };
    ends(|| drop(bootstrap_alpha(&patterns, Difference::Nominal, &options)));
    let item = |at: u32| ItemPanel {
        systems: 20,
        unanimous_pass: at % 10,
        unanimous_fail: 5,
        majority_pass: at % 10,
    };
    let items: Vec<ItemPanel> = (0..200).map(item).collect();
    ends(|| {
        let _ = geometric_interval(&items, FOREVER, 1);
    });
}

#[test]
fn fits_that_never_meet_their_tolerance() {
    let responses = responses(30_000);
    let options = FitOptions {
        gradient_tolerance: f64::MIN_POSITIVE,
        max_iterations: usize::MAX,
        ..FitOptions::default()
    };
    ends(|| {
        loop {
            let fit = fit(&responses, Model::TwoPl, &options).expect("the table can be fitted");
            drop(standard_errors(&responses, &fit, &options));
        }
    });
}

#[test]
fn banks_of_many_items() {
    let count = 200_000;
    let spread = |step: usize, j: usize| (j * step % count) as f64 / count as f64;
    let discrimination: Vec<f64> = (0..count).map(|j| 0.5 + spread(7_919, j)).collect();
    let difficulty: Vec<f64> = (0..count).map(|j| 4.0 * spread(104_729, j) - 2.0).collect();
    let grid = Grid::default();
    let table = InformationTable::two_pl(&discrimination, &difficulty, grid.nodes()).expect("the lists are as long");
    let weights = grid.weights().to_vec();
    let candidates: Vec<usize> = (0..count).collect();
    ends(|| {
        loop {
            drop(greedy(&table, &weights, &candidates, Stop::Budget(count)));
        }
    });
}

#[test]
fn a_watch_changes_no_number() {
    let (responses, fit, options) = fitted(60);
    let clusters: Vec<u32> = (0..responses.items() as u32).map(|j| j / 3).collect();
    let bootstrap = BootstrapOptions {
        replicates: 20,
        ..BootstrapOptions::new(7)
    };
    let draw = || cluster_bootstrap(&responses, &fit, &clusters, None, &options, &bootstrap);
    let watch = Watch::new();
    assert_eq!(watch.run(draw), Ok(draw()));
    assert_eq!(watch.done(), 20, "a replicate is one step, whatever its refit takes");
}

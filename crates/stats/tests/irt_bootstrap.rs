//! Bootstraps of abilities: reproducible on any number of threads, narrowing with more queries, covering true contrasts.

mod irt_data;

use calibrant_stats::Undefined;
use calibrant_stats::irt::{
    AbilityReplicates, BootstrapOptions, Fit, FitOptions, Grid, IrtError, Model, Responses, abilities,
    cluster_bootstrap, fit, parametric_bootstrap, source_bootstrap,
};
use calibrant_stats::resample::{LEVEL, percentile_interval};
use irt_data::{Board, Spread, board};

const SPREAD: Spread = Spread {
    log_discrimination: 0.3,
    difficulty: 1.0,
    missing: 0.05,
};

fn fitted(responses: &Responses) -> Fit {
    fit(responses, Model::TwoPl, &FitOptions::default()).expect("no item is constant")
}

/// Items in runs of `size` per query.
fn queries(responses: &Responses, size: usize) -> Vec<u32> {
    (0..responses.items()).map(|j| (j / size) as u32).collect()
}

fn drawn(replicates: u32) -> BootstrapOptions {
    BootstrapOptions {
        replicates,
        ..BootstrapOptions::new(11)
    }
}

fn clustered(responses: &Responses, size: usize, replicates: u32) -> AbilityReplicates {
    let clusters = queries(responses, size);
    let (fit, options) = (fitted(responses), FitOptions::default());
    cluster_bootstrap(responses, &fit, &clusters, None, &options, &drawn(replicates)).expect("clusters enough")
}

fn point(responses: &Responses, fit: &Fit) -> Vec<f64> {
    let abilities = abilities(responses, &fit.items, &Grid::default(), None).expect("fitted items");
    abilities.iter().map(|x| x.mean).collect()
}

fn mean_and_deviation(x: &[f64]) -> (f64, f64) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let square = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
    (mean, (square / x.len() as f64).sqrt())
}

fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be started").install(run)
}

#[test]
fn every_bit_is_the_same_on_one_thread_and_on_two() {
    let board = board(12, 600, &SPREAD, 1);
    let all = || {
        let fit = fitted(&board.responses);
        let (clusters, options) = (queries(&board.responses, 6), FitOptions::default());
        let bank: Vec<usize> = (0..40).collect();
        let (r, n) = (&board.responses, drawn(8));
        [
            cluster_bootstrap(r, &fit, &clusters, Some(&bank), &options, &n),
            parametric_bootstrap(r, &fit, Some(&bank), &options, &n),
            source_bootstrap(r, &fit, &clusters, Some(&bank), &options, &n),
        ]
    };
    assert_eq!(on_threads(1, all), on_threads(2, all));
}

/// A replicate is its stream's: asking for more leaves those before as they are.
#[test]
fn replicates_do_not_depend_on_their_number() {
    let board = board(8, 90, &SPREAD, 2);
    let few = clustered(&board.responses, 5, 6);
    let many = clustered(&board.responses, 5, 12);
    assert_eq!(few.pool[..], many.pool[..few.pool.len()]);
}

#[test]
fn replicates_are_aligned_to_the_fit() {
    // Two sums of twelve numbers and a division.
    const ROUNDING: f64 = 1e-12;
    let board = board(12, 120, &SPREAD, 3);
    let fit = fitted(&board.responses);
    let (mean, deviation) = mean_and_deviation(&point(&board.responses, &fit));
    let options = FitOptions::default();
    let parametric = parametric_bootstrap(&board.responses, &fit, None, &options, &drawn(5));
    for replicates in [clustered(&board.responses, 4, 5), parametric.expect("items are left")] {
        assert_eq!(replicates.unconverged, 0);
        for row in replicates.pool.chunks(replicates.systems) {
            let (m, d) = mean_and_deviation(row);
            assert!((m - mean).abs() < ROUNDING && (d - deviation).abs() < ROUNDING);
        }
    }
}

/// A bank of all items is the pool; a part of them is not.
#[test]
fn the_bank_is_drawn_with_the_pool() {
    let board = board(8, 90, &SPREAD, 4);
    let (fit, options) = (fitted(&board.responses), FitOptions::default());
    let clusters = queries(&board.responses, 3);
    let run = |bank: &[usize]| {
        let (r, n) = (&board.responses, drawn(4));
        let replicates = cluster_bootstrap(r, &fit, &clusters, Some(bank), &options, &n);
        replicates.expect("clusters enough")
    };
    let everything: Vec<usize> = (0..board.responses.items()).collect();
    let all = run(&everything);
    assert_eq!(all.bank.as_ref(), Some(&all.pool));
    let some = run(&everything[..20]);
    assert_eq!(some.pool, all.pool);
    assert_ne!(some.bank, all.bank);
}

#[test]
fn nine_clusters_give_no_interval() {
    let board = board(6, 27, &SPREAD, 5);
    let fit = fitted(&board.responses);
    let mut clusters = queries(&board.responses, 3);
    clusters.iter_mut().for_each(|c| *c %= 9);
    let options = FitOptions::default();
    let refused = cluster_bootstrap(&board.responses, &fit, &clusters, None, &options, &drawn(5));
    let reason = Undefined::TooFewClusters { have: 9, need: 10 };
    assert_eq!(refused, Err(IrtError::Undefined(reason)));
}

/// In some replicates of a small board two items cancel, and systems come out alike but for the tolerance: that is no scale
/// to stretch to.
#[test]
fn systems_that_come_out_alike_are_not_stretched_apart() {
    let labels = vec![1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0];
    let responses = Responses::new(3, 4, labels, vec![1; 12]).expect("binary labels");
    let (fit, options) = (fitted(&responses), FitOptions::default());
    let replicates = parametric_bootstrap(&responses, &fit, Some(&[0, 1, 3]), &options, &drawn(300)).expect("items");
    let bank = replicates.bank.expect("abilities on the bank");
    assert!(bank.iter().all(|x| x.abs() < 10.0), "{bank:?}");
}

/// With one item per query the source's form draws every item exactly once: intervals of width 0 (METHODS 102).
#[test]
fn the_source_form_has_no_width_for_single_item_queries() {
    let board = board(6, 40, &SPREAD, 6);
    let (fit, options) = (fitted(&board.responses), FitOptions::default());
    let queries = queries(&board.responses, 1);
    let replicates = source_bootstrap(&board.responses, &fit, &queries, None, &options, &drawn(3));
    let expected = point(&board.responses, &fit);
    for row in replicates.expect("items").pool.chunks(6) {
        assert_eq!(row, expected);
    }
}

/// The variance of a mean of `n` items drawn within their query is `(n - 1) / n` of the true one, so the source's form must be narrower
/// than the plain resampling of all items by at least that (METHODS 102): here `n` = 2, a deviation of 0.71.
#[test]
fn the_source_form_is_narrower_than_the_cluster_form() {
    let board = board(10, 400, &SPREAD, 7);
    let (fit, options) = (fitted(&board.responses), FitOptions::default());
    let queries = queries(&board.responses, 2);
    let (r, n) = (&board.responses, drawn(60));
    let source = source_bootstrap(r, &fit, &queries, None, &options, &n).expect("items");
    let clusters: Vec<u32> = (0..r.items() as u32).collect();
    let cluster = cluster_bootstrap(r, &fit, &clusters, None, &options, &n).expect("clusters enough");
    let ratio = mean_width(&source) / mean_width(&cluster);
    // Widths from 60 replicates are good to a tenth, averages over pairs to less.
    assert!(ratio > 0.5 && ratio < 0.85, "ratio {ratio}");
}

/// The interval of the contrast of two systems.
fn contrast(replicates: &AbilityReplicates, i: usize, k: usize) -> (f64, f64) {
    let rows = replicates.pool.chunks(replicates.systems);
    let differences: Vec<f64> = rows.map(|row| row[i] - row[k]).collect();
    let interval = percentile_interval(&differences, LEVEL).expect("replicates");
    (interval.low, interval.high)
}

fn mean_width(replicates: &AbilityReplicates) -> f64 {
    let pairs = (1..replicates.systems).map(|i| contrast(replicates, i - 1, i));
    let widths: Vec<f64> = pairs.map(|(low, high)| high - low).collect();
    widths.iter().sum::<f64>() / widths.len() as f64
}

/// Four times the queries, half the width; widths from 100 replicates averaged over 11 pairs are good to about a tenth.
#[test]
fn intervals_narrow_with_the_root_of_the_number_of_queries() {
    let small = clustered(&board(12, 150, &SPREAD, 8).responses, 3, 100);
    let large = clustered(&board(12, 600, &SPREAD, 8).responses, 3, 100);
    let ratio = mean_width(&small) / mean_width(&large);
    assert!(ratio > 1.6 && ratio < 2.5, "ratio {ratio}");
}

/// How often intervals of neighbouring systems' contrasts hold the truth, put on the fit's scale as replicates are.
fn coverage(boards: &[Board], run: impl Fn(&Responses, &Fit) -> AbilityReplicates) -> f64 {
    let (mut covered, mut total) = (0.0, 0.0);
    for board in boards {
        let fit = fitted(&board.responses);
        let (to, stretched) = mean_and_deviation(&point(&board.responses, &fit));
        let (from, spread) = mean_and_deviation(&board.abilities);
        let align = |x: &f64| to + (x - from) * stretched / spread;
        let truth: Vec<f64> = board.abilities.iter().map(align).collect();
        let replicates = run(&board.responses, &fit);
        for i in 0..truth.len() {
            for k in 0..i {
                let (low, high) = contrast(&replicates, i, k);
                covered += f64::from(u8::from((low..=high).contains(&(truth[i] - truth[k]))));
                total += 1.0;
            }
        }
    }
    covered / total
}

/// Forty tables of 105 contrasts with 60 replicates. Percentiles of 60 draws lose about 2 % of coverage; contrasts of one table depend on
/// each other, so the share is good to about 2 %.
const COVERAGE: [f64; 2] = [0.85, 0.995];

fn boards() -> Vec<Board> {
    (100..140).map(|seed| board(15, 150, &SPREAD, seed)).collect()
}

#[test]
fn cluster_intervals_cover_true_contrasts() {
    let share = coverage(&boards(), |responses, _| clustered(responses, 3, 60));
    assert!(share > COVERAGE[0] && share < COVERAGE[1], "coverage {share}");
}

#[test]
fn parametric_intervals_cover_true_contrasts() {
    let run = |responses: &Responses, fit: &Fit| {
        let options = FitOptions::default();
        parametric_bootstrap(responses, fit, None, &options, &drawn(60)).expect("items are left")
    };
    let share = coverage(&boards(), run);
    assert!(share > COVERAGE[0] && share < COVERAGE[1], "coverage {share}");
}

#[test]
fn wrong_arguments_are_named() {
    let board = board(6, 40, &SPREAD, 9);
    let (fit, options) = (fitted(&board.responses), FitOptions::default());
    let r = &board.responses;
    let short = cluster_bootstrap(r, &fit, &[0, 1], None, &options, &drawn(3));
    assert!(matches!(short, Err(IrtError::Argument(_))), "{short:?}");
    let beyond = parametric_bootstrap(r, &fit, Some(&[999]), &options, &drawn(3));
    assert!(matches!(beyond, Err(IrtError::Argument(_))), "{beyond:?}");
    let none = parametric_bootstrap(r, &fit, None, &options, &drawn(0));
    let reason = Undefined::TooFewReplicates { have: 0, of: 0 };
    assert_eq!(none, Err(IrtError::Undefined(reason)));
}

#[test]
fn centred_replicates_have_the_mean_they_replicate_and_the_spread_they_had() {
    /// Sums of sixty numbers of size one, twice.
    const ROUNDING: f64 = 1e-12;
    let board = board(8, 60, &SPREAD, 12);
    let fit = fitted(&board.responses);
    let found = point(&board.responses, &fit);
    let raw = clustered(&board.responses, 3, 60);
    let centred = raw.clone().centred(&found, None);
    for (i, &ability) in found.iter().enumerate() {
        let column = |table: &[f64]| -> Vec<f64> { table.iter().skip(i).step_by(raw.systems).copied().collect() };
        let (before, after) = (column(&raw.pool), column(&centred.pool));
        let ((_, spread), (mean, spread_after)) = (mean_and_deviation(&before), mean_and_deviation(&after));
        assert!((mean - ability).abs() < ROUNDING && (spread - spread_after).abs() < ROUNDING);
    }
}

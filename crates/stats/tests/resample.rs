//! Percentiles, cluster draws, and the coverage of the score bootstrap.

use calibrant_stats::Undefined;
use calibrant_stats::resample::{LEVEL, draw_clusters, percentile, percentile_interval};
use calibrant_stats::score::{Clip, RollUp, ScorePlan};
use calibrant_stats::score_bootstrap::{ScoreBootstrapOptions, ScoreReplicates, score_bootstrap};
use calibrant_stats::stream::{Purpose, Stream};

#[test]
fn percentiles_interpolate_between_order_statistics() {
    // Hyndman and Fan type 7, by hand: position p (n - 1) from 0.
    let sorted = [1.0, 2.0, 4.0, 8.0];
    let cases = [(0.0, 1.0), (0.25, 1.75), (0.5, 3.0), (0.9, 6.8), (1.0, 8.0)];
    for (p, expected) in cases {
        let found = percentile(&sorted, p).expect("there are values");
        assert!((found - expected).abs() < 1e-14, "p {p}: {found}");
    }
    assert_eq!(percentile(&[3.0], 0.7), Ok(3.0));
    assert_eq!(percentile(&[], 0.5), Err(Undefined::NoValues));
}

#[test]
fn percentile_interval_sorts_and_is_equal_tailed() {
    // 0..=200 in falling order: the 2.5 % points are 5 and 195.
    let values: Vec<f64> = (0..=200).rev().map(f64::from).collect();
    let interval = percentile_interval(&values, LEVEL).expect("there are values");
    assert!((interval.low - 5.0).abs() < 1e-10 && (interval.high - 195.0).abs() < 1e-10);
    assert!(interval.contains(5.5) && !interval.contains(4.5));
}

#[test]
fn cluster_draws_sum_to_their_number_and_spread_evenly() {
    const CLUSTERS: usize = 20;
    const DRAWS: u32 = 5000;
    let mut never = 0;
    for replicate in 0..DRAWS {
        let mut stream = Stream::new(0, Purpose::ScoreBootstrap, replicate);
        let counts = draw_clusters(&mut stream, CLUSTERS);
        assert_eq!(counts.iter().sum::<u32>() as usize, CLUSTERS);
        never += u32::from(counts[7] == 0);
    }
    // A cluster is missed with chance (1 - 1/20)^20 = .3585.
    let expected = 0.95f64.powi(20);
    let share = f64::from(never) / f64::from(DRAWS);
    let error = (expected * (1.0 - expected) / f64::from(DRAWS)).sqrt();
    assert!((share - expected).abs() < 5.0 * error, "share {share}");
}

fn plan(omega: Vec<f64>) -> ScorePlan {
    ScorePlan::new(vec![], omega, RollUp::Weighted, Clip::None).expect("weights are finite")
}

fn bootstrap(scores: &[Option<f64>], clusters: &[u32], seed: u64) -> Result<ScoreReplicates, Undefined> {
    let options = ScoreBootstrapOptions { replicates: 400, seed };
    score_bootstrap(&plan(vec![1.0; clusters.len()]), scores, clusters, options)
}

#[test]
fn score_intervals_cover_the_true_score() {
    // Boards of 40 clusters of 3 queries; a query's score is a cluster effect plus its own noise, mean .5 for every system.
    const BOARDS: u32 = 200;
    const CLUSTERS: u32 = 40;
    let clusters: Vec<u32> = (0..CLUSTERS * 3).map(|query| query / 3).collect();
    let mut covered = 0;
    let mut difference_covered = 0;
    for board in 0..BOARDS {
        let mut stream = Stream::new(21, Purpose::Simulation, board);
        let mut scores = Vec::new();
        for _ in 0..2 {
            for _ in 0..CLUSTERS {
                let shared = 0.15 * stream.normal();
                for _ in 0..3 {
                    scores.push(Some(0.5 + shared + 0.1 * stream.normal()));
                }
            }
        }
        let found = bootstrap(&scores, &clusters, u64::from(board)).expect("there are clusters enough");
        let interval = found.interval(0, LEVEL).expect("all queries are scored");
        let difference = found.difference(0, 1, LEVEL).expect("all queries are scored");
        covered += u32::from(interval.contains(0.5));
        difference_covered += u32::from(difference.contains(0.0));
    }
    // Percentile intervals of 40 clusters cover about 94 %. Over 200 boards the share has a standard error of .017: [.90, .985] is
    // 2.5 of these around it. Resampling queries instead of clusters would cover 80 % (SE too small by sqrt(.0225 + .01 / 3 over
    // .0225 / 3 + .01 / 3) = 1.54).
    for count in [covered, difference_covered] {
        let share = f64::from(count) / f64::from(BOARDS);
        assert!((0.90..=0.985).contains(&share), "coverage {share}");
    }
}

#[test]
fn width_is_that_of_the_cluster_mean() {
    // Score of a cluster is its number: the bootstrap SE of the mean of 0..=24 is their population SD over sqrt(25) = 7.21 / 5.
    let clusters: Vec<u32> = (0..25).collect();
    let scores: Vec<Option<f64>> = (0..25).map(|c| Some(f64::from(c))).collect();
    let found = bootstrap(&scores, &clusters, 3).expect("there are clusters enough");
    let interval = found.interval(0, LEVEL).expect("all queries are scored");
    let expected = 2.0 * 1.96 * (52.0f64).sqrt() / 5.0;
    let width = interval.high - interval.low;
    // An interval from 400 replicates has a width within about 7 % of its limit; twice that is allowed.
    assert!(
        (width / expected - 1.0).abs() < 0.15,
        "width {width} against {expected}"
    );
}

#[test]
fn systems_share_the_draws_so_equal_systems_never_differ() {
    let clusters: Vec<u32> = (0..12).collect();
    let one: Vec<Option<f64>> = (0..12).map(|c| Some(f64::from(c % 5))).collect();
    let found = bootstrap(&[one.clone(), one].concat(), &clusters, 1).expect("there are clusters enough");
    let difference = found.difference(0, 1, LEVEL).expect("all queries are scored");
    assert_eq!((difference.low, difference.high), (0.0, 0.0));
}

#[test]
fn same_seed_same_bits_on_one_thread_and_many() {
    let clusters: Vec<u32> = (0..30).map(|query| 7 * (query / 2)).collect();
    let scores: Vec<Option<f64>> = (0..90)
        .map(|k| (k % 7 != 0).then(|| f64::from(k % 11) / 10.0))
        .collect();
    let many = bootstrap(&scores, &clusters, 5).expect("there are clusters enough");
    let alone = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool of one");
    assert_eq!(alone.install(|| bootstrap(&scores, &clusters, 5)), Ok(many.clone()));
    assert_ne!(bootstrap(&scores, &clusters, 6), Ok(many));
}

#[test]
fn too_few_clusters_give_no_interval() {
    let few: Vec<u32> = (0..30).map(|query| query % 9).collect();
    let scores = vec![Some(1.0); 30];
    let need = |have| Undefined::TooFewClusters { have, need: 10 };
    assert_eq!(bootstrap(&scores, &few, 0), Err(need(9)));
    // Enough clusters on the board, but one system was scored on four of them only.
    let clusters: Vec<u32> = (0..30).collect();
    let sparse: Vec<Option<f64>> = (0..30).map(|query| (query < 4).then_some(0.5)).collect();
    let both = bootstrap(&[scores, sparse].concat(), &clusters, 0).expect("there are clusters enough");
    assert!(both.interval(0, LEVEL).is_ok());
    assert_eq!(both.interval(1, LEVEL), Err(need(4)));
    assert_eq!(both.difference(0, 1, LEVEL), Err(need(4)));
}

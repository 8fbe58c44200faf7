//! Intervals of scores: how they would move with other queries like these.

use crate::Undefined;
use crate::resample::{Interval, MIN_CLUSTERS, draw_clusters, enough_clusters, expanded_level, percentile_interval};
use crate::score::ScorePlan;
use crate::stream::{Purpose, Stream};
use crate::watch::Watch;

/// How many replicates are drawn, and from which seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreBootstrapOptions {
    /// Replicates.
    pub replicates: u32,
    /// The seed of the streams.
    pub seed: u64,
}

impl Default for ScoreBootstrapOptions {
    /// 2,000 replicates as in METHODS 127, seed 0.
    fn default() -> Self {
        Self {
            replicates: 2000,
            seed: 0,
        }
    }
}

/// Scores of all systems on the same resampled queries, replicate by replicate.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreReplicates {
    systems: usize,
    values: Vec<Option<f64>>,
    clusters_scored: Vec<usize>,
}

impl ScoreReplicates {
    /// The number of replicates.
    #[must_use]
    pub fn replicates(&self) -> usize {
        self.values.len().checked_div(self.systems).unwrap_or(0)
    }

    /// The scores of all systems in one replicate; `None` where none of a system's queries was drawn.
    #[must_use]
    pub fn row(&self, replicate: usize) -> &[Option<f64>] {
        &self.values[replicate * self.systems..(replicate + 1) * self.systems]
    }

    /// The percentile interval of the score of `system` at `level` in (0, 1), expanded for the number of clusters.
    ///
    /// # Errors
    /// Undefined when fewer than ten clusters hold a score of the system, or fewer than nine in ten replicates do.
    ///
    /// Source: METHODS 102; [`expanded_level`].
    pub fn interval(&self, system: usize, level: f64) -> Result<Interval, Undefined> {
        let clusters = self.clusters_scored[system];
        enough_clusters(clusters)?;
        self.summarise(expanded_level(level, clusters), |row| row[system])
    }

    /// The percentile interval at `level`, expanded for the number of clusters, of the score of system `i` minus that of `j`, paired within replicates.
    ///
    /// # Errors
    /// As [`ScoreReplicates::interval`], for either system.
    ///
    /// Source: METHODS 103.
    pub fn difference(&self, i: usize, j: usize, level: f64) -> Result<Interval, Undefined> {
        let clusters = self.clusters_scored[i].min(self.clusters_scored[j]);
        enough_clusters(clusters)?;
        self.summarise(expanded_level(level, clusters), |row| Some(row[i]? - row[j]?))
    }

    fn summarise(&self, level: f64, value: impl Fn(&[Option<f64>]) -> Option<f64>) -> Result<Interval, Undefined> {
        let of = self.replicates();
        let values: Vec<f64> = (0..of).filter_map(|r| value(self.row(r))).collect();
        if values.len() * 10 < of * 9 {
            return Err(Undefined::TooFewReplicates { have: values.len(), of });
        }
        percentile_interval(&values, level)
    }
}

/// Resamples whole clusters of queries, the same ones for every system, and scores each system anew.
///
/// `query_scores` holds one entry per system and query, system by system, as for [`ScorePlan::system`]; `clusters` names the cluster
/// of each query by any number. The target is the score on other queries like these; the systems' own randomness counts only as far
/// as it differs between queries.
///
/// # Errors
/// Undefined with fewer than ten clusters, [`MIN_CLUSTERS`].
///
/// # Panics
/// If the scores do not fill whole rows of queries, or the clusters are not one per query.
///
/// Source: METHODS 102.
pub fn score_bootstrap(
    plan: &ScorePlan,
    query_scores: &[Option<f64>],
    clusters: &[u32],
    options: ScoreBootstrapOptions,
) -> Result<ScoreReplicates, Undefined> {
    let queries = plan.queries();
    assert_eq!(clusters.len(), queries, "one cluster per query");
    if queries == 0 {
        return Err(Undefined::TooFewClusters {
            have: 0,
            need: MIN_CLUSTERS,
        });
    }
    assert_eq!(query_scores.len() % queries, 0, "one score per system and query");
    let (index, count) = dense(clusters);
    enough_clusters(count)?;
    let sums: Vec<Vec<Sum>> = query_scores
        .chunks_exact(queries)
        .map(|scores| cluster_sums(plan, scores, &index, count))
        .collect();
    let rows: Vec<Vec<Option<f64>>> = Watch::current().parts(options.replicates, |replicate| {
        let mut stream = Stream::new(options.seed, Purpose::ScoreBootstrap, replicate);
        let drawn = draw_clusters(&mut stream, count);
        let systems = sums.iter();
        systems.map(|system| replicate_score(plan, system, &drawn)).collect()
    });
    Ok(ScoreReplicates {
        systems: sums.len(),
        values: rows.concat(),
        clusters_scored: sums.iter().map(|system| scored(system)).collect(),
    })
}

/// Weighted scores and weights of one system in one cluster.
#[derive(Clone, Copy, Default)]
struct Sum {
    score: f64,
    weight: f64,
}

/// The clusters renumbered from 0 in ascending order, and how many there are.
fn dense(clusters: &[u32]) -> (Vec<usize>, usize) {
    let mut names = clusters.to_vec();
    names.sort_unstable();
    names.dedup();
    let place = |name: &u32| names.partition_point(|other| other < name);
    (clusters.iter().map(place).collect(), names.len())
}

fn cluster_sums(plan: &ScorePlan, scores: &[Option<f64>], index: &[usize], count: usize) -> Vec<Sum> {
    let mut sums = vec![Sum::default(); count];
    for ((&omega, score), &cluster) in plan.query_weights().iter().zip(scores).zip(index) {
        if let Some(score) = score {
            sums[cluster].score += omega * score;
            sums[cluster].weight += omega;
        }
    }
    sums
}

fn replicate_score(plan: &ScorePlan, sums: &[Sum], drawn: &[u32]) -> Option<f64> {
    let mut total = Sum::default();
    for (sum, &times) in sums.iter().zip(drawn) {
        total.score += f64::from(times) * sum.score;
        total.weight += f64::from(times) * sum.weight;
    }
    plan.mean(total.score, total.weight)
}

fn scored(sums: &[Sum]) -> usize {
    sums.iter().filter(|sum| sum.weight > 0.0).count()
}

//! Replicates of the abilities, by the method asked for or the one the number of clusters allows.

use calibrant_schema::scores::{IntervalKind, IntervalRow};
use calibrant_schema::{Undefined, Warning};
use calibrant_stats::Undefined as KernelUndefined;
use calibrant_stats::irt::{
    self, AbilityReplicates, BootstrapOptions, IrtError, cluster_bootstrap, influence_bootstrap, parametric_bootstrap,
    posterior_draws, source_bootstrap,
};
use calibrant_stats::resample::{LEVEL, MIN_CLUSTERS, expanded_level};

use super::{IntervalMethod, ScoreOptions, seen_on};
use crate::calibrate::statistics;
use crate::error::StepError;
use crate::fit::Usable;
use crate::reason::reason;

/// The 97.5 % point of the standard normal distribution.
pub(super) const NORMAL_QUANTILE: f64 = 1.959_963_984_540_054;

/// First-order answers solve a linear system with some unknowns a system or two an item, whichever are fewer; refits do not. At 1,000
/// systems and 500 items they took 2 s and 1,000 refits 5 s; with more of both the linear system is what takes long.
const MOST_SYSTEMS: usize = 1000;

/// Alignment by mean and deviation takes two numbers from every replicate: two systems would have intervals of width 0.
const FEWEST_ALIGNED: usize = 3;

/// Replicates, or why there are none, with the words that describe them.
pub(super) struct Replicated {
    pub(super) replicates: Result<AbilityReplicates, Undefined>,
    pub(super) interval: IntervalRow,
    pub(super) warnings: Vec<Warning>,
}

/// What is resampled.
pub(super) struct Resampled<'a> {
    pub(super) usable: &'a Usable,
    pub(super) fit: &'a irt::Fit,
    /// Query cluster of each usable item.
    pub(super) clusters: &'a [u32],
    /// Query of each usable item.
    pub(super) queries: &'a [u32],
    /// Clusters among those.
    pub(super) cluster_count: usize,
    /// Positions of the bank's items among the usable ones.
    pub(super) bank: Option<&'a [usize]>,
}

/// A way to make replicates: its name, its words, and what is known of it.
struct Way {
    method: IntervalMethod,
    kind: IntervalKind,
    words: &'static str,
    target: &'static str,
    /// Least and largest share of true contrasts that its intervals held, over the settings of `docs/validation.md`.
    coverage: (f64, f64),
}

const OTHER_QUERIES: &str = "differences between these systems on the fitted scale, for other queries like these";
const THESE_QUERIES: &str = "differences between these systems on the fitted scale, for these queries";

const WAYS: [Way; 5] = [
    Way {
        method: IntervalMethod::Cluster,
        kind: IntervalKind::Cluster,
        words: "bootstrap of query clusters to first order, aligned by mean and SD, percentiles expanded for the number of clusters",
        target: OTHER_QUERIES,
        coverage: (0.913, 0.961),
    },
    Way {
        method: IntervalMethod::ClusterRefit,
        kind: IntervalKind::Cluster,
        words: "bootstrap of query clusters with warm refit, aligned by mean and SD, percentiles expanded for the number of clusters",
        target: OTHER_QUERIES,
        coverage: (0.897, 0.970),
    },
    Way {
        method: IntervalMethod::Delta,
        kind: IntervalKind::Delta,
        words: "posterior and delta term for item parameters, aligned by mean and SD",
        target: THESE_QUERIES,
        coverage: (0.828, 0.953),
    },
    Way {
        method: IntervalMethod::Parametric,
        kind: IntervalKind::Parametric,
        words: "parametric bootstrap with refit, aligned by mean and SD",
        target: THESE_QUERIES,
        coverage: (0.860, 0.943),
    },
    Way {
        method: IntervalMethod::Source,
        kind: IntervalKind::Source,
        words: "the source's plain form: items resampled within their query, parameters fixed",
        target: "abilities under the fitted parameters taken as known",
        coverage: (0.0, 0.918),
    },
];

impl Way {
    fn chosen(method: IntervalMethod, clusters: usize, systems: usize) -> &'static Self {
        let method = match (clusters < MIN_CLUSTERS, systems > MOST_SYSTEMS) {
            _ if method != IntervalMethod::Auto => method,
            (true, false) => IntervalMethod::Delta,
            (true, true) => IntervalMethod::Parametric,
            (false, false) => IntervalMethod::Cluster,
            (false, true) => IntervalMethod::ClusterRefit,
        };
        let way = WAYS.iter().find(|way| way.method == method);
        way.expect("every method but the automatic one is a way")
    }

    /// What is known of how often its intervals hold.
    fn doubt(&self) -> Warning {
        let (low, high) = self.coverage;
        match self.kind {
            IntervalKind::Source => Warning::SourceInterval { low, high },
            _ => Warning::SimulatedCoverage {
                method: self.words.to_owned(),
                low,
                high,
            },
        }
    }
}

/// The level at which percentiles of replicates are taken.
///
/// A bootstrap of clusters is expanded for their number, as its words say; the other ways do not hang on one.
pub(super) fn percentile_level(kind: IntervalKind, clusters: usize) -> f64 {
    match kind {
        IntervalKind::Cluster => expanded_level(LEVEL, clusters),
        _ => LEVEL,
    }
}

/// Replicates of the abilities with their words and doubts.
///
/// # Errors
/// If the kernel refuses its arguments; data that allow no replicates are a result with a reason.
pub(super) fn replicate(resampled: &Resampled<'_>, options: &ScoreOptions) -> Result<Replicated, StepError> {
    let systems = resampled.usable.responses.systems();
    let way = Way::chosen(options.interval, resampled.cluster_count, systems);
    let replicates = match drawn(resampled, way, options) {
        Ok(replicates) => Ok(replicates),
        Err(IrtError::Undefined(why)) => Err(reason(why)),
        Err(other) => return Err(statistics(other)),
    };
    let mut warnings = Vec::new();
    if resampled.cluster_count < MIN_CLUSTERS {
        warnings.push(Warning::FewClusters {
            clusters: resampled.cluster_count,
            needed: MIN_CLUSTERS,
        });
    }
    if let Ok(replicates) = &replicates {
        warnings.push(way.doubt());
        if replicates.unconverged > 0 {
            warnings.push(Warning::UnconvergedReplicates {
                count: replicates.unconverged,
                of: replicates.replicates,
            });
        }
    }
    let interval = IntervalRow {
        kind: way.kind,
        method: way.words.to_owned(),
        target: way.target.to_owned(),
        level: LEVEL,
        replicates: replicates.as_ref().map_or(0, |replicates| replicates.replicates),
        undefined: replicates.as_ref().err().cloned(),
    };
    Ok(Replicated {
        replicates,
        interval,
        warnings,
    })
}

fn drawn(resampled: &Resampled<'_>, way: &Way, options: &ScoreOptions) -> Result<AbilityReplicates, IrtError> {
    let kernel = &options.kernel;
    let draws = BootstrapOptions {
        replicates: options.replicates,
        ..BootstrapOptions::new(options.seed)
    };
    let Resampled {
        usable,
        fit,
        clusters,
        queries,
        cluster_count,
        bank,
    } = *resampled;
    let placed = seen_on(&usable.responses).into_iter().filter(|seen| *seen).count();
    if way.kind != IntervalKind::Source && placed < FEWEST_ALIGNED {
        return Err(KernelUndefined::TooFewSystems {
            have: placed,
            need: FEWEST_ALIGNED,
        }
        .into());
    }
    if way.kind == IntervalKind::Cluster && cluster_count < MIN_CLUSTERS {
        return Err(KernelUndefined::TooFewClusters {
            have: cluster_count,
            need: MIN_CLUSTERS,
        }
        .into());
    }
    let responses = &usable.responses;
    match way.method {
        IntervalMethod::Auto | IntervalMethod::Cluster => {
            influence_bootstrap(responses, fit, clusters, bank, kernel, &draws)
        }
        IntervalMethod::ClusterRefit => cluster_bootstrap(responses, fit, clusters, bank, kernel, &draws),
        IntervalMethod::Delta => posterior_draws(responses, fit, bank, kernel, &draws),
        IntervalMethod::Parametric => parametric_bootstrap(responses, fit, bank, kernel, &draws),
        IntervalMethod::Source => source_bootstrap(responses, fit, queries, bank, kernel, &draws),
    }
}

/// The words for the intervals of the score.
pub(super) fn score_interval(replicates: u32, undefined: Option<KernelUndefined>) -> IntervalRow {
    IntervalRow {
        kind: if undefined.is_none() {
            IntervalKind::Cluster
        } else {
            IntervalKind::None
        },
        method: "bootstrap of query clusters, percentiles expanded for the number of clusters".to_owned(),
        target: "score of these systems on other queries like these".to_owned(),
        level: LEVEL,
        replicates: if undefined.is_none() { replicates as usize } else { 0 },
        undefined: undefined.map(reason),
    }
}

//! Replicates of the abilities, by the method asked for or the one the number of clusters allows.

use calibrant_schema::scores::{IntervalKind, IntervalRow};
use calibrant_schema::{Undefined, Warning};
use calibrant_stats::Undefined as KernelUndefined;
use calibrant_stats::irt::{
    self, AbilityReplicates, BootstrapOptions, IrtError, cluster_bootstrap, parametric_bootstrap, source_bootstrap,
};
use calibrant_stats::resample::{LEVEL, MIN_CLUSTERS};

use super::{IntervalMethod, ScoreOptions, seen_on};
use crate::calibrate::statistics;
use crate::error::StepError;
use crate::fit::Usable;
use crate::reason::reason;

/// The 97.5 % point of the standard normal distribution.
pub(super) const NORMAL_QUANTILE: f64 = 1.959_963_984_540_054;

/// Least and largest share of true contrasts that intervals held on the boards of `docs/validation.md`.
const CLUSTER_COVERAGE: (f64, f64) = (0.927, 0.943);
/// The same of the parametric bootstrap.
const PARAMETRIC_COVERAGE: (f64, f64) = (0.915, 0.935);
/// The same of the source's plain form.
const SOURCE_COVERAGE: (f64, f64) = (0.872, 0.885);

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
    kind: IntervalKind,
    method: &'static str,
    target: &'static str,
    coverage: (f64, f64),
}

const CLUSTER: Way = Way {
    kind: IntervalKind::Cluster,
    method: "bootstrap of query clusters with warm refit and alignment by mean and SD",
    target: "differences between these systems on the fitted scale, for other queries like these",
    coverage: CLUSTER_COVERAGE,
};
const PARAMETRIC: Way = Way {
    kind: IntervalKind::Parametric,
    method: "parametric bootstrap with refit and alignment by mean and SD",
    target: "differences between these systems on the fitted scale, for these queries",
    coverage: PARAMETRIC_COVERAGE,
};
const SOURCE: Way = Way {
    kind: IntervalKind::Source,
    method: "the source's plain form: items resampled within their query, parameters fixed",
    target: "abilities under the fitted parameters taken as known",
    coverage: SOURCE_COVERAGE,
};

impl Way {
    fn chosen(method: IntervalMethod, clusters: usize) -> &'static Self {
        match method {
            IntervalMethod::Auto if clusters < MIN_CLUSTERS => &PARAMETRIC,
            IntervalMethod::Auto | IntervalMethod::Cluster => &CLUSTER,
            IntervalMethod::Parametric => &PARAMETRIC,
            IntervalMethod::Source => &SOURCE,
        }
    }

    /// What is known of how often its intervals hold.
    fn doubt(&self) -> Warning {
        let (low, high) = self.coverage;
        match self.kind {
            IntervalKind::Source => Warning::SourceInterval { low, high },
            _ => Warning::SimulatedCoverage {
                method: self.method.to_owned(),
                low,
                high,
            },
        }
    }
}

/// Replicates of the abilities with their words and doubts.
///
/// # Errors
/// If the kernel refuses its arguments; data that allow no replicates are a result with a reason.
pub(super) fn replicate(
    resampled: &Resampled<'_>,
    grid: &irt::Grid,
    options: &ScoreOptions,
) -> Result<Replicated, StepError> {
    let way = Way::chosen(options.interval, resampled.cluster_count);
    let replicates = match drawn(resampled, way, grid, options) {
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
        method: way.method.to_owned(),
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

fn drawn(
    resampled: &Resampled<'_>,
    way: &Way,
    grid: &irt::Grid,
    options: &ScoreOptions,
) -> Result<AbilityReplicates, IrtError> {
    let kernel = irt::FitOptions {
        grid: grid.clone(),
        ..options.kernel.clone()
    };
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
    match way.kind {
        IntervalKind::Cluster if cluster_count < MIN_CLUSTERS => Err(KernelUndefined::TooFewClusters {
            have: cluster_count,
            need: MIN_CLUSTERS,
        }
        .into()),
        IntervalKind::Cluster => cluster_bootstrap(&usable.responses, fit, clusters, bank, &kernel, &draws),
        IntervalKind::Source => source_bootstrap(&usable.responses, fit, queries, bank, &kernel, &draws),
        _ => parametric_bootstrap(&usable.responses, fit, bank, &kernel, &draws),
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
        method: "bootstrap of query clusters, percentiles".to_owned(),
        target: "score of these systems on other queries like these".to_owned(),
        level: LEVEL,
        replicates: if undefined.is_none() { replicates as usize } else { 0 },
        undefined: undefined.map(reason),
    }
}

//! Why a kernel gave no number, as artifacts say it.

use calibrant_schema::Undefined;
use calibrant_stats::Undefined as Kernel;

/// The stable identifier and the words of a kernel's reason.
pub fn reason(kernel: Kernel) -> Undefined {
    Undefined::new(identifier(&kernel), kernel.to_string())
}

fn identifier(kernel: &Kernel) -> &'static str {
    match kernel {
        Kernel::NoValues => "no_values",
        Kernel::NoUnits => "no_units",
        Kernel::NoVariation => "no_variation",
        Kernel::OneLabel => "one_label",
        Kernel::NoUnitOfTwo => "no_unit_of_two",
        Kernel::CompleteChance => "complete_chance",
        Kernel::NotTwoLevels { .. } => "not_two_levels",
        Kernel::TooFewUnits { .. } => "too_few_units",
        Kernel::NoSpread => "no_spread",
        Kernel::AgreementBelowHalf { .. } => "agreement_below_half",
        Kernel::ShareOutOfReach { .. } => "share_out_of_reach",
        Kernel::TooFewClusters { .. } => "too_few_clusters",
        Kernel::TooFewSystems { .. } => "too_few_systems",
        Kernel::TooFewJudges { .. } => "too_few_judges",
        Kernel::TooFewPoints { .. } => "too_few_points",
        Kernel::TooFewSystemsPerItem { .. } => "too_few_systems_per_item",
        Kernel::NoPositiveWeight => "no_positive_weight",
        Kernel::NothingApplies => "nothing_applies",
        Kernel::NoLabels => "no_labels",
        Kernel::NoScoredQuery => "no_scored_query",
        Kernel::EmptyHardSet => "empty_hard_set",
        Kernel::NoCandidates => "no_candidates",
        Kernel::NotPositiveDefinite => "not_positive_definite",
        Kernel::NoHeterogeneity => "no_heterogeneity",
        Kernel::AllOrNothing => "all_or_nothing",
        Kernel::BelowChance { .. } => "below_chance",
        Kernel::TooFewReplicates { .. } => "too_few_replicates",
    }
}

/// A kernel's number, or its reason as artifacts say it.
pub fn defined<T>(value: Result<T, Kernel>) -> Result<T, Undefined> {
    value.map_err(reason)
}

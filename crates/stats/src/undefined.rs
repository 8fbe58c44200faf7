//! Why a statistic has no value.

/// The reason why a statistic is undefined for these data: a result, not a failure.
///
/// The text is a clause a reader understands after "undefined: ".
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Undefined {
    /// Nothing was observed.
    #[error("there is no value to summarise")]
    NoValues,
    /// No unit carries enough labels.
    #[error("no unit has the labels this needs")]
    NoUnits,
    /// No unit was labelled by two judges.
    #[error("no unit has labels of two judges")]
    NoUnitOfTwo,
    /// Values do not vary, so nothing can be related to them.
    #[error("there is no variation to relate")]
    NoVariation,
    /// Chance alone agrees completely, because only one label occurs.
    #[error("only one label occurs, so chance agreement is complete")]
    OneLabel,
    /// Chance alone agrees completely, because the weights call every pair of labels alike.
    #[error("the weights call all labels that occur alike, so chance agreement is complete")]
    CompleteChance,
    /// A statistic of two levels on another scale.
    #[error("the scale has {levels} levels, and this is defined for two")]
    NotTwoLevels {
        /// Levels there are.
        levels: usize,
    },
    /// Fewer units than the statistic needs.
    #[error("{have} units are too few, {need} are needed")]
    TooFewUnits {
        /// Units there are.
        have: u64,
        /// Units needed.
        need: u64,
    },
    /// Every unit says the same about agreement, so that its error cannot be read from how units differ.
    #[error("units do not differ in agreement, so nothing tells the error of the value")]
    NoSpread,
    /// Agreement so low that no symmetric rate of errors gives it.
    #[error("judges agree on {observed:.4} of the units, and independent errors cannot push that below one half")]
    AgreementBelowHalf {
        /// The agreement observed.
        observed: f64,
    },
    /// A share of labels that errors of this rate cannot give at any prevalence.
    #[error("a share of {share:.4} passes cannot come from judges who flip {flip:.4} of the labels")]
    ShareOutOfReach {
        /// The share of passes observed.
        share: f64,
        /// The flip rate.
        flip: f64,
    },
    /// Fewer clusters than a cluster interval needs.
    #[error("{have} clusters are too few for a cluster interval, which needs {need}")]
    TooFewClusters {
        /// Clusters there are.
        have: usize,
        /// Clusters needed.
        need: usize,
    },
    /// Fewer systems than the statistic needs.
    #[error("{have} systems are too few, {need} are needed")]
    TooFewSystems {
        /// Systems there are.
        have: usize,
        /// Systems needed.
        need: usize,
    },
    /// Fewer judges than the statistic needs.
    #[error("{have} judges are too few, {need} are needed")]
    TooFewJudges {
        /// Judges there are.
        have: usize,
        /// Judges needed.
        need: usize,
    },
    /// Fewer points than a fit needs.
    #[error("{have} points are too few for a fit, {need} are needed")]
    TooFewPoints {
        /// Points there are.
        have: usize,
        /// Points needed.
        need: usize,
    },
    /// No item has complete panels on enough systems.
    #[error("no item was labelled by the whole panel on {need} systems or more")]
    TooFewSystemsPerItem {
        /// Systems needed on one item.
        need: u32,
    },
    /// No positive weight is left to divide by.
    #[error("no criterion of positive weight applies, so there is nothing to divide by")]
    NoPositiveWeight,
    /// Every criterion is not applicable.
    #[error("no criterion applies to this response")]
    NothingApplies,
    /// No label was given at all.
    #[error("no label was given")]
    NoLabels,
    /// No query has a score.
    #[error("no query has a score")]
    NoScoredQuery,
    /// The hard set holds no item.
    #[error("no item has a unanimous panel and both outcomes, so the hard set is empty")]
    EmptyHardSet,
    /// No item may be chosen.
    #[error("no item may be chosen")]
    NoCandidates,
    /// The information matrix has no inverse that is a covariance.
    #[error("the information matrix is not positive definite, so it bounds no error")]
    NotPositiveDefinite,
    /// Items do not differ more than sampling alone would make them.
    #[error("items differ no more than sampling alone makes them, so one rate describes them")]
    NoHeterogeneity,
    /// Every item is unanimous on all systems or on none.
    #[error("each item is unanimous always or never, which no beta distribution describes")]
    AllOrNothing,
    /// A unanimity rate below the least that independent judges can have.
    #[error("the panel agrees less often ({rate:.4}) than independent coins would ({least:.4})")]
    BelowChance {
        /// The rate observed.
        rate: f64,
        /// The least rate any judge error gives.
        least: f64,
    },
    /// Too many bootstrap replicates came out undefined.
    #[error("only {have} of {of} bootstrap replicates have a value")]
    TooFewReplicates {
        /// Replicates with a value.
        have: usize,
        /// Replicates drawn.
        of: usize,
    },
}

//! Doubts about a result, each with what to do about it.

use serde::{Deserialize, Serialize};

/// A doubt. The variant is the identity; [`Warning::message`] and [`Warning::action`] are its words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum Warning {
    /// Everything downstream was simulated.
    Simulated,
    /// One judge: agreement cannot be measured.
    OneJudge {
        /// The judge.
        judge: String,
    },
    /// Two judges: unanimity is pairwise agreement (METHODS 64).
    TwoJudges,
    /// Cells that some judge of the panel did not label: attrition leaves them out (METHODS 75).
    IncompletePanels {
        /// Cells with a label of every judge.
        complete: usize,
        /// Cells.
        of: usize,
    },
    /// Even splits settled as fails (METHODS 67).
    Ties {
        /// Cells with a tie.
        ties: usize,
        /// Cells with two or more judges.
        of: usize,
    },
    /// Judgements that carry no label.
    VerdictsWithoutLabel {
        /// How many.
        count: usize,
        /// Of how many.
        of: usize,
    },
    /// Labels off their criterion's scale, taken as unparsable.
    OffScale {
        /// How many.
        count: usize,
        /// The first of them, as written.
        example: String,
    },
    /// Systems judged on different items.
    UnevenCoverage {
        /// The system with least.
        system: String,
        /// Its share of the cells.
        coverage: f64,
    },
    /// Fewer units than any criterion needs to reach the threshold.
    ThresholdOutOfReach {
        /// Criteria concerned.
        criteria: usize,
        /// Units needed.
        needed: u64,
        /// The threshold.
        threshold: f64,
    },
    /// A bank chosen without measurability, because no unit has two judges.
    ThresholdNotApplied {
        /// The threshold.
        threshold: f64,
    },
    /// Criteria of the table that the rubric does not have.
    NotInRubric {
        /// How many criteria.
        criteria: usize,
        /// Verdicts left out.
        verdicts: usize,
        /// The first of them.
        example: String,
    },
    /// Criteria of the rubric without any verdict.
    NeverJudged {
        /// How many.
        criteria: usize,
        /// The first of them.
        example: String,
    },
    /// The verdicts name another version of the rubric.
    OtherRubric {
        /// Hash in the table.
        verdicts: String,
        /// Hash of the rubric given.
        rubric: String,
        /// Rows concerned.
        rows: usize,
    },
    /// Verdicts of a ledger that were given to an earlier wording of their criterion (DESIGN 5).
    StaleVerdicts {
        /// Cells without a verdict for that reason, by criterion.
        cells: std::collections::BTreeMap<String, u64>,
    },
    /// Verdicts of rounds of grading in which a sheet is not locked yet (METHODS 27).
    OpenRounds {
        /// How many.
        verdicts: u64,
    },
    /// The verdicts of one table were made under several versions of the rubric.
    SeveralRubrics {
        /// Versions met.
        versions: usize,
    },
    /// Gold labels that belong to no cell of the panel.
    GoldUnmatched {
        /// Gold labels without a cell.
        unmatched: usize,
        /// Gold labels.
        of: usize,
    },
    /// Items every system passes or fails: they carry no information.
    ConstantItems {
        /// How many.
        count: usize,
        /// Of how many.
        of: usize,
    },
    /// Items that run against the rest (METHODS 83).
    ScreenedItems {
        /// How many.
        count: usize,
        /// The first of them.
        example: String,
        /// Its query.
        query: String,
    },
    /// Few systems: slopes are not interpretable (METHODS 89).
    FewSystems {
        /// How many.
        systems: usize,
    },
    /// A fit stopped before its gradient was small.
    NotConverged {
        /// The model.
        model: String,
        /// Largest derivative left.
        gradient: f64,
        /// The tolerance.
        tolerance: f64,
    },
    /// Refits of a bootstrap that stopped before their gradient was small.
    UnconvergedReplicates {
        /// How many.
        count: usize,
        /// Of how many.
        of: usize,
    },
    /// Systems that no chain of shared items connects.
    UnlinkedSystems {
        /// Groups of connected systems.
        groups: usize,
        /// A system.
        system: String,
        /// One of another group.
        other: String,
    },
    /// Posterior mass at the ends of the grid (METHODS 82).
    EdgeMass {
        /// The system with most.
        system: String,
        /// Its mass in the outer two nodes.
        mass: f64,
        /// Systems with more than 1 %.
        systems: usize,
    },
    /// Posteriors narrower than the grid can show (METHODS 82).
    NarrowPosteriors {
        /// Systems concerned.
        systems: usize,
        /// The smallest standard deviation.
        smallest: f64,
        /// Distance between nodes.
        spacing: f64,
    },
    /// Standard errors of the items could not be computed.
    NoItemErrors {
        /// Why.
        why: String,
    },
    /// Too few clusters for a bootstrap of queries.
    FewClusters {
        /// Clusters there are.
        clusters: usize,
        /// Clusters needed.
        needed: usize,
    },
    /// An interval whose coverage is known from a first simulation only.
    SimulatedCoverage {
        /// The method.
        method: String,
        /// Least share of contrasts held on the boards simulated.
        low: f64,
        /// Largest share.
        high: f64,
    },
    /// The plain form of the source is known to be too narrow (METHODS 102).
    SourceInterval {
        /// Least share of contrasts held on the boards simulated.
        low: f64,
        /// Largest share.
        high: f64,
    },
    /// No item may go into the bank.
    EmptyBank {
        /// Fitted items that reach the threshold.
        measurable: usize,
        /// Fitted items.
        items: usize,
        /// The threshold, where one could be applied.
        threshold: Option<f64>,
    },
    /// The bank leaves out queries of the pool.
    ThinBank {
        /// Queries with a criterion in the bank.
        queries: usize,
        /// Queries of the pool.
        of: usize,
    },
    /// No item is both unanimous everywhere and not constant.
    EmptyHardSet,
    /// Scores below zero before the mean was clipped.
    ClippedScores {
        /// Systems concerned.
        systems: usize,
    },
    /// One criterion carries most of the weight (METHODS 25).
    ConcentratedWeights {
        /// Effective number of criteria.
        effective: f64,
        /// Criteria.
        criteria: usize,
    },
    /// A division that divides nothing.
    OneBlock {
        /// What the run is divided by.
        by: String,
        /// The only block.
        block: String,
    },
    /// Items that no value puts into a block.
    ItemsWithoutBlock {
        /// What the run is divided by.
        by: String,
        /// How many.
        items: usize,
        /// Of how many.
        of: usize,
    },
    /// Items that are in several blocks.
    OverlappingBlocks {
        /// How many.
        items: usize,
        /// Of how many.
        of: usize,
    },
    /// Blocks for which a step has no meaning.
    StoppedBlocks {
        /// How many.
        blocks: usize,
        /// Of how many.
        of: usize,
        /// The first of them.
        block: String,
        /// The step.
        step: String,
        /// Why.
        why: String,
    },
    /// Rounds on scales with other numbers of levels (METHODS 34).
    ScaleChanged {
        /// Numbers of levels of the earlier round, in words.
        earlier: String,
        /// Those of this round.
        later: String,
    },
    /// Rounds whose whole answers have other criteria.
    CriteriaChanged {
        /// Criteria of the earlier round.
        earlier: usize,
        /// Criteria of this round.
        later: usize,
    },
    /// Too little agreement on whole answers after a second round (METHODS 33).
    LooksLikeTaste {
        /// Raw agreement on whole answers.
        agreement: f64,
        /// The criteria of least agreement beyond chance, least first.
        criteria: Vec<String>,
    },
    /// Criteria on which every judge gives one label throughout (METHODS 38).
    OneLabelOnly {
        /// How many.
        criteria: usize,
        /// The first of them.
        example: String,
    },
    /// Binary criteria on which so few labels are of the rarer kind that intervals beyond chance are too narrow (METHODS 42).
    RareLabels {
        /// How many.
        criteria: usize,
        /// The first of them.
        example: String,
    },
    /// A doubt of another version of the program; its words stand beside it in the artifact.
    #[serde(other)]
    Unknown,
}

impl Warning {
    /// The doubt in one sentence.
    pub fn message(&self) -> String {
        match self {
            Self::Simulated => "the verdicts behind these numbers are simulated, not judged".into(),
            Self::OneJudge { judge } => format!(
                "`{judge:.60}` is the only judge: agreement, and so measurability, cannot be measured from these verdicts"
            ),
            Self::TwoJudges => {
                "with two judges unanimity is pairwise agreement: there is no independent rubric-level signal".into()
            }
            Self::IncompletePanels { complete, of } => {
                format!(
                    "cells with a label of every judge: {complete} of {of}; attrition of unanimity is over those alone, and they may be special"
                )
            }
            Self::Ties { ties, of } => {
                format!("tied cells: {ties} of {of} with two or more judges; a tie takes the worse outcome")
            }
            Self::VerdictsWithoutLabel { count, of } => {
                format!("verdicts without a label: {count} of {of}; they count neither as met nor as not met")
            }
            Self::OffScale { count, example } => {
                format!(
                    "labels off their criterion's scale: {count} (first: `{example:.60}`); they count as unparsable"
                )
            }
            Self::UnevenCoverage { system, coverage } => {
                format!(
                    "systems lack labels on some of the cells asked for; `{system:.60}` has only {:.1} % of them",
                    100.0 * coverage
                )
            }
            Self::ThresholdOutOfReach {
                criteria,
                needed,
                threshold,
            } => {
                format!(
                    "criteria with too few units of two judges to reach {threshold} even if all agree: {criteria} (needed: {needed})"
                )
            }
            Self::ThresholdNotApplied { threshold } => format!(
                "no unit has two judges, so the threshold {threshold} was not applied: the bank is informative, and nobody knows whether it is measurable"
            ),
            Self::NotInRubric {
                criteria,
                verdicts,
                example,
            } => {
                format!(
                    "criteria of the table that the rubric does not have: {criteria} (first: `{example:.60}`); verdicts left out: {verdicts}"
                )
            }
            Self::NeverJudged { criteria, example } => {
                format!("criteria of the rubric without a verdict: {criteria} (first: `{example:.60}`)")
            }
            Self::OtherRubric { verdicts, rubric, rows } => {
                format!(
                    "verdicts made under another rubric: {rows} (theirs {}, the one given {})",
                    short(verdicts),
                    short(rubric)
                )
            }
            Self::StaleVerdicts { cells } => {
                let first = cells
                    .iter()
                    .take(5)
                    .map(|(criterion, cells)| format!("{cells} of `{criterion:.60}`"));
                format!(
                    "verdicts given to an earlier wording of their criterion: {} ({}{}); they are left out",
                    cells.values().sum::<u64>(),
                    first.collect::<Vec<_>>().join(", "),
                    if cells.len() > 5 { " and more" } else { "" }
                )
            }
            Self::OpenRounds { verdicts } => {
                format!("verdicts of rounds in which a sheet is not locked: {verdicts}; they are left out")
            }
            Self::SeveralRubrics { versions } => {
                format!("the verdicts were made under {versions} versions of the rubric")
            }
            Self::GoldUnmatched { unmatched, of } => {
                format!("gold labels that belong to no cell the panel labelled: {unmatched} of {of}; they are not used")
            }
            Self::ConstantItems { count, of } => {
                format!("items passed or failed by every system: {count} of {of}; they tell systems apart in nothing")
            }
            Self::ScreenedItems { count, example, query } => format!(
                "items that run against the rest or do not follow it: {count} (item-rest correlation at or below 0; first: `{example:.60}` of query `{query:.60}`); they stay out of the bank"
            ),
            Self::FewSystems { systems } => format!(
                "with {systems} systems 1PL wins by AIC and BIC almost surely even when slopes differ, so that choice says that the systems are few, not that slopes are equal; the gains are difficulty targeting and coverage, and single slopes are not interpretable"
            ),
            Self::NotConverged {
                model,
                gradient,
                tolerance,
            } => format!(
                "the {model} fit stopped with gradient {gradient:.1e}, above {tolerance:.0e}: its numbers are not the maximum"
            ),
            Self::UnconvergedReplicates { count, of } => {
                format!(
                    "bootstrap refits that stopped before they converged: {count} of {of}; the intervals contain them as they are"
                )
            }
            Self::EdgeMass { system, mass, systems } => format!(
                "more than 1 % of the posterior is at the ends of the ability grid for {systems} of the systems (most: `{system:.60}`, {:.1} %): such abilities are cut short",
                100.0 * mass
            ),
            Self::UnlinkedSystems { groups, system, other } => format!(
                "the systems fall into {groups} groups that share no item (`{system:.60}` and `{other:.60}` are of different ones): nothing puts the abilities of different groups on one scale, and no tiers are cut"
            ),
            Self::NarrowPosteriors {
                systems,
                smallest,
                spacing,
            } => {
                format!(
                    "posteriors narrower than the grid can show: {systems} (smallest SD {smallest:.4}, nodes {spacing} apart); abilities snap to nodes, errors reach about a third of the spacing and standard errors are too small, intervals and tiers with them"
                )
            }
            Self::NoItemErrors { why } => format!("item parameters have no standard errors: {why}"),
            Self::FewClusters { clusters, needed } => {
                format!("clusters of queries: {clusters}, fewer than the {needed} that a bootstrap of queries needs")
            }
            Self::SimulatedCoverage { method, low, high } => format!(
                "ability intervals by {method} are meant to hold 95 % of differences between systems; on the simulated boards of docs/validation.md they held {:.0} to {:.0} %",
                100.0 * low,
                100.0 * high
            ),
            Self::SourceInterval { low, high } => format!(
                "intervals by resampling items within a query, item parameters fixed, are too narrow: on simulated boards they held {:.0} to {:.0} % of differences between systems at a nominal 95 %",
                100.0 * low,
                100.0 * high
            ),
            Self::EmptyBank {
                measurable,
                items,
                threshold,
            } => {
                let against = "none of those tells systems apart in the direction of the rest";
                match threshold {
                    None => format!("the bank is empty: of the {items} items that vary, {against}"),
                    Some(threshold) if *measurable == 0 => format!(
                        "the bank is empty: none of the {items} items that vary reaches a measurability of {threshold}"
                    ),
                    Some(threshold) => format!(
                        "the bank is empty: {measurable} of the {items} items that vary reach a measurability of {threshold}, and {against}"
                    ),
                }
            }
            Self::ThinBank { queries, of } => {
                format!("the bank touches {queries} of {of} queries: scores over it say nothing about the others")
            }
            Self::EmptyHardSet => {
                "no item is unanimous on every system and also tells systems apart: the consensus bank is undefined"
                    .into()
            }
            Self::ClippedScores { systems } => {
                format!("systems whose mean the penalties bring below 0, where it is cut off: {systems}")
            }
            Self::ConcentratedWeights { effective, criteria } => {
                format!("the weights make {criteria} criteria work like {effective:.1}: a few of them decide the score")
            }
            Self::OneBlock { by, block } => {
                format!("all items are in one block, {by} `{block:.60}`: it is the whole run over again")
            }
            Self::ItemsWithoutBlock { by, items, of } => {
                format!("items without a {by}: {items} of {of}; they are a block of their own, `(none)`")
            }
            Self::OverlappingBlocks { items, of } => {
                format!(
                    "items in more than one block: {items} of {of}; blocks by tag overlap, and their results are not independent"
                )
            }
            Self::StoppedBlocks {
                blocks,
                of,
                block,
                step,
                why,
            } => format!(
                "blocks for which a step has no meaning: {blocks} of {of} (first: `{block:.60}` has no {step}: {why})"
            ),
            Self::ScaleChanged { earlier, later } => format!(
                "the rounds use scales with other numbers of levels ({earlier} before, {later} now): chance alone agrees on a fifth of five equal levels and on half of two, so no gain in raw agreement is stated"
            ),
            Self::CriteriaChanged { earlier, later } => format!(
                "whole answers have other criteria than in the earlier round ({earlier} before, {later} now): raw agreement on whole answers is not compared"
            ),
            Self::LooksLikeTaste { agreement, criteria } => format!(
                "judges agree on {:.1} % of whole answers after a second round, below 85 %: these criteria agree least beyond chance and look like taste: {}",
                100.0 * agreement,
                named(criteria)
            ),
            Self::OneLabelOnly { criteria, example } => format!(
                "criteria on which one label is all that occurs: {criteria} (first: `{example:.60}`); agreement there is complete and says nothing, and kappa is undefined"
            ),
            Self::RareLabels { criteria, example } => format!(
                "criteria with fewer than 4 responses of the rarer label: {criteria} (first: `{example:.60}`); intervals of kappa, pi and alpha are too narrow there: of simulated panels with 2 such responses in 20 they held 74 to 90 % instead of 95 %"
            ),
            Self::Unknown => "another version of the program had a doubt that this one does not know".into(),
        }
    }

    /// What to do next.
    pub fn action(&self) -> &'static str {
        match self {
            Self::Simulated => "use it to learn the tool; run your own verdicts for a result",
            Self::OneJudge { .. } => {
                "add two judges that did not see each other's labels, or treat every criterion as unmeasured"
            }
            Self::TwoJudges => "add a third judge of another family",
            Self::IncompletePanels { .. } => {
                "name the judges that labelled everything with --judges, or have the others label the rest"
            }
            Self::Ties { .. } => "add a judge, so that the panel is odd",
            Self::VerdictsWithoutLabel { .. } => "look at their status and judge those cells again",
            Self::OffScale { .. } => "declare the scale in the rubric or with --scale, and judge those cells again",
            Self::UnevenCoverage { .. } => {
                "judge the missing cells, or compare systems by ability, which allows for them"
            }
            Self::ThresholdOutOfReach { .. } => {
                "judge more systems, pool over queries (--pool criterion), or lower --threshold"
            }
            Self::ThresholdNotApplied { .. } => "have at least two more judges label some systems, and calibrate again",
            Self::NotInRubric { .. } => "give the rubric the verdicts were made with",
            Self::NeverJudged { .. } => "judge them, or take them out of the rubric",
            Self::OtherRubric { .. } => {
                "if only weights, owners, tags or the roll-up changed, go on; if a question, example or boundary changed, judge those criteria again"
            }
            Self::StaleVerdicts { .. } => "have these criteria judged again as they are worded now",
            Self::OpenRounds { .. } => "let every grader finish; `calibrant grade status` says who is missing",
            Self::SeveralRubrics { .. } => {
                "give the rubric with --rubric to see which verdicts are of another version, or keep the newest"
            }
            Self::GoldUnmatched { .. } => "check that gold uses the same system, query, sample and criterion ids",
            Self::ConstantItems { .. } => "write harder or easier criteria there; the fit leaves these out",
            Self::ScreenedItems { .. } => {
                "read these criteria: a reversed wording or a careless judge is the usual cause"
            }
            Self::FewSystems { .. } => {
                "use 2PL for ranking and for the bank, and do not read meaning into one item's slope"
            }
            Self::NotConverged { .. } => {
                "report this with the table: a fit that does not reach the maximum is a bug or a degenerate table"
            }
            Self::UnconvergedReplicates { .. } => "read the ability intervals as a rough guide",
            Self::EdgeMass { .. } => "add harder or easier criteria for these systems; report their ability as a bound",
            Self::UnlinkedSystems { .. } => "judge some queries for systems of every group, or run each group alone",
            Self::NarrowPosteriors { .. } => {
                "take abilities as good to a node, not finer, and hold them against the scores; a fit of a part of the pool is finer"
            }
            Self::NoItemErrors { .. } => "drop items with very few labels and fit again",
            Self::FewClusters { .. } => "judge answers to more queries; until then read the score without an interval",
            Self::SimulatedCoverage { .. } => {
                "read the interval as a rough guide, and differences inside a tier as none"
            }
            Self::SourceInterval { .. } => {
                "use the default interval; this one is for comparison with published figures"
            }
            Self::EmptyBank { .. } => {
                "read the sweep of thresholds: sharpen the criteria on which judges differ, or lower --threshold and say so"
            }
            Self::ThinBank { .. } => "raise --budget if systems are to be compared on every query",
            Self::EmptyHardSet => "use --method greedy",
            Self::ClippedScores { .. } => "read the single responses in responses.csv, which are not clipped",
            Self::OneBlock { .. } => "leave out --by, or give the other queries their value",
            Self::ItemsWithoutBlock { .. } => {
                "give these queries a value in the queries file or the table, or read `(none)` as a mixture"
            }
            Self::OverlappingBlocks { .. } => "compare a block with the whole, and not two blocks that share items",
            Self::StoppedBlocks { .. } => "read in blocks.json what each of them lacks; the other blocks are complete",
            Self::ScaleChanged { .. } => "compare the figures beyond chance, which stand beside it for both rounds",
            Self::CriteriaChanged { .. } => "compare the rounds criterion by criterion, by the figures beyond chance",
            Self::LooksLikeTaste { .. } => {
                "delete them, or rule on what the judges split over if a rule can be found: no wording makes taste reproducible"
            }
            Self::OneLabelOnly { .. } => "add responses on which the outcome differs, such as known failures",
            Self::RareLabels { .. } => {
                "add responses on which the rarer label is known, and read raw agreement, AC1 and the label shares until then"
            }
            Self::Unknown => "make the artifact again with this version",
            Self::ConcentratedWeights { .. } => "make the decisive criterion a gate and even out the other weights",
        }
    }
}

/// The first few names of a list, each cut where it is long.
fn named(names: &[String]) -> String {
    const MOST: usize = 5;
    let mut words: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name:.60}`")).collect();
    if names.len() > MOST {
        words.push(format!("and {} more", names.len() - MOST));
    }
    words.join(", ")
}

/// The opening of a hash, enough to compare by eye.
fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// A warning as artifacts store it: its fields, and its words for readers of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
pub struct Noted {
    /// The doubt.
    #[serde(flatten)]
    pub warning: Warning,
    /// [`Warning::message`].
    pub message: String,
    /// [`Warning::action`].
    pub action: String,
}

impl From<Warning> for Noted {
    fn from(warning: Warning) -> Self {
        Self {
            message: warning.message(),
            action: warning.action().to_owned(),
            warning,
        }
    }
}

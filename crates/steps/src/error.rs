//! Why a step cannot be done on these inputs.

use calibrant_schema::Undefined;
use calibrant_schema::blocks::By;
use calibrant_schema::diagnostic::{Diagnostic, Severity};

/// A refusal: the inputs are readable, but the step has no meaning for them.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// No judgement carries a label.
    #[error("no verdict carries a label")]
    NoLabels,
    /// A leaderboard of one.
    #[error("all labels are of one system, `{system}`")]
    OneSystem {
        /// The system.
        system: String,
    },
    /// Every item is constant.
    #[error("every item is passed by all systems or failed by all ({items} items): nothing tells the systems apart")]
    NothingVaries {
        /// Items with labels.
        items: usize,
    },
    /// Gold that speaks of no cell.
    #[error("of {gold} gold labels none belongs to a cell that the panel labelled")]
    GoldMatchesNothing {
        /// Gold labels with a label.
        gold: usize,
    },
    /// More samples than a count holds.
    #[error("system `{system}` has more than 65,535 samples of query `{query}`")]
    TooManySamples {
        /// The system.
        system: String,
        /// The query.
        query: String,
    },
    /// A bank without criteria.
    #[error("the bank is empty, so there is nothing to score on")]
    GivenBankEmpty,
    /// Query weights that leave no query.
    #[error("every query with a verdict has the weight 0")]
    NoQueryWeight,
    /// A block of criteria that are shown but never scored.
    #[error("every criterion of the block is only monitored, so nothing of it is scored")]
    BlockOnlyMonitored,
    /// A block of penalties and weights of 0.
    #[error("no criterion of the block has a weight above 0, so no score is defined")]
    BlockWithoutWeight,
    /// Descriptions of other queries.
    #[error("none of the {described} queries described is in the table (first: `{first}`)")]
    OtherQueries {
        /// Queries described.
        described: usize,
        /// The first of them.
        first: String,
    },
    /// The consensus rule orders nothing, so it cannot be cut.
    #[error("the consensus bank is a set without an order, so a budget cannot cut it")]
    ConsensusBudget,
    /// No criterion of the table is in the rubric.
    #[error("no criterion of the table is in the rubric (the table has `{table}`, the rubric has `{rubric}`)")]
    NothingInCommon {
        /// A criterion of the table.
        table: String,
        /// A criterion of the rubric.
        rubric: String,
    },
    /// No item of the bank has a label.
    #[error("no item of the bank has a label in the table (the bank asks `{criterion}` of query `{query}` first)")]
    BankNotJudged {
        /// First criterion of the bank.
        criterion: String,
        /// Its query.
        query: String,
    },
    /// A fit of other labels.
    #[error("the fit is of other labels: its systems or items are not those that vary in this table")]
    OtherTable,
    /// Nothing says which block an item belongs to.
    #[error("no item of the table has a {}, so there is nothing to divide by", .by.name())]
    NoBlocks {
        /// What was to be divided by.
        by: By,
    },
    /// Two sources put a query into two blocks.
    #[error("query `{query}` has the {by} `{described}` in the queries file and `{table}` in the table")]
    TwoBlockValues {
        /// What the run is divided by.
        by: &'static str,
        /// The query.
        query: String,
        /// Its value in the queries file.
        described: String,
        /// Its value in the table.
        table: String,
    },
    /// One judge, without repeats and without trusted labels.
    #[error(
        "`{judge}` is the only judge, said nothing twice, and there are no trusted labels: there is nothing to compare"
    )]
    NobodyToCompare {
        /// The judge.
        judge: String,
    },
    /// A table in which code decides every criterion.
    #[error("code decides every criterion of the table, and what code decides no judges agree on")]
    AllDecidedByCode,
    /// Judges that never labelled the same.
    #[error(
        "no unit has labels of two judges: `{first}` and `{second}`, of {judges} judges, have no labelled response in common"
    )]
    NoCommonUnit {
        /// How many judges there are.
        judges: usize,
        /// The first.
        first: String,
        /// The second.
        second: String,
    },
    /// An earlier round in which nothing can be compared.
    #[error("the earlier round cannot be compared with: {why}")]
    EarlierRound {
        /// Why.
        why: Box<StepError>,
    },
    /// A comparison of rules with nothing to compare.
    #[error("a comparison of roll-up rules needs two rules")]
    OneRule,
    /// The weighted score as a rule.
    #[error("the weighted score stands for itself: it passes and fails nothing")]
    RuleWithoutOutcome,
    /// A rule that demands a criterion nobody knows.
    #[error("the rule demands the criterion `{criterion}`, which is not there")]
    UnknownMandatory {
        /// The criterion.
        criterion: String,
    },
    /// An option outside its range.
    #[error("{option} is {value}, and must be {range}")]
    Option {
        /// The option.
        option: &'static str,
        /// The value given.
        value: String,
        /// What it must be.
        range: &'static str,
    },
    /// A kernel refused its arguments.
    #[error("{0}")]
    Statistics(String),
}

impl StepError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NoLabels => "look at the status column: every judgement failed, was refused or does not apply",
            Self::OneSystem { .. } => {
                "abilities, tiers and banks compare systems: add the verdicts of at least one more system (calibrate works on one)"
            }
            Self::NothingVaries { .. } => "add systems that differ, or criteria that are harder or easier",
            Self::GoldMatchesNothing { .. } => {
                "check the system, query, sample and criterion ids of the gold, and that its labels are on the scale"
            }
            Self::TooManySamples { .. } => "take a part of the samples",
            Self::GivenBankEmpty => {
                "assemble a bank with criteria first; the warnings of `assemble` say what stood in the way"
            }
            Self::NoQueryWeight => "give one of them a weight above 0 in the queries file",
            Self::BlockOnlyMonitored => "remove `monitor: true` from a criterion of the block that counts",
            Self::BlockWithoutWeight => "give a criterion of the block a weight above 0",
            Self::OtherQueries { .. } => "check the query ids, or leave out --queries",
            Self::ConsensusBudget => "leave out --budget, or use --method greedy",
            Self::NothingInCommon { .. } => {
                "give the rubric the verdicts were made with, or map the column: --columns criterion=NAME"
            }
            Self::BankNotJudged { .. } => {
                "judge the systems on the bank's criteria, with the same criterion and query ids"
            }
            Self::OtherTable => "fit again from this table, or give the table the fit was made from",
            Self::NoBlocks { by: By::Tag } => {
                "give criteria of the rubric or queries of the queries file their `tags`, or leave out --by"
            }
            Self::NoBlocks { by: By::Domain } => {
                "name it in the queries file (--queries), or in a column `domain` of the table (--columns domain=NAME)"
            }
            Self::NoBlocks { by: By::TaskType } => {
                "name it in the queries file (--queries), or in a column `task_type` of the table (--columns task_type=NAME)"
            }
            Self::TwoBlockValues { .. } => "correct one of the two, or leave the value out of one of them",
            Self::NobodyToCompare { .. } => {
                "add the sheet of a second judge, repeats of this one, or trusted labels with --gold"
            }
            Self::AllDecidedByCode => "give the verdicts of people or models on criteria without `check:`",
            Self::NoCommonUnit { .. } => {
                "check that both use the same system, query, sample and criterion ids, and that labels are on the scale"
            }
            Self::EarlierRound { .. } => {
                "give the tables of the earlier round, with all its judges, as --earlier FILE.."
            }
            Self::OneRule => "give --rule twice, or once beside a rubric with a roll_up: --rule all --rule at_least:2",
            Self::RuleWithoutOutcome => "compare rules with an outcome: all, at_least:NUMBER or mandatory:ID,ID",
            Self::UnknownMandatory { .. } => "name criteria by the ids of the rubric and the table",
            Self::Option { .. } => "change the option",
            Self::Statistics(_) => "check the table; if it is as it should be, report this message with it",
        }
    }

    /// The refusal as a reason that an artifact can hold, for a part of a run that goes on without it.
    pub fn reason(&self) -> Undefined {
        let reason = match self {
            Self::NoLabels => "no_labels",
            Self::OneSystem { .. } => "one_system",
            Self::NothingVaries { .. } => "nothing_varies",
            Self::GoldMatchesNothing { .. } => "gold_matches_nothing",
            Self::TooManySamples { .. } => "too_many_samples",
            Self::GivenBankEmpty => "given_bank_empty",
            Self::NoQueryWeight => "no_query_weight",
            Self::BlockOnlyMonitored => "only_monitored",
            Self::BlockWithoutWeight => "no_positive_weight",
            Self::OtherQueries { .. } => "other_queries",
            Self::ConsensusBudget => "consensus_budget",
            Self::NothingInCommon { .. } => "nothing_in_common",
            Self::BankNotJudged { .. } => "bank_not_judged",
            Self::OtherTable => "other_table",
            Self::NoBlocks { .. } => "no_blocks",
            Self::TwoBlockValues { .. } => "two_block_values",
            Self::NobodyToCompare { .. } => "nobody_to_compare",
            Self::AllDecidedByCode => "all_decided_by_code",
            Self::NoCommonUnit { .. } => "no_common_unit",
            Self::EarlierRound { .. } => "earlier_round",
            Self::OneRule => "one_rule",
            Self::RuleWithoutOutcome => "rule_without_outcome",
            Self::UnknownMandatory { .. } => "unknown_mandatory",
            Self::Option { .. } => "option",
            Self::Statistics(_) => "statistics",
        };
        Undefined::new(reason, self.to_string())
    }

    /// The one shape every message has.
    pub fn diagnostic(&self) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            id: "refused",
            what: self.to_string(),
            span: None,
            label: None,
            help: self.help().to_owned(),
        }
    }
}

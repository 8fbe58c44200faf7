//! `score`: labels to scores, abilities, intervals and tiers; and every response with its outcome.

mod intervals;
mod pool;

use std::collections::BTreeMap;

use calibrant_schema::artifact::{Artifact, Header};
use calibrant_schema::bank::Method;
use calibrant_schema::scores::{IntervalKind, IntervalRow, Intervals, Outcome, ResponseRow, RollUpRow, SystemScore};
use calibrant_schema::undefined::parts;
use calibrant_schema::{Bank, Fit, Labels, Scores, Undefined, Warning};
use calibrant_stats::irt::{self, Items};
use calibrant_stats::resample::LEVEL;
use calibrant_stats::score::{self as kernel, k_eff};
pub use calibrant_stats::tiers::TierRule;

use crate::calibrate::statistics;
use crate::error::StepError;
use crate::grid::{abilities, grid_of};
use crate::join::RubricJoin;
use crate::observe::responses;
use crate::plan::{QueryFacts, Scored, Scorer, Weights, rule_words};
use crate::reason::{defined, reason};

/// Effective number of criteria, as a share of all, below which weights are called concentrated (METHODS 25).
const CONCENTRATED: f64 = 0.5;

/// More replicates than this change no digit that is printed, and would run for hours.
const MOST_REPLICATES: u32 = 100_000;

/// How ability intervals are made (METHODS 102).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum IntervalMethod {
    /// Clusters when there are at least ten, else the posterior with its delta term.
    #[default]
    Auto,
    /// Bootstrap of query clusters to first order, aligned.
    Cluster,
    /// Bootstrap of query clusters, with warm refit and alignment.
    ClusterRefit,
    /// The posterior and, by the delta method, what item parameters add to it, aligned.
    Delta,
    /// Parametric bootstrap, with refit and alignment.
    Parametric,
    /// The source's plain form: items within a query, parameters fixed.
    Source,
}

impl IntervalMethod {
    /// The word in flags and files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cluster => "cluster",
            Self::ClusterRefit => "cluster-refit",
            Self::Delta => "delta",
            Self::Parametric => "parametric",
            Self::Source => "source",
        }
    }
}

/// Options of [`score`].
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreOptions {
    /// How ability intervals are made.
    pub interval: IntervalMethod,
    /// Replicates of every bootstrap: 1,000, enough for percentiles of which 16 lie beyond each end; 300 in `[CR26]`.
    pub replicates: u32,
    /// Seed of the streams.
    pub seed: u64,
    /// How tiers are cut.
    pub tiers: TierRule,
    /// The kernel's options for refits.
    pub kernel: irt::FitOptions,
}

impl Default for ScoreOptions {
    fn default() -> Self {
        Self {
            interval: IntervalMethod::default(),
            replicates: 1000,
            seed: 0,
            tiers: TierRule::default(),
            kernel: irt::FitOptions::default(),
        }
    }
}

/// What [`score`] reads.
#[derive(Clone, Copy, Debug)]
pub struct ScoreInputs<'a> {
    /// The labels.
    pub labels: &'a Labels,
    /// The rubric's entries.
    pub join: &'a RubricJoin<'a>,
    /// The fit of these labels; `None` for new systems on a bank.
    pub fit: Option<&'a Fit>,
    /// The bank.
    pub bank: Option<&'a Bank>,
    /// Weights and clusters of the queries.
    pub facts: &'a QueryFacts,
}

/// Scores systems over the pool and over the bank.
///
/// Without a fit the labels are of new systems on a bank: only the bank's columns are filled.
///
/// # Errors
/// If the labels and the fit are not of the same table, or none of the bank's items has a label.
///
/// Source: `[CR26]` eq. 1; METHODS 46-49, 100-104, 116.
pub fn score(
    inputs: ScoreInputs<'_>,
    header: Header,
    options: &ScoreOptions,
) -> Result<(Scores, Vec<ResponseRow>), StepError> {
    if !(20..=MOST_REPLICATES).contains(&options.replicates) {
        return Err(StepError::Option {
            option: "replicates",
            value: options.replicates.to_string(),
            range: "from 20 to 100,000",
        });
    }
    let mut header = Header {
        format: Scores::FORMAT.to_owned(),
        seed: options.seed,
        ..header
    };
    for (key, value) in [
        ("interval", options.interval.word().to_owned()),
        ("replicates", options.replicates.to_string()),
        ("tiers", tier_word(options.tiers).to_owned()),
    ] {
        header.settings.insert(key.to_owned(), value);
    }
    match inputs.fit {
        Some(fit) => pool::score_pool(inputs, fit, header, options),
        None => score_new(inputs, header, options),
    }
}

pub(crate) fn tier_word(rule: TierRule) -> &'static str {
    match rule {
        TierRule::Adjacent => "adjacent",
        TierRule::Anchored => "anchored",
    }
}

/// Scores of every system over some items.
struct Column {
    responses: Vec<Scored>,
    scorer: Scorer,
    query_scores: Vec<Option<f64>>,
    scores: Vec<Result<f64, Undefined>>,
}

impl Column {
    fn new(inputs: ScoreInputs<'_>, items: Vec<usize>, weights: Weights<'_>) -> Result<Self, StepError> {
        let ScoreInputs {
            labels, join, facts, ..
        } = inputs;
        let scorer = Scorer::new(labels, items, weights, facts, join)?;
        let responses = scorer.responses(labels);
        let query_scores = scorer.query_scores(labels, &responses);
        let queries = labels.queries.len();
        let scores = (0..labels.systems.len())
            .map(|system| {
                let of_system = &query_scores[system * queries..(system + 1) * queries];
                defined(scorer.plan().system(of_system).score)
            })
            .collect();
        Ok(Self {
            responses,
            scorer,
            query_scores,
            scores,
        })
    }

    /// Whether the weighted mean over queries is below 0 before it is clipped.
    fn is_below_zero(&self, system: usize) -> bool {
        let omega = self.scorer.plan().query_weights();
        let of_system = &self.query_scores[system * omega.len()..(system + 1) * omega.len()];
        let weighted = of_system
            .iter()
            .zip(omega)
            .filter_map(|(score, weight)| Some(score.as_ref()? * weight));
        weighted.sum::<f64>() < 0.0
    }
}

/// The bank's items that the labels have, ascending, with the row of the bank each belongs to.
fn bank_items(labels: &Labels, bank: &Bank) -> Result<Vec<(usize, usize)>, StepError> {
    let mut found: Vec<(usize, usize)> = bank
        .criteria
        .iter()
        .enumerate()
        .filter_map(|(row, criterion)| Some((labels.find(&criterion.query, &criterion.criterion)?, row)))
        .collect();
    found.sort_unstable();
    match (found.is_empty(), bank.criteria.first()) {
        (true, Some(first)) => Err(StepError::BankNotJudged {
            criterion: first.criterion.clone(),
            query: first.query.clone(),
        }),
        _ => Ok(found),
    }
}

/// The bank's scores, if it holds anything: information as weight, uniform for the consensus rule.
fn bank_column(inputs: ScoreInputs<'_>, bank: &Bank) -> Result<Option<Column>, StepError> {
    let found = bank_items(inputs.labels, bank)?;
    if found.is_empty() {
        return Ok(None);
    }
    let weight = |row: usize| match bank.method {
        Method::Consensus => 1.0,
        Method::Greedy | Method::Plain => bank.criteria[row].information.unwrap_or(0.0),
    };
    let weights: Vec<f64> = found.iter().map(|(_, row)| weight(*row)).collect();
    let items = found.into_iter().map(|(item, _)| item).collect();
    Column::new(inputs, items, Weights::Item(&weights)).map(Some)
}

/// New systems on a bank: its score, and the ability under its item parameters.
fn score_new(
    inputs: ScoreInputs<'_>,
    mut header: Header,
    options: &ScoreOptions,
) -> Result<(Scores, Vec<ResponseRow>), StepError> {
    let ScoreInputs { labels, bank, .. } = inputs;
    let Some(bank) = bank else {
        return Err(StepError::Statistics("neither a fit nor a bank is given".to_owned()));
    };
    if bank.criteria.is_empty() {
        return Err(StepError::GivenBankEmpty);
    }
    let found = bank_items(labels, bank)?;
    let column = bank_column(inputs, bank)?;
    let abilities = new_abilities(inputs, bank, &found, options)?;
    let author = Column::new(inputs, found.iter().map(|(item, _)| *item).collect(), Weights::Author)?;
    let not_asked = Undefined::new(
        "bank_only",
        "only the bank was judged, so there is nothing over the whole pool",
    );
    let mut systems: Vec<SystemScore> = (0..labels.systems.len())
        .map(|system| {
            let mut row = empty_row(labels, system, &author);
            // Items of the bank that the table does not have at all are asked for too.
            row.coverage *= found.len() as f64 / bank.criteria.len() as f64;
            let (ability, why) = parts(abilities[system].clone());
            row.bank_score = column.as_ref().and_then(|column| column.scores[system].clone().ok());
            row.bank_ability = ability.as_ref().map(|ability| ability.mean);
            let half = |ability: &irt::Ability| intervals::NORMAL_QUANTILE * ability.standard_error;
            row.bank_ability_low = ability.as_ref().map(|ability| ability.mean - half(ability));
            row.bank_ability_high = ability.as_ref().map(|ability| ability.mean + half(ability));
            if let Some(why) = why {
                row.undefined.insert("bank_ability".to_owned(), why);
            }
            if let Some(Err(why)) = column.as_ref().map(|column| &column.scores[system]) {
                row.undefined.insert("bank_score".to_owned(), why.clone());
            }
            for field in [
                "score",
                "score_low",
                "information_score",
                "ability",
                "ability_low",
                "tier",
            ] {
                row.undefined.insert(field.to_owned(), not_asked.clone());
            }
            row
        })
        .collect();
    systems.sort_by(|left, right| {
        let by = |value: Option<f64>| value.unwrap_or(f64::NEG_INFINITY);
        by(right.bank_ability)
            .total_cmp(&by(left.bank_ability))
            .then(by(right.bank_score).total_cmp(&by(left.bank_score)))
            .then(left.system.cmp(&right.system))
    });
    if let Some(warning) = uneven_coverage(&systems) {
        header.warnings.push(warning.into());
    }
    let scores = Scores {
        header,
        interval: Intervals {
            score: no_interval("none", "score", not_asked.clone()),
            ability: IntervalRow {
                kind: IntervalKind::Posterior,
                method: "posterior with the bank's item parameters taken as known".to_owned(),
                target: "ability on the bank's scale, calibration error left out".to_owned(),
                level: LEVEL,
                replicates: 0,
                undefined: None,
            },
        },
        tier_rule: tier_word(options.tiers).to_owned(),
        pairs_separated: None,
        tiers_undefined: Some(not_asked),
        effective_criteria: None,
        roll_up: roll_up_row(inputs),
        systems,
    };
    let rows = response_rows(labels, &author);
    Ok((scores, rows))
}

/// The ability of each system on the bank's items, or why it has none.
fn new_abilities(
    inputs: ScoreInputs<'_>,
    bank: &Bank,
    found: &[(usize, usize)],
    options: &ScoreOptions,
) -> Result<Vec<Result<irt::Ability, Undefined>>, StepError> {
    let rows = || found.iter().map(|(_, row)| &bank.criteria[*row]);
    let a: Option<Vec<f64>> = rows().map(|row| row.discrimination).collect();
    let b: Option<Vec<f64>> = rows().map(|row| row.difficulty).collect();
    let (Some(discrimination), Some(difficulty)) = (a, b) else {
        return Ok(vec![Err(no_bank_ability()); inputs.labels.systems.len()]);
    };
    let items: Vec<usize> = found.iter().map(|(item, _)| *item).collect();
    let observed = responses(inputs.labels, inputs.join)?.select(&items);
    let parameters = Items {
        discrimination,
        difficulty,
    };
    let abilities = match &bank.grid {
        Some(grid) => abilities(&observed, &parameters, grid)?,
        None => irt::abilities(&observed, &parameters, &options.kernel.grid, None).map_err(statistics)?,
    };
    let seen = seen_on(&observed).into_iter();
    Ok(seen
        .zip(abilities)
        .map(|(seen, ability)| labelled(seen, ability))
        .collect())
}

/// Whether each system has a label on any of these items.
fn seen_on(responses: &irt::Responses) -> Vec<bool> {
    let mut seen = vec![false; responses.systems()];
    for item in 0..responses.items() {
        for (seen, trials) in seen.iter_mut().zip(responses.trials(item)) {
            *seen |= *trials > 0;
        }
    }
    seen
}

/// A value that only a label makes: without one an ability is the prior's, the same for every system.
fn labelled<T>(seen: bool, value: T) -> Result<T, Undefined> {
    match seen {
        true => Ok(value),
        false => Err(Undefined::new(
            "no_labels",
            "no label of this system on an item that tells systems apart",
        )),
    }
}

/// Why there is no ability over a bank that holds something.
fn no_bank_ability() -> Undefined {
    Undefined::new(
        "not_fitted",
        "the bank has items without parameters, or none that the fit used",
    )
}

/// Why there is nothing over the bank.
fn no_bank(bank: Option<&Bank>) -> Undefined {
    match bank {
        None => Undefined::new("no_bank", "no bank was assembled"),
        Some(_) => Undefined::new("empty_bank", "the bank is empty"),
    }
}

/// A system whose share of cells is below this is named in a warning.
const FULL_COVERAGE: f64 = 0.9995;

/// The system that was judged on the smallest share of the cells, if any lacks some.
fn uneven_coverage(rows: &[SystemScore]) -> Option<Warning> {
    let least = rows
        .iter()
        .min_by(|left, right| left.coverage.total_cmp(&right.coverage))?;
    (least.coverage < FULL_COVERAGE).then(|| Warning::UnevenCoverage {
        system: least.system.clone(),
        coverage: least.coverage,
    })
}

fn no_interval(method: &str, target: &str, why: Undefined) -> IntervalRow {
    IntervalRow {
        kind: IntervalKind::None,
        method: method.to_owned(),
        target: target.to_owned(),
        level: LEVEL,
        replicates: 0,
        undefined: Some(why),
    }
}

/// A row with what the author's plan says of a system: coverage, pass rates and gates.
fn empty_row(labels: &Labels, system: usize, author: &Column) -> SystemScore {
    let of_system: Vec<&Scored> = author
        .responses
        .iter()
        .filter(|response| response.system as usize == system)
        .collect();
    let rate = |outcome: fn(&kernel::ResponseScore) -> kernel::Outcome| {
        let count = |wanted| {
            of_system
                .iter()
                .filter(|response| outcome(&response.score) == wanted)
                .count()
        };
        let (passed, failed) = (count(kernel::Outcome::Pass), count(kernel::Outcome::Fail));
        (passed + failed > 0).then(|| passed as f64 / (passed + failed) as f64)
    };
    let (pass_rate, pass_rate_all) = (rate(|score| score.outcome), rate(|score| score.all_passed));
    let no_rule = of_system
        .iter()
        .all(|response| response.score.outcome == kernel::Outcome::NoRule);
    SystemScore {
        system: labels.systems.get(system as u32).to_owned(),
        score: None,
        score_low: None,
        score_high: None,
        information_score: None,
        ability: None,
        ability_low: None,
        ability_high: None,
        bank_score: None,
        bank_ability: None,
        bank_ability_low: None,
        bank_ability_high: None,
        tier: None,
        coverage: coverage(labels, system, author),
        pass_rate,
        pass_rate_all,
        gates_failed: of_system
            .iter()
            .filter(|response| !response.score.gates_failed.is_empty())
            .count(),
        undefined: no_pass_rates(pass_rate, pass_rate_all, no_rule),
    }
}

/// Why a pass rate does not exist: there is no rule, or no response is decided.
fn no_pass_rates(rate: Option<f64>, rate_all: Option<f64>, no_rule: bool) -> BTreeMap<String, Undefined> {
    let mut undefined = BTreeMap::new();
    let open = || Undefined::new("no_outcome", "missing labels leave the outcome of every response open");
    if rate.is_none() {
        let why = match no_rule {
            true => Undefined::new("no_rule", "no rule from criteria to one outcome applies"),
            false => open(),
        };
        undefined.insert("pass_rate".to_owned(), why);
    }
    if rate_all.is_none() {
        undefined.insert("pass_rate_all".to_owned(), open());
    }
    undefined
}

/// Mean over the plan's (query, item) cells of the share labelled; a response that does not exist has none.
fn coverage(labels: &Labels, system: usize, column: &Column) -> f64 {
    let plan = column.scorer.plan();
    let (mut known, mut asked) = (0.0, 0.0);
    for query in 0..labels.queries.len() {
        let items = plan.items_of(query).filter(|at| !plan.items()[*at].monitored).count() as f64;
        asked += items;
        let of_query: Vec<f64> = column
            .responses
            .iter()
            .skip(
                column
                    .responses
                    .partition_point(|response| (response.query as usize) < query),
            )
            .take_while(|response| response.query as usize == query)
            .filter(|response| response.system as usize == system)
            .map(|response| response.score.coverage)
            .collect();
        if !of_query.is_empty() {
            known += items * of_query.iter().sum::<f64>() / of_query.len() as f64;
        }
    }
    if asked > 0.0 { known / asked } else { 0.0 }
}

fn roll_up_row(inputs: ScoreInputs<'_>) -> Option<RollUpRow> {
    let roll_up = inputs.join.rubric()?.roll_up.as_ref()?;
    Some(RollUpRow {
        rule: rule_words(&roll_up.rule),
        reason: roll_up.reason.clone(),
    })
}

fn response_rows(labels: &Labels, author: &Column) -> Vec<ResponseRow> {
    let mut rows: Vec<&Scored> = author.responses.iter().collect();
    rows.sort_by_key(|response| (response.system, response.query, response.sample));
    rows.into_iter()
        .map(|response| {
            let (score, score_undefined) = parts(response.score.score.map_err(reason));
            ResponseRow {
                system: labels.systems.get(response.system).to_owned(),
                query: labels.queries.get(response.query).to_owned(),
                sample: labels.samples.get(response.sample).to_owned(),
                score,
                score_undefined,
                outcome: match response.score.outcome {
                    kernel::Outcome::Pass => Some(Outcome::Pass),
                    kernel::Outcome::Fail => Some(Outcome::Fail),
                    kernel::Outcome::Undetermined => Some(Outcome::Undetermined),
                    kernel::Outcome::NoRule => None,
                },
                gates_failed: response
                    .score
                    .gates_failed
                    .iter()
                    .filter_map(|at| author.scorer.item(*at))
                    .map(|item| labels.criterion(item).to_owned())
                    .collect(),
                coverage: response.score.coverage,
            }
        })
        .collect()
}

/// Effective number of criteria of a query, averaged over queries, and its warning.
fn effective_criteria(author: &Column) -> (Option<f64>, Option<Warning>) {
    let plan = author.scorer.plan();
    let (mut effective, mut criteria, mut queries) = (0.0, 0usize, 0usize);
    for query in 0..plan.queries() {
        let weights: Vec<f64> = plan
            .items_of(query)
            .filter(|at| !plan.items()[*at].monitored)
            .map(|at| plan.items()[at].weight)
            .collect();
        if let Ok(value) = k_eff(&weights) {
            effective += value;
            criteria += weights.len();
            queries += 1;
        }
    }
    if queries == 0 {
        return (None, None);
    }
    let effective = effective / queries as f64;
    let mean = criteria as f64 / queries as f64;
    let concentrated = effective < CONCENTRATED * mean;
    let warning = concentrated.then(|| Warning::ConcentratedWeights {
        effective,
        criteria: mean.round() as usize,
    });
    (Some(effective), warning)
}

/// The item parameters of an artifact in the words of the kernel.
pub(crate) fn kernel_fit(fit: &Fit) -> Result<irt::Fit, StepError> {
    let items = Items {
        discrimination: fit.items.iter().map(|item| item.discrimination).collect(),
        difficulty: fit.items.iter().map(|item| item.difficulty).collect(),
    };
    let model = match fit.model {
        calibrant_schema::fit::Model::OnePl => irt::Model::OnePl,
        calibrant_schema::fit::Model::TwoPl => irt::Model::TwoPl,
    };
    Ok(irt::Fit {
        model,
        grid: grid_of(&fit.grid)?,
        parameters: model.parameters(items.discrimination.len()),
        items,
        log_posterior: fit.log_posterior,
        log_likelihood: fit.log_likelihood,
        convergence: irt::Convergence {
            iterations: fit.convergence.iterations,
            gradient_max: fit.convergence.gradient,
            stopped: if fit.convergence.converged {
                irt::Stopped::Gradient
            } else {
                irt::Stopped::Iterations
            },
        },
    })
}

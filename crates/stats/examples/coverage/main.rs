//! How often intervals hold what they claim, on simulated boards: the tables of `docs/validation.md`.
//!
//! ```text
//! cargo run --release --package calibrant-stats --example coverage -- contrasts BOARDS
//! cargo run --release --package calibrant-stats --example coverage -- few BOARDS
//! cargo run --release --package calibrant-stats --example coverage -- refits BOARDS
//! cargo run --release --package calibrant-stats --example coverage -- scores BOARDS
//! cargo run --release --package calibrant-stats --example coverage -- splits BOARDS
//! ```
//!
//! Boards are drawn from the 2PL (abilities N(0, 1), difficulties N(0, 1.5^2), log discriminations N(0, 0.5^2)). The truth of a contrast
//! is put on the fit's scale by mean and SD over systems, as replicates are; that of a score is its mean over 40,000 items.

mod board;

use board::{Board, Setting, TrueScore, board};
use calibrant_stats::irt::{
    AbilityReplicates, BootstrapOptions, Fit, FitOptions, IrtError, Model, cluster_bootstrap, fit, influence_bootstrap,
    parametric_bootstrap, posterior_draws, refined_abilities, source_bootstrap,
};
use calibrant_stats::resample::{Interval, LEVEL, MIN_CLUSTERS, expanded_level, percentile_interval};
use calibrant_stats::score_bootstrap::{ScoreBootstrapOptions, score_bootstrap};
use calibrant_stats::tiers::contrast_interval;
use rayon::prelude::*;

const SYSTEMS: [usize; 4] = [6, 15, 25, 50];
/// Fewer systems than the tables above have: where intervals stop to mean anything.
const FEW: [usize; 3] = [3, 4, 5];
const ITEMS: [usize; 3] = [50, 300, 624];
const CRITERIA: [usize; 3] = [1, 4, 16];

/// Which way of making replicates, and whether percentiles are expanded for few clusters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Refit,
    RefitExpanded,
    Influence,
    InfluenceExpanded,
    Parametric,
    Posterior,
    Source,
}

const CHEAP: [Method; 4] = [
    Method::Influence,
    Method::InfluenceExpanded,
    Method::Posterior,
    Method::Source,
];
const ALL: [Method; 7] = [
    Method::Refit,
    Method::RefitExpanded,
    Method::Influence,
    Method::InfluenceExpanded,
    Method::Parametric,
    Method::Posterior,
    Method::Source,
];

impl Method {
    fn word(self) -> &'static str {
        match self {
            Self::Refit => "refit",
            Self::RefitExpanded => "refit, expanded",
            Self::Influence => "influence",
            Self::InfluenceExpanded => "influence, expanded",
            Self::Parametric => "parametric",
            Self::Posterior => "posterior + delta",
            Self::Source => "source",
        }
    }

    fn expanded(self) -> bool {
        matches!(self, Self::RefitExpanded | Self::InfluenceExpanded)
    }

    fn replicates(self, board: &Board, fit: &Fit, seed: u64) -> Result<AbilityReplicates, IrtError> {
        let options = FitOptions::default();
        let (responses, queries) = (&board.responses, &board.queries);
        let draws = |replicates| BootstrapOptions {
            replicates,
            ..BootstrapOptions::new(seed)
        };
        match self {
            Self::Refit | Self::RefitExpanded => {
                cluster_bootstrap(responses, fit, queries, None, &options, &draws(300))
            }
            Self::Influence | Self::InfluenceExpanded => {
                influence_bootstrap(responses, fit, queries, None, &options, &draws(2000))
            }
            Self::Parametric => parametric_bootstrap(responses, fit, None, &options, &draws(300)),
            Self::Posterior => posterior_draws(responses, fit, None, &options, &draws(2000)),
            Self::Source => source_bootstrap(responses, fit, queries, None, &options, &draws(300)),
        }
    }
}

/// Shares of boards, with the standard error of their mean over boards.
#[derive(Default)]
struct Shares(Vec<f64>);

impl Shares {
    fn write(&self) -> String {
        let n = self.0.len() as f64;
        if self.0.is_empty() {
            return "–".to_owned();
        }
        let mean = self.0.iter().sum::<f64>() / n;
        let square = self.0.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        format!("{mean:.3} ±{:.3}", (square / (n - 1.0).max(1.0) / n).sqrt())
    }
}

fn mean_and_deviation(x: &[f64]) -> (f64, f64) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let square = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    (mean, (square / x.len() as f64).sqrt())
}

/// A board with its fit, its abilities, and the truth on their scale.
struct Fitted {
    board: Board,
    fit: Fit,
    abilities: Vec<f64>,
    truth: Vec<f64>,
}

fn fitted(setting: &Setting, seed: u64) -> Result<Fitted, IrtError> {
    let board = board(setting, seed)?;
    let fit = fit(&board.responses, Model::TwoPl, &FitOptions::default())?;
    let abilities: Vec<f64> = refined_abilities(&board.responses, &fit.items, &fit.grid, None)?
        .iter()
        .map(|ability| ability.mean)
        .collect();
    let (to, stretched) = mean_and_deviation(&abilities);
    let (from, spread) = mean_and_deviation(&board.abilities);
    let scale = if spread > 0.0 { stretched / spread } else { 0.0 };
    let truth = board.abilities.iter().map(|x| to + (x - from) * scale).collect();
    Ok(Fitted {
        board,
        fit,
        abilities,
        truth,
    })
}

/// For each pair whether its interval holds what `holds` asks, as a share; `None` where the method has no replicates.
fn share(
    fitted: &Fitted,
    replicates: &AbilityReplicates,
    level: f64,
    pairs: &[(usize, usize)],
    truth: impl Fn(usize, usize) -> f64,
) -> Result<f64, IrtError> {
    let systems = fitted.truth.len();
    let mut held = 0;
    for &(i, j) in pairs {
        let interval = contrast_interval(&replicates.pool, systems, (i, j), level)?;
        held += usize::from(interval.contains(truth(i, j)));
    }
    Ok(held as f64 / pairs.len() as f64)
}

fn level(method: Method, setting: &Setting) -> f64 {
    if method.expanded() {
        expanded_level(LEVEL, setting.queries())
    } else {
        LEVEL
    }
}

/// One row of the table of contrasts: a share of pairs held for each method.
fn contrasts(setting: &Setting, methods: &[Method], boards: u64) -> Result<Vec<Shares>, IrtError> {
    let of_board = |seed: u64| -> Result<Vec<Option<f64>>, IrtError> {
        let fitted = fitted(setting, seed)?;
        // Systems are alike: the pairs of the first fifteen speak for all.
        let systems = setting.systems.min(15);
        let pairs: Vec<(usize, usize)> = (0..systems).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        let mut last: Option<(Method, AbilityReplicates)> = None;
        let mut row = Vec::new();
        for &method in methods {
            let same = matches!(
                (last.as_ref().map(|(method, _)| *method), method),
                (Some(Method::Refit), Method::RefitExpanded) | (Some(Method::Influence), Method::InfluenceExpanded)
            );
            if !same {
                let made = method.replicates(&fitted.board, &fitted.fit, seed);
                last = made.ok().map(|made| (method, made.centred(&fitted.abilities, None)));
            }
            let share = last.as_ref().map(|(_, replicates)| {
                let truth = |i: usize, j: usize| fitted.truth[i] - fitted.truth[j];
                share(&fitted, replicates, level(method, setting), &pairs, truth)
            });
            row.push(share.transpose()?);
        }
        Ok(row)
    };
    let rows: Vec<Vec<Option<f64>>> = (0..boards).into_par_iter().map(of_board).collect::<Result<_, _>>()?;
    let column = |at: usize| Shares(rows.iter().filter_map(|row| row[at]).collect());
    Ok((0..methods.len()).map(column).collect())
}

/// Share of systems whose interval of the score holds the true score, plain and expanded, and the same of differences.
fn scores(setting: &Setting, boards: u64) -> Vec<Shares> {
    let truth = TrueScore::new(setting);
    let of_board = |seed: u64| -> Option<[f64; 4]> {
        let board = board(setting, seed).ok()?;
        let clusters: Vec<u32> = (0..setting.queries() as u32).collect();
        let options = ScoreBootstrapOptions {
            seed,
            ..ScoreBootstrapOptions::default()
        };
        let replicates = score_bootstrap(&board.plan, &board.query_scores, &clusters, options).ok()?;
        let true_scores: Vec<f64> = board.abilities.iter().map(|&theta| truth.at(theta)).collect();
        let systems = true_scores.len();
        let mut row = [0.0; 4];
        let pairs = (systems * (systems - 1) / 2) as f64;
        let holds = |interval: Interval, truth: f64| f64::from(u8::from(interval.contains(truth)));
        for i in 0..systems {
            let plain: Option<Vec<f64>> = (0..replicates.replicates()).map(|r| replicates.row(r)[i]).collect();
            let plain = percentile_interval(&plain?, LEVEL).ok()?;
            row[0] += holds(plain, true_scores[i]) / systems as f64;
            row[1] += holds(replicates.interval(i, LEVEL).ok()?, true_scores[i]) / systems as f64;
            for j in 0..i {
                let truth = true_scores[i] - true_scores[j];
                let difference = |r: usize| Some(replicates.row(r)[i]? - replicates.row(r)[j]?);
                let plain: Option<Vec<f64>> = (0..replicates.replicates()).map(difference).collect();
                row[2] += holds(percentile_interval(&plain?, LEVEL).ok()?, truth) / pairs;
                row[3] += holds(replicates.difference(i, j, LEVEL).ok()?, truth) / pairs;
            }
        }
        Some(row)
    };
    let rows: Vec<[f64; 4]> = (0..boards).into_par_iter().filter_map(of_board).collect();
    (0..4)
        .map(|at| Shares(rows.iter().map(|row| row[at]).collect()))
        .collect()
}

/// Equal systems: the share of neighbours told apart, and of boards with more than one tier.
fn splits(setting: &Setting, methods: &[Method], boards: u64) -> Result<Vec<Shares>, IrtError> {
    let of_board = |seed: u64| -> Result<Vec<Option<f64>>, IrtError> {
        let fitted = fitted(setting, seed)?;
        let mut order: Vec<usize> = (0..setting.systems).collect();
        order.sort_by(|&i, &j| fitted.abilities[j].total_cmp(&fitted.abilities[i]));
        let pairs: Vec<(usize, usize)> = order.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let mut row = Vec::new();
        for &method in methods {
            let made = method.replicates(&fitted.board, &fitted.fit, seed).ok();
            let made = made.map(|made| made.centred(&fitted.abilities, None));
            let apart = made.map(|made| {
                let held = share(&fitted, &made, level(method, setting), &pairs, |_, _| 0.0)?;
                Ok::<f64, IrtError>(1.0 - held)
            });
            let apart = apart.transpose()?;
            row.push(apart);
            row.push(apart.map(|share| f64::from(u8::from(share > 0.0))));
        }
        Ok(row)
    };
    let rows: Vec<Vec<Option<f64>>> = (0..boards).into_par_iter().map(of_board).collect::<Result<_, _>>()?;
    let column = |at: usize| Shares(rows.iter().filter_map(|row| row[at]).collect());
    Ok((0..2 * methods.len()).map(column).collect())
}

fn settings(numbers: &[usize]) -> Vec<Setting> {
    let mut settings = Vec::new();
    for (judge_error, interaction) in [(false, false), (true, false), (false, true), (true, true)] {
        for criteria in CRITERIA {
            for &systems in numbers {
                for items in ITEMS {
                    settings.push(Setting {
                        systems,
                        items,
                        criteria,
                        judge_error,
                        interaction,
                        ability_sd: 1.0,
                    });
                }
            }
        }
    }
    settings
}

/// The cells in which refits are measured too: they take a hundred times as long.
fn refitted(setting: &Setting) -> bool {
    setting.systems <= 15 && setting.items <= 300 && setting.criteria == 4 && setting.judge_error == setting.interaction
}

#[expect(clippy::print_stdout, reason = "an example prints its tables")]
fn main() -> Result<(), IrtError> {
    let argument = |at: usize| std::env::args_os().nth(at)?.into_string().ok();
    let table = argument(1).unwrap_or_else(|| "contrasts".to_owned());
    let boards: u64 = argument(2).and_then(|count| count.parse().ok()).unwrap_or(100);
    let heads: Vec<&str> = match table.as_str() {
        "scores" => vec!["score", "score, expanded", "difference", "difference, expanded"],
        "splits" => vec![
            "influence, expanded: neighbours",
            "boards",
            "posterior + delta: neighbours",
            "boards",
        ],
        "refits" => ALL.iter().map(|method| method.word()).collect(),
        _ => CHEAP.iter().map(|method| method.word()).collect(),
    };
    println!(
        "| judge error | interaction | a query | systems | items | queries | {} |",
        heads.join(" | ")
    );
    println!("|{}", "---|".repeat(6 + heads.len()));
    let numbers: &[usize] = if table == "few" { &FEW } else { &SYSTEMS };
    for mut setting in settings(numbers) {
        let row = match table.as_str() {
            "scores" if setting.queries() < MIN_CLUSTERS || setting.systems > 15 => continue,
            "scores" => scores(&setting, boards),
            "splits" if setting.items > 300 || setting.criteria == 1 => continue,
            "splits" => {
                setting.ability_sd = 0.0;
                splits(&setting, &[Method::InfluenceExpanded, Method::Posterior], boards)?
            }
            "few" if setting.items > 300 || setting.criteria != 4 => continue,
            "refits" if !refitted(&setting) => continue,
            "refits" => contrasts(&setting, &ALL, boards)?,
            _ => contrasts(&setting, &CHEAP, boards)?,
        };
        let yes = |is: bool| if is { "yes" } else { "no" };
        let shares: Vec<String> = row.iter().map(Shares::write).collect();
        println!(
            "| {} | {} | {} | {} | {} | {} | {} |",
            yes(setting.judge_error),
            yes(setting.interaction),
            setting.criteria,
            setting.systems,
            setting.queries() * setting.criteria,
            setting.queries(),
            shares.join(" | ")
        );
    }
    Ok(())
}

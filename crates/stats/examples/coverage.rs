//! How often intervals of ability contrasts hold the true contrast, on simulated boards: the table of `docs/validation.md`.
//!
//! `cargo run --release --package calibrant-stats --example coverage [BOARDS]`
//!
//! Boards are drawn from the 2PL (abilities N(0, 1), difficulties N(0, 1.5^2), log discriminations N(0, 0.5^2)), six items
//! a query, true labels without judge error. Truth is put on the fit's scale by mean and SD over systems, as replicates are.

use calibrant_stats::irt::{
    AbilityReplicates, BootstrapOptions, Fit, FitOptions, Grid, IrtError, Model, Responses, abilities,
    cluster_bootstrap, constant_items, fit, parametric_bootstrap, source_bootstrap,
};
use calibrant_stats::resample::LEVEL;
use calibrant_stats::simulate::{SimulationOptions, simulate};
use calibrant_stats::tiers::contrast_interval;

/// Systems and queries of six items.
const BOARDS: [(usize, usize); 5] = [(6, 25), (15, 25), (15, 104), (25, 50), (50, 50)];
const ITEMS_A_QUERY: usize = 6;

type Bootstrap = fn(&Board, &Fit, &BootstrapOptions) -> Result<AbilityReplicates, IrtError>;

const METHODS: [(&str, Bootstrap); 3] = [
    ("cluster", |board, fit, draws| {
        cluster_bootstrap(
            &board.responses,
            fit,
            &board.queries,
            None,
            &FitOptions::default(),
            draws,
        )
    }),
    ("parametric", |board, fit, draws| {
        parametric_bootstrap(&board.responses, fit, None, &FitOptions::default(), draws)
    }),
    ("source", |board, fit, draws| {
        source_bootstrap(
            &board.responses,
            fit,
            &board.queries,
            None,
            &FitOptions::default(),
            draws,
        )
    }),
];

struct Board {
    responses: Responses,
    queries: Vec<u32>,
    truth: Vec<f64>,
}

fn board(systems: usize, queries: usize, seed: u64) -> Result<Board, IrtError> {
    let options = SimulationOptions {
        systems,
        queries,
        criteria: ITEMS_A_QUERY,
        judges: 0,
        seed,
        ..SimulationOptions::default()
    };
    let panel = simulate(&options);
    let items = panel.query.len();
    let labels = (0..items).flat_map(|item| (0..systems).map(move |system| system * items + item));
    let successes: Vec<u16> = labels.map(|at| u16::from(panel.truth[at])).collect();
    let trials = vec![1; successes.len()];
    let all = Responses::new(systems, items, successes, trials)?;
    let constant = constant_items(&all);
    let varying: Vec<usize> = (0..items)
        .filter(|item| constant.binary_search(item).is_err())
        .collect();
    Ok(Board {
        responses: all.select(&varying),
        queries: varying.iter().map(|&item| panel.query[item]).collect(),
        truth: panel.abilities,
    })
}

/// Contrasts held and contrasts tried.
fn held(board: &Board, bootstrap: Bootstrap, seed: u64) -> Result<(usize, usize), IrtError> {
    let point = fit(&board.responses, Model::TwoPl, &FitOptions::default())?;
    let found: Vec<f64> = abilities(&board.responses, &point.items, &Grid::default(), None)?
        .iter()
        .map(|ability| ability.mean)
        .collect();
    let (to, stretched) = mean_and_deviation(&found);
    let (from, spread) = mean_and_deviation(&board.truth);
    let truth: Vec<f64> = board
        .truth
        .iter()
        .map(|x| to + (x - from) * stretched / spread)
        .collect();
    let replicates = bootstrap(board, &point, &BootstrapOptions::new(seed))?.centred(&found, None);
    let (mut held, mut tried) = (0, 0);
    for i in 0..truth.len() {
        for j in 0..i {
            let interval = contrast_interval(&replicates.pool, truth.len(), (i, j), LEVEL)?;
            held += usize::from(interval.contains(truth[i] - truth[j]));
            tried += 1;
        }
    }
    Ok((held, tried))
}

fn mean_and_deviation(x: &[f64]) -> (f64, f64) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let square = x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
    (mean, (square / x.len() as f64).sqrt())
}

#[expect(clippy::print_stdout, reason = "an example prints its table")]
fn main() -> Result<(), IrtError> {
    let boards: u64 = std::env::args_os()
        .nth(1)
        .and_then(|count| count.to_str()?.parse().ok())
        .unwrap_or(40);
    println!(
        "| systems | items | boards | {} |",
        METHODS.map(|(name, _)| name).join(" | ")
    );
    println!("|---|---|---|---|---|---|");
    for (systems, queries) in BOARDS {
        let mut shares = Vec::new();
        for (_, bootstrap) in METHODS {
            let (mut held_sum, mut tried_sum) = (0, 0);
            for seed in 0..boards {
                let (held, tried) = held(&board(systems, queries, seed)?, bootstrap, seed)?;
                held_sum += held;
                tried_sum += tried;
            }
            shares.push(format!("{:.3}", held_sum as f64 / tried_sum as f64));
        }
        println!(
            "| {systems} | {} | {boards} | {} |",
            queries * ITEMS_A_QUERY,
            shares.join(" | ")
        );
    }
    Ok(())
}

//! What must hold of every table: monotone ascent, exact gradients, sums that shards and orders do not change, symmetries.

mod irt_data;

use calibrant_stats::irt::{
    Fit, FitOptions, Grid, Items, Model, Priors, Responses, abilities, constant_items, em_step, fit, item_scores,
    node_log_likelihood, posterior,
};
use irt_data::largest_difference;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// F is a sum of thousands of terms of order 1, each rounded.
const ROUNDING: f64 = 1e-9;

/// Two fits of one problem stop within a gradient of 1e-6 of one maximum; the least curvature is a prior's, 1/4.
const SAME_MAXIMUM: f64 = 1e-4;

const MODELS: [Model; 2] = [Model::OnePl, Model::TwoPl];

/// Small tables with missing cells and up to three trials, without constant items.
fn tables() -> impl Strategy<Value = Responses> {
    let cell = (0u16..=3).prop_flat_map(|n| (0..=n, Just(n)));
    (2usize..7, 1usize..10).prop_flat_map(move |(systems, items)| {
        let cells = prop::collection::vec(cell.clone(), systems * items);
        cells.prop_filter_map("every item is constant", move |cells| {
            let (successes, trials) = cells.into_iter().unzip();
            let all = Responses::new(systems, items, successes, trials).expect("within trials");
            let constant = constant_items(&all);
            let kept: Vec<usize> = (0..items).filter(|j| !constant.contains(j)).collect();
            (!kept.is_empty()).then(|| all.select(&kept))
        })
    })
}

/// Parameters for any number of items up to 10.
fn parameters() -> impl Strategy<Value = Items> {
    let a = prop::collection::vec(0.2f64..4.0, 10);
    let b = prop::collection::vec(-4.0f64..4.0, 10);
    (a, b).prop_map(|(discrimination, difficulty)| Items {
        discrimination,
        difficulty,
    })
}

fn first(items: &Items, count: usize) -> Items {
    items.select(&(0..count).collect::<Vec<_>>())
}

fn marginal_log_likelihood(responses: &Responses, items: &Items) -> f64 {
    let grid = Grid::default();
    let shard = responses.shard(0..responses.items()).expect("all items");
    let support = grid.support(responses.systems());
    let rows = node_log_likelihood(&shard, items, &support, None);
    posterior(rows, responses, &support).log_likelihood()
}

fn fitted(responses: &Responses, model: Model) -> Fit {
    fit(responses, model, &FitOptions::default()).expect("no item is constant")
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(6), cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn em_never_loses_the_log_posterior(table in tables(), start in parameters()) {
        for model in MODELS {
            let mut items = first(&start, table.items());
            let mut last = f64::NEG_INFINITY;
            for _ in 0..8 {
                let step = em_step(&table, &items, model, &FitOptions::default()).expect("sound");
                prop_assert!(step.log_posterior >= last - ROUNDING, "{last} to {}", step.log_posterior);
                (items, last) = (step.items, step.log_posterior);
            }
        }
    }

    /// However often the accelerated fit is stopped and resumed, F never falls, and it ends above every EM step.
    #[test]
    fn the_fit_never_loses_the_log_posterior(table in tables(), start in parameters()) {
        for model in MODELS {
            let mut options = FitOptions { start: Some(first(&start, table.items())), max_iterations: 0, ..FitOptions::default() };
            let mut last = f64::NEG_INFINITY;
            for iterations in 0..6 {
                options.max_iterations = iterations;
                let fit = fit(&table, model, &options).expect("sound");
                prop_assert!(fit.log_posterior >= last - ROUNDING);
                last = fit.log_posterior;
            }
        }
    }

    #[test]
    fn the_fit_converges_to_a_point_that_em_keeps(table in tables()) {
        for model in MODELS {
            let fit = fitted(&table, model);
            prop_assert!(fit.convergence.converged(), "{:?}", fit.convergence);
            let step = em_step(&table, &fit.items, model, &FitOptions::default()).expect("sound");
            prop_assert!((step.log_posterior - fit.log_posterior).abs() <= ROUNDING);
            prop_assert!(largest_difference(&step.items.discrimination, &fit.items.discrimination) <= SAME_MAXIMUM);
            prop_assert!(largest_difference(&step.items.difficulty, &fit.items.difficulty) <= SAME_MAXIMUM);
        }
    }

    /// Scores are the derivatives of the marginal log likelihood by (log a, b), here by central differences.
    #[test]
    fn scores_are_derivatives(table in tables(), items in parameters()) {
        const STEP: f64 = 1e-5;
        // Rounding of F (1e-13) over the step, and the step's square times a third derivative of at most 1e3.
        const DIFFERENCE: f64 = 1e-6;
        let items = first(&items, table.items());
        let grid = Grid::default().support(table.systems());
        let shard = table.shard(0..table.items()).expect("all items");
        let at = posterior(node_log_likelihood(&shard, &items, &grid, None), &table, &grid);
        let scores = item_scores(&shard, &at, &items, &grid, None);
        let moved = |j: usize, log_a: f64, b: f64| {
            let mut items = items.clone();
            items.discrimination[j] *= log_a.exp();
            items.difficulty[j] += b;
            marginal_log_likelihood(&table, &items)
        };
        for (j, score) in scores.iter().enumerate() {
            let slope = (moved(j, STEP, 0.0) - moved(j, -STEP, 0.0)) / (2.0 * STEP);
            let difficulty = (moved(j, 0.0, STEP) - moved(j, 0.0, -STEP)) / (2.0 * STEP);
            prop_assert!((score.slope - slope).abs() <= DIFFERENCE);
            prop_assert!((score.difficulty - difficulty).abs() <= DIFFERENCE);
        }
    }

    #[test]
    fn shards_in_any_split_add_up_to_the_whole(table in tables(), items in parameters(), cut in 0usize..10) {
        let items = first(&items, table.items());
        let grid = Grid::default().support(table.systems());
        let cut = cut.min(table.items());
        let part = |range| node_log_likelihood(&table.shard(range).expect("in range"), &items, &grid, None);
        let (whole, left, right) = (part(0..table.items()), part(0..cut), part(cut..table.items()));
        let merged: Vec<f64> = left.iter().zip(&right).map(|(l, r)| l + r).collect();
        prop_assert!(largest_difference(&merged, &whole) <= ROUNDING);

        let at = posterior(whole, &table, &grid);
        let scores = |range| item_scores(&table.shard(range).expect("in range"), &at, &items, &grid, None);
        let halves = [scores(0..cut), scores(cut..table.items())].concat();
        prop_assert_eq!(halves, scores(0..table.items()));
    }

    /// Posterior masses are probabilities, and a system that answered nothing keeps the population's.
    #[test]
    fn posteriors_are_probabilities(table in tables(), items in parameters()) {
        let items = first(&items, table.items());
        let grid = Grid::default().support(table.systems());
        let shard = table.shard(0..table.items()).expect("all items");
        let at = posterior(node_log_likelihood(&shard, &items, &grid, None), &table, &grid);
        for i in 0..table.systems() {
            let masses = at.masses(i);
            prop_assert!((masses.iter().sum::<f64>() - 1.0).abs() <= ROUNDING);
            prop_assert!(masses[grid.nodes().len()..].iter().all(|&mass| mass == 0.0));
            if (0..table.items()).all(|j| table.trials(j)[i] == 0) {
                prop_assert!(largest_difference(&masses[..41], Grid::default().weights()) <= ROUNDING);
            }
        }
    }

    #[test]
    fn reversed_items_give_reversed_parameters(table in tables()) {
        let order: Vec<usize> = (0..table.items()).rev().collect();
        for model in MODELS {
            let straight = fitted(&table, model);
            let reversed = fitted(&table.select(&order), model);
            let back = reversed.items.select(&order);
            prop_assert!((straight.log_posterior - reversed.log_posterior).abs() <= ROUNDING);
            prop_assert!(largest_difference(&straight.items.discrimination, &back.discrimination) <= SAME_MAXIMUM);
            prop_assert!(largest_difference(&straight.items.difficulty, &back.difficulty) <= SAME_MAXIMUM);
        }
    }

    /// Calling every pass a fail mirrors the ability scale and leaves discriminations alone.
    #[test]
    fn swapped_labels_mirror_the_scale(table in tables()) {
        let cells = (0..table.items()).flat_map(|j| {
            table.successes(j).iter().zip(table.trials(j)).map(|(s, n)| (n - s, *n)).collect::<Vec<_>>()
        });
        let (successes, trials) = cells.unzip();
        let mirror = Responses::new(table.systems(), table.items(), successes, trials).expect("within trials");
        for model in MODELS {
            let (left, right) = (fitted(&table, model), fitted(&mirror, model));
            let negated: Vec<f64> = right.items.difficulty.iter().map(|b| -b).collect();
            prop_assert!((left.log_posterior - right.log_posterior).abs() <= ROUNDING);
            prop_assert!(largest_difference(&left.items.discrimination, &right.items.discrimination) <= SAME_MAXIMUM);
            prop_assert!(largest_difference(&left.items.difficulty, &negated) <= SAME_MAXIMUM);
            let of = |r: &Responses, fit: &Fit| -> Vec<f64> {
                let abilities = abilities(r, &fit.items, &Grid::default(), None).expect("fitted");
                abilities.iter().map(|x| x.mean).collect()
            };
            let mirrored: Vec<f64> = of(&mirror, &right).iter().map(|x| -x).collect();
            prop_assert!(largest_difference(&of(&table, &left), &mirrored) <= SAME_MAXIMUM);
        }
    }

    /// An item of weight 2 is the item twice: at equal parameters of the copies, F and all derivatives agree.
    #[test]
    fn a_weight_of_two_is_a_copy(table in tables()) {
        let items = table.items();
        let twice: Vec<usize> = (0..items).chain(0..items).collect();
        let options = FitOptions { item_weights: Some(vec![2.0; items]), ..FitOptions::default() };
        let weighted = fit(&table, Model::TwoPl, &options).expect("sound");
        let copied = fitted(&table.select(&twice), Model::TwoPl);
        prop_assert!((weighted.log_posterior - copied.log_posterior).abs() <= ROUNDING);
        let halves = copied.items.difficulty.chunks(items);
        for half in halves {
            prop_assert!(largest_difference(&weighted.items.difficulty, half) <= SAME_MAXIMUM);
        }
    }

    /// An item of weight 0 changes nothing for the others and keeps its start values.
    #[test]
    fn a_weight_of_zero_is_absence(table in tables()) {
        prop_assume!(table.items() > 1);
        let rest: Vec<usize> = (1..table.items()).collect();
        let mut weights = vec![1.0; table.items()];
        weights[0] = 0.0;
        let options = FitOptions { item_weights: Some(weights), ..FitOptions::default() };
        for model in MODELS {
            let with = fit(&table, model, &options).expect("sound");
            let without = fitted(&table.select(&rest), model);
            prop_assert!((with.log_posterior - without.log_posterior).abs() <= ROUNDING);
            prop_assert!(largest_difference(&with.items.difficulty[1..], &without.items.difficulty) <= SAME_MAXIMUM);
        }
    }

    /// A system of weight 2 is two systems with its responses.
    #[test]
    fn a_system_weight_of_two_is_a_copy(table in tables()) {
        let systems = table.systems();
        let doubled = |cells: fn(&Responses, usize) -> &[u16]| -> Vec<u16> {
            (0..table.items()).flat_map(|j| [cells(&table, j), cells(&table, j)].concat()).collect()
        };
        let (successes, trials) = (doubled(Responses::successes), doubled(Responses::trials));
        let copied = Responses::new(2 * systems, table.items(), successes, trials).expect("within trials");
        let weighted = table.clone().with_system_weights(vec![2.0; systems]).expect("one each");
        for model in MODELS {
            let (left, right) = (fitted(&weighted, model), fitted(&copied, model));
            prop_assert!((left.log_posterior - right.log_posterior).abs() <= ROUNDING);
            prop_assert!(largest_difference(&left.items.difficulty, &right.items.difficulty) <= SAME_MAXIMUM);
        }
    }
}

/// The priors' scale is the argument's: with next to no data a parameter sits at its prior's mode, log a = 0.
#[test]
fn tight_priors_hold_the_parameters() {
    let responses = Responses::new(2, 1, vec![1, 0], vec![1, 1]).expect("binary labels");
    let options = FitOptions {
        priors: Priors {
            log_discrimination_sd: 1e-4,
            difficulty_sd: 1e-4,
        },
        ..FitOptions::default()
    };
    let fit = fit(&responses, Model::TwoPl, &options).expect("sound");
    // The likelihood's pull, of order 1, against a precision of 1e8.
    assert!((fit.items.discrimination[0] - 1.0).abs() < 1e-7);
    assert!(fit.items.difficulty[0].abs() < 1e-7);
}

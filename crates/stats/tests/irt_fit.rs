//! Edges of fitting: refusals with their reason, how a fit says that it stopped, screens, abilities at the ends of the grid.

mod irt_data;

use calibrant_stats::Undefined;
use calibrant_stats::irt::{
    FitOptions, Grid, IrtError, Items, Model, Priors, Responses, Stopped, abilities, constant_items, fit,
    item_rest_correlation, linked_groups, probability, standard_errors,
};
use irt_data::{Spread, board, from_rows, patterns};

/// Exact arithmetic but for the last roundings.
const ROUNDING: f64 = 1e-12;

const SPREAD: Spread = Spread {
    log_discrimination: 0.3,
    difficulty: 1.0,
    missing: 0.1,
};

/// Rows of `0`, `1` and `.` for a missing label.
fn table(rows: &[&str]) -> Responses {
    let label = |c: char| c.to_digit(2).map(|d| d as u16);
    let rows = rows.iter().map(|row| row.chars().map(label).collect());
    from_rows(&rows.collect::<Vec<_>>())
}

#[test]
fn what_cannot_be_fitted_says_why() {
    let options = FitOptions::default();
    let refusal = |rows: &[&str]| fit(&table(rows), Model::TwoPl, &options).expect_err("refused");
    assert_eq!(refusal(&["01"]), IrtError::TooFewSystems { have: 1 });
    assert_eq!(refusal(&["", ""]), IrtError::NoItems);
    assert_eq!(refusal(&["010", "110", "100"]), IrtError::ConstantItem { item: 2 });
    assert_eq!(refusal(&["0.", "1."]), IrtError::ConstantItem { item: 1 });
    assert_eq!(
        refusal(&["01"]).to_string(),
        "a common scale needs at least 2 systems, not 1"
    );
}

#[test]
fn a_cell_has_no_more_successes_than_trials() {
    let cell = Responses::new(2, 2, vec![0, 1, 2, 3], vec![1, 1, 2, 2]).expect_err("refused");
    let expected = IrtError::SuccessesExceedTrials {
        system: 1,
        item: 1,
        successes: 3,
        trials: 2,
    };
    assert_eq!(cell, expected);
    let short = Responses::new(2, 2, vec![0; 3], vec![1; 4]);
    assert!(matches!(short, Err(IrtError::Argument(_))));
}

#[test]
fn options_outside_their_ranges_are_refused() {
    let responses = table(&["01", "10"]);
    let refused = |options: FitOptions| {
        let result = fit(&responses, Model::TwoPl, &options);
        assert!(matches!(result, Err(IrtError::Argument(_))), "{result:?}");
    };
    refused(FitOptions {
        gradient_tolerance: f64::NAN,
        ..FitOptions::default()
    });
    refused(FitOptions {
        item_weights: Some(vec![1.0]),
        ..FitOptions::default()
    });
    refused(FitOptions {
        item_weights: Some(vec![1.0, -1.0]),
        ..FitOptions::default()
    });
    refused(FitOptions {
        priors: Priors {
            difficulty_sd: 0.0,
            ..Priors::default()
        },
        ..FitOptions::default()
    });
    refused(FitOptions {
        start: Some(Items {
            discrimination: vec![1.0, 0.0],
            difficulty: vec![0.0, 0.0],
        }),
        ..FitOptions::default()
    });
    assert!(Grid::standard_normal(1, -4.0, 4.0).is_err());
    assert!(Grid::standard_normal(41, 4.0, -4.0).is_err());
    assert!(Grid::standard_normal(41, f64::NAN, 4.0).is_err());
    assert!(responses.clone().with_system_weights(vec![1.0]).is_err());
}

/// Stopping early is a result that says so, not an error and not a claim.
#[test]
fn a_fit_without_iterations_left_is_not_converged() {
    let board = board(15, 60, &SPREAD, 1);
    let options = FitOptions {
        max_iterations: 2,
        ..FitOptions::default()
    };
    let fit = fit(&board.responses, Model::TwoPl, &options).expect("sound");
    assert_eq!(fit.convergence.stopped, Stopped::Iterations);
    assert_eq!(fit.convergence.iterations, 2);
    assert!(!fit.convergence.converged());
    assert!(fit.convergence.gradient_max > options.gradient_tolerance);
}

/// A gradient of 0 cannot be reached in rounded arithmetic; the fit ends all the same and is as good as an ordinary one.
#[test]
fn a_tolerance_beyond_rounding_ends_the_fit_too() {
    let board = board(15, 60, &SPREAD, 1);
    let options = FitOptions {
        gradient_tolerance: f64::MIN_POSITIVE,
        ..FitOptions::default()
    };
    let ordinary = fit(&board.responses, Model::TwoPl, &FitOptions::default()).expect("sound");
    let fit = fit(&board.responses, Model::TwoPl, &options).expect("sound");
    assert_ne!(fit.convergence.stopped, Stopped::Gradient);
    assert!((fit.log_posterior - ordinary.log_posterior).abs() < 1e-9);
    assert!(fit.convergence.gradient_max < 1e-9);
}

/// Three shards, so that the order of their sums could show.
#[test]
fn a_fit_has_the_same_bits_on_one_thread_and_on_two() {
    let board = board(15, 700, &SPREAD, 2);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("threads can be started");
        pool.install(|| {
            let options = FitOptions::default();
            let fit = fit(&board.responses, Model::TwoPl, &options).expect("sound");
            let errors = standard_errors(&board.responses, &fit, &options).expect("a maximum");
            (fit, errors)
        })
    };
    assert_eq!(on(1), on(2));
}

/// Worked by hand. Item 0 is 1, 1, 0 against rests 1/2, 0, 1/2: covariance -1/6, squares 2/3 and 1/6. Item 1's rest is 1/2 for everyone.
/// Item 2 is 0, 0, 1 against 1, 1/2, 0: covariance -1/2, squares 2/3 and 1/2.
#[test]
fn item_rest_correlations() {
    let results = item_rest_correlation(&table(&["110", "100", "001"]));
    let first = results[0].expect("both vary");
    assert!((first + 0.5).abs() < ROUNDING);
    assert_eq!(results[1], Err(Undefined::NoVariation));
    let last = results[2].expect("both vary");
    assert!((last + 0.75f64.sqrt()).abs() < ROUNDING);
}

#[test]
fn item_rest_correlations_skip_what_is_missing() {
    // Only systems 0 and 1 answered item 0 and something else; two points lie on a line.
    let results = item_rest_correlation(&table(&["11.", "00.", "1..", ".10"]));
    assert!((results[0].expect("two points") - 1.0).abs() < ROUNDING);
    let lonely = item_rest_correlation(&table(&["1.", ".1", ".0"]));
    let reason = Undefined::TooFewSystems { have: 0, need: 2 };
    assert_eq!(lonely[0], Err(reason));
}

/// A system of weight 2 counts as two.
#[test]
fn item_rest_correlations_weigh_systems() {
    let weighted = table(&["11", "01", "10", "00"]).with_system_weights(vec![2.0, 1.0, 1.0, 1.0]);
    let copied = table(&["11", "11", "01", "10", "00"]);
    let left = item_rest_correlation(&weighted.expect("one each"));
    let right = item_rest_correlation(&copied);
    let difference = left[0].expect("varies") - right[0].expect("varies");
    assert!(difference.abs() < ROUNDING);
}

#[test]
fn constant_items_are_found_in_trials_too() {
    // One trial of three failed is variation; three of three for everyone is none.
    let responses = Responses::new(2, 3, vec![3, 2, 3, 3, 0, 0], vec![3, 3, 3, 3, 0, 0]);
    assert_eq!(constant_items(&responses.expect("within trials")), [1, 2]);
    let unseen = table(&["1", "0"]).with_system_weights(vec![1.0, 0.0]);
    assert_eq!(constant_items(&unseen.expect("one each")), [0]);
}

#[test]
fn the_published_patterns_add_up_to_their_item_totals() {
    for name in ["lsat6", "lsat7"] {
        let table = patterns(name);
        let examinees: u32 = table.patterns.iter().map(|(_, n)| n).sum();
        assert_eq!(examinees, table.examinees);
        for (j, &total) in table.item_totals.iter().enumerate() {
            let passed = table
                .patterns
                .iter()
                .filter(|(pattern, _)| pattern.as_bytes()[j] == b'1');
            assert_eq!(passed.map(|(_, n)| n).sum::<u32>(), total);
        }
    }
}

#[test]
fn a_system_that_answered_nothing_is_the_population() {
    let grid = Grid::default();
    let items = Items {
        discrimination: vec![1.0],
        difficulty: vec![0.5],
    };
    let all = abilities(&table(&["."]), &items, &grid, None).expect("sound");
    let terms = grid.nodes().iter().zip(grid.weights());
    let variance: f64 = terms.map(|(theta, weight)| weight * theta * theta).sum();
    assert!(all[0].mean.abs() < ROUNDING);
    assert!((all[0].standard_error - variance.sqrt()).abs() < ROUNDING);
    assert!((all[0].edge_mass - 2.0 * grid.weights()[0]).abs() < ROUNDING);
}

/// Thirty steep items beyond the grid, all passed: from the last node to the one before, 0.2 lower, the likelihood falls by
/// (0.029 / 0.076)^30, a factor of 1e-12, against a normal weight that is only twice as large there.
#[test]
fn a_system_beyond_the_grid_shows_on_its_edge() {
    let items = Items {
        discrimination: vec![5.0; 30],
        difficulty: vec![4.5; 30],
    };
    let passed = "1".repeat(30);
    let failed = "0".repeat(30);
    let all = abilities(&table(&[&passed, &failed]), &items, &Grid::default(), None).expect("sound");
    assert!(all[0].edge_mass > 0.9 && all[0].mean > 3.9);
    assert!(all[1].edge_mass < 0.01);
}

#[test]
fn the_default_grid_is_the_sources() {
    let grid = Grid::default();
    assert_eq!(grid.nodes().len(), 41);
    assert_eq!((grid.nodes()[0], grid.nodes()[20], grid.nodes()[40]), (-4.0, 0.0, 4.0));
    assert!((grid.spacing() - 0.2).abs() < ROUNDING);
    assert!((grid.weights().iter().sum::<f64>() - 1.0).abs() < ROUNDING);
    // The ratio of standard normal densities at 1 and at 0.
    let ratio = grid.weights()[25] / grid.weights()[20];
    assert!((ratio - (-0.5f64).exp()).abs() < ROUNDING);
    for (weight, log) in grid.weights().iter().zip(grid.log_weights()) {
        assert!((weight.ln() - log).abs() < ROUNDING);
    }
    assert_eq!(grid, Grid::standard_normal(41, -4.0, 4.0).expect("sound"));
}

#[test]
fn probabilities_stay_inside_their_range() {
    assert_eq!(probability(2.0, 1.0, 1.0), 0.5);
    assert!((probability(1.0, 0.0, 3.0f64.ln()) - 0.75).abs() < ROUNDING);
    assert!(probability(3.0, 4.0, -200.0) > 0.0);
    assert_eq!(probability(3.0, -200.0, 4.0), 1.0);
}

/// What does not count has no standard error.
#[test]
fn items_of_weight_zero_have_no_standard_errors() {
    let responses = board(10, 20, &SPREAD, 3).responses;
    let mut weights = vec![1.0; responses.items()];
    weights[0] = 0.0;
    let options = FitOptions {
        item_weights: Some(weights),
        ..FitOptions::default()
    };
    let fit = fit(&responses, Model::TwoPl, &options).expect("sound");
    let errors = standard_errors(&responses, &fit, &options);
    assert_eq!(errors, Err(IrtError::Undefined(Undefined::NotPositiveDefinite)));
}

/// At a point that is no maximum the observed information may be indefinite; it is then refused, not turned into a NaN.
#[test]
fn standard_errors_away_from_a_maximum_are_undefined() {
    let responses = board(10, 40, &SPREAD, 4).responses;
    let options = FitOptions::default();
    let mut fit = fit(&responses, Model::TwoPl, &options).expect("sound");
    fit.items.discrimination.fill(8.0);
    fit.items.difficulty.fill(3.0);
    let errors = standard_errors(&responses, &fit, &options);
    assert_eq!(errors, Err(IrtError::Undefined(Undefined::NotPositiveDefinite)));
}

#[test]
fn groups_of_systems_that_share_no_item() {
    // The first and the third share an item, the third and the fourth another; the last answered nothing.
    let responses = table(&["01..", "..01", "1..0", "0...", "...."]);
    assert_eq!(linked_groups(&responses), [0, 0, 0, 0, 1]);
    let apart = table(&["01..", "..01", "10..", "..10"]);
    assert_eq!(linked_groups(&apart), [0, 1, 0, 1]);
}

//! The refined grid: the optimum of `longrow` from every start, and the same integral as every node would give.

mod irt_data;

use calibrant_stats::irt::{
    Fit, FitOptions, Grid, GridRule, Items, Model, Responses, abilities, fit, refined_abilities, standard_errors,
};
use calibrant_stats::stream::{Purpose, Stream};
use irt_data::{Spread, board, largest_difference, responses};

/// F of `longrow` under the 2PL on 161 and 321 nodes: the reference's values, and its tolerance.
const LONGROW: [(usize, f64); 2] = [(161, -14_839.628_37), (321, -14_839.628_33)];
const LOG_POSTERIOR: f64 = 1e-5;

/// The default start, one far from it, and a random one.
fn starts(items: usize) -> Vec<Option<Items>> {
    let mut stream = Stream::new(5, Purpose::Simulation, 0);
    let flat = Items {
        discrimination: vec![0.4; items],
        difficulty: vec![0.0; items],
    };
    let random = Items {
        discrimination: (0..items).map(|_| (0.7 * stream.normal()).exp()).collect(),
        difficulty: (0..items).map(|_| 2.0 * stream.normal()).collect(),
    };
    vec![None, Some(flat), Some(random)]
}

fn on(responses: &Responses, grid: Grid, rule: GridRule, start: Option<Items>) -> Fit {
    let options = FitOptions {
        grid,
        rule,
        start,
        ..FitOptions::default()
    };
    fit(responses, Model::TwoPl, &options).expect("the reference data are sound")
}

#[test]
fn longrow_reaches_its_optimum_from_three_starts() {
    let responses = responses("longrow");
    for start in starts(responses.items()) {
        let refined = on(&responses, Grid::default(), GridRule::Refined, start);
        assert!(refined.convergence.converged());
        for (nodes, expected) in LONGROW {
            let grid = Grid::standard_normal(nodes, -4.0, 4.0).expect("a grid");
            let fit = on(&responses, grid, GridRule::Fixed, Some(refined.items.clone()));
            assert!(fit.convergence.converged());
            assert!(
                (fit.log_posterior - expected).abs() <= LOG_POSTERIOR,
                "{nodes} nodes: F is {}",
                fit.log_posterior
            );
        }
    }
}

#[test]
fn longrow_on_fixed_nodes_from_three_starts() {
    let responses = responses("longrow");
    for start in starts(responses.items()) {
        for (nodes, expected) in LONGROW {
            let grid = Grid::standard_normal(nodes, -4.0, 4.0).expect("a grid");
            let fit = on(&responses, grid, GridRule::Fixed, start.clone());
            assert!(fit.convergence.converged());
            assert!(
                (fit.log_posterior - expected).abs() <= LOG_POSTERIOR,
                "{nodes} nodes: F is {}",
                fit.log_posterior
            );
        }
    }
}

const SPREAD: Spread = Spread {
    log_discrimination: 0.5,
    difficulty: 1.5,
    missing: 0.05,
};

/// What windows and interpolation leave out is below what the spacing itself does (METHODS 82: 3e-6 of F's terms).
#[test]
fn a_refined_fit_is_the_fit_on_every_node() {
    const SAME_F: f64 = 1e-6;
    // Both fits stop at a gradient of 1e-6; the least curvature, a prior's, is 1/4.
    const SAME_PARAMETER: f64 = 1e-4;
    for (systems, items, nodes) in [(6, 40, 41), (15, 600, 81), (12, 2000, 161)] {
        let board = board(systems, items, &SPREAD, 3);
        for model in [Model::OnePl, Model::TwoPl] {
            let refined = fit(&board.responses, model, &FitOptions::default()).expect("no item is constant");
            assert!(refined.convergence.converged(), "{:?}", refined.convergence);
            assert!(
                refined.grid.nodes().len() >= nodes,
                "{systems} x {items}: {}",
                refined.grid.nodes().len()
            );
            let options = FitOptions {
                grid: refined.grid.clone(),
                rule: GridRule::Fixed,
                start: Some(refined.items.clone()),
                ..FitOptions::default()
            };
            let whole = fit(&board.responses, model, &options).expect("no item is constant");
            assert!((whole.log_posterior - refined.log_posterior).abs() <= SAME_F);
            let (found, expected) = (&refined.items, &whole.items);
            assert!(largest_difference(&found.discrimination, &expected.discrimination) <= SAME_PARAMETER);
            assert!(largest_difference(&found.difficulty, &expected.difficulty) <= SAME_PARAMETER);
        }
    }
}

/// Standard errors in windows are those over every node.
#[test]
fn standard_errors_do_not_hang_on_windows() {
    const RELATIVE: f64 = 1e-5;
    let board = board(10, 500, &SPREAD, 8);
    let refined = fit(&board.responses, Model::TwoPl, &FitOptions::default()).expect("no item is constant");
    assert!(refined.grid.nodes().len() > 41, "the case needs a refined grid");
    let errors = |grid: Grid| {
        let fit = Fit {
            grid,
            ..refined.clone()
        };
        standard_errors(&board.responses, &fit, &FitOptions::default()).expect("a maximum")
    };
    // 249 intervals are no halving of fewer, so these nodes are taken whole.
    let whole = errors(Grid::standard_normal(250, -4.0, 4.0).expect("a grid"));
    for (found, expected) in errors(refined.grid.clone()).iter().zip(&whole) {
        assert!((found.difficulty / expected.difficulty - 1.0).abs() <= RELATIVE);
        assert!((found.log_discrimination / expected.log_discrimination - 1.0).abs() <= RELATIVE);
    }
}

/// From the source's 41 nodes on, the grid is refined until abilities are those of a grid far finer than any posterior.
#[test]
fn refined_abilities_are_those_of_a_fine_grid() {
    // The ends of a grid have whole nodes: 41 of them give the tails beyond 3.9 a weight that 6,401 do not.
    const WIDE: f64 = 1e-3;
    const NARROW: f64 = 1e-6;
    for (items, same) in [(1, WIDE), (12, WIDE), (300, NARROW), (3000, NARROW)] {
        let board = board(9, items, &SPREAD, 4);
        let grid = Grid::standard_normal(6401, -4.0, 4.0).expect("a grid");
        let expected = abilities(&board.responses, &board.items, &grid, None).expect("items");
        let found = refined_abilities(&board.responses, &board.items, &Grid::default(), None).expect("items");
        assert_eq!(found.len(), 9);
        for (found, expected) in found.iter().zip(&expected) {
            assert!(
                (found.mean - expected.mean).abs() <= same,
                "{items}: {found:?} {expected:?}"
            );
            assert!(
                (found.standard_error - expected.standard_error).abs() <= same,
                "{items}: {found:?} {expected:?}"
            );
        }
    }
}

/// Where the source's nodes are fine enough they are kept, so that these abilities are the fixed ones to the last bit.
#[test]
fn a_grid_that_is_fine_enough_is_kept() {
    let board = board(6, 40, &SPREAD, 2);
    let grid = Grid::default();
    let fixed = abilities(&board.responses, &board.items, &grid, None).expect("items");
    let refined = refined_abilities(&board.responses, &board.items, &grid, None).expect("items");
    for (fixed, refined) in fixed.iter().zip(&refined) {
        assert!((fixed.mean - refined.mean).abs() < 1e-12 && (fixed.edge_mass - refined.edge_mass).abs() < 1e-12);
    }
}

/// A system that passed everything hard has mass at the end, which says so.
#[test]
fn refined_abilities_at_the_end_of_the_grid_say_so() {
    let items = Items {
        discrimination: vec![2.0; 400],
        difficulty: vec![4.0; 400],
    };
    let responses = Responses::new(1, 400, vec![1; 400], vec![1; 400]).expect("binary labels");
    let found = refined_abilities(&responses, &items, &Grid::default(), None).expect("items")[0];
    assert!(found.mean < 4.0 && found.edge_mass > 0.01, "{found:?}");
}

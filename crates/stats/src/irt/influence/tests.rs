use super::super::{GridRule, Items, Priors, constant_items, fit, node_log_likelihood, posterior};
use super::*;
use crate::stream::{Purpose, Stream};

const SYSTEMS: usize = 6;
const ITEMS: usize = 40;
const A_CLUSTER: usize = 4;

/// Labels of six systems on forty items, constant ones dropped, with the cluster of each item.
fn board() -> (Responses, Vec<usize>) {
    let mut stream = Stream::new(7, Purpose::Simulation, 0);
    let abilities: Vec<f64> = (0..SYSTEMS).map(|_| stream.normal()).collect();
    let mut successes = Vec::new();
    for _ in 0..ITEMS {
        let (a, b) = ((0.3 * stream.normal()).exp(), stream.normal());
        for theta in &abilities {
            let p = 1.0 / (1.0 + (-a * (theta - b)).exp());
            successes.push(u16::from(stream.bernoulli(p)));
        }
    }
    let trials = vec![1; successes.len()];
    let all = Responses::new(SYSTEMS, ITEMS, successes, trials).expect("binary labels");
    let constant = constant_items(&all);
    let kept: Vec<usize> = (0..ITEMS).filter(|j| !constant.contains(j)).collect();
    let clusters: Vec<usize> = kept.iter().map(|j| j / A_CLUSTER).collect();
    (all.select(&kept), clusters)
}

/// Tight enough that differences of fits over a weight of 1e-4 are known to 1e-4.
fn options(weights: Option<Vec<f64>>) -> FitOptions {
    FitOptions {
        gradient_tolerance: 1e-11,
        item_weights: weights,
        rule: GridRule::Fixed,
        ..FitOptions::default()
    }
}

/// Abilities on some of the items after a fit in which a cluster's items weigh a little more.
fn abilities_with(responses: &Responses, weights: &[f64], in_bank: &[bool], model: Model) -> Vec<f64> {
    let options = options(Some(weights.to_vec()));
    let fit = fit(responses, model, &options).expect("a fit");
    let bank: Vec<f64> = weights
        .iter()
        .zip(in_bank)
        .map(|(w, &is_in)| if is_in { *w } else { 0.0 })
        .collect();
    let abilities = super::super::abilities(responses, &fit.items, &fit.grid, Some(&bank));
    abilities
        .expect("fitted items")
        .iter()
        .map(|ability| ability.mean)
        .collect()
}

/// The influence of a cluster is the derivative of abilities by its weight, refits and all.
#[test]
fn influence_is_the_derivative_of_refits() {
    const STEP: f64 = 1e-4;
    // The square of the step times a third derivative of order 1, and what projections leave out of a derivative of order 0.1.
    const DIFFERENCE: f64 = 2e-5;
    let (responses, clusters) = board();
    let count = ITEMS / A_CLUSTER;
    let everything = vec![true; responses.items()];
    let bank: Vec<bool> = (0..responses.items()).map(|j| j % 3 == 0).collect();
    for model in [Model::OnePl, Model::TwoPl] {
        let options = options(None);
        let point = fit(&responses, model, &options).expect("a fit");
        let linear = Linearised::new(&responses, &point, &options).expect("a maximum");
        let found = [
            linear.influence(&clusters, count),
            linear.bank_influence(&clusters, count, &bank),
        ];
        for (found, in_bank) in found.iter().zip([&everything, &bank]) {
            let mut largest: f64 = 0.0;
            for cluster in 0..count {
                let moved = |step: f64| {
                    let weight = |&c: &usize| if c == cluster { 1.0 + step } else { 1.0 };
                    let weights: Vec<f64> = clusters.iter().map(weight).collect();
                    abilities_with(&responses, &weights, in_bank, model)
                };
                let (up, down) = (moved(STEP), moved(-STEP));
                for i in 0..SYSTEMS {
                    let derivative = (up[i] - down[i]) / (2.0 * STEP);
                    let value = found[cluster * SYSTEMS + i];
                    assert!(
                        (value - derivative).abs() <= DIFFERENCE,
                        "{model:?} {cluster} {i}: {value} {derivative}"
                    );
                    largest = largest.max(derivative.abs());
                }
            }
            assert!(largest > 0.01, "some cluster must matter: {largest}");
        }
    }
}

/// Posterior variances plus `G S G'`, with `G` the derivatives of abilities by item parameters and `S` the inverse of minus the second
/// derivatives of F, both by differences.
#[test]
fn covariance_is_the_posterior_and_the_delta_term() {
    // Differences of differences: rounding of 1e-10 over a step of 1e-4.
    const DIFFERENCE: f64 = 1e-4;
    let (responses, _) = board();
    let options = options(None);
    let point = fit(&responses, Model::TwoPl, &options).expect("a fit");
    let linear = Linearised::new(&responses, &point, &options).expect("a maximum");
    let bank: Vec<bool> = (0..responses.items()).map(|j| j % 2 == 0).collect();
    let everything = vec![true; responses.items()];
    let found = [linear.covariance(), linear.bank_covariance(&bank)];
    for (found, in_bank) in found.iter().zip([everything, bank]) {
        let expected = expected_covariance(&responses, &point, &in_bank);
        for (k, (value, expected)) in found.iter().zip(&expected).enumerate() {
            assert!((value - expected).abs() <= DIFFERENCE, "{k}: {value} {expected}");
        }
    }
}

fn expected_covariance(responses: &Responses, point: &Fit, in_bank: &[bool]) -> Vec<f64> {
    const STEP: f64 = 1e-4;
    let items = responses.items();
    let size = 2 * items;
    let x: Vec<f64> = point
        .items
        .discrimination
        .iter()
        .map(|a| a.ln())
        .chain(point.items.difficulty.iter().copied())
        .collect();
    let moved = |k: usize, step: f64| {
        let mut x = x.clone();
        x[k] += step;
        Items {
            discrimination: x[..items].iter().map(|log| log.exp()).collect(),
            difficulty: x[items..].to_vec(),
        }
    };
    let weights: Vec<f64> = in_bank.iter().map(|&is_in| f64::from(u8::from(is_in))).collect();
    let abilities =
        |items: &Items| super::super::abilities(responses, items, &point.grid, Some(&weights)).expect("items");
    let mut information = vec![0.0; size * size];
    let mut by_parameter = vec![0.0; SYSTEMS * size];
    for k in 0..size {
        let (up, down) = (moved(k, STEP), moved(k, -STEP));
        let (above, below) = (gradient(responses, point, &up), gradient(responses, point, &down));
        for l in 0..size {
            information[k * size + l] = -(above[l] - below[l]) / (2.0 * STEP);
        }
        let (above, below) = (abilities(&up), abilities(&down));
        for i in 0..SYSTEMS {
            by_parameter[i * size + k] = (above[i].mean - below[i].mean) / (2.0 * STEP);
        }
    }
    let factor = Cholesky::new(information, size).expect("a maximum");
    let at = abilities(&point.items);
    let mut expected = vec![0.0; SYSTEMS * SYSTEMS];
    for i in 0..SYSTEMS {
        let solved = factor.solve(by_parameter[i * size..(i + 1) * size].to_vec());
        for k in 0..SYSTEMS {
            let own = if i == k { at[i].standard_error.powi(2) } else { 0.0 };
            expected[i * SYSTEMS + k] = own + dot(&solved, &by_parameter[k * size..(k + 1) * size]);
        }
    }
    expected
}

/// The derivatives of F by (log a, b).
fn gradient(responses: &Responses, point: &Fit, items: &Items) -> Vec<f64> {
    let support = point.grid.support(SYSTEMS);
    let shard = responses.shard(0..responses.items()).expect("all items");
    let at = posterior(node_log_likelihood(&shard, items, &support, None), responses, &support);
    let scores = item_scores(&shard, &at, items, &support, None);
    let priors = Priors::default();
    let slopes = scores.iter().zip(&items.discrimination);
    let slopes = slopes.map(|(score, a)| score.slope - a.ln() / priors.log_discrimination_sd.powi(2));
    let difficulties = scores.iter().zip(&items.difficulty);
    let difficulties = difficulties.map(|(score, b)| score.difficulty - b / priors.difficulty_sd.powi(2));
    slopes.chain(difficulties).collect()
}

#[test]
fn a_fit_that_is_no_maximum_has_no_influence() {
    let (responses, _) = board();
    let options = options(None);
    let mut point = fit(&responses, Model::TwoPl, &options).expect("a fit");
    point.items.difficulty.iter_mut().for_each(|b| *b += 6.0);
    let linear = Linearised::new(&responses, &point, &options);
    assert!(matches!(
        linear.err(),
        Some(IrtError::Undefined(Undefined::NotPositiveDefinite))
    ));
}

/// Few systems ask for one form of the linear system and many for the other; both give one answer.
#[test]
fn both_forms_of_the_linear_system_agree() {
    // Two factors of well-conditioned matrices of some 70 and some 50 rows.
    const SAME: f64 = 1e-10;
    let (responses, clusters) = board();
    for model in [Model::OnePl, Model::TwoPl] {
        let options = options(None);
        let point = fit(&responses, model, &options).expect("a fit");
        let mut linear = Linearised::new(&responses, &point, &options).expect("a maximum");
        let solved = solved_columns(&linear.complete, &linear.missing);
        let mut answers = Vec::new();
        for factor in [
            remaining(&linear.missing, &solved).map(Factor::Movements),
            observed(&linear.complete, &linear.missing).map(Factor::Parameters),
        ] {
            linear.factor = factor.expect("a maximum");
            answers.push([linear.influence(&clusters, ITEMS / A_CLUSTER), linear.covariance()].concat());
        }
        for (x, y) in answers[0].iter().zip(&answers[1]) {
            assert!((x - y).abs() <= SAME, "{model:?}: {x} {y}");
        }
    }
}

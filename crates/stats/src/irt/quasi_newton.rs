//! Limited-memory quasi-Newton ascent on F, preconditioned by the complete-data curvature.

use std::collections::VecDeque;

use super::fit::{Convergence, Stopped};
use super::linear::{add, dot, largest};
use super::objective::Evaluation;
use crate::watch::Watch;

/// Steps remembered. More changes nothing on the reference tables.
const MEMORY: usize = 10;

/// The longest step of any coordinate in one iteration: the prior deviation of a log discrimination.
///
/// Far from the maximum the quadratic model is wrong. Where posteriors are narrower than the grid's spacing F has several maxima, and
/// long steps jump between them: on the reference table `longrow` every cap from 0.4 to 0.5 reaches the reference's maximum for a shared
/// discrimination, caps from 0.55 do not.
const LONGEST_STEP: f64 = 0.5;

/// The iterations before which the curvature along free directions is learned: at the start, and where the shape of the fit is found.
const PROBED: [usize; 2] = [1, 4];

/// The length of the step that learns it.
const PROBE: f64 = 1e-4;

/// The share of the promised gain that a step must bring.
const ARMIJO: f64 = 1e-4;

/// F is a sum of thousands of rounded terms: a fall below this share of it is rounding, not a loss.
const ROUNDING: f64 = 1e-14;

/// Halvings of a step before the direction is given up.
const HALVINGS: usize = 40;

/// F, as an ascent sees it.
pub(super) trait Landscape {
    /// F and its derivatives at a point.
    fn evaluate(&self, x: &[f64]) -> Evaluation;

    /// Directions at a point along which the likelihood hardly changes.
    fn free_directions(&self, x: &[f64]) -> Vec<Vec<f64>>;

    /// Called with every point the ascent has reached, which may be evaluated anew.
    fn accept(&mut self, _x: &[f64], at: Evaluation) -> Evaluation {
        at
    }
}

/// When to stop.
pub(super) struct Limits {
    pub gradient_tolerance: f64,
    pub max_iterations: usize,
}

/// Where an ascent ended.
pub(super) struct End {
    pub x: Vec<f64>,
    pub at: Evaluation,
    pub convergence: Convergence,
}

/// A step and the fall of the gradient along it.
struct Pair {
    step: Vec<f64>,
    fall: Vec<f64>,
    inverse_product: f64,
}

/// Climbs from `x` until the gradient is within its tolerance. F of accepted points never falls beyond rounding.
pub(super) fn maximise(landscape: &mut impl Landscape, mut x: Vec<f64>, limits: &Limits) -> End {
    let mut at = landscape.evaluate(&x);
    let mut memory: VecDeque<Pair> = VecDeque::with_capacity(MEMORY);
    let mut iterations = 0;
    // Invariant: `at` is the evaluation of `x`, and every pair in memory has a positive product, so directions ascend.
    let watch = Watch::current();
    let stopped = loop {
        watch.step();
        if largest(&at.gradient) <= limits.gradient_tolerance {
            break Stopped::Gradient;
        }
        if iterations == limits.max_iterations {
            break Stopped::Iterations;
        }
        if PROBED.contains(&iterations) {
            probe(landscape, &x, &at, &mut memory);
        }
        let direction = direction(&at, &memory);
        match line_search(landscape, &x, &at, &direction) {
            Some((next_x, next)) => {
                let next = landscape.accept(&next_x, next);
                remember(&mut memory, (&x, &at), (&next_x, &next));
                (x, at) = (next_x, next);
                iterations += 1;
            }
            // The plain scoring step may still climb where remembered curvature misleads.
            None if !memory.is_empty() => memory.clear(),
            None => break Stopped::NoProgress,
        }
    };
    let convergence = Convergence {
        iterations,
        gradient_max: largest(&at.gradient),
        stopped,
    };
    End { x, at, convergence }
}

/// Learns how F curves along the directions in which a fit is nearly free, by a short step along each.
///
/// There the complete-data curvature is far too large, and an ascent that has to learn it from its own steps crawls.
fn probe(landscape: &impl Landscape, x: &[f64], at: &Evaluation, memory: &mut VecDeque<Pair>) {
    for mut step in landscape.free_directions(x) {
        step.iter_mut().for_each(|d| *d *= PROBE);
        let mut near = x.to_vec();
        add(&mut near, 1.0, &step);
        remember(memory, (x, at), (&near, &landscape.evaluate(&near)));
    }
}

/// The two-loop recursion around the complete-data curvature at the present point (Nocedal and Wright 2006, algorithm 7.4).
fn direction(at: &Evaluation, memory: &VecDeque<Pair>) -> Vec<f64> {
    let mut d = at.gradient.clone();
    let mut coefficients = Vec::with_capacity(memory.len());
    for pair in memory.iter().rev() {
        let coefficient = dot(&pair.step, &d) * pair.inverse_product;
        add(&mut d, -coefficient, &pair.fall);
        coefficients.push(coefficient);
    }
    at.curvature.solve(&mut d);
    for (pair, coefficient) in memory.iter().zip(coefficients.iter().rev()) {
        let correction = dot(&pair.fall, &d) * pair.inverse_product;
        add(&mut d, coefficient - correction, &pair.step);
    }
    d
}

/// The first point along `direction`, halving from a step within [`LONGEST_STEP`], that raises F enough.
fn line_search(
    landscape: &impl Landscape,
    x: &[f64],
    at: &Evaluation,
    direction: &[f64],
) -> Option<(Vec<f64>, Evaluation)> {
    let ascent = dot(&at.gradient, direction);
    if ascent.is_nan() || ascent <= 0.0 {
        return None;
    }
    let rounding = ROUNDING * at.log_posterior.abs();
    let mut scale = (LONGEST_STEP / largest(direction)).min(1.0);
    for _ in 0..HALVINGS {
        let mut next_x = x.to_vec();
        add(&mut next_x, scale, direction);
        let next = landscape.evaluate(&next_x);
        if next.log_posterior >= at.log_posterior + ARMIJO * scale * ascent - rounding {
            return Some((next_x, next));
        }
        scale /= 2.0;
    }
    None
}

/// Keeps the step just taken if F curved down along it.
fn remember(memory: &mut VecDeque<Pair>, (x, at): (&[f64], &Evaluation), (next_x, next): (&[f64], &Evaluation)) {
    let difference = |left: &[f64], right: &[f64]| -> Vec<f64> { left.iter().zip(right).map(|(l, r)| l - r).collect() };
    let step = difference(next_x, x);
    let fall = difference(&at.gradient, &next.gradient);
    let product = dot(&step, &fall);
    if product <= f64::EPSILON * (dot(&step, &step) * dot(&fall, &fall)).sqrt() {
        return;
    }
    if memory.len() == MEMORY {
        memory.pop_front();
    }
    memory.push_back(Pair {
        step,
        fall,
        inverse_product: 1.0 / product,
    });
}

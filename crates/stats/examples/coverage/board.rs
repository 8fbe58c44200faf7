//! Simulated boards with a known truth.

use calibrant_stats::irt::{IrtError, Responses, constant_items};
use calibrant_stats::score::{Clip, PlanItem, RollUp, ScorePlan};
use calibrant_stats::simulate::{SimulatedPanel, SimulationOptions, simulate};

/// Judges where there are any.
const JUDGES: usize = 3;

/// Standard deviation of what a query adds to one system's ability, where systems interact with queries.
const INTERACTION: f64 = 0.5;

/// Items over which a score is averaged to know its true value: its own error is then a tenth of an interval's or less.
const MANY: usize = 40_000;

/// One cell of the tables.
#[derive(Clone, Copy)]
pub struct Setting {
    pub systems: usize,
    pub items: usize,
    pub criteria: usize,
    pub judge_error: bool,
    pub interaction: bool,
    pub ability_sd: f64,
}

impl Setting {
    /// Queries, as many as the items fill; three at least.
    pub fn queries(&self) -> usize {
        (self.items / self.criteria).max(3)
    }

    fn options(&self, seed: u64) -> SimulationOptions {
        SimulationOptions {
            systems: self.systems,
            queries: self.queries(),
            criteria: self.criteria,
            judges: if self.judge_error { JUDGES } else { 0 },
            seed,
            ability_sd: self.ability_sd,
            query_interaction_sd: if self.interaction { INTERACTION } else { 0.0 },
            leniency_sd: 0.0,
            ..SimulationOptions::default()
        }
    }
}

/// A board as a fit sees it.
pub struct Board {
    /// Responses to the items that vary.
    pub responses: Responses,
    /// The query of each of those.
    pub queries: Vec<u32>,
    /// The abilities drawn.
    pub abilities: Vec<f64>,
    /// The share each system passed of each query, system by system.
    pub query_scores: Vec<Option<f64>>,
    /// The plan that makes one score of them.
    pub plan: ScorePlan,
}

pub fn board(setting: &Setting, seed: u64) -> Result<Board, IrtError> {
    let panel = simulate(&setting.options(seed));
    let (systems, items) = (setting.systems, panel.query.len());
    let label = |system: usize, item: usize| majority(&panel, system * items + item);
    let cells = (0..items).flat_map(|item| (0..systems).map(move |system| (system, item)));
    let successes: Vec<u16> = cells.map(|(system, item)| u16::from(label(system, item))).collect();
    let trials = vec![1; successes.len()];
    let all = Responses::new(systems, items, successes, trials)?;
    let constant = constant_items(&all);
    let varying: Vec<usize> = (0..items)
        .filter(|item| constant.binary_search(item).is_err())
        .collect();
    let share = |system: usize, query: usize| {
        let of_query = query * setting.criteria..(query + 1) * setting.criteria;
        let met = of_query.clone().filter(|&item| label(system, item)).count();
        Some(met as f64 / of_query.len() as f64)
    };
    let queries = setting.queries();
    let query_scores = (0..systems).flat_map(|i| (0..queries).map(move |q| (i, q)));
    let plan = ScorePlan::new(
        panel.query.iter().map(|&query| PlanItem::new(query, 1.0)).collect(),
        vec![1.0; queries],
        RollUp::Weighted,
        Clip::Mean,
    )
    .expect("one weight a query");
    Ok(Board {
        responses: all.select(&varying),
        queries: varying.iter().map(|&item| panel.query[item]).collect(),
        query_scores: query_scores.map(|(i, q)| share(i, q)).collect(),
        abilities: panel.abilities,
        plan,
    })
}

/// The label the panel settles on: what is true where nobody errs.
fn majority(panel: &SimulatedPanel, unit: usize) -> bool {
    let votes = panel.labels.iter().filter(|labels| labels[unit] == 1).count();
    if panel.labels.is_empty() {
        panel.truth[unit] == 1
    } else {
        2 * votes > panel.labels.len()
    }
}

/// The score of a system of any ability over all queries there could be, from a table over abilities.
pub struct TrueScore {
    abilities: Vec<f64>,
    scores: Vec<f64>,
}

impl TrueScore {
    /// Averages over many items at abilities from -5 to 5; the same items for all.
    pub fn new(setting: &Setting) -> Self {
        const STEPS: usize = 100;
        let panel = simulate(&SimulationOptions {
            systems: 1,
            queries: MANY,
            criteria: 1,
            ..setting.options(u64::MAX)
        });
        // A normal shift at its 21 equally likely middles.
        let shift = |k: usize| {
            let p = (k as f64 + 0.5) / 21.0;
            if setting.interaction {
                INTERACTION * normal_quantile(p)
            } else {
                0.0
            }
        };
        let shifts: Vec<f64> = (0..if setting.interaction { 21 } else { 1 }).map(shift).collect();
        let abilities: Vec<f64> = (0..=STEPS).map(|k| -5.0 + 10.0 * k as f64 / STEPS as f64).collect();
        let at = |theta: f64| {
            let items = panel
                .discrimination
                .iter()
                .zip(&panel.difficulty)
                .zip(&panel.judge_error);
            let mean = |((a, b), error): ((&f64, &f64), &f64)| {
                let passes = shifts.iter().map(|u| 1.0 / (1.0 + (-a * (theta + u - b)).exp()));
                let p = passes.sum::<f64>() / shifts.len() as f64;
                let wrong = if setting.judge_error {
                    error * error * (3.0 - 2.0 * error)
                } else {
                    0.0
                };
                p * (1.0 - wrong) + (1.0 - p) * wrong
            };
            items.map(mean).sum::<f64>() / MANY as f64
        };
        Self {
            scores: abilities.iter().map(|&theta| at(theta)).collect(),
            abilities,
        }
    }

    pub fn at(&self, theta: f64) -> f64 {
        let step = self.abilities[1] - self.abilities[0];
        let place = ((theta - self.abilities[0]) / step).clamp(0.0, (self.abilities.len() - 2) as f64);
        let below = (place as usize).min(self.abilities.len() - 2);
        let share = place - below as f64;
        self.scores[below] * (1.0 - share) + self.scores[below + 1] * share
    }
}

/// The standard normal quantile, by adding up the density until `p` is reached: right to a thousandth.
fn normal_quantile(p: f64) -> f64 {
    let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let step = 1e-3;
    let (mut x, mut below) = (-6.0, 0.0);
    while below < p {
        below += step * density(x + step / 2.0);
        x += step;
    }
    x
}

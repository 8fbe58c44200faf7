//! A simulated panel with known truth: abilities, items and judge errors drawn from stated distributions.
//!
//! Nothing here is data. It serves the demonstration, and tests that ask whether an estimate finds what was put in.

use crate::beta::beta_quantile;
use crate::judge_error::{judge_error, unanimity_rate};
use crate::stream::{Purpose, Stream};
use crate::watch::Watch;

/// The shape of a simulated panel and the spread of what is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulationOptions {
    /// Systems.
    pub systems: usize,
    /// Queries.
    pub queries: usize,
    /// Criteria of each query; items are queries times this.
    pub criteria: usize,
    /// Judges.
    pub judges: usize,
    /// The seed of the streams.
    pub seed: u64,
    /// Standard deviation of the normal abilities, mean 0.
    pub ability_sd: f64,
    /// Standard deviation of what a query adds to the ability of one system: normal, mean 0, the same for all criteria of the query.
    pub query_interaction_sd: f64,
    /// Standard deviation of the normal difficulties, mean 0.
    pub difficulty_sd: f64,
    /// Standard deviation of the normal logarithm of discrimination, mean 0.
    pub log_discrimination_sd: f64,
    /// Shapes of the beta distribution of an item's chance that three judges agree.
    pub agreement: (f64, f64),
    /// Standard deviation of the judges' leniency, a shift of the log odds of a pass.
    pub leniency_sd: f64,
}

impl Default for SimulationOptions {
    /// 15 systems, 624 items of 104 queries and 3 judges: the main block of `[CR26]`. Agreement follows the beta distribution that
    /// METHODS 77 finds in its Table 13; the spread of discrimination is the prior of METHODS 80; the rest is ours.
    fn default() -> Self {
        Self {
            systems: 15,
            queries: 104,
            criteria: 6,
            judges: 3,
            seed: 1,
            ability_sd: 1.0,
            query_interaction_sd: 0.0,
            difficulty_sd: 1.5,
            log_discrimination_sd: 0.5,
            agreement: (4.23, 1.05),
            leniency_sd: 0.2,
        }
    }
}

/// What was drawn. Tables are system by system, each over all items in order of query.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedPanel {
    /// The ability of each system.
    pub abilities: Vec<f64>,
    /// The discrimination of each item, above 0.
    pub discrimination: Vec<f64>,
    /// The difficulty of each item.
    pub difficulty: Vec<f64>,
    /// The query of each item.
    pub query: Vec<u32>,
    /// The chance in [0, 1/2] that a judge without leniency mislabels a unit of the item.
    pub judge_error: Vec<f64>,
    /// The leniency of each judge.
    pub leniency: Vec<f64>,
    /// The true label of each system and item, 0 or 1.
    pub truth: Vec<u8>,
    /// For each judge, a label for each system and item, 0 or 1.
    pub labels: Vec<Vec<u8>>,
}

/// Parts of the simulation, each with a stream of its own: another judge or system changes no other draw of its kind.
const ABILITIES: u32 = 0;
const ITEMS: u32 = 1;
const TRUTH: u32 = 2;
const LENIENCY: u32 = 3;
const FIRST_JUDGE: u32 = 4;
/// Past the numbers of any judges.
const INTERACTION: u32 = u32::MAX;

/// Draws a panel: true labels from the two-parameter logistic model, its abilities shifted query by query where that is asked for; judge labels from the truth with errors.
///
/// A judge passes a unit with log odds `logit(1 - e)` if it truly passes and `logit(e)` if not, plus the judge's leniency, where `e`
/// is the item's error.
#[must_use]
pub fn simulate(options: &SimulationOptions) -> SimulatedPanel {
    let items = options.queries * options.criteria;
    let mut stream = part(options, ABILITIES);
    let abilities: Vec<f64> = (0..options.systems)
        .map(|_| options.ability_sd * stream.normal())
        .collect();
    let mut panel = SimulatedPanel {
        abilities,
        discrimination: Vec::with_capacity(items),
        difficulty: Vec::with_capacity(items),
        query: (0..items).map(|j| (j / options.criteria) as u32).collect(),
        judge_error: Vec::with_capacity(items),
        leniency: Vec::with_capacity(options.judges),
        truth: Vec::new(),
        labels: Vec::with_capacity(options.judges),
    };
    panel.draw_items(options, items);
    panel.draw_truth(options, &mut part(options, TRUTH));
    let mut stream = part(options, LENIENCY);
    let watch = Watch::current();
    for judge in 0..options.judges {
        watch.step();
        let leniency = options.leniency_sd * stream.normal();
        panel.leniency.push(leniency);
        let labels = panel.judge(leniency, &mut part(options, FIRST_JUDGE + judge as u32));
        panel.labels.push(labels);
    }
    panel
}

impl SimulatedPanel {
    fn draw_items(&mut self, options: &SimulationOptions, items: usize) {
        let mut stream = part(options, ITEMS);
        let watch = Watch::current();
        for _ in 0..items {
            watch.check();
            self.discrimination
                .push((options.log_discrimination_sd * stream.normal()).exp());
            self.difficulty.push(options.difficulty_sd * stream.normal());
            self.judge_error.push(item_error(options.agreement, stream.uniform()));
        }
    }

    fn draw_truth(&mut self, options: &SimulationOptions, stream: &mut Stream) {
        let mut interaction = part(options, INTERACTION);
        let watch = Watch::current();
        for &theta in &self.abilities {
            watch.check();
            let shifts: Vec<f64> = (0..options.queries)
                .map(|_| options.query_interaction_sd * interaction.normal())
                .collect();
            let items = self.discrimination.iter().zip(&self.difficulty).zip(&self.query);
            for ((a, b), &query) in items {
                let theta = theta + shifts[query as usize];
                self.truth.push(stream.bernoulli(logistic(a * (theta - b))).into());
            }
        }
    }

    fn judge(&self, leniency: f64, stream: &mut Stream) -> Vec<u8> {
        let errors = self.judge_error.iter().cycle();
        let units = self.truth.iter().zip(errors);
        let watch = Watch::current();
        units
            .map(|(&truth, &error)| {
                watch.check();
                let pass = if truth == 1 { 1.0 - error } else { error };
                stream.bernoulli(logistic((pass / (1.0 - pass)).ln() + leniency)).into()
            })
            .collect()
    }
}

fn part(options: &SimulationOptions, part: u32) -> Stream {
    Stream::new(options.seed, Purpose::Simulation, part)
}

/// The error of a judge on an item at quantile `u` of the agreement of three; agreement below that of coins is that of coins.
fn item_error((a, b): (f64, f64), u: f64) -> f64 {
    const PANEL: u32 = 3;
    let agreement = beta_quantile(a, b, u).max(unanimity_rate(0.5, PANEL));
    judge_error(agreement, PANEL).expect("the rate is at least that of coins, and three judges are enough")
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

//! Loads the tables and reference values of the item response tests.
#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::path::PathBuf;

use calibrant_stats::irt::{Items, Model, Responses, constant_items, probability};
use calibrant_stats::stream::{Purpose, Stream};
use serde::Deserialize;

/// One entry of `irt_map.json`.
#[derive(Deserialize)]
pub struct Reference {
    pub objective: f64,
    pub loglik: f64,
    pub npar: usize,
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    pub eap: Vec<f64>,
    /// `None` where all mass is on one node and the variance came out below 0.
    pub posterior_sd: Vec<Option<f64>>,
    pub persons: usize,
    pub responses: usize,
    #[serde(rename = "AIC")]
    pub aic: f64,
    #[serde(rename = "BIC_persons")]
    pub bic_persons: f64,
    #[serde(rename = "BIC_responses")]
    pub bic_responses: f64,
    pub se_x: Option<Vec<f64>>,
    pub nu: Vec<f64>,
}

/// A table of response patterns with frequencies.
#[derive(Deserialize)]
pub struct Patterns {
    pub examinees: u32,
    pub item_totals: Vec<u32>,
    pub patterns: Vec<(String, u32)>,
}

#[expect(clippy::disallowed_methods, reason = "the library is pure, its tests read test data")]
fn testdata(path: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata");
    fs::read_to_string(folder.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The reference values of one table and model.
pub fn reference(name: &str, model: Model) -> Reference {
    let model = match model {
        Model::OnePl => "1PL",
        Model::TwoPl => "2PL",
    };
    // The writer printed the roots of variances that rounding left below 0 as NaN, which JSON does not have.
    let text = testdata("reference/irt_map.json").replace("NaN", "null");
    let all: serde_json::Value = serde_json::from_str(&text).expect("reference values parse");
    let entry = &all[format!("{name}/{model}")];
    Reference::deserialize(entry).expect("a binary entry has these fields")
}

/// One table of the reference values, constant items dropped.
pub fn responses(name: &str) -> Responses {
    let all = match name {
        "lsat6" | "lsat7" => from_patterns(&patterns(name)),
        _ => from_csv(&testdata(&format!("reference/data/{name}.csv"))),
    };
    let constant = constant_items(&all);
    let kept: Vec<usize> = (0..all.items()).filter(|j| !constant.contains(j)).collect();
    all.select(&kept)
}

/// A published table of patterns.
pub fn patterns(name: &str) -> Patterns {
    toml::from_str(&testdata(&format!("published/{name}.toml"))).expect("published tables parse")
}

fn from_patterns(table: &Patterns) -> Responses {
    let rows = table.patterns.iter().map(|(pattern, _)| {
        let digits = pattern.chars();
        digits.map(|d| Some(u16::from(d == '1'))).collect()
    });
    let weights = table.patterns.iter().map(|(_, n)| f64::from(*n));
    from_rows(&rows.collect::<Vec<_>>())
        .with_system_weights(weights.collect())
        .expect("one frequency per pattern")
}

/// A header, then a row per system; an empty field is a missing label.
fn from_csv(text: &str) -> Responses {
    let rows = text.lines().skip(1).map(|line| {
        let fields = line.split(',');
        fields.map(|x| x.parse::<f64>().ok().map(|x| x as u16)).collect()
    });
    from_rows(&rows.collect::<Vec<_>>())
}

/// One label per system and item, or none.
pub fn from_rows(rows: &[Vec<Option<u16>>]) -> Responses {
    let items = rows[0].len();
    let cells = |f: fn(Option<u16>) -> u16| -> Vec<u16> {
        let columns = (0..items).flat_map(|j| rows.iter().map(move |row| row[j]));
        columns.map(f).collect()
    };
    let successes = cells(|x| x.unwrap_or(0));
    let trials = cells(|x| u16::from(x.is_some()));
    Responses::new(rows.len(), items, successes, trials).expect("binary labels")
}

/// The largest absolute difference of two lists of one length.
pub fn largest_difference(left: &[f64], right: &[f64]) -> f64 {
    assert_eq!(left.len(), right.len());
    let differences = left.iter().zip(right).map(|(l, r)| (l - r).abs());
    differences.fold(0.0, f64::max)
}

/// A simulated table and what it was drawn from.
pub struct Board {
    pub responses: Responses,
    pub abilities: Vec<f64>,
    pub items: Items,
}

/// The spread of simulated items.
pub struct Spread {
    pub log_discrimination: f64,
    pub difficulty: f64,
    pub missing: f64,
}

/// Labels of standard normal systems on items with normal log discriminations and difficulties; constant items are dropped.
pub fn board(systems: usize, items: usize, spread: &Spread, seed: u64) -> Board {
    let mut stream = Stream::new(seed, Purpose::Simulation, 0);
    let abilities: Vec<f64> = (0..systems).map(|_| stream.normal()).collect();
    let (mut successes, mut trials) = (Vec::new(), Vec::new());
    let mut drawn = Items {
        discrimination: Vec::new(),
        difficulty: Vec::new(),
    };
    for _ in 0..items {
        let a = (spread.log_discrimination * stream.normal()).exp();
        let b = spread.difficulty * stream.normal();
        drawn.discrimination.push(a);
        drawn.difficulty.push(b);
        for &theta in &abilities {
            let observed = !stream.bernoulli(spread.missing);
            let passed = stream.bernoulli(probability(a, b, theta));
            successes.push(u16::from(observed && passed));
            trials.push(u16::from(observed));
        }
    }
    let all = Responses::new(systems, items, successes, trials).expect("binary labels");
    let constant = constant_items(&all);
    let kept: Vec<usize> = (0..items).filter(|j| !constant.contains(j)).collect();
    Board {
        responses: all.select(&kept),
        abilities,
        items: drawn.select(&kept),
    }
}

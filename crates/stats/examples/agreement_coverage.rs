//! How often intervals of agreement hold what they claim, on simulated labels: the tables of `docs/validation.md`.
//!
//! ```text
//! cargo run --release --package calibrant-stats --example agreement_coverage -- panels SAMPLES
//! cargo run --release --package calibrant-stats --example agreement_coverage -- shares SAMPLES
//! cargo run --release --package calibrant-stats --example agreement_coverage -- correlations SAMPLES
//! ```
//!
//! A unit has a true level, drawn by the shares of a setting; each judge gives it with chance .7 and else any level, and leaves some
//! units out. The true coefficients are those of a million units of the same process.

use calibrant_stats::Undefined;
use calibrant_stats::agreement::{
    Agreement, AgreementBootstrapOptions, Anova, Difference, Icc, MISSING, PairTable, PairedFlags, Patterns, Ratings,
    Tally, Weights, bootstrap_alpha, bootstrap_pair, bootstrap_panel, cohen_kappa, cohen_kappa_error, fleiss_kappa,
    fleiss_kappa_error, gwet_ac, gwet_ac_error, krippendorff_alpha, krippendorff_alpha_error, normal_interval,
    percent_agreement, percent_agreement_error, student_interval, unpaired_shares,
};
use calibrant_stats::proportion::wilson_interval;
use calibrant_stats::resample::{Interval, LEVEL};
use calibrant_stats::stream::{Purpose, Stream};
use rayon::prelude::*;

const KEPT: f64 = 0.7;
const TRUTH_UNITS: usize = 1_000_000;
const REPLICATES: u32 = 500;

/// Shares of the levels, and what to call them.
const SHARES: [(&str, &[f64]); 3] = [
    ("even: .5 .5", &[0.5, 0.5]),
    ("rare: .9 .1", &[0.9, 0.1]),
    ("five: .35 .25 .2 .15 .05", &[0.35, 0.25, 0.2, 0.15, 0.05]),
];

struct Setting {
    judges: usize,
    shares: (&'static str, &'static [f64]),
    gaps: f64,
    units: usize,
}

fn drawn(stream: &mut Stream, shares: &[f64]) -> u8 {
    let mut left = stream.uniform();
    for (level, share) in shares.iter().enumerate() {
        left -= share;
        if left < 0.0 {
            return level as u8;
        }
    }
    shares.len() as u8 - 1
}

fn simulated(setting: &Setting, units: usize, replicate: u32) -> Tally {
    let mut stream = Stream::new(29, Purpose::Simulation, replicate);
    let levels = setting.shares.1.len();
    let mut codes = Vec::with_capacity(units * setting.judges);
    for _ in 0..units {
        let truth = drawn(&mut stream, setting.shares.1);
        for _ in 0..setting.judges {
            let gap = stream.bernoulli(setting.gaps);
            let kept = stream.bernoulli(KEPT);
            let other = stream.below(levels) as u8;
            let given = if kept { truth } else { other };
            codes.push(if gap { MISSING } else { given });
        }
    }
    let ratings = Ratings::new(setting.judges, levels, &codes).expect("codes are levels");
    ratings.tally()
}

type Found = Result<Interval, Undefined>;

/// A way to an interval, and the value it is to hold.
struct Method {
    word: &'static str,
    value: fn(&Tally) -> Result<f64, Undefined>,
    interval: fn(&Tally) -> Found,
}

fn identity(tally: &Tally) -> Weights {
    Weights::identity(tally.levels())
}

/// The table of two judges; a larger panel has none, which leaves its cell empty.
fn pair(tally: &Tally) -> Result<PairTable, Undefined> {
    if tally.judges() > 2 {
        return Err(Undefined::NoUnits);
    }
    Ok(tally.pair(0, 1).expect("there are two judges"))
}

fn value(agreement: Result<Agreement, Undefined>) -> Result<f64, Undefined> {
    agreement?.value
}

fn kappa(tally: &Tally) -> Result<f64, Undefined> {
    value(cohen_kappa(&pair(tally)?))
}

fn fleiss(tally: &Tally) -> Result<f64, Undefined> {
    value(fleiss_kappa(&tally.moments(), &identity(tally)))
}

fn ac1(tally: &Tally) -> Result<f64, Undefined> {
    value(gwet_ac(&tally.moments(), &identity(tally)))
}

fn alpha_of(tally: &Tally, difference: Difference) -> Result<f64, Undefined> {
    krippendorff_alpha(&tally.moments(), difference)?.value
}

fn alpha(tally: &Tally) -> Result<f64, Undefined> {
    alpha_of(tally, Difference::Nominal)
}

fn ordinal(tally: &Tally) -> Result<f64, Undefined> {
    alpha_of(tally, Difference::Ordinal)
}

fn by_units(tally: &Tally, least: usize, value: f64, error: f64) -> Interval {
    student_interval(value, error, tally.moments().units_with(least), LEVEL)
}

fn alpha_interval(tally: &Tally, difference: Difference) -> Found {
    let error = krippendorff_alpha_error(&tally.patterns(), difference)?;
    Ok(by_units(tally, 2, alpha_of(tally, difference)?, error))
}

fn options() -> AgreementBootstrapOptions {
    AgreementBootstrapOptions {
        replicates: REPLICATES,
        ..AgreementBootstrapOptions::default()
    }
}

fn drawn_again(
    tally: &Tally,
    coefficient: impl Fn(&calibrant_stats::agreement::Moments, &Weights) -> Result<Agreement, Undefined> + Sync,
) -> Found {
    let patterns: Patterns = tally.patterns();
    Ok(bootstrap_panel(&patterns, &identity(tally), &options(), coefficient)?.interval)
}

const METHODS: [Method; 10] = [
    Method {
        word: "po",
        value: |tally| percent_agreement(&tally.moments()),
        interval: |tally| {
            let error = percent_agreement_error(&tally.patterns())?;
            Ok(by_units(tally, 2, percent_agreement(&tally.moments())?, error))
        },
    },
    Method {
        word: "kappa",
        value: kappa,
        interval: |tally| {
            let error = cohen_kappa_error(&pair(tally)?)?.standard_error?;
            Ok(normal_interval(kappa(tally)?, error, LEVEL))
        },
    },
    Method {
        word: "kappa, bootstrap",
        value: kappa,
        interval: |tally| Ok(bootstrap_pair(&pair(tally)?, &options(), cohen_kappa)?.interval),
    },
    Method {
        word: "Fleiss",
        value: fleiss,
        interval: |tally| {
            let error = fleiss_kappa_error(&tally.patterns(), &identity(tally))?;
            Ok(by_units(tally, 1, fleiss(tally)?, error))
        },
    },
    Method {
        word: "Fleiss, bootstrap",
        value: fleiss,
        interval: |tally| drawn_again(tally, fleiss_kappa),
    },
    Method {
        word: "AC1",
        value: ac1,
        interval: |tally| {
            let error = gwet_ac_error(&tally.patterns(), &identity(tally))?;
            Ok(by_units(tally, 1, ac1(tally)?, error))
        },
    },
    Method {
        word: "AC1, bootstrap",
        value: ac1,
        interval: |tally| drawn_again(tally, gwet_ac),
    },
    Method {
        word: "alpha",
        value: alpha,
        interval: |tally| alpha_interval(tally, Difference::Nominal),
    },
    Method {
        word: "alpha, bootstrap",
        value: alpha,
        interval: |tally| Ok(bootstrap_alpha(&tally.patterns(), Difference::Nominal, &options())?.interval),
    },
    Method {
        word: "ordinal alpha",
        value: ordinal,
        interval: |tally| alpha_interval(tally, Difference::Ordinal),
    },
];

/// The share of samples with an interval whose interval holds the truth, and the share of samples with one.
fn written(held: &[Option<bool>]) -> String {
    let known: Vec<bool> = held.iter().copied().flatten().collect();
    if known.is_empty() {
        return "–".to_owned();
    }
    let n = known.len() as f64;
    let share = known.iter().filter(|&&held| held).count() as f64 / n;
    let without = held.len() - known.len();
    let missing = match without {
        0 => String::new(),
        _ => format!(" ({:.1} % without)", 100.0 * without as f64 / held.len() as f64),
    };
    format!("{share:.3} ±{:.3}{missing}", (share * (1.0 - share) / n).sqrt())
}

fn row(keys: &[String], cells: &[String]) -> String {
    format!("| {} | {} |", keys.join(" | "), cells.join(" | "))
}

fn head(keys: &[&str], methods: &[&str]) -> String {
    let words: Vec<&str> = keys.iter().chain(methods).copied().collect();
    format!("| {} |\n|{}", words.join(" | "), "---|".repeat(words.len()))
}

fn settings() -> Vec<Setting> {
    let mut settings = Vec::new();
    for judges in [2, 5] {
        for shares in SHARES {
            for gaps in [0.0, 0.1] {
                for units in [20, 40, 100, 400] {
                    settings.push(Setting {
                        judges,
                        shares,
                        gaps,
                        units,
                    });
                }
            }
        }
    }
    settings
}

fn panels(samples: u32) -> String {
    let words = METHODS.map(|method| method.word);
    let mut text = vec![head(&["judges", "shares of levels", "gaps", "units"], &words)];
    for setting in settings() {
        let whole = simulated(&setting, TRUTH_UNITS, u32::MAX);
        let truths = METHODS.map(|method| (method.value)(&whole));
        let cells = all_held(samples, |sample| -> [Option<bool>; METHODS.len()] {
            let tally = simulated(&setting, setting.units, sample);
            std::array::from_fn(|at| {
                let (truth, found) = (truths[at].ok()?, (METHODS[at].interval)(&tally).ok()?);
                Some(found.contains(truth))
            })
        });
        let keys = [
            setting.judges.to_string(),
            setting.shares.0.to_owned(),
            format!("{}", setting.gaps),
            setting.units.to_string(),
        ];
        text.push(row(&keys, &cells));
    }
    text.join("\n")
}

/// Shares of units: of one round, between rounds on other units, and on the same.
fn shares(samples: u32) -> String {
    let words = ["one share", "two shares, other units", "two shares, same units"];
    let mut text = vec![head(&["first", "second", "units"], &words)];
    for (p, q) in [(0.5, 0.6), (0.8, 0.85), (0.95, 0.97), (0.98, 0.9)] {
        for units in [20, 40, 100, 400] {
            let keys = [p.to_string(), q.to_string(), units.to_string()];
            text.push(row(
                &keys,
                &all_held(samples, |sample| share_sample(p, q, units, sample)),
            ));
        }
    }
    text.join("\n")
}

fn all_held<const METHODS: usize>(
    samples: u32,
    held: impl Fn(u32) -> [Option<bool>; METHODS] + Send + Sync,
) -> Vec<String> {
    let all: Vec<[Option<bool>; METHODS]> = (0..samples).into_par_iter().map(held).collect();
    (0..METHODS)
        .map(|at| written(&all.iter().map(|held| held[at]).collect::<Vec<_>>()))
        .collect()
}

fn share_sample(p: f64, q: f64, units: u64, sample: u32) -> [Option<bool>; 3] {
    let mut stream = Stream::new(31, Purpose::Simulation, sample);
    let mut count = |share: f64| (0..units).filter(|_| stream.bernoulli(share)).count() as u64;
    let (first, second) = (count(p), count(q));
    // The same uniform number decides half of the units in both rounds, so that the flags go together.
    let mut flags = PairedFlags::default();
    for _ in 0..units {
        let x = stream.uniform();
        let y = if stream.bernoulli(0.5) { x } else { stream.uniform() };
        *match (x < p, y < q) {
            (true, true) => &mut flags.both,
            (true, false) => &mut flags.only_first,
            (false, true) => &mut flags.only_second,
            (false, false) => &mut flags.neither,
        } += 1;
    }
    let wilson = wilson_interval(first, units).expect("there are units");
    let unpaired = unpaired_shares((first, units), (second, units)).expect("there are units");
    let paired = flags.difference().expect("there are units");
    [
        Some(wilson.0 <= p && p <= wilson.1),
        Some(unpaired.interval.contains(q - p)),
        Some(paired.interval.contains(q - p)),
    ]
}

/// Intraclass correlations of normal values.
fn correlations(samples: u32) -> String {
    let words = ["ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(2,k)"];
    let mut text = vec![head(&["judges", "units"], &words)];
    for judges in [3, 5, 20] {
        for units in [10, 40, 400] {
            let keys = [judges.to_string(), units.to_string()];
            text.push(row(
                &keys,
                &all_held(samples, |sample| icc_sample(judges, units, sample)),
            ));
        }
    }
    text.join("\n")
}

/// Units have variance 1, judges .25 and the rest .75.
fn icc_sample(judges: usize, units: usize, sample: u32) -> [Option<bool>; 4] {
    let mut stream = Stream::new(37, Purpose::Simulation, sample);
    let bias: Vec<f64> = (0..judges).map(|_| 0.5 * stream.normal()).collect();
    let mut crossed = Vec::with_capacity(units * judges);
    let mut nested = Vec::with_capacity(units * judges);
    for _ in 0..units {
        let unit = stream.normal();
        for bias in &bias {
            crossed.push(unit + bias + 0.75f64.sqrt() * stream.normal());
            // Where each unit has judges of its own, their variance is part of the rest.
            nested.push(unit + stream.normal());
        }
    }
    let held = |values: &[f64], form, truth| {
        let anova = Anova::of_values(judges, values).expect("whole units").ok()?;
        Some(anova.icc(form, LEVEL).ok()?.interval.ok()?.contains(truth))
    };
    [
        held(&nested, Icc::OneWaySingle, 1.0 / 2.0),
        held(&crossed, Icc::AgreementSingle, 1.0 / 2.0),
        held(&crossed, Icc::ConsistencySingle, 1.0 / 1.75),
        held(&crossed, Icc::AgreementMean, 1.0 / (1.0 + 1.0 / judges as f64)),
    ]
}

#[expect(clippy::print_stdout, reason = "an example prints its result")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args_os()
        .skip(1)
        .filter_map(|word| word.into_string().ok())
        .collect();
    let [table, samples] = words.as_slice() else {
        return Err("usage: agreement_coverage panels|shares|correlations SAMPLES".into());
    };
    let samples: u32 = samples.parse()?;
    println!(
        "{}",
        match table.as_str() {
            "panels" => panels(samples),
            "shares" => shares(samples),
            "correlations" => correlations(samples),
            other => return Err(format!("there is no table `{other}`").into()),
        }
    );
    Ok(())
}

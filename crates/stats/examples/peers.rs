//! Our side of `benches/peers/run.py`: one piece of work on a shared input, timed, its result as one line of JSON.
//!
//! `cargo run --release --package calibrant-stats --example peers WORK FILE`
//!
//! `WORK` is `fit`, `greedy:BUDGET`, `attrition`, those of agreement (`alpha:nominal`, `alpha:ordinal`, `kappa` for every two judges, the
//! same as a stream from the file with `-stream` before the colon, `alpha-bootstrap:REPLICATES`), or `draws` (how often each item is drawn in each replicate of the attrition
//! bootstrap, untimed, written to `FILE.draws` as 32-bit numbers, so that the peer can be held to the same interval). A file opens
//! with its shape as 64-bit numbers; all numbers are little endian:
//!
//! - fit: systems, items; a byte a label, item by item
//! - greedy: items, nodes; the node weights and the information, item by item, as doubles
//! - agreement: judges, levels, units; a byte a label, unit by unit, 255 for none
//! - attrition: items, systems, judges; a byte a label, item by item and system by system

#![expect(
    clippy::disallowed_methods,
    reason = "an example reads its input and the time; the crate does not"
)]

use std::error::Error;
use std::fs;
use std::io::{BufReader, Read};
use std::time::{Duration, Instant};

use calibrant_stats::agreement::{
    AgreementBootstrapOptions, Difference, Ratings, Tally, bootstrap_alpha, cohen_kappa, krippendorff_alpha,
};
use calibrant_stats::assembly::{Stop, greedy};
use calibrant_stats::attrition::{
    ItemPanel, Moments, attrition_curve, beta_fit, geometric_fit, geometric_interval, joint_peak,
};
use calibrant_stats::information::InformationTable;
use calibrant_stats::irt::{FitOptions, GridRule, Model, Responses, fit};
use calibrant_stats::resample::draw_clusters;
use calibrant_stats::stream::{Purpose, Stream};
use serde_json::{Value, json};

/// What `calibrate` uses unless told otherwise.
const REPLICATES: u32 = 300;
const SEED: u64 = 0;

type Input = BufReader<fs::File>;

fn number(input: &mut Input) -> std::io::Result<usize> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes) as usize)
}

fn doubles(input: &mut Input, count: usize) -> std::io::Result<Vec<f64>> {
    let mut bytes = [0; 8];
    let mut next = |_| {
        input.read_exact(&mut bytes)?;
        Ok(f64::from_le_bytes(bytes))
    };
    (0..count).map(&mut next).collect()
}

fn labels(input: &mut Input) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Processor and wall time of some work, with what it says.
fn timed(work: impl FnOnce() -> Result<Value, Box<dyn Error>>) -> Result<Value, Box<dyn Error>> {
    let (processor, wall) = (processor_time()?, Instant::now());
    let result = work()?;
    let (processor, wall) = (processor_time()? - processor, wall.elapsed());
    Ok(json!({
        "cpu_s": processor.as_secs_f64(), "wall_s": wall.as_secs_f64(), "peak_rss_mb": peak_mb()?, "result": result,
    }))
}

/// Processor time of all threads so far, in nanoseconds of the scheduler.
fn processor_time() -> std::io::Result<Duration> {
    let mut nanoseconds = 0;
    for task in fs::read_dir("/proc/self/task")? {
        let line = fs::read_to_string(task?.path().join("schedstat"))?;
        nanoseconds += line.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
    }
    Ok(Duration::from_nanos(nanoseconds))
}

fn peak_mb() -> std::io::Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<f64>().ok());
    Ok(kib.unwrap_or(f64::NAN) / 1024.0)
}

fn fitted(input: &mut Input) -> Result<Value, Box<dyn Error>> {
    let (systems, items) = (number(input)?, number(input)?);
    let successes: Vec<u16> = labels(input)?.into_iter().map(u16::from).collect();
    let trials = vec![1; successes.len()];
    let responses = Responses::new(systems, items, successes, trials)?;
    timed(|| {
        // The nodes of the peer that maximises the same objective.
        let options = FitOptions {
            rule: GridRule::Fixed,
            ..FitOptions::default()
        };
        let fit = fit(&responses, Model::TwoPl, &options)?;
        Ok(json!({
            "objective": fit.log_posterior, "iterations": fit.convergence.iterations,
            "gradient": fit.convergence.gradient_max, "converged": fit.convergence.converged(),
            "a": fit.items.discrimination, "b": fit.items.difficulty,
        }))
    })
}

fn chosen(input: &mut Input, budget: usize) -> Result<Value, Box<dyn Error>> {
    let (items, nodes) = (number(input)?, number(input)?);
    let weights = doubles(input, nodes)?;
    let table = InformationTable::new(nodes, doubles(input, items * nodes)?)?;
    let candidates: Vec<usize> = (0..items).collect();
    timed(|| {
        let bank = greedy(&table, &weights, &candidates, Stop::Budget(budget))?;
        Ok(json!({"order": bank.order, "utility": bank.utility, "bound": bank.optimum_bound}))
    })
}

fn panel(systems: &[u8], judges: usize) -> ItemPanel {
    let met = systems
        .chunks_exact(judges)
        .map(|votes| votes.iter().map(|&vote| usize::from(vote)).sum::<usize>());
    let count = |wanted: &dyn Fn(usize) -> bool| met.clone().filter(|&met| wanted(met)).count() as u32;
    ItemPanel {
        systems: (systems.len() / judges) as u32,
        unanimous_pass: count(&|met| met == judges),
        unanimous_fail: count(&|met| met == 0),
        majority_pass: count(&|met| 2 * met > judges),
    }
}

fn attrition(input: &mut Input) -> Result<Value, Box<dyn Error>> {
    let (_, systems, judges) = (number(input)?, number(input)?, number(input)?);
    let labels = labels(input)?;
    timed(|| {
        let items = labels.chunks_exact(systems * judges);
        let panels: Vec<ItemPanel> = items.map(|item| panel(item, judges)).collect();
        let curve = attrition_curve(&panels);
        let (geometric, beta) = (geometric_fit(&curve)?, beta_fit(&panels, Moments::Factorial)?);
        let interval = geometric_interval(&panels, REPLICATES, SEED)?;
        let column = |value: fn(&calibrant_stats::attrition::AttritionPoint) -> f64| -> Vec<f64> {
            curve.iter().map(value).collect()
        };
        Ok(json!({
            "retention": column(|point| point.retention), "distinguishability": column(|point| point.distinguishability),
            "joint": column(|point| point.joint), "peak": joint_peak(&curve)?.systems,
            "rho": geometric.rho, "rho_rmse": geometric.rmse, "r_squared": geometric.r_squared?,
            "beta": [beta.a, beta.b, beta.rmse], "interval": [interval.low, interval.high],
        }))
    })
}

fn draws(input: &mut Input, path: &str) -> Result<Value, Box<dyn Error>> {
    let items = number(input)?;
    let mut bytes = Vec::with_capacity(4 * items * REPLICATES as usize);
    for replicate in 0..REPLICATES {
        let counts = draw_clusters(&mut Stream::new(SEED, Purpose::AttritionBootstrap, replicate), items);
        bytes.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
    }
    fs::write(format!("{path}.draws"), bytes)?;
    Ok(json!({"replicates": REPLICATES}))
}

/// A panel and its labels, with 255 for a label not given.
struct Panel {
    judges: usize,
    levels: usize,
}

impl Panel {
    fn read(input: &mut Input) -> std::io::Result<Self> {
        let (judges, levels, _units) = (number(input)?, number(input)?, number(input)?);
        Ok(Self { judges, levels })
    }

    /// All labels in memory, counted.
    fn count(&self, codes: &[u8]) -> Result<Tally, Box<dyn Error>> {
        Ok(Ratings::new(self.judges, self.levels, codes)?.tally())
    }

    /// Labels as they come from the file, in blocks of 65,536 units.
    fn stream(&self, input: &mut Input) -> Result<Tally, Box<dyn Error>> {
        let mut tally = Tally::new(self.judges, self.levels)?;
        let mut block = vec![0; self.judges << 16];
        loop {
            let mut filled = 0;
            while filled < block.len() {
                match input.read(&mut block[filled..])? {
                    0 => break,
                    read => filled += read,
                }
            }
            tally.push_block(&Ratings::new(self.judges, self.levels, &block[..filled])?)?;
            if filled < block.len() {
                return Ok(tally);
            }
        }
    }
}

fn alpha(tally: &Tally, difference: &str) -> Result<Value, Box<dyn Error>> {
    let difference = match difference {
        "ordinal" => Difference::Ordinal,
        _ => Difference::Nominal,
    };
    let alpha = krippendorff_alpha(&tally.moments(), difference)?;
    Ok(json!({"values": [alpha.value?]}))
}

fn kappas(tally: &Tally) -> Result<Value, Box<dyn Error>> {
    let judges = tally.judges();
    let mut values = Vec::new();
    for a in 0..judges {
        for b in a + 1..judges {
            values.push(cohen_kappa(&tally.pair(a, b)?)?.value?);
        }
    }
    Ok(json!({"values": values}))
}

fn agreement(input: &mut Input, work: &str) -> Result<Value, Box<dyn Error>> {
    let panel = Panel::read(input)?;
    let (work, more) = work.split_once(':').unwrap_or((work, ""));
    if let Some(work) = work.strip_suffix("-stream") {
        return timed(|| {
            let tally = panel.stream(input)?;
            if work == "kappa" {
                kappas(&tally)
            } else {
                alpha(&tally, more)
            }
        });
    }
    let codes = labels(input)?;
    timed(|| {
        let tally = panel.count(&codes)?;
        match work {
            "kappa" => kappas(&tally),
            "alpha" => alpha(&tally, more),
            _ => {
                let options = AgreementBootstrapOptions {
                    replicates: more.parse()?,
                    ..AgreementBootstrapOptions::default()
                };
                let replicates = bootstrap_alpha(&tally.patterns(), Difference::Nominal, &options)?;
                Ok(json!({"values": [replicates.standard_error]}))
            }
        }
    })
}

#[expect(clippy::print_stdout, reason = "an example prints its result")]
fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args_os()
        .skip(1)
        .filter_map(|word| word.into_string().ok())
        .collect();
    let [work, path] = words.as_slice() else {
        return Err("usage: peers WORK FILE".into());
    };
    let mut input = BufReader::with_capacity(1 << 16, fs::File::open(path)?);
    let result = match work.split_once(':') {
        Some(("greedy", budget)) => chosen(&mut input, budget.parse()?)?,
        _ => match work.as_str() {
            "fit" => fitted(&mut input)?,
            "attrition" => attrition(&mut input)?,
            "draws" => draws(&mut input, path)?,
            work if work.starts_with("alpha") || work.starts_with("kappa") => agreement(&mut input, work)?,
            other => return Err(format!("there is no work `{other}`").into()),
        },
    };
    println!("{result}");
    Ok(())
}

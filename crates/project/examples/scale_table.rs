//! A table of simulated verdicts of any size, for `benches/scale/run.py`.
//!
//! `cargo run --release --package calibrant-project --example scale_table CRITERIA SYSTEMS JUDGES SEED FILE`
//!
//! Every criterion belongs to one query, ten criteria a query, and every judge labels every system on every criterion, with errors.
//! Rows come system by system, in the order in which a runner would ask: query, criterion, judge. They are written as they are
//! made; only the drawn labels are held, one byte each.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use calibrant_stats::simulate::{SimulatedPanel, SimulationOptions, simulate};

/// Criteria of each query.
const CRITERIA_A_QUERY: usize = 10;

/// What is asked for on the command line.
struct Asked {
    options: SimulationOptions,
    path: String,
}

fn asked() -> Option<Asked> {
    let mut words = std::env::args_os().skip(1).map(|word| word.into_string());
    let mut next = || words.next()?.ok();
    let criteria: usize = next()?.parse().ok()?;
    let options = SimulationOptions {
        queries: criteria.div_ceil(CRITERIA_A_QUERY),
        criteria: CRITERIA_A_QUERY,
        systems: next()?.parse().ok()?,
        judges: next()?.parse().ok()?,
        seed: next()?.parse().ok()?,
        ..SimulationOptions::default()
    };
    Some(Asked { options, path: next()? })
}

fn write_rows(panel: &SimulatedPanel, to: &mut impl Write) -> io::Result<()> {
    let items = panel.query.len();
    writeln!(to, "system,query,criterion,judge,label")?;
    for system in 0..panel.abilities.len() {
        for item in 0..items {
            for (judge, labels) in panel.labels.iter().enumerate() {
                let (query, label) = (panel.query[item], labels[system * items + item]);
                writeln!(
                    to,
                    "system-{system:02},query-{query:05},criterion-{item:06},judge-{judge},{label}"
                )?;
            }
        }
    }
    to.flush()
}

fn main() -> io::Result<()> {
    let Some(Asked { options, path }) = asked() else {
        return Err(io::Error::other("usage: scale_table CRITERIA SYSTEMS JUDGES SEED FILE"));
    };
    write_rows(&simulate(&options), &mut BufWriter::new(File::create(path)?))
}

//! The whole road on a simulated panel with known truth: no key, no network, no file from outside.

use std::path::PathBuf;

use calibrant_schema::Undefined;
use calibrant_schema::config::Config;
use calibrant_steps::recovery::{Recovery, recovery};
use calibrant_steps::simulate::{Simulated, SimulationOptions, simulated_panel};
use calibrant_store::write_atomic;

use crate::error::ProjectError;
use crate::folder::Folder;
use crate::request::{Origin, Request, Start};
use crate::run::{Products, run};
use crate::simulated::gzipped_table;
use crate::step::{Note, Step};
use crate::truth::{TRUTH, TruthFile};

/// The simulated table beside the results.
const TABLE: &str = "simulated-verdicts.csv.gz";

/// Options of [`demo`].
#[derive(Clone, Debug)]
pub struct DemoOptions {
    /// The folder for the table and the results.
    pub out: PathBuf,
    /// Settings, the seed among them: the panel and every bootstrap are drawn from it.
    pub config: Config,
    /// The command as typed.
    pub command: Option<String>,
}

/// What the demo shows.
#[derive(Debug)]
pub struct Demo {
    /// The run's products.
    pub products: Products,
    /// True abilities by system, best first.
    pub truth: Vec<(String, f64)>,
    /// What was recovered of them.
    pub recovery: Recovery,
    /// The table that was simulated.
    pub table: PathBuf,
    /// The panel's shape.
    pub shape: SimulationOptions,
}

/// Simulates the source's main block (15 systems, 624 query-specific criteria, 3 judges with errors), writes it as a
/// table, and takes the road of any other table.
///
/// # Errors
/// If the folder is not ours or cannot be written.
pub fn demo(options: &DemoOptions, notes: &mut dyn FnMut(Note<'_>)) -> Result<Demo, ProjectError> {
    let shape = SimulationOptions {
        seed: options.config.whole("seed").unwrap_or(0),
        ..SimulationOptions::default()
    };
    let simulated = simulated_panel(&shape);
    let table = {
        let folder = Folder::create(&options.out)?;
        write_atomic(&folder.file(TABLE), &gzipped_table(&simulated.verdicts))?;
        folder.file(TABLE)
    };
    let start = Start::Verdicts {
        tables: vec![table.clone()],
        out: options.out.clone(),
    };
    let request = Request {
        command: options.command.clone(),
        origin: Origin::Simulated,
        ..Request::new(start, options.config.clone())
    };
    let recovery = {
        let scored = run(&request, Step::Score, notes)?;
        let recovery = recovered(&scored, &simulated, shape.seed)?;
        let truth = TruthFile::new(&scored.calibration, &simulated.abilities, sentences(&recovery));
        write_atomic(&scored.folder.file(TRUTH), truth.to_json().as_bytes())?;
        recovery
    };
    let products = run(&request, Step::Report, &mut |note| {
        if let Note::Step(Step::Report, _) = note {
            notes(note);
        }
    })?;
    let mut abilities = simulated.abilities;
    abilities.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    Ok(Demo {
        products,
        truth: abilities,
        recovery,
        table,
        shape,
    })
}

fn recovered(scored: &Products, simulated: &Simulated, seed: u64) -> Result<Recovery, ProjectError> {
    let (Some(fit), Some(bank)) = (&scored.fit, &scored.bank) else {
        return Err(ProjectError::refused(
            "no-bank",
            "the demo made no bank",
            "report this: the demo always makes one",
        ));
    };
    let labels = scored.folder.read_labels(&scored.calibration)?;
    let truth: Vec<f64> = simulated.abilities.iter().map(|(_, ability)| *ability).collect();
    Ok(recovery(&labels, fit, bank, &truth, seed)?)
}

/// What was recovered, in words for the report.
fn sentences(recovery: &Recovery) -> Vec<(String, String)> {
    let correlation = |value: &Result<f64, Undefined>| match value {
        Ok(value) => format!("{value:.3}"),
        Err(why) => format!("undefined: {why}"),
    };
    let mut sentences = vec![(
        "Rank correlation with the truth, all criteria".to_owned(),
        correlation(&recovery.pool),
    )];
    sentences.extend(recovery.sizes.iter().map(|row| {
        let what = format!("Rank correlation with the truth, {} criteria", row.size);
        let found = format!(
            "bank {}, random banks {} on average",
            correlation(&row.bank),
            correlation(&row.random)
        );
        (what, found)
    }));
    sentences
}

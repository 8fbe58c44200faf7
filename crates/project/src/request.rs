//! What a command asks for: where the labels come from, where results go, and the settings in force.

use std::path::PathBuf;

use calibrant_schema::artifact::Header;
use calibrant_schema::bank::Method;
use calibrant_schema::config::{Config, Source};
use calibrant_schema::fit::Model;
use calibrant_schema::{By, Pool};
use calibrant_steps::assemble::AssembleOptions;
use calibrant_steps::calibrate::CalibrateOptions;
use calibrant_steps::fit::{FitOptions, GridRule};
use calibrant_steps::score::{IntervalMethod, ScoreOptions, TierRule};
use calibrant_store::tables::TableForm;

use crate::charts::Charts;
use crate::freshness::VERSION;

/// Where a command starts.
#[derive(Clone, Debug)]
pub enum Start {
    /// From tables of verdicts: every step before is run, into `out`.
    Verdicts {
        /// The tables.
        tables: Vec<PathBuf>,
        /// The folder for results.
        out: PathBuf,
    },
    /// From a folder a command before left, into the same folder.
    Folder(PathBuf),
}

/// Trusted labels, held out of the panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gold {
    /// Judges of the table.
    Judges(Vec<String>),
    /// A file.
    File(PathBuf),
}

impl Gold {
    /// A file of this name if there is one, else judges, with commas between them.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let path = PathBuf::from(text);
        if path.is_file() {
            return Self::File(path);
        }
        Self::Judges(text.split(',').map(|judge| judge.trim().to_owned()).collect())
    }
}

/// A command, with every setting in force.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where it starts.
    pub start: Start,
    /// The settings, each with its source.
    pub config: Config,
    /// The rubric; for a bank's criteria, the bank.
    pub rubric: Option<PathBuf>,
    /// Descriptions of the queries.
    pub queries: Option<PathBuf>,
    /// Trusted labels.
    pub gold: Option<Gold>,
    /// A bank to score new systems on.
    pub bank: Option<PathBuf>,
    /// The command as typed, for the report.
    pub command: Option<String>,
    /// Whether the verdicts are simulated; the artifacts then say so.
    pub origin: Origin,
}

/// The flag of the command line that sets a key.
#[must_use]
pub fn flag_of(key: &str) -> String {
    match key {
        "panel" => "--judges".to_owned(),
        _ if key.starts_with("columns.") => "--columns".to_owned(),
        _ => format!("--{}", key.rsplit('.').next().unwrap_or(key)),
    }
}

/// Where the verdicts of a request come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Origin {
    /// Judges.
    #[default]
    Judged,
    /// The program's own simulation.
    Simulated,
}

impl Request {
    /// A request with nothing but its start and the settings.
    pub fn new(start: Start, config: Config) -> Self {
        Self {
            start,
            config,
            rubric: None,
            queries: None,
            gold: None,
            bank: None,
            command: None,
            origin: Origin::default(),
        }
    }

    /// What the run is divided by. New systems on a bank are scored as a whole: each block has a bank of its own.
    pub(crate) fn by(&self) -> Option<By> {
        let asked = self.config.text("by").and_then(By::of_word);
        asked.filter(|_| self.bank.is_none())
    }

    /// The form of the tables this request writes; in a folder of a run before, that of its labels unless one is asked for.
    pub(crate) fn table_form(&self, before: TableForm) -> TableForm {
        let setting = self.config.get("tables");
        let asked_for = setting.is_some_and(|setting| setting.source != Source::Default);
        match (self.config.text("tables"), &self.start) {
            (_, Start::Folder(_)) if !asked_for => before,
            (Some("parquet"), _) => TableForm::Parquet,
            _ => TableForm::Csv,
        }
    }

    /// The opening of an artifact made from these inputs.
    pub(crate) fn opening(&self, inputs: &[(&str, Option<String>)]) -> Header {
        Header {
            calibrant: VERSION.to_owned(),
            inputs: inputs
                .iter()
                .filter_map(|(role, hash)| Some(((*role).to_owned(), hash.clone()?)))
                .collect(),
            seed: self.seed(),
            ..Header::default()
        }
    }

    /// Notes the judges that were chosen among the settings of an artifact.
    pub(crate) fn note_panel(&self, header: &mut Header) {
        if let panel @ [_, ..] = self.config.texts("panel") {
            header.settings.insert("panel".to_owned(), panel.join(", "));
        }
    }

    pub(crate) fn seed(&self) -> u64 {
        self.config.whole("seed").unwrap_or(0)
    }

    pub(crate) fn calibrate_options(&self) -> CalibrateOptions {
        CalibrateOptions {
            threshold: self.threshold(),
            pool: match self.config.text("calibrate.pool") {
                Some("item") => Some(Pool::Item),
                Some("criterion") => Some(Pool::Criterion),
                _ => None,
            },
            seed: self.seed(),
            ..CalibrateOptions::default()
        }
    }

    /// The bank's threshold; in a folder of a run before, the calibration's unless one is asked for.
    fn bank_threshold(&self) -> Option<f64> {
        let asked_for = self
            .config
            .get("assemble.threshold")
            .is_some_and(|setting| setting.source != Source::Default);
        (asked_for || matches!(self.start, Start::Verdicts { .. })).then(|| self.threshold())
    }

    fn threshold(&self) -> f64 {
        self.config
            .number("assemble.threshold")
            .unwrap_or(CalibrateOptions::default().threshold)
    }

    pub(crate) fn fit_options(&self) -> FitOptions {
        let model = match self.config.text("fit.model") {
            Some("1PL") => Model::OnePl,
            _ => Model::TwoPl,
        };
        let mut options = FitOptions {
            model,
            ..FitOptions::default()
        };
        if self.config.text("fit.grid") == Some("fixed") {
            options.kernel.rule = GridRule::Fixed;
        }
        options
    }

    pub(crate) fn assemble_options(&self) -> AssembleOptions {
        AssembleOptions {
            method: match self.config.text("assemble.method") {
                Some("plain") => Method::Plain,
                Some("consensus") => Method::Consensus,
                _ => Method::Greedy,
            },
            budget: self.config.whole("assemble.budget").map(|budget| budget as usize),
            threshold: self.bank_threshold(),
        }
    }

    pub(crate) fn charts(&self) -> Charts {
        Charts::of(self.config.text("report.charts"))
    }

    pub(crate) fn score_options(&self) -> ScoreOptions {
        let defaults = ScoreOptions::default();
        ScoreOptions {
            interval: match self.config.text("score.interval") {
                Some("cluster") => IntervalMethod::Cluster,
                Some("cluster-refit") => IntervalMethod::ClusterRefit,
                Some("delta") => IntervalMethod::Delta,
                Some("parametric") => IntervalMethod::Parametric,
                Some("source") => IntervalMethod::Source,
                _ => IntervalMethod::Auto,
            },
            replicates: self
                .config
                .whole("score.replicates")
                .map_or(defaults.replicates, |replicates| {
                    u32::try_from(replicates).unwrap_or(u32::MAX)
                }),
            seed: self.seed(),
            tiers: match self.config.text("score.tiers") {
                Some("anchored") => TierRule::Anchored,
                _ => TierRule::Adjacent,
            },
            ..defaults
        }
    }
}
